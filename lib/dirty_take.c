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

/* Take the bits of one group; whether none is left. */
static bool take_bits(struct weir_dirty *d, uint64_t group, uint64_t mask, uint64_t *taken)
{
	uint64_t *word = &d->bits[group], old;

	/* Acquire: pairs with dirty_set_bits(), so that the write behind the bit is seen. */
	if (mask == ~(uint64_t)0)
		old = weir_exchange_acquire(word, (uint64_t)0);
	else
		old = weir_fetch_and_acquire(word, ~mask);
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

static inline bool take_stripe(struct dirty_pass *p, uint64_t stripe, uint64_t groups,
			       uint64_t *group)
{
	struct weir_dirty *d = p->d;
	uint64_t sum = weir_load_relaxed(&d->sum0[stripe]) & groups;
	uint64_t todo = sum | (weir_load_relaxed(&d->scan0[stripe]) & groups);
	uint64_t taken[64];

	while (todo) {
		uint64_t batch = lowest(todo, room(p)), left, emptied = 0;

		if (!batch) {
			*group = (stripe << STRIPE_SHIFT) + weir_ctz64(todo);
			return false;
		}
		for (left = batch; left; left &= left - 1u) {
			unsigned int i = weir_ctz64(left);

			taken[i] = 0;
			if ((sum & dirty_bit(i)) &&
			    take_bits(d, (stripe << STRIPE_SHIFT) + i, ~(uint64_t)0, &taken[i]))
				emptied |= dirty_bit(i);
		}
		weir_dirty_retire(d, stripe, emptied);
		for (left = batch; left; left &= left - 1u) {
			unsigned int i = weir_ctz64(left);
			uint64_t at = (stripe << STRIPE_SHIFT) + i;
			uint64_t pages = weir_dirty_rearm(p, at, taken[i], dirty_group_mask(d, at));

			if (!pages)
				continue;
			p->words[p->nwords].gfn = dirty_gfn_of(d, at);
			p->words[p->nwords].pages = pages;
			p->nwords++;
			p->pages += weir_popcount64(pages);
		}
		todo &= ~batch;
	}
	return true;
}

WEIR_API enum weir_status weir_dirty_harvest_begin(struct weir_dirty *d, struct weir_dirty_txn *txn,
						   const struct weir_dirty_cursor *cur,
						   struct weir_dirty_word *words, size_t nwords_max)
{
	if (!weir_dirty_cursor_ok(d, cur) || !nwords_max)
		return WEIR_EINVAL;
	txn->cur = *cur;
	txn->words = words;
	txn->nwords_max = nwords_max;
	txn->nwords = 0;
	return WEIR_OK;
}

WEIR_API enum weir_status weir_dirty_harvest_step(struct weir_dirty *d, struct weir_dirty_txn *txn,
						  uint64_t budget_ptes)
{
	struct dirty_pass p;
	enum weir_status status;

	if (!weir_dirty_is_logging(d) || !weir_dirty_cursor_ok(d, &txn->cur))
		return WEIR_EINVAL;
	weir_dirty_pass_init(&p, d);
	p.words = txn->words;
	p.nwords_max = txn->nwords_max;
	p.nwords = txn->nwords;
	p.budget_ptes = budget_ptes;
	status = dirty_walk(&p, &txn->cur, false, take_stripe);
	weir_dirty_pass_count(&p);
	txn->nwords = p.nwords;
	return p.status ? p.status : status;
}

WEIR_API void weir_dirty_harvest_commit(struct weir_dirty *d, struct weir_dirty_txn *txn)
{
	(void)d;
	txn->nwords = 0;
}

WEIR_API void weir_dirty_harvest_abort(struct weir_dirty *d, struct weir_dirty_txn *txn)
{
	size_t i;

	for (i = 0; i < txn->nwords; i++) {
		dirty_set_bits(d, dirty_group_of(d, txn->words[i].gfn), txn->words[i].pages);
		dirty_count(d, pages_returned, weir_popcount64(txn->words[i].pages));
	}
	txn->nwords = 0;
	txn->cur.done = true;
}

/* Clear the masked pages of one stripe. mask: the word of the range's first group; NULL: all. */
static void clear_stripe(struct dirty_pass *p, uint64_t stripe, uint64_t groups,
			 uint64_t first_group, const uint64_t *mask)
{
	struct weir_dirty *d = p->d;
	uint64_t sum = weir_load_relaxed(&d->sum0[stripe]) & groups, emptied = 0;
	uint64_t todo = sum | (weir_load_relaxed(&d->scan0[stripe]) & groups), left;
	uint64_t taken[64], want[64];

	for (left = todo; left; left &= left - 1u) {
		unsigned int i = weir_ctz64(left);
		uint64_t group = (stripe << STRIPE_SHIFT) + i;

		taken[i] = 0;
		want[i] = dirty_group_mask(d, group);
		if (mask)
			want[i] &= mask[group - first_group];
		if (!want[i])
			todo &= ~dirty_bit(i);
		else if ((sum & dirty_bit(i)) && take_bits(d, group, want[i], &taken[i]))
			emptied |= dirty_bit(i);
	}
	if (!todo)
		return;
	weir_dirty_retire(d, stripe, emptied);
	for (left = todo; left; left &= left - 1u) {
		unsigned int i = weir_ctz64(left);

		p->pages += weir_popcount64(
			weir_dirty_rearm(p, (stripe << STRIPE_SHIFT) + i, taken[i], want[i]));
	}
}

WEIR_API enum weir_status weir_dirty_clear(struct weir_dirty *d, uint64_t first_gfn,
					   uint64_t npages, const uint64_t *mask)
{
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
	weir_dirty_pass_init(&p, d);
	for (stripe = first >> STRIPE_SHIFT; stripe <= last >> STRIPE_SHIFT; stripe++) {
		uint64_t lo = stripe << STRIPE_SHIFT;

		p.block = stripe >> STRIPE_SHIFT;
		p.claimed |= dirty_bit(stripe);
		clear_stripe(&p, stripe,
			     dirty_span(first > lo ? first - lo : 0,
					last < lo + 63u ? last - lo : 63u), first, mask);
		if ((stripe & 63u) == 63u || stripe == last >> STRIPE_SHIFT)
			weir_dirty_pass_end(&p);
	}
	weir_dirty_pass_count(&p);
	return p.status;
}
