// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: threads that share a CPU of the inject scenario have it as the model says: by fair shares,
 * those that wake at once, and vCPUs where there is room.
 *
 * Method: as inject_run.c: one request at a time, costs that are distinct decimal digits:
 *
 *	exit 100000   entry 20000   irq 3000   look-up 400 (doorbell)   inject 50   vector 6
 *	handler 700000   request 8000000   wake 1000000   switch 2000000   latency 90000000
 *
 * and shares that follow from the number of threads, to a slice of sched.latency_ns.
 */
#include "inject_params.h"

#define FREE                                                                                       \
	"cost.xlate_ps=0 cost.list_entry_ps=0 cost.tree_node_ps=0 cost.reference_ps=0 "            \
	"cost.spinlock_ps=0 cost.fill_ns=0 cost.drop_ps=0 cost.generation_ps=0 cost.table_ns=0 "   \
	"cost.kick_ns=0 cost.command_ns=0 irqbalance.period_ns=0 workload.warmup_ns=0 "
#define COSTS                                                                                      \
	FREE "cost.exit_ns=100000 cost.entry_ns=20000 cost.irq_ns=3000 cost.doorbell_ns=400 "      \
	"cost.inject_ns=50 cost.vector_ns=6 cost.handler_ns=700000 cost.io_ns=8000000 "            \
	"cost.wake_ns=1000000 cost.switch_ns=2000000 "
#define ONE                                                                                        \
	"guest.vcpus=1 device.count=1 device.events=1 device.depth=1 device.jitter_percent=0 "     \
	"device.latency_ns=90000000 device.io_bytes=1 guest.busy=off workload.span_ns=10000000000 "
/* Nothing but threads: the first request ends after the span. */
#define THREADS                                                                                    \
	FREE "cost.exit_ns=0 cost.entry_ns=0 cost.irq_ns=0 cost.wake_ns=0 cost.switch_ns=0 "       \
	"cost.doorbell_ns=0 cost.inject_ns=0 cost.vector_ns=0 cost.handler_ns=0 cost.io_ns=0 "     \
	"device.count=1 device.events=1 device.depth=1 device.jitter_percent=0 "                   \
	"device.latency_ns=1000000000 workload.span_ns=900000000 "
#define SPAN	UINT64_C(900000000)
#define SLICE	UINT64_C(18000000)

/* A vCPU that is always busy, and so many threads of the host: all have the same. */
static void shares_are_fair(void **state)
{
	(void)state;
	for (unsigned int n = 1; n <= 4; n++) {
		struct inject_result r;
		char text[64];

		snprintf(text, sizeof(text), "guest.vcpus=1 host.busy_threads=%u", n);
		r = simulate(THREADS, text, SIM_ITS_WEIR);
		assert_in_range(r.busy_ns, SPAN * n / (n + 1) - SLICE, SPAN * n / (n + 1) + SLICE);
		/* whenever one of them runs the vCPU is ready */
		assert_int_equal(r.lost_ns[INJECT_READY], r.busy_ns);
		assert_int_equal(lost_all(&r), r.busy_ns);
	}
}

/* Longer turns, fewer switches: a turn is a share of the latency, in whole ticks. */
static void turns_are_shares_of_the_latency(void **state)
{
	static const char *const two = "guest.vcpus=1 host.busy_threads=1 sched.tick_ns=1000000 ";
	struct inject_result r = simulate(THREADS, "guest.vcpus=1 host.busy_threads=1 "
					  "sched.tick_ns=1000000", SIM_ITS_WEIR);
	char text[128];

	(void)state;
	assert_in_range(r.switches, 99, 101); /* 900 ms in turns of 9 */
	snprintf(text, sizeof(text), "%s sched.latency_ns=60000000", two);
	r = simulate(THREADS, text, SIM_ITS_WEIR);
	assert_in_range(r.switches, 29, 31); /* of 30 */
	snprintf(text, sizeof(text), "%s sched.granularity_ns=100000000", two);
	r = simulate(THREADS, text, SIM_ITS_WEIR);
	assert_in_range(r.switches, 8, 10); /* of 100 */
	r = simulate(THREADS, "guest.vcpus=1 host.busy_threads=1 sched.tick_ns=50000000",
		     SIM_ITS_WEIR);
	assert_in_range(r.switches, 17, 19); /* of 50: no tick before */
}

