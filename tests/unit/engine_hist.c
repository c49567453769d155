// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: every value falls in a bucket that holds it and is narrow enough; exact figures are exact,
 * percentiles within a bucket of the sorted values'.
 * Method: all small values and all neighbours of powers of two; random samples beside a sorted
 * array; hand-worked cases for the text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sim/engine/hist.h"

/* The bucket of one value, seen from outside. */
static struct sim_hist_bucket bucket_of(unsigned int sub_bits, uint64_t value)
{
	struct sim_hist *hist = sim_hist_create(sub_bits);
	struct sim_hist_bucket bucket, more;
	uint32_t cursor = 0;

	sim_hist_add(hist, value);
	assert_int_equal(sim_hist_next(hist, &cursor, &bucket), 1);
	assert_int_equal(bucket.count, 1);
	assert_int_equal(sim_hist_next(hist, &cursor, &more), 0);
	sim_hist_destroy(hist);
	return bucket;
}

static void check_value(unsigned int sub_bits, uint64_t value)
{
	const struct sim_hist_bucket bucket = bucket_of(sub_bits, value);
	const uint64_t width = bucket.last - bucket.first; /* one less than the count of values */

	assert_true(bucket.first <= value && value <= bucket.last);
	assert_true(width <= bucket.first >> sub_bits);
	if (value < UINT64_C(2) << sub_bits)
		assert_int_equal(width, 0);
	/* The ends belong to the same bucket, what lies beyond does not. */
	assert_int_equal(bucket_of(sub_bits, bucket.first).last, bucket.last);
	assert_int_equal(bucket_of(sub_bits, bucket.last).first, bucket.first);
	if (bucket.last != UINT64_MAX)
		assert_int_equal(bucket_of(sub_bits, bucket.last + 1).first, bucket.last + 1);
}

static void test_buckets(void **state)
{
	static const unsigned int sub_bits[] = { 1, 5, 7 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		for (uint64_t value = 0; value < 300; value++)
			check_value(sub_bits[i], value);
		for (int e = 8; e < 64; e++)
			for (uint64_t d = 0; d < 3; d++)
				check_value(sub_bits[i], (UINT64_C(1) << e) - 1 + d);
		check_value(sub_bits[i], UINT64_MAX);
	}
}

static int compare_u64(const void *left, const void *right)
{
	const uint64_t *a = left;
	const uint64_t *b = right;

	return *a < *b ? -1 : *a > *b;
}

static void test_percentiles(void **state)
{
	static const uint32_t ppms[] = { 1,	 1000,	 250000, 500000,
					 750000, 900000, 999000, 1000000 };
	enum { COUNT = 5000 };
	static uint64_t values[COUNT];
	struct sim_hist *hist = sim_hist_create(0);
	uint64_t x = 88172645463325252;
	uint64_t sum = 0;

	(void)state;
	for (int i = 0; i < COUNT; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		values[i] = x >> (24 + i % 40);
		sum += values[i];
		sim_hist_add(hist, values[i]);
	}
	qsort(values, COUNT, sizeof(values[0]), compare_u64);
	assert_int_equal(sim_hist_count(hist), COUNT);
	assert_int_equal(sim_hist_min(hist), values[0]);
	assert_int_equal(sim_hist_max(hist), values[COUNT - 1]);
	assert_int_equal(sim_hist_mean(hist), sum / COUNT);
	assert_int_equal(sim_hist_percentile(hist, 0), values[0]);
	assert_int_equal(sim_hist_percentile(hist, 1000000), values[COUNT - 1]);
	for (size_t i = 0; i < sizeof(ppms) / sizeof(ppms[0]); i++) {
		const uint64_t rank = ((uint64_t)ppms[i] * COUNT + 999999) / 1000000;
		const uint64_t exact = values[rank - 1];
		const uint64_t got = sim_hist_percentile(hist, ppms[i]);

		assert_true(got >= exact && got - exact <= exact / 32);
	}
	sim_hist_destroy(hist);
}

/* Half of three values is one and a half: the second is the first not below that. */
static void test_rank_is_rounded_up(void **state)
{
	struct sim_hist *hist = sim_hist_create(0);

	(void)state;
	for (uint64_t value = 1; value <= 3; value++)
		sim_hist_add(hist, value);
	assert_int_equal(sim_hist_percentile(hist, 333333), 1);
	assert_int_equal(sim_hist_percentile(hist, 333334), 2);
	assert_int_equal(sim_hist_percentile(hist, 500000), 2);
	assert_int_equal(sim_hist_percentile(hist, 666667), 3);
	sim_hist_destroy(hist);
}

