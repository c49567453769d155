// SPDX-License-Identifier: BSD-2-Clause
/*
 * inject_replay.c - a recorded stream: its interrupts are raised when its time, passed so many
 * times as fast, has come, and its commands are given by vCPU 0 through the queue.
 *
 * The order of the stream holds: a command waits until every interrupt before it was asked the
 * tables for, and the stream goes on when it has completed. Interrupts between two commands may
 * overtake one another, as those of different CPUs do.
 *
 * Not as recorded: tables lie elsewhere (a device's ITT has a place of this guest's, zero when the
 * device is mapped); every LPI is enabled; SYNC names the PE of the last MAPC, INVALL its
 * collection, which recordings do not say.
 */
#include "sim/scenario/inject_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/trace/qemu_log.h"

#define BATCH		256u	/* commands that are written at one go */
#define SPAN_MAX_US	((UINT64_C(1) << 62) / 1000)

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && !strcmp(text + len - n, end);
}

static void append(struct inject_stream *stream, size_t *room, const struct sim_its_event *event)
{
	if (stream->nrows == *room) {
		*room = *room ? 2 * *room : 4096;
		stream->rows = sim_realloc(stream->rows, *room, sizeof(*stream->rows),
					   "an ITS stream");
	}
	stream->rows[stream->nrows++] = *event;
}

static bool load_stream(struct inject_stream *stream, const char *path, struct sim_error *err)
{
	struct sim_its_stream *file = sim_its_stream_open(path, err);
	struct sim_its_event event;
	size_t room = 0;
	int more = -1;

	while (file && (more = sim_its_stream_next(file, &event, err)) > 0)
		append(stream, &room, &event);
	sim_its_stream_close(file);
	return more == 0;
}

static bool load_log(struct inject_stream *stream, const char *path, struct sim_error *err)
{
	struct sim_qemu_log *file = sim_qemu_log_open(path, err);
	struct sim_its_event event;
	size_t room = 0;
	int more = -1;

	while (file && (more = sim_qemu_log_next(file, &event, err)) > 0)
		append(stream, &room, &event);
	if (file)
		sim_qemu_log_close(file);
	return more == 0;
}

bool inject_stream_load(struct inject_stream *stream, const char *path, struct sim_error *err)
{
	bool log = ends_with(path, ".log") || ends_with(path, ".log.zst");

	*stream = (struct inject_stream){ .rows = NULL };
	if (log ? load_log(stream, path, err) : load_stream(stream, path, err)) {
		if (stream->nrows)
			return true;
		sim_error_at(err, path, 0, "holds no event, expected one at least");
	}
	inject_stream_free(stream);
	return false;
}

void inject_stream_free(struct inject_stream *stream)
{
	free(stream->rows);
	*stream = (struct inject_stream){ .rows = NULL };
}

static uint64_t row_ns(const struct inject *in, const struct sim_its_event *row)
{
	uint64_t us = row->time_us - in->stream->rows[0].time_us;

	return us / in->cfg->speedup * 1000 + us % in->cfg->speedup * 1000 / in->cfg->speedup;
}

/* The number of a device, which is new or not. */
static uint32_t device_of(struct inject *in, struct sim_map *devices, uint32_t id)
{
	uint32_t d;

	if (sim_map_get(devices, id, &d))
		return d;
	d = in->ndevices++;
	in->devices = sim_realloc(in->devices, in->ndevices, sizeof(*in->devices), "devices");
	in->devices[d] = (struct inject_device){ .id = id, .bits = 1 };
	sim_map_set(devices, id, d);
	return d;
}

static bool event_of(struct inject *in, struct sim_map *devices, const struct sim_its_event *row,
		     uint32_t *index)
{
	uint32_t id = (uint32_t)row->operands[0], event_id = (uint32_t)row->operands[1];
	uint64_t key = (uint64_t)id << 32 | event_id;
	uint32_t d;

	if (sim_map_get(&in->event_of, key, index))
		return true;
	if (in->nevents == INJECT_EVENTS_MAX) {
		sim_error_at(in->err, in->cfg->trace, row->line, "more than %u events",
			     INJECT_EVENTS_MAX);
		return false;
	}
	d = device_of(in, devices, id);
	*index = in->nevents++;
	in->events = sim_realloc(in->events, in->nevents, sizeof(*in->events), "events");
	in->events[*index] = (struct inject_event){
		.device_id = id, .event_id = event_id, .device = d, .icid = UINT32_MAX,
	};
	sim_map_set(&in->event_of, key, *index);
	return true;
}

static bool small_enough(struct inject *in, const struct sim_its_event *row, const char *what,
			 uint64_t value, const char *param, uint64_t end)
{
	if (value < end)
		return true;
	sim_error_at(in->err, in->cfg->trace, row->line, "%s %" PRIu64 ", expected below %" PRIu64
		     " (%s)", what, value, end, param);
	return false;
}

