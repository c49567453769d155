// SPDX-License-Identifier: BSD-2-Clause
/*
 * run.c - weir-sim run: a configuration in, a run directory out, the comparison on standard output.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sim/cli/cli.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/progress.h"
#include "sim/engine/error.h"
#include "sim/report/config.h"
#include "sim/report/files.h"
#include "sim/report/model.h"
#include "sim/report/run.h"
#include "sim/report/table.h"
#include "sim/scenario/scenario.h"

struct run_options {
	const char *config;
	const char **assignments;	/* NULL, or ends with NULL */
	const char *seed, *number, *out, *format;
	int force, quiet, no_trace;
	bool json;
};

static bool parse(int argc, const char **argv, poptContext *ctx, struct run_options *o,
		  struct sim_error *err)
{
	const struct poptOption options[] = {
		{ "param", 'C', POPT_ARG_ARGV, &o->assignments, 0,
		  "override a parameter; may be repeated", "NAME=VALUE" },
		{ "seed", 0, POPT_ARG_STRING, &o->seed, 0, "seed of every random stream", "S" },
		{ "run", 0, POPT_ARG_STRING, &o->number, 0,
		  "run number: an independent repetition", "N" },
		{ "out", 0, POPT_ARG_STRING, &o->out, 0,
		  "directory to write (runs/SCENARIO-SEED-RUN)", "DIR" },
		{ "force", 0, POPT_ARG_NONE, &o->force, 0, "replace an earlier run in it", NULL },
		{ "format", 0, POPT_ARG_STRING, &o->format, 0,
		  "table, or json: compare.json and nothing else", "table|json" },
		{ "no-trace", 0, POPT_ARG_NONE, &o->no_trace, 0,
		  "keep no event history; the digest stays", NULL },
		{ "quiet", 0, POPT_ARG_NONE, &o->quiet, 0, "no table, no progress", NULL },
		POPT_AUTOHELP
		POPT_TABLEEND
	};

	*ctx = poptGetContext("weir-sim", argc, argv, options, 0);
	poptSetOtherOptionHelp(*ctx, "CONFIG [OPTION...]");
	if (!sim_cli_options(*ctx, options, err))
		return false;
	o->config = poptGetArg(*ctx);
	if (!o->config) {
		sim_error_set(err, "run: a configuration file is needed: weir-sim run CONFIG");
		return false;
	}
	if (poptPeekArg(*ctx)) {
		sim_error_set(err, "run: %s: one configuration at a time (parameters are set by "
			      "-C NAME=VALUE)", poptPeekArg(*ctx));
		return false;
	}
	o->json = o->format && strcmp(o->format, "json") == 0;
	if (o->format && !o->json && strcmp(o->format, "table") != 0) {
		sim_error_set(err, "--format=%s: must be table or json", o->format);
		return false;
	}
	return true;
}

static void free_options(const struct run_options *o)
{
	sim_cli_free_list(o->assignments);
	sim_cli_free_text(o->seed);
	sim_cli_free_text(o->number);
	sim_cli_free_text(o->out);
	sim_cli_free_text(o->format);
}

static struct sim_config *configure(const struct run_options *o, struct sim_error *err)
{
	struct sim_config *config = sim_config_load(o->config, err);
	bool ok = config != NULL;

	for (size_t i = 0; ok && o->assignments && o->assignments[i]; i++)
		ok = sim_params_assign(config->params, o->assignments[i], err);
	if (ok && o->seed)
		ok = sim_cli_number("--seed", o->seed, SIM_SEED_MAX, &config->seed, err);
	if (ok && o->number)
		ok = sim_cli_number("--run", o->number, SIM_SEED_MAX, &config->number, err);
	if (ok)
		return config;
	sim_config_free(config);
	return NULL;
}

/* A word as a shell takes it. */
static void put_word(FILE *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=.,/:@%";

	if (*word && strspn(word, plain) == strlen(word)) {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (char[]){ *word, '\0' }, out);
	fputc('\'', out);
}

