// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: a write that faults, or is reported, is in the log, and costs what the header says.
 * Method: one region over tables of a few pages; expected leaf states are the encodings of
 * weir/dirty.h, expected neighbourhoods the definition of each policy.
 */
#include "dirty_tables.h"

#define BASE 0x40000u

static struct weir_dirty_config config(uint32_t policy, uint32_t n, uint64_t npages)
{
	struct weir_dirty_config cfg = {
		.base_gfn = BASE, .npages = npages, .policy = policy, .neighbourhood = n,
		.flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_COUNTERS,
	};

	return cfg;
}

static struct tables *started(uint32_t policy, uint32_t n, uint64_t npages)
{
	struct weir_dirty_config cfg = config(policy, n, npages);
	struct tables *t = tables_new(&cfg);

	assert_int_equal(weir_dirty_start(t->d, false), WEIR_OK);
	return t;
}

static void wp_traps_each_page_once(void **state)
{
	struct tables *t = started(WEIR_DIRTY_WP, 0, 1000);
	struct weir_dirty_fault_info info;

	(void)state;
	assert_int_equal(tables_state(t, BASE + 70), 0);
	info = tables_guest_write(t, BASE + 70);
	assert_int_equal(info.outcome, WEIR_DIRTY_TRAPPED);
	assert_int_equal(info.leaves, 1);
	assert_int_equal(tables_state(t, BASE + 70), T_W);
	assert_int_equal(tables_state(t, BASE + 71), 0);
	assert_true(tables_is_dirty(t, BASE + 70));
	assert_int_equal(tables_count_dirty(t), 1);
	assert_int_equal(t->locals, 1);
	tables_free(t);
}

/* A fault on a page that is writable already: no descriptor write, no invalidation. */
static void second_fault_is_free(void **state)
{
	static const uint32_t policies[] = { WEIR_DIRTY_WP, WEIR_DIRTY_FIXED, WEIR_DIRTY_DBM_ALL };
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct tables *t = started(policies[i], 64, 512);
		struct weir_dirty_fault_info info;
		struct weir_dirty_stats stats;
		uint64_t copy[512];
		unsigned int locals, tlbis;

		if (policies[i] == WEIR_DIRTY_DBM_ALL)
			assert_int_equal(tables_state(t, BASE + 5), T_DBM);
		tables_guest_write(t, BASE + 5);
		memcpy(copy, t->pte, sizeof(copy));
		locals = t->locals;
		tlbis = t->tlbis;
		assert_int_equal(weir_dirty_fault(t->d, BASE + 5, &info), WEIR_OK);
		assert_int_equal(info.outcome, WEIR_DIRTY_SPURIOUS);
		assert_int_equal(info.leaves, 0);
		if (policies[i] != WEIR_DIRTY_WP) {
			/* a neighbour that was promoted with it */
			assert_int_equal(weir_dirty_fault(t->d, BASE + 6, &info), WEIR_OK);
			assert_int_equal(info.outcome, WEIR_DIRTY_SPURIOUS);
		}
		assert_memory_equal(copy, t->pte, sizeof(copy));
		assert_int_equal(t->locals, locals);
		assert_int_equal(t->tlbis, tlbis);
		weir_dirty_stats(t->d, &stats);
		assert_int_equal(stats.faults_spurious, policies[i] == WEIR_DIRTY_WP ? 1 : 2);
		tables_free(t);
	}
}

static void fixed_promotes_its_neighbourhood(void **state)
{
	static const uint32_t sizes[] = { 1, 2, 16, 64, 128, 512 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct tables *t = started(WEIR_DIRTY_FIXED, sizes[i], 1024);
		uint64_t gfn = BASE + 512 + 77, p;
		struct weir_dirty_fault_info info;

		info = tables_guest_write(t, gfn);
		assert_int_equal(info.outcome, WEIR_DIRTY_PROMOTED);
		assert_int_equal(info.leaves, sizes[i]);
		for (p = BASE; p < BASE + 1024; p++) {
			uint64_t want = p / sizes[i] == gfn / sizes[i] ? T_DBM : 0;

			if (p == gfn)
				want |= T_W;
			assert_int_equal(tables_state(t, p), want);
		}
		assert_int_equal(tables_count_dirty(t), 1);
		/* a neighbour is written without a fault, and is seen */
		if (sizes[i] > 1) {
			assert_true(tables_hw_write(t, gfn ^ 1));
			assert_true(tables_is_dirty(t, gfn ^ 1));
		}
		tables_free(t);
	}
}

