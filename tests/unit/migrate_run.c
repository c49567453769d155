// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: a migration brings every page over under every policy, charges each lost nanosecond to one
 * cause, and does the same thing twice; and what it reports is what simple arithmetic says.
 *
 * Method: small guests with costs of zero, where the expected figures are products of the
 * parameters; the recorded redis guest and every synthetic writer under every policy, mapping and
 * way to split, judged by the checkers (contents at both ends) and by the sum of the parts.
 */
#include "tests/unit/migrate_harness.h"
#include "tests/percent.h"

static const char *const all_policies[] = {
	"policy.names=wp", "policy.names=wp_eager", "policy.names=dbm_all",
	"policy.names=fixed1", "policy.names=fixed64", "policy.names=fixed512",
	"policy.names=adaptive", "policy.names=ring64", "policy.names=ring4096",
	"policy.names=hdbss512", "policy.names=auto",
};
#define NPOLICIES	(sizeof(all_policies) / sizeof(all_policies[0]))

/*
 * Of the many combinations below, whether this one's turn has come: every one, or, where
 * WEIR_TEST_PERCENT asks for less, one in so many.
 */
static bool chosen(void)
{
	static uint64_t turn;
	uint64_t share = test_percent();

	turn++;
	return turn * share / 100 != (turn - 1) * share / 100;
}

/* Nothing costs anything but the link, the device state, and time itself. */
#define FREE "cost.fault_exit_ns=0", "cost.fault_lock_ns=0", "cost.leaf_ps=0", "cost.split_ns=0", \
	"cost.split_serial_ns=0", "cost.scan_pte_ps=0", "cost.scan_group_ns=0", "cost.table_ns=0", \
	"cost.word_ps=0", "cost.call_ns=0", "cost.tlbi_ns=0", "cost.tlbi_vcpu_ns=0",              \
	"cost.hw_dirty_ns=0", "cost.tlb_refill_ns=0", "cost.pause_ns=0"

/* 4 MiB, 4104 bytes a page and 1 GB/s: a full pass takes 1024 * 4104 ns. */
#define TINY "guest.memory_bytes=4Mi", "guest.vcpus=1", "link.bandwidth_bytes_per_s=1000000000"

static void an_idle_guest_is_sent_once(void **state)
{
	struct harness h;

	(void)state;
	/* one store a second: the first is due after the migration */
	harness_run(&h, 1, SETTINGS(FREE, TINY, "workload.kind=uniform", "workload.set_bytes=4Mi",
				    "workload.rate_stores_per_s=1"), NULL);
	harness_sound(&h, "idle");
	assert_int_equal(h.result.figures.rounds, 1);
	assert_int_equal(h.result.figures.bytes_sent, 1024 * 4104);
	assert_int_equal(h.result.figures.end_ns, 1024 * 4104 + 10000000);
	assert_int_equal(h.result.figures.blackout_ns, 10000000);
	assert_int_equal(h.result.lost_ns[SIM_CAUSE_BLACKOUT], 10000000);
	assert_int_equal(h.result.figures.faults, 0);
}

static void a_page_written_always_is_sent_in_every_round(void **state)
{
	struct harness h;
	const uint64_t rounds = 6;

	(void)state;
	/*
	 * One page, written every 2 us: dirty again in each round. It goes over once in the full
	 * pass, once in each of the 5 rounds after it, once in blackout. Each arming costs one
	 * fault: one after the CLEAR of each round.
	 */
	harness_run(&h, 1, SETTINGS(FREE, TINY, "workload.kind=sequential",
				    "workload.set_bytes=4096", "workload.rate_stores_per_s=500000",
				    "workload.epoch_ns=2000", "migrate.downtime_limit_ns=0",
				    "migrate.rounds_max=6", "policy.names=wp"), NULL);
	harness_sound(&h, "one page");
	assert_int_equal(h.result.figures.outcome, MIGRATE_FORCED);
	assert_int_equal(h.result.figures.rounds, rounds);
	assert_int_equal(h.result.figures.pages_sent, 1024 + (rounds - 1) + 1);
	assert_int_equal(h.result.figures.faults, rounds);
	assert_int_equal(h.result.figures.end_ns, (1024 + rounds) * 4104 + 10000000);
}

