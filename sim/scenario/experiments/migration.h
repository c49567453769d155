/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * migration.h - runs of the migrate scenario inside an experiment.
 */
#ifndef SIM_SCENARIO_EXPERIMENTS_MIGRATION_H
#define SIM_SCENARIO_EXPERIMENTS_MIGRATION_H

#include "sim/scenario/experiments/experiment.h"
#include "sim/scenario/migrate_internal.h"

/**
 * experiment_migrate() - one migration under each policy of policy.names
 * @settings: NAME=VALUE on top of the cost file, ending with NULL; the run's own assignments come
 *	after them
 * @seed: of the guest
 * @results: receives what each policy came to, in order; without the pointer to the policy
 * @n: how many are wanted; policy.names must have as many
 *
 * Lost pages and violated invariants become failures of the run.
 * Return: false with run->err set.
 */
bool experiment_migrate(struct experiment_run *run, const char *const *settings, uint64_t seed,
			struct migrate_result *results, unsigned int n);

/**
 * experiment_each_trace() - call for each trace of a parameter that lists some
 * @param: its name; paths, separated by commas
 * @settings: of the guest that replays them, ending with NULL
 * @each: gets a name for the trace, and the settings with the trace; false ends it
 */
bool experiment_each_trace(struct experiment_run *run, const char *param,
			   const char *const *settings,
			   bool (*each)(struct experiment_run *run, const char *name,
					const char *const *settings));

/** experiment_traces_open() - can all of them be replayed? false with run->err set */
bool experiment_traces_open(struct experiment_run *run, const char *param,
			    const char *const *settings);

#endif
