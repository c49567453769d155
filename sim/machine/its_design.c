// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_design.c - the calls of its_design.h, and the designs that need no file: `none` and `weir`.
 */
#include "sim/machine/its_design.h"

#include <stdlib.h>

#include "sim/machine/its_cache.h"
#include "sim/machine/its_design_internal.h"

#define PUBLISHED_ENTRIES_A_VCPU 16u

struct sim_its_design {
	enum sim_its_design_kind kind;
	bool verify;
	uint32_t capacity;
	struct design_list *list;
	struct design_tree *tree;
	struct sim_its_cache *cache;
	struct sim_its_work work;
	struct sim_its_design_stats stats;
	uint64_t wrong;
};

const char *const sim_its_design_names[] = { "none", "list2019", "list2024", "xarray2024", "weir",
					     NULL };

const char *sim_its_design_summary(enum sim_its_design_kind kind)
{
	static const char *const summaries[] = {
		[SIM_ITS_NONE] = "no cache: every interrupt walks the tables under the ITS's mutex",
		[SIM_ITS_LIST2019] = "Linux 5.4: a list of 16 entries a vCPU under one spinlock",
		[SIM_ITS_LIST2024] = "the same, with a reference and a second lock for each hit",
		[SIM_ITS_XARRAY2024] = "Linux 6.10: a radix tree under RCU, a reference a hit",
		[SIM_ITS_WEIR] = "the library's xlate",
	};

	return summaries[kind];
}

struct sim_its_design *sim_its_design_create(enum sim_its_design_kind kind,
					     const struct sim_its_design_config *cfg,
					     struct sim_error *err)
{
	const struct weir_xlate_config shape = {
		.capacity = cfg->capacity ? cfg->capacity : cfg->nvcpus * PUBLISHED_ENTRIES_A_VCPU,
		.index = cfg->index,
		.device_stride = cfg->device_stride,
	};
	struct sim_its_design *design;

	if (!shape.capacity || shape.capacity > WEIR_XLATE_CAPACITY_MAX) {
		sim_error_set(err, "its: a cache of %u entries: must be 1..%u", shape.capacity,
			      WEIR_XLATE_CAPACITY_MAX);
		return NULL;
	}
	design = sim_alloc(1, sizeof(*design), "a design of a translation cache");
	design->kind = kind;
	design->verify = cfg->verify;
	design->capacity = shape.capacity;
	if (kind == SIM_ITS_LIST2019 || kind == SIM_ITS_LIST2024)
		design->list = design_list_create(shape.capacity, kind == SIM_ITS_LIST2024);
	if (kind == SIM_ITS_XARRAY2024)
		design->tree = design_tree_create();
	if (kind == SIM_ITS_WEIR) {
		design->cache = sim_its_cache_create(&shape, cfg->verify, err);
		if (!design->cache) {
			free(design);
			return NULL;
		}
	}
	return design;
}

static uint64_t resident(const struct sim_its_design *design)
{
	if (design->list)
		return design_list_used(design->list);
	if (design->tree)
		return design_tree_used(design->tree);
	if (design->cache)
		return weir_xlate_residency(sim_its_cache_xlate(design->cache));
	return 0;
}

/* What a call did, added to the totals. */
static void account(struct sim_its_design *design)
{
	const struct sim_its_work *work = &design->work;

	design->stats.fills += work->filled;
	design->stats.dropped += work->dropped;
	if (design->cache)
		return;
	design->stats.resident += work->filled;
	design->stats.resident -= work->dropped;
	if (design->stats.resident > design->stats.resident_max)
		design->stats.resident_max = design->stats.resident;
	sim_assert(design->stats.resident == resident(design));
}

void sim_its_design_destroy(struct sim_its_design *design)
{
	if (!design)
		return;
	design->work = (struct sim_its_work){ .hit = false };
	if (design->list)
		design_list_drop(design->list, &design->work);
	if (design->tree)
		design_tree_drop(design->tree, &design->work);
	account(design);
	sim_assert(design->cache || !design->stats.resident);
	design_list_destroy(design->list);
	design_tree_destroy(design->tree);
	sim_its_cache_destroy(design->cache);
	free(design);
}

