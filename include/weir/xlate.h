/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * weir/xlate.h - a bounded, lock-free cache of interrupt translations.
 *
 * A cache maps (device, event), 32 bits each, to a 64-bit value: what an ITS finds after it walked
 * its device table, an interrupt translation table and the collection table. A lookup is a few
 * loads. An invalidation, of one event, a device, a tag (a collection, a target) or everything, is
 * O(1) and waits for nobody. The cache holds no references and never owns what a value names.
 *
 *	if (weir_xlate_lookup(c, device, event, &value))
 *		return deliver(value);
 *	weir_xlate_lease(c, device, event, &lease);
 *	status = walk_the_tables(device, event, &tag, &value);
 *	if (status == WEIR_OK)
 *		(void)weir_xlate_fill(c, &lease, tag, value);
 *
 * and whoever changes the tables changes them first, invalidates second, and says that the change
 * is complete (CREADR) third, by a release.
 *
 * A *slot* is 32 bytes: key, value, stamp, and a word of sequence and tag index. Slots form *sets*
 * of up to 16. A key has one preferred slot, or two in one cache line, looked at first; if it is
 * not there, 16 fingerprints in one line tell where in its set it is. A *generation* is a 64-bit
 * counter that an invalidation moves: one for everything, one of 256 by a hash of the device, one
 * of 256 by a hash of the tag. The stamp of a slot is the sum of the three generations that its
 * translation was read under; counters that only grow have the same sum only if none has moved.
 *
 * The invariants, which the code cites by number:
 *
 * X1  Transparency. A hit returns what a table walk would have returned at some instant during the
 *     lookup; a change of the tables counts from when its invalidation takes effect.
 * X2  No resurrection. Once an invalidation has returned, no lookup that happens after it returns a
 *     translation that was read from the tables before it began.
 * X3  A hit is of one fill: key, value, tag and stamp that a lookup accepts were written by the
 *     same weir_xlate_fill().
 * X4  At most one live slot a key; at most `capacity` live slots.
 * X5  A key is compared at full width. No slot is found by arithmetic on key and value.
 * X6  Nothing waits. A fill that meets another one in its set gives up; lookups and invalidations
 *     never look at the lock. A filler that is frozen for ever costs the fills of one set.
 * X7  Each value that a fill accepted is handed back once, by the displaced op, if there is one.
 * X8  A key that stands in a preferred slot of its own, dead or alive, is alive in none that is
 *     not: a fill takes a preferred slot that is dead before it takes any other.
 *
 * Every error is towards a miss: hashed generations may drop too much, a lookup that races with a
 * change of its slot is a miss, an invalidation may hit a neighbour that just took the slot.
 *
 * Pointers as values. The cache does not keep alive what a value points at. Either the object
 * outlives the cache's knowledge of it: invalidate, wait for a grace period, free; and lookups and
 * the use of what they return are in a read-side section (kernel RCU, liburcu). Or each accepted
 * fill holds a reference, given up by the displaced op after a grace period.
 *
 * Concurrency: lookup, lease, fill, invalidate_*, drain, stats and residency may all run at any
 * time on any CPU, also in an interrupt that came in the middle of any of them, unless the owner
 * says WEIR_XLATE_F_SERIAL.
 *
 * Cost: a hit touches one slot line, the header's first line and two lines of generations, and
 * stores nothing once the slot is marked as used. Fill O(16). Memory: 4.75 KiB and 36 bytes a slot
 * with 16 ways, 64 with 2; slots are the capacity rounded up to a power of two; twice a capacity
 * that is one, from 64 to 2^23 but not 65536, where the index is MIXED.
 *
 * Source of the idea: the KVM arm64 ITS translation cache (2019) and the objections to it and to
 * its successor (2024); memcached's leases; KVM's mmu_invalidate_seq.
 */
#ifndef WEIR_XLATE_H
#define WEIR_XLATE_H

#include "weir/env.h"
#include "weir/status.h"
#include "weir/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_XLATE_CAPACITY_MAX	((uint32_t)1 << 24)
#define WEIR_XLATE_WAYS_MAX	16u
#define WEIR_XLATE_STRIDE_MAX	65535u

