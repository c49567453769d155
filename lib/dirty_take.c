// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dirty_take.c - taking pages out of the log: KVM's CLEAR, and the harvest transaction.
 *
 * Both do the same to a group: take its bits, take the write permission of the leaves, invalidate,
 * and only then let go (I3, I4). They differ in what says which pages (a mask, or all of a range)
 * and in who remembers them (nobody, or the transaction).
 *
 * The transaction's memory is the caller's words. Until they are committed the pages are his; abort
 * sets their bits again. A harvest that is dropped without either loses them, as does a GET whose
 * answer is dropped after a CLEAR.
 */
#include "dirty_internal.h"

/* Take bits of one group of a log; whether none is left. */
static bool take_bits(struct dirty_log *log, uint64_t group, uint64_t mask, uint64_t *taken)
{
	uint64_t *word = &log->bits[group], old;

	/* Relaxed: weir_dirty_retire()'s fence comes before anything the bit stands for is read. */
	if (mask == ~(uint64_t)0)
		old = weir_exchange_relaxed(word, (uint64_t)0);
	else
		old = weir_fetch_and_relaxed(word, ~mask);
	*taken = old & mask;
	return !(old & ~mask);
}

/* The lowest n set bits of v. */
static uint64_t lowest(uint64_t v, uint64_t n)
{
	uint64_t rest = v;

	if (n >= 64u)
		return v;
	for (; n && rest; n--)
		rest &= rest - 1u;
	return v & ~rest;
}

/* How many more groups the pass may visit. */
static uint64_t room(const struct dirty_pass *p)
{
	uint64_t n = p->nwords_max - p->nwords;

	if (p->budget_ptes) {
		uint64_t left = dirty_spent(p) ? 0 : ((p->budget_ptes - p->ptes) + 63u) >> 6;

		if (left < n)
			n = left;
	}
	return n;
}

/* The pages of a group that are wanted. mask: the range's, from first_group on; NULL: all. */
static uint64_t wanted(const struct dirty_pass *p, uint64_t group)
{
	uint64_t pages = dirty_group_mask(p->d, group);

	return p->mask ? pages & p->mask[group - p->mask_group] : pages;
}

/* And of those the ones that may be taken: what is assumed dirty stays so. */
static uint64_t takable(const struct dirty_pass *p, uint64_t group)
{
	return wanted(p, group) & ~dirty_assumed_pages(p->d, group);
}

/* Pages of a group are about to be taken: those that are to be assumed dirty instead are not. */
static uint64_t but_hot(struct dirty_pass *p, uint64_t group, uint64_t pages)
{
	return p->assume && pages ? pages & ~weir_dirty_assume_learn(p->d, group, pages) : pages;
}

/*
 * Take the wanted pages of some groups of a stripe: bits, then write permission, and tell the other
 * readers. Hands the pages to the transaction, if there is one.
 */
