// SPDX-License-Identifier: BSD-2-Clause
/*
 * heap_binary.c - a binary heap of whole events in an array, ordered by (time, priority, sequence).
 * It moves a hole instead of swapping, and cannot cancel.
 */
#include <stdlib.h>

#include "bench/bench.h"
#include "heap_binary.h"

struct entry {
	struct sim_event event;
	uint64_t seq;
};

struct heap_binary {
	struct entry *entries;	/* 1..n */
	size_t n;
	size_t room;
	uint64_t seq;
};

static bool precedes(const struct entry *a, const struct entry *b)
{
	if (a->event.time_ns != b->event.time_ns)
		return a->event.time_ns < b->event.time_ns;
	if (a->event.prio != b->event.prio)
		return a->event.prio < b->event.prio;
	return a->seq < b->seq;
}

struct heap_binary *heap_binary_new(void)
{
	struct heap_binary *h = calloc(1, sizeof(*h));

	if (!h)
		host_die("no memory");
	return h;
}

void heap_binary_free(struct heap_binary *h)
{
	if (h)
		free(h->entries);
	free(h);
}

void heap_binary_post(struct heap_binary *h, uint64_t time_ns, uint32_t prio, sim_event_fn *fn,
		      void *ctx, uint64_t arg)
{
	struct entry new = { { time_ns, prio, fn, ctx, arg }, h->seq++ };
	size_t i = ++h->n;

	if (i >= h->room) {
		h->room = h->room ? 2u * h->room : 64u;
		h->entries = realloc(h->entries, h->room * sizeof(*h->entries));
		if (!h->entries)
			host_die("no memory for %zu events", h->room);
	}
	for (; i > 1u && precedes(&new, &h->entries[i / 2u]); i /= 2u)
		h->entries[i] = h->entries[i / 2u];
	h->entries[i] = new;
}

bool heap_binary_pop(struct heap_binary *h, struct sim_event *event)
{
	struct entry last;
	size_t i = 1, child;

	if (!h->n)
		return false;
	*event = h->entries[1].event;
	last = h->entries[h->n--];
	for (; (child = 2u * i) <= h->n; i = child) {
		if (child < h->n && precedes(&h->entries[child + 1u], &h->entries[child]))
			child++;
		if (!precedes(&h->entries[child], &last))
			break;
		h->entries[i] = h->entries[child];
	}
	h->entries[i] = last;
	return true;
}
