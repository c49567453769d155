/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf.h - dirty_log_perf_test in the lab, for the experiments that repeat it under some policy.
 */
#ifndef SIM_SCENARIO_EXPERIMENTS_PERF_H
#define SIM_SCENARIO_EXPERIMENTS_PERF_H

#include "sim/scenario/experiments/experiment.h"
#include "sim/scenario/experiments/lab.h"

#define PERF_VCPU_PAGES 131072u /* 512 MiB */

struct perf_phases {
	uint64_t dirty_ns;
	uint64_t get_ns;
	uint64_t clear_ns;
};

/**
 * struct perf_result - what a run came to
 * @enable_ns: logging on
 * @mean: of iterations 2 on; @all: of all; @last: the last one
 * @faults: an iteration, of iterations 2 on
 * @frozen: see answer2023.c
 */
struct perf_result {
	uint64_t enable_ns;
	struct perf_phases mean;
	struct perf_phases all;
	struct perf_phases last;
	uint64_t faults;
	uint64_t lost;
	struct {
		uint64_t freeze_ns;
		uint64_t trapped_ns; /* the slowest vCPU's time for the last writes, trapping */
		uint64_t free_ns;    /* the same without */
		uint64_t faults;
		uint64_t pages;
		uint64_t get_ns;
		uint64_t full_get_ns; /* everything dirty, read as a bitmap */
	} frozen;
};

struct perf_setup {
	const char *name;
	const struct sim_params *params; /* the machine's costs */
	uint32_t nvcpus;
	uint64_t vcpu_pages;
	unsigned int map_order;
	uint32_t policy;
	unsigned int iterations;
	bool series; /* take pages back at CLEAR, pay series_scan_ps in GET */
	uint64_t series_scan_ps;
	/* goes on with the machine after the last iteration; may be NULL */
	void (*finish)(struct experiment_run *run, const struct perf_setup *setup, struct lab *lab,
		       struct perf_result *result);
};

/** perf_params() - the cost file with the lock of the 2023 machine; NULL with run->err set */
struct sim_params *perf_params(struct experiment_run *run);

/** perf_lab() - iterations of pass, GET, CLEAR; false with run->err set */
bool perf_lab(struct experiment_run *run, const struct perf_setup *setup,
	      struct perf_result *result);

#endif
