// SPDX-License-Identifier: BSD-2-Clause
/*
 * mem.c - the vocabulary of weir/env.h as the explorer performs it: a scheduling point, then the
 * operation under the memory model of the run (model.c).
 */
#include "model.h"

#define QUIET_MAX	20u

static struct { uintptr_t first, bytes; } quiet[QUIET_MAX];
static unsigned int nquiet;
static uintptr_t quiet_first, quiet_bytes;	/* all ranges lie in here */

void wx_mem_reset(void)
{
	wx.now = 0;
	wx.pending = 0;
	nquiet = 0;
	quiet_bytes = 0;
	wx_loc_reset();
}

void wx_quiet(const volatile void *p, size_t bytes)
{
	uintptr_t first = (uintptr_t)p, last = first + bytes;

	if (nquiet == QUIET_MAX)
		wx_fail("wx_quiet: more than %u ranges", QUIET_MAX);
	if (nquiet && quiet_first < first)
		first = quiet_first;
	if (nquiet && quiet_first + quiet_bytes > last)
		last = quiet_first + quiet_bytes;
	quiet_first = first;
	quiet_bytes = last - first;
	quiet[nquiet].first = (uintptr_t)p;
	quiet[nquiet++].bytes = bytes;
}

static inline bool is_quiet(const volatile void *p)
{
	if ((uintptr_t)p - quiet_first >= quiet_bytes)
		return false;
	for (unsigned int i = 0; i < nquiet; i++)
		if ((uintptr_t)p - quiet[i].first < quiet[i].bytes)
			return true;
	return false;
}

static inline void atomic_access(struct wx_thread *t, struct wx_loc *l, bool read, bool write)
{
	if (wx_unlikely(l->plain))
		wx_race_check(t, l, write, false);
	if (read)
		l->atomic_rd[t->id] = t->clk.v[t->id];
	if (write && wx_unlikely(is_quiet((const volatile void *)l->addr)))
		wx_fail("%s: written, but declared quiet", wx_loc_name(l->addr));
	if (write)
		l->atomic_wr[t->id] = t->clk.v[t->id];
}

static inline void before(struct wx_thread *t, const volatile void *p, bool write,
			  struct weir_explore_site *site)
{
	site->hits++;
	site->touched = 1;
	t->next.p = p;
	t->next.write = write;
	wx_step(t);
}

uint64_t weir_explore_load(const volatile void *p, unsigned int bytes,
			   struct weir_explore_site *site)
{
	struct wx_thread *t = wx.cur;
	struct wx_value *e;
	struct wx_loc *l;
	unsigned int back;
	uint64_t v;

	if (!t || is_quiet(p))
		return wx_get(p, bytes);
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
	e = wx_choose_value(t, l, wx_floor_of(t, l), &back);
	wx_learn(t, l, e, site->effective);
	v = e->v;
	wx.digest = (wx.digest ^ v) * WX_MIX;
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_OP, t->id, site, "%s -> %#llx%s", wx_loc_name(l->addr),
			       (unsigned long long)v, wx_stale_mark(back));
	return v;
}

void weir_explore_store(volatile void *p, unsigned int bytes, uint64_t v,
			struct weir_explore_site *site)
{
	struct wx_thread *t = wx.cur;
	struct wx_clk rel;
	struct wx_loc *l;

	v = wx_narrow(v, bytes);
	if (!t) {
		wx_put(p, bytes, v);
		return;
	}
	before(t, wx.opt.model == WX_SC ? p : NULL, true, site);
	l = wx_loc_get(p, bytes);
	atomic_access(t, l, false, true);
	wx_publish(t, site->effective, &rel);
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_OP, t->id, site, "%s := %#llx%s", wx_loc_name(l->addr),
			       (unsigned long long)v, wx.opt.model == WX_SC ? "" : " (waits)");
	if (wx.opt.model == WX_SC) {
		wx_perform(t, l, v, &rel);
		return;
	}
	wx_wait(t, l, v, &rel, WX_RELEASES(site->effective), false);
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

	wx_learn(t, l, e, order);
	wx_publish(t, order, &rel);
	wx_clk_join(&rel, &e->rel);	/* the release sequence goes on */
	if (wx.opt.model >= WX_PSO)
		wx_wait(t, l, v, &rel, false, true);
	else
		wx_perform(t, l, v, &rel);
}

uint64_t weir_explore_rmw(volatile void *p, unsigned int bytes, uint64_t v,
			  struct weir_explore_site *site)
{
	struct wx_thread *t = wx.cur;
	struct wx_value *e;
	struct wx_loc *l;
	uint64_t old, new;

