// SPDX-License-Identifier: BSD-2-Clause
/*
 * dirty_world.c - tables, patterns of written pages, and regions over them: see dirty_world.h.
 */
#include <stdlib.h>
#include <string.h>

#include "dirty_world.h"

static struct world the_world;
static bool shuffled;

/* SplitMix64 (Steele, Lea, Flood 2014): the same numbers everywhere. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

void world_shuffle(bool on)
{
	shuffled = on;
}

static void world_free(struct world *w)
{
	host_free(w->ptes, w->npages * sizeof(*w->ptes));
	free(w->tables);
	memset(w, 0, sizeof(*w));
}

struct world *world_get(uint32_t region_gib)
{
	struct world *w = &the_world;
	uint64_t npages = (uint64_t)region_gib << 18, seed = 1, i;

	if (w->npages == npages)
		return w;
	world_free(w);
	w->npages = npages;
	w->ngroups = npages / 64u;
	w->ntables = npages / WORLD_TABLE_PTES;
	w->ptes = host_alloc(npages * sizeof(*w->ptes));
	w->tables = calloc(w->ntables, sizeof(*w->tables));
	if (!w->tables)
		host_die("no memory for %u GiB of tables", region_gib);
	for (i = 0; i < w->ntables; i++)
		w->tables[i] = w->ptes + i * WORLD_TABLE_PTES;
	for (i = w->ntables - 1u; shuffled && i; i--) {
		uint64_t j = next_random(&seed) % (i + 1u), *t = w->tables[i];

		w->tables[i] = w->tables[j];
		w->tables[j] = t;
	}
	for (i = 0; i < npages; i++)
		w->ptes[i] = WORLD_LEAF | i << 12;
	return w;
}

/* Where a leaf is as it should be it is not written, so that its cache line stays clean. */
static void dirty_group(uint64_t *leaf, uint64_t pages)
{
	unsigned int i;

	for (i = 0; i < 64u; i++) {
		uint64_t v = leaf[i] & ~WEIR_DIRTY_DESC_W;

		v |= WEIR_DIRTY_DESC_DBM;
		v |= (pages >> i & 1u) ? WEIR_DIRTY_DESC_W : 0u;
		if (v != leaf[i])
			leaf[i] = v;
	}
}

void world_dirty(struct world *w, const struct pattern *p)
{
	uint64_t g, i, any = 0;

	for (g = 0; g < w->ngroups; g++)
		dirty_group(&w->tables[g / 8u][g % 8u * 64u], p ? p->pages[g] : 0u);
	for (i = 0; i < w->npages; i += 8u)
		any |= ((volatile uint64_t *)w->ptes)[i];
	(void)any;
}

void pattern_init(struct pattern *p, const struct world *w, uint32_t dirty_ppm)
{
	uint64_t seed = 2, threshold = ((uint64_t)dirty_ppm << 32) / 1000000u, g;
	unsigned int i;

	p->bytes = w->ngroups * sizeof(*p->pages);
	p->pages = host_alloc(p->bytes);
	p->npages = 0;
	p->ngroups = 0;
	for (g = 0; dirty_ppm && g < w->ngroups; g++) {
		uint64_t pages = 0;

		for (i = 0; i < 64u; i++)
			if ((next_random(&seed) >> 32) < threshold)
				pages |= (uint64_t)1 << i;
		p->pages[g] = pages;
		p->npages += (uint64_t)__builtin_popcountll(pages);
		p->ngroups += pages != 0;
	}
}

void pattern_free(struct pattern *p)
{
	host_free(p->pages, p->bytes);
	p->pages = NULL;
}

uint32_t *pattern_order(const struct pattern *p, const struct world *w)
{
	uint32_t *order = malloc((p->npages ? p->npages : 1u) * sizeof(*order));
	uint64_t seed = 4, n = 0, g, todo;

	if (!order)
		host_die("no memory");
	for (g = 0; g < w->ngroups; g++)
		for (todo = p->pages[g]; todo; todo &= todo - 1u)
			order[n++] = (uint32_t)(g * 64u + (uint64_t)__builtin_ctzll(todo));
	for (; n > 1; n--) {
		uint64_t j = next_random(&seed) % n;
		uint32_t page = order[n - 1u];

		order[n - 1u] = order[j];
		order[j] = page;
	}
	return order;
}

static uint64_t *rig_leaf(void *ctx, uint64_t gfn, unsigned int *order)
{
	const struct rig *r = ctx;
	uint64_t page = gfn - WORLD_BASE_GFN;

	*order = 0;
	return &r->w->tables[page / WORLD_TABLE_PTES][page % WORLD_TABLE_PTES];
}

static void rig_tlbi_range(void *ctx, uint64_t first_gfn, uint64_t last_gfn)
{
	struct rig *r = ctx;

	(void)first_gfn;
	(void)last_gfn;
	(void)__atomic_fetch_add(&r->tlbis, 1u, __ATOMIC_RELAXED);
}

static void rig_tlbi_local(void *ctx, uint64_t gfn)
{
	struct rig *r = ctx;

	(void)gfn;
	(void)__atomic_fetch_add(&r->tlbis, 1u, __ATOMIC_RELAXED);
}

static enum weir_status rig_block_split(void *ctx, uint64_t gfn)
{
	(void)ctx;
	(void)gfn;
	return WEIR_ENOMEM;	/* there are no blocks */
}

static const struct weir_dirty_ops rig_ops = {
	.leaf = rig_leaf,
	.tlbi_range = rig_tlbi_range,
	.tlbi_local = rig_tlbi_local,
	.block_split = rig_block_split,
};

void rig_init(struct rig *r, const struct bench_params *params, uint32_t policy, uint32_t flags)
{
	struct weir_dirty_config cfg = {
		.base_gfn = WORLD_BASE_GFN,
		.policy = policy,
		.neighbourhood = 64,
		.flags = WEIR_DIRTY_F_DBM | flags,
	};

	memset(r, 0, sizeof(*r));
	r->w = world_get(params->region_gib);
	cfg.npages = r->w->npages;
	pattern_init(&r->pat, r->w, params->dirty_ppm);
	r->mem_bytes = weir_dirty_size(&cfg);
	r->mem = host_alloc(r->mem_bytes);
	r->words = malloc(RIG_WORDS * sizeof(*r->words));
	if (!r->words || weir_dirty_init(r->mem, r->mem_bytes, &cfg, &rig_ops, r, &r->d) ||
	    weir_dirty_start(r->d, false))
		host_die("no region of %u GiB under policy %u", params->region_gib, policy);
}

void rig_free(struct rig *r)
{
	weir_dirty_stop(r->d);
	host_free(r->mem, r->mem_bytes);
	pattern_free(&r->pat);
	free(r->words);
}
