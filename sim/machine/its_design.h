/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine/its_design.h - what may stand in front of an ITS: nothing, the published translation
 * caches of KVM arm64 by their published behaviour, and the library's.
 *
 *	none		every interrupt walks the tables, under the ITS's mutex
 *	list2019	Linux 5.4: a list of 16 entries a vCPU, searched from its head under one raw
 *			spinlock, what is found moves to the front
 *	list2024	the same since January 2024: a hit takes a reference under that lock, and
 *			puts it under the lock again
 *	xarray2024	Linux 6.10: a radix tree an ITS, without a bound, read under RCU; a hit
 *			takes and puts a reference
 *	weir		the library's xlate
 *
 * An interrupt is at first sim_its_design_lookup(): that may be called in atomic context. If it
 * misses, sim_its_design_resolve(), which may sleep: it holds the ITS's mutex, walks and remembers.
 * Each call leaves behind in struct sim_its_work what it did, for whoever prices it; nothing here
 * knows of time.
 *
 * D1  Transparency. A lookup that hits answers as sim_its_translate() would at that moment, if the
 *     guest changes tables by commands only, and EnableLPIs of every PE that an LPI is moved to by
 *     MAPC is set. (The published caches answer a hit without looking at EnableLPIs.)
 * D2  What an invalidation names does not hit again before it was resolved again. The published
 *     caches forget everything with it, except that MAPC with V=1 forgets nothing: what they hold
 *     leads to the collection, not to its PE.
 * D3  At most one entry a (DeviceID, EventID); ids that the key has no room for are never entered.
 * D4  The list and the cache hold at most `capacity`; the tree holds what was resolved.
 * D5  References held are entries held: one an entry, given up once by whoever removed it, and none
 *     after destroy. `weir` and `none` hold none.
 * D6  Never entered: errors, what is_virtual.
 *
 * Concurrency: one thread. What the originals' locks would do to one another is for the owner to
 * simulate, from `locks` and the counts.
 * Cost: as the originals': the list O(entries), the tree O(height).
 *
 * Source: the Linux sources and the series of 2019-06 and 2024-04 as published (behaviour only).
 */
#ifndef SIM_MACHINE_ITS_DESIGN_H
#define SIM_MACHINE_ITS_DESIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/machine/its.h"

/* Locks that a call took; SIM_ITS_LOCK_ITS around the others. */
#define SIM_ITS_LOCK_ITS  (1u << 0) /* the ITS's mutex: sleeps */
#define SIM_ITS_LOCK_LIST (1u << 1) /* the list's raw spinlock, one a VM */
#define SIM_ITS_LOCK_PUT  (1u << 2) /* the same lock once more, for the put after the use */
#define SIM_ITS_LOCK_TREE (1u << 3) /* the tree's own spinlock: changes only, one an ITS */

/**
 * struct sim_its_work - what one call did
 * @hit: a lookup that answered; a resolve whose walk answered
 * @rcu: in a read-side section
 * @locks: SIM_ITS_LOCK_*
 * @scanned: entries of the list that were looked at, under its lock
 * @moved: the entry found was not the first and moved to the front
 * @nodes: nodes of the tree that were visited
 * @refs: references taken and given up, each a change of a count in the LPI
 * @tables: table entries read in guest memory
 * @filled: an entry was made
 * @dropped: entries that were forgotten, one by one: evicted, replaced or invalidated
 * @generations: counters of the library's cache that were moved
 */
struct sim_its_work {
	bool hit;
	bool rcu;
	bool moved;
	bool filled;
	uint32_t locks;
	uint32_t scanned;
	uint32_t nodes;
	uint32_t refs;
	uint32_t tables;
	uint32_t generations;
	uint64_t dropped;
};

/** Totals of a design, from what its calls did. */
struct sim_its_design_stats {
	uint64_t lookups;
	uint64_t hits;
	uint64_t resolves;
	uint64_t fills;
	uint64_t invalidations; /* calls that were to forget something */
	uint64_t dropped;
	uint64_t resident;	/* entries held now that may hit */
	uint64_t resident_max;	/* `weir`: of those seen by sim_its_design_stats() */
	uint64_t refs_held;	/* on LPIs, now */
};