static void take_groups(struct dirty_pass *p, uint64_t stripe, uint64_t groups)
{
	struct weir_dirty *d = p->d;
	struct dirty_log *own = &p->reader->own;
	uint64_t shared = dirty_log_groups(&d->shared, stripe) & groups;
	uint64_t mine = dirty_log_groups(own, stripe) & groups;
	uint64_t device = dirty_log_groups(&d->device, stripe) & groups;
	uint64_t hw = weir_load_relaxed(&d->scan0[stripe]) & groups;
	uint64_t emptied = 0, emptied_own = 0, unmapped = 0, hit, left;
	uint64_t dirty[64];	/* of group i of the stripe, where shared or hit has bit i */

	/* Where few groups are dirty each word, and each leaf, is somewhere else in memory. */
	for (left = shared; left; left &= left - 1u)
		weir_prefetch(&d->shared.bits[(stripe << STRIPE_SHIFT) + weir_ctz64(left)]);
	for (left = shared; left; left &= left - 1u) {
		unsigned int i = weir_ctz64(left);
		uint64_t group = (stripe << STRIPE_SHIFT) + i;

		if (p->assume)
			weir_dirty_assume_review(d, group);
		if (take_bits(&d->shared, group, takable(p, group), &dirty[i]))
			emptied |= dirty_bit(i);
		weir_dirty_expect(p, group, dirty[i]);
	}
	weir_dirty_retire(&d->shared, stripe, emptied);
	/* Who set a bit may have put a table there first: ask again, now that bits are taken. */
	weir_dirty_forget_run(p);
	hit = weir_dirty_scan_groups(p, stripe, hw, shared, dirty);
	p->ptes += (uint64_t)weir_popcount64(groups) << GROUP_SHIFT;
	/* What most groups of a large scan set are: nothing was written. */
	if (p->learn)
		p->strided = weir_dirty_learn_strides(d, shared | hit, dirty);
	else
		groups &= hit | shared | mine | device;
	for (left = groups; left; left &= left - 1u) {
		unsigned int i = weir_ctz64(left);
		uint64_t bit = dirty_bit(i), group = (stripe << STRIPE_SHIFT) + i, pages = 0;

		if ((shared | hit) & bit)
			pages = but_hot(p, group, hit & bit ? dirty[i] & takable(p, group) :
							      dirty[i]);
		if ((shared | hw) & bit)
			weir_dirty_rearm(p, group, pages);
		if (pages && d->many_readers)
			weir_dirty_tell_others(p->reader, group, pages);
		if (mine & bit) {
			uint64_t told;

			if (take_bits(own, group, takable(p, group), &told))
				emptied_own |= bit;
			pages |= told;
		}
		p->pages += weir_popcount64(pages);
		if (device & bit) {
			uint64_t mapped = dirty_log_pages(&d->device, group);

			if (!mapped)
				unmapped |= bit;
			pages |= mapped & wanted(p, group);
		}
		pages |= dirty_assumed_pages(d, group) & wanted(p, group);
		if (!pages || !p->words)
			continue;
		p->words[p->nwords].gfn = dirty_gfn_of(d, group);
		p->words[p->nwords].pages = pages;
		p->nwords++;
	}
	if (mine)
		weir_dirty_retire(own, stripe, emptied_own);
	if (unmapped)
		weir_dirty_retire(&d->device, stripe, unmapped);
}

/* Groups of a stripe in which the reader may find something to take. */
static uint64_t full_groups(const struct dirty_pass *p, uint64_t stripe)
{
	const struct weir_dirty *d = p->d;

	return dirty_log_groups(&d->shared, stripe) | dirty_log_groups(&p->reader->own, stripe) |
	       dirty_log_groups(&d->device, stripe) | weir_load_relaxed(&d->scan0[stripe]);
}

static inline bool take_stripe(struct dirty_pass *p, uint64_t stripe, uint64_t groups,
			       uint64_t *group)
{
	uint64_t todo = full_groups(p, stripe) & groups;

	while (todo) {
		uint64_t batch = lowest(todo, room(p));

		if (!batch) {
			*group = (stripe << STRIPE_SHIFT) + weir_ctz64(todo);
			return false;
		}
		take_groups(p, stripe, batch);
		todo &= ~batch;
	}
	return true;
}

WEIR_API enum weir_status weir_dirty_harvest_begin(struct weir_dirty *reader,
						   struct weir_dirty_txn *txn,
						   const struct weir_dirty_cursor *cur,
						   struct weir_dirty_word *words, size_t nwords_max)
{
	if (!weir_dirty_cursor_ok(reader->region, cur) || !words || !nwords_max)
		return WEIR_EINVAL;
	txn->cur = *cur;
	txn->words = words;
	txn->nwords_max = nwords_max;
	txn->nwords = 0;
	return WEIR_OK;
}

