// SPDX-License-Identifier: BSD-2-Clause
/*
 * leaf.c - the checkers writable_block and illegal_leaf. See check.h.
 *
 * A block that may be written hides writes to all of its pages but for those whose bit is set
 * already. A page leaf may be written unseen if its bit is set; or seen, if it has DBM and a reader
 * will look at it, that is, if its group is in the scan set; or, if the hardware keeps a log, clean
 * or in that log.
 */
#include "sim/check/check.h"

static void check_block(struct sim_check *check, uint64_t gfn, unsigned int order)
{
	uint64_t first = gfn >> order << order;
	uint64_t end = first + ((uint64_t)1 << order);
	uint64_t page;

	if (first < check->base_gfn)
		first = check->base_gfn;
	if (end > check->base_gfn + check->npages)
		end = check->base_gfn + check->npages;
	for (page = first; page < end; page++) {
		if (!(weir_dirty_peek(check->d, page) & WEIR_DIRTY_PEEK_BIT)) {
			sim_check_violated(check, SIM_CHECK_WRITABLE_BLOCK, page,
					   "a block may be written while a page's bit is clear");
			return;
		}
	}
}

void sim_check_leaf(struct sim_check *check, uint64_t gfn, unsigned int order, uint64_t desc)
{
	unsigned int peek;

	if (!check->logging || !(desc & (SIM_DESC_W | SIM_DESC_DBM)))
		return;
	if (order) {
		check_block(check, gfn, order);
		return;
	}
	peek = weir_dirty_peek(check->d, gfn);
	if (peek & (WEIR_DIRTY_PEEK_BIT | WEIR_DIRTY_PEEK_HW) &&
	    (desc & SIM_DESC_DBM || peek & WEIR_DIRTY_PEEK_BIT))
		return;
	if (desc & SIM_DESC_DBM && check->in_log &&
	    (!(desc & SIM_DESC_W) || check->in_log(check->log_ctx, gfn)))
		return;
	sim_check_violated(check, SIM_CHECK_ILLEGAL_LEAF, gfn,
			   desc & SIM_DESC_DBM ? "DBM outside the scan set"
					       : "writable, and no trace of a write would remain");
}

static bool visit(void *ctx, uint64_t gfn, unsigned int order, uint64_t desc)
{
	sim_check_leaf(ctx, gfn, order, desc);
	return true;
}

void sim_check_leaves(struct sim_check *check)
{
	if (check->logging)
		(void)sim_s2_each_leaf(check->s2, check->base_gfn,
				       check->base_gfn + check->npages - 1, visit, check);
}
