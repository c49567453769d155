// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: the figures of the inject scenario are those of its model.
 *
 * Method: one device, one queue, one request at a time, without jitter, so that every request takes
 * the same way; costs that are distinct decimal digits, so that a sum says what was paid:
 *
 *	exit 100000   entry 20000   irq 3000   look-up 400 (doorbell; the rest of a look-up is free)
 *	inject 50     vector 6      handler 700000   request 8000000   latency 90000000
 *
 * The expected values are sums of these, written down from the model's description. Percentiles
 * come from a histogram and may be a thirty-second too large.
 */
#include "inject_params.h"

#define COSTS                                                                                    \
	"cost.exit_ns=100000 cost.entry_ns=20000 cost.irq_ns=3000 cost.doorbell_ns=400 "          \
	"cost.inject_ns=50 cost.vector_ns=6 cost.handler_ns=700000 cost.io_ns=8000000 "           \
	"cost.xlate_ps=0 cost.list_entry_ps=0 cost.tree_node_ps=0 cost.reference_ps=0 "           \
	"cost.spinlock_ps=0 cost.fill_ns=0 cost.drop_ps=0 cost.generation_ps=0 "                  \
	"cost.wake_ns=0 cost.switch_ns=0 cost.table_ns=0 cost.kick_ns=0 cost.command_ns=0 "
#define ONE                                                                                      \
	"guest.vcpus=1 device.count=1 device.events=1 device.depth=1 device.jitter_percent=0 "    \
	"device.latency_ns=90000000 device.io_bytes=1 irqbalance.period_ns=0 "                    \
	"workload.warmup_ns=0 "
/* From a device's write to the next one's, under weir. */
#define CYCLE	UINT64_C(98823456)	/* 123456 to the handler, 8700000 in it, 90000000 */
#define SPAN	"workload.span_ns=9882346600 "

static void a_hit_takes_the_short_way(void **state)
{
	struct inject_result r = simulate(COSTS ONE, SPAN, SIM_ITS_WEIR);

	(void)state;
	/* 100 times 90 ms and the way to the end of the handler, the first time a miss */
	assert_int_equal(r.span_ns, 100 * CYCLE + 1000);
	assert_int_equal(r.msis, 100);
	assert_int_equal(r.lpis, 100);
	assert_int_equal(r.ios, 100);
	assert_int_equal(r.hits, 99);
	assert_int_equal(r.lookups, 100);
	assert_int_equal(r.coalesced + r.refused + r.lost + r.stuck + r.kicks, 0);
	/* The miss pays doorbell and injection once more; there is no other difference. */
	assert_int_equal(r.latency_max_ns, 123456 + 400 + 0);
	assert_in_range(r.latency_p50_ns, 123456, 123456 + 400);
	assert_int_equal(r.switches, 2);
	assert_int_equal(r.lost_ns[INJECT_HANDLER], UINT64_C(100) * 8700006);
	/* and an entry at the very start */
	assert_int_equal(r.lost_ns[INJECT_EXIT], UINT64_C(100) * 120000 + 20000);
	assert_int_equal(r.lost_ns[INJECT_IRQ], UINT64_C(99) * 3450 + 3400);
	assert_int_equal(r.lost_ns[INJECT_WORKER], 450);
	assert_int_equal(lost_all(&r), UINT64_C(100) * 8823456 + 20000 + 400);
	assert_int_equal(inject_per_s(&r, r.ios), 10); /* 1e9 / 98823456 = 10.1 */
	assert_int_equal(r.residency_max, 1);
	assert_int_equal(r.violations, 0);
}

static void no_cache_takes_the_long_way(void **state)
{
	struct inject_result r = simulate(
		COSTS ONE, "workload.span_ns=10000000000 cost.wake_ns=10000000 "
		"cost.switch_ns=300000000 cost.table_ns=10000", SIM_ITS_NONE);

	(void)state;
	/* exit, irq, wake, switch, walk, injection, switch back, entry, vector */
	assert_int_equal(r.latency_max_ns, 100000 + 3000 + 10000000 + 300000000 + 400 + 30000 + 50 +
					   300000000 + 20000 + 6);
	assert_int_equal(r.hits, 0);
	/* 708.85 ms a time, from 90 ms on; the 14th handler begins at 9.915 s */
	assert_int_equal(r.lpis, 14);
	assert_int_equal(r.lookups, 14);
	assert_int_equal(r.worker_switches, 28);
	assert_int_equal(r.switches, 28);
	assert_int_equal(r.worker_ns, 14 * 30450);
	assert_int_equal(r.residency_max, 0);
}

static void a_vcpu_elsewhere_is_kicked(void **state)
{
	struct inject_result r = simulate(
		COSTS ONE, SPAN "host.irq_cpus=1 cost.kick_ns=1000000", SIM_ITS_WEIR);

	(void)state;
	/* irq, look-up, injection on the device's CPU; then kick, exit, entry, vector */
	assert_in_range(r.latency_p50_ns, 1123456, 1123856);
	assert_int_equal(r.latency_max_ns, 1123856);
	assert_int_equal(r.kicks, r.lpis);
	assert_int_equal(r.lost_ns[INJECT_IRQ], 0);
	assert_int_equal(r.lost_ns[INJECT_WORKER], 0);
	assert_int_equal(r.worker_ns, 450);
}

