// SPDX-License-Identifier: BSD-2-Clause
/*
 * script.c - weir-sim script: run conformance scripts and print what each operation gave.
 */
#include <stdio.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/machine/script.h"
#include "sim/report/run.h"

struct language {
	const char *name;
	int (*run)(FILE *out, const char *path, const char *const *names, size_t nnames,
		   struct sim_error *err);
};

static const struct language languages[] = {
	{ "stage2", sim_script_stage2 },
};

static const struct language *find(const char *name, struct sim_error *err)
{
	for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++)
		if (strcmp(name, languages[i].name) == 0)
			return &languages[i];
	sim_error_set(err, "script %.60s: no such kind of script: must be stage2", name);
	return NULL;
}

int sim_cli_script(int argc, const char **argv)
{
	const struct poptOption options[] = { POPT_AUTOHELP POPT_TABLEEND };
	poptContext ctx = poptGetContext("weir-sim", argc, argv, options, 0);
	struct sim_error err = { "" };
	const struct language *language = NULL;
	const char **args = NULL;
	int code = SIM_EXIT_USAGE;
	size_t n = 0;

	poptSetOtherOptionHelp(ctx, "stage2 FILE [NAME...]");
	if (sim_cli_options(ctx, options, &err))
		args = poptGetArgs(ctx);
	while (args && args[n])
		n++;
	if (n >= 2)
		language = find(args[0], &err);
	else
		sim_error_set(&err, "script: a kind and a file are needed: "
				    "weir-sim script stage2 FILE [NAME...]");
	if (language)
		code = language->run(stdout, args[1], args + 2, n - 2, &err);
	if (code)
		sim_cli_error(code, "%s", err.text);
	poptFreeContext(ctx);
	return code;
}
