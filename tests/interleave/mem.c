// SPDX-License-Identifier: BSD-2-Clause
/*
 * mem.c - what the four memory models let a thread see, and the race check.
 *
 *   sc    a store is performed when it is issued; a load sees the newest value.
 *   tso   stores wait in a first-in first-out buffer; a load sees the thread's own youngest waiting
 *         store, else memory. Read-modify-writes and the fence empty the buffer.
 *   pso   as tso, but any waiting store may be performed whose thread has no older one to the same
 *         place; a release waits for all older ones. A read-modify-write waits for what its order
 *         says and for stores to its own place; the fence empties the buffer.
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
 * release sequences of read-modify-writes, fences with the atomics around them), whatever the model:
 * two accesses, one of them a write and one of them plain, that neither clock orders.
 */
#include <string.h>

#include "engine.h"

#define ACQUIRES(order)	((order) & WEIR_EXPLORE_ACQUIRE)
#define RELEASES(order)	((order) & WEIR_EXPLORE_RELEASE)
#define EVERYTHING	((const volatile void *)UINTPTR_MAX)

void wx_mem_reset(void)
{
	wx.now = 0;
	wx.pending = 0;
	wx_loc_reset();
}

static uint64_t get(const volatile void *p, unsigned int bytes)
{
	switch (bytes) {
	case 1:
		return *(const volatile uint8_t *)p;
	case 2:
		return *(const volatile uint16_t *)p;
	case 4:
		return *(const volatile uint32_t *)p;
	default:
		return *(const volatile uint64_t *)p;
	}
}

static void put(volatile void *p, unsigned int bytes, uint64_t v)
{
	switch (bytes) {
	case 1:
		*(volatile uint8_t *)p = (uint8_t)v;
		break;
	case 2:
		*(volatile uint16_t *)p = (uint16_t)v;
		break;
	case 4:
		*(volatile uint32_t *)p = (uint32_t)v;
		break;
	default:
		*(volatile uint64_t *)p = v;
		break;
	}
}

static uint64_t narrow(uint64_t v, unsigned int bytes)
{
	return bytes == 8 ? v : v & (((uint64_t)1 << (8 * bytes)) - 1);
}

static inline struct wx_value *newest(struct wx_loc *l)
{
	return &l->hist[l->head];
}

/* A store reaches memory. */
static void perform(struct wx_thread *t, struct wx_loc *l, uint64_t v, const struct wx_clk *rel)
{
	struct wx_value *e;

	if (wx.opt.model == WX_C11) {
		l->head = (l->head + 1) & (WX_HIST - 1);
		l->count = (uint8_t)(l->count < WX_HIST ? l->count + 1 : WX_HIST);
	}
	e = newest(l);
	e->v = v;
	e->commit = ++wx.now;
	e->rel = *rel;
	put((volatile void *)l->addr, l->bytes, v);
	l->seen[t->id] = wx.now;
	wx.yielding &= 1u << t->id;
}

static void perform_pending(struct wx_thread *t, unsigned int i)
{
	struct wx_pending *e = &t->sb[i];

	perform(t, e->loc, e->v, &e->rel);
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
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_DRAIN, t->id, NULL, "%s = %#llx reaches memory",
			       wx_loc_name(t->sb[i].loc->addr), (unsigned long long)t->sb[i].v);
	perform_pending(t, i);
}

static void drain_all(struct wx_thread *t)
{
	while (t->nsb)
		perform_pending(t, 0);
}