static void test_empty_and_reset(void **state)
{
	struct sim_hist *hist = sim_hist_create(0);
	struct sim_hist_bucket bucket;
	uint32_t cursor;

	(void)state;
	for (int round = 0; round < 2; round++) {
		cursor = 0;
		assert_int_equal(sim_hist_count(hist), 0);
		assert_int_equal(sim_hist_min(hist), 0);
		assert_int_equal(sim_hist_max(hist), 0);
		assert_int_equal(sim_hist_mean(hist), 0);
		assert_int_equal(sim_hist_percentile(hist, 500000), 0);
		assert_int_equal(sim_hist_next(hist, &cursor, &bucket), 0);
		sim_hist_add_n(hist, 17, 0);
		assert_int_equal(sim_hist_count(hist), 0);
		sim_hist_add_n(hist, 17, 5);
		sim_hist_reset(hist);
	}
	sim_hist_destroy(hist);
	sim_hist_destroy(NULL);
}

static void test_merge_is_adding_both(void **state)
{
	struct sim_hist *both = sim_hist_create(3);
	struct sim_hist *left = sim_hist_create(3);
	struct sim_hist *right = sim_hist_create(3);
	uint32_t a_cursor = 0;
	uint32_t b_cursor = 0;
	struct sim_hist_bucket a, b;

	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		const uint64_t value = i * i * i;

		sim_hist_add_n(i % 3 ? left : right, value, i);
		sim_hist_add_n(both, value, i);
	}
	sim_hist_merge(left, right);
	assert_int_equal(sim_hist_count(left), sim_hist_count(both));
	assert_int_equal(sim_hist_min(left), sim_hist_min(both));
	assert_int_equal(sim_hist_max(left), sim_hist_max(both));
	assert_int_equal(sim_hist_mean(left), sim_hist_mean(both));
	while (sim_hist_next(both, &a_cursor, &a)) {
		assert_int_equal(sim_hist_next(left, &b_cursor, &b), 1);
		assert_memory_equal(&a, &b, sizeof(a));
	}
	assert_int_equal(sim_hist_next(left, &b_cursor, &b), 0);
	sim_hist_destroy(both);
	sim_hist_destroy(left);
	sim_hist_destroy(right);
}

/* The sum of full-range values needs more than 64 bits. */
static void test_mean_of_large_values(void **state)
{
	struct sim_hist *hist = sim_hist_create(0);

	(void)state;
	sim_hist_add_n(hist, UINT64_MAX, 1000);
	sim_hist_add_n(hist, UINT64_MAX - 2, 1000);
	assert_int_equal(sim_hist_mean(hist), UINT64_MAX - 1);
	sim_hist_destroy(hist);
}

static char *dump(const struct sim_hist *hist)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	sim_hist_dump(hist, out);
	fclose(out);
	return text;
}

/* Two ones, a two and a five: mean 2.25, variance ((1.25^2)*2 + 0.25^2 + 2.75^2)/4 = 2.6875. */
static void test_dump(void **state)
{
	static const char *const expected =
		"       Value     Percentile TotalCount 1/(1-Percentile)\n\n"
		"       1.000 0.500000000000          2           2.00\n"
		"       2.000 0.750000000000          3           4.00\n"
		"       5.000 1.000000000000          4\n"
		"#[Mean    =        2.250, StdDeviation   =        1.639]\n"
		"#[Max     =        5.000, Total count    =            4]\n"
		"#[Buckets =           59, SubBuckets     =           64]\n";
	struct sim_hist *hist = sim_hist_create(0);
	char *text;

	(void)state;
	sim_hist_add_n(hist, 1, 2);
	sim_hist_add(hist, 2);
	sim_hist_add(hist, 5);
	text = dump(hist);
	assert_string_equal(text, expected);
	free(text);
	sim_hist_destroy(hist);
}

/* A table of 10^6 values stays short, rises, and ends at the maximum and at all of them. */
static void test_dump_is_short(void **state)
{
	struct sim_hist *hist = sim_hist_create(7);
	unsigned long long value = 0;
	unsigned long long seen = 0;
	int nlines = 0;
	char *text;

	(void)state;
	for (uint64_t i = 1; i <= 1000000; i++)
		sim_hist_add(hist, i * 1000);
	text = dump(hist);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned long long v, whole, fraction, s;

		if (sscanf(line, "%llu.000 %llu.%llu %llu", &v, &whole, &fraction, &s) != 4)
			continue;
		assert_true(v > value && s > seen);
		value = v;
		seen = s;
		nlines++;
	}
	assert_int_equal(value, 1000000000);
	assert_int_equal(seen, 1000000);
	assert_in_range(nlines, 20, 110);
	free(text);
	sim_hist_destroy(hist);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets),
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_rank_is_rounded_up),
		cmocka_unit_test(test_empty_and_reset),
		cmocka_unit_test(test_merge_is_adding_both),
		cmocka_unit_test(test_mean_of_large_values),
		cmocka_unit_test(test_dump),
		cmocka_unit_test(test_dump_is_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
