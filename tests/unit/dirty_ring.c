// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: a ring never loses a page, whatever becomes of the ring; a reset re-arms each group once
 * and believes nothing it reads; the choice of a policy follows the costs. Method: the cases of
 * the field (KVM's dirty ring, its fixes of 2025) one by one.
 */
#include "dirty_tables.h"

#define BASE	0x40000u
#define NPAGES	1000u
#define N	64u

static uint64_t entries[N];
static struct weir_dirty_ring ring;

static struct tables *started(void)
{
	struct weir_dirty_config cfg = {
		.base_gfn = BASE, .npages = NPAGES, .policy = WEIR_DIRTY_WP,
		.flags = WEIR_DIRTY_F_COUNTERS,
	};
	struct tables *t = tables_new(&cfg);

	assert_int_equal(weir_dirty_start(t->d, false), WEIR_OK);
	assert_int_equal(weir_dirty_ring_init(&ring, entries, N), WEIR_OK);
	return t;
}

/* A vCPU writes; what traps goes into its ring. */
static enum weir_status write_page(struct tables *t, uint64_t p)
{
	if (tables_guest_write(t, BASE + p).outcome != WEIR_DIRTY_TRAPPED)
		return WEIR_OK;
	return weir_dirty_ring_push(&ring, BASE + p);
}

static void sizes(void **state)
{
	(void)state;
	assert_int_equal(weir_dirty_ring_init(&ring, entries, 0), WEIR_EINVAL);
	assert_int_equal(weir_dirty_ring_init(&ring, entries, 32), WEIR_EINVAL);
	assert_int_equal(weir_dirty_ring_init(&ring, entries, 96), WEIR_EINVAL);
	assert_int_equal(weir_dirty_ring_init(&ring, entries, 1u << 21), WEIR_EINVAL);
	assert_int_equal(weir_dirty_ring_init(&ring, NULL, N), WEIR_EINVAL);
	assert_int_equal(weir_dirty_ring_init(&ring, (uint64_t *)((char *)entries + 4), N),
			 WEIR_EINVAL);
}

static void collect_then_reset(void **state)
{
	struct tables *t = started();
	uint64_t gfns[N];
	size_t n;

	(void)state;
	write_page(t, 70);
	write_page(t, 6);
	write_page(t, 7);
	write_page(t, 6);		/* writable already: logged once */
	assert_int_equal(weir_dirty_ring_collect(&ring, gfns, N), 3);
	assert_true(gfns[0] == BASE + 70 && gfns[1] == BASE + 6 && gfns[2] == BASE + 7);
	assert_int_equal(tables_count_dirty(t), 3);
	t->tlbis = 0;
	assert_int_equal(weir_dirty_ring_reset(&ring, t->d, &n), WEIR_OK);
	assert_int_equal(n, 3);
	assert_int_equal(t->tlbis, 1);		/* one stripe, in whatever order */
	assert_int_equal(tables_count_dirty(t), 0);
	assert_int_equal(tables_state(t, BASE + 6), 0);
	assert_int_equal(write_page(t, 6), WEIR_OK);	/* faults, and is logged again */
	assert_int_equal(weir_dirty_ring_collect(&ring, gfns, N), 1);
	tables_free(t);
}

static void an_empty_reset_touches_nothing(void **state)
{
	struct tables *t = started();
	size_t n = 99;

	(void)state;
	write_page(t, 5);		/* dirty, not collected */
	t->leaf_calls = t->tlbis = 0;
	assert_int_equal(weir_dirty_ring_reset(&ring, t->d, &n), WEIR_OK);
	assert_int_equal(n, 0);
	assert_int_equal(t->leaf_calls + t->tlbis, 0);
	assert_int_equal(tables_count_dirty(t), 1);
	tables_free(t);
}

/* Soft-full before full; what finds no room is in the bitmap all the same. */
static void full_rings_lose_nothing(void **state)
{
	struct tables *t = started();
	uint64_t gfns[N], p;
	size_t n;

	(void)state;
	for (p = 0; p < 100; p++) {
		enum weir_status want = p < N - WEIR_DIRTY_RING_RESERVE ? WEIR_OK :
					p < N ? WEIR_EAGAIN : WEIR_ENOMEM;

		assert_int_equal(write_page(t, p * 3), want);
	}
	assert_int_equal(ring.overflowed, 100 - N);
	assert_int_equal(tables_count_dirty(t), 100);
	assert_int_equal(weir_dirty_ring_collect(&ring, gfns, 10), 10);
	assert_int_equal(weir_dirty_ring_collect(&ring, gfns, N), N - 10);
	assert_int_equal(weir_dirty_ring_collect(&ring, gfns, N), 0);
	assert_int_equal(weir_dirty_ring_reset(&ring, t->d, &n), WEIR_OK);
	assert_int_equal(n, N);
	assert_int_equal(tables_count_dirty(t), 100 - N);	/* the bitmap is the backup */
	assert_int_equal(write_page(t, 0), WEIR_OK);
	tables_free(t);
}

/* A table save while no vCPU runs, a write when the ring is gone: the bitmap has them. */
static void writers_without_a_ring(void **state)
{
	struct tables *t = started();
	uint64_t gfns[N];

	(void)state;
	assert_int_equal(weir_dirty_mark_by(t->d, WEIR_DIRTY_BY_TABLES, BASE + 40, 2), WEIR_OK);
	assert_int_equal(weir_dirty_ring_collect(&ring, gfns, N), 0);
	assert_int_equal(tables_count_dirty(t), 2);
	tables_free(t);
}

/* A collector that maps the ring writes what it likes into it. */
static void hostile_entries_are_bounded_and_ignored(void **state)
{
	struct tables *t = started();
	unsigned int i;
	size_t n;

	(void)state;
	write_page(t, 5);
	for (i = 0; i < N; i++)		/* all collected, frames from anywhere */
		entries[i] = (uint64_t)i * 0x123456789abcdefu << 2 | 2;
	assert_int_equal(weir_dirty_ring_reset(&ring, t->d, &n), WEIR_OK);
	assert_int_equal(n, N);
	assert_int_equal(tables_count_dirty(t), 1);
	for (i = 0; i < N; i++)		/* the region's own, again and again */
		entries[i] = (uint64_t)(BASE + 5) << 2 | 2;
	assert_int_equal(weir_dirty_ring_reset(&ring, t->d, &n), WEIR_OK);
	assert_int_equal(n, N);
	assert_int_equal(tables_count_dirty(t), 0);
	for (i = 0; i < N; i++)		/* a state that does not exist */
		entries[i] = 3;
	assert_int_equal(weir_dirty_ring_reset(&ring, t->d, &n), WEIR_OK);
	assert_int_equal(n, 0);
	assert_int_equal(write_page(t, 6), WEIR_ENOMEM);
	assert_int_equal(tables_count_dirty(t), 1);
	tables_free(t);
}

static size_t reset_in_between;

static void reset_while_held(struct tables *t)
{
	assert_int_equal(weir_dirty_ring_reset(&ring, t->d, &reset_in_between), WEIR_EBUSY);
}

static struct weir_dirty_ring *big_ring;

static void big_reset_while_held(struct tables *t)
{
	assert_int_equal(weir_dirty_ring_reset(big_ring, t->d, &reset_in_between), WEIR_EBUSY);
	assert_int_equal(weir_dirty_peek(t->d, BASE), WEIR_DIRTY_PEEK_BIT);
}

/* Another reader holds the stripe: the entries stay, and the next reset frees them. */
static void busy_resets_keep_their_entries(void **state)
{
	struct tables *t = started();
	uint64_t gfns[N];
	size_t n;

	(void)state;
	write_page(t, 5);
	write_page(t, 90);
	assert_int_equal(weir_dirty_ring_collect(&ring, gfns, 1), 1);
	t->on_tlbi = reset_while_held;
	assert_int_equal(weir_dirty_clear(t->d, BASE + 64, 64, NULL), WEIR_OK);
	t->on_tlbi = NULL;
	assert_int_equal(reset_in_between, 0);
	assert_int_equal(tables_count_dirty(t), 1);
	assert_int_equal(weir_dirty_ring_reset(&ring, t->d, &n), WEIR_OK);
	assert_int_equal(n, 1);
	assert_int_equal(tables_count_dirty(t), 0);
	tables_free(t);
}

/*
 * Pages in random order over many stripes are re-armed with an invalidation for each 96 entries;
 * a stripe that is held keeps all entries of its portion, and nothing of it is cleared.
 */
static void scattered_entries_share_an_invalidation(void **state)
{
	const struct weir_dirty_config cfg = { .base_gfn = BASE, .npages = 100 * 4096 };
	static struct weir_dirty_ring big;
	static uint64_t room[512], gfns[200];
	struct tables *t = tables_new(&cfg);
	uint64_t i;
	size_t n;

	(void)state;
	assert_int_equal(weir_dirty_start(t->d, false), WEIR_OK);
	assert_int_equal(weir_dirty_ring_init(&big, room, 512), WEIR_OK);
	for (i = 0; i < 200; i++) {
		uint64_t gfn = BASE + i * 67 % 100 * 4096 + i;

		(void)tables_guest_write(t, gfn);
		assert_int_equal(weir_dirty_ring_push(&big, gfn), WEIR_OK);
	}
	assert_int_equal(weir_dirty_ring_collect(&big, gfns, 200), 200);
	t->on_tlbi = big_reset_while_held;
	big_ring = &big;
	assert_int_equal(weir_dirty_clear(t->d, BASE + 65 * 4096, 4096, NULL), WEIR_OK);
	t->on_tlbi = NULL;
	assert_int_equal(reset_in_between, 0);
	assert_int_equal(tables_count_dirty(t), 198);
	t->tlbis = 0;
	assert_int_equal(weir_dirty_ring_reset(&big, t->d, &n), WEIR_OK);
	assert_int_equal(n, 200);
	assert_int_equal(t->tlbis, 3);
	assert_int_equal(tables_count_dirty(t), 0);
	for (i = 0; i < 200; i++)
		assert_int_equal(tables_state(t, gfns[i]), 0);
	tables_free(t);
}

/* Capacity 4 and six stores: the log is handed over when it is full, and all six are reported. */
static void hardware_log_full(void **state)
{
	struct weir_dirty_config cfg = {
		.base_gfn = BASE, .npages = NPAGES, .policy = WEIR_DIRTY_HDBSS,
		.flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_HDBSS | WEIR_DIRTY_F_COUNTERS,
	};
	struct tables *t = tables_new(&cfg);
	struct weir_dirty_stats stats;
	uint64_t log[4], p;
	size_t n = 0;

	(void)state;
	assert_int_equal(weir_dirty_start(t->d, false), WEIR_OK);
	for (p = 0; p < 6; p++) {
		assert_int_equal(tables_state(t, BASE + p * 100), T_DBM);
		if (n == 4) {
			assert_int_equal(weir_dirty_log(t->d, log, n, 12), 4);
			n = 0;
		}
		assert_true(tables_hw_write(t, BASE + p * 100));
		log[n++] = (BASE + p * 100) << 12 | WEIR_DIRTY_LOG_VALID;
	}
	assert_int_equal(tables_count_dirty(t), 4);
	assert_int_equal(weir_dirty_log(t->d, log, n, 12), 2);
	assert_int_equal(tables_count_dirty(t), 6);
	log[0] = (BASE + 1) << 12;				/* not valid */
	log[1] = (uint64_t)(BASE + NPAGES) << 12 | 1;		/* another region's */
	assert_int_equal(weir_dirty_log(t->d, log, 2, 12), 0);
	assert_int_equal(weir_dirty_clear(t->d, BASE, NPAGES, NULL), WEIR_OK);
	assert_int_equal(tables_count_dirty(t), 0);
	assert_int_equal(tables_state(t, BASE + 100), T_DBM);
	weir_dirty_stats(t->d, &stats);
	assert_int_equal(stats.ptes_scanned, 0);		/* nothing is ever scanned */
	tables_free(t);
}

static void the_choice(void **state)
{
	struct weir_dirty_load load = { .npages = 1u << 20, .nvcpus = 4 };
	const char *why = NULL;

	(void)state;
	load.dirty_pages = 1u << 20;
	assert_int_equal(weir_dirty_choose(&load, &why), WEIR_DIRTY_WP);
	assert_non_null(strstr(why, "cannot"));
	load.flags = WEIR_DIRTY_F_DBM;
	/* 16384 groups * 350 ns = 5.7 ms; 1911 faults of 3000 ns are as dear */
	load.dirty_pages = 1911;
	assert_int_equal(weir_dirty_choose(&load, NULL), WEIR_DIRTY_WP);
	load.dirty_pages = 1912;
	assert_int_equal(weir_dirty_choose(&load, NULL), WEIR_DIRTY_DBM_ALL);
	/* the log: 30 ns a page and 4 * 3000 ns; cheaper than both from 5 pages on */
	load.flags |= WEIR_DIRTY_F_HDBSS;
	assert_int_equal(weir_dirty_choose(&load, NULL), WEIR_DIRTY_HDBSS);
	load.dirty_pages = 4;
	assert_int_equal(weir_dirty_choose(&load, NULL), WEIR_DIRTY_WP);
	load.dirty_pages = 1u << 20;		/* everything, all the time: scanning wins again */
	assert_int_equal(weir_dirty_choose(&load, NULL), WEIR_DIRTY_DBM_ALL);
	load.flags |= WEIR_DIRTY_F_DBM_NEEDS_BBM;
	assert_int_equal(weir_dirty_choose(&load, NULL), WEIR_DIRTY_WP);
}

/* Where every cost is the largest, 2^34 scans are cheaper than 2^40 entries: no sum wraps. */
static void the_choice_at_its_limits(void **state)
{
	const struct weir_dirty_load load = {
		.npages = WEIR_DIRTY_PAGES_MAX, .dirty_pages = WEIR_DIRTY_PAGES_MAX,
		.nvcpus = ~0u, .flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_HDBSS,
		.cost_fault_ns = ~0u, .cost_scan_group_ns = ~0u,
		.cost_log_page_ns = ~0u, .cost_kick_ns = ~0u,
	};

	(void)state;
	assert_int_equal(weir_dirty_choose(&load, NULL), WEIR_DIRTY_DBM_ALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(collect_then_reset),
		cmocka_unit_test(an_empty_reset_touches_nothing),
		cmocka_unit_test(full_rings_lose_nothing),
		cmocka_unit_test(writers_without_a_ring),
		cmocka_unit_test(hostile_entries_are_bounded_and_ignored),
		cmocka_unit_test(busy_resets_keep_their_entries),
		cmocka_unit_test(scattered_entries_share_an_invalidation),
		cmocka_unit_test(hardware_log_full),
		cmocka_unit_test(the_choice),
		cmocka_unit_test(the_choice_at_its_limits),
	};

	return cmocka_run_group_tests_name("dirty_ring", tests, NULL, NULL);
}
