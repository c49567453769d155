/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/report/series_data.h - the inside of a time series, for those who store and draw it.
 *
 * Bins are powers of two nanoseconds wide: bin i covers [i << shift, (i + 1) << shift).
 */
#ifndef SIM_REPORT_SERIES_DATA_H
#define SIM_REPORT_SERIES_DATA_H

#include <jansson.h>
#include <stdbool.h>

#include "sim/report/series.h"

struct sim_error;
struct sim_policy_shape;

struct sim_series {
	unsigned int shift;		/* log2 of the nanoseconds of a bin */
	unsigned int row_shift;		/* log2 of the frames of a row of the heat map */
	unsigned int nrows, ncauses, vcpus;
	uint32_t page_bytes;
	uint64_t base_gfn, npages;
	uint64_t end_ns;
	char *causes[SIM_SERIES_CAUSES];
	uint64_t lost[SIM_SERIES_CAUSES][SIM_SERIES_BINS];	/* vCPU nanoseconds */
	uint32_t heat[SIM_SERIES_BINS][SIM_SERIES_ROWS];	/* pages that became dirty */
	struct sim_phase *phases;
	size_t nphases, phases_capacity;
};

struct sim_series *sim_series_create(const struct sim_policy_shape *shape);
void sim_series_destroy(struct sim_series *s);

/** sim_series_bins() - how many bins, from 0, reach to the end of the run; at least 1 */
unsigned int sim_series_bins(const struct sim_series *s);

/** sim_series_to_json() - the whole of it; series.json */
json_t *sim_series_to_json(const struct sim_series *s);

/** sim_series_from_json() - NULL with @err naming @file if it is not what to_json() writes */
struct sim_series *sim_series_from_json(const json_t *root, const char *file,
					struct sim_error *err);

#endif