/* @what: the operand that is the LPI's number */
static bool is_lpi(struct inject *in, const struct sim_its_event *row, const char *what,
		   uint64_t lpi)
{
	uint64_t end = UINT64_C(1) << in->cfg->gic.idbits;

	if (lpi >= SIM_GIC_LPI_FIRST && lpi < end)
		return true;
	sim_error_at(in->err, in->cfg->trace, row->line, "%s, found %" PRIu64 ", expected %u..%"
		     PRIu64 " (its.intidbits)", what, lpi, SIM_GIC_LPI_FIRST, end - 1);
	return false;
}

static bool is_near(struct inject *in, const struct sim_its_event *row)
{
	uint64_t last = in->stream->rows[0].time_us + SPAN_MAX_US;

	if (row->time_us <= last || last < SPAN_MAX_US)
		return true;
	sim_error_at(in->err, in->cfg->trace, row->line, "time_us, found %" PRIu64 ", expected at "
		     "most %" PRIu64 ", 2^62 ns after the first", row->time_us, last);
	return false;
}

/* What a row needs of the machine. */
static bool scan(struct inject *in, struct sim_map *devices, const struct sim_its_event *row)
{
	const uint64_t *o = row->operands;
	struct inject_device *device;
	uint64_t lpi;
	uint32_t index;

	if (!is_near(in, row))
		return false;
	switch (row->op) {
	case SIM_ITS_EVENT_MAPD:
		if (!small_enough(in, row, "device", o[0], "its.devbits",
				  UINT64_C(1) << in->cfg->its.devbits) ||
		    !small_enough(in, row, "event bits", o[1], "its.eventbits",
				  (uint64_t)in->cfg->its.eventbits + 1))
			return false;
		index = device_of(in, devices, (uint32_t)o[0]);
		device = &in->devices[index];
		if (device->bits < o[1])
			device->bits = (uint32_t)o[1];
		return true;
	case SIM_ITS_EVENT_MAPC:
		return !o[2] || small_enough(in, row, "PE", o[1], "guest.vcpus", in->cfg->nvcpus);
	case SIM_ITS_EVENT_MOVALL:
		return small_enough(in, row, "PE", o[0] > o[1] ? o[0] : o[1], "guest.vcpus",
				    in->cfg->nvcpus);
	case SIM_ITS_EVENT_MAPTI:
	case SIM_ITS_EVENT_MAPI:
		lpi = row->op == SIM_ITS_EVENT_MAPTI ? o[2] : o[1];
		if (!is_lpi(in, row, row->op == SIM_ITS_EVENT_MAPTI ? "LPI" : "event", lpi) ||
		    !event_of(in, devices, row, &index))
			return false;
		in->events[index].intid = (uint32_t)lpi;
		return true;
	case SIM_ITS_EVENT_MSI:
		return small_enough(in, row, "device", o[0], "its.devbits",
				    UINT64_C(1) << in->cfg->its.devbits) &&
		       event_of(in, devices, row, &index);
	default:
		return true;
	}
}

/* LPIs of the stream begin disabled at the machine; the boot enables those that events have. */
static void place(struct inject *in)
{
	uint32_t first = in->cfg->irq_cpus ? in->cfg->host_cpus : 0;
	uint32_t ncpus = in->cfg->irq_cpus ? in->cfg->irq_cpus : in->cfg->host_cpus;
	struct sim_rng rng;

	sim_rng_init(&rng, in->cfg->seed, in->cfg->run, "host.affinity");
	for (uint32_t i = 0; i < in->nevents; i++)
		in->events[i].cpu = first + (uint32_t)sim_rng_below(&rng, ncpus);
}

bool inject_replay_build(struct inject *in)
{
	struct sim_map devices = { .n = 0 };
	bool ok = true;

	for (size_t i = 0; i < in->stream->nrows && ok; i++)
		ok = scan(in, &devices, &in->stream->rows[i]);
	sim_map_fini(&devices);
	if (ok && !in->nevents) {
		sim_error_at(in->err, in->cfg->trace, 0, "maps and raises no event, expected one "
			     "at least");
		ok = false;
	}
	place(in);
	return ok;
}

static void step(void *ctx, uint64_t arg);

void inject_replay_start(struct inject *in)
{
	in->replay.waiting = false;
	(void)sim_queue_post(in->queue, inject_now(in), 0, step, in, 0);
}

void inject_replay_translated(struct inject *in)
{
	if (!in->stream)
		return;
	sim_assert(in->replay.untranslated);
	if (!--in->replay.untranslated && in->replay.waiting) {
		in->replay.waiting = false;
		inject_vcpu_task(in, 0, TASK_REPLAY, 0, 0);
	}
}

