// SPDX-License-Identifier: BSD-2-Clause
/*
 * gic_virt.c - GICv4: virtual LPIs and, with 4.1, virtual SGIs, of the vPE that is resident.
 *
 * A vPE's pending bits live in its virtual pending table in guest memory, whoever is resident. The
 * PE caches the best pending one of its resident vPE by the same rules as gic_table.c does for
 * LPIs. A vLPI that becomes pending for a vPE that is not resident rings a doorbell: the one of its
 * own mapping, or, with 4.1, the vPE's default if the hypervisor asked for it when it took the vPE
 * off.
 *
 * Which vPE is resident: with 4.0 the one whose table VPENDBASER points at, whose configuration
 * table is in VPROPBASER; with 4.1 the one whose number is in VPENDBASER, looked up in the vPE
 * table. With 4.1 VPENDBASER also says which groups of interrupts get to it; vLPIs are of group 1.
 */
#include "sim/machine/gic_internal.h"

#include <string.h>

#define VPEND_IDAI		((uint64_t)1 << 62) /* 4.0 */
#define VPEND_DOORBELL		((uint64_t)1 << 62) /* 4.1 */
#define VPEND_PENDING_LAST	((uint64_t)1 << 61)
#define VPEND40_MASK                                                                               \
	(SIM_GICR_VPENDBASER_VALID | VPEND_IDAI | UINT64_C(0x7) << 56 | GICR_ADDR_PEND |           \
	 UINT64_C(0x3) << 10 | UINT64_C(0x7) << 7)
#define VPEND41_MASK                                                                               \
	(SIM_GICR_VPENDBASER_VALID | VPEND_DOORBELL | SIM_GICR_VPENDBASER_VGRP0 |                  \
	 SIM_GICR_VPENDBASER_VGRP1 | 0xffffu)

static bool v41(const struct sim_gic *gic)
{
	return gic->cfg.v4 == SIM_GIC_V4_1;
}

/* Is this vPE the one that is resident where it is said to run? */
static bool is_resident(const struct sim_gic *gic, const struct sim_gic_vpe *vpe)
{
	const struct gic_pe *p = &gic->pes[vpe->pe];

	return p->resident &&
	       (v41(gic) ? p->vpe.id == vpe->id : p->vpe.pend_addr == vpe->pend_addr);
}

/* Does the resident vPE get interrupts of this group? */
static bool group_on(const struct sim_gic *gic, const struct gic_pe *p, bool group1)
{
	return !v41(gic) || p->vpendbaser & (group1 ? SIM_GICR_VPENDBASER_VGRP1 :
						      SIM_GICR_VPENDBASER_VGRP0);
}

static void vsgi_add(const struct sim_gic *gic, struct gic_best *best, const struct gic_pe *p,
		     uint32_t i)
{
	uint8_t conf = p->vpe.vsgi[i], prio = conf & SIM_GIC_VSGI_PRIO;

	if (conf & SIM_GIC_VSGI_ENABLE && group_on(gic, p, conf & SIM_GIC_VSGI_GROUP1) &&
	    prio < best->prio)
		*best = (struct gic_best){ i, prio };
}

static void vrescan(struct sim_gic *gic, uint32_t pe)
{
	struct gic_pe *p = &gic->pes[pe];
	struct gic_best best = { SIM_GIC_SPURIOUS, GIC_PRIO_IDLE }, lpi;

	for (uint32_t i = 0; p->resident && v41(gic) && i < SIM_GIC_VSGIS; i++)
		if (gic_bit_get(gic, p->vpe.pend_addr, i))
			vsgi_add(gic, &best, p, i);
	if (p->resident && group_on(gic, p, true)) {
		lpi = gic_best_of_table(gic, p->vpe.pend_addr, p->vpe.conf_addr, p->vpe.idbits);
		if (lpi.prio < best.prio)
			best = lpi;
	}
	p->vbest = best;
	gic_vline_update(gic, pe);
}

/* The vPE of VPENDBASER; false if there is none. */
static bool resident_find(struct sim_gic *gic, uint32_t pe, uint64_t vpend)
{
	struct gic_pe *p = &gic->pes[pe];

	if (!v41(gic)) {
		p->vpe = (struct sim_gic_vpe){
			.pe = pe,
			.idbits = gic_prop_bits(gic, p->vpropbaser),
			.pend_addr = vpend & GICR_ADDR_PEND,
			.conf_addr = p->vpropbaser & GICR_ADDR_PROP,
			.doorbell = SIM_GIC_SPURIOUS,
		};
		return true;
	}
	for (struct sim_gic_listener *l = gic->listeners; l; l = l->next)
		if (l->vpe_find && l->vpe_find(l->ctx, (uint32_t)(vpend & 0xffff), &p->vpe))
			return true;
	return false;
}

void gic_vpend_write(struct sim_gic *gic, uint32_t pe, uint64_t value)
{
	struct gic_pe *p = &gic->pes[pe];
	bool was = p->vpendbaser & SIM_GICR_VPENDBASER_VALID;
	bool now = value & SIM_GICR_VPENDBASER_VALID;

	/* What a valid one says holds still; only taking the vPE off is possible. */
	if (was && now)
		return;
	value &= v41(gic) ? VPEND41_MASK : VPEND40_MASK;
	if (was != now)
		value |= now || p->vbest.prio != GIC_PRIO_IDLE ? VPEND_PENDING_LAST : 0;
	if (was && p->resident && v41(gic))
		for (struct sim_gic_listener *l = gic->listeners; l; l = l->next)
			if (l->vpe_off)
				l->vpe_off(l->ctx, p->vpe.id, value & VPEND_DOORBELL);
	p->vpendbaser = value;
	p->resident = now && resident_find(gic, pe, value);
	vrescan(gic, pe);
}

