/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * weir/env/linux.h - the seam inside the Linux kernel (5.10 and later, 64-bit).
 *
 * The kernel's memory model, not C11's, is the contract there, so the vocabulary is spelled in the
 * kernel's own primitives; instrumentation (KCSAN, KASAN) sees every access. How each maps:
 *
 *   loads and stores   READ_ONCE, WRITE_ONCE, smp_load_acquire, smp_store_release.
 *   exchange, cas      xchg* and cmpxchg*, which are generic in the width. 8 and 16 bits exist on
 *                      x86, arm64, powerpc and s390; an architecture without them fails to compile
 *                      only where the library uses them.
 *   fetch_*, 32 and 64 atomic_fetch_* and atomic64_fetch_* on the plain integer, by a cast: the
 *                      same that asm-generic/bitops/atomic.h does to an unsigned long for
 *                      set_bit(). atomic_t and atomic64_t are a structure of one int or s64, and
 *                      the kernel is built with -fno-strict-aliasing. It keeps the single
 *                      instruction where there is one (lock xadd, LSE ldadd). With
 *                      CONFIG_GENERIC_ATOMIC64 atomic64_t hides a spinlock that plain stores would
 *                      bypass: 64-bit kernels only.
 *   fetch_*, 8 and 16  a cmpxchg loop: the kernel has no such atomics.
 *   acq_rel            the form without a suffix, which is fully ordered: stronger than asked.
 *                      The kernel has nothing between.
 *   a failed cas       orders nothing in the kernel's model. Where acquire is promised, the branch
 *                      on the outcome and smp_acquire__after_ctrl_dep() make it so.
 *   weir_fence_full    smp_mb().
 *   weir_assert        WARN_ON_ONCE: a broken invariant is reported and the machine lives on.
 *                      Define NDEBUG for none.
 *
 * Macros pick the width by sizeof; the arms not taken are discarded when compiling.
 */
#ifndef WEIR_ENV_LINUX_H
#define WEIR_ENV_LINUX_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/prefetch.h>
#include <linux/processor.h>
#include <linux/string.h>

#include "weir/types.h"

#ifndef CONFIG_64BIT
#error "weir/env/linux.h: atomic64_t is not a plain 64-bit integer on a 32-bit kernel"
#endif

#define weir_load_relaxed(p)		READ_ONCE(*(p))
#define weir_load_acquire(p)		smp_load_acquire(p)
#define weir_store_relaxed(p, v)	WRITE_ONCE(*(p), (v))
#define weir_store_release(p, v)	smp_store_release((p), (v))

/* After a cas that failed: nothing, or the acquire that the kernel's cmpxchg does not give. */
#define WEIR_LINUX_FAILED_relaxed()	((void)0)
#define WEIR_LINUX_FAILED_acquire()	smp_acquire__after_ctrl_dep()
#define WEIR_LINUX_FAILED_release()	((void)0)
#define WEIR_LINUX_FAILED_acq_rel()	smp_acquire__after_ctrl_dep()

/* Exchange and compare-and-swap of one width and order; suffix: the kernel's name of the order. */
#define WEIR_LINUX_SWAPS(type, bits, order, suffix)						\
static __always_inline type weir_linux_exchange##bits##_##order(void *p, type v)		\
{												\
	return xchg##suffix((type *)p, v);							\
}												\
static __always_inline bool weir_linux_cas##bits##_##order(void *p, void *exp, type v)		\
{												\
	type want = *(type *)exp;								\
	type found = cmpxchg##suffix((type *)p, want, v);					\
												\
	if (likely(found == want))								\
		return true;									\
	WEIR_LINUX_FAILED_##order();								\
	*(type *)exp = found;									\
	return false;										\
}

/* A read-modify-write that the kernel lacks at this width, from its cmpxchg. */
#define WEIR_LINUX_LOOP(type, bits, op, expr, order, suffix)					\
static __always_inline type weir_linux_fetch_##op##bits##_##order(void *p, type v)		\
{												\
	type old = READ_ONCE(*(type *)p), found;						\
												\
	for (;;) {										\
		found = cmpxchg##suffix((type *)p, old, (type)(expr));				\
		if (likely(found == old))							\
			return old;								\
		old = found;									\
	}											\
}

#define WEIR_LINUX_NARROW(type, bits, order, suffix)						\
	WEIR_LINUX_SWAPS(type, bits, order, suffix)						\
	WEIR_LINUX_LOOP(type, bits, add, old + v, order, suffix)				\
	WEIR_LINUX_LOOP(type, bits, and, old & v, order, suffix)				\
	WEIR_LINUX_LOOP(type, bits, or, old | v, order, suffix)

/* The kernel's own atomics on a plain integer. */
#define WEIR_LINUX_CALL(type, bits, op, atomic, arg, order, suffix)				\
static __always_inline type weir_linux_fetch_##op##bits##_##order(void *p, type v)		\
{												\
	return (type)atomic##_fetch_##op##suffix((arg)v, (atomic##_t *)p);			\
}

