// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: what went wrong in dirty logs in the field goes right here.
 * Method: each case of docs/known-failures.md replayed as its table says, with the right outcome
 * given there. Cases that other tests replay are named in that table and not repeated.
 */
#include "dirty_tables.h"

#define BASE	0x40000u
#define NPAGES	2048u

static struct tables *started(uint32_t policy, bool all_dirty)
{
	struct weir_dirty_config cfg = {
		.base_gfn = BASE, .npages = NPAGES, .policy = policy, .neighbourhood = 64,
		.flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_COUNTERS,
	};
	struct tables *t = tables_new(&cfg);

	assert_int_equal(weir_dirty_start(t->d, all_dirty), WEIR_OK);
	return t;
}

/* The owner takes a leaf out, as hardware may set W until the very exchange. */
static uint64_t take_out(struct tables *t, uint64_t gfn, uint64_t replacement)
{
	uint64_t old = t->pte[gfn - t->first_table];

	t->pte[gfn - t->first_table] = replacement;
	weir_dirty_fold(t->d, gfn, 0, old);
	return old;
}

/* H5, H18: a page written by hardware is unmapped before anybody harvested it. */
static void unmap_keeps_what_hardware_wrote(void **state)
{
	struct tables *t = started(WEIR_DIRTY_FIXED, false);

	(void)state;
	tables_guest_write(t, BASE + 8);
	assert_true(tables_hw_write(t, BASE + 9));
	take_out(t, BASE + 9, 0);
	assert_true(tables_is_dirty(t, BASE + 9));
	assert_int_equal(weir_dirty_clear(t->d, BASE, 64, NULL), WEIR_OK); /* a hole is no harm */
	assert_int_equal(tables_count_dirty(t), 0);
	tables_free(t);
}

/* H22: written, then made read-only by the owner, then released: still dirty. */
static void read_only_then_unmapped(void **state)
{
	struct tables *t = started(WEIR_DIRTY_DBM_ALL, false);

	(void)state;
	assert_true(tables_hw_write(t, BASE + 9));
	take_out(t, BASE + 9, T_PAGE);
	take_out(t, BASE + 9, 0);
	assert_true(tables_is_dirty(t, BASE + 9));
	tables_free(t);
}

/* H7: where a change of DBM needs break-before-make, DBM is never set. */
static void no_dbm_where_it_needs_a_break(void **state)
{
	struct weir_dirty_config cfg = {
		.base_gfn = BASE, .npages = NPAGES, .policy = WEIR_DIRTY_ADAPTIVE,
		.flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_DBM_NEEDS_BBM,
	};
	struct tables *t = tables_new(&cfg);
	unsigned int round, p;

	(void)state;
	assert_int_equal(weir_dirty_start(t->d, true), WEIR_OK);
	for (round = 0; round < 5; round++) {
		for (p = 0; p < 512; p++) {
			tables_guest_write(t, BASE + p);
			assert_int_equal(tables_state(t, BASE + p) & T_DBM, 0);
		}
		assert_int_equal(weir_dirty_clear(t->d, BASE, NPAGES, NULL), WEIR_OK);
	}
	tables_free(t);
}

/* H14: pages that arrived before the log was started are offered when it is. */
static void imported_pages_are_offered(void **state)
{
	struct weir_dirty_config cfg = {
		.base_gfn = BASE, .npages = NPAGES, .policy = WEIR_DIRTY_WP,
	};
	struct tables *t = tables_new(&cfg);

	(void)state;
	assert_int_equal(weir_dirty_mark(t->d, BASE + 4, 10), WEIR_OK);	/* off: by the VMM */
	assert_int_equal(weir_dirty_start(t->d, true), WEIR_OK);
	assert_int_equal(tables_count_dirty(t), NPAGES);
	tables_free(t);
}

