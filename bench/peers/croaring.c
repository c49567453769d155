// SPDX-License-Identifier: BSD-2-Clause
/*
 * croaring.c - the dirty bitmap as a CRoaring bitmap: chunks of 65536 pages, each an array, a
 * bitmap or runs. Not safe against concurrent writers; a lock would come on top.
 */
#include <roaring/roaring.h>

#include "peers.h"

roaring_bitmap_t *peer_roaring_make(const uint64_t *pages, uint64_t ngroups)
{
	roaring_bitmap_t *set = roaring_bitmap_create();
	uint64_t g, todo;

	for (g = 0; g < ngroups; g++)
		for (todo = pages[g]; todo; todo &= todo - 1u)
			roaring_bitmap_add(set, (uint32_t)(g * 64u) +
						(uint32_t)__builtin_ctzll(todo));
	roaring_bitmap_run_optimize(set);
	return set;
}

/* Pairs, in portions that overwrite each other; returns how many there were. */
uint64_t peer_roaring_get(const roaring_bitmap_t *set, struct weir_dirty_word *words,
			  size_t nwords_max)
{
	roaring_uint32_iterator_t it;
	uint32_t some[256], n, i;
	uint64_t nwords = 0, gfn = UINT64_MAX;
	struct weir_dirty_word *word = words;

	roaring_init_iterator(set, &it);
	while ((n = roaring_read_uint32_iterator(&it, some, 256u))) {
		for (i = 0; i < n; i++) {
			if ((some[i] & ~63u) != gfn) {
				gfn = some[i] & ~63u;
				word = &words[nwords++ % nwords_max];
				word->gfn = gfn;
				word->pages = 0;
			}
			word->pages |= (uint64_t)1 << (some[i] & 63u);
		}
	}
	return nwords;
}

void peer_roaring_bitmap(const roaring_bitmap_t *set, uint64_t *to)
{
	roaring_uint32_iterator_t it;
	uint32_t some[256], n, i;

	roaring_init_iterator(set, &it);
	while ((n = roaring_read_uint32_iterator(&it, some, 256u)))
		for (i = 0; i < n; i++)
			to[some[i] / 64u] |= (uint64_t)1 << (some[i] % 64u);
}

bool peer_roaring_add(roaring_bitmap_t *set, uint64_t page)
{
	return roaring_bitmap_add_checked(set, (uint32_t)page);
}

void peer_roaring_free(roaring_bitmap_t *set)
{
	roaring_bitmap_free(set);
}
