// SPDX-License-Identifier: BSD-2-Clause
/*
 * gic.c - a GIC's creation, its CPU interfaces, and the doors to LPI state. See gic.h.
 *
 * A CPU interface signals its PE when the best pending interrupt is more urgent than the mask and
 * than the running priority. Running priorities are a bit each, so that the running one is the
 * lowest bit set and EOI drops it, as ICC_AP1R does it. Preemption is by whole priority (BPR of the
 * smallest group).
 */
#include "sim/machine/gic_internal.h"

#include <inttypes.h>
#include <stdlib.h>

#define GIC_IDBITS_DEFAULT	16u
#define GIC_IDBITS_MIN		14u
#define GIC_PRIBITS_DEFAULT	5u
#define GIC_PRIBITS_MIN		4u
#define GIC_PRIBITS_MAX		5u

static bool config_check(struct sim_gic_config *cfg, struct sim_error *err)
{
	cfg->idbits = cfg->idbits ? cfg->idbits : GIC_IDBITS_DEFAULT;
	cfg->pribits = cfg->pribits ? cfg->pribits : GIC_PRIBITS_DEFAULT;
	if (!cfg->npes || cfg->npes > SIM_GIC_PES_MAX)
		sim_error_set(err, "gic: npes=%" PRIu32 ": must be 1..%u", cfg->npes,
			      SIM_GIC_PES_MAX);
	else if (cfg->idbits < GIC_IDBITS_MIN || cfg->idbits > SIM_GIC_IDBITS_MAX)
		sim_error_set(err, "gic: idbits=%" PRIu32 ": must be %u..%u", cfg->idbits,
			      GIC_IDBITS_MIN, SIM_GIC_IDBITS_MAX);
	else if (cfg->pribits < GIC_PRIBITS_MIN || cfg->pribits > GIC_PRIBITS_MAX)
		sim_error_set(err, "gic: pribits=%" PRIu32 ": must be %u..%u", cfg->pribits,
			      GIC_PRIBITS_MIN, GIC_PRIBITS_MAX);
	else if (cfg->v4 && cfg->state != SIM_GIC_TABLE)
		sim_error_set(err, "gic: GICv4 needs its state in memory, not held");
	else
		return true;
	return false;
}

struct sim_gic *sim_gic_create(const struct sim_gic_config *cfg, struct sim_ram *ram,
			       struct sim_error *err)
{
	struct sim_gic_config full = *cfg;
	struct sim_gic *gic;

	if (!config_check(&full, err))
		return NULL;
	gic = sim_alloc(1, sizeof(*gic), "a GIC");
	gic->cfg = full;
	gic->ram = ram;
	gic->ops = full.state == SIM_GIC_TABLE ? &gic_table_ops : &gic_held_ops;
	gic->pes = sim_alloc(full.npes, sizeof(*gic->pes), "redistributors");
	for (uint32_t i = 0; i < full.npes; i++)
		gic->pes[i] = (struct gic_pe){
			.asleep = true, .group1 = true, .head = GIC_NONE, .tail = GIC_NONE,
			.best = { SIM_GIC_SPURIOUS, GIC_PRIO_IDLE },
			.vbest = { SIM_GIC_SPURIOUS, GIC_PRIO_IDLE },
		};
	if (full.state == SIM_GIC_HELD) {
		uint32_t n = (UINT32_C(1) << full.idbits) - SIM_GIC_LPI_FIRST;

		gic->lpis = sim_alloc(n, sizeof(*gic->lpis), "LPIs");
		for (uint32_t i = 0; i < n; i++)
			gic->lpis[i].target = gic->lpis[i].queued = SIM_GIC_PE_NONE;
	}
	return gic;
}

void sim_gic_destroy(struct sim_gic *gic)
{
	if (!gic)
		return;
	free(gic->lpis);
	free(gic->pes);
	free(gic);
}

const struct sim_gic_config *sim_gic_config(const struct sim_gic *gic)
{
	return &gic->cfg;
}

void sim_gic_on_line(struct sim_gic *gic, sim_gic_line_fn *fn, void *ctx)
{
	gic->line = fn;
	gic->line_ctx = ctx;
}

void sim_gic_listen(struct sim_gic *gic, struct sim_gic_listener *listener)
{
	struct sim_gic_listener **at = &gic->listeners;

	while (*at)
		at = &(*at)->next;
	listener->next = NULL;
	*at = listener;
}

void sim_gic_unlisten(struct sim_gic *gic, struct sim_gic_listener *listener)
{
	struct sim_gic_listener **at = &gic->listeners;

	while (*at && *at != listener)
		at = &(*at)->next;
	if (*at)
		*at = listener->next;
}

static unsigned int prio_shift(const struct sim_gic *gic)
{
	return 8 - gic->cfg.pribits;
}

