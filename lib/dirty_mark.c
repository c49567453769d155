// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dirty_mark.c - writes that nobody faulted on: reported by who made them, logged by the hardware,
 * or known to a leaf that was replaced.
 *
 * All of them set bits, after the write, in any context. A mark that comes after final is kept, and
 * counted with its source, so that a writer that was forgotten at the switchover has a name.
 *
 * Cost: one atomic or and two looks at the summary a group, one fence a call.
 */
#include "dirty_internal.h"

WEIR_API enum weir_status weir_dirty_mark_by(struct weir_dirty *d, enum weir_dirty_source source,
					     uint64_t first_gfn, uint64_t npages)
{
	uint32_t state = weir_load_relaxed(&d->state);
	uint64_t first, last, group;

	if ((unsigned int)source >= WEIR_DIRTY_SOURCES)
		return WEIR_EINVAL;
	if (!dirty_range(d, first_gfn, npages, &first, &last))
		return WEIR_ERANGE;
	if (state == DIRTY_OFF) {
		/*
		 * The write was before the look at the state: if logging begins meanwhile, either
		 * we see that, or who started it sees the write. Pairs with weir_dirty_start().
		 */
		weir_fence_full();
		state = weir_load_relaxed(&d->state);
		if (state == DIRTY_OFF)
			return WEIR_OK;
	}
	for (group = first >> GROUP_SHIFT; group <= last >> GROUP_SHIFT; group++)
		dirty_set_bits(&d->shared, group, dirty_part(group << GROUP_SHIFT, first, last));
	dirty_count(d, pages_marked[source], npages);
	/* Who looks after final finds the bits by their summaries, or we see that it came first. */
	weir_fence_full();	/* pairs with weir_dirty_final() */
	if (weir_load_relaxed(&d->state) != DIRTY_FINAL)
		return WEIR_OK;
	dirty_count(d, pages_late[source], npages);
	return WEIR_ESHUTDOWN;
}

WEIR_API size_t weir_dirty_log(struct weir_dirty *d, const uint64_t *entries, size_t nentries,
			       unsigned int page_shift)
{
	size_t i, taken = 0;

	d = d->region;
	weir_assert(page_shift == 12u || page_shift == 14u || page_shift == 16u);
	for (i = 0; d->logged && i < nentries; i++) {
		uint64_t gfn = (entries[i] & WEIR_DIRTY_LOG_IPA) >> page_shift;

		if (!(entries[i] & WEIR_DIRTY_LOG_VALID) || gfn < d->base_gfn ||
		    gfn - d->base_gfn >= d->npages)
			continue;
		dirty_set_bits(&d->shared, dirty_group_of(d, gfn), dirty_bit(gfn - d->base_gfn));
		taken++;
	}
	dirty_count(d, pages_logged, taken);
	return taken;
}

WEIR_API enum weir_status weir_dirty_mark(struct weir_dirty *d, uint64_t first_gfn,
					  uint64_t npages)
{
	return weir_dirty_mark_by(d, WEIR_DIRTY_BY_VMM, first_gfn, npages);
}

WEIR_API void weir_dirty_fold(struct weir_dirty *d, uint64_t gfn, unsigned int order,
			      uint64_t old_desc)
{
	uint64_t first = gfn, last, end;

	d = d->region;
	end = d->base_gfn + (d->npages - 1u);
	weir_assert(order < 64u);
	last = gfn + (((uint64_t)1 << order) - 1u);
	if (!(old_desc & WEIR_DIRTY_DESC_VALID) || !(old_desc & WEIR_DIRTY_DESC_W))
		return;
	if (first < d->base_gfn)
		first = d->base_gfn;
	if (last > end)
		last = end;
	if (first <= last)
		(void)weir_dirty_mark_by(d, WEIR_DIRTY_BY_VCPU, first, last - first + 1u);
}
