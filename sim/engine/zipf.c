// SPDX-License-Identifier: BSD-2-Clause
/*
 * sim/engine/zipf.c - the Zipf sampler of rng.h: integer weights, and a short table to draw by.
 *
 * Rank r weighs floor(2^scale_bits * k^-theta) with k = r + 1. Ranks are cut into segments: one
 * rank each up to k = 127, then k / 64 ranks each. A segment stands in the table with (its ranks) *
 * (the weight of its first rank), which is a little too much. A draw x below the table's total
 * names a segment and, divided by that first weight, a rank in it; the remainder, uniform below the
 * first weight, accepts the rank if it is below the rank's own weight, and otherwise x is drawn
 * again. So each rank comes with exactly its weight over the sum of all weights.
 *
 * Invariants:
 *   I1  Weights do not increase with the rank. A remainder below the segment's last weight
 *       therefore accepts any rank of it, and the power is computed only for the others, about one
 *       draw in 64 (times theta).
 *   I2  The table's total is below 2^TOTAL_BITS, so that sim_rng_below() redraws less than one
 *       draw in 256.
 *   I3  Powers are exact where they are powers of two, and else within 2^-50 of the value.
 *
 * The power is 2^(-theta * log2 k). The logarithm comes bit by bit, by squaring (Knuth, TAOCP 1,
 * 1.2.2, exercise 25 ff.); the exponential is a product of the constants 2^(2^-i).
 */
#include "sim/engine/rng.h"

#include <stdlib.h>

#include "sim/engine/error.h"
#include "sim/engine/wide.h"

enum {
	LOG_BITS = 56,	   /* fraction bits of a logarithm */
	POWER_BITS = 62,   /* fraction bits of a power, before it is scaled */
	TOTAL_BITS = 56,
	SEGMENT_SHIFT = 6, /* a segment has k >> SEGMENT_SHIFT ranks */
	REDRAWS_MAX = 256  /* a redraw has a chance below 1/8: never reached */
};

struct sim_zipf_segment {
	uint64_t start; /* sum of the table weights of those before it */
	uint64_t first; /* rank */
	uint64_t weight_first;
	uint64_t weight_last;
};

/* 2^(2^-i) for i = 1 .. LOG_BITS, with 63 fraction bits, rounded to nearest. */
static const uint64_t root_of_two[LOG_BITS] = {
	UINT64_C(0xb504f333f9de6484), UINT64_C(0x9837f0518db8a96f), UINT64_C(0x8b95c1e3ea8bd6e7),
	UINT64_C(0x85aac367cc487b15), UINT64_C(0x82cd8698ac2ba1d7), UINT64_C(0x8164d1f3bc030773),
	UINT64_C(0x80b1ed4fd999ab6c), UINT64_C(0x8058d7d2d5e5f6b1), UINT64_C(0x802c6436d0e04f51),
	UINT64_C(0x8016302f17467628), UINT64_C(0x800b179c82028fd1), UINT64_C(0x80058baf7fee3b5d),
	UINT64_C(0x8002c5d00fdcfcb7), UINT64_C(0x800162e61bed4a49), UINT64_C(0x8000b17292f702a4),
	UINT64_C(0x800058b92abbae02), UINT64_C(0x80002c5c8dade4d7), UINT64_C(0x8000162e44eaf636),
	UINT64_C(0x80000b1721fa7c19), UINT64_C(0x8000058b90de7e4d), UINT64_C(0x800002c5c8678f37),
	UINT64_C(0x80000162e431dba0), UINT64_C(0x800000b1721872d1), UINT64_C(0x80000058b90c1aa9),
	UINT64_C(0x8000002c5c8605a4), UINT64_C(0x800000162e4300e6), UINT64_C(0x8000000b17217ff8),
	UINT64_C(0x800000058b90bfdd), UINT64_C(0x80000002c5c85fe7), UINT64_C(0x8000000162e42ff2),
	UINT64_C(0x80000000b17217f8), UINT64_C(0x8000000058b90bfc), UINT64_C(0x800000002c5c85fe),
	UINT64_C(0x80000000162e42ff), UINT64_C(0x800000000b17217f), UINT64_C(0x80000000058b90c0),
	UINT64_C(0x8000000002c5c860), UINT64_C(0x800000000162e430), UINT64_C(0x8000000000b17218),
	UINT64_C(0x800000000058b90c), UINT64_C(0x80000000002c5c86), UINT64_C(0x8000000000162e43),
	UINT64_C(0x80000000000b1721), UINT64_C(0x8000000000058b91), UINT64_C(0x800000000002c5c8),
	UINT64_C(0x80000000000162e4), UINT64_C(0x800000000000b172), UINT64_C(0x80000000000058b9),
	UINT64_C(0x8000000000002c5d), UINT64_C(0x800000000000162e), UINT64_C(0x8000000000000b17),
	UINT64_C(0x800000000000058c), UINT64_C(0x80000000000002c6), UINT64_C(0x8000000000000163),
	UINT64_C(0x80000000000000b1), UINT64_C(0x8000000000000059),
};

