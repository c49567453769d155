// SPDX-License-Identifier: BSD-2-Clause
/*
 * sim/engine/queue.c - the event queue: a 4-ary heap of 128-bit keys.
 *
 * An event's place in the total order is one number, time << 64 | priority << 48 | sequence, so
 * that "precedes" is one unsigned comparison (a subtraction with borrow) and the least of four
 * children is found without a branch: which child wins is a coin toss that no predictor gets
 * right, and a heap that branches on it loses 15 to 20 % to a binary one, where this one gains.
 * What an event calls lies apart in a slot, so that moving an event moves 20 bytes.
 *
 * Invariants:
 *   I1  Keys lie at ROOT .. end - 1 and no key precedes its parent's. Keys are distinct, as
 *       sequence numbers are; the least is therefore one definite event.
 *   I2  Keys from `end` up to the room are KEY_NONE, which precedes nothing: the four children of a
 *       node can be compared without asking how many there are.
 *   I3  The children of i are 4 * i - 8 and the three that follow. With ROOT at 3 and the
 *       array on a cache line, four children share one line.
 *   I4  A slot belongs to one key, or is on the free list. A cancelled event keeps its key and
 *       slot (fn is NULL) until it surfaces or until the dead outnumber the living; then all are
 *       dropped.
 *   I5  An id holds the slot and 40 bits of the sequence; slot 0 is never used, so that no id is 0.
 *   I6  A popped event leaves a hole at the root. The next post fills it, and so pays one descent
 *       where taking out and putting in would cost a descent and a climb; whatever else looks at
 *       the heap has fill_hole() close it first.
 */
#include "sim/engine/queue.h"

#include <stdlib.h>
#include <string.h>

#include "sim/engine/error.h"
#include "sim/engine/wide.h"

typedef sim_u128 event_key;

#define KEY_NONE (~(event_key)0)
#define SEQ_BITS 48
#define SLOT_BITS 24
#define SLOT_MASK ((UINT64_C(1) << SLOT_BITS) - 1)

enum {
	ROOT = 3,
	ARITY = 4,
	ROOM_FIRST = 256,
	CACHE_LINE_BYTES = 64,
	DEAD_MIN = 64 /* fewer dead events are not worth a rebuild */
};

_Static_assert(SIM_PRIO_MAX < (1u << (64 - SEQ_BITS)), "a priority fits above the sequence");
_Static_assert(SIM_QUEUE_PENDING_MAX <= SLOT_MASK + 1, "a slot fits in an id");

struct event_slot {
	sim_event_fn *fn; /* NULL: cancelled */
	void *ctx;
	uint64_t arg; /* of a free slot: the next free one, 0 at the end */
	uint64_t id;  /* 0: free or cancelled */
};

struct sim_queue {
	event_key *keys;
	uint32_t *slot_of; /* beside keys */
	struct event_slot *slots;
	uint32_t end;	 /* one past the last key */
	uint32_t room;	 /* of keys and slot_of */
	uint32_t nslots; /* slots ever used, with the unused slot 0 */
	uint32_t free_slot;
	uint32_t ndead;
	bool hole; /* the root's event has been popped, its place not filled (I6) */
	uint64_t now_ns;
	uint64_t seq;
};

static inline uint32_t parent_of(uint32_t i)
{
	return i / ARITY + 2;
}

static inline uint32_t first_child_of(uint32_t i)
{
	return ARITY * i - 2 * ARITY;
}

/* 1 if a precedes b, else 0; the compiler is kept from knowing which, as it would branch on it. */
static inline uint32_t precedes(event_key a, event_key b)
{
	uint32_t answer = a < b;

	__asm__("" : "+r"(answer));
	return answer;
}

/* Of four keys in a row, which is the least: 0..3. */
static inline uint32_t least_of_four(const event_key *k)
{
	const uint32_t left = precedes(k[1], k[0]);
	const uint32_t right = 2 + precedes(k[3], k[2]);
	const uint32_t take_right = -precedes(k[right], k[left]);

	return left ^ ((left ^ right) & take_right);
}

