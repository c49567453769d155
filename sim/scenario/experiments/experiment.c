// SPDX-License-Identifier: BSD-2-Clause
/*
 * experiment.c - the experiments' names and parameters, and the rows that they add.
 */
#include "sim/scenario/experiments/experiment.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/nearest.h"
#include "sim/guest/workload.h"
#include "sim/scenario/experiments/costs.h"
#include "sim/scenario/experiments/list.h"
#include "sim/scenario/experiments/stress.h"
#include "sim/scenario/migrate.h"

#define U64 SIM_PARAM_U64_ENTRY

static const struct sim_param own_params[] = {
	U64("perf2023.scale", "", "1", 1, 64, "choice",
	    "memory of each vCPU is this much smaller, and times are multiplied by it"),
	U64("perf2023.iterations", "", "5", 2, 100, "the published runs", "iterations"),
	U64("perf2023.fault_lock_ns", "ns", "297", 0, 1000000000,
	    "the row before: dirty memory, 4.22 s for 12.58 M faults, less a leaf each",
	    "cost.fault_lock_ns on the machine of the 2023 series"),
	U64("perf2023.series_scan_pte_ps", "ps", "258000", 0, 1000000000,
	    "the series' own row: GET, 3.25 s for 12.58 M pages",
	    "the series' walk to a descriptor that GET synchronises"),
	U64("answer.memory_times", "", "10", 1, 16, "choice", "the larger machine"),
	U64("answer.large_scale", "", "8", 1, 64, "choice",
	    "the larger machine: memory of each vCPU is this much smaller, times are multiplied"),
	U64("answer.rest_bytes", "bytes", "375000000", 4096, UINT64_C(1) << 40,
	    "300 ms of downtime at 10 Gbit/s",
	    "what is dirty when the guest is stopped, if pre-copy has converged"),
	U64("koller.scale", "", "8", 1, 64, "choice",
	    "memory of each vCPU is this much smaller, and times are multiplied by it"),
	U64("koller.vcpus_max", "vcpus", "152", 1, 152, "the published series",
	    "rows with more vCPUs are left out"),
	U64("large.scale", "", "4", 1, 1024, "choice",
	    "initially_set, scans2021, gardon: memory is this much smaller, times are multiplied"),
	SIM_PARAM_STRING_ENTRY("matrix.traces", "", "choice",
			       "page-write traces to run beside the synthetic writers: paths, "
			       "separated by commas"),
	SIM_PARAM_STRING_ENTRY("assume.traces", "", "choice",
			       "the same for the experiment assume"),
	U64("matrix.runs", "", "3", 1, 1000, "choice", "migrations of each writer"),
	U64("blackout.seeds", "", "1000", 1, 1000000, "choice", "migrations, each of its own seed"),
	U64("lpi2024.scale", "", "10", 1, 1000, "choice",
	    "iterations of the published runs are divided by it"),
	U64("lpi2024.entries", "entries", "0", 0, 65536, "choice",
	    "of weir's cache; 0: as many as the list has, 16 a vCPU"),
	U64("inject2019.runs", "", "32", 1, 1000, "choice", "runs that a figure is the sum of"),
	SIM_PARAM_STRING_ENTRY("inject2019.settings", "", "choice",
			       "NAME=VALUE of the inject scenario, separated by commas, for all "
			       "guests"),
	U64("fit.rounds", "", "3", 1, 100, "choice", "rounds of the search, a line for each cost"),
};

const struct experiment *const experiments[] =
	{&experiment_perf2023,	 &experiment_answer2023, &experiment_auc2023,
	 &experiment_redis2023,	 &experiment_memaslap2023,
	 &experiment_koller,	 &experiment_initially_set,
	 &experiment_scans2021,	 &experiment_gardon,	 &experiment_autoconverge,
	 &experiment_sparse,	 &experiment_matrix,	 &experiment_assume,
	 &experiment_blackout,	 &experiment_lpi2024,	 &experiment_inject2019,
	 &experiment_costs_list,
	 &experiment_fit,	 NULL};

const struct experiment *experiment_find(const char *name, struct sim_error *err)
{
	struct sim_nearest near;
	char hint[256];

	sim_nearest_init(&near, name);
	for (size_t i = 0; experiments[i]; i++) {
		if (strcmp(name, experiments[i]->name) == 0)
			return experiments[i];
		sim_nearest_offer(&near, experiments[i]->name);
	}
	sim_nearest_text(&near, hint, sizeof(hint));
	sim_error_set(err, "experiment %s: no such experiment%s",
		      sim_quote(name, strlen(name)).text, hint);
	return NULL;
}

