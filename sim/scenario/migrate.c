// SPDX-License-Identifier: BSD-2-Clause
/*
 * migrate.c - the scenario: read the parameters, migrate once under each policy, compare.
 */
#include "sim/scenario/migrate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/stats.h"
#include "sim/scenario/migrate_internal.h"

/* Who listens to one policy's run. */
struct listener {
	struct sim_run *run;
	const struct migrate_policy *policy;
};

static void on_violation(void *ctx, enum sim_checker checker, uint64_t gfn, const char *what)
{
	const struct listener *listener = ctx;

	sim_run_fail(listener->run, "%s: gfn 0x%" PRIx64 ": %s (policy %s)",
		     sim_checker_names[checker], gfn, what, listener->policy->name);
}

static void on_progress(void *ctx, uint64_t done, uint64_t total)
{
	const struct listener *listener = ctx;

	sim_run_progress(listener->run, listener->policy->name, done, done > total ? done : total);
}

/* Pages were lost: run the policy once more and watch some of them. */
static void report_lost(struct sim_run *run, const struct migrate *lost,
			const struct sim_workload *workload)
{
	struct migrate_watch watches[WATCHES_MAX] = { 0 };
	struct migrate again = {
		.cfg = lost->cfg, .policy = lost->policy, .watches = watches,
	};
	unsigned int i;
	char text[WATCH_EVENTS * WATCH_EVENT_BYTES];

	for (i = 0; i < WATCHES_MAX && i < lost->figures.lost_pages; i++)
		watches[i].gfn = lost->bad[i].gfn;
	again.nwatches = i;
	again.history = sim_history_create(migrate_kinds, MIGRATE_NKINDS, NULL, NULL);
	(void)migrate_run_policy(&again, workload, NULL, NULL);
	for (i = 0; i < again.nwatches; i++) {
		const struct sim_content_bad *bad = &lost->bad[i];

		migrate_watch_text(&watches[i], text, sizeof(text));
		sim_run_fail(run, "lost_page: gfn 0x%" PRIx64 " differs at the destination (policy "
			     "%s, %" PRIu64 " lost in all): last written by vcpu %u, %" PRIu64
			     " stores, %s; at %" PRIu64 " ns, after: %s",
			     bad->gfn, lost->policy->name, lost->figures.lost_pages,
			     (unsigned int)(bad->src_version >> SIM_CONTENT_COUNT_BITS),
			     bad->src_version & SIM_CONTENT_COUNT_MASK,
			     bad->received ? "an older copy arrived" : "no copy arrived",
			     lost->figures.end_ns, text);
	}
	sim_history_destroy(again.history);
	migrate_take_down(&again);
}

static void report_unfinished(struct sim_run *run, const struct migrate *m)
{
	sim_run_fail(run, "liveness: the migration was not over %" PRIu64 " ns after it began "
		     "(policy %s, round %" PRIu64 ", %" PRIu64 " pages to send): "
		     "migrate.limit_ns=%" PRIu64 " ended it; a larger limit or "
		     "link.bandwidth_bytes_per_s lets it go on", m->figures.end_ns -
		     m->figures.start_ns, m->named->name, m->round, m->npending, m->cfg->limit_ns);
}

/* All of one policy: outputs, figures and counters. The machine is gone afterwards. */
struct outcome {
	struct sim_policy_out *out;
	struct sim_stats *stats;
	struct migrate_result result;
};

static bool run_one(struct sim_run *run, const struct migrate_config *cfg,
		    const struct migrate_policy *policy, const struct sim_workload *workload,
		    struct outcome *outcome)
{
	struct listener listener = { run, policy };
	struct sim_policy_shape shape = {
		.vcpus = cfg->nvcpus, .base_gfn = cfg->base_gfn, .npages = cfg->npages,
		.page_bytes = PAGE_BYTES, .causes = sim_cause_names, .ncauses = SIM_NCAUSES,
	};
	struct migrate m = {
		.cfg = cfg, .policy = policy, .on_violation = on_violation,
		.on_violation_ctx = &listener,
	};
	bool ok;