WEIR_API enum weir_status weir_dirty_harvest_step(struct weir_dirty *reader,
						  struct weir_dirty_txn *txn, uint64_t budget_ptes)
{
	struct weir_dirty *d = reader->region;
	struct dirty_pass p;
	enum weir_status status;

	if (!weir_dirty_is_logging(d) || !weir_dirty_cursor_ok(d, &txn->cur) ||
	    txn->nwords > txn->nwords_max)
		return WEIR_EINVAL;
	weir_dirty_pass_init(&p, reader);
	p.words = txn->words;
	p.nwords_max = txn->nwords_max;
	p.nwords = txn->nwords;
	p.budget_ptes = budget_ptes;
	status = dirty_walk(&p, &txn->cur, false, take_stripe);
	weir_dirty_pass_count(&p);
	txn->nwords = p.nwords;
	return p.status ? p.status : status;
}

WEIR_API void weir_dirty_harvest_commit(struct weir_dirty *reader, struct weir_dirty_txn *txn)
{
	(void)reader;
	txn->nwords = 0;
}

WEIR_API void weir_dirty_harvest_abort(struct weir_dirty *reader, struct weir_dirty_txn *txn)
{
	struct weir_dirty *d = reader->region;
	/* Other readers have been told already, if there may be any. */
	struct dirty_log *log = reader->own.bits ? &reader->own : &d->shared;
	size_t i;

	weir_assert(txn->nwords <= txn->nwords_max);
	for (i = 0; i < txn->nwords; i++) {
		dirty_set_bits(log, dirty_group_of(d, txn->words[i].gfn), txn->words[i].pages);
		dirty_count(d, pages_returned, weir_popcount64(txn->words[i].pages));
	}
	txn->nwords = 0;
	txn->cur.done = true;
}

/* Those of the groups in which some page is wanted. */
static uint64_t wanted_groups(const struct dirty_pass *p, uint64_t stripe, uint64_t groups)
{
	uint64_t left, none = 0;

	for (left = p->mask ? groups : 0; left; left &= left - 1u)
		if (!wanted(p, (stripe << STRIPE_SHIFT) + weir_ctz64(left)))
			none |= left & (0u - left);
	return groups & ~none;
}

WEIR_API enum weir_status weir_dirty_clear(struct weir_dirty *reader, uint64_t first_gfn,
					   uint64_t npages, const uint64_t *mask)
{
	struct weir_dirty *d = reader->region;
	uint64_t first, last, stripe;
	struct dirty_pass p;

	if (!weir_dirty_is_logging(d) || !weir_dirty_range_ok(d, first_gfn, npages))
		return WEIR_EINVAL;
	if (!npages)
		return WEIR_OK;
	first = dirty_group_of(d, first_gfn);
	last = dirty_group_of(d, first_gfn + (npages - 1u));
	if (!weir_dirty_claim_range(d, first, last))
		return WEIR_EBUSY;
	weir_dirty_pass_init(&p, reader);
	p.mask = mask;
	p.mask_group = first;
	for (stripe = first >> STRIPE_SHIFT; stripe <= last >> STRIPE_SHIFT; stripe++) {
		uint64_t groups = dirty_part(stripe << STRIPE_SHIFT, first, last);

		p.block = stripe >> STRIPE_SHIFT;
		p.claimed |= dirty_bit(stripe);
		groups = wanted_groups(&p, stripe, full_groups(&p, stripe) & groups);
		if (groups)
			take_groups(&p, stripe, groups);
		if ((stripe & 63u) == 63u || stripe == last >> STRIPE_SHIFT)
			weir_dirty_pass_end(&p);
	}
	weir_dirty_pass_count(&p);
	return p.status;
}

/*
 * Single pages, in ascending order, counted from the region's first: in 32 bits, from a multiple of
 * 2^32 on, so that a list of them stays small on the stack of a hypervisor.
 */
struct page_list {
	uint64_t base;
	const uint32_t *pages;
	size_t n;
};

