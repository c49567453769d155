/* SPDX-License-Identifier: BSD-2-Clause */
/* Stand-in for the kernel's <linux/compiler.h>: accesses that happen once, and hints. */
#ifndef SHIM_LINUX_COMPILER_H
#define SHIM_LINUX_COMPILER_H

#define __always_inline inline __attribute__((__always_inline__))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* As atomics, so that TSan takes them for what they are, as KCSAN does the kernel's. */
#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, val) __atomic_store_n(&(x), (val), __ATOMIC_RELAXED)

#endif
