// SPDX-License-Identifier: BSD-2-Clause
/*
 * costs_list.c - the cost file as a table: each price, and which rows it was fitted to; and the
 * prices of an interrupt.
 */
#include "sim/scenario/experiments/costs.h"
#include "sim/scenario/experiments/list.h"
#include "sim/scenario/experiments/stress.h"

/* The prices of an interrupt: each says itself where it is from. */
static void add_stress(struct experiment_run *run)
{
	for (unsigned int i = 0; i < STRESS_NPARAMS; i++) {
		const struct sim_param *param = &stress_params[i];

		experiment_count(run, EXPERIMENT_FIGURE, param->unit, 0,
				 sim_params_u64(run->params, param->name), NULL, "%s",
				 param->name);
		experiment_note(run, "%s: %s", param->name, param->source);
	}
}

static bool run_costs(struct experiment_run *run)
{
	for (unsigned int i = 0; i < EXPERIMENT_NCOSTS; i++) {
		const struct experiment_cost *cost = &experiment_costs[i];
		const struct sim_param *param = sim_params_find(run->params, cost->name);

		experiment_count(run, EXPERIMENT_FIGURE, param->unit, 0,
				 sim_params_u64(run->params, cost->name), NULL, "%s", cost->name);
		experiment_note(run, "%s: %s%s", cost->name, cost->fitted ? "" : "(no fit) ",
				cost->source);
	}
	add_stress(run);
	return true;
}

const struct experiment experiment_costs_list = {
	.name = "costs",
	.summary = "the cost file: what each action is taken to cost, and why",
	.run = run_costs,
};
