#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# s2_live.sh WEIR-SIM [SEED [SCENARIOS]]
#
# Goal: the stage-2 model answers random scripts as the installed QEMU does.
# Method: draw a script of a seed that nobody chose; a program at EL2 of QEMU's machine builds the
# same tables and makes the same accesses; compare. What QEMU is known to have wrong is not drawn
# (s2_random.py lists it). The seed is printed, so that a difference can be had again. By hand, not
# a test. Needs qemu-system-aarch64 (or $QEMU) and aarch64-linux-gnu-gcc (or $AARCH64_CC).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
weir_sim=${1:?the program weir-sim}
seed=${2:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
scenarios=${3:-200}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "seed $seed: $scenarios scenarios"
"${AARCH64_CC:-aarch64-linux-gnu-gcc}" -O1 -ffreestanding -nostdlib -static -fno-pic -no-pie \
	-mgeneral-regs-only -mstrict-align -fno-stack-protector -Wall -Wextra -Werror \
	-Wl,--build-id=none -Wl,-T,"$here/s2.ld" -Wl,--no-warn-rwx-segments \
	-o "$work/probe.elf" "$here/s2_start.S" "$here/s2_probe.c"
python3 "$here/s2_random.py" "$seed" "$scenarios" "$work/scn" "$work/qemu" "$work/probe.elf"
"$weir_sim" script stage2 "$work/scn" > "$work/weir"
if diff "$work/weir" "$work/qemu" > "$work/diff"; then
	echo "all $(wc -l < "$work/qemu") lines agree"
else
	head -20 "$work/diff"
	echo "seed $seed: weir-sim (<) and QEMU (>) differ"
	exit 1
fi
