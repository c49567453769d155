// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: the adaptive policy promotes where the cost rule says that it pays, climbs the ladder, and
 * comes down again.
 * Method: rounds of writes, get and clear as a migration makes them; expected promotions come from
 * the rule of lib/dirty_learn.c: with a fault of 3000 ns and a scan of 350 ns, two dirty pages
 * a group pay ((2 - 1) * 3000 > 350), one does not.
 */
#include "dirty_tables.h"

#define BASE 0x40000u
#define NPAGES 4096u

static struct tables *started(uint32_t weight)
{
	struct weir_dirty_config cfg = {
		.base_gfn = BASE, .npages = NPAGES, .policy = WEIR_DIRTY_ADAPTIVE,
		.flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_COUNTERS,
		.cost_fault_ns = 3000, .cost_scan_group_ns = 350, .scan_weight = weight,
	};
	struct tables *t = tables_new(&cfg);

	assert_int_equal(weir_dirty_start(t->d, true), WEIR_OK);
	assert_int_equal(weir_dirty_clear(t->d, BASE, NPAGES, NULL), WEIR_OK);
	assert_int_equal(tables_count_dirty(t), 0);
	return t;
}

/* One round of a migration: write npages pages, step apart, from `first`; get; clear. Faults. */
static uint64_t round_of(struct tables *t, uint64_t first, unsigned int npages, unsigned int step)
{
	uint64_t bitmap[NPAGES / 64];
	struct weir_dirty_stats a, b;
	unsigned int i;

	weir_dirty_stats(t->d, &a);
	for (i = 0; i < npages; i++)
		tables_guest_write(t, first + i * step);
	weir_dirty_stats(t->d, &b);
	assert_int_equal(weir_dirty_get_bitmap(t->d, BASE, NPAGES, bitmap), WEIR_OK);
	for (i = 0; i < npages; i++)
		assert_true(bitmap[(first + i * step - BASE) / 64] >>
			    ((first + i * step - BASE) % 64) & 1);
	assert_int_equal(weir_dirty_clear(t->d, BASE, NPAGES, bitmap), WEIR_OK);
	return b.faults_trapped + b.faults_promoted - a.faults_trapped - a.faults_promoted;
}

static int is_hw(struct tables *t, uint64_t gfn)
{
	return (weir_dirty_peek(t->d, gfn) & WEIR_DIRTY_PEEK_HW) != 0;
}

/* Everything dirty at the start is no reason to promote anything. */
static void the_first_pass_teaches_nothing(void **state)
{
	struct tables *t = started(1);
	uint64_t p;

	(void)state;
	for (p = BASE; p < BASE + NPAGES; p++)
		assert_int_equal(weir_dirty_peek(t->d, p), 0);
	tables_free(t);
}

static void two_pages_pay_one_does_not(void **state)
{
	struct tables *t = started(1);
	unsigned int i;

	(void)state;
	for (i = 0; i < 5; i++)
		assert_int_equal(round_of(t, BASE + 5, 1, 1), 1);
	assert_false(is_hw(t, BASE));
	assert_int_equal(round_of(t, BASE + 64, 2, 40), 2);
	assert_true(is_hw(t, BASE + 64));
	assert_int_equal(round_of(t, BASE + 64, 2, 40), 0);
	assert_int_equal(round_of(t, BASE + 64, 64, 1), 0);	/* the group was promoted whole */
	tables_free(t);
}

/* Sparse writers, one page in each group: no group is ever scanned. */
static void stride_64_is_never_scanned(void **state)
{
	struct tables *t = started(1);
	struct weir_dirty_stats stats;
	unsigned int i;

	(void)state;
	for (i = 0; i < 8; i++)
		assert_int_equal(round_of(t, BASE + i, NPAGES / 64, 64), NPAGES / 64);
	weir_dirty_stats(t->d, &stats);
	assert_int_equal(stats.ptes_scanned, 0);
	tables_free(t);
}

