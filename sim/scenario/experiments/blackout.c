// SPDX-License-Identifier: BSD-2-Clause
/*
 * blackout.c - how long the guest stands still, over many seeds, where its writes leave the link a
 * chance.
 *
 * Each seed draws a kind of writer, how much of the link it fills (5 to 79 %: each visit to a
 * page counts as a page, so that the dirty rate is at most this), the size of its working set,
 * and a policy. The guest: 2 vCPUs, 128 MiB; a link of 64 MiB/s, which sends it in two seconds,
 * so that a migration takes rounds and the downtime limit decides. The limit is 250 ms, for a
 * bound of 300: the estimate at the end of a round knows nothing of what is written until the
 * pause.
 */
#include "sim/scenario/experiments/list.h"
#include "sim/scenario/experiments/migration.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/engine/rng.h"

#define MS	   UINT64_C(1000000)
#define BOUND_NS   (300 * MS)
#define LINK_PAGES 16384u
#define NVCPUS	   2u

static const char *const kinds[] = {"uniform", "zipf", "sequential", "stride", "phase", "hot"};
static const char *const policies[] = {"wp", "fixed64", "adaptive"};

#define NPOLICIES 3u

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool one(struct experiment_run *run, uint64_t seed, unsigned int policy,
		struct migrate_result *result)
{
	char kind[32], rate[48], set[48], names[48];
	const char *const settings[] = {"guest.vcpus=2",
					"guest.memory_bytes=128Mi",
					"link.bandwidth_bytes_per_s=64Mi",
					"link.batch_pages=32",
					"migrate.downtime_limit_ns=250000000",
					"workload.epoch_ns=10000000",
					kind,
					rate,
					set,
					names,
					NULL};
	uint64_t k, share, mib;
	struct sim_rng rng;

	sim_rng_init(&rng, seed, 0, "experiment.blackout");
	k = sim_rng_below(&rng, sizeof(kinds) / sizeof(kinds[0]));
	share = sim_rng_between(&rng, 5, 79);
	mib = sim_rng_between(&rng, 4, 96);
	snprintf(kind, sizeof(kind), "workload.kind=%s", kinds[k]);
	snprintf(rate, sizeof(rate), "workload.rate_stores_per_s=%llu",
		 (unsigned long long)(LINK_PAGES * share / 100 / NVCPUS));
	snprintf(set, sizeof(set), "workload.set_bytes=%lluMi", (unsigned long long)mib);
	snprintf(names, sizeof(names), "policy.names=%s", policies[policy]);
	return experiment_migrate(run, settings, seed, result, 1);
}

static void sum_up(struct experiment_run *run, unsigned int policy, uint64_t *ns, size_t n)
{
	if (!n)
		return;
	qsort(ns, n, sizeof(*ns), ascending);
	experiment_row(run, EXPERIMENT_FIGURE, 0, ns[(n - 1) / 2], NULL, "%s: median of %zu",
		       policies[policy], n);
	experiment_row(run, EXPERIMENT_BOUND, BOUND_NS, ns[(n * 99 + 99) / 100 - 1],
		       "what was written while the last round's GET and the freeze ran",
		       "%s: 99th percentile", policies[policy]);
	experiment_row(run, EXPERIMENT_FIGURE, 0, ns[n - 1], NULL, "%s: longest", policies[policy]);
}

static bool run_blackout(struct experiment_run *run)
{
	uint64_t seeds = sim_params_u64(run->params, "blackout.seeds"), seed, forced = 0;
	uint64_t *ns[NPOLICIES];
	size_t n[NPOLICIES] = {0};
	struct migrate_result result;
	unsigned int i;

	for (i = 0; i < NPOLICIES; i++)
		ns[i] = sim_alloc(seeds, sizeof(**ns), "blackouts");
	for (seed = 1; seed <= seeds; seed++) {
		i = (unsigned int)(seed % NPOLICIES);
		if (!one(run, seed, i, &result))
			break;
		ns[i][n[i]++] = result.figures.blackout_ns;
		forced += result.figures.outcome != MIGRATE_COMPLETED;
		if (run->progress)
			run->progress(run->ctx, "seeds", seed, seeds);
	}
	for (i = 0; i < NPOLICIES; i++) {
		if (!sim_error_is_set(run->err))
			sum_up(run, i, ns[i], n[i]);
		free(ns[i]);
	}
	experiment_note(run, "%llu seeds, each with one of the policies; %llu did not converge",
			(unsigned long long)seeds, (unsigned long long)forced);
	return !sim_error_is_set(run->err);
}

const struct experiment experiment_blackout = {
	.name = "blackout",
	.summary = "blackout over many seeds, dirty rate below 0.8 of the link",
	.source = "bound: 300 ms at the 99th percentile (VEE 2018: 300 ms)",
	.run = run_blackout,
};
