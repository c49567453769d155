// SPDX-License-Identifier: BSD-2-Clause
/*
 * machine_mmu - accesses through TLBs and tables.
 *
 * Goal: a forgotten invalidation makes the very mistake it makes on hardware, and with all
 * invalidations in place a TLB cannot be told from its absence.
 * Method: hand-made cases of stale translations with the outcome the architecture gives; a random
 * run of descriptor changes and accesses over two copies of the tables, one behind TLBs, one walked
 * each time.
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

static struct sim_s2 *tables(void)
{
	struct sim_s2_config cfg = {
		.geometry = SIM_S2_GEOMETRY_4K,
		.table_base_pa = UINT64_C(0x44000000),
		.table_bytes_max = 1 << 20,
	};
	struct sim_s2 *s2 = NULL;

	assert_int_equal(sim_s2_create(&cfg, &s2), WEIR_OK);
	return s2;
}

static struct machine machine(unsigned int nvcpus, bool sticky, uint64_t attrs, unsigned int order)
{
	struct sim_mmu_config cfg = {
		.nvcpus = nvcpus,
		.vtcr = { .ha = true, .hd = true, .pa_bits = 40 },
		.sticky_permissions = sticky,
	};
	struct machine m = { .s2 = tables() };

	assert_int_equal(sim_mmu_create(&cfg, m.s2, &m.mmu), WEIR_OK);
	assert_ptr_equal(sim_mmu_tables(m.mmu), m.s2);
	assert_int_equal(sim_s2_map(m.s2, GFN, 2048, GFN, attrs, order), WEIR_OK);
	return m;
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

/* Cases 31 and 32 of the recorded oracle. */
static void cleaning_without_invalidation_loses_the_next_store(void **state)
{
	struct machine m = machine(2, false, WC, 0);
	unsigned int vcpu = 99;
	struct sim_walk w;

	(void)state;
	assert_true(sim_mmu_access(m.mmu, 1, GFN, SIM_WRITE, &w));
	assert_true(w.dirty_set);
	assert_int_equal(*leaf(&m, GFN), GFN << 12 | WC | SIM_DESC_W | 3);
	assert_true(sim_mmu_any_writable(m.mmu, GFN, &vcpu));
	assert_int_equal(vcpu, 1);

	*leaf(&m, GFN) &= ~SIM_DESC_W;
	assert_true(sim_mmu_access(m.mmu, 1, GFN, SIM_WRITE, &w));
	assert_true(w.tlb_hit);
	assert_false(w.dirty_set);
	assert_int_equal(*leaf(&m, GFN) & SIM_DESC_W, 0);
	/* The other vCPU has nothing cached: its store is seen. */
	assert_true(sim_mmu_access(m.mmu, 0, GFN, SIM_WRITE, &w));
	assert_true(w.dirty_set);

	*leaf(&m, GFN) &= ~SIM_DESC_W;
	sim_mmu_invalidate(m.mmu, GFN, GFN);
	assert_false(sim_mmu_any_writable(m.mmu, GFN, NULL));
	assert_true(sim_mmu_access(m.mmu, 1, GFN, SIM_WRITE, &w));
	assert_false(w.tlb_hit);
	assert_true(w.dirty_set);
	assert_int_equal(*leaf(&m, GFN) & SIM_DESC_W, SIM_DESC_W);
	destroy(&m);
}

static void protecting_without_invalidation_does_not_trap(void **state)
{
	struct machine m = machine(1, false, SIM_S2_ATTRS_RW, 0);
	struct sim_walk w;

	(void)state;
	assert_true(sim_mmu_access(m.mmu, 0, GFN + 1, SIM_READ, &w));
	*leaf(&m, GFN + 1) &= ~SIM_DESC_W;
	assert_true(sim_mmu_access(m.mmu, 0, GFN + 1, SIM_WRITE, &w));
	sim_mmu_invalidate(m.mmu, GFN, GFN);		/* the neighbour: of no use */
	sim_mmu_invalidate(m.mmu, GFN + 2, GFN + 500);
	assert_true(sim_mmu_access(m.mmu, 0, GFN + 1, SIM_WRITE, &w));
	sim_mmu_invalidate_local(m.mmu, 0, GFN + 1);
	assert_false(sim_mmu_access(m.mmu, 0, GFN + 1, SIM_WRITE, &w));
	assert_int_equal(w.fsc, 0x0f);
	assert_int_equal(w.ipa, (GFN + 1) << 12);
	destroy(&m);
}

