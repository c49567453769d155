// SPDX-License-Identifier: BSD-2-Clause
/*
 * assume.c - pages that every round finds dirty, left for the pause: what that is worth.
 *
 * The guest: 4 vCPUs, 512 MiB in 2 MiB blocks; its writes are Zipf over 48 MiB, or nine of ten
 * to a hot set. Two links: one that carries the migration in a few rounds, and one that hot pages
 * alone keep from converging, since they are dirty again before the round is over. Each is
 * migrated with no page assumed dirty, and with half of the downtime limit for such pages. The
 * limit is 60 ms, 10 of them the device's.
 *
 * As in matrix.c each is migrated matrix.runs times, and the figures are sums. What is sent is not
 * to be more than without. assume.traces names recorded writers.
 */
#include "sim/scenario/experiments/list.h"
#include "sim/scenario/experiments/migration.h"

#include <stdio.h>
#include <string.h>

#define SETTINGS_MAX 12u
#define MB	     UINT64_C(1000000)
#define WARMUP_NS      UINT64_C(100000000)
#define WARMUP_STEP_NS UINT64_C(137000000)

#define SHARED "policy.names=adaptive", "migrate.downtime_limit_ns=60000000"
#define GUEST                                                                           \
	SHARED, "guest.vcpus=4", "guest.memory_bytes=512Mi", "workload.set_bytes=48Mi", \
		"workload.rate_stores_per_s=10000"

/* Sums over the runs of one guest. */
struct sums {
	uint64_t bytes;
	uint64_t lost_ns;
	uint64_t blackout_ns;
	uint64_t rounds;
	uint64_t faults;
	uint64_t skipped;
	uint64_t last_pages;
	unsigned int forced;
};

static bool measure(struct experiment_run *run, const char *const *settings,
		    unsigned int megabytes_per_s, unsigned int percent, struct sums *sums)
{
	uint64_t runs = sim_params_u64(run->params, "matrix.runs"), i;
	char bandwidth[64], assume[48], warmup[48];
	const char *all[SETTINGS_MAX + 4];
	struct migrate_result result;
	size_t n = 0;

	*sums = (struct sums){.bytes = 0};
	while (settings[n]) {
		all[n] = settings[n];
		n++;
	}
	snprintf(bandwidth, sizeof(bandwidth), "link.bandwidth_bytes_per_s=%u000000",
		 megabytes_per_s);
	snprintf(assume, sizeof(assume), "migrate.assume_percent=%u", percent);
	all[n++] = bandwidth;
	all[n++] = assume;
	all[n++] = warmup;
	all[n] = NULL;
	for (i = 0; i < runs; i++) {
		snprintf(warmup, sizeof(warmup), "migrate.warmup_ns=%llu",
			 (unsigned long long)(WARMUP_NS + i * WARMUP_STEP_NS));
		if (!experiment_migrate(run, all, i + 1, &result, 1))
			return false;
		sums->bytes += result.figures.bytes_sent;
		sums->lost_ns += result.lost_total_ns;
		sums->blackout_ns += result.figures.blackout_ns;
		sums->rounds += result.figures.rounds;
		sums->faults += result.figures.faults;
		sums->skipped += result.figures.pages_skipped;
		sums->last_pages += result.figures.last_pages;
		sums->forced += result.figures.outcome == MIGRATE_FORCED;
	}
	return true;
}

static bool compare(struct experiment_run *run, const char *name, const char *const *settings,
		    unsigned int megabytes_per_s)
{
	struct sums off, on;

	if (run->progress)
		run->progress(run->ctx, name, megabytes_per_s, 0);
	if (!measure(run, settings, megabytes_per_s, 0, &off) ||
	    !measure(run, settings, megabytes_per_s, 50, &on))
		return false;
	experiment_count(run, EXPERIMENT_BOUND, "MB", off.bytes / MB, on.bytes / MB,
			 "more than without", "%s, %u MB/s: sent", name, megabytes_per_s);
	experiment_count(run, EXPERIMENT_FIGURE, "vcpu ns", 0, off.lost_ns, NULL,
			 "%s, %u MB/s: lost compute without", name, megabytes_per_s);
	experiment_count(run, EXPERIMENT_FIGURE, "vcpu ns", 0, on.lost_ns, NULL,
			 "%s, %u MB/s: lost compute with", name, megabytes_per_s);
	experiment_note(run,
			"%s, %u MB/s: blackout %llu, %llu us; rounds %llu, %llu; by force %u, %u "
			"times; faults %llu, %llu; left out of rounds %llu pages; sent in the "
			"pause %llu, %llu",
			name, megabytes_per_s, (unsigned long long)off.blackout_ns / 1000,
			(unsigned long long)on.blackout_ns / 1000,
			(unsigned long long)off.rounds,
			(unsigned long long)on.rounds, off.forced, on.forced,
			(unsigned long long)off.faults, (unsigned long long)on.faults,
			(unsigned long long)on.skipped, (unsigned long long)off.last_pages,
			(unsigned long long)on.last_pages);
	return true;
}

static const char *const recorded[] = {SHARED, "guest.vcpus=2", "guest.memory_bytes=1Gi",
				       "workload.kind=trace", NULL};

static bool run_trace(struct experiment_run *run, const char *name, const char *const *settings)
{
	return compare(run, name, settings, 150) && compare(run, name, settings, 100);
}

static bool check_assume(struct experiment_run *run)
{
	return experiment_traces_open(run, "assume.traces", recorded);
}

static bool run_assume(struct experiment_run *run)
{
	static const char *const zipf[] = {GUEST, "workload.kind=zipf", NULL};
	static const char *const hot[] = {GUEST, "workload.kind=hot", NULL};

	return compare(run, "zipf", zipf, 110) && compare(run, "zipf", zipf, 80) &&
	       compare(run, "hot", hot, 110) && compare(run, "hot", hot, 80) &&
	       experiment_each_trace(run, "assume.traces", recorded, run_trace);
}

const struct experiment experiment_assume = {
	.name = "assume",
	.summary = "pages that every round finds dirty are sent in the pause only",
	.source = "bound: the same migration without",
	.check = check_assume,
	.run = run_assume,
};
