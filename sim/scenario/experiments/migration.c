// SPDX-License-Identifier: BSD-2-Clause
/*
 * migration.c - runs of the migrate scenario, for what an experiment asks of whole migrations.
 */
#include "sim/scenario/experiments/migration.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/scenario/migrate.h"

struct watcher {
	struct experiment_run *run;
	const char *policy;
	uint64_t seed;
	unsigned int violations;
};

static void on_violation(void *ctx, enum sim_checker checker, uint64_t gfn, const char *what)
{
	struct watcher *watcher = ctx;

	if (!watcher->violations++)
		experiment_fail(watcher->run,
				"%s: gfn 0x%" PRIx64 ": %s (policy %s, seed %" PRIu64 ")",
				sim_checker_names[checker], gfn, what, watcher->policy,
				watcher->seed);
}

static bool run_policy(struct experiment_run *run, const struct migrate_config *cfg,
		       const struct migrate_policy *policy, const struct sim_workload *workload,
		       uint64_t seed, struct migrate_result *result)
{
	struct watcher watcher = {run, policy->name, seed, 0};
	struct migrate m = {
		.cfg = cfg,
		.policy = policy,
		.on_violation = on_violation,
		.on_violation_ctx = &watcher,
	};
	bool ok;

	m.history = sim_history_create(migrate_kinds, MIGRATE_NKINDS, NULL, run->err);
	ok = migrate_run_policy(&m, workload, NULL, NULL);
	if (ok)
		migrate_sum_up(&m, result);
	else
		sim_error_set(run->err, "%s", m.error.text);
	result->policy = NULL;
	if (ok && result->figures.outcome == MIGRATE_UNFINISHED)
		experiment_fail(run,
				"liveness: a migration was not over within "
				"migrate.limit_ns=%" PRIu64 " (policy %s, seed %" PRIu64 ")",
				cfg->limit_ns, policy->name, seed);
	if (ok && result->figures.lost_pages)
		experiment_fail(run,
				"lost page: %" PRIu64 " pages differ at the destination (policy "
				"%s, seed %" PRIu64 ")",
				result->figures.lost_pages, policy->name, seed);
	sim_history_destroy(m.history);
	migrate_take_down(&m);
	return ok;
}

/* What a migration needs of its parameters; NULL with @err set. */
static struct sim_workload *open_all(struct experiment_run *run, const struct sim_params *params,
				     uint64_t seed, struct migrate_config *cfg,
				     struct migrate_policy policies[POLICIES_MAX],
				     unsigned int n)
{
	struct sim_workload_config writes = {.seed = seed};
	unsigned int have;

	if (!migrate_config_read(cfg, params, run->err))
		return NULL;
	have = migrate_policies_read(policies, params, run->err);
	if (have && have != n)
		sim_error_set(run->err, "policy.names: %u named, %s wants %u", have,
			      run->experiment->name, n);
	if (have != n)
		return NULL;
	writes.nvcpus = cfg->nvcpus;
	writes.base_gfn = cfg->base_gfn;
	writes.npages = cfg->npages;
	if (!sim_workload_config_read(&writes, params, run->err))
		return NULL;
	return sim_workload_open(&writes, run->err);
}

static bool run_all(struct experiment_run *run, const struct sim_params *params, uint64_t seed,
		    struct migrate_result *results, unsigned int n)
{
	struct migrate_policy policies[POLICIES_MAX];
	struct migrate_config cfg;
	struct sim_workload *workload = open_all(run, params, seed, &cfg, policies, n);
	unsigned int i;

	if (!workload)
		return false;
	for (i = 0; i < n; i++)
		if (!run_policy(run, &cfg, &policies[i], workload, seed, &results[i]))
			break;
	sim_workload_close(workload);
	return i == n;
}

bool experiment_migrate(struct experiment_run *run, const char *const *settings, uint64_t seed,
			struct migrate_result *results, unsigned int n)
{
	struct sim_params *params = experiment_params(settings, run->assignments, run->err);
	bool ok = params && run_all(run, params, seed, results, n);

	sim_params_free(params);
	return ok;
}

#define SETTINGS_MAX 16u
#define TRACE_BYTES 4200

bool experiment_each_trace(struct experiment_run *run, const char *param,
			   const char *const *settings,
			   bool (*each)(struct experiment_run *run, const char *name,
					const char *const *settings))
{
	const char *text = sim_params_str(run->params, param), *all[SETTINGS_MAX + 2];
	char trace[TRACE_BYTES], label[64];
	size_t n = 0, len;

	for (; settings[n]; n++) {
		sim_assert(n < SETTINGS_MAX);
		all[n] = settings[n];
	}
	all[n] = trace;
	all[n + 1] = NULL;
	for (; *text; text += len, text += *text == ',') {
		const char *name;

		len = strcspn(text, ",");
		name = text + len;
		while (name > text && name[-1] != '/')
			name--;
		snprintf(trace, sizeof(trace), "workload.trace=%.*s", (int)len, text);
		snprintf(label, sizeof(label), "%.*s", (int)strcspn(name, ".,"), name);
		if (!each(run, label, all))
			return false;
	}
	return true;
}

static bool trace_opens(struct experiment_run *run, const char *name, const char *const *settings)
{
	struct sim_params *params = experiment_params(settings, run->assignments, run->err);
	struct migrate_policy policies[POLICIES_MAX];
	struct sim_workload *workload = NULL;
	struct migrate_config cfg;
	unsigned int n;

	(void)name;
	n = params ? migrate_policies_read(policies, params, run->err) : 0;
	if (n)
		workload = open_all(run, params, 1, &cfg, policies, n);
	if (workload)
		sim_workload_close(workload);
	sim_params_free(params);
	return workload != NULL;
}

bool experiment_traces_open(struct experiment_run *run, const char *param,
			    const char *const *settings)
{
	return experiment_each_trace(run, param, settings, trace_opens);
}