#define WEIR_LINUX_WIDE(type, bits, atomic, arg, order, suffix)					\
	WEIR_LINUX_SWAPS(type, bits, order, suffix)						\
	WEIR_LINUX_CALL(type, bits, add, atomic, arg, order, suffix)				\
	WEIR_LINUX_CALL(type, bits, and, atomic, arg, order, suffix)				\
	WEIR_LINUX_CALL(type, bits, or, atomic, arg, order, suffix)

#define WEIR_LINUX_ORDER(order, suffix)								\
	WEIR_LINUX_NARROW(u8, 8, order, suffix)							\
	WEIR_LINUX_NARROW(u16, 16, order, suffix)						\
	WEIR_LINUX_WIDE(u32, 32, atomic, int, order, suffix)					\
	WEIR_LINUX_WIDE(u64, 64, atomic64, s64, order, suffix)

WEIR_LINUX_ORDER(relaxed, _relaxed)
WEIR_LINUX_ORDER(acquire, _acquire)
WEIR_LINUX_ORDER(release, _release)
WEIR_LINUX_ORDER(acq_rel, )

#define WEIR_LINUX_RMW(op, order, p, v)								\
	((__typeof__(*(p)))(									\
		sizeof(*(p)) == 8 ? weir_linux_##op##64_##order((p), (u64)(v)) :		\
		sizeof(*(p)) == 4 ? weir_linux_##op##32_##order((p), (u32)(v)) :		\
		sizeof(*(p)) == 2 ? weir_linux_##op##16_##order((p), (u16)(v)) :		\
				    weir_linux_##op##8_##order((p), (u8)(v))))

#define WEIR_LINUX_CAS(order, p, e, v)								\
	(sizeof(*(p)) == 8 ? weir_linux_cas64_##order((p), (e), (u64)(v)) :			\
	 sizeof(*(p)) == 4 ? weir_linux_cas32_##order((p), (e), (u32)(v)) :			\
	 sizeof(*(p)) == 2 ? weir_linux_cas16_##order((p), (e), (u16)(v)) :			\
			     weir_linux_cas8_##order((p), (e), (u8)(v)))

#define weir_fetch_add_relaxed(p, v)	WEIR_LINUX_RMW(fetch_add, relaxed, p, v)
#define weir_fetch_add_acquire(p, v)	WEIR_LINUX_RMW(fetch_add, acquire, p, v)
#define weir_fetch_add_release(p, v)	WEIR_LINUX_RMW(fetch_add, release, p, v)
#define weir_fetch_add_acq_rel(p, v)	WEIR_LINUX_RMW(fetch_add, acq_rel, p, v)

#define weir_fetch_and_relaxed(p, v)	WEIR_LINUX_RMW(fetch_and, relaxed, p, v)
#define weir_fetch_and_acquire(p, v)	WEIR_LINUX_RMW(fetch_and, acquire, p, v)
#define weir_fetch_and_release(p, v)	WEIR_LINUX_RMW(fetch_and, release, p, v)
#define weir_fetch_and_acq_rel(p, v)	WEIR_LINUX_RMW(fetch_and, acq_rel, p, v)

#define weir_fetch_or_relaxed(p, v)	WEIR_LINUX_RMW(fetch_or, relaxed, p, v)
#define weir_fetch_or_acquire(p, v)	WEIR_LINUX_RMW(fetch_or, acquire, p, v)
#define weir_fetch_or_release(p, v)	WEIR_LINUX_RMW(fetch_or, release, p, v)
#define weir_fetch_or_acq_rel(p, v)	WEIR_LINUX_RMW(fetch_or, acq_rel, p, v)

#define weir_exchange_relaxed(p, v)	WEIR_LINUX_RMW(exchange, relaxed, p, v)
#define weir_exchange_acquire(p, v)	WEIR_LINUX_RMW(exchange, acquire, p, v)
#define weir_exchange_release(p, v)	WEIR_LINUX_RMW(exchange, release, p, v)
#define weir_exchange_acq_rel(p, v)	WEIR_LINUX_RMW(exchange, acq_rel, p, v)

#define weir_cas_relaxed(p, e, v)	WEIR_LINUX_CAS(relaxed, p, e, v)
#define weir_cas_acquire(p, e, v)	WEIR_LINUX_CAS(acquire, p, e, v)
#define weir_cas_release(p, e, v)	WEIR_LINUX_CAS(release, p, e, v)
#define weir_cas_acq_rel(p, e, v)	WEIR_LINUX_CAS(acq_rel, p, e, v)

#define weir_fence_full()		smp_mb()

#define weir_plain_load(p)		(*(p))
#define weir_plain_store(p, v)		((void)(*(p) = (v)))

#define weir_pause()			cpu_relax()
#define weir_prefetch(p)		prefetch(p)
#define weir_memcpy(d, s, n)		memcpy((d), (s), (n))
#define weir_memset(d, c, n)		memset((d), (c), (n))
#define weir_popcount64(v)		((unsigned int)hweight64(v))
#define weir_ctz64(v)			((unsigned int)__ffs64(v))

#ifdef NDEBUG
#define weir_assert(cond)		((void)0)
#else
#define weir_assert(cond)		((void)WARN_ON_ONCE(!(cond)))
#endif

#ifndef weir_trace
#define weir_trace(what, a, b)		((void)(what), (void)(a), (void)(b))
#endif

#ifndef WEIR_API
#define WEIR_API
#endif

#endif