/* A page that the guest may not write is neither promoted nor made writable. */
static void read_only_pages_stay_read_only(void **state)
{
	struct tables *t = started(WEIR_DIRTY_FIXED, 64, 128);
	struct weir_dirty_fault_info info;

	(void)state;
	t->read_only = BASE + 9;
	tables_guest_write(t, BASE + 8);
	assert_int_equal(tables_state(t, BASE + 9), 0);
	assert_int_equal(tables_state(t, BASE + 10), T_DBM);
	assert_int_equal(weir_dirty_fault(t->d, BASE + 9, &info), WEIR_EFAULT);
	assert_int_equal(tables_state(t, BASE + 9), 0);
	assert_false(tables_is_dirty(t, BASE + 9));
	tables_free(t);
}

static void blocks_are_split_on_the_fault(void **state)
{
	struct weir_dirty_config cfg = config(WEIR_DIRTY_WP, 0, 1024);
	struct tables *t = tables_new_blocks(&cfg);
	struct weir_dirty_fault_info info;

	(void)state;
	assert_int_equal(weir_dirty_start(t->d, false), WEIR_OK);
	assert_int_equal(t->block[0] & T_STATE, 0);
	info = tables_guest_write(t, BASE + 3);
	assert_true(info.split);
	assert_int_equal(t->splits, 1);
	assert_int_equal(tables_state(t, BASE + 3), T_W);
	assert_int_equal(tables_state(t, BASE + 4), 0);
	assert_int_equal(tables_count_dirty(t), 1);

	t->splits_allowed = 0;
	assert_int_equal(weir_dirty_fault(t->d, BASE + 600, &info), WEIR_ENOMEM);
	assert_int_equal(t->block[1] & T_STATE, 0);
	assert_int_equal(tables_count_dirty(t), 1);
	tables_free(t);
}

/* A fault through an older translation, on a block, or a run, that is writable by now. */
static void writable_blocks_stay_whole(void **state)
{
	struct weir_dirty_config cfg = config(WEIR_DIRTY_WP, 0, 1024);
	struct tables *t = tables_new_blocks(&cfg);
	struct weir_dirty_fault_info info;

	(void)state;
	t->block[1] = 0;
	t->pte[600] |= WEIR_DIRTY_DESC_CONT;
	assert_int_equal(weir_dirty_start(t->d, true), WEIR_OK);
	assert_int_equal(weir_dirty_fault(t->d, BASE + 3, &info), WEIR_OK);
	assert_int_equal(info.outcome, WEIR_DIRTY_SPURIOUS);
	assert_false(info.split);
	assert_int_equal(t->block[0], T_BLOCK | T_W);
	assert_int_equal(weir_dirty_fault(t->d, BASE + 600, &info), WEIR_OK);
	assert_int_equal(info.outcome, WEIR_DIRTY_SPURIOUS);
	assert_int_equal(t->pte[600], T_PAGE | T_W | WEIR_DIRTY_DESC_CONT);
	assert_int_equal(t->splits + t->locals, 0);
	tables_free(t);
}

static void eager_splits_when_it_protects(void **state)
{
	struct weir_dirty_config cfg = config(WEIR_DIRTY_WP_EAGER, 0, 1024);
	struct tables *t = tables_new_blocks(&cfg);

	(void)state;
	t->splits_allowed = 1;
	assert_int_equal(weir_dirty_start(t->d, false), WEIR_ENOMEM);
	assert_int_equal(t->splits, 1);
	assert_int_equal(t->block[0], 0);
	assert_int_equal(t->block[1] & T_STATE, 0);	/* protected as a block */
	assert_false(tables_guest_write(t, BASE + 3).split);
	t->splits_allowed = 1;
	assert_true(tables_guest_write(t, BASE + 700).split);
	assert_int_equal(tables_count_dirty(t), 2);
	tables_free(t);
}

/* Sixteen pages from p on become a contiguous run with this state; nothing else is asked of it. */
static void make_run(struct tables *t, uint64_t p, uint64_t state)
{
	uint64_t i;

	for (i = p; i < p + 16; i++)
		t->pte[i] = T_PAGE | state | WEIR_DIRTY_DESC_CONT;
}

/* No leaf of a run has the hint when another differs from it. */
static void check_run(const struct tables *t, uint64_t p)
{
	uint64_t i;

	for (i = p; i < p + 16; i++)
		assert_int_equal(t->pte[i] & WEIR_DIRTY_DESC_CONT, 0);
}

