// SPDX-License-Identifier: BSD-2-Clause
/*
 * perf2023.c - the three rows of the 2023 SW/HW combined dirty log series: dirty_log_perf_test with
 * 96 vCPUs of 512 MiB, transparent huge pages, 5 iterations.
 *
 * Before: write protection. With the series: at a fault 64 pages are handed to the hardware; GET
 * looks at every descriptor of what was handed over, by a walk each (priced from its own row);
 * CLEAR takes the pages back from the hardware, which is how the series tells a page that may be
 * written from one that may not. In the library's terms that is FIXED 64, with freeze and thaw
 * after CLEAR.
 *
 * A figure is the mean of iterations 2 to 5. In iteration 1 nothing traps yet (INITIALLY_SET: it is
 * the first CLEAR that protects); a mean over all five stands in a note.
 */
#include <stdio.h>

#include "sim/scenario/experiments/list.h"
#include "sim/scenario/experiments/lab.h"
#include "sim/scenario/experiments/perf.h"

#define MS UINT64_C(1000000)

struct sim_params *perf_params(struct experiment_run *run)
{
	char lock[48];
	const char *const settings[] = {lock, NULL};

	snprintf(lock, sizeof(lock), "cost.fault_lock_ns=%llu",
		 (unsigned long long)sim_params_u64(run->params, "perf2023.fault_lock_ns"));
	return experiment_params(settings, run->assignments, run->err);
}

bool perf_lab(struct experiment_run *run, const struct perf_setup *setup,
	      struct perf_result *result)
{
	struct lab_config cfg = {
		.nvcpus = setup->nvcpus,
		.vcpu_pages = setup->vcpu_pages,
		.map_order = setup->map_order,
		.policy = setup->policy,
		.neighbourhood = 64,
		.params = setup->params,
	};
	struct lab_pattern all = {.naccesses = setup->vcpu_pages, .step = 1, .write_every = 1};
	struct lab *lab = lab_create(&cfg, run->err);
	bool ok;

	*result = (struct perf_result){.enable_ns = 0};
	if (!lab)
		return false;
	result->enable_ns = lab_start(lab, true);
	for (unsigned int i = 0; i < setup->iterations && !lab_broken(lab); i++) {
		uint64_t dirty = lab_pass(lab, &all), get, clear;

		if (run->progress)
			run->progress(run->ctx, setup->name, i, setup->iterations);
		if (setup->series)
			lab_set_scan_ps(lab, setup->series_scan_ps);
		get = lab_get(lab);
		lab_set_scan_ps(lab, sim_params_u64(setup->params, "cost.scan_pte_ps"));
		clear = lab_clear(lab);
		if (setup->series) {
			clear += lab_freeze(lab);
			lab_thaw(lab);
		}
		result->all.dirty_ns += dirty;
		result->all.get_ns += get;
		result->all.clear_ns += clear;
		result->last = (struct perf_phases){dirty, get, clear};
		if (!i)
			continue;
		result->mean.dirty_ns += dirty;
		result->mean.get_ns += get;
		result->mean.clear_ns += clear;
		result->faults += lab_faults(lab);
	}
	result->mean.dirty_ns /= setup->iterations - 1;
	result->mean.get_ns /= setup->iterations - 1;
	result->mean.clear_ns /= setup->iterations - 1;
	result->faults /= setup->iterations - 1;
	result->all.dirty_ns /= setup->iterations;
	result->all.get_ns /= setup->iterations;
	result->all.clear_ns /= setup->iterations;
	result->lost = lab_lost(lab);
	if (result->lost)
		experiment_fail(run, "lost page: %llu pages were written and not reported (%s)",
				(unsigned long long)result->lost, setup->name);
	ok = !lab_broken(lab);
	if (ok && setup->finish)
		setup->finish(run, setup, lab, result);
	lab_destroy(lab);
	return ok;
}

static bool run_perf2023(struct experiment_run *run)
{
	uint64_t scale = sim_params_u64(run->params, "perf2023.scale");
	struct sim_params *params = perf_params(run);
	struct perf_setup before = {
		.name = "before",
		.params = params,
		.nvcpus = 96,
		.vcpu_pages = PERF_VCPU_PAGES / scale,
		.map_order = 9,
		.policy = WEIR_DIRTY_WP,
		.iterations = (unsigned int)sim_params_u64(run->params, "perf2023.iterations"),
		.series_scan_ps = sim_params_u64(run->params, "perf2023.series_scan_pte_ps"),
	};
	struct perf_setup series = before;
	struct perf_result b, s;
	bool ok;

	if (!params)
		return false;
	series.name = "with the series";
	series.policy = WEIR_DIRTY_FIXED;
	series.series = true;
	if (before.vcpu_pages % 512) {
		sim_error_set(run->err, "perf2023.scale=%llu: must be a power of two",
			      (unsigned long long)scale);
		sim_params_free(params);
		return false;
	}
	ok = perf_lab(run, &before, &b) && perf_lab(run, &series, &s);
	sim_params_free(params);
	if (!ok)
		return false;
	experiment_row(run, EXPERIMENT_FITTED, 4220 * MS, b.mean.dirty_ns * scale, NULL,
		       "before: dirty memory (its own row: the machine's lock)");
	experiment_row(run, EXPERIMENT_FITTED, 470000, b.mean.get_ns * scale, NULL, "before: GET");
	experiment_row(run, EXPERIMENT_FITTED, 480 * MS, b.mean.clear_ns * scale, NULL,
		       "before: CLEAR");
	experiment_row(run, EXPERIMENT_HELD_OUT, 410 * MS, s.mean.dirty_ns * scale, NULL,
		       "with the series: dirty memory");
	experiment_row(run, EXPERIMENT_FITTED, 3250 * MS, s.mean.get_ns * scale, NULL,
		       "with the series: GET (its own row)");
	experiment_row(run, EXPERIMENT_HELD_OUT, 980 * MS, s.mean.clear_ns * scale, NULL,
		       "with the series: CLEAR");
	experiment_note(run,
			"mean of iterations 2 to %u, the memory of each vCPU divided by %llu; "
			"faults an iteration: %llu before, %llu with the series",
			before.iterations, (unsigned long long)scale,
			(unsigned long long)(b.faults * scale),
			(unsigned long long)(s.faults * scale));
	experiment_note(run,
			"that CLEAR takes pages back from the hardware is a reading of the series, "
			"made with its rows in view: docs/experiments.md");
	experiment_note(run,
			"over all %u iterations, the first of which traps nothing: dirty memory "
			"%.2f s before, %.2f s with the series",
			before.iterations, (double)(b.all.dirty_ns * scale) / 1e9,
			(double)(s.all.dirty_ns * scale) / 1e9);
	return true;
}

const struct experiment experiment_perf2023 = {
	.name = "perf2023",
	.summary = "the 2023 series' rows: 96 vCPUs x 512 MiB, huge pages, every page written",
	.source = "KVM arm64 SW/HW combined dirty log, RFC v2 (2023), dirty_log_perf_test",
	.run = run_perf2023,
};
