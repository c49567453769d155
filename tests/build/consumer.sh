#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# consumer.sh PROJECT BUILD
#
# Goal: somebody else's project finds the installed library, by CMake and by pkg-config, or has it
# as a subdirectory, which builds the library alone; links it statically and shared, in C and in
# C++, and runs. The library built alone, as README says, is optimised and installs too. Whoever
# asks a script for --help gets it, wherever it is called from.
# Method: install BUILD into a scratch prefix whose name has a space, build consumer/ against it in
# each of these ways.

. "$(dirname "$0")/lib.sh"

project=$1 build=$2
need cmake pkg-config cc
scratch
prefix="$work/the prefix"
cmake --install "$build" --prefix "$prefix" > /dev/null
version=$(sed -nE 's/^#define WEIR_VERSION_STRING "(.*)"/\1/p' "$prefix/include/weir/version.h")

# expect WAY PROGRAM: its output is the version.
expect() {
	local said
	said=$("$2") || complain "$1: exit code $?"
	[ "$said" = "$version" ] || complain "$1: said '$said', expected '$version'"
}

cmake -S "$project/tests/build/consumer" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" \
	-DCMAKE_BUILD_TYPE=Release > "$work/log" 2>&1 &&
	cmake --build "$work/cmake" >> "$work/log" 2>&1 || complain "$(cat "$work/log")"
expect "find_package(weir), static" "$work/cmake/consumer_static"
expect "find_package(weir), shared" "$work/cmake/consumer_shared"
for kind in static shared; do
	[ ! -x "$work/cmake/consumer_cxx_$kind" ] ||
		expect "find_package(weir), C++, $kind" "$work/cmake/consumer_cxx_$kind"
done
needed=$(readelf -d "$work/cmake/consumer_shared" | grep -c "NEEDED.*libweir\.so\.${version%.*}\]")
[ "$needed" = 1 ] || complain "the shared consumer does not ask for libweir.so.${version%.*}"

cmake -S "$project/tests/build/consumer" -B "$work/sub" -DWEIR_SOURCE="$project" \
	-DCMAKE_BUILD_TYPE=Release > "$work/log" 2>&1 &&
	cmake --build "$work/sub" >> "$work/log" 2>&1 || complain "$(cat "$work/log")"
expect "add_subdirectory(weir), static" "$work/sub/consumer_static"
expect "add_subdirectory(weir), shared" "$work/sub/consumer_shared"

export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name weir.pc)")
# Installed elsewhere than configured for: weir.pc finds its prefix from where it lies.
# shellcheck disable=SC2162 # it escapes spaces by a backslash
read -a flags < <(pkg-config --cflags --libs weir)
cc "$project/tests/build/consumer/main.c" -o "$work/by_pc" "${flags[@]}" ||
	complain "pkg-config: does not link"
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH") expect "pkg-config, shared" "$work/by_pc"
cc "$project/tests/build/consumer/main.c" -o "$work/by_pc_static" "${flags[@]}" -static ||
	complain "pkg-config -static: does not link"
expect "pkg-config, static" "$work/by_pc_static"

cmake -S "$project" -B "$work/alone" -DWEIR_LIB_ONLY=ON > "$work/log" 2>&1 &&
	cmake --build "$work/alone" >> "$work/log" 2>&1 &&
	cmake --install "$work/alone" --prefix "$work/alone-prefix" >> "$work/log" 2>&1 ||
	complain "$(cat "$work/log")"
grep -q '^CMAKE_BUILD_TYPE:.*=Release$' "$work/alone/CMakeCache.txt" ||
	complain "the library alone, without a type of build, is not optimised"
cmp -s "$prefix/include/weir/weir.h" "$work/alone-prefix/include/weir/weir.h" ||
	complain "the library alone installs no headers"

for script in demo test bench; do
	(cd / && "$project/scripts/$script" --help) > "$work/log" 2>&1 &&
		grep -q "^scripts/$script " "$work/log" ||
		complain "scripts/$script --help: $(cat "$work/log")"
done
finish "version $version by find_package, add_subdirectory and pkg-config, static and shared"
