/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * weir/env/explore.h - the seam for the interleaving explorer (tests/interleave, weir-explore).
 *
 * Each atomic of the vocabulary calls into the explorer, which may run other threads first, may
 * hold a store back and may answer a load with an older value, as the memory model under test
 * allows. Each call names its *site*: file, line, operation and order. A site is a static record in
 * the section weir_sites, so the explorer can list all sites of the code it was linked with and
 * weaken the order of one at run time.
 *
 * Outside a run (set-up, checks at quiescence) the same calls act on memory directly.
 *
 * One expansion is one site; two of the same operation on one line share a name.
 */
#ifndef WEIR_ENV_EXPLORE_H
#define WEIR_ENV_EXPLORE_H

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define weir_trace(what, a, b)	((void)(what), (void)(a), (void)(b))

#include "weir/env/builtin.h"

/* What a site does, and in which order. */
enum weir_explore_op {
	WEIR_EXPLORE_LOAD,
	WEIR_EXPLORE_STORE,
	WEIR_EXPLORE_ADD,
	WEIR_EXPLORE_AND,
	WEIR_EXPLORE_OR,
	WEIR_EXPLORE_XCHG,
	WEIR_EXPLORE_CAS,
	WEIR_EXPLORE_FENCE,
	WEIR_EXPLORE_PLAIN_LOAD,
	WEIR_EXPLORE_PLAIN_STORE
};

enum weir_explore_order {
	WEIR_EXPLORE_RELAXED = 0,
	WEIR_EXPLORE_ACQUIRE = 1,
	WEIR_EXPLORE_RELEASE = 2,
	WEIR_EXPLORE_ACQ_REL = 3,	/* ACQUIRE | RELEASE */
	WEIR_EXPLORE_FULL = 4
};

/**
 * struct weir_explore_site - one place in the code that touches shared memory
 * @file: as __FILE__ gave it
 * @func: the function it is in
 * @line: line in file
 * @op: an enum weir_explore_op
 * @order: an enum weir_explore_order, as written
 * @effective: the order in force; the explorer lowers it for a mutant
 * @touched: the explorer's mark: executed in this campaign
 * @hits: how often it was executed
 */
struct weir_explore_site {
	const char *file;
	const char *func;
	uint32_t line;
	uint8_t op;
	uint8_t order;
	uint8_t effective;
	uint8_t touched;
	uint64_t hits;
};

uint64_t weir_explore_load(const volatile void *p, unsigned int bytes,
			   struct weir_explore_site *site);
void weir_explore_store(volatile void *p, unsigned int bytes, uint64_t v,
			struct weir_explore_site *site);
uint64_t weir_explore_rmw(volatile void *p, unsigned int bytes, uint64_t v,
			  struct weir_explore_site *site);
bool weir_explore_cas(volatile void *p, unsigned int bytes, void *expected, uint64_t v,
		      struct weir_explore_site *site);
void weir_explore_fence(struct weir_explore_site *site);
uint64_t weir_explore_plain_load(const volatile void *p, unsigned int bytes,
				 struct weir_explore_site *site);
void weir_explore_plain_store(volatile void *p, unsigned int bytes, uint64_t v,
			      struct weir_explore_site *site);
void weir_explore_pause(void);
void weir_explore_assert_failed(const char *file, unsigned int line, const char *what)
	__attribute__((noreturn));

#ifdef __cplusplus
}
#endif

/* The static record of one expansion; as large as aligned, so that the section is an array. */
#define WEIR_EXPLORE_SITE(op_, order_) \
	__extension__({ \
		static struct weir_explore_site weir_explore_here \
			__attribute__((section("weir_sites"), aligned(32), used)) = { \
				__FILE__, __func__, __LINE__, (op_), (order_), (order_), 0, 0 }; \
		&weir_explore_here; \
	})

#define WEIR_EXPLORE_VALUE(p)	__typeof__(__atomic_load_n((p), __ATOMIC_RELAXED))