static void a_fault_costs_what_the_parameters_say(void **state)
{
	struct harness h;

	(void)state;
	/* one fault, of 3 us, and it splits the block: 2 us, and 1 us for the broadcasts */
	harness_run(&h, 1, SETTINGS(FREE, TINY, "workload.kind=sequential",
				    "workload.set_bytes=4096", "workload.rate_stores_per_s=100000",
				    "workload.epoch_ns=10000", "migrate.downtime_limit_ns=0",
				    "migrate.rounds_max=1", "policy.names=wp",
				    "cost.fault_exit_ns=2500", "cost.fault_lock_ns=500",
				    "cost.split_ns=2000", "cost.split_serial_ns=1000"), NULL);
	harness_sound(&h, "costs");
	assert_int_equal(h.result.figures.faults, 1);
	assert_int_equal(h.result.lost_ns[SIM_CAUSE_FAULT], 3000);
	assert_int_equal(h.result.lost_ns[SIM_CAUSE_SPLIT], 3000);
	assert_int_equal(h.result.lost_ns[SIM_CAUSE_LOCK], 0);
}

static void the_lock_serves_one_at_a_time(void **state)
{
	struct harness h;

	(void)state;
	/*
	 * Four vCPUs write four different pages at the same instant, the begin of their first epoch
	 * after the CLEAR. Each holds the lock for 1 us: they wait 0, 1, 2 and 3 us.
	 */
	harness_run(&h, 1, SETTINGS(FREE, "guest.memory_bytes=4Mi", "guest.vcpus=4",
				    "guest.map=4k", "link.bandwidth_bytes_per_s=10000000000",
				    "workload.kind=sequential", "workload.set_bytes=16384",
				    "workload.rate_stores_per_s=1000",
				    "workload.epoch_ns=1000000", "migrate.warmup_ns=500000",
				    "migrate.downtime_limit_ns=1000000000", "policy.names=wp",
				    "link.page_header_bytes=0", "cost.fault_lock_ns=1000",
				    "link.bandwidth_bytes_per_s=5000000000"), NULL);
	harness_sound(&h, "lock");
	/* the full pass takes 1024 * 4096 / 5 = 838860 ns: one instant of writes, at 1 ms */
	assert_int_equal(h.result.figures.faults, 4);
	assert_int_equal(h.result.lost_ns[SIM_CAUSE_FAULT], 4 * 1000);
	assert_int_equal(h.result.lost_ns[SIM_CAUSE_LOCK], 1000 + 2000 + 3000);
}

static void broadcasts_of_splits_are_one_at_a_time(void **state)
{
	struct harness h;

	(void)state;
	/*
	 * The same instant, and four blocks. Each vCPU splits its own for 2 us; the broadcasts take
	 * 1 us each, one after the other: they are through after 3, 4, 5 and 6 us.
	 */
	harness_run(&h, 1, SETTINGS(FREE, "guest.memory_bytes=8Mi", "guest.vcpus=4",
				    "link.bandwidth_bytes_per_s=10000000000",
				    "workload.kind=sequential", "workload.set_bytes=8Mi",
				    "workload.rate_stores_per_s=1000",
				    "workload.epoch_ns=1000000", "migrate.warmup_ns=500000",
				    "migrate.downtime_limit_ns=1000000000", "policy.names=wp",
				    "link.page_header_bytes=0", "cost.split_ns=2000",
				    "cost.split_serial_ns=1000"), NULL);
	harness_sound(&h, "splits");
	assert_int_equal(h.result.figures.faults, 4);
	assert_int_equal(h.result.lost_ns[SIM_CAUSE_SPLIT], 3000 + 4000 + 5000 + 6000);
}

