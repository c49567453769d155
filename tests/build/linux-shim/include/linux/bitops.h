/* SPDX-License-Identifier: BSD-2-Clause */
/* Stand-in for the kernel's <linux/bitops.h>: population count and lowest set bit. */
#ifndef SHIM_LINUX_BITOPS_H
#define SHIM_LINUX_BITOPS_H

#include <linux/types.h>

static inline unsigned long hweight64(u64 w)
{
	return (unsigned long)__builtin_popcountll(w);
}

static inline unsigned long __ffs64(u64 word)
{
	return (unsigned long)__builtin_ctzll(word);
}

#endif
