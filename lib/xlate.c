// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xlate.c - the shape of a cache: its memory, its counters, how full it is.
 *
 * The index of both kinds is one multiplication of the key: bits 40 and up of the product, masked.
 *
 * With the multiplier 2^40 + stride * 2^8 they are event + stride * device, plus a carry out of
 * event * stride that only events above 2^32 / stride have.
 *
 * The mixed index of k bits multiplies the event by a fraction, in units of 2^(40 + k), and the
 * device by another, in units of 2^(8 + k): 40 bits of the event and eight more of the device than
 * there are in the index have a part in each of its bits. The fractions are those of which
 * multiples lie most evenly, one over the golden ratio and one over the plastic number: IDs that
 * have a pattern after all load all sets alike.
 */
#include "xlate_internal.h"

#define MEM_ALIGN			64u
#define FLAGS			(WEIR_XLATE_F_COUNTERS | WEIR_XLATE_F_SERIAL)
#define STRIDE_DEFAULT		17u
/*
 * Keys without a pattern collide; with room to spare fewer do, and most look-ups end inline. Below
 * these capacities the smaller share of each set weighs more, above them an index has no bit left;
 * and 65536 translations are promised in 4 MiB.
 */
#define SPREAD_MIN		64u
#define SPREAD_MAX		((uint32_t)1 << 23)
#define SPREAD_NOT		65536u
#define GOLDEN			0x9e3779b97f4a7c15u	/* 2^64 over the golden ratio */
#define PLASTIC			0xc13fa9a902a6328fu	/* and over the plastic number */

/* The slots, their number a power of two; 0 if the configuration is refused. */
static uint32_t slots_of(const struct weir_xlate_config *cfg)
{
	uint32_t nslots = 1;

	if (!cfg->capacity || cfg->capacity > WEIR_XLATE_CAPACITY_MAX)
		return 0;
	/* With one way a set's share of the capacity could be none. */
	if (cfg->ways > WEIR_XLATE_WAYS_MAX || cfg->ways == 1 || (cfg->ways & (cfg->ways - 1u)))
		return 0;
	if (cfg->index > WEIR_XLATE_MIXED || (cfg->flags & ~FLAGS))
		return 0;
	if (cfg->device_stride > WEIR_XLATE_STRIDE_MAX ||
	    (cfg->device_stride && !(cfg->device_stride & 1u)))
		return 0;
	while (nslots < cfg->capacity)
		nslots <<= 1;
	if (cfg->index == WEIR_XLATE_MIXED && nslots == cfg->capacity && nslots >= SPREAD_MIN &&
	    nslots <= SPREAD_MAX && nslots != SPREAD_NOT)
		nslots <<= 1;
	return nslots;
}

static uint32_t ways_of(const struct weir_xlate_config *cfg, uint32_t nslots)
{
	uint32_t ways = cfg->ways ? cfg->ways : WEIR_XLATE_WAYS_MAX;

	return ways < nslots ? ways : nslots;
}

static uint64_t multiplier(const struct weir_xlate_config *cfg, unsigned int k)
{
	uint64_t stride = cfg->device_stride ? cfg->device_stride : STRIDE_DEFAULT, low;

	if (cfg->index == WEIR_XLATE_STRUCTURED)
		return ((uint64_t)1 << 40) + stride * 256u;
	low = ((uint64_t)1 << (8u + k)) - 1u;
	low = (GOLDEN >> (24u - k) & ~low) | PLASTIC >> (56u - k);
	/* A pair of slots is of one set: a set of one slot has none. */
	return k ? low | WEIR_XLATE_PAIRED : low & ~(uint64_t)WEIR_XLATE_PAIRED;
}

WEIR_API size_t weir_xlate_size(const struct weir_xlate_config *cfg)
{
	uint32_t nslots = slots_of(cfg);
	size_t bytes;

	if (!nslots)
		return 0;
	bytes = sizeof(struct weir_xlate) + nslots * sizeof(struct weir_xlate_slot) +
		nslots / ways_of(cfg, nslots) * sizeof(struct weir_xlate_set);
	return (bytes + (MEM_ALIGN - 1u)) / MEM_ALIGN * MEM_ALIGN;
}

/* The slots are aligned as the header is. */
_Static_assert(sizeof(struct weir_xlate) % MEM_ALIGN == 0, "pad struct weir_xlate");
_Static_assert(sizeof(struct weir_xlate_set) == 64, "a set's fingerprints are one line");

WEIR_API enum weir_status weir_xlate_init(void *mem, size_t size,
					  const struct weir_xlate_config *cfg,
					  const struct weir_xlate_ops *ops, void *ctx,
					  struct weir_xlate **out)
{
	uint32_t nslots = slots_of(cfg), nsets, s, i;
	struct weir_xlate *c = (struct weir_xlate *)mem;

	if (!nslots || !mem || !out || (uintptr_t)mem % MEM_ALIGN || (ops && !ops->displaced))
		return WEIR_EINVAL;
	if (size < weir_xlate_size(cfg))
		return WEIR_ENOMEM;
	weir_memset(mem, 0, weir_xlate_size(cfg));
	c->ways = ways_of(cfg, nslots);
	nsets = nslots / c->ways;
	c->sets = (struct weir_xlate_set *)(xlate_slot(c, 0, 0) + nslots);
	c->gen_all = GEN_STEP;
	c->index_mask = (nslots - 1u) * sizeof(struct weir_xlate_slot);
	c->index_mul = multiplier(cfg, weir_ctz64(nslots));
	c->set_mask = nsets - 1u;
	if (cfg->index == WEIR_XLATE_STRUCTURED)
		c->way_bit = weir_ctz64(nsets);
	else
		c->set_bit = weir_ctz64(c->ways);
	c->capacity = cfg->capacity;
	c->counting = cfg->flags & WEIR_XLATE_F_COUNTERS;
	c->serial = cfg->flags & WEIR_XLATE_F_SERIAL;
	/* Where hits are counted a stamp stays COLD, so that no lookup ends inline. */
	c->used = c->counting ? STAMP_UNUSED : STAMP_UNUSED | STAMP_COLD;
	c->ops = ops;
	c->ctx = ctx;
	for (s = 0; s < nsets; s++) {
		c->sets[s].random = (cfg->seed + s) * WEIR_XLATE_HASH32;
		for (i = 0; i < 4; i++)
			c->sets[s].prints[i] = PRINTS_EMPTY;
	}
	*out = c;
	return WEIR_OK;
}

WEIR_API uint32_t weir_xlate_residency(const struct weir_xlate *c)
{
	uint32_t live = 0;
	uint64_t s;
	unsigned int way;

	for (s = 0; s <= c->set_mask; s++)
		for (way = 0; way < c->ways; way++)
			live += xlate_live(c, xlate_slot(c, s, way));
	return live;
}

WEIR_API void weir_xlate_stats(const struct weir_xlate *c, struct weir_xlate_stats *stats)
{
	const uint64_t *from = &c->stats.hits;
	uint64_t *to = &stats->hits;
	size_t i;

	for (i = 0; i < sizeof(*stats) / sizeof(*to); i++)
		to[i] = weir_load_relaxed(&from[i]);
	for (i = 0; i <= c->set_mask; i++) {
		stats->hits += weir_load_relaxed(&c->sets[i].hits);
		stats->misses += weir_load_relaxed(&c->sets[i].misses);
	}
}
