// SPDX-License-Identifier: BSD-2-Clause
/*
 * memaslap2023.c - what the 2023 series said of memaslap under migration, and of more memory: which
 * way things go, and no figures.
 *
 * Said: the guest gets more done while it is migrated, and takes longer to converge, by about as
 * much; over all the series wins with a throttle increment of 15, and not with one of 10. And of
 * dirty_log_perf_test: without the series dirty memory grows with the guest's memory and GET
 * hardly, with it GET does and dirty memory hardly. Nothing is fitted to any of it.
 *
 * The guest is assumed: 96 vCPUs that rewrite half of 512 MiB all the time over a 10 Gbit/s link,
 * so that the faults of a round are a tenth of it; the machine is the series'. Throughput is
 * progress by the migration's own time; to win over all is to lose less compute to a common end.
 * More memory is four times the memory, both a sixteenth of what was published.
 */
#include <stdio.h>

#include "sim/scenario/experiments/list.h"
#include "sim/scenario/experiments/migration.h"
#include "sim/scenario/experiments/perf.h"

#define NVCPUS 96u
#define MS     UINT64_C(1000000)

#define GUEST                                                                                  \
	"guest.vcpus=96", "guest.memory_bytes=512Mi", "link.bandwidth_bytes_per_s=1250000000", \
		"workload.kind=uniform", "workload.set_bytes=256Mi",                           \
		"workload.rate_stores_per_s=10000", "workload.epoch_ns=10000000",              \
		"migrate.throttle=auto-converge", "migrate.downtime_limit_ns=100000000",       \
		"migrate.rounds_max=200", "migrate.freeze=off"

struct outcome {
	uint64_t ns;
	uint64_t lost_ns;
	uint64_t throttle_ns;
	uint64_t permille; /* progress by time */
};

static void say(struct experiment_run *run, bool published, bool simulated, const char *why,
		const char *what)
{
	experiment_count(run, EXPERIMENT_HELD_OUT, "bool", published, simulated, why, "%s", what);
}

static bool migrate(struct experiment_run *run, bool series, unsigned int increment,
		    struct outcome *out)
{
	const char *policy = series ? "policy.names=fixed64" : "policy.names=wp_eager";
	char lock[48], scan[48], step[64];
	const char *const settings[] = {GUEST, lock, policy, step, scan, NULL};
	struct migrate_result r;

	snprintf(lock, sizeof(lock), "cost.fault_lock_ns=%llu",
		 (unsigned long long)sim_params_u64(run->params, "perf2023.fault_lock_ns"));
	snprintf(scan, sizeof(scan), "cost.scan_pte_ps=%llu",
		 (unsigned long long)sim_params_u64(
			 run->params, series ? "perf2023.series_scan_pte_ps" : "cost.scan_pte_ps"));
	snprintf(step, sizeof(step), "migrate.throttle_increment_percent=%u", increment);
	if (!experiment_migrate(run, settings, 1, &r, 1))
		return false;
	out->ns = r.figures.end_ns - r.figures.start_ns;
	out->lost_ns = r.lost_total_ns;
	out->throttle_ns = r.lost_ns[SIM_CAUSE_THROTTLE];
	out->permille = 1000 - r.lost_total_ns / NVCPUS * 1000 / out->ns;
	return true;
}

static void note(struct experiment_run *run, unsigned int increment, const struct outcome *before,
		 const struct outcome *series)
{
	experiment_note(run,
			"increment %u: migration %llu, with the series %llu ms; progress in it "
			"%llu, %llu of 1000; compute lost %llu, %llu vCPU ms, of that to the "
			"throttle %llu, %llu",
			increment, (unsigned long long)(before->ns / MS),
			(unsigned long long)(series->ns / MS), (unsigned long long)before->permille,
			(unsigned long long)series->permille,
			(unsigned long long)(before->lost_ns / MS),
			(unsigned long long)(series->lost_ns / MS),
			(unsigned long long)(before->throttle_ns / MS),
			(unsigned long long)(series->throttle_ns / MS));
}

