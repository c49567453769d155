/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/machine/tlb.h - the TLB of one vCPU: remembered results of stage-2 walks.
 *
 * An entry says that a page or block may be read, written, executed. A write that an entry permits
 * is not walked again, and so sets nothing in the tables: if software cleans a leaf and forgets
 * the invalidation, the next store goes unseen, as it does on hardware. What an entry forbids is
 * walked again: a clean leaf with DBM is entered without write permission, so that the first store
 * through it sets the leaf dirty; faults are never entered.
 *
 * T1  An entry is made by a walk that succeeded, and holds what that walk returned.
 * T2  Invalidation removes the entries that translate any frame of the range asked for, and no
 *     other: a block goes when the range touches one of its pages.
 * T3  What is evicted depends on the sequence of calls only: 4-way sets, round robin, low bits of
 *     the frame. As many page entries as the guest has frames never evict one.
 *
 * T4  An entry belongs to the VMID that was current when it was made. Lookups find, and
 *     invalidations remove, entries of the current VMID; sim_tlb_invalidate_all() those of all.
 *
 * Concurrency: one thread.
 * Cost: lookup and fill touch one 64-byte set, and one more when blocks are present. Invalidating a
 * range costs its frames' sets or the whole TLB, whichever is less; nothing if nothing of it can be
 * cached, O(1) if all that is cached lies within.
 */
#ifndef SIM_MACHINE_TLB_H
#define SIM_MACHINE_TLB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Defaults: about a server core's second-level TLB. */
#define SIM_TLB_PAGE_ENTRIES	1024u
#define SIM_TLB_BLOCK_ENTRIES	64u

#define SIM_TLB_R	(1u << 0)
#define SIM_TLB_W	(1u << 1)	/* writes go ahead without a walk */
#define SIM_TLB_X	(1u << 2)
#define SIM_TLB_CLEAN	(1u << 3)	/* no W because the leaf is clean: hardware may grant it */

struct sim_tlb;

/**
 * sim_tlb_create() - an empty TLB
 * @page_entries: entries for pages, a power of two from 4 to 2^30; 0: SIM_TLB_PAGE_ENTRIES
 * @block_entries: entries for blocks, likewise; 0: SIM_TLB_BLOCK_ENTRIES
 *
 * Return: NULL for other values. Memory that is short ends the program.
 */
struct sim_tlb *sim_tlb_create(uint32_t page_entries, uint32_t block_entries);

/** sim_tlb_destroy() - give it back; NULL is fine */
void sim_tlb_destroy(struct sim_tlb *t);

/** sim_tlb_set_vmid() - another VMID is current: VTTBR_EL2 was written. At first it is 0 */
void sim_tlb_set_vmid(struct sim_tlb *t, uint16_t vmid);

/** struct sim_tlb_hit - what an entry says of one frame */
struct sim_tlb_hit {
	uint64_t pfn;		/* output frame of the frame asked for */
	unsigned int perms;	/* SIM_TLB_* */
	unsigned int order;	/* log2 of the frames the entry maps */
};

/** sim_tlb_lookup() - find the entry that translates a frame; false: none */
bool sim_tlb_lookup(const struct sim_tlb *t, uint64_t gfn, struct sim_tlb_hit *hit);

/**
 * sim_tlb_fill() - enter a translation, in place of what translated its frames at that order
 * @gfn: a frame, or any frame of the block
 * @pfn: output frame of gfn
 * @order: log2 of the frames it maps; also of a contiguous run
 */
void sim_tlb_fill(struct sim_tlb *t, uint64_t gfn, uint64_t pfn, unsigned int perms,
		  unsigned int order);

/** sim_tlb_invalidate() - forget translations of first_gfn..last_gfn (inclusive) */
void sim_tlb_invalidate(struct sim_tlb *t, uint64_t first_gfn, uint64_t last_gfn);

/**
 * sim_tlb_invalidate_orders() - as sim_tlb_invalidate(), but only entries of some sizes
 * @orders: bit o: entries that map 2^o frames go. What a level hint (TTL) asks for
 */
void sim_tlb_invalidate_orders(struct sim_tlb *t, uint64_t first_gfn, uint64_t last_gfn,
			       uint64_t orders);

/**
 * sim_tlb_conflict() - whether an entry to be made contradicts one that is cached
 * @same_output: a contradiction in size alone is none, if both give the same output addresses
 *
 * It does if both translate a frame, and differ in size or output. Hardware may then abort (TLB
 * conflict) or use either: somebody changed a live translation without break-before-make.
 */
bool sim_tlb_conflict(const struct sim_tlb *t, uint64_t gfn, uint64_t pfn, unsigned int order,
		      bool same_output);

/** sim_tlb_invalidate_vmid() - forget all translations of the current VMID (VMALLS12E1) */
void sim_tlb_invalidate_vmid(struct sim_tlb *t);

/** sim_tlb_invalidate_all() - forget everything, O(1) (ALLE1) */
void sim_tlb_invalidate_all(struct sim_tlb *t);

/** sim_tlb_entries() - how many entries are valid: counted, O(capacity) */
uint64_t sim_tlb_entries(const struct sim_tlb *t);

#endif
