// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: dirty-limit and quota hold a vCPU to its rate, not before the full pass and no longer than
 * needed; after a switch to post-copy every page arrives, and each wait is accounted for.
 *
 * Method: one writer that dirties a page each 10 us, 100 pages a ms, against budgets above and
 * below that; a guest whose whole set is dirty at the switch, where sizes and times are products of
 * the parameters; the recorded guest under every kind of policy.
 */
#include "tests/unit/migrate_harness.h"

#define FREE \
	"cost.fault_exit_ns=0", "cost.fault_lock_ns=0", "cost.leaf_ps=0", "cost.split_ns=0",       \
	"cost.split_serial_ns=0", "cost.scan_pte_ps=0", "cost.scan_group_ns=0", "cost.table_ns=0", \
	"cost.word_ps=0", "cost.call_ns=0", "cost.tlbi_ns=0", "cost.tlbi_vcpu_ns=0",               \
	"cost.hw_dirty_ns=0", "cost.tlb_refill_ns=0", "cost.pause_ns=0", "cost.log_kick_ns=0",     \
	"cost.log_entry_ns=0", "cost.ring_exit_ns=0", "cost.ring_entry_ns=0"

/* 16 MiB at page grain, 1 byte a ns; 2048 pages are written in order, over and over. */
#define WRITER \
	FREE, "guest.memory_bytes=16Mi", "guest.vcpus=1", "guest.map=4k",                          \
	"link.page_header_bytes=0", "link.bandwidth_bytes_per_s=1000000000",                       \
	"workload.kind=sequential", "workload.set_bytes=8Mi", "workload.epoch_ns=10000",           \
	"workload.rate_stores_per_s=100000"

static void a_quota_binds_below_the_rate_and_not_above(void **state)
{
	/* an interval of 1 ms carries 1,000,000 bytes: 50 % are 122 pages, 20 % are 48 */
	static const char *const base[] = {
		WRITER, "migrate.throttle=quota", "migrate.quota_interval_ns=1000000",
		"migrate.downtime_limit_ns=10000000", "policy.names=wp", NULL
	};
	struct harness h;
	uint64_t run_ns;

	(void)state;
	harness_run(&h, 1, base, SETTINGS("migrate.quota_percent=50", "migrate.rounds_max=8"));
	harness_sound(&h, "50 %");
	assert_int_equal(h.result.lost_ns[SIM_CAUSE_THROTTLE], 0);
	harness_run(&h, 1, base, SETTINGS("migrate.quota_percent=20", "migrate.rounds_max=1"));
	assert_int_equal(h.result.lost_ns[SIM_CAUSE_THROTTLE], 0);
	harness_run(&h, 1, base, SETTINGS("migrate.quota_percent=20", "migrate.rounds_max=8"));
	harness_sound(&h, "20 %");
	/* after the full pass of 16.8 ms it runs 480 us of each ms, give or take an interval */
	run_ns = h.result.figures.pause_ns - 4096 * 4096;
	assert_true(h.result.lost_ns[SIM_CAUSE_THROTTLE] <= run_ns * 52 / 100 + 1000000);
	assert_true(h.result.lost_ns[SIM_CAUSE_THROTTLE] + 1000000 >= run_ns * 52 / 100);
}

static void a_limit_is_the_rate_in_the_end(void **state)
{
	/*
	 * The limit is 25 pages a ms, a quarter of what it writes and a little less than the 30 of
	 * the link, so that rounds shrink slowly. Without it each of the 2048 pages is dirty again
	 * within 20 ms of a round's 67; with it they need 82 ms. What is counted is first writes.
	 */
	static const char *const base[] = {
		WRITER, "link.bandwidth_bytes_per_s=125000000", "migrate.throttle=dirty-limit",
		"migrate.dirty_limit_period_ns=10000000",
		"migrate.dirty_limit_bytes_per_s=102400000", "migrate.downtime_limit_ns=0",
		"policy.names=wp", NULL
	};
	struct harness few, many;
	uint64_t ns, faults;

	(void)state;
	harness_run(&few, 1, base, SETTINGS("migrate.rounds_max=5"));
	harness_sound(&few, "5 rounds");
	harness_run(&many, 1, base, SETTINGS("migrate.rounds_max=12"));
	harness_sound(&many, "12 rounds");
	/* what differs between the two is the steady state */
	ns = many.result.figures.pause_ns - few.result.figures.pause_ns;
	faults = many.result.figures.faults - few.result.figures.faults;
	assert_true(ns > 100000000);
	assert_true(faults * 1000000 <= ns * 25 * 11 / 10);
	assert_true(faults * 1000000 >= ns * 25 * 9 / 10);
	harness_run(&few, 1, base, SETTINGS("migrate.rounds_max=5", "migrate.throttle=none"));
	assert_int_equal(few.result.lost_ns[SIM_CAUSE_THROTTLE], 0);
}

