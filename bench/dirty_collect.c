// SPDX-License-Identifier: BSD-2-Clause
/*
 * dirty_collect.c - dirty/collect: one round of a dirty log under each way to keep one. An item is
 * a dirty page.
 *
 * A round: a guest writes the pages of a pattern, once each and in random order; then the collector
 * takes all of them, so that their next writes are seen again. Only the collector is timed. The
 * guest's part is counted: a write either faults into the library, or the hardware sets the leaf
 * dirty. Where a log is full before the round is over it is emptied at once, and that time belongs
 * to the collector too (early_ns). Rounds repeat with the same pages: what is measured is a steady
 * state, after some rounds that are not.
 *
 *   weir, weir_wp, weir_fixed64, weir_adaptive   harvest; `weir` is DBM_ALL
 *   weir_ring<N>      weir_dirty_ring in front of WP: collect and reset
 *   weir_hdbss<N>     the hardware's log of N entries, handed over; then harvest
 *   series2023        promotes 64 pages a fault as the series does, reads every descriptor
 *   exact_log         the oracle: knows each page once, at no cost to the guest; a store and an
 *                     entry a page
 *
 * Descriptors and metadata were flushed from the caches before the timed part: a guest ran.
 */
#include <stdlib.h>
#include <string.h>

#include "dirty_collect.h"
#include "dirty_world.h"
#include "peers/peers.h"

enum keeper {
	KEEPER_REGION,
	KEEPER_RING,
	KEEPER_HDBSS,
	KEEPER_SERIES,
	KEEPER_EXACT
};

struct collect {
	struct rig r;
	enum keeper keeper;
	uint32_t *order;		/* pages, as the guest writes them */
	struct weir_dirty_word *words;	/* what was collected: one a group, */
	size_t nwords;
	uint64_t *gfns;			/* or one a page */
	size_t ngfns;
	struct weir_dirty_ring ring;
	uint64_t *log;			/* of the ring, of the hardware, or the oracle's */
	size_t nlog, nlog_max;
	uint64_t *bitmap;		/* the series', and for the check */
	uint64_t early_ns;
	uint64_t ptes_before, tlbis_before;
	struct collect_note note;
};

static uint64_t *leaf_of(const struct collect *s, uint64_t page)
{
	return &s->r.w->tables[page / WORLD_TABLE_PTES][page % WORLD_TABLE_PTES];
}

static void collect_ring(struct collect *s)
{
	size_t n = 1, room = s->r.pat.npages - s->ngfns;

	s->ngfns += weir_dirty_ring_collect(&s->ring, s->gfns + s->ngfns, room);
	while (n)
		if (weir_dirty_ring_reset(&s->ring, s->r.d, &n))
			host_die("a ring's reset was refused");
}

/* The hardware's log, all of it. */
static void drain_log(struct collect *s)
{
	if (weir_dirty_log(s->r.d, s->log, s->nlog, 12) != s->nlog)
		host_die("the log has pages of another region");
	s->nlog = 0;
}

static void timed(struct collect *s, void (*what)(struct collect *s))
{
	uint64_t from = host_now_ns();

	what(s);
	s->early_ns += host_now_ns() - from;
}

/* The series marks the page, and gives DBM to the 64 around it. */
static void series_fault(struct collect *s, uint64_t page)
{
	uint64_t *leaf = leaf_of(s, page & ~(uint64_t)63u);
	unsigned int i;

	for (i = 0; i < 64u; i++)
		leaf[i] |= WEIR_DIRTY_DESC_DBM;
	leaf[page % 64u] |= WEIR_DIRTY_DESC_W;
	s->bitmap[page / 64u] |= (uint64_t)1 << page % 64u;
}

static void fault(struct collect *s, uint64_t page)
{
	uint64_t gfn = WORLD_BASE_GFN + page;
	struct weir_dirty_fault_info info;

	s->note.faults++;
	if (s->keeper == KEEPER_SERIES) {
		series_fault(s, page);
		return;
	}
	if (weir_dirty_fault(s->r.d, gfn, &info))
		host_die("a fault was refused");
	if (s->keeper == KEEPER_RING && weir_dirty_ring_push(&s->ring, gfn) != WEIR_OK)
		timed(s, collect_ring);
}

static void guest_write(struct collect *s, uint64_t page)
{
	uint64_t *leaf = leaf_of(s, page);

	if (s->keeper == KEEPER_EXACT) {
		s->log[s->nlog++] = WORLD_BASE_GFN + page;
		*leaf |= WEIR_DIRTY_DESC_W;
	} else if (*leaf & WEIR_DIRTY_DESC_W) {
		return;
	} else if (!(*leaf & WEIR_DIRTY_DESC_DBM)) {
		fault(s, page);
	} else {
		if (s->keeper == KEEPER_HDBSS) {
			if (s->nlog == s->nlog_max)
				timed(s, drain_log);
			s->log[s->nlog++] = (WORLD_BASE_GFN + page) << 12 | WEIR_DIRTY_LOG_VALID;
		}
		*leaf |= WEIR_DIRTY_DESC_W;
	}
}

