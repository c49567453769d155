/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * weir/dirty_assume.h - pages that every round finds dirty: assumed to be, instead of tracked. Part
 * of weir/dirty.h, which includes it.
 *
 * A page that was dirty in each of the last rounds will be dirty in the last one. To send it before
 * that is to send it again; to find out that it was written costs a fault, or its descriptor, every
 * time. An *assumed* page keeps its bit, and its leaf stays as writable as it is: it is reported in
 * every epoch, to every reader, and its writes cost nothing. The owner leaves it out of each round
 * but the last, and says how many such pages the pause has room for.
 *
 * A page is assumed dirty when a reader is about to take it in the third round in a row. In one
 * round of eight it is not assumed, but taken like any other, to see whether it is still written;
 * if it is, it is assumed again a round later. So a page that nobody writes any more is reported
 * for at most eight rounds too many, and at most as many pages as the owner allowed.
 *
 * Nothing is added to the invariants: the page's bit is set (I1), for as long as it is assumed.
 */
#ifndef WEIR_DIRTY_ASSUME_H
#define WEIR_DIRTY_ASSUME_H

#include "weir/dirty.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_DIRTY_F_ASSUME	(1u << 9)	/* config.flags: allow assume(): 4 bits a page */
#define WEIR_DIRTY_PEEK_ASSUMED	(1u << 4)	/* weir_dirty_peek(): it is assumed dirty */

/**
 * weir_dirty_assume() - a round begins, in which so many pages may be assumed dirty
 * @d: a region with WEIR_DIRTY_F_ASSUME that is logging
 * @npages_max: at most so many at a time, over the whole region: what the link sends in the part
 *	of the downtime budget that is set aside for them. 0: none. If more are assumed now, groups
 *	let go of theirs as readers come by, until it holds
 *
 * Call it before each round, a walk of clear or harvest over the region, but not before the first
 * one after a start that calls everything dirty. Rounds are what a page must be dirty in; until the
 * first call, and while the region is frozen, nothing is learned.
 *
 * Context: any, one call at a time; beside fault, mark and readers.
 * Return: WEIR_OK; WEIR_EOPNOTSUPP without WEIR_DIRTY_F_ASSUME; WEIR_EINVAL if the region is not
 *	logging, or after weir_dirty_final().
 */
enum weir_status weir_dirty_assume(struct weir_dirty *d, uint64_t npages_max);

/**
 * weir_dirty_assumed() - which pages of a group need not be sent in this round
 * @d: the region, or a reader
 * @gfn: a page of the group
 *
 * To be asked after the clear or the harvest that took the group's pages, and taken away from them:
 * what was assumed at that moment will be reported again. None is after weir_dirty_final(), so that
 * the last walk, which must send them, needs no case of its own. Any reader that does not ask is
 * right as well: it gets every page.
 *
 * Context: any; calls no op.
 * Return: bit i stands for page i of the group; 0 outside the region.
 */
uint64_t weir_dirty_assumed(const struct weir_dirty *d, uint64_t gfn);

#ifdef __cplusplus
}
#endif

#endif
