/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tables.h - what the examples share: the smallest stage-2 tables that the dirty log can work on.
 *
 * 1024 guest frames from gfn 0x1000, two last-level tables in one array; the first can be mapped by
 * a 2 MiB block. No TLB: an invalidation is only counted. guest_store() is a vCPU with hardware
 * management of dirty state: it retries a store until the leaf lets it through.
 */
#ifndef EXAMPLES_TABLES_H
#define EXAMPLES_TABLES_H

#include <stdio.h>
#include <stdlib.h>

#include <weir/weir.h>

#define BASE_GFN ((uint64_t)0x1000)
#define NPAGES ((uint64_t)1024)

/* Bits 1:0 of a leaf at the last level, and of a block above it. */
#define DESC_PAGE ((uint64_t)3)
#define DESC_BLOCK ((uint64_t)1)

struct tables {
	uint64_t block;		/* maps the first 512 pages while it is valid */
	uint64_t page[NPAGES];
	unsigned int invalidations;
	unsigned int splits;
};

/* Stops the example where something is not as it says. */
#define expect(cond)								\
	do {									\
		if (!(cond)) {							\
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #cond); \
			exit(1);						\
		}								\
	} while (0)

static inline uint64_t *tables_leaf(void *ctx, uint64_t gfn, unsigned int *order)
{
	struct tables *t = ctx;

	*order = 0;
	if (gfn - BASE_GFN < 512 && (t->block & WEIR_DIRTY_DESC_VALID)) {
		*order = 9;
		return &t->block;
	}
	return &t->page[gfn - BASE_GFN];
}

static inline void tables_tlbi_range(void *ctx, uint64_t first_gfn, uint64_t last_gfn)
{
	struct tables *t = ctx;

	(void)first_gfn;
	(void)last_gfn;
	t->invalidations++;
}

static inline void tables_tlbi_local(void *ctx, uint64_t gfn)
{
	(void)ctx;
	(void)gfn;
}

/*
 * Nobody reads the log meanwhile, here. An owner with readers on other CPUs folds the block's old
 * descriptor once the leaves are in place.
 */
static inline enum weir_status tables_block_split(void *ctx, uint64_t gfn)
{
	struct tables *t = ctx;
	unsigned int i;

	(void)gfn;
	for (i = 0; i < 512; i++)
		t->page[i] = (t->block & ~WEIR_DIRTY_DESC_DBM) | DESC_PAGE;
	t->block = 0;
	t->splits++;
	return WEIR_OK;
}

static const struct weir_dirty_ops tables_ops = {
	.leaf = tables_leaf,
	.tlbi_range = tables_tlbi_range,
	.tlbi_local = tables_tlbi_local,
	.block_split = tables_block_split,
};

/* Tables that map every page, valid and accessed, and a region over them with logging off. */
static inline struct weir_dirty *tables_init_flags(struct tables *t, enum weir_dirty_policy policy,
						   uint32_t flags)
{
	const struct weir_dirty_config cfg = {
		.base_gfn = BASE_GFN,
		.npages = NPAGES,
		.policy = policy,
		.neighbourhood = 64,
		.flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_COUNTERS | flags,
	};
	/* aligned_alloc() wants a multiple of the alignment. */
	size_t size = (weir_dirty_size(&cfg) + 63) / 64 * 64;
	void *mem = aligned_alloc(64, size);
	struct weir_dirty *d;
	unsigned int i;

	*t = (struct tables){0};
	for (i = 0; i < NPAGES; i++)
		t->page[i] = DESC_PAGE | WEIR_DIRTY_DESC_AF | WEIR_DIRTY_DESC_W;
	expect(mem != NULL);
	expect(weir_dirty_init(mem, size, &cfg, &tables_ops, t, &d) == WEIR_OK);
	return d;
}

static inline struct weir_dirty *tables_init(struct tables *t, enum weir_dirty_policy policy)
{
	return tables_init_flags(t, policy, 0);
}

/* A vCPU stores to a page. Returns how many times it faulted. */
static inline unsigned int guest_store(struct weir_dirty *d, struct tables *t, uint64_t gfn)
{
	unsigned int faults = 0, order;
	uint64_t *leaf;

	for (;;) {
		leaf = tables_leaf(t, gfn, &order);
		if (*leaf & WEIR_DIRTY_DESC_DBM)
			*leaf |= WEIR_DIRTY_DESC_W;	/* the hardware's own doing */
		if (*leaf & WEIR_DIRTY_DESC_W)
			return faults;
		faults++;
		expect(weir_dirty_fault(d, gfn, NULL) == WEIR_OK);
	}
}

/* How many pages the log holds. */
static inline unsigned int count_dirty(struct weir_dirty *d)
{
	uint64_t bitmap[NPAGES / 64];
	unsigned int i, n = 0;

	expect(weir_dirty_get_bitmap(d, BASE_GFN, NPAGES, bitmap) == WEIR_OK);
	for (i = 0; i < NPAGES; i++)
		n += (unsigned int)(bitmap[i / 64] >> (i % 64)) & 1;
	return n;
}

#endif
