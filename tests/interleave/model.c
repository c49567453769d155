// SPDX-License-Identifier: BSD-2-Clause
/*
 * model.c - what the four memory models let a thread see, and the race check.
 *
 *   sc    a store is performed when it is issued; a load sees the newest value.
 *   tso   stores wait in a first-in first-out buffer; a load sees the thread's own youngest waiting
 *         store, else memory. Read-modify-writes and the fence empty the buffer.
 *   pso   as tso, but any waiting store may be performed whose thread has no older one to the same
 *         place; a release waits for all older ones. A read-modify-write waits for what its order
 *         says and for stores to its own place, reads, and then its store waits too: its place is
 *         its own until that is performed. The fence empties the buffer.
 *   c11   as pso, and a load may be satisfied early: it sees memory as it was at any time since the
 *         thread's floor. Acquire raises the floor to the time the value it read was performed, the
 *         fence to now; and no place is seen older than the thread has seen it.
 *
 * Time is the number of stores performed. All threads see performed stores in that one order, which
 * makes c11 multi-copy atomic, as arm64 is. It is weaker than arm64 in that address dependencies
 * order nothing (C11 does not promise them either), and stronger in that a load is never performed
 * after a later store of its thread (LB and its kin are not shown).
 *
 * An acquire that is part of a read-modify-write raises the floor to the time of the value it
 * replaced, not to its own: with load-exclusive/store-exclusive, later loads may pass the store.
 *
 * Races on plain accesses are found by vector clocks over C11's synchronises-with (release/acquire,
 * release sequences of read-modify-writes, fences with the atomics around them), whatever the
 * model: two accesses, one of them a write and one of them plain, that neither clock orders.
 */
#include <string.h>

#include "model.h"

/* A store reaches memory. */
void wx_perform(struct wx_thread *t, struct wx_loc *l, uint64_t v, const struct wx_clk *rel)
{
	struct wx_value *e;

	if (wx.opt.model == WX_C11) {
		l->head = (l->head + 1) & (WX_HIST - 1);
		l->count = (uint8_t)(l->count + (l->count < WX_HIST));
	}
	e = wx_newest(l);
	e->v = v;
	e->commit = ++wx.now;
	e->rel = *rel;
	wx_put((volatile void *)l->addr, l->bytes, v);
	l->seen[t->id] = wx.now;
	wx.yielding &= 1u << t->id;
}

void wx_perform_pending(struct wx_thread *t, unsigned int i)
{
	struct wx_pending *e = &t->sb[i];

	if (!e->rmw)
		wx_settle(e->loc);
	e->loc->rmw = 0;
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_DRAIN, t->id, NULL, "%s = %#llx reaches memory",
			       wx_loc_name(e->loc->addr), (unsigned long long)e->v);
	wx_perform(t, e->loc, e->v, &e->rel);
	t->nsb--;
	memmove(e, e + 1, (t->nsb - i) * sizeof(*e));
	if (!t->nsb)
		wx.pending &= ~(1u << t->id);
}

/* Which waiting stores of t may be performed next. */
unsigned int wx_mem_eligible(const struct wx_thread *t, unsigned int *idx)
{
	unsigned int n = 0;

	if (!t->nsb)
		return 0;
	idx[n++] = 0;
	if (wx.opt.model == WX_TSO)
		return n;
	for (unsigned int i = 1; i < t->nsb; i++) {
		bool free = !t->sb[i].release;

		for (unsigned int j = 0; j < i && free; j++)
			free = t->sb[j].loc != t->sb[i].loc;
		if (free)
			idx[n++] = i;
	}
	return n;
}

void wx_mem_drain(struct wx_thread *t, unsigned int i)
{
	wx_perform_pending(t, i);
}

/*
 * A read-modify-write of l that waits is performed: it has read, so nobody may write l before it.
 * It never waits for another store: what it had to wait for was performed when it was issued.
 */
void wx_settle(struct wx_loc *l)
{
	struct wx_thread *t;
	unsigned int i = 0;

	if (wx_likely(!l->rmw))
		return;
	t = &wx.thread[l->rmw - 1];
	while (t->sb[i].loc != l || !t->sb[i].rmw)
		i++;
	wx_perform_pending(t, i);
}

