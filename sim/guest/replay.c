// SPDX-License-Identifier: BSD-2-Clause
/*
 * replay.c - the rows of an epoch: which store is due when, which are done by now. See guest.h.
 *
 * A vCPU's actions are, in order of (steady time, row): the begin of a row, the retranslation of a
 * row's next store (a small heap), and the end of the epoch. They run inside one engine event for
 * as long as nothing else in the simulation is due before the next of them.
 */
#include "sim/guest/guest_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

static uint64_t row_start(const struct vcpu *v, size_t row)
{
	return (uint64_t)row * v->guest->epoch_ns / v->nrows;
}

/* When store k of a row is due, from the epoch's begin. */
static uint64_t store_due(const struct vcpu *v, size_t row, uint64_t k)
{
	uint64_t start_ns = row_start(v, row);
	uint64_t span_ns = v->guest->epoch_ns - start_ns;

	return start_ns + (uint64_t)((u128)k * span_ns / v->rows[row].writes);
}

/*
 * Stores of a row that are due in its first n nanoseconds: the number of k with
 * floor(k * span / writes) < n.
 */
static uint64_t stores_in(uint64_t n, uint64_t span_ns, uint64_t writes)
{
	u128 stores;

	if (!(writes >> 32))		/* n is below 2^31: an epoch is at most a second */
		stores = (n * writes + span_ns - 1) / span_ns;
	else
		stores = ((u128)n * writes + span_ns - 1) / span_ns;
	return stores < writes ? (uint64_t)stores : writes;
}

/* Stores of a row that are done at a time; the row has begun. */
static uint64_t stores_done(const struct vcpu *v, size_t row, uint64_t now_ns)
{
	uint64_t steady_ns = sim_vcpu_steady(v, now_ns);
	bool inclusive = steady_ns > v->base_steady_ns || row < v->pos;
	uint64_t start_ns = row_start(v, row);
	uint64_t done = stores_in(steady_ns - v->epoch_steady_ns - start_ns + inclusive,
				  v->guest->epoch_ns - start_ns, v->rows[row].writes);

	assert(done <= v->state[row].again);	/* G3, G4: it is due now or later */
	return done;
}

static void settle_row(struct vcpu *v, size_t row, uint64_t done)
{
	struct row_state *state = &v->state[row];

	if (done == state->settled)
		return;
	v->guest->ops->wrote(v->guest->ctx, v->number, v->rows[row].gfn, done - state->settled);
	v->guest->stats.stores += done - state->settled;
	state->settled = done;
}

/* ---- rows by frame ---- */

