// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: weir_dirty_promise() is never broken, and says something: what it promises is what a walk
 * takes, and not merely more.
 * Method: 10^6 harvests in all (WEIR_TEST_PERCENT takes a share) and as many GETs, over every
 * policy, from states that random operations lead to: in a region of a few stripes that is mapped
 * by blocks at first, and in one of three blocks in which few tables are there. Before each walk
 * the promise; then GET, GET into a bitmap or a harvest in one call, or a harvest in steps that
 * visit one group each. Nobody else writes meanwhile: that is the promise's condition.
 *
 * What is counted: descriptors by the library's counter; groups by the words handed out, and in
 * steps by the steps; invalidations by the tables.
 *
 * How loose it may be, written down before the first run, over all walks of a policy:
 *   ptes   not at all: the scan set is known exactly.
 *   words  not at all against groups visited; against groups that were dirty or in the scan set
 *	    twice, for summary bits may be stale.
 *   tlbis  four times what harvests needed: a block in which nothing is found, or which holds only
 *	    pages that trap already (given back by an abort), needs none.
 */
#include "../unit/dirty_tables.h"
#include "tests/percent.h"

#define BASE		(0x40000u + 192u)	/* groups, not tables, are aligned */
#define SMALL_PAGES	9000u
#define WIDE_PAGES	(2u * 262144u + 5000u)
#define WIDE_TABLES	12u			/* that are there */
#define NGROUPS_MAX	((WIDE_PAGES + 63u) / 64u)
#define HARVESTS	1000000u
#define NPOLICIES	9u
#define SEEDS		4u

struct totals {
	uint64_t walks, harvests, ptes_promised, ptes, words_promised, words_visited, words_found;
	uint64_t stepped_promised;	/* words, of walks in steps */
	uint64_t tlbis_promised, tlbis;	/* of harvests in one call */
};

static struct {
	struct tables *t;
	struct weir_dirty *d;
	struct weir_dirty *second;	/* a further reader, or NULL */
	void *second_mem;
	uint64_t rng, seed, walk, npages;
	bool wide, devices, hdbss;
	uint64_t mapped[WIDE_TABLES];	/* first pages of the tables that are there */
	struct weir_dirty_word words[NGROUPS_MAX];
	uint64_t bitmap[NGROUPS_MAX];
	struct totals sum;
} w;

