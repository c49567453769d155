// SPDX-License-Identifier: BSD-2-Clause
/*
 * machine_stage2 - tables: mapping, finding leaves, splitting blocks, limits.
 *
 * Goal: descriptors are the architecture's, a split changes what is mapped by nothing but its grain
 * and DBM, and a call that fails changes nothing.
 * Method: descriptors and sizes are computed here from the layout in the architecture; every frame
 * of a mapping is asked for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim/machine/stage2.h"

#define TABLES_PA	UINT64_C(0x44000000)
#define PAGES_2M	UINT64_C(512)
#define PAGES_1G	UINT64_C(262144)

/* What SIM_S2_ATTRS_RW stands for: MemAttr 0b1111, S2AP 0b11, SH 0b11, AF. */
#define RW		UINT64_C(0x7fc)
#define PAGE		UINT64_C(3)
#define BLOCK		UINT64_C(1)

static struct sim_s2 *tables(uint64_t bytes_max)
{
	struct sim_s2_config cfg = {
		.geometry = SIM_S2_GEOMETRY_4K,
		.table_base_pa = TABLES_PA,
		.table_bytes_max = bytes_max,
	};
	struct sim_s2 *s2 = NULL;

	assert_int_equal(sim_s2_create(&cfg, &s2), WEIR_OK);
	return s2;
}

static uint64_t ntables(const struct sim_s2 *s2)
{
	struct sim_s2_stats stats;

	sim_s2_stats(s2, &stats);
	assert_int_equal(stats.table_bytes, stats.tables * 4096);
	return stats.tables;
}

static void pages_are_mapped(void **state)
{
	struct sim_s2 *s2 = tables(0);
	unsigned int order = 99;

	(void)state;
	assert_int_equal(SIM_S2_ATTRS_RW, RW);
	/* From the middle of one last-level table into the middle of the third. */
	assert_int_equal(sim_s2_map(s2, 0x40100, 2 * PAGES_2M, 0x80000, RW, 0), WEIR_OK);
	assert_int_equal(ntables(s2), 1 + 1 + 1 + 3);
	for (uint64_t i = 0; i < 2 * PAGES_2M; i++) {
		uint64_t *leaf = sim_s2_leaf(s2, 0x40100 + i, &order);

		assert_non_null(leaf);
		assert_int_equal(order, 0);
		assert_int_equal(*leaf, (0x80000 + i) << 12 | RW | PAGE);
	}
	/* Neighbours in a table are neighbours in memory. */
	assert_ptr_equal(sim_s2_leaf(s2, 0x40200, &order) + 511,
			 sim_s2_leaf(s2, 0x403ff, &order));
	assert_null(sim_s2_leaf(s2, 0x400ff, &order));
	assert_int_equal(order, 0);
	assert_null(sim_s2_leaf(s2, 0x40600, &order));
	assert_int_equal(order, 9);
	assert_null(sim_s2_leaf(s2, PAGES_1G * 4, &order));
	assert_int_equal(order, 18);
	assert_null(sim_s2_leaf(s2, PAGES_1G * 512, &order));
	assert_int_equal(order, 27);
	assert_null(sim_s2_leaf(s2, (uint64_t)1 << 36, &order));
	sim_s2_destroy(s2);
}

static void tables_are_linked_by_address(void **state)
{
	struct sim_s2 *s2 = tables(0);
	uint64_t *l0, *l3;

	(void)state;
	assert_int_equal(sim_s2_root_pa(s2), TABLES_PA);
	assert_int_equal(sim_s2_map(s2, 0, 1, 0x1234, RW, 0), WEIR_OK);
	l0 = sim_s2_table_at(s2, TABLES_PA);
	assert_ptr_equal(sim_s2_entry(s2, 0, 0), l0);
	assert_int_equal(l0[0], (TABLES_PA + 0x1000) | 3);
	assert_int_equal(*sim_s2_entry(s2, 1, 0), (TABLES_PA + 0x2000) | 3);
	assert_int_equal(*sim_s2_entry(s2, 2, 0), (TABLES_PA + 0x3000) | 3);
	l3 = sim_s2_table_at(s2, TABLES_PA + 0x3000);
	assert_ptr_equal(sim_s2_entry(s2, 3, 0), l3);
	assert_int_equal(l3[0], 0x1234000 | RW | PAGE);
	assert_null(sim_s2_table_at(s2, TABLES_PA + 0x4000));
	assert_null(sim_s2_table_at(s2, TABLES_PA - 0x1000));
	assert_null(sim_s2_entry(s2, 3, 0x200000));
	assert_null(sim_s2_entry(s2, -1, 0));
	assert_null(sim_s2_entry(s2, 4, 0));
	sim_s2_destroy(s2);
}

