#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# stack.sh PROJECT BYTES CC [FLAG...]
#
# Goal: the library runs on the stack of a hypervisor, which may be 4 KiB in all: the deepest chain
# of its own calls takes at most so many bytes, beside what an op of the owner takes.
# Method: gcc writes the call graph with the frame of each function; add up the frames along the
# deepest path. A frame of variable size, or a cycle, has no bound and is refused.

. "$(dirname "$0")/lib.sh"

project=$1 bytes=$2
shift 2
need "$1" awk
scratch
for level in -O2 -O3 -Os; do
	rm -f "$work"/*
	for source in "$project"/lib/*.c; do
		(cd "$work" && "$@" "$level" -std=gnu11 -ffreestanding -nostdlib \
			-mgeneral-regs-only -fno-stack-protector -fcallgraph-info=su \
			-I"$project/include" -DWEIR_ENV_HEADER='"weir/env/freestanding.h"' \
			-c "$source" -o "$(basename "$source" .c).o") > "$work/log" 2>&1 ||
			skip "$1 has no -fcallgraph-info, or: $(head -1 "$work/log")"
	done
	awk -v max="$bytes" '
	function depth(f,    n, i, to, d, best) {
		if (f in done)
			return done[f]
		if (busy[f]++) {
			print "calls itself: " f
			exit 1
		}
		n = split(calls[f], to, SUBSEP)
		for (i = 2; i <= n; i++) {
			d = depth(to[i])
			if (d > best) {
				best = d
				below[f] = to[i]
			}
		}
		return done[f] = frame[f] + best
	}
	$1 == "node:" {
		f = $0
		sub(/.*title: "/, "", f)
		sub(/".*/, "", f)
		if (!match($0, /[0-9]+ bytes \([a-z,]+\)/))
			next
		split(substr($0, RSTART, RLENGTH), part, " ")
		frame[f] = part[1]
		if (part[3] !~ /static|bounded/) {
			print f ": a frame of variable size"
			exit 1
		}
	}
	$1 == "edge:" {
		split($0, part, "\"")
		calls[part[2]] = calls[part[2]] SUBSEP part[4]
	}
	END {
		for (f in frame)
			if (depth(f) > depth(top))
				top = f
		for (f = top; f; f = below[f])
			path = path " " f " " frame[f] + 0
		print depth(top) " bytes:" path
		exit depth(top) > max || !depth(top)
	}' "$work"/*.ci > "$work/deepest" ||
		complain "$level: at most $bytes: $(cat "$work/deepest")"
	deepest="${deepest:-}$level $(cat "$work/deepest"); "
done
finish "$* ${deepest%; }"