static void prepare(void *state)
{
	struct collect *s = state;
	struct weir_dirty_stats stats;
	uint64_t i;

	s->nwords = 0;
	s->ngfns = 0;
	s->early_ns = 0;
	memset(&s->note, 0, sizeof(s->note));
	if (s->keeper == KEEPER_SERIES)
		memset(s->bitmap, 0, s->r.pat.bytes);
	weir_dirty_stats(s->r.d, &stats);
	s->ptes_before = stats.ptes_scanned;
	s->tlbis_before = stats.tlbi_ranges;
	for (i = 0; i < s->r.pat.npages; i++)
		guest_write(s, s->order[i]);
	host_flush(s->r.w->ptes, s->r.w->npages * sizeof(*s->r.w->ptes));
	host_flush(s->r.mem, s->r.mem_bytes);
}

static bool harvest(struct collect *s)
{
	struct weir_dirty_cursor cur;
	struct weir_dirty_txn txn;

	weir_dirty_cursor_init(s->r.d, &cur);
	if (weir_dirty_harvest_begin(s->r.d, &txn, &cur, s->words, s->r.w->ngroups) ||
	    weir_dirty_harvest_step(s->r.d, &txn, 0))
		return false;
	s->nwords = txn.nwords;
	weir_dirty_harvest_commit(s->r.d, &txn);
	return true;
}

static void collect_exact(struct collect *s)
{
	size_t i;

	for (i = 0; i < s->nlog; i++) {
		uint64_t *leaf = leaf_of(s, s->log[i] - WORLD_BASE_GFN);

		__atomic_store_n(leaf, *leaf & ~WEIR_DIRTY_DESC_W, __ATOMIC_RELAXED);
		s->gfns[i] = s->log[i];
	}
	s->ngfns = s->nlog;
	s->nlog = 0;
}

static void collect_series(struct collect *s)
{
	uint64_t g;

	peer_series2023_sync(s->r.w->tables, s->r.w->npages, s->bitmap);
	for (g = 0; g < s->r.w->ngroups; g++) {
		if (!s->bitmap[g])
			continue;
		s->words[s->nwords].gfn = WORLD_BASE_GFN + g * 64u;
		s->words[s->nwords].pages = s->bitmap[g];
		s->nwords++;
	}
}

static uint64_t run(void *state)
{
	struct collect *s = state;
	bool ok = true;

	switch (s->keeper) {
	case KEEPER_RING:
		collect_ring(s);
		break;
	case KEEPER_HDBSS:
		drain_log(s);
		ok = harvest(s);
		break;
	case KEEPER_SERIES:
		collect_series(s);
		break;
	case KEEPER_EXACT:
		collect_exact(s);
		break;
	case KEEPER_REGION:
		ok = harvest(s);
		break;
	}
	return ok ? s->r.pat.npages : 0;
}

static uint64_t early_ns(void *state)
{
	return ((struct collect *)state)->early_ns;
}

/* Each written page was collected; what else was is a false positive. */
static bool check(void *state)
{
	struct collect *s = state;
	struct weir_dirty_stats stats;
	uint64_t g, lost = 0;
	size_t i;

	memset(s->bitmap, 0, s->r.pat.bytes);
	for (i = 0; i < s->nwords; i++)
		s->bitmap[(s->words[i].gfn - WORLD_BASE_GFN) / 64u] |= s->words[i].pages;
	for (i = 0; i < s->ngfns; i++) {
		uint64_t page = s->gfns[i] - WORLD_BASE_GFN;

		s->bitmap[page / 64u] |= (uint64_t)1 << page % 64u;
	}
	for (g = 0; g < s->r.w->ngroups; g++) {
		uint64_t got = s->bitmap[g], written = s->r.pat.pages[g];

		lost |= written & ~got;
		s->note.false_positives += (uint64_t)__builtin_popcountll(got & ~written);
	}
	weir_dirty_stats(s->r.d, &stats);
	s->note.pages = s->r.pat.npages;
	s->note.ptes = stats.ptes_scanned - s->ptes_before;
	s->note.tlbis = stats.tlbi_ranges - s->tlbis_before;
	if (s->keeper == KEEPER_SERIES)
		s->note.ptes = s->r.w->npages;
	if (s->keeper == KEEPER_SERIES || s->keeper == KEEPER_EXACT)
		s->note.tlbis = 1;
	return !lost;
}

static void teardown(void *state)
{
	struct collect *s = state;

	free(s->order);
	free(s->words);
	free(s->gfns);
	free(s->log);
	free(s->bitmap);
	rig_free(&s->r);
	free(s);
}