/**
 * struct sim_its_design_config - what the designs go by
 * @nvcpus: of the VM; the list has 16 entries for each
 * @capacity: entries of the list or of the cache; 0: as published: 16 a vCPU. The tree ignores it
 * @index: an enum weir_xlate_index, for `weir`
 * @device_stride: as in struct weir_xlate_config, for `weir`
 * @verify: each hit walks the tables too; the difference is counted
 */
struct sim_its_design_config {
	uint32_t nvcpus;
	uint32_t capacity;
	uint32_t index;
	uint32_t device_stride;
	bool verify;
};

struct sim_its_design;

enum sim_its_design_kind {
	SIM_ITS_NONE = 0,
	SIM_ITS_LIST2019,
	SIM_ITS_LIST2024,
	SIM_ITS_XARRAY2024,
	SIM_ITS_WEIR,
	SIM_ITS_DESIGNS
};

/* For sim_params_add_enum(): in the order of the enum, ending with NULL. */
extern const char *const sim_its_design_names[];

/** sim_its_design_summary() - one line */
const char *sim_its_design_summary(enum sim_its_design_kind kind);

/**
 * sim_its_design_create() - an empty one
 *
 * Return: NULL with @err set if nvcpus is 0, or the library refuses the shape.
 */
struct sim_its_design *sim_its_design_create(enum sim_its_design_kind kind,
					     const struct sim_its_design_config *cfg,
					     struct sim_error *err);

/** sim_its_design_destroy() - gives up all references (D5, asserted); NULL is fine */
void sim_its_design_destroy(struct sim_its_design *design);

enum sim_its_design_kind sim_its_design_kind(const struct sim_its_design *design);

/** sim_its_design_capacity() - entries it may hold; UINT64_MAX for no bound, 0 for `none` */
uint64_t sim_its_design_capacity(const struct sim_its_design *design);

/**
 * sim_its_design_lookup() - in atomic context
 * @route: filled in if it hits
 *
 * Return: whether it hit. What it did is sim_its_design_work().
 */
bool sim_its_design_lookup(struct sim_its_design *design, struct sim_its *its, uint32_t device_id,
			   uint32_t event_id, struct sim_its_route *route);

/** sim_its_design_resolve() - walk and remember, in a context that may sleep */
enum sim_its_code sim_its_design_resolve(struct sim_its_design *design, struct sim_its *its,
					 uint32_t device_id, uint32_t event_id,
					 struct sim_its_route *route);

/*
 * `weir`: resolve without the ITS's mutex, in two halves, while tables may change.
 * sim_its_design_lease() before the walk, which is the caller's sim_its_translate();
 * sim_its_design_fill() after one that answered. False: an invalidation that may concern the event
 * came between, and the answer is not to be used.
 */
struct weir_xlate_lease;
void sim_its_design_lease(struct sim_its_design *design, uint32_t device_id, uint32_t event_id,
			  struct weir_xlate_lease *lease);
bool sim_its_design_fill(struct sim_its_design *design, const struct weir_xlate_lease *lease,
			 const struct sim_its_route *route);

/** sim_its_design_cache() - the library's cache; NULL for the others */
struct sim_its_cache *sim_its_design_cache(const struct sim_its_design *design);

/** sim_its_design_invalidate() - from the ITS's invalidate hook */
void sim_its_design_invalidate(struct sim_its_design *design, struct sim_its *its,
			       const struct sim_its_inval *inval);

/**
 * sim_its_design_command() - from the ITS's command hook
 *
 * What the published caches forget and the ITS has no invalidation for: MOVALL.
 */
void sim_its_design_command(struct sim_its_design *design, struct sim_its *its,
			    const uint64_t cmd[4], enum sim_its_code code);

/** sim_its_design_translate() - lookup, else resolve; what they did is added up */
enum sim_its_code sim_its_design_translate(struct sim_its_design *design, struct sim_its *its,
					   uint32_t device_id, uint32_t event_id,
					   struct sim_its_route *route);

/** sim_its_design_work() - what the last call did */
const struct sim_its_work *sim_its_design_work(const struct sim_its_design *design);

/** sim_its_design_stats() - totals; for `weir` in time O(capacity) */
void sim_its_design_stats(struct sim_its_design *design, struct sim_its_design_stats *stats);

/** sim_its_design_wrong() - hits that differed from the tables (D1); 0 without `verify` */
uint64_t sim_its_design_wrong(const struct sim_its_design *design);

#endif