/** enum weir_xlate_index - how a key gets its preferred slot */
enum weir_xlate_index {
	/*
	 * event + stride * device: dense events of a device lie side by side, and keys that are
	 * dense in this sum fill the cache to the last slot without a conflict
	 */
	WEIR_XLATE_STRUCTURED = 0,
	/*
	 * a multiplicative hash of both, for events and devices without a pattern; the two slots of
	 * a cache line are both preferred
	 */
	WEIR_XLATE_MIXED = 1
};

#define WEIR_XLATE_F_COUNTERS	(1u << 0)	/* keep the counters of weir_xlate_stats() */
/*
 * The caller sees to it that no two of weir_xlate_invalidate_device(), _tag() and _all() are under
 * way at once: they are plain stores then, and no read-modify-writes. All else is as concurrent as
 * without it. The lock under which commands are taken from a queue is not enough by itself: writes
 * of GITS_CTLR.Enabled and GICR_CTLR.EnableLPIs invalidate as well, from other CPUs.
 */
#define WEIR_XLATE_F_SERIAL	(1u << 1)

/**
 * struct weir_xlate_config - the shape of a cache
 * @capacity: translations it may hold, 1 to WEIR_XLATE_CAPACITY_MAX
 * @ways: slots a set: 2, 4, 8 or 16; 0: 16. Fewer if there are not so many slots.
 * @index: an enum weir_xlate_index
 * @device_stride: for STRUCTURED, the stride: odd, at most WEIR_XLATE_STRIDE_MAX; 0: 17
 * @seed: of the choice of victims
 * @flags: WEIR_XLATE_F_*
 */
struct weir_xlate_config {
	uint32_t capacity;
	uint32_t ways;
	uint32_t index;
	uint32_t device_stride;
	uint32_t seed;
	uint32_t flags;
};

/**
 * struct weir_xlate_ops - what the cache asks of its owner
 *
 * Optional as a whole; values that are not references need none of it.
 */
struct weir_xlate_ops {
	/**
	 * @displaced: the cache forgets a value that a fill had accepted (X7)
	 *
	 * Called by weir_xlate_fill() and weir_xlate_drain(), after they left the set: no lock of
	 * the cache is held, and any function of the cache may be called. A lookup that began
	 * earlier may still return the value: a reference is to be dropped after a grace period.
	 * Context: as the function that called.
	 */
	void (*displaced)(void *ctx, uint32_t device, uint32_t event, uint64_t value);
};

/**
 * struct weir_xlate_lease - permission to fill one key, taken before the tables are read
 *
 * Private, and plain data: it may be copied, kept for any time and thrown away.
 */
struct weir_xlate_lease {
	uint32_t device;
	uint32_t event;
	uint64_t gen_all;
	uint64_t gen_device;
	uint64_t tag_epoch;
	uint64_t event_epoch;
};

/**
 * struct weir_xlate_stats - counters since weir_xlate_init(), if WEIR_XLATE_F_COUNTERS was given
 * @hits: lookups that returned a value
 * @misses: lookups that did not
 * @fills: fills that were accepted
 * @replaced: of these, over a live translation of the same key
 * @evictions: live translations that made room for another key, also for a fill that was refused
 *	then; also below the capacity, where one sat in the preferred slot of this key and not in
 *	its own
 * @refused_all: fills refused because of weir_xlate_invalidate_all()
 * @refused_device: because of weir_xlate_invalidate_device()
 * @refused_tag: because of weir_xlate_invalidate_tag()
 * @refused_event: because of weir_xlate_invalidate_event(), of this key or one in 64 others, or
 *	in as many as there are slots
 * @refused_busy: because another fill was at work on the set
 * @invalidations_all: calls of weir_xlate_invalidate_all()
 * @invalidations_device: calls of weir_xlate_invalidate_device()
 * @invalidations_tag: calls of weir_xlate_invalidate_tag()
 * @invalidations_event: calls of weir_xlate_invalidate_event()
 * @displaced: values handed back
 */
