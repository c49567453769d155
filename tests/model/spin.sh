#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# spin.sh good|wrong MODEL [NAME[=VALUE]...]
#
# Goal: a protocol holds in every interleaving, and a mistake in it is found.
# Method: spin makes a program of MODEL with these macros, which visits every state. "good": it has
# to finish without an error; "wrong": it has to find one, with MODEL's own assertion.

. "$(dirname "$0")/../build/lib.sh"

want=$1 model=$(realpath "$2")
shift 2
need spin gcc
scratch
cd "$work"
spin -a "${@/#/-D}" "$model" > log 2>&1 || {
	cat log
	complain "$model: spin refuses it"
	finish "$model"
}
gcc -w -O2 -DSAFETY -DMEMLIM="${WEIR_MODEL_MIB:-3000}" -o pan pan.c
./pan -m100000 -w24 > log 2>&1 || true
states=$(sed -nE 's/^ *([0-9]+) states, stored$/\1/p' log)
errors=$(sed -nE 's/^State-vector .*errors: ([0-9]+)$/\1/p' log)
if [ -z "$errors" ] || grep -q 'max search depth too small' log; then
	cat log
	complain "$model: not all states were visited"
elif [ "$want" = good ] && [ "$errors" -ne 0 ]; then
	./pan -r 2> /dev/null | tail -60 || true
	grep -E 'assertion|invalid' log || true
	complain "$model: an error; the last steps are above"
elif [ "$want" = good ] && grep -q 'Search not completed' log; then
	cat log
	complain "$model: not all states were visited"
elif [ "$want" = wrong ] && ! grep -q 'assertion violated' log; then
	complain "$model $*: not found"
fi
finish "${model##*/} $*: ${states:-0} states, ${errors:-0} errors"
