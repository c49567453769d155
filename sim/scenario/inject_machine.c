// SPDX-License-Identifier: BSD-2-Clause
/*
 * inject_machine.c - memory, GIC, ITS, what stands before it, and the guest's driver: registers,
 * tables, the command queue. Whatever is done to the machine is done to its twin, and the checkers
 * hear of it, here and nowhere else.
 *
 * The guest reads CREADR after it has written CWRITER: what has been passed has completed.
 */
#include "sim/scenario/inject_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define BASE		UINT64_C(0x40000000)
#define UNIT		UINT64_C(65536)
#define BASER_PAGE_64K	(UINT64_C(2) << 8)
#define BASER_PAGES_MAX	256u
#define ITT_ALIGN	UINT64_C(256)
#define LATE_NS		30000u	/* break.late_invalidate */

static uint64_t up(uint64_t n, uint64_t unit)
{
	return (n + unit - 1) / unit * unit;
}

/* The design is told, and has forgotten. */
static void forget(struct inject *in, const struct sim_its_inval *inval)
{
	struct inject_machine *m = &in->m;
	const struct sim_its_work *work = sim_its_design_work(m->design);
	uint64_t named = inval->scope == SIM_ITS_SCOPE_COLLECTION ? inval->icid :
			 inval->scope == SIM_ITS_SCOPE_DEVICE ? inval->device_id :
			 (uint64_t)inval->device_id << 32 | inval->event_id;

	sim_its_design_invalidate(m->design, m->its, inval);
	m->forget_ps += inject_forget_ps(in, work);
	in->counts.dropped += work->dropped;
	inject_note(in, INJECT_EV_FORGET, inval->scope, named, work->dropped);
}

static void forget_late(void *ctx, uint64_t arg)
{
	struct inject *in = ctx;

	forget(in, &in->late[arg]);
}

static void on_invalidate(void *ctx, const struct sim_its_inval *inval)
{
	struct inject *in = ctx;

	in->counts.invalidations++;
	if (in->cfg->broken.skip_invalidate)
		return;
	if (!in->cfg->broken.late_invalidate) {
		forget(in, inval);
		return;
	}
	if (in->nlate == in->late_room) {
		in->late_room = in->late_room ? 2 * in->late_room : 64;
		in->late = sim_realloc(in->late, in->late_room, sizeof(*in->late),
				       "invalidations");
	}
	in->late[in->nlate] = *inval;
	(void)sim_queue_post(in->queue, inject_now(in) + LATE_NS, 0, forget_late, in, in->nlate++);
}

static void on_command(void *ctx, const uint64_t cmd[4], enum sim_its_code code)
{
	struct inject *in = ctx;
	struct inject_machine *m = &in->m;
	struct inject_executed *executed;

	sim_its_design_command(m->design, m->its, cmd, code);
	m->forget_ps += inject_forget_ps(in, sim_its_design_work(m->design));
	in->counts.dropped += sim_its_design_work(m->design)->dropped;
	if (m->nexecuted == m->executed_room) {
		m->executed_room = m->executed_room ? 2 * m->executed_room : 64;
		m->executed = sim_realloc(m->executed, m->executed_room, sizeof(*m->executed),
					  "commands");
	}
	executed = &m->executed[m->nexecuted++];
	for (unsigned int i = 0; i < 4; i++)
		executed->cmd[i] = cmd[i];
	executed->code = code;
}

static void on_line(void *ctx, uint32_t pe, bool is_virtual, bool level)
{
	struct inject *in = ctx;

	if (level && !is_virtual && in->m.hearing)
		inject_vcpu_notify(in, pe);
}

static void its_write(struct inject *in, uint32_t off, unsigned int nbytes, uint64_t value)
{
	(void)sim_its_write(in->m.its, off, nbytes, value, 0);
	while (sim_its_step(in->m.its))
		;
	sim_its_twin_write(in->m.twin, off, nbytes, value);
}

static void store(struct inject *in, uint64_t addr, const void *buf, size_t nbytes)
{
	sim_assert(sim_ram_store(in->m.ram, addr, buf, nbytes));
	sim_its_twin_store(in->m.twin, addr, buf, nbytes);
}

void inject_command(struct inject *in, uint64_t w0, uint64_t w1, uint64_t w2, uint64_t w3)
{
	const uint64_t w[4] = { w0, w1, w2, w3 };
	uint8_t bytes[SIM_ITS_CMD_BYTES];

	for (unsigned int i = 0; i < 4; i++)
		sim_put_le64(bytes + 8 * i, w[i]);
	store(in, in->m.at.queue + in->m.write, bytes, sizeof(bytes));
	in->m.write = (in->m.write + sizeof(bytes)) % in->m.at.queue_bytes;
	in->m.written++;
}

