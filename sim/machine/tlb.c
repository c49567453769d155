// SPDX-License-Identifier: BSD-2-Clause
/*
 * tlb.c - a vCPU's TLB: see tlb.h.
 */
#include "sim/machine/tlb.h"
#include "sim/machine/tlb_priv.h"
#include "sim/engine/error.h"

#include <stdlib.h>
#include <string.h>

#define TLB_ENTRIES_MAX	((uint32_t)1 << 30)

static size_t bank_bytes(const struct tlb_bank *bank)
{
	return (size_t)(bank->set_mask + 1) * TLB_WAYS * sizeof(struct tlb_entry);
}

static void bank_create(struct tlb_bank *bank, uint32_t entries)
{
	bank->set_mask = entries / TLB_WAYS - 1;
	bank->entries = aligned_alloc(64, bank_bytes(bank));
	if (!bank->entries)
		sim_out_of_memory(entries, sizeof(struct tlb_entry), "TLB");
	memset(bank->entries, 0, bank_bytes(bank));
	bank->victims = sim_alloc(bank->set_mask + 1, 1, "TLB");
}

static bool entries_valid(uint32_t n)
{
	return n >= TLB_WAYS && n <= TLB_ENTRIES_MAX && (n & (n - 1)) == 0;
}

struct sim_tlb *sim_tlb_create(uint32_t page_entries, uint32_t block_entries)
{
	struct sim_tlb *t;

	if (page_entries == 0)
		page_entries = SIM_TLB_PAGE_ENTRIES;
	if (block_entries == 0)
		block_entries = SIM_TLB_BLOCK_ENTRIES;
	if (!entries_valid(page_entries) || !entries_valid(block_entries))
		return NULL;
	t = sim_alloc(1, sizeof(*t), "TLB");
	t->generation = 1;
	t->first_gfn = UINT64_MAX;
	bank_create(&t->pages, page_entries);
	bank_create(&t->blocks, block_entries);
	return t;
}

void sim_tlb_destroy(struct sim_tlb *t)
{
	if (!t)
		return;
	free(t->pages.entries);
	free(t->pages.victims);
	free(t->blocks.entries);
	free(t->blocks.victims);
	free(t);
}

void sim_tlb_set_vmid(struct sim_tlb *t, uint16_t vmid)
{
	t->vmid = vmid;
}

bool sim_tlb_lookup(const struct sim_tlb *t, uint64_t gfn, struct sim_tlb_hit *hit)
{
	const struct tlb_entry *e = tlb_lookup(t, gfn, &hit->order);

	if (!e)
		return false;
	hit->pfn = tlb_pfn(e, gfn, hit->order);
	hit->perms = tlb_perms(e);
	return true;
}

static bool is_valid(const struct sim_tlb *t, const struct tlb_entry *e)
{
	return (e->tag >> 8 & TLB_GEN_MAX) == t->generation;
}

/* The way for a new entry: the same translation's, an empty one, or the next in turn. */
static struct tlb_entry *choose(const struct sim_tlb *t, struct tlb_bank *bank, uint64_t gfn,
				unsigned int order)
{
	struct tlb_entry *set = tlb_set(bank, gfn, order);
	struct tlb_entry *e = tlb_find(t, bank, gfn, order);
	unsigned char *victim;

	for (unsigned int way = 0; !e && way < TLB_WAYS; way++)
		if (!is_valid(t, &set[way]))
			e = &set[way];
	if (e)
		return e;
	victim = &bank->victims[gfn >> order & bank->set_mask];
	e = &set[*victim];
	*victim = (unsigned char)((*victim + 1) % TLB_WAYS);
	return e;
}

void sim_tlb_fill(struct sim_tlb *t, uint64_t gfn, uint64_t pfn, unsigned int perms,
		  unsigned int order)
{
	uint64_t low = ((uint64_t)1 << order) - 1;
	struct tlb_entry *e = choose(t, order ? &t->blocks : &t->pages, gfn, order);

	e->tag = tlb_tag(t, gfn & ~low, order);
	e->data = t->vmid << 48 | (pfn & ~low) << 8 | perms;
	if (t->first_gfn > t->last_gfn)
		t->sole_vmid = t->vmid;
	t->mixed |= t->sole_vmid != t->vmid;
	if (order)
		t->orders |= (uint64_t)1 << order;
	if ((gfn & ~low) < t->first_gfn)
		t->first_gfn = gfn & ~low;
	if ((gfn | low) > t->last_gfn)
		t->last_gfn = gfn | low;
}

