#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# kernel.sh PROJECT
#
# Goal: the library compiles inside the Linux kernel, over env/linux.h.
# Method: every source against the stand-in kernel headers in linux-shim/, with the kernel's flags
# that matter (-nostdinc: no header of the compiler's either), by gcc and clang, for x86-64 and
# aarch64. Where the headers of a real kernel are installed, its own build system makes a module of
# lib/Kbuild and the vocabulary test.

. "$(dirname "$0")/lib.sh"

project=$1
scratch
flags=(-O2 -std=gnu11 -nostdinc -ffreestanding -fno-strict-aliasing -fno-strict-overflow
	-fno-common -mgeneral-regs-only -Wall -Wundef -Wstrict-prototypes -Werror
	-D__KERNEL__ -DCONFIG_64BIT=1
	-I"$project/tests/build/linux-shim/include" -I"$project/include")

tried=
for cc in gcc clang aarch64-linux-gnu-gcc "clang --target=aarch64-linux-gnu"; do
	command -v "${cc%% *}" >/dev/null || continue
	tried="$tried, $cc"
	echo '#include "weir/weir.h"' > "$work/caller.c"	# no word of which world this is
	for source in "$project"/lib/*.c "$work/caller.c"; do
		# shellcheck disable=SC2086
		$cc "${flags[@]}" -c "$source" -o "$work/one.o" ||
			complain "$(basename "$source"): $cc: does not compile as kernel code"
	done
done
[ -n "$tried" ] || skip "no compiler is installed"

# A module of the library's Kbuild, the vocabulary test and a few lines that call both.
for tree in /usr/src/linux-headers-*; do
	[ -f "$tree/include/generated/autoconf.h" ] && command -v make > /dev/null || continue
	rm -rf "$work/module"
	mkdir "$work/module"
	cp -r "$project/include" "$project/lib" "$work/module"
	cp "$project"/tests/build/{kernel_module.c,env_vocabulary.[ch]} "$work/module"
	cat > "$work/module/Kbuild" <<-'END'
	include $(src)/lib/Kbuild
	weir_check-y := kernel_module.o env_vocabulary.o $(addprefix lib/,$(obj-y))
	obj-y :=
	obj-m := weir_check.o
	ccflags-y += -Werror -I$(src)/include
	END
	tried="$tried, kernel ${tree##*/linux-headers-}"
	make -C "$tree" M="$work/module" > "$work/log" 2>&1 || complain "$(tail -30 "$work/log")"
	[ -f "$work/module/weir_check.ko" ] || complain "$tree: no module came out"
done
finish "lib/*.c over env/linux.h by ${tried#, }"