/* The commands before CREADR have completed: whoever goes by them hears of it, in order. */
static void completed(struct inject *in, const struct inject_executed *e)
{
	struct inject_machine *m = &in->m;

	m->changes++;
	in->counts.commands++;
	inject_note(in, INJECT_EV_COMMAND, (uint32_t)(e->cmd[0] & 0xff), e->cmd[0] >> 32,
		    (uint32_t)e->cmd[1]);
	if (e->code != SIM_ITS_OK) {
		inject_note(in, INJECT_EV_COMMAND_ERROR, (uint32_t)(e->cmd[0] & 0xff),
			    e->cmd[0] >> 32, e->code);
		return;
	}
	sim_its_completion_command(m->completion, e->cmd);
	inject_guest_named(in, e->cmd);
}

/* What the nth last command that was written makes of the run; the first is what counts. */
static void refuse(struct inject *in, uint64_t nth, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void refuse(struct inject *in, uint64_t nth, const char *fmt, ...)
{
	char what[SIM_ERROR_BYTES];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	in->failed = true;
	if (in->stream)
		sim_error_at(in->err, in->cfg->trace, inject_replay_line(in, nth), "%s", what);
	else
		sim_error_set(in->err, "%s", what);
}

void inject_ring(struct inject *in)
{
	static const char *const stalls[] = { "never", "fault", "error" };
	struct inject_machine *m = &in->m;
	uint64_t creadr, nleft;

	m->hearing = true;
	its_write(in, SIM_GITS_CWRITER, 8, m->write);
	m->hearing = false;
	(void)sim_its_read(m->its, SIM_GITS_CREADR, 8, &creadr);
	nleft = (m->write - creadr / SIM_ITS_CMD_BYTES * SIM_ITS_CMD_BYTES + m->at.queue_bytes) %
		m->at.queue_bytes / SIM_ITS_CMD_BYTES;
	for (size_t i = 0; i < m->nexecuted; i++) {
		completed(in, &m->executed[i]);
		if (m->executed[i].code == SIM_ITS_NO_ROOM)
			refuse(in, m->written - m->passed - i, "one event more is mapped, expected "
			       "at most %" PRIu32 " at once (its.held_events)",
			       in->cfg->its.held_max);
	}
	m->nexecuted = 0;
	m->passed = m->written - nleft;
	if (creadr != m->write)
		refuse(in, nleft, "a command stops the queue, and no guest of this scenario has a "
		       "way on (its.stall=%s)", stalls[in->cfg->its.choices.stall]);
}

void inject_configure(struct inject *in, uint32_t intid, bool enabled)
{
	uint8_t byte = enabled ? 0xa1 : 0xa0;

	store(in, in->m.at.prop + (intid - SIM_GIC_LPI_FIRST), &byte, 1);
	sim_its_completion_configured(in->m.completion, intid, byte);
}

static void write_ctlr(struct inject *in, uint32_t pe, bool on)
{
	uint64_t ctlr = on ? SIM_GICR_CTLR_ENABLE_LPIS : 0;

	(void)sim_gicr_write(in->m.gic, pe, SIM_GICR_CTLR, 4, ctlr);
	(void)sim_gicr_write(sim_its_twin_gic(in->m.twin), pe, SIM_GICR_CTLR, 4, ctlr);
	sim_its_completion_lpis(in->m.completion, pe, on);
}

/* Off: the ITS first, so that nothing arrives for a PE that takes nothing. On: the other way. */
void inject_power(struct inject *in, bool on)
{
	in->m.hearing = true;
	if (!on)
		its_write(in, SIM_GITS_CTLR, 4, 0);
	for (uint32_t pe = 0; pe < in->cfg->nvcpus; pe++)
		write_ctlr(in, pe, on);
	if (on)
		its_write(in, SIM_GITS_CTLR, 4, SIM_GITS_CTLR_ENABLED);
	in->m.hearing = false;
	in->m.changes++;
	sim_its_completion_its(in->m.completion, on);
	inject_note(in, INJECT_EV_POWER, on, 0, 0);
}

void inject_zero_itt(struct inject *in, const struct inject_device *device)
{
	static const uint8_t zeros[4096];

	for (uint64_t done = 0; done < device->itt_bytes; done += sizeof(zeros)) {
		uint64_t n = device->itt_bytes - done;

		store(in, device->itt + done, zeros,
		      (size_t)(n < sizeof(zeros) ? n : sizeof(zeros)));
	}
}

void inject_spoil(struct inject *in)
{
	const struct inject_device *device = &in->devices[0];
	static const uint8_t byte = 0xa5;

	sim_assert(sim_ram_store(in->m.ram, device->itt + device->itt_bytes - 1, &byte, 1));
}

uint32_t inject_take(struct inject *in, uint32_t pe)
{
	uint32_t intid = sim_gic_iar(in->m.gic, pe);

	sim_its_twin_take(in->m.twin, pe, intid);
	if (intid != SIM_GIC_SPURIOUS)
		sim_its_completion_taken(in->m.completion, pe, intid);
	return intid;
}

void inject_end_of(struct inject *in, uint32_t pe)
{
	sim_gic_eoir(in->m.gic, pe);
	sim_gic_eoir(sim_its_twin_gic(in->m.twin), pe);
}

void inject_sync(struct inject *in, uint32_t pe)
{
	in->m.hearing = true;
	sim_gic_sync(in->m.gic, pe);
	in->m.hearing = false;
	sim_gic_sync(sim_its_twin_gic(in->m.twin), pe);
}

enum inject_arrival inject_deliver(struct inject *in, const struct inject_event *event,
				   enum sim_its_code code, const struct sim_its_route *route)
{
	struct inject_machine *m = &in->m;
	enum inject_arrival arrival = ARRIVAL_REFUSED;

	if (in->cfg->broken.wrong_code && event == in->events)
		code = SIM_ITS_UNMAPPED_INTERRUPT;
	if (code == SIM_ITS_OK) {
		bool was = sim_gic_lpi_pending(m->gic, route->pe, route->intid);

		sim_its_deliver(m->its, route);
		sim_its_completion_delivered(m->completion, route->pe, route->intid);
		arrival = was ? ARRIVAL_COALESCED :
			  sim_gic_lpi_pending(m->gic, route->pe, route->intid) ? ARRIVAL_PENDING :
										  ARRIVAL_LOST;
		inject_note(in, INJECT_EV_PENDING, route->pe, route->intid, was);
	}
	sim_its_twin_msi(m->twin, event->device_id, event->event_id, code, route);
	return arrival;
}

/* Addresses, by the sizes that the ITS says it needs. */
static bool lay_out(struct inject *in, uint32_t last_device, uint32_t last_icid)
{
	struct inject_layout *at = &in->m.at;
	uint32_t idbits = sim_gic_config(in->m.gic)->idbits;
	uint64_t typer, dev, coll, next = BASE;

	(void)sim_its_read(in->m.its, SIM_GITS_TYPER, 8, &typer);
	(void)sim_its_read(in->m.its, SIM_GITS_BASER, 8, &dev);
	(void)sim_its_read(in->m.its, SIM_GITS_BASER + 8, 8, &coll);
	at->base = BASE;
	at->prop = next;
	next += up(UINT64_C(1) << idbits, UNIT);
	at->pend = next;
	at->pend_stride = up((UINT64_C(1) << idbits) / 8, UNIT);
	next += at->pend_stride * in->cfg->nvcpus;
	at->queue = next;
	at->queue_bytes = UNIT;
	next += UNIT;
	at->devices = next;
	at->devices_bytes = up(((uint64_t)last_device + 1) * ((dev >> 48 & 0x1f) + 1), UNIT);
	next += at->devices_bytes;
	at->collections = next;
	at->collections_bytes = up(((uint64_t)last_icid + 1) * ((coll >> 48 & 0x1f) + 1), UNIT);
	next += at->collections_bytes;
	at->itts = next;
	for (uint32_t i = 0; i < in->ndevices; i++) {
		struct inject_device *device = &in->devices[i];

		device->itt = next;
		device->itt_bytes = up(((typer >> 4 & 0xf) + 1) << device->bits, ITT_ALIGN);
		next += device->itt_bytes;
	}
	at->end = up(next, UNIT);
	if (at->devices_bytes / UNIT <= BASER_PAGES_MAX)
		return true;
	sim_error_set(in->err, "device 0x%" PRIx32 ": a flat device table has no place for it, at "
		      "most 0x%" PRIx64, last_device,
		      BASER_PAGES_MAX * UNIT / ((dev >> 48 & 0x1f) + 1) - 1);
	return false;
}

static void boot_gic(struct inject *in, struct sim_gic *gic)
{
	uint32_t idbits = sim_gic_config(gic)->idbits;

	(void)sim_gicd_write(gic, SIM_GICD_CTLR, SIM_GICD_CTLR_GRP1 | SIM_GICD_CTLR_ARE);
	for (uint32_t pe = 0; pe < in->cfg->nvcpus; pe++) {
		(void)sim_gicr_write(gic, pe, SIM_GICR_WAKER, 4, 0);
		(void)sim_gicr_write(gic, pe, SIM_GICR_PROPBASER, 8, in->m.at.prop | (idbits - 1));
		(void)sim_gicr_write(gic, pe, SIM_GICR_PENDBASER, 8,
				     in->m.at.pend + pe * in->m.at.pend_stride);
		(void)sim_gicr_write(gic, pe, SIM_GICR_CTLR, 4, SIM_GICR_CTLR_ENABLE_LPIS);
		sim_gic_set_pmr(gic, pe, 0xff);
	}
}

static void boot_its(struct inject *in)
{
	const struct inject_layout *at = &in->m.at;

	its_write(in, SIM_GITS_CBASER, 8,
		  SIM_GITS_VALID | at->queue | (at->queue_bytes / 4096 - 1));
	its_write(in, SIM_GITS_BASER, 8, SIM_GITS_VALID | at->devices | BASER_PAGE_64K |
		  (at->devices_bytes / UNIT - 1));
	its_write(in, SIM_GITS_BASER + 8, 8, SIM_GITS_VALID | at->collections | BASER_PAGE_64K |
		  (at->collections_bytes / UNIT - 1));
	its_write(in, SIM_GITS_CTLR, 4, SIM_GITS_CTLR_ENABLED);
}

/* The design is held to the room that it is given. */
static bool build_design(struct inject *in)
{
	struct inject_machine *m = &in->m;
	struct sim_its_design_config cfg = in->cfg->design;

	m->design = sim_its_design_create(in->cfg->kind, &cfg, in->err);
	if (!m->design)
		return false;
	m->residency.bound = sim_its_design_capacity(m->design);
	if (!in->cfg->broken.overfull || m->residency.bound > WEIR_XLATE_CAPACITY_MAX / 2)
		return true;
	sim_its_design_destroy(m->design);
	cfg.capacity = (uint32_t)(2 * m->residency.bound);
	m->design = sim_its_design_create(in->cfg->kind, &cfg, in->err);
	return m->design;
}

/* What was asked of the machine so far had nothing to do with interrupts. */
static bool build_parts(struct inject *in, uint32_t last_device, uint32_t last_icid)
{
	static const struct sim_its_hooks hooks = { .invalidate = on_invalidate,
						    .command = on_command };
	struct inject_machine *m = &in->m;

	m->ram = sim_ram_create();
	m->gic = sim_gic_create(&in->cfg->gic, m->ram, in->err);
	if (m->gic)
		m->its = sim_its_create(&in->cfg->its, m->gic, m->ram, in->err);
	if (!m->its || !lay_out(in, last_device, last_icid))
		return false;
	m->twin = sim_its_twin_create(&m->check, m->at.base, m->at.end - m->at.base, &in->cfg->gic,
				      &in->cfg->its, in->err);
	if (!m->twin || !sim_ram_add(m->ram, m->at.base, m->at.end - m->at.base, in->err))
		return false;
	if (!build_design(in))
		return false;
	m->completion = sim_its_completion_create(&m->check,
						  UINT64_C(1) << in->cfg->gic.idbits,
						  &in->cfg->its.choices);
	sim_its_set_hooks(m->its, &hooks, in);
	sim_gic_on_line(m->gic, on_line, in);
	return true;
}

bool inject_machine_build(struct inject *in)
{
	uint32_t last_device = 0, last_icid = in->cfg->nvcpus - 1;

	for (uint32_t i = 0; i < in->ndevices; i++)
		if (in->devices[i].id > last_device)
			last_device = in->devices[i].id;
	if (in->stream)
		last_icid = UINT16_MAX >> (16 - in->cfg->its.icidbits);
	if (!build_parts(in, last_device, last_icid))
		return false;
	boot_gic(in, in->m.gic);
	boot_gic(in, sim_its_twin_gic(in->m.twin));
	boot_its(in);
	return true;
}

void inject_machine_down(struct inject *in)
{
	struct inject_machine *m = &in->m;

	if (m->design)
		sim_its_design_destroy(m->design);
	sim_its_completion_destroy(m->completion);
	sim_its_twin_destroy(m->twin);
	sim_its_destroy(m->its);
	if (m->gic)
		sim_gic_destroy(m->gic);
	sim_ram_destroy(m->ram);
	free(m->executed);
	*m = (struct inject_machine){ .ram = NULL };
}
