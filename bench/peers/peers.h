/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * peers.h - what the library is compared with: models of how others do the same work, written for
 * this purpose from descriptions of them, and none of their code.
 */
#ifndef WEIR_BENCH_PEERS_H
#define WEIR_BENCH_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/dirty.h"

/** peer_plain_read() - read all descriptors; returns them or-ed */
uint64_t peer_plain_read(uint64_t *const *tables, uint64_t ntables);

/** peer_series2023_sync() - move the dirty state of all leaves into a bitmap */
void peer_series2023_sync(uint64_t *const *tables, uint64_t npages, uint64_t *bitmap);
/** peer_series2023_clear() - take write permission from the leaves that a mask names */
void peer_series2023_clear(uint64_t *const *tables, uint64_t npages, uint64_t *bitmap,
			   const uint64_t *mask);

/*
 * Dirty pages of a bitmap as (gfn, pages) pairs, at most nwords_max; *next is the group to go on
 * with, nwords at the end.
 */
size_t peer_find_next_bit(const uint64_t *bitmap, uint64_t ngroups, uint64_t *next,
			  struct weir_dirty_word *words, size_t nwords_max);
/* The same, and clears them. */
size_t peer_qemu_xchg(uint64_t *bitmap, uint64_t ngroups, uint64_t *next,
		      struct weir_dirty_word *words, size_t nwords_max);
/* From one bitmap into another, clearing the first; returns pages that were new in the second. */
uint64_t peer_qemu_sync(uint64_t *bitmap, uint64_t ngroups, uint64_t *to);

#ifdef WEIR_HAVE_ROARING
struct roaring_bitmap_s;
struct roaring_bitmap_s *peer_roaring_make(const uint64_t *pages, uint64_t ngroups);
uint64_t peer_roaring_get(const struct roaring_bitmap_s *set, struct weir_dirty_word *words,
			  size_t nwords_max);
bool peer_roaring_add(struct roaring_bitmap_s *set, uint64_t page);	/* whether it is new */
void peer_roaring_free(struct roaring_bitmap_s *set);
void peer_roaring_bitmap(const struct roaring_bitmap_s *set, uint64_t *to);
#endif

#endif
