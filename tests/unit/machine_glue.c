// SPDX-License-Identifier: BSD-2-Clause
/*
 * machine_glue - the ops of the dirty log over simulated tables and TLBs.
 *
 * Goal: each op does to tables and TLBs what weir/dirty.h asks of it, is counted and reported; the
 * planted mistake does what it says.
 * Method: each op is called by hand, without the library.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim/machine/dirty_glue.h"

#define GFN	UINT64_C(0x10000)

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

static struct machine machine(unsigned int nvcpus, uint64_t attrs, unsigned int order)
{
	struct sim_mmu_config cfg = {
		.nvcpus = nvcpus,
		.vtcr = { .ha = true, .hd = true, .pa_bits = 40 },
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

struct ops_seen {
	uint64_t n[SIM_DIRTY_NOPS];
	uint64_t first, last;
};

static void see_op(void *ctx, enum sim_dirty_op op, uint64_t first_gfn, uint64_t last_gfn)
{
	struct ops_seen *seen = ctx;

	seen->n[op]++;
	seen->first = first_gfn;
	seen->last = last_gfn;
}

static void the_ops_reach_tables_and_tlbs(void **state)
{
	struct machine m = machine(2, SIM_S2_ATTRS_RW, 9);
	uint64_t readonly[2] = { 0, UINT64_C(0xf0) };
	struct ops_seen seen = { 0 };
	struct sim_dirty_glue g = { .s2 = m.s2, .mmu = m.mmu, .on_op = see_op, .hook_ctx = &seen };
	const struct weir_dirty_ops *ops = sim_dirty_glue_ops(&g);
	unsigned int order;

	(void)state;
	assert_null(ops->writable);
	assert_non_null(ops->leaf(&g, GFN + 70, &order));
	assert_int_equal(order, 9);
	assert_int_equal(ops->block_split(&g, GFN + 70), WEIR_OK);
	assert_ptr_equal(ops->leaf(&g, GFN + 70, &order), leaf(&m, GFN + 70));
	assert_int_equal(order, 0);
	assert_null(ops->leaf(&g, 0, &order));

	for (unsigned int v = 0; v < 2; v++)
		assert_true(sim_mmu_access(m.mmu, v, GFN + 70, SIM_WRITE, NULL));
	g.vcpu = 1;
	ops->tlbi_local(&g, GFN + 70);
	sim_mmu_access(m.mmu, 1, GFN + 71, SIM_WRITE, NULL);
	assert_true(sim_mmu_any_writable(m.mmu, GFN + 70, &order));
	assert_int_equal(order, 0);
	g.skip_tlbi = true;
	ops->tlbi_range(&g, GFN + 64, GFN + 127);
	assert_int_equal(seen.first, GFN + 64);
	assert_int_equal(seen.last, GFN + 127);
	assert_true(sim_mmu_any_writable(m.mmu, GFN + 70, NULL));
	g.skip_tlbi = false;
	ops->tlbi_range(&g, GFN + 64, GFN + 127);
	assert_false(sim_mmu_any_writable(m.mmu, GFN + 70, NULL));
	assert_false(sim_mmu_any_writable(m.mmu, GFN + 71, NULL));

	sim_s2_limit(m.s2, 0);
	assert_int_equal(ops->block_split(&g, GFN + 512), WEIR_ENOMEM);
	assert_int_equal(g.splits_failed, 1);
	g.readonly = readonly;
	g.readonly_base_gfn = GFN;
	g.readonly_words = 2;
	ops = sim_dirty_glue_ops(&g);
	assert_int_equal(ops->writable(&g, GFN), UINT64_MAX);
	assert_int_equal(ops->writable(&g, GFN + 64), ~UINT64_C(0xf0));
	assert_int_equal(ops->writable(&g, GFN + 128), UINT64_MAX);
	assert_int_equal(ops->writable(&g, GFN - 64), UINT64_MAX);
	assert_memory_equal(seen.n, g.counts, sizeof(seen.n));
	assert_int_equal(g.counts[SIM_DIRTY_OP_LEAF], 3);
	assert_int_equal(g.counts[SIM_DIRTY_OP_TLBI_RANGE], 2);
	assert_int_equal(g.counts[SIM_DIRTY_OP_TLBI_LOCAL], 1);
	assert_int_equal(g.counts[SIM_DIRTY_OP_BLOCK_SPLIT], 2);
	assert_int_equal(g.counts[SIM_DIRTY_OP_WRITABLE], 4);
	destroy(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ops_reach_tables_and_tlbs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
