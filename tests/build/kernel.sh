#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# kernel.sh PROJECT
#
# Goal: the library compiles inside the Linux kernel, over env/linux.h.
# Method: every source against the stand-in kernel headers in linux-shim/, with the kernel's flags
# that matter (-nostdinc: no header of the compiler's either), by gcc and clang, for x86-64 and
# aarch64. Where the headers of a real kernel are installed, its own build system compiles
# lib/Kbuild too.

. "$(dirname "$0")/lib.sh"

project=$1
scratch
flags=(-O2 -std=gnu11 -nostdinc -ffreestanding -fno-strict-aliasing -fno-strict-overflow
	-fno-common -mgeneral-regs-only -Wall -Wundef -Wstrict-prototypes -Werror
	-D__KERNEL__ -DCONFIG_64BIT=1 -DWEIR_ENV_HEADER='"weir/env/linux.h"'
	-I"$project/tests/build/linux-shim/include" -I"$project/include")

tried=
for cc in gcc clang aarch64-linux-gnu-gcc "clang --target=aarch64-linux-gnu"; do
	command -v "${cc%% *}" >/dev/null || continue
	tried="$tried, $cc"
	for source in "$project"/lib/*.c; do
		# shellcheck disable=SC2086
		$cc "${flags[@]}" -c "$source" -o "$work/one.o" ||
			complain "lib/$(basename "$source"): $cc: does not compile as kernel code"
	done
done
[ -n "$tried" ] || skip "no compiler is installed"

# One directory that holds the library as obj-m, since a directory's obj-y alone links nothing.
for tree in /usr/src/linux-headers-*-common /usr/src/linux-headers-*-amd64; do
	[ -f "$tree/include/generated/autoconf.h" ] || continue
	mkdir -p "$work/module"
	cp -r "$project/include" "$project/lib" "$work/module"
	cat > "$work/module/Kbuild" <<-'END'
	obj-m := weir_build.o
	weir_build-y := module.o lib/
	END
	sed -i 's/^obj-y/lib-y/' "$work/module/lib/Kbuild"
	tried="$tried, kernel ${tree##*/linux-headers-}"
	if ! make -C "$tree" M="$work/module/lib" KBUILD_EXTMOD_OUTPUT= >"$work/log" 2>&1; then
		complain "$(tail -20 "$work/log")"
	fi
done
finish "lib/*.c over env/linux.h by ${tried#, }"
