#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# kbuild.sh PROJECT
#
# Goal: the two lists of the library's sources, for CMake and for a kernel, name what is in lib/.
# Method: compare them with each other and with the directory.

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
finish "$(wc -l < "$work/directory") sources in lib/, sources.cmake and Kbuild"
