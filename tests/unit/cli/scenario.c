// SPDX-License-Identifier: BSD-2-Clause
/*
 * scenario.c - a scenario for tests of the shell: two policies whose figures follow from parameters
 * by arithmetic that fits in a line, and a switch for each way in which a run can end.
 *
 * Policy p (0, 1) emits `sample.events` events 1000 ns apart, loses 100 * (p + 1) ns of one vCPU at
 * each (cause "fault") and all of both vCPUs in a blackout of the last 1000 ns, and dirties a page
 * at each.
 */
#include "sim/scenario/scenario.h"

#include <stdio.h>

#include "sim/engine/error.h"
#include "sim/engine/history.h"
#include "sim/engine/stats.h"

static const char *const endings[] = { "good", "fail", "bad_input", "internal", "incomplete",
				       "abort_midway", NULL };

static const struct sim_param params[] = {
	SIM_PARAM_U64_ENTRY("sample.events", "events", "100", 1, 1000000000, "choice",
			    "events a policy emits"),
	SIM_PARAM_ENUM_ENTRY("sample.ending", "good", endings, "choice", "how the run ends"),
	SIM_PARAM_BOOL_ENTRY("sample.chatty", "off", "choice", "says more"),
	SIM_PARAM_PATH_ENTRY("sample.file", "", "choice", "an input that is not read"),
	SIM_PARAM_STRING_ENTRY("policy.names", "slow,fast", "choice", "ignored"),
	SIM_PARAM_U64_ENTRY("cost.fault_ns", "ns", "3000", 1, 1000000, "a publication",
			    "what a fault costs; ignored"),
};

static const struct sim_param_table tables[] = {
	{ params, sizeof(params) / sizeof(params[0]) },
};

static const struct sim_metric metrics[] = {
	{ "lost_vcpu_ns", "lost compute", "vcpu ns", SIM_METRIC_LOWER, false, "what was lost" },
	{ "blackout_ns", "blackout", "ns", SIM_METRIC_LOWER, false, "how long it stood still" },
	{ "bytes_sent", "sent", "bytes", SIM_METRIC_LOWER, false, "over the link" },
	{ "memory_equal", "memory equal", "bool", SIM_METRIC_NEUTRAL, false, "both sides agree" },
	{ "faults", "faults", "", SIM_METRIC_LOWER, true, "events in all" },
};

enum { KIND_STEP = 1, KIND_STOP = 2 };

static const struct sim_history_kind kinds[] = {
	{ KIND_STEP, "step", "vcpu", "gfn", "cost" },
	{ KIND_STOP, "stop", "", "", "" },
};

static const char *const causes[] = { "fault", "blackout" };

static bool fill(struct sim_run *run, struct sim_policy_out *out, uint64_t p)
{
	uint64_t n = sim_params_u64(run->params, "sample.events"), end = 1000 * n + 1000;
	struct sim_stats *stats = sim_stats_create();
	struct sim_stat *faults = sim_stat_add(stats, "sample.faults", "1", "events in all");
	bool ok;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t gfn = 0x1000 + (i * (p + 1) + run->seed + run->number) % 256;

		sim_history_emit(out->history, 1000 * i, KIND_STEP, 0, gfn, 100 * (p + 1));
		sim_series_lost(out->series, 0, 1000 * i, 1000 * i, 100 * (p + 1));
		sim_series_dirty(out->series, 1000 * i, gfn, 1);
		sim_stat_count(faults, 1);
		sim_run_progress(run, p ? "fast" : "slow", i, n);
	}
	sim_history_emit(out->history, 1000 * n, KIND_STOP, 0, 0, 0);
	sim_series_lost(out->series, 1, 1000 * n, end, 2000);
	sim_series_phase(out->series, &(struct sim_phase){ SIM_PHASE_ROUND, "round 1", 0,
							   1000 * n, n, 4096 * n, n });
	sim_series_phase(out->series, &(struct sim_phase){ SIM_PHASE_BLACKOUT, "blackout",
							   1000 * n, end, 0, 0, 0 });
	sim_run_value(out, "lost_vcpu_ns", 100 * (p + 1) * n + 2000);
	sim_run_value(out, "blackout_ns", 1000);
	sim_run_value(out, "bytes_sent", 4096 * n);
	sim_run_value(out, "memory_equal", 1);
	if (sim_params_enum(run->params, "sample.ending") != 4)
		sim_run_value(out, "faults", n);
	ok = sim_run_policy_end(out, stats);
	sim_stats_destroy(stats);
	return ok;
}

static enum sim_run_result run_sample(struct sim_run *run)
{
	const struct sim_policy_shape shape = { 2, 0x1000, 256, 4096, causes, 2 };
	const char *ending = sim_params_str(run->params, "sample.ending");
	struct sim_policy_out *out[2];

	if (ending[0] == 'b') {
		sim_error_set(run->err, "sample.ending=bad_input: cannot be used");
		return SIM_RUN_BAD_INPUT;
	}
	for (uint64_t p = 0; p < 2; p++) {
		out[p] = sim_run_policy_begin(run, p ? "fast" : "slow", &shape);
		if (!out[p])
			return SIM_RUN_INTERNAL;
	}
	if (ending[0] == 'a') {
		sim_run_fail(run, "it stopped in the middle");
		return SIM_RUN_OK;
	}
	for (uint64_t p = 0; p < 2; p++) {
		if (!fill(run, out[p], p))
			return SIM_RUN_INTERNAL;
	}
	if (ending[0] == 'f')
		sim_run_fail(run, "lost page: gfn 0x%x (policy slow)", 0x1001);
	if (ending[0] == 'i' && ending[2] == 't') {
		sim_error_set(run->err, "it broke");
		return SIM_RUN_INTERNAL;
	}
	sim_run_note(run, "slow loses least <here> & now.");
	if (sim_params_bool(run->params, "sample.chatty"))
		sim_run_note(run, "More.");
	return SIM_RUN_OK;
}

static const struct sim_scenario sample = {
	.name = "sample", .summary = "figures by arithmetic",
	.tables = tables, .ntables = 1,
	.metrics = metrics, .nmetrics = sizeof(metrics) / sizeof(metrics[0]),
	.kinds = kinds, .nkinds = 2, .run = run_sample,
};

const struct sim_scenario *const sim_scenarios[] = { &sample, NULL };
