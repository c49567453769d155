// SPDX-License-Identifier: BSD-2-Clause
/*
 * dirty_rearm.c - dirty/clear and dirty/freeze: taking write permission away. An item is a dirty
 * page of a clear (where none is dirty, the call), and a descriptor of a freeze.
 *
 *   clear/weir        DBM_ALL: the mask's pages lose S2AP[1], the other leaves are left alone
 *   clear/weir_wp     WP: the pages' bits are taken, and their leaves' write permission
 *   clear/series2023  KVM's CLEAR: bits of a word taken, and the walker sent over the leaves from
 *                     its first to its last page
 *   freeze/weir       DBM_ALL: every leaf loses DBM, what was dirty goes into the bitmap
 *   freeze/plain_read all descriptors read and nothing done with them
 */
#include <stdlib.h>
#include <string.h>

#include "dirty_world.h"
#include "peers/peers.h"

struct rearm {
	struct rig r;
	uint64_t *bitmap;
	uint64_t any;
};

static void *setup(const struct bench_params *params, uint32_t policy)
{
	struct rearm *s = calloc(1, sizeof(*s));

	if (!s)
		host_die("no memory");
	rig_init(&s->r, params, policy, WEIR_DIRTY_F_TABLES_EXCLUSIVE);
	s->bitmap = host_alloc(s->r.pat.bytes);
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

static void leaves_prepare(void *state)
{
	struct rearm *s = state;

	world_dirty(s->r.w, &s->r.pat);
}

/* The pages' bits as well. */
static void wp_prepare(void *state)
{
	struct rearm *s = state;
	uint64_t g, todo;

	for (g = 0; g < s->r.w->ngroups; g++)
		for (todo = s->r.pat.pages[g]; todo; todo &= todo - 1u)
			(void)weir_dirty_mark(s->r.d, WORLD_BASE_GFN + g * 64u +
					      (uint64_t)__builtin_ctzll(todo), 1);
	world_dirty(s->r.w, &s->r.pat);
}

static uint64_t pages_of(const struct rearm *s)
{
	return s->r.pat.npages ? s->r.pat.npages : 1u;
}

static uint64_t clear_run(void *state)
{
	struct rearm *s = state;

	if (weir_dirty_clear(s->r.d, WORLD_BASE_GFN, s->r.w->npages, s->r.pat.pages))
		return 0;
	return pages_of(s);
}

/* No leaf of the world is writable any more. */
static bool leaves_check(void *state)
{
	struct rearm *s = state;

	return !(peer_plain_read(s->r.w->tables, s->r.w->ntables) & WEIR_DIRTY_DESC_W);
}

static void series_prepare(void *state)
{
	struct rearm *s = state;

	memcpy(s->bitmap, s->r.pat.pages, s->r.pat.bytes);
	world_dirty(s->r.w, &s->r.pat);
}

static uint64_t series_run(void *state)
{
	struct rearm *s = state;

	peer_series2023_clear(s->r.w->tables, s->r.w->npages, s->bitmap, s->r.pat.pages);
	return pages_of(s);
}

/* Everything is promoted again, by a new start, and then written. */
static void freeze_prepare(void *state)
{
	struct rearm *s = state;

	weir_dirty_stop(s->r.d);
	if (weir_dirty_start(s->r.d, false))
		host_die("start failed");
	world_dirty(s->r.w, &s->r.pat);
}

static uint64_t freeze_run(void *state)
{
	struct rearm *s = state;
	struct weir_dirty_cursor cur;

	weir_dirty_cursor_init(s->r.d, &cur);
	return weir_dirty_freeze(s->r.d, &cur, 0) ? 0 : s->r.w->npages;
}

static bool freeze_check(void *state)
{
	struct rearm *s = state;

	return !weir_dirty_get_bitmap(s->r.d, WORLD_BASE_GFN, s->r.w->npages, s->bitmap) &&
	       !memcmp(s->bitmap, s->r.pat.pages, s->r.pat.bytes) && leaves_check(state);
}

static uint64_t read_run(void *state)
{
	struct rearm *s = state;

	s->any = peer_plain_read(s->r.w->tables, s->r.w->ntables);
	return s->r.w->npages;
}

static void teardown(void *state)
{
	struct rearm *s = state;

	host_free(s->bitmap, s->r.pat.bytes);
	rig_free(&s->r);
	free(s);
}

static const struct bench_impl clears[] = {
	BENCH_IMPL("dirty/clear/weir", dbm_all_setup, leaves_prepare, clear_run, leaves_check,
		   teardown),
	BENCH_IMPL("dirty/clear/weir_wp", wp_setup, wp_prepare, clear_run, leaves_check,
		   teardown),
	BENCH_IMPL("dirty/clear/series2023", wp_setup, series_prepare, series_run, leaves_check,
		   teardown),
};
static const struct bench_impl freezes[] = {
	BENCH_IMPL("dirty/freeze/weir", dbm_all_setup, freeze_prepare, freeze_run, freeze_check,
		   teardown),
	BENCH_IMPL("dirty/freeze/plain_read", dbm_all_setup, leaves_prepare, read_run, NULL,
		   teardown),
};

void bench_dirty_rearm(void)
{
	static const uint32_t ppm[] = { 0, 10000, 1000000 };
	size_t p, i;

	for (p = 0; p < sizeof(ppm) / sizeof(ppm[0]); p++) {
		for (i = 0; i < sizeof(clears) / sizeof(clears[0]); i++)
			bench_register_dirty(&clears[i], ppm[p], 48, 5);
		for (i = 0; i < sizeof(freezes) / sizeof(freezes[0]); i++)
			bench_register_dirty(&freezes[i], ppm[p], 48, 5);
	}
}
