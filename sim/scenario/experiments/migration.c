// SPDX-License-Identifier: BSD-2-Clause
/*
 * migration.c - runs of the migrate scenario, for what an experiment asks of whole migrations.
 */
#include "sim/scenario/experiments/migration.h"

#include <inttypes.h>

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
	if (ok && result->figures.lost_pages)
		experiment_fail(run,
				"lost page: %" PRIu64 " pages differ at the destination (policy "
				"%s, seed %" PRIu64 ")",
				result->figures.lost_pages, policy->name, seed);
	sim_history_destroy(m.history);
	migrate_take_down(&m);
	return ok;
}

static bool run_all(struct experiment_run *run, const struct sim_params *params, uint64_t seed,
		    struct migrate_result *results, unsigned int n)
{
	struct migrate_policy policies[POLICIES_MAX];
	struct sim_workload_config writes = {.seed = seed};
	struct sim_workload *workload;
	struct migrate_config cfg;
	unsigned int i, have;

	if (!migrate_config_read(&cfg, params, run->err))
		return false;
	have = migrate_policies_read(policies, params, run->err);
	if (have && have != n)
		sim_error_set(run->err, "policy.names: %u named, %s wants %u", have,
			      run->experiment->name, n);
	if (have != n)
		return false;
	writes.nvcpus = cfg.nvcpus;
	writes.base_gfn = cfg.base_gfn;
	writes.npages = cfg.npages;
	if (!sim_workload_config_read(&writes, params, run->err))
		return false;
	workload = sim_workload_open(&writes, run->err);
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