static uint64_t stripe_of(const struct page_list *l, size_t i)
{
	return (l->base + l->pages[i]) >> STRIPE_PAGES_SHIFT;
}

/* The first of the pages that is not in the stripe of page i. */
static size_t stripe_end(const struct page_list *l, size_t i)
{
	uint64_t stripe = stripe_of(l, i);

	while (i < l->n && stripe_of(l, i) == stripe)
		i++;
	return i;
}

/* Claim the stripes of the pages, or none. */
static bool claim_pages(struct weir_dirty *d, const struct page_list *l)
{
	size_t i, j;

	for (i = 0; i < l->n; i = stripe_end(l, i)) {
		uint64_t stripe = stripe_of(l, i), bit = dirty_bit(stripe);

		/* Acquire: what the reader before us did to the stripe is over. */
		if (!(weir_fetch_or_acquire(&d->claim[stripe >> STRIPE_SHIFT], bit) & bit))
			continue;
		for (j = 0; j < i; j = stripe_end(l, j)) {
			stripe = stripe_of(l, j);
			/* Relaxed: nothing was done to these. */
			(void)weir_fetch_and_relaxed(&d->claim[stripe >> STRIPE_SHIFT],
						     ~dirty_bit(stripe));
		}
		dirty_count(d, readers_busy, 1);
		return false;
	}
	return true;
}

/* Pay what the pass owes, and let go of the stripes of pages from..n - 1. */
static void let_go(struct dirty_pass *p, const struct page_list *l, size_t from, size_t n)
{
	/* The last block first: demotions are of that one. */
	while (n > from) {
		p->block = stripe_of(l, n - 1u) >> STRIPE_SHIFT;
		for (; n > from && stripe_of(l, n - 1u) >> STRIPE_SHIFT == p->block; n--)
			p->claimed |= dirty_bit(stripe_of(l, n - 1u));
		weir_dirty_pass_end(p);
	}
}

/* Groups of a stripe that single pages are taken from in one go: bounds the stack. */
#define MASK_GROUPS	8u

/*
 * weir_dirty_clear() of n single pages, base + pages[i], counted from the region's first and in
 * ascending order; base: a multiple of 2^32. The claims of all their stripes are held until one
 * invalidation, which spans them, has completed.
 */
enum weir_status weir_dirty_clear_pages(struct weir_dirty *reader, uint64_t base,
					const uint32_t *pages, size_t n)
{
	const struct page_list l = { base, pages, n };
	struct weir_dirty *d = reader->region;
	size_t held = 0, i = 0;	/* pages[held..] have their stripes claimed */
	struct dirty_pass p;
	uint64_t masks[MASK_GROUPS];

	if (!weir_dirty_is_logging(d))
		return WEIR_EINVAL;
	if (!claim_pages(d, &l))
		return WEIR_EBUSY;
	weir_dirty_pass_init(&p, reader);
	p.mask = masks;
	while (i < n) {
		uint64_t window = (base + pages[i]) >> GROUP_SHIFT & ~(uint64_t)(MASK_GROUPS - 1u);
		uint64_t stripe = window >> STRIPE_SHIFT, groups = 0, group;

		if (p.demoted_stripes && stripe >> STRIPE_SHIFT != p.block) {
			let_go(&p, &l, held, i);
			held = i;
		}
		weir_memset(masks, 0, sizeof(masks));
		for (; i < n; i++) {
			group = (base + pages[i]) >> GROUP_SHIFT;
			if (group - window >= MASK_GROUPS)
				break;
			masks[group - window] |= dirty_bit(pages[i]);
			groups |= dirty_bit(group);
		}
		p.block = stripe >> STRIPE_SHIFT;
		p.mask_group = window;
		groups &= full_groups(&p, stripe);
		if (groups)
			take_groups(&p, stripe, groups);
	}
	let_go(&p, &l, held, n);
	weir_dirty_pass_count(&p);
	return p.status;
}