static void *room(uint64_t n, size_t size)
{
	void *p = malloc((n ? n : 1u) * size);

	if (!p)
		host_die("no memory");
	return p;
}

static void *setup(const struct bench_params *params, enum keeper keeper, uint32_t policy,
		   size_t nlog)
{
	uint32_t flags = WEIR_DIRTY_F_TABLES_EXCLUSIVE | WEIR_DIRTY_F_COUNTERS;
	struct collect *s = calloc(1, sizeof(*s));
	unsigned int round;

	if (!s)
		host_die("no memory");
	if (policy == WEIR_DIRTY_HDBSS)
		flags |= WEIR_DIRTY_F_HDBSS;
	rig_init(&s->r, params, policy, flags);
	s->keeper = keeper;
	s->order = pattern_order(&s->r.pat, s->r.w);
	s->words = room(s->r.w->ngroups, sizeof(*s->words));
	s->gfns = room(s->r.pat.npages, sizeof(*s->gfns));
	s->bitmap = room(s->r.w->ngroups, sizeof(*s->bitmap));
	s->nlog_max = keeper == KEEPER_EXACT ? s->r.pat.npages : nlog;
	s->log = room(s->nlog_max, sizeof(*s->log));
	if (keeper == KEEPER_RING &&
	    weir_dirty_ring_init(&s->ring, s->log, (uint32_t)s->nlog_max))
		host_die("no ring of %zu entries", s->nlog_max);
	/* ADAPTIVE has settled by then. */
	for (round = 0; round < (policy == WEIR_DIRTY_ADAPTIVE ? 8u : 2u); round++) {
		prepare(s);
		if (run(s) != s->r.pat.npages || !check(s))
			host_die("a round lost pages");
	}
	return s;
}

#define SETUP(fn, keeper, policy, nlog)                                     \
	static void *fn(const struct bench_params *params)                  \
	{                                                                   \
		return setup(params, keeper, policy, nlog);                 \
	}

SETUP(wp_setup, KEEPER_REGION, WEIR_DIRTY_WP, 0)
SETUP(dbm_all_setup, KEEPER_REGION, WEIR_DIRTY_DBM_ALL, 0)
SETUP(fixed_setup, KEEPER_REGION, WEIR_DIRTY_FIXED, 0)
SETUP(adaptive_setup, KEEPER_REGION, WEIR_DIRTY_ADAPTIVE, 0)
SETUP(ring4096_setup, KEEPER_RING, WEIR_DIRTY_WP, 4096)
SETUP(ring65536_setup, KEEPER_RING, WEIR_DIRTY_WP, 65536)
SETUP(hdbss512_setup, KEEPER_HDBSS, WEIR_DIRTY_HDBSS, 512)
SETUP(hdbss4096_setup, KEEPER_HDBSS, WEIR_DIRTY_HDBSS, 4096)
SETUP(hdbss32768_setup, KEEPER_HDBSS, WEIR_DIRTY_HDBSS, 32768)
SETUP(hdbss262144_setup, KEEPER_HDBSS, WEIR_DIRTY_HDBSS, 262144)
SETUP(series_setup, KEEPER_SERIES, WEIR_DIRTY_WP, 0)
SETUP(exact_setup, KEEPER_EXACT, WEIR_DIRTY_WP, 0)

#define PEER(name_, setup_)                                                  \
	{ .name = "dirty/collect/" name_, .setup = setup_, .prepare = prepare, \
	  .run = run, .early_ns = early_ns, .check = check, .teardown = teardown }

static const struct bench_impl impls[] = {
	PEER("weir_wp", wp_setup),
	PEER("weir", dbm_all_setup),
	PEER("weir_fixed64", fixed_setup),
	PEER("weir_adaptive", adaptive_setup),
	PEER("weir_ring4096", ring4096_setup),
	PEER("weir_ring65536", ring65536_setup),
	PEER("weir_hdbss512", hdbss512_setup),
	PEER("weir_hdbss4096", hdbss4096_setup),
	PEER("weir_hdbss32768", hdbss32768_setup),
	PEER("weir_hdbss262144", hdbss262144_setup),
	PEER("series2023", series_setup),
	PEER("exact_log", exact_setup),
};

const struct collect_note *bench_collect_note(const void *state)
{
	return &((const struct collect *)state)->note;
}

void bench_dirty_collect(void)
{
	static const uint32_t ppm[] = { 1000, 10000, 100000, 1000000 };
	size_t p, i;

	for (p = 0; p < sizeof(ppm) / sizeof(ppm[0]); p++)
		for (i = 0; i < sizeof(impls) / sizeof(impls[0]); i++)
			bench_register_dirty(&impls[i], ppm[p], COLLECT_GIB, 5);
}
