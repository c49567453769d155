/* SPDX-License-Identifier: BSD-2-Clause */
/* Stand-in for the kernel's <linux/string.h>: the C library's. */
#ifndef SHIM_LINUX_STRING_H
#define SHIM_LINUX_STRING_H

#include <linux/types.h>

void *memcpy(void *dest, const void *src, size_t n);
void *memset(void *s, int c, size_t n);

#endif