static void blocks_are_mapped(void **state)
{
	struct sim_s2 *s2 = tables(0);
	unsigned int order = 99;
	uint64_t *leaf;

	(void)state;
	assert_int_equal(sim_s2_map(s2, PAGES_1G, PAGES_1G, PAGES_1G * 3, RW, 18), WEIR_OK);
	assert_int_equal(sim_s2_map(s2, 0, 2 * PAGES_2M, PAGES_2M * 7, RW, 9), WEIR_OK);
	leaf = sim_s2_leaf(s2, PAGES_1G + 77777, &order);
	assert_int_equal(order, 18);
	assert_int_equal(*leaf, (PAGES_1G * 3) << 12 | RW | BLOCK);
	leaf = sim_s2_leaf(s2, PAGES_2M + 5, &order);
	assert_int_equal(order, 9);
	assert_int_equal(*leaf, (PAGES_2M * 8) << 12 | RW | BLOCK);
	assert_int_equal(ntables(s2), 3);
	sim_s2_destroy(s2);
}

static void bad_mappings_change_nothing(void **state)
{
	struct sim_s2 *s2 = tables(6 * 4096);
	unsigned int order;

	(void)state;
	assert_int_equal(sim_s2_map(s2, 0, 0, 0, RW, 0), WEIR_EINVAL);
	assert_int_equal(sim_s2_map(s2, 1, 512, 0, RW, 9), WEIR_EINVAL);
	assert_int_equal(sim_s2_map(s2, 0, 511, 0, RW, 9), WEIR_EINVAL);
	assert_int_equal(sim_s2_map(s2, 0, 512, 1, RW, 9), WEIR_EINVAL);
	assert_int_equal(sim_s2_map(s2, 0, 512, 0, RW, 4), WEIR_EINVAL);
	/* A block at level 0 takes the 52-bit format. */
	assert_int_equal(sim_s2_map(s2, 0, PAGES_1G * 512, 0, RW, 27), WEIR_EINVAL);
	assert_int_equal(sim_s2_map(s2, ((uint64_t)1 << 36) - 1, 2, 0, RW, 0), WEIR_EINVAL);
	assert_int_equal(sim_s2_map(s2, 0, 2, ((uint64_t)1 << 36) - 1, RW, 0), WEIR_EINVAL);
	assert_int_equal(sim_s2_map(s2, 0, 1, 0, RW | 1, 0), WEIR_EINVAL);
	assert_int_equal(sim_s2_map(s2, 0, 1, 0, RW | 0x1000, 0), WEIR_EINVAL);
	assert_int_equal(ntables(s2), 1);

	/* In the way of something, behind free frames: a page, then a block. */
	assert_int_equal(sim_s2_map(s2, 700, 1, 0, RW, 0), WEIR_OK);
	assert_int_equal(ntables(s2), 4);
	assert_int_equal(sim_s2_map(s2, 0, 1024, 0, RW, 0), WEIR_EBUSY);
	assert_int_equal(sim_s2_map(s2, 0, 1024, 0, RW, 9), WEIR_EBUSY);
	assert_int_equal(sim_s2_map(s2, 2048, 512, 0, RW, 9), WEIR_OK);
	assert_int_equal(sim_s2_map(s2, 2047, 2, 0, RW, 0), WEIR_EBUSY);
	assert_null(sim_s2_leaf(s2, 0, &order));
	assert_null(sim_s2_leaf(s2, 2047, &order));
	assert_int_equal(ntables(s2), 4);

	/* Three more tables do not fit, two do. */
	assert_int_equal(sim_s2_map(s2, 4096, 3 * PAGES_2M, 0, RW, 0), WEIR_ENOMEM);
	assert_null(sim_s2_leaf(s2, 4096, &order));
	assert_int_equal(ntables(s2), 4);
	assert_int_equal(sim_s2_map(s2, 4096, 2 * PAGES_2M, 0, RW, 0), WEIR_OK);
	assert_int_equal(ntables(s2), 6);
	sim_s2_destroy(s2);
}

