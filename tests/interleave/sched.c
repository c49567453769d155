// SPDX-License-Identifier: BSD-2-Clause
/*
 * sched.c - who takes the next step.
 *
 * The candidates are the threads that can run and the stores that may leave a store buffer (one or
 * more for each thread, for as long as any is left: a thread that has returned, or is frozen, still
 * has its stores performed, and returning is no fence). Strategies:
 *
 *   random   each run draws how often it reconsiders the running thread, how lazily stores drain
 *            and how often loads look back; then it picks evenly
 *   pct      a random priority for each thread and for each thread's store buffer; the highest
 *            runs, and at d - 1 random steps the one that would run drops to the bottom (Burckhardt
 *            et al., ASPLOS 2010: finds a fault of depth d in k steps with probability >= 1/(n
 *            k^(d-1)))
 *   mix      random and pct with d from 2 to 5 in turn: what CI runs
 *   dfs      every choice, depth first (dfs.c)
 *   replay   follows a recorded schedule (replay.c)
 *
 * Randomness is a counter-based stream of (seed, schedule): schedule i is the same whatever ran
 * before it. The only thing measured beforehand is the length of a typical run, from a few fixed
 * schedules.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine.h"

#define STEPS_MAX_DEFAULT	20000u
#define ENTITIES		(2 * WX_THREADS_MAX)
#define PCT_D_MAX		8u

struct wx wx;

static struct {
	unsigned int reconsider;	/* of 256 */
	unsigned int drain;
	unsigned int stale;
} odds;

static struct {
	int prio[ENTITIES];		/* threads, then their store buffers */
	int lowest;
	unsigned int d, next_change;
	uint32_t change[PCT_D_MAX];
} pct;

