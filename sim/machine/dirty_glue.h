/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/machine/dirty_glue.h - the ops of weir/dirty.h over the simulated tables and TLBs.
 *
 * One glue a region. The scenario fills in the fields above `counts`, hands sim_dirty_glue_ops()
 * and the glue as ctx to weir_dirty_init(), and keeps `vcpu` at whoever runs.
 *
 * Concurrency: one thread; the fields are read at each op.
 */
#ifndef SIM_MACHINE_DIRTY_GLUE_H
#define SIM_MACHINE_DIRTY_GLUE_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/dirty.h"
#include "sim/machine/mmu.h"
#include "sim/machine/stage2.h"

enum sim_dirty_op {
	SIM_DIRTY_OP_LEAF = 0,
	SIM_DIRTY_OP_TLBI_RANGE,
	SIM_DIRTY_OP_TLBI_LOCAL,
	SIM_DIRTY_OP_BLOCK_SPLIT,
	SIM_DIRTY_OP_WRITABLE,
	SIM_DIRTY_NOPS
};

/**
 * struct sim_dirty_glue - an adapter
 * @s2: the tables
 * @mmu: the TLBs; its tables are s2
 * @vcpu: on whose behalf the library runs: whom tlbi_local concerns
 * @skip_tlbi: planted mistake: tlbi_range returns without doing anything. Break-before-make of a
 *	split, which is the tables' own, still invalidates
 * @readonly: bit i of word j: the guest may not write frame readonly_base_gfn + 64 * j + i. NULL:
 *	it may write all
 * @readonly_base_gfn: a multiple of 64
 * @readonly_words: how many words; frames beyond may be written
 * @on_op: called after each op, with the frames it was about (for LEAF and LOCAL first == last);
 *	for costs and for checkers. A skipped invalidation is reported all the same. NULL: none
 * @hook_ctx: passed to it
 * @counts: calls of each op
 * @splits_failed: block_split() that found no memory
 */
struct sim_dirty_glue {
	struct sim_s2 *s2;
	struct sim_mmu *mmu;
	unsigned int vcpu;
	bool skip_tlbi;
	const uint64_t *readonly;
	uint64_t readonly_base_gfn;
	uint64_t readonly_words;
	void (*on_op)(void *hook_ctx, enum sim_dirty_op op, uint64_t first_gfn, uint64_t last_gfn);
	void *hook_ctx;
	uint64_t counts[SIM_DIRTY_NOPS];
	uint64_t splits_failed;
};

/** sim_dirty_glue_ops() - the ops to use with a glue: with writable() if it has a readonly map */
const struct weir_dirty_ops *sim_dirty_glue_ops(const struct sim_dirty_glue *glue);

#endif