static size_t hash(uint64_t gfn)
{
	return (size_t)((gfn * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

static size_t filter_bit(uint64_t gfn)
{
	return (size_t)(gfn >> GROUP_SHIFT) % FILTER_BITS;
}

static bool filter_has(const struct vcpu *v, uint64_t gfn)
{
	size_t bit = filter_bit(gfn);

	return v->filter[bit / 64] >> (bit % 64) & 1;
}

static void active_add(struct vcpu *v, size_t row)
{
	uint64_t gfn = v->rows[row].gfn;
	size_t i = hash(gfn) & v->active_mask;
	size_t bit = filter_bit(gfn);

	while (v->active[i].generation == v->generation)
		i = (i + 1) & v->active_mask;
	v->active[i] = (struct active){ gfn, (uint32_t)row, v->generation };
	v->filter[bit / 64] |= UINT64_C(1) << (bit % 64);
}

/* The place of the next row of a frame, from place i on; SIZE_MAX if there is none. */
static size_t active_find(const struct vcpu *v, uint64_t gfn, size_t i)
{
	for (;; i++) {
		const struct active *entry = &v->active[i & v->active_mask];

		if (entry->generation != v->generation)
			return SIZE_MAX;
		if (entry->gfn == gfn)
			return i & v->active_mask;
	}
}

static void active_clear(struct vcpu *v)
{
	memset(v->filter, 0, sizeof(v->filter));
	if (++v->generation)
		return;
	memset(v->active, 0, (v->active_mask + 1) * sizeof(*v->active));
	v->generation = 1;
}

/* Do something to each row that has begun, and has stores to come, on these frames. */
static void each_active(struct vcpu *v, uint64_t first_gfn, uint64_t last_gfn, uint64_t now_ns,
			void (*fn)(struct vcpu *v, size_t row, uint64_t now_ns))
{
	uint64_t gfn = first_gfn;
	size_t row;

	if (last_gfn - first_gfn >= v->next_row) {
		for (row = 0; row < v->next_row; row++) {
			if (v->rows[row].gfn - first_gfn <= last_gfn - first_gfn &&
			    v->state[row].settled < v->rows[row].writes)
				fn(v, row, now_ns);
		}
		return;
	}
	while (gfn <= last_gfn) {
		size_t i;

		if (!filter_has(v, gfn)) {
			gfn = (gfn | ((1u << GROUP_SHIFT) - 1)) + 1;
			continue;
		}
		for (i = active_find(v, gfn, hash(gfn)); i != SIZE_MAX;
		     i = active_find(v, gfn, i + 1))
			fn(v, v->active[i].row, now_ns);
		gfn++;
	}
}

/* ---- the retranslation heap ---- */

static bool before(struct again a, struct again b)
{
	return a.steady_ns != b.steady_ns ? a.steady_ns < b.steady_ns : a.row < b.row;
}

static void heap_push(struct vcpu *v, struct again item)
{
	size_t i = v->nheap++;

	while (i && before(item, v->heap[(i - 1) / 2])) {
		v->heap[i] = v->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	v->heap[i] = item;
}

static void heap_pop(struct vcpu *v)
{
	struct again item = v->heap[--v->nheap];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < v->nheap) {
		if (child + 1 < v->nheap && before(v->heap[child + 1], v->heap[child]))
			child++;
		if (!before(v->heap[child], item))
			break;
		v->heap[i] = v->heap[child];
		i = child;
	}
	v->heap[i] = item;
}

/* ---- actions ---- */

/* The vCPU's next action in steady time; NEVER if it has none. */
static uint64_t next_steady(const struct vcpu *v)
{
	uint64_t steady_ns;

	if (!v->has_epoch)
		return NEVER;
	steady_ns = v->epoch_steady_ns +
		    (v->next_row < v->nrows ? v->next_start_ns : v->guest->epoch_ns);
	if (v->nheap && v->heap[0].steady_ns < steady_ns)
		steady_ns = v->heap[0].steady_ns;
	return steady_ns;
}

uint64_t sim_replay_due(const struct vcpu *v)
{
	uint64_t steady_ns;

	if (v->pos != POS_ALL)
		return v->base_now_ns;	/* a retry, or the end of a delay */
	steady_ns = next_steady(v);
	return steady_ns == NEVER ? NEVER : v->base_now_ns + (steady_ns - v->base_steady_ns);
}

/* Translate the store of a row that is due now. Returns whether it is done. */
static bool translate(struct vcpu *v, size_t row, bool again, uint64_t now_ns)
{
	struct sim_guest *g = v->guest;
	const struct sim_pagewr_access *access = &v->rows[row];
	uint64_t delay_ns = 0;

	g->stats.translated++;
	g->stats.again += again;
	if (!g->ops->store(g->ctx, v->number, access->gfn, access->writes, again, now_ns,
			   &delay_ns)) {
		sim_vcpu_hold(v, SIM_CAUSE_FAULT, now_ns);
		v->pos = row;
		v->retry = true;
		return false;
	}
	v->retry = false;
	v->pos = POS_ALL;
	if (delay_ns) {
		sim_vcpu_delay(v, SIM_CAUSE_SCAN, delay_ns, now_ns);
		v->pos = row + 1;
	}
	return true;
}

/* The first store of a row is done: keep the row in mind if more are to come. */
static void row_begun(struct vcpu *v, size_t row)
{
	if (v->rows[row].writes > 1)
		active_add(v, row);
	else
		settle_row(v, row, 1);
}

static void begin_row(struct vcpu *v, uint64_t now_ns)
{
	size_t row = v->next_row++;
	uint64_t steady_ns = v->epoch_steady_ns + v->next_start_ns;

	v->next_start_ns += v->start_step_ns;
	v->start_part += v->start_rest;
	if (v->start_part >= v->nrows) {
		v->start_part -= v->nrows;
		v->next_start_ns++;
	}
	v->guest->stats.rows++;
	v->state[row] = (struct row_state){ 0, NO_STORE };
	if (!v->rows[row].writes)
		return;			/* it only reads: nothing that a dirty log would see */
	if (translate(v, row, false, now_ns)) {
		row_begun(v, row);
		return;
	}
	v->state[row].again = 0;
	heap_push(v, (struct again){ steady_ns, row });
}

static void retranslate(struct vcpu *v, uint64_t now_ns)
{
	size_t row = v->heap[0].row;
	uint64_t k = v->state[row].again;

	if (!translate(v, row, true, now_ns))
		return;
	heap_pop(v);
	v->state[row].again = NO_STORE;
	if (!k)
		row_begun(v, row);
}

static void end_epoch(struct vcpu *v)
{
	size_t row;

	assert(!v->nheap);
	for (row = 0; row < v->nrows; row++)
		settle_row(v, row, v->rows[row].writes);
	v->guest->stats.epochs++;
	sim_replay_next_epoch(v);
}

static void act(struct vcpu *v, uint64_t now_ns)
{
	uint64_t row_ns = v->epoch_steady_ns + v->next_start_ns;
	bool rows_left;

	if (v->pos != POS_ALL && !v->retry) {
		v->pos = POS_ALL;
		return;
	}
	rows_left = v->next_row < v->nrows;
	if (v->nheap && (!rows_left || before(v->heap[0], (struct again){ row_ns, v->next_row })))
		retranslate(v, now_ns);
	else if (rows_left)
		begin_row(v, now_ns);
	else
		end_epoch(v);
}

void sim_replay_event(void *ctx, uint64_t arg)
{
	struct vcpu *v = ctx;
	uint64_t now_ns = sim_queue_now(v->guest->queue);

	(void)arg;
	v->event = 0;
	while (!v->holds) {
		uint64_t due_ns = sim_replay_due(v);

		if (due_ns > now_ns) {
			uint64_t other_ns = sim_queue_next_ns(v->guest->queue);

			if (other_ns == UINT64_MAX || due_ns >= other_ns)
				break;
			now_ns = due_ns;
		}
		act(v, now_ns);
	}
	sim_vcpu_arm(v, now_ns);
}

void sim_replay_next_epoch(struct vcpu *v)
{
	struct sim_epoch epoch;

	active_clear(v);
	v->has_epoch = sim_cursor_next(&v->cursor, &epoch);
	v->next_row = 0;
	v->nrows = 0;
	if (!v->has_epoch)
		return;
	v->epoch_steady_ns = epoch.number * v->guest->epoch_ns;
	v->rows = epoch.rows;
	v->nrows = epoch.nrows;
	v->next_start_ns = 0;
	v->start_part = 0;
	v->start_step_ns = v->guest->epoch_ns / v->nrows;
	v->start_rest = v->guest->epoch_ns % v->nrows;
}

/* ---- asked from outside ---- */

static void forget(struct vcpu *v, size_t row, uint64_t now_ns)
{
	uint64_t k;

	if (v->state[row].again != NO_STORE ||
	    v->guest->ops->cached(v->guest->ctx, v->number, v->rows[row].gfn))
		return;
	k = stores_done(v, row, now_ns);
	if (k == v->rows[row].writes)
		return;
	v->state[row].again = k;
	heap_push(v, (struct again){ v->epoch_steady_ns + store_due(v, row, k), row });
}

void sim_replay_invalidated(struct vcpu *v, uint64_t first_gfn, uint64_t last_gfn,
			    uint64_t now_ns)
{
	size_t n = v->nheap;

	each_active(v, first_gfn, last_gfn, now_ns, forget);
	if (v->nheap != n)
		sim_vcpu_arm(v, now_ns);
}

static void settle(struct vcpu *v, size_t row, uint64_t now_ns)
{
	settle_row(v, row, stores_done(v, row, now_ns));
}

void sim_replay_settle(struct vcpu *v, uint64_t first_gfn, uint64_t npages, uint64_t now_ns)
{
	each_active(v, first_gfn, first_gfn + npages - 1, now_ns, settle);
}

void sim_replay_init(struct vcpu *v, const struct sim_workload *workload)
{
	size_t rows_max = sim_workload_rows_max(workload);
	size_t places = 16;

	while (places < 2 * rows_max)
		places *= 2;
	sim_cursor_init(&v->cursor, workload, v->number);
	v->state = sim_alloc(rows_max + 1, sizeof(*v->state), "rows of an epoch");
	v->heap = sim_alloc(rows_max + 1, sizeof(*v->heap), "rows to translate again");
	v->active = sim_alloc(places, sizeof(*v->active), "rows by frame");
	v->active_mask = places - 1;
}

void sim_replay_fini(struct vcpu *v)
{
	sim_cursor_fini(&v->cursor);
	free(v->state);
	free(v->heap);
	free(v->active);
}
