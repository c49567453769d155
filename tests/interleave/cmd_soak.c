// SPDX-License-Identifier: BSD-2-Clause
/*
 * cmd_soak.c - weir-explore soak and bench: the two verbs that look at the clock, for people only.
 *
 * A soak shares out its schedules over the programs and models of a set in portions, so that a soak
 * that is cut short has touched all of them. Schedule i of (program, model, seed) is the same run
 * whenever it is run: --from goes on where a soak ended.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "command.h"

#define PORTION	50000u

/* Wall time for progress, this process's own time for speed: the machine may be busy. */
static double seconds(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

struct totals { uint64_t schedules, steps, failures, digest; };

static bool portion(const struct wx_command *c, const struct wx_program *p, enum wx_model m,
		    uint64_t from, uint64_t end, struct totals *t)
{
	struct wx_options o = wx_options_for(c, p, m);
	struct wx_result r = wx_campaign(p, &o, from, end, false);

	t->schedules += r.schedules;
	t->steps += r.steps;
	t->digest = (t->digest ^ r.digest) * 0x100000001b3u;
	if (!r.failures)
		return true;
	t->failures++;
	printf("%-32s %-4s FAILED by schedule %llu: %s\n", p->name, wx_model_name[m],
	       (unsigned long long)r.first_failure, wx.fail_msg);
	wx_show_failure(c);
	return false;
}

static bool in_soak(const struct wx_command *c, const struct wx_program *p, unsigned int m)
{
	unsigned int models = c->models ? c->models : p->models ? p->models : WX_ALL_MODELS;

	return wx_selected(c, p) && (models & WX_IN(m)) && !p->must_fail &&
	       (c->sched_given || !(p->flags & WX_F_EXHAUSTIVE));
}

int wx_cmd_soak(const struct wx_command *c)
{
	struct totals t = { .digest = 0xcbf29ce484222325u };
	uint64_t want = c->schedules ? c->schedules : 1000000;
	double start = seconds(CLOCK_MONOTONIC);
	unsigned int n = 0;

	for (unsigned int i = 0; i < wx_program_count(); i++)
		for (unsigned int m = 0; m < WX_MODELS; m++)
			n += in_soak(c, wx_program(i), m);
	if (!n)
		wx_usage_error("soak", c->set, "a set with a program that plants no fault");
	for (uint64_t from = c->from; t.schedules < want;) {
		uint64_t share = (want - t.schedules + n - 1) / n;
		uint64_t end = from + (share < PORTION ? share : PORTION);

		for (unsigned int i = 0; i < wx_program_count(); i++)
			for (unsigned int m = 0; m < WX_MODELS; m++)
				if (in_soak(c, wx_program(i), m) &&
				    !portion(c, wx_program(i), (enum wx_model)m, from, end, &t))
					return 1;
		from = end;
		printf("%llu schedules, %llu steps, %.0f s; go on with --seed %llu --from %llu\n",
		       (unsigned long long)t.schedules, (unsigned long long)t.steps,
		       seconds(CLOCK_MONOTONIC) - start,
		       (unsigned long long)c->opt.seed,
		       (unsigned long long)from);
	}
	printf("soak %s: %u program-model pairs, %llu schedules, %llu steps, 0 failures, "
	       "seed %llu, schedules %llu on, digest %016llx\n",
	       c->set, n, (unsigned long long)t.schedules,
	       (unsigned long long)t.steps, (unsigned long long)c->opt.seed,
	       (unsigned long long)c->from, (unsigned long long)t.digest);
	return 0;
}

int wx_cmd_bench(const struct wx_command *c)
{
	const char *set = c->set ? c->set : "known/treiber-tagged";
	struct wx_command b = *c;

	b.set = set;
	for (unsigned int i = 0; i < wx_program_count(); i++) {
		const struct wx_program *p = wx_program(i);

		for (unsigned int m = 0; m < WX_MODELS && wx_selected(&b, p); m++) {
			struct wx_options o = wx_options_for(c, p, (enum wx_model)m);
			uint64_t n = c->schedules ? c->schedules : 300000;
			double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
			struct wx_result r = wx_campaign(p, &o, 0, n, true);
			double s = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;

			printf("%-32s %-4s %.2f M steps/s, %.2f M runs/s, %.1f steps a run\n",
			       p->name, wx_model_name[m], (double)r.steps / s * 1e-6,
			       (double)r.schedules / s * 1e-6,
			       (double)r.steps / (double)r.schedules);
		}
	}
	return 0;
}