struct weir_xlate_stats {
	uint64_t hits;
	uint64_t misses;
	uint64_t fills;
	uint64_t replaced;
	uint64_t evictions;
	uint64_t refused_all;
	uint64_t refused_device;
	uint64_t refused_tag;
	uint64_t refused_event;
	uint64_t refused_busy;
	uint64_t invalidations_all;
	uint64_t invalidations_device;
	uint64_t invalidations_tag;
	uint64_t invalidations_event;
	uint64_t displaced;
};

/*
 * The layout below is private: it is here for weir_xlate_lookup_inline() and changes without
 * notice. The fields of a slot and of a set, the generations and the counters are atomic.
 *
 * The key times index_mul has the number of the preferred slot in its bits 40 and up.
 * WEIR_XLATE_INDEX_SHIFT leaves it multiplied by the size of a slot, so that it need not be scaled.
 * Where index_mul is odd, the slots go in pairs: a key that is not in its slot may be in the other.
 */
#define WEIR_XLATE_GENS		256u		/* generations by device, and by tag */
#define WEIR_XLATE_EPOCHS	64u		/* of invalidations of events, by preferred slot */
#define WEIR_XLATE_HASH32	0x9e3779b1u
#define WEIR_XLATE_HASH_SHIFT	24u		/* 32-bit hash to the index of a generation */
#define WEIR_XLATE_INDEX_SHIFT	35u
#define WEIR_XLATE_PAIRED	1u		/* of index_mul */
#define WEIR_XLATE_TAG_MASK	0xffu		/* of a word: 0..7 tag, 8 full, 9.. sequence */

struct weir_xlate_slot {
	uint64_t key;		/* device in the upper half, event in the lower */
	uint64_t value;
	/*
	 * 0: dead, 1: being written, else the sum of the generations, and in it two bits: 0, not to
	 * be returned inline, and 1, not hit since it was filled or last spared
	 */
	uint64_t stamp;
	uint64_t word;
};

struct weir_xlate_set {
	uint64_t prints[4];	/* fingerprint of way w: 16 bits of prints[w % 4], lane w / 4 */
	uint64_t hits;
	uint64_t misses;
	uint32_t lock;
	uint32_t random;
	uint64_t end;
};

/* Its slots follow it. */
struct weir_xlate {
	uint64_t gen_device[WEIR_XLATE_GENS];
	uint64_t gen_tag[WEIR_XLATE_GENS];
	/* one line that every lookup reads, and only invalidate_all writes */
	uint64_t gen_all;
	uint64_t index_mul;
	uint64_t index_mask;	/* (number of slots - 1) * size of a slot */
	struct weir_xlate_set *sets;
	uint32_t set_mask;
	uint32_t set_bit;	/* where the set's number is in a slot's, and the way's */
	uint32_t way_bit;
	uint32_t capacity;
	uint32_t ways;
	uint32_t used;		/* bits that the first hit of a stamp clears */
	uint32_t counting;
	uint32_t serial;
	uint64_t tag_epoch;
	const struct weir_xlate_ops *ops;
	void *ctx;
	struct weir_xlate_stats stats;
	uint64_t end[6];
	uint64_t event_epoch[WEIR_XLATE_EPOCHS];
};

/* So that a hit is laid out as one line of instructions. */
#define WEIR_XLATE_RARELY(cond)	__builtin_expect(!!(cond), 0)

#ifdef __cplusplus
#define WEIR_XLATE_AT(type, base, bytes) \
	static_cast<const type *>(static_cast<const void *>( \
		static_cast<const char *>(static_cast<const void *>(base)) + (bytes)))
#else
#define WEIR_XLATE_AT(type, base, bytes) \
	((const type *)(const void *)((const char *)(base) + (bytes)))
#endif

/**
 * weir_xlate_size() - bytes of memory that a cache needs
 * @cfg: its configuration
 *
 * Context: any.
 * Return: bytes, a multiple of 64; 0 where weir_xlate_init() would refuse the configuration.
 */
size_t weir_xlate_size(const struct weir_xlate_config *cfg);

