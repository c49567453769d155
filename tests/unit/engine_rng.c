// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: the published generator, in streams that do not disturb one another; bounded draws without
 * bias; Zipf draws by weights that are right.
 * Method: Random123's known answers; streams drawn in turns and alone; chi-square against the exact
 * distribution (seeds are fixed, so that the verdict is too); weights against rational values: 1/k
 * for theta 1, 1/k^2 for theta 2, 1/j at k = j^2 for theta 1/2.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "sim/engine/rng.h"
#include "sim/engine/wide.h"

/* "philox4x32 10" of Random123's kat_vectors: counter, key, expected. */
static const uint32_t known[][10] = {
	{ 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000,
	  0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 },
	{ 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
	  0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd },
	{ 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0,
	  0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 },
};

static uint64_t pair(const uint32_t *words)
{
	return (uint64_t)words[1] << 32 | words[0];
}

static void test_known_answers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct sim_rng rng = {
			.block = pair(known[i]),
			.lane = pair(known[i] + 2),
			.key = pair(known[i] + 4),
		};

		assert_int_equal(sim_rng_u64(&rng), pair(known[i] + 6));
		assert_int_equal(sim_rng_u64(&rng), pair(known[i] + 8));
		assert_int_equal(rng.block, pair(known[i]) + 1);
	}
}

static void test_streams_are_independent(void **state)
{
	struct sim_rng a, b, alone;

	(void)state;
	sim_rng_init(&a, 7, 0, "guest.vcpu0");
	sim_rng_init(&b, 7, 0, "guest.vcpu1");
	sim_rng_init(&alone, 7, 0, "guest.vcpu0");
	for (int i = 0; i < 1000; i++) {
		const uint64_t draw = sim_rng_u64(&a);

		for (int j = 0; j < i % 4; j++)
			sim_rng_u64(&b);
		assert_int_equal(draw, sim_rng_u64(&alone));
	}
}

static void test_each_part_selects_a_stream(void **state)
{
	static const struct {
		uint64_t seed;
		uint64_t run;
		const char *component;
	} ids[] = {
		{ 0, 0, "" }, { 1, 0, "" }, { 0, 1, "" }, { 0, 0, "a" }, { 0, 0, "b" },
		{ 0, 0, "ab" }, { UINT64_MAX, 0, "a" }, { 0, UINT64_MAX, "a" }, { 256, 0, "a" },
	};
	uint64_t first[sizeof(ids) / sizeof(ids[0])];

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		struct sim_rng rng;

		sim_rng_init(&rng, ids[i].seed, ids[i].run, ids[i].component);
		first[i] = sim_rng_u64(&rng);
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(first[i], first[j]);
	}
}

/* Chi-square of counts against weights / total; the caller knows the threshold. */
static double chi_square(const uint64_t *counts, const double *weights, size_t n, uint64_t draws)
{
	double total = 0;
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		total += weights[i];
	for (size_t i = 0; i < n; i++) {
		const double expected = (double)draws * weights[i] / total;
		const double off = (double)counts[i] - expected;

		sum += off * off / expected;
	}
	return sum;
}

static void test_below_is_uniform(void **state)
{
	enum { N = 10, DRAWS = 100000 };
	uint64_t counts[N] = { 0 };
	double weights[N];
	struct sim_rng rng;

	(void)state;
	sim_rng_init(&rng, 1, 0, "below");
	for (int i = 0; i < N; i++)
		weights[i] = 1;
	for (int i = 0; i < DRAWS; i++)
		counts[sim_rng_below(&rng, N)]++;
	/* 9 degrees of freedom: 27.88 at 0.1 %. */
	assert_true(chi_square(counts, weights, N, DRAWS) < 27.88);
}

/*
 * n = 3 * 2^62: without redraws the multiplication gives multiples of 3 twice the chance of others.
 * The plain method would make them one half of all draws instead of a third.
 */
static void test_below_has_no_bias(void **state)
{
	const uint64_t n = UINT64_C(3) << 62;
	uint64_t counts[3] = { 0 };
	const double weights[3] = { 1, 1, 1 };
	struct sim_rng rng;

	(void)state;
	sim_rng_init(&rng, 2, 0, "bias");
	for (int i = 0; i < 30000; i++) {
		const uint64_t draw = sim_rng_below(&rng, n);

		assert_true(draw < n);
		counts[draw % 3]++;
	}
	/* 2 degrees of freedom: 13.82 at 0.1 %. */
	assert_true(chi_square(counts, weights, 3, 30000) < 13.82);
}

