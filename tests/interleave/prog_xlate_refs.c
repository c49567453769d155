// SPDX-License-Identifier: BSD-2-Clause
/*
 * prog_xlate_refs.c - `xlate` with pointers as values: behind a grace period, and with references
 * that the displaced op hands back.
 *
 * An object is memory of the run, poisoned when it is freed: whoever reads it then fails the run.
 * Tables and values have its number, as addresses differ from one process to the next.
 * The grace period is one flag a reader: whoever wants to free looks at all of them after a fence,
 * and leaves the object to leak if somebody is reading, which is what a run without waiting can do.
 */
#include <string.h>

#include "wx.h"
#include "weir/xlate.h"

#define READERS	2u
#define OBJECTS	4u
#define DEVICE	1u

static unsigned char mem[16384] __attribute__((aligned(64)));
static struct weir_xlate *c;
static uint64_t table[2], reading[READERS];
static unsigned int held;			/* private: references that the cache has */
static bool no_grace;
static uint64_t *objects[OBJECTS];		/* private: by number */
static unsigned int nobjects;

static void displaced(void *ctx, uint32_t device, uint32_t event, uint64_t value)
{
	(void)ctx;
	wx_note("displaced: event %u, value %llu", event, (unsigned long long)value);
	wx_check(device == DEVICE && value == 100 + event, "displaced what was never filled");
	wx_check(held > 0, "handed back more than was accepted");
	held--;
}

static const struct weir_xlate_ops ops = { .displaced = displaced };

static void setup_cache(uint32_t capacity, const struct weir_xlate_ops *o)
{
	struct weir_xlate_config cfg = { .capacity = capacity };

	wx_check(weir_xlate_init(mem, sizeof(mem), &cfg, o, NULL, &c) == WEIR_OK, "init");
	memset(reading, 0, sizeof(reading));
	held = 0;
	table[0] = table[1] = 0;
}

/* ---- behind a grace period ---- */

static uint64_t new_object(uint64_t content)
{
	unsigned int number = nobjects++;

	wx_check(number < OBJECTS, "more objects than there are commands");
	objects[number] = wx_alloc(sizeof(**objects));
	weir_store_relaxed(objects[number], content);
	return number;
}

static void reader(unsigned int r)
{
	struct weir_xlate_lease lease;
	uint64_t value;

	weir_store_relaxed(&reading[r], 1);
	weir_fence_full();
	if (!weir_xlate_lookup(c, DEVICE, 0, &value)) {
		weir_xlate_lease(c, DEVICE, 0, &lease);
		value = weir_load_acquire(&table[0]);
		(void)weir_xlate_fill(c, &lease, 0, value);
	}
	/* The delivery. */
	wx_check(weir_load_relaxed(objects[value]) == 42, "not an object");
	weir_store_release(&reading[r], 0);
}

static void replace(void)
{
	uint64_t old = weir_load_relaxed(&table[0]);

	weir_store_release(&table[0], new_object(42));
	weir_xlate_invalidate_event(c, DEVICE, 0);
	weir_fence_full();
	for (unsigned int r = 0; r < READERS && !no_grace; r++)
		if (weir_load_acquire(&reading[r]))
			return;
	wx_free(objects[old]);
}

static void reclaim_thread(unsigned int tid)
{
	if (tid < READERS) {
		reader(tid);
		reader(tid);
	} else {
		replace();
		replace();
	}
}

static void reclaim_setup(void)
{
	setup_cache(2, NULL);
	no_grace = false;
	nobjects = 0;
	table[0] = new_object(42);
}

static void no_grace_setup(void)
{
	reclaim_setup();
	no_grace = true;
}

WX_PROGRAM(reclaim) = {
	.name = "xlate/reclaim", .what = "objects are freed after invalidation and a grace period",
	.nthreads = 3, .setup = reclaim_setup, .thread = reclaim_thread,
};

WX_PROGRAM(reclaim_early) = {
	.name = "xlate/reclaim-early", .what = "objects are freed without a grace period",
	.nthreads = 3, .must_fail = WX_ALL_MODELS, .schedules = 40000,
	.setup = no_grace_setup, .thread = reclaim_thread,
};

/* ---- references ---- */

static void give(uint32_t event)
{
	struct weir_xlate_lease lease;

	weir_xlate_lease(c, DEVICE, event, &lease);
	held++;				/* for the cache, if it accepts */
	if (weir_xlate_fill(c, &lease, 0, 100 + event) != WEIR_OK)
		held--;
}

static void refs_thread(unsigned int tid)
{
	if (tid == 0) {
		give(0);
		give(1);
	} else if (tid == 1) {
		give(0);
		give(2);
	} else {
		weir_xlate_invalidate_event(c, DEVICE, 0);
		(void)weir_xlate_drain(c);
		weir_xlate_invalidate_all(c);
		(void)weir_xlate_drain(c);
	}
}

static void refs_setup(void)
{
	setup_cache(2, &ops);
}

static void refs_final(void)
{
	weir_xlate_invalidate_all(c);
	wx_check(weir_xlate_drain(c) == WEIR_OK, "drain");
	wx_check(held == 0, "%u references are lost", held);
}

WX_PROGRAM(refs) = {
	.name = "xlate/references", .what = "fills, invalidations and drains keep the balance",
	.nthreads = 3, .setup = refs_setup, .thread = refs_thread, .final = refs_final,
};

/* ---- a refused fill takes back its promise to hand back, under lookups ---- */

static void refused_thread(unsigned int tid)
{
	uint64_t value;

	if (tid == 0) {
		for (unsigned int i = 0; i < 3; i++)
			if (weir_xlate_lookup(c, DEVICE, 0, &value))
				wx_check(value == 100, "event 0: value %llu",
					 (unsigned long long)value);
	} else if (tid == 1) {
		give(1);
		give(0);
	} else {
		weir_xlate_invalidate_event(c, DEVICE, 1);
		weir_xlate_invalidate_event(c, DEVICE, 2);
	}
}

static void refused_setup(void)
{
	setup_cache(1, &ops);
	give(0);
}

WX_PROGRAM(refused) = {
	.name = "xlate/refused", .what = "the word of a refused fill is read by lookups",
	.nthreads = 3, .setup = refused_setup, .thread = refused_thread, .final = refs_final,
};
