/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * xlate_internal.h - what the files of lib/xlate* share: the arithmetic of keys, sets and words.
 *
 * Where slots are indexed by structure, slot p is in set p mod nsets, so that consecutive slots are
 * in different sets: a run of dense keys loads all sets alike. With the mixed index it is in set
 * p / ways: the upper bits are mixed best, and a pair of slots, which is a cache line, is of one
 * set. Behind the header are the slots, behind them the sets.
 */
#ifndef WEIR_LIB_XLATE_INTERNAL_H
#define WEIR_LIB_XLATE_INTERNAL_H

#include "weir/env.h"
#include "weir/xlate.h"

/* Stamps. The generations go in steps of 4 from 4, so that no sum is DEAD or PENDING. */
#define STAMP_DEAD	((uint64_t)0)
#define STAMP_PENDING	((uint64_t)1)
#define STAMP_COLD	1u	/* not to be returned inline: it is to be marked, or counted */
#define STAMP_UNUSED	2u	/* not hit since it was filled or last spared */
#define STAMP_BITS	((uint64_t)(STAMP_COLD | STAMP_UNUSED))
#define GEN_STEP	((uint64_t)4)

/* A slot's word. */
#define WORD_FULL	((uint64_t)1 << 8)	/* the slot owes its value to the displaced op */
#define WORD_SEQ	((uint64_t)1 << 9)	/* one step of the sequence; 2^55 of them */

/* Four fingerprints of 16 bits. The top bit of each is set, so that sums stay in their lanes. */
#define LANE_ONES	0x0001000100010001u
#define LANE_TOPS	(LANE_ONES << 15)
#define LANE_LOW	(LANE_TOPS - LANE_ONES)
#define PRINTS_EMPTY	LANE_TOPS		/* no key has this one */

#define xlate_count(c, field, n)                                                \
	do {                                                                    \
		if ((c)->counting)                                              \
			(void)weir_fetch_add_relaxed(&(c)->stats.field,         \
						     (uint64_t)(n));            \
	} while (0)

static inline uint64_t xlate_key(uint32_t device, uint32_t event)
{
	return (uint64_t)device << 32 | event;
}

static inline uint32_t xlate_device_of(uint64_t key)
{
	return (uint32_t)(key >> 32);
}

/* A slot's number, from what the inlined lookup computes of its key. */
static inline uint64_t xlate_index(const struct weir_xlate *c, uint64_t key)
{
	return (key * c->index_mul >> WEIR_XLATE_INDEX_SHIFT & c->index_mask) /
	       sizeof(struct weir_xlate_slot);
}

/* The set of a slot, by number. */
static inline uint64_t xlate_set_of(const struct weir_xlate *c, uint64_t index)
{
	return index >> c->set_bit & c->set_mask;
}

/* And its way. */
static inline unsigned int xlate_way_of(const struct weir_xlate *c, uint64_t index)
{
	return (unsigned int)(index >> c->way_bit) & (c->ways - 1u);
}

static inline struct weir_xlate_set *xlate_set(const struct weir_xlate *c, uint64_t index)
{
	return &c->sets[xlate_set_of(c, index)];
}

/* A slot, by number. */
static inline struct weir_xlate_slot *xlate_slot_at(const struct weir_xlate *c, uint64_t index)
{
	return (struct weir_xlate_slot *)(uintptr_t)(c + 1) + index;
}

static inline struct weir_xlate_slot *xlate_slot(const struct weir_xlate *c, uint64_t set,
						 unsigned int way)
{
	return xlate_slot_at(c, set << c->set_bit | (uint64_t)way << c->way_bit);
}

/* What counts the invalidations of events with this preferred slot, and one in 64 others. */
static inline uint64_t *xlate_epoch(const struct weir_xlate *c, uint64_t index)
{
	return (uint64_t *)(uintptr_t)&c->event_epoch[index & (WEIR_XLATE_EPOCHS - 1u)];
}

static inline bool xlate_paired(const struct weir_xlate *c)
{
	return c->index_mul & WEIR_XLATE_PAIRED;
}

/* Whether the slots go in pairs, and a pair has another one of its set in the line next to it. */
static inline bool xlate_has_near(const struct weir_xlate *c)
{
	return xlate_paired(c) && c->ways > 2u;
}

/* The first slot of that pair, by number. */
static inline uint64_t xlate_near(uint64_t index)
{
	return (index & ~(uint64_t)1) ^ 2u;
}

static inline unsigned int xlate_gen_index(uint32_t id)
{
	return id * WEIR_XLATE_HASH32 >> WEIR_XLATE_HASH_SHIFT;
}

/* The sum that makes a slot live; see xlate.h on why it is read after the stamp. */
static inline uint64_t xlate_sum(const struct weir_xlate *c, uint64_t key, uint64_t word)
{
	return weir_load_relaxed(&c->gen_all) +
	       weir_load_relaxed(&c->gen_device[xlate_gen_index(xlate_device_of(key))]) +
	       weir_load_relaxed(&c->gen_tag[word & WEIR_XLATE_TAG_MASK]);
}

/* Whether a slot is live; certain only under the lock of its set, which orders its fills. */
static inline bool xlate_live(const struct weir_xlate *c, const struct weir_xlate_slot *slot)
{
	uint64_t word = weir_load_relaxed(&slot->word);
	uint64_t stamp = weir_load_relaxed(&slot->stamp);

	return (stamp & ~STAMP_BITS) == xlate_sum(c, weir_load_relaxed(&slot->key), word);
}

static inline uint64_t xlate_print(uint64_t key)
{
	return key * 0xd6e8feb86659fd93u >> 48 | 0x8001u;
}

/*
 * The top bit of each lane where a word of fingerprints differs from another. Acquire: pairs with
 * set_print(), for xlate_invalidate.c.
 */
static inline uint64_t xlate_differ(const uint64_t *prints, uint64_t want)
{
	return ((weir_load_acquire(prints) ^ want) + LANE_LOW) & LANE_TOPS;
}

/*
 * Ways of a set that may hold a key: bit 16 * (way / 4) + way % 4, which xlate_candidate() turns
 * into the way. Fingerprints are a hint: the slots decide.
 */
static inline uint64_t xlate_candidates(const struct weir_xlate_set *set, uint64_t key)
{
	uint64_t want = xlate_print(key) * LANE_ONES;

	return (xlate_differ(&set->prints[0], want) >> 15 |
		xlate_differ(&set->prints[1], want) >> 14 |
		xlate_differ(&set->prints[2], want) >> 13 |
		xlate_differ(&set->prints[3], want) >> 12) ^
	       (LANE_ONES * 15u);
}

static inline unsigned int xlate_candidate(uint64_t candidates)
{
	unsigned int bit = weir_ctz64(candidates);

	return bit >> 2 | (bit & 3u);
}

#endif
