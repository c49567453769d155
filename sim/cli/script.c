// SPDX-License-Identifier: BSD-2-Clause
/*
 * script.c - weir-sim script: run conformance scripts and print what each operation gave.
 */
#include <stdio.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/engine/error.h"
#include "sim/engine/param.h"
#include "sim/machine/board.h"
#include "sim/machine/its.h"
#include "sim/machine/script.h"
#include "sim/machine/script_its.h"
#include "sim/report/run.h"

/* A kind of script: the parameters of its machine, if it has any, and how it is run. */
struct language {
	const char *name;
	void (*params)(struct sim_params *params);
	int (*run)(FILE *out, const char *path, const char *const *names, size_t nnames,
		   const struct sim_params *params, struct sim_error *err);
};

static int run_stage2(FILE *out, const char *path, const char *const *names, size_t nnames,
		      const struct sim_params *params, struct sim_error *err)
{
	struct sim_board_caps caps = sim_stage2_caps(params);

	return sim_script_stage2_on(out, path, names, nnames, &caps, err);
}

static const struct language languages[] = {
	{ "its", sim_its_params, sim_script_its },
	{ "stage2", sim_stage2_params, run_stage2 },
};

static const struct language *find(const char *name, struct sim_error *err)
{
	for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++)
		if (strcmp(name, languages[i].name) == 0)
			return &languages[i];
	sim_error_set(err, "script %.60s: no such kind of script: must be its or stage2", name);
	return NULL;
}

static int run(const struct language *language, const char **assignments, const char **args,
	       size_t nargs, struct sim_error *err)
{
	struct sim_params *params = sim_params_new();
	int code = SIM_EXIT_USAGE;

	if (language->params)
		language->params(params);
	for (size_t i = 0; assignments && assignments[i]; i++)
		sim_params_assign(params, assignments[i], err);
	if (!sim_error_is_set(err))
		code = language->run(stdout, args[1], args + 2, nargs - 2, params, err);
	sim_params_free(params);
	return code;
}

int sim_cli_script(int argc, const char **argv)
{
	const char **assignments = NULL;
	const struct poptOption options[] = {
		{ "param", 'C', POPT_ARG_ARGV, &assignments, 0,
		  "override a parameter of the machine; may be repeated", "NAME=VALUE" },
		POPT_AUTOHELP
		POPT_TABLEEND
	};
	poptContext ctx = poptGetContext("weir-sim", argc, argv, options, 0);
	struct sim_error err = { "" };
	const struct language *language = NULL;
	const char **args = NULL;
	int code = SIM_EXIT_USAGE;
	size_t n = 0;

	poptSetOtherOptionHelp(ctx, "its|stage2 FILE [NAME...] [OPTION...]");
	if (sim_cli_options(ctx, options, &err))
		args = poptGetArgs(ctx);
	while (args && args[n])
		n++;
	if (n >= 2)
		language = find(args[0], &err);
	else
		sim_error_set(&err, "script: a kind and a file are needed: "
				    "weir-sim script its|stage2 FILE [NAME...]");
	if (language)
		code = run(language, assignments, args, n, &err);
	if (code)
		sim_cli_error(code, "%s", err.text);
	poptFreeContext(ctx);
	sim_cli_free_list(assignments);
	return code;
}
