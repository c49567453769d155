// SPDX-License-Identifier: BSD-2-Clause
/*
 * redis2023.c - a redis benchmark during which its guest is migrated: the 2023 series' figures.
 *
 * What was published: how long the benchmark ran (79.428 s, with the series 71.49 s) and the
 * migration took (8438 ms, 9097 ms). The guest's size, its link and what it writes were not. They
 * are chosen to give the migration before: 96 vCPUs with 1 GiB in all and QEMU's default
 * bandwidth of 128 MiB/s; 400000 stores a second, Zipf over 32 MiB, which is what a migration of
 * that length can leave.
 *
 * A run's length is what it would take undisturbed plus the compute lost to the migration, a share
 * each vCPU. The undisturbed length is not known: it is taken from the run before, so that only the
 * difference is a prediction.
 */
#include "sim/scenario/experiments/list.h"
#include "sim/scenario/experiments/migration.h"

#include <stdio.h>

#define MS     UINT64_C(1000000)
#define NVCPUS 96u

#define GUEST                                                                           \
	"guest.vcpus=96", "guest.memory_bytes=1Gi", "link.bandwidth_bytes_per_s=128Mi", \
		"workload.kind=zipf", "workload.set_bytes=32Mi",                        \
		"workload.rate_stores_per_s=4166", "workload.epoch_ns=10000000",        \
		"migrate.freeze=off"

static bool run_redis2023(struct experiment_run *run)
{
	char scan[48], lock[48];
	const char *const before[] = {GUEST, lock, "policy.names=wp_eager", NULL};
	const char *const after[] = {GUEST, lock, "policy.names=fixed64", scan, NULL};
	struct migrate_result b, a;
	uint64_t lost_b, lost_a, saved, rest, ns_b, ns_a, longer;

	snprintf(lock, sizeof(lock), "cost.fault_lock_ns=%llu",
		 (unsigned long long)sim_params_u64(run->params, "perf2023.fault_lock_ns"));
	snprintf(scan, sizeof(scan), "cost.scan_pte_ps=%llu",
		 (unsigned long long)sim_params_u64(run->params, "perf2023.series_scan_pte_ps"));
	if (!experiment_migrate(run, before, 1, &b, 1) || !experiment_migrate(run, after, 1, &a, 1))
		return false;
	lost_b = b.lost_total_ns / NVCPUS;
	lost_a = a.lost_total_ns / NVCPUS;
	ns_b = b.figures.end_ns - b.figures.start_ns;
	ns_a = a.figures.end_ns - a.figures.start_ns;
	longer = ns_a > ns_b ? ns_a - ns_b : 0;
	saved = lost_b > lost_a ? lost_b - lost_a : 0;
	rest = lost_b < 79428 * MS ? 79428 * MS - lost_b : 0;
	experiment_row(run, EXPERIMENT_FITTED, 79428 * MS, rest + lost_b, NULL,
		       "run, before (the undisturbed length is taken from it)");
	experiment_row(run, EXPERIMENT_HELD_OUT, 71490 * MS, rest + lost_a, NULL,
		       "run, with the series");
	experiment_row(
		run, EXPERIMENT_HELD_OUT, 7938 * MS, saved,
		"the published saving is 94 % of the migration's whole length: as if the guest "
		"had stood still; faults, lock, splits and blackout of a guest that fits the "
		"published migration time do not add up to a tenth of it",
		"saved of the run by the series");
	experiment_row(run, EXPERIMENT_FITTED, 8438 * MS, ns_b, NULL,
		       "migration, before (size, link and writes are chosen for it)");
	experiment_row(run, EXPERIMENT_HELD_OUT, 9097 * MS, ns_a, NULL,
		       "migration, with the series");
	experiment_row(
		run, EXPERIMENT_HELD_OUT, 659 * MS, longer,
		"the model knows one reason for a longer migration, the series' GET, 258 ns for "
		"each page handed to the hardware; this guest has too few of them and too few "
		"rounds to make 0.66 s of it",
		"longer migration with the series");
	experiment_note(run,
			"rounds %llu and %llu, faults %llu and %llu, compute lost a vCPU %llu and "
			"%llu us; guest, link and writes are assumed, see redis2023.c",
			(unsigned long long)b.figures.rounds, (unsigned long long)a.figures.rounds,
			(unsigned long long)b.figures.faults, (unsigned long long)a.figures.faults,
			(unsigned long long)(lost_b / 1000), (unsigned long long)(lost_a / 1000));
	return true;
}

const struct experiment experiment_redis2023 = {
	.name = "redis2023",
	.summary = "redis benchmark under migration, before and with the 2023 series",
	.source = "KVM arm64 SW/HW combined dirty log, RFC v2 (2023)",
	.run = run_redis2023,
};
