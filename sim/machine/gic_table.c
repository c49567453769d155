// SPDX-License-Identifier: BSD-2-Clause
/*
 * gic_table.c - LPI state in guest memory: the pending bit in the pending table, always. See gic.h.
 *
 * The one thing cached is the best pending LPI of each PE:
 *
 *   T1  It is enabled (as its configuration byte said when it was read) and was pending.
 *   T2  It is forgotten, and found anew among all, when it is cleared, at INV and INVALL, when LPIs
 *       come from another PE in bulk, and when EnableLPIs is set.
 *   T3  An LPI that becomes pending competes with it alone.
 *
 * A table that is not in memory keeps nothing: its LPIs get lost.
 *
 * Cost: a bit for an LPI that comes or goes; a scan of the table, by words, for T2.
 */
#include "sim/machine/gic_internal.h"

#include <string.h>

static uint64_t pend_table(const struct gic_pe *p)
{
	return p->pendbaser & GICR_ADDR_PEND;
}

static uint64_t conf_table(const struct gic_pe *p)
{
	return p->propbaser & GICR_ADDR_PROP;
}

/* Whether the PE is set up for this LPI. */
static bool serves(const struct sim_gic *gic, uint32_t pe, uint32_t intid)
{
	const struct gic_pe *p = &gic->pes[pe];

	return p->lpis_on && intid >> gic_prop_bits(gic, p->propbaser) == 0;
}

bool gic_bit_get(const struct sim_gic *gic, uint64_t table, uint32_t intid)
{
	uint8_t byte;

	return sim_ram_get8(gic->ram, table + intid / 8, &byte) && byte >> intid % 8 & 1;
}

bool gic_bit_change(struct sim_gic *gic, uint64_t table, uint32_t intid, bool level)
{
	uint8_t byte, bit = (uint8_t)(1u << intid % 8);

	if (!sim_ram_get8(gic->ram, table + intid / 8, &byte) || !!(byte & bit) == level)
		return false;
	return sim_ram_put8(gic->ram, table + intid / 8, byte ^ bit);
}

void gic_best_add(const struct sim_gic *gic, struct gic_best *best, uint64_t conf_addr,
		  uint32_t intid)
{
	uint8_t conf, prio;

	if (!sim_ram_get8(gic->ram, conf_addr + (intid - SIM_GIC_LPI_FIRST), &conf))
		return;
	prio = gic_conf_prio(conf);
	if (prio < best->prio || (prio == best->prio && prio != GIC_PRIO_IDLE &&
				  intid < best->intid))
		*best = (struct gic_best){ intid, prio };
}

struct gic_best gic_best_of_table(const struct sim_gic *gic, uint64_t table, uint64_t conf_addr,
				  uint32_t idbits)
{
	struct gic_best best = { SIM_GIC_SPURIOUS, GIC_PRIO_IDLE };
	uint64_t at = SIM_GIC_LPI_FIRST / 8, end = (UINT64_C(1) << idbits) / 8, n;
	const uint8_t *bytes;

	/* Tables are aligned to pages, so runs of memory and holes end at pages. */
	for (; at < end; at = n ? at + n : (at | (SIM_RAM_PAGE_BYTES - 1)) + 1) {
		n = end - at;
		bytes = sim_ram_view(gic->ram, table + at, &n);
		for (uint64_t i = 0; i + 8 <= n; i += 8) {
			uint64_t word = sim_le64(bytes + i);

			for (; word; word &= word - 1)
				gic_best_add(gic, &best, conf_addr,
					     (uint32_t)(at + i) * 8 +
						     (uint32_t)__builtin_ctzll(word));
		}
	}
	return best;
}

static void rescan(struct sim_gic *gic, uint32_t pe)
{
	struct gic_pe *p = &gic->pes[pe];

	if (!p->lpis_on)
		return;
	p->best = gic_best_of_table(gic, pend_table(p), conf_table(p),
				    gic_prop_bits(gic, p->propbaser));
	gic_line_update(gic, pe);
}

static void table_disable(struct sim_gic *gic, uint32_t pe)
{
	gic_line_update(gic, pe);
}

static bool table_pending(const struct sim_gic *gic, uint32_t pe, uint32_t intid)
{
	return gic_bit_get(gic, pend_table(&gic->pes[pe]), intid);
}

static void table_set(struct sim_gic *gic, uint32_t pe, uint32_t intid)
{
	struct gic_pe *p = &gic->pes[pe];

	if (!serves(gic, pe, intid) || !gic_bit_change(gic, pend_table(p), intid, true))
		return;
	gic_best_add(gic, &p->best, conf_table(p), intid);
	gic_line_update(gic, pe);
}

/* Pending no more; whether it was. */
static bool drop(struct sim_gic *gic, uint32_t pe, uint32_t intid)
{
	struct gic_pe *p = &gic->pes[pe];

	if (!serves(gic, pe, intid) || !gic_bit_change(gic, pend_table(p), intid, false))
		return false;
	if (p->best.intid == intid)
		rescan(gic, pe);
	return true;
}

static void table_clear(struct sim_gic *gic, uint32_t pe, uint32_t intid)
{
	drop(gic, pe, intid);
}

static void table_inv(struct sim_gic *gic, uint32_t pe, uint32_t intid)
{
	(void)intid;
	rescan(gic, pe);
}

static void table_move(struct sim_gic *gic, uint32_t intid, uint32_t from, uint32_t to)
{
	if (from != to && serves(gic, to, intid) && drop(gic, from, intid))
		table_set(gic, to, intid);
}

/* Move whole words of bits; those of a word whose destination is not in memory stay. */
static void table_move_all(struct sim_gic *gic, uint32_t from, uint32_t to)
{
	const struct gic_pe *f = &gic->pes[from], *t = &gic->pes[to];
	uint32_t bits = gic_prop_bits(gic, f->propbaser), tobits = gic_prop_bits(gic, t->propbaser);
	uint64_t end = (UINT64_C(1) << (bits < tobits ? bits : tobits)) / 8;

	if (!f->lpis_on || !t->lpis_on)
		return;
	for (uint64_t at = SIM_GIC_LPI_FIRST / 8; at < end; at += 8) {
		uint64_t moved, there;

		if (!sim_ram_get64(gic->ram, pend_table(f) + at, &moved) || !moved ||
		    !sim_ram_get64(gic->ram, pend_table(t) + at, &there) ||
		    !sim_ram_put64(gic->ram, pend_table(t) + at, there | moved))
			continue;
		if (pend_table(f) != pend_table(t))
			sim_ram_put64(gic->ram, pend_table(f) + at, 0);
	}
	rescan(gic, from);
	rescan(gic, to);
}

static struct gic_best table_best(const struct sim_gic *gic, uint32_t pe)
{
	return gic->pes[pe].best;
}

/* The cached best one goes whether or not its bit was still there, so that each one ends. */
static void table_acknowledge(struct sim_gic *gic, uint32_t pe, uint32_t intid)
{
	gic_bit_change(gic, pend_table(&gic->pes[pe]), intid, false);
	rescan(gic, pe);
}

const struct gic_lpi_ops gic_table_ops = {
	.enable = rescan,
	.disable = table_disable,
	.pending = table_pending,
	.set = table_set,
	.clear = table_clear,
	.inv = table_inv,
	.inv_all = rescan,
	.move = table_move,
	.move_all = table_move_all,
	.best = table_best,
	.acknowledge = table_acknowledge,
};
