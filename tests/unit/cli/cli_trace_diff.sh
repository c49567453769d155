#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Goal: `trace` prints the events that were asked for and `diff` names the first that differs.
# Method: the sample scenario's events are known: number i at 1000 i ns.
. "$(dirname "$0")/common.sh"

printf 'scenario: sample\nsample:\n  events: 10\n' >c.yaml
sim run c.yaml --out a --quiet
expect 0
sim run c.yaml --out same --quiet
sim run c.yaml --out longer -C sample.events=11 --quiet
sim run c.yaml --out seed --seed 2 --quiet

sim trace a/slow
expect 0
[ "$(wc -l <out)" = 11 ] || fail "trace: $(wc -l <out) lines, expected 11"
[ "$(head -n 1 out)" = "0 step vcpu=0 gfn=0x1001 cost=100" ] || fail "trace: $(head -n 1 out)"
[ "$(tail -n 1 out)" = "10000 stop" ] || fail "trace: $(tail -n 1 out)"
sim trace a/slow/trace.zst --kind step --from 3000 --to 4k
expect 0
[ "$(cat out)" = "3000 step vcpu=0 gfn=0x1004 cost=100
4000 step vcpu=0 gfn=0x1005 cost=100" ] || fail "trace with filters: $(cat out)"
sim trace a/slow --kind stpo
expect 2
err_is "weir-sim: --kind=stpo: no such kind of event in this trace; did you mean stop?"
sim trace a
expect 2
err_is "weir-sim: a: has a trace for each policy: name one of a/slow, a/fast"
mkdir empty
sim trace empty
expect 2
err_is "weir-sim: empty: holds no trace.zst"
head -c 40 a/slow/trace.zst >cut
sim trace cut
expect 2
err_has "cut: "

sim diff a same
expect 0
grep -Eq '^same: 2 policies, 22 events, digest [0-9a-f]{32}$' out || fail "diff: $(cat out)"
sim diff a longer
expect 1
out_has "slow: first difference at event 10"
out_has "           9  9000 step vcpu=0 gfn=0x100a cost=100"
out_has "  A       10  10000 stop"
out_has "  B       10  10000 step vcpu=0 gfn=0x100b cost=100"
out_has "slow: counters that differ"
out_has "    sample.faults  A 10  B 11"
out_has '    sample.events  A "10"  B "11"'
sim diff a seed
expect 1
out_has "    seed  A 1  B 2"
out_has "slow: first difference at event 0"
grep -q "counters that differ" out && fail "diff: counters do not differ between seeds"
sim diff a/slow a/fast
expect 1
out_has "trace: first difference at event 0"
sim diff a/slow same/slow/trace.zst
expect 0
out_has "same: 11 events"
sim diff a none
expect 2
err_is "weir-sim: none/manifest.json: cannot be read: No such file or directory"

# without a trace the digest stays, and diff still tells
sim run c.yaml --out untraced --quiet --no-trace
expect 0
[ -e untraced/slow/trace.zst ] && fail "--no-trace kept a trace"
sim diff a untraced
expect 0
out_has "same: 2 policies"
sim run c.yaml --out untraced --force --seed 2 --quiet --no-trace
sim diff a untraced
expect 1
out_has "slow: the digests differ; where events do, if any, is not known without both traces"

# a report can be made again, and is the same
cp a/report.html before.html
rm a/report.html
sim report a
expect 0
out_has "a/report.html"
cmp -s before.html a/report.html || fail "report: rendered differently"
finish
