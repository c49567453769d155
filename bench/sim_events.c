// SPDX-License-Identifier: BSD-2-Clause
/*
 * sim_events.c - sim/events: the simulator's event queue in a steady state. An item is an event:
 * the first is popped, and another posted at a random time after it, so that as many stay pending
 * (the hold model of the literature on event queues).
 *
 *   weir         sim/engine/queue.h
 *   heap_binary  a binary heap of whole events, compared field by field: peers/heap_binary.c
 *
 * Both get the same times, and are checked to give the same order.
 */
#include <stdlib.h>

#include "bench.h"
#include "peers/heap_binary.h"
#include "sim/engine/queue.h"

#define EVENTS 200000u

struct events {
	struct sim_queue *queue;
	struct heap_binary *heap;
	uint64_t seed;
	uint64_t order;		/* a checksum of what was popped */
	uint64_t expected;	/* the same, of the other implementation */
	uint64_t pending;
};

/* Gaps of up to 1 us on average, with some equal times. */
static uint64_t next_gap_ns(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	return (z ^ (z >> 27)) >> 53;
}

static uint64_t mixed(uint64_t order, uint64_t arg)
{
	return (order ^ arg) * 0x100000001b3u;
}

static void nothing(void *ctx, uint64_t arg)
{
	(void)ctx;
	(void)arg;
}

static void make(struct events *s)
{
	uint64_t i;

	s->seed = 3;
	s->order = 0;
	sim_queue_destroy(s->queue);
	heap_binary_free(s->heap);
	s->queue = sim_queue_create();
	s->heap = heap_binary_new();
	for (i = 0; i < s->pending; i++) {
		uint64_t at = next_gap_ns(&s->seed);

		(void)sim_queue_post(s->queue, at, 0, nothing, s, i);
		heap_binary_post(s->heap, at, 0, nothing, s, i);
	}
}

static uint64_t weir_run(void *state)
{
	struct events *s = state;
	struct sim_event event;
	uint64_t i;

	for (i = 0; i < EVENTS; i++) {
		if (!sim_queue_pop(s->queue, &event))
			return 0;
		s->order = mixed(s->order, event.arg);
		(void)sim_queue_post(s->queue, event.time_ns + next_gap_ns(&s->seed), 0, nothing,
				     s, s->pending + i);
	}
	return EVENTS;
}

static uint64_t heap_run(void *state)
{
	struct events *s = state;
	struct sim_event event;
	uint64_t i;

	for (i = 0; i < EVENTS; i++) {
		if (!heap_binary_pop(s->heap, &event))
			return 0;
		s->order = mixed(s->order, event.arg);
		heap_binary_post(s->heap, event.time_ns + next_gap_ns(&s->seed), 0, nothing, s,
				 s->pending + i);
	}
	return EVENTS;
}

static void *setup(const struct bench_params *params, uint64_t (*other)(void *state))
{
	struct events *s = calloc(1, sizeof(*s));

	if (!s)
		host_die("no memory");
	s->pending = params->pending;
	make(s);
	(void)other(s);
	s->expected = s->order;
	return s;
}

static void *weir_setup(const struct bench_params *params)
{
	return setup(params, heap_run);
}

static void *heap_setup(const struct bench_params *params)
{
	return setup(params, weir_run);
}

static void prepare(void *state)
{
	make(state);
}

static bool check(void *state)
{
	struct events *s = state;

	return s->order == s->expected;
}

static void teardown(void *state)
{
	struct events *s = state;

	sim_queue_destroy(s->queue);
	heap_binary_free(s->heap);
	free(s);
}

static const struct bench_impl impls[] = {
	BENCH_IMPL("sim/events/weir", weir_setup, prepare, weir_run, check, teardown),
	BENCH_IMPL("sim/events/heap_binary", heap_setup, prepare, heap_run, check, teardown),
};

void bench_sim_events(void)
{
	static const uint64_t pending[] = { 16, 256, 4096, 65536 };
	size_t p, i;

	for (p = 0; p < sizeof(pending) / sizeof(pending[0]); p++)
		for (i = 0; i < sizeof(impls) / sizeof(impls[0]); i++)
			bench_register_events(&impls[i], pending[p], 9);
}