/* The command that does this again, in the same directory. */
static char *command_of(const struct run_options *o, const struct sim_config *config,
			const char *dir)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	put_word(out, sim_cli_program);
	fputs(" run ", out);
	put_word(out, o->config);
	for (size_t i = 0; o->assignments && o->assignments[i]; i++) {
		fputs(" -C ", out);
		put_word(out, o->assignments[i]);
	}
	fprintf(out, " --seed %" PRIu64 " --run %" PRIu64 " --out ", config->seed,
		config->number);
	put_word(out, dir);
	fputs(o->no_trace ? " --no-trace --force" : " --force", out);
	fclose(out);
	return text;
}

static char *dir_of(const struct run_options *o, const struct sim_config *config)
{
	char *dir = NULL;
	size_t len;
	FILE *out;

	if (o->out)
		return sim_strdup(o->out);
	out = open_memstream(&dir, &len);
	fprintf(out, "runs/%s-%" PRIu64 "-%" PRIu64, config->scenario->name, config->seed,
		config->number);
	fclose(out);
	return dir;
}

static void on_progress(void *ctx, const char *what, uint64_t done, uint64_t total)
{
	sim_progress_show(ctx, what, done, total);
}

static void on_failure(void *ctx, const char *property)
{
	sim_progress_wipe(ctx);
	sim_cli_error(0, "property violated: %s", property);
}

static bool print_json(const char *dir, struct sim_error *err)
{
	char *path = sim_path_join(dir, "compare.json"), buffer[4096];
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f)
		sim_error_at(err, path, 0, "cannot be read back");
	while (f && (n = fread(buffer, 1, sizeof(buffer), f)) > 0)
		fwrite(buffer, 1, n, stdout);
	if (f)
		fclose(f);
	free(path);
	return !sim_error_is_set(err);
}

/* 0 in a pipe or a file: there a row is a line. */
static unsigned int terminal_columns(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static bool print_result(const struct run_options *o, const char *dir, struct sim_error *err)
{
	struct sim_model *model;

	if (o->json)
		return print_json(dir, err);
	if (o->quiet)
		return true;
	model = sim_model_load(dir, err);
	if (!model)
		return false;
	sim_table_print(model, terminal_columns(), stdout);
	printf("\nreport  %s%sreport.html\ndigest  %s\n", dir,
	       dir[strlen(dir) - 1] == '/' ? "" : "/", model->digest);
	sim_model_free(model);
	return true;
}

static int run_it(const struct run_options *o, const struct sim_config *config)
{
	struct sim_error err = { "" };
	struct sim_progress progress;
	struct sim_run_watcher watcher = { on_progress, on_failure, &progress };
	struct sim_run_record record;
	char *dir = dir_of(o, config), *command = command_of(o, config, dir);
	struct sim_run_request request = {
		.config = config, .dir = dir, .force = o->force, .no_trace = o->no_trace,
		.command = command, .watcher = &watcher,
	};
	int code;

	sim_progress_init(&progress, o->quiet);
	sim_interrupt_watch(dir);
	code = (int)sim_run_recorded(&request, &record, &err);
	sim_interrupt_done();
	sim_progress_wipe(&progress);
	if ((code == SIM_EXIT_OK || code == SIM_EXIT_PROPERTY) && !print_result(o, dir, &err))
		code = SIM_EXIT_INTERNAL;
	if (code == SIM_EXIT_PROPERTY) {
		fflush(stdout);
		fprintf(stderr, "%s\n", command);
	} else if (code != SIM_EXIT_OK) {
		sim_cli_error(code, "%s", err.text);
	}
	free(command);
	free(dir);
	return code;
}

int sim_cli_run(int argc, const char **argv)
{
	struct sim_error err = { "" };
	struct run_options o = { .config = NULL };
	struct sim_config *config = NULL;
	poptContext ctx;
	int code;

	if (parse(argc, argv, &ctx, &o, &err))
		config = configure(&o, &err);
	code = config ? run_it(&o, config) : sim_cli_error(SIM_EXIT_USAGE, "%s", err.text);
	sim_config_free(config);
	free_options(&o);
	poptFreeContext(ctx);
	return code;
}