/* log2 of k, which is not 0, with LOG_BITS fraction bits. */
static uint64_t log2_fixed(uint64_t k)
{
	const unsigned int whole = 63 - (unsigned int)__builtin_clzll(k);
	uint64_t m = k << (63 - whole); /* 1 <= m < 2, 63 fraction bits */
	uint64_t log = whole;

	for (int i = 0; i < LOG_BITS; i++) {
		const sim_u128 square = (sim_u128)m * m; /* 126 fraction bits, 1 <= square < 4 */
		const unsigned int bit = (unsigned int)(square >> 127);

		m = (uint64_t)(square >> (63 + bit));
		log = log << 1 | bit;
	}
	return log;
}

/* 2^-y for y with LOG_BITS fraction bits; the result has POWER_BITS. */
static uint64_t exp2_negative_fixed(sim_u128 y)
{
	const uint64_t one = UINT64_C(1) << LOG_BITS;
	const uint64_t fraction = (uint64_t)y & (one - 1);
	const sim_u128 up = (y >> LOG_BITS) + (fraction != 0); /* 2^-y = 2^(up - y) / 2^up */
	const uint64_t rest = fraction ? one - fraction : 0;
	uint64_t power = UINT64_C(1) << 63;

	for (int i = 0; i < LOG_BITS; i++)
		if (rest >> (LOG_BITS - 1 - i) & 1)
			power = (uint64_t)((sim_u128)power * root_of_two[i] >> 63);
	return up > 63 ? 0 : power >> 1 >> (unsigned int)up;
}

/* k^-theta with POWER_BITS fraction bits. */
static uint64_t power_fixed(uint64_t k, uint32_t theta_milli)
{
	return exp2_negative_fixed((sim_u128)log2_fixed(k) * theta_milli / 1000);
}

uint64_t sim_zipf_weight(const struct sim_zipf *zipf, uint64_t rank)
{
	sim_assert(rank < zipf->n);
	return power_fixed(rank + 1, zipf->theta_milli) >> (POWER_BITS - zipf->scale_bits);
}

/* How many ranks a segment that starts at @first has. */
static uint64_t segment_ranks(const struct sim_zipf *zipf, uint64_t first)
{
	uint64_t ranks = (first + 1) >> SEGMENT_SHIFT;

	if (!ranks)
		ranks = 1;
	return ranks < zipf->n - first ? ranks : zipf->n - first;
}

/* The largest scale that keeps I2. */
static void choose_scale(struct sim_zipf *zipf)
{
	sim_u128 total = 0;

	for (uint64_t first = 0; first < zipf->n; first += segment_ranks(zipf, first)) {
		total += (sim_u128)power_fixed(first + 1, zipf->theta_milli) *
			 segment_ranks(zipf, first);
		zipf->nsegments++;
	}
	zipf->scale_bits = POWER_BITS;
	while (total >> TOTAL_BITS) {
		total >>= 1;
		zipf->scale_bits--;
	}
}

void sim_zipf_init(struct sim_zipf *zipf, uint64_t n, uint32_t theta_milli)
{
	struct sim_zipf_segment *segment;
	uint64_t ranks;

	sim_assert(n && n <= SIM_ZIPF_N_MAX);
	sim_assert(theta_milli <= SIM_ZIPF_THETA_MILLI_MAX);
	*zipf = (struct sim_zipf){ .n = n, .theta_milli = theta_milli };
	choose_scale(zipf);
	zipf->segments = sim_alloc(zipf->nsegments, sizeof(*segment), "Zipf table");
	segment = zipf->segments;
	for (uint64_t first = 0; first < n; first += ranks) {
		ranks = segment_ranks(zipf, first);
		segment->start = zipf->total;
		segment->first = first;
		segment->weight_first = sim_zipf_weight(zipf, first);
		segment->weight_last = sim_zipf_weight(zipf, first + ranks - 1);
		zipf->total += ranks * segment->weight_first;
		segment++;
	}
	sim_assert(zipf->total && !(zipf->total >> TOTAL_BITS));
}

void sim_zipf_fini(struct sim_zipf *zipf)
{
	free(zipf->segments);
	*zipf = (struct sim_zipf){ 0 };
}

/* The last segment that starts at or before x. */
static const struct sim_zipf_segment *find_segment(const struct sim_zipf *zipf, uint64_t x)
{
	const struct sim_zipf_segment *base = zipf->segments;
	uint32_t count = zipf->nsegments;

	while (count > 1) {
		const uint32_t half = count / 2;

		base += base[half].start <= x ? half : 0;
		count -= half;
	}
	return base;
}

uint64_t sim_zipf_next(const struct sim_zipf *zipf, struct sim_rng *rng)
{
	const struct sim_zipf_segment *segment;
	uint64_t rank = 0;

	for (int i = 0; i < REDRAWS_MAX; i++) {
		const uint64_t x = sim_rng_below(rng, zipf->total);
		uint64_t rest;

		segment = find_segment(zipf, x);
		rank = segment->first + (x - segment->start) / segment->weight_first;
		rest = (x - segment->start) % segment->weight_first;
		if (rest < segment->weight_last || rest < sim_zipf_weight(zipf, rank))
			break;
	}
	return rank;
}
