// SPDX-License-Identifier: BSD-2-Clause
/*
 * dirty_parallel.c - dirty/harvest on two threads: each has one half of the region, a transaction
 * of its own, and words of its own. Otherwise as dirty_harvest.c; an item is a descriptor.
 *
 *   weir        two harvests of one region at once, on disjoint intervals
 *   plain_read  two reads at once of the same halves: what the memory gives to two
 */
#include <stdlib.h>

#include "dirty_world.h"
#include "peers/peers.h"
#include "two.h"

/* What one thread writes, on lines of its own. */
struct half {
	TWO_LINE struct weir_dirty_word *words;
	uint64_t nfound;
	uint64_t any;
	bool ok;
};

struct parallel {
	struct rig r;
	struct two *two;
	struct half *halves;
};

static void *aligned_new(size_t bytes)
{
	void *p = aligned_alloc(64, bytes);

	if (!p)
		host_die("no memory");
	return p;
}

static void harvest_half(void *arg, unsigned int which)
{
	struct parallel *s = arg;
	struct half *h = &s->halves[which];
	uint64_t half = s->r.w->npages / 2u;
	struct weir_dirty_cursor cur = { WORLD_BASE_GFN + which * half, 0, false };
	struct weir_dirty_txn txn;
	enum weir_status status;
	uint64_t nfound = 0;

	cur.last_gfn = cur.next_gfn + (half - 1u);
	h->ok = false;
	if (weir_dirty_harvest_begin(s->r.d, &txn, &cur, h->words, RIG_WORDS))
		return;
	do {
		status = weir_dirty_harvest_step(s->r.d, &txn, 0);
		nfound += txn.nwords;
		weir_dirty_harvest_commit(s->r.d, &txn);
	} while (status == WEIR_EAGAIN);
	h->nfound = nfound;
	h->ok = status == WEIR_OK;
}

static void read_half(void *arg, unsigned int which)
{
	struct parallel *s = arg;
	uint64_t half = s->r.w->ntables / 2u;

	s->halves[which].any = peer_plain_read(s->r.w->tables + which * half, half);
	s->halves[which].ok = true;
}

static void *setup(const struct bench_params *params, void (*work)(void *, unsigned int))
{
	struct parallel *s = malloc(sizeof(*s));
	unsigned int i;

	if (!s)
		host_die("no memory");
	rig_init(&s->r, params, WEIR_DIRTY_DBM_ALL, WEIR_DIRTY_F_TABLES_EXCLUSIVE);
	s->halves = aligned_new(2u * sizeof(*s->halves));
	for (i = 0; i < 2u; i++)
		s->halves[i].words = aligned_new(RIG_WORDS * sizeof(*s->halves[i].words));
	s->two = aligned_new(sizeof(*s->two));
	s->two->work = work;
	s->two->arg = s;
	return s;
}

static void *weir_setup(const struct bench_params *params)
{
	return setup(params, harvest_half);
}

static void *plain_setup(const struct bench_params *params)
{
	return setup(params, read_half);
}

static void prepare(void *state)
{
	struct parallel *s = state;

	world_dirty(s->r.w, &s->r.pat);
	two_prepare(s->two);
}

static uint64_t run(void *state)
{
	struct parallel *s = state;

	two_run(s->two);
	return s->halves[0].ok && s->halves[1].ok ? s->r.w->npages : 0;
}

static bool weir_check(void *state)
{
	struct parallel *s = state;

	return s->halves[0].nfound + s->halves[1].nfound == s->r.pat.ngroups;
}

static bool plain_check(void *state)
{
	struct parallel *s = state;
	uint64_t any = s->halves[0].any | s->halves[1].any;

	return ((any & WEIR_DIRTY_DESC_W) != 0) == (s->r.pat.npages != 0);
}

static bool disturbed(void *state)
{
	struct parallel *s = state;

	two_finish(s->two);
	return two_disturbed(s->two);
}

static void teardown(void *state)
{
	struct parallel *s = state;

	free(s->halves[0].words);
	free(s->halves[1].words);
	free(s->halves);
	free(s->two);
	rig_free(&s->r);
	free(s);
}

static const struct bench_impl impls[] = {
	{ .name = "dirty/harvest/weir", .setup = weir_setup, .prepare = prepare, .run = run,
	  .disturbed = disturbed, .check = weir_check, .teardown = teardown },
	{ .name = "dirty/harvest/plain_read", .setup = plain_setup, .prepare = prepare, .run = run,
	  .disturbed = disturbed, .check = plain_check, .teardown = teardown },
};

void bench_dirty_parallel(void)
{
	static const uint32_t ppm[] = { 0, 10000, 100000, 1000000 };
	const uint32_t gib[] = { 48, bench_region_gib() };
	size_t g, p, i;

	for (g = 0; g < 2; g++)
		for (p = 0; p < sizeof(ppm) / sizeof(ppm[0]); p++)
			for (i = 0; i < sizeof(impls) / sizeof(impls[0]); i++)
				bench_register_dirty_two(&impls[i], ppm[p], gib[g], 3);
}
