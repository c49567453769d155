// SPDX-License-Identifier: BSD-2-Clause
/*
 * report.c - weir-sim report: render report.html again, from the data files of a run directory.
 */
#include <stdio.h>

#include "sim/cli/cli.h"
#include "sim/engine/error.h"
#include "sim/report/html.h"
#include "sim/report/model.h"
#include "sim/report/run.h"

int sim_cli_report(int argc, const char **argv)
{
	const struct poptOption options[] = { POPT_AUTOHELP POPT_TABLEEND };
	poptContext ctx = poptGetContext("weir-sim", argc, argv, options, 0);
	struct sim_error err = { "" };
	struct sim_model *model = NULL;
	const char *dir = NULL;
	int code;

	poptSetOtherOptionHelp(ctx, "DIR");
	if (sim_cli_options(ctx, options, &err)) {
		dir = poptGetArg(ctx);
		if (!dir || poptPeekArg(ctx))
			sim_error_set(&err, "report: one run directory is needed: "
				      "weir-sim report DIR");
	}
	if (!sim_error_is_set(&err))
		model = sim_model_load(dir, &err);
	if (model && sim_html_write_model(dir, model, &err))
		printf("%s/report.html\n", dir);
	code = !sim_error_is_set(&err) ? SIM_EXIT_OK : model ? SIM_EXIT_INTERNAL : SIM_EXIT_USAGE;
	sim_model_free(model);
	poptFreeContext(ctx);
	return code == SIM_EXIT_OK ? code : sim_cli_error(code, "%s", err.text);
}
