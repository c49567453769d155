// SPDX-License-Identifier: BSD-2-Clause
/*
 * inject2019_guests.c - the guests of the 2019 series, as far as they are known: the kind of drive,
 * the size of a read. See inject2019.h.
 *
 * Everything else is chosen: four vCPUs on CPUs of their own, which the devices interrupt as well;
 * drives that answer in 80 us and transfer what their links do; sixteen requests under way on each
 * of an NVMe drive's four queues, 32 on a SATA drive's one; a memcached client with 64 connections.
 * Costs are the inject scenario's, all times one factor. Three numbers are chosen so that one
 * published figure each comes out (struct inject2019_choice).
 */
#include "sim/scenario/experiments/inject2019.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETTINGS_MAX 16u

/* NVMe, +27 %; memcached with the cache, 180539 requests a second; compilation, -8.5 % */
const struct inject2019_choice inject2019_choice = {
	.percent = 250,
	.memcached_io_ns = 12850,
	.compile_msis_per_s = 38000,
};

#define COMMON "workload.span_ns=20000000", "irqbalance.period_ns=0"
#define FOUR   COMMON, "guest.vcpus=4"
#define DRIVE  FOUR, "guest.busy=off", "device.count=1", "device.latency_ns=80000"
#define NVME   DRIVE, "device.events=4", "device.depth=16",                                        \
	       "device.bandwidth_bytes_per_s=3200000000"

static const char *const guests[INJECT2019_GUESTS][SETTINGS_MAX] = {
	[INJECT2019_STREAMS] = {COMMON, "guest.vcpus=16", "workload.kind=open", "device.count=16",
				"device.events=4", "device.msis_per_s=31250"},
	[INJECT2019_NVME] = {NVME},
	[INJECT2019_NVME_HOST] = {NVME, "cost.exit_ns=0", "cost.entry_ns=0", "cost.kick_ns=0",
				  "cost.vector_ns=0", "cost.inject_ns=0", "cost.doorbell_ns=0"},
	[INJECT2019_SATA] = {DRIVE, "device.events=1", "device.depth=32",
			     "device.bandwidth_bytes_per_s=550000000"},
	[INJECT2019_SEQUENTIAL] = {NVME, "device.io_bytes=1Mi"},
	[INJECT2019_COMPILE] = {FOUR, "workload.kind=open", "device.count=1", "device.events=4"},
	[INJECT2019_MEMCACHED] = {FOUR, "guest.busy=off", "device.count=1", "device.events=64",
				  "device.depth=1", "device.latency_ns=20000", "device.io_bytes=1",
				  "device.bandwidth_bytes_per_s=1250000000"},
};

static bool set_u64(struct sim_params *params, const char *name, uint64_t value,
		    struct sim_error *err)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return sim_params_set(params, name, text, NULL, err);
}

/* Every cost, times one factor. */
static bool scale_costs(struct sim_params *params, uint64_t percent, struct sim_error *err)
{
	bool ok = true;

	for (size_t i = 0; ok && i < sim_params_count(params); i++) {
		const char *name = sim_params_at(params, i)->name;

		if (strncmp(name, "cost.", 5) == 0)
			ok = set_u64(params, name, sim_params_u64(params, name) * percent / 100,
				     err);
	}
	return ok;
}

static bool set_choice(struct sim_params *params, enum inject2019_guest guest,
		       const struct inject2019_choice *choice, struct sim_error *err)
{
	if (guest == INJECT2019_MEMCACHED)
		return set_u64(params, "cost.io_ns", choice->memcached_io_ns, err);
	if (guest == INJECT2019_COMPILE)
		return set_u64(params, "device.msis_per_s", choice->compile_msis_per_s, err);
	return true;
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
	bool ok;

	inject_params_register(params);
	ok = scale_costs(params, choice->percent, err);
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

int64_t inject2019_gain(const struct inject_result *before, const struct inject_result *after)
{
	uint64_t b = inject_per_s(before, before->ios), a = inject_per_s(after, after->ios);

	return b ? (int64_t)(a * 1000 / b) - 1000 : 0;
}

/* What the vCPUs' CPUs had for the guest's program, per million. */
static uint64_t left_ppm(const struct inject_result *result)
{
	uint64_t lost = 0, all = result->span_ns * INJECT2019_VCPUS;

	for (unsigned int i = 0; i < INJECT_NCAUSES; i++)
		lost += result->lost_ns[i];
	return lost < all ? (all - lost) / (all / 1000000) : 0;
}

int64_t inject2019_time_saved(const struct inject_result *before,
			      const struct inject_result *after)
{
	uint64_t b = left_ppm(before), a = left_ppm(after);

	return a ? 1000 - (int64_t)(b * 1000 / a) : 0;
}