/**
 * weir_xlate_init() - make an empty cache
 * @mem: the caller's memory, aligned to 64 bytes, kept until the cache is no longer used
 * @size: its size in bytes, at least weir_xlate_size(cfg)
 * @cfg: copied
 * @ops: kept by reference; NULL: values are not handed back
 * @ctx: passed to every op
 * @out: the cache
 *
 * There is no counterpart: when no CPU uses the cache any more the memory may be given back, after
 * weir_xlate_invalidate_all() and weir_xlate_drain() where values are references.
 *
 * Context: caller serialises. Writes all of the memory.
 * Return: WEIR_OK; WEIR_EINVAL for a misaligned or impossible value; WEIR_ENOMEM if size is too
 *	small.
 */
enum weir_status weir_xlate_init(void *mem, size_t size, const struct weir_xlate_config *cfg,
				 const struct weir_xlate_ops *ops, void *ctx,
				 struct weir_xlate **out);

/**
 * weir_xlate_lookup() - the translation of an event, if the cache has it
 * @c: the cache
 * @device: DeviceID
 * @event: EventID
 * @value: the translation; written on a hit only
 *
 * Wait-free. The first hit of a translation after it was filled or spared by an eviction marks it
 * as used; after that a hit stores nothing. What happened before the fill, for one that hits, is
 * visible to the caller (acquire).
 *
 * Context: any, also an interrupt or a section where nothing may sleep.
 * Return: whether it was a hit. A miss means nothing: walk the tables.
 */
bool weir_xlate_lookup(const struct weir_xlate *c, uint32_t device, uint32_t event,
		       uint64_t *value);

/**
 * weir_xlate_lookup_scan() - what weir_xlate_lookup_inline() does out of line
 * @c: the cache
 * @key: device in the upper half, event in the lower
 * @offset: of a preferred slot of the key from the first, in bytes
 * @value: the translation; written on a hit only
 *
 * Not to be called by others.
 *
 * Context: any.
 * Return: whether it was a hit.
 */
bool weir_xlate_lookup_scan(const struct weir_xlate *c, uint64_t key, uint64_t offset,
			    uint64_t *value);

/* weir_xlate_lookup(), inlined as far as the preferred slot. */
static inline bool weir_xlate_lookup_inline(const struct weir_xlate *c, uint32_t device,
					    uint32_t event, uint64_t *value)
{
	uint64_t key = device, hash = device * WEIR_XLATE_HASH32, mul = c->index_mul, offset, word;
	const struct weir_xlate_slot *slot;
	uint64_t stamp, v;

	key = key << 32 | event;
	offset = key * mul >> WEIR_XLATE_INDEX_SHIFT & c->index_mask;
	if (mul & WEIR_XLATE_PAIRED) {
		/* A hint, and arithmetic: a branch on the key could not be predicted. */
		uint64_t other = weir_load_relaxed(WEIR_XLATE_AT(uint64_t, c + 1, offset)) != key;

		offset ^= other * sizeof(*slot);
	}
	slot = WEIR_XLATE_AT(struct weir_xlate_slot, c + 1, offset);
	/*
	 * X3. A writer sets stamp to "being written", moves the sequence (release), writes key
	 * and value (release) and sets stamp (release). A sequence n that is seen first means
	 * that no stamp older than n's is seen after it; a stamp, key or value of a fill means
	 * that its sequence, or a later one, is seen after it. So if the word is the same at the
	 * end, all are of fill n.
	 */
	word = weir_load_acquire(&slot->word);
	stamp = weir_load_acquire(&slot->stamp);
	if (WEIR_XLATE_RARELY(weir_load_acquire(&slot->key) != key))
		return weir_xlate_lookup_scan(c, key, offset, value);
	/*
	 * X2. The generations come after the stamp: they are at least what its filler had read, so
	 * that an equal sum means that each is equal.
	 */
	stamp -= weir_load_relaxed(&c->gen_all);
	stamp -= weir_load_relaxed(&c->gen_device[hash >> WEIR_XLATE_HASH_SHIFT]);
	stamp -= weir_load_relaxed(WEIR_XLATE_AT(uint64_t, c->gen_tag,
						 (word & WEIR_XLATE_TAG_MASK) *
						 sizeof(c->gen_tag[0])));
	if (WEIR_XLATE_RARELY(stamp))
		return weir_xlate_lookup_scan(c, key, offset, value);
	v = weir_load_acquire(&slot->value);
	if (WEIR_XLATE_RARELY(weir_load_relaxed(&slot->word) != word))
		return weir_xlate_lookup_scan(c, key, offset, value);
	*value = v;
	return true;
}

