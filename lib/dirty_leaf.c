// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dirty_leaf.c - what readers do to leaf descriptors: find, scan, re-arm, demote.
 *
 * Everything here runs under the claim of the stripe. The others who may write these descriptors
 * meanwhile are the hardware, which sets AF, and W on a leaf with DBM; weir_dirty_fault(), which
 * only turns trapping leaves into something else; and the owner of the tables, unless it has
 * promised not to (WEIR_DIRTY_F_TABLES_EXCLUSIVE). So a bit is taken away by an atomic and, and DBM
 * is given by a compare-and-swap from a trapping leaf.
 *
 * The one plain store: a leaf that is valid, writable and accessed is one that neither the hardware
 * nor a fault has a reason to write. A hardware update in flight compares with the descriptor of
 * before it became writable; if it finds just that after our store, it sets W again, which is
 * right.
 *
 * Cost: a scan reads 64 descriptors, eight cache lines, without a branch that depends on them, and
 * looks again only at groups of which a leaf is writable.
 */
#include "dirty_internal.h"

/* How far ahead of itself a scan prefetches, in descriptors: 3 KiB. */
#define PREFETCH_PTES	384u

/* Groups that a scan looks at in one go. */
#define SCAN_BATCH	4u

#define W_SHIFT		7u	/* S2AP[1] */

/* The descriptor that maps gfn, NULL if there is none; p->run_order is log2 of its pages. */
static inline uint64_t *lookup(struct dirty_pass *p, uint64_t gfn)
{
	struct weir_dirty *d = p->d;

	if (gfn < p->run_first_gfn || gfn > p->run_last_gfn) {
		unsigned int order = 0;
		uint64_t *desc = d->ops->leaf(d->ctx, gfn, &order);
		uint64_t span = desc && !order ? d->table_pages : (uint64_t)1 << order;

		p->run_first_gfn = gfn & ~(span - 1u);
		p->run_last_gfn = p->run_first_gfn + (span - 1u);
		p->run_order = order;
		p->run = desc && !order ? desc - (gfn - p->run_first_gfn) : desc;
	}
	if (!p->run || p->run_order)
		return p->run;
	return p->run + (gfn - p->run_first_gfn);
}

uint64_t *weir_dirty_lookup(struct dirty_pass *p, uint64_t gfn)
{
	return lookup(p, gfn);
}

/* Some pages of a group are about to be re-armed: start fetching their leaves, eight a line. */
void weir_dirty_expect(struct dirty_pass *p, uint64_t group, uint64_t pages)
{
	const uint64_t *leaf = pages ? lookup(p, dirty_gfn_of(p->d, group)) : NULL;

	while (leaf && !p->run_order && pages) {
		unsigned int i = weir_ctz64(pages);

		weir_prefetch(&leaf[i]);
		pages &= ~((uint64_t)0xff << (i & 56u));
	}
}

/* The last answer of ops->leaf no longer holds. */
void weir_dirty_forget_run(struct dirty_pass *p)
{
	p->run_first_gfn = 1;
	p->run_last_gfn = 0;
}

/*
 * What a scan at the leaf of gfn should read ahead: of the same table, or of the one after it. The
 * next table's address is asked for early, and used for nothing else: another table may be there by
 * the time the scan is. Where tables lie strewn, a scan would otherwise wait for memory at the
 * start of each.
 */
static inline const uint64_t *read_ahead(struct dirty_pass *p, const uint64_t *leaf, uint64_t gfn)
{
	struct weir_dirty *d = p->d;
	uint64_t next = p->run_last_gfn + 1u;

	if (gfn + PREFETCH_PTES < next)
		return leaf + PREFETCH_PTES;
	if (p->ahead_gfn != next) {
		unsigned int order = 0;

		p->ahead_gfn = next;
		p->ahead = next - d->base_gfn < d->npages ? d->ops->leaf(d->ctx, next, &order) :
							    NULL;
		if (order)
			p->ahead = NULL;
	}
	return p->ahead ? p->ahead + (gfn + PREFETCH_PTES - next) : leaf;
}

