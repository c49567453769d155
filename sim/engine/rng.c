// SPDX-License-Identifier: BSD-2-Clause
/*
 * sim/engine/rng.c - streams: Philox4x32-10 over (key, lane, block).
 *
 * A block of the cipher's output is 128 bits, two draws. Bounded draws use Lemire's multiplication
 * ("Fast random integer generation in an interval", 2019): the product's high half is the result,
 * and the few low halves that would favour some results are drawn again.
 */
#include "sim/engine/rng.h"

#include <stdlib.h>
#include <string.h>

#include <Random123/philox.h>
#include <xxhash.h>

#include "sim/engine/error.h"
#include "sim/engine/wide.h"

/* A redraw is at most as likely as not: this many in a row happen once in 2^128 calls. */
enum { REDRAWS_MAX = 128 };

static void put_le64(unsigned char *bytes, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(value >> (8 * i));
}

void sim_rng_init(struct sim_rng *rng, uint64_t seed, uint64_t run, const char *component)
{
	const size_t len = strlen(component);
	unsigned char *name = sim_alloc(16 + len, 1, "random stream");
	XXH128_hash_t id;

	put_le64(name, seed);
	put_le64(name + 8, run);
	memcpy(name + 16, component, len);
	id = XXH3_128bits(name, 16 + len);
	free(name);
	*rng = (struct sim_rng){ .key = id.low64, .lane = id.high64 };
}

uint64_t sim_rng_u64(struct sim_rng *rng)
{
	philox4x32_ctr_t counter;
	philox4x32_key_t key;

	if (rng->has_spare) {
		rng->has_spare = false;
		return rng->spare;
	}
	counter.v[0] = (uint32_t)rng->block;
	counter.v[1] = (uint32_t)(rng->block >> 32);
	counter.v[2] = (uint32_t)rng->lane;
	counter.v[3] = (uint32_t)(rng->lane >> 32);
	key.v[0] = (uint32_t)rng->key;
	key.v[1] = (uint32_t)(rng->key >> 32);
	counter = philox4x32_R(10, counter, key);
	rng->block++;
	rng->spare = (uint64_t)counter.v[3] << 32 | counter.v[2];
	rng->has_spare = true;
	return (uint64_t)counter.v[1] << 32 | counter.v[0];
}

uint64_t sim_rng_below(struct sim_rng *rng, uint64_t n)
{
	sim_u128 product;
	uint64_t unfair;

	sim_assert(n);
	product = (sim_u128)sim_rng_u64(rng) * n;
	if ((uint64_t)product >= n)
		return (uint64_t)(product >> 64);
	unfair = -n % n; /* 2^64 mod n */
	for (int i = 0; i < REDRAWS_MAX && (uint64_t)product < unfair; i++)
		product = (sim_u128)sim_rng_u64(rng) * n;
	return (uint64_t)(product >> 64);
}

uint64_t sim_rng_between(struct sim_rng *rng, uint64_t first, uint64_t last)
{
	sim_assert(first <= last);
	if (last - first == UINT64_MAX)
		return sim_rng_u64(rng);
	return first + sim_rng_below(rng, last - first + 1);
}

bool sim_rng_chance(struct sim_rng *rng, uint64_t num, uint64_t den)
{
	return sim_rng_below(rng, den) < num;
}