/* What must be performed before a read-modify-write of l, or a plain access to it. */
static void drain_for(struct wx_thread *t, struct wx_loc *l, unsigned int order)
{
	unsigned int i;

	if (wx.opt.model == WX_TSO || RELEASES(order)) {
		drain_all(t);
		return;
	}
	for (i = t->nsb; i-- > 0;) {
		if (t->sb[i].loc != l || !t->sb[i].release)
			continue;
		for (unsigned int n = i + 1; n > 0; n--)
			perform_pending(t, 0);
		break;
	}
	for (i = 0; i < t->nsb;) {
		if (t->sb[i].loc == l)
			perform_pending(t, i);
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

static void race_check(const struct wx_thread *t, const struct wx_loc *l, bool write, bool plain)
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

static inline void atomic_access(struct wx_thread *t, struct wx_loc *l, bool read, bool write)
{
	if (wx_unlikely(l->plain))
		race_check(t, l, write, false);
	if (read)
		l->atomic_rd[t->id] = t->clk.v[t->id];
	if (write)
		l->atomic_wr[t->id] = t->clk.v[t->id];
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

static struct wx_value *choose_value(struct wx_thread *t, struct wx_loc *l, uint32_t floor,
				     unsigned int *back)
{
	unsigned int n;

	*back = 0;
	if (wx.opt.model != WX_C11)
		return newest(l);
	n = admissible(l, floor);
	if (t->fresh)
		t->fresh = false;
	else if (n > 1)
		*back = wx_pick_value(WX_A_READ, t->id, n);
	return &l->hist[(l->head + WX_HIST - *back) & (WX_HIST - 1)];
}

static inline uint32_t floor_of(const struct wx_thread *t, const struct wx_loc *l)
{
	return t->floor > l->seen[t->id] ? t->floor : l->seen[t->id];
}

static inline void learn(struct wx_thread *t, struct wx_loc *l, const struct wx_value *e,
			 unsigned int order)
{
	if (l->seen[t->id] < e->commit)
		l->seen[t->id] = e->commit;
	if (ACQUIRES(order)) {
		wx_clk_join(&t->clk, &e->rel);
		if (t->floor < e->commit)
			t->floor = e->commit;
	} else {
		wx_clk_join(&t->seen_rel, &e->rel);
	}
}

/* What an acquire that reads the value this thread stores now gets to know. */
static inline void publish(struct wx_thread *t, unsigned int order, struct wx_clk *rel)
{
	if (RELEASES(order)) {
		*rel = t->clk;
		t->clk.v[t->id]++;
	} else {
		*rel = t->fence_rel;
	}
}

static inline void before(struct wx_thread *t, const volatile void *p, bool write,
			  struct weir_explore_site *site)
{
	site->hits++;
	t->next.p = p;
	t->next.write = write;
	wx_step(t);
}

static const char *stale_mark(unsigned int back)
{
	return back ? " [stale]" : "";
}

uint64_t weir_explore_load(const volatile void *p, unsigned int bytes,
			   struct weir_explore_site *site)
{
	struct wx_thread *t = wx.cur;
	struct wx_value *e;
	struct wx_loc *l;
	unsigned int back;
	uint64_t v;

	if (!t)
		return get(p, bytes);
	before(t, p, false, site);
	l = wx_loc_get(p, bytes);
	atomic_access(t, l, true, false);
	for (unsigned int i = t->nsb; i-- > 0;) {
		if (t->sb[i].loc != l)
			continue;
		v = t->sb[i].v;
		if (wx_unlikely(wx.printing))
			wx_print_event(WX_E_OP, t->id, site, "%s -> %#llx [own]",
				       wx_loc_name(l->addr), (unsigned long long)v);
		return v;
	}
	e = choose_value(t, l, floor_of(t, l), &back);
	learn(t, l, e, site->effective);
	v = e->v;
	wx.digest = (wx.digest ^ v) * 0x9e3779b97f4a7c15u;
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_OP, t->id, site, "%s -> %#llx%s", wx_loc_name(l->addr),
			       (unsigned long long)v, stale_mark(back));
	return v;
}

void weir_explore_store(volatile void *p, unsigned int bytes, uint64_t v,
			struct weir_explore_site *site)
{
	struct wx_thread *t = wx.cur;
	struct wx_pending *e;
	struct wx_clk rel;
	struct wx_loc *l;

	v = narrow(v, bytes);
	if (!t) {
		put(p, bytes, v);
		return;
	}
	before(t, wx.opt.model == WX_SC ? p : NULL, true, site);
	l = wx_loc_get(p, bytes);
	atomic_access(t, l, false, true);
	publish(t, site->effective, &rel);
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_OP, t->id, site, "%s := %#llx%s", wx_loc_name(l->addr),
			       (unsigned long long)v, wx.opt.model == WX_SC ? "" : " (waits)");
	if (wx.opt.model == WX_SC) {
		perform(t, l, v, &rel);
		return;
	}
	if (t->nsb == WX_SB_MAX)
		perform_pending(t, 0);
	e = &t->sb[t->nsb++];
	e->loc = l;
	e->v = v;
	e->rel = rel;
	e->serial = t->serial++;
	e->release = RELEASES(site->effective);
	wx.pending |= 1u << t->id;
}

static uint64_t rmw_result(unsigned int op, uint64_t old, uint64_t v)
{
	switch (op) {
	case WEIR_EXPLORE_ADD:
		return old + v;
	case WEIR_EXPLORE_AND:
		return old & v;
	case WEIR_EXPLORE_OR:
		return old | v;
	default:
		return v;
	}
}

/* The write half of a read-modify-write that read e, the newest value. */
static void rmw_write(struct wx_thread *t, struct wx_loc *l, struct wx_value *e, uint64_t v,
		      unsigned int order)
{
	struct wx_clk rel;

	learn(t, l, e, order);
	publish(t, order, &rel);
	wx_clk_join(&rel, &e->rel);	/* the release sequence goes on */
	perform(t, l, v, &rel);
}

uint64_t weir_explore_rmw(volatile void *p, unsigned int bytes, uint64_t v,
			  struct weir_explore_site *site)
{
	struct wx_thread *t = wx.cur;
	struct wx_value *e;
	struct wx_loc *l;
	uint64_t old, new;

	if (!t) {
		old = get(p, bytes);
		put(p, bytes, rmw_result(site->op, old, v));
		return old;
	}
	before(t, t->nsb ? EVERYTHING : p, true, site);
	l = wx_loc_get(p, bytes);
	atomic_access(t, l, true, true);
	drain_for(t, l, site->effective);
	e = newest(l);
	old = e->v;
	new = narrow(rmw_result(site->op, old, v), bytes);
	wx.digest = (wx.digest ^ old) * 0x9e3779b97f4a7c15u;
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_OP, t->id, site, "%s: %#llx -> %#llx", wx_loc_name(l->addr),
			       (unsigned long long)old, (unsigned long long)new);
	rmw_write(t, l, e, new, site->effective);
	return old;
}

