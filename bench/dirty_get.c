// SPDX-License-Identifier: BSD-2-Clause
/*
 * dirty_get.c - dirty/get and dirty/get_bitmap: what is dirty, asked in the pause, after a freeze.
 *
 * get hands out (gfn, pages) pairs in portions of 4096; an item is a pair, and where nothing is
 * dirty the whole call. get_bitmap fills a bitmap; an item is a word of it. All metadata and the
 * bitmaps were flushed from the caches before each run: the pause is the first to look.
 *
 *   weir           the region's summary levels lead to the dirty words
 *   find_next_bit  a flat bitmap, a search from bit to bit, as Linux does
 *   qemu_xchg      a flat bitmap, every word loaded, exchanged with 0 if it is not, as QEMU does
 *   croaring       a compressed bitmap, iterated
 *   memset         get_bitmap only: the least that filling a bitmap can cost
 */
#include <stdlib.h>
#include <string.h>

#include "dirty_world.h"
#include "peers/peers.h"

/* weir: freeze once; get takes nothing, so that every run finds the same. */
struct frozen {
	struct rig r;
	uint64_t *bitmap;
};

static void *weir_setup(const struct bench_params *params)
{
	struct frozen *s = malloc(sizeof(*s));
	struct weir_dirty_cursor cur;

	if (!s)
		host_die("no memory");
	rig_init(&s->r, params, WEIR_DIRTY_DBM_ALL, WEIR_DIRTY_F_TABLES_EXCLUSIVE);
	world_dirty(s->r.w, &s->r.pat);
	weir_dirty_cursor_init(s->r.d, &cur);
	if (weir_dirty_freeze(s->r.d, &cur, 0))
		host_die("freeze failed");
	s->bitmap = host_alloc(s->r.pat.bytes);
	return s;
}

static void weir_prepare(void *state)
{
	struct frozen *s = state;

	host_flush(s->r.mem, s->r.mem_bytes);
	host_flush(s->bitmap, s->r.pat.bytes);
	host_flush(s->r.words, RIG_WORDS * sizeof(*s->r.words));
}

static uint64_t weir_get_run(void *state)
{
	struct frozen *s = state;
	struct rig *r = &s->r;
	struct weir_dirty_cursor cur;
	enum weir_status status;

	r->nfound = 0;
	weir_dirty_cursor_init(r->d, &cur);
	do {
		size_t n;

		status = weir_dirty_get(r->d, &cur, r->words, RIG_WORDS, 0, &n);
		r->nfound += n;
	} while (status == WEIR_EAGAIN);
	if (status)
		return 0;
	return r->nfound ? r->nfound : 1u;
}

static bool weir_get_check(void *state)
{
	struct frozen *s = state;

	return s->r.nfound == s->r.pat.ngroups;
}

static uint64_t weir_bitmap_run(void *state)
{
	struct frozen *s = state;

	if (weir_dirty_get_bitmap(s->r.d, WORLD_BASE_GFN, s->r.w->npages, s->bitmap))
		return 0;
	return s->r.w->ngroups;
}

static bool weir_bitmap_check(void *state)
{
	struct frozen *s = state;

	return !memcmp(s->bitmap, s->r.pat.pages, s->r.pat.bytes);
}

static void weir_teardown(void *state)
{
	struct frozen *s = state;

	host_free(s->bitmap, s->r.pat.bytes);
	rig_free(&s->r);
	free(s);
}

/* Peers over flat bitmaps. */
struct flat {
	struct pattern pat;
	uint64_t ngroups;
	uint64_t *bitmap;	/* what was written */
	uint64_t *to;		/* what it is read into */
	struct weir_dirty_word words[RIG_WORDS];
	uint64_t nfound;
};

static void *flat_setup(const struct bench_params *params)
{
	struct flat *s = calloc(1, sizeof(*s));
	struct world *w = world_get(params->region_gib);

	if (!s)
		host_die("no memory");
	pattern_init(&s->pat, w, params->dirty_ppm);
	s->ngroups = w->ngroups;
	s->bitmap = host_alloc(s->pat.bytes);
	s->to = host_alloc(s->pat.bytes);
	return s;
}

static void flat_prepare(void *state)
{
	struct flat *s = state;

	memcpy(s->bitmap, s->pat.pages, s->pat.bytes);
	memset(s->to, 0, s->pat.bytes);
	host_flush(s->bitmap, s->pat.bytes);
	host_flush(s->to, s->pat.bytes);
	host_flush(s->words, sizeof(s->words));
}

static uint64_t find_next_bit_run(void *state)
{
	struct flat *s = state;
	uint64_t next = 0;

	s->nfound = 0;
	while (next < s->ngroups)
		s->nfound += peer_find_next_bit(s->bitmap, s->ngroups, &next, s->words, RIG_WORDS);
	return s->nfound ? s->nfound : 1u;
}

static uint64_t qemu_get_run(void *state)
{
	struct flat *s = state;
	uint64_t next = 0;

	s->nfound = 0;
	while (next < s->ngroups)
		s->nfound += peer_qemu_xchg(s->bitmap, s->ngroups, &next, s->words, RIG_WORDS);
	return s->nfound ? s->nfound : 1u;
}

