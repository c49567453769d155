#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# headers.sh PROJECT
#
# Goal: whoever includes any one public header, first and alone, in strict C11 or in C++17, gets no
# warning; including it twice changes nothing.
# Method: a source of two lines a header, compiled by every compiler that is installed. env/linux.h
# is for a kernel: C only, against the stand-in kernel headers, as that kernel compiles (gnu11,
# -nostdinc). In C++ without -Wshadow, which minds a function with the name of a structure, as
# weir_dirty_stats() and POSIX's stat() are. And for a 32-bit target each module says by name that
# it is not for one, rather than leave it to the linker.

. "$(dirname "$0")/lib.sh"

project=$1
warnings=(-Wall -Wextra -Wconversion -Wsign-conversion -Wundef -Wcast-qual -Wcast-align
	-Wpointer-arith -Wredundant-decls -Werror)
scratch

# compile HEADER COMPILER FLAG...
compile() {
	local header=$1
	shift
	printf '#include "%s"\n#include "%s"\n' "$header" "$header" > "$work/one.$language"
	"$@" "${warnings[@]}" -I"$project/include" -fsyntax-only "$work/one.$language" ||
		complain "$header: not clean alone with $*"
}

tried=0
for cc in gcc clang g++ clang++; do
	command -v "$cc" >/dev/null || continue
	case $cc in
	*++) language=cc flags=(-std=c++17 -pedantic-errors -Wold-style-cast) ;;
	*) language=c flags=(-std=c11 -pedantic-errors -Wshadow -Wstrict-prototypes -Wc++-compat) ;;
	esac
	tried=$((tried + 1))
	while read -r header; do
		case $header in
		weir/env/linux.h)
			[ "$language" = c ] || continue
			compile "$header" "$cc" -std=gnu11 -nostdinc -D__KERNEL__ -DCONFIG_64BIT=1 \
				-I"$project/tests/build/linux-shim/include"
			;;
		weir/env/* | weir/env.h)
			# The library's own, which is C; extensions are its business.
			[ "$language" = c ] || continue
			compile "$header" "$cc" "${flags[@]}"
			;;
		*)
			compile "$header" "$cc" "${flags[@]}"
			;;
		esac
	done < <(cd "$project/include" && find weir -name '*.h' | sort)
done
[ "$tried" -gt 0 ] || skip "no compiler is installed"
for cc in gcc clang; do
	command -v "$cc" >/dev/null || continue
	echo 'int on_32_bits;' | "$cc" -m32 -fsyntax-only -x c - 2>"$work/32" || continue
	for header in weir/env.h weir/xlate.h; do
		if echo "#include \"$header\"" | "$cc" -m32 -ffreestanding -fsyntax-only \
			-I"$project/include" -x c - 2>"$work/32"; then
			complain "$header: compiles with $cc -m32"
		fi
		grep -q 'weir: 64-bit targets only' "$work/32" ||
			complain "$header: $cc -m32 is not told what it is for"
	done
done
finish "$(find "$project/include/weir" -name '*.h' | wc -l) headers by $tried compilers"