static void auto_converge_waits_for_the_full_pass(void **state)
{
	struct harness h;
	static const char *const busy[] = {
		FREE, TINY, "workload.kind=uniform", "workload.set_bytes=4Mi",
		"workload.rate_stores_per_s=20000000", "workload.epoch_ns=100000",
		"migrate.downtime_limit_ns=11000000", "migrate.throttle=auto-converge", NULL
	};

	(void)state;
	/* all memory is dirty again in each round: the limit leaves 1 ms for at most 243 pages */
	harness_run(&h, 1, busy, SETTINGS("migrate.rounds_max=1"));
	harness_sound(&h, "one round");
	assert_int_equal(h.result.lost_ns[SIM_CAUSE_THROTTLE], 0);
	harness_run(&h, 1, busy, SETTINGS("migrate.rounds_max=2"));
	assert_int_equal(h.result.lost_ns[SIM_CAUSE_THROTTLE], 0);
	harness_run(&h, 1, busy, SETTINGS("migrate.rounds_max=60",
					  "migrate.throttle_slice_ns=100000"));
	harness_sound(&h, "throttled");
	assert_int_equal(h.result.figures.outcome, MIGRATE_COMPLETED);
	assert_true(h.result.lost_ns[SIM_CAUSE_THROTTLE] > 0);
	harness_run(&h, 1, busy, SETTINGS("migrate.rounds_max=60", "migrate.throttle=none"));
	assert_int_equal(h.result.figures.outcome, MIGRATE_FORCED);
	harness_run(&h, 1, busy, SETTINGS("migrate.rounds_max=3", "migrate.throttle=none",
					  "migrate.rounds_end=cancel"));
	assert_int_equal(h.result.figures.outcome, MIGRATE_CANCELLED);
	assert_int_equal(h.result.figures.blackout_ns, 0);
}

/* What examples/scenarios/migrate.yaml sets: several rounds. */
static const char *const redis[] = {
	TRACE, "link.bandwidth_bytes_per_s=312500000", "migrate.warmup_ns=100000000",
	"migrate.downtime_limit_ns=20000000", NULL
};

static void the_recorded_guest_arrives_whole(void **state)
{
	struct harness h;
	size_t i;

	(void)state;
	for (i = 0; i < NPOLICIES; i++) {
		if (!chosen())
			continue;
		harness_run(&h, 1, redis, SETTINGS(all_policies[i]));
		harness_sound(&h, all_policies[i]);
		assert_true(h.result.figures.equal);
		assert_true(h.result.figures.rounds > 1);
	}
}

static void the_recorded_guest_arrives_whole_otherwise_mapped(void **state)
{
	static const char *const variants[][3] = {
		{ "guest.map=4k" }, { "guest.map=1g" }, { "migrate.split=eager" },
		{ "migrate.initially_set=off" }, { "migrate.freeze=off" },
		{ "migrate.clear_chunk_bytes=2Mi" }, { "migrate.freeze_budget_ptes=64" },
		{ "migrate.initially_set=off", "migrate.split=eager" },
	};
	struct harness h;
	size_t i, j;

	(void)state;
	for (i = 0; i < NPOLICIES; i++) {
		for (j = 0; j < sizeof(variants) / sizeof(variants[0]); j++) {
			if (!chosen())
				continue;
			harness_run(&h, 1, SETTINGS(TRACE, "migrate.downtime_limit_ns=20000000",
						    all_policies[i]), variants[j]);
			harness_sound(&h, variants[j][0]);
			assert_true(h.result.figures.equal);
		}
	}
}

