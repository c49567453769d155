/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/report/build_info.h - what this program was built from, and how.
 *
 * For --version and manifest.json; nothing here may reach a decision or the digest.
 */
#ifndef SIM_REPORT_BUILD_INFO_H
#define SIM_REPORT_BUILD_INFO_H

#include <stdbool.h>

/**
 * struct sim_build_info - the facts
 * @version: "0.1.0"
 * @commit: 40 hexadecimal digits, or "unknown" outside of git
 * @dirty: tracked files differed from the commit
 * @compiler: "gcc 12.2.0"
 * @flags: the compiler's options that make a difference
 * @arch: "x86_64", "aarch64"
 */
struct sim_build_info {
	const char *version;
	const char *commit;
	bool dirty;
	const char *compiler;
	const char *flags;
	const char *arch;
};

extern const struct sim_build_info sim_build_info;

#endif
