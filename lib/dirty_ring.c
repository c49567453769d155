// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dirty_ring.c - a ring of what one vCPU dirtied, in front of the log. What it is for:
 * dirty_ring.h.
 *
 * Three parties, each with an index of its own: the vCPU fills, the collector marks, reset empties.
 * An entry's word is all they share, so every order is relaxed: a fault has ended with a full fence
 * before its page is pushed, and a page whose bit reset does not see yet stays in the bitmap. head
 * and tail never meet: push looks at the word it is about to fill.
 */
#include "dirty_internal.h"

#define STATE_MASK	((uint64_t)3)
#define DIRTY		((uint64_t)1)
#define COLLECTED	((uint64_t)2)
#define STATE_SHIFT	2u

WEIR_API enum weir_status weir_dirty_ring_init(struct weir_dirty_ring *ring, uint64_t *entries,
					       uint32_t nentries)
{
	if (!ring || !entries || ((uintptr_t)entries & 7u) || nentries < WEIR_DIRTY_RING_MIN ||
	    nentries > WEIR_DIRTY_RING_MAX || (nentries & (nentries - 1u)))
		return WEIR_EINVAL;
	weir_memset(ring, 0, sizeof(*ring));
	weir_memset(entries, 0, (size_t)nentries * sizeof(*entries));
	ring->entries = entries;
	ring->nentries = nentries;
	return WEIR_OK;
}

WEIR_API enum weir_status weir_dirty_ring_push(struct weir_dirty_ring *ring, uint64_t gfn)
{
	uint32_t head = ring->head;
	uint64_t *entry = &ring->entries[head & (ring->nentries - 1u)];
	uint64_t *ahead = &ring->entries[(head + WEIR_DIRTY_RING_RESERVE) & (ring->nentries - 1u)];

	if (weir_load_relaxed(entry) & STATE_MASK) {
		(void)weir_fetch_add_relaxed(&ring->overflowed, (uint64_t)1);
		return WEIR_ENOMEM;
	}
	weir_store_relaxed(entry, gfn << STATE_SHIFT | DIRTY);
	ring->head = head + 1u;
	return weir_load_relaxed(ahead) & STATE_MASK ? WEIR_EAGAIN : WEIR_OK;
}

WEIR_API size_t weir_dirty_ring_collect(struct weir_dirty_ring *ring, uint64_t *gfns, size_t n)
{
	size_t found = 0;

	while (found < n) {
		uint64_t *entry = &ring->entries[ring->fetch & (ring->nentries - 1u)];
		uint64_t v = weir_load_relaxed(entry);

		if ((v & STATE_MASK) != DIRTY)
			break;
		gfns[found++] = v >> STATE_SHIFT;
		weir_store_relaxed(entry, (v & ~STATE_MASK) | COLLECTED);
		ring->fetch++;
	}
	return found;
}

/*
 * Pages of one stripe that are to be cleared together, with one invalidation. first and last are
 * the groups that have any, counted from the stripe's first; none: first > last.
 */
struct batch {
	uint64_t stripe;
	uint32_t first, last;
	uint64_t masks[64];
};

static void batch_begin(struct batch *b, uint64_t stripe)
{
	weir_memset(b->masks, 0, sizeof(b->masks));
	b->stripe = stripe;
	b->first = 64u;
	b->last = 0;
}

static void batch_add(struct batch *b, uint64_t page)
{
	uint32_t group = (uint32_t)(page >> GROUP_SHIFT & 63u);

	b->masks[group] |= dirty_bit(page);
	if (group < b->first)
		b->first = group;
	if (group > b->last)
		b->last = group;
}

static enum weir_status batch_clear(struct weir_dirty *reader, const struct batch *b)
{
	const struct weir_dirty *d = reader->region;
	uint64_t page = ((b->stripe << STRIPE_SHIFT) + b->first) << GROUP_SHIFT, npages;

	if (b->first > b->last)
		return WEIR_OK;
	npages = ((uint64_t)(b->last - b->first) + 1u) << GROUP_SHIFT;
	if (npages > d->npages - page)
		npages = d->npages - page;
	return weir_dirty_clear(reader, d->base_gfn + page, npages, &b->masks[b->first]);
}

WEIR_API enum weir_status weir_dirty_ring_reset(struct weir_dirty_ring *ring,
						struct weir_dirty *reader, size_t *nreset)
{
	const struct weir_dirty *d = reader->region;
	uint32_t tail = ring->tail, done = tail, visited;
	enum weir_status status = WEIR_OK;
	struct batch b;

	*nreset = 0;
	batch_begin(&b, 0);
	for (visited = 0; visited < ring->nentries; visited++, tail++) {
		uint64_t v = weir_load_relaxed(&ring->entries[tail & (ring->nentries - 1u)]);
		uint64_t page = (v >> STATE_SHIFT) - d->base_gfn;

		if ((v & STATE_MASK) != COLLECTED)
			break;
		if (page >= d->npages)
			continue;	/* from elsewhere: nobody's */
		if (page >> (GROUP_SHIFT + STRIPE_SHIFT) != b.stripe) {
			status = batch_clear(reader, &b);
			if (status == WEIR_EBUSY)
				break;
			done = tail;
			batch_begin(&b, page >> (GROUP_SHIFT + STRIPE_SHIFT));
		}
		batch_add(&b, page);
	}
	if (status != WEIR_EBUSY) {
		status = batch_clear(reader, &b);
		if (status != WEIR_EBUSY)
			done = tail;
	}
	for (; ring->tail != done; ring->tail++, (*nreset)++)
		weir_store_relaxed(&ring->entries[ring->tail & (ring->nentries - 1u)], (uint64_t)0);
	return status == WEIR_EBUSY ? WEIR_EBUSY : WEIR_OK;
}
