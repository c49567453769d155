// SPDX-License-Identifier: BSD-2-Clause
/*
 * dirty_write.c - dirty/fault and dirty/mark: the writers' side. An item is a call.
 *
 * 16384 pages, spread at random over the region, one call each; their descriptors and bits were
 * touched by the run before, so that the figure is the code's and not the memory's. "dirty" is the
 * state the calls meet: 1000 per mille: each page is writable and dirty already; 0: none is.
 *
 *   fault/weir            DBM_ALL, promoted pages: a second vCPU's fault, or a stale translation
 *   fault/weir_wp         WP: the page's bit is set, its leaf becomes writable
 *   fault/weir_fixed64    FIXED: the page and its 63 neighbours go to the hardware
 *   mark/weir             one page
 *   mark/set_bit          an atomic or on a flat bitmap
 *   mark/croaring         an addition to a compressed bitmap (no concurrent writers)
 */
#include <stdlib.h>
#include <string.h>

#include "dirty_world.h"
#include "peers/peers.h"

#define CALLS 16384u

struct writes {
	struct rig r;
	uint64_t gfn[CALLS];
	bool dirty;		/* before the run */
	bool hw;		/* leaves carry DBM when they are dirty */
	uint64_t ok;		/* calls that did what they should */
	uint64_t *bitmap;
#ifdef WEIR_HAVE_ROARING
	struct roaring_bitmap_s *set;
#endif
};

/* Pages of different groups: every step of a permutation of the groups. */
static void choose_pages(struct writes *s)
{
	uint64_t i;

	for (i = 0; i < CALLS; i++) {
		uint64_t group = i * 0x9e3779b1u % s->r.w->ngroups;

		s->gfn[i] = WORLD_BASE_GFN + group * 64u + (i * 29u) % 64u;
	}
}

static void *setup(const struct bench_params *params, uint32_t policy)
{
	struct bench_params clean = *params;
	struct writes *s = calloc(1, sizeof(*s));

	if (!s)
		host_die("no memory");
	clean.dirty_ppm = 0;
	rig_init(&s->r, &clean, policy, WEIR_DIRTY_F_TABLES_EXCLUSIVE);
	s->bitmap = host_alloc(s->r.pat.bytes);
	s->dirty = params->dirty_ppm != 0;
	s->hw = policy == WEIR_DIRTY_DBM_ALL;
	choose_pages(s);
	return s;
}

static void *dbm_all_setup(const struct bench_params *params)
{
	return setup(params, WEIR_DIRTY_DBM_ALL);
}

static void *wp_setup(const struct bench_params *params)
{
	return setup(params, WEIR_DIRTY_WP);
}

static void *fixed_setup(const struct bench_params *params)
{
	return setup(params, WEIR_DIRTY_FIXED);
}

/* The pages' groups as the run shall find them. */
static void fault_prepare(void *state)
{
	struct writes *s = state;
	uint64_t i, on = s->dirty ? WEIR_DIRTY_DESC_W : 0;

	if (s->hw)
		on |= WEIR_DIRTY_DESC_DBM;
	if (weir_dirty_clear(s->r.d, WORLD_BASE_GFN, s->r.w->npages, NULL))
		host_die("clear failed");
	for (i = 0; i < CALLS; i++) {
		uint64_t page = s->gfn[i] - WORLD_BASE_GFN, first = page & ~(uint64_t)63u, j;
		uint64_t *table = s->r.w->tables[first / WORLD_TABLE_PTES];
		uint64_t *leaf = &table[first % WORLD_TABLE_PTES];

		for (j = 0; j < 64u; j++)
			leaf[j] = WORLD_LEAF & ~WEIR_DIRTY_DESC_DBM;
		leaf[page % 64u] |= on;
	}
	s->ok = 0;
}

static uint64_t fault_run(void *state)
{
	struct writes *s = state;
	struct weir_dirty_fault_info info;
	uint64_t i;

	for (i = 0; i < CALLS; i++) {
		if (weir_dirty_fault(s->r.d, s->gfn[i], &info))
			return 0;
		s->ok += (info.outcome == WEIR_DIRTY_SPURIOUS) == s->dirty;
	}
	return CALLS;
}

static bool writes_check(void *state)
{
	struct writes *s = state;

	return s->ok == CALLS;
}

