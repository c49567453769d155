// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_completion.c - no interrupt comes of what a completed command has put an end to.
 *
 * What is known is what the guest knows: the commands it gave that CREADR has passed, and the
 * configuration bytes it stored. Of the ITS, of its tables and of what stands before it nothing is
 * looked at.
 *
 * An LPI that two events lead to is not judged: it may be either's.
 */
#include "sim/check/its_check.h"

#include <inttypes.h>
#include <stdlib.h>

#include "sim/engine/map.h"

#define NOWHERE UINT32_MAX

/* An LPI as the guest knows it. */
struct lpi {
	uint32_t device, event; /* that leads to it */
	uint32_t icid;
	uint32_t where;		/* the PE on which it may be pending */
	uint8_t op;		/* the command that concerned it last */
	bool mapped;
	bool shared;
	bool stored;		/* enabled, by its configuration byte */
	bool disabled;		/* by an INV that has completed */
};

struct sim_its_completion {
	struct sim_its_check *check;
	struct sim_its_choices choices;
	struct lpi *lpis; /* by INTID - SIM_GIC_LPI_FIRST */
	uint64_t nlpis;
	uint64_t used;	  /* those below were ever mapped */
	uint32_t *pes;	  /* by collection */
	bool its_off;
	bool lpis_off[SIM_GIC_PES_MAX];
	struct sim_map intids; /* of events, device in the upper half */
};

#define NICIDS 65536u

struct sim_its_completion *sim_its_completion_create(struct sim_its_check *check, uint64_t lpi_end,
						     const struct sim_its_choices *choices)
{
	struct sim_its_completion *c = sim_alloc(1, sizeof(*c), "a checker");

	c->check = check;
	c->choices = *choices;
	c->nlpis = lpi_end - SIM_GIC_LPI_FIRST;
	c->lpis = sim_alloc(c->nlpis, sizeof(*c->lpis), "a checker's LPIs");
	for (uint64_t i = 0; i < c->nlpis; i++)
		c->lpis[i].where = NOWHERE;
	c->pes = sim_alloc(NICIDS, sizeof(*c->pes), "a checker's collections");
	for (uint32_t i = 0; i < NICIDS; i++)
		c->pes[i] = NOWHERE;
	return c;
}

void sim_its_completion_destroy(struct sim_its_completion *c)
{
	if (!c)
		return;
	sim_map_fini(&c->intids);
	free(c->pes);
	free(c->lpis);
	free(c);
}

static struct lpi *lpi_at(struct sim_its_completion *c, uint32_t intid)
{
	if (intid < SIM_GIC_LPI_FIRST || intid - SIM_GIC_LPI_FIRST >= c->nlpis)
		return NULL;
	return &c->lpis[intid - SIM_GIC_LPI_FIRST];
}

/* The LPI that an event leads to; NULL if it leads to none. */
static struct lpi *lpi_of(struct sim_its_completion *c, uint32_t device, uint32_t event)
{
	struct lpi *lpi;
	uint32_t intid;

	if (!sim_map_get(&c->intids, (uint64_t)device << 32 | event, &intid))
		return NULL;
	lpi = lpi_at(c, intid);
	return lpi && lpi->mapped && lpi->device == device && lpi->event == event ? lpi : NULL;
}

void sim_its_completion_configured(struct sim_its_completion *c, uint32_t intid, uint8_t byte)
{
	struct lpi *lpi = lpi_at(c, intid);

	if (!lpi)
		return;
	lpi->stored = byte & 1;
	/* From here on it may come back at any time; it is gone only with INV. */
	if (lpi->stored)
		lpi->disabled = false;
}

static void map(struct sim_its_completion *c, uint32_t device, uint32_t event, uint32_t intid,
		uint32_t icid, uint8_t op)
{
	struct lpi *lpi = lpi_at(c, intid), *old = lpi_of(c, device, event);

	if (!lpi || (old && c->choices.remap == SIM_ITS_REMAP_IGNORE))
		return;
	if (old)
		old->mapped = false;
	if (lpi->mapped && (lpi->device != device || lpi->event != event))
		lpi->shared = true;
	lpi->device = device;
	lpi->event = event;
	lpi->icid = icid;
	lpi->op = op;
	lpi->mapped = true;
	lpi->disabled = !lpi->stored;
	if (intid - SIM_GIC_LPI_FIRST >= c->used)
		c->used = intid - SIM_GIC_LPI_FIRST + 1;
	sim_map_set(&c->intids, (uint64_t)device << 32 | event, intid);
}

static void unmap(struct sim_its_completion *c, struct lpi *lpi, uint8_t op)
{
	lpi->mapped = false;
	lpi->op = op;
	if (op == SIM_ITS_DISCARD && !c->choices.discard_keeps_pending)
		lpi->where = NOWHERE;
}

static void unmap_device(struct sim_its_completion *c, uint32_t device, uint8_t op)
{
	for (uint64_t i = 0; i < c->used; i++)
		if (c->lpis[i].mapped && c->lpis[i].device == device)
			unmap(c, &c->lpis[i], op);
}

static void move(struct sim_its_completion *c, struct lpi *lpi, uint32_t icid)
{
	lpi->icid = icid;
	lpi->op = SIM_ITS_MOVI;
	if (lpi->where != NOWHERE)
		lpi->where = c->pes[icid];
}

static void move_all(struct sim_its_completion *c, uint32_t from, uint32_t to)
{
	for (uint64_t i = 0; i < c->used; i++)
		if (c->lpis[i].where == from)
			c->lpis[i].where = to;
}

static void inv_all(struct sim_its_completion *c)
{
	for (uint64_t i = 0; i < c->used; i++)
		c->lpis[i].disabled = !c->lpis[i].stored;
}

