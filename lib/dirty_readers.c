// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dirty_readers.c - several readers of one region, each with an epoch of its own; and the pages
 * that devices may write.
 *
 * The leaves and the shared log know only whether a page was written since *somebody* took it. So
 * whoever takes a page tells the others, in a log of their own, before the claim of the stripe is
 * released. What is dirty for a reader is what is shared, and what it was told.
 *
 * A device cannot fault, and its writes set no leaf. A page it may write is in a third log, which
 * every reader sees and nobody clears.
 *
 * Cost: nothing without the flags; with them one bit a page a reader, and for each group taken one
 * more atomic operation a reader.
 */
#include "dirty_internal.h"

/* Pages were taken by one reader: they stay dirty for the others. Under the stripe's claim. */
void weir_dirty_tell_others(struct weir_dirty *reader, uint64_t group, uint64_t pages)
{
	struct weir_dirty *d = reader->region, *other;

	if (reader != d)
		dirty_set_bits(&d->own, group, pages);
	for (other = weir_plain_load(&d->readers); other; other = weir_plain_load(&other->next))
		if (other != reader)
			dirty_set_bits(&other->own, group, pages);
}

static uint64_t words_bytes(uint64_t words)
{
	return (words * 8u + 63u) & ~(uint64_t)63u;
}

static uint64_t header_bytes(void)
{
	return (sizeof(struct weir_dirty) + 63u) & ~(uint64_t)63u;
}

WEIR_API size_t weir_dirty_reader_size(const struct weir_dirty *d)
{
	uint64_t stripes, blocks;

	d = d->region;
	stripes = (d->ngroups + 63u) >> STRIPE_SHIFT;
	blocks = (stripes + 63u) >> STRIPE_SHIFT;
	return (size_t)(header_bytes() + words_bytes(d->ngroups) + words_bytes(stripes) +
			words_bytes(blocks));
}

/* What other readers took before the first one saw it is dirty for a reader that starts as it. */
static void copy_own(const struct weir_dirty *d, struct weir_dirty *to)
{
	uint64_t stripe, todo;

	for (stripe = 0; stripe << STRIPE_SHIFT < d->ngroups; stripe++) {
		for (todo = dirty_log_groups(&d->own, stripe); todo; todo &= todo - 1u) {
			uint64_t group = (stripe << STRIPE_SHIFT) + weir_ctz64(todo);
			uint64_t pages = dirty_log_pages(&d->own, group);

			if (pages)
				dirty_set_bits(&to->own, group, pages);
		}
	}
}

/* Whether memory is one of the region's readers. Under the claim of every stripe. */
static bool is_attached(const struct weir_dirty *d, const void *mem)
{
	const struct weir_dirty *r;

	for (r = weir_plain_load(&d->readers); r; r = weir_plain_load(&r->next))
		if (r == mem)
			return true;
	return false;
}

WEIR_API enum weir_status weir_dirty_reader_attach(struct weir_dirty *d, void *mem, size_t size,
						   bool all_dirty, struct weir_dirty **reader)
{
	struct weir_dirty *r = mem;
	unsigned char *at = mem;

	d = d->region;
	if (!d->many_readers)
		return WEIR_EOPNOTSUPP;
	if (!mem || ((uintptr_t)mem & 63u) || !reader)
		return WEIR_EINVAL;
	if (size < weir_dirty_reader_size(d))
		return WEIR_ENOMEM;
	if (!weir_dirty_claim_range(d, 0, d->ngroups - 1u))
		return WEIR_EBUSY;
	if (is_attached(d, mem)) {
		weir_dirty_unclaim_range(d, 0, d->ngroups - 1u);
		return WEIR_EINVAL;
	}
	weir_memset(r, 0, sizeof(*r));
	at += header_bytes();
	r->own.bits = (uint64_t *)(void *)at;
	at += words_bytes(d->ngroups);
	r->own.sum0 = (uint64_t *)(void *)at;
	at += words_bytes((d->ngroups + 63u) >> STRIPE_SHIFT);
	r->own.sum1 = (uint64_t *)(void *)at;
	weir_dirty_log_fill(d, &r->own, all_dirty);
	if (!all_dirty)
		copy_own(d, r);
	r->region = d;
	weir_plain_store(&r->next, weir_plain_load(&d->readers));
	weir_plain_store(&d->readers, r);
	weir_dirty_unclaim_range(d, 0, d->ngroups - 1u);
	*reader = r;
	return WEIR_OK;
}

WEIR_API enum weir_status weir_dirty_reader_detach(struct weir_dirty *reader)
{
	struct weir_dirty *d = reader->region, **at;
	enum weir_status status = WEIR_EINVAL;

	if (!d)
		return WEIR_EINVAL;	/* memory that was zeroed and no more */
	if (!weir_dirty_claim_range(d, 0, d->ngroups - 1u))
		return WEIR_EBUSY;
	for (at = &d->readers; weir_plain_load(at); at = &weir_plain_load(at)->next) {
		if (weir_plain_load(at) != reader)
			continue;
		weir_plain_store(at, weir_plain_load(&reader->next));
		status = WEIR_OK;
		break;
	}
	weir_dirty_unclaim_range(d, 0, d->ngroups - 1u);
	return status;
}

WEIR_API enum weir_status weir_dirty_device_map(struct weir_dirty *d, uint64_t first_gfn,
						uint64_t npages)
{
	uint64_t first, last, group;

	if (!d->device.bits)
		return WEIR_EOPNOTSUPP;
	if (!dirty_range(d, first_gfn, npages, &first, &last))
		return WEIR_ERANGE;
	for (group = first >> GROUP_SHIFT; group <= last >> GROUP_SHIFT; group++)
		dirty_set_bits(&d->device, group, dirty_part(group << GROUP_SHIFT, first, last));
	return WEIR_OK;
}

WEIR_API enum weir_status weir_dirty_device_unmap(struct weir_dirty *d, uint64_t first_gfn,
						  uint64_t npages)
{
	uint64_t first, last, group;
	enum weir_status status;

	if (!d->device.bits)
		return WEIR_EOPNOTSUPP;
	if (!dirty_range(d, first_gfn, npages, &first, &last))
		return WEIR_ERANGE;
	/* Marked first: the page is in one log or the other at every instant. */
	status = weir_dirty_mark_by(d, WEIR_DIRTY_BY_DEVICE, first_gfn, npages);
	for (group = first >> GROUP_SHIFT; group <= last >> GROUP_SHIFT; group++)
		/*
		 * Relaxed: the mark ended with a full fence. The summary stays (I6), until a reader
		 * that takes the group finds it empty.
		 */
		(void)weir_fetch_and_relaxed(&d->device.bits[group],
					     ~dirty_part(group << GROUP_SHIFT, first, last));
	return status;
}