static bool throttled(struct experiment_run *run)
{
	static const char *const throttle =
		"what faults no longer take the throttle takes: it goes by what is dirtied, and "
		"goes on for longer";
	struct outcome b10, b15, s10, s15;

	if (!migrate(run, false, 10, &b10) || !migrate(run, true, 10, &s10) ||
	    !migrate(run, false, 15, &b15) || !migrate(run, true, 15, &s15))
		return false;
	experiment_count(run, EXPERIMENT_FIGURE, "bool", 0,
			 s10.lost_ns - s10.throttle_ns < b10.lost_ns - b10.throttle_ns, NULL,
			 "the guest loses less to anything but the throttle");
	say(run, true, s10.permille > b10.permille, throttle,
	    "the guest gets more done while it is migrated");
	say(run, true, s10.ns > b10.ns, NULL, "it takes longer to converge");
	say(run, false, s10.lost_ns < b10.lost_ns, NULL, "over all the series wins, increment 10");
	say(run, true, s15.lost_ns < b15.lost_ns, throttle,
	    "over all the series wins, increment 15");
	say(run, true, s15.lost_ns * 100 / b15.lost_ns < s10.lost_ns * 100 / b10.lost_ns, NULL,
	    "increment 15 suits the series better than 10");
	note(run, 10, &b10, &s10);
	note(run, 15, &b15, &s15);
	return true;
}

static bool more_memory(struct experiment_run *run)
{
	struct sim_params *params = perf_params(run);
	struct perf_result before[2], series[2];
	bool ok = params;

	for (unsigned int i = 0; ok && i < 2; i++) {
		struct perf_setup setup = {
			.name = "more memory",
			.params = params,
			.nvcpus = NVCPUS,
			.vcpu_pages = PERF_VCPU_PAGES / 16 << 2 * i,
			.map_order = 9,
			.policy = WEIR_DIRTY_WP,
			.iterations = 3,
		};

		ok = perf_lab(run, &setup, &before[i]);
		setup.policy = WEIR_DIRTY_FIXED;
		setup.series = true;
		setup.series_scan_ps = sim_params_u64(params, "perf2023.series_scan_pte_ps");
		ok = ok && perf_lab(run, &setup, &series[i]);
	}
	sim_params_free(params);
	if (!ok)
		return false;
	say(run, true,
	    before[1].mean.dirty_ns - before[0].mean.dirty_ns >
		    4 * (series[1].mean.dirty_ns - series[0].mean.dirty_ns),
	    NULL, "dirty memory grows with memory without the series, hardly with it");
	say(run, true,
	    series[1].mean.get_ns - series[0].mean.get_ns >
		    4 * (before[1].mean.get_ns - before[0].mean.get_ns),
	    NULL, "GET grows with memory with the series, hardly without it");
	experiment_note(run,
			"four times the memory: dirty memory %llu to %llu ms, with the series %llu "
			"to %llu; GET %llu to %llu us, with the series %llu to %llu",
			(unsigned long long)(before[0].mean.dirty_ns / MS),
			(unsigned long long)(before[1].mean.dirty_ns / MS),
			(unsigned long long)(series[0].mean.dirty_ns / MS),
			(unsigned long long)(series[1].mean.dirty_ns / MS),
			(unsigned long long)(before[0].mean.get_ns / 1000),
			(unsigned long long)(before[1].mean.get_ns / 1000),
			(unsigned long long)(series[0].mean.get_ns / 1000),
			(unsigned long long)(series[1].mean.get_ns / 1000));
	return true;
}

static bool run_memaslap2023(struct experiment_run *run)
{
	return throttled(run) && more_memory(run);
}

const struct experiment experiment_memaslap2023 = {
	.name = "memaslap2023",
	.summary = "directions: a throttled writer, and more memory, with the 2023 series",
	.source = "KVM arm64 SW/HW combined dirty log, RFC v2 (2023); no figures were published",
	.run = run_memaslap2023,
};
