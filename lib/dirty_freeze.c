// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dirty_freeze.c - handing every page back to write protection, while the guest still runs.
 *
 * A group of the scan set costs 64 descriptors whenever somebody asks what is dirty. That is cheap
 * in the background and dear in the pause, where every vCPU waits for it. Freezing moves the cost
 * before the pause: it folds what the leaves know into the bitmap, so that the pause reads the
 * bitmap's summary alone.
 *
 * Cost: one atomic operation a leaf with DBM, one invalidation a block of 64 stripes; afterwards a
 * fault for the first write to each page until the guest stops.
 */
#include "dirty_internal.h"

static inline bool freeze_stripe(struct dirty_pass *p, uint64_t stripe, uint64_t groups,
				 uint64_t *group)
{
	uint64_t todo = weir_load_relaxed(&p->d->scan0[stripe]) & groups;

	for (; todo; todo &= todo - 1u) {
		*group = (stripe << STRIPE_SHIFT) + weir_ctz64(todo);
		if (dirty_spent(p))
			return false;
		weir_dirty_demote(p, *group);
	}
	return true;
}

WEIR_API enum weir_status weir_dirty_freeze(struct weir_dirty *reader,
					    struct weir_dirty_cursor *cur, uint64_t budget_ptes)
{
	struct weir_dirty *d = reader->region;
	struct dirty_pass p;
	enum weir_status status;

	if (weir_load_relaxed(&d->state) != DIRTY_LOGGING || !weir_dirty_cursor_ok(d, cur))
		return WEIR_EINVAL;
	weir_store_relaxed(&d->frozen, 1u);
	weir_dirty_pass_init(&p, reader);
	p.budget_ptes = budget_ptes;
	status = dirty_walk(&p, cur, true, freeze_stripe);
	weir_dirty_pass_count(&p);
	return status;
}

WEIR_API void weir_dirty_thaw(struct weir_dirty *d)
{
	weir_store_relaxed(&d->region->frozen, 0u);
}