static void a_clean_translation_walks_at_the_first_store(void **state)
{
	struct machine m = machine(1, false, WC, 0);
	struct sim_mmu_stats stats;
	struct sim_walk w;

	(void)state;
	assert_true(sim_mmu_access(m.mmu, 0, GFN, SIM_READ, &w));
	assert_false(sim_mmu_any_writable(m.mmu, GFN, NULL));
	assert_true(sim_mmu_access(m.mmu, 0, GFN, SIM_READ, &w));
	assert_true(w.tlb_hit);
	assert_true(sim_mmu_access(m.mmu, 0, GFN, SIM_WRITE, &w));
	assert_false(w.tlb_hit);
	assert_true(w.dirty_set);
	assert_true(sim_mmu_access(m.mmu, 0, GFN, SIM_WRITE, &w));
	assert_true(w.tlb_hit);
	assert_int_equal(w.oa, GFN << 12);
	assert_int_equal(w.level, 3);
	sim_mmu_stats(m.mmu, &stats);
	assert_int_equal(stats.tlb_hits, 2);
	assert_int_equal(stats.tlb_misses, 2);
	assert_int_equal(stats.dirty_updates, 1);
	assert_int_equal(stats.af_updates, 0);
	assert_int_equal(stats.faults, 0);
	destroy(&m);
}

static void a_relaxed_leaf_is_seen_at_the_next_access(void **state)
{
	struct machine m = machine(2, false, 0x77c, 0);
	struct sim_walk w;

	(void)state;
	assert_true(sim_mmu_access(m.mmu, 0, GFN, SIM_READ, &w));
	assert_false(sim_mmu_access(m.mmu, 0, GFN, SIM_WRITE, &w));
	*leaf(&m, GFN) |= SIM_DESC_W;
	assert_true(sim_mmu_access(m.mmu, 0, GFN, SIM_WRITE, &w));
	destroy(&m);
}

static void a_sticky_tlb_faults_until_it_is_invalidated(void **state)
{
	struct machine m = machine(2, true, 0x77c, 0);
	struct sim_walk w;

	(void)state;
	assert_true(sim_mmu_access(m.mmu, 0, GFN, SIM_READ, &w));
	assert_true(sim_mmu_access(m.mmu, 1, GFN, SIM_READ, &w));
	*leaf(&m, GFN) |= SIM_DESC_W;
	assert_false(sim_mmu_access(m.mmu, 0, GFN, SIM_WRITE, &w));
	assert_int_equal(w.fsc, 0x0f);
	assert_true(w.tlb_hit);
	sim_mmu_invalidate_local(m.mmu, 0, GFN);
	assert_true(sim_mmu_access(m.mmu, 0, GFN, SIM_WRITE, &w));
	assert_false(sim_mmu_access(m.mmu, 1, GFN, SIM_WRITE, &w));
	/* A clean leaf with DBM is not a forbidden one. */
	assert_int_equal(sim_s2_store(m.s2, 3, (GFN + 1) << 12, (GFN + 1) << 12 | WC | 3), WEIR_OK);
	assert_true(sim_mmu_access(m.mmu, 0, GFN + 1, SIM_READ, &w));
	assert_true(sim_mmu_access(m.mmu, 0, GFN + 1, SIM_WRITE, &w));
	assert_true(w.dirty_set);
	destroy(&m);
}

static void a_sticky_fault_in_a_block_has_the_blocks_level(void **state)
{
	struct machine m = machine(1, true, 0x77c, 9);
	struct sim_walk w;

	(void)state;
	assert_true(sim_mmu_access(m.mmu, 0, GFN + 3, SIM_READ, &w));
	assert_false(sim_mmu_access(m.mmu, 0, GFN + 4, SIM_WRITE, &w));
	assert_true(w.tlb_hit);
	assert_int_equal(w.fsc, 0x0e);
	assert_int_equal(w.order, 9);
	destroy(&m);
}

static void a_split_invalidates_its_block(void **state)
{
	struct machine m = machine(3, false, SIM_S2_ATTRS_RW, 9);
	struct sim_mmu_stats stats;
	struct sim_walk w;

	(void)state;
	for (unsigned int v = 0; v < 3; v++)
		assert_true(sim_mmu_access(m.mmu, v, GFN + 100 + v, SIM_WRITE, &w));
	assert_true(sim_mmu_access(m.mmu, 0, GFN + 600, SIM_WRITE, &w));
	assert_true(sim_mmu_access(m.mmu, 0, GFN + 700, SIM_WRITE, &w));
	assert_true(w.tlb_hit);
	assert_int_equal(w.oa, (GFN + 700) << 12);
	assert_int_equal(w.level, 2);
	assert_int_equal(sim_s2_split_block(m.s2, GFN + 511), WEIR_OK);
	for (unsigned int v = 0; v < 3; v++)
		assert_false(sim_mmu_any_writable(m.mmu, GFN + 100 + v, NULL));
	assert_true(sim_mmu_any_writable(m.mmu, GFN + 600, NULL));
	sim_mmu_stats(m.mmu, &stats);
	assert_int_equal(stats.invalidations, 1);
	destroy(&m);
}

struct model {
	struct machine with;	/* behind TLBs */
	struct sim_s2 *without;	/* walked each time */
	uint64_t rnd;
};