bool weir_explore_cas(volatile void *p, unsigned int bytes, void *expected, uint64_t v,
		      struct weir_explore_site *site)
{
	uint64_t want = get(expected, bytes);
	struct wx_thread *t = wx.cur;
	struct wx_value *e;
	struct wx_loc *l;
	unsigned int back;
	uint64_t old;

	v = narrow(v, bytes);
	if (!t) {
		old = get(p, bytes);
		if (old == want)
			put(p, bytes, v);
		else
			put(expected, bytes, old);
		return old == want;
	}
	before(t, t->nsb ? EVERYTHING : p, true, site);
	l = wx_loc_get(p, bytes);
	drain_for(t, l, site->effective);
	e = choose_value(t, l, floor_of(t, l), &back);
	if (e->v == want) {		/* an exclusive store on an old value would not succeed */
		e = newest(l);
		back = 0;
	}
	old = e->v;
	atomic_access(t, l, true, old == want);
	wx.digest = (wx.digest ^ old) * 0x9e3779b97f4a7c15u;
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_OP, t->id, site, "%s: %#llx%s %s %#llx", wx_loc_name(l->addr),
			       (unsigned long long)old, stale_mark(back),
			       old == want ? "->" : "is not", (unsigned long long)(old == want ? v : want));
	if (old == want) {
		rmw_write(t, l, e, v, site->effective);
		return true;
	}
	learn(t, l, e, site->effective);
	put(expected, bytes, old);
	return false;
}

static void full_fence(struct wx_thread *t)
{
	drain_all(t);
	t->floor = wx.now;
	wx_clk_join(&t->clk, &t->seen_rel);
	t->fence_rel = t->clk;
	t->clk.v[t->id]++;
}

void weir_explore_fence(struct weir_explore_site *site)
{
	struct wx_thread *t = wx.cur;

	if (!t)
		return;
	before(t, t->nsb ? EVERYTHING : NULL, true, site);
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_OP, t->id, site, "%s",
			       site->effective == WEIR_EXPLORE_FULL ? "" : "(taken out)");
	if (site->effective == WEIR_EXPLORE_FULL)
		full_fence(t);
}

uint64_t weir_explore_plain_load(const volatile void *p, unsigned int bytes,
				 struct weir_explore_site *site)
{
	struct wx_thread *t = wx.cur;
	struct wx_loc *l;

	if (!t)
		return get(p, bytes);
	site->hits++;
	l = wx_loc_get(p, bytes);
	l->plain = 1;
	race_check(t, l, false, true);
	l->plain_rd[t->id] = t->clk.v[t->id];
	drain_for(t, l, WEIR_EXPLORE_RELAXED);
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_OP, t->id, site, "%s -> %#llx", wx_loc_name(l->addr),
			       (unsigned long long)newest(l)->v);
	return newest(l)->v;
}

void weir_explore_plain_store(volatile void *p, unsigned int bytes, uint64_t v,
			      struct weir_explore_site *site)
{
	struct wx_thread *t = wx.cur;
	struct wx_loc *l;

	v = narrow(v, bytes);
	if (!t) {
		put(p, bytes, v);
		return;
	}
	site->hits++;
	l = wx_loc_get(p, bytes);
	l->plain = 1;
	race_check(t, l, true, true);
	l->plain_wr[t->id] = t->clk.v[t->id];
	drain_for(t, l, WEIR_EXPLORE_RELAXED);
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_OP, t->id, site, "%s := %#llx", wx_loc_name(l->addr),
			       (unsigned long long)v);
	perform(t, l, v, &t->fence_rel);
}

void weir_explore_pause(void)
{
	struct wx_thread *t = wx.cur;

	if (!t)
		return;
	t->next.p = EVERYTHING;
	t->fresh = true;
	wx.yielding |= 1u << t->id;
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_OP, t->id, NULL, "pause");
	wx_step(t);
}