/* Two vCPUs, one CPU: each is ready while the other runs. */
static void vcpus_take_turns(void **state)
{
	struct inject_result r = simulate(THREADS, "guest.vcpus=2 host.cpus=1", SIM_ITS_WEIR);

	(void)state;
	assert_int_equal(r.lost_ns[INJECT_READY], SPAN);
	assert_int_equal(lost_all(&r), SPAN);
	assert_in_range(r.switches, 74, 76); /* 9 ms, in whole ticks of 4 */
}

/* It has slept: it takes the CPU from a busy thread at once, and gives it back when it waits. */
static void who_wakes_has_the_cpu(void **state)
{
	struct inject_result r = simulate(COSTS ONE, "host.busy_threads=1", SIM_ITS_XARRAY2024);

	(void)state;
	/* irq, look-up, injection, wake, switch, entry, vector */
	assert_in_range(r.latency_p50_ns, 3023456, 3023456 + 3023456 / 32);
	assert_in_range(r.lpis, 95, 98); /* 101.85 ms each: 90, 3.02, handler 8.7, and the WFI */
	/* to the vCPU and from it; the first interrupt was a miss, and its worker's switch there */
	assert_int_equal(r.worker_switches, 1);
	assert_in_range(r.switches, 2 * r.lpis, 2 * r.lpis + 3);
	/* the rest is the busy thread's, but for its switches */
	assert_int_equal(r.lost_ns[INJECT_READY], 0);
	assert_in_range(r.busy_ns, UINT64_C(10000000000) - r.lpis * 13900000,
			UINT64_C(10000000000) - r.lpis * 13700000);
}

/* A worker that has woken a vCPU of its own CPU goes there, and not back first. */
static void a_worker_is_followed_by_the_vcpu(void **state)
{
	struct inject_result r = simulate(COSTS ONE, "host.busy_threads=1", SIM_ITS_NONE);

	(void)state;
	/* irq and look-up, wake and switch to the worker, walk, wake and switch to the vCPU */
	assert_in_range(r.latency_p50_ns, 6023456 - 6, 6023856 + 6023856 / 32);
	assert_int_equal(r.worker_switches, r.lpis);
	assert_in_range(r.switches, 3 * r.lpis - 1, 3 * r.lpis + 2);
}

/* If it must not preempt, it waits for a tick. If there is an idle CPU, it goes there. */
static void who_may_not_preempt_waits_or_moves(void **state)
{
	static const char *const patient = "host.busy_threads=%u sched.wakeup_ns=1000000000 "
					   "guest.vcpus=%u guest.halt_poll_ns=0";
	struct inject_result r;
	char text[160];

	(void)state;
	snprintf(text, sizeof(text), patient, 1u, 1u);
	r = simulate(COSTS ONE, text, SIM_ITS_XARRAY2024);
	assert_true(r.latency_p99_ns > 3023456 + 3023456 / 32);
	assert_true(r.lost_ns[INJECT_READY] > 0);
	assert_true(r.lpis > 80);
	/* the second vCPU, which no interrupt comes to, sleeps on the other CPU */
	snprintf(text, sizeof(text), patient, 1u, 2u);
	r = simulate(COSTS ONE, text, SIM_ITS_XARRAY2024);
	assert_in_range(r.latency_p50_ns, 3023456, 3023456 + 3023456 / 32);
	/* but for the first, whose worker has that CPU: it waits for the second tick */
	assert_in_range(r.lost_ns[INJECT_READY], 4000000, 8000000);
}

/* Polling is for a CPU that nobody else wants. */
static void polling_ends_when_another_is_ready(void **state)
{
	struct inject_result r;

	(void)state;
	r = simulate(COSTS ONE, "guest.halt_poll_ns=1000000000", SIM_ITS_XARRAY2024);
	assert_int_equal(r.switches - r.worker_switches, 0);
	/* 1000 times a second a thread of the host ends it */
	r = simulate(COSTS ONE, "guest.halt_poll_ns=1000000000 host.wakeups_per_s=100 "
		     "host.wakeup_run_ns=10000", SIM_ITS_XARRAY2024);
	assert_true(r.switches - r.worker_switches > 1000);
}

