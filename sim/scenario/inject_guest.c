// SPDX-License-Identifier: BSD-2-Clause
/*
 * inject_guest.c - what a guest does to its interrupts: maps them when it boots, moves them to
 * other vCPUs as irqbalance does, moves them all the time if it is a storm, and takes a device
 * down and up again as a driver is bound anew.
 *
 * Collection v leads to vCPU v. A device is taken down when no request of it is left: its LPIs are
 * disabled and its events discarded one by one, then it is unmapped. It comes back with an empty
 * table.
 */
#include "sim/scenario/inject_internal.h"

#define SECOND_NS	UINT64_C(1000000000)
#define BATCH		256u	/* commands at boot that are written at one go */
#define BACKLOG_MAX	4u	/* moves that wait on a vCPU; a storm skips what is more */

static void mapd(struct inject *in, const struct inject_device *device, bool valid)
{
	inject_command(in, SIM_ITS_MAPD | (uint64_t)device->id << 32, device->bits - 1,
		       (uint64_t)valid << 63 | device->itt, 0);
}

static void on_event(struct inject *in, enum sim_its_op op, const struct inject_event *e)
{
	inject_command(in, (uint64_t)op | (uint64_t)e->device_id << 32, e->event_id, 0, 0);
}

static void mapti(struct inject *in, const struct inject_event *e)
{
	inject_command(in, SIM_ITS_MAPTI | (uint64_t)e->device_id << 32,
		       (uint64_t)e->intid << 32 | e->event_id, e->icid, 0);
}

static void sync(struct inject *in, uint32_t pe)
{
	inject_command(in, SIM_ITS_SYNC, 0, (uint64_t)pe << 16, 0);
}

static void map_device(struct inject *in, uint32_t d)
{
	struct inject_device *device = &in->devices[d];

	inject_zero_itt(in, device);
	mapd(in, device, true);
	for (uint32_t i = 0; i < device->cfg->events; i++) {
		struct inject_event *e = &in->events[device->first_event + i];

		inject_configure(in, e->intid, true);
		mapti(in, e);
		on_event(in, SIM_ITS_INV, e);
		if (i % BATCH == BATCH - 1)
			inject_ring(in);
	}
	sync(in, 0);
}

static void unmap_device(struct inject *in, uint32_t d)
{
	struct inject_device *device = &in->devices[d];

	for (uint32_t i = 0; i < device->cfg->events; i++) {
		struct inject_event *e = &in->events[device->first_event + i];

		inject_configure(in, e->intid, false);
		on_event(in, SIM_ITS_INV, e);
		on_event(in, SIM_ITS_DISCARD, e);
		if (i % BATCH == BATCH - 1)
			inject_ring(in);
	}
	mapd(in, device, false);
	sync(in, 0);
}

/* Before time begins: not measured, not paid for. */
void inject_guest_boot(struct inject *in)
{
	if (in->stream) {
		for (uint32_t i = 0; i < in->nevents; i++)
			if (in->events[i].intid)
				inject_configure(in, in->events[i].intid, true);
		return;
	}
	for (uint32_t v = 0; v < in->cfg->nvcpus; v++) {
		inject_command(in, SIM_ITS_MAPC, 0, UINT64_C(1) << 63 | (uint64_t)v << 16 | v, 0);
		sync(in, v);
		if (v % BATCH == BATCH - 1)
			inject_ring(in);
	}
	for (uint32_t d = 0; d < in->ndevices; d++) {
		map_device(in, d);
		inject_ring(in);
	}
}

/* Somewhere else, if there is somewhere else. */
static void move(struct inject *in, uint32_t vcpu, uint32_t event, uint32_t step)
{
	const struct inject_device *device = &in->devices[in->events[event].device];
	uint32_t at = in->events[event].icid + in->cfg->nvcpus - device->first_vcpu;
	uint32_t to = inject_device_vcpu(device, at % in->cfg->nvcpus + step);

	if (!device->stopping)
		inject_vcpu_task(in, vcpu, TASK_MOVE, event, to);
}

