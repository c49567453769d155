// SPDX-License-Identifier: BSD-2-Clause
/*
 * content_before_tlbi.c - a page is copied while a vCPU can still write it without being noticed.
 *
 * The copy is worth something only if each later write makes the page dirty again. A write through
 * a cached writable translation sets nothing, so at the copy either no TLB has one, or the page
 * counts as dirty already and will be copied once more: its bit is set, or its leaf is
 * writable-dirty in the scan set, or it is in the hardware's log.
 *
 * Only frames that were ever written are looked at: what a TLB may write was entered by a store, to
 * the page or to another one of its block, and that one is looked at when it is copied.
 */
#include "sim/check/check.h"

static bool held_dirty(const struct sim_check *check, uint64_t gfn)
{
	unsigned int order = 0, peek = weir_dirty_peek(check->d, gfn);
	const uint64_t *leaf;

	if (peek & WEIR_DIRTY_PEEK_BIT)
		return true;
	if (check->in_log && check->in_log(check->log_ctx, gfn))
		return true;
	if (!(peek & WEIR_DIRTY_PEEK_HW))
		return false;
	leaf = sim_s2_leaf(check->s2, gfn, &order);
	return leaf && !order && *leaf & SIM_DESC_W && *leaf & SIM_DESC_DBM;
}

void sim_check_copy(struct sim_check *check, uint64_t first_gfn, uint64_t npages)
{
	uint64_t gfn;

	if (!check->logging)
		return;
	for (gfn = first_gfn; gfn - first_gfn < npages; gfn++) {
		if (sim_content_version(check->content, gfn) &&
		    sim_mmu_any_writable(check->mmu, gfn, NULL) && !held_dirty(check, gfn))
			sim_check_violated(check, SIM_CHECK_CONTENT_BEFORE_TLBI, gfn,
					   "content is read while a cached translation writes");
	}
}