/* The whole set is dirty when the full pass is over: 16 MiB of 16.8 ms, a page each 8 us. */
static void post_copy_sends_each_page_once_more(void **state)
{
	struct harness h;

	(void)state;
	harness_run(&h, 1, SETTINGS(WRITER, "workload.rate_stores_per_s=125000",
				    "workload.epoch_ns=8000", "policy.names=wp",
				    "migrate.downtime_limit_ns=10000000",
				    "migrate.postcopy_rounds=1", "link.rtt_ns=20000"), NULL);
	harness_sound(&h, "post-copy");
	assert_int_equal(h.result.figures.outcome, MIGRATE_POSTCOPY);
	assert_int_equal(h.result.figures.rounds, 1);
	assert_int_equal(h.result.figures.late_pages, 2048);
	assert_int_equal(h.result.figures.bytes_sent, (4096 + 2048) * 4096 + 4096 / 8);
	/* the pause: a bitmap of 4096 bits at a byte a ns, the device state, no page */
	assert_int_equal(h.result.figures.blackout_ns, 512 + 10000000);
	assert_int_equal(h.result.lost_ns[SIM_CAUSE_BLACKOUT], 512 + 10000000);
	/* the link does not stand still until the last page is there */
	assert_int_equal(h.result.figures.postcopy_ns, 2048 * 4096);
	assert_int_equal(h.result.figures.end_ns,
			 4096 * 4096 + 512 + 10000000 + 2048 * 4096);
	/* the first store waits for the round trip, the batch under way, and its page */
	assert_true(h.result.figures.fetches >= 1);
	assert_true(h.result.lost_ns[SIM_CAUSE_FAULT] >= 20000 + 4096);
	assert_true(h.result.lost_ns[SIM_CAUSE_FAULT] <=
		    h.result.figures.fetches * (20000 + 2 * 128 * 4096 + 4096));
}

static void post_copy_is_not_used_where_pre_copy_converges(void **state)
{
	struct harness h;

	(void)state;
	harness_run(&h, 1, SETTINGS(WRITER, "workload.rate_stores_per_s=1", "policy.names=wp",
				    "migrate.postcopy_rounds=1"), NULL);
	assert_int_equal(h.result.figures.outcome, MIGRATE_COMPLETED);
	assert_int_equal(h.result.figures.late_pages, 0);
}

static const char *const redis[] = {
	TRACE, "link.bandwidth_bytes_per_s=80000000", "migrate.downtime_limit_ns=12000000",
	"migrate.rounds_max=6", NULL
};

static void the_recorded_guest_arrives_whole(void **state)
{
	static const char *const policies[] = {
		"policy.names=wp", "policy.names=adaptive", "policy.names=ring4096",
		"policy.names=hdbss512",
	};
	static const char *const ways[][2] = {
		{ "migrate.throttle=quota" }, { "migrate.throttle=dirty-limit",
						"migrate.dirty_limit_period_ns=100000000" },
		{ "migrate.postcopy_rounds=2" },
	};
	struct harness h;
	size_t i, j;

	(void)state;
	for (i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		for (j = 0; j < sizeof(ways) / sizeof(ways[0]); j++) {
			harness_run(&h, 1, redis, SETTINGS(policies[i], ways[j][0], ways[j][1]));
			harness_sound(&h, ways[j][0]);
			assert_true(h.result.figures.equal);
		}
	}
}

static void post_copy_hides_no_planted_mistake(void **state)
{
	struct harness h;

	(void)state;
	harness_run(&h, 1, redis, SETTINGS("policy.names=wp", "migrate.postcopy_rounds=2",
					   "break.skip_tlbi=1"));
	assert_true(h.result.figures.lost_pages > 0);
	assert_int_equal(h.violations[SIM_CHECK_LOST_PAGE], h.result.figures.lost_pages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quota_binds_below_the_rate_and_not_above),
		cmocka_unit_test(a_limit_is_the_rate_in_the_end),
		cmocka_unit_test(post_copy_sends_each_page_once_more),
		cmocka_unit_test(post_copy_is_not_used_where_pre_copy_converges),
		cmocka_unit_test(the_recorded_guest_arrives_whole),
		cmocka_unit_test(post_copy_hides_no_planted_mistake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