/* The leaves of a contiguous run must not differ: its hint goes before one of them changes. */
static void contiguous_runs_are_split_first(void **state)
{
	static const uint32_t policies[] = { WEIR_DIRTY_WP, WEIR_DIRTY_FIXED, WEIR_DIRTY_DBM_ALL };
	struct weir_dirty_stats stats;
	struct weir_dirty_fault_info info;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct weir_dirty_config cfg = config(policies[i], 64, 512);
		struct tables *t = tables_new(&cfg);
		uint64_t p;

		make_run(t, 32, T_W);
		assert_int_equal(weir_dirty_start(t->d, false), WEIR_OK);
		check_run(t, 32);
		for (p = 0; p < 512; p++)
			assert_int_equal(tables_state(t, BASE + p) & T_W, 0);
		make_run(t, 80, 0);		/* mapped while logging: trapping */
		tables_guest_write(t, BASE + 70);	/* its neighbour is promoted, it is not */
		for (p = 80; p < 96; p++)
			assert_int_equal(tables_state(t, BASE + p), 0);
		assert_int_equal(weir_dirty_fault(t->d, BASE + 81, &info), WEIR_OK);
		assert_true(info.split);
		check_run(t, 80);
		assert_true(tables_hw_write(t, BASE + 81));
		assert_true(tables_is_dirty(t, BASE + 81));
		weir_dirty_stop(t->d);
		make_run(t, 112, 0);		/* on a fault while logging is off */
		assert_int_equal(weir_dirty_fault(t->d, BASE + 120, &info), WEIR_OK);
		assert_int_equal(info.outcome, WEIR_DIRTY_UNTRACKED);
		weir_dirty_stats(t->d, &stats);
		assert_int_equal(stats.faults_untracked, 1);
		check_run(t, 112);
		make_run(t, 160, T_W);		/* and when it is cleared */
		assert_int_equal(weir_dirty_start(t->d, true), WEIR_OK);
		assert_int_equal(weir_dirty_clear(t->d, BASE + 128, 64, NULL), WEIR_OK);
		check_run(t, 160);
		assert_int_equal(tables_state(t, BASE + 160) & T_W, 0);
		tables_free(t);
	}
}

static void bad_addresses_change_nothing(void **state)
{
	struct tables *t = started(WEIR_DIRTY_FIXED, 64, 100);

	(void)state;
	assert_int_equal(weir_dirty_fault(t->d, BASE - 1, NULL), WEIR_ERANGE);
	assert_int_equal(weir_dirty_fault(t->d, BASE + 100, NULL), WEIR_ERANGE);
	assert_int_equal(weir_dirty_fault(t->d, ~(uint64_t)0, NULL), WEIR_ERANGE);
	assert_int_equal(weir_dirty_mark(t->d, BASE + 99, 2), WEIR_ERANGE);
	assert_int_equal(weir_dirty_mark(t->d, BASE, 0), WEIR_ERANGE);
	assert_int_equal(weir_dirty_mark(t->d, BASE - 1, 1), WEIR_ERANGE);
	assert_int_equal(weir_dirty_mark(t->d, BASE, ~(uint64_t)0), WEIR_ERANGE);
	t->pte[5] = 0;
	assert_int_equal(weir_dirty_fault(t->d, BASE + 5, NULL), WEIR_ENOENT);
	t->block[0] = 2;	/* nothing mapped in the whole 2 MiB */
	assert_int_equal(weir_dirty_fault(t->d, BASE + 6, NULL), WEIR_ENOENT);
	t->block[0] = 0;
	assert_int_equal(tables_count_dirty(t), 0);
	tables_free(t);
}

static void marks_cover_their_range(void **state)
{
	struct tables *t = started(WEIR_DIRTY_WP, 0, 1000);
	uint64_t p;

	(void)state;
	assert_int_equal(weir_dirty_mark(t->d, BASE + 60, 140), WEIR_OK);
	assert_int_equal(weir_dirty_mark(t->d, BASE + 999, 1), WEIR_OK);
	for (p = 0; p < 1000; p++)
		assert_int_equal(tables_is_dirty(t, BASE + p),
				 (p >= 60 && p < 200) || p == 999);
	assert_int_equal(tables_count_dirty(t), 141);
	tables_free(t);
}

/* An unmapped or replaced leaf takes nothing with it (bits of a writable-dirty leaf are kept). */
static void replaced_leaf_is_folded(void **state)
{
	struct tables *t = started(WEIR_DIRTY_FIXED, 64, 600);
	uint64_t old;

	(void)state;
	tables_guest_write(t, BASE + 3);
	assert_true(tables_hw_write(t, BASE + 4));
	old = t->pte[4];
	t->pte[4] = 0;
	assert_false(tables_is_dirty(t, BASE + 4));
	weir_dirty_fold(t->d, BASE + 4, 0, old);
	assert_true(tables_is_dirty(t, BASE + 4));
	old = t->pte[5];		/* writable-clean: nothing to keep */
	t->pte[5] = 0;
	weir_dirty_fold(t->d, BASE + 5, 0, old);
	assert_false(tables_is_dirty(t, BASE + 5));
	/* a block whose run ends beyond the region */
	weir_dirty_fold(t->d, BASE + 512, 9, T_BLOCK | T_W);
	assert_int_equal(tables_count_dirty(t), 2 + 88);
	tables_free(t);
}

