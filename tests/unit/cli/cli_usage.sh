#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Goal: whatever is typed wrongly gets one line that says what would be right, exit code 2, and
# leaves nothing behind.
# Method: a table of wrong command lines and wrong files, with the exact words.
. "$(dirname "$0")/common.sh"

# wrong MESSAGE ARGS...
wrong() {
	local message=$1
	shift
	sim "$@"
	expect 2
	err_is "weir-sim: $message"
	[ -s out ] && fail "$last: wrote on standard output"
	[ -e runs ] && fail "$last: left a directory behind" && rm -rf runs
}

# bad MESSAGE TEXT: as a configuration
bad() {
	printf "$2" >b.yaml
	wrong "$1" run b.yaml
}

printf 'scenario: sample\n' >c.yaml
wrong "'rnu': no such command; did you mean run? (weir-sim --help lists them)" rnu
wrong "run: a configuration file is needed: weir-sim run CONFIG" run
wrong "'': cannot open: No such file or directory" run ""
wrong "run: d.yaml: one configuration at a time (parameters are set by -C NAME=VALUE)" \
	run c.yaml d.yaml
wrong "--sed: unknown option; did you mean --seed?" run c.yaml --sed 4
wrong "--out: missing argument" run c.yaml --out
wrong "--seed=-1: must be a number, 0..9223372036854775807" run c.yaml --seed=-1
wrong "--run=9223372036854775808: must be a number, 0..9223372036854775807" \
	run c.yaml --run 9223372036854775808
wrong "--format=xml: must be table or json" run c.yaml --format xml
wrong "-C foo: must be name=value" run c.yaml -C foo
wrong "sample.event: no such parameter; did you mean sample.events?" run c.yaml -C sample.event=4
wrong "sample.events=0: must be 1..1000000000" run c.yaml -C sample.events=0
wrong "sample.chatty=maybe: must be on or off" run c.yaml -C sample.chatty=maybe
wrong "c.yaml: is there, and is not a directory" run c.yaml --out c.yaml
wrong "--out: must be the name of a directory" run c.yaml --out ""
wrong "list-params: no such scenario: 'smaple'; did you mean sample? (weir-sim list-params lists \
all)" \
	list-params smaple
wrong "list-params: one scenario, or none for all" list-params sample its
wrong "report: one run directory is needed: weir-sim report DIR" report
wrong "nope/manifest.json: cannot be read: No such file or directory" report nope
wrong "trace: one trace is needed: weir-sim trace DIR|FILE" trace
wrong "--from=x: must be a number, 0..18446744073709551615" trace t --from x
wrong "diff: two runs are needed: weir-sim diff A B (run directories, or traces)" diff a
wrong "script: a kind and a file are needed: weir-sim script its|stage2 FILE [NAME...]" script
wrong "script stage3: no such kind of script: must be its or stage2" script stage3 f
wrong "its.profil: no such parameter; did you mean its.profile?" script its f -C its.profil=kvm
wrong "its.profile=xen: must be one of qemu, kvm" script its f -C its.profile=xen
wrong "its.v4=4.0: needs its.state=memory" script its f -C its.profile=kvm -C its.v4=4.0
printf 'scenario a # first\nsetup\nfoo 1\n' >s.scn
wrong "s.scn:3: operation, found 'foo', expected an operation of ITS scripts" script its s.scn
printf 'scenario a\nsetup\ncmd INT 0\n' >s.scn
wrong "s.scn:3: number, found nothing, expected a number up to 18446744073709551615" \
	script its s.scn
printf 'scenario a cpus=2\nack 2\n' >s.scn
wrong "s.scn:2: CPU, found '2', expected a number up to 1" script its s.scn
printf 'scenario a\npend\n' >s.scn
wrong "s.scn: no scenario 'b', expected a name of this file" script its s.scn a b
wrong "import: a format and a file are needed: weir-sim import qemu-log FILE" import qemu-log
wrong "import qmeu-log: no such format: must be qemu-log" import qmeu-log f
printf '1@0.000001:gicv3_its_cmd_sync GICv3 ITS: command SYNC\nnonsense\n' >l.log
wrong "l.log:2: line, found 'nonsense', expected THREAD@SECONDS.MICROSECONDS:" import qemu-log l.log
sim script stage2 none.scn
expect 2
err_has "none.scn: "
sim run none.yaml
expect 2
err_has "none.yaml: "
sim trace c.yaml
expect 2
err_has "c.yaml: "

bad "b.yaml: is empty, expected \`scenario: NAME\`" ""
bad "b.yaml:3: sample.event: no such parameter; did you mean sample.events?" \
	"scenario: sample\nsample:\n  event: 5\n"
bad "b.yaml:2: sampel: no such component; did you mean sample?" \
	"scenario: sample\nsampel:\n  events: 5\n"
bad "b.yaml:3: sample.events: found a list, expected a single value" \
	"scenario: sample\nsample:\n  events: [5]\n"
bad "b.yaml:3: sample.events=many: must be a number, 1..1000000000" \
	"scenario: sample\nsample:\n  events: many\n"
bad "b.yaml:4: sample.events=2G: must be 1..1000000000" \
	"scenario: sample\nsample:\n  chatty: on\n  events: 2G\n"
# what YAML allows and a configuration does not: small files that are large, or take for ever
bad "b.yaml:2: found an alias, expected the value itself" "seed: &a 1\nrun: *a\n"
bad "b.yaml:2: found a NUL in a name or a value, expected text" \
	"scenario: sample\nseed: \"1\\\\0x\"\n"
bad "b.yaml:2: found a list or a mapping, expected a name" "scenario: sample\n? [a]\n: b\n"
bad "b.yaml:3: found more than 16 levels of nesting, expected one or two" \
	"scenario: sample\nx:\n $(printf '%060000d' 0 | tr 0 '[')\n"
printf 'scenario: sample\nseed: \xff\n' >b.yaml
sim run b.yaml
expect 2
err_has "b.yaml:2: "
err_has "UTF-8"

# one line, whatever stands in it, and nothing that a terminal obeys
wrong 'a\x0a\x1b[2J\xe2\x80\xaeb: cannot open: No such file or directory' \
	run $'a\n\e[2J\u202eb'
mkdir -p dir/manifest.json
wrong "dir/manifest.json: cannot be read: Is a directory" report dir

# nothing typed: the help, as an error; asked for: the help, as an answer
sim
expect 2
err_has "Usage: weir-sim COMMAND"
sim --help
expect 0
err_is ""
out_has "list-params"
for command in run list-params report trace diff script; do
	sim $command --help
	expect 0
	out_has "Usage: weir-sim $command"
done
sim --version
expect 0
grep -Eq '^commit ([0-9a-f]{40}( with changes)?|unknown)$' out || fail "--version: $(cat out)"
sim list-params sample
expect 0
out_has "  sample.events=100  (1..1000000000 events)"
out_has "default: a publication"
finish
