#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Goal: progress shows on a terminal and never in a pipe; a wide table is cut for a terminal only.
# Method: script(1) makes a terminal. Without it, the part that needs one is skipped.
. "$(dirname "$0")/common.sh"

printf 'scenario: sample\nsample:\n  events: 100k\n' >c.yaml
sim run c.yaml --out pipe
expect 0
err_is ""
grep -q $'\r' out && fail "a carriage return in a pipe"
[ "$(grep -c '^slow  ' out)" = 1 ] || fail "the table was cut in a pipe"

if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
	script -qec "stty cols 40; ./weir-sim run c.yaml --out tty" /dev/null >typed </dev/null ||
		fail "run on a terminal: $(cat typed)"
	grep -q 'slow  [0-9]* %' typed || fail "no progress on a terminal"
	[ "$(tr '\r' '\n' <typed | grep -c '^slow  *[*0-9].* *vCPU')" = 1 ] ||
		fail "no table on a terminal"
	[ "$(tr '\r' '\n' <typed | grep -c 'policy  ')" -gt 1 ] || fail "the table was not cut"
	script -qec "./weir-sim run c.yaml --out quiet --quiet" /dev/null >typed </dev/null
	[ -s typed ] && fail "--quiet said something on a terminal"
else
	echo "no script(1), or no pseudo-terminal here: not tested on a terminal"
fi
finish
