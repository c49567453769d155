#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# kbuild.sh PROJECT
#
# Goal: the two lists of the library's sources, for CMake and for a kernel, name what is in lib/;
# and the kernel's finds the headers from wherever a kernel is built.
# Method: compare the lists with each other and with the directory; and ask make for the flags, from
# the directory and with the variables that each generation of kernels calls it with.

. "$(dirname "$0")/lib.sh"

project=$1
scratch
sed -nE 's/^\t([a-z0-9_]+)\.c$/\1/p' "$project/lib/sources.cmake" | sort > "$work/sources.cmake"
sed -nE 's/^obj-y \+= ([a-z0-9_]+)\.o$/\1/p' "$project/lib/Kbuild" | sort > "$work/Kbuild"
(cd "$project/lib" && ls ./*.c) | sed -E 's|^\./(.*)\.c$|\1|' | sort > "$work/directory"
for list in sources.cmake Kbuild; do
	while read -r name; do
		complain "lib/$name.c: not in lib/$list"
	done < <(comm -23 "$work/directory" "$work/$list")
	while read -r name; do
		complain "lib/$list: $name: there is no lib/$name.c"
	done < <(comm -13 "$work/directory" "$work/$list")
done

# flags FROM SRCTREE SRC: the flags name the headers' directory once, as seen from FROM.
flags() {
	local found
	found=$(cd "$1" && printf 'include %s\nall:\n\t@echo $(ccflags-y)\n' "$project/lib/Kbuild" |
		make --no-print-directory -s -f - srctree="$2" src="$3")
	[ "${found#-I}" != "$found" ] && [ -f "$1/${found#-I}/weir/env.h" ] ||
		[ -f "${found#-I}/weir/env.h" ] ||
		complain "lib/Kbuild: from $1, srctree=$2, src=$3: no headers by '$found'"
}

if command -v make > /dev/null; then
	mkdir -p "$work/tree/drivers/weir" "$work/tree/out/drivers/include"
	cp -r "$project/include" "$work/tree/drivers/weir/include"
	mkdir "$work/tree/drivers/weir/lib"
	flags "$work/tree" . drivers/weir/lib				# in the tree
	flags "$work/tree/out" .. drivers/weir/lib			# O=, 5.3 to 6.9
	flags "$work/tree/out" "$work/tree" drivers/weir/lib		# O= elsewhere, the same
	flags "$work/tree/out" .. ../drivers/weir/lib			# O=, 6.10 and later
	flags "$work/tree" "$work/none" "$work/tree/drivers/weir/lib"	# M=
fi
finish "$(wc -l < "$work/directory") sources in lib/, sources.cmake and Kbuild"
