/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xlate_world.h - the interrupts that the xlate benches look up: a set of keys, and a stream of
 * them in random order (a fixed seed), which is read in sequence as a device's MSIs come.
 *
 * Dense keys: events 0 and up of devices with up to 2048 events, the most that MSI-X has. Irregular
 * keys: random events below 2048 of 256 random DeviceIDs. Each key's value is computable from it,
 * so that a run can tell that it found what it should have.
 *
 * A case is a loop over the stream. On two threads, the second runs the same loop on the same
 * structure from before the timed one starts until after it has ended; what is timed is the first
 * one's CPU time, so that a machine with other work does not count.
 */
#ifndef WEIR_BENCH_XLATE_WORLD_H
#define WEIR_BENCH_XLATE_WORLD_H

#include <pthread.h>

#include "bench.h"

#define XW_FIRST_DEVICE	8u

struct xw_key {
	uint32_t device;
	uint32_t event;
};

/** struct xw - one case of an xlate bench */
struct xw {
	struct bench_params params;
	struct xw_key *keys;		/* what is in the structure */
	uint32_t nkeys;
	struct xw_key *stream;
	uint32_t nstream;		/* a power of two */
	uint32_t rounds;		/* of the stream in a run */
	uint64_t want;			/* the sum of the stream's values */
	uint64_t got;
	void *data;			/* the implementation's */
	uint64_t (*loop)(const struct xw *w); /* one round; the sum of what it found */
	void (*fini)(struct xw *w);
	void (*thread_enter)(void);	/* for each thread; may be NULL */
	void (*thread_leave)(void);
	pthread_t other;
	int started;
	int stop;
	bool running;
};

static inline uint64_t xw_value(uint32_t device, uint32_t event)
{
	return (uint64_t)device * 0x10001u + event + 1u;
}

struct xw *xw_new(const struct bench_params *params, uint32_t rounds);
/** xw_stream() - make the stream from the keys; again after the implementation dropped some */
void xw_stream(struct xw *w);
/** xw_in_sequence() - make the stream the keys in their order, round and round */
void xw_in_sequence(struct xw *w);

/* What all cases have in common, for struct bench_impl. */
void xw_prepare(void *state);
uint64_t xw_run(void *state);
bool xw_check(void *state);
void xw_teardown(void *state);

#define XW_IMPL(name_, setup_) \
	{ .name = (name_), .setup = (setup_), .prepare = xw_prepare, .run = xw_run, \
	  .check = xw_check, .teardown = xw_teardown }
#define XW_MISSING(name_, package_)	{ .name = (name_), .missing = (package_) }

/* A loop over the stream; `expr` sets value from device and event, and is whether it was found. */
#define XW_LOOP(fn, prologue, expr) \
	static uint64_t fn(const struct xw *w) \
	{ \
		const struct xw_key *k = w->stream, *end = k + w->nstream; \
		uint64_t sum = 0, value = 0; \
		prologue; \
		for (; k != end; k++) { \
			uint32_t device = k->device, event = k->event; \
			if (expr) \
				sum += value; \
		} \
		return sum; \
	}

#endif
