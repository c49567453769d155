// SPDX-License-Identifier: BSD-2-Clause
/*
 * dirty_harvest.c - dirty/harvest: every group is in the scan set, all descriptors are read, those
 * that are dirty are re-armed and their pages handed out. An item is a descriptor.
 *
 *   weir          harvest in portions of 4096 words, committed at once; nobody else changes tables
 *                 (WEIR_DIRTY_F_TABLES_EXCLUSIVE), as under KVM's mmu_lock
 *   weir_atomic   without that promise: every re-armed leaf costs an atomic operation
 *   series2023    an indirect call a descriptor, compare-and-swap, atomic bit: peers/series2023.c
 *   plain_read    all descriptors read by an unrolled loop, and nothing done with them
 *
 * The TLB invalidation is a counter in each: what it costs is the machine's, and equal.
 */
#include <stdlib.h>

#include "dirty_world.h"
#include "peers/peers.h"

static void *harvest_setup(const struct bench_params *params, uint32_t flags)
{
	struct rig *r = malloc(sizeof(*r));

	if (!r)
		host_die("no memory");
	rig_init(r, params, WEIR_DIRTY_DBM_ALL, flags);
	return r;
}

static void *weir_setup(const struct bench_params *params)
{
	return harvest_setup(params, WEIR_DIRTY_F_TABLES_EXCLUSIVE);
}

static void *weir_atomic_setup(const struct bench_params *params)
{
	return harvest_setup(params, 0);
}

static void weir_prepare(void *state)
{
	struct rig *r = state;

	world_dirty(r->w, &r->pat);
}

static uint64_t weir_run(void *state)
{
	struct rig *r = state;
	struct weir_dirty_cursor cur;
	struct weir_dirty_txn txn;
	enum weir_status status;

	r->nfound = 0;
	weir_dirty_cursor_init(r->d, &cur);
	if (weir_dirty_harvest_begin(r->d, &txn, &cur, r->words, RIG_WORDS))
		return 0;
	do {
		status = weir_dirty_harvest_step(r->d, &txn, 0);
		r->nfound += txn.nwords;
		weir_dirty_harvest_commit(r->d, &txn);
	} while (status == WEIR_EAGAIN);
	return status ? 0 : r->w->npages;
}

static bool weir_check(void *state)
{
	struct rig *r = state;

	return r->nfound == r->pat.ngroups;
}

static void weir_teardown(void *state)
{
	rig_free(state);
	free(state);
}

/* The peers: a world, a pattern, and the bitmap that series2023 fills. */
struct plain {
	struct world *w;
	struct pattern pat;
	uint64_t *bitmap;
	uint64_t any;
};

static void *plain_setup(const struct bench_params *params)
{
	struct plain *s = calloc(1, sizeof(*s));

	if (!s)
		host_die("no memory");
	s->w = world_get(params->region_gib);
	pattern_init(&s->pat, s->w, params->dirty_ppm);
	s->bitmap = host_alloc(s->pat.bytes);
	return s;
}

static void plain_prepare(void *state)
{
	struct plain *s = state;
	uint64_t g;

	for (g = 0; g < s->w->ngroups; g++)
		s->bitmap[g] = 0;
	world_dirty(s->w, &s->pat);
}

static uint64_t plain_run(void *state)
{
	struct plain *s = state;

	s->any = peer_plain_read(s->w->tables, s->w->ntables);
	return s->w->npages;
}

static bool plain_check(void *state)
{
	struct plain *s = state;

	return ((s->any & WEIR_DIRTY_DESC_W) != 0) == (s->pat.npages != 0);
}

static uint64_t series_run(void *state)
{
	struct plain *s = state;

	peer_series2023_sync(s->w->tables, s->w->npages, s->bitmap);
	return s->w->npages;
}

static bool series_check(void *state)
{
	struct plain *s = state;
	uint64_t g;

	for (g = 0; g < s->w->ngroups; g++)
		if (s->bitmap[g] != s->pat.pages[g])
			return false;
	return true;
}

static void plain_teardown(void *state)
{
	struct plain *s = state;

	host_free(s->bitmap, s->pat.bytes);
	pattern_free(&s->pat);
	free(s);
}

static const struct bench_impl impls[] = {
	BENCH_IMPL("dirty/harvest/weir", weir_setup, weir_prepare, weir_run, weir_check,
		   weir_teardown),
	BENCH_IMPL("dirty/harvest/weir_atomic", weir_atomic_setup, weir_prepare, weir_run,
		   weir_check, weir_teardown),
	BENCH_IMPL("dirty/harvest/series2023", plain_setup, plain_prepare, series_run,
		   series_check, plain_teardown),
	BENCH_IMPL("dirty/harvest/plain_read", plain_setup, plain_prepare, plain_run, plain_check,
		   plain_teardown),
};

void bench_dirty_harvest(void)
{
	static const uint32_t ppm[] = { 0, 10000, 100000, 1000000 };
	const uint32_t gib[] = { 48, bench_region_gib() };
	size_t g, p, i;

	for (g = 0; g < 2; g++)
		for (p = 0; p < sizeof(ppm) / sizeof(ppm[0]); p++)
			for (i = 0; i < sizeof(impls) / sizeof(impls[0]); i++)
				bench_register_dirty(&impls[i], ppm[p], gib[g], 3);
}
