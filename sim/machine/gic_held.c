// SPDX-License-Identifier: BSD-2-Clause
/*
 * gic_held.c - LPI state as objects inside, with a queue a PE. See gic.h.
 *
 *   H1  An LPI is in at most one queue, and is queued when it is enabled, pending and has a target,
 *       or was when its queue was last synchronised.
 *   H2  An LPI that no event maps to and that is not queued is as it was at reset: unborn.
 *   H3  A queue is in order of arrival. What is taken from another PE's queue arrives last.
 *
 * An LPI whose target changes while it is queued stays where it is until the PE that has it enters
 * its guest (sync). An unborn LPI reads its configuration and its pending bit when an event is
 * mapped to it, and takes the bit out of memory; one that is still around keeps all it has, its
 * target included.
 *
 * Cost: set, clear, move: O(1). Acknowledge, sync: the queue's length. For all LPIs: their number.
 */
#include "sim/machine/gic_internal.h"

#include <inttypes.h>

static struct gic_lpi *lpi_at(const struct sim_gic *gic, uint32_t index)
{
	return &gic->lpis[index];
}

static uint32_t nlpis(const struct sim_gic *gic)
{
	return (UINT32_C(1) << gic->cfg.idbits) - SIM_GIC_LPI_FIRST;
}

static bool exists(const struct gic_lpi *lpi)
{
	return lpi->refs || lpi->queued != SIM_GIC_PE_NONE;
}

/* In whose queue the LPI should be. */
static uint32_t belongs(const struct gic_lpi *lpi)
{
	return lpi->enabled && lpi->pending ? lpi->target : SIM_GIC_PE_NONE;
}

static void bury(struct gic_lpi *lpi)
{
	if (!exists(lpi))
		*lpi = (struct gic_lpi){ .target = SIM_GIC_PE_NONE, .queued = SIM_GIC_PE_NONE };
}

static void append(struct sim_gic *gic, uint32_t i, uint32_t pe)
{
	struct gic_lpi *lpi = lpi_at(gic, i);
	struct gic_pe *p = &gic->pes[pe];

	lpi->queued = pe;
	lpi->next = GIC_NONE;
	lpi->prev = p->tail;
	if (p->tail == GIC_NONE)
		p->head = i;
	else
		lpi_at(gic, p->tail)->next = i;
	p->tail = i;
}

static void take_out(struct sim_gic *gic, uint32_t i)
{
	struct gic_lpi *lpi = lpi_at(gic, i);
	struct gic_pe *p = &gic->pes[lpi->queued];

	if (lpi->prev == GIC_NONE)
		p->head = lpi->next;
	else
		lpi_at(gic, lpi->prev)->next = lpi->next;
	if (lpi->next == GIC_NONE)
		p->tail = lpi->prev;
	else
		lpi_at(gic, lpi->next)->prev = lpi->prev;
	lpi->queued = SIM_GIC_PE_NONE;
}

/* Something about the LPI changed: into its PE's queue, if it belongs there and is in none. */
static void requeue(struct sim_gic *gic, uint32_t i)
{
	struct gic_lpi *lpi = lpi_at(gic, i);
	uint32_t pe = belongs(lpi);

	if (lpi->queued != SIM_GIC_PE_NONE)
		pe = lpi->queued;
	else if (pe != SIM_GIC_PE_NONE)
		append(gic, i, pe);
	if (pe != SIM_GIC_PE_NONE)
		gic_line_update(gic, pe);
}

void sim_gic_sync(struct sim_gic *gic, uint32_t pe)
{
	uint32_t next, i;

	if (gic->cfg.state != SIM_GIC_HELD)
		return;
	for (i = gic->pes[pe].head; i != GIC_NONE; i = next) {
		struct gic_lpi *lpi = lpi_at(gic, i);
		uint32_t to = belongs(lpi);

		next = lpi->next;
		if (to == pe)
			continue;
		take_out(gic, i);
		if (to == SIM_GIC_PE_NONE) {
			bury(lpi);
			continue;
		}
		append(gic, i, to);
		gic_line_update(gic, to);
	}
	gic_line_update(gic, pe);
}

/* Read the configuration byte; false, with nothing changed, if it is not in memory. */
static bool configure(struct sim_gic *gic, uint32_t i)
{
	uint8_t conf;

	if (!sim_ram_get8(gic->ram, (gic->propbaser & GICR_ADDR_PROP) + i, &conf))
		return false;
	lpi_at(gic, i)->prio = conf & GIC_CONF_PRIO;
	lpi_at(gic, i)->enabled = conf & GIC_CONF_ENABLE;
	return true;
}

static bool held_pending(const struct sim_gic *gic, uint32_t pe, uint32_t intid)
{
	const struct gic_lpi *lpi = lpi_at(gic, intid - SIM_GIC_LPI_FIRST);

	return exists(lpi) && lpi->pending && lpi->target == pe;
}

static void held_set(struct sim_gic *gic, uint32_t pe, uint32_t intid)
{
	uint32_t i = intid - SIM_GIC_LPI_FIRST;

	(void)pe;
	if (!exists(lpi_at(gic, i)))
		return;
	lpi_at(gic, i)->pending = true;
	requeue(gic, i);
}

static void held_clear(struct sim_gic *gic, uint32_t pe, uint32_t intid)
{
	struct gic_lpi *lpi = lpi_at(gic, intid - SIM_GIC_LPI_FIRST);

	(void)pe;
	lpi->pending = false;
	if (lpi->queued != SIM_GIC_PE_NONE)
		gic_line_update(gic, lpi->queued);
}

static void held_inv(struct sim_gic *gic, uint32_t pe, uint32_t intid)
{
	uint32_t i = intid - SIM_GIC_LPI_FIRST;

	(void)pe;
	if (exists(lpi_at(gic, i)) && configure(gic, i))
		requeue(gic, i);
}

