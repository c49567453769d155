/* SPDX-License-Identifier: BSD-2-Clause */
/* Stand-in for the kernel's <linux/prefetch.h>: a hint. */
#ifndef SHIM_LINUX_PREFETCH_H
#define SHIM_LINUX_PREFETCH_H

#define prefetch(x) __builtin_prefetch(x)

#endif
