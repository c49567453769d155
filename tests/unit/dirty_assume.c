// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: pages that every round finds dirty are assumed to be, no more of them than was allowed, and
 * not for long once nobody writes them; what is assumed costs its writer nothing and is never lost.
 * Method: rounds as a migration makes them (write, get, clear), with the figures of the contract in
 * weir/dirty_assume.h: three rounds in a row, one look in eight.
 */
#include "dirty_tables.h"

#define BASE	0x40000u
#define NPAGES	4096u
#define NGROUPS	(NPAGES / 64)

static struct weir_dirty_config config(uint32_t policy, uint32_t flags)
{
	return (struct weir_dirty_config){
		.base_gfn = BASE, .npages = NPAGES, .policy = policy, .neighbourhood = 64,
		.flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_COUNTERS | flags,
	};
}

static struct tables *started(uint32_t policy, uint32_t flags)
{
	struct weir_dirty_config cfg = config(policy, WEIR_DIRTY_F_ASSUME | flags);
	struct tables *t = tables_new(&cfg);

	assert_int_equal(weir_dirty_start(t->d, false), WEIR_OK);
	return t;
}

static uint64_t faults(struct tables *t)
{
	struct weir_dirty_stats stats;

	weir_dirty_stats(t->d, &stats);
	return stats.faults_trapped + stats.faults_promoted;
}

static uint64_t nassumed(struct tables *t)
{
	uint64_t group, n = 0;

	for (group = 0; group < NGROUPS; group++)
		n += (uint64_t)__builtin_popcountll(weir_dirty_assumed(t->d, BASE + group * 64));
	return n;
}

static int reported(struct tables *t, uint64_t gfn)
{
	uint64_t bitmap[NGROUPS];

	assert_int_equal(weir_dirty_get_bitmap(t->d, BASE, NPAGES, bitmap), WEIR_OK);
	return bitmap[(gfn - BASE) / 64] >> ((gfn - BASE) % 64) & 1;
}

/* A round: npages pages from `first` on are written, step apart; get; clear. */
static void round_of(struct tables *t, uint64_t max, uint64_t first, unsigned int npages,
		     unsigned int step)
{
	uint64_t bitmap[NGROUPS];
	unsigned int i;

	assert_int_equal(weir_dirty_assume(t->d, max), WEIR_OK);
	for (i = 0; i < npages; i++)
		tables_guest_write(t, first + i * step);
	for (i = 0; i < npages; i++)
		assert_true(reported(t, first + i * step));
	assert_int_equal(weir_dirty_get_bitmap(t->d, BASE, NPAGES, bitmap), WEIR_OK);
	assert_int_equal(weir_dirty_clear(t->d, BASE, NPAGES, bitmap), WEIR_OK);
}

static void three_rounds_make_a_page_hot(void **state)
{
	const uint32_t policies[] = { WEIR_DIRTY_WP, WEIR_DIRTY_DBM_ALL, WEIR_DIRTY_FIXED,
				      WEIR_DIRTY_ADAPTIVE };
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct tables *t = started(policies[i], 0);
		struct weir_dirty_promise promise;
		uint64_t before;

		/* group 1: looked at in rounds 7 and 15 */
		round_of(t, 10, BASE + 70, 1, 1);
		round_of(t, 10, BASE + 70, 1, 1);
		assert_int_equal(nassumed(t), 0);
		round_of(t, 10, BASE + 70, 1, 1);
		assert_int_equal(weir_dirty_assumed(t->d, BASE + 100), 1u << 6);
		assert_int_equal(nassumed(t), 1);
		assert_true(weir_dirty_peek(t->d, BASE + 70) & WEIR_DIRTY_PEEK_ASSUMED);
		assert_true(weir_dirty_peek(t->d, BASE + 70) & WEIR_DIRTY_PEEK_BIT);
		weir_dirty_promise(t->d, &promise);
		assert_int_equal(promise.assumed, 1);
		before = faults(t);
		round_of(t, 10, BASE + 70, 1, 1);
		round_of(t, 10, BASE + 70, 1, 1);
		assert_int_equal(faults(t), before);
		assert_true(reported(t, BASE + 70));	/* clearing has no effect */
		tables_free(t);
	}
}

