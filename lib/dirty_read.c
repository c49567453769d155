// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dirty_read.c - reading the log without taking anything: pairs, a bitmap, a peek.
 *
 * A page is dirty if its bit is set or, in a group of the scan set, its leaf is writable-dirty. The
 * reader claims the stripes it reads, so that it never sees one in the middle of a harvest.
 *
 * For ADAPTIVE a read also teaches: a group of the scan set in which nothing was written is on its
 * way out, and is demoted here if its time has come. That changes no page's dirtiness.
 *
 * Cost: two words a block (1 GiB of 4 KiB pages) that holds nothing, two words a stripe that does,
 * one word a dirty group, 64 descriptors a group of the scan set.
 */
#include "dirty_internal.h"

/* Groups of a stripe that may hold something for the reader. */
static uint64_t read_groups(const struct weir_dirty *reader, uint64_t stripe)
{
	const struct weir_dirty *d = reader->region;

	return dirty_log_groups(&d->shared, stripe) | dirty_log_groups(&d->device, stripe) |
	       dirty_log_groups(&reader->own, stripe);
}

/* Dirty pages of a group. */
static uint64_t read_group(struct dirty_pass *p, uint64_t group, bool hw)
{
	struct weir_dirty *d = p->d;
	/* First: what leaves here is marked in the shared log before. */
	uint64_t device = dirty_log_pages(&d->device, group);
	uint64_t pages = dirty_log_pages(&d->shared, group);

	if (hw) {
		pages |= weir_dirty_scan(p, group);
		if (!pages && p->learn &&
		    weir_dirty_learn(d, group, 0, true, false) == DIRTY_DEMOTE)
			weir_dirty_demote(p, group);
	}
	return pages | device | dirty_log_pages(&p->reader->own, group);
}

static inline bool get_stripe(struct dirty_pass *p, uint64_t stripe, uint64_t groups,
			      uint64_t *group)
{
	struct weir_dirty *d = p->d;
	uint64_t hw = weir_load_relaxed(&d->scan0[stripe]) & groups;
	uint64_t todo = (read_groups(p->reader, stripe) & groups) | hw;

	for (; todo; todo &= todo - 1u) {
		unsigned int i = weir_ctz64(todo);
		uint64_t pages;

		*group = (stripe << STRIPE_SHIFT) + i;
		if (p->nwords == p->nwords_max || dirty_spent(p))
			return false;
		pages = read_group(p, *group, (hw & dirty_bit(i)) != 0);
		if (!pages)
			continue;
		p->words[p->nwords].gfn = dirty_gfn_of(d, *group);
		p->words[p->nwords].pages = pages;
		p->nwords++;
	}
	return true;
}

WEIR_API enum weir_status weir_dirty_get(struct weir_dirty *reader, struct weir_dirty_cursor *cur,
					 struct weir_dirty_word *words, size_t nwords_max,
					 uint64_t budget_ptes, size_t *nwords)
{
	struct weir_dirty *d = reader->region;
	struct dirty_pass p;
	enum weir_status status;

	*nwords = 0;
	if (!weir_dirty_is_logging(d) || !weir_dirty_cursor_ok(d, cur) || !words || !nwords_max)
		return WEIR_EINVAL;
	weir_dirty_pass_init(&p, reader);
	p.words = words;
	p.nwords_max = nwords_max;
	p.budget_ptes = budget_ptes;
	status = dirty_walk(&p, cur, false, get_stripe);
	weir_dirty_pass_count(&p);
	*nwords = p.nwords;
	return status;
}

/* Words of the caller's bitmap up to group `end` that nothing was found for. */
static void fill_gap(struct dirty_pass *p, uint64_t end)
{
	weir_memset(p->bitmap + (p->bitmap_next - p->bitmap_group), 0,
		    (size_t)(end - p->bitmap_next) * sizeof(*p->bitmap));
	p->bitmap_next = end;
}

/* Where so many groups of a stripe may be dirty, copying all words beats picking them. */
#define COPY_GROUPS_MIN	2u

/* How far ahead of itself a copy prefetches its two sides, in words, as measured best. */
#define COPY_AHEAD_FROM	160u
#define COPY_AHEAD_TO	32u

/* Words of a bitmap in which others may set bits. */
static inline void copy_words(uint64_t *to, const uint64_t *from, size_t n)
{
	size_t line, i;

	for (line = 0; line < n; line += 8u) {
		size_t end = n - line < 8u ? n : line + 8u;

		weir_prefetch(&from[line + COPY_AHEAD_FROM]);
		weir_prefetch(&to[line + COPY_AHEAD_TO]);
		for (i = line; i < end; i++)
			/* Acquire: pairs with the release of dirty_set_bits(). */
			to[i] = weir_load_acquire(&from[i]);
	}
}