/* H17, H23: one page at two guest frames. Each is tracked; who writes by another way marks both. */
static void aliases_are_two_pages(void **state)
{
	struct tables *t = started(WEIR_DIRTY_FIXED, false);

	(void)state;
	tables_guest_write(t, BASE + 100);
	assert_true(tables_is_dirty(t, BASE + 100));
	assert_false(tables_is_dirty(t, BASE + 1100));
	assert_int_equal(weir_dirty_mark_by(t->d, WEIR_DIRTY_BY_VHOST, BASE + 200, 1), WEIR_OK);
	assert_int_equal(weir_dirty_mark_by(t->d, WEIR_DIRTY_BY_VHOST, BASE + 1200, 1), WEIR_OK);
	assert_true(tables_is_dirty(t, BASE + 200) && tables_is_dirty(t, BASE + 1200));
	tables_free(t);
}

/* H20: a write while the vCPU, and its ring, are being destroyed. */
static void a_ring_that_is_gone(void **state)
{
	struct tables *t = started(WEIR_DIRTY_WP, false);
	uint64_t *entries = calloc(64, sizeof(*entries));
	struct weir_dirty_ring ring;

	(void)state;
	assert_int_equal(weir_dirty_ring_init(&ring, entries, 64), WEIR_OK);
	tables_guest_write(t, BASE + 1);
	assert_int_equal(weir_dirty_ring_push(&ring, BASE + 1), WEIR_OK);
	free(entries);
	assert_int_equal(weir_dirty_mark(t->d, BASE + 2, 1), WEIR_OK);
	assert_int_equal(tables_count_dirty(t), 2);	/* the entry's page too: it has its bit */
	tables_free(t);
}

static struct tables *collapsing;
static uint64_t collapse_at;

/* H25: the table that the walk comes to next is collapsed to a block while it is on its way. */
static uint64_t *leaf_that_collapses(void *ctx, uint64_t gfn, unsigned int *order)
{
	if (collapsing && gfn < collapse_at) {
		struct tables *t = collapsing;
		uint64_t i;

		collapsing = NULL;
		for (i = collapse_at; i < collapse_at + 512; i++)
			take_out(t, i, 0xdead0000);	/* nobody may look at these any more */
		t->block[(collapse_at - t->first_table) / 512] = T_BLOCK;
	}
	return tables_leaf(ctx, gfn, order);
}

static void a_table_collapses_under_the_walk(void **state)
{
	struct weir_dirty_config cfg = {
		.base_gfn = BASE, .npages = NPAGES, .policy = WEIR_DIRTY_DBM_ALL,
		.flags = WEIR_DIRTY_F_DBM,
	};
	struct tables *t = tables_new(&cfg);
	struct weir_dirty_ops ops = tables_ops;
	struct weir_dirty_word words[NPAGES / 64];
	struct weir_dirty_cursor cur;
	struct weir_dirty_txn txn;
	unsigned int i, pages = 0;

	(void)state;
	ops.leaf = leaf_that_collapses;
	assert_int_equal(weir_dirty_init(t->mem, weir_dirty_size(&cfg), &cfg, &ops, t, &t->d),
			 WEIR_OK);
	assert_int_equal(weir_dirty_start(t->d, false), WEIR_OK);
	assert_true(tables_hw_write(t, BASE + 5));
	assert_true(tables_hw_write(t, BASE + 1024 + 7));
	collapsing = t;
	collapse_at = BASE + 1024;
	weir_dirty_cursor_init(t->d, &cur);
	assert_int_equal(weir_dirty_harvest_begin(t->d, &txn, &cur, words, NPAGES / 64), WEIR_OK);
	assert_int_equal(weir_dirty_harvest_step(t->d, &txn, 0), WEIR_OK);
	for (i = 0; i < txn.nwords; i++)
		pages += (unsigned int)__builtin_popcountll(words[i].pages);
	assert_int_equal(pages + tables_count_dirty(t), 2);
	for (i = 0; i < 512; i++)
		assert_int_equal(t->pte[1024 + i], 0xdead0000);
	assert_int_equal(t->block[2], T_BLOCK);
	tables_free(t);
}

/* H27: start while a stop's reader is still at work; and a start that follows a stop is whole. */
static void start_while_a_reader_works_in(struct tables *t)
{
	weir_dirty_stop(t->d);
	assert_int_equal(weir_dirty_start(t->d, true), WEIR_EBUSY);
}

