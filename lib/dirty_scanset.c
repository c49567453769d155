// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dirty_scanset.c - how a group enters and leaves the scan set (I2).
 *
 * A fault enters the group, then gives a leaf DBM, then looks whether the group is still in. A
 * demotion takes DBM from the leaves, takes the group out, then looks whether a leaf has DBM again.
 * Both looks come after a full fence: one of the two sees the other, so that no leaf with DBM is
 * left in a group that nobody scans.
 */
#include "dirty_internal.h"

void weir_dirty_enter_scan_set(struct weir_dirty *d, uint64_t group)
{
	uint64_t stripe = group >> STRIPE_SHIFT;

	if (!dirty_in_scan_set(d, group)) {
		(void)weir_fetch_or_relaxed(&d->scan0[stripe], dirty_bit(group));
		dirty_count(d, groups_promoted, 1);
	}
	dirty_raise(&d->scan1[stripe >> STRIPE_SHIFT], dirty_bit(stripe));
}

/* Take a demoted group out, unless a fault was faster, in a new table perhaps. Is it out? */
bool weir_dirty_leave_scan_set(struct dirty_pass *p, uint64_t group)
{
	struct weir_dirty *d = p->d;
	uint64_t mask = dirty_group_mask(d, group), todo;
	const uint64_t *leaves;

	(void)weir_fetch_and_relaxed(&d->scan0[group >> STRIPE_SHIFT], ~dirty_bit(group));
	weir_fence_full();	/* pairs with the fence of promote() */
	weir_dirty_forget_run(p);
	leaves = weir_dirty_lookup(p, dirty_gfn_of(d, group));
	if (p->run_order)
		leaves = NULL;
	for (todo = leaves ? mask : 0; todo; todo &= todo - 1u) {
		if (!(weir_load_relaxed(&leaves[weir_ctz64(todo)]) & WEIR_DIRTY_DESC_DBM))
			continue;
		weir_dirty_enter_scan_set(d, group);
		return false;
	}
	return true;
}
