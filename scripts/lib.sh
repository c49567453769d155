# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# What demo, test and bench share: packages, builds, a line that says what goes on. They are for a
# fresh Debian 12; where there is no apt they use what they find, and CMake names what is missing.

set -euo pipefail
script=$(realpath "$0")
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$project"
jobs=$(nproc)

say() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

# What every build of the whole project needs.
packages_base=(gcc g++ make cmake ninja-build pkg-config git
	libzstd-dev libxxhash-dev libcyaml-dev libyaml-dev libjansson-dev libpopt-dev
	librandom123-dev uthash-dev libjemalloc-dev libcmocka-dev)
# What the benches compare with.
packages_bench=(libbenchmark-dev liburcu-dev libck-dev libroaring-dev)
# What the gates and the slower stages of the tests need.
packages_test=(clang libclang-rt-dev valgrind spin zstd binutils gcc-aarch64-linux-gnu qemu-user
	binutils-aarch64-linux-gnu)
# The other architecture's libraries. All of these can be installed beside the native ones;
# libjemalloc-dev cannot, so that build goes without it. random123 and uthash are headers only.
packages_arm64=(libc6-dev:arm64 libzstd-dev:arm64 libxxhash-dev:arm64 libcyaml-dev:arm64
	libyaml-dev:arm64 libjansson-dev:arm64 libpopt-dev:arm64 libcmocka-dev:arm64)

# help_wanted OPTION...: with --help or -h, say what stands at the top of the script, and be done.
help_wanted() {
	local option
	for option; do
		case $option in
		--help | -h)
			sed -nE '1,3d; /^#/!q; s/^# ?//p' "$script"
			exit 0
			;;
		esac
	done
}

installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}\n' "$1" 2> /dev/null | head -1)" = installed ]
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		env DEBIAN_FRONTEND=noninteractive "$@"
	else
		sudo env DEBIAN_FRONTEND=noninteractive "$@"
	fi
}

apt_install() {
	as_root apt-get install -y --no-install-recommends "$@"
}

# install_missing PACKAGE...: by apt, saying so. 1 if they could not be had.
install_missing() {
	local missing=() package log
	command -v apt-get > /dev/null || return 0
	for package; do
		installed "$package" || missing+=("$package")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	say "installing ${missing[*]}"
	log=$(mktemp)
	if ! apt_install "${missing[@]}" > "$log" 2>&1; then
		# Most often the package lists are old, or were never fetched.
		say "fetching the package lists first"
		if ! { as_root apt-get update && apt_install "${missing[@]}"; } > "$log" 2>&1; then
			say "could not install ${missing[*]}; apt-get said:"
			tail -5 "$log" >&2
			rm -f "$log"
			return 1
		fi
	fi
	rm -f "$log"
}

# add_arm64: let apt take packages of the other architecture.
add_arm64() {
	command -v dpkg > /dev/null || return 1
	if [ "$(dpkg --print-architecture)" = arm64 ] ||
		dpkg --print-foreign-architectures | grep -qx arm64; then
		return 0
	fi
	say "adding the architecture arm64 to dpkg"
	as_root dpkg --add-architecture arm64 && as_root apt-get update > /dev/null
}

# build PRESET [TARGET...]: configure and compile; the output is shown only if that fails.
build() {
	local preset=$1 log
	shift
	mkdir -p build
	log=build/$preset.log
	if ! {
		cmake --preset "$preset" &&
			cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"}
	} > "$log" 2>&1; then
		tail -60 "$log" >&2
		say "building $preset failed; all of it is in $log"
		return 1
	fi
}