static uint64_t next_random(struct model *m)
{
	m->rnd ^= m->rnd << 13;
	m->rnd ^= m->rnd >> 7;
	m->rnd ^= m->rnd << 17;
	return m->rnd;
}

static void change_leaf(struct model *m, uint64_t gfn)
{
	static const uint64_t bits[] = { SIM_DESC_W, SIM_DESC_R, SIM_DESC_AF, SIM_DESC_DBM,
					 SIM_DESC_VALID, SIM_DESC_XN_ALL };
	uint64_t flip = bits[next_random(m) % 6];
	unsigned int order;
	uint64_t *a = sim_s2_entry(m->with.s2, 3, gfn << 12);
	uint64_t *b = sim_s2_entry(m->without, 3, gfn << 12);

	if (!a) {
		a = sim_s2_leaf(m->with.s2, gfn, &order);
		b = sim_s2_leaf(m->without, gfn, &order);
		if (flip == SIM_DESC_VALID)
			return;
	}
	*a ^= flip;
	*b ^= flip;
	sim_mmu_invalidate(m->with.mmu, gfn & ~UINT64_C(511), gfn | 511);
}

static void compare_access(struct model *m, uint64_t gfn)
{
	struct sim_vtcr vtcr = { .ha = true, .hd = true, .pa_bits = 40 };
	enum sim_access access = (enum sim_access)(next_random(m) % 3);
	unsigned int vcpu = (unsigned int)(next_random(m) % 4);
	struct sim_walk a, b;
	bool ok = sim_mmu_access(m->with.mmu, vcpu, gfn, access, &a);

	assert_int_equal(ok, sim_walk(m->without, &vtcr, gfn << 12, access, NULL, &b));
	assert_int_equal(a.fsc, b.fsc);
	assert_int_equal(a.fault, b.fault);
	assert_int_equal(a.level, b.level);
	assert_int_equal(a.oa, b.oa);
	assert_int_equal(a.order, b.order);
}

static bool same_leaf(void *ctx, uint64_t gfn, unsigned int order, uint64_t desc)
{
	struct model *m = ctx;
	unsigned int other;
	const uint64_t *leaf = sim_s2_leaf(m->without, gfn, &other);

	assert_non_null(leaf);
	assert_int_equal(order, other);
	assert_int_equal(desc, *leaf);
	return true;
}

static void with_invalidations_a_tlb_is_invisible(void **state)
{
	struct model m = { .with = machine(4, false, WC, 9), .without = tables(), .rnd = 4711 };

	(void)state;
	assert_int_equal(sim_s2_map(m.without, GFN, 2048, GFN, WC, 9), WEIR_OK);
	for (int op = 0; op < 200000; op++) {
		/* Most accesses to few pages, so that they hit. */
		uint64_t gfn = GFN + (next_random(&m) % 4 ? next_random(&m) % 32 * 66 :
							   next_random(&m) % 2048);

		if (next_random(&m) % 50 == 0)
			change_leaf(&m, gfn);
		else if (next_random(&m) % 5000 == 0)
			assert_int_equal(sim_s2_split_block(m.with.s2, gfn),
					 sim_s2_split_block(m.without, gfn));
		else
			compare_access(&m, gfn);
	}
	sim_s2_each_leaf(m.with.s2, 0, UINT64_MAX, same_leaf, &m);
	sim_s2_destroy(m.without);
	destroy(&m.with);
}

static void impossible_configurations_are_refused(void **state)
{
	static const struct sim_mmu_config bad[] = {
		{ .nvcpus = 0, .vtcr = { .pa_bits = 40 } },
		{ .nvcpus = SIM_MMU_VCPUS_MAX + 1, .vtcr = { .pa_bits = 40 } },
		{ .nvcpus = 1, .vtcr = { .pa_bits = 41 } },
		{ .nvcpus = 1, .vtcr = { .pa_bits = 40 }, .tlb_page_entries = 3 },
		{ .nvcpus = 1, .vtcr = { .pa_bits = 40 }, .tlb_block_entries = 24 },
	};
	struct sim_s2 *s2 = tables();
	struct sim_mmu *mmu = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(sim_mmu_create(&bad[i], s2, &mmu), WEIR_EINVAL);
	assert_null(mmu);
	sim_mmu_destroy(NULL);
	sim_s2_destroy(s2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cleaning_without_invalidation_loses_the_next_store),
		cmocka_unit_test(protecting_without_invalidation_does_not_trap),
		cmocka_unit_test(a_clean_translation_walks_at_the_first_store),
		cmocka_unit_test(a_relaxed_leaf_is_seen_at_the_next_access),
		cmocka_unit_test(a_sticky_tlb_faults_until_it_is_invalidated),
		cmocka_unit_test(a_sticky_fault_in_a_block_has_the_blocks_level),
		cmocka_unit_test(a_split_invalidates_its_block),
		cmocka_unit_test(with_invalidations_a_tlb_is_invisible),
		cmocka_unit_test(impossible_configurations_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