/**
 * weir_xlate_lease() - ask for permission to fill, before the tables are read
 * @c: the cache
 * @device: DeviceID
 * @event: EventID
 * @lease: written
 *
 * The loads of the table walk come after it (acquire).
 *
 * Context: any. Never waits.
 */
void weir_xlate_lease(const struct weir_xlate *c, uint32_t device, uint32_t event,
		      struct weir_xlate_lease *lease);

/**
 * weir_xlate_fill() - remember what the tables said
 * @c: the cache that gave the lease
 * @lease: from before the walk
 * @tag: what weir_xlate_invalidate_tag() will name; the collection or the target of the event
 * @value: the translation
 *
 * Not for translations that may not be cached: errors, a disabled ITS or redistributor, events that
 * are injected by hardware. A fill that is refused changes nothing that a lookup could see, but may
 * have dropped a translation of its set.
 *
 * Context: any. Never waits, never allocates. Calls displaced.
 * Return: WEIR_OK; WEIR_ESTALE if an invalidation that may concern it came after the lease;
 *	WEIR_EBUSY if another fill is at work on the set.
 */
enum weir_status weir_xlate_fill(struct weir_xlate *c, const struct weir_xlate_lease *lease,
				 uint32_t tag, uint64_t value);

/**
 * weir_xlate_invalidate_event() - drop one event's translation
 * @c: the cache
 * @device: DeviceID
 * @event: EventID
 *
 * For all four: what the caller changed in the tables before the call is what any fill that is
 * accepted after it has read; O(1), never waits. Of the fills of other events that are under way,
 * one in 64 is refused, or in as many as there are slots.
 *
 * Context: any.
 */
void weir_xlate_invalidate_event(struct weir_xlate *c, uint32_t device, uint32_t event);

/**
 * weir_xlate_invalidate_device() - drop all translations of a device
 * @c: the cache
 * @device: DeviceID; other devices with the same hash (one in 256) are dropped with it
 *
 * Context: any.
 */
void weir_xlate_invalidate_device(struct weir_xlate *c, uint32_t device);

/**
 * weir_xlate_invalidate_tag() - drop all translations that were filled with a tag
 * @c: the cache
 * @tag: other tags with the same hash (one in 256) are dropped with it
 *
 * A tag is known only after the walk, so all fills that are under way are refused.
 *
 * Context: any.
 */
void weir_xlate_invalidate_tag(struct weir_xlate *c, uint32_t tag);

/**
 * weir_xlate_invalidate_all() - drop everything
 * @c: the cache
 *
 * Context: any.
 */
void weir_xlate_invalidate_all(struct weir_xlate *c);

/**
 * weir_xlate_drain() - hand back the values of translations that are dead
 * @c: the cache
 *
 * Values of invalidated translations are otherwise handed back when their slots are used again.
 * After weir_xlate_invalidate_all() it hands back everything. Without a displaced op it has nothing
 * to do.
 *
 * Context: any; O(slots). Calls displaced.
 * Return: WEIR_OK; WEIR_EBUSY if a set was left out because a fill is at work on it.
 */
enum weir_status weir_xlate_drain(struct weir_xlate *c);

/**
 * weir_xlate_residency() - live translations
 * @c: the cache
 *
 * Context: any; O(slots). Exact while nothing else is going on.
 * Return: at most the capacity.
 */
uint32_t weir_xlate_residency(const struct weir_xlate *c);

/**
 * weir_xlate_stats() - read the counters
 * @c: the cache
 * @stats: written; all zero without WEIR_XLATE_F_COUNTERS
 *
 * Context: any; O(sets).
 */
void weir_xlate_stats(const struct weir_xlate *c, struct weir_xlate_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
