/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/engine/rng.h - random streams that do not disturb one another, and a Zipf sampler, in
 * integers.
 *
 * A stream is a function of (seed, run, component name) and the index of the draw: Philox4x32-10
 * (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC'11), whose key and upper
 * counter half are the XXH3-128 of the three. Adding a component, or drawing more in one,
 * therefore changes no other stream. `run` gives independent replications of one seed.
 *
 * No floating point and no libm, so that every host draws the same. One thread owns a stream; a
 * stream is a plain value and may be copied (the copy repeats what the original will draw).
 *
 * A trap for callers: C leaves open in which order arguments (and initialisers) are evaluated, and
 * gcc on x86-64 does otherwise than clang and than itself on aarch64. Never draw twice in one
 * expression: name the draws, one statement each.
 *
 * Cost: one Philox block, about 12 ns, every second draw.
 */
#ifndef SIM_ENGINE_RNG_H
#define SIM_ENGINE_RNG_H

#include <stdbool.h>
#include <stdint.h>

/** A stream; treat as opaque. */
struct sim_rng {
	uint64_t key;
	uint64_t lane;  /* upper half of the counter: which stream */
	uint64_t block; /* lower half of the counter: the next block */
	uint64_t spare; /* second half of the block drawn last */
	bool has_spare;
};

/**
 * sim_rng_init() - the stream of a component
 * @seed: the run's seed
 * @run: the replication, 0 for the first
 * @component: its name, such as "guest.vcpu0"; equal names draw equal numbers
 */
void sim_rng_init(struct sim_rng *rng, uint64_t seed, uint64_t run, const char *component);

/** sim_rng_u64() - 64 random bits */
uint64_t sim_rng_u64(struct sim_rng *rng);

/** sim_rng_below() - uniform in 0..n-1, unbiased; @n is not 0 */
uint64_t sim_rng_below(struct sim_rng *rng, uint64_t n);

/** sim_rng_between() - uniform in first..last, both inclusive */
uint64_t sim_rng_between(struct sim_rng *rng, uint64_t first, uint64_t last);

/** sim_rng_chance() - true with probability num/den; @den is not 0; num >= den is always true */
bool sim_rng_chance(struct sim_rng *rng, uint64_t num, uint64_t den);

/** Ranks that a sampler may have: 2^40, 4 PiB of 4 KiB pages. */
#define SIM_ZIPF_N_MAX (UINT64_C(1) << 40)
#define SIM_ZIPF_THETA_MILLI_MAX UINT32_C(8000)

struct sim_zipf_segment;

/**
 * Draws rank r of 0..n-1 with probability proportional to (r + 1)^-theta. The first ranks have a
 * table entry each; later ones share segments whose ranks differ in weight by less than a percent,
 * settled by rejection, so that memory and set-up grow with log n and the result is not
 * approximate: each rank's probability is its integer weight over their sum.
 */
struct sim_zipf {
	uint64_t n;
	uint32_t theta_milli;
	uint32_t scale_bits; /* weight of rank 0 is 2^scale_bits */
	uint64_t total;	     /* sum of the segments' weights */
	uint32_t nsegments;
	struct sim_zipf_segment *segments;
};

/**
 * sim_zipf_init() - prepare a sampler
 * @n: ranks, 1..SIM_ZIPF_N_MAX
 * @theta_milli: the exponent in thousandths, 0 (uniform)..SIM_ZIPF_THETA_MILLI_MAX; 990 is YCSB's
 *
 * Free with sim_zipf_fini(). One sampler serves any number of streams.
 */
void sim_zipf_init(struct sim_zipf *zipf, uint64_t n, uint32_t theta_milli);
void sim_zipf_fini(struct sim_zipf *zipf);

/** sim_zipf_next() - draw a rank, 0 the likeliest */
uint64_t sim_zipf_next(const struct sim_zipf *zipf, struct sim_rng *rng);

/** sim_zipf_weight() - weight of a rank: 2^scale_bits * (rank + 1)^-theta as an integer */
uint64_t sim_zipf_weight(const struct sim_zipf *zipf, uint64_t rank);

#endif
