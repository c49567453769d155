// SPDX-License-Identifier: BSD-2-Clause
/*
 * cmd_mutants.c - weir-explore mutants and sites: each order in the code under test weakened, one
 * at a time, to see whether the programs notice.
 *
 * acquire and release become relaxed, acq_rel becomes either half, the fence becomes nothing. A
 * mutant counts as found when some program of the set fails within the schedules it is given in CI;
 * the models that can show a missing order are pso and c11. A survivor means that the programs are
 * too weak or the order is not needed: the site's comment has to say which.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

#define HITS_RUNS	2000u

/* Sites in the library or, for a set without library code, in the programs themselves. */
static bool in_library(const struct weir_explore_site *s)
{
	return (strstr(s->file, "lib/") || strstr(s->file, "include/weir/")) &&
	       !strstr(s->file, "tests/");
}

/* Whether a site is in the files of the module that the set names: xlate for "xlate/...". */
static bool in_module(const struct wx_command *c, const struct weir_explore_site *s)
{
	const char *base = strrchr(s->file, '/');
	size_t n = strcspn(c->set, "/*?[");

	base = base ? base + 1 : s->file;
	return in_library(s) && !strncmp(base, c->set, n);
}

/* Whether an earlier record is the same site. */
static bool repeated(unsigned int i)
{
	for (unsigned int j = 0; j < i; j++)
		if (wx_site_same(wx_site(i), wx_site(j)))
			return true;
	return false;
}

static uint64_t hits_of(unsigned int i)
{
	uint64_t n = 0;

	for (unsigned int j = i; j < wx_sites_count(); j++)
		if (wx_site_same(wx_site(i), wx_site(j)))
			n += wx_site(j)->hits;
	return n;
}

static unsigned int models_of(const struct wx_command *c, const struct wx_program *p)
{
	unsigned int models = c->models ? c->models : p->models ? p->models : WX_ALL_MODELS;

	return models;
}

/* reached[site * programs + program]: whether a few runs of the program executed the site. */
static bool *reached;

static bool reaches(const struct wx_program *p, const struct weir_explore_site *s)
{
	for (unsigned int i = 0; i < wx_sites_count(); i++)
		for (unsigned int k = 0; k < wx_program_count(); k++)
			if (wx_program(k) == p && reached[i * wx_program_count() + k] &&
			    wx_site_same(wx_site(i), s))
				return true;
	return false;
}

/* Runs every selected program a little, to learn which sites it reaches. */
static void touch(const struct wx_command *c)
{
	unsigned int nprograms = wx_program_count();

	reached = calloc((size_t)wx_sites_count() * nprograms, sizeof(*reached));
	if (!reached)
		exit(3);
	for (unsigned int i = 0; i < wx_sites_count(); i++)
		wx_site(i)->hits = 0;
	for (unsigned int k = 0; k < nprograms; k++) {
		const struct wx_program *p = wx_program(k);
		struct wx_options o = wx_options_for(c, p, WX_C11);

		if (!wx_selected(c, p) || p->must_fail)
			continue;
		for (unsigned int i = 0; i < wx_sites_count(); i++)
			wx_site(i)->touched = 0;
		o.sched = WX_S_MIX;
		wx_campaign(p, &o, 0, HITS_RUNS, true);
		for (unsigned int i = 0; i < wx_sites_count(); i++)
			reached[i * nprograms + k] = wx_site(i)->touched;
	}
}

int wx_cmd_sites(const struct wx_command *c)
{
	touch(c);
	for (unsigned int i = 0; i < wx_sites_count(); i++) {
		char name[256];

		if (repeated(i) || !hits_of(i))
			continue;
		wx_site_name(wx_site(i), name, sizeof(name));
		printf("%-72s %llu\n", name, (unsigned long long)hits_of(i));
	}
	return 0;
}

struct kill {
	const struct wx_program *prog;
	enum wx_model model;
	uint64_t schedules;	/* needed by that program; others' before it are not counted */
};

/* The programs in turn, each with a tenth of its budget, then with all of it. */
static bool hunt(const struct wx_command *c, const struct weir_explore_site *s, struct kill *k)
{
	static const enum wx_model order[] = { WX_C11, WX_PSO };

	for (unsigned int part = 0; part < 2; part++)
		for (unsigned int i = 0; i < wx_program_count(); i++) {
			const struct wx_program *p = wx_program(i);
			uint64_t n = wx_schedules_for(c, p);

			if (!wx_selected(c, p) || p->must_fail ||
			    (p->flags & WX_F_EXHAUSTIVE) || !reaches(p, s))
				continue;
			for (unsigned int m = 0; m < 2; m++) {
				struct wx_options o = wx_options_for(c, p, order[m]);
				struct wx_result r;

				if (!(models_of(c, p) & WX_IN(order[m])))
					continue;
				r = wx_campaign(p, &o, part ? n / 10 : 0, part ? n : n / 10, false);
				if (!r.failures)
					continue;
				k->prog = p;
				k->model = order[m];
				k->schedules = r.first_failure + 1;
				return true;
			}
		}
	return false;
}

static bool mutant(const struct wx_command *c, const struct weir_explore_site *s, uint8_t order)
{
	struct kill k;
	char name[256];
	bool found;

	wx_site_name(s, name, sizeof(name));
	wx_site_weaken(s, order);
	found = hunt(c, s, &k);
	wx_sites_restore();
	printf(c->markdown ? "| %s | %s | " : "%-64s -> %-8s ", name,
	       s->order == WEIR_EXPLORE_FULL ? "nothing" : wx_order_name(order));
	if (found)
		printf("found by %s (%s), schedule %llu", k.prog->name, wx_model_name[k.model],
		       (unsigned long long)k.schedules);
	else
		printf("SURVIVED");
	printf(c->markdown ? " |\n" : "\n");
	return found;
}

int wx_cmd_mutants(const struct wx_command *c)
{
	unsigned int found = 0, survived = 0, unreached = 0, in_lib = 0;

	touch(c);
	for (unsigned int i = 0; i < wx_sites_count(); i++)
		in_lib += in_library(wx_site(i)) && hits_of(i);
	if (c->markdown)
		printf("| site | weakened to | |\n|---|---|---|\n");
	for (unsigned int i = 0; i < wx_sites_count(); i++) {
		const struct weir_explore_site *s = wx_site(i);
		uint8_t order[2];
		unsigned int n = wx_site_weaker(s, order);
		char name[256];

		if (repeated(i) || (in_lib && !in_library(s)) || !n)
			continue;
		if (!hits_of(i)) {
			if (in_lib && in_module(c, s)) {
				wx_site_name(s, name, sizeof(name));
				printf(c->markdown ? "| %s | | not reached |\n" :
						     "%s not reached\n", name);
				unreached++;
			}
			continue;
		}
		for (unsigned int w = 0; w < n; w++) {
			if (mutant(c, s, order[w]))
				found++;
			else
				survived++;
		}
	}
	printf("%s%u mutants found, %u survived, %u sites not reached\n", c->markdown ? "\n" : "",
	       found, survived, unreached);
	return survived || unreached ? 1 : 0;
}