uint64_t wx_rand(void)
{
	uint64_t z = wx.rng += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static unsigned int below(uint64_t r, unsigned int n)
{
	return (unsigned int)(((r & 0xffffffffu) * n) >> 32);
}

static void random_begin(void)
{
	static const uint16_t reconsider[] = { 256, 256, 128, 64, 16, 4 };
	static const uint16_t drain[] = { 256, 256, 64, 16 };
	static const uint16_t stale[] = { 160, 64 };
	uint64_t r = wx_rand();

	odds.reconsider = reconsider[(r & 0xff) % 6];
	odds.drain = drain[(r >> 8) & 3];
	odds.stale = stale[(r >> 10) & 1];
}

static void pct_begin(unsigned int d)
{
	unsigned int n = 2 * WX_THREADS_MAX;

	for (unsigned int i = 0; i < n; i++)
		pct.prio[i] = (int)(PCT_D_MAX + i);
	for (unsigned int i = n - 1; i > 0; i--) {
		unsigned int j = below(wx_rand(), i + 1);
		int p = pct.prio[i];

		pct.prio[i] = pct.prio[j];
		pct.prio[j] = p;
	}
	pct.d = d;
	pct.lowest = 0;
	pct.next_change = 0;
	for (unsigned int i = 0; i + 1 < d; i++) {
		uint32_t at = 1 + below(wx_rand(), wx.ops_estimate);
		unsigned int j = i;

		for (; j > 0 && pct.change[j - 1] > at; j--)
			pct.change[j] = pct.change[j - 1];
		pct.change[j] = at;
	}
}

void wx_sched_begin(uint64_t schedule)
{
	const struct wx_options *o = &wx.opt;
	unsigned int d = o->pct_d;

	wx.rng = (o->seed * 0xd1342543de82ef95u) ^ (schedule * 0x2545f4914f6cdd1du);
	wx_rand();
	wx.strategy = o->sched;
	if (o->sched == WX_S_MIX) {
		wx.strategy = schedule & 1 ? WX_S_PCT : WX_S_RANDOM;
		d = 2 + (unsigned int)((schedule >> 1) & 3);
	}
	random_begin();
	if (wx.strategy == WX_S_PCT)
		pct_begin(d);
	if (wx.strategy == WX_S_DFS)
		wx_dfs_begin();
	wx.freeze_tid = WX_THREADS_MAX;
	if (o->freeze && wx.strategy != WX_S_REPLAY && wx.strategy != WX_S_DFS) {
		wx.freeze_tid = below(wx_rand(), wx.prog->nthreads);
		wx.freeze_at = 1 + below(wx_rand(), wx.ops_estimate / wx.prog->nthreads + 1);
	}
	wx.steps_max = o->steps_max ? o->steps_max : wx.prog->steps_max;
	if (!wx.steps_max)
		wx.steps_max = STEPS_MAX_DEFAULT;
	wx.steps = 0;
	wx.ntrace = 0;
	wx.yielding = 0;
	wx.last = 0;
	wx.pruned = false;
	wx.failed = false;
}

static inline void record(uint16_t a)
{
	if (wx_unlikely(wx.ntrace == WX_TRACE_MAX))
		wx_fail_at("trace", 0, "more than %u decisions in a run", WX_TRACE_MAX);
	wx.trace[wx.ntrace++] = a;
	wx.digest = (wx.digest ^ a) * 0x100000001b3u;
}

static void freeze(struct wx_thread *t)
{
	t->state = WX_FROZEN;
	wx.runnable &= ~(1u << t->id);
	record(WX_ACTION(WX_A_FREEZE, t->id, 0));
	if (wx_unlikely(wx.printing))
		wx_print_event(WX_E_FREEZE, t->id, NULL, "frozen for ever");
}

static unsigned int nth_bit(unsigned int mask, unsigned int n)
{
	while (n--)
		mask &= mask - 1;
	return (unsigned int)__builtin_ctz(mask);
}

static uint16_t drain_action(unsigned int tid, uint64_t r)
{
	unsigned int idx[WX_SB_MAX];
	unsigned int n = wx_mem_eligible(&wx.thread[tid], idx);

	return WX_ACTION(WX_A_DRAIN, tid, idx[n > 1 ? below(r, n) : 0]);
}

static uint16_t pick_random(unsigned int run)
{
	uint64_t r = wx_rand();
	unsigned int drains = wx.pending, nrun, n;

	if ((run >> wx.last) & 1 && ((r >> 32) & 0xff) >= odds.reconsider)
		return WX_ACTION(WX_A_RUN, wx.last, 0);
	if (run && ((r >> 40) & 0xff) >= odds.drain)
		drains = 0;
	nrun = (unsigned int)__builtin_popcount(run);
	n = below(r, nrun + (unsigned int)__builtin_popcount(drains));
	if (n < nrun)
		return WX_ACTION(WX_A_RUN, nth_bit(run, n), 0);
	return drain_action(nth_bit(drains, n - nrun), wx_rand());
}

static unsigned int pct_highest(unsigned int enabled)
{
	unsigned int best = ENTITIES;

	for (unsigned int m = enabled; m; m &= m - 1) {
		unsigned int e = (unsigned int)__builtin_ctz(m);

		if (best == ENTITIES || pct.prio[e] > pct.prio[best])
			best = e;
	}
	return best;
}

static uint16_t pick_pct(unsigned int run)
{
	unsigned int enabled = run | (wx.pending << WX_THREADS_MAX);
	unsigned int e;

	while (pct.next_change + 1 < pct.d && wx.steps >= pct.change[pct.next_change])
		pct.prio[pct_highest(enabled)] = (int)(pct.d - 2 - pct.next_change++);
	e = pct_highest(enabled);
	if (e < WX_THREADS_MAX)
		return WX_ACTION(WX_A_RUN, e, 0);
	return drain_action(e - WX_THREADS_MAX, wx_rand());
}

/* All candidates: the running thread, the others, the stores. */
static unsigned int candidates(unsigned int run, uint16_t *acts)
{
	unsigned int idx[WX_SB_MAX];
	unsigned int n = 0;

	if ((run >> wx.last) & 1)
		acts[n++] = WX_ACTION(WX_A_RUN, wx.last, 0);
	for (unsigned int m = run; m; m &= m - 1) {
		unsigned int tid = (unsigned int)__builtin_ctz(m);

		if (tid != wx.last)
			acts[n++] = WX_ACTION(WX_A_RUN, tid, 0);
	}
	for (unsigned int m = wx.pending; m; m &= m - 1) {
		unsigned int tid = (unsigned int)__builtin_ctz(m);
		unsigned int k = wx_mem_eligible(&wx.thread[tid], idx);

		for (unsigned int i = 0; i < k; i++)
			acts[n++] = WX_ACTION(WX_A_DRAIN, tid, idx[i]);
	}
	return n;
}

static uint16_t pick_listed(unsigned int run)
{
	uint16_t acts[WX_THREADS_MAX * (WX_SB_MAX + 1)];
	unsigned int n = candidates(run, acts);

	unsigned int k;

	if (wx.strategy == WX_S_DFS)
		return acts[wx_dfs_pick(acts, n)];
	k = wx_replay_pick(acts, n);
	if (k == n)		/* a thread is frozen here */
		return wx_replay.act[wx_replay.pos++];
	return acts[k];
}

static void check_step(struct wx_thread *t)
{
	wx.cur = NULL;
	wx.prog->step();
	wx.cur = t;
}

static void count_step(struct wx_thread *t)
{
	if (wx_unlikely(wx.prog->step != NULL))
		check_step(t);
	if (wx_unlikely(++wx.steps > wx.steps_max))
		wx_fail_at("progress", 0, "not finished after %u steps", wx.steps_max);
}

struct wx_thread *wx_pick(struct wx_thread *t)
{
	for (;;) {
		unsigned int run = wx.runnable & ~wx.yielding;
		unsigned int tid;
		uint16_t a;

		if (!run && !wx.pending) {
			if (!wx.runnable)
				return NULL;
			wx.yielding = 0;
			run = wx.runnable;
		}
		if (wx.strategy == WX_S_RANDOM)
			a = pick_random(run);
		else if (wx.strategy == WX_S_PCT)
			a = pick_pct(run);
		else
			a = pick_listed(run);
		if (wx_unlikely(wx.pruned))
			return NULL;
		tid = WX_A_TID(a);
		if (WX_A_KIND(a) == WX_A_FREEZE) {
			freeze(&wx.thread[tid]);
			continue;
		}
		record(a);
		if (WX_A_KIND(a) == WX_A_RUN) {
			wx.last = tid;
			return &wx.thread[tid];
		}
		wx_mem_drain(&wx.thread[tid], WX_A_ARG(a));
		count_step(t);
	}
}

void wx_step(struct wx_thread *t)
{
	struct wx_thread *next;

	count_step(t);
	t->ops++;
	if (wx_unlikely(wx.freeze_tid == t->id && t->ops == wx.freeze_at))
		freeze(t);
	if (wx.strategy == WX_S_PCT && wx_unlikely((wx.yielding >> t->id) & 1))
		pct.prio[t->id] = --pct.lowest;
	next = wx_pick(t);
	if (wx_unlikely(!next))
		wx_fiber_leave();
	if (next != t)
		wx_fiber_switch(t, next);
}

unsigned int wx_pick_value(enum wx_kind kind, unsigned int tid, unsigned int n)
{
	unsigned int k = 0;
	uint64_t r;

	switch (wx.strategy) {
	case WX_S_DFS:
		k = wx_dfs_value(n);
		break;
	case WX_S_REPLAY:
		k = wx_replay_value(kind, n);
		break;
	default:
		r = wx_rand();
		if (kind == WX_A_CHOOSE)
			k = below(r, n);
		else if (((r >> 32) & 0xff) < odds.stale)
			k = 1 + below(r, n - 1);
		break;
	}
	record(WX_ACTION(kind, tid, k));
	return k;
}

unsigned int wx_choose(unsigned int n)
{
	if (n <= 1 || !wx.cur)
		return 0;
	return wx_pick_value(WX_A_CHOOSE, wx.cur->id, n);
}

unsigned int wx_self(void)
{
	return wx.cur ? wx.cur->id : WX_THREADS_MAX;
}

enum wx_model wx_model(void)
{
	return wx.opt.model;
}

bool wx_frozen(unsigned int tid)
{
	return wx.thread[tid].state == WX_FROZEN;
}

bool wx_printing(void)
{
	return wx.printing;
}

void wx_fail_at(const char *file, unsigned int line, const char *fmt, ...)
{
	va_list ap;

	wx.failed = true;
	wx.fail_file = file;
	wx.fail_line = line;
	wx.fail_step = wx.steps;
	va_start(ap, fmt);
	vsnprintf(wx.fail_msg, sizeof(wx.fail_msg), fmt, ap);
	va_end(ap);
	wx_fiber_leave();
}

void weir_explore_assert_failed(const char *file, unsigned int line, const char *what)
{
	wx_fail_at(file, line, "assertion failed at %s:%u: %s", file, line, what);
}
