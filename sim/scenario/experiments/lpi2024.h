/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lpi2024.h - the published LPI rates, and the prices that follow from those that are fitted.
 */
#ifndef SIM_SCENARIO_EXPERIMENTS_LPI2024_H
#define SIM_SCENARIO_EXPERIMENTS_LPI2024_H

#include "sim/scenario/experiments/stress.h"

/**
 * struct lpi2024_row - a row of the published table
 * @nvcpus: -v
 * @ndevices: -d
 * @nevents: -e
 * @iterations: -i
 * @before: LPIs a second, the list
 * @after: LPIs a second, the tree
 * @fitted: both went into a price
 */
struct lpi2024_row {
	uint32_t nvcpus, ndevices, nevents;
	uint64_t iterations;
	uint64_t before, after;
	bool fitted;
};

#define LPI2024_NROWS 5u
extern const struct lpi2024_row lpi2024_rows[LPI2024_NROWS];

/** Prices that are read off the fitted rows, in ns. */
struct lpi2024_fit {
	uint64_t call_ns, bus_ns, handoff_ns, line_ns;
};

/**
 * lpi2024_fit() - from the rows marked as fitted, and no others
 *
 * One stream has nothing to wait for: what it takes is the sum of what it does. Sixteen streams
 * keep what they share busy without a pause: the list's lock, which each of them takes twice and
 * once looks at all 256 entries under; the line of vCPU 0, which each changes twice.
 */
void lpi2024_fit(const struct lpi2024_row rows[LPI2024_NROWS], const struct sim_params *params,
		 struct lpi2024_fit *fit);

#endif