#define WEIR_EXPLORE_LD(p, order) \
	((WEIR_EXPLORE_VALUE(p))weir_explore_load((p), sizeof(*(p)), \
		WEIR_EXPLORE_SITE(WEIR_EXPLORE_LOAD, WEIR_EXPLORE_##order)))
#define WEIR_EXPLORE_ST(p, v, order) \
	weir_explore_store((p), sizeof(*(p)), (uint64_t)(v), \
		WEIR_EXPLORE_SITE(WEIR_EXPLORE_STORE, WEIR_EXPLORE_##order))
#define WEIR_EXPLORE_RMW(op, p, v, order) \
	((WEIR_EXPLORE_VALUE(p))weir_explore_rmw((p), sizeof(*(p)), (uint64_t)(v), \
		WEIR_EXPLORE_SITE(WEIR_EXPLORE_##op, WEIR_EXPLORE_##order)))
#define WEIR_EXPLORE_CMPXCHG(p, e, v, order) \
	((void)sizeof((p) == (e)), \
	 weir_explore_cas((p), sizeof(*(p)), (e), (uint64_t)(v), \
		WEIR_EXPLORE_SITE(WEIR_EXPLORE_CAS, WEIR_EXPLORE_##order)))

#undef weir_load_relaxed
#undef weir_load_acquire
#undef weir_store_relaxed
#undef weir_store_release
#define weir_load_relaxed(p)		WEIR_EXPLORE_LD(p, RELAXED)
#define weir_load_acquire(p)		WEIR_EXPLORE_LD(p, ACQUIRE)
#define weir_store_relaxed(p, v)	WEIR_EXPLORE_ST(p, v, RELAXED)
#define weir_store_release(p, v)	WEIR_EXPLORE_ST(p, v, RELEASE)

#undef weir_fetch_add_relaxed
#undef weir_fetch_add_acquire
#undef weir_fetch_add_release
#undef weir_fetch_add_acq_rel
#define weir_fetch_add_relaxed(p, v)	WEIR_EXPLORE_RMW(ADD, p, v, RELAXED)
#define weir_fetch_add_acquire(p, v)	WEIR_EXPLORE_RMW(ADD, p, v, ACQUIRE)
#define weir_fetch_add_release(p, v)	WEIR_EXPLORE_RMW(ADD, p, v, RELEASE)
#define weir_fetch_add_acq_rel(p, v)	WEIR_EXPLORE_RMW(ADD, p, v, ACQ_REL)

#undef weir_fetch_and_relaxed
#undef weir_fetch_and_acquire
#undef weir_fetch_and_release
#undef weir_fetch_and_acq_rel
#define weir_fetch_and_relaxed(p, v)	WEIR_EXPLORE_RMW(AND, p, v, RELAXED)
#define weir_fetch_and_acquire(p, v)	WEIR_EXPLORE_RMW(AND, p, v, ACQUIRE)
#define weir_fetch_and_release(p, v)	WEIR_EXPLORE_RMW(AND, p, v, RELEASE)
#define weir_fetch_and_acq_rel(p, v)	WEIR_EXPLORE_RMW(AND, p, v, ACQ_REL)

#undef weir_fetch_or_relaxed
#undef weir_fetch_or_acquire
#undef weir_fetch_or_release
#undef weir_fetch_or_acq_rel
#define weir_fetch_or_relaxed(p, v)	WEIR_EXPLORE_RMW(OR, p, v, RELAXED)
#define weir_fetch_or_acquire(p, v)	WEIR_EXPLORE_RMW(OR, p, v, ACQUIRE)
#define weir_fetch_or_release(p, v)	WEIR_EXPLORE_RMW(OR, p, v, RELEASE)
#define weir_fetch_or_acq_rel(p, v)	WEIR_EXPLORE_RMW(OR, p, v, ACQ_REL)

#undef weir_exchange_relaxed
#undef weir_exchange_acquire
#undef weir_exchange_release
#undef weir_exchange_acq_rel
#define weir_exchange_relaxed(p, v)	WEIR_EXPLORE_RMW(XCHG, p, v, RELAXED)
#define weir_exchange_acquire(p, v)	WEIR_EXPLORE_RMW(XCHG, p, v, ACQUIRE)
#define weir_exchange_release(p, v)	WEIR_EXPLORE_RMW(XCHG, p, v, RELEASE)
#define weir_exchange_acq_rel(p, v)	WEIR_EXPLORE_RMW(XCHG, p, v, ACQ_REL)

#undef weir_cas_relaxed
#undef weir_cas_acquire
#undef weir_cas_release
#undef weir_cas_acq_rel
#define weir_cas_relaxed(p, e, v)	WEIR_EXPLORE_CMPXCHG(p, e, v, RELAXED)
#define weir_cas_acquire(p, e, v)	WEIR_EXPLORE_CMPXCHG(p, e, v, ACQUIRE)
#define weir_cas_release(p, e, v)	WEIR_EXPLORE_CMPXCHG(p, e, v, RELEASE)
#define weir_cas_acq_rel(p, e, v)	WEIR_EXPLORE_CMPXCHG(p, e, v, ACQ_REL)

#undef weir_fence_full
#define weir_fence_full() \
	weir_explore_fence(WEIR_EXPLORE_SITE(WEIR_EXPLORE_FENCE, WEIR_EXPLORE_FULL))

#undef weir_plain_load
#undef weir_plain_store
#define weir_plain_load(p) \
	((WEIR_EXPLORE_VALUE(p))weir_explore_plain_load((p), sizeof(*(p)), \
		WEIR_EXPLORE_SITE(WEIR_EXPLORE_PLAIN_LOAD, WEIR_EXPLORE_RELAXED)))
#define weir_plain_store(p, v) \
	weir_explore_plain_store((p), sizeof(*(p)), (uint64_t)(v), \
		WEIR_EXPLORE_SITE(WEIR_EXPLORE_PLAIN_STORE, WEIR_EXPLORE_RELAXED))

#undef weir_pause
#define weir_pause()		weir_explore_pause()

#define weir_memcpy(d, s, n)	memcpy((d), (s), (n))
#define weir_memset(d, c, n)	memset((d), (c), (n))

#define weir_assert(cond) \
	((cond) ? (void)0 : weir_explore_assert_failed(__FILE__, __LINE__, #cond))

#endif