static void mark_prepare(void *state)
{
	struct writes *s = state;
	uint64_t i;

	if (weir_dirty_clear(s->r.d, WORLD_BASE_GFN, s->r.w->npages, NULL))
		host_die("clear failed");
	for (i = 0; s->dirty && i < CALLS; i++)
		(void)weir_dirty_mark(s->r.d, s->gfn[i], 1);
	s->ok = 0;
}

static uint64_t mark_run(void *state)
{
	struct writes *s = state;
	uint64_t i;

	for (i = 0; i < CALLS; i++)
		s->ok += !weir_dirty_mark(s->r.d, s->gfn[i], 1);
	return CALLS;
}

static void set_bit_prepare(void *state)
{
	struct writes *s = state;

	memset(s->bitmap, s->dirty ? 0xff : 0, s->r.pat.bytes);
	s->ok = 0;
}

static uint64_t set_bit_run(void *state)
{
	struct writes *s = state;
	uint64_t i;

	for (i = 0; i < CALLS; i++) {
		uint64_t page = s->gfn[i] - WORLD_BASE_GFN;

		s->ok++;
		__atomic_fetch_or(&s->bitmap[page / 64u], (uint64_t)1 << (page % 64u),
				  __ATOMIC_SEQ_CST);
	}
	return CALLS;
}

static void teardown(void *state)
{
	struct writes *s = state;

	host_free(s->bitmap, s->r.pat.bytes);
	rig_free(&s->r);
	free(s);
}

#ifdef WEIR_HAVE_ROARING
static void roaring_prepare(void *state)
{
	struct writes *s = state;
	uint64_t i;

	if (s->set)
		peer_roaring_free(s->set);
	memset(s->bitmap, 0, s->r.pat.bytes);
	for (i = 0; s->dirty && i < CALLS; i++) {
		uint64_t page = s->gfn[i] - WORLD_BASE_GFN;

		s->bitmap[page / 64u] |= (uint64_t)1 << (page % 64u);
	}
	s->set = peer_roaring_make(s->bitmap, s->r.w->ngroups);
	s->ok = 0;
}

static uint64_t roaring_run(void *state)
{
	struct writes *s = state;
	uint64_t i;

	for (i = 0; i < CALLS; i++)
		s->ok += peer_roaring_add(s->set, s->gfn[i] - WORLD_BASE_GFN) != s->dirty;
	return CALLS;
}

static void roaring_teardown(void *state)
{
	struct writes *s = state;

	if (s->set)
		peer_roaring_free(s->set);
	teardown(state);
}
#endif

static const struct bench_impl fault_weir =
	BENCH_IMPL("dirty/fault/weir", dbm_all_setup, fault_prepare, fault_run, writes_check,
		   teardown);
static const struct bench_impl fault_weir_wp =
	BENCH_IMPL("dirty/fault/weir_wp", wp_setup, fault_prepare, fault_run, writes_check,
		   teardown);
static const struct bench_impl fault_weir_fixed64 =
	BENCH_IMPL("dirty/fault/weir_fixed64", fixed_setup, fault_prepare, fault_run,
		   writes_check, teardown);
static const struct bench_impl marks[] = {
	BENCH_IMPL("dirty/mark/weir", wp_setup, mark_prepare, mark_run, writes_check, teardown),
	BENCH_IMPL("dirty/mark/set_bit", wp_setup, set_bit_prepare, set_bit_run, writes_check,
		   teardown),
#ifdef WEIR_HAVE_ROARING
	BENCH_IMPL("dirty/mark/croaring", wp_setup, roaring_prepare, roaring_run, writes_check,
		   roaring_teardown),
#else
	BENCH_MISSING("dirty/mark/croaring", "libroaring-dev"),
#endif
};

void bench_dirty_write(void)
{
	size_t i;

	bench_register_dirty(&fault_weir, 1000000, 48, 25);
	bench_register_dirty(&fault_weir_wp, 1000000, 48, 25);
	bench_register_dirty(&fault_weir_wp, 0, 48, 25);
	bench_register_dirty(&fault_weir_fixed64, 0, 48, 25);
	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		bench_register_dirty(&marks[i], 0, 48, 25);
		bench_register_dirty(&marks[i], 1000000, 48, 25);
	}
}
