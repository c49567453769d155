// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: whatever guest, devices and costs, no design loses an interrupt, leaves a request waiting,
 * breaks a checker's rule, or lets a saved table by the dirty log; with room for all, the library
 * knows every survivor; and the same seed does the same twice.
 *
 * Method: parameters drawn at random, every design twice, 300 times (WEIR_TEST_PERCENT takes a
 * share). A failure names the assignments that repeat it.
 */
#include "../unit/inject_params.h"

#include "sim/engine/rng.h"
#include "tests/percent.h"

#define DRAWS 300u

/* A parameter and the values it may have, ending with NULL. */
static const struct {
	const char *name;
	const char *values[6];
} knobs[] = {
	{ "guest.vcpus", { "1", "2", "3", "4", "7" } },
	{ "guest.busy", { "on", "off" } },
	{ "guest.halt_poll_ns", { "0", "5000", "500000" } },
	{ "guest.save", { "on", "off" } },
	{ "host.irq_cpus", { "0", "0", "1", "3" } },
	{ "host.walk_locked", { "on", "off" } },
	{ "host.cpus", { "0", "0", "1" } },
	{ "host.busy_threads", { "0", "0", "1", "3" } },
	{ "host.wakeups_per_s", { "0", "0", "2000", "100000" } },
	{ "sched.latency_ns", { "0", "500000", "18000000" } },
	{ "sched.wakeup_ns", { "0", "100000", "3000000" } },
	{ "sched.tick_ns", { "20000", "100000", "1000000" } },
	{ "workload.kind", { "closed", "open" } },
	{ "workload.warmup_ns", { "0", "500000" } },
	{ "workload.span_ns", { "3000000" } },
	{ "device.count", { "1", "2", "5", "9", "16" } },
	{ "device.events", { "1", "2", "3", "8" } },
	{ "device.depth", { "1", "2", "8" } },
	{ "device.latency_ns", { "0", "1000", "20000", "80000" } },
	{ "device.msis_per_s", { "1000", "50000", "500000" } },
	{ "device.vcpus", { "0", "0", "1" } },
	{ "second.count", { "0", "0", "1", "3" } },
	{ "second.depth", { "1", "7" } },
	{ "irqbalance.period_ns", { "0", "100000", "1000000" } },
	{ "storm.movi_per_s", { "0", "0", "1000", "50000", "500000" } },
	{ "rebind.period_ns", { "0", "200000", "1000000" } },
	{ "reset.period_ns", { "0", "0", "300000", "1000000" } },
	{ "its.profile", { "qemu", "kvm" } },
	{ "its.discard", { "profile", "clear", "keep" } },
	{ "its.remap", { "profile", "overwrite", "ignore" } },
	{ "its.burst_commands", { "0", "1", "3" } },
	{ "its.cache_capacity", { "1", "2", "8", "64", "1024" } },
	{ "its.cache_index", { "structured", "mixed" } },
	{ "cost.switch_ns", { "0", "1500", "5000", "50000" } },
	{ "cost.table_ns", { "0", "80", "5000" } },
	{ "cost.command_ns", { "0", "300", "5000" } },
	{ "cost.kick_ns", { "0", "700", "50000" } },
	{ "cost.exit_ns", { "0", "600", "5000" } },
};

static void draw(struct sim_rng *rng, char *text, size_t size)
{
	size_t len = 0;

	for (size_t k = 0; k < sizeof(knobs) / sizeof(knobs[0]); k++) {
		uint64_t n = 0;

		while (n < 6 && knobs[k].values[n])
			n++;
		len += (size_t)snprintf(text + len, size - len, "%s=%s ", knobs[k].name,
					knobs[k].values[sim_rng_below(rng, n)]);
	}
}

static void check(const char *text, enum sim_its_design_kind kind)
{
	struct inject_result r = simulate("", text, kind), again = simulate("", text, kind);

	if (r.lost || r.stuck || r.violations || r.save_missed || r.hits > r.lookups ||
	    r.warm_hits > r.warm_lookups || memcmp(&r, &again, sizeof(r)))
		fail_msg("%s: lost %llu, stuck %llu, violations %llu: %s",
			 sim_its_design_names[kind], (unsigned long long)r.lost,
			 (unsigned long long)r.stuck, (unsigned long long)r.violations, text);
	/* Hashes of devices and collections may take a neighbour along. */
	if (kind == SIM_ITS_WEIR && strstr(text, "its.cache_capacity=1024 ") &&
	    r.warm_hits * 100 < r.warm_lookups * 95)
		fail_msg("survivors: %llu of %llu hit: %s", (unsigned long long)r.warm_hits,
			 (unsigned long long)r.warm_lookups, text);
}

static void nothing_breaks(void **state)
{
	uint64_t n = (DRAWS * test_percent() + 99) / 100;
	struct sim_rng rng;
	char text[2048];

	(void)state;
	sim_rng_init(&rng, 1, 0, "inject_random");
	for (uint64_t i = 0; i < n; i++) {
		draw(&rng, text, sizeof(text));
		for (unsigned int k = 0; k < SIM_ITS_DESIGNS; k++)
			check(text, (enum sim_its_design_kind)k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(nothing_breaks) };

	return cmocka_run_group_tests_name("inject_random", tests, NULL, NULL);
}
