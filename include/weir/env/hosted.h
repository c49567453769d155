/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * weir/env/hosted.h - the seam for a VMM, the simulator and the tests: builtin atomics, the C
 * library's memcpy and memset, and an assertion that aborts with its text (define NDEBUG for none).
 */
#ifndef WEIR_ENV_HOSTED_H
#define WEIR_ENV_HOSTED_H

#include <string.h>

#include "weir/env/builtin.h"

#define weir_memcpy(d, s, n)	memcpy((d), (s), (n))
#define weir_memset(d, c, n)	memset((d), (c), (n))

#ifdef NDEBUG
#define weir_assert(cond)	((void)0)
#else
#include <assert.h>
#define weir_assert(cond)	assert(cond)
#endif

#endif
