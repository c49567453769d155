/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/engine/queue.h - the event queue: what happens next, in one total order.
 *
 * Time is an unsigned count of nanoseconds. Events run in the order of (time, priority, sequence):
 * earlier first; at one instant the lower priority number first; between equals, in the order in
 * which they were posted. The order is the product: it does not depend on addresses, on the shape
 * of the heap, or on what was cancelled, so that two runs that post the same do the same.
 *
 * Invariants:
 *   I1  An event never runs before an event that precedes it in that order and was pending with it.
 *   I2  sim_queue_now() never decreases, and equals the time of the event that runs.
 *   I3  A posted event runs exactly once, or was cancelled and never runs.
 *   I4  Memory only grows; it is proportional to the largest number of events pending at once.
 *
 * Concurrency: one thread owns a queue. An event's function may post, cancel and read the clock; it
 * must not run or destroy the queue it runs from.
 *
 * Cost: post O(log4 n) and in practice constant, pop O(log4 n), cancel O(1) amortised.
 */
#ifndef SIM_ENGINE_QUEUE_H
#define SIM_ENGINE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Highest priority number. Lower numbers run first at one instant. */
#define SIM_PRIO_MAX UINT32_C(0xffff)

/** Events that may be pending at once. */
#define SIM_QUEUE_PENDING_MAX (UINT32_C(1) << 24)

struct sim_queue;

typedef void sim_event_fn(void *ctx, uint64_t arg);

/** An event as it is posted and as it is popped. */
struct sim_event {
	uint64_t time_ns;
	uint32_t prio;
	sim_event_fn *fn;
	void *ctx;
	uint64_t arg;
};

/** sim_queue_create() - an empty queue at time 0; does not fail (see sim_alloc()) */
struct sim_queue *sim_queue_create(void);

/** sim_queue_destroy() - drop the queue and what is pending, unrun; NULL is fine */
void sim_queue_destroy(struct sim_queue *q);

/**
 * sim_queue_post() - let fn(ctx, arg) run at a time
 * @q: the queue
 * @time_ns: when; not before sim_queue_now(): posting into the past is a fault of the caller
 *     and asserted
 * @prio: 0..SIM_PRIO_MAX, lower first among events of one instant
 * @fn: what to call; not NULL
 * @ctx: handed to it
 * @arg: handed to it
 *
 * Return: the event's id, never 0, for sim_queue_cancel().
 */
uint64_t sim_queue_post(struct sim_queue *q, uint64_t time_ns, uint32_t prio, sim_event_fn *fn,
			void *ctx, uint64_t arg);

/**
 * sim_queue_cancel() - take a pending event back
 * @id: what sim_queue_post() returned; 0 is never an event
 *
 * Return: true if it was pending and now never runs; false if it has run, runs now, or was
 * cancelled.
 */
bool sim_queue_cancel(struct sim_queue *q, uint64_t id);

/**
 * sim_queue_pop() - take the first event out without calling it; moves the clock to its time
 * @event: filled in
 *
 * Return: false if nothing is pending (the clock stands).
 */
bool sim_queue_pop(struct sim_queue *q, struct sim_event *event);

/** sim_queue_run_one() - run the first event; false if nothing is pending */
bool sim_queue_run_one(struct sim_queue *q);

/**
 * sim_queue_run_until() - run all events up to and including a time, then move the clock to it
 * @last_ns: inclusive; not before sim_queue_now()
 *
 * Return: how many ran.
 */
uint64_t sim_queue_run_until(struct sim_queue *q, uint64_t last_ns);

/** sim_queue_now() - the clock */
uint64_t sim_queue_now(const struct sim_queue *q);

/** sim_queue_pending() - how many events would still run */
size_t sim_queue_pending(const struct sim_queue *q);

/** sim_queue_next_ns() - time of the first pending event; UINT64_MAX if there is none */
uint64_t sim_queue_next_ns(struct sim_queue *q);

/** sim_queue_posted() - how many events were ever posted */
uint64_t sim_queue_posted(const struct sim_queue *q);

#endif
