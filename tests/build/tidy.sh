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

includes() {
	grep -HnE '^[[:space:]]*#[[:space:]]*include' -- "$@" 2>/dev/null || true
}

# One pass over everything. Tabs reach to the next multiple of 8; in UTF-8 the bytes 0x80 to 0xbf
# continue a character.
while read -r line; do
	complain "$line"
done < <(LC_ALL=C awk '
	function close_file() {
		if (name != "" && lines > 600)
			print name ": " lines " lines; at most 600"
		if (name != "" && !licensed)
			print name ":1: expected SPDX-License-Identifier: " licence
	}
	FNR == 1 {
		close_file()
		name = FILENAME
		licensed = 0
		licence = "BSD-2-Clause"
		if (name ~ /^include\// || name ~ /^lib\/([^\/]*\.[ch]|Kbuild|.*\.map)$/)
			licence = "GPL-2.0-only OR BSD-2-Clause"
	}
	{ lines = FNR }
	FNR <= 2 && match($0, /SPDX-License-Identifier: .*/) {
		found = substr($0, RSTART + 25)
		sub(/ \*\/$/, "", found)
		licensed = found == licence
	}
	/[ \t]$/ { print name ":" FNR ": trailing blank" }
	{
		width = 0
		n = split($0, field, "\t")
		for (i = 1; i <= n; i++) {
			gsub(/[\200-\277]/, "", field[i])
			width += length(field[i])
			if (i < n)
				width += 8 - width % 8
		}
		if (width > 100)
			print name ":" FNR ": " width " columns; at most 100"
	}
	END { close_file() }' "${files[@]}")
for file in "${files[@]}"; do
	[ -s "$file" ] || complain "$file: empty"
done
while read -r file; do
	complain "$file: no newline at the end"
done < <(for file in "${files[@]}"; do
	[ "$(tail -c 1 "$file" | wc -l)" -eq 1 ] || printf '%s\n' "$file"
done)

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