static void owe_tlbi(struct dirty_pass *p, uint64_t first_gfn, uint64_t last_gfn)
{
	if (!p->tlbi || first_gfn < p->tlbi_first_gfn)
		p->tlbi_first_gfn = first_gfn;
	if (!p->tlbi || last_gfn > p->tlbi_last_gfn)
		p->tlbi_last_gfn = last_gfn;
	p->tlbi = true;
}

/* Whether one of 64 leaves is writable. Prefetches 64 others. */
static inline bool any_writable(const uint64_t *leaf, const uint64_t *ahead)
{
	uint64_t a = 0, b = 0, c = 0, d = 0;
	unsigned int i;

	for (i = 0; i < 64u; i += 8u) {
		weir_prefetch(&ahead[i]);
		/* Acquire is not needed: content is read after the TLBI's barrier. */
		a |= weir_load_relaxed(&leaf[i]) | weir_load_relaxed(&leaf[i + 4u]);
		b |= weir_load_relaxed(&leaf[i + 1u]) | weir_load_relaxed(&leaf[i + 5u]);
		c |= weir_load_relaxed(&leaf[i + 2u]) | weir_load_relaxed(&leaf[i + 6u]);
		d |= weir_load_relaxed(&leaf[i + 3u]) | weir_load_relaxed(&leaf[i + 7u]);
	}
	return ((a | b | c | d) & WEIR_DIRTY_DESC_W) != 0;
}

/* Which of the eight leaves of a line are writable. */
static inline uint64_t line_writable(const uint64_t *leaf)
{
	uint64_t some = 0;
	unsigned int i;

	for (i = 0; i < 8u; i++)
		some |= (weir_load_relaxed(&leaf[i]) & WEIR_DIRTY_DESC_W) << i;
	return some >> W_SHIFT;
}

/* Which of 64 leaves are writable. */
static inline uint64_t which_writable(const uint64_t *leaf)
{
	uint64_t low = line_writable(leaf) | line_writable(leaf + 8) << 8 |
		       line_writable(leaf + 16) << 16 | line_writable(leaf + 24) << 24;
	uint64_t high = line_writable(leaf + 32) | line_writable(leaf + 40) << 8 |
			line_writable(leaf + 48) << 16 | line_writable(leaf + 56) << 24;

	return low | high << 32;
}

/*
 * Whether the last leaf looked up is in more than one stripe: any block may be, where the region
 * does not begin on one.
 */
static bool spans_stripes(const struct dirty_pass *p)
{
	uint64_t base = p->d->base_gfn;

	return (p->run_first_gfn - base) >> STRIPE_PAGES_SHIFT !=
	       (p->run_last_gfn - base) >> STRIPE_PAGES_SHIFT;
}

/*
 * Pages of a group of the scan set that a block maps. The reader of another stripe of the block may
 * have protected it since the group's bits were looked at: it set them first, see keep_block().
 */
static uint64_t block_dirty(const struct dirty_pass *p, const uint64_t *desc, uint64_t group)
{
	uint64_t mask = dirty_group_mask(p->d, group);

	/* Acquire: pairs with a fence of dirty_set_bits(). */
	if (weir_load_acquire(desc) & WEIR_DIRTY_DESC_W)
		return mask;
	return spans_stripes(p) ? dirty_log_pages(&p->d->shared, group) & mask : 0;
}

/* Pages of a group of the scan set that are writable-dirty. Changes nothing. */
uint64_t weir_dirty_scan(struct dirty_pass *p, uint64_t group)
{
	struct weir_dirty *d = p->d;
	uint64_t gfn = dirty_gfn_of(d, group), mask = dirty_group_mask(d, group);
	const uint64_t *leaf = lookup(p, gfn);

	p->ptes += 64u;
	p->ptes_scanned += 64u;
	if (!leaf)
		return 0;
	if (p->run_order)
		return block_dirty(p, leaf, group);
	if (!any_writable(leaf, read_ahead(p, leaf, gfn)))
		return 0;
	return which_writable(leaf) & mask;
}

