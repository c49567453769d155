// SPDX-License-Identifier: BSD-2-Clause
/*
 * experiment.c - weir-sim experiment: published tables, simulated.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/cli/cli.h"
#include "sim/cli/progress.h"
#include "sim/engine/error.h"
#include "sim/report/files.h"
#include "sim/report/run.h"
#include "sim/scenario/experiments/experiment.h"

struct options {
	const char *name, *format, *out;
	const char **assignments; /* NULL, or ends with NULL */
	int all;
	bool json;
};

static bool parse(int argc, const char **argv, poptContext *ctx, struct options *o,
		  struct sim_error *err)
{
	const struct poptOption options[] =
		{{"all", 0, POPT_ARG_NONE, &o->all, 0, "all but fit", NULL},
		 {"format", 0, POPT_ARG_STRING, &o->format, 0, "table, or json", "table|json"},
		 {"param", 'C', POPT_ARG_ARGV, &o->assignments, 0,
		  "override a parameter or a cost; may be repeated", "NAME=VALUE"},
		 {"out", 0, POPT_ARG_STRING, &o->out, 0,
		  "write NAME.txt and NAME.json into this directory as well", "DIR"},
		 POPT_AUTOHELP POPT_TABLEEND};

	*ctx = poptGetContext("weir-sim", argc, argv, options, 0);
	poptSetOtherOptionHelp(*ctx, "NAME|--all|list [OPTION...]");
	if (!sim_cli_options(*ctx, options, err))
		return false;
	o->name = poptGetArg(*ctx);
	if (!o->name == !o->all || poptPeekArg(*ctx)) {
		sim_error_set(err, "experiment: one name, or --all: weir-sim experiment NAME "
				   "(weir-sim experiment list)");
		return false;
	}
	o->json = o->format && strcmp(o->format, "json") == 0;
	if (o->format && !o->json && strcmp(o->format, "table") != 0) {
		sim_error_set(err, "--format=%s: must be table or json", o->format);
		return false;
	}
	return true;
}

static void list(void)
{
	for (size_t i = 0; experiments[i]; i++)
		printf("%-14s %s\n", experiments[i]->name, experiments[i]->summary);
}

static void on_progress(void *ctx, const char *what, uint64_t done, uint64_t total)
{
	sim_progress_show(ctx, what, done, total);
}

/* One file of the output directory. */
static bool write_file(const struct experiment_run *run, const char *dir, const char *suffix,
		       void (*print)(const struct experiment_run *run, FILE *out),
		       struct sim_error *err)
{
	char name[80], *path, *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	bool ok;

	print(run, out);
	fclose(out);
	snprintf(name, sizeof(name), "%s.%s", run->experiment->name, suffix);
	path = sim_path_join(dir, name);
	ok = sim_file_write(path, text, len, err);
	free(path);
	free(text);
	return ok;
}

static enum sim_exit run_one(const struct experiment *experiment, const struct options *o,
			     struct sim_error *err)
{
	struct sim_progress progress;
	struct experiment_run run;
	enum sim_exit code = SIM_EXIT_USAGE;

	if (!experiment_open(&run, experiment, o->assignments, err))
		return SIM_EXIT_USAGE;
	sim_progress_init(&progress, false);
	run.progress = on_progress;
	run.ctx = &progress;
	if (experiment->run(&run)) {
		sim_progress_wipe(&progress);
		(o->json ? experiment_print_json : experiment_print)(&run, stdout);
		code = run.nfailures ? SIM_EXIT_PROPERTY : SIM_EXIT_OK;
		if (o->out && (!write_file(&run, o->out, "txt", experiment_print, err) ||
			       !write_file(&run, o->out, "json", experiment_print_json, err)))
			code = SIM_EXIT_INTERNAL;
	}
	sim_progress_wipe(&progress);
	experiment_close(&run);
	fflush(stdout);
	return code;
}

/* Is the input of one good? */
static bool check_one(const struct experiment *experiment, const struct options *o,
		      struct sim_error *err)
{
	struct experiment_run run;
	bool ok;

	if (!experiment_open(&run, experiment, o->assignments, err))
		return false;
	ok = !experiment->check || experiment->check(&run);
	experiment_close(&run);
	return ok;
}

static bool check_all(const struct options *o, struct sim_error *err)
{
	bool ok = true;

	for (size_t i = 0; ok && experiments[i]; i++)
		ok = experiments[i]->by_name_only || check_one(experiments[i], o, err);
	return ok;
}

/* The worst that happened: what could not run before what ran and failed. */
static enum sim_exit run_all(const struct options *o, struct sim_error *err)
{
	enum sim_exit worst = SIM_EXIT_OK;

	if (!check_all(o, err))
		return SIM_EXIT_USAGE;
	if (o->json)
		puts("[");
	for (size_t i = 0, n = 0; experiments[i]; i++) {
		enum sim_exit code;

		if (experiments[i]->by_name_only)
			continue;
		if (n++)
			puts(o->json ? "," : "");
		code = run_one(experiments[i], o, err);
		if (code > worst)
			worst = code;
		if (sim_error_is_set(err))
			break;
	}
	if (o->json)
		puts("]");
	return worst;
}

/* Before anything is simulated: a directory that is there, or is made. */
static bool out_ready(const char *out, struct sim_error *err)
{
	struct stat st;

	if (!out)
		return true;
	if (!*out)
		sim_error_set(err, "--out: must be the name of a directory");
	else if (stat(out, &st) != 0)
		return sim_dir_make(out, err);
	else if (!S_ISDIR(st.st_mode))
		sim_error_at(err, out, 0, "is there, and is not a directory");
	else if (access(out, W_OK | X_OK) != 0)
		sim_error_at(err, out, 0, "cannot be written to: %s", strerror(errno));
	return !sim_error_is_set(err);
}

int sim_cli_experiment(int argc, const char **argv)
{
	struct sim_error err = {""};
	struct options o = {.name = NULL};
	const struct experiment *experiment = NULL;
	enum sim_exit code = SIM_EXIT_USAGE;
	poptContext ctx;

	if (parse(argc, argv, &ctx, &o, &err) && out_ready(o.out, &err)) {
		if (o.name && strcmp(o.name, "list") == 0) {
			list();
			code = SIM_EXIT_OK;
		} else if (o.all) {
			code = run_all(&o, &err);
		} else if ((experiment = experiment_find(o.name, &err)) &&
			   check_one(experiment, &o, &err)) {
			code = run_one(experiment, &o, &err);
		}
	}
	if (sim_error_is_set(&err))
		sim_cli_error((int)code, "%s", err.text);
	sim_cli_free_list(o.assignments);
	sim_cli_free_text(o.format);
	sim_cli_free_text(o.out);
	poptFreeContext(ctx);
	return (int)code;
}
