// SPDX-License-Identifier: BSD-2-Clause
/*
 * stage2_visit.c - walks over leaves, for checkers and reports.
 */
#include "sim/machine/stage2.h"
#include "sim/machine/stage2_priv.h"

/* The highest frame the tables can translate, or last_gfn if that is lower. */
static uint64_t clip(const struct sim_s2 *s2, uint64_t last_gfn)
{
	uint64_t top = ((uint64_t)1 << (s2->geo.ia_bits - s2->geo.granule_shift)) - 1;

	return last_gfn < top ? last_gfn : top;
}

bool sim_s2_each_leaf(const struct sim_s2 *s2, uint64_t first_gfn, uint64_t last_gfn,
		      bool (*fn)(void *ctx, uint64_t gfn, unsigned int order, uint64_t desc),
		      void *ctx)
{
	uint64_t gfn = first_gfn;

	last_gfn = clip(s2, last_gfn);
	while (gfn <= last_gfn) {
		int level;
		uint64_t desc;
		const uint64_t *entry = s2_lookup(s2, gfn << s2->geo.granule_shift, &level, &desc);
		unsigned int order = s2_order(s2, level);
		uint64_t end = ((gfn >> s2->stride) + 1) << s2->stride;

		/* A last-level table is read through; elsewhere one entry at a time. */
		if (level < 3)
			end = ((gfn >> order) + 1) << order;
		for (gfn = gfn >> order << order; gfn < end && gfn <= last_gfn;
		     gfn += (uint64_t)1 << order, entry++) {
			desc = s2_load(entry);
			if (s2_is_leaf(s2, level, desc) && !fn(ctx, gfn, order, desc))
				return false;
		}
	}
	return true;
}

bool sim_s2_writable_block(const struct sim_s2 *s2, uint64_t first_gfn, uint64_t last_gfn,
			   uint64_t *gfn)
{
	uint64_t at = first_gfn;

	last_gfn = clip(s2, last_gfn);
	while (at <= last_gfn) {
		int level;
		uint64_t desc;
		unsigned int order;

		s2_lookup(s2, at << s2->geo.granule_shift, &level, &desc);
		order = level < 3 ? s2_order(s2, level) : s2->stride;
		if (level < 3 && s2_is_leaf(s2, level, desc) &&
		    desc & (SIM_DESC_W | SIM_DESC_DBM)) {
			if (gfn)
				*gfn = at >> order << order;
			return true;
		}
		at = ((at >> order) + 1) << order;
	}
	return false;
}