/*
 * The same for some groups of a stripe: pages[i] for group i, where the answer has bit i; in groups
 * of `shared` they join those that are there. In two steps, a few groups at a time: whether there
 * is a writable leaf, without a branch, and then which. Where writes are scattered a branch a group
 * would be guessed wrong every other time, and the reading ahead would start anew; the second step
 * finds its lines in the cache.
 */
uint64_t weir_dirty_scan_groups(struct dirty_pass *p, uint64_t stripe, uint64_t groups,
				uint64_t shared, uint64_t *pages)
{
	uint64_t first = stripe << STRIPE_SHIFT, hit = 0, left = groups;

	p->ptes_scanned += (uint64_t)weir_popcount64(groups) << GROUP_SHIFT;
	while (left) {
		const uint64_t *leaves[SCAN_BATCH], *leaf;
		unsigned int n, i, at[SCAN_BATCH];
		uint64_t some = 0, gfn, more;

		for (n = 0; n < SCAN_BATCH && left; left &= left - 1u) {
			i = weir_ctz64(left);
			gfn = dirty_gfn_of(p->d, first + i);
			leaf = lookup(p, gfn);
			if (!leaf || p->run_order) {
				more = leaf ? block_dirty(p, leaf, first + i) : 0;
				hit |= (uint64_t)(more != 0) << i;
				if (more)
					pages[i] = shared & dirty_bit(i) ? pages[i] | more : more;
				continue;
			}
			some |= (uint64_t)any_writable(leaf, read_ahead(p, leaf, gfn)) << n;
			leaves[n] = leaf;
			at[n++] = i;
		}
		for (; some; some &= some - 1u) {
			n = weir_ctz64(some);
			i = at[n];
			more = which_writable(leaves[n]) & dirty_group_mask(p->d, first + i);
			hit |= (uint64_t)(more != 0) << i;
			pages[i] = shared & dirty_bit(i) ? pages[i] | more : more;
		}
	}
	return hit;
}

/*
 * A block is about to lose its write permission, which was all that told of its pages in groups of
 * the scan set (I1): it goes to their bits, but for the pages of one group that are handed over.
 */
static void keep_block(struct dirty_pass *p, uint64_t own, uint64_t dirty)
{
	struct weir_dirty *d = p->d;
	uint64_t first = p->run_first_gfn < d->base_gfn ? 0 : dirty_group_of(d, p->run_first_gfn);
	uint64_t last = dirty_group_of(d, p->run_last_gfn), stripe, todo;

	if (last >= d->ngroups)
		last = d->ngroups - 1u;
	for (stripe = first >> STRIPE_SHIFT; stripe <= last >> STRIPE_SHIFT; stripe++) {
		todo = weir_load_relaxed(&d->scan0[stripe]) &
		       dirty_part(stripe << STRIPE_SHIFT, first, last);
		for (; todo; todo &= todo - 1u) {
			uint64_t group = (stripe << STRIPE_SHIFT) + weir_ctz64(todo);
			uint64_t pages = dirty_group_mask(d, group);

			if (group == own)
				pages &= ~dirty;
			if (pages)
				dirty_set_bits(&d->shared, group, pages);
		}
	}
}

/*
 * Protect the block that maps a group, or split it if the policy is eager. Returns the page leaves
 * that map the group now, or NULL if nothing is left to do. If others keep changing the block, the
 * pages that are dirty are given back (I5).
 */