static void off_means_writable_and_unrecorded(void **state)
{
	struct weir_dirty_config cfg = config(WEIR_DIRTY_WP, 0, 1024);
	struct tables *t = tables_new_blocks(&cfg);
	struct weir_dirty_fault_info info;
	uint64_t bitmap[1];

	(void)state;
	assert_int_equal(weir_dirty_mark(t->d, BASE, 1), WEIR_OK);
	assert_int_equal(weir_dirty_start(t->d, false), WEIR_OK);
	assert_int_equal(weir_dirty_start(t->d, false), WEIR_EBUSY);
	tables_guest_write(t, BASE + 3);
	weir_dirty_stop(t->d);
	weir_dirty_stop(t->d);
	assert_int_equal(weir_dirty_clear(t->d, BASE, 64, NULL), WEIR_EINVAL);
	assert_int_equal(weir_dirty_get_bitmap(t->d, BASE, 64, bitmap), WEIR_EINVAL);
	assert_int_equal(weir_dirty_fault(t->d, BASE + 4, &info), WEIR_OK);
	assert_int_equal(info.outcome, WEIR_DIRTY_UNTRACKED);
	assert_int_equal(weir_dirty_fault(t->d, BASE + 700, &info), WEIR_OK);
	assert_int_equal(info.outcome, WEIR_DIRTY_UNTRACKED);
	assert_int_equal(t->splits, 1);			/* the block became writable whole */
	assert_int_equal(t->block[1] & T_STATE, T_W);
	assert_int_equal(weir_dirty_start(t->d, true), WEIR_OK);
	assert_int_equal(tables_count_dirty(t), 1024);
	tables_free(t);
}

/* A restart after a run that promoted leaves: what is cleared traps, whatever its leaf was. */
static void restart_forgets_the_scan_set(void **state)
{
	struct tables *t = started(WEIR_DIRTY_FIXED, 64, 512);

	(void)state;
	tables_guest_write(t, BASE + 3);
	weir_dirty_stop(t->d);
	assert_int_equal(weir_dirty_start(t->d, true), WEIR_OK);
	assert_int_equal(weir_dirty_clear(t->d, BASE, 512, NULL), WEIR_OK);
	assert_int_equal(tables_state(t, BASE + 3), 0);
	assert_int_equal(tables_state(t, BASE + 4), 0);
	assert_int_equal(tables_count_dirty(t), 0);
	tables_guest_write(t, BASE + 4);
	assert_int_equal(tables_count_dirty(t), 1);
	tables_free(t);
}

static void late_writers_surface(void **state)
{
	struct tables *t = started(WEIR_DIRTY_WP, 0, 512);
	struct weir_dirty_stats stats;

	(void)state;
	assert_int_equal(weir_dirty_final(t->d), WEIR_OK);
	assert_int_equal(weir_dirty_final(t->d), WEIR_EINVAL);
	assert_int_equal(weir_dirty_mark(t->d, BASE + 7, 2), WEIR_ESHUTDOWN);
	assert_int_equal(weir_dirty_fault(t->d, BASE + 20, NULL), WEIR_ESHUTDOWN);
	assert_int_equal(tables_count_dirty(t), 3);
	weir_dirty_stats(t->d, &stats);
	assert_int_equal(stats.pages_late[WEIR_DIRTY_BY_VMM], 2);
	assert_int_equal(stats.pages_late[WEIR_DIRTY_BY_VCPU], 1);
	tables_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wp_traps_each_page_once),
		cmocka_unit_test(second_fault_is_free),
		cmocka_unit_test(fixed_promotes_its_neighbourhood),
		cmocka_unit_test(read_only_pages_stay_read_only),
		cmocka_unit_test(blocks_are_split_on_the_fault),
		cmocka_unit_test(writable_blocks_stay_whole),
		cmocka_unit_test(eager_splits_when_it_protects),
		cmocka_unit_test(contiguous_runs_are_split_first),
		cmocka_unit_test(bad_addresses_change_nothing),
		cmocka_unit_test(marks_cover_their_range),
		cmocka_unit_test(replaced_leaf_is_folded),
		cmocka_unit_test(off_means_writable_and_unrecorded),
		cmocka_unit_test(restart_forgets_the_scan_set),
		cmocka_unit_test(late_writers_surface),
	};

	return cmocka_run_group_tests_name("dirty_fault", tests, NULL, NULL);
}