	if (!t) {
		old = wx_get(p, bytes);
		wx_put(p, bytes, rmw_result(site->op, old, v));
		return old;
	}
	before(t, t->nsb ? WX_EVERYTHING : p, true, site);
	l = wx_loc_get(p, bytes);
	atomic_access(t, l, true, true);
	wx_drain_for(t, l, site->effective);
	wx_settle(l);
	e = wx_newest(l);
	old = e->v;
	new = wx_narrow(rmw_result(site->op, old, v), bytes);
	wx.digest = (wx.digest ^ old) * WX_MIX;
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_OP, t->id, site, "%s: %#llx -> %#llx", wx_loc_name(l->addr),
			       (unsigned long long)old, (unsigned long long)new);
	rmw_write(t, l, e, new, site->effective);
	return old;
}

bool weir_explore_cas(volatile void *p, unsigned int bytes, void *expected, uint64_t v,
		      struct weir_explore_site *site)
{
	uint64_t want = wx_get(expected, bytes);
	struct wx_thread *t = wx.cur;
	struct wx_value *e;
	struct wx_loc *l;
	unsigned int back;
	uint64_t old;

	v = wx_narrow(v, bytes);
	if (!t) {
		old = wx_get(p, bytes);
		if (old == want)
			wx_put(p, bytes, v);
		else
			wx_put(expected, bytes, old);
		return old == want;
	}
	before(t, t->nsb ? WX_EVERYTHING : p, true, site);
	l = wx_loc_get(p, bytes);
	wx_drain_for(t, l, site->effective);
	wx_settle(l);
	e = wx_choose_value(t, l, wx_floor_of(t, l), &back);
	if (e->v == want) {		/* an exclusive store on an old value would not succeed */
		e = wx_newest(l);
		back = 0;
	}
	old = e->v;
	atomic_access(t, l, true, old == want);
	wx.digest = (wx.digest ^ old) * WX_MIX;
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_OP, t->id, site, "%s: %#llx%s %s %#llx", wx_loc_name(l->addr),
			       (unsigned long long)old, wx_stale_mark(back),
			       old == want ? "->" : "is not",
			       (unsigned long long)(old == want ? v : want));
	if (old == want) {
		rmw_write(t, l, e, v, site->effective);
		return true;
	}
	wx_learn(t, l, e, site->effective);
	wx_put(expected, bytes, old);
	return false;
}

void weir_explore_fence(struct weir_explore_site *site)
{
	struct wx_thread *t = wx.cur;

	if (!t)
		return;
	before(t, t->nsb ? WX_EVERYTHING : NULL, true, site);
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_OP, t->id, site, "%s",
			       site->effective == WEIR_EXPLORE_FULL ? "" : "(taken out)");
	if (site->effective == WEIR_EXPLORE_FULL)
		wx_full_fence(t);
}

uint64_t weir_explore_plain_load(const volatile void *p, unsigned int bytes,
				 struct weir_explore_site *site)
{
	struct wx_thread *t = wx.cur;
	struct wx_loc *l;

	if (!t)
		return wx_get(p, bytes);
	site->hits++;
	l = wx_loc_get(p, bytes);
	l->plain = 1;
	wx_race_check(t, l, false, true);
	l->plain_rd[t->id] = t->clk.v[t->id];
	wx_drain_for(t, l, WEIR_EXPLORE_RELAXED);
	wx_settle(l);
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_OP, t->id, site, "%s -> %#llx", wx_loc_name(l->addr),
			       (unsigned long long)wx_newest(l)->v);
	return wx_newest(l)->v;
}

void weir_explore_plain_store(volatile void *p, unsigned int bytes, uint64_t v,
			      struct weir_explore_site *site)
{
	struct wx_thread *t = wx.cur;
	struct wx_loc *l;

	v = wx_narrow(v, bytes);
	if (!t) {
		wx_put(p, bytes, v);
		return;
	}
	site->hits++;
	l = wx_loc_get(p, bytes);
	l->plain = 1;
	wx_race_check(t, l, true, true);
	l->plain_wr[t->id] = t->clk.v[t->id];
	wx_drain_for(t, l, WEIR_EXPLORE_RELAXED);
	wx_settle(l);
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_OP, t->id, site, "%s := %#llx", wx_loc_name(l->addr),
			       (unsigned long long)v);
	wx_perform(t, l, v, &t->fence_rel);
}

void weir_explore_pause(void)
{
	struct wx_thread *t = wx.cur;

	if (!t)
		return;
	t->next.p = WX_EVERYTHING;
	t->fresh = true;
	wx.yielding |= 1u << t->id;
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_OP, t->id, NULL, "pause");
	wx_step(t);
}