static void every_synthetic_guest_arrives_whole(void **state)
{
	static const char *const kinds[] = {
		"workload.kind=uniform", "workload.kind=zipf", "workload.kind=sequential",
		"workload.kind=stride", "workload.kind=phase", "workload.kind=hot",
	};
	struct harness h;
	size_t i, j;

	(void)state;
	for (i = 0; i < NPOLICIES; i++) {
		for (j = 0; j < sizeof(kinds) / sizeof(kinds[0]); j++) {
			if (!chosen())
				continue;
			harness_run(&h, j, SETTINGS(all_policies[i], kinds[j], "guest.vcpus=3",
						    "guest.memory_bytes=40Mi",
						    "workload.set_bytes=8Mi",
						    "workload.set_spread_pages=3",
						    "workload.rate_stores_per_s=200000",
						    "workload.burst_stores=7",
						    "workload.phase_ns=10000000",
						    "migrate.downtime_limit_ns=12000000",
						    "migrate.rounds_max=5"), NULL);
			harness_sound(&h, kinds[j]);
			assert_true(h.result.figures.equal);
			assert_true(h.result.figures.faults + h.result.figures.hw_dirty > 0);
		}
	}
}

static void the_same_seed_does_the_same(void **state)
{
	static const char *const base[] = {
		"workload.kind=zipf", "guest.memory_bytes=64Mi", "workload.set_bytes=16Mi",
		"policy.names=adaptive", "migrate.downtime_limit_ns=11000000",
		"migrate.rounds_max=5", NULL
	};
	struct harness a, b, c;

	(void)state;
	harness_run(&a, 1, base, NULL);
	harness_run(&b, 1, base, NULL);
	harness_run(&c, 2, base, NULL);
	assert_string_equal(a.digest, b.digest);
	assert_memory_equal(&a.result.figures, &b.result.figures, sizeof(a.result.figures));
	assert_string_not_equal(a.digest, c.digest);
}

static void the_checkers_find_the_planted_mistakes(void **state)
{
	static const char *const late[] = {
		"policy.names=dbm_all", "policy.names=fixed64", "policy.names=adaptive"
	};
	struct harness h;
	size_t i;

	(void)state;
	for (i = 0; i < NPOLICIES; i++) {
		if (!chosen())
			continue;
		harness_run(&h, 1, redis, SETTINGS(all_policies[i], "break.skip_tlbi=1"));
		assert_true(h.result.figures.lost_pages > 0);
		assert_int_equal(h.violations[SIM_CHECK_LOST_PAGE], h.result.figures.lost_pages);
		assert_true(h.violations[SIM_CHECK_CONTENT_BEFORE_TLBI] > 0);
	}
	for (i = 0; i < sizeof(late) / sizeof(late[0]); i++) {
		if (!chosen())
			continue;
		harness_run(&h, 1, redis, SETTINGS(late[i], "break.late_scan_set=1"));
		assert_true(h.result.figures.lost_pages > 0);
		assert_true(h.violations[SIM_CHECK_LOST_PAGE] > 0);
		assert_true(h.violations[SIM_CHECK_ILLEGAL_LEAF] > 0);
	}
	harness_run(&h, 1, redis, SETTINGS("policy.names=wp", "break.late_scan_set=1"));
	assert_int_equal(h.result.figures.lost_pages, 0);	/* wp hands over nothing */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_idle_guest_is_sent_once),
		cmocka_unit_test(a_page_written_always_is_sent_in_every_round),
		cmocka_unit_test(a_fault_costs_what_the_parameters_say),
		cmocka_unit_test(the_lock_serves_one_at_a_time),
		cmocka_unit_test(broadcasts_of_splits_are_one_at_a_time),
		cmocka_unit_test(auto_converge_waits_for_the_full_pass),
		cmocka_unit_test(the_same_seed_does_the_same),
		cmocka_unit_test(the_recorded_guest_arrives_whole),
		cmocka_unit_test(the_recorded_guest_arrives_whole_otherwise_mapped),
		cmocka_unit_test(every_synthetic_guest_arrives_whole),
		cmocka_unit_test(the_checkers_find_the_planted_mistakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