static bool flat_get_check(void *state)
{
	struct flat *s = state;

	return s->nfound == s->pat.ngroups;
}

static uint64_t qemu_bitmap_run(void *state)
{
	struct flat *s = state;

	s->nfound = peer_qemu_sync(s->bitmap, s->ngroups, s->to);
	return s->ngroups;
}

static bool qemu_bitmap_check(void *state)
{
	struct flat *s = state;

	return s->nfound == s->pat.npages && !memcmp(s->to, s->pat.pages, s->pat.bytes);
}

static uint64_t memset_run(void *state)
{
	struct flat *s = state;

	memset(s->to, 0, s->pat.bytes);
	__asm__ __volatile__("" : : "r"(s->to) : "memory");
	return s->ngroups;
}

static void flat_teardown(void *state)
{
	struct flat *s = state;

	host_free(s->bitmap, s->pat.bytes);
	host_free(s->to, s->pat.bytes);
	pattern_free(&s->pat);
	free(s);
}

#ifdef WEIR_HAVE_ROARING
struct compressed {
	struct flat *flat;
	struct roaring_bitmap_s *set;
};

static void *roaring_setup(const struct bench_params *params)
{
	struct compressed *s = calloc(1, sizeof(*s));

	if (!s)
		host_die("no memory");
	s->flat = flat_setup(params);
	s->set = peer_roaring_make(s->flat->pat.pages, s->flat->ngroups);
	return s;
}

/* Its memory is in many pieces: what it shares with no other run, the bitmap, is flushed. */
static void roaring_prepare(void *state)
{
	struct compressed *s = state;

	flat_prepare(s->flat);
}

static uint64_t roaring_get_run(void *state)
{
	struct compressed *s = state;
	struct flat *f = s->flat;

	f->nfound = peer_roaring_get(s->set, f->words, RIG_WORDS);
	return f->nfound ? f->nfound : 1u;
}

static bool roaring_get_check(void *state)
{
	struct compressed *s = state;

	return flat_get_check(s->flat);
}

static uint64_t roaring_bitmap_run(void *state)
{
	struct compressed *s = state;

	memset(s->flat->to, 0, s->flat->pat.bytes);
	peer_roaring_bitmap(s->set, s->flat->to);
	return s->flat->ngroups;
}

static bool roaring_bitmap_check(void *state)
{
	struct compressed *s = state;

	return !memcmp(s->flat->to, s->flat->pat.pages, s->flat->pat.bytes);
}

static void roaring_teardown(void *state)
{
	struct compressed *s = state;

	peer_roaring_free(s->set);
	flat_teardown(s->flat);
	free(s);
}
#define ROARING(name, run, check)                                                        \
	BENCH_IMPL(name, roaring_setup, roaring_prepare, run, check, roaring_teardown)
#else
#define ROARING(name, run, check) BENCH_MISSING(name, "libroaring-dev")
#endif

static const struct bench_impl get_impls[] = {
	BENCH_IMPL("dirty/get/weir", weir_setup, weir_prepare, weir_get_run, weir_get_check,
		   weir_teardown),
	BENCH_IMPL("dirty/get/find_next_bit", flat_setup, flat_prepare, find_next_bit_run,
		   flat_get_check, flat_teardown),
	BENCH_IMPL("dirty/get/qemu_xchg", flat_setup, flat_prepare, qemu_get_run, flat_get_check,
		   flat_teardown),
	ROARING("dirty/get/croaring", roaring_get_run, roaring_get_check),
};

static const struct bench_impl bitmap_impls[] = {
	BENCH_IMPL("dirty/get_bitmap/weir", weir_setup, weir_prepare, weir_bitmap_run,
		   weir_bitmap_check, weir_teardown),
	BENCH_IMPL("dirty/get_bitmap/memset", flat_setup, flat_prepare, memset_run, NULL,
		   flat_teardown),
	BENCH_IMPL("dirty/get_bitmap/qemu_xchg", flat_setup, flat_prepare, qemu_bitmap_run,
		   qemu_bitmap_check, flat_teardown),
	ROARING("dirty/get_bitmap/croaring", roaring_bitmap_run, roaring_bitmap_check),
};

void bench_dirty_get(void)
{
	static const uint32_t ppm[] = { 0, 10, 1000, 10000, 1000000 };
	static const uint32_t gib[] = { 48, 480 };
	size_t g, p, i;

	for (g = 0; g < 2; g++) {
		for (p = 0; p < sizeof(ppm) / sizeof(ppm[0]); p++) {
			for (i = 0; i < sizeof(get_impls) / sizeof(get_impls[0]); i++)
				bench_register_dirty(&get_impls[i], ppm[p], gib[g], 9);
			for (i = 0; i < sizeof(bitmap_impls) / sizeof(bitmap_impls[0]); i++)
				bench_register_dirty(&bitmap_impls[i], ppm[p], gib[g], 9);
		}
	}
}