static void a_vcpu_in_wfi_is_woken(void **state)
{
	struct inject_result r = simulate(
		COSTS ONE, SPAN "guest.busy=off guest.halt_poll_ns=1000000000", SIM_ITS_WEIR);

	(void)state;
	/* polled for: no exit, for there was one before */
	assert_in_range(r.latency_p50_ns, 23456, 23456 + 450);
	assert_int_equal(r.switches, 2);
	assert_int_equal(r.kicks, 0);
	/* blocked: woken and switched to, and switched away from before */
	r = simulate(COSTS ONE, SPAN "guest.busy=off guest.halt_poll_ns=1000 cost.wake_ns=1000000 "
		     "cost.switch_ns=2000000", SIM_ITS_WEIR);
	assert_in_range(r.latency_p50_ns, 3023456, 3023456 + 3023456 / 32);
	assert_int_equal(r.switches - r.worker_switches, 1 + 2 * r.lpis);
}

static void requests_that_end_together_share_an_interrupt(void **state)
{
	struct inject_result r = simulate(COSTS ONE, "device.depth=3 workload.span_ns=9000000000",
					  SIM_ITS_WEIR);

	(void)state;
	assert_int_equal(r.ios, 3 * r.lpis);
	assert_int_equal(r.msis, 3 * r.lpis);
	assert_int_equal(r.coalesced, 2 * r.lpis);
	assert_int_equal(r.lost, 0);
	/* without a cache they meet the work item */
	r = simulate(COSTS ONE, "device.depth=3 workload.span_ns=9000000000", SIM_ITS_NONE);
	assert_int_equal(r.ios, 3 * r.lpis);
	assert_int_equal(r.coalesced, 2 * r.lpis);
}

/*
 * Queues that are answered in turn; the list of one vCPU has 16 entries. (The worker may lag a few
 * interrupts behind, so that 17 would not do.)
 */
static void a_list_that_is_too_short_never_hits(void **state)
{
	struct inject_result r = simulate(
		"", "guest.vcpus=1 device.count=32 device.events=1 device.depth=1 "
		"device.jitter_percent=0 device.latency_ns=1000000 irqbalance.period_ns=0 "
		"workload.warmup_ns=0 its.profile=kvm", SIM_ITS_LIST2019);

	(void)state;
	assert_int_equal(r.hits, 0);
	assert_int_equal(r.residency_max, 16);
	assert_true(r.lookups > 32 * 40);
	assert_in_range(r.evictions, r.lookups - 16 - 32, r.lookups - 16);
	r = simulate("", "guest.vcpus=1 device.count=16 device.events=1 device.depth=1 "
		     "device.jitter_percent=0 device.latency_ns=1000000 irqbalance.period_ns=0 "
		     "workload.warmup_ns=0 its.profile=kvm", SIM_ITS_LIST2019);
	assert_int_equal(r.lookups - r.hits, 16);
	assert_int_equal(r.evictions, 0);
}

/* MOVI of one device's event; the other device survives, or not. */
static void a_storm_takes_what_it_names_and_no_more(void **state)
{
	static const char *const storm =
		"guest.vcpus=2 device.count=2 device.events=1 device.depth=1 storm.devices=1 "
		"storm.movi_per_s=1000 irqbalance.period_ns=0 workload.span_ns=100000000 "
		"workload.warmup_ns=0";
	struct inject_result weir = simulate("", storm, SIM_ITS_WEIR);
	struct inject_result tree = simulate("", storm, SIM_ITS_XARRAY2024);

	(void)state;
	assert_int_equal(weir.invalidations, 100);
	assert_int_equal(weir.warm_hits, weir.warm_lookups);
	/* one miss a move, and two at first, of which the first move takes one back */
	assert_in_range(weir.lookups - weir.hits, 100, 102);
	assert_in_range(tree.warm_lookups - tree.warm_hits, 98, 100);
	assert_in_range(tree.lookups - tree.hits, 198, 202);
	assert_int_equal(weir.dropped, 0);
	assert_in_range(tree.dropped, 198, 200);
	/* exit 600, MOVI and SYNC 300 each, a counter 9 */
	assert_int_equal(weir.lost_ns[INJECT_COMMAND], 100 * (600 + 600 + 9));
	assert_int_equal(weir.commands, 200);
}

static void survivors_of_a_storm_over_sixteen_devices(void **state)
{
	struct inject_result r = simulate(
		"", "guest.vcpus=4 device.count=16 device.events=4 device.depth=1 "
		"device.latency_ns=200000 storm.movi_per_s=10000 storm.devices=16", SIM_ITS_WEIR);

	(void)state;
	assert_in_range(r.commands, 900, 1020); /* 500 moves in 50 ms, each with its SYNC */
	assert_true(r.warm_hits * 100 >= r.warm_lookups * 95);
}