void experiment_own_params(struct sim_params *params)
{
	sim_params_register(params, own_params, sizeof(own_params) / sizeof(own_params[0]));
	sim_params_register(params, stress_params, STRESS_NPARAMS);
}

struct sim_params *experiment_params(const char *const *settings, const char *const *assignments,
				     struct sim_error *err)
{
	struct sim_params *params = sim_params_new();
	bool ok = true;

	for (size_t i = 0; i < sim_scenario_migrate.ntables; i++)
		sim_params_register(params, sim_scenario_migrate.tables[i].params,
				    sim_scenario_migrate.tables[i].n);
	experiment_own_params(params);
	for (size_t i = 0; ok && i < EXPERIMENT_NCOSTS; i++)
		ok = sim_params_set(params, experiment_costs[i].name, experiment_costs[i].value,
				    "cost file", err);
	for (; ok && settings && *settings; settings++)
		ok = sim_params_assign(params, *settings, err);
	for (; ok && assignments && *assignments; assignments++)
		ok = sim_params_assign(params, *assignments, err);
	if (ok)
		return params;
	sim_params_free(params);
	return NULL;
}

bool experiment_open(struct experiment_run *run, const struct experiment *experiment,
		     const char *const *assignments, struct sim_error *err)
{
	*run = (struct experiment_run){
		.experiment = experiment,
		.assignments = assignments,
		.err = err,
		.params = experiment_params(NULL, assignments, err),
	};
	return run->params != NULL;
}

static void free_lines(char **lines, size_t n)
{
	while (n)
		free(lines[--n]);
	free(lines);
}

void experiment_close(struct experiment_run *run)
{
	sim_params_free(run->params);
	free(run->rows);
	free_lines(run->notes, run->nnotes);
	free_lines(run->failures, run->nfailures);
}

static void add_row(struct experiment_run *run, const struct experiment_row *row, const char *fmt,
		    va_list args)
{
	run->rows = sim_realloc(run->rows, run->nrows + 1, sizeof(*run->rows), "rows");
	run->rows[run->nrows] = *row;
	vsnprintf(run->rows[run->nrows].name, EXPERIMENT_NAME_BYTES, fmt, args);
	run->nrows++;
}

void experiment_row(struct experiment_run *run, enum experiment_kind kind, uint64_t published,
		    uint64_t simulated, const char *why, const char *fmt, ...)
{
	struct experiment_row row = {
		.unit = "ns",
		.published = published,
		.simulated = simulated,
		.kind = kind,
		.why = why,
	};
	va_list args;

	va_start(args, fmt);
	add_row(run, &row, fmt, args);
	va_end(args);
}

void experiment_count(struct experiment_run *run, enum experiment_kind kind, const char *unit,
		      uint64_t published, uint64_t simulated, const char *why, const char *fmt, ...)
{
	struct experiment_row row = {
		.unit = unit,
		.published = published,
		.simulated = simulated,
		.kind = kind,
		.why = why,
	};
	va_list args;

	va_start(args, fmt);
	add_row(run, &row, fmt, args);
	va_end(args);
}

static char *line_of(const char *fmt, va_list args)
{
	char *line = NULL;
	size_t len;
	FILE *out = open_memstream(&line, &len);

	if (!out)
		sim_out_of_memory(1, 1, "a line of text");
	vfprintf(out, fmt, args);
	fclose(out);
	return line;
}

static void add_line(char ***lines, size_t *n, char *line)
{
	*lines = sim_realloc(*lines, *n + 1, sizeof(**lines), "lines");
	(*lines)[(*n)++] = line;
}

void experiment_note(struct experiment_run *run, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_line(&run->notes, &run->nnotes, line_of(fmt, args));
	va_end(args);
}

void experiment_fail(struct experiment_run *run, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_line(&run->failures, &run->nfailures, line_of(fmt, args));
	va_end(args);
}

bool experiment_missed(const struct experiment_row *row)
{
	uint64_t p = row->published, s = row->simulated;

	switch (row->kind) {
	case EXPERIMENT_FITTED:
		return s * 4 > p * 5 || s * 4 < p * 3;
	case EXPERIMENT_HELD_OUT:
		return s > p * 2 || s * 2 < p;
	case EXPERIMENT_BOUND:
		return s > p;
	case EXPERIMENT_FIGURE:
		break;
	}
	return false;
}

const char *experiment_kind_name(enum experiment_kind kind)
{
	static const char *const names[] = {"fitted", "held out", "bound", ""};

	return names[kind];
}
