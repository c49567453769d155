// SPDX-License-Identifier: BSD-2-Clause
/*
 * flat_bitmap.c - collecting from a bitmap without summary levels, in the two usual ways.
 *
 * find_next_bit: a search for the next set bit from a given one, an out-of-line call a bit, as the
 * loops of Linux do it. qemu_xchg: a loop over the words that exchanges those that are not zero, as
 * QEMU takes its dirty memory bits.
 */
#include "peers.h"

__attribute__((noinline)) static uint64_t next_bit(const uint64_t *bitmap, uint64_t nbits,
						   uint64_t from)
{
	uint64_t i = from / 64u, word;

	if (from >= nbits)
		return nbits;
	word = bitmap[i] & (~(uint64_t)0 << (from % 64u));
	while (!word) {
		if (++i * 64u >= nbits)
			return nbits;
		word = bitmap[i];
	}
	return i * 64u + (uint64_t)__builtin_ctzll(word);
}

size_t peer_find_next_bit(const uint64_t *bitmap, uint64_t ngroups, uint64_t *next,
			  struct weir_dirty_word *words, size_t nwords_max)
{
	uint64_t nbits = ngroups * 64u, at = next_bit(bitmap, nbits, *next * 64u);
	size_t n = 0;

	while (at < nbits && n < nwords_max) {
		uint64_t gfn = at & ~(uint64_t)63u;

		words[n].gfn = gfn;
		words[n].pages = 0;
		for (; at < gfn + 64u; at = next_bit(bitmap, nbits, at + 1u))
			words[n].pages |= (uint64_t)1 << (at % 64u);
		n++;
	}
	*next = at < nbits ? at / 64u : ngroups;
	return n;
}

size_t peer_qemu_xchg(uint64_t *bitmap, uint64_t ngroups, uint64_t *next,
		      struct weir_dirty_word *words, size_t nwords_max)
{
	size_t n = 0;
	uint64_t g;

	for (g = *next; g < ngroups && n < nwords_max; g++) {
		if (!__atomic_load_n(&bitmap[g], __ATOMIC_RELAXED))
			continue;
		words[n].gfn = g * 64u;
		words[n].pages = __atomic_exchange_n(&bitmap[g], (uint64_t)0, __ATOMIC_SEQ_CST);
		n++;
	}
	*next = g;
	return n;
}

uint64_t peer_qemu_sync(uint64_t *bitmap, uint64_t ngroups, uint64_t *to)
{
	uint64_t fresh = 0, g;

	for (g = 0; g < ngroups; g++) {
		uint64_t bits;

		if (!__atomic_load_n(&bitmap[g], __ATOMIC_RELAXED))
			continue;
		bits = __atomic_exchange_n(&bitmap[g], (uint64_t)0, __ATOMIC_SEQ_CST);
		fresh += (uint64_t)__builtin_popcountll(bits & ~to[g]);
		to[g] |= bits;
	}
	return fresh;
}
