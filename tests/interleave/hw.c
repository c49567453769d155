// SPDX-License-Identifier: BSD-2-Clause
/*
 * hw.c - steps of machinery that is not C: a barrier of the architecture, a table walker's loads
 * and compare-and-swaps, stores that a program wants atomic with a check. See wx.h.
 */
#include "model.h"

void wx_point(const char *what)
{
	struct wx_thread *t = wx.cur;

	if (!t)
		return;
	t->next.p = WX_EVERYTHING;
	wx_step(t);
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_OP, t->id, NULL, "%s", what);
}

void wx_dsb(void)
{
	struct wx_thread *t = wx.cur;

	if (!t)
		return;
	t->next.p = WX_EVERYTHING;
	wx_step(t);
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_OP, t->id, NULL, "DSB");
	wx_full_fence(t);
}

uint32_t wx_now(void)
{
	return wx.now;
}

uint64_t wx_walk_load(const uint64_t *p, const uint32_t *floor)
{
	struct wx_thread *t = wx.cur;
	struct wx_value *e;
	struct wx_loc *l;
	unsigned int back;

	if (!t)
		return *p;
	t->next.p = p;
	t->next.write = false;
	wx_step(t);
	l = wx_loc_get(p, 8);
	e = wx_choose_value(t, l, *floor, &back);
	wx.digest = (wx.digest ^ e->v) * WX_MIX;
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_OP, t->id, NULL, "walk %s -> %#llx%s", wx_loc_name(l->addr),
			       (unsigned long long)e->v, wx_stale_mark(back));
	return e->v;
}

bool wx_hw_cas(uint64_t *p, uint64_t expected, uint64_t v)
{
	struct wx_thread *t = wx.cur;
	struct wx_clk rel;
	struct wx_loc *l;
	uint64_t old;

	if (!t)
		return false;
	t->next.p = p;
	t->next.write = true;
	wx_step(t);
	l = wx_loc_get(p, 8);
	wx_settle(l);
	old = wx_newest(l)->v;
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_OP, t->id, NULL, "walker cas %s: %#llx %s %#llx",
			       wx_loc_name(l->addr), (unsigned long long)old,
			       old == expected ? "->" : "is not",
			       (unsigned long long)(old == expected ? v : expected));
	if (old != expected)
		return false;
	rel = wx_newest(l)->rel; /* a relaxed read-modify-write: the release sequence goes on */
	wx_perform(t, l, v, &rel);
	return true;
}

void wx_hw_store(uint64_t *p, uint64_t v)
{
	static const struct wx_clk nothing;
	struct wx_thread *t = wx.cur;
	struct wx_loc *l;

	if (!t) {
		*p = v;
		return;
	}
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_OP, t->id, NULL, "%s = %#llx", wx_loc_name((uintptr_t)p),
			       (unsigned long long)v);
	l = wx_loc_get(p, 8);
	wx_settle(l);
	wx_perform(t, l, v, &nothing);
}

uint64_t wx_peek(const uint64_t *p)
{
	return *p;
}
