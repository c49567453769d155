// SPDX-License-Identifier: BSD-2-Clause
/*
 * minimise.c - a failing schedule made simpler: fewer context switches, then fewer old values read,
 * then fewer steps.
 *
 * Two kinds of edit, tried until neither helps: leaving out a stretch of the schedule (halves, then
 * quarters, down to single actions, as in Zeller's ddmin), and exchanging two neighbouring
 * stretches of different threads, which joins what a switch had cut. Each edited schedule is
 * replayed forgivingly; if the run fails at the same place and what really happened is simpler, it
 * becomes the schedule.
 */
#include <string.h>

#include "engine.h"

#define RUNS_MAX	20000u
#define STEPS_MAX	100000000u

static uint16_t best[WX_TRACE_MAX], edit[WX_TRACE_MAX];
static uint32_t nbest, runs;
static uint64_t best_cost, steps;
static const char *file;
static unsigned int line;

static uint64_t cost_of(const uint16_t *act, uint32_t n)
{
	uint64_t switches = 0, stale = 0;
	unsigned int tid = WX_THREADS_MAX;

	for (uint32_t i = 0; i < n; i++) {
		if (WX_A_KIND(act[i]) == WX_A_READ)
			stale += WX_A_ARG(act[i]) != 0;
		if (WX_A_KIND(act[i]) == WX_A_FREEZE)
			switches++;
		if (WX_A_KIND(act[i]) != WX_A_RUN || WX_A_TID(act[i]) == tid)
			continue;
		switches++;
		tid = WX_A_TID(act[i]);
	}
	return (switches << 44) | (stale << 24) | n;
}

/* Keeps edit[0..n) if it fails the same way more simply. */
static bool better(uint32_t n)
{
	uint64_t cost;

	if (runs >= RUNS_MAX || steps >= STEPS_MAX)
		return false;
	runs++;
	wx_run_replay(edit, n, false);
	steps += wx.steps;
	if (!wx.failed || wx.fail_line != line || strcmp(wx.fail_file, file))
		return false;
	cost = cost_of(wx.trace, wx.ntrace);
	if (cost >= best_cost)
		return false;
	best_cost = cost;
	nbest = wx.ntrace;
	memcpy(best, wx.trace, nbest * sizeof(*best));
	return true;
}

static bool leave_out(void)
{
	bool any = false;

	for (uint32_t len = nbest / 2; len > 0; len /= 2) {
		for (uint32_t at = 0; at < nbest;) {
			uint32_t n = at + len < nbest ? len : nbest - at;

			memcpy(edit, best, at * sizeof(*edit));
			memcpy(edit + at, best + at + n, (nbest - at - n) * sizeof(*edit));
			if (better(nbest - n))
				any = true;
			else
				at += len;
		}
	}
	return any;
}

/* The end of the stretch that starts at i: actions of one thread. */
static uint32_t stretch(uint32_t i)
{
	unsigned int tid = WX_A_TID(best[i]);

	while (i < nbest && WX_A_TID(best[i]) == tid)
		i++;
	return i;
}

static bool exchange(void)
{
	bool any = false;

	for (uint32_t a = 0; a < nbest;) {
		uint32_t b = stretch(a);
		uint32_t c = b < nbest ? stretch(b) : b;

		if (c == b)
			break;
		memcpy(edit, best, nbest * sizeof(*edit));
		memcpy(edit + a, best + b, (c - b) * sizeof(*edit));
		memcpy(edit + a + (c - b), best + a, (b - a) * sizeof(*edit));
		if (better(nbest))
			any = true;
		else
			a = b;
	}
	return any;
}

uint32_t wx_minimise(void)
{
	runs = 0;
	steps = 0;
	file = wx.fail_file;
	line = wx.fail_line;
	nbest = wx.ntrace;
	memcpy(best, wx.trace, nbest * sizeof(*best));
	best_cost = cost_of(best, nbest);
	for (bool more = true; more && runs < RUNS_MAX;) {
		more = leave_out();
		more = exchange() || more;
	}
	wx_run_replay(best, nbest, false);
	return runs;
}
