#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# its_live.sh WEIR-SIM [SEED [SCENARIOS [OPERATIONS [v4]]]]
#
# Goal: the model answers random scripts as the installed QEMU does, which shares nothing with it.
# Method: draw a script of a seed that nobody chose, run it by both, compare. The seed is printed,
# so that a difference can be had again. About 0.5 s a scenario. By hand, not a test: which QEMU is
# installed, and what it does, is not this project's to promise.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
weir_sim=${1:?the program weir-sim}
seed=${2:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
scenarios=${3:-20} operations=${4:-300} v4=${5:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "seed $seed: $scenarios scenarios of $operations operations${v4:+, GICv4}"
python3 "$here/its_random.py" "$seed" "$scenarios" "$operations" ${v4:+v4} > "$work/scn"
"$weir_sim" script its -C its.cache=off "$work/scn" ${v4:+-C its.v4=4.0} > "$work/weir"
python3 "$here/its_qemu.py" "$work/scn" ${v4:+v4} > "$work/qemu"
if diff "$work/weir" "$work/qemu" > "$work/diff"; then
	echo "all $(wc -l < "$work/qemu") lines agree"
else
	head -20 "$work/diff"
	echo "seed $seed: weir-sim (<) and QEMU (>) differ"
	exit 1
fi
