// SPDX-License-Identifier: BSD-2-Clause
/*
 * fit.c - where the fitted costs come from: `weir-sim experiment fit` does it again.
 *
 * Four costs (exit, lock, split, its broadcasts) against the twelve figures of the sparse-write
 * table of the eager-split series. Minimised is the sum of the squared logarithms of simulated
 * over published, a cost at a time by golden section, round after round from the figures that one
 * vCPU suggests; the figures come from the same lab as the experiments, a sixteenth of the memory.
 * The costs of which a row is the only witness (the 2023 machine's lock, a leaf, a bitmap word)
 * are that row divided.
 *
 * This is the one place that computes with floating point; what it finds is typed into costs.c.
 */
#include <math.h>

#include "sim/scenario/experiments/koller.h"
#include "sim/scenario/experiments/list.h"
#include "sim/scenario/experiments/perf.h"

#define NCOSTS	     4u
#define SCALE	     16u
#define STEPS	     12u
#define SERIES_NS    UINT64_C(4220000000)
#define SERIES_PAGES (96 * (uint64_t)PERF_VCPU_PAGES)

static const char *const names[NCOSTS] = {"cost.fault_exit_ns", "cost.fault_lock_ns",
					  "cost.split_ns", "cost.split_serial_ns"};

struct fit {
	struct experiment_run *run;
	double cost[NCOSTS];
	uint64_t simulated[2 * KOLLER_NSPARSE];
	bool broken;
};

static double squared_log(uint64_t simulated, uint64_t published)
{
	double error = log((double)simulated / (double)published);

	return error * error;
}

static double misfit(struct fit *fit)
{
	struct sim_params *params = experiment_params(NULL, NULL, fit->run->err);
	double sum = 0;
	uint64_t lost = 0;
	unsigned int i;
	char text[32];

	for (i = 0; i < NCOSTS; i++) {
		snprintf(text, sizeof(text), "%.0f", fit->cost[i]);
		(void)sim_params_set(params, names[i], text, NULL, fit->run->err);
	}
	for (i = 0; i < 2 * KOLLER_NSPARSE && !sim_error_is_set(fit->run->err); i++) {
		const struct koller_row *row = &koller_sparse[i / 2];
		struct koller_case c = {
			.nvcpus = row->nvcpus,
			.sparse = true,
			.eager = i % 2,
			.scale = SCALE,
		};

		fit->simulated[i] = koller_ns(&c, params, &lost, fit->run->err);
		sum += squared_log(fit->simulated[i], i % 2 ? row->after_ns : row->before_ns);
	}
	sim_params_free(params);
	fit->broken = sim_error_is_set(fit->run->err);
	return sum;
}

/* The best value of one cost between a third and three times of what it is. */
static void search(struct fit *fit, unsigned int i)
{
	const double golden = 0.6180339887498949;
	double low = log(fit->cost[i] / 3), high = log(fit->cost[i] * 3);
	double a = high - golden * (high - low), b = low + golden * (high - low), at_a, at_b;

	fit->cost[i] = exp(a);
	at_a = misfit(fit);
	fit->cost[i] = exp(b);
	at_b = misfit(fit);
	for (unsigned int step = 0; step < STEPS && !fit->broken; step++) {
		if (at_a < at_b) {
			high = b;
			b = a;
			at_b = at_a;
			a = high - golden * (high - low);
			fit->cost[i] = exp(a);
			at_a = misfit(fit);
		} else {
			low = a;
			a = b;
			at_a = at_b;
			b = low + golden * (high - low);
			fit->cost[i] = exp(b);
			at_b = misfit(fit);
		}
	}
	fit->cost[i] = exp((low + high) / 2);
}

static void add_rows(struct experiment_run *run, const struct fit *fit)
{
	static const char *const why = "what four prices leave over of twelve figures";
	unsigned int i;

	for (i = 0; i < 2 * KOLLER_NSPARSE; i++) {
		const struct koller_row *row = &koller_sparse[i / 2];

		experiment_row(run, EXPERIMENT_FITTED, i % 2 ? row->after_ns : row->before_ns,
			       fit->simulated[i], why, "sparse write, %3u vCPUs: %s", row->nvcpus,
			       i % 2 ? "eager" : "split on fault");
	}
}

static bool run_fit(struct experiment_run *run)
{
	struct fit fit = {.run = run, .cost = {3000, 200, 2000, 1200}};
	uint64_t rounds = sim_params_u64(run->params, "fit.rounds"), round;
	double left = 0;
	unsigned int i;

	for (round = 0; round < rounds && !fit.broken; round++) {
		for (i = 0; i < NCOSTS && !fit.broken; i++) {
			if (run->progress)
				run->progress(run->ctx, names[i], round, rounds);
			search(&fit, i);
		}
		left = misfit(&fit);
		experiment_note(run,
				"round %llu: exit %.0f lock %.0f split %.0f and, serial, %.0f; sum "
				"of squared logarithms %.4f",
				(unsigned long long)round + 1, fit.cost[0], fit.cost[1],
				fit.cost[2], fit.cost[3], left);
	}
	if (fit.broken)
		return false;
	add_rows(run, &fit);
	experiment_note(run,
			"perf2023.fault_lock_ns: dirty memory of the row before, 4.22 s / %llu "
			"faults, less the leaf = %llu",
			(unsigned long long)SERIES_PAGES,
			(unsigned long long)((SERIES_NS - UINT64_C(480000000)) / SERIES_PAGES));
	experiment_note(run, "cost.leaf_ps: CLEAR of the row before, 0.48 s / %llu pages = %llu",
			(unsigned long long)SERIES_PAGES,
			(unsigned long long)(UINT64_C(480000000000) / SERIES_PAGES));
	experiment_note(run, "cost.word_ps: GET of the row before, 0.47 ms / %llu words = %llu",
			(unsigned long long)(SERIES_PAGES / 64),
			(unsigned long long)(UINT64_C(470000000) * 64 / SERIES_PAGES));
	return true;
}

const struct experiment experiment_fit = {
	.name = "fit",
	.summary = "repeat the fit of the cost file, and show what is left over",
	.source = "the 2023 series' row before; the eager-split series, sparse write",
	.by_name_only = true,
	.run = run_fit,
};