/* A scan weighed by 96 stopped vCPUs, 96 * 350 / 3000 + 1 = 12.2: 13 pages pay, 12 do not. */
static void the_weight_of_the_pause_counts(void **state)
{
	struct tables *t = started(96);

	(void)state;
	round_of(t, BASE, 12, 1);
	assert_false(is_hw(t, BASE));
	round_of(t, BASE, 13, 1);
	assert_true(is_hw(t, BASE));
	tables_free(t);
}

static void the_ladder(void **state)
{
	struct tables *t = started(1);
	unsigned int p;

	(void)state;
	/* step 16: dirty pages in one aligned run take the run along and nothing else */
	round_of(t, BASE + 18, 4, 3);
	for (p = 0; p < 64; p++)
		assert_int_equal(tables_state(t, BASE + p), p >= 16 && p < 32 ? T_DBM : 0);
	/* a trapping page of the group takes its own run */
	assert_int_equal(round_of(t, BASE + 50, 2, 1), 1);
	assert_int_equal(tables_state(t, BASE + 48), T_DBM);
	assert_int_equal(tables_state(t, BASE + 40), 0);
	/* step 512: six hot groups of eight, and a fault in a seventh promotes the table */
	round_of(t, BASE + 512, 12, 32);
	assert_false(is_hw(t, BASE + 512 + 7 * 64));
	assert_int_equal(round_of(t, BASE + 512 + 6 * 64, 1, 1), 1);
	assert_true(is_hw(t, BASE + 512 + 6 * 64));
	assert_true(is_hw(t, BASE + 512 + 7 * 64));
	assert_int_equal(tables_state(t, BASE + 512 + 511), T_DBM);
	tables_free(t);
}

/*
 * Four idle harvests demote (four scans cost 1400 ns, the two faults to come back 6000: it is the
 * limit that counts); to come back takes longer each time.
 */
static void idle_groups_come_down(void **state)
{
	struct tables *t = started(1);
	unsigned int flaps, i;

	(void)state;
	for (flaps = 0; flaps < 3; flaps++) {
		unsigned int wait = (1u << flaps) - 1;	/* 0, 1, 3: harvests to sit out */

		for (i = 0; i < wait; i++) {
			assert_int_equal(round_of(t, BASE, 8, 1), 8);
			assert_false(is_hw(t, BASE));
		}
		assert_int_equal(round_of(t, BASE, 8, 1), 2);	/* the second promotes the run */
		assert_true(is_hw(t, BASE));
		for (i = 0; i < 4; i++) {
			assert_true(is_hw(t, BASE));
			round_of(t, BASE + 1024, 1, 1);
		}
		assert_false(is_hw(t, BASE));
		assert_int_equal(tables_state(t, BASE), 0);
		assert_int_equal(tables_state(t, BASE + 8), 0);
	}
	tables_free(t);
}

/* 2 pages pay; the first time it waits, a group must show 2 << (1 + 2) = 16. */
static void a_group_that_waits_is_promoted_by_many_pages(void **state)
{
	struct tables *t = started(1);
	unsigned int i;

	(void)state;
	assert_int_equal(round_of(t, BASE, 8, 1), 2);
	for (i = 0; i < 4; i++)
		round_of(t, BASE + 1024, 1, 1);
	assert_false(is_hw(t, BASE));
	/* 16 faults, the last of which takes its run; and one that takes the other run */
	assert_int_equal(round_of(t, BASE, 32, 1), 17);
	assert_true(is_hw(t, BASE));
	tables_free(t);
}

/* With 96 stopped vCPUs two scans cost more than the 13 faults of a promotion: two demote. */
static void where_scans_are_dear_it_goes_down_sooner(void **state)
{
	struct tables *t = started(96);

	(void)state;
	round_of(t, BASE, 64, 1);
	assert_true(is_hw(t, BASE));
	round_of(t, BASE + 1024, 1, 1);
	assert_true(is_hw(t, BASE));
	round_of(t, BASE + 1024, 1, 1);
	assert_false(is_hw(t, BASE));
	tables_free(t);
}