static void balance(void *ctx, uint64_t arg)
{
	struct inject *in = ctx;

	if (in->quiet)
		return;
	for (uint32_t i = 0; i < in->cfg->balance_events; i++) {
		uint64_t event = sim_rng_below(&in->balance_rng, in->nevents);
		uint64_t step = 1 + sim_rng_below(&in->balance_rng, in->cfg->nvcpus);
		uint64_t vcpu = sim_rng_below(&in->balance_rng, in->cfg->nvcpus);

		move(in, (uint32_t)vcpu, (uint32_t)event, (uint32_t)step);
	}
	(void)sim_queue_post(in->queue, inject_now(in) + in->cfg->balance_period_ns, 0, balance, in,
			     arg);
}

/* The n-th move of a storm; n is @arg. */
static void storm(void *ctx, uint64_t arg)
{
	struct inject *in = ctx;
	uint32_t devices = in->cfg->storm_devices < in->ndevices ? in->cfg->storm_devices :
								     in->ndevices;
	uint32_t nevents = devices < in->ndevices ? in->devices[devices].first_event : in->nevents;
	uint32_t vcpu = (uint32_t)(arg % in->cfg->nvcpus);
	uint64_t next_ns = (arg + 1) * SECOND_NS / in->cfg->storm_movi_per_s;

	if (in->quiet)
		return;
	if (in->vcpus[vcpu].ntasks < BACKLOG_MAX)
		move(in, vcpu, (uint32_t)(arg % nevents), 1);
	else
		in->counts.skipped_moves++;
	(void)sim_queue_post(in->queue, next_ns, 0, storm, in, arg + 1);
}

/* The n-th time that a device is bound anew. */
static void rebind(void *ctx, uint64_t arg)
{
	struct inject *in = ctx;
	struct inject_device *device = &in->devices[arg % in->ndevices];

	if (in->quiet)
		return;
	if (!device->stopping) {
		device->stopping = true;
		if (!device->outstanding)
			inject_guest_idle(in, (uint32_t)(arg % in->ndevices));
	}
	(void)sim_queue_post(in->queue, inject_now(in) + in->cfg->rebind_period_ns, 0, rebind, in,
			     arg + 1);
}

/* All requests are over: with a closed loop, nothing is lost of what is off. */
static void reset(void *ctx, uint64_t arg)
{
	struct inject *in = ctx;

	if (in->quiet)
		return;
	if (!in->resetting) {
		in->resetting = true;
		if (!in->outstanding)
			inject_guest_silent(in);
	}
	(void)sim_queue_post(in->queue, inject_now(in) + in->cfg->reset_period_ns, 0, reset, in,
			     arg);
}

void inject_guest_start(struct inject *in)
{
	const struct inject_config *cfg = in->cfg;

	sim_rng_init(&in->balance_rng, cfg->seed, cfg->run, "guest.irqbalance");
	if (in->stream)
		return;
	if (cfg->balance_period_ns)
		(void)sim_queue_post(in->queue, cfg->balance_period_ns, 0, balance, in, 0);
	if (cfg->storm_movi_per_s)
		(void)sim_queue_post(in->queue, 0, 0, storm, in, 0);
	if (cfg->reset_period_ns)
		(void)sim_queue_post(in->queue, cfg->reset_period_ns, 0, reset, in, 0);
	if (cfg->rebind_period_ns)
		(void)sim_queue_post(in->queue, cfg->rebind_period_ns, 0, rebind, in, 0);
}

void inject_guest_idle(struct inject *in, uint32_t device)
{
	inject_vcpu_task(in, device % in->cfg->nvcpus, TASK_UNBIND, device, 0);
	inject_vcpu_task(in, device % in->cfg->nvcpus, TASK_BIND, device, 0);
}

void inject_guest_silent(struct inject *in)
{
	inject_vcpu_task(in, 0, TASK_RESET, 0, 0);
}

/* What is pending is dropped where LPIs are held, and stays where their bits are in memory. */
void inject_guest_off(struct inject *in)
{
	for (uint32_t i = 0; i < in->nevents; i++) {
		in->events[i].warm = false;
		in->events[i].cut = true;
	}
}

