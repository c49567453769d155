# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# What the gates share. A gate prints one line for each thing that is wrong, and at its end one line
# that says what it looked at; it exits 1 if anything was wrong, 77 (a skip) if it cannot look.

set -euo pipefail
export LC_ALL=C.UTF-8

wrong=0

complain() {
	printf '%s\n' "$*"
	wrong=$((wrong + 1))
}

skip() {
	printf 'skipped: %s\n' "$*"
	exit 77
}

need() {
	local tool
	for tool; do
		command -v "$tool" >/dev/null || skip "$tool is not installed"
	done
}

# finish WHAT: the last line, and the exit code.
finish() {
	if [ "$wrong" -ne 0 ]; then
		printf '%s wrong: %s\n' "$wrong" "$*"
		exit 1
	fi
	printf 'good: %s\n' "$*"
	exit 0
}

scratch() {
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
}