/*
 * A dense phase, then a stride of 64 over the same memory: after two rounds nothing is scanned any
 * more, and trust, which the dense phase has left, promotes none of its steps.
 */
static void a_stride_comes_down_and_stays_down(void **state)
{
	struct tables *t = started(1);
	struct weir_dirty_stats a, b;
	unsigned int i;

	(void)state;
	round_of(t, BASE, NPAGES, 1);
	round_of(t, BASE, NPAGES, 1);
	assert_true(is_hw(t, BASE) && is_hw(t, BASE + NPAGES - 1));
	round_of(t, BASE + 7, NPAGES / 64, 64);
	round_of(t, BASE + 7, NPAGES / 64, 64);
	for (i = 0; i < NPAGES; i += 64)
		assert_false(is_hw(t, BASE + i));
	weir_dirty_stats(t->d, &a);
	for (i = 0; i < 5; i++)
		assert_int_equal(round_of(t, BASE + 7, NPAGES / 64, 64), NPAGES / 64);
	weir_dirty_stats(t->d, &b);
	assert_int_equal(b.ptes_scanned, a.ptes_scanned);
	tables_free(t);
}

/* One page in each group, but anywhere: no stride, and what is in HW mode stays there. */
static void scattered_pages_are_no_stride(void **state)
{
	struct tables *t = started(1);
	unsigned int round, i;

	(void)state;
	round_of(t, BASE, NPAGES, 1);
	for (round = 0; round < 6; round++)
		assert_int_equal(round_of(t, BASE, NPAGES / 65, 65), 0);
	for (i = 0; i < NPAGES / 65; i++)
		assert_true(is_hw(t, BASE + i * 65));
	tables_free(t);
}

/* Four groups that answered well, twice each of two: then a first fault promotes, all of 64. */
static void trust_is_earned_and_lost(void **state)
{
	struct tables *t = started(1);

	(void)state;
	assert_int_equal(round_of(t, BASE, 2, 1), 2);
	assert_int_equal(round_of(t, BASE + 512, 2, 1), 2);
	assert_int_equal(round_of(t, BASE + 1024, 1, 1), 1);
	assert_true(is_hw(t, BASE + 1024));
	assert_int_equal(tables_state(t, BASE + 1024 + 63), T_DBM);
	/* which had one page: not enough, and trust is below 4 again */
	assert_int_equal(round_of(t, BASE + 1536, 1, 1), 1);
	assert_false(is_hw(t, BASE + 1536));
	tables_free(t);
}

/* 32 groups of two pages each: trust is far above 16, and three groups take the table along. */
static void a_trusted_table_goes_sooner(void **state)
{
	const uint64_t table = BASE + 7 * 512;
	struct tables *t = started(1);

	(void)state;
	round_of(t, BASE, 64, 32);
	assert_int_equal(round_of(t, table, 3, 64), 3);
	assert_false(is_hw(t, table + 7 * 64));
	assert_int_equal(round_of(t, table + 3 * 64, 1, 1), 1);
	assert_true(is_hw(t, table + 7 * 64));
	assert_int_equal(tables_state(t, table + 511), T_DBM);
	tables_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_pass_teaches_nothing),
		cmocka_unit_test(two_pages_pay_one_does_not),
		cmocka_unit_test(stride_64_is_never_scanned),
		cmocka_unit_test(the_weight_of_the_pause_counts),
		cmocka_unit_test(the_ladder),
		cmocka_unit_test(idle_groups_come_down),
		cmocka_unit_test(a_group_that_waits_is_promoted_by_many_pages),
		cmocka_unit_test(where_scans_are_dear_it_goes_down_sooner),
		cmocka_unit_test(a_stride_comes_down_and_stays_down),
		cmocka_unit_test(scattered_pages_are_no_stride),
		cmocka_unit_test(trust_is_earned_and_lost),
		cmocka_unit_test(a_trusted_table_goes_sooner),
	};

	return cmocka_run_group_tests_name("dirty_learn", tests, NULL, NULL);
}