static uint64_t *rearm_block(struct dirty_pass *p, uint64_t group, uint64_t dirty)
{
	const uint64_t off = WEIR_DIRTY_DESC_W | WEIR_DIRTY_DESC_DBM;
	struct weir_dirty *d = p->d;
	uint64_t gfn = dirty_gfn_of(d, group), *desc = p->run;
	unsigned int tries;

	for (tries = 0; tries < LEAF_TRIES_MAX && desc && p->run_order; tries++) {
		uint64_t v = weir_load_relaxed(desc);

		if ((v & DESC_TYPE) == DESC_BLOCK && d->eager && !p->status) {
			if (!d->ops->block_split(d->ctx, gfn)) {
				dirty_count(d, blocks_split, 1);
				weir_dirty_forget_run(p);
				desc = weir_dirty_lookup(p, gfn);
				continue;
			}
			p->status = WEIR_ENOMEM;
		}
		if ((v & DESC_TYPE) == DESC_BLOCK) {
			if (!(v & off)) {
				/* The reader of another of its stripes may owe it still (I3). */
				if (dirty && spans_stripes(p))
					owe_tlbi(p, gfn, gfn + 63u);
				return NULL;
			}
			if (v & WEIR_DIRTY_DESC_W)
				keep_block(p, group, dirty);
			if (!weir_cas_relaxed(desc, &v, v & ~off))
				continue;
			owe_tlbi(p, p->run_first_gfn, p->run_last_gfn);
			p->ptes_rearmed++;
			return NULL;
		}
		weir_dirty_forget_run(p);	/* split, or unmapped, under our feet */
		desc = weir_dirty_lookup(p, gfn);
	}
	if (desc && !p->run_order)
		return desc;
	if (desc && dirty && (weir_load_relaxed(desc) & WEIR_DIRTY_DESC_VALID))
		dirty_set_bits(&d->shared, group, dirty);
	return NULL;
}

/*
 * Take write permission from the leaves of `pages`; in TRAP mode DBM as well. Returns those of them
 * that trap now.
 */
static uint64_t rearm_leaves(struct dirty_pass *p, uint64_t *leaf, uint64_t gfn, uint64_t pages,
			     bool hw)
{
	const uint64_t settled = WEIR_DIRTY_DESC_VALID | WEIR_DIRTY_DESC_W | WEIR_DIRTY_DESC_AF;
	const uint64_t off = hw ? WEIR_DIRTY_DESC_W : WEIR_DIRTY_DESC_W | WEIR_DIRTY_DESC_DBM;
	bool exclusive = p->d->exclusive;
	uint64_t traps = 0, changed = 0, todo;
	unsigned int last = 0;

	for (todo = pages; todo; todo &= todo - 1u) {
		unsigned int i = weir_ctz64(todo);
		uint64_t v = weir_load_relaxed(&leaf[i]), page = todo & (0u - todo);

		if (v & WEIR_DIRTY_DESC_CONT) {
			/* The leaves of a run must not differ. */
			(void)p->d->ops->block_split(p->d->ctx, gfn + i);
			dirty_count(p->d, blocks_split, 1);
			v = weir_load_relaxed(&leaf[i]);
		}
		if (!hw || !(v & WEIR_DIRTY_DESC_DBM))
			traps |= page;
		if (!(v & off))
			continue;	/* traps already, or is writable-clean */
		if (exclusive && (v & settled) == settled)
			weir_store_relaxed(&leaf[i], v & ~off);
		else
			(void)weir_fetch_and_relaxed(&leaf[i], ~off);
		changed |= page;
		last = i;
	}
	if (changed) {
		p->ptes_rearmed += weir_popcount64(changed);
		owe_tlbi(p, gfn + weir_ctz64(changed), gfn + last);
	}
	return traps;
}

/* Give DBM to those of `pages` that trap and may be written. The group is in the scan set (I2). */
static void promote_leaves(struct dirty_pass *p, uint64_t *leaf, uint64_t gfn, uint64_t pages)
{
	const uint64_t set = WEIR_DIRTY_DESC_W | WEIR_DIRTY_DESC_DBM | WEIR_DIRTY_DESC_CONT;
	struct weir_dirty *d = p->d;
	uint64_t todo;

	if (d->ops->writable)
		pages &= d->ops->writable(d->ctx, gfn);
	for (todo = pages; todo; todo &= todo - 1u) {
		unsigned int i = weir_ctz64(todo);
		uint64_t v = weir_load_relaxed(&leaf[i]);

		if (!(v & WEIR_DIRTY_DESC_VALID) || (v & set))
			continue;
		/* Relaxed: dirty_raise()'s fence stands between the scan set and this (I2). */
		if (weir_cas_relaxed(&leaf[i], &v, v | WEIR_DIRTY_DESC_DBM))
			p->leaves_promoted++;
	}
}