enum sim_its_design_kind sim_its_design_kind(const struct sim_its_design *design)
{
	return design->kind;
}

uint64_t sim_its_design_capacity(const struct sim_its_design *design)
{
	if (design->tree)
		return UINT64_MAX;
	return design->kind == SIM_ITS_NONE ? 0 : design->capacity;
}

static bool is_as_walked(struct sim_its *its, uint32_t device_id, uint32_t event_id,
			 const struct sim_its_route *route)
{
	struct sim_its_route walked;

	return sim_its_translate(its, device_id, event_id, &walked) == SIM_ITS_OK &&
	       !walked.is_virtual && walked.intid == route->intid && walked.pe == route->pe &&
	       walked.icid == route->icid;
}

/* A hit of a published cache: the PE is where the collection is now. */
static bool follow(struct sim_its_design *design, struct sim_its *its, uint32_t device_id,
		   uint32_t event_id, const struct design_target *target,
		   struct sim_its_route *route)
{
	*route = (struct sim_its_route){
		.intid = target->intid,
		.icid = target->icid,
		.doorbell = SIM_GIC_SPURIOUS,
	};
	if (its_find_pe(its, target->icid, &route->pe) != SIM_ITS_OK)
		return false;
	design->wrong += design->verify && !is_as_walked(its, device_id, event_id, route);
	return true;
}

static bool look(struct sim_its_design *design, struct sim_its *its, uint32_t device_id,
		 uint32_t event_id, struct sim_its_route *route)
{
	struct design_target target = { 0, 0 };
	bool found = false;

	if (design->cache) {
		design->work.rcu = true;
		return sim_its_cache_lookup(design->cache, its, device_id, event_id, route);
	}
	if (design->list)
		found = design_list_find(design->list, its, device_id, event_id, &target,
					 &design->work);
	if (design->tree)
		found = design_tree_find(design->tree, device_id, event_id, &target, &design->work);
	return found && follow(design, its, device_id, event_id, &target, route);
}

static bool lookup(struct sim_its_design *design, struct sim_its *its, uint32_t device_id,
		   uint32_t event_id, struct sim_its_route *route)
{
	bool hit = look(design, its, device_id, event_id, route);

	design->work.hit = hit;
	design->stats.lookups++;
	design->stats.hits += hit;
	return hit;
}

/* Table entries that a walk with this answer has read: device, event, collection. */
static uint32_t tables_read(enum sim_its_code code)
{
	switch (code) {
	case SIM_ITS_DISABLED:
		return 0;
	case SIM_ITS_DEVICE_OOR:
	case SIM_ITS_UNMAPPED_DEVICE:
	case SIM_ITS_ID_OOR:
		return 1;
	case SIM_ITS_UNMAPPED_INTERRUPT:
		return 2;
	default:
		return 3;
	}
}

static enum sim_its_code resolve(struct sim_its_design *design, struct sim_its *its,
				 uint32_t device_id, uint32_t event_id,
				 struct sim_its_route *route)
{
	struct sim_its_work *work = &design->work;
	struct design_target target;
	enum sim_its_code code;

	work->locks |= SIM_ITS_LOCK_ITS;
	if (design->cache)
		code = sim_its_cache_resolve(design->cache, its, device_id, event_id, route,
					     &work->filled);
	else
		code = sim_its_translate(its, device_id, event_id, route);
	work->tables += tables_read(code);
	work->hit = code == SIM_ITS_OK;
	design->stats.resolves++;
	if (code || route->is_virtual)
		return code;
	target = (struct design_target){ .intid = route->intid, .icid = route->icid };
	if (design->list)
		design_list_fill(design->list, its, device_id, event_id, &target, work);
	if (design->tree)
		design_tree_fill(design->tree, device_id, event_id, &target, work);
	return SIM_ITS_OK;
}

