// SPDX-License-Identifier: BSD-2-Clause
/*
 * auc2023.c - the second half of the answer: a whole migration of the 2023 machine, judged as its
 * reviewers asked for it, by the compute that the guest loses and by how long it stands still.
 *
 * 96 vCPUs, 48 GiB, a 10 Gbit/s link, QEMU's downtime limit; the guest writes all the while, 48000
 * pages a second (a sixth of the link), Zipf over 8 GiB, and never finishes. Lost compute is the
 * area between the guest's full progress and what it made, to a common end, blackout included. The
 * series is FIXED 64 with its own scan price and no freeze; the cost file is the same for all.
 *
 * The bounds for our policies: what the series loses, how long it stands still, and a thousandth of
 * its published GET.
 */
#include <stdio.h>

#include "sim/scenario/experiments/list.h"
#include "sim/scenario/experiments/migration.h"

#define NOURS	     3u
#define GET_BOUND_NS UINT64_C(3250000)

#define GUEST                                                                                     \
	"guest.vcpus=96", "guest.memory_bytes=48Gi", "link.bandwidth_bytes_per_s=1250000000",     \
		"workload.kind=zipf", "workload.set_bytes=8Gi", "workload.rate_stores_per_s=500", \
		"workload.epoch_ns=10000000", "migrate.split=eager"

static void add_peer(struct experiment_run *run, const char *name, const struct migrate_result *r)
{
	experiment_count(run, EXPERIMENT_FIGURE, "vcpu ns", 0, r->lost_total_ns, NULL,
			 "%s: lost compute", name);
	experiment_row(run, EXPERIMENT_FIGURE, 0, r->figures.blackout_ns, NULL, "%s: blackout",
		       name);
	experiment_row(run, EXPERIMENT_FIGURE, 0, r->figures.get_ns, NULL, "%s: GET in blackout",
		       name);
}

static void add_ours(struct experiment_run *run, const char *name, const struct migrate_result *r,
		     const struct migrate_result *series)
{
	experiment_count(run, EXPERIMENT_BOUND, "vcpu ns", series->lost_total_ns, r->lost_total_ns,
			 "more compute lost than with the series", "%s: lost compute", name);
	experiment_row(run, EXPERIMENT_BOUND, series->figures.blackout_ns, r->figures.blackout_ns,
		       "the guest is stopped when the rest fits into the downtime limit, the last "
		       "GET "
		       "included: who has the shorter GET may leave more to send",
		       "%s: blackout", name);
	experiment_row(run, EXPERIMENT_BOUND, GET_BOUND_NS, r->figures.get_ns, NULL,
		       "%s: GET in blackout", name);
	experiment_row(run, EXPERIMENT_FIGURE, 0, r->figures.freeze_ns, NULL,
		       "%s: freeze, beside the guest; its faults are in lost compute", name);
}

static bool run_auc2023(struct experiment_run *run)
{
	static const char *const names[NOURS] = {"fixed64", "adaptive", "dbm_all"};
	char scan[48], lock[48];
	const char *const wp[] = {GUEST, lock, "policy.names=wp_eager", NULL};
	const char *const theirs[] = {
		GUEST, lock, "policy.names=fixed64", "migrate.freeze=off", scan, NULL};
	const char *const own[] = {GUEST, lock, "policy.names=fixed64,adaptive,dbm_all", NULL};
	struct migrate_result before, series, ours[NOURS];

	snprintf(lock, sizeof(lock), "cost.fault_lock_ns=%llu",
		 (unsigned long long)sim_params_u64(run->params, "perf2023.fault_lock_ns"));
	snprintf(scan, sizeof(scan), "cost.scan_pte_ps=%llu",
		 (unsigned long long)sim_params_u64(run->params, "perf2023.series_scan_pte_ps"));
	if (!experiment_migrate(run, wp, 1, &before, 1) ||
	    !experiment_migrate(run, theirs, 1, &series, 1) ||
	    !experiment_migrate(run, own, 1, ours, NOURS))
		return false;
	add_peer(run, "before (wp, eager split)", &before);
	add_peer(run, "with the series", &series);
	for (unsigned int i = 0; i < NOURS; i++)
		add_ours(run, names[i], &ours[i], &series);
	experiment_note(run,
			"faults %llu before, %llu with the series; %llu, %llu, %llu under fixed64, "
			"adaptive, dbm_all",
			(unsigned long long)before.figures.faults,
			(unsigned long long)series.figures.faults,
			(unsigned long long)ours[0].figures.faults,
			(unsigned long long)ours[1].figures.faults,
			(unsigned long long)ours[2].figures.faults);
	experiment_note(run, "bounds are the series' simulated figures, but for GET");
	return true;
}

const struct experiment experiment_auc2023 = {
	.name = "auc2023",
	.summary = "a migration of the 2023 machine: lost compute and blackout, theirs and ours",
	.source = "bounds: the series, simulated; a thousandth of its published GET",
	.run = run_auc2023,
};
