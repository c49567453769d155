/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wx.h - what an interleaving program sees of the explorer.
 *
 * A program is a handful of functions: setup() puts shared memory into its first state, thread(tid)
 * is what each thread does, final() checks at quiescence (every thread done, every store buffer
 * empty). It uses the vocabulary of weir/env.h for shared memory, and the library compiled for the
 * explorer. WX_PROGRAM registers it; weir-explore list shows it.
 *
 * Rules: a program is deterministic but for the explorer's choices: no time, no rand(), no address
 * in a decision. Everything that a thread changes is set again by setup(). Private bookkeeping
 * (what a thread saw) may be plain C: threads are fibers of one OS thread and switch only inside
 * calls of the vocabulary.
 */
#ifndef WX_H
#define WX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/env.h"

#define WX_THREADS_MAX	8u

/* Memory models, and sets of them. */
enum wx_model { WX_SC, WX_TSO, WX_PSO, WX_C11, WX_MODELS };
#define WX_IN(model)	(1u << (model))
#define WX_ALL_MODELS	(WX_IN(WX_SC) | WX_IN(WX_TSO) | WX_IN(WX_PSO) | WX_IN(WX_C11))

/* struct wx_program.flags */
#define WX_F_FREEZE	(1u << 0)	/* a thread may be frozen for ever; see wx_frozen() */
#define WX_F_EXHAUSTIVE	(1u << 1)	/* small enough for the exhaustive scheduler */
#define WX_F_PURE	(1u << 2)	/* no step(), threads share by the vocabulary only:
					 * steps that commute need one order only */

/**
 * struct wx_program - one interleaving program
 * @name: "module/what", unique
 * @what: one line for weir-explore list
 * @nthreads: 1 to WX_THREADS_MAX
 * @steps_max: a run that takes more is a failure (no progress); 0: 20000
 * @schedules: how many schedules CI spends on it in each of @models; 0: 20000
 * @models: where it is run by default; 0: all
 * @must_fail: the models under which it has a planted fault that must be found
 * @flags: WX_F_*
 * @setup: the first state; runs alone
 * @thread: what thread tid does
 * @final: checks at quiescence; may be NULL
 * @step: checks after every step, on committed memory; may be NULL
 */
struct wx_program {
	const char *name;
	const char *what;
	unsigned int nthreads;
	unsigned int steps_max;
	uint64_t schedules;
	unsigned int models;
	unsigned int must_fail;
	unsigned int flags;
	void (*setup)(void);
	void (*thread)(unsigned int tid);
	void (*final)(void);
	void (*step)(void);
};

#define WX_PROGRAM(ident) \
	static const struct wx_program ident; \
	static const struct wx_program *const ident##_entry \
		__attribute__((section("wx_programs"), used)) = &ident; \
	static const struct wx_program ident

/* The run fails: does not return. The place of the call identifies the failure. */
#define wx_fail(...)	wx_fail_at(__FILE__, __LINE__, __VA_ARGS__)
#define wx_check(cond, ...) \
	((cond) ? (void)0 : wx_fail_at(__FILE__, __LINE__, __VA_ARGS__))
void wx_fail_at(const char *file, unsigned int line, const char *fmt, ...)
	__attribute__((noreturn, format(printf, 3, 4)));

/* The thread that runs; WX_THREADS_MAX in setup, final and step. */
unsigned int wx_self(void);
/* The memory model under test. */
enum wx_model wx_model(void);
/* A choice of the explorer, 0 to n - 1; part of the schedule. */
unsigned int wx_choose(unsigned int n);
/* Whether thread tid has been frozen for ever in this run. */
bool wx_frozen(unsigned int tid);
/* A line in the printed schedule; free when nothing is printed. */
void wx_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The name of a location in the printed schedule. Call it in setup. */
void wx_name(const volatile void *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Memory that no thread writes in this run: loads of it are no scheduling points, a store to it
 * fails the run. Call it in setup; at most 20 ranges.
 */
void wx_quiet(const volatile void *p, size_t bytes);
/* Whether this run is being printed: names cost time. */
bool wx_printing(void);

/*
 * A barrier of the architecture that C has no name for: all stores of the calling thread are
 * performed (DSB). Also what a modelled TLBI needs before and after.
 */
void wx_dsb(void);
/* The number of stores performed so far, in the one order in which memory saw them. */
uint32_t wx_now(void);
/*
 * A scheduling point that touches nothing: between two parts of a hardware access, say. what shows
 * in the printed schedule.
 */
void wx_point(const char *what);
/*
 * A load by an observer that is not the thread itself: a table walker. It sees memory, not the
 * thread's store buffer, as it was at any time from *floor on (a wx_now() of the past, which a
 * TLBI raises). A scheduling point; orders nothing for the thread.
 */
uint64_t wx_walk_load(const uint64_t *p, const uint32_t *floor);
/* A CAS by the walker, performed on memory at once. A scheduling point; orders nothing. */
bool wx_hw_cas(uint64_t *p, uint64_t expected, uint64_t v);
/*
 * A store performed at once. Not a scheduling point: call wx_point() before, and what is checked
 * between the two is atomic with the store.
 */
void wx_hw_store(uint64_t *p, uint64_t v);
/* What memory holds. Not a scheduling point. */
uint64_t wx_peek(const uint64_t *p);

/* Poisoned reclamation: memory of the run. Touching freed memory fails the run. */
#define WX_ALLOC_MAX	1024u	/* bytes of one allocation */
void *wx_alloc(size_t bytes);		/* 64-byte aligned, zeroed; lowest free block */
void wx_free(void *p);			/* poisoned, and not handed out again in this run */
void wx_free_reuse(void *p);		/* as wx_free(), but the next wx_alloc() may return it */

/*
 * Linearizability. A thread brackets each operation; at the end wx_lin_check() searches an order
 * that the specification accepts, key by key. Operations of frozen threads may count or not.
 */
#define WX_LIN_ANY	UINT64_MAX
struct wx_lin_state { uint64_t w[4]; };
struct wx_lin_spec {
	struct wx_lin_state init;
	/*
	 * Applies op(arg); false if it cannot have returned ret in this state. ret is WX_LIN_ANY
	 * where the operation never returned.
	 */
	bool (*apply)(struct wx_lin_state *s, unsigned int op, uint64_t arg, uint64_t ret);
	const char *(*op_name)(unsigned int op);
};
unsigned int wx_lin_begin(uint64_t key, unsigned int op, uint64_t arg);
void wx_lin_end(unsigned int handle, uint64_t ret);
/* Fails the run if some key's history has no accepted order. */
void wx_lin_check(const struct wx_lin_spec *spec);

#endif
