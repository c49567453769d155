// SPDX-License-Identifier: BSD-2-Clause
/*
 * report.c - weir-sim report: render report.html again, from the data files of a run directory.
 */
#include <stdio.h>

#include "sim/cli/cli.h"
#include "sim/engine/error.h"
#include "sim/report/html.h"
#include "sim/report/run.h"

int sim_cli_report(int argc, const char **argv)
{
	const struct poptOption options[] = { POPT_AUTOHELP POPT_TABLEEND };
	poptContext ctx = poptGetContext("weir-sim", argc, argv, options, 0);
	struct sim_error err = { "" };
	const char *dir = NULL;

	poptSetOtherOptionHelp(ctx, "DIR");
	if (sim_cli_options(ctx, options, &err)) {
		dir = poptGetArg(ctx);
		if (!dir || poptPeekArg(ctx))
			sim_error_set(&err, "report: one run directory is needed: "
				      "weir-sim report DIR");
	}
	if (!sim_error_is_set(&err) && sim_html_write(dir, &err))
		printf("%s/report.html\n", dir);
	poptFreeContext(ctx);
	return sim_error_is_set(&err) ? sim_cli_error(SIM_EXIT_USAGE, "%s", err.text)
				      : SIM_EXIT_OK;
}