static void is_reset(struct inject *in)
{
	in->counts.resets++;
	in->resetting = false;
	for (uint32_t d = 0; d < in->ndevices; d++)
		if (!in->devices[d].stopping)
			inject_device_start(in, d);
}

void inject_guest_write(struct inject *in, const struct inject_task *task)
{
	const struct inject_event *e = &in->events[task->subject];

	switch (task->kind) {
	case TASK_MOVE:
		/* It was taken down since: there is nothing to move. */
		if (!e->mapped)
			break;
		inject_command(in, SIM_ITS_MOVI | (uint64_t)e->device_id << 32, e->event_id,
			       task->vcpu, 0);
		sync(in, e->icid);
		break;
	case TASK_UNBIND:
		unmap_device(in, task->subject);
		break;
	case TASK_BIND:
		map_device(in, task->subject);
		break;
	case TASK_RESET:
		break;
	case TASK_REPLAY:
		inject_replay_commands(in);
		break;
	}
}

void inject_guest_done(struct inject *in, const struct inject_task *task)
{
	switch (task->kind) {
	case TASK_MOVE:
		in->counts.moves++;
		break;
	case TASK_UNBIND:
		break;
	case TASK_BIND:
		in->counts.rebinds++;
		inject_device_start(in, task->subject);
		break;
	case TASK_RESET:
		is_reset(in);
		break;
	case TASK_REPLAY:
		inject_replay_start(in);
		break;
	}
}

/*
 * A held LPI that is pending changes PE when its old one enters its guest. KVM's would be taken by
 * the old vCPU, whose list register has it; here that one is made to leave.
 */
static void moved(struct inject *in, const struct inject_event *e)
{
	if (!e->pending || in->cfg->its.choices.state != SIM_GIC_HELD)
		return;
	for (uint32_t v = 0; v < in->cfg->nvcpus; v++)
		inject_vcpu_notify(in, v);
}

/* Commands of one event. */
static void named(struct inject *in, const uint64_t cmd[4])
{
	uint32_t index, intid = (uint32_t)(cmd[1] >> 32), event_id = (uint32_t)cmd[1];
	uint8_t op = (uint8_t)cmd[0];
	struct inject_event *e;
	bool maps;

	if (!sim_map_get(&in->event_of, cmd[0] >> 32 << 32 | event_id, &index))
		return;
	e = &in->events[index];
	maps = op == SIM_ITS_MAPTI || op == SIM_ITS_MAPI;
	if (maps && e->mapped && in->cfg->its.choices.remap == SIM_ITS_REMAP_IGNORE)
		return;
	e->cut |= op == SIM_ITS_DISCARD || op == SIM_ITS_CLEAR;
	if (op != SIM_ITS_DISCARD && op != SIM_ITS_MOVI && !maps)
		return;
	e->warm = false;
	e->mapped = op != SIM_ITS_DISCARD;
	if (op == SIM_ITS_MOVI)
		moved(in, e);
	if (e->mapped)
		e->icid = (uint32_t)(cmd[2] & 0xffff);
	if (!maps)
		return;
	e->intid = op == SIM_ITS_MAPI ? event_id : intid;
	in->event_of_lpi[e->intid - SIM_GIC_LPI_FIRST] = index;
}

void inject_guest_named(struct inject *in, const uint64_t cmd[4])
{
	uint32_t device_id = (uint32_t)(cmd[0] >> 32), icid = (uint32_t)(cmd[2] & 0xffff);
	uint8_t op = (uint8_t)cmd[0];

	if (op != SIM_ITS_MAPD && op != SIM_ITS_MAPC) {
		named(in, cmd);
		return;
	}
	for (uint32_t i = 0; i < in->nevents; i++) {
		struct inject_event *e = &in->events[i];

		if (op == SIM_ITS_MAPC ? e->icid != icid : e->device_id != device_id)
			continue;
		e->warm = false;
		if (op == SIM_ITS_MAPD) {
			e->mapped = false;
			e->cut = true;
		}
	}
}
