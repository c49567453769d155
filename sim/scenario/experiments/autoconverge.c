// SPDX-License-Identifier: BSD-2-Clause
/*
 * autoconverge.c - the sample of QEMU's auto-converge: without it a migration of a busy 256 GiB
 * guest was still running after 1487 s with 384 GB sent; with it, it took 241 s and 28.2 GB, the
 * last 6373 ms of them with the guest stopped.
 *
 * What the sample says is taken from it: 20 vCPUs, a downtime limit of 4 s, and, of the run
 * without, 67551 dirty pages a second with 2.75 GB remaining. Since every page that is sent gets
 * dirty again there, that rate is the link's. 384 GB at this rate are 1388 s: the other 99 s are
 * the pass over 62 million zero pages, which are looked at and not sent. They are added to both
 * runs' times, and not simulated. So is the throttle as of that commit: it begins when in six
 * rounds more than half of what was sent got dirty again, and each vCPU then sleeps 30 of 40 ms.
 *
 * Assumed: that the 2.75 GB are the working set, and rewritten four times as fast as the link sends
 * them; the pages that are not zero. Memory, link, set and rate are all divided by 64, which leaves
 * the times as they are.
 */
#include "sim/scenario/experiments/list.h"
#include "sim/scenario/experiments/migration.h"

#define MS	     UINT64_C(1000000)
#define MB	     UINT64_C(1000000)
#define DIVIDE	     64u
#define ZERO_PASS_NS (99000 * MS)

#define GUEST                                                                                \
	"policy.names=wp", "guest.vcpus=20", "guest.memory_bytes=64Mi",                      \
		"link.bandwidth_bytes_per_s=4331000", "link.batch_pages=16",                 \
		"workload.kind=uniform", "workload.set_bytes=42991616",                      \
		"workload.rate_stores_per_s=211", "workload.epoch_ns=100000000",             \
		"migrate.warmup_ns=30000000000", "migrate.downtime_limit_ns=4000000000",     \
		"migrate.rounds_end=cancel"

static bool run_autoconverge(struct experiment_run *run)
{
	const char *const without[] = {GUEST, "migrate.rounds_max=138", NULL};
	const char *const with[] = {GUEST,
				    "migrate.rounds_max=1000",
				    "migrate.throttle=auto-converge",
				    "migrate.throttle_votes=6",
				    "migrate.throttle_initial_percent=75",
				    "migrate.throttle_max_percent=75",
				    NULL};
	struct migrate_result off, on;

	if (!experiment_migrate(run, without, 1, &off, 1) ||
	    !experiment_migrate(run, with, 1, &on, 1))
		return false;
	experiment_row(run, EXPERIMENT_FITTED, 1487000 * MS,
		       off.figures.end_ns - off.figures.start_ns + ZERO_PASS_NS, NULL,
		       "without: given up after (its own row: the link)");
	experiment_count(run, EXPERIMENT_FITTED, "MB", 384000, off.figures.bytes_sent * DIVIDE / MB,
			 NULL, "without: sent (its own row: the link)");
	experiment_count(run, EXPERIMENT_HELD_OUT, "bool", 1,
			 off.figures.outcome == MIGRATE_CANCELLED, NULL,
			 "without: does not converge");
	experiment_row(run, EXPERIMENT_HELD_OUT, 241000 * MS,
		       on.figures.end_ns - on.figures.start_ns + ZERO_PASS_NS, NULL,
		       "with: total");
	experiment_count(run, EXPERIMENT_HELD_OUT, "MB", 28200, on.figures.bytes_sent * DIVIDE / MB,
			 "what is written, and how fast, is assumed", "with: sent");
	experiment_row(run, EXPERIMENT_HELD_OUT, 6373 * MS, on.figures.blackout_ns,
		       "the simulated estimate holds; the sample's overran its limit of 4 s by "
		       "more than half",
		       "with: downtime");
	experiment_note(run, "rounds %llu with auto-converge; everything divided by %u",
			(unsigned long long)on.figures.rounds, DIVIDE);
	return true;
}

const struct experiment experiment_autoconverge = {
	.name = "autoconverge",
	.summary = "a guest that dirties faster than the link, with and without throttling",
	.source = "QEMU auto-converge, sample in the commit (7ca1dfad952d, 2013)",
	.run = run_autoconverge,
};
