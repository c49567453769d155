/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/machine/script.h - conformance scripts: the form that all their languages share.
 *
 * A line is `scenario NAME` or an operation: words separated by blanks, the first its name; `#`
 * begins a comment; empty lines are skipped. What operations there are, what they take, and what
 * may follow a scenario's name, is the matter of each language. A script is read and checked whole
 * before any of it runs.
 */
#ifndef SIM_MACHINE_SCRIPT_H
#define SIM_MACHINE_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/engine/error.h"

/** struct sim_script_line - an operation, or the head of a scenario */
struct sim_script_line {
	uint64_t number;	/* of the line, from 1 */
	size_t nwords;
	char **words;
};

struct sim_script {
	char *path;
	size_t nlines;
	struct sim_script_line *lines;
};

/** sim_script_read() - read a script ("-": standard input, .zst: compressed); NULL with err set */
struct sim_script *sim_script_read(const char *path, struct sim_error *err);

/** sim_script_free() - give it back; NULL is fine */
void sim_script_free(struct sim_script *s);

/** sim_script_is_head() - whether a line is `scenario NAME`: it has at least two words then */
bool sim_script_is_head(const struct sim_script_line *line);

/**
 * sim_script_number() - a word as a number: decimal, or hexadecimal in lower case after 0x
 *
 * Return: false if it is not one, or does not fit 64 bits.
 */
bool sim_script_number(const char *word, uint64_t *value);

/**
 * sim_script_select() - whether the scenarios named are all there
 * @names: nnames of them; none: all scenarios are meant, of which there must be one
 *
 * Return: false with err set to the first that is not.
 */
bool sim_script_select(const struct sim_script *s, const char *const *names, size_t nnames,
		       struct sim_error *err);

/** sim_script_selected() - whether a scenario is among the names (or there are none) */
bool sim_script_selected(const char *name, const char *const *names, size_t nnames);

/** sim_script_echo() - print a line's words, separated by one space */
void sim_script_echo(FILE *out, const struct sim_script_line *line);

struct sim_params;
struct sim_board_caps;

/** sim_stage2_params() - register what a stage-2 script's machine can be given: s2.* */
void sim_stage2_params(struct sim_params *params);

/** sim_stage2_caps() - the machine that the parameters describe */
struct sim_board_caps sim_stage2_caps(const struct sim_params *params);

/**
 * sim_script_stage2_on() - sim_script_stage2(), on a machine with other capabilities
 */
int sim_script_stage2_on(FILE *out, const char *path, const char *const *names, size_t nnames,
			 const struct sim_board_caps *caps, struct sim_error *err);

/**
 * sim_script_stage2() - run a script of stage-2 operations
 * @out: gets `scenario NAME` and `OPERATION => RESULT` lines; nothing if the script is bad
 * @path: the script; "-" is standard input
 * @names: run these scenarios, in the script's order; nnames 0: all
 *
 * Return: 0; 2 with err set if the script cannot be read or understood.
 */
int sim_script_stage2(FILE *out, const char *path, const char *const *names, size_t nnames,
		      struct sim_error *err);

#endif