struct flushes {
	struct sim_s2 *s2;
	uint64_t n;
	uint64_t first;
	uint64_t last;
	uint64_t during;	/* the block's descriptor at that moment */
	int level;
};

static void note_flush(void *ctx, uint64_t first_gfn, uint64_t last_gfn)
{
	struct flushes *f = ctx;

	f->n++;
	f->first = first_gfn;
	f->last = last_gfn;
	f->during = *sim_s2_entry(f->s2, f->level, first_gfn << 12);
}

static void splitting_2m_keeps_all_but_dbm(void **state)
{
	/* Read-only at S2AP, AF clear, execute-never, a software bit, write-through memory. */
	uint64_t attrs[] = {
		RW,
		RW & ~SIM_DESC_W,
		RW & ~SIM_DESC_AF,
		(RW & ~SIM_DESC_MEMATTR_WB) | UINT64_C(0xa) << 2 | SIM_DESC_XN_ALL |
			UINT64_C(1) << 55,
	};

	(void)state;
	for (size_t k = 0; k < sizeof(attrs) / sizeof(attrs[0]); k++) {
		struct sim_s2 *s2 = tables(0);
		struct flushes f = { .s2 = s2, .level = 2 };
		struct sim_s2_stats stats;
		unsigned int order;

		sim_s2_set_invalidate(s2, note_flush, &f);
		assert_int_equal(sim_s2_map(s2, 1024, 3 * PAGES_2M, 0x1000, attrs[k] | SIM_DESC_DBM,
					    9),
				 WEIR_OK);
		assert_int_equal(sim_s2_split_block(s2, 1024 + PAGES_2M + 3), WEIR_OK);
		assert_int_equal(f.n, 1);
		assert_int_equal(f.first, 1024 + PAGES_2M);
		assert_int_equal(f.last, 1024 + 2 * PAGES_2M - 1);
		assert_int_equal(f.during & SIM_DESC_VALID, 0);
		for (uint64_t i = 0; i < PAGES_2M; i++) {
			uint64_t *leaf = sim_s2_leaf(s2, 1024 + PAGES_2M + i, &order);

			assert_int_equal(order, 0);
			assert_int_equal(*leaf, (0x1000 + PAGES_2M + i) << 12 | attrs[k] | PAGE);
		}
		/* Its neighbours are as they were. */
		assert_int_equal(*sim_s2_leaf(s2, 1024, &order),
				 UINT64_C(0x1000) << 12 | attrs[k] | SIM_DESC_DBM | BLOCK);
		assert_int_equal(order, 9);
		/* Once more is nothing. */
		assert_int_equal(sim_s2_split_block(s2, 1024 + PAGES_2M), WEIR_OK);
		sim_s2_stats(s2, &stats);
		assert_int_equal(stats.blocks_split, 1);
		assert_int_equal(f.n, 1);
		sim_s2_destroy(s2);
	}
}

static void splitting_1g_goes_down_to_the_page(void **state)
{
	struct sim_s2 *s2 = tables(0);
	struct flushes f = { .s2 = s2, .level = 1 };
	uint64_t gfn = PAGES_1G + 100 * PAGES_2M + 17;
	unsigned int order;

	(void)state;
	sim_s2_set_invalidate(s2, note_flush, &f);
	assert_int_equal(sim_s2_map(s2, PAGES_1G, PAGES_1G, 0, RW, 18), WEIR_OK);
	assert_int_equal(ntables(s2), 2);
	assert_int_equal(sim_s2_split_block(s2, gfn), WEIR_OK);
	assert_int_equal(ntables(s2), 4);
	assert_int_equal(f.n, 1);
	assert_int_equal(f.first, PAGES_1G);
	assert_int_equal(f.last, 2 * PAGES_1G - 1);
	assert_int_equal(f.during & SIM_DESC_VALID, 0);
	for (uint64_t i = 0; i < PAGES_1G; i += i / PAGES_2M == 100 ? 1 : PAGES_2M) {
		uint64_t *leaf = sim_s2_leaf(s2, PAGES_1G + i, &order);
		bool page = i / PAGES_2M == 100;

		assert_int_equal(order, page ? 0 : 9);
		assert_int_equal(*leaf, i << 12 | RW | (page ? PAGE : BLOCK));
	}
	sim_s2_destroy(s2);
}