static void put(struct sim_queue *q, uint32_t i, event_key key, uint32_t slot)
{
	q->keys[i] = key;
	q->slot_of[i] = slot;
}

/* Bring a key up from a hole at @i. */
static void sift_up(struct sim_queue *q, uint32_t i, event_key key, uint32_t slot)
{
	while (i > ROOT && key < q->keys[parent_of(i)]) {
		put(q, i, q->keys[parent_of(i)], q->slot_of[parent_of(i)]);
		i = parent_of(i);
	}
	put(q, i, key, slot);
}

/*
 * Bring a key down from a hole at @i. The hole first sinks to a leaf, which takes no comparison
 * with the key; a key from the end of the heap belongs near the leaves and seldom has to rise
 * again.
 */
static void sift_down(struct sim_queue *q, uint32_t i, event_key key, uint32_t slot)
{
	const uint32_t top = i;
	uint32_t child;

	for (child = first_child_of(i); child < q->end; child = first_child_of(i)) {
		child += least_of_four(q->keys + child);
		put(q, i, q->keys[child], q->slot_of[child]);
		i = child;
	}
	while (i > top && key < q->keys[parent_of(i)]) {
		put(q, i, q->keys[parent_of(i)], q->slot_of[parent_of(i)]);
		i = parent_of(i);
	}
	put(q, i, key, slot);
}

/* Room for one more key, and always a whole group of children beyond the end (I2). */
static void grow(struct sim_queue *q)
{
	const uint32_t room = q->room ? q->room * 2 : ROOM_FIRST;
	event_key *keys;

	sim_assert(q->end - ROOT < SIM_QUEUE_PENDING_MAX - 1);
	keys = aligned_alloc(CACHE_LINE_BYTES, (size_t)room * sizeof(*keys));
	if (!keys)
		sim_out_of_memory(room, sizeof(*keys), "pending events");
	if (q->room)
		memcpy(keys, q->keys, (size_t)q->room * sizeof(*keys));
	for (uint32_t i = q->room; i < room; i++)
		keys[i] = KEY_NONE;
	free(q->keys);
	q->keys = keys;
	q->slot_of = sim_realloc(q->slot_of, room, sizeof(*q->slot_of), "pending events");
	q->slots = sim_realloc(q->slots, room, sizeof(*q->slots), "pending events");
	q->room = room;
}

struct sim_queue *sim_queue_create(void)
{
	struct sim_queue *q = sim_alloc(1, sizeof(*q), "event queue");

	q->end = ROOT;
	q->nslots = 1;
	grow(q);
	return q;
}

void sim_queue_destroy(struct sim_queue *q)
{
	if (!q)
		return;
	free(q->keys);
	free(q->slot_of);
	free(q->slots);
	free(q);
}

static uint32_t take_slot(struct sim_queue *q)
{
	const uint32_t slot = q->free_slot;

	if (!slot)
		return q->nslots++;
	q->free_slot = (uint32_t)q->slots[slot].arg;
	return slot;
}

static void give_slot(struct sim_queue *q, uint32_t slot)
{
	q->slots[slot].id = 0;
	q->slots[slot].arg = q->free_slot;
	q->free_slot = slot;
}

uint64_t sim_queue_post(struct sim_queue *q, uint64_t time_ns, uint32_t prio, sim_event_fn *fn,
			void *ctx, uint64_t arg)
{
	event_key key;
	uint32_t slot;
	uint64_t id;

	sim_assert(time_ns >= q->now_ns);
	sim_assert(prio <= SIM_PRIO_MAX);
	sim_assert(fn);
	sim_assert(++q->seq < UINT64_C(1) << SEQ_BITS);
	if (q->end + ARITY > q->room)
		grow(q);
	slot = take_slot(q);
	id = q->seq << SLOT_BITS | slot;
	q->slots[slot] = (struct event_slot){ .fn = fn, .ctx = ctx, .arg = arg, .id = id };
	key = (event_key)time_ns << 64 | (uint64_t)prio << SEQ_BITS | q->seq;
	if (q->hole)
		sift_down(q, ROOT, key, slot);
	else
		sift_up(q, q->end++, key, slot);
	q->hole = false;
	return id;
}

