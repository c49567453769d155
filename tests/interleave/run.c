// SPDX-License-Identifier: BSD-2-Clause
/*
 * run.c - one run, and many.
 */
#include <string.h>

#include "engine.h"

#define CALIBRATION_RUNS	16u
#define CALIBRATION_SEED	((uint64_t)1 << 62)

static void thread_reset(struct wx_thread *t, unsigned int id)
{
	t->id = id;
	t->state = WX_RUNNABLE;
	t->ops = 0;
	t->floor = 0;
	t->serial = 0;
	t->fresh = false;
	t->nsb = 0;
	t->next.p = NULL;
	t->next.write = false;
	memset(&t->clk, 0, sizeof(t->clk));
	memset(&t->fence_rel, 0, sizeof(t->fence_rel));
	memset(&t->seen_rel, 0, sizeof(t->seen_rel));
	t->clk.v[id] = 1;
	wx_fiber_start(t);
}

/* Set-up, the threads until none is left, the last checks. wx.failed says how it ended. */
static bool run(void)
{
	const struct wx_program *p = wx.prog;

	wx_mem_reset();
	wx_arena_reset();
	wx_lin_reset();
	if (wx_unlikely(wx.printing))
		wx_print_reset();
	wx.runnable = (1u << p->nthreads) - 1;
	for (unsigned int i = 0; i < p->nthreads; i++)
		thread_reset(&wx.thread[i], i);
	if (!wx_fiber_call(p->setup))
		return false;
	wx_fiber_run(wx_pick(NULL));
	wx.total_steps += wx.steps;
	if (wx.failed)
		return false;
	if (wx.pruned || !p->final)
		return true;
	return wx_fiber_call(p->final);
}

bool wx_run_one(uint64_t schedule)
{
	bool ok;

	wx_sched_begin(schedule);
	ok = run();
	wx.digest = (wx.digest ^ wx.steps ^ ((uint64_t)!ok << 32)) * 0x9e3779b97f4a7c15u;
	wx.digest ^= wx.digest >> 29;
	return ok;
}

bool wx_run_replay(const uint16_t *act, uint32_t n, bool printing)
{
	enum wx_sched sched = wx.opt.sched;
	bool ok;

	wx_replay.act = act;
	wx_replay.n = n;
	wx_replay.pos = 0;
	wx.opt.sched = WX_S_REPLAY;
	wx.printing = printing;
	wx_sched_begin(0);
	ok = run();
	wx.printing = false;
	wx.opt.sched = sched;
	return ok;
}

/* How long is a run? From a few fixed schedules, so that it depends on nothing else. */
static void calibrate(void)
{
	struct wx_options real = wx.opt;
	uint32_t most = 1;

	wx.opt.sched = WX_S_RANDOM;
	wx.opt.freeze = false;
	wx.ops_estimate = 1;
	wx.calibrating = true;
	for (uint64_t i = 0; i < CALIBRATION_RUNS; i++) {
		wx_run_one(CALIBRATION_SEED + i);
		if (wx.steps > most)
			most = wx.steps;
	}
	wx.calibrating = false;
	wx.ops_estimate = most;
	wx.opt = real;
}

struct wx_result wx_campaign(const struct wx_program *p, const struct wx_options *opt,
			     uint64_t from, uint64_t end, bool keep_going)
{
	struct wx_result r = { .first_failure = UINT64_MAX };

	wx.prog = p;
	wx.opt = *opt;
	calibrate();
	wx_dfs_reset();
	wx.digest = 0xcbf29ce484222325u ^ opt->seed;
	wx.total_steps = 0;
	for (uint64_t i = from; i < end; i++) {
		if (!wx_run_one(i)) {
			if (!r.failures++)
				r.first_failure = i;
			if (!keep_going) {
				r.schedules++;
				break;
			}
		}
		r.schedules += !wx.pruned;
		if (opt->sched == WX_S_DFS && !wx_dfs_next()) {
			r.complete = !wx_dfs_truncated();
			break;
		}
	}
	r.steps = wx.total_steps;
	r.digest = wx.digest;
	return r;
}