static void start_during_stop(void **state)
{
	struct tables *t = started(WEIR_DIRTY_WP, false);

	(void)state;
	tables_guest_write(t, BASE + 1);
	t->on_tlbi = start_while_a_reader_works_in;
	assert_int_equal(weir_dirty_clear(t->d, BASE, 64, NULL), WEIR_OK);
	t->on_tlbi = NULL;
	assert_int_equal(weir_dirty_start(t->d, true), WEIR_OK);
	assert_int_equal(tables_count_dirty(t), NPAGES);
	tables_free(t);
}

/* H32: a slot goes while it has bits: the last harvest sees them; a cancel leaves no traps. */
static void the_last_harvest_and_the_cancel(void **state)
{
	struct tables *t = started(WEIR_DIRTY_FIXED, false);
	struct weir_dirty_word words[NPAGES / 64];
	struct weir_dirty_cursor cur;
	size_t n;

	(void)state;
	tables_guest_write(t, BASE + 1);
	assert_true(tables_hw_write(t, BASE + 2));
	weir_dirty_cursor_init(t->d, &cur);
	assert_int_equal(weir_dirty_get(t->d, &cur, words, NPAGES / 64, 0, &n), WEIR_OK);
	assert_true(n == 1 && words[0].pages == 6);
	weir_dirty_stop(t->d);
	assert_int_equal(weir_dirty_fault(t->d, BASE + 1000, NULL), WEIR_OK);
	assert_int_equal(tables_state(t, BASE + 1000), T_W);
	tables_free(t);
}

/* H38: a page that never leaves the TLB is dirty again in every round. */
static void the_hottest_page_is_never_clean(void **state)
{
	static const uint32_t policies[] = { WEIR_DIRTY_WP, WEIR_DIRTY_FIXED, WEIR_DIRTY_ADAPTIVE };
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct tables *t = started(policies[i], false);
		unsigned int round;

		for (round = 0; round < 20; round++) {
			unsigned int tlbis;

			tables_guest_write(t, BASE + 77);
			assert_true(tables_is_dirty(t, BASE + 77));
			tlbis = t->tlbis;
			assert_int_equal(weir_dirty_clear(t->d, BASE, NPAGES, NULL), WEIR_OK);
			/* the cached translation is told to go, so the next write is seen */
			assert_true(t->tlbis > tlbis);
			assert_true(t->tlbi_first <= BASE + 77 && t->tlbi_last >= BASE + 77);
			assert_false(tables_is_dirty(t, BASE + 77));
		}
		tables_free(t);
	}
}

/*
 * A block that others keep changing, so that it cannot be protected: what was taken of it stays
 * dirty until a clear finds it at rest.
 */
static void a_block_that_is_never_at_rest(void **state)
{
	struct tables *t = started(WEIR_DIRTY_WP, true);

	(void)state;
	t->block[0] = T_PAGE | T_W;		/* not a block, whenever it is looked at */
	assert_int_equal(weir_dirty_clear(t->d, BASE, NPAGES, NULL), WEIR_OK);
	assert_int_equal(tables_count_dirty(t), 512);
	t->block[0] = T_BLOCK | T_W;
	assert_int_equal(weir_dirty_clear(t->d, BASE, NPAGES, NULL), WEIR_OK);
	assert_int_equal(tables_count_dirty(t), 0);
	assert_int_equal(t->block[0] & T_W, 0);
	tables_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unmap_keeps_what_hardware_wrote),
		cmocka_unit_test(read_only_then_unmapped),
		cmocka_unit_test(no_dbm_where_it_needs_a_break),
		cmocka_unit_test(imported_pages_are_offered),
		cmocka_unit_test(aliases_are_two_pages),
		cmocka_unit_test(a_ring_that_is_gone),
		cmocka_unit_test(a_table_collapses_under_the_walk),
		cmocka_unit_test(start_during_stop),
		cmocka_unit_test(the_last_harvest_and_the_cancel),
		cmocka_unit_test(the_hottest_page_is_never_clean),
		cmocka_unit_test(a_block_that_is_never_at_rest),
	};

	return cmocka_run_group_tests_name("dirty_failures", tests, NULL, NULL);
}
