// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: rings and the hardware's log exit when they are full and not before, cost what the
 * parameters say, and lose nothing; `auto` chooses what the costs and the writes call for.
 *
 * Method: one writer that touches each page of a small set once in order, so that the numbers of
 * entries and of exits are divisions; costs of zero but for the one looked at.
 */
#include "tests/unit/migrate_harness.h"

/*
 * 16 MiB at page grain; 1024 pages are written in order, one each 10 us, over and over; the full
 * pass takes 4096 * 4096 ns = 16.8 ms, in which 1677 stores are due.
 */
#define SETUP \
	"cost.fault_exit_ns=0", "cost.fault_lock_ns=0", "cost.leaf_ps=0", "cost.split_ns=0",       \
	"cost.split_serial_ns=0", "cost.scan_pte_ps=0", "cost.scan_group_ns=0", "cost.table_ns=0", \
	"cost.word_ps=0", "cost.call_ns=0", "cost.tlbi_ns=0", "cost.tlbi_vcpu_ns=0",               \
	"cost.hw_dirty_ns=0", "cost.tlb_refill_ns=0", "cost.pause_ns=0", "cost.log_kick_ns=0",     \
	"cost.log_entry_ns=0", "cost.ring_exit_ns=0", "cost.ring_entry_ns=0",                      \
	"guest.memory_bytes=16Mi", "guest.vcpus=1", "guest.map=4k", "link.page_header_bytes=0",    \
	"link.bandwidth_bytes_per_s=1000000000", "workload.kind=sequential",                       \
	"workload.set_bytes=4Mi", "workload.rate_stores_per_s=100000",                             \
	"workload.epoch_ns=10000", "migrate.downtime_limit_ns=1000000000"

static void a_full_hardware_log_costs_an_exit_and_its_entries(void **state)
{
	struct harness h;
	uint64_t entries;

	(void)state;
	/*
	 * CLEAR of the whole of memory at 0. Each of the 1024 pages becomes dirty once: 512 entries
	 * fill the log, the 513th store drains it, and it is full again with the 1024th. The rest
	 * is drained by the gather of the round.
	 */
	harness_run(&h, 1, SETTINGS(SETUP, "policy.names=hdbss512", "cost.log_entry_ns=100",
					  "cost.fault_exit_ns=7000"), NULL);
	harness_sound(&h, "hdbss512");
	entries = h.result.log.pages_logged;
	assert_int_equal(h.result.figures.faults, 0);
	assert_int_equal(entries, 1024);
	assert_int_equal(h.result.figures.hw_dirty, 1024);
	assert_int_equal(h.result.lost_ns[SIM_CAUSE_FAULT], 7000);
	assert_int_equal(h.result.lost_ns[SIM_CAUSE_SCAN], 512 * 100);
	/* with room for all of them there is no exit, and the copier pays */
	harness_run(&h, 1, SETTINGS(SETUP, "policy.names=hdbss1024", "cost.log_entry_ns=100",
					  "cost.fault_exit_ns=7000"), NULL);
	harness_sound(&h, "hdbss1024");
	assert_int_equal(h.result.lost_ns[SIM_CAUSE_FAULT], 0);
	assert_int_equal(h.result.lost_ns[SIM_CAUSE_SCAN], 0);
	assert_int_equal(h.result.figures.gets_ns, 1024 * 100);
	assert_int_equal(h.result.figures.get_ns, 0);
}

static void a_kick_reaches_every_vcpu(void **state)
{
	struct harness h;

	(void)state;
	harness_run(&h, 1, SETTINGS(SETUP, "policy.names=hdbss4096", "cost.log_kick_ns=500",
					  "guest.vcpus=3"), NULL);
	harness_sound(&h, "kick");
	/* one GET before the pause: one kick each; none is needed in the pause */
	assert_int_equal(h.result.figures.rounds, 1);
	assert_int_equal(h.result.lost_ns[SIM_CAUSE_SCAN], 3 * 500);
	assert_int_equal(h.result.figures.gets_ns, 500);
}

