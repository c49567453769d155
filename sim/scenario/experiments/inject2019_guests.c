// SPDX-License-Identifier: BSD-2-Clause
/*
 * inject2019_guests.c - the guests of the 2019 series, as its thread describes them.
 *
 * fio: a machine of four cores; guests of four vCPUs, fio with four jobs in each. Beside an NVMe
 * drive's guest the host compiles a kernel, make -j5; or a second guest reads a SATA drive.
 * Streams: a ThunderX2, a guest of four vCPUs with an Ethernet interface, whose interrupts the host
 * injects itself (debugfs). memcached: a ThunderX2, and its load from elsewhere.
 *
 * What the thread does not say is fio's default (a read under way for each job) or chosen: drives
 * that answer in 80 us and transfer what their links do; a queue for each job on NVMe, one on SATA;
 * an injecting CPU for each of the interface's four queues; 64 connections to memcached. Costs are
 * the inject scenario's, but for a switch where CPUs are busy (fio with others on the machine,
 * memcached): whoever comes back there finds its caches full of others' data, which the scenario's
 * price leaves out. Three numbers are chosen so that one published figure each comes out (struct
 * inject2019_choice).
 */
#include "sim/scenario/experiments/inject2019.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETTINGS_MAX 20u

/* For NVMe in two guests, +23 %; 2000 switches; memcached with the cache, 180539 requests/s. */
const struct inject2019_choice inject2019_choice = {
	.switch_ns = 12000,
	.wakeups_per_s = 250,
	.memcached_io_ns = 18250,
};

#define COMMON	"irqbalance.period_ns=0", "guest.vcpus=4", "guest.busy=off", "device.count=1"
#define SHORT	COMMON, "workload.span_ns=20000000"
#define FIO	COMMON, "workload.warmup_ns=20000000", "workload.span_ns=200000000",             \
		"device.events=4", "device.depth=1", "device.latency_ns=80000",                    \
		"device.bandwidth_bytes_per_s=3200000000"
#define COMPILE	"host.busy_threads=5"

static const char *const guests[INJECT2019_GUESTS][SETTINGS_MAX] = {
	[INJECT2019_STREAMS] = { SHORT, "workload.kind=open", "device.events=4",
				 "host.irq_cpus=4", "device.msis_per_s=500000" },
	[INJECT2019_NVME] = { FIO, COMPILE },
	[INJECT2019_NVME_HOST] = { FIO, COMPILE, "cost.exit_ns=0", "cost.entry_ns=0",
				   "cost.kick_ns=0", "cost.vector_ns=0", "cost.inject_ns=0",
				   "cost.doorbell_ns=0" },
	[INJECT2019_TWO] = { FIO, "guest.vcpus=8", "host.cpus=4", "device.vcpus=4",
			     "second.count=1", "second.events=1", "second.depth=4",
			     "second.latency_ns=80000", "second.bandwidth_bytes_per_s=550000000" },
	[INJECT2019_ALONE] = { FIO },
	[INJECT2019_SEQUENTIAL] = { FIO, COMPILE, "device.io_bytes=1Mi" },
	[INJECT2019_MEMCACHED] = { SHORT, "device.events=64", "device.depth=1",
				   "device.latency_ns=20000", "device.io_bytes=1",
				   "device.bandwidth_bytes_per_s=1250000000" },
};

static bool set_u64(struct sim_params *params, const char *name, uint64_t value,
		    struct sim_error *err)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return sim_params_set(params, name, text, NULL, err);
}

static bool set_choice(struct sim_params *params, enum inject2019_guest guest,
		       const struct inject2019_choice *choice, struct sim_error *err)
{
	switch (guest) {
	case INJECT2019_STREAMS:
		return set_u64(params, "host.wakeups_per_s", choice->wakeups_per_s, err);
	case INJECT2019_MEMCACHED:
		return set_u64(params, "cost.io_ns", choice->memcached_io_ns, err) &&
		       set_u64(params, "cost.switch_ns", choice->switch_ns, err);
	case INJECT2019_ALONE:
		return true;
	default:
		return set_u64(params, "cost.switch_ns", choice->switch_ns, err);
	}
}

static bool set_more(struct sim_params *params, const char *more, struct sim_error *err)
{
	char *copy = sim_strdup(more ? more : ""), *rest = copy, *one;
	bool ok = true;

	while (ok && (one = strsep(&rest, ",")))
		ok = !*one || sim_params_assign(params, one, err);
	free(copy);
	return ok;
}

static struct sim_params *params_of(enum inject2019_guest guest,
				    const struct inject2019_choice *choice, const char *more,
				    struct sim_error *err)
{
	struct sim_params *params = sim_params_new();
	bool ok = true;

	inject_params_register(params);
	for (unsigned int i = 0; ok && i < SETTINGS_MAX && guests[guest][i]; i++)
		ok = sim_params_assign(params, guests[guest][i], err);
	if (ok && set_choice(params, guest, choice, err) && set_more(params, more, err))
		return params;
	sim_params_free(params);
	return NULL;
}

/* Counts of a run on top of those of others. */
static void add(struct inject_result *sum, const struct inject_result *one)
{
	sum->span_ns += one->span_ns;
	sum->msis += one->msis;
	sum->lpis += one->lpis;
	sum->lost += one->lost;
	sum->lookups += one->lookups;
	sum->hits += one->hits;
	sum->switches += one->switches;
	sum->worker_switches += one->worker_switches;
	sum->ios += one->ios;
	sum->second_ios += one->second_ios;
	sum->busy_ns += one->busy_ns;
	sum->kicks += one->kicks;
	sum->violations += one->violations;
	for (unsigned int i = 0; i < INJECT_NCAUSES; i++)
		sum->lost_ns[i] += one->lost_ns[i];
}

bool inject2019_run(enum inject2019_guest guest, const struct inject2019_choice *choice,
		    enum sim_its_design_kind kind, uint64_t runs, const char *more,
		    struct inject_result *result, struct sim_error *err)
{
	struct sim_params *params = params_of(guest, choice, more, err);
	bool ok = params != NULL;

	*result = (struct inject_result){.span_ns = 0};
	for (uint64_t run = 0; ok && run < runs; run++) {
		struct inject_result one;

		ok = inject_simulate(params, 1, run, kind, &one, err);
		if (ok)
			add(result, &one);
	}
	sim_params_free(params);
	return ok;
}

int64_t inject2019_gain(uint64_t before, uint64_t after)
{
	return before ? (int64_t)(after * 1000 / before) - 1000 : 0;
}

/* What takes so much of the CPUs is done in less time the more of them it has. */
int64_t inject2019_time_saved(const struct inject_result *before,
			      const struct inject_result *after)
{
	uint64_t b = inject_per_s(before, before->busy_ns);
	uint64_t a = inject_per_s(after, after->busy_ns);

	return a ? 1000 - (int64_t)(b * 1000 / a) : 0;
}
