// SPDX-License-Identifier: BSD-2-Clause
/*
 * replay.c - follows a recorded schedule, forgivingly.
 *
 * An action that does not apply is skipped, and when the schedule is used up the simplest thing is
 * done: the running thread goes on, then the lowest, then stores drain in order, loads see the
 * newest value. A recorded run is repeated exactly; an edited one becomes some run nearby, which is
 * what minimising needs.
 */
#include "engine.h"

struct wx_replay wx_replay;

unsigned int wx_replay_pick(const uint16_t *acts, unsigned int n)
{
	struct wx_replay *r = &wx_replay;

	while (r->pos < r->n) {
		uint16_t a = r->act[r->pos++];

		if (WX_A_KIND(a) == WX_A_FREEZE && (wx.runnable >> WX_A_TID(a)) & 1) {
			r->pos--;
			return n;
		}
		for (unsigned int i = 0; i < n; i++)
			if (acts[i] == a)
				return i;
	}
	return 0;
}

unsigned int wx_replay_value(enum wx_kind kind, unsigned int n)
{
	struct wx_replay *r = &wx_replay;

	if (r->pos < r->n && WX_A_KIND(r->act[r->pos]) == (unsigned int)kind) {
		unsigned int k = WX_A_ARG(r->act[r->pos++]);

		return k < n ? k : n - 1;
	}
	return 0;
}