static void a_gap_begins_anew(void **state)
{
	struct tables *t = started(WEIR_DIRTY_WP, 0);
	unsigned int i;

	(void)state;
	for (i = 0; i < 8; i++) {
		round_of(t, 10, BASE + 70, 1, 1);
		round_of(t, 10, BASE + 70, 1, 1);
		round_of(t, 10, BASE + 700, i & 1, 1);
	}
	assert_int_equal(nassumed(t), 0);
	/* nor does a page gain from what its group's other pages did */
	for (i = 0; i < 8; i++)
		round_of(t, 10, BASE + 64 + i, 1, 1);
	assert_int_equal(nassumed(t), 0);
	tables_free(t);
}

static void no_more_than_allowed(void **state)
{
	struct tables *t = started(WEIR_DIRTY_WP, 0);
	unsigned int i;

	(void)state;
	for (i = 0; i < 20; i++) {
		round_of(t, 10, BASE, 200, 3);
		assert_true(nassumed(t) <= 10);
		assert_true(i != 2 || nassumed(t) == 10);
	}
	round_of(t, 4, BASE, 200, 3);
	assert_true(nassumed(t) <= 4);
	round_of(t, 0, BASE, 200, 3);
	assert_int_equal(nassumed(t), 0);
	for (i = 0; i < 5; i++)
		round_of(t, 0, BASE, 200, 3);
	assert_int_equal(nassumed(t), 0);
	tables_free(t);
}

/* Cold again: at most eight rounds too many, then handed over once more, and tracked. */
static void a_cold_page_is_let_go(void **state)
{
	uint64_t group;

	(void)state;
	for (group = 0; group < 8; group++) {
		struct tables *t = started(WEIR_DIRTY_ADAPTIVE, 0);
		uint64_t gfn = BASE + group * 64 + 9;
		struct weir_dirty_stats stats;
		unsigned int i, late = 0;

		for (i = 0; i < 4 || !weir_dirty_assumed(t->d, gfn); i++) {
			assert_true(i < 8);
			round_of(t, 10, gfn, 1, 1);
		}
		while (reported(t, gfn)) {
			assert_true(++late <= 8);
			round_of(t, 10, gfn, 0, 1);
		}
		assert_int_equal(nassumed(t), 0);
		weir_dirty_stats(t->d, &stats);
		assert_int_equal(stats.pages_assumed, stats.pages_let_go);
		tables_guest_write(t, gfn);
		assert_true(reported(t, gfn));
		tables_free(t);
	}
}

/* Still hot when it is looked at: assumed again in the round after. */
static void a_hot_page_comes_back(void **state)
{
	struct tables *t = started(WEIR_DIRTY_WP, 0);
	unsigned int i, tracked = 0;

	(void)state;
	for (i = 0; i < 43; i++) {
		round_of(t, 10, BASE + 70, 1, 1);
		tracked += i >= 3 && !weir_dirty_assumed(t->d, BASE + 70);
	}
	assert_int_equal(tracked, 5);	/* of 40 rounds one in eight */
	tables_free(t);
}

/* The second reader asks nobody, and gets the page in each of its epochs. */
static void every_reader_gets_it(void **state)
{
	struct tables *t = started(WEIR_DIRTY_WP, WEIR_DIRTY_F_READERS);
	size_t size = (weir_dirty_reader_size(t->d) + 63) / 64 * 64;
	void *mem = aligned_alloc(64, size);
	struct weir_dirty_word words[NGROUPS];
	struct weir_dirty_cursor cur;
	struct weir_dirty *second;
	struct weir_dirty_txn txn;
	unsigned int i;

	(void)state;
	assert_int_equal(weir_dirty_reader_attach(t->d, mem, size, false, &second), WEIR_OK);
	for (i = 0; i < 20; i++) {
		round_of(t, 10, BASE + 70, 1, 1);
		weir_dirty_cursor_init(second, &cur);
		assert_int_equal(weir_dirty_harvest_begin(second, &txn, &cur, words, NGROUPS),
				 WEIR_OK);
		assert_int_equal(weir_dirty_harvest_step(second, &txn, 0), WEIR_OK);
		assert_int_equal(txn.nwords, 1);
		assert_int_equal(words[0].pages, 1u << 6);
		weir_dirty_harvest_commit(second, &txn);
	}
	assert_int_equal(weir_dirty_assumed(second, BASE + 64),
			 weir_dirty_assumed(t->d, BASE + 64));
	assert_int_equal(weir_dirty_reader_detach(second), WEIR_OK);
	tables_free(t);
	free(mem);
}

