// SPDX-License-Identifier: BSD-2-Clause
/*
 * matrix.c - wp, fixed64 and adaptive against each other: compute lost to a migration, for six
 * synthetic writers and every recorded one that matrix.traces names.
 *
 * The synthetic guest: 4 vCPUs, 512 MiB in 2 MiB blocks, a quarter of a 10 Gbit/s link, a
 * downtime limit of 20 ms of which 10 are the device's. Working sets of 48 MiB, 10000 visits a
 * second and vCPU: at most half of what the link carries. Recorded guests have two vCPUs and 1
 * GiB.
 *
 * Where a round ends is chance, and moves the blackout by milliseconds. So each writer is migrated
 * matrix.runs times, each from another moment of its life, with another seed; the figures are sums.
 *
 * Two questions a writer: is adaptive within a tenth of the better of the two (the bound), and is
 * it better than both? The second is counted in a note.
 */
#include "sim/scenario/experiments/list.h"
#include "sim/scenario/experiments/migration.h"

#include <stdio.h>
#include <string.h>

#define NPOLICIES      3u
#define SETTINGS_MAX   12u
#define WARMUP_NS      UINT64_C(100000000)
#define WARMUP_STEP_NS UINT64_C(137000000)

#define SHARED                                                                    \
	"policy.names=wp,fixed64,adaptive", "migrate.downtime_limit_ns=20000000", \
		"link.bandwidth_bytes_per_s=312500000"
#define SYNTHETIC                                                                       \
	SHARED, "guest.vcpus=4", "guest.memory_bytes=512Mi", "workload.set_bytes=48Mi", \
		"workload.rate_stores_per_s=10000"

struct writer {
	const char *name;
	const char *settings[SETTINGS_MAX];
};

static const struct writer writers[] = {
	{"uniform", {SYNTHETIC, "workload.kind=uniform"}},
	{"zipf", {SYNTHETIC, "workload.kind=zipf"}},
	{"sequential", {SYNTHETIC, "workload.kind=sequential"}},
	{"stride", {SYNTHETIC, "workload.kind=stride"}},
	{"phase", {SYNTHETIC, "workload.kind=phase"}},
	{"hot", {SYNTHETIC, "workload.kind=hot"}},
};

struct tally {
	unsigned int writers;
	unsigned int better;
	unsigned int within;
};

/* Sums over the runs of one writer, under each policy. */
struct sums {
	uint64_t lost_ns[NPOLICIES];
	uint64_t faults[NPOLICIES];
	uint64_t blackout_ns[NPOLICIES];
	uint64_t ptes[NPOLICIES];
};

static bool measure(struct experiment_run *run, const char *const *settings, struct sums *sums)
{
	uint64_t runs = sim_params_u64(run->params, "matrix.runs");
	struct migrate_result results[NPOLICIES];
	const char *all[SETTINGS_MAX + 2];
	char warmup[48];
	size_t n = 0;

	*sums = (struct sums){.lost_ns = {0}};
	while (settings[n]) {
		all[n] = settings[n];
		n++;
	}
	all[n] = warmup;
	all[n + 1] = NULL;
	for (uint64_t i = 0; i < runs; i++) {
		snprintf(warmup, sizeof(warmup), "migrate.warmup_ns=%llu",
			 (unsigned long long)(WARMUP_NS + i * WARMUP_STEP_NS));
		if (!experiment_migrate(run, all, i + 1, results, NPOLICIES))
			return false;
		for (unsigned int p = 0; p < NPOLICIES; p++) {
			sums->lost_ns[p] += results[p].lost_total_ns;
			sums->faults[p] += results[p].figures.faults;
			sums->blackout_ns[p] += results[p].figures.blackout_ns;
			sums->ptes[p] += results[p].log.ptes_scanned;
		}
	}
	return true;
}

