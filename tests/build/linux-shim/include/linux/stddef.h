/* SPDX-License-Identifier: BSD-2-Clause */
/* Stand-in for the kernel's <linux/stddef.h>: NULL, offsetof, true and false. */
#ifndef SHIM_LINUX_STDDEF_H
#define SHIM_LINUX_STDDEF_H

#define NULL ((void *)0)

enum {
	false = 0,
	true = 1
};

#define offsetof(type, member) __builtin_offsetof(type, member)

#endif
