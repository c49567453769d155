// SPDX-License-Identifier: BSD-2-Clause
/*
 * sim/engine/hist.c - the log-linear histogram.
 *
 * With s = sub_bits, values below 2^(s+1) have a bucket each. Above, a value with its highest bit
 * at e shares a bucket with those that agree with it in the s bits below that one. The index is
 * then (e - s) * 2^s + (value >> (e - s)), which continues the indices of the small values.
 */
#include "sim/engine/hist.h"

#include <stdbool.h>
#include <stdlib.h>

#include "sim/engine/error.h"
#include "sim/engine/wide.h"

#define PPM UINT32_C(1000000)

/* The percentile table has this many lines before the distance to 100 % is halved. */
enum { TICKS_PER_HALF = 5 };

struct sim_hist {
	unsigned int sub_bits;
	uint32_t nbuckets;
	uint64_t count;
	uint64_t min; /* UINT64_MAX if empty */
	uint64_t max;
	sim_u128 sum;
	uint64_t *buckets;
};

static unsigned int shift_of(const struct sim_hist *hist, uint64_t value)
{
	const unsigned int high = 63 - (unsigned int)__builtin_clzll(value | 1);

	return high > hist->sub_bits ? high - hist->sub_bits : 0;
}

static uint32_t index_of(const struct sim_hist *hist, uint64_t value)
{
	const unsigned int shift = shift_of(hist, value);

	return (uint32_t)(((uint64_t)shift << hist->sub_bits) + (value >> shift));
}

static struct sim_hist_bucket bucket_at(const struct sim_hist *hist, uint32_t index)
{
	const uint32_t octave = index >> hist->sub_bits;
	const unsigned int shift = octave > 1 ? octave - 1 : 0;
	const uint64_t first = ((uint64_t)index - ((uint64_t)shift << hist->sub_bits)) << shift;

	return (struct sim_hist_bucket){
		.first = first,
		.last = first + ((UINT64_C(1) << shift) - 1),
		.count = hist->buckets[index],
	};
}

struct sim_hist *sim_hist_create(unsigned int sub_bits)
{
	struct sim_hist *hist = sim_alloc(1, sizeof(*hist), "histogram");

	sim_assert(sub_bits <= SIM_HIST_SUB_BITS_MAX);
	hist->sub_bits = sub_bits ? sub_bits : SIM_HIST_SUB_BITS_DEFAULT;
	hist->nbuckets = (65 - hist->sub_bits) << hist->sub_bits;
	hist->buckets = sim_alloc(hist->nbuckets, sizeof(*hist->buckets), "histogram");
	hist->min = UINT64_MAX;
	return hist;
}

void sim_hist_destroy(struct sim_hist *hist)
{
	if (!hist)
		return;
	free(hist->buckets);
	free(hist);
}

void sim_hist_reset(struct sim_hist *hist)
{
	for (uint32_t i = 0; i < hist->nbuckets; i++)
		hist->buckets[i] = 0;
	hist->count = 0;
	hist->sum = 0;
	hist->min = UINT64_MAX;
	hist->max = 0;
}

void sim_hist_add_n(struct sim_hist *hist, uint64_t value, uint64_t n)
{
	if (!n)
		return;
	hist->buckets[index_of(hist, value)] += n;
	hist->count += n;
	hist->sum += (sim_u128)value * n;
	if (value < hist->min)
		hist->min = value;
	if (value > hist->max)
		hist->max = value;
}

void sim_hist_add(struct sim_hist *hist, uint64_t value)
{
	sim_hist_add_n(hist, value, 1);
}

