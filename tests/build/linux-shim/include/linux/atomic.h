/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stand-in for the kernel's <linux/atomic.h>: barriers, xchg, cmpxchg and atomic_t, over the
 * compiler's builtins. Each has the order that the kernel's has, and no more: a failed cmpxchg is
 * relaxed.
 */
#ifndef SHIM_LINUX_ATOMIC_H
#define SHIM_LINUX_ATOMIC_H

#include <linux/compiler.h>
#include <linux/types.h>

#define smp_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_acquire__after_ctrl_dep() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)

#define xchg_relaxed(p, v) __atomic_exchange_n((p), (v), __ATOMIC_RELAXED)
#define xchg_acquire(p, v) __atomic_exchange_n((p), (v), __ATOMIC_ACQUIRE)
#define xchg_release(p, v) __atomic_exchange_n((p), (v), __ATOMIC_RELEASE)
#define xchg(p, v) __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)

#define shim_cmpxchg(p, old, new, order) ({						\
	__typeof__(*(p)) shim_old = (old);						\
											\
	__atomic_compare_exchange_n((p), &shim_old, (new), 0, order, __ATOMIC_RELAXED);	\
	shim_old;									\
})
#define cmpxchg_relaxed(p, old, new) shim_cmpxchg(p, old, new, __ATOMIC_RELAXED)
#define cmpxchg_acquire(p, old, new) shim_cmpxchg(p, old, new, __ATOMIC_ACQUIRE)
#define cmpxchg_release(p, old, new) shim_cmpxchg(p, old, new, __ATOMIC_RELEASE)
#define cmpxchg(p, old, new) shim_cmpxchg(p, old, new, __ATOMIC_SEQ_CST)

#define SHIM_ATOMIC(atomic, type, op, suffix, order)					\
static inline type atomic##_fetch_##op##suffix(type i, atomic##_t *v)			\
{											\
	return __atomic_fetch_##op(&v->counter, i, order);				\
}
#define SHIM_ATOMIC_ORDERS(atomic, type, op)						\
	SHIM_ATOMIC(atomic, type, op, _relaxed, __ATOMIC_RELAXED)			\
	SHIM_ATOMIC(atomic, type, op, _acquire, __ATOMIC_ACQUIRE)			\
	SHIM_ATOMIC(atomic, type, op, _release, __ATOMIC_RELEASE)			\
	SHIM_ATOMIC(atomic, type, op, , __ATOMIC_SEQ_CST)

SHIM_ATOMIC_ORDERS(atomic, int, add)
SHIM_ATOMIC_ORDERS(atomic, int, and)
SHIM_ATOMIC_ORDERS(atomic, int, or)
SHIM_ATOMIC_ORDERS(atomic64, s64, add)
SHIM_ATOMIC_ORDERS(atomic64, s64, and)
SHIM_ATOMIC_ORDERS(atomic64, s64, or)

#endif
