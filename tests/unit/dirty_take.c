// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: a harvest hands over each dirty page once, after its invalidation, and gives it back when
 * it is aborted; freezing leaves nothing to scan; two readers never hold one stripe.
 * Method: small regions, an array of booleans as the model, and the invalidation op as the place
 * from which a second reader looks in.
 */
#include "dirty_tables.h"

#define BASE 0x40000u
#define NPAGES 8300u

static struct tables *started(uint32_t policy, uint32_t flags)
{
	struct weir_dirty_config cfg = {
		.base_gfn = BASE, .npages = NPAGES, .policy = policy, .neighbourhood = 16,
		.flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_COUNTERS | flags,
	};
	struct tables *t = tables_new(&cfg);

	assert_int_equal(weir_dirty_start(t->d, false), WEIR_OK);
	return t;
}

static void begin(struct tables *t, struct weir_dirty_txn *txn, struct weir_dirty_word *words,
		  size_t n)
{
	struct weir_dirty_cursor cur;

	weir_dirty_cursor_init(t->d, &cur);
	assert_int_equal(weir_dirty_harvest_begin(t->d, txn, &cur, words, n), WEIR_OK);
}

static unsigned int dirty_some(struct tables *t, unsigned char *model, unsigned int step)
{
	unsigned int p, n = 0;

	memset(model, 0, NPAGES);
	for (p = 3; p < NPAGES; p += step) {
		tables_guest_write(t, BASE + p);
		model[p] = 1;
		n++;
	}
	return n;
}

/* Take everything in portions; what is taken is the model, and re-armed. */
static void take_all(struct tables *t, const unsigned char *model, size_t room, uint64_t budget)
{
	struct weir_dirty_word words[64];
	unsigned char seen[NPAGES] = { 0 };
	struct weir_dirty_txn txn;
	enum weir_status status;
	size_t i, b;

	begin(t, &txn, words, room);
	do {
		status = weir_dirty_harvest_step(t->d, &txn, budget);
		assert_true(status == WEIR_OK || status == WEIR_EAGAIN);
		for (i = 0; i < txn.nwords; i++)
			for (b = 0; b < 64; b++) {
				uint64_t p = txn.words[i].gfn - BASE + b;

				if (!(txn.words[i].pages >> b & 1))
					continue;
				assert_int_equal(seen[p], 0);
				assert_int_equal(tables_state(t, BASE + p) & T_W, 0);
				seen[p] = 1;
			}
		weir_dirty_harvest_commit(t->d, &txn);
	} while (status == WEIR_EAGAIN);
	assert_memory_equal(seen, model, NPAGES);
}

static void harvest_takes_each_page_once(void **state)
{
	static const uint32_t policies[] = { WEIR_DIRTY_WP, WEIR_DIRTY_FIXED, WEIR_DIRTY_DBM_ALL };
	static const uint32_t flags[] = { 0, WEIR_DIRTY_F_TABLES_EXCLUSIVE };
	unsigned char model[NPAGES];
	size_t i, f;

	(void)state;
	for (i = 0; i < 3; i++)
		for (f = 0; f < 2; f++) {
			struct tables *t = started(policies[i], flags[f]);

			dirty_some(t, model, 1);
			take_all(t, model, 64, 0);
			dirty_some(t, model, 7);
			take_all(t, model, 1, 0);
			dirty_some(t, model, 97);
			take_all(t, model, 5, 64);
			assert_int_equal(tables_count_dirty(t), 0);
			memset(model, 0, NPAGES);
			take_all(t, model, 64, 0);
			tables_free(t);
		}
}

static void abort_gives_back(void **state)
{
	static const uint32_t policies[] = { WEIR_DIRTY_WP, WEIR_DIRTY_FIXED };
	unsigned char model[NPAGES];
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct tables *t = started(policies[i], 0);
		unsigned int n = dirty_some(t, model, 13);
		struct weir_dirty_word words[40];
		struct weir_dirty_stats stats;
		struct weir_dirty_txn txn;

		begin(t, &txn, words, 40);
		assert_int_equal(weir_dirty_harvest_step(t->d, &txn, 0), WEIR_EAGAIN);
		assert_int_equal(txn.nwords, 40);
		assert_int_not_equal(tables_count_dirty(t), n);
		weir_dirty_harvest_abort(t->d, &txn);
		assert_int_equal(tables_count_dirty(t), n);
		weir_dirty_stats(t->d, &stats);
		assert_int_equal(stats.pages_returned, stats.pages_cleared);
		assert_int_equal(weir_dirty_harvest_step(t->d, &txn, 0), WEIR_OK);	/* closed */
		assert_int_equal(txn.nwords, 0);
		take_all(t, model, 64, 0);
		tables_free(t);
	}
}