/* From here on until a command, or until its time has not come. */
static void step(void *ctx, uint64_t arg)
{
	struct inject *in = ctx;
	struct inject_replay *replay = &in->replay;
	uint32_t index;

	(void)arg;
	for (; replay->next < in->stream->nrows; replay->next++) {
		const struct sim_its_event *row = &in->stream->rows[replay->next];
		uint64_t due_ns = row_ns(in, row);

		if (due_ns > inject_now(in)) {
			(void)sim_queue_post(in->queue, due_ns, 0, step, in, 0);
			return;
		}
		if (row->op != SIM_ITS_EVENT_MSI) {
			replay->waiting = replay->untranslated > 0;
			if (!replay->waiting)
				inject_vcpu_task(in, 0, TASK_REPLAY, 0, 0);
			return;
		}
		replay->untranslated++;
		sim_assert(sim_map_get(&in->event_of, row->operands[0] << 32 | row->operands[1],
				       &index));
		inject_raise(in, index);
	}
	in->quiet = true;
	for (uint32_t v = 0; v < in->cfg->nvcpus; v++)
		inject_sched_want(&in->vcpus[v]);
}

/* As the stream has it, but for what the head of this file names. */
static void write(struct inject *in, const struct sim_its_event *row)
{
	static const enum sim_its_op ops[SIM_ITS_EVENT_OPS] = {
		[SIM_ITS_EVENT_MAPD] = SIM_ITS_MAPD, [SIM_ITS_EVENT_MAPC] = SIM_ITS_MAPC,
		[SIM_ITS_EVENT_MAPTI] = SIM_ITS_MAPTI, [SIM_ITS_EVENT_MAPI] = SIM_ITS_MAPI,
		[SIM_ITS_EVENT_MOVI] = SIM_ITS_MOVI, [SIM_ITS_EVENT_MOVALL] = SIM_ITS_MOVALL,
		[SIM_ITS_EVENT_DISCARD] = SIM_ITS_DISCARD, [SIM_ITS_EVENT_INT] = SIM_ITS_INT,
		[SIM_ITS_EVENT_CLEAR] = SIM_ITS_CLEAR, [SIM_ITS_EVENT_INV] = SIM_ITS_INV,
		[SIM_ITS_EVENT_INVALL] = SIM_ITS_INVALL, [SIM_ITS_EVENT_SYNC] = SIM_ITS_SYNC,
	};
	const uint64_t *o = row->operands;
	uint64_t w0 = (uint64_t)ops[row->op] | o[0] << 32, valid = (uint64_t)o[2] << 63;
	struct inject_replay *replay = &in->replay;
	uint32_t d = 0;

	switch (row->op) {
	case SIM_ITS_EVENT_MAPD:
		while (in->devices[d].id != o[0])
			d++;
		if (o[3])
			inject_zero_itt(in, &in->devices[d]);
		inject_command(in, w0, o[1] ? o[1] - 1 : 0, o[3] << 63 | in->devices[d].itt, 0);
		break;
	case SIM_ITS_EVENT_MAPC:
		replay->last_icid = (uint32_t)o[0];
		replay->last_pe = (uint32_t)o[1];
		inject_command(in, SIM_ITS_MAPC, 0, valid | o[1] << 16 | o[0], 0);
		break;
	case SIM_ITS_EVENT_MAPTI:
		inject_command(in, w0, o[2] << 32 | o[1], o[3], 0);
		break;
	case SIM_ITS_EVENT_MAPI:
	case SIM_ITS_EVENT_MOVI:
		inject_command(in, w0, o[1], o[2], 0);
		break;
	case SIM_ITS_EVENT_MOVALL:
		inject_command(in, SIM_ITS_MOVALL, 0, o[0] << 16, o[1] << 16);
		break;
	case SIM_ITS_EVENT_INVALL:
		inject_command(in, SIM_ITS_INVALL, 0, replay->last_icid, 0);
		break;
	case SIM_ITS_EVENT_SYNC:
		inject_command(in, SIM_ITS_SYNC, 0, (uint64_t)replay->last_pe << 16, 0);
		break;
	default:
		inject_command(in, w0, o[1], 0, 0);
		break;
	}
}

void inject_replay_commands(struct inject *in)
{
	struct inject_replay *replay = &in->replay;

	for (unsigned int i = 0; i < BATCH && replay->next < in->stream->nrows; i++) {
		const struct sim_its_event *row = &in->stream->rows[replay->next];

		if (row->op == SIM_ITS_EVENT_MSI || row_ns(in, row) > inject_now(in))
			break;
		write(in, row);
		replay->next++;
		if (row->op == SIM_ITS_EVENT_SYNC)
			break;
	}
}

uint64_t inject_replay_line(const struct inject *in, uint64_t nth)
{
	for (size_t i = in->replay.next; i > 0; i--)
		if (in->stream->rows[i - 1].op != SIM_ITS_EVENT_MSI && --nth == 0)
			return in->stream->rows[i - 1].line;
	return 0;
}

bool inject_replay_try(struct inject *in)
{
	struct inject_replay *replay = &in->replay;

	for (; replay->next < in->stream->nrows && !in->failed; replay->next++) {
		const struct sim_its_event *row = &in->stream->rows[replay->next];

		if (replay->next % BATCH == 0)
			inject_ring(in);
		if (!in->failed && row->op != SIM_ITS_EVENT_MSI)
			write(in, row);
	}
	if (!in->failed)
		inject_ring(in);
	return !in->failed;
}