/* Close the hole at the root, if there is one, with the last key. */
static void fill_hole(struct sim_queue *q)
{
	uint32_t last;
	uint32_t slot;
	event_key key;

	if (!q->hole)
		return;
	q->hole = false;
	last = --q->end;
	key = q->keys[last];
	slot = q->slot_of[last];
	q->keys[last] = KEY_NONE;
	if (last > ROOT)
		sift_down(q, ROOT, key, slot);
}

/* Let a living event surface. False if there is none. */
static bool drop_dead(struct sim_queue *q)
{
	for (fill_hole(q); q->end > ROOT; fill_hole(q)) {
		const uint32_t slot = q->slot_of[ROOT];

		if (q->slots[slot].fn)
			return true;
		give_slot(q, slot);
		q->ndead--;
		q->hole = true;
	}
	return false;
}

/* Drop all dead events at once and make a heap of what remains; by I1 the order stays. */
static void rebuild(struct sim_queue *q)
{
	uint32_t kept = ROOT;

	fill_hole(q);
	for (uint32_t i = ROOT; i < q->end; i++) {
		const uint32_t slot = q->slot_of[i];

		if (q->slots[slot].fn)
			put(q, kept++, q->keys[i], slot);
		else
			give_slot(q, slot);
	}
	for (uint32_t i = kept; i < q->end; i++)
		q->keys[i] = KEY_NONE;
	q->end = kept;
	q->ndead = 0;
	if (kept - ROOT < 2)
		return;
	for (uint32_t i = parent_of(kept - 1); i >= ROOT; i--)
		sift_down(q, i, q->keys[i], q->slot_of[i]);
}

bool sim_queue_cancel(struct sim_queue *q, uint64_t id)
{
	const uint32_t slot = (uint32_t)(id & SLOT_MASK);

	if (!slot || slot >= q->nslots || q->slots[slot].id != id)
		return false;
	q->slots[slot].fn = NULL;
	q->slots[slot].id = 0;
	q->ndead++;
	if (q->ndead > DEAD_MIN && q->ndead > (q->end - ROOT) / 2)
		rebuild(q);
	return true;
}

bool sim_queue_pop(struct sim_queue *q, struct sim_event *event)
{
	const struct event_slot *slot;
	uint32_t index;

	if (!drop_dead(q))
		return false;
	index = q->slot_of[ROOT];
	slot = &q->slots[index];
	event->time_ns = (uint64_t)(q->keys[ROOT] >> 64);
	event->prio = (uint32_t)((uint64_t)q->keys[ROOT] >> SEQ_BITS);
	event->fn = slot->fn;
	event->ctx = slot->ctx;
	event->arg = slot->arg;
	q->hole = true;
	give_slot(q, index);
	q->now_ns = event->time_ns;
	return true;
}

bool sim_queue_run_one(struct sim_queue *q)
{
	struct sim_event event;

	if (!sim_queue_pop(q, &event))
		return false;
	event.fn(event.ctx, event.arg);
	return true;
}

uint64_t sim_queue_run_until(struct sim_queue *q, uint64_t last_ns)
{
	uint64_t nrun = 0;

	sim_assert(last_ns >= q->now_ns);
	while (drop_dead(q) && (uint64_t)(q->keys[ROOT] >> 64) <= last_ns) {
		sim_queue_run_one(q);
		nrun++;
	}
	q->now_ns = last_ns;
	return nrun;
}

uint64_t sim_queue_now(const struct sim_queue *q)
{
	return q->now_ns;
}

size_t sim_queue_pending(const struct sim_queue *q)
{
	return q->end - ROOT - q->ndead - q->hole;
}

uint64_t sim_queue_next_ns(struct sim_queue *q)
{
	return drop_dead(q) ? (uint64_t)(q->keys[ROOT] >> 64) : UINT64_MAX;
}

uint64_t sim_queue_posted(const struct sim_queue *q)
{
	return q->seq;
}
