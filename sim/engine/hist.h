/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/engine/hist.h - a log-linear histogram of unsigned 64-bit values.
 *
 * Each power of two is cut into 2^sub_bits equal buckets, so that a bucket is at most 1/2^sub_bits
 * of its values wide (1/32 with the default) and small values are exact; the idea is that of
 * HdrHistogram. The whole range of 64 bits is covered: nothing is clipped. Minimum, maximum, count
 * and sum are exact.
 *
 * Integer arithmetic throughout, so that figures taken from here may enter the digest. One thread
 * owns a histogram. Cost: an addition is a count of leading zeros and an increment.
 */
#ifndef SIM_ENGINE_HIST_H
#define SIM_ENGINE_HIST_H

#include <stdint.h>
#include <stdio.h>

#define SIM_HIST_SUB_BITS_DEFAULT 5u
#define SIM_HIST_SUB_BITS_MAX 12u

struct sim_hist;

/** sim_hist_create() - empty; @sub_bits 1..SIM_HIST_SUB_BITS_MAX, 0 is the default */
struct sim_hist *sim_hist_create(unsigned int sub_bits);
void sim_hist_destroy(struct sim_hist *hist);
void sim_hist_reset(struct sim_hist *hist);

/** sim_hist_add() - count @value once; sim_hist_add_n() - @n times */
void sim_hist_add(struct sim_hist *hist, uint64_t value);
void sim_hist_add_n(struct sim_hist *hist, uint64_t value, uint64_t n);

/** sim_hist_merge() - add all of @from; both of the same sub_bits */
void sim_hist_merge(struct sim_hist *into, const struct sim_hist *from);

uint64_t sim_hist_count(const struct sim_hist *hist);

/** Smallest, largest and mean (rounded down); 0 of an empty histogram. */
uint64_t sim_hist_min(const struct sim_hist *hist);
uint64_t sim_hist_max(const struct sim_hist *hist);
uint64_t sim_hist_mean(const struct sim_hist *hist);

/**
 * sim_hist_percentile() - the value that ppm/1,000,000 of all values do not exceed
 * @ppm: 0..1,000,000: 500,000 the median, 999,000 the 99.9th percentile; 0 gives the smallest value
 *
 * Return: the top of that value's bucket, but never more than the maximum; 0 if empty.
 */
uint64_t sim_hist_percentile(const struct sim_hist *hist, uint32_t ppm);

/** A bucket with something in it: values first..last, both inclusive. */
struct sim_hist_bucket {
	uint64_t first;
	uint64_t last;
	uint64_t count;
};

/**
 * sim_hist_next() - walk the buckets that hold something, in increasing order
 * @cursor: start at 0
 *
 * Return: 1 with @bucket filled in, 0 at the end.
 */
int sim_hist_next(const struct sim_hist *hist, uint32_t *cursor, struct sim_hist_bucket *bucket);

/** sim_hist_dump() - the percentile table in HdrHistogram's text format, which its plotters read */
void sim_hist_dump(const struct sim_hist *hist, FILE *out);

#endif