static void on_event(struct sim_its_completion *c, struct lpi *lpi, uint8_t op, uint32_t icid)
{
	switch (op) {
	case SIM_ITS_MOVI:
		move(c, lpi, icid);
		break;
	case SIM_ITS_DISCARD:
		unmap(c, lpi, op);
		break;
	case SIM_ITS_INT:
		lpi->where = c->pes[lpi->icid];
		break;
	case SIM_ITS_CLEAR:
		lpi->where = NOWHERE;
		break;
	case SIM_ITS_INV:
		lpi->disabled = !lpi->stored;
		break;
	default:
		break;
	}
}

void sim_its_completion_command(struct sim_its_completion *c, const uint64_t cmd[4])
{
	uint32_t device = (uint32_t)(cmd[0] >> 32), event = (uint32_t)cmd[1];
	uint32_t icid = (uint32_t)(cmd[2] & 0xffff), pe = (uint32_t)(cmd[2] >> 16 & 0xffff);
	uint8_t op = (uint8_t)cmd[0];
	struct lpi *lpi;

	switch (op) {
	case SIM_ITS_MAPD:
		unmap_device(c, device, op);
		break;
	case SIM_ITS_MAPC:
		c->pes[icid] = cmd[2] >> 63 ? pe : NOWHERE;
		break;
	case SIM_ITS_MAPTI:
		map(c, device, event, (uint32_t)(cmd[1] >> 32), icid, op);
		break;
	case SIM_ITS_MAPI:
		map(c, device, event, event, icid, op);
		break;
	case SIM_ITS_MOVALL:
		move_all(c, pe, (uint32_t)(cmd[3] >> 16 & 0xffff));
		break;
	case SIM_ITS_INVALL:
		inv_all(c);
		break;
	default:
		lpi = lpi_of(c, device, event);
		if (lpi)
			on_event(c, lpi, op, icid);
		break;
	}
}

void sim_its_completion_its(struct sim_its_completion *c, bool on)
{
	c->its_off = !on;
}

void sim_its_completion_lpis(struct sim_its_completion *c, uint32_t pe, bool on)
{
	c->lpis_off[pe] = !on;
}

static const char *op_name(uint8_t op)
{
	switch (op) {
	case SIM_ITS_MAPD:
		return "MAPD";
	case SIM_ITS_MOVI:
		return "MOVI";
	case SIM_ITS_DISCARD:
		return "DISCARD";
	default:
		return "MAPTI";
	}
}

void sim_its_completion_delivered(struct sim_its_completion *c, uint32_t pe, uint32_t intid)
{
	struct lpi *lpi = lpi_at(c, intid);

	if (c->its_off || c->lpis_off[pe])
		sim_its_check_violated(c->check, SIM_ITS_CHECK_COMPLETION, "LPI %" PRIu32
				       " delivered to PE %" PRIu32 " after %s was cleared", intid,
				       pe, c->its_off ? "GITS_CTLR.Enabled" : "EnableLPIs");
	if (!lpi || lpi->shared)
		return;
	if (!lpi->mapped)
		sim_its_check_violated(c->check, SIM_ITS_CHECK_COMPLETION, "LPI %" PRIu32
				       " delivered to PE %" PRIu32 ": device 0x%" PRIx32 " event %"
				       PRIu32 " led to it until %s completed", intid, pe,
				       lpi->device, lpi->event, op_name(lpi->op));
	else if (c->pes[lpi->icid] == NOWHERE)
		sim_its_check_violated(c->check, SIM_ITS_CHECK_COMPLETION, "LPI %" PRIu32
				       " delivered to PE %" PRIu32 ": device 0x%" PRIx32 " event %"
				       PRIu32 " is of collection %" PRIu32 ", which MAPC has "
				       "unmapped", intid, pe, lpi->device, lpi->event, lpi->icid);
	else if (c->pes[lpi->icid] != pe)
		sim_its_check_violated(c->check, SIM_ITS_CHECK_COMPLETION, "LPI %" PRIu32
				       " delivered to PE %" PRIu32 ": device 0x%" PRIx32 " event %"
				       PRIu32 " is of collection %" PRIu32 " since %s completed",
				       intid, pe, lpi->device, lpi->event, lpi->icid,
				       op_name(lpi->op));
	lpi->where = pe;
}

void sim_its_completion_taken(struct sim_its_completion *c, uint32_t pe, uint32_t intid)
{
	struct lpi *lpi = lpi_at(c, intid);

	if (c->lpis_off[pe])
		sim_its_check_violated(c->check, SIM_ITS_CHECK_COMPLETION, "LPI %" PRIu32
				       " acknowledged by PE %" PRIu32 " after EnableLPIs was "
				       "cleared", intid, pe);
	if (!lpi || lpi->shared)
		return;
	if (lpi->where == NOWHERE)
		sim_its_check_violated(c->check, SIM_ITS_CHECK_COMPLETION, "LPI %" PRIu32
				       " acknowledged by PE %" PRIu32 " with nothing to come of it",
				       intid, pe);
	else if (lpi->disabled)
		sim_its_check_violated(c->check, SIM_ITS_CHECK_COMPLETION, "LPI %" PRIu32
				       " acknowledged by PE %" PRIu32 " after INV of its disabled "
				       "configuration completed", intid, pe);
	else if (lpi->where != pe && c->choices.state == SIM_GIC_TABLE)
		sim_its_check_violated(c->check, SIM_ITS_CHECK_COMPLETION, "LPI %" PRIu32
				       " acknowledged by PE %" PRIu32 ", pending on PE %" PRIu32,
				       intid, pe, lpi->where);
	lpi->where = NOWHERE;
}
