// SPDX-License-Identifier: BSD-2-Clause
/*
 * inject_device.c - devices. A closed loop: each queue has so many requests; one takes its latency,
 * then its turn on the device's link, and then the device writes its interrupt. The guest's handler
 * ends what is done by then, and makes as many new ones. An open loop: interrupts of a device at
 * random times, evenly spread between none and twice the mean apart, of a random queue.
 */
#include "sim/scenario/inject_internal.h"

#include <stdio.h>

#define SECOND_NS UINT64_C(1000000000)

static uint32_t bits_for(uint32_t n)
{
	uint32_t bits = 1;

	while ((n - 1) >> bits)
		bits++;
	return bits;
}

static void build_device(struct inject *in, uint32_t d, enum inject_device_kind kind,
			 struct sim_rng *affinity)
{
	uint32_t first = in->cfg->irq_cpus ? in->cfg->host_cpus : 0;
	uint32_t ncpus = in->cfg->irq_cpus ? in->cfg->irq_cpus : in->cfg->host_cpus;
	struct inject_device *device = &in->devices[d];
	char name[32];

	*device = (struct inject_device){
		.id = d * 8, .kind = kind, .cfg = &in->cfg->device[kind],
		.bits = bits_for(in->cfg->device[kind].events), .first_event = in->nevents,
		.nvcpus = in->cfg->device_vcpus ? in->cfg->device_vcpus : in->cfg->nvcpus,
	};
	if (in->cfg->device_vcpus)
		device->first_vcpu = d * device->nvcpus % in->cfg->nvcpus;
	snprintf(name, sizeof(name), "device%u", d);
	sim_rng_init(&device->rng, in->cfg->seed, in->cfg->run, name);
	for (uint32_t e = 0; e < device->cfg->events; e++) {
		uint32_t i = in->nevents++;

		in->events[i] = (struct inject_event){
			.device_id = device->id, .event_id = e, .device = d,
			.intid = SIM_GIC_LPI_FIRST + i,
			.icid = inject_device_vcpu(device, in->cfg->device_vcpus ? e : i),
			.cpu = first + (uint32_t)sim_rng_below(affinity, ncpus),
		};
		sim_map_set(&in->event_of, (uint64_t)device->id << 32 | e, i);
	}
}

void inject_devices_build(struct inject *in)
{
	const struct inject_device_config *cfg = in->cfg->device;
	struct sim_rng affinity;

	sim_rng_init(&affinity, in->cfg->seed, in->cfg->run, "host.affinity");
	in->ndevices = cfg[INJECT_FIRST].count + cfg[INJECT_SECOND].count;
	in->devices = sim_alloc(in->ndevices, sizeof(*in->devices), "devices");
	in->events = sim_alloc(cfg[INJECT_FIRST].count * cfg[INJECT_FIRST].events +
			       cfg[INJECT_SECOND].count * cfg[INJECT_SECOND].events,
			       sizeof(*in->events), "events");
	for (uint32_t d = 0; d < in->ndevices; d++)
		build_device(in, d, d < cfg[INJECT_FIRST].count ? INJECT_FIRST : INJECT_SECOND,
			     &affinity);
}

static void is_done(void *ctx, uint64_t arg)
{
	struct inject *in = ctx;

	in->events[arg].done++;
	inject_raise(in, (uint32_t)arg);
}

static void submit(struct inject *in, uint32_t event)
{
	struct inject_device *device = &in->devices[in->events[event].device];
	const struct inject_device_config *cfg = device->cfg;
	uint64_t spread_ns = cfg->latency_ns * cfg->jitter_percent / 100;
	uint64_t done_ns = inject_now(in) + cfg->latency_ns - spread_ns +
			   sim_rng_below(&device->rng, 2 * spread_ns + 1);

	if (done_ns < device->free_ns)
		done_ns = device->free_ns;
	done_ns += cfg->io_bytes * SECOND_NS / cfg->bytes_per_s;
	device->free_ns = done_ns;
	device->outstanding++;
	in->outstanding++;
	(void)sim_queue_post(in->queue, done_ns, 0, is_done, in, event);
}

static void arrives(void *ctx, uint64_t arg);

static void arrives_later(struct inject *in, uint32_t d)
{
	uint64_t mean_ns = SECOND_NS / in->devices[d].cfg->msis_per_s;
	uint64_t ns = sim_rng_below(&in->devices[d].rng, 2 * mean_ns + 1);

	(void)sim_queue_post(in->queue, inject_now(in) + ns, 0, arrives, in, d);
}

static void arrives(void *ctx, uint64_t arg)
{
	struct inject *in = ctx;
	struct inject_device *device = &in->devices[arg];
	uint64_t e;

	if (in->quiet)
		return;
	e = sim_rng_below(&device->rng, device->cfg->events);
	if (!device->stopping)
		inject_raise(in, device->first_event + (uint32_t)e);
	arrives_later(in, (uint32_t)arg);
}

void inject_device_start(struct inject *in, uint32_t d)
{
	struct inject_device *device = &in->devices[d];

	device->stopping = false;
	if (in->cfg->load != INJECT_CLOSED || in->quiet || in->resetting)
		return;
	for (uint32_t e = 0; e < device->cfg->events; e++)
		for (uint64_t i = 0; i < device->cfg->depth; i++)
			submit(in, device->first_event + e);
}

void inject_devices_start(struct inject *in)
{
	for (uint32_t d = 0; d < in->ndevices; d++) {
		inject_device_start(in, d);
		if (in->cfg->load == INJECT_OPEN)
			arrives_later(in, d);
	}
}

void inject_ended(struct inject *in, uint32_t event, uint32_t n)
{
	struct inject_event *e = &in->events[event];
	struct inject_device *device = &in->devices[e->device];

	if (!n)
		return;
	device->outstanding -= n;
	in->outstanding -= n;
	for (uint32_t i = 0; i < n && !in->quiet && !device->stopping && !in->resetting; i++)
		submit(in, event);
	if (in->resetting && !in->outstanding)
		inject_guest_silent(in);
	if (device->stopping && !device->outstanding)
		inject_guest_idle(in, e->device);
}
