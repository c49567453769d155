// SPDX-License-Identifier: BSD-2-Clause
/*
 * build_info.c - facts from the compiler, and from the header that build_info.cmake keeps.
 */
#include "sim/report/build_info.h"

#include "sim_build_commit.h"
#include "weir/version.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

#if defined(__x86_64__)
#define ARCH "x86_64"
#elif defined(__aarch64__)
#define ARCH "aarch64"
#else
#define ARCH "unknown"
#endif

const struct sim_build_info sim_build_info = {
	.version = WEIR_VERSION_STRING,
	.commit = SIM_BUILD_COMMIT,
	.dirty = SIM_BUILD_DIRTY,
	.compiler = COMPILER,
	.flags = SIM_BUILD_FLAGS,
	.arch = ARCH,
};
