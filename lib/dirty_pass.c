// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dirty_pass.c - how readers share a region: claims, the invalidation a pass owes, and the retiring
 * of summary bits.
 *
 * A reader holds the claim of a stripe from before it takes the first bit or cleans the first leaf
 * until the invalidation has completed (I3). Faults and marks know nothing of claims. A reader that
 * is frozen for ever while it holds a claim costs the other readers that stripe, and the writers
 * nothing.
 */
#include "dirty_internal.h"

void weir_dirty_pass_init(struct dirty_pass *p, struct weir_dirty *reader)
{
	struct weir_dirty *d = reader->region;

	weir_memset(p, 0, sizeof(*p));
	p->d = d;
	p->reader = reader;
	p->run_first_gfn = 1;		/* an empty run: first > last */
	if (weir_load_relaxed(&d->state) == DIRTY_LOGGING && !weir_load_relaxed(&d->frozen)) {
		p->learn = d->ctl != NULL;
		p->assume = d->hot && weir_load_relaxed(&d->round);
	}
}

/* Stripes of a block that may have a bit set in a log. */
static uint64_t log_stripes(const struct dirty_log *log, uint64_t block)
{
	/* Acquire: pairs with dirty_set_bits()'s fences: sum0 and bits are at least as new. */
	return log->bits ? weir_load_acquire(&log->sum1[block]) : 0;
}

/* Stripes of a block that may hold something for a reader. */
uint64_t weir_dirty_candidates(const struct weir_dirty *reader, uint64_t block)
{
	const struct weir_dirty *d = reader->region;

	return weir_load_acquire(&d->scan1[block]) | log_stripes(&d->shared, block) |
	       log_stripes(&d->device, block) | log_stripes(&reader->own, block);
}

static uint64_t candidates(const struct dirty_pass *p, uint64_t block, bool scan_only)
{
	if (scan_only)
		return weir_load_acquire(&p->d->scan1[block]);
	return weir_dirty_candidates(p->reader, block);
}

/*
 * The first block from `block` on that may hold something or that another reader is working on;
 * `last` if there is none before it. The looks are those of weir_dirty_claim(), in its order and
 * for its reason, but a block is passed over in a few loads.
 */
uint64_t weir_dirty_skip_empty(const struct dirty_pass *p, uint64_t block, uint64_t last,
			       bool scan_only)
{
	for (; block < last; block++) {
		uint64_t some = candidates(p, block, scan_only);

		some |= weir_load_acquire(&p->d->claim[block]); /* pairs with a claim's release */
		some |= candidates(p, block, scan_only);
		if (some)
			break;
	}
	return block;
}

/*
 * Claim the stripes of a block that have something in them, up to the first that another reader
 * holds. Returns the stripes that were found held; p->claimed are those gained.
 *
 * The summaries are read on both sides of the claim word. A summary bit is wrongly clear only while
 * another reader holds the stripe: if it began after the first reading, that reading saw the bit;
 * if it is still at it, the claim word shows it; if it has ended, the acquire of the claim word
 * makes the second reading see the bit again.
 */
uint64_t weir_dirty_claim(struct dirty_pass *p, uint64_t block, uint64_t range, bool scan_only)
{
	struct weir_dirty *d = p->d;
	uint64_t *claim = &d->claim[block];
	uint64_t want = candidates(p, block, scan_only);
	uint64_t busy = weir_load_acquire(claim) & range; /* pairs with a claim's release */
	uint64_t mine = 0;

	p->block = block;
	want = (want | candidates(p, block, scan_only)) & range;
	if (want) {
		/* Acquire: what the reader before us did to these stripes is over. */
		uint64_t old = weir_fetch_or_acquire(claim, want);

		mine = want & ~old;
		busy |= want & old;
	}
	if (busy) {
		uint64_t below = dirty_bit(weir_ctz64(busy)) - 1u;

		/* Relaxed: nothing was done to these. */
		if (mine & ~below)
			(void)weir_fetch_and_relaxed(claim, ~(mine & ~below));
		mine &= below;
	}
	p->claimed = mine;
	return busy;
}

static uint64_t range_of_block(uint64_t block, uint64_t first_group, uint64_t last_group)
{
	uint64_t first = block << STRIPE_SHIFT, last = first + 63u;
	uint64_t lo = first_group >> STRIPE_SHIFT, hi = last_group >> STRIPE_SHIFT;

	return dirty_span((lo > first ? lo : first) & 63u, (hi < last ? hi : last) & 63u);
}

static void unclaim_blocks(struct weir_dirty *d, uint64_t first_group, uint64_t last_group,
			   uint64_t blocks_end)
{
	uint64_t block;

	for (block = first_group >> (2u * STRIPE_SHIFT); block < blocks_end; block++) {
		uint64_t range = range_of_block(block, first_group, last_group);

		/* Release: pairs with the acquire of the next reader of the stripe. */
		(void)weir_fetch_and_release(&d->claim[block], ~range);
	}
}

/* Claim every stripe of a range, or none. */
bool weir_dirty_claim_range(struct weir_dirty *d, uint64_t first_group, uint64_t last_group)
{
	uint64_t last = last_group >> (2u * STRIPE_SHIFT), block;

	for (block = first_group >> (2u * STRIPE_SHIFT); block <= last; block++) {
		uint64_t range = range_of_block(block, first_group, last_group);
		uint64_t old = weir_fetch_or_acquire(&d->claim[block], range);

		if (old & range) {
			/* Relaxed: nothing was done to these. */
			(void)weir_fetch_and_relaxed(&d->claim[block], ~(range & ~old));
			unclaim_blocks(d, first_group, last_group, block);
			dirty_count(d, readers_busy, 1);
			return false;
		}
	}
	return true;
}