static void held_inv_all(struct sim_gic *gic, uint32_t pe)
{
	for (uint32_t i = 0; i < nlpis(gic); i++)
		if (lpi_at(gic, i)->target == pe)
			held_inv(gic, pe, i + SIM_GIC_LPI_FIRST);
}

static void held_move(struct sim_gic *gic, uint32_t intid, uint32_t from, uint32_t to)
{
	struct gic_lpi *lpi = lpi_at(gic, intid - SIM_GIC_LPI_FIRST);

	(void)from;
	if (!exists(lpi))
		return;
	lpi->target = to;
}

static void held_move_all(struct sim_gic *gic, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < nlpis(gic); i++)
		if (lpi_at(gic, i)->target == from)
			held_move(gic, i + SIM_GIC_LPI_FIRST, from, to);
}

/* The pending bit of an LPI in its target's table. */
static bool pend_read(struct sim_gic *gic, uint32_t i, bool *pending)
{
	uint64_t table = gic->pes[lpi_at(gic, i)->target].pendbaser & GICR_ADDR_PEND;
	uint32_t intid = i + SIM_GIC_LPI_FIRST;
	uint8_t byte;

	if (!sim_ram_get8(gic->ram, table + intid / 8, &byte))
		return false;
	*pending = byte >> intid % 8 & 1;
	return true;
}

bool sim_gic_lpi_map(struct sim_gic *gic, uint32_t intid, uint32_t pe)
{
	uint32_t i = intid - SIM_GIC_LPI_FIRST;
	struct gic_lpi *lpi;
	bool pending = false;

	if (gic->cfg.state != SIM_GIC_HELD)
		return true;
	lpi = lpi_at(gic, i);
	if (exists(lpi)) {
		lpi->refs++;
		return true;
	}
	lpi->target = pe;
	if (!configure(gic, i) || (pe != SIM_GIC_PE_NONE && !pend_read(gic, i, &pending))) {
		bury(lpi);
		return false;
	}
	lpi->refs = 1;
	lpi->pending = pending;
	if (pending)
		gic_bit_change(gic, gic->pes[pe].pendbaser & GICR_ADDR_PEND, intid, false);
	requeue(gic, i);
	return true;
}

void sim_gic_lpi_unmap(struct sim_gic *gic, uint32_t intid)
{
	struct gic_lpi *lpi;

	if (gic->cfg.state != SIM_GIC_HELD)
		return;
	lpi = lpi_at(gic, intid - SIM_GIC_LPI_FIRST);
	lpi->refs--;
	bury(lpi);
}

/* EnableLPIs set: take up what the table says of the LPIs that are this PE's. */
static void held_enable(struct sim_gic *gic, uint32_t pe)
{
	if (gic->pes[pe].pendbaser & SIM_GICR_PENDBASER_PTZ)
		return;
	for (uint32_t i = 0; i < nlpis(gic); i++) {
		struct gic_lpi *lpi = lpi_at(gic, i);

		if (!exists(lpi) || lpi->target != pe)
			continue;
		if (!pend_read(gic, i, &lpi->pending))
			return;
		requeue(gic, i);
	}
}

/* EnableLPIs clear: what queues is pending no more; what is pending but not enabled stays so. */
static void held_disable(struct sim_gic *gic, uint32_t pe)
{
	uint32_t i;

	while ((i = gic->pes[pe].head) != GIC_NONE) {
		take_out(gic, i);
		lpi_at(gic, i)->pending = false;
		bury(lpi_at(gic, i));
	}
	gic_line_update(gic, pe);
}

static struct gic_best held_best(const struct sim_gic *gic, uint32_t pe)
{
	struct gic_best best = { SIM_GIC_SPURIOUS, GIC_PRIO_IDLE };

	for (uint32_t i = gic->pes[pe].head; i != GIC_NONE; i = lpi_at(gic, i)->next) {
		const struct gic_lpi *lpi = lpi_at(gic, i);

		if (lpi->enabled && lpi->pending && lpi->prio < best.prio)
			best = (struct gic_best){ i + SIM_GIC_LPI_FIRST, lpi->prio };
	}
	return best;
}

static void held_acknowledge(struct sim_gic *gic, uint32_t pe, uint32_t intid)
{
	lpi_at(gic, intid - SIM_GIC_LPI_FIRST)->pending = false;
	sim_gic_sync(gic, pe);
}

const struct gic_lpi_ops gic_held_ops = {
	.enable = held_enable,
	.disable = held_disable,
	.pending = held_pending,
	.set = held_set,
	.clear = held_clear,
	.inv = held_inv,
	.inv_all = held_inv_all,
	.move = held_move,
	.move_all = held_move_all,
	.best = held_best,
	.acknowledge = held_acknowledge,
};

bool sim_gic_save(struct sim_gic *gic, struct sim_error *err)
{
	if (gic->cfg.state != SIM_GIC_HELD)
		return true;
	for (uint32_t i = 0; i < nlpis(gic); i++) {
		const struct gic_lpi *lpi = lpi_at(gic, i);
		uint32_t intid = i + SIM_GIC_LPI_FIRST;
		uint64_t table;

		if (!exists(lpi) || lpi->target == SIM_GIC_PE_NONE)
			continue;
		table = gic->pes[lpi->target].pendbaser & GICR_ADDR_PEND;
		if (!sim_ram_covers(gic->ram, table + intid / 8, 1)) {
			sim_error_set(err, "gic: pending table of PE %" PRIu32 " at 0x%" PRIx64
				      ": LPI %" PRIu32 " is not in memory", lpi->target, table,
				      intid);
			return false;
		}
		gic_bit_change(gic, table, intid, lpi->pending);
	}
	return true;
}
