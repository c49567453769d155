// SPDX-License-Identifier: BSD-2-Clause
/*
 * dirty_glue.c - weir_dirty_ops over the simulated tables and TLBs: see dirty_glue.h.
 */
#include "sim/machine/dirty_glue.h"

#include <stddef.h>

static void done(struct sim_dirty_glue *g, enum sim_dirty_op op, uint64_t first, uint64_t last)
{
	g->counts[op]++;
	if (g->on_op)
		g->on_op(g->hook_ctx, op, first, last);
}

static uint64_t *op_leaf(void *ctx, uint64_t gfn, unsigned int *order)
{
	struct sim_dirty_glue *g = ctx;
	uint64_t *leaf = sim_s2_leaf(g->s2, gfn, order);

	done(g, SIM_DIRTY_OP_LEAF, gfn, gfn);
	return leaf;
}

static void op_tlbi_range(void *ctx, uint64_t first_gfn, uint64_t last_gfn)
{
	struct sim_dirty_glue *g = ctx;

	if (!g->skip_tlbi)
		sim_mmu_invalidate(g->mmu, first_gfn, last_gfn);
	done(g, SIM_DIRTY_OP_TLBI_RANGE, first_gfn, last_gfn);
}

static void op_tlbi_local(void *ctx, uint64_t gfn)
{
	struct sim_dirty_glue *g = ctx;

	sim_mmu_invalidate_local(g->mmu, g->vcpu, gfn);
	done(g, SIM_DIRTY_OP_TLBI_LOCAL, gfn, gfn);
}

static enum weir_status op_block_split(void *ctx, uint64_t gfn)
{
	struct sim_dirty_glue *g = ctx;
	enum weir_status st = sim_s2_split_block(g->s2, gfn);

	g->splits_failed += st == WEIR_ENOMEM;
	done(g, SIM_DIRTY_OP_BLOCK_SPLIT, gfn, gfn);
	return st;
}

static uint64_t op_writable(void *ctx, uint64_t group_gfn)
{
	struct sim_dirty_glue *g = ctx;
	uint64_t w = (group_gfn - g->readonly_base_gfn) / WEIR_DIRTY_GROUP_PAGES;

	done(g, SIM_DIRTY_OP_WRITABLE, group_gfn, group_gfn + (WEIR_DIRTY_GROUP_PAGES - 1));
	if (group_gfn < g->readonly_base_gfn || w >= g->readonly_words)
		return UINT64_MAX;
	return ~g->readonly[w];
}

const struct weir_dirty_ops *sim_dirty_glue_ops(const struct sim_dirty_glue *glue)
{
	static const struct weir_dirty_ops all = {
		.leaf = op_leaf,
		.tlbi_range = op_tlbi_range,
		.tlbi_local = op_tlbi_local,
		.block_split = op_block_split,
	};
	static const struct weir_dirty_ops with_writable = {
		.leaf = op_leaf,
		.tlbi_range = op_tlbi_range,
		.tlbi_local = op_tlbi_local,
		.block_split = op_block_split,
		.writable = op_writable,
	};

	return glue->readonly ? &with_writable : &all;
}