static void test_bounds(void **state)
{
	struct sim_rng rng, same;
	int hits = 0;

	(void)state;
	sim_rng_init(&rng, 3, 0, "bounds");
	for (int i = 0; i < 1000; i++) {
		uint64_t draw;

		assert_int_equal(sim_rng_below(&rng, 1), 0);
		assert_int_equal(sim_rng_between(&rng, 9, 9), 9);
		draw = sim_rng_between(&rng, UINT64_MAX - 2, UINT64_MAX);
		assert_true(draw >= UINT64_MAX - 2);
		assert_false(sim_rng_chance(&rng, 0, 5));
		assert_true(sim_rng_chance(&rng, 5, 5));
		assert_true(sim_rng_chance(&rng, 6, 5));
		hits += sim_rng_chance(&rng, 1, 4);
	}
	assert_in_range(hits, 190, 310); /* 250, deviation 13.7 */
	same = rng;
	assert_int_equal(sim_rng_between(&rng, 0, UINT64_MAX), sim_rng_u64(&same));
}

/* 2^scale / divisor, to within 2^-50 of itself and one for the floor. */
static void assert_weight(const struct sim_zipf *zipf, uint64_t k, uint64_t divisor)
{
	const uint64_t exact = (UINT64_C(1) << zipf->scale_bits) / divisor;
	const uint64_t weight = sim_zipf_weight(zipf, k - 1);
	const uint64_t off = weight > exact ? weight - exact : exact - weight;

	assert_true(off <= 1 + (exact >> 50));
}

static void test_zipf_weights(void **state)
{
	enum { N = 1000000 };
	struct sim_zipf zipf;

	(void)state;
	sim_zipf_init(&zipf, N, 1000);
	for (uint64_t k = 1; k <= N; k += 1 + k / 64)
		assert_weight(&zipf, k, k);
	sim_zipf_fini(&zipf);
	sim_zipf_init(&zipf, N, 2000);
	for (uint64_t k = 1; k <= N; k += 1 + k / 64)
		assert_weight(&zipf, k, k * k);
	sim_zipf_fini(&zipf);
	sim_zipf_init(&zipf, N, 500);
	for (uint64_t j = 1; j <= 1000; j++)
		assert_weight(&zipf, j * j, j);
	sim_zipf_fini(&zipf);
	sim_zipf_init(&zipf, N, 0);
	for (uint64_t k = 1; k <= N; k += 1 + k / 64)
		assert_weight(&zipf, k, 1);
	sim_zipf_fini(&zipf);
}

/* k^-0.99 * k^-0.01 is 1 / k; and a weight is below the one before it. */
static void test_zipf_weights_between(void **state)
{
	enum { N = 5000 };
	struct sim_zipf most, rest;

	(void)state;
	sim_zipf_init(&most, N, 990);
	sim_zipf_init(&rest, N, 10);
	for (uint64_t k = 1; k <= N; k++) {
		const double product = (double)sim_zipf_weight(&most, k - 1) /
				       (double)(UINT64_C(1) << most.scale_bits) *
				       ((double)sim_zipf_weight(&rest, k - 1) /
					(double)(UINT64_C(1) << rest.scale_bits));
		const double off = product * (double)k - 1;

		assert_true(off < 1e-9 && off > -1e-9);
		if (k > 1) {
			assert_true(sim_zipf_weight(&most, k - 1) < sim_zipf_weight(&most, k - 2));
			assert_true(sim_zipf_weight(&rest, k - 1) < sim_zipf_weight(&rest, k - 2));
		}
	}
	sim_zipf_fini(&most);
	sim_zipf_fini(&rest);
}

/* Harmonic: rank k - 1 has probability 1 / (k * H(n)). */
static void test_zipf_harmonic(void **state)
{
	enum { N = 200, DRAWS = 400000 };
	uint64_t counts[N] = { 0 };
	double weights[N];
	struct sim_zipf zipf;
	struct sim_rng rng;

	(void)state;
	sim_zipf_init(&zipf, N, 1000);
	sim_rng_init(&rng, 4, 0, "zipf");
	for (int i = 0; i < N; i++)
		weights[i] = 1.0 / (i + 1);
	for (int i = 0; i < DRAWS; i++)
		counts[sim_zipf_next(&zipf, &rng)]++;
	/* 199 degrees of freedom: 267 at 0.1 %. */
	assert_true(chi_square(counts, weights, N, DRAWS) < 267);
	sim_zipf_fini(&zipf);
}

static unsigned int octave_of(uint64_t rank)
{
	return 63 - (unsigned int)__builtin_clzll(rank + 1);
}

