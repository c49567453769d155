/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/cli/cli.h - the command line: one file a subcommand, one line a subcommand in the table.
 *
 * A subcommand gets its own arguments, argv[0] being "weir-sim NAME", and returns an exit code of
 * enum sim_exit. Messages go to standard error, results to standard output; whoever pipes the one
 * never sees the other.
 */
#ifndef SIM_CLI_CLI_H
#define SIM_CLI_CLI_H

#include <popt.h>
#include <stdbool.h>
#include <stdint.h>

struct sim_error;

/**
 * struct sim_command - a subcommand
 * @name: as it is typed
 * @arguments: what follows it, for --help
 * @summary: one line
 * @run: does it
 */
struct sim_command {
	const char *name;
	const char *arguments;
	const char *summary;
	int (*run)(int argc, const char **argv);
};

int sim_cli_run(int argc, const char **argv);
int sim_cli_list_params(int argc, const char **argv);
int sim_cli_report(int argc, const char **argv);
int sim_cli_trace(int argc, const char **argv);
int sim_cli_diff(int argc, const char **argv);
int sim_cli_import(int argc, const char **argv);
int sim_cli_script(int argc, const char **argv);
int sim_cli_experiment(int argc, const char **argv);

/** sim_cli_main() - all of weir-sim; returns its exit code */
int sim_cli_main(int argc, const char **argv);

/* The program as the user called it, for command lines that can be pasted. */
extern const char *sim_cli_program;

/** sim_cli_error() - a line "weir-sim: TEXT" on standard error; returns @code */
int sim_cli_error(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/**
 * sim_cli_options() - let popt read the options, up to the end
 * @ctx: the context
 * @options: its table, for suggestions
 * @err: set if an option is unknown or its argument unreadable
 *
 * Return: true; false with @err set.
 */
bool sim_cli_options(poptContext ctx, const struct poptOption *options, struct sim_error *err);

/* popt's copies of option arguments: of POPT_ARG_STRING, and of POPT_ARG_ARGV (NULL is fine). */
void sim_cli_free_text(const char *text);
void sim_cli_free_list(const char **list);

/** sim_cli_number() - the argument of a numeric option; false with @err naming it */
bool sim_cli_number(const char *option, const char *text, uint64_t max, uint64_t *value,
		    struct sim_error *err);

#endif
