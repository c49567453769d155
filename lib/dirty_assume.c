// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dirty_assume.c - pages that are dirty in every round: assumed to be.
 *
 * All of it happens where a page is taken, under the claim of its stripe. A page that is assumed is
 * not taken: its bit stays set, its leaf is not re-armed. So an assumed page is a dirty page like
 * any other that no reader has come to yet, and letting go of it takes no more than to say so.
 *
 * A1  A page is assumed only while its bit is set: the bit is set before, and no reader takes it.
 * A2  The pages assumed are never more than the owner allowed, but for those that were when it
 *     allowed fewer.
 *
 * The learning. Each page has a count from 0 to 3, how many rounds in a row found it dirty, kept a
 * bit a page in two words, so that 64 counts go up in a few operations. A group that is not visited
 * in a round had nothing dirty: its counts are those of the round it was last visited in, and void
 * a round later. What else writes these words does so under the same claim; others look.
 *
 * Cost: a few words a group that is taken. Source of the idea: the "assume hot" of automatic
 * choices between tracking mechanisms, discussed for arm64's dirty log.
 */
#include "dirty_internal.h"

/* Every so many rounds a page is looked at again, at another time in neighbouring groups. */
#define LOOK_ROUNDS	8u

void weir_dirty_assume_reset(struct weir_dirty *d)
{
	uint64_t group;

	weir_store_relaxed(&d->round, (uint64_t)0);
	weir_store_relaxed(&d->assumed_max, (uint64_t)0);
	weir_store_relaxed(&d->nassumed, (uint64_t)0);
	for (group = 0; d->hot && group < d->ngroups; group++) {
		weir_store_relaxed(&d->hot[group].assumed, (uint64_t)0);
		weir_store_relaxed(&d->hot[group].often[0], (uint64_t)0);
		weir_store_relaxed(&d->hot[group].often[1], (uint64_t)0);
		weir_store_relaxed(&d->hot[group].round, (uint64_t)0);
	}
}

/* Counts of the round before this one: those that are older are void. */
static void age(struct dirty_hot *hot, uint64_t round)
{
	if (weir_load_relaxed(&hot->round) >= round - 1u)
		return;
	weir_store_relaxed(&hot->often[0], (uint64_t)0);
	weir_store_relaxed(&hot->often[1], (uint64_t)0);
	weir_store_relaxed(&hot->round, round - 1u);
}

/* A reader comes by: let go of the group's assumed pages, if their time has come. */
void weir_dirty_assume_review(struct weir_dirty *d, uint64_t group)
{
	struct dirty_hot *hot = &d->hot[group];
	uint64_t pages = weir_load_relaxed(&hot->assumed), round = weir_load_relaxed(&d->round);

	if (!pages)
		return;
	if (weir_load_relaxed(&d->nassumed) <= weir_load_relaxed(&d->assumed_max) &&
	    (weir_load_relaxed(&hot->round) == round || (round + group) % LOOK_ROUNDS))
		return;
	/* They count once now, twice when they are taken, and the next round decides. */
	age(hot, round);
	weir_store_relaxed(&hot->often[0], weir_load_relaxed(&hot->often[0]) | pages);
	weir_store_relaxed(&hot->often[1], weir_load_relaxed(&hot->often[1]) & ~pages);
	weir_store_relaxed(&hot->assumed, (uint64_t)0);
	(void)weir_fetch_add_relaxed(&d->nassumed, (uint64_t)0 - weir_popcount64(pages));
	dirty_count(d, pages_let_go, weir_popcount64(pages));
}

/* As many of the pages as there is room for, the lowest first (A2). */
static uint64_t reserve(struct weir_dirty *d, uint64_t pages)
{
	uint64_t max = weir_load_relaxed(&d->assumed_max), n = weir_popcount64(pages), had, left;

	had = weir_fetch_add_relaxed(&d->nassumed, n);
	left = had < max ? max - had : 0;
	if (left >= n)
		return pages;
	(void)weir_fetch_add_relaxed(&d->nassumed, left - n);
	for (had = pages; left; left--)
		had &= had - 1u;
	return pages & ~had;
}

/*
 * These pages of a group are about to be taken. Returns those that are not, because they are
 * assumed dirty from now on: their bits are set again.
 */
uint64_t weir_dirty_assume_learn(struct weir_dirty *d, uint64_t group, uint64_t dirty)
{
	struct dirty_hot *hot = &d->hot[group];
	uint64_t round = weir_load_relaxed(&d->round), lo, hi, pages;

	if (weir_load_relaxed(&hot->round) == round)
		return 0;	/* a second reader in the same round */
	age(hot, round);
	weir_store_relaxed(&hot->round, round);
	lo = weir_load_relaxed(&hot->often[0]);
	hi = weir_load_relaxed(&hot->often[1]);
	pages = (lo | hi) & dirty;			/* 2 or 3 now */
	lo = (~lo | hi) & dirty;			/* 1 or 3 now */
	hi = pages;
	weir_store_relaxed(&hot->often[0], lo);
	weir_store_relaxed(&hot->often[1], hi);
	pages = lo & hi ? reserve(d, lo & hi) : 0;
	if (!pages)
		return 0;
	dirty_set_bits(&d->shared, group, pages);
	/* Relaxed: a fence of dirty_set_bits() stands between their bits and this (A1). */
	weir_store_relaxed(&hot->assumed, weir_load_relaxed(&hot->assumed) | pages);
	dirty_count(d, pages_assumed, weir_popcount64(pages));
	return pages;
}

WEIR_API enum weir_status weir_dirty_assume(struct weir_dirty *d, uint64_t npages_max)
{
	d = d->region;
	if (!d->hot)
		return WEIR_EOPNOTSUPP;
	if (weir_load_relaxed(&d->state) != DIRTY_LOGGING)
		return WEIR_EINVAL;
	weir_store_relaxed(&d->assumed_max, npages_max);
	weir_store_relaxed(&d->round, weir_load_relaxed(&d->round) + 1u);
	return WEIR_OK;
}

WEIR_API uint64_t weir_dirty_assumed(const struct weir_dirty *reader, uint64_t gfn)
{
	const struct weir_dirty *d = reader->region;

	if (gfn < d->base_gfn || gfn - d->base_gfn >= d->npages ||
	    weir_load_relaxed(&d->state) != DIRTY_LOGGING)
		return 0;
	return dirty_assumed_pages(d, dirty_group_of(d, gfn));
}
