/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * weir/env/builtin.h - the part of the seam that hosted.h and freestanding.h share: atomics over
 * the compiler's __atomic builtins on plain integers (gcc 7, clang 6 and later), and the few bit
 * tricks.
 *
 * Never <stdatomic.h>: kernels lack it and _Atomic does not belong in a public structure. None of
 * these becomes a library call as long as an operand is naturally aligned and at most 64 bits wide;
 * on aarch64 that also takes -mno-outline-atomics.
 */
#ifndef WEIR_ENV_BUILTIN_H
#define WEIR_ENV_BUILTIN_H

#include "weir/types.h"

#define weir_load_relaxed(p)		__atomic_load_n((p), __ATOMIC_RELAXED)
#define weir_load_acquire(p)		__atomic_load_n((p), __ATOMIC_ACQUIRE)
#define weir_store_relaxed(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define weir_store_release(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELEASE)

#define weir_fetch_add_relaxed(p, v)	__atomic_fetch_add((p), (v), __ATOMIC_RELAXED)
#define weir_fetch_add_acquire(p, v)	__atomic_fetch_add((p), (v), __ATOMIC_ACQUIRE)
#define weir_fetch_add_release(p, v)	__atomic_fetch_add((p), (v), __ATOMIC_RELEASE)
#define weir_fetch_add_acq_rel(p, v)	__atomic_fetch_add((p), (v), __ATOMIC_ACQ_REL)

#define weir_fetch_and_relaxed(p, v)	__atomic_fetch_and((p), (v), __ATOMIC_RELAXED)
#define weir_fetch_and_acquire(p, v)	__atomic_fetch_and((p), (v), __ATOMIC_ACQUIRE)
#define weir_fetch_and_release(p, v)	__atomic_fetch_and((p), (v), __ATOMIC_RELEASE)
#define weir_fetch_and_acq_rel(p, v)	__atomic_fetch_and((p), (v), __ATOMIC_ACQ_REL)

#define weir_fetch_or_relaxed(p, v)	__atomic_fetch_or((p), (v), __ATOMIC_RELAXED)
#define weir_fetch_or_acquire(p, v)	__atomic_fetch_or((p), (v), __ATOMIC_ACQUIRE)
#define weir_fetch_or_release(p, v)	__atomic_fetch_or((p), (v), __ATOMIC_RELEASE)
#define weir_fetch_or_acq_rel(p, v)	__atomic_fetch_or((p), (v), __ATOMIC_ACQ_REL)

#define weir_exchange_relaxed(p, v)	__atomic_exchange_n((p), (v), __ATOMIC_RELAXED)
#define weir_exchange_acquire(p, v)	__atomic_exchange_n((p), (v), __ATOMIC_ACQUIRE)
#define weir_exchange_release(p, v)	__atomic_exchange_n((p), (v), __ATOMIC_RELEASE)
#define weir_exchange_acq_rel(p, v)	__atomic_exchange_n((p), (v), __ATOMIC_ACQ_REL)

#define weir_cas_relaxed(p, e, v) \
	__atomic_compare_exchange_n((p), (e), (v), 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#define weir_cas_acquire(p, e, v) \
	__atomic_compare_exchange_n((p), (e), (v), 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)
#define weir_cas_release(p, e, v) \
	__atomic_compare_exchange_n((p), (e), (v), 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)
#define weir_cas_acq_rel(p, e, v) \
	__atomic_compare_exchange_n((p), (e), (v), 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)

#define weir_fence_full()		__atomic_thread_fence(__ATOMIC_SEQ_CST)

#define weir_plain_load(p)		(*(p))
#define weir_plain_store(p, v)		((void)(*(p) = (v)))

#define weir_prefetch(p)		__builtin_prefetch((p), 0, 3)
#define weir_ctz64(v)			((unsigned int)__builtin_ctzll(v))

#if defined(__x86_64__)
#define weir_pause()			__builtin_ia32_pause()
#elif defined(__aarch64__)
#define weir_pause()			__asm__ __volatile__("yield" ::: "memory")
#else
#define weir_pause()			__asm__ __volatile__("" ::: "memory")
#endif

/* Set bits of v. By hand: without -mpopcnt the builtin calls libgcc, on aarch64 it wants SIMD. */
static inline unsigned int weir_popcount64(uint64_t v)
{
	v = v - ((v >> 1) & 0x5555555555555555u);
	v = (v & 0x3333333333333333u) + ((v >> 2) & 0x3333333333333333u);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	v = (v * 0x0101010101010101u) >> 56;
#ifdef __cplusplus	/* public headers with inline functions bring this one along */
	return static_cast<unsigned int>(v);
#else
	return (unsigned int)v;
#endif
}

#ifndef weir_trace
#define weir_trace(what, a, b)		((void)(what), (void)(a), (void)(b))
#endif

#ifndef WEIR_API
#define WEIR_API			__attribute__((visibility("default")))
#endif

#endif
