/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/machine/tlb_priv.h - the TLB's entries and the lookup, inline for mmu.c. Not for others.
 *
 * An entry is 16 bytes, a set of four ways one cache line. It belongs to a VMID, which stands above
 * the output frame; a lookup finds entries of the current one alone. The tag holds the first frame,
 * the order and the TLB's generation, so that one comparison finds a valid entry and raising the
 * generation forgets them all. Pages have an array of their own; blocks of all sizes share the
 * other, and `orders` says which sizes to look for.
 */
#ifndef SIM_MACHINE_TLB_PRIV_H
#define SIM_MACHINE_TLB_PRIV_H

#include "sim/machine/tlb.h"

#define TLB_WAYS	4u
#define TLB_GEN_MAX	0xffffu

struct tlb_entry {
	uint64_t tag;	/* first frame << 24 | generation << 8 | order; 0: never valid */
	uint64_t data;	/* VMID << 48 | first output frame << 8 | permissions */
};

struct tlb_bank {
	struct tlb_entry *entries;	/* (set_mask + 1) * TLB_WAYS */
	unsigned char *victims;		/* a set's next way to evict */
	uint64_t set_mask;
};

struct sim_tlb {
	uint64_t generation;	/* 1 to TLB_GEN_MAX */
	uint64_t orders;	/* bit o: a block of order o was filled since all was forgotten */
	uint64_t vmid;		/* the current one */
	uint64_t sole_vmid;	/* of all that may be cached, unless `mixed` */
	bool mixed;
	uint64_t first_gfn;	/* all that may be cached lies in first_gfn..last_gfn; */
	uint64_t last_gfn;	/* first_gfn > last_gfn: nothing is */
	struct tlb_bank pages;
	struct tlb_bank blocks;
};

static inline uint64_t tlb_tag(const struct sim_tlb *t, uint64_t first_gfn, unsigned int order)
{
	return first_gfn << 24 | t->generation << 8 | order;
}

static inline struct tlb_entry *tlb_set(const struct tlb_bank *bank, uint64_t gfn,
					unsigned int order)
{
	return bank->entries + (gfn >> order & bank->set_mask) * TLB_WAYS;
}

static inline struct tlb_entry *tlb_find(const struct sim_tlb *t, const struct tlb_bank *bank,
					 uint64_t gfn, unsigned int order)
{
	struct tlb_entry *set = tlb_set(bank, gfn, order);
	uint64_t tag = tlb_tag(t, gfn >> order << order, order);

	for (unsigned int way = 0; way < TLB_WAYS; way++)
		if (set[way].tag == tag && set[way].data >> 48 == t->vmid)
			return &set[way];
	return NULL;
}

/* The entry that translates gfn: a page's before a block's. */
static inline const struct tlb_entry *tlb_lookup(const struct sim_tlb *t, uint64_t gfn,
						 unsigned int *order)
{
	const struct tlb_entry *e = tlb_find(t, &t->pages, gfn, 0);

	*order = 0;
	if (e)
		return e;
	for (uint64_t left = t->orders; left; left &= left - 1) {
		*order = (unsigned int)__builtin_ctzll(left);
		e = tlb_find(t, &t->blocks, gfn, *order);
		if (e)
			return e;
	}
	return NULL;
}

static inline unsigned int tlb_perms(const struct tlb_entry *e)
{
	return (unsigned int)(e->data & 0xff);
}

/* First output frame of an entry. */
static inline uint64_t tlb_first_pfn(const struct tlb_entry *e)
{
	return e->data << 16 >> 24;
}

static inline uint64_t tlb_pfn(const struct tlb_entry *e, uint64_t gfn, unsigned int order)
{
	return tlb_first_pfn(e) + (gfn & (((uint64_t)1 << order) - 1));
}

#endif
