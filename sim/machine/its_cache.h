/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine/its_cache.h - the library's translation cache in front of an ITS.
 *
 * One cache an ITS, hung into its hooks. A device's interrupt is looked up; a miss takes a lease,
 * walks the tables and fills. Invalidations of the ITS become those of the cache, a collection
 * being a tag. What must not be remembered is not: errors, a disabled ITS or redistributor, virtual
 * interrupts.
 *
 * With `verify` each hit is held against the tables: the checker of transparency.
 *
 * Concurrency: as the ITS.
 */
#ifndef SIM_MACHINE_ITS_CACHE_H
#define SIM_MACHINE_ITS_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/machine/its.h"
#include "weir/xlate.h"

struct sim_its_cache;

/**
 * sim_its_cache_create() - an empty cache
 * @cfg: its shape; counters are always kept
 * @verify: walk the tables at each hit too
 *
 * Return: NULL with @err set if the library refuses the shape.
 */
struct sim_its_cache *sim_its_cache_create(const struct weir_xlate_config *cfg, bool verify,
					   struct sim_error *err);
void sim_its_cache_destroy(struct sim_its_cache *cache);

/**
 * sim_its_cache_translate(), sim_its_cache_invalidate() - for sim_its_hooks; ctx is the cache
 *
 * An owner that has hooks of its own calls them from there.
 */
enum sim_its_code sim_its_cache_translate(void *ctx, struct sim_its *its, uint32_t device_id,
					  uint32_t event_id, struct sim_its_route *route);
void sim_its_cache_invalidate(void *ctx, const struct sim_its_inval *inval);

/** sim_its_cache_lookup() - the first half of translate: whether it is remembered */
bool sim_its_cache_lookup(struct sim_its_cache *cache, struct sim_its *its, uint32_t device_id,
			  uint32_t event_id, struct sim_its_route *route);

/** sim_its_cache_resolve() - the other: lease, walk, fill; @filled: whether it is remembered now */
enum sim_its_code sim_its_cache_resolve(struct sim_its_cache *cache, struct sim_its *its,
					uint32_t device_id, uint32_t event_id,
					struct sim_its_route *route, bool *filled);

/*
 * Resolve in two halves, for a walk during which tables may change: sim_its_cache_lease() before
 * the tables are read, sim_its_cache_fill() after. False: an invalidation that may concern the
 * event came between, and the walk is to be done again.
 */
void sim_its_cache_lease(struct sim_its_cache *cache, uint32_t device_id, uint32_t event_id,
			 struct weir_xlate_lease *lease);
bool sim_its_cache_fill(struct sim_its_cache *cache, const struct weir_xlate_lease *lease,
			const struct sim_its_route *route);

/** sim_its_cache_xlate() - the library's object, for its statistics */
struct weir_xlate *sim_its_cache_xlate(struct sim_its_cache *cache);

/** sim_its_cache_wrong() - hits that differed from the tables; always 0 without `verify` */
uint64_t sim_its_cache_wrong(const struct sim_its_cache *cache);

/**
 * sim_its_cache_configure() - the shape that parameters ask for
 *
 * Return: false if its.cache is off.
 */
bool sim_its_cache_configure(const struct sim_params *params, struct weir_xlate_config *cfg);

#endif