static void a_full_ring_costs_an_exit_and_its_entries(void **state)
{
	struct harness h;

	(void)state;
	/*
	 * A ring of 128 takes 112 entries and is soft-full with the next (16 are kept back). The
	 * page that fills it is re-armed at once and traps again, so that each filling but the
	 * first brings 112 pages that are new: 113 + 112 * 8 = 1009 of the 1024 fill it 9 times.
	 */
	harness_run(&h, 1, SETTINGS(SETUP, "policy.names=ring128", "cost.ring_exit_ns=9000",
					  "cost.ring_entry_ns=10",
					  "workload.rate_stores_per_s=61000",
					  "workload.epoch_ns=16400"), NULL);
	harness_sound(&h, "ring128");
	assert_int_equal(h.result.lost_ns[SIM_CAUSE_SCAN], 9 * (9000 + 113 * 10));
	/* the exits take time, so that not every page has its turn within the pass */
	assert_in_range(h.result.figures.faults, 1009 + 9, 1024 + 9);
}

static void what_was_reset_and_not_sent_is_sent_in_the_pause(void **state)
{
	struct harness h;
	uint64_t sent;

	(void)state;
	/* one round, then the switchover: the pages came out of rings and are nowhere else */
	harness_run(&h, 1, SETTINGS(SETUP, "policy.names=ring64"), NULL);
	harness_sound(&h, "ring64");
	sent = h.result.figures.pages_sent;
	harness_run(&h, 1, SETTINGS(SETUP, "policy.names=wp"), NULL);
	harness_sound(&h, "wp");
	assert_int_equal(sent, h.result.figures.pages_sent);
	assert_int_equal(sent, 4096 + 1024);
}

static void auto_chooses_by_writes_and_machine(void **state)
{
	/* an epoch's store each 10 us: 100 pages in 1 ms; 64 groups cost 64 * 353 ns to scan */
	static const char *const few[] = {
		SETUP, "policy.names=auto", "policy.sample_ns=10000", "cost.fault_exit_ns=3000",
		"cost.scan_group_ns=350", NULL
	};
	static const char *const many[] = {
		SETUP, "policy.names=auto", "policy.sample_ns=1000000", "cost.fault_exit_ns=3000",
		"cost.scan_group_ns=350", NULL
	};
	struct harness h;

	(void)state;
	harness_run(&h, 1, few, NULL);
	harness_sound(&h, "few");
	assert_true(h.result.sample_pages <= 2);
	assert_int_equal(h.result.chosen, WEIR_DIRTY_WP);
	assert_non_null(strstr(h.result.why, "few pages"));
	harness_run(&h, 1, many, NULL);
	harness_sound(&h, "many");
	/* writing and counting begin at the same instant; the page at either end may be in */
	assert_in_range(h.result.sample_pages, 99, 102);
	assert_int_equal(h.result.chosen, WEIR_DIRTY_DBM_ALL);
	/* 100 entries and a kick for nothing: a machine with a hardware log uses it */
	harness_run(&h, 1, many, SETTINGS("policy.auto_hdbss_entries=512"));
	harness_sound(&h, "many, with a log");
	assert_int_equal(h.result.chosen, WEIR_DIRTY_HDBSS);
	assert_true(h.result.log.pages_logged > 0);
	/* unless its entries are dearer than scanning: 100 * 1 us against 22.4 us */
	harness_run(&h, 1, many, SETTINGS("policy.auto_hdbss_entries=512",
					  "cost.log_entry_ns=1000"));
	assert_int_equal(h.result.chosen, WEIR_DIRTY_DBM_ALL);
}

static void names_and_sizes_are_checked(void **state)
{
	static const struct {
		const char *name;
		bool good;
	} cases[] = {
		{ "ring64", true }, { "ring1048576", true }, { "ring32", false },
		{ "ring2097152", false }, { "ring100", false }, { "ring", false },
		{ "ring064", false }, { "hdbss512", true }, { "hdbss262144", true },
		{ "hdbss256", false }, { "hdbss524288", false }, { "hdbss513", false },
		{ "hdbss512x", false }, { "auto", true }, { "auto1", false },
		{ "hdbss18446744073709552128", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct migrate_policy policy = { .neighbourhood = 0 };

		snprintf(policy.name, sizeof(policy.name), "%s", cases[i].name);
		if (migrate_log_policy_read(&policy) != cases[i].good)
			fail_msg("%s: accepted %d, expected %d", cases[i].name, !cases[i].good,
				 cases[i].good);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_hardware_log_costs_an_exit_and_its_entries),
		cmocka_unit_test(a_kick_reaches_every_vcpu),
		cmocka_unit_test(a_full_ring_costs_an_exit_and_its_entries),
		cmocka_unit_test(what_was_reset_and_not_sent_is_sent_in_the_pause),
		cmocka_unit_test(auto_chooses_by_writes_and_machine),
		cmocka_unit_test(names_and_sizes_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
