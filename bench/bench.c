// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench.c - the register of cases, and one timed run of one of them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "two.h"

#define CASES_MAX 512

/* So often a run that was disturbed is done again, before it is taken as it is. */
#define TRIES_MAX 20

static struct bench_case cases[CASES_MAX];
static size_t ncases;
static bool alone;

static struct bench_case *add(const struct bench_impl *impl, unsigned int runs)
{
	struct bench_case *c;

	if (ncases == CASES_MAX)
		host_die("%s: no room for more than %d cases", impl->name, CASES_MAX);
	c = &cases[ncases++];
	c->impl = impl;
	c->runs = runs;
	return c;
}

/* 10 ppm is "0.01" per mille, 1000 ppm is "1". */
static void per_mille(char *to, size_t bytes, uint32_t ppm)
{
	if (ppm % 1000u)
		snprintf(to, bytes, "%g", (double)ppm / 1000.0);
	else
		snprintf(to, bytes, "%" PRIu32, ppm / 1000u);
}

void bench_register_dirty(const struct bench_impl *impl, uint32_t dirty_ppm, uint32_t region_gib,
			  unsigned int runs)
{
	struct bench_case *c = add(impl, runs);
	char dirty[24];

	per_mille(dirty, sizeof(dirty), dirty_ppm);
	c->params.dirty_ppm = dirty_ppm;
	c->params.region_gib = region_gib;
	snprintf(c->name, sizeof(c->name), "%s/%s/%" PRIu32, impl->name, dirty, region_gib);
}

void bench_register_dirty_two(const struct bench_impl *impl, uint32_t dirty_ppm,
			      uint32_t region_gib, unsigned int runs)
{
	struct bench_case *c;
	size_t n;

	bench_register_dirty(impl, dirty_ppm, region_gib, runs);
	c = &cases[ncases - 1u];
	c->params.threads = 2;
	n = strlen(c->name);
	snprintf(c->name + n, sizeof(c->name) - n, "/threads:2");
}

void bench_register_events(const struct bench_impl *impl, uint64_t pending, unsigned int runs)
{
	struct bench_case *c = add(impl, runs);

	c->params.pending = pending;
	snprintf(c->name, sizeof(c->name), "%s/%" PRIu64, impl->name, pending);
}

void bench_register_xlate(const struct bench_impl *impl, uint32_t keys, bool irregular, bool full,
			  uint32_t threads, unsigned int runs)
{
	struct bench_case *c = add(impl, runs);

	c->params.keys = keys;
	c->params.irregular = irregular;
	c->params.full = full;
	c->params.threads = threads;
	snprintf(c->name, sizeof(c->name), "%s/%" PRIu32 "%s%s%s", impl->name, keys,
		 irregular ? "/irregular" : "", full ? "/full" : "",
		 threads > 1u ? "/threads:2" : "");
}

void bench_register_xlate_shapes(const struct bench_impl *impl, uint32_t keys, unsigned int runs)
{
	bench_register_xlate(impl, keys, false, false, 1, runs);
	bench_register_xlate(impl, keys, false, false, 2, runs);
	bench_register_xlate(impl, keys, true, false, 1, runs);
	bench_register_xlate(impl, keys, true, true, 1, runs);
}

const struct bench_case *bench_cases(size_t *n)
{
	*n = ncases;
	return cases;
}

const struct bench_case *bench_find(const char *name)
{
	size_t i;

	for (i = 0; i < ncases; i++)
		if (!strcmp(cases[i].name, name))
			return &cases[i];
	return NULL;
}

const char *bench_missing(const struct bench_case *c)
{
	if (c->impl->missing)
		return c->impl->missing;
	return c->impl->disturbed && !two_possible() ? "a second CPU" : NULL;
}

void bench_alone(bool on)
{
	alone = on && two_possible();
}

/* One run, however disturbed it was. */
static uint64_t one_run(const struct bench_case *c, void *state, uint64_t *ns)
{
	const struct bench_impl *impl = c->impl;
	bool hold = alone && c->params.threads < 2u;
	struct two two = { 0 };
	uint64_t from, items;

	if (impl->prepare)
		impl->prepare(state);
	if (hold)
		two_hold(&two);
	from = host_now_ns();
	items = impl->run(state);
	*ns = host_now_ns() - from;
	if (hold)
		two_release(&two);
	if (impl->early_ns)
		*ns += impl->early_ns(state);
	return items;
}

uint64_t bench_timed_run(const struct bench_case *c, void *state, uint64_t *ns)
{
	const struct bench_impl *impl = c->impl;
	unsigned int tries = 0;
	uint64_t items;
	bool again;

	do {
		items = one_run(c, state, ns);
		again = impl->disturbed && impl->disturbed(state);
		if (!items || (impl->check && !impl->check(state)))
			host_die("%s: the run did not do its work", c->name);
	} while (again && ++tries < TRIES_MAX);
	return items;
}
