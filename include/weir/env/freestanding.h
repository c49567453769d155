/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * weir/env/freestanding.h - the seam for a hypervisor or firmware without a C library.
 *
 * Asks of its host memcpy, memmove, memset and memcmp, which every compiler may call anyway, and
 * nothing else. An assertion that fails executes a trap instruction, so that the host's exception
 * handler names the place; define NDEBUG for none.
 */
#ifndef WEIR_ENV_FREESTANDING_H
#define WEIR_ENV_FREESTANDING_H

#include "weir/env/builtin.h"

#define weir_memcpy(d, s, n)	__builtin_memcpy((d), (s), (n))
#define weir_memset(d, c, n)	__builtin_memset((d), (c), (n))

#ifdef NDEBUG
#define weir_assert(cond)	((void)0)
#else
#define weir_assert(cond)	((cond) ? (void)0 : __builtin_trap())
#endif

#endif