void sim_hist_merge(struct sim_hist *into, const struct sim_hist *from)
{
	sim_assert(into->sub_bits == from->sub_bits);
	for (uint32_t i = 0; i < into->nbuckets; i++)
		into->buckets[i] += from->buckets[i];
	into->count += from->count;
	into->sum += from->sum;
	if (from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
}

uint64_t sim_hist_count(const struct sim_hist *hist)
{
	return hist->count;
}

uint64_t sim_hist_min(const struct sim_hist *hist)
{
	return hist->count ? hist->min : 0;
}

uint64_t sim_hist_max(const struct sim_hist *hist)
{
	return hist->max;
}

uint64_t sim_hist_mean(const struct sim_hist *hist)
{
	return hist->count ? (uint64_t)(hist->sum / hist->count) : 0;
}

int sim_hist_next(const struct sim_hist *hist, uint32_t *cursor, struct sim_hist_bucket *bucket)
{
	while (*cursor < hist->nbuckets) {
		const uint32_t index = (*cursor)++;

		if (hist->buckets[index]) {
			*bucket = bucket_at(hist, index);
			return 1;
		}
	}
	return 0;
}

/* The top of the bucket in which the @rank-th value (from 1) lies. */
static uint64_t value_at_rank(const struct sim_hist *hist, uint64_t rank)
{
	struct sim_hist_bucket bucket;
	uint32_t cursor = 0;
	uint64_t seen = 0;

	while (sim_hist_next(hist, &cursor, &bucket)) {
		seen += bucket.count;
		if (seen >= rank)
			return bucket.last < hist->max ? bucket.last : hist->max;
	}
	return hist->max;
}

uint64_t sim_hist_percentile(const struct sim_hist *hist, uint32_t ppm)
{
	uint64_t rank;

	sim_assert(ppm <= PPM);
	if (!hist->count)
		return 0;
	if (!ppm)
		return hist->min;
	rank = (uint64_t)(((sim_u128)hist->count * ppm + PPM - 1) / PPM);
	return value_at_rank(hist, rank);
}

static uint64_t root_of(sim_u128 square)
{
	uint64_t root = 0;

	for (int bit = 63; bit >= 0; bit--) {
		const uint64_t next = root | UINT64_C(1) << bit;

		if ((sim_u128)next * next <= square)
			root = next;
	}
	return root;
}

/*
 * Standard deviation in thousandths, from the buckets' middles. Of a large maximum only the upper
 * 32 bits are looked at, so that squares fit.
 */
static sim_u128 deviation_milli(const struct sim_hist *hist)
{
	struct sim_hist_bucket bucket;
	uint32_t cursor = 0;
	unsigned int shift = 0;
	sim_u128 squares = 0;
	uint64_t mean;

	while ((sim_u128)hist->max * 1000 >> shift > UINT32_MAX)
		shift++;
	mean = (uint64_t)(hist->sum * 1000 / hist->count >> shift);
	while (sim_hist_next(hist, &cursor, &bucket)) {
		const uint64_t middle = bucket.first + (bucket.last - bucket.first) / 2;
		const uint64_t value = (uint64_t)((sim_u128)middle * 1000 >> shift);
		const uint64_t distance = value > mean ? value - mean : mean - value;

		squares += (sim_u128)(distance * distance) * bucket.count;
	}
	return (sim_u128)root_of(squares / hist->count) << shift;
}

static void print_milli(FILE *out, const char *label, sim_u128 milli)
{
	fprintf(out, "%s = %8llu.%03llu", label, (unsigned long long)(milli / 1000),
		(unsigned long long)(milli % 1000));
}

/* One line: value, percentile as a fraction, values up to it, 1 / (1 - percentile). */
static void print_line(const struct sim_hist *hist, FILE *out, uint64_t value, uint64_t seen)
{
	const uint64_t above = hist->count - seen;
	const uint64_t fraction = (uint64_t)((sim_u128)seen * 1000000000000 / hist->count);

	fprintf(out, "%8llu.000 %llu.%012llu %10llu", (unsigned long long)value,
		(unsigned long long)(fraction / 1000000000000),
		(unsigned long long)(fraction % 1000000000000), (unsigned long long)seen);
	if (above) {
		const sim_u128 inverse = (sim_u128)hist->count * 100 / above;

		fprintf(out, " %11llu.%02llu", (unsigned long long)(inverse / 100),
			(unsigned long long)(inverse % 100));
	}
	fputc('\n', out);
}

/*
 * Lines at steps of 1 / (TICKS_PER_HALF * 2^h) of the count, with h the number of times that the
 * distance to the end has been halved: the tail gets the detail. A step may be less than one value.
 */
static void print_table(const struct sim_hist *hist, FILE *out)
{
	struct sim_hist_bucket bucket;
	uint32_t cursor = 0;
	uint64_t seen = 0;
	uint64_t next = 0; /* the count at which a line is due */

	while (sim_hist_next(hist, &cursor, &bucket)) {
		uint64_t above;

		seen += bucket.count;
		if (seen < next && seen < hist->count)
			continue;
		print_line(hist, out, bucket.last < hist->max ? bucket.last : hist->max, seen);
		above = hist->count - seen;
		/* Half of the distance, rounded up to a power-of-two share of the count. */
		for (uint64_t share = hist->count;; share /= 2) {
			if (share / 2 < above || share < 2) {
				next = seen + share / 2 / TICKS_PER_HALF + 1;
				break;
			}
		}
	}
}

void sim_hist_dump(const struct sim_hist *hist, FILE *out)
{
	fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
		"1/(1-Percentile)");
	if (hist->count)
		print_table(hist, out);
	fputs("#[", out);
	print_milli(out, "Mean   ", hist->count ? hist->sum * 1000 / hist->count : 0);
	fputs(", ", out);
	print_milli(out, "StdDeviation  ", hist->count ? deviation_milli(hist) : 0);
	fprintf(out, "]\n#[Max     = %8llu.000, Total count    = %12llu]\n",
		(unsigned long long)hist->max, (unsigned long long)hist->count);
	fprintf(out, "#[Buckets = %12u, SubBuckets     = %12u]\n", 64 - hist->sub_bits,
		1u << (hist->sub_bits + 1));
}