/* Nobody is there to take it: tell the hypervisor. */
static void ring(struct sim_gic *gic, const struct sim_gic_vpe *vpe, uint32_t doorbell)
{
	if (doorbell == SIM_GIC_SPURIOUS && vpe->doorbell_wanted)
		doorbell = vpe->doorbell;
	if (doorbell != SIM_GIC_SPURIOUS)
		sim_gic_lpi_set(gic, vpe->pe, doorbell);
}

static bool vintid_valid(const struct sim_gic *gic, const struct sim_gic_vpe *vpe, uint32_t vintid)
{
	return vintid >= SIM_GIC_LPI_FIRST && vintid >> vpe->idbits == 0 &&
	       vintid >> gic->cfg.idbits == 0;
}

void sim_gic_vlpi_set(struct sim_gic *gic, const struct sim_gic_vpe *vpe, uint32_t vintid,
		      uint32_t doorbell)
{
	struct gic_pe *p = &gic->pes[vpe->pe];
	bool resident = is_resident(gic, vpe), came;

	if (!vintid_valid(gic, vpe, vintid) || (resident && vintid >> p->vpe.idbits))
		return;
	came = gic_bit_change(gic, vpe->pend_addr, vintid, true);
	if (!resident) {
		ring(gic, vpe, doorbell);
	} else if (came && group_on(gic, p, true)) {
		gic_best_add(gic, &p->vbest, p->vpe.conf_addr, vintid);
		gic_vline_update(gic, vpe->pe);
	}
}

/* Pending no more; whether it was. */
static bool vdrop(struct sim_gic *gic, const struct sim_gic_vpe *vpe, uint32_t vintid)
{
	if (!gic_bit_change(gic, vpe->pend_addr, vintid, false))
		return false;
	if (is_resident(gic, vpe) && gic->pes[vpe->pe].vbest.intid == vintid)
		vrescan(gic, vpe->pe);
	return true;
}

void sim_gic_vlpi_clear(struct sim_gic *gic, const struct sim_gic_vpe *vpe, uint32_t vintid)
{
	if (vintid_valid(gic, vpe, vintid))
		vdrop(gic, vpe, vintid);
}

void sim_gic_vlpi_inv(struct sim_gic *gic, const struct sim_gic_vpe *vpe)
{
	struct gic_pe *p = &gic->pes[vpe->pe];

	if (!is_resident(gic, vpe))
		return;
	if (v41(gic))
		p->vpe = *vpe;
	vrescan(gic, vpe->pe);
}

void sim_gic_vlpi_move(struct sim_gic *gic, const struct sim_gic_vpe *from,
		       const struct sim_gic_vpe *to, uint32_t vintid, uint32_t doorbell)
{
	if (from->pend_addr != to->pend_addr && vintid_valid(gic, from, vintid) &&
	    vintid_valid(gic, to, vintid) && vdrop(gic, from, vintid))
		sim_gic_vlpi_set(gic, to, vintid, doorbell);
}

bool sim_gic_vlpi_pending(const struct sim_gic *gic, const struct sim_gic_vpe *vpe, uint32_t vintid)
{
	return vintid_valid(gic, vpe, vintid) && gic_bit_get(gic, vpe->pend_addr, vintid);
}

void sim_gic_vsgi_set(struct sim_gic *gic, const struct sim_gic_vpe *vpe, uint32_t vsgi)
{
	bool came = gic_bit_change(gic, vpe->pend_addr, vsgi, true);

	if (!is_resident(gic, vpe))
		ring(gic, vpe, SIM_GIC_SPURIOUS);
	else if (came)
		vrescan(gic, vpe->pe);
}

void sim_gic_vsgi_clear(struct sim_gic *gic, const struct sim_gic_vpe *vpe, uint32_t vsgi)
{
	vdrop(gic, vpe, vsgi);
}

bool sim_gic_vline(const struct sim_gic *gic, uint32_t pe)
{
	return gic->pes[pe].resident && gic->pes[pe].vbest.prio != GIC_PRIO_IDLE;
}

uint32_t sim_gic_vhppir(const struct sim_gic *gic, uint32_t pe)
{
	return sim_gic_vline(gic, pe) ? gic->pes[pe].vbest.intid : SIM_GIC_SPURIOUS;
}

uint32_t sim_gic_viar(struct sim_gic *gic, uint32_t pe)
{
	uint32_t vintid = sim_gic_vhppir(gic, pe);

	if (vintid != SIM_GIC_SPURIOUS) {
		gic_bit_change(gic, gic->pes[pe].vpe.pend_addr, vintid, false);
		vrescan(gic, pe);
	}
	return vintid;
}

void gic_vline_update(struct sim_gic *gic, uint32_t pe)
{
	struct gic_pe *p = &gic->pes[pe];
	bool level;

	if (!gic->line)
		return;
	level = sim_gic_vline(gic, pe);
	if (level != p->vline) {
		p->vline = level;
		gic->line(gic->line_ctx, pe, true, level);
	}
}
