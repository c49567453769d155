/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dirty_world.h - the guest whose pages the dirty benches track: last-level tables of 512
 * descriptors, which of its pages are written between two runs, and regions of the library over it.
 *
 * The tables are shared by all cases of one size, so that both sides of a ratio read the very same
 * memory. They are found through an array of pointers, as a walk would find them, one look-up a
 * table. Written pages are spread evenly at random (a fixed seed), the worst case for anything that
 * works a group at a time.
 *
 * Between runs: world_dirty() gives every leaf the state that a run starts from, and then reads all
 * of them, so that each run finds the same part of the same tables in the caches.
 */
#ifndef WEIR_BENCH_DIRTY_WORLD_H
#define WEIR_BENCH_DIRTY_WORLD_H

#include "bench.h"
#include "weir/dirty.h"

#define WORLD_BASE_GFN		((uint64_t)0x40000)
#define WORLD_TABLE_PTES	512u
/* A mapped, accessed, readable page with DBM: what every leaf is, but for S2AP[1]. */
#define WORLD_LEAF \
	((uint64_t)3 | ((uint64_t)1 << 6) | WEIR_DIRTY_DESC_AF | WEIR_DIRTY_DESC_DBM)

struct world {
	uint64_t npages;
	uint64_t ngroups;
	uint64_t ntables;
	uint64_t **tables;
	uint64_t *ptes;		/* the memory of the tables */
};

/** struct pattern - which pages are written between two runs */
struct pattern {
	uint64_t *pages;	/* one word a group */
	size_t bytes;
	uint64_t npages;	/* written pages */
	uint64_t ngroups;	/* groups with a written page */
};

/** world_get() - the world of a size; made when asked for another size than before */
struct world *world_get(uint32_t region_gib);
/** world_shuffle() - from now on worlds have their tables in random order */
void world_shuffle(bool shuffled);
/** world_dirty() - leaves as after a guest wrote the pattern; NULL: as after it wrote nothing */
void world_dirty(struct world *w, const struct pattern *p);

void pattern_init(struct pattern *p, const struct world *w, uint32_t dirty_ppm);
void pattern_free(struct pattern *p);
/** pattern_order() - its pages in random order (a fixed seed); the caller frees it */
uint32_t *pattern_order(const struct pattern *p, const struct world *w);

/** struct rig - a region of the library over a world */
struct rig {
	struct world *w;
	struct pattern pat;
	struct weir_dirty *d;
	void *mem;
	size_t mem_bytes;
	struct weir_dirty_word *words;
	uint64_t tlbis;
	uint64_t nfound;	/* words that the last run found */
};

/* Room for dirty words that a reader brings: one block of 4096 groups. */
#define RIG_WORDS 4096u

/** rig_init() - a region that is logging, and clean; with DBM_ALL every group is in the scan set */
void rig_init(struct rig *r, const struct bench_params *params, uint32_t policy, uint32_t flags);
void rig_free(struct rig *r);

#endif
