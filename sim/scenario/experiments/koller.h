/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * koller.h - the eager-split series, for the experiment and for the fit.
 */
#ifndef SIM_SCENARIO_EXPERIMENTS_KOLLER_H
#define SIM_SCENARIO_EXPERIMENTS_KOLLER_H

#include "sim/scenario/experiments/lab.h"

struct koller_row {
	uint32_t nvcpus;
	uint64_t before_ns;
	uint64_t after_ns;
};

#define KOLLER_NSPARSE 6u
extern const struct koller_row koller_sparse[KOLLER_NSPARSE];

struct koller_case {
	uint32_t nvcpus;
	bool sparse;
	bool eager;
	uint64_t scale;
};

/** koller_ns() - the pass of a case; 0 with @err set. @lost: pages lost are added */
uint64_t koller_ns(const struct koller_case *c, const struct sim_params *params, uint64_t *lost,
		   struct sim_error *err);

#endif
