// SPDX-License-Identifier: BSD-2-Clause
/*
 * cli.c - which subcommand, --help, --version, and what subcommands share.
 */
#include "sim/cli/cli.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/error.h"
#include "sim/engine/nearest.h"
#include "sim/engine/number.h"
#include "sim/report/build_info.h"
#include "sim/report/run.h"

const char *sim_cli_program = "weir-sim";

static const struct sim_command commands[] = {
	{ "run", "CONFIG", "run a scenario and record it in a directory", sim_cli_run },
	{ "list-params", "[NAME]", "parameters, their defaults, ranges and sources",
	  sim_cli_list_params },
	{ "report", "DIR", "render report.html of a run directory again", sim_cli_report },
	{ "trace", "DIR|FILE", "print an event history as text", sim_cli_trace },
	{ "diff", "A B", "first event and counters in which two runs differ", sim_cli_diff },
	{ "import", "qemu-log FILE", "a recording of another program as a stream", sim_cli_import },
	{ "script", "KIND FILE [NAME...]", "run a conformance script", sim_cli_script },
	{ "experiment", "NAME|--all", "simulate a published table, set it against the figures",
	  sim_cli_experiment },
};

#define NCOMMANDS (sizeof(commands) / sizeof(commands[0]))

/*
 * How many bytes at p a terminal would obey and not show: a control character, or U+0080 to U+009F,
 * U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069.
 */
static size_t unshown(const unsigned char *p)
{
	if (*p < 0x20 || *p == 0x7f)
		return 1;
	if (p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0)
		return 2;
	if (p[0] == 0xe2 && p[1] == 0x80 &&
	    (p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xaa && p[2] <= 0xae)))
		return 3;
	return p[0] == 0xe2 && p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9 ? 3 : 0;
}

int sim_cli_error(int code, const char *fmt, ...)
{
	char text[2 * SIM_ERROR_BYTES];
	const unsigned char *p = (const unsigned char *)text;
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	fputs("weir-sim: ", stderr);
	while (*p) {
		size_t n = unshown(p);

		if (!n)
			fputc(*p++, stderr);
		for (; n; n--)
			fprintf(stderr, "\\x%02x", *p++);
	}
	fputc('\n', stderr);
	return code;
}

static bool options_left(const struct poptOption *option)
{
	return option->longName || option->shortName || option->arg;
}

bool sim_cli_options(poptContext ctx, const struct poptOption *options, struct sim_error *err)
{
	int code = poptGetNextOpt(ctx);
	const char *bad = poptBadOption(ctx, POPT_BADOPTION_NOALIAS);
	char names[32][64], hint[256];
	struct sim_nearest near;

	if (code == -1)
		return true;
	sim_nearest_init(&near, bad);
	for (size_t i = 0, n = 0; code == POPT_ERROR_BADOPT && options_left(&options[i]); i++) {
		if (!options[i].longName || n == sizeof(names) / sizeof(names[0]))
			continue;
		snprintf(names[n], sizeof(names[n]), "--%s", options[i].longName);
		sim_nearest_offer(&near, names[n++]);
	}
	sim_nearest_text(&near, hint, sizeof(hint));
	sim_error_set(err, "%s: %s%s", bad, poptStrerror(code), hint);
	return false;
}

void sim_cli_free_text(const char *text)
{
	free((void *)text);
}

void sim_cli_free_list(const char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		sim_cli_free_text(list[i]);
	free(list);
}

bool sim_cli_number(const char *option, const char *text, uint64_t max, uint64_t *value,
		    struct sim_error *err)
{
	uint64_t number;

	if (sim_number_parse(text, &number) && number <= max) {
		*value = number;
		return true;
	}
	sim_error_set(err, "%s=%.60s: must be a number, 0..%" PRIu64, option, text, max);
	return false;
}

static void help(FILE *out)
{
	fprintf(out, "Usage: weir-sim COMMAND ...\n\n"
		"What a policy does to a machine, before a kernel is patched.\n\n");
	for (size_t i = 0; i < NCOMMANDS; i++)
		fprintf(out, "  %-11s %-10s  %s\n", commands[i].name, commands[i].arguments,
			commands[i].summary);
	fprintf(out, "\n  --help      also after a command\n  --version\n\n"
		"Exit codes: 0 done, every property held; 1 a property failed, or two runs\n"
		"differ; 2 usage or bad input; 3 internal error.\n");
}

static int version(void)
{
	const struct sim_build_info *build = &sim_build_info;

	printf("weir-sim %s\ncommit %s%s\n%s, %s, %s\n", build->version, build->commit,
	       build->dirty ? " with changes" : "", build->compiler, build->flags, build->arch);
	return SIM_EXIT_OK;
}

static int unknown(const char *name)
{
	struct sim_nearest near;
	char hint[256];

	sim_nearest_init(&near, name);
	for (size_t i = 0; i < NCOMMANDS; i++)
		sim_nearest_offer(&near, commands[i].name);
	sim_nearest_text(&near, hint, sizeof(hint));
	return sim_cli_error(SIM_EXIT_USAGE, "%s: no such command%s (weir-sim --help lists them)",
			     sim_quote(name, strlen(name)).text, hint);
}

/* Results that could not be written are not results. */
static int flushed(int code)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		return sim_cli_error(SIM_EXIT_INTERNAL, "standard output cannot be written");
	return code;
}

int sim_cli_main(int argc, const char **argv)
{
	char title[64];

	if (argc < 2) {
		help(stderr);
		return SIM_EXIT_USAGE;
	}
	sim_cli_program = argv[0];
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		help(stdout);
		return flushed(SIM_EXIT_OK);
	}
	if (strcmp(argv[1], "--version") == 0)
		return flushed(version());
	for (size_t i = 0; i < NCOMMANDS; i++) {
		if (strcmp(argv[1], commands[i].name) != 0)
			continue;
		snprintf(title, sizeof(title), "weir-sim %s", argv[1]);
		argv[1] = title;
		return flushed(commands[i].run(argc - 1, argv + 1));
	}
	return unknown(argv[1]);
}