/* Most ranks in shared segments: the chance of each octave, where powers are rational. */
static void test_zipf_octaves(void **state)
{
	static const uint32_t thetas[] = { 0, 1000, 2000 };
	enum { N = 100000, OCTAVES = 17, DRAWS = 200000 };

	(void)state;
	for (size_t t = 0; t < 3; t++) {
		uint64_t counts[OCTAVES] = { 0 };
		double weights[OCTAVES] = { 0 };
		struct sim_zipf zipf;
		struct sim_rng rng;

		sim_zipf_init(&zipf, N, thetas[t]);
		sim_rng_init(&rng, 5, t, "zipf");
		for (uint64_t rank = 0; rank < N; rank++) {
			const double k = (double)(rank + 1);

			weights[octave_of(rank)] += t == 0 ? 1 : t == 1 ? 1 / k : 1 / (k * k);
		}
		for (int i = 0; i < DRAWS; i++) {
			const uint64_t rank = sim_zipf_next(&zipf, &rng);

			assert_true(rank < N);
			counts[octave_of(rank)]++;
		}
		/* 16 degrees of freedom: 39.25 at 0.1 %. */
		assert_true(chi_square(counts, weights, OCTAVES, DRAWS) < 39.25);
		sim_zipf_fini(&zipf);
	}
}

/* A stream whose next draw below @n is x: it is the middle of those that the product maps to x. */
static struct sim_rng rng_for(uint64_t x, uint64_t n)
{
	const sim_u128 middle = (sim_u128)x << 64 | UINT64_C(1) << 63;

	return (struct sim_rng){ .spare = (uint64_t)(middle / n), .has_spare = true };
}

/*
 * The sampler as an integral: over evenly spaced x, each rank must come out at the first attempt as
 * often as its weight says, to within one. This covers segments of one and of many ranks.
 */
static void check_zipf_exactly(uint64_t n, uint32_t theta_milli, uint64_t npoints)
{
	uint64_t *counts = calloc(n, sizeof(*counts));
	struct sim_zipf zipf;

	assert_non_null(counts);
	sim_zipf_init(&zipf, n, theta_milli);
	for (uint64_t i = 0; i < npoints; i++) {
		const uint64_t x = (uint64_t)((sim_u128)zipf.total * i / npoints);
		struct sim_rng rng = rng_for(x, zipf.total);
		const uint64_t rank = sim_zipf_next(&zipf, &rng);

		assert_true(rank < n);
		if (!rng.block) /* no further draw: accepted */
			counts[rank]++;
	}
	for (uint64_t rank = 0; rank < n; rank++) {
		const sim_u128 share = (sim_u128)sim_zipf_weight(&zipf, rank) * npoints;
		const uint64_t expected = (uint64_t)(share / zipf.total);

		assert_in_range(counts[rank], expected ? expected - 1 : 0, expected + 1);
	}
	sim_zipf_fini(&zipf);
	free(counts);
}

static void test_zipf_exactly(void **state)
{
	(void)state;
	check_zipf_exactly(1, 1000, 100);
	check_zipf_exactly(127, 990, 200000);
	check_zipf_exactly(1000, 0, 200000);
	check_zipf_exactly(1000, 1000, 500000);
	check_zipf_exactly(700, 1500, 500000);
}

static void test_zipf_extremes(void **state)
{
	static const uint32_t thetas[] = { 0, 1, 990, 1000, SIM_ZIPF_THETA_MILLI_MAX };
	static const uint64_t sizes[] = { 1, 2, 63, 64, 128, SIM_ZIPF_N_MAX };
	struct sim_rng rng;

	(void)state;
	sim_rng_init(&rng, 7, 0, "zipf");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (size_t j = 0; j < sizeof(thetas) / sizeof(thetas[0]); j++) {
			struct sim_zipf zipf;

			sim_zipf_init(&zipf, sizes[i], thetas[j]);
			for (int k = 0; k < 1000; k++)
				assert_true(sim_zipf_next(&zipf, &rng) < sizes[i]);
			sim_zipf_fini(&zipf);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_answers),
		cmocka_unit_test(test_streams_are_independent),
		cmocka_unit_test(test_each_part_selects_a_stream),
		cmocka_unit_test(test_below_is_uniform),
		cmocka_unit_test(test_below_has_no_bias),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_zipf_weights),
		cmocka_unit_test(test_zipf_weights_between),
		cmocka_unit_test(test_zipf_harmonic),
		cmocka_unit_test(test_zipf_octaves),
		cmocka_unit_test(test_zipf_exactly),
		cmocka_unit_test(test_zipf_extremes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
