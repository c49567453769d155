/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench.h - what weir-bench measures, and with what.
 *
 * A *case* is one implementation of one operation with one set of parameters; its name is
 * module/operation/implementation/parameters. A case is set up once, and then run several times;
 * before each run prepare() brings data and caches into the same state, which is not timed. run()
 * returns how many items it worked on, and the time is divided by them: that is the figure, the
 * counter ns_per_item. After a run check() tells whether it did the work it claims.
 *
 * Cases are registered by the files that hold them, and run in one of two ways: by Google Benchmark
 * (shim.cc), one after another; or by the table (table.c), those that are compared in turn, so that
 * a drift of the machine meets both.
 *
 * One thread, but for cases on two: those of dirty divide the work, see two.h, and those of xlate
 * do it twice, see xlate_world.h.
 */
#ifndef WEIR_BENCH_BENCH_H
#define WEIR_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct bench_params - what distinguishes the cases of one implementation
 * @dirty_ppm: dirty pages in a million; the name shows it per mille
 * @region_gib: size of the region at 4 KiB pages
 * @pending: events pending
 * @keys: translations, and for what is not irregular the capacity
 * @irregular: keys without a pattern
 * @full: irregular, in a cache that has room for no more than them
 * @threads: 1 or 2
 */
struct bench_params {
	uint32_t dirty_ppm;
	uint32_t region_gib;
	uint64_t pending;
	uint32_t keys;
	bool irregular;
	bool full;
	uint32_t threads;
};

/**
 * struct bench_impl - one implementation of one operation
 * @name: module/operation/implementation
 * @missing: the Debian package it would need, if that was not there when this was built; the
 *	functions are then NULL
 * @setup: make the case's state; exits with a message where it cannot
 * @prepare: before each run, not timed; NULL: nothing
 * @run: the work; returns the number of items, at least 1
 * @early_ns: time spent in prepare() that belongs to the run; NULL: none
 * @disturbed: after each run: whether other work came in between, so that it has to be done again;
 *	NULL: never
 * @check: after each run, not timed: whether the work was done; NULL: nothing to check
 * @teardown: free the state
 */
struct bench_impl {
	const char *name;
	const char *missing;
	void *(*setup)(const struct bench_params *params);
	void (*prepare)(void *state);
	uint64_t (*run)(void *state);
	uint64_t (*early_ns)(void *state);
	bool (*disturbed)(void *state);
	bool (*check)(void *state);
	void (*teardown)(void *state);
};

#define BENCH_IMPL(name_, setup_, prepare_, run_, check_, teardown_) \
	{ .name = (name_), .setup = (setup_), .prepare = (prepare_), .run = (run_), \
	  .check = (check_), .teardown = (teardown_) }
#define BENCH_MISSING(name_, package_)	{ .name = (name_), .missing = (package_) }

#define BENCH_NAME_BYTES 96

/** struct bench_case - an implementation with its parameters, and how many runs make a result */
struct bench_case {
	char name[BENCH_NAME_BYTES];
	const struct bench_impl *impl;
	struct bench_params params;
	unsigned int runs;
};

/* bench.c: the register, in the order of registration */
void bench_register_dirty(const struct bench_impl *impl, uint32_t dirty_ppm, uint32_t region_gib,
			  unsigned int runs);
/* on two threads, each of which does a half */
void bench_register_dirty_two(const struct bench_impl *impl, uint32_t dirty_ppm,
			      uint32_t region_gib, unsigned int runs);
void bench_register_events(const struct bench_impl *impl, uint64_t pending, unsigned int runs);
void bench_register_xlate(const struct bench_impl *impl, uint32_t keys, bool irregular, bool full,
			  uint32_t threads, unsigned int runs);
/* dense and irregular keys, on one thread and on two */
void bench_register_xlate_shapes(const struct bench_impl *impl, uint32_t keys, unsigned int runs);
const struct bench_case *bench_cases(size_t *ncases);
const struct bench_case *bench_find(const char *name);

/** bench_missing() - what a case would need that is not here; NULL: nothing */
const char *bench_missing(const struct bench_case *c);

/** bench_alone() - from now on nobody else's work runs on the second CPU while a run is timed */
void bench_alone(bool on);

/**
 * bench_timed_run() - prepare, run, check; ends the program if the check fails
 * @ns: time that run() took
 *
 * Return: items.
 */
uint64_t bench_timed_run(const struct bench_case *c, void *state, uint64_t *ns);

/* host.c: the machine that this runs on */
uint64_t host_llc_bytes(void);
uint64_t host_available_bytes(void);
/** host_now_ns() - CPU time of this thread */
uint64_t host_now_ns(void);
/** host_alloc() - zeroed memory on 2 MiB pages if the kernel gives them; ends the program if not */
void *host_alloc(size_t bytes);
void host_free(void *mem, size_t bytes);
/** host_flush() - out of all caches */
void host_flush(const void *mem, size_t bytes);
/** host_die() - one line on standard error, exit code 3 */
void host_die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/** bench_region_gib() - whose descriptors fill four last-level caches, if memory allows */
uint32_t bench_region_gib(void);

/* table.c: the targets and their ratios; see bench_alone(). Return: exit code */
int bench_table(unsigned int reps, const char *only, bool alone);

/* shim.cc: Google Benchmark, over the cases that selected() accepts. Return: exit code */
int bench_google(int argc, char **argv, bool (*selected)(const char *name));

/* the files that hold cases */
void bench_dirty_harvest(void);
void bench_dirty_parallel(void);
void bench_dirty_collect(void);
void bench_dirty_get(void);
void bench_dirty_write(void);
void bench_dirty_rearm(void);
void bench_xlate_hit(void);
void bench_xlate_change(void);
void bench_sim_events(void);

#ifdef __cplusplus
}
#endif

#endif