/* Budget: no step visits more than it and one group more. */
static void budget_bounds_a_step(void **state)
{
	struct tables *t = started(WEIR_DIRTY_DBM_ALL, 0);
	struct weir_dirty_word words[200];
	struct weir_dirty_stats before, after;
	struct weir_dirty_txn txn;
	enum weir_status status;
	unsigned int steps = 0;

	(void)state;
	begin(t, &txn, words, 200);
	do {
		weir_dirty_stats(t->d, &before);
		status = weir_dirty_harvest_step(t->d, &txn, 640);
		weir_dirty_stats(t->d, &after);
		assert_true(after.ptes_scanned - before.ptes_scanned <= 640);
		steps++;
	} while (status == WEIR_EAGAIN);
	assert_int_equal(status, WEIR_OK);
	assert_int_equal(steps, (NPAGES + 639) / 640);
	tables_free(t);
}

static unsigned int looked_in;

/* Called while the harvest's invalidation is pending: nobody may get at its pages. */
static void second_reader(struct tables *t)
{
	struct weir_dirty_cursor cur = { BASE, BASE + 4095, false };
	struct weir_dirty_word words[4];
	struct weir_dirty_txn txn;
	uint64_t bitmap[1];
	size_t n;

	looked_in++;
	assert_int_equal(weir_dirty_get(t->d, &cur, words, 4, 0, &n), WEIR_EBUSY);
	assert_int_equal(n, 0);
	assert_int_equal(cur.next_gfn, BASE);
	assert_int_equal(weir_dirty_clear(t->d, BASE + 64, 64, NULL), WEIR_EBUSY);
	assert_int_equal(weir_dirty_get_bitmap(t->d, BASE + 64, 64, bitmap), WEIR_EBUSY);
	assert_int_equal(weir_dirty_harvest_begin(t->d, &txn, &cur, words, 4), WEIR_OK);
	assert_int_equal(weir_dirty_harvest_step(t->d, &txn, 0), WEIR_EBUSY);
	assert_int_equal(txn.nwords, 0);
	/* a writer is not kept out */
	assert_int_equal(weir_dirty_mark(t->d, BASE + 70, 1), WEIR_OK);
	/* and another stripe is free */
	cur.next_gfn = BASE + 8192;
	cur.last_gfn = BASE + NPAGES - 1;
	assert_int_equal(weir_dirty_get(t->d, &cur, words, 4, 0, &n), WEIR_OK);
	assert_int_equal(n, 1);
}

static void one_reader_a_stripe(void **state)
{
	struct tables *t = started(WEIR_DIRTY_WP, 0);
	struct weir_dirty_cursor cur = { BASE, BASE + 4095, false };
	struct weir_dirty_word words[4];
	struct weir_dirty_txn txn;

	(void)state;
	tables_guest_write(t, BASE + 70);
	tables_guest_write(t, BASE + 8200);
	t->on_tlbi = second_reader;
	assert_int_equal(weir_dirty_harvest_begin(t->d, &txn, &cur, words, 4), WEIR_OK);
	assert_int_equal(weir_dirty_harvest_step(t->d, &txn, 0), WEIR_OK);
	assert_int_equal(txn.nwords, 1);
	assert_int_equal(looked_in, 1);
	weir_dirty_harvest_commit(t->d, &txn);
	t->on_tlbi = NULL;
	assert_true(tables_is_dirty(t, BASE + 70));	/* the mark made meanwhile */
	assert_int_equal(weir_dirty_start(t->d, true), WEIR_EBUSY);
	tables_free(t);
}

static void freeze_leaves_nothing_to_scan(void **state)
{
	static const uint32_t policies[] = { WEIR_DIRTY_FIXED, WEIR_DIRTY_DBM_ALL };
	unsigned char model[NPAGES];
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct tables *t = started(policies[i], 0);
		struct weir_dirty_stats before, after;
		struct weir_dirty_cursor cur;
		struct weir_dirty_fault_info info;
		unsigned int n = dirty_some(t, model, 31), p, steps = 1;

		weir_dirty_cursor_init(t->d, &cur);
		while (weir_dirty_freeze(t->d, &cur, 4096) == WEIR_EAGAIN)
			steps++;
		assert_true(cur.done && steps > 1);
		for (p = 0; p < NPAGES; p++) {
			assert_int_equal(weir_dirty_peek(t->d, BASE + p),
					 model[p] ? WEIR_DIRTY_PEEK_BIT : 0);
			assert_int_equal(tables_state(t, BASE + p), 0);
		}
		weir_dirty_stats(t->d, &before);
		assert_int_equal(tables_count_dirty(t), n);
		weir_dirty_stats(t->d, &after);
		assert_int_equal(after.ptes_scanned, before.ptes_scanned);
		info = tables_guest_write(t, BASE + 4);		/* frozen: traps */
		assert_int_equal(info.outcome, WEIR_DIRTY_TRAPPED);
		assert_int_equal(weir_dirty_clear(t->d, BASE, 64, NULL), WEIR_OK);
		assert_int_equal(tables_state(t, BASE + 4), 0);
		weir_dirty_thaw(t->d);
		info = tables_guest_write(t, BASE + 4);
		assert_int_equal(info.outcome, WEIR_DIRTY_PROMOTED);
		tables_free(t);
	}
}

