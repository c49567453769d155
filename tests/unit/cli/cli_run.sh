#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Goal: `weir-sim run` keeps its promises about directories, exit codes, streams and reproduction.
# Method: the sample scenario, each way it can end.
. "$(dirname "$0")/common.sh"

printf 'scenario: sample\nseed: 3\nsample:\n  events: 1k\n' >c.yaml

# a run, where it goes, and what it prints
sim run c.yaml
expect 0
err_is ""
out_has "slow    *102 vCPU us"
out_has "report  runs/sample-3-0/report.html"
[ -f runs/sample-3-0/manifest.json ] || fail "no manifest"
digest=$(sed -n 's/^digest  //p' out)
[ ${#digest} = 32 ] || fail "digest is \"$digest\""

# not twice into one directory; with --force, yes
sim run c.yaml
expect 2
err_is "weir-sim: runs/sample-3-0: is not empty: --force replaces an earlier run, --out chooses \
another directory"
sim run c.yaml --force
expect 0
out_has "$digest"
mkdir mine && echo precious >mine/report.html
sim run c.yaml --out mine --force
expect 2
[ "$(cat mine/report.html)" = precious ] || fail "somebody's file was deleted"

# the resolved configuration gives the same digest, from elsewhere too
mkdir elsewhere
(cd elsewhere && ../weir-sim run ../runs/sample-3-0/config.resolved.yaml) >out 2>err ||
	fail "the resolved configuration did not run: $(cat err)"
out_has "$digest"

# seed, run number and -C change it, and say so in the directory's name
sim run c.yaml --seed 4 --run 2 -C sample.chatty=on
expect 0
out_has "report  runs/sample-4-2/report.html"
out_has "More."
grep -qF "$digest" out && fail "another seed gave the same digest"

# --format json: that file, and nothing else
sim run c.yaml --out j --format json
expect 0
err_is ""
cmp -s out j/compare.json || fail "--format json: standard output is not compare.json"
sim run c.yaml --out q --quiet
expect 0
err_is ""
[ -s out ] && fail "--quiet printed something"

# streams that the caller closed: no file of the run takes their place
./weir-sim run c.yaml --out closed <&- >&- 2>&-
[ $? = 3 ] || fail "standard output closed: exit code is not 3"
for file in config.resolved.yaml compare.json stats.json slow/stats.json; do
	cmp -s closed/$file j/$file || fail "standard output closed: another $file"
done
sim diff closed j
expect 0

# a directory that cannot be: nothing is made on the way to it
long=$(printf 'a/%.0s' {1..3000})
sim run c.yaml --out "$long"
expect 2
[ -e a ] && fail "parents of a directory whose name is too long were made"

# a violated property: 1, and the last line does it again
sim run c.yaml -C sample.ending=fail -C "policy.names=a b'c" --out "d e"
expect 1
err_has "weir-sim: property violated: lost page: gfn 0x1001 (policy slow)"
again=$(tail -n 1 err)
case $again in
"./weir-sim run c.yaml -C sample.ending=fail -C "*" --seed 3 --run 0 --out 'd e' --force") ;;
*) fail "last line of standard error: $again" ;;
esac
eval "$again" >out2 2>err2
[ $? = 1 ] || fail "the reproduction did not fail: $(cat err2)"
cmp -s out out2 && cmp -s err err2 || fail "the reproduction came out differently"
sim run c.yaml -C sample.ending=fail --out f --format json
expect 1
cmp -s out f/compare.json || fail "--format json of a failed run is not compare.json alone"
sim run c.yaml -C sample.ending=abort_midway --out g
expect 1
[ -f g/report.html ] || fail "a failed run has no report"

# the scenario refuses its input, or breaks
sim run c.yaml -C sample.ending=bad_input --out h
expect 2
err_is "weir-sim: sample.ending=bad_input: cannot be used"
[ -e h ] && fail "bad input left a directory behind"
sim run c.yaml -C sample.ending=internal --out i
expect 3
err_is "weir-sim: it broke"

# a full disk, as far as a process can make one: no half file under a final name
(
	trap '' XFSZ
	ulimit -f 8
	./weir-sim run c.yaml -C sample.events=100k --out full >out 2>err
)
[ $? = 3 ] || fail "full disk: $(cat err)"
err_has "File too large"
[ "$(wc -l <err)" = 1 ] || fail "full disk: more than one line: $(cat err)"
[ -e full/manifest.json ] && fail "full disk: a manifest claims a complete run"

# stopped in the middle: it says so, ends by the signal, and can be replaced
./weir-sim run c.yaml -C sample.events=1G --no-trace --out stopped >out 2>err </dev/null &
pid=$!
while [ ! -e stopped/config.resolved.yaml ] && kill -0 $pid 2>/dev/null; do sleep 0.1; done
sim run c.yaml --out stopped --force
expect 2
err_is "weir-sim: stopped: another run is writing into it: wait for its end, or choose \
another --out"
kill -TERM $pid
wait $pid 2>/dev/null
[ $? = 143 ] || fail "stopped: exit code other than that of the signal"
sim run c.yaml --out stopped --force
expect 0

if [ -w /dev/full ]; then
	./weir-sim run c.yaml --out k >/dev/full 2>err
	[ $? = 3 ] || fail "standard output full: $(cat err)"
fi
finish