/* The interrupt that would be acknowledged, were it not for the mask and what runs. */
static struct gic_best candidate(const struct sim_gic *gic, uint32_t pe)
{
	const struct gic_pe *p = &gic->pes[pe];
	struct gic_best none = { SIM_GIC_SPURIOUS, GIC_PRIO_IDLE };

	if (!p->lpis_on || !p->group1 || p->asleep || !(gic->gicd_ctlr & SIM_GICD_CTLR_GRP1))
		return none;
	return gic->ops->best(gic, pe);
}

static bool can_signal(const struct sim_gic *gic, const struct gic_pe *p, struct gic_best b)
{
	if (b.prio == GIC_PRIO_IDLE || b.prio >= p->pmr)
		return false;
	return !p->active ||
	       b.prio >> prio_shift(gic) < __builtin_ctz(p->active);
}

void sim_gic_set_pmr(struct sim_gic *gic, uint32_t pe, uint8_t mask)
{
	gic->pes[pe].pmr = (uint8_t)(mask & (0xffu << prio_shift(gic)));
	gic_line_update(gic, pe);
}

void sim_gic_set_group1(struct sim_gic *gic, uint32_t pe, bool on)
{
	gic->pes[pe].group1 = on;
	gic_line_update(gic, pe);
}

bool sim_gic_line(const struct sim_gic *gic, uint32_t pe)
{
	return can_signal(gic, &gic->pes[pe], candidate(gic, pe));
}

uint32_t sim_gic_hppir(const struct sim_gic *gic, uint32_t pe)
{
	return candidate(gic, pe).intid;
}

uint32_t sim_gic_iar(struct sim_gic *gic, uint32_t pe)
{
	struct gic_pe *p = &gic->pes[pe];
	struct gic_best b = candidate(gic, pe);

	if (!can_signal(gic, p, b))
		return SIM_GIC_SPURIOUS;
	p->active |= UINT32_C(1) << (b.prio >> prio_shift(gic));
	gic->ops->acknowledge(gic, pe, b.intid);
	gic_line_update(gic, pe);
	return b.intid;
}

void sim_gic_eoir(struct sim_gic *gic, uint32_t pe)
{
	gic->pes[pe].active &= gic->pes[pe].active - 1;
	gic_line_update(gic, pe);
}

void gic_line_update(struct sim_gic *gic, uint32_t pe)
{
	struct gic_pe *p = &gic->pes[pe];
	bool level;

	if (!gic->line)
		return;
	level = sim_gic_line(gic, pe);
	if (level != p->line) {
		p->line = level;
		gic->line(gic->line_ctx, pe, false, level);
	}
}

bool sim_gic_lpis_on(const struct sim_gic *gic, uint32_t pe)
{
	return pe < gic->cfg.npes && gic->pes[pe].lpis_on;
}

uint64_t sim_gic_lpi_end(const struct sim_gic *gic)
{
	if (gic->cfg.state == SIM_GIC_HELD)
		return UINT64_C(1) << gic_prop_bits(gic, gic->propbaser);
	return UINT64_C(1) << gic->cfg.idbits;
}

static bool is_lpi(const struct sim_gic *gic, uint32_t intid)
{
	return intid >= SIM_GIC_LPI_FIRST && intid >> gic->cfg.idbits == 0;
}

bool sim_gic_lpi_pending(const struct sim_gic *gic, uint32_t pe, uint32_t intid)
{
	return is_lpi(gic, intid) && gic->ops->pending(gic, pe, intid);
}

void sim_gic_lpi_set(struct sim_gic *gic, uint32_t pe, uint32_t intid)
{
	if (is_lpi(gic, intid) && gic->pes[pe].lpis_on)
		gic->ops->set(gic, pe, intid);
}

void sim_gic_lpi_clear(struct sim_gic *gic, uint32_t pe, uint32_t intid)
{
	if (is_lpi(gic, intid))
		gic->ops->clear(gic, pe, intid);
}

void sim_gic_lpi_inv(struct sim_gic *gic, uint32_t pe, uint32_t intid)
{
	if (is_lpi(gic, intid))
		gic->ops->inv(gic, pe, intid);
}

void sim_gic_lpi_inv_all(struct sim_gic *gic, uint32_t pe)
{
	gic->ops->inv_all(gic, pe);
}

void sim_gic_lpi_move(struct sim_gic *gic, uint32_t intid, uint32_t from, uint32_t to)
{
	if (is_lpi(gic, intid))
		gic->ops->move(gic, intid, from, to);
}

void sim_gic_lpi_move_all(struct sim_gic *gic, uint32_t from, uint32_t to)
{
	if (from != to)
		gic->ops->move_all(gic, from, to);
}
