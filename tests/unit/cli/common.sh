# SPDX-License-Identifier: BSD-2-Clause
#
# common.sh - for the shell tests of weir-sim: a directory of their own, and what they check with.
#
# sim ARGS...      run the program under test; leaves its exit code in $code, its outputs in the
#                  files out and err
# expect CODE      the exit code of the last sim
# err_is TEXT      the whole of its standard error
# row_of POLICY    its row of a/compare.json, into $row
# pictured_lost POLICY CAUSE
#                  what $row says was lost, into $table, is the sum in a/POLICY/series.json
# fail TEXT        the test failed
# Arguments: the program, the project, and, for a program of another architecture, its emulator.
set -u
program=$1
source=$2
emulator=${3-}
dir=$(mktemp -d) || exit 1
trap 'cd / && rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failures=0

# The program under a short name, as a command that can be pasted has it.
if [ -n "$emulator" ]; then
	printf '#!/bin/sh\nexec %s -0 "$0" %s "$@"\n' "$emulator" "$program" >weir-sim
	chmod +x weir-sim
else
	ln -s "$program" weir-sim
fi

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

sim() {
	last="weir-sim $*"
	./weir-sim "$@" >out 2>err </dev/null
	code=$?
}

expect() {
	[ "$code" = "$1" ] || fail "$last: exit code $code, expected $1: $(cat err)"
}

err_is() {
	[ "$(cat err)" = "$1" ] || fail "$last: said \"$(cat err)\", expected \"$1\""
}

err_has() {
	grep -qF -- "$1" err || fail "$last: said \"$(cat err)\", expected it to have \"$1\""
}

out_has() {
	grep -qF -- "$1" out || fail "$last: standard output lacks \"$1\""
}

row_of() {
	row=$(sed -n "/\"policy\": \"$1\"/,/}/p" a/compare.json)
}

pictured_lost() {
	local picture

	table=$(sed -n "s/.*\"lost_$2_vcpu_ns\": \([0-9]*\).*/\1/p" <<<"$row")
	picture=$(awk -v cause="\"$2\"" '
		/"cause":/ { on = index($0, cause) }
		on && /^ *[0-9]+,?$/ { gsub(/[ ,]/, ""); sum += $0 }
		on && /\]/ { on = 0 }
		END { printf "%d", sum }' "a/$1/series.json")
	[ "$table" = "$picture" ] || fail "$1: lost to $2: table $table, picture $picture"
}

finish() {
	[ "$failures" = 0 ] && echo "all good"
	exit "$((failures > 0))"
}
