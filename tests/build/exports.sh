#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# exports.sh PROJECT LIBRARY.so LIBRARY.a
#
# Goal: the shared library exports what the public headers declare, all of it under weir_, and
# nothing else; the static one defines no global name that could clash with its host's.
# Method: nm, against the function names in the headers.

. "$(dirname "$0")/lib.sh"

project=$1 shared=$2 static=$3
need nm
scratch

nm -D --defined-only "$shared" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
	sort -u > "$work/exported"
# Prototypes as kernel-doc names them: " * weir_x_y() - what".
sed -nE 's/^ \* (weir_[a-z0-9_]+)\(\) - .*/\1/p' "$project"/include/weir/*.h |
	sort -u > "$work/declared"
while read -r symbol; do
	complain "$symbol: exported, but no public header documents it"
done < <(comm -23 "$work/exported" "$work/declared")
while read -r symbol; do
	complain "$symbol: documented in a public header, but not exported"
done < <(comm -13 "$work/exported" "$work/declared")
while read -r symbol; do
	complain "$symbol: a global name of the static library without the prefix weir_"
done < <(nm -g --defined-only "$static" | awk 'NF == 3 { print $3 }' | grep -v '^weir_')
finish "$(wc -l < "$work/exported") exported functions"
