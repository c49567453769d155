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

/* Entries that are reset together, with one invalidation. */
#define RESET_PAGES	96u

/* Ascending (Shell 1959, gaps of Ciura 2001). What was written in sequence is in order already. */
static void sort_pages(uint32_t *pages, size_t n)
{
	static const unsigned char gaps[] = { 57, 23, 10, 4, 1 };
	size_t g, i, j;

	for (g = 0; g < sizeof(gaps); g++) {
		for (i = gaps[g]; i < n; i++) {
			uint32_t page = pages[i];

			for (j = i; j >= gaps[g] && pages[j - gaps[g]] > page; j -= gaps[g])
				pages[j] = pages[j - gaps[g]];
			pages[j] = page;
		}
	}
}

WEIR_API enum weir_status weir_dirty_ring_reset(struct weir_dirty_ring *ring,
						struct weir_dirty *reader, size_t *nreset)
{
	const struct weir_dirty *d = reader->region;
	uint32_t mask = ring->nentries - 1u, visited = 0, tail;

	*nreset = 0;
	do {
		uint32_t pages[RESET_PAGES];	/* counted from base */
		uint64_t base = 0;
		size_t n = 0;

		for (tail = ring->tail; visited < ring->nentries && n < RESET_PAGES; visited++) {
			uint64_t v = weir_load_relaxed(&ring->entries[tail & mask]);
			uint64_t page = (v >> STATE_SHIFT) - d->base_gfn;

			if ((v & STATE_MASK) != COLLECTED) {
				visited = ring->nentries;
				break;
			}
			if (page < d->npages) {	/* else from elsewhere: nobody's */
				if (!n)
					base = page >> 32 << 32;
				if (page >> 32 != base >> 32)
					break;	/* of the next portion */
				pages[n++] = (uint32_t)page;
			}
			tail++;
		}
		sort_pages(pages, n);
		if (n && weir_dirty_clear_pages(reader, base, pages, n) == WEIR_EBUSY)
			return WEIR_EBUSY;
		*nreset += tail - ring->tail;
		for (; ring->tail != tail; ring->tail++)
			weir_store_relaxed(&ring->entries[ring->tail & mask], (uint64_t)0);
	} while (visited < ring->nentries);
	return WEIR_OK;
}