static unsigned int order_of(const struct tlb_entry *e)
{
	return (unsigned int)(e->tag & 0xff);
}

static bool overlaps(const struct sim_tlb *t, const struct tlb_entry *e, uint64_t first,
		     uint64_t last)
{
	uint64_t low = ((uint64_t)1 << order_of(e)) - 1;

	return is_valid(t, e) && e->data >> 48 == t->vmid && e->tag >> 24 <= last &&
	       (e->tag >> 24 | low) >= first;
}

static void invalidate_scan(struct sim_tlb *t, struct tlb_bank *bank, uint64_t first, uint64_t last,
			    uint64_t orders)
{
	for (uint64_t i = 0; i < (bank->set_mask + 1) * TLB_WAYS; i++) {
		struct tlb_entry *e = &bank->entries[i];

		if (overlaps(t, e, first, last) && orders >> order_of(e) & 1)
			e->tag = 0;
	}
}

static void invalidate_pages(struct sim_tlb *t, uint64_t first, uint64_t last)
{
	if (last - first > t->pages.set_mask) {
		invalidate_scan(t, &t->pages, first, last, UINT64_MAX);
		return;
	}
	for (uint64_t gfn = first; gfn <= last; gfn++) {
		struct tlb_entry *e = tlb_find(t, &t->pages, gfn, 0);

		if (e)
			e->tag = 0;
	}
}

void sim_tlb_invalidate_orders(struct sim_tlb *t, uint64_t first_gfn, uint64_t last_gfn,
			       uint64_t orders)
{
	uint64_t first = first_gfn > t->first_gfn ? first_gfn : t->first_gfn;
	uint64_t last = last_gfn < t->last_gfn ? last_gfn : t->last_gfn;

	if (first > last)
		return;
	if (orders & 1)
		invalidate_pages(t, first, last);
	if (t->orders & orders)
		invalidate_scan(t, &t->blocks, first, last, orders);
}

void sim_tlb_invalidate(struct sim_tlb *t, uint64_t first_gfn, uint64_t last_gfn)
{
	if (first_gfn <= t->first_gfn && last_gfn >= t->last_gfn && !t->mixed &&
	    t->sole_vmid == t->vmid)
		sim_tlb_invalidate_all(t);
	else
		sim_tlb_invalidate_orders(t, first_gfn, last_gfn, UINT64_MAX);
}

/* Whether an entry of a bank translates a frame of first..last otherwise. */
static bool bank_conflict(const struct sim_tlb *t, const struct tlb_bank *bank, uint64_t first,
			  uint64_t first_pfn, unsigned int order, bool same_output)
{
	uint64_t last = first + (((uint64_t)1 << order) - 1);

	for (uint64_t i = 0; i < (bank->set_mask + 1) * TLB_WAYS; i++) {
		const struct tlb_entry *e = &bank->entries[i];

		if (!overlaps(t, e, first, last))
			continue;
		/* The same distance from frame to output frame is the same output. */
		if (tlb_first_pfn(e) - (e->tag >> 24) != first_pfn - first)
			return true;
		if (order_of(e) != order && !same_output)
			return true;
	}
	return false;
}

bool sim_tlb_conflict(const struct sim_tlb *t, uint64_t gfn, uint64_t pfn, unsigned int order,
		      bool same_output)
{
	uint64_t low = ((uint64_t)1 << order) - 1;

	return bank_conflict(t, &t->pages, gfn & ~low, pfn & ~low, order, same_output) ||
	       bank_conflict(t, &t->blocks, gfn & ~low, pfn & ~low, order, same_output);
}

void sim_tlb_invalidate_vmid(struct sim_tlb *t)
{
	sim_tlb_invalidate(t, 0, UINT64_MAX);
}

void sim_tlb_invalidate_all(struct sim_tlb *t)
{
	t->mixed = false;
	t->orders = 0;
	t->first_gfn = UINT64_MAX;
	t->last_gfn = 0;
	if (t->generation < TLB_GEN_MAX) {
		t->generation++;
		return;
	}
	memset(t->pages.entries, 0, bank_bytes(&t->pages));
	memset(t->blocks.entries, 0, bank_bytes(&t->blocks));
	t->generation = 1;
}

static uint64_t count_valid(const struct sim_tlb *t, const struct tlb_bank *bank)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < (bank->set_mask + 1) * TLB_WAYS; i++)
		n += is_valid(t, &bank->entries[i]);
	return n;
}

uint64_t sim_tlb_entries(const struct sim_tlb *t)
{
	return count_valid(t, &t->pages) + count_valid(t, &t->blocks);
}
