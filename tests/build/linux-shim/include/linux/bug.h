/* SPDX-License-Identifier: BSD-2-Clause */
/* Stand-in for the kernel's <linux/bug.h>: a warning is counted, for the test to look at. */
#ifndef SHIM_LINUX_BUG_H
#define SHIM_LINUX_BUG_H

extern int shim_warnings;

#define WARN_ON_ONCE(condition) ({			\
	int shim_warn = !!(condition);			\
							\
	shim_warnings += shim_warn;			\
	shim_warn;					\
})

#endif
