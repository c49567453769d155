/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/scenario/experiments/costs.h - the cost file: one price for each action, for all experiments.
 *
 * Nothing may price an action differently for one experiment than for another, with three
 * exceptions that are named where they are made: the lock on the 2023 series' machine
 * (perf2023.fault_lock_ns) and the series' own scan (perf2023.series_scan_pte_ps), each read off
 * its own row and used for that machine, whoever's policy runs on it; and x86 has no broadcast
 * invalidation (gardon).
 *
 * examples/scenarios/costs-2023.yaml says the same for `weir-sim run`; a test compares the two.
 */
#ifndef SIM_SCENARIO_EXPERIMENTS_COSTS_H
#define SIM_SCENARIO_EXPERIMENTS_COSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct experiment_cost - a price
 * @name: parameter of the migrate scenario
 * @value: as it would be typed
 * @fitted: read off or fitted to published rows; false: assumed, and part of no fit
 * @source: which rows; or why this much
 */
struct experiment_cost {
	const char *name;
	const char *value;
	bool fitted;
	const char *source;
};

#define EXPERIMENT_NCOSTS 19u
extern const struct experiment_cost experiment_costs[EXPERIMENT_NCOSTS];

#endif