static void housekeeping_switches_twice(void **state)
{
	struct inject_result r;

	(void)state;
	/* four CPUs, 1000 times a second each, in 0.9 s */
	r = simulate(THREADS, "guest.vcpus=4 guest.busy=off guest.halt_poll_ns=0 "
		     "host.wakeups_per_s=1000 host.wakeup_run_ns=10000", SIM_ITS_WEIR);
	assert_in_range(r.switches, 7192, 7208);
	assert_int_equal(r.busy_ns, 0);
	assert_int_equal(r.lost_ns[INJECT_READY], 0);
	/* it takes the CPUs from vCPUs that are busy, 10 us each time */
	r = simulate(THREADS, "guest.vcpus=4 host.wakeups_per_s=1000 host.wakeup_run_ns=10000 "
		     "workload.warmup_ns=50000000", SIM_ITS_WEIR);
	assert_in_range(r.switches, 7192, 7208);
	assert_in_range(r.lost_ns[INJECT_READY], 3590 * 10000, 3610 * 10000);
}

/* The second guest's device is slower by itself, and takes nothing of the first one's. */
static void two_kinds_of_devices(void **state)
{
	static const char *const both =
		"guest.vcpus=2 device.vcpus=1 device.count=1 device.events=1 device.depth=1 "
		"device.jitter_percent=0 device.latency_ns=100000 device.io_bytes=1000 "
		"device.bandwidth_bytes_per_s=1000000000 second.count=1 second.events=1 "
		"second.depth=1 second.latency_ns=300000 second.bandwidth_bytes_per_s=10000000 "
		"workload.span_ns=401000000 guest.halt_poll_ns=1000000000 guest.busy=off ";
	struct inject_result r = simulate(THREADS, both, SIM_ITS_WEIR);

	(void)state;
	/* 100 us and 1 us; 300 us and 100 us; nothing else costs anything */
	assert_in_range(r.ios - r.second_ios, 3969, 3971);
	assert_in_range(r.second_ios, 1001, 1003);
}

/* All at once, under every design: nothing is lost, and nobody loses more than there is. */
static void sharing_loses_no_interrupt(void **state)
{
	static const char *const hard =
		"guest.vcpus=6 host.busy_threads=3 host.wakeups_per_s=5000 "
		"rebind.period_ns=1000000 storm.movi_per_s=20000 device.count=6 device.depth=8 "
		"second.count=2 second.events=3 second.depth=2 workload.span_ns=60000000 "
		"sched.tick_ns=1000000";

	(void)state;
	for (unsigned int k = 0; k < SIM_ITS_DESIGNS; k++) {
		for (unsigned int i = 0; i < 4; i++) {
			char text[512];
			struct inject_result r;

			snprintf(text, sizeof(text), "%s its.profile=%s workload.kind=%s "
				 "host.walk_locked=%s host.irq_cpus=%u host.cpus=%u guest.busy=%s "
				 "device.vcpus=%u", hard, i % 2 ? "kvm" : "qemu",
				 i / 2 ? "open" : "closed", i == 1 ? "on" : "off", i == 3 ? 3u : 0u,
				 i + 1, i == 1 ? "on" : "off", i == 2 ? 3u : 0u);
			r = simulate("", text, (enum sim_its_design_kind)k);
			assert_true(r.lpis > 300);
			assert_int_equal(r.lost, 0);
			assert_int_equal(r.stuck, 0);
			assert_int_equal(r.violations, 0);
			assert_true(lost_all(&r) <= 6 * r.span_ns);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_are_fair),
		cmocka_unit_test(turns_are_shares_of_the_latency),
		cmocka_unit_test(vcpus_take_turns),
		cmocka_unit_test(who_wakes_has_the_cpu),
		cmocka_unit_test(a_worker_is_followed_by_the_vcpu),
		cmocka_unit_test(who_may_not_preempt_waits_or_moves),
		cmocka_unit_test(polling_ends_when_another_is_ready),
		cmocka_unit_test(housekeeping_switches_twice),
		cmocka_unit_test(two_kinds_of_devices),
		cmocka_unit_test(sharing_loses_no_interrupt),
	};

	return cmocka_run_group_tests_name("inject_sched", tests, NULL, NULL);
}
