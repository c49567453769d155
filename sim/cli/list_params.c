// SPDX-License-Identifier: BSD-2-Clause
/*
 * list_params.c - weir-sim list-params: each parameter as -C takes it, its range, unit, source.
 */
#include <stdio.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/engine/error.h"
#include "sim/engine/nearest.h"
#include "sim/engine/param.h"
#include "sim/machine/its.h"
#include "sim/machine/script.h"
#include "sim/report/config.h"
#include "sim/report/run.h"
#include "sim/scenario/experiments/experiment.h"
#include "sim/scenario/scenario.h"

/* Parameters that belong to no scenario: of the machines of scripts, and of the experiments. */
struct other {
	const char *name, *summary;
	void (*params)(struct sim_params *params);
};

static const struct other others[] = {
	{ "its", "weir-sim script its: the ITS and its GIC", sim_its_params },
	{ "stage2", "weir-sim script stage2: a CPU and its stage 2", sim_stage2_params },
	{ "experiment", "weir-sim experiment: beside those of migrate, with its own cost file",
	  experiment_own_params },
};

#define NOTHERS (sizeof(others) / sizeof(others[0]))

static void print(const char *name, const char *summary, const struct sim_params *params)
{
	char range[256];

	printf("%s: %s\n", name, summary);
	for (size_t i = 0; i < sim_params_count(params); i++) {
		const struct sim_param *p = sim_params_at(params, i);

		sim_param_range_text(p, range, sizeof(range));
		printf("\n  %s=%s  (%s%s%s)\n      %s\n      default: %s\n", p->name, p->def, range,
		       *p->unit ? " " : "", p->unit, p->description, p->source);
	}
}

/* The sets of that name, or all of them. Returns how many there were. */
static size_t print_sets(const char *name)
{
	struct sim_params *params;
	size_t n = 0;

	for (size_t i = 0; sim_scenarios[i]; i++) {
		if (name && strcmp(name, sim_scenarios[i]->name) != 0)
			continue;
		if (n++)
			putchar('\n');
		params = sim_scenario_params(sim_scenarios[i]);
		print(sim_scenarios[i]->name, sim_scenarios[i]->summary, params);
		sim_params_free(params);
	}
	for (size_t i = 0; i < NOTHERS; i++) {
		if (name && strcmp(name, others[i].name) != 0)
			continue;
		if (n++)
			putchar('\n');
		params = sim_params_new();
		others[i].params(params);
		print(others[i].name, others[i].summary, params);
		sim_params_free(params);
	}
	return n;
}

static void no_such_set(const char *name, struct sim_error *err)
{
	struct sim_nearest near;
	char hint[256];

	sim_nearest_init(&near, name);
	for (size_t i = 0; sim_scenarios[i]; i++)
		sim_nearest_offer(&near, sim_scenarios[i]->name);
	for (size_t i = 0; i < NOTHERS; i++)
		sim_nearest_offer(&near, others[i].name);
	sim_nearest_text(&near, hint, sizeof(hint));
	sim_error_set(err, "list-params: no such scenario: %s%s (weir-sim list-params lists all)",
		      sim_quote(name, strlen(name)).text, hint);
}

int sim_cli_list_params(int argc, const char **argv)
{
	const struct poptOption options[] = { POPT_AUTOHELP POPT_TABLEEND };
	poptContext ctx = poptGetContext("weir-sim", argc, argv, options, 0);
	struct sim_error err = { "" };
	const char *name;

	poptSetOtherOptionHelp(ctx, "[SCENARIO|its|stage2|experiment]");
	if (sim_cli_options(ctx, options, &err)) {
		name = poptGetArg(ctx);
		if (poptPeekArg(ctx))
			sim_error_set(&err, "list-params: one scenario, or none for all");
		else if (print_sets(name) == 0)
			no_such_set(name, &err);
	}
	poptFreeContext(ctx);
	return sim_error_is_set(&err) ? sim_cli_error(SIM_EXIT_USAGE, "%s", err.text)
				      : SIM_EXIT_OK;
}
