/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/scenario/experiments/experiment.h - published tables, simulated and set against what was
 * published.
 *
 * An experiment is one published table: it builds the machine of the table, lets the real library
 * run on it, prices what the library did, and adds a row a figure. What a row may claim:
 *
 * E1  A row is FITTED when its published figure, or one of the same series, went into a cost of the
 *     cost file (costs.h). It shows how good the fit is and predicts nothing; 25 % are allowed.
 * E2  A row is HELD_OUT when it did not. It is a prediction; a factor of 2 is allowed.
 * E3  A BOUND is an aim of ours and no publication: the simulated figure is to stay below it.
 * E4  What is outside is marked MISS, with the reason as far as it is known. Nothing is widened.
 *
 * A miss is a statement about the model, not a fault: the exit code stays 0. A broken property (a
 * page that was written and not reported) is a fault of the library, and makes it 1.
 *
 * Simulated figures are integers. Floating point is used for the errors that are printed and in the
 * fit, nowhere else.
 */
#ifndef SIM_SCENARIO_EXPERIMENTS_EXPERIMENT_H
#define SIM_SCENARIO_EXPERIMENTS_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/engine/error.h"
#include "sim/engine/param.h"

enum experiment_kind {
	EXPERIMENT_FITTED = 0,
	EXPERIMENT_HELD_OUT,
	EXPERIMENT_BOUND,
	EXPERIMENT_FIGURE /* stands beside the others, is compared with nothing */
};

#define EXPERIMENT_NAME_BYTES 120u

/**
 * struct experiment_row - a figure
 * @name: what it is
 * @unit: as sim_format_value()
 * @published: what was published; the bound; unused for a FIGURE
 * @simulated: what came out
 * @kind: an enum experiment_kind
 * @why: where it misses: why, as far as it is known; a constant string, or NULL
 */
struct experiment_row {
	char name[EXPERIMENT_NAME_BYTES];
	const char *unit;
	uint64_t published;
	uint64_t simulated;
	enum experiment_kind kind;
	const char *why;
};

struct experiment;

/**
 * struct experiment_run - one run of one experiment
 * @experiment: which
 * @assignments: -C arguments, NAME=VALUE, ending with NULL; the last word on every parameter. May
 *	be NULL
 * @params: defaults, cost file and assignments
 * @err: set when run() fails
 * @progress: for a person who waits; may be NULL
 * @ctx: passed to it
 * @rows: what came out
 * @notes: sentences under the table
 * @failures: properties that broke, a line each
 */
struct experiment_run {
	const struct experiment *experiment;
	const char *const *assignments;
	struct sim_params *params;
	struct sim_error *err;
	void (*progress)(void *ctx, const char *what, uint64_t done, uint64_t total);
	void *ctx;
	struct experiment_row *rows;
	size_t nrows;
	char **notes;
	size_t nnotes;
	char **failures;
	size_t nfailures;
};

/**
 * struct experiment - an experiment
 * @name: as it is typed
 * @summary: one line
 * @source: where the published figures are from
 * @by_name_only: --all leaves it out
 * @check: finds what is wrong with the input before anything is simulated; false with run->err
 *	set; may be NULL
 * @run: simulates and adds rows; false with run->err set
 */
struct experiment {
	const char *name;
	const char *summary;
	const char *source;
	bool by_name_only;
	bool (*check)(struct experiment_run *run);
	bool (*run)(struct experiment_run *run);
};

/* All of them, ending with NULL. */
extern const struct experiment *const experiments[];

/** experiment_find() - by name; NULL with @err offering the nearest */
const struct experiment *experiment_find(const char *name, struct sim_error *err);

/**
 * experiment_open() - parameters for a run: defaults, then the cost file, then the assignments
 *
 * Return: false with @err set if an assignment is refused.
 */
bool experiment_open(struct experiment_run *run, const struct experiment *experiment,
		     const char *const *assignments, struct sim_error *err);
void experiment_close(struct experiment_run *run);

/** experiment_own_params() - register what experiments have beside the migrate scenario's */
void experiment_own_params(struct sim_params *params);

/** experiment_params() - fresh parameters, with @settings between cost file and assignments */
struct sim_params *experiment_params(const char *const *settings, const char *const *assignments,
				     struct sim_error *err);

/* Rows, notes and failures; the name, the note and the failure are formatted and copied. */
void experiment_row(struct experiment_run *run, enum experiment_kind kind, uint64_t published,
		    uint64_t simulated, const char *why, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
void experiment_count(struct experiment_run *run, enum experiment_kind kind, const char *unit,
		      uint64_t published, uint64_t simulated, const char *why, const char *fmt, ...)
	__attribute__((format(printf, 7, 8)));
void experiment_note(struct experiment_run *run, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void experiment_fail(struct experiment_run *run, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** experiment_missed() - is a row outside of what its kind allows? */
bool experiment_missed(const struct experiment_row *row);

/** experiment_kind_name() - "fitted", "held out", "bound", "" */
const char *experiment_kind_name(enum experiment_kind kind);

/* print.c */
void experiment_print(const struct experiment_run *run, FILE *out);
void experiment_print_json(const struct experiment_run *run, FILE *out);

#endif