static void a_split_that_finds_no_memory_changes_nothing(void **state)
{
	struct sim_s2 *s2 = tables(3 * 4096);
	struct flushes f = { .s2 = s2, .level = 1 };
	unsigned int order;

	(void)state;
	sim_s2_set_invalidate(s2, note_flush, &f);
	assert_int_equal(sim_s2_map(s2, 0, PAGES_1G, 0, RW, 18), WEIR_OK);
	/* Two tables are needed, one is left: it is given back. */
	for (int i = 0; i < 3; i++)
		assert_int_equal(sim_s2_split_block(s2, 5), WEIR_ENOMEM);
	assert_int_equal(f.n, 0);
	assert_int_equal(ntables(s2), 2);
	assert_int_equal(*sim_s2_leaf(s2, 5, &order), RW | BLOCK);
	assert_int_equal(order, 18);
	assert_int_equal(sim_s2_split_block(s2, PAGES_1G), WEIR_ENOENT);
	assert_int_equal(sim_s2_split_block(s2, (uint64_t)1 << 36), WEIR_ENOENT);
	sim_s2_destroy(s2);

	s2 = tables(0);
	assert_int_equal(sim_s2_map(s2, 0, PAGES_1G, 0, RW, 18), WEIR_OK);
	sim_s2_limit(s2, 3 * 4096);
	assert_int_equal(sim_s2_split_block(s2, 5), WEIR_ENOMEM);
	sim_s2_limit(s2, 4 * 4096);
	assert_int_equal(sim_s2_split_block(s2, 5), WEIR_OK);
	sim_s2_limit(s2, 0);
	assert_int_equal(sim_s2_split_block(s2, PAGES_2M), WEIR_ENOMEM);
	sim_s2_limit(s2, UINT64_MAX);
	assert_int_equal(sim_s2_split_block(s2, PAGES_2M), WEIR_OK);
	sim_s2_destroy(s2);
}

struct seen {
	uint64_t n;
	uint64_t next;
	uint64_t pages;
	uint64_t stop_after;
};

static bool see(void *ctx, uint64_t gfn, unsigned int order, uint64_t desc)
{
	struct seen *s = ctx;

	assert_true(gfn >= s->next);
	assert_int_equal(desc & ~UINT64_C(3), gfn << 12 | RW);
	s->next = gfn + ((uint64_t)1 << order);
	s->pages += (uint64_t)1 << order;
	return ++s->n != s->stop_after;
}

static void leaves_are_visited_in_order(void **state)
{
	struct sim_s2 *s2 = tables(0);
	struct seen all = { 0 }, some = { 0 }, first3 = { .stop_after = 3 };
	uint64_t gfn = 0;

	(void)state;
	assert_int_equal(sim_s2_map(s2, 100, 1000, 100, RW, 0), WEIR_OK);
	assert_int_equal(sim_s2_map(s2, 4096, PAGES_2M, 4096, RW, 9), WEIR_OK);
	assert_int_equal(sim_s2_map(s2, PAGES_1G * 3, PAGES_1G, PAGES_1G * 3, RW, 18), WEIR_OK);
	assert_true(sim_s2_each_leaf(s2, 0, UINT64_MAX, see, &all));
	assert_int_equal(all.n, 1000 + 1 + 1);
	assert_int_equal(all.pages, 1000 + PAGES_2M + PAGES_1G);
	assert_true(sim_s2_each_leaf(s2, 500, 4100, see, &some));
	assert_int_equal(some.n, 600 + 1);
	assert_false(sim_s2_each_leaf(s2, 0, UINT64_MAX, see, &first3));
	assert_int_equal(first3.n, 3);

	assert_true(sim_s2_writable_block(s2, 0, UINT64_MAX, &gfn));
	assert_int_equal(gfn, 4096);
	assert_false(sim_s2_writable_block(s2, 0, 4095, NULL));
	*sim_s2_entry(s2, 2, UINT64_C(4096) << 12) &= ~SIM_DESC_W;
	assert_true(sim_s2_writable_block(s2, 0, UINT64_MAX, &gfn));
	assert_int_equal(gfn, PAGES_1G * 3);
	*sim_s2_entry(s2, 1, PAGES_1G * 3 << 12) &= ~SIM_DESC_W;
	assert_false(sim_s2_writable_block(s2, 0, UINT64_MAX, NULL));
	*sim_s2_entry(s2, 1, PAGES_1G * 3 << 12) |= SIM_DESC_DBM;
	assert_true(sim_s2_writable_block(s2, PAGES_1G * 3 + 5, PAGES_1G * 3 + 5, &gfn));
	sim_s2_destroy(s2);
}