static void judge(struct experiment_run *run, const char *name, const struct sums *s)
{
	uint64_t wp = s->lost_ns[0], fixed = s->lost_ns[1], own = s->lost_ns[2];
	uint64_t best = wp < fixed ? wp : fixed;
	char verdict[48] = ", better than both";

	if (own >= best)
		snprintf(verdict, sizeof(verdict), ", loses to %s by %llu.%llu %%",
			 wp < fixed ? "wp" : "fixed64",
			 (unsigned long long)((own - best) * 100 / best),
			 (unsigned long long)((own - best) * 1000 / best % 10));
	experiment_count(run, EXPERIMENT_FIGURE, "vcpu ns", 0, wp, NULL, "%s: wp", name);
	experiment_count(run, EXPERIMENT_FIGURE, "vcpu ns", 0, fixed, NULL, "%s: fixed64", name);
	experiment_count(run, EXPERIMENT_BOUND, "vcpu ns", best + best / 10, own,
			 "more than a tenth above the better of the two", "%s: adaptive%s", name,
			 verdict);
	experiment_note(run,
			"%s: faults %llu, %llu, %llu; blackout %llu, %llu, %llu us; descriptors "
			"scanned %llu, %llu, %llu",
			name, (unsigned long long)s->faults[0], (unsigned long long)s->faults[1],
			(unsigned long long)s->faults[2],
			(unsigned long long)s->blackout_ns[0] / 1000,
			(unsigned long long)s->blackout_ns[1] / 1000,
			(unsigned long long)s->blackout_ns[2] / 1000,
			(unsigned long long)s->ptes[0], (unsigned long long)s->ptes[1],
			(unsigned long long)s->ptes[2]);
}

/* A writer has three rows, adaptive's last; its bound is a tenth above the better of the two. */
static void tally_up(const struct experiment_run *run, struct tally *tally)
{
	for (size_t i = 0; i + NPOLICIES <= run->nrows; i += NPOLICIES) {
		const struct experiment_row *row = &run->rows[i];
		uint64_t wp = row[0].simulated, fixed = row[1].simulated;

		tally->writers++;
		tally->better += row[2].simulated < (wp < fixed ? wp : fixed);
		tally->within += !experiment_missed(&row[2]);
	}
}

static const char *const recorded[] = {SHARED, "guest.vcpus=2", "guest.memory_bytes=1Gi",
				       "workload.kind=trace", NULL};

static bool check_matrix(struct experiment_run *run)
{
	return experiment_traces_open(run, "matrix.traces", recorded);
}

/* Writer after writer, and then the recorded ones. */
static bool run_writer(struct experiment_run *run, const char *name, const char *const *settings)
{
	struct sums sums;

	if (run->progress)
		run->progress(run->ctx, name, run->nrows / NPOLICIES, 0);
	if (!measure(run, settings, &sums))
		return false;
	judge(run, name, &sums);
	return true;
}

static bool run_matrix(struct experiment_run *run)
{
	struct tally tally = {0, 0, 0};

	for (unsigned int i = 0; i < sizeof(writers) / sizeof(writers[0]); i++)
		if (!run_writer(run, writers[i].name, writers[i].settings))
			return false;
	if (!experiment_each_trace(run, "matrix.traces", recorded, run_writer))
		return false;
	tally_up(run, &tally);
	experiment_count(run, EXPERIMENT_BOUND, "", tally.better, (tally.writers + 1) / 2,
			 "adaptive is better than both on fewer than half of the writers",
			 "half of the %u writers (bound: on how many it is best)", tally.writers);
	experiment_note(run,
			"adaptive is better than both on %u of %u, within a tenth of the better on "
			"%u",
			tally.better, tally.writers, tally.within);
	return true;
}

const struct experiment experiment_matrix = {
	.name = "matrix",
	.summary = "compute lost to a migration: adaptive against wp and fixed64, writer by writer",
	.source = "bound: within a tenth of the better of wp and fixed64",
	.check = check_matrix,
	.run = run_matrix,
};
