// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dirty_ring.c - a ring of what one vCPU dirtied, in front of the log. What it is for:
 * dirty_ring.h.
 *
 * Three parties, each with an index of its own: the vCPU fills, the collector marks, reset empties.
 * An entry's word is the only thing they share. head and tail never meet: push looks at the word it
 * is about to fill.
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

	/* Acquire: pairs with the release of reset, which had done with the entry. */
	if (weir_load_acquire(entry) & STATE_MASK) {
		(void)weir_fetch_add_relaxed(&ring->overflowed, (uint64_t)1);
		return WEIR_ENOMEM;
	}
	/* Release: who finds the entry finds the page's bit set. */
	weir_store_release(entry, gfn << STATE_SHIFT | DIRTY);
	ring->head = head + 1u;
	return weir_load_relaxed(ahead) & STATE_MASK ? WEIR_EAGAIN : WEIR_OK;
}

WEIR_API size_t weir_dirty_ring_collect(struct weir_dirty_ring *ring, uint64_t *gfns, size_t n)
{
	size_t found = 0;

	while (found < n) {
		uint64_t *entry = &ring->entries[ring->fetch & (ring->nentries - 1u)];
		uint64_t v = weir_load_acquire(entry);	/* pairs with push */

		if ((v & STATE_MASK) != DIRTY)
			break;
		gfns[found++] = v >> STATE_SHIFT;
		/* Release: reset, which finds it, comes after this reading of it. */
		weir_store_release(entry, (v & ~STATE_MASK) | COLLECTED);
		ring->fetch++;
	}
	return found;
}

/* Clear pages of one group; an empty mask or a frame from elsewhere is nobody's. */
static enum weir_status clear_group(struct weir_dirty *reader, uint64_t gfn, uint64_t mask)
{
	const struct weir_dirty *d = reader->region;
	uint64_t left;

	if (!mask || gfn < d->base_gfn || gfn - d->base_gfn >= d->npages)
		return WEIR_OK;
	left = d->npages - (gfn - d->base_gfn);
	return weir_dirty_clear(reader, gfn, left < 64u ? left : 64u, &mask);
}

WEIR_API enum weir_status weir_dirty_ring_reset(struct weir_dirty_ring *ring,
						struct weir_dirty *reader, size_t *nreset)
{
	uint32_t tail = ring->tail, done = tail, visited;
	uint64_t gfn = 0, mask = 0;
	enum weir_status status = WEIR_OK;

	*nreset = 0;
	for (visited = 0; visited < ring->nentries; visited++) {
		/* Acquire: pairs with collect. */
		uint64_t v = weir_load_acquire(&ring->entries[tail & (ring->nentries - 1u)]);
		uint64_t page = v >> STATE_SHIFT;

		if ((v & STATE_MASK) != COLLECTED)
			break;
		if (mask && (page & ~(uint64_t)63u) != gfn) {
			status = clear_group(reader, gfn, mask);
			if (status == WEIR_EBUSY)
				break;
			done = tail;
			mask = 0;
		}
		gfn = page & ~(uint64_t)63u;
		mask |= dirty_bit(page);
		tail++;
	}
	if (mask && status != WEIR_EBUSY) {
		status = clear_group(reader, gfn, mask);
		if (status != WEIR_EBUSY)
			done = tail;
	}
	for (; ring->tail != done; ring->tail++, (*nreset)++)
		/* Release: the vCPU that finds it empty comes after our reading of it. */
		weir_store_release(&ring->entries[ring->tail & (ring->nentries - 1u)], (uint64_t)0);
	return status == WEIR_EBUSY ? WEIR_EBUSY : WEIR_OK;
}
