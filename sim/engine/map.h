/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/engine/map.h - a map from 64-bit numbers to 32-bit ones.
 *
 * Keys are never taken out; nothing iterates, so that no order can depend on the hash. Open
 * addressing, at most half full. One thread owns a map. Cost: a multiplication and a probe or two.
 */
#ifndef SIM_ENGINE_MAP_H
#define SIM_ENGINE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_map_slot {
	uint64_t key;
	uint32_t value;
	bool used;
};

/** Zeroed is empty; sim_map_fini() gives back what it holds. */
struct sim_map {
	struct sim_map_slot *slots;
	size_t nslots; /* a power of two, or 0 */
	size_t n;
};

void sim_map_fini(struct sim_map *map);

/** sim_map_get() - false, with @value untouched, if the key is not there */
bool sim_map_get(const struct sim_map *map, uint64_t key, uint32_t *value);

/** sim_map_set() - enter a key, or give it another value */
void sim_map_set(struct sim_map *map, uint64_t key, uint32_t value);

#endif
