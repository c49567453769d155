// SPDX-License-Identifier: BSD-2-Clause
/*
 * machine_run - contiguous runs, break-before-make, and TLBI with level hints.
 *
 * Goal: a run is one translation to the TLB and one unit of dirtiness until its hint is dropped; a
 * live translation that is changed without break-before-make is noticed; an operand of TLBI reaches
 * what it names and a wrong hint leaves what it does not.
 * Method: hand-made cases with the outcome that the architecture gives or permits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim/machine/mmu.h"

#define GFN	UINT64_C(0x10000)
#define WC	(SIM_DESC_DBM | 0x77c)	/* S2AP=01, AF, DBM */

struct machine {
	struct sim_s2 *s2;
	struct sim_mmu *mmu;
};

static struct machine machine(struct sim_s2_geometry geo, unsigned int bbm_level)
{
	struct sim_s2_config tables = {
		.geometry = geo,
		.table_base_pa = UINT64_C(0x44000000),
		.table_bytes_max = 1 << 22,
	};
	struct sim_mmu_config cfg = {
		.nvcpus = 2,
		.vtcr = { .ha = true, .hd = true, .pa_bits = 48 },
		.bbm_level = bbm_level,
		.check_conflicts = true,
	};
	struct machine m = { 0 };

	assert_int_equal(sim_s2_create(&tables, &m.s2), WEIR_OK);
	assert_int_equal(sim_mmu_create(&cfg, m.s2, &m.mmu), WEIR_OK);
	return m;
}

static struct machine machine_4k(unsigned int bbm_level)
{
	return machine((struct sim_s2_geometry)SIM_S2_GEOMETRY_4K, bbm_level);
}

static void destroy(struct machine *m)
{
	sim_mmu_destroy(m->mmu);
	sim_s2_destroy(m->s2);
}

static uint64_t *leaf(const struct machine *m, uint64_t gfn)
{
	unsigned int order;

	return sim_s2_leaf(m->s2, gfn, &order);
}

static uint64_t conflicts(const struct machine *m)
{
	struct sim_mmu_stats stats;

	sim_mmu_stats(m->mmu, &stats);
	return stats.tlb_conflicts;
}

static bool write_page(const struct machine *m, uint64_t gfn, struct sim_walk *w)
{
	return sim_mmu_access(m->mmu, 0, gfn, SIM_WRITE, w);
}