/*
 * Every page of the group traps again, but for those that are assumed dirty, which go on without
 * DBM; it leaves the scan set when the pass ends its block. A block that is writable stays so: its
 * pages have their bits.
 */
void weir_dirty_demote(struct dirty_pass *p, uint64_t group)
{
	const uint64_t off = WEIR_DIRTY_DESC_W | WEIR_DIRTY_DESC_DBM;
	struct weir_dirty *d = p->d;
	uint64_t gfn = dirty_gfn_of(d, group), mask = dirty_group_mask(d, group);
	uint64_t *leaf = weir_dirty_lookup(p, gfn);
	uint64_t dirty = 0, changed = 0, assumed = dirty_assumed_pages(d, group), todo;
	uint64_t stripe = group >> STRIPE_SHIFT;

	p->ptes += 64u;
	if (leaf && p->run_order && (weir_load_relaxed(leaf) & WEIR_DIRTY_DESC_W))
		dirty = mask;
	for (todo = leaf && !p->run_order ? mask : 0; todo; todo &= todo - 1u) {
		unsigned int i = weir_ctz64(todo);

		if (!(weir_load_relaxed(&leaf[i]) & WEIR_DIRTY_DESC_DBM))
			continue;
		changed |= dirty_bit(i);
		if (assumed & dirty_bit(i))
			(void)weir_fetch_and_relaxed(&leaf[i], ~WEIR_DIRTY_DESC_DBM);
		else if (weir_fetch_and_relaxed(&leaf[i], ~off) & WEIR_DIRTY_DESC_W)
			dirty |= dirty_bit(i);
	}
	if (dirty)
		dirty_set_bits(&d->shared, group, dirty);
	if (changed) {
		owe_tlbi(p, gfn, gfn + 63u);
		p->leaves_demoted += weir_popcount64(changed);
	}
	weir_plain_store(&d->leaving[stripe],
			 weir_plain_load(&d->leaving[stripe]) | dirty_bit(group));
	p->demoted_stripes |= dirty_bit(stripe);
}

/*
 * Re-arm the pages of a group that are dirty, by bits that were taken or by their leaves: they
 * lose their write permission. Decides, for policies that promote on re-arming, the group's mode.
 */
void weir_dirty_rearm(struct dirty_pass *p, uint64_t group, uint64_t dirty)
{
	struct weir_dirty *d = p->d;
	uint64_t gfn = dirty_gfn_of(d, group), dbm;
	bool hw = dirty_in_scan_set(d, group), promotes;
	enum dirty_verdict verdict = DIRTY_KEEP;
	uint64_t *leaf;

	if (!dirty && !hw)
		return;
	leaf = weir_dirty_lookup(p, gfn);
	if (leaf && p->run_order)
		leaf = rearm_block(p, group, dirty);
	if (!leaf)
		return;
	if (p->learn)
		verdict = weir_dirty_learn(d, group, weir_popcount64(dirty), hw,
					   (p->strided & dirty_bit(group)) != 0);
	promotes = verdict == DIRTY_PROMOTE || ((hw || d->rearm_dbm) && verdict == DIRTY_KEEP &&
						!weir_load_relaxed(&d->frozen));
	if (promotes && !hw) {
		if (!d->logged)
			weir_dirty_enter_scan_set(d, group);
		hw = true;
	}
	dbm = rearm_leaves(p, leaf, gfn, dirty, hw);
	if (verdict == DIRTY_PROMOTE)
		dbm |= weir_dirty_learn_span(dirty) & dirty_group_mask(d, group);
	if (promotes && dbm)
		promote_leaves(p, leaf, gfn, dbm);
	if (verdict == DIRTY_DEMOTE)
		weir_dirty_demote(p, group);
}