void wx_wait(struct wx_thread *t, struct wx_loc *l, uint64_t v, const struct wx_clk *rel,
	     bool release, bool rmw)
{
	struct wx_pending *e;

	if (t->nsb == WX_SB_MAX)
		wx_perform_pending(t, 0);
	e = &t->sb[t->nsb++];
	e->loc = l;
	e->v = v;
	e->rel = *rel;
	e->serial = t->serial++;
	e->release = release;
	e->rmw = rmw;
	if (rmw)
		l->rmw = (uint8_t)(t->id + 1);
	wx.pending |= 1u << t->id;
}

static void drain_all(struct wx_thread *t)
{
	while (t->nsb)
		wx_perform_pending(t, 0);
}

/* What must be performed before a read-modify-write of l, or a plain access to it. */
void wx_drain_for(struct wx_thread *t, struct wx_loc *l, unsigned int order)
{
	unsigned int i;

	if (wx.opt.model == WX_TSO || WX_RELEASES(order)) {
		drain_all(t);
		return;
	}
	for (i = t->nsb; i-- > 0;) {
		if (t->sb[i].loc != l || !t->sb[i].release)
			continue;
		for (unsigned int n = i + 1; n > 0; n--)
			wx_perform_pending(t, 0);
		break;
	}
	for (i = 0; i < t->nsb;) {
		if (t->sb[i].loc == l)
			wx_perform_pending(t, i);
		else
			i++;
	}
}

static __attribute__((noinline, noreturn)) void race(const struct wx_thread *t,
						     const struct wx_loc *l, bool write,
						     unsigned int other)
{
	wx_fail_at("race", l->id, "data race on %s: thread %u %s, not ordered with thread %u",
		   wx_loc_name(l->addr), t->id, write ? "writes" : "reads", other);
}

void wx_race_check(const struct wx_thread *t, const struct wx_loc *l, bool write, bool plain)
{
	for (unsigned int i = 0; i < wx.prog->nthreads; i++) {
		uint32_t known = t->clk.v[i];

		if (i == t->id)
			continue;
		if (l->plain_wr[i] > known || (write && l->plain_rd[i] > known) ||
		    (plain && (l->atomic_wr[i] > known || (write && l->atomic_rd[i] > known))))
			race(t, l, write, i);
	}
}

/* The newest value that is as old as a load may see: how many there are, from the newest back. */
static unsigned int admissible(const struct wx_loc *l, uint32_t floor)
{
	unsigned int n = 1, i = l->head;

	while (n < l->count && l->hist[i].commit > floor) {
		i = (i + WX_HIST - 1) & (WX_HIST - 1);
		n++;
	}
	return n;
}

struct wx_value *wx_choose_value(struct wx_thread *t, struct wx_loc *l, uint32_t floor,
				     unsigned int *back)
{
	unsigned int n;

	*back = 0;
	if (wx.opt.model != WX_C11)
		return wx_newest(l);
	n = admissible(l, floor);
	if (t->fresh)
		t->fresh = false;
	else if (n > 1)
		*back = wx_pick_value(WX_A_READ, t->id, n);
	return &l->hist[(l->head + WX_HIST - *back) & (WX_HIST - 1)];
}

uint32_t wx_floor_of(const struct wx_thread *t, const struct wx_loc *l)
{
	return t->floor > l->seen[t->id] ? t->floor : l->seen[t->id];
}

void wx_learn(struct wx_thread *t, struct wx_loc *l, const struct wx_value *e,
			 unsigned int order)
{
	if (l->seen[t->id] < e->commit)
		l->seen[t->id] = e->commit;
	if (WX_ACQUIRES(order)) {
		wx_clk_join(&t->clk, &e->rel);
		if (t->floor < e->commit)
			t->floor = e->commit;
	} else {
		wx_clk_join(&t->seen_rel, &e->rel);
	}
}

/* What an acquire that reads the value this thread stores now gets to know. */
void wx_publish(struct wx_thread *t, unsigned int order, struct wx_clk *rel)
{
	if (WX_RELEASES(order)) {
		*rel = t->clk;
		t->clk.v[t->id]++;
	} else {
		*rel = t->fence_rel;
	}
}

void wx_full_fence(struct wx_thread *t)
{
	drain_all(t);
	t->floor = wx.now;
	wx_clk_join(&t->clk, &t->seen_rel);
	t->fence_rel = t->clk;
	t->clk.v[t->id]++;
}