static uint64_t rnd(uint64_t n)
{
	uint64_t z = (w.rng += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (z ^ (z >> 31)) % n;
}

static uint64_t some_page(void)
{
	uint64_t p;

	if (!w.wide)
		return rnd(w.npages);
	p = w.mapped[rnd(WIDE_TABLES)] + rnd(512);
	return p < w.npages ? p : w.npages - 1;
}

static uint64_t some_range(uint64_t *first)
{
	uint64_t n = (1 + rnd(rnd(8) ? 8 : 200)) * 64;

	*first = some_page() & ~(uint64_t)63;
	return n < w.npages - *first ? n : w.npages - *first;
}

static void guest_write(uint64_t page)
{
	uint64_t before = tables_state(w.t, BASE + page), entry;

	if (!tables_hw_write(w.t, BASE + page)) {
		(void)weir_dirty_fault(w.d, BASE + page, NULL);
	} else if (w.hdbss && before == T_DBM) {
		entry = (BASE + page) << 12 | WEIR_DIRTY_LOG_VALID;
		assert_int_equal(weir_dirty_log(w.d, &entry, 1, 12), 1);
	}
}

static void restart(void)
{
	enum weir_status status;

	weir_dirty_stop(w.d);
	status = weir_dirty_start(w.d, rnd(4) == 0);
	assert_true(status == WEIR_OK || status == WEIR_ENOMEM);
}

static void freeze(void)
{
	struct weir_dirty_cursor cur;

	if (rnd(2)) {
		weir_dirty_thaw(w.d);
		return;
	}
	weir_dirty_cursor_init(w.d, &cur);
	(void)weir_dirty_freeze(w.d, &cur, rnd(2) ? 0 : 1 + rnd(4000));
}

/* A page is unmapped and mapped again; or a table appears that was not there. */
static void remap(void)
{
	uint64_t gfn = BASE + some_page();
	uint64_t *block = &w.t->block[(gfn - w.t->first_table) / 512];
	uint64_t *leaf = &w.t->pte[gfn - w.t->first_table], old = *leaf;

	if (*block)
		return;
	*leaf = rnd(4) ? T_PAGE : 0;
	weir_dirty_fold(w.d, gfn, 0, old);
}

static void device(void)
{
	uint64_t first, n = some_range(&first);

	if (w.devices && rnd(3))
		(void)weir_dirty_device_unmap(w.d, BASE + first, n);
	else if (w.devices)
		(void)weir_dirty_device_map(w.d, BASE + first, 1 + rnd(n < 70 ? n : 70));
}

static struct weir_dirty *some_reader(void)
{
	return w.second && rnd(2) ? w.second : w.d;
}

static void step(void)
{
	uint64_t op = rnd(1000), first, n;

	if (op < 750) {
		guest_write(some_page());
	} else if (op < 850) {	/* a neighbourhood */
		first = some_page();
		for (n = 1 + rnd(80); n && first < w.npages; n--, first++)
			guest_write(first);
	} else if (op < 900) {
		first = some_page();
		assert_int_equal(weir_dirty_mark(w.d, BASE + first, 1), WEIR_OK);
	} else if (op < 940) {
		n = some_range(&first);
		(void)weir_dirty_clear(some_reader(), BASE + first, n, NULL);
	} else if (op < 970) {
		remap();
	} else if (op < 985) {
		device();
	} else if (op < 998) {
		freeze();
	} else if (!rnd(10)) {
		restart();
	}
}

/* What one walk took. */
struct taken {
	uint64_t found;		/* words handed out */
	uint64_t visited;	/* groups visited; 0: not known */
	bool harvest;
};

static void walk_get(struct weir_dirty *reader, struct taken *taken)
{
	struct weir_dirty_cursor cur;
	size_t n;

	weir_dirty_cursor_init(reader, &cur);
	assert_int_equal(weir_dirty_get(reader, &cur, w.words, NGROUPS_MAX, 0, &n), WEIR_OK);
	taken->found = n;
}

static void walk_bitmap(struct weir_dirty *reader, struct taken *taken)
{
	uint64_t i;

	assert_int_equal(weir_dirty_get_bitmap(reader, BASE, w.npages, w.bitmap), WEIR_OK);
	for (i = 0; i < (w.npages + 63) / 64; i++)
		taken->found += w.bitmap[i] != 0;
}

/* In one call; or in steps of a budget that one group uses up. */
static void walk_harvest(struct weir_dirty *reader, struct taken *taken, bool steps)
{
	struct weir_dirty_cursor cur;
	struct weir_dirty_txn txn;
	enum weir_status status;
	uint64_t n = 0;

	weir_dirty_cursor_init(reader, &cur);
	assert_int_equal(weir_dirty_harvest_begin(reader, &txn, &cur, w.words, NGROUPS_MAX),
			 WEIR_OK);
	do {
		status = weir_dirty_harvest_step(reader, &txn, steps ? 64 : 0);
		n++;
	} while (status == WEIR_EAGAIN || (status == WEIR_ENOMEM && !txn.cur.done));
	assert_true(status == WEIR_OK || status == WEIR_ENOMEM);
	taken->found = txn.nwords;
	taken->visited = steps ? n : 0;
	taken->harvest = true;
	if (rnd(4))
		weir_dirty_harvest_commit(reader, &txn);
	else
		weir_dirty_harvest_abort(reader, &txn);
}

static void broken(const char *what, uint64_t took, uint64_t promised)
{
	fail_msg("seed %lu, walk %lu: %lu %s, promised %lu", (unsigned long)w.seed,
		 (unsigned long)w.walk, (unsigned long)took, what, (unsigned long)promised);
}

static void walk(void)
{
	struct weir_dirty *reader = some_reader();
	struct weir_dirty_stats before, after;
	struct weir_dirty_promise promise;
	struct taken taken = { 0, 0, false };
	unsigned int tlbis = w.t->tlbis;
	uint64_t ptes;

	/* a round begins, in regions that may assume pages dirty */
	if (rnd(2))
		(void)weir_dirty_assume(w.d, rnd(64));
	weir_dirty_stats(w.d, &before);
	weir_dirty_promise(reader, &promise);
	switch (rnd(4)) {
	case 0:
		walk_get(reader, &taken);
		break;
	case 1:
		walk_bitmap(reader, &taken);
		break;
	case 2:
		walk_harvest(reader, &taken, false);
		break;
	default:
		walk_harvest(reader, &taken, promise.words < 400);
	}
	weir_dirty_stats(w.d, &after);
	ptes = after.ptes_scanned - before.ptes_scanned;
	if (ptes > promise.ptes)
		broken("descriptors", ptes, promise.ptes);
	if (taken.found > promise.words)
		broken("words", taken.found, promise.words);
	/* A walk that finds nothing takes a step too. */
	if (taken.visited > promise.words && taken.visited > 1)
		broken("groups visited", taken.visited, promise.words);
	if (!taken.visited && w.t->tlbis - tlbis > promise.tlbis)
		broken("invalidations", w.t->tlbis - tlbis, promise.tlbis);
	w.sum.walks++;
	w.sum.harvests += taken.harvest;
	w.sum.ptes_promised += promise.ptes;
	w.sum.ptes += ptes;
	w.sum.words_promised += promise.words;
	w.sum.words_found += taken.found + ptes / 64;
	if (taken.visited && promise.words) {
		w.sum.stepped_promised += promise.words;
		w.sum.words_visited += taken.visited;
	}
	if (taken.harvest && !taken.visited) {
		w.sum.tlbis_promised += promise.tlbis;
		w.sum.tlbis += w.t->tlbis - tlbis;
	}
}

/* Tables here and there in three blocks, the rest not mapped. */
static void thin_out(void)
{
	uint64_t ntables = (BASE + WIDE_PAGES + 511) / 512 - w.t->first_table / 512, i;

	for (i = 0; i < ntables; i++)
		w.t->block[i] = 2;	/* not valid */
	for (i = 0; i < WIDE_TABLES; i++) {
		uint64_t table = ntables * i / WIDE_TABLES + rnd(ntables / WIDE_TABLES);

		w.t->block[table] = 0;
		w.mapped[i] = table ? table * 512 + w.t->first_table - BASE : 0;
	}
}

static void run_seed(uint64_t seed, uint32_t policy, uint32_t neighbourhood, uint64_t harvests)
{
	struct weir_dirty_config cfg = {
		.base_gfn = BASE, .policy = policy, .neighbourhood = neighbourhood,
		.flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_COUNTERS | WEIR_DIRTY_F_HDBSS,
	};
	uint64_t until = w.sum.harvests + harvests, n;

	w.rng = w.seed = seed;
	w.wide = seed & 1;
	w.npages = cfg.npages = w.wide ? WIDE_PAGES : SMALL_PAGES;
	w.devices = rnd(2) != 0;
	w.hdbss = policy == WEIR_DIRTY_HDBSS;
	w.second = NULL;
	w.second_mem = NULL;
	cfg.flags |= w.devices ? WEIR_DIRTY_F_DEVICES : 0;
	cfg.flags |= seed & 4 ? WEIR_DIRTY_F_ASSUME : 0;
	cfg.flags |= seed & 2 ? WEIR_DIRTY_F_READERS : WEIR_DIRTY_F_TABLES_EXCLUSIVE;
	w.t = w.wide ? tables_new(&cfg) : tables_new_blocks(&cfg);
	w.d = w.t->d;
	if (w.wide)
		thin_out();
	if (seed & 2) {
		size_t size = weir_dirty_reader_size(w.d);

		w.second_mem = aligned_alloc(64, (size + 63) / 64 * 64);
		assert_int_equal(weir_dirty_reader_attach(w.d, w.second_mem, size, false,
							  &w.second), WEIR_OK);
	}
	restart();
	for (w.walk = 0; w.sum.harvests < until; w.walk++) {
		for (n = 1 + rnd(6); n; n--)
			step();
		walk();
	}
	free(w.second_mem);
	tables_free(w.t);
}

static void run_policy(const char *name, uint32_t policy, uint32_t neighbourhood)
{
	uint64_t each = HARVESTS / 100 * test_percent() / (NPOLICIES * SEEDS) + 1;
	const struct totals *s = &w.sum;
	uint64_t seed;

	memset(&w.sum, 0, sizeof(w.sum));
	for (seed = 0; seed < SEEDS; seed++)
		run_seed(seed + 1, policy, neighbourhood, each);
	print_message("%-8s %lu walks, %lu harvests; promised/taken: descriptors %lu/%lu, "
		      "groups %lu/%lu visited, %lu/%lu not empty, invalidations %lu/%lu\n",
		      name, (unsigned long)s->walks, (unsigned long)s->harvests,
		      (unsigned long)s->ptes_promised, (unsigned long)s->ptes,
		      (unsigned long)s->stepped_promised, (unsigned long)s->words_visited,
		      (unsigned long)s->words_promised, (unsigned long)s->words_found,
		      (unsigned long)s->tlbis_promised, (unsigned long)s->tlbis);
	assert_int_equal(s->ptes_promised, s->ptes);
	assert_int_equal(s->stepped_promised, s->words_visited);
	assert_true(s->words_promised <= 2 * s->words_found);
	assert_true(s->tlbis_promised <= 4 * s->tlbis);
}

#define PROMISE_TEST(name, policy, neighbourhood)        \
	static void name(void **state)                   \
	{                                                \
		(void)state;                             \
		run_policy(#name, policy, neighbourhood); \
	}

PROMISE_TEST(wp, WEIR_DIRTY_WP, 0)
PROMISE_TEST(wp_eager, WEIR_DIRTY_WP_EAGER, 0)
PROMISE_TEST(dbm_all, WEIR_DIRTY_DBM_ALL, 0)
PROMISE_TEST(fixed1, WEIR_DIRTY_FIXED, 1)
PROMISE_TEST(fixed16, WEIR_DIRTY_FIXED, 16)
PROMISE_TEST(fixed64, WEIR_DIRTY_FIXED, 64)
PROMISE_TEST(fixed512, WEIR_DIRTY_FIXED, 512)
PROMISE_TEST(adaptive, WEIR_DIRTY_ADAPTIVE, 0)
PROMISE_TEST(hdbss, WEIR_DIRTY_HDBSS, 0)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wp),
		cmocka_unit_test(wp_eager),
		cmocka_unit_test(dbm_all),
		cmocka_unit_test(fixed1),
		cmocka_unit_test(fixed16),
		cmocka_unit_test(fixed64),
		cmocka_unit_test(fixed512),
		cmocka_unit_test(adaptive),
		cmocka_unit_test(hdbss),
	};

	return cmocka_run_group_tests_name("dirty_promise", tests, NULL, NULL);
}
