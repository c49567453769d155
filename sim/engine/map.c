// SPDX-License-Identifier: BSD-2-Clause
/*
 * sim/engine/map.c - see map.h.
 */
#include "sim/engine/map.h"

#include <stdlib.h>

#include "sim/engine/error.h"

#define NSLOTS_MIN 64u

/* The slot of a key, or the free one where it would go. There is always a free one. */
static struct sim_map_slot *find(const struct sim_map *map, uint64_t key)
{
	uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(hash ^ hash >> 32) & (map->nslots - 1);

	while (map->slots[i].used && map->slots[i].key != key)
		i = (i + 1) & (map->nslots - 1);
	return &map->slots[i];
}

static void grow(struct sim_map *map)
{
	struct sim_map bigger = { .nslots = map->nslots ? 2 * map->nslots : NSLOTS_MIN,
				  .n = map->n };

	bigger.slots = sim_alloc(bigger.nslots, sizeof(*bigger.slots), "a map");
	for (size_t i = 0; i < map->nslots; i++)
		if (map->slots[i].used)
			*find(&bigger, map->slots[i].key) = map->slots[i];
	free(map->slots);
	*map = bigger;
}

void sim_map_fini(struct sim_map *map)
{
	free(map->slots);
	*map = (struct sim_map){ .n = 0 };
}

bool sim_map_get(const struct sim_map *map, uint64_t key, uint32_t *value)
{
	const struct sim_map_slot *slot = map->nslots ? find(map, key) : NULL;

	if (!slot || !slot->used)
		return false;
	*value = slot->value;
	return true;
}

void sim_map_set(struct sim_map *map, uint64_t key, uint32_t value)
{
	struct sim_map_slot *slot;

	if (2 * (map->n + 1) > map->nslots)
		grow(map);
	slot = find(map, key);
	map->n += !slot->used;
	*slot = (struct sim_map_slot){ .key = key, .value = value, .used = true };
}
