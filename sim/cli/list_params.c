// SPDX-License-Identifier: BSD-2-Clause
/*
 * list_params.c - weir-sim list-params: each parameter as -C takes it, its range, unit, source.
 */
#include <stdio.h>

#include "sim/cli/cli.h"
#include "sim/engine/error.h"
#include "sim/report/config.h"
#include "sim/report/run.h"
#include "sim/scenario/scenario.h"

static void print_scenario(const struct sim_scenario *scenario)
{
	struct sim_params *params = sim_scenario_params(scenario);
	char range[256];

	printf("%s: %s\n", scenario->name, scenario->summary);
	for (size_t i = 0; i < sim_params_count(params); i++) {
		const struct sim_param *p = sim_params_at(params, i);

		sim_param_range_text(p, range, sizeof(range));
		printf("\n  %s=%s  (%s%s%s)\n      %s\n      default: %s\n", p->name, p->def, range,
		       *p->unit ? " " : "", p->unit, p->description, p->source);
	}
	sim_params_free(params);
}

int sim_cli_list_params(int argc, const char **argv)
{
	const struct poptOption options[] = { POPT_AUTOHELP POPT_TABLEEND };
	poptContext ctx = poptGetContext("weir-sim", argc, argv, options, 0);
	const struct sim_scenario *scenario = NULL;
	struct sim_error err = { "" };
	const char *name;

	poptSetOtherOptionHelp(ctx, "[SCENARIO]");
	if (sim_cli_options(ctx, options, &err) && (name = poptGetArg(ctx)))
		scenario = sim_scenario_find(name, "list-params", &err);
	if (!sim_error_is_set(&err)) {
		for (size_t i = 0; sim_scenarios[i]; i++) {
			if (scenario && sim_scenarios[i] != scenario)
				continue;
			if (!scenario && i > 0)
				putchar('\n');
			print_scenario(sim_scenarios[i]);
		}
	}
	poptFreeContext(ctx);
	return sim_error_is_set(&err) ? sim_cli_error(SIM_EXIT_USAGE, "%s", err.text)
				      : SIM_EXIT_OK;
}
