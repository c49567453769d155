/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * weir/types.h - the fixed-width integers, size_t and bool, wherever the library is built.
 *
 * A kernel has no <stdint.h>: the Linux kernel is compiled with -nostdinc and gets the same names
 * from <linux/types.h>. Everywhere else the compiler itself supplies these three headers.
 */
#ifndef WEIR_TYPES_H
#define WEIR_TYPES_H

#if defined(__KERNEL__) && defined(__linux__)
#include <linux/stddef.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

#endif
