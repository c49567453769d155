// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: a block loses no page of what it stands for. One that is writable in groups of the scan set
 * is what those pages' dirtiness is kept in: whoever takes its write permission, or its groups out
 * of the scan set, hands them over or sets their bits. A block that spans stripes, re-armed by one
 * reader, is not handed over by another before an invalidation.
 * Method: a table of a region in HW mode is replaced by a writable block, under every reader. The
 * pages of a block are those of its table; a page may come twice, never not at all (I5).
 */
#include "dirty_tables.h"

#define BASE 0x40000u
#define NPAGES 2048u
#define FIRST (BASE + 512u)	/* the block */

/* Every group in the scan set, nothing dirty, and the second table is a writable block. */
static struct tables *collapsed(void)
{
	struct weir_dirty_config cfg = {
		.base_gfn = BASE, .npages = NPAGES, .policy = WEIR_DIRTY_DBM_ALL,
		.flags = WEIR_DIRTY_F_DBM,
	};
	struct tables *t = tables_new(&cfg);

	assert_int_equal(weir_dirty_start(t->d, false), WEIR_OK);
	assert_int_equal(tables_count_dirty(t), 0);
	for (uint64_t gfn = BASE; gfn < BASE + NPAGES; gfn += 64)
		assert_true(weir_dirty_peek(t->d, gfn) & WEIR_DIRTY_PEEK_HW);
	t->block[1] = T_BLOCK | T_W;
	assert_int_equal(tables_count_dirty(t), 512);
	return t;
}

/* Harvest all; seen: how often each page of the region came. */
static void take(struct tables *t, uint64_t budget_ptes, unsigned int *seen)
{
	struct weir_dirty_word words[3];
	struct weir_dirty_cursor cur;
	struct weir_dirty_txn txn;
	enum weir_status status;
	unsigned int i, p;

	weir_dirty_cursor_init(t->d, &cur);
	assert_int_equal(weir_dirty_harvest_begin(t->d, &txn, &cur, words, 3), WEIR_OK);
	do {
		status = weir_dirty_harvest_step(t->d, &txn, budget_ptes);
		for (i = 0; i < txn.nwords; i++)
			for (p = 0; p < 64; p++)
				seen[words[i].gfn - BASE + p] += words[i].pages >> p & 1;
		weir_dirty_harvest_commit(t->d, &txn);
	} while (status == WEIR_EAGAIN);
	assert_int_equal(status, WEIR_OK);
}

static void check_harvest(uint64_t budget_ptes)
{
	struct tables *t = collapsed();
	unsigned int seen[NPAGES] = { 0 }, p;

	t->tlbis = 0;
	take(t, budget_ptes, seen);
	assert_int_equal(t->block[1], T_BLOCK);
	assert_int_not_equal(t->tlbis, 0);
	for (p = 0; p < NPAGES; p++)
		assert_true(p / 512 == 1 ? seen[p] : !seen[p]);
	take(t, 0, seen);
	assert_int_equal(tables_count_dirty(t), 0);
	tables_free(t);
}

static void harvest_hands_it_over(void **state)
{
	(void)state;
	check_harvest(0);
	check_harvest(64);	/* a group at a time */
}

/* Only one page is cleared: the block traps, and its other pages are dirty as before. */
static void clear_keeps_the_rest(void **state)
{
	struct tables *t = collapsed();
	uint64_t mask = 8;

	(void)state;
	assert_int_equal(weir_dirty_clear(t->d, FIRST + 64, 64, &mask), WEIR_OK);
	assert_int_equal(t->block[1], T_BLOCK);
	assert_false(tables_is_dirty(t, FIRST + 67));
	assert_int_equal(tables_count_dirty(t), 511);
	tables_free(t);
}

static void freeze_keeps_it(void **state)
{
	struct tables *t = collapsed();
	struct weir_dirty_promise promise;
	struct weir_dirty_cursor cur;

	(void)state;
	weir_dirty_cursor_init(t->d, &cur);
	assert_int_equal(weir_dirty_freeze(t->d, &cur, 0), WEIR_OK);
	weir_dirty_promise(t->d, &promise);
	assert_int_equal(promise.ptes, 0);
	assert_int_equal(tables_count_dirty(t), 512);
	tables_free(t);
}

/* One block of 2^18 pages maps the region: 64 stripes. */
static uint64_t huge_desc;
static unsigned int huge_order = 18;

static uint64_t *huge_leaf(void *ctx, uint64_t gfn, unsigned int *order)
{
	(void)ctx;
	(void)gfn;
	*order = huge_order;
	return &huge_desc;
}

static uint64_t tlbi_first, tlbi_last;

static void huge_tlbi(void *ctx, uint64_t first_gfn, uint64_t last_gfn)
{
	(void)ctx;
	tlbi_first = first_gfn;
	tlbi_last = last_gfn;
}

static void huge_local(void *ctx, uint64_t gfn)
{
	(void)ctx;
	(void)gfn;
}

static enum weir_status huge_split(void *ctx, uint64_t gfn)
{
	(void)ctx;
	(void)gfn;
	return WEIR_ENOMEM;
}

/*
 * A reader finds the block trapping already: the reader of another stripe that made it so may not
 * have invalidated yet, so this one does before it hands pages over (I3).
 */