static void raw_stores_make_their_parents(void **state)
{
	struct sim_s2 *s2 = tables(5 * 4096);

	(void)state;
	assert_int_equal(sim_s2_store(s2, 3, 0x10000000, 0x4800077f), WEIR_OK);
	assert_int_equal(ntables(s2), 4);
	assert_int_equal(*sim_s2_entry(s2, 3, 0x10000000), 0x4800077f);
	/* A block that becomes a parent. */
	assert_int_equal(sim_s2_store(s2, 2, 0x10200000, 0x480007fd), WEIR_OK);
	assert_int_equal(sim_s2_store(s2, 3, 0x10201000, 0x48001fff), WEIR_OK);
	assert_int_equal(*sim_s2_entry(s2, 3, 0x10200000), 0);
	assert_int_equal(sim_s2_store(s2, 4, 0, 0), WEIR_EINVAL);
	assert_int_equal(sim_s2_store(s2, -1, 0, 0), WEIR_EINVAL);
	assert_int_equal(sim_s2_store(s2, 3, (uint64_t)1 << 48, 0), WEIR_ERANGE);
	assert_int_equal(sim_s2_store(s2, 3, 0x10400000, 1), WEIR_ENOMEM);
	sim_s2_destroy(s2);
}

/* 64 GiB at 4 KiB: 2^24 leaves, 2^15 last-level, 64 level-2, one level-1 and one level-0 table. */
static void memory_is_accounted_and_in_order(void **state)
{
	uint64_t npages = (uint64_t)1 << 24;
	struct sim_s2 *s2 = tables(0);
	struct sim_s2_stats stats;
	unsigned int order;

	(void)state;
	assert_int_equal(sim_s2_map(s2, 0, npages, 0, RW, 0), WEIR_OK);
	sim_s2_stats(s2, &stats);
	assert_int_equal(stats.tables, 32768 + 64 + 1 + 1);
	assert_int_equal(stats.table_bytes, stats.tables * 4096);
	assert_int_equal(*sim_s2_leaf(s2, npages - 1, &order), (npages - 1) << 12 | RW | PAGE);
	sim_s2_destroy(s2);
}

static void impossible_shapes_are_refused(void **state)
{
	struct sim_s2_config bad[] = {
		{ .geometry = { 13, 0, 48, false } },
		{ .geometry = { 12, 0, 39, false } },	/* level 0 resolves nothing */
		{ .geometry = { 12, 0, 49, false } },	/* beyond 48 bits without DS */
		{ .geometry = { 12, 1, 44, false } },	/* 32 tables side by side */
		{ .geometry = { 12, 4, 20, false } },
		{ .geometry = { 12, -1, 50, false } },
		{ .geometry = { 14, 0, 48, false } },
		{ .geometry = { 16, 0, 52, false } },
		{ .geometry = { 16, 1, 52, true } },
		{ .geometry = { 12, 3, 15, false } },
		{ .geometry = SIM_S2_GEOMETRY_4K, .table_base_pa = 0x1000 },
		{ .geometry = SIM_S2_GEOMETRY_4K, .table_base_pa = UINT64_C(0xffffffff0000) },
	};
	struct sim_s2 *s2 = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(sim_s2_create(&bad[i], &s2), WEIR_EINVAL);
	assert_null(s2);
	bad[10].table_base_pa = 0;
	bad[10].table_bytes_max = 4095;
	assert_int_equal(sim_s2_create(&bad[10], &s2), WEIR_ENOMEM);
	sim_s2_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_are_mapped),
		cmocka_unit_test(tables_are_linked_by_address),
		cmocka_unit_test(blocks_are_mapped),
		cmocka_unit_test(bad_mappings_change_nothing),
		cmocka_unit_test(splitting_2m_keeps_all_but_dbm),
		cmocka_unit_test(splitting_1g_goes_down_to_the_page),
		cmocka_unit_test(a_split_that_finds_no_memory_changes_nothing),
		cmocka_unit_test(leaves_are_visited_in_order),
		cmocka_unit_test(raw_stores_make_their_parents),
		cmocka_unit_test(memory_is_accounted_and_in_order),
		cmocka_unit_test(impossible_shapes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
