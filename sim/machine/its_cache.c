// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_cache.c - the library's translation cache in front of an ITS. See its_cache.h.
 *
 * A route is a value: LPI 23:0, PE 39:24, collection 55:40.
 */
#include "sim/machine/its_cache.h"

#include <stdlib.h>

#include "sim/engine/param.h"

#define CACHE_ALIGN 64u

struct sim_its_cache {
	struct weir_xlate *xlate;
	bool verify;
	uint64_t wrong;
};

struct sim_its_cache *sim_its_cache_create(const struct weir_xlate_config *cfg, bool verify,
					   struct sim_error *err)
{
	struct weir_xlate_config full = *cfg;
	struct sim_its_cache *cache;
	enum weir_status status;
	size_t size, room;
	void *mem;

	full.flags |= WEIR_XLATE_F_COUNTERS;
	size = weir_xlate_size(&full);
	if (!size) {
		sim_error_set(err, "its: no cache of capacity %u, %u ways: refused by xlate",
			      cfg->capacity, cfg->ways);
		return NULL;
	}
	room = (size + CACHE_ALIGN - 1) / CACHE_ALIGN * CACHE_ALIGN;
	mem = aligned_alloc(CACHE_ALIGN, room);
	if (!mem)
		sim_out_of_memory(1, room, "a translation cache");
	cache = sim_alloc(1, sizeof(*cache), "a translation cache");
	status = weir_xlate_init(mem, size, &full, NULL, NULL, &cache->xlate);
	sim_assert(status == WEIR_OK && (void *)cache->xlate == mem);
	cache->verify = verify;
	return cache;
}

void sim_its_cache_destroy(struct sim_its_cache *cache)
{
	if (!cache)
		return;
	free(cache->xlate);
	free(cache);
}

static uint64_t pack(const struct sim_its_route *route)
{
	return route->intid | (uint64_t)route->pe << 24 | (uint64_t)route->icid << 40;
}

static struct sim_its_route unpack(uint64_t value)
{
	return (struct sim_its_route){
		.intid = (uint32_t)(value & 0xffffff),
		.pe = (uint32_t)(value >> 24 & 0xffff),
		.icid = (uint32_t)(value >> 40 & 0xffff),
		.doorbell = SIM_GIC_SPURIOUS,
	};
}

static bool as_the_tables(struct sim_its *its, uint32_t device_id, uint32_t event_id,
			  uint64_t value)
{
	struct sim_its_route walked;

	return sim_its_translate(its, device_id, event_id, &walked) == SIM_ITS_OK &&
	       !walked.is_virtual && pack(&walked) == value;
}

bool sim_its_cache_lookup(struct sim_its_cache *cache, struct sim_its *its, uint32_t device_id,
			  uint32_t event_id, struct sim_its_route *route)
{
	uint64_t value;

	if (!weir_xlate_lookup(cache->xlate, device_id, event_id, &value))
		return false;
	cache->wrong += cache->verify && !as_the_tables(its, device_id, event_id, value);
	*route = unpack(value);
	return true;
}

void sim_its_cache_lease(struct sim_its_cache *cache, uint32_t device_id, uint32_t event_id,
			 struct weir_xlate_lease *lease)
{
	weir_xlate_lease(cache->xlate, device_id, event_id, lease);
}

bool sim_its_cache_fill(struct sim_its_cache *cache, const struct weir_xlate_lease *lease,
			const struct sim_its_route *route)
{
	return weir_xlate_fill(cache->xlate, lease, route->icid, pack(route)) == WEIR_OK;
}

enum sim_its_code sim_its_cache_resolve(struct sim_its_cache *cache, struct sim_its *its,
					uint32_t device_id, uint32_t event_id,
					struct sim_its_route *route, bool *filled)
{
	struct weir_xlate_lease lease;
	enum sim_its_code code;

	sim_its_cache_lease(cache, device_id, event_id, &lease);
	code = sim_its_translate(its, device_id, event_id, route);
	/* A fill that is refused is no loss: the next interrupt walks again. */
	*filled = code == SIM_ITS_OK && !route->is_virtual &&
		  sim_its_cache_fill(cache, &lease, route);
	return code;
}

enum sim_its_code sim_its_cache_translate(void *ctx, struct sim_its *its, uint32_t device_id,
					  uint32_t event_id, struct sim_its_route *route)
{
	struct sim_its_cache *cache = ctx;
	bool filled;

	if (sim_its_cache_lookup(cache, its, device_id, event_id, route))
		return SIM_ITS_OK;
	return sim_its_cache_resolve(cache, its, device_id, event_id, route, &filled);
}

void sim_its_cache_invalidate(void *ctx, const struct sim_its_inval *inval)
{
	struct sim_its_cache *cache = ctx;

	switch (inval->scope) {
	case SIM_ITS_SCOPE_EVENT:
		weir_xlate_invalidate_event(cache->xlate, inval->device_id, inval->event_id);
		break;
	case SIM_ITS_SCOPE_DEVICE:
		weir_xlate_invalidate_device(cache->xlate, inval->device_id);
		break;
	case SIM_ITS_SCOPE_COLLECTION:
		weir_xlate_invalidate_tag(cache->xlate, inval->icid);
		break;
	case SIM_ITS_SCOPE_ALL:
		weir_xlate_invalidate_all(cache->xlate);
		break;
	}
}

struct weir_xlate *sim_its_cache_xlate(struct sim_its_cache *cache)
{
	return cache->xlate;
}

uint64_t sim_its_cache_wrong(const struct sim_its_cache *cache)
{
	return cache->wrong;
}

bool sim_its_cache_configure(const struct sim_params *params, struct weir_xlate_config *cfg)
{
	*cfg = (struct weir_xlate_config){
		.capacity = (uint32_t)sim_params_u64(params, "its.cache_capacity"),
		.index = sim_params_enum(params, "its.cache_index"),
	};
	return sim_params_bool(params, "its.cache");
}
