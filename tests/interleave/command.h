/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * command.h - what the verbs of weir-explore share: the command line, read.
 */
#ifndef WX_COMMAND_H
#define WX_COMMAND_H

#include "engine.h"

struct wx_command {
	const char *set;		/* a pattern of program names, or replay's file */
	struct wx_options opt;
	unsigned int models;		/* 0: the program's */
	uint64_t schedules;		/* 0: the program's */
	uint64_t from;
	const char *weaken, *out;
	bool sched_given, full, markdown;
};

void wx_usage_error(const char *what, const char *found, const char *expected)
	__attribute__((noreturn));
uint64_t wx_parse_number(const char *what, const char *s);
unsigned int wx_parse_models(const char *s);
void wx_weaken_named(const char *arg);
bool wx_selected(const struct wx_command *c, const struct wx_program *p);

/* cmd_run.c */
int wx_cmd_run(const struct wx_command *c);
int wx_cmd_replay(const struct wx_command *c);
struct wx_options wx_options_for(const struct wx_command *c, const struct wx_program *p,
				 enum wx_model model);
uint64_t wx_schedules_for(const struct wx_command *c, const struct wx_program *p);
/* The run that just failed: minimised, printed, written to --out. */
void wx_show_failure(const struct wx_command *c);
/* cmd_mutants.c */
int wx_cmd_mutants(const struct wx_command *c);
int wx_cmd_sites(const struct wx_command *c);
/* cmd_soak.c */
int wx_cmd_soak(const struct wx_command *c);
int wx_cmd_bench(const struct wx_command *c);

#endif
