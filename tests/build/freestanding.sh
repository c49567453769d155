#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# freestanding.sh PROJECT ARCH CC [FLAG...]
#
# Goal: the library links into a kernel or a bootloader. Built for a world without a C library, at
# every optimisation level, it asks for memcpy, memmove, memset and memcmp and nothing else, has no
# writable global, no constructor, and touches no floating-point or vector register. The header of
# such a world is taken without being named; one of one's own, examples/own_env.h, is enough too,
# and then that world's panic is asked for.
# Method: compile each source as such a world does, and read the objects with binutils.

. "$(dirname "$0")/lib.sh"

project=$1 arch=$2
shift 2
case $arch in
x86_64)
	prefix=
	flags=(-mno-red-zone)
	vector='%[xyz]mm[0-9]|%mm[0-7]|%st'
	;;
aarch64)
	prefix=aarch64-linux-gnu-
	flags=(-mno-outline-atomics)
	vector='\b[vqdsbh][0-9]+(\.[0-9]+[bhsd])?\b(,|$)'
	;;
*)
	echo "freestanding.sh: ARCH=$arch: must be x86_64 or aarch64"
	exit 2
	;;
esac
need "$1" ${prefix}nm ${prefix}readelf ${prefix}objdump
scratch

sources=$(cd "$project/lib" && ls ./*.c)
for level in -O0 -O2 -O3 -Os; do
	rm -f "$work"/*.o
	for source in $sources; do
		"$@" "$level" "${flags[@]}" -std=gnu11 -Wall -Wextra -Wpedantic -Wconversion \
			-Wshadow -Werror -ffreestanding -nostdlib -mgeneral-regs-only -fno-pic \
			-fno-stack-protector -fno-asynchronous-unwind-tables \
			-I"$project/include" -c "$project/lib/$source" \
			-o "$work/$(basename "$source" .c).o" ||
			complain "$level $source: does not compile"
	done
	${prefix}nm -g --defined-only "$work"/*.o | awk 'NF == 3 { print $3 }' | sort -u \
		> "$work/defined"
	${prefix}nm -u "$work"/*.o | awk '$1 == "U" { print $2 }' | sort -u > "$work/wanted"
	for symbol in $(comm -13 "$work/defined" "$work/wanted"); do
		case $symbol in
		memcpy | memmove | memset | memcmp) ;;
		*) complain "$level: undefined symbol $symbol; allowed: mem{cpy,move,set,cmp}" ;;
		esac
	done
	while read -r line; do
		complain "$level: writable global: $line"
	done < <(${prefix}nm -A "$work"/*.o | awk '$(NF - 1) ~ /^[BbCcDdGgSs]$/')
	while read -r line; do
		complain "$level: section that is writable, or runs before main: $line"
	done < <(${prefix}readelf -SW "$work"/*.o | sed 's/\[ */[/' |
		awk '$2 ~ /^\./ && $6 !~ /^0+$/ && ($8 ~ /W/ || $2 ~ /^\.(init|fini|ctors|dtors)/)')
	while read -r line; do
		complain "$level: vector or floating-point register: $line"
	done < <(${prefix}objdump -d --no-show-raw-insn "$work"/*.o | grep '^ ' |
		cut -f 2- | grep -E "$vector" | head -5)
done

rm -f "$work"/*.o
cat > "$work/caller.c" <<-'END'
	#include "weir/weir.h"
	bool caller(const struct weir_xlate *c, uint64_t *value);
	bool caller(const struct weir_xlate *c, uint64_t *value)
	{
		return weir_xlate_lookup_inline(c, 1, 2, value);
	}
END
for source in "$project"/lib/*.c "$work/caller.c"; do
	"$@" -O2 "${flags[@]}" -std=gnu11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror \
		-ffreestanding -nostdlib -mgeneral-regs-only -fno-stack-protector \
		-I"$project/include" -I"$project/examples" -DWEIR_ENV_HEADER='"own_env.h"' \
		-c "$source" -o "$work/$(basename "$source" .c).o" ||
		complain "$source: does not compile over examples/own_env.h"
done
asked=$(${prefix}nm -u "$work"/*.o | awk '$2 ~ /^hypervisor_/ { print $2 }' | sort -u | xargs)
case $asked in
*hypervisor_panic*) ;;
*) complain "over examples/own_env.h: of its functions only '$asked' are asked for" ;;
esac
"$@" -O2 "${flags[@]}" -std=gnu11 -ffreestanding -nostdinc \
	-isystem "$("$@" -print-file-name=include)" -I"$project/include" \
	-c "$work/caller.c" -o "$work/caller.o" ||
	complain "weir/weir.h: wants a C library with -ffreestanding"
finish "$(wc -w <<< "$sources") sources by $* for $arch at -O0, -O2, -O3, -Os"
