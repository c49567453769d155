#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# tidy.sh PROJECT
#
# Goal: the rules of the house that a machine can check. No file over 600 lines, no line over 100
# columns, no trailing blank, the licence named first, arrows between the parts in one direction.
# Method: read every file that git tracks or would.

. "$(dirname "$0")/lib.sh"

project=$1
cd "$project"
need git
git rev-parse --git-dir >/dev/null 2>&1 || skip "not a git checkout"
mapfile -t files < <(git ls-files -co --exclude-standard -- lib include sim tests bench examples \
	scripts cmake CMakeLists.txt .ci |
	grep -E '\.(c|h|cc|sh|cmake|map|S)$|CMakeLists\.txt$|Kbuild$|^scripts/[^.]*$|^\.ci/' |
	while read -r file; do [ -f "$file" ] && printf '%s\n' "$file"; done)

# Arrow rules: FILES (a pattern), what an #include there must not match, and why.
includes() {
	grep -HnE '^[[:space:]]*#[[:space:]]*include' -- "$@" 2>/dev/null || true
}

for file in "${files[@]}"; do
	lines=$(wc -l < "$file")
	[ "$lines" -le 600 ] || complain "$file: $lines lines; at most 600"
	# Tabs count to the next multiple of 8.
	while IFS=: read -r number _; do
		complain "$file:$number: longer than 100 columns"
	done < <(expand "$file" | grep -nE '^.{101}' || true)
	while IFS=: read -r number _; do
		complain "$file:$number: trailing blank"
	done < <(grep -nE '[[:blank:]]$' "$file" || true)
	[ -z "$(tail -c 1 "$file")" ] || complain "$file: no newline at the end"
	case $file in
	include/* | lib/*.c | lib/*.h | lib/Kbuild | lib/*.map)
		licence='GPL-2.0-only OR BSD-2-Clause' ;;
	*)
		licence='BSD-2-Clause' ;;
	esac
	head -2 "$file" | grep -qE "SPDX-License-Identifier: $licence( \*/)?$" ||
		complain "$file:1: found '$(head -1 "$file")', expected $licence"
done

mapfile -t library < <(printf '%s\n' "${files[@]}" | grep -E '^lib/[^/]*\.[ch]$')
while IFS=: read -r file number text; do
	name=$(sed -E 's/.*[<"](.*)[>"].*/\1/' <<< "$text")
	case $text in
	*'"weir/'*) ;;
	*'"'*) [ -f "lib/$name" ] || complain "$file:$number: $text: lib/ includes weir/ only" ;;
	*WEIR_*) ;;
	*) complain "$file:$number: $text: lib/ includes weir/ only" ;;
	esac
	# A module never includes another: what they do together goes through ops.
	module=$(basename "$file" | sed -E 's/[_.].*//')
	for other in xlate pin dirty hint; do
		case $module in
		xlate | pin | dirty | hint)
			[ "$module" = "$other" ] || case $(basename "$name") in
			"$other".h | "${other}"_*)
				complain "$file:$number: $text: module $module includes $other" ;;
			esac ;;
		esac
	done
done < <(includes "${library[@]}")

mapfile -t outside < <(printf '%s\n' "${files[@]}" |
	grep -E '^(sim|tests|bench|examples)/.*\.(c|h|cc)$')
while IFS=: read -r file number text; do
	complain "$file:$number: $text: a private header or source of lib/"
done < <(includes "${outside[@]}" | grep -E '["</]lib/')
while IFS=: read -r file number text; do
	complain "$file:$number: $text: sim/ does not know tests, bench or examples"
done < <(includes "${outside[@]}" | grep '^sim/' | grep -E '"(\.\./)*(tests|bench|examples)/')
finish "${#files[@]} files"