bool sim_its_design_lookup(struct sim_its_design *design, struct sim_its *its, uint32_t device_id,
			   uint32_t event_id, struct sim_its_route *route)
{
	bool hit;

	design->work = (struct sim_its_work){ .hit = false };
	hit = lookup(design, its, device_id, event_id, route);
	account(design);
	return hit;
}

enum sim_its_code sim_its_design_resolve(struct sim_its_design *design, struct sim_its *its,
					 uint32_t device_id, uint32_t event_id,
					 struct sim_its_route *route)
{
	enum sim_its_code code;

	design->work = (struct sim_its_work){ .hit = false };
	code = resolve(design, its, device_id, event_id, route);
	account(design);
	return code;
}

void sim_its_design_lease(struct sim_its_design *design, uint32_t device_id, uint32_t event_id,
			  struct weir_xlate_lease *lease)
{
	design->stats.resolves++;
	sim_its_cache_lease(design->cache, device_id, event_id, lease);
}

bool sim_its_design_fill(struct sim_its_design *design, const struct weir_xlate_lease *lease,
			 const struct sim_its_route *route)
{
	bool filled = sim_its_cache_fill(design->cache, lease, route);

	design->work = (struct sim_its_work){ .hit = filled, .filled = filled };
	account(design);
	return filled;
}

struct sim_its_cache *sim_its_design_cache(const struct sim_its_design *design)
{
	return design->cache;
}

enum sim_its_code sim_its_design_translate(struct sim_its_design *design, struct sim_its *its,
					   uint32_t device_id, uint32_t event_id,
					   struct sim_its_route *route)
{
	enum sim_its_code code = SIM_ITS_OK;

	design->work = (struct sim_its_work){ .hit = false };
	if (!lookup(design, its, device_id, event_id, route))
		code = resolve(design, its, device_id, event_id, route);
	account(design);
	return code;
}

static void drop_all(struct sim_its_design *design)
{
	design->stats.invalidations++;
	if (design->list)
		design_list_drop(design->list, &design->work);
	if (design->tree)
		design_tree_drop(design->tree, &design->work);
}

/* Counters that the library moves: an event's set, a device, a tag's epoch and generation, all. */
static void weir_invalidate(struct sim_its_design *design, const struct sim_its_inval *inval)
{
	design->stats.invalidations++;
	design->work.generations = inval->scope == SIM_ITS_SCOPE_COLLECTION ? 2 : 1;
	sim_its_cache_invalidate(design->cache, inval);
}

void sim_its_design_invalidate(struct sim_its_design *design, struct sim_its *its,
			       const struct sim_its_inval *inval)
{
	uint32_t pe;

	design->work = (struct sim_its_work){ .hit = false };
	if (design->cache)
		weir_invalidate(design, inval);
	else if (design->kind != SIM_ITS_NONE &&
		 !(inval->scope == SIM_ITS_SCOPE_COLLECTION &&
		   its_find_pe(its, inval->icid, &pe) == SIM_ITS_OK))
		drop_all(design);
	account(design);
}

void sim_its_design_command(struct sim_its_design *design, struct sim_its *its,
			    const uint64_t cmd[4], enum sim_its_code code)
{
	(void)its;
	design->work = (struct sim_its_work){ .hit = false };
	if (!code && (cmd[0] & 0xff) == SIM_ITS_MOVALL && (design->list || design->tree))
		drop_all(design);
	account(design);
}

const struct sim_its_work *sim_its_design_work(const struct sim_its_design *design)
{
	return &design->work;
}

void sim_its_design_stats(struct sim_its_design *design, struct sim_its_design_stats *stats)
{
	if (design->cache) {
		design->stats.resident = resident(design);
		if (design->stats.resident > design->stats.resident_max)
			design->stats.resident_max = design->stats.resident;
	}
	design->stats.refs_held = design->cache ? 0 : design->stats.resident;
	*stats = design->stats;
}

uint64_t sim_its_design_wrong(const struct sim_its_design *design)
{
	return design->wrong + (design->cache ? sim_its_cache_wrong(design->cache) : 0);
}
