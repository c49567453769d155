// SPDX-License-Identifier: BSD-2-Clause
/*
 * matrix.c - wp, fixed64 and adaptive against each other: compute lost to a migration, for six
 * synthetic writers and every recorded one that matrix.traces names.
 *
 * The synthetic guest: 4 vCPUs, 512 MiB in 2 MiB blocks, a quarter of a 10 Gbit/s link, a downtime limit
 * of 20 ms of which 10 are the device's. Working sets of 48 MiB, 20000 visits a second and vCPU.
 * Recorded guests have two vCPUs and the memory of their recording.
 *
 * Two questions a writer: is adaptive within a tenth of the better of the two (the bound), and is it
 * better than both? The second is counted in a note.
 */
#include "sim/scenario/experiments/list.h"
#include "sim/scenario/experiments/migration.h"

#include <stdio.h>
#include <string.h>

#define NPOLICIES	3u

#define SHARED								\
	"policy.names=wp,fixed64,adaptive", "migrate.downtime_limit_ns=20000000",	\
	"link.bandwidth_bytes_per_s=312500000", "migrate.warmup_ns=100000000"
#define SYNTHETIC							\
	SHARED, "guest.vcpus=4", "guest.memory_bytes=512Mi", "workload.set_bytes=48Mi",	\
	"workload.rate_stores_per_s=20000"

struct writer {
	const char *name;
	const char *settings[12];
};

static const struct writer writers[] = {
	{ "uniform", { SYNTHETIC, "workload.kind=uniform" } },
	{ "zipf", { SYNTHETIC, "workload.kind=zipf" } },
	{ "sequential", { SYNTHETIC, "workload.kind=sequential" } },
	{ "stride", { SYNTHETIC, "workload.kind=stride" } },
	{ "phase", { SYNTHETIC, "workload.kind=phase" } },
	{ "hot", { SYNTHETIC, "workload.kind=hot" } },
};

struct tally {
	unsigned int writers;
	unsigned int better;
	unsigned int within;
};

static void judge(struct experiment_run *run, const char *name, const struct migrate_result *r,
		  struct tally *tally)
{
	uint64_t wp = r[0].lost_total_ns, fixed = r[1].lost_total_ns, own = r[2].lost_total_ns;
	uint64_t best = wp < fixed ? wp : fixed;
	const struct experiment_row *row;

	experiment_count(run, EXPERIMENT_FIGURE, "vcpu ns", 0, wp, NULL, "%s: wp", name);
	experiment_count(run, EXPERIMENT_FIGURE, "vcpu ns", 0, fixed, NULL, "%s: fixed64", name);
	experiment_count(run, EXPERIMENT_BOUND, "vcpu ns", best + best / 10, own,
			 "more than a tenth above the better of the two", "%s: adaptive%s", name,
			 own < best ? ", better than both" : "");
	row = &run->rows[run->nrows - 1];
	tally->writers++;
	tally->better += own < best;
	tally->within += !experiment_missed(row);
	experiment_note(run, "%s: faults %llu, %llu, %llu; blackout %llu, %llu, %llu us; descriptors "
			"scanned %llu, %llu, %llu", name,
			(unsigned long long)r[0].figures.faults,
			(unsigned long long)r[1].figures.faults,
			(unsigned long long)r[2].figures.faults,
			(unsigned long long)r[0].figures.blackout_ns / 1000,
			(unsigned long long)r[1].figures.blackout_ns / 1000,
			(unsigned long long)r[2].figures.blackout_ns / 1000,
			(unsigned long long)r[0].log.ptes_scanned,
			(unsigned long long)r[1].log.ptes_scanned,
			(unsigned long long)r[2].log.ptes_scanned);
}

static bool run_traces(struct experiment_run *run, struct tally *tally)
{
	const char *text = sim_params_str(run->params, "matrix.traces");
	struct migrate_result results[NPOLICIES];
	char trace[4200];

	while (*text) {
		size_t len = strcspn(text, ",");
		const char *settings[] = {
			SHARED, "guest.vcpus=2", "guest.memory_bytes=1Gi", "workload.kind=trace", trace,
			NULL
		};
		const char *name = text + len;

		while (name > text && name[-1] != '/')
			name--;
		snprintf(trace, sizeof(trace), "workload.trace=%.*s", (int)len, text);
		if (run->progress)
			run->progress(run->ctx, "traces", tally->writers, 0);
		if (!experiment_migrate(run, settings, 1, results, NPOLICIES))
			return false;
		snprintf(trace, sizeof(trace), "%.*s", (int)(text + len - name), name);
		trace[strcspn(trace, ".")] = '\0';
		judge(run, trace, results, tally);
		text += len;
		text += *text == ',';
	}
	return true;
}

static bool run_matrix(struct experiment_run *run)
{
	struct tally tally = { 0, 0, 0 };
	struct migrate_result results[NPOLICIES];

	for (unsigned int i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
		if (run->progress)
			run->progress(run->ctx, writers[i].name, i, 6);
		if (!experiment_migrate(run, writers[i].settings, 1, results, NPOLICIES))
			return false;
		judge(run, writers[i].name, results, &tally);
	}
	if (!run_traces(run, &tally))
		return false;
	experiment_count(run, EXPERIMENT_BOUND, "", tally.better, (tally.writers + 1) / 2,
			 "adaptive is better than both on fewer than half of the writers",
			 "half of the %u writers (bound: on how many it is best)", tally.writers);
	experiment_note(run, "adaptive is better than both on %u of %u, within a tenth of the better on "
			"%u", tally.better, tally.writers, tally.within);
	return true;
}

const struct experiment experiment_matrix = {
	.name = "matrix",
	.summary = "compute lost to a migration: adaptive against wp and fixed64, writer by writer",
	.source = "bound: within a tenth of the better of wp and fixed64",
	.run = run_matrix,
};
