// SPDX-License-Identifier: BSD-2-Clause
/*
 * series.c - additive bins over time, which halve their number whenever time outgrows them.
 *
 * The spread of a loss over a span is computed from cumulative shares, floor(lost * t / span), so
 * that what the bins get adds up to what was pushed (S1).
 */
#include "sim/report/series.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/error.h"
#include "sim/engine/wide.h"
#include "sim/report/series_data.h"
#include "sim/scenario/scenario.h"

#define FIRST_SHIFT 10u		/* bins begin about a microsecond wide */

struct sim_series *sim_series_create(const struct sim_policy_shape *shape)
{
	struct sim_series *s = sim_alloc(1, sizeof(*s), "time series");

	assert(shape->ncauses <= SIM_SERIES_CAUSES);
	assert(shape->npages > 0);
	s->shift = FIRST_SHIFT;
	s->vcpus = shape->vcpus;
	s->page_bytes = shape->page_bytes;
	s->base_gfn = shape->base_gfn;
	s->npages = shape->npages;
	s->ncauses = shape->ncauses;
	for (unsigned int c = 0; c < s->ncauses; c++)
		s->causes[c] = sim_strdup(shape->causes[c]);
	while ((s->npages - 1) >> s->row_shift >= SIM_SERIES_ROWS)
		s->row_shift++;
	s->nrows = (unsigned int)((s->npages - 1) >> s->row_shift) + 1;
	return s;
}

void sim_series_destroy(struct sim_series *s)
{
	if (!s)
		return;
	for (unsigned int c = 0; c < s->ncauses; c++)
		free(s->causes[c]);
	for (size_t i = 0; i < s->nphases; i++)
		free((char *)s->phases[i].name);
	free(s->phases);
	free(s);
}

/* Twice the span a bin, half the bins. */
static void fold(struct sim_series *s)
{
	const unsigned int half = SIM_SERIES_BINS / 2;

	for (unsigned int c = 0; c < s->ncauses; c++) {
		uint64_t *lost = s->lost[c];

		for (unsigned int i = 0; i < half; i++)
			lost[i] = lost[2 * i] + lost[2 * i + 1];
		memset(lost + half, 0, half * sizeof(*lost));
	}
	for (unsigned int i = 0; i < half; i++) {
		for (unsigned int r = 0; r < s->nrows; r++)
			s->heat[i][r] = s->heat[2 * i][r] + s->heat[2 * i + 1][r];
	}
	memset(s->heat[half], 0, half * sizeof(s->heat[0]));
	s->shift++;
}

static unsigned int bin_of(struct sim_series *s, uint64_t time_ns)
{
	while (time_ns >> s->shift >= SIM_SERIES_BINS)
		fold(s);
	return (unsigned int)(time_ns >> s->shift);
}

static uint64_t share(uint64_t lost, uint64_t part_ns, uint64_t span_ns)
{
	return (uint64_t)((sim_u128)lost * part_ns / span_ns);
}

void sim_series_lost(struct sim_series *s, unsigned int cause, uint64_t t0_ns, uint64_t t1_ns,
		     uint64_t lost_vcpu_ns)
{
	unsigned int last, bin;
	uint64_t given = 0;

	assert(cause < s->ncauses && t0_ns <= t1_ns);
	last = bin_of(s, t1_ns > t0_ns ? t1_ns - 1 : t0_ns);
	for (bin = bin_of(s, t0_ns); bin < last; bin++) {
		uint64_t edge_ns = (uint64_t)(bin + 1) << s->shift;
		uint64_t upto = share(lost_vcpu_ns, edge_ns - t0_ns, t1_ns - t0_ns);

		s->lost[cause][bin] += upto - given;
		given = upto;
	}
	s->lost[cause][last] += lost_vcpu_ns - given;
}

void sim_series_dirty(struct sim_series *s, uint64_t time_ns, uint64_t gfn, uint64_t npages)
{
	unsigned int bin = bin_of(s, time_ns);
	uint64_t first = gfn - s->base_gfn, end = first + npages;

	assert(gfn >= s->base_gfn && end <= s->npages);
	while (first < end) {
		uint64_t row = first >> s->row_shift;
		uint64_t edge = (row + 1) << s->row_shift;
		uint64_t n = (edge < end ? edge : end) - first;
		uint32_t *cell = &s->heat[bin][row];

		*cell = n > UINT32_MAX - *cell ? UINT32_MAX : *cell + (uint32_t)n;
		first += n;
	}
}

void sim_series_phase(struct sim_series *s, const struct sim_phase *phase)
{
	if (s->nphases == s->phases_capacity) {
		s->phases_capacity = s->phases_capacity ? 2 * s->phases_capacity : 32;
		s->phases = sim_realloc(s->phases, s->phases_capacity, sizeof(*s->phases),
					"phases of a time series");
	}
	s->phases[s->nphases] = *phase;
	s->phases[s->nphases++].name = sim_strdup(phase->name);
	if (phase->t1_ns > s->end_ns)
		sim_series_end(s, phase->t1_ns);
}

void sim_series_end(struct sim_series *s, uint64_t end_ns)
{
	s->end_ns = end_ns;
	if (end_ns)
		bin_of(s, end_ns - 1);
}

unsigned int sim_series_bins(const struct sim_series *s)
{
	return s->end_ns ? (unsigned int)((s->end_ns - 1) >> s->shift) + 1 : 1;
}
