/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/scenario/scenario.h - the contract between a scenario and the command that runs it.
 *
 * A scenario composes machine, guest and library into one question ("what does each dirty-tracking
 * policy do to this guest's migration?"). It declares its parameters, and a run() that simulates
 * and hands over results through the calls below. It opens no file for output, prints nothing,
 * reads no clock, and never exits: the shell does that.
 *
 * The shape of a run():
 *
 *	for each policy to compare
 *		out = sim_run_policy_begin(run, name, &shape)
 *		simulate, with out's history and series        (several may be open at a time)
 *	for each policy
 *		sim_run_value(out, METRIC_LOST_PAGES, value)   (figures of the comparison table)
 *		sim_run_policy_end(out, stats)
 *	sim_run_note(run, "adaptive loses least ...")
 *	return SIM_RUN_OK
 *
 * R1  A violated property is reported by sim_run_fail(), as soon as it is known, and the run may go
 *     on or stop; in either case weir-sim ends with exit code 1, and its last line on standard
 *     error is the command that reproduces it.
 * R2  Bad input that only the scenario can see (a trace that does not parse, policy.names with an
 *     unknown policy) is SIM_RUN_BAD_INPUT with run->err set, before the first policy begins.
 * R3  The digest covers the policies in the order they were *begun*: history and stats of each.
 *
 * Concurrency: one thread.
 */
#ifndef SIM_SCENARIO_SCENARIO_H
#define SIM_SCENARIO_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/engine/param.h"
#include "sim/report/series.h"

struct sim_error;
struct sim_history;
struct sim_history_kind;
struct sim_stats;
struct sim_run_state;		/* the shell's side of a run */

/* What is better in a column of the comparison table. */
enum sim_metric_better {
	SIM_METRIC_NEUTRAL = 0,
	SIM_METRIC_LOWER,
	SIM_METRIC_HIGHER
};

/**
 * struct sim_metric - a column of the comparison table and of compare.json
 * @name: "blackout_ns", stable once published
 * @title: for a person, without the unit: "blackout"
 * @unit: "ns", "vcpu ns", "bytes", "pages"; "" for a count; "bool" prints true or false
 * @better: which way is better
 * @detail: in compare.json and the report, but not in the table on the terminal
 * @description: one line
 */
struct sim_metric {
	const char *name;
	const char *title;
	const char *unit;
	enum sim_metric_better better;
	bool detail;
	const char *description;
};

/* An entry of a table of metrics; better: LOWER, HIGHER or NEUTRAL. */
#define SIM_METRIC(name_, title_, unit_, better_, detail_, description_)                    \
	{ .name = (name_), .title = (title_), .unit = (unit_), .better = SIM_METRIC_##better_, \
	  .detail = (detail_), .description = (description_) }

struct sim_param_table {
	const struct sim_param *params;
	size_t n;
};

enum sim_run_result {
	SIM_RUN_OK = 0,			/* finished; properties that broke were reported */
	SIM_RUN_BAD_INPUT,		/* run->err says what; exit code 2 */
	SIM_RUN_INTERNAL		/* run->err says what; exit code 3 */
};

/**
 * struct sim_run - one run, as run() sees it
 * @params: every parameter, with the value to use
 * @seed: seeds every random stream
 * @number: run number: independent repetitions of one seed
 * @err: the scenario's to set when it returns anything but SIM_RUN_OK
 * @state: the shell's
 */
struct sim_run {
	const struct sim_params *params;
	uint64_t seed;
	uint64_t number;
	struct sim_error *err;
	struct sim_run_state *state;
};

/**
 * struct sim_scenario - a scenario
 * @name: `scenario: NAME` in a configuration file
 * @summary: one line
 * @tables: parameter tables of the components it is made of
 * @ntables: how many
 * @metrics: columns of the comparison table, in order
 * @nmetrics: how many
 * @kinds: kinds of events that its policies emit (sim/engine/history.h)
 * @nkinds: how many
 * @run: simulate and hand over results
 */
struct sim_scenario {
	const char *name;
	const char *summary;
	const struct sim_param_table *tables;
	size_t ntables;
	const struct sim_metric *metrics;
	size_t nmetrics;
	const struct sim_history_kind *kinds;
	uint32_t nkinds;
	enum sim_run_result (*run)(struct sim_run *run);
};

/* The scenarios of this build, ending with NULL (sim/scenario/list.c). */
extern const struct sim_scenario *const sim_scenarios[];

/**
 * struct sim_policy_shape - the axes of a policy's pictures
 * @vcpus: vCPUs; capacity is one second of progress per second and vCPU
 * @base_gfn: first guest frame
 * @npages: guest frames; or events
 * @page_bytes: bytes of one; 0: the heat map is of interrupts, by event, instead of pages
 * @causes: names of what can lose compute, in the order they are stacked: "fault", "lock"
 * @ncauses: how many, at most SIM_SERIES_CAUSES
 */
struct sim_policy_shape {
	unsigned int vcpus;
	uint64_t base_gfn, npages;
	uint32_t page_bytes;
	const char *const *causes;
	unsigned int ncauses;
};

/**
 * struct sim_policy_out - where the results of one policy go
 * @history: the event history, written to the policy's trace.zst; finished by
 *	sim_run_policy_end(), not by the scenario
 * @series: figures over time
 */
struct sim_policy_out {
	struct sim_history *history;
	struct sim_series *series;
};

/**
 * sim_run_policy_begin() - open the outputs of a policy
 * @run: the run
 * @policy: its name: also that of its sub-directory; [a-z0-9_-], unique in the run
 * @shape: copied
 *
 * Return: the outputs; NULL when the directory cannot be written: return SIM_RUN_INTERNAL at once,
 *	run->err is set.
 */
struct sim_policy_out *sim_run_policy_begin(struct sim_run *run, const char *policy,
					    const struct sim_policy_shape *shape);

/** sim_run_value() - a figure of the comparison table; each metric of each policy, exactly once */
void sim_run_value(struct sim_policy_out *out, const char *metric, uint64_t value);

/**
 * sim_run_policy_end() - close the outputs of a policy
 * @out: the outputs; gone after this
 * @stats: its counters, folded into the digest, written to stats.json and stats.txt; may be
 *	destroyed after this
 *
 * Return: true; false when something could not be written: return SIM_RUN_INTERNAL, run->err is
 * set.
 */
bool sim_run_policy_end(struct sim_policy_out *out, const struct sim_stats *stats);

/**
 * sim_run_fail() - a property is violated
 * @run: the run
 * @fmt: which, where and when, in one line without a newline:
 *	"lost page: gfn 0x40123 differs at the end (policy wp, 12345678 ns)"
 */
void sim_run_fail(struct sim_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** sim_run_failed() - has a property been violated in this run? */
bool sim_run_failed(const struct sim_run *run);

/** sim_run_note() - a sentence under the comparison table: what it answers, what it leaves out */
void sim_run_note(struct sim_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/**
 * sim_run_progress() - for a person who waits; shown on a terminal only, and not too often
 * @run: the run
 * @what: the policy at work
 * @done: how much is done, in any unit
 * @total: of how much; 0 when nobody knows
 *
 * Cheap: call it every few thousand events.
 */
void sim_run_progress(struct sim_run *run, const char *what, uint64_t done, uint64_t total);

#endif