static inline bool copy_stripe(struct dirty_pass *p, uint64_t stripe, uint64_t groups,
			       uint64_t *group)
{
	struct weir_dirty *d = p->d;
	uint64_t hw = weir_load_relaxed(&d->scan0[stripe]) & groups;
	uint64_t todo = (read_groups(p->reader, stripe) & groups) | hw;
	uint64_t first = (stripe << STRIPE_SHIFT) + weir_ctz64(groups);
	uint64_t end = first + weir_popcount64(groups);

	if (!todo)
		return true;
	fill_gap(p, first);
	if (weir_popcount64(todo) >= COPY_GROUPS_MIN && !hw && !d->device.bits &&
	    !p->reader->own.bits) {
		copy_words(p->bitmap + (first - p->bitmap_group), d->shared.bits + first,
			   (size_t)(end - first));
		p->bitmap_next = end;
		return true;
	}
	fill_gap(p, end);
	for (; todo; todo &= todo - 1u) {
		unsigned int i = weir_ctz64(todo);

		*group = (stripe << STRIPE_SHIFT) + i;
		p->bitmap[*group - p->bitmap_group] = read_group(p, *group,
								 (hw & dirty_bit(i)) != 0);
	}
	return true;
}

WEIR_API enum weir_status weir_dirty_get_bitmap(struct weir_dirty *reader, uint64_t first_gfn,
						uint64_t npages, uint64_t *bitmap)
{
	struct weir_dirty_cursor cur = { first_gfn, 0, false };
	struct weir_dirty *d = reader->region;
	struct dirty_pass p;
	enum weir_status status;

	if (!weir_dirty_is_logging(d) || !weir_dirty_range_ok(d, first_gfn, npages))
		return WEIR_EINVAL;
	if (!npages)
		return WEIR_OK;
	cur.last_gfn = first_gfn + (npages - 1u);
	weir_dirty_pass_init(&p, reader);
	p.bitmap = bitmap;
	p.bitmap_group = p.bitmap_next = dirty_group_of(d, first_gfn);
	status = dirty_walk(&p, &cur, false, copy_stripe);
	if (!status)
		fill_gap(&p, dirty_group_of(d, cur.last_gfn) + 1u);
	weir_dirty_pass_count(&p);
	return status;
}

WEIR_API unsigned int weir_dirty_peek(const struct weir_dirty *reader, uint64_t gfn)
{
	const struct weir_dirty *d = reader->region;
	unsigned int what = 0;
	uint64_t group, page;

	if (gfn < d->base_gfn || gfn - d->base_gfn >= d->npages)
		return 0;
	group = dirty_group_of(d, gfn);
	page = dirty_bit(gfn - d->base_gfn);
	if (dirty_log_pages(&d->shared, group) & page)
		what |= WEIR_DIRTY_PEEK_BIT;
	if (dirty_in_scan_set(d, group))
		what |= WEIR_DIRTY_PEEK_HW;
	if (dirty_log_pages(&d->device, group) & page)
		what |= WEIR_DIRTY_PEEK_DEVICE;
	if (dirty_log_pages(&reader->own, group) & page)
		what |= WEIR_DIRTY_PEEK_OWN;
	if (dirty_assumed_pages(d, group) & page)
		what |= WEIR_DIRTY_PEEK_ASSUMED;
	return what;
}

/*
 * How much a walk over the region would have to read. Each number is an upper bound of what happens
 * if nobody writes in between: a stale summary bit makes it too large, never too small.
 */
WEIR_API void weir_dirty_promise(const struct weir_dirty *reader, struct weir_dirty_promise *out)
{
	const struct weir_dirty *d = reader->region;
	uint64_t blocks = (d->ngroups + 4095u) >> (2u * STRIPE_SHIFT), block, todo;

	weir_memset(out, 0, sizeof(*out));
	out->assumed = d->hot ? weir_load_relaxed(&d->nassumed) : 0;
	for (block = 0; block < blocks; block++) {
		todo = weir_dirty_candidates(reader, block);
		if (todo)
			out->tlbis++;
		for (; todo; todo &= todo - 1u) {
			uint64_t stripe = (block << STRIPE_SHIFT) + weir_ctz64(todo);
			uint64_t hw = weir_load_relaxed(&d->scan0[stripe]);

			out->ptes += (uint64_t)weir_popcount64(hw) << GROUP_SHIFT;
			out->words += weir_popcount64(hw | read_groups(reader, stripe));
		}
	}
}