void weir_dirty_unclaim_range(struct weir_dirty *d, uint64_t first_group, uint64_t last_group)
{
	unclaim_blocks(d, first_group, last_group, (last_group >> (2u * STRIPE_SHIFT)) + 1u);
}

/*
 * Groups of a stripe have had all their bits taken: clear their summary bits, unless a writer was
 * faster. Also orders the taking before the re-arming that follows (I4): one fence serves both.
 */
void weir_dirty_retire(struct dirty_log *log, uint64_t stripe, uint64_t emptied)
{
	uint64_t back = 0, todo;

	if (emptied)
		(void)weir_fetch_and_relaxed(&log->sum0[stripe], ~emptied);
	weir_fence_full();	/* pairs with dirty_set_bits(), and the fences of dirty_fault.c */
	for (todo = emptied; todo; todo &= todo - 1u) {
		unsigned int i = weir_ctz64(todo);

		if (weir_load_relaxed(&log->bits[(stripe << STRIPE_SHIFT) + i]))
			back |= dirty_bit(i);
	}
	if (back)
		(void)weir_fetch_or_relaxed(&log->sum0[stripe], back);	/* after the fence */
}

/* Which of a block's stripes have no bit set in a first-level summary. */
static uint64_t empty_stripes(const uint64_t *sum0, uint64_t block, uint64_t stripes)
{
	uint64_t empty = 0, todo;

	for (todo = stripes; todo; todo &= todo - 1u) {
		unsigned int i = weir_ctz64(todo);

		if (!weir_load_relaxed(&sum0[(block << STRIPE_SHIFT) + i]))
			empty |= dirty_bit(i);
	}
	return empty;
}

/* Clear a block's summary bits over those of the pass's stripes that turned out empty. */
static void retire_block(const uint64_t *sum0, uint64_t *sum1, uint64_t block, uint64_t stripes)
{
	uint64_t empty = empty_stripes(sum0, block, stripes) & weir_load_relaxed(&sum1[block]);
	uint64_t back;

	if (!empty)
		return;
	/* Release: who sees it sees the claim under which it is made. */
	(void)weir_fetch_and_release(&sum1[block], ~empty);
	weir_fence_full();	/* pairs with dirty_set_bits() and dirty_raise() */
	back = empty & ~empty_stripes(sum0, block, empty);
	if (back)
		(void)weir_fetch_or_relaxed(&sum1[block], back);	/* after the fence */
}

/* Demoted groups leave the scan set, now that no translation from before can set a leaf dirty. */
static void settle_demoted(struct dirty_pass *p)
{
	struct weir_dirty *d = p->d;
	uint64_t stripes, groups;

	for (stripes = p->demoted_stripes; stripes; stripes &= stripes - 1u) {
		uint64_t stripe = (p->block << STRIPE_SHIFT) + weir_ctz64(stripes);

		for (groups = weir_plain_load(&d->leaving[stripe]); groups; groups &= groups - 1u)
			if (weir_dirty_leave_scan_set(p, (stripe << STRIPE_SHIFT) +
							 weir_ctz64(groups)))
				p->groups_demoted++;
		weir_plain_store(&d->leaving[stripe], (uint64_t)0);
	}
	p->demoted_stripes = 0;
}

/* Pay what the pass owes for its block, then release the claims. */
void weir_dirty_pass_end(struct dirty_pass *p)
{
	struct weir_dirty *d = p->d;

	if (!p->claimed)
		return;
	if (p->tlbi) {
		d->ops->tlbi_range(d->ctx, p->tlbi_first_gfn, p->tlbi_last_gfn);
		dirty_count(d, tlbi_ranges, 1);
		p->tlbi = false;
	}
	if (p->demoted_stripes)
		settle_demoted(p);
	retire_block(d->scan0, d->scan1, p->block, p->claimed);
	retire_block(d->shared.sum0, d->shared.sum1, p->block, p->claimed);
	if (d->device.bits)
		retire_block(d->device.sum0, d->device.sum1, p->block, p->claimed);
	if (p->reader->own.bits)
		retire_block(p->reader->own.sum0, p->reader->own.sum1, p->block, p->claimed);
	/* Release: the next reader of these stripes comes after the invalidation (I3). */
	(void)weir_fetch_and_release(&d->claim[p->block], ~p->claimed);
	p->claimed = 0;
}

/* Add what a pass counted to the statistics. */
void weir_dirty_pass_count(struct dirty_pass *p)
{
	struct weir_dirty *d = p->d;

	dirty_count(d, ptes_scanned, p->ptes_scanned);
	dirty_count(d, ptes_rearmed, p->ptes_rearmed);
	dirty_count(d, leaves_promoted, p->leaves_promoted);
	dirty_count(d, leaves_demoted, p->leaves_demoted);
	dirty_count(d, groups_demoted, p->groups_demoted);
	dirty_count(d, pages_cleared, p->pages);
}

/* Whether there is a log to read. */
bool weir_dirty_is_logging(const struct weir_dirty *d)
{
	return weir_load_relaxed(&d->state) != DIRTY_OFF;
}

/* A cursor that the library may walk: inside the region, on whole groups. */
bool weir_dirty_cursor_ok(const struct weir_dirty *d, const struct weir_dirty_cursor *cur)
{
	uint64_t next, last;

	if (cur->next_gfn < d->base_gfn || cur->last_gfn < d->base_gfn)
		return false;
	next = cur->next_gfn - d->base_gfn;
	last = cur->last_gfn - d->base_gfn;
	if (last >= d->npages || next > last)
		return false;
	if (last != d->npages - 1u && (last & 63u) != 63u)
		return false;
	return cur->done || !(next & 63u);
}