/*
 * Each page alone, over a region whose groups lie across tables at every offset a scan may meet:
 * the harvest finds that page and no other. Then all of one table's pages beside a table that is
 * gone.
 */
static void a_scan_finds_each_page(void **state)
{
	struct weir_dirty_config cfg = {
		.base_gfn = BASE + 192, .npages = 64 * 9 + 13, .policy = WEIR_DIRTY_DBM_ALL,
		.flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_TABLES_EXCLUSIVE,
	};
	struct tables *t = tables_new(&cfg);
	struct weir_dirty_word words[16];
	struct weir_dirty_txn txn;
	uint64_t p;

	(void)state;
	assert_int_equal(weir_dirty_start(t->d, false), WEIR_OK);
	for (p = 0; p < cfg.npages; p++) {
		assert_true(tables_hw_write(t, cfg.base_gfn + p));
		begin(t, &txn, words, 16);
		assert_int_equal(weir_dirty_harvest_step(t->d, &txn, 0), WEIR_OK);
		assert_int_equal(txn.nwords, 1);
		assert_int_equal(words[0].gfn, cfg.base_gfn + p / 64 * 64);
		assert_int_equal(words[0].pages, (uint64_t)1 << p % 64);
		weir_dirty_harvest_commit(t->d, &txn);
		assert_int_equal(tables_state(t, cfg.base_gfn + p), T_DBM);
		assert_int_equal(t->tlbi_first, cfg.base_gfn + p);
		assert_int_equal(t->tlbi_last, cfg.base_gfn + p);
	}
	for (p = 0; p < 320; p++)	/* up to the end of the first table */
		assert_true(tables_hw_write(t, cfg.base_gfn + p));
	t->block[1] = T_PAGE & ~T_VALID;
	begin(t, &txn, words, 16);
	assert_int_equal(weir_dirty_harvest_step(t->d, &txn, 0), WEIR_OK);
	assert_int_equal(txn.nwords, 5);
	for (p = 0; p < 5; p++)
		assert_int_equal(words[p].pages, ~(uint64_t)0);
	tables_free(t);
}

/* A transaction that says that it holds more than fits is refused, and nothing is taken. */
static void more_words_than_fit(void **state)
{
	struct tables *t = started(WEIR_DIRTY_WP, 0);
	struct weir_dirty_word words[2] = { { 0, 0 }, { 7, 7 } };
	struct weir_dirty_txn txn;

	(void)state;
	tables_guest_write(t, BASE);
	begin(t, &txn, words, 1);
	txn.nwords = 2;
	assert_int_equal(weir_dirty_harvest_step(t->d, &txn, 0), WEIR_EINVAL);
	assert_int_equal(words[1].gfn, 7);
	assert_true(tables_is_dirty(t, BASE));
	tables_free(t);
}

/* A start in portions: all dirty, then cleared a range at a time, is a start with nothing dirty. */
static void a_start_in_portions(void **state)
{
	static const uint32_t policies[] = {
		WEIR_DIRTY_WP, WEIR_DIRTY_WP_EAGER, WEIR_DIRTY_DBM_ALL, WEIR_DIRTY_FIXED,
		WEIR_DIRTY_ADAPTIVE,
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		struct weir_dirty_config cfg = {
			.base_gfn = BASE, .npages = NPAGES, .policy = policies[i],
			.neighbourhood = 16, .flags = WEIR_DIRTY_F_DBM,
		};
		struct tables *whole = started(policies[i], 0), *t = tables_new(&cfg);
		uint64_t first, n;

		assert_int_equal(weir_dirty_start(t->d, true), WEIR_OK);
		for (first = 0; first < NPAGES; first += n) {
			n = NPAGES - first < 1024 ? NPAGES - first : 1024;
			assert_int_equal(weir_dirty_clear(t->d, BASE + first, n, NULL), WEIR_OK);
		}
		assert_int_equal(tables_count_dirty(t), 0);
		assert_memory_equal(t->pte, whole->pte, NPAGES * sizeof(*t->pte));
		tables_free(whole);
		tables_free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(more_words_than_fit),
		cmocka_unit_test(a_start_in_portions),
		cmocka_unit_test(harvest_takes_each_page_once),
		cmocka_unit_test(a_scan_finds_each_page),
		cmocka_unit_test(abort_gives_back),
		cmocka_unit_test(budget_bounds_a_step),
		cmocka_unit_test(one_reader_a_stripe),
		cmocka_unit_test(freeze_leaves_nothing_to_scan),
	};

	return cmocka_run_group_tests_name("dirty_take", tests, NULL, NULL);
}
