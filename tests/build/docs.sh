#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# docs.sh PROJECT WEIR-SIM
#
# Goal: what README and docs/ name exists: files, parameters, commands of weir-sim; a test that is
# named `program: case` has that case. And each public function has an example that calls it.
# Method: words in backquotes and after -C, against the tree and against what weir-sim lists. A
# parameter is a word with a dot whose first part is that of some parameter: `link.rtt_ns`. Counters
# have such names too, and stand in quotes in sim/. A benchmark's name, module/operation/..., is no
# path where bench/MODULE_OPERATION.c measures it: `sim/events/weir/16`.

. "$(dirname "$0")/lib.sh"

project=$1
sim=$2
rooms='include|lib|sim|bench|examples|tests|docs|cmake|scripts'
scratch
cd "$project"
mapfile -t pages < <(ls README.md CHANGELOG.md docs/*.md)
"$sim" list-params | sed -nE 's/^  ([a-z][a-z0-9_]*\.[a-z0-9_.]+)=.*/\1/p' > "$work/params"
"$sim" --help | sed -nE 's/^  ([a-z][a-z-]+) .*/\1/p' > "$work/commands"
groups=$(cut -d. -f1 "$work/params" | sort -u | paste -sd'|')
[ -n "$groups" ] || complain "weir-sim lists no parameter"

# quoted FILE: what stands in backquotes, a word a line
quoted() {
	grep -oE '`[^` ]+' "$1" | tr -d '`' | sort -u
}

# benchmark NAME: whether there is a program that measures it
benchmark() {
	local module operation

	IFS=/ read -r module operation _ <<< "$1"
	[ -n "$operation" ] && [ -e "bench/${module}_$operation.c" ]
}

# parameters FILE
parameters() {
	quoted "$1" | sed -E 's/[=,].*//' | grep -xE "($groups)\.[a-z][a-z0-9_]*" |
		grep -vE '\.(c|h|scn|json|yaml)$' || true
	grep -oE -e "-C [a-z][a-z0-9_]*\.[a-z][a-z0-9_]*" "$1" | cut -c4- || true
}

for page in "${pages[@]}"; do
	while read -r path; do
		compgen -G "$path" > /dev/null || benchmark "$path" ||
			complain "$page: $path does not exist"
	done < <(quoted "$page" | grep -xE "($rooms)/[A-Za-z0-9_./*-]+")
	while read -r name; do
		grep -qxF -- "$name" "$work/params" || grep -qrF "\"$name\"" sim ||
			complain "$page: $name is no parameter (weir-sim list-params)"
	done < <(parameters "$page" | sort -u)
	while read -r name; do
		grep -qxF -- "$name" "$work/commands" ||
			complain "$page: weir-sim $name is no command"
	done < <(grep -oE 'weir-sim [a-z][a-z-]+' "$page" | cut -d' ' -f2 |
		sort -u)
	while read -r link; do
		[ -e "$(dirname "$page")/$link" ] ||
			complain "$page: links to $link, which is not there"
	done < <(grep -oE '\]\([^)#]+' "$page" | cut -c3- | grep -v : | sort -u)
done
while read -r program name; do
	file=$(find tests -name "$program.c")
	[ -n "$file" ] && grep -qw -- "$name" "$file" ||
		complain "docs/known-failures.md: $program has no $name"
done < <(grep -oE '`[a-z0-9_]+: [a-z0-9_]+`' docs/known-failures.md | tr -d '`:' |
	grep -vx 'program case' | sort -u)
while read -r function; do
	grep -qrw --include='*.[ch]' -- "$function" examples ||
		complain "$function() has no example"
done < <(grep -hoE '^[a-z].*\bweir_[a-z_]+\(' include/weir/*.h | grep -oE 'weir_[a-z_]+\(' |
	tr -d '(' | grep -vx weir_xlate_lookup_scan | sort -u)
finish "${#pages[@]} pages, $(wc -l < "$work/params") parameters"