/* Freezing takes DBM and not the write permission: the page goes on costing nothing. */
static void freeze_leaves_it_writable(void **state)
{
	struct tables *t = started(WEIR_DIRTY_FIXED, 0);
	struct weir_dirty_cursor cur;
	uint64_t before;
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++)
		round_of(t, 10, BASE + 70, 1, 1);
	assert_int_equal(tables_state(t, BASE + 70), T_STATE);
	weir_dirty_cursor_init(t->d, &cur);
	assert_int_equal(weir_dirty_freeze(t->d, &cur, 0), WEIR_OK);
	assert_int_equal(tables_state(t, BASE + 70), T_W);
	assert_int_equal(tables_state(t, BASE + 71), 0);
	before = faults(t);
	tables_guest_write(t, BASE + 70);
	assert_int_equal(faults(t), before);
	/* final: nothing is left out any more, and the last get has it */
	assert_int_equal(weir_dirty_final(t->d), WEIR_OK);
	assert_int_equal(nassumed(t), 0);
	assert_true(reported(t, BASE + 70));
	assert_int_equal(weir_dirty_assume(t->d, 10), WEIR_EINVAL);
	tables_free(t);
}

/* Two dirty pages are worth a promotion; one that is assumed saves no fault, and counts as none. */
static void it_promotes_nothing(void **state)
{
	struct tables *t = started(WEIR_DIRTY_ADAPTIVE, 0);
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++)
		round_of(t, 10, BASE + 70, 1, 1);
	assert_int_equal(nassumed(t), 1);
	tables_guest_write(t, BASE + 100);
	assert_false(weir_dirty_peek(t->d, BASE + 100) & WEIR_DIRTY_PEEK_HW);
	tables_guest_write(t, BASE + 101);
	assert_true(weir_dirty_peek(t->d, BASE + 100) & WEIR_DIRTY_PEEK_HW);
	tables_free(t);
}

static void refusals_and_restart(void **state)
{
	struct weir_dirty_config cfg = config(WEIR_DIRTY_WP, 0);
	struct tables *t = tables_new(&cfg);

	(void)state;
	assert_int_equal(weir_dirty_start(t->d, true), WEIR_OK);
	assert_int_equal(weir_dirty_assume(t->d, 10), WEIR_EOPNOTSUPP);
	assert_int_equal(weir_dirty_assumed(t->d, BASE), 0);
	tables_free(t);
	t = started(WEIR_DIRTY_WP, 0);
	round_of(t, 10, BASE, 1, 1);
	round_of(t, 10, BASE, 1, 1);
	round_of(t, 10, BASE, 1, 1);
	assert_int_equal(nassumed(t), 1);
	assert_int_equal(weir_dirty_assumed(t->d, BASE - 1), 0);
	assert_int_equal(weir_dirty_assumed(t->d, BASE + NPAGES), 0);
	weir_dirty_stop(t->d);
	assert_int_equal(nassumed(t), 0);
	assert_int_equal(weir_dirty_assume(t->d, 10), WEIR_EINVAL);
	assert_int_equal(weir_dirty_start(t->d, false), WEIR_OK);
	assert_int_equal(nassumed(t), 0);
	assert_false(reported(t, BASE));
	round_of(t, 10, BASE, 1, 1);
	round_of(t, 10, BASE, 1, 1);
	assert_int_equal(nassumed(t), 0);	/* what it had learned is gone too */
	tables_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_rounds_make_a_page_hot),
		cmocka_unit_test(a_gap_begins_anew),
		cmocka_unit_test(no_more_than_allowed),
		cmocka_unit_test(a_cold_page_is_let_go),
		cmocka_unit_test(a_hot_page_comes_back),
		cmocka_unit_test(every_reader_gets_it),
		cmocka_unit_test(freeze_leaves_it_writable),
		cmocka_unit_test(it_promotes_nothing),
		cmocka_unit_test(refusals_and_restart),
	};

	return cmocka_run_group_tests_name("dirty_assume", tests, NULL, NULL);
}
