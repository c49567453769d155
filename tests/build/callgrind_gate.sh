#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# callgrind_gate.sh PROGRAM FUNCTION MAX [CALLS]
#
# Goal: a hit path stays short. Time is noisy, the number of instructions is not.
# Method: run PROGRAM under callgrind, and divide the instructions of FUNCTION, callees included, by
# CALLS (default: the calls that callgrind counted); more than MAX a call is an error.

. "$(dirname "$0")/lib.sh"

program=$1 function=$2 max=$3 calls=${4:-}
need valgrind callgrind_annotate
scratch
valgrind --tool=callgrind --callgrind-out-file="$work/out" --toggle-collect="$function" \
	"$program" > "$work/log" 2>&1 || {
	cat "$work/log"
	complain "$program: failed under callgrind"
	finish "$program"
}
# "summary: N" is all that was collected, that is, FUNCTION and what it called.
instructions=$(sed -nE 's/^(summary|totals): ([0-9]+).*/\2/p' "$work/out" | head -1)
if [ -z "$calls" ]; then
	# A "calls=N ..." line after "cfn=(id) FUNCTION" for every call site.
	calls=$(awk -v f="$function" '
		/^cfn=/ {
			id = $1
			sub(/^cfn=/, "", id)
			if (NF > 1)
				name[id] = $2
			callee = name[id]
		}
		/^fn=/ { id = $1; sub(/^fn=/, "", id); if (NF > 1) name[id] = $2 }
		/^calls=/ { if (callee == f) { sub(/^calls=/, "", $1); n += $1 } }
		END { print n + 0 }' "$work/out")
fi
if [ -z "$instructions" ] || [ "$instructions" -eq 0 ] || [ "$calls" -eq 0 ]; then
	complain "$function: ${instructions:-0} instructions in $calls calls; is it inlined?"
	finish "$program"
fi
each=$(((instructions + calls - 1) / calls))
[ "$each" -le "$max" ] || complain "$function: $each instructions a call; at most $max"
finish "$function: $each instructions a call, at most $max ($calls calls)"
