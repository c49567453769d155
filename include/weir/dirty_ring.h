/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * weir/dirty_ring.h - a ring of what one vCPU dirtied, in front of the dirty log; and which policy
 * to choose for a region. Part of weir/dirty.h, which includes it.
 *
 * The ring is an index, not a second truth: every page in it has its bit set in the region. So a
 * page that found no room is not lost, writers without a vCPU need no ring, and the last word is
 * the region's as ever. What the ring buys is the order of writes, back-pressure on the vCPU that
 * wrote, and a collector that never looks at memory that was not written.
 *
 * An entry is one word, frame and state together, and goes empty -> dirty (vCPU) -> collected
 * (collector) -> empty (reset). A ring may be mapped by an untrusted collector: reset believes
 * nothing that it reads there and is bounded by the ring's size.
 */
#ifndef WEIR_DIRTY_RING_H
#define WEIR_DIRTY_RING_H

#include "weir/dirty.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Entries of a ring: a power of two within these. */
#define WEIR_DIRTY_RING_MIN	64u
#define WEIR_DIRTY_RING_MAX	(1u << 20)

/* Entries kept back when the ring is soft-full, for what a vCPU writes on its way out. */
#define WEIR_DIRTY_RING_RESERVE	16u

/**
 * struct weir_dirty_ring - one vCPU's ring
 * @entries: the caller's memory, nentries words; zeroed by init
 * @nentries: how many
 * @head: where the vCPU writes next; the vCPU's
 * @fetch: where the collector reads next; the collector's
 * @tail: where reset goes on; the resetter's
 * @overflowed: pages that found no room; they are in the region's bitmap alone
 */
struct weir_dirty_ring {
	uint64_t *entries;
	uint32_t nentries;
	uint32_t head;
	uint32_t fetch;
	uint32_t tail;
	uint64_t overflowed;
};

/**
 * weir_dirty_ring_init() - an empty ring
 * @ring: the caller's
 * @entries: memory for the entries, aligned to 8 bytes
 * @nentries: how many: a power of two, WEIR_DIRTY_RING_MIN to WEIR_DIRTY_RING_MAX
 *
 * Context: caller serialises.
 * Return: WEIR_OK; WEIR_EINVAL.
 */
enum weir_status weir_dirty_ring_init(struct weir_dirty_ring *ring, uint64_t *entries,
				      uint32_t nentries);

/**
 * weir_dirty_ring_push() - the vCPU dirtied a page
 * @ring: its ring
 * @gfn: the page; weir_dirty_fault() has answered WEIR_DIRTY_TRAPPED for it
 *
 * Context: the vCPU alone; takes no lock, never waits.
 * Return: WEIR_OK; WEIR_EAGAIN: pushed, and the ring is soft-full: leave the guest and have it
 *	collected and reset; WEIR_ENOMEM: full, not pushed, counted in overflowed.
 */
enum weir_status weir_dirty_ring_push(struct weir_dirty_ring *ring, uint64_t gfn);

/**
 * weir_dirty_ring_collect() - take pages out of the ring, oldest first
 * @ring: the ring
 * @gfns: room for them; a page may come more than once
 * @n: how many fit
 *
 * The pages are still dirty in the region, and their entries in use, until the ring is reset.
 *
 * Context: one collector at a time, beside the vCPU.
 * Return: how many.
 */
size_t weir_dirty_ring_collect(struct weir_dirty_ring *ring, uint64_t *gfns, size_t n);

/**
 * weir_dirty_ring_reset() - re-arm what was collected and free its entries
 * @ring: the ring
 * @reader: the region, or a reader of it
 * @nreset: how many entries were freed; 0 touches nothing
 *
 * Entries are cleared in portions of 96, each with one invalidation that spans them. When it
 * returns, content may be read.
 * Visits at most nentries entries, whatever a collector wrote into them. An entry whose frame lies
 * outside the region is freed and ignored.
 *
 * Context: as weir_dirty_clear(); one at a time for a ring.
 * Return: WEIR_OK; WEIR_EBUSY when another reader holds a stripe: call again, nothing is lost.
 */
enum weir_status weir_dirty_ring_reset(struct weir_dirty_ring *ring, struct weir_dirty *reader,
				       size_t *nreset);

/**
 * struct weir_dirty_load - what is known of a region when its policy is chosen
 * @npages: its size
 * @dirty_pages: pages dirtied between two harvests, measured or expected
 * @nvcpus: vCPUs that run in it
 * @flags: the machine: WEIR_DIRTY_F_DBM, _DBM_NEEDS_BBM, _HDBSS
 * @cost_fault_ns: what a write fault costs; 0: 3000
 * @cost_scan_group_ns: what reading a group's 64 leaves costs; 0: 350
 * @cost_log_page_ns: what an entry of the hardware's log costs to drain; 0: 30
 * @cost_kick_ns: what it costs to bring one vCPU's log into memory; 0: 3000
 */
struct weir_dirty_load {
	uint64_t npages;
	uint64_t dirty_pages;
	uint32_t nvcpus;
	uint32_t flags;
	uint32_t cost_fault_ns;
	uint32_t cost_scan_group_ns;
	uint32_t cost_log_page_ns;
	uint32_t cost_kick_ns;
};

/**
 * weir_dirty_choose() - write protection, hardware state or the hardware's log, for a whole region
 * @load: what is known
 * @why: the reason in words, a constant string; may be NULL
 *
 * Never two at once on a region: one kind of dirty state to collect.
 *
 * Context: any.
 * Return: WEIR_DIRTY_WP, WEIR_DIRTY_DBM_ALL or WEIR_DIRTY_HDBSS.
 */
enum weir_dirty_policy weir_dirty_choose(const struct weir_dirty_load *load, const char **why);

#ifdef __cplusplus
}
#endif

#endif