/* Entries of a run at each granule and level, as the architecture has them. */
static void runs_have_the_architectures_sizes(void **state)
{
	static const struct {
		struct sim_s2_geometry geo;
		unsigned int order, run_order;
	} cases[] = {
		{ SIM_S2_GEOMETRY_4K, 0, 4 },	     { SIM_S2_GEOMETRY_4K, 9, 13 },
		{ SIM_S2_GEOMETRY_4K, 18, 22 },	     { { 14, 1, 47, false }, 0, 7 },
		{ { 14, 1, 47, false }, 11, 16 },    { { 16, 1, 48, false }, 0, 5 },
		{ { 16, 1, 48, false }, 13, 18 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct machine m = machine(cases[i].geo, 0);
		uint64_t n = (uint64_t)1 << cases[i].run_order;
		unsigned int order = cases[i].order;
		struct sim_walk w;

		assert_int_equal(sim_s2_map(m.s2, n, n / 2, n * 3, WC | SIM_DESC_CONTIGUOUS, order),
				 WEIR_EINVAL);
		assert_int_equal(sim_s2_map(m.s2, n / 2, n, n * 3, WC | SIM_DESC_CONTIGUOUS, order),
				 WEIR_EINVAL);
		assert_int_equal(sim_s2_map(m.s2, n, n, n * 3, WC | SIM_DESC_CONTIGUOUS, order),
				 WEIR_OK);
		assert_true(write_page(&m, n + 1, &w));
		assert_int_equal(w.order, order);
		assert_int_equal(w.run_order, cases[i].run_order);
		/* One entry of the TLB answers for all of the run. */
		assert_true(write_page(&m, n + n - 1, &w));
		assert_true(w.tlb_hit);
		assert_int_equal(w.order, order);
		assert_int_equal(w.run_order, cases[i].run_order);
		assert_int_equal(w.level, 3 - (int)(order / (cases[i].geo.granule_shift - 3)));
		assert_int_equal(w.oa, (n * 3 + n - 1) << cases[i].geo.granule_shift);
		assert_int_equal(conflicts(&m), 0);
		destroy(&m);
	}
}

/* Known failure H37: dirty on one member only means that the run is dirty. */
static void dropping_the_hint_spreads_what_the_run_knew(void **state)
{
	struct machine m = machine_4k(0);
	struct sim_mmu_stats stats;
	struct sim_walk w;

	(void)state;
	assert_int_equal(sim_s2_map(m.s2, GFN, 64, GFN,
				    (WC & ~SIM_DESC_AF) | SIM_DESC_CONTIGUOUS, 0),
			 WEIR_OK);
	assert_true(write_page(&m, GFN + 17, &w));
	assert_true(write_page(&m, GFN + 30, &w));
	assert_true(w.tlb_hit);
	assert_int_equal(*leaf(&m, GFN + 30) & SIM_DESC_W, 0);
	assert_int_equal(sim_s2_drop_contiguous(m.s2, GFN + 20, GFN + 40), 2);
	for (uint64_t i = 0; i < 64; i++) {
		bool dropped = i >= 16 && i < 48, dirty = i >= 16 && i < 32;
		uint64_t want = (GFN + i) << 12 | 3 | (WC & ~SIM_DESC_AF);

		if (!dropped)
			want |= SIM_DESC_CONTIGUOUS;
		if (dirty)
			want |= SIM_DESC_W | SIM_DESC_AF;
		assert_int_equal(*leaf(&m, GFN + i), want);
	}
	/* The whole run was forgotten, at once. */
	assert_false(sim_mmu_any_writable(m.mmu, GFN + 17, NULL));
	sim_mmu_stats(m.mmu, &stats);
	assert_int_equal(stats.invalidations, 2);
	assert_int_equal(sim_s2_drop_contiguous(m.s2, 0, UINT64_MAX), 2);
	assert_int_equal(sim_s2_drop_contiguous(m.s2, 0, UINT64_MAX), 0);
	assert_true(write_page(&m, GFN + 17, &w));
	assert_int_equal(w.run_order, 0);
	assert_int_equal(conflicts(&m), 0);
	destroy(&m);
}

static void splitting_a_block_of_a_run_drops_the_hint(void **state)
{
	struct machine m = machine_4k(0);
	struct sim_walk w;

	(void)state;
	assert_int_equal(sim_s2_map(m.s2, 0, 16 * 512, 0, SIM_S2_ATTRS_RW | SIM_DESC_CONTIGUOUS, 9),
			 WEIR_OK);
	assert_true(write_page(&m, 15 * 512, &w));
	assert_int_equal(w.run_order, 13);
	assert_int_equal(sim_s2_split_block(m.s2, 3 * 512 + 5), WEIR_OK);
	assert_false(sim_mmu_any_writable(m.mmu, 15 * 512, NULL));
	for (uint64_t gfn = 0; gfn < 16 * 512; gfn += 511)
		assert_int_equal(*leaf(&m, gfn) & SIM_DESC_CONTIGUOUS, 0);
	assert_true(write_page(&m, 3 * 512 + 5, &w));
	assert_int_equal(w.order, 0);
	assert_int_equal(conflicts(&m), 0);
	destroy(&m);
}

static void a_size_changed_without_break_is_a_conflict(void **state)
{
	(void)state;
	for (unsigned int bbm_level = 0; bbm_level <= 2; bbm_level++) {
		struct machine m = machine_4k(bbm_level);
		struct sim_walk w;

		assert_int_equal(sim_s2_map(m.s2, GFN, 512, GFN, 0x77c, 9), WEIR_OK);
		assert_true(sim_mmu_access(m.mmu, 0, GFN, SIM_READ, &w));
		/* Over a live block: a table of pages to the same frames. */
		assert_int_equal(sim_s2_store(m.s2, 3, (GFN + 7) << 12, (GFN + 7) << 12 | 0x7ff),
				 WEIR_OK);
		assert_true(write_page(&m, GFN + 7, &w));
		assert_int_equal(conflicts(&m), bbm_level < 2);
		/* To another frame: a conflict at every level. */
		assert_int_equal(sim_s2_store(m.s2, 3, (GFN + 8) << 12, 0x7ff), WEIR_OK);
		assert_true(write_page(&m, GFN + 8, &w));
		assert_int_equal(conflicts(&m), 1 + (bbm_level < 2));
		/* After an invalidation there is nothing to contradict. */
		sim_mmu_invalidate(m.mmu, GFN, GFN + 511);
		assert_true(write_page(&m, GFN + 8, &w));
		assert_int_equal(conflicts(&m), 1 + (bbm_level < 2));
		destroy(&m);
	}
}

static void pages_under_a_new_block_are_a_conflict(void **state)
{
	struct machine m = machine_4k(1);
	struct sim_walk w;

	(void)state;
	assert_int_equal(sim_s2_map(m.s2, GFN, 512, GFN, SIM_S2_ATTRS_RW, 0), WEIR_OK);
	assert_true(write_page(&m, GFN + 100, &w));
	assert_int_equal(sim_s2_store(m.s2, 2, GFN << 12, GFN << 12 | 0x7fd), WEIR_OK);
	assert_true(write_page(&m, GFN + 100, &w));	/* still from the TLB */
	assert_int_equal(w.order, 0);
	assert_true(write_page(&m, GFN + 101, &w));
	assert_int_equal(w.order, 9);
	assert_int_equal(conflicts(&m), 1);
	destroy(&m);
}

static void a_block_with_nt_is_not_cached(void **state)
{
	(void)state;
	for (unsigned int bbm_level = 0; bbm_level <= 2; bbm_level++) {
		struct machine m = machine_4k(bbm_level);
		struct sim_walk w;

		assert_int_equal(sim_s2_store(m.s2, 2, GFN << 12,
					      GFN << 12 | 0x7fd | SIM_DESC_NT),
				 WEIR_OK);
		assert_true(write_page(&m, GFN, &w));
		assert_int_equal(w.oa, GFN << 12);
		assert_true(write_page(&m, GFN, &w));
		assert_int_equal(w.tlb_hit, bbm_level == 0);
		destroy(&m);
	}
}

/* A page, a block, and a run of pages, each cached; which of them are left. */
static unsigned int cached(const struct machine *m)
{
	return (unsigned int)sim_mmu_any_writable(m->mmu, GFN, NULL) |
	       (unsigned int)sim_mmu_any_writable(m->mmu, GFN + 512, NULL) << 1 |
	       (unsigned int)sim_mmu_any_writable(m->mmu, GFN + 1024 + 3, NULL) << 2;
}

static void hints_that_are_wrong_leave_translations(void **state)
{
	static const struct {
		int level;
		unsigned int left;
	} cases[] = { { SIM_TLBI_ANY_LEVEL, 0 }, { 3, 2 }, { 2, 1 | 4 }, { 1, 7 }, { 0, 7 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sim_tlbi tlbi = { GFN, GFN + 1535, cases[i].level };
		struct machine m = machine_4k(0);

		assert_int_equal(sim_s2_map(m.s2, GFN, 512, GFN, SIM_S2_ATTRS_RW, 0), WEIR_OK);
		assert_int_equal(sim_s2_map(m.s2, GFN + 512, 512, GFN + 512, SIM_S2_ATTRS_RW, 9),
				 WEIR_OK);
		assert_int_equal(sim_s2_map(m.s2, GFN + 1024, 16, GFN + 1024,
					    SIM_S2_ATTRS_RW | SIM_DESC_CONTIGUOUS, 0),
				 WEIR_OK);
		for (uint64_t k = 0; k < 3; k++)
			assert_true(write_page(&m, GFN + k * 512, NULL));
		assert_int_equal(cached(&m), 7);
		sim_mmu_tlbi(m.mmu, &tlbi);
		assert_int_equal(cached(&m), cases[i].left);
		destroy(&m);
	}
}

static void operands_are_read_as_the_architecture_writes_them(void **state)
{
	struct sim_tlbi t;

	(void)state;
	/* IPAS2E1IS: IPA 0x10003000, no hint; level 2 at 4 KiB. */
	assert_true(sim_tlbi_ipas2(0x10003, 12, &t));
	assert_int_equal(t.first_gfn, 0x10003);
	assert_int_equal(t.last_gfn, 0x10003);
	assert_int_equal(t.level, SIM_TLBI_ANY_LEVEL);
	assert_true(sim_tlbi_ipas2(UINT64_C(6) << 44 | 0x10003, 12, &t));
	assert_int_equal(t.level, 2);
	assert_false(sim_tlbi_ipas2(UINT64_C(14) << 44 | 0x10003, 12, &t));
	/* The frame counts 4 KiB whatever the granule. */
	assert_true(sim_tlbi_ipas2(UINT64_C(15) << 44 | 0x10000, 16, &t));
	assert_int_equal(t.first_gfn, 0x1000);
	assert_int_equal(t.level, 3);
	/* RIPAS2E1IS: TG=4 KiB, SCALE 1, NUM 2, TTL 3: 3 * 64 pages. */
	assert_true(sim_tlbi_ripas2(UINT64_C(1) << 46 | UINT64_C(1) << 44 | UINT64_C(2) << 39 |
					    UINT64_C(3) << 37 | 0x10000,
				    12, false, &t));
	assert_int_equal(t.first_gfn, 0x10000);
	assert_int_equal(t.last_gfn, 0x10000 + 191);
	assert_int_equal(t.level, 3);
	assert_true(sim_tlbi_ripas2(UINT64_C(1) << 46 | UINT64_C(3) << 44 | UINT64_C(31) << 39, 12,
				    false, &t));
	assert_int_equal(t.last_gfn, SIM_TLBI_RANGE_PAGES_MAX - 1);
	assert_int_equal(t.level, SIM_TLBI_ANY_LEVEL);
	/* With DS the base counts 64 KiB. */
	assert_true(sim_tlbi_ripas2(UINT64_C(1) << 46 | 5, 12, true, &t));
	assert_int_equal(t.first_gfn, 80);
	assert_int_equal(t.last_gfn, 81);
	assert_false(sim_tlbi_ripas2(5, 12, false, &t));
	assert_false(sim_tlbi_ripas2(UINT64_C(2) << 46, 12, false, &t));
}

/* Split a range into operands; what they name must be the range, each frame once. */
static void ranges_are_split_without_gap_or_excess(void **state)
{
	static const uint64_t lengths[] = { 1,	    2,	    3,		63,	  64,	  65,
					    512,    513,    4096,	100000,	  2097151,
					    2097152, 2097153, 67108863 };

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct sim_tlbi left = { GFN, GFN + lengths[i] - 1, 3 };
		unsigned int n = 0;

		while (left.first_gfn <= left.last_gfn) {
			uint64_t npages;
			uint64_t operand = sim_tlbi_encode(&left, 12, false, &npages);
			struct sim_tlbi t = { left.first_gfn, left.first_gfn, 3 };

			if (operand)
				assert_true(sim_tlbi_ripas2(operand, 12, false, &t));
			assert_int_equal(t.first_gfn, left.first_gfn);
			assert_int_equal(t.last_gfn, left.first_gfn + npages - 1);
			assert_true(t.last_gfn <= left.last_gfn);
			assert_int_equal(t.level, 3);
			left.first_gfn += npages;
			n++;
		}
		/* At most one operation a scale, one odd page, and whole ones of 2^21. */
		assert_true(n <= 5 + lengths[i] / SIM_TLBI_RANGE_PAGES_MAX);
	}
}

static void updates_in_uncached_tables_fault(void **state)
{
	struct sim_vtcr vtcr = { .ha = true, .hd = true, .pa_bits = 48, .uncached = true };
	struct machine m = machine_4k(0);
	struct sim_walk w;

	(void)state;
	assert_int_equal(sim_s2_map(m.s2, GFN, 1, GFN, WC, 0), WEIR_OK);
	assert_true(sim_walk(m.s2, &vtcr, GFN << 12, SIM_READ, NULL, &w));
	assert_false(sim_walk(m.s2, &vtcr, GFN << 12, SIM_WRITE, NULL, &w));
	assert_int_equal(w.fault, SIM_FAULT_ATOMIC_UPDATE);
	assert_int_equal(w.fsc, 0x31);
	assert_int_equal(*leaf(&m, GFN), GFN << 12 | WC | 3);
	destroy(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_have_the_architectures_sizes),
		cmocka_unit_test(dropping_the_hint_spreads_what_the_run_knew),
		cmocka_unit_test(splitting_a_block_of_a_run_drops_the_hint),
		cmocka_unit_test(a_size_changed_without_break_is_a_conflict),
		cmocka_unit_test(pages_under_a_new_block_are_a_conflict),
		cmocka_unit_test(a_block_with_nt_is_not_cached),
		cmocka_unit_test(hints_that_are_wrong_leave_translations),
		cmocka_unit_test(operands_are_read_as_the_architecture_writes_them),
		cmocka_unit_test(ranges_are_split_without_gap_or_excess),
		cmocka_unit_test(updates_in_uncached_tables_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