static void stripes_of_one_block(void **state)
{
	static const struct weir_dirty_ops ops = {
		.leaf = huge_leaf, .tlbi_range = huge_tlbi, .tlbi_local = huge_local,
		.block_split = huge_split,
	};
	const struct weir_dirty_config cfg = { .base_gfn = BASE, .npages = 1u << 18 };
	size_t size = weir_dirty_size(&cfg);
	void *mem = aligned_alloc(64, (size + 63) / 64 * 64);
	struct weir_dirty *d;

	(void)state;
	huge_desc = T_BLOCK | T_W;
	assert_int_equal(weir_dirty_init(mem, size, &cfg, &ops, NULL, &d), WEIR_OK);
	assert_int_equal(weir_dirty_start(d, true), WEIR_OK);
	assert_int_equal(weir_dirty_clear(d, BASE + 4096, 64, NULL), WEIR_OK);
	assert_int_equal(huge_desc, T_BLOCK);
	assert_true(tlbi_first <= BASE && tlbi_last >= BASE + (1u << 18) - 1);
	tlbi_first = tlbi_last = 0;
	assert_int_equal(weir_dirty_clear(d, BASE + 3 * 4096, 64, NULL), WEIR_OK);
	assert_true(tlbi_first <= BASE + 3 * 4096 && tlbi_last >= BASE + 3 * 4096 + 63);
	free(mem);
}

/* A small block does the same where the region does not start on one: base_gfn is 64 into it. */
static void stripes_of_a_small_block(void **state)
{
	static const struct weir_dirty_ops ops = {
		.leaf = huge_leaf, .tlbi_range = huge_tlbi, .tlbi_local = huge_local,
		.block_split = huge_split,
	};
	const struct weir_dirty_config cfg = { .base_gfn = BASE + 64, .npages = 8192 };
	const uint64_t second = BASE + 64 + 4096;	/* stripe; the block begins 64 before */
	size_t size = weir_dirty_size(&cfg);
	void *mem = aligned_alloc(64, (size + 63) / 64 * 64);
	struct weir_dirty *d;

	(void)state;
	huge_desc = T_BLOCK | T_W;
	huge_order = 9;
	assert_int_equal(weir_dirty_init(mem, size, &cfg, &ops, NULL, &d), WEIR_OK);
	assert_int_equal(weir_dirty_start(d, true), WEIR_OK);
	assert_int_equal(weir_dirty_clear(d, second - 64, 64, NULL), WEIR_OK);
	assert_int_equal(huge_desc, T_BLOCK);
	tlbi_first = tlbi_last = 0;
	assert_int_equal(weir_dirty_clear(d, second, 64, NULL), WEIR_OK);
	assert_true(tlbi_first <= second && tlbi_last >= second + 63);
	huge_order = 18;
	free(mem);
}

/* Another reader, in the other stripe of the block, as soon as this one has asked for the leaf. */
static void clear_beside(struct tables *t)
{
	t->on_leaf = NULL;
	assert_int_equal(weir_dirty_clear(t->d, t->base_gfn + 4032, 64, NULL), WEIR_OK);
}

/*
 * A get has read a group's bits, and finds the block trapping: the reader that made it so set them
 * since.
 */
static void get_beside_a_clear(void **state)
{
	struct weir_dirty_config cfg = {
		.base_gfn = BASE + 64, .npages = 8192, .policy = WEIR_DIRTY_DBM_ALL,
		.flags = WEIR_DIRTY_F_DBM,
	};
	struct tables *t = tables_new(&cfg);
	uint64_t word = 0;

	(void)state;
	assert_int_equal(weir_dirty_start(t->d, false), WEIR_OK);
	t->block[8] = T_BLOCK | T_W;
	t->on_leaf = clear_beside;
	assert_true(tables_is_dirty(t, t->base_gfn + 4096));
	assert_int_equal(t->block[8], T_BLOCK);
	t->block[8] = T_BLOCK | T_W;
	assert_int_equal(weir_dirty_clear(t->d, t->base_gfn + 4096, 64, NULL), WEIR_OK);
	t->block[8] = T_BLOCK | T_W;
	t->on_leaf = clear_beside;
	assert_int_equal(weir_dirty_get_bitmap(t->d, t->base_gfn + 4096, 64, &word), WEIR_OK);
	assert_true(word == ~(uint64_t)0);
	tables_free(t);
}

/* The same of a harvest, which might be the last: the other reader does not come by again. */
static void harvest_beside_a_clear(void **state)
{
	struct weir_dirty_config cfg = {
		.base_gfn = BASE + 64, .npages = 8192, .policy = WEIR_DIRTY_DBM_ALL,
		.flags = WEIR_DIRTY_F_DBM,
	};
	struct tables *t = tables_new(&cfg);
	struct weir_dirty_cursor cur = { BASE + 64 + 4096, BASE + 64 + 4096 + 63, false };
	struct weir_dirty_word word;
	struct weir_dirty_txn txn;

	(void)state;
	assert_int_equal(weir_dirty_start(t->d, false), WEIR_OK);
	t->block[8] = T_BLOCK | T_W;
	t->on_leaf = clear_beside;
	assert_int_equal(weir_dirty_harvest_begin(t->d, &txn, &cur, &word, 1), WEIR_OK);
	t->tlbi_last = 0;
	assert_int_equal(weir_dirty_harvest_step(t->d, &txn, 0), WEIR_OK);
	assert_int_equal(txn.nwords, 1);
	assert_true(word.pages == ~(uint64_t)0);
	assert_true(t->tlbi_first <= cur.last_gfn - 63 && t->tlbi_last >= cur.last_gfn);
	tables_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(harvest_hands_it_over),
		cmocka_unit_test(clear_keeps_the_rest),
		cmocka_unit_test(freeze_keeps_it),
		cmocka_unit_test(stripes_of_one_block),
		cmocka_unit_test(stripes_of_a_small_block),
		cmocka_unit_test(get_beside_a_clear),
		cmocka_unit_test(harvest_beside_a_clear),
	};

	return cmocka_run_group_tests_name("dirty_blocks", tests, NULL, NULL);
}