	outcome->out = sim_run_policy_begin(run, policy->name, &shape);
	if (!outcome->out)
		return false;
	m.history = outcome->out->history;
	m.series = outcome->out->series;
	ok = migrate_run_policy(&m, workload, on_progress, &listener);
	if (ok) {
		migrate_sum_up(&m, &outcome->result);
		outcome->stats = migrate_stats(&m, &outcome->result);
		if (m.figures.outcome == MIGRATE_UNFINISHED)
			report_unfinished(run, &m);
	} else {
		sim_error_set(run->err, "%s", m.error.text);
	}
	migrate_take_down(&m);
	if (ok && m.figures.lost_pages)
		report_lost(run, &m, workload);
	return ok;
}

static enum sim_run_result compare(struct sim_run *run, const struct migrate_config *cfg,
				   const struct migrate_policy *policies, unsigned int n,
				   const struct sim_workload *workload)
{
	struct outcome outcomes[POLICIES_MAX] = { 0 };
	struct migrate_result results[POLICIES_MAX] = { 0 };
	enum sim_run_result result = SIM_RUN_OK;
	uint64_t common_end_ns = 0;
	unsigned int i;

	for (i = 0; i < n && result == SIM_RUN_OK; i++) {
		if (!run_one(run, cfg, &policies[i], workload, &outcomes[i]))
			result = SIM_RUN_INTERNAL;
		results[i] = outcomes[i].result;
		if (results[i].figures.end_ns > common_end_ns)
			common_end_ns = results[i].figures.end_ns;
	}
	for (i = 0; i < n && result == SIM_RUN_OK; i++) {
		sim_series_end(outcomes[i].out->series, common_end_ns);
		migrate_hand_over(&results[i], outcomes[i].out);
		if (!sim_run_policy_end(outcomes[i].out, outcomes[i].stats))
			result = SIM_RUN_INTERNAL;
	}
	if (result == SIM_RUN_OK)
		migrate_write_notes(run, results, n);
	for (i = 0; i < n; i++)
		sim_stats_destroy(outcomes[i].stats);
	return result;
}

static enum sim_run_result run_migrate(struct sim_run *run)
{
	struct migrate_config cfg;
	struct migrate_policy policies[POLICIES_MAX];
	struct sim_workload_config writes;
	struct sim_workload *workload;
	enum sim_run_result result;
	unsigned int n;

	if (!migrate_config_read(&cfg, run->params, run->err))
		return SIM_RUN_BAD_INPUT;
	n = migrate_policies_read(policies, run->params, run->err);
	if (!n)
		return SIM_RUN_BAD_INPUT;
	writes = (struct sim_workload_config){
		.nvcpus = cfg.nvcpus, .base_gfn = cfg.base_gfn, .npages = cfg.npages,
		.seed = run->seed, .run = run->number,
	};
	if (!sim_workload_config_read(&writes, run->params, run->err))
		return SIM_RUN_BAD_INPUT;
	workload = sim_workload_open(&writes, run->err);
	if (!workload)
		return SIM_RUN_BAD_INPUT;
	result = compare(run, &cfg, policies, n, workload);
	sim_workload_close(workload);
	return result;
}

static const struct sim_param_table tables[] = {
	{ migrate_params, MIGRATE_NPARAMS },
	{ migrate_log_params, MIGRATE_LOG_NPARAMS },
	{ migrate_pace_params, MIGRATE_PACE_NPARAMS },
	{ sim_workload_params, SIM_WORKLOAD_NPARAMS },
};

const struct sim_scenario sim_scenario_migrate = {
	.name = "migrate",
	.summary = "live migration of a running guest, compared across dirty-tracking policies",
	.tables = tables,
	.ntables = sizeof(tables) / sizeof(tables[0]),
	.metrics = migrate_metrics,
	.nmetrics = MIGRATE_NMETRICS,
	.kinds = migrate_kinds,
	.nkinds = MIGRATE_NKINDS,
	.run = run_migrate,
};