/* Off: the same as a design that never had one. */
static void the_cache_can_be_switched_off(void **state)
{
	struct inject_result off = simulate("", "its.cache=off", SIM_ITS_WEIR);
	struct inject_result none = simulate("", "", SIM_ITS_NONE);

	(void)state;
	assert_int_equal(off.hits, 0);
	assert_memory_equal(&off, &none, sizeof(off));
}

static void few_interrupts_gain_nothing(void **state)
{
	static const char *const large = "device.io_bytes=1Mi device.count=4 device.depth=2";
	struct inject_result none = simulate("", large, SIM_ITS_NONE);
	struct inject_result weir = simulate("", large, SIM_ITS_WEIR);
	uint64_t more = weir.ios > none.ios ? weir.ios - none.ios : none.ios - weir.ios;

	(void)state;
	assert_true(none.ios > 100);
	assert_true(more * 200 <= none.ios);
}

static void every_interrupt_is_accounted_for(void **state)
{
	static const char *const hard =
		"rebind.period_ns=1000000 storm.movi_per_s=20000 device.count=6 device.depth=8 "
		"workload.span_ns=20000000";

	(void)state;
	for (unsigned int k = 0; k < SIM_ITS_DESIGNS; k++) {
		for (unsigned int i = 0; i < 4; i++) {
			char text[512];
			struct inject_result r;

			snprintf(text, sizeof(text), "%s its.profile=%s workload.kind=%s "
				 "host.walk_locked=%s host.irq_cpus=%u", hard,
				 i % 2 ? "kvm" : "qemu", i / 2 ? "open" : "closed",
				 i == 1 ? "on" : "off", i == 3 ? 3u : 0u);
			r = simulate("", text, (enum sim_its_design_kind)k);
			assert_true(r.lpis > 1000);
			assert_int_equal(r.lost, 0);
			assert_int_equal(r.stuck, 0);
			assert_int_equal(r.violations, 0);
		}
	}
}

/* Held: mappings are written when they are saved, past stage 2. In memory: they are there. */
static void a_save_is_in_the_dirty_log(void **state)
{
	struct inject_result r = simulate("", "guest.save=on its.profile=kvm", SIM_ITS_WEIR);

	(void)state;
	assert_int_equal(r.save_missed, 0);
	assert_int_equal(r.violations, 0);
	r = simulate("", "guest.save=on", SIM_ITS_WEIR);
	assert_int_equal(r.save_missed, 0);
}

static void what_contradicts_is_refused(void **state)
{
	static const struct {
		const char *assignments, *says;
	} cases[] = {
		{ "device.count=4096 device.events=16",
		  "device.count=4096 with device.events=16: 65536 events, must be at most 32768" },
		{ "its.devbits=5 device.count=5",
		  "device.count=5: DeviceIDs are 8 apart and do not fit into its.devbits=5" },
		{ "its.eventbits=1 device.events=3",
		  "device.events=3: do not fit into its.eventbits=1" },
		{ "its.icidbits=1 guest.vcpus=3",
		  "guest.vcpus=3: a collection each does not fit into its.icidbits=1" },
		{ "host.cpus=5", "host.cpus=5: must be at most guest.vcpus=4" },
		{ "device.vcpus=3",
		  "device.vcpus=3: must be 0 or a divisor of guest.vcpus=4" },
		{ "second.count=4096 second.events=2048",
		  "device.count=8 with device.events=4 and second.count=4096 with "
		  "second.events=2048: 8388640 events, must be at most 32768" },
		{ "its.eventbits=2 second.count=1 second.events=5",
		  "second.events=5: do not fit into its.eventbits=2" },
		{ "workload.trace=/nonexistent/stream.csv", "/nonexistent/stream.csv: " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sim_params *params = params_with("", cases[i].assignments);
		struct sim_error err = { "" };
		struct inject_result result;

		assert_false(inject_simulate(params, 1, 0, SIM_ITS_WEIR, &result, &err));
		assert_int_equal(strncmp(err.text, cases[i].says, strlen(cases[i].says)), 0);
		sim_params_free(params);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hit_takes_the_short_way),
		cmocka_unit_test(no_cache_takes_the_long_way),
		cmocka_unit_test(a_vcpu_elsewhere_is_kicked),
		cmocka_unit_test(a_vcpu_in_wfi_is_woken),
		cmocka_unit_test(requests_that_end_together_share_an_interrupt),
		cmocka_unit_test(a_list_that_is_too_short_never_hits),
		cmocka_unit_test(a_storm_takes_what_it_names_and_no_more),
		cmocka_unit_test(survivors_of_a_storm_over_sixteen_devices),
		cmocka_unit_test(the_cache_can_be_switched_off),
		cmocka_unit_test(few_interrupts_gain_nothing),
		cmocka_unit_test(every_interrupt_is_accounted_for),
		cmocka_unit_test(a_save_is_in_the_dirty_log),
		cmocka_unit_test(what_contradicts_is_refused),
	};

	return cmocka_run_group_tests_name("inject_run", tests, NULL, NULL);
}
