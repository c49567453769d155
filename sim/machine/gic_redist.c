// SPDX-License-Identifier: BSD-2-Clause
/*
 * gic_redist.c - the registers of the distributor (its control) and of the redistributors.
 *
 * Each register has a mask of the bits that a write changes; the rest read as zero, or as what the
 * hardware says. A write of half a 64-bit register changes that half. PROPBASER and PENDBASER hold
 * still while LPIs are enabled; with SIM_GIC_HELD there is one PROPBASER for all PEs.
 */
#include "sim/machine/gic_internal.h"

/* Where a table is and how it is cached: shareability [11:10], cacheability [9:7] and [58:56]. */
#define ATTRIBUTES	(UINT64_C(0x7) << 56 | UINT64_C(0x3) << 10 | UINT64_C(0x7) << 7)
#define PROPBASER_MASK	(ATTRIBUTES | GICR_ADDR_PROP | GICR_PROP_IDBITS)
#define PENDBASER_MASK	(ATTRIBUTES | GICR_ADDR_PEND | SIM_GICR_PENDBASER_PTZ)
/* GICv4.1: the vPE table: valid, entry size, indirect, page size, Z, and its size. */
#define VPROPBASER41_MASK                                                                          \
	((uint64_t)1 << 63 | UINT64_C(0x7) << 53 | ATTRIBUTES | GICR_ADDR_PROP | UINT64_C(0x7f))
/* An entry has four doublewords, as in the ITS's own table (its_vpe.c). */
#define VPROPBASER41_ENTRY	((uint64_t)3 << 59)

#define WAKER_SLEEP	UINT32_C(2)
#define WAKER_ASLEEP	UINT32_C(4)

#define CTLR_CES	UINT64_C(2) /* EnableLPIs may be cleared again */
#define CTLR_IR		UINT64_C(4) /* INVLPIR and INVALLR are there */

#define TYPER_PLPIS	((uint64_t)1 << 0)
#define TYPER_VLPIS	((uint64_t)1 << 1)
#define TYPER_LAST	((uint64_t)1 << 4)
#define TYPER_RVPEID	((uint64_t)1 << 7)
#define TYPER_VSGI	((uint64_t)1 << 26)

#define IIDR		UINT64_C(0x43b) /* implementer Arm */
#define PIDR0_GICD	0x92u
#define PIDR0_GICR	0x93u

#define GICD_CTLR_DS	UINT32_C(0x40)

bool sim_gic_idreg(uint32_t off, uint8_t pidr0, enum sim_gic_v4 v4, uint64_t *value)
{
	/* JEP106 identity 0x3b, continuation 4 (Arm); the class of CoreLink components. */
	const uint8_t regs[] = { 0x44, 0, 0, 0, pidr0, 0xb4, v4 ? 0x4b : 0x3b, 0,
				 0x0d, 0xf0, 0x05, 0xb1 };

	if (off < SIM_GIC_IDREGS || off >= SIM_GIC_IDREGS + 4 * sizeof(regs) || off % 4)
		return false;
	*value = regs[(off - SIM_GIC_IDREGS) / 4];
	return true;
}

/* Cacheability: 0 and 1 are not cacheable, 3 is read-allocate, write-back. Outer 0: as inner. */
uint64_t sim_gic_attributes(uint64_t value, unsigned int inner, unsigned int outer)
{
	if ((value >> inner & 7) <= 1)
		value = (value & ~((uint64_t)7 << inner)) | (uint64_t)3 << inner;
	if ((value >> outer & 7) > 1)
		value &= ~((uint64_t)7 << outer);
	if ((value >> 10 & 3) == 2)
		value ^= UINT64_C(3) << 10;
	return value;
}

/* A BASER as it stays. */
static uint64_t baser_bits(const struct sim_gic *gic, uint64_t value, uint64_t mask)
{
	value &= mask;
	return gic->cfg.state == SIM_GIC_HELD ? sim_gic_attributes(value, 7, 56) : value;
}

bool sim_gicd_read(struct sim_gic *gic, uint32_t off, uint32_t *value)
{
	uint64_t id;

	*value = 0;
	if (off == SIM_GICD_CTLR)
		*value = gic->gicd_ctlr | GICD_CTLR_DS;
	else if (off == SIM_GICD_TYPER)
		*value = UINT32_C(1) << 17 | (gic->cfg.idbits - 1) << 19; /* LPIS, IDbits */
	else if (sim_gic_idreg(off, PIDR0_GICD, gic->cfg.v4, &id))
		*value = (uint32_t)id;
	else
		return false;
	return true;
}

bool sim_gicd_write(struct sim_gic *gic, uint32_t off, uint32_t value)
{
	if (off != SIM_GICD_CTLR)
		return false;
	gic->gicd_ctlr = value & (SIM_GICD_CTLR_GRP1 | SIM_GICD_CTLR_ARE);
	for (uint32_t pe = 0; pe < gic->cfg.npes; pe++)
		gic_line_update(gic, pe);
	return true;
}

static uint64_t typer(const struct sim_gic *gic, uint32_t pe)
{
	/* Affinity: Aff0 of 16 PEs, then Aff1. */
	uint64_t v = TYPER_PLPIS | (uint64_t)pe << 8 |
		     (uint64_t)(pe % 16 | pe / 16 << 8) << 32;

	if (pe == gic->cfg.npes - 1)
		v |= TYPER_LAST;
	if (gic->cfg.v4)
		v |= TYPER_VLPIS;
	if (gic->cfg.v4 == SIM_GIC_V4_1)
		v |= TYPER_RVPEID | TYPER_VSGI;
	return v;
}

static uint64_t *propbaser(struct sim_gic *gic, uint32_t pe)
{
	return gic->cfg.state == SIM_GIC_HELD ? &gic->propbaser : &gic->pes[pe].propbaser;
}

/* The virtual SGIs of the vPE that GICR_VSGIR chose. */
static uint64_t vsgis_pending(const struct sim_gic *gic, uint32_t pe)
{
	struct sim_gic_vpe vpe;
	uint64_t pending = 0;

	for (struct sim_gic_listener *l = gic->listeners; l; l = l->next) {
		if (!l->vpe_find || !l->vpe_find(l->ctx, gic->pes[pe].vsgir, &vpe))
			continue;
		for (uint32_t i = 0; i < SIM_GIC_VSGIS; i++)
			pending |= (uint64_t)gic_bit_get(gic, vpe.pend_addr, i) << i;
		break;
	}
	return pending;
}

/* A whole register, by the offset of its first byte. */
static bool reg_read(struct sim_gic *gic, uint32_t pe, uint32_t off, uint64_t *value)
{
	const struct gic_pe *p = &gic->pes[pe];

	*value = 0;
	switch (off) {
	case SIM_GICR_CTLR:
		*value = CTLR_CES | CTLR_IR | (p->lpis_on ? SIM_GICR_CTLR_ENABLE_LPIS : 0);
		return true;
	case SIM_GICR_IIDR:
		*value = IIDR;
		return true;
	case SIM_GICR_TYPER:
		*value = typer(gic, pe);
		return true;
	case SIM_GICR_WAKER:
		*value = p->asleep ? WAKER_SLEEP | WAKER_ASLEEP : 0;
		return true;
	case SIM_GICR_PROPBASER:
		*value = *propbaser(gic, pe);
		return true;
	case SIM_GICR_PENDBASER: /* PTZ is write-only */
		*value = p->pendbaser & ~SIM_GICR_PENDBASER_PTZ;
		return true;
	case SIM_GICR_SYNCR: /* never busy */
		return true;
	case SIM_GICR_VPROPBASER:
		*value = p->vpropbaser;
		if (gic->cfg.v4 == SIM_GIC_V4_1)
			*value |= VPROPBASER41_ENTRY;
		return gic->cfg.v4;
	case SIM_GICR_VPENDBASER:
		*value = p->vpendbaser;
		return gic->cfg.v4;
	case SIM_GICR_VSGIPENDR:
		*value = gic->cfg.v4 == SIM_GIC_V4_1 ? vsgis_pending(gic, pe) : 0;
		return gic->cfg.v4 == SIM_GIC_V4_1;
	default:
		return sim_gic_idreg(off, PIDR0_GICR, gic->cfg.v4, value);
	}
}

static void lpis_switch(struct sim_gic *gic, uint32_t pe, bool on)
{
	struct gic_pe *p = &gic->pes[pe];
	struct sim_gic_listener *l;

	if (on == p->lpis_on)
		return;
	p->lpis_on = on;
	if (on) {
		gic->ops->enable(gic, pe);
		return;
	}
	gic->ops->disable(gic, pe);
	for (l = gic->listeners; l; l = l->next)
		if (l->lpis_off)
			l->lpis_off(l->ctx, pe);
}

static void inv_one(struct sim_gic *gic, uint32_t pe, uint64_t value)
{
	struct gic_pe *p = &gic->pes[pe];

	if (gic->cfg.v4 != SIM_GIC_V4_1 || !(value >> 63)) {
		if (p->lpis_on)
			sim_gic_lpi_inv(gic, pe, (uint32_t)value);
	} else if (p->resident && p->vpe.id == (value >> 32 & 0xffff)) {
		sim_gic_vlpi_inv(gic, &p->vpe);
	}
}

static void inv_all(struct sim_gic *gic, uint32_t pe, uint64_t value)
{
	if (gic->cfg.v4 == SIM_GIC_V4_1 && value >> 63)
		inv_one(gic, pe, value);
	else if (gic->pes[pe].lpis_on)
		sim_gic_lpi_inv_all(gic, pe);
}

static bool reg_write(struct sim_gic *gic, uint32_t pe, uint32_t off, uint64_t value)
{
	struct gic_pe *p = &gic->pes[pe];

	switch (off) {
	case SIM_GICR_CTLR:
		lpis_switch(gic, pe, value & SIM_GICR_CTLR_ENABLE_LPIS);
		return true;
	case SIM_GICR_WAKER:
		p->asleep = value & WAKER_SLEEP;
		gic_line_update(gic, pe);
		return true;
	case SIM_GICR_PROPBASER:
		if (!p->lpis_on)
			*propbaser(gic, pe) = baser_bits(gic, value, PROPBASER_MASK);
		return true;
	case SIM_GICR_PENDBASER:
		if (!p->lpis_on)
			p->pendbaser = baser_bits(gic, value, PENDBASER_MASK);
		return true;
	case SIM_GICR_INVLPIR:
		inv_one(gic, pe, value);
		return true;
	case SIM_GICR_INVALLR:
		inv_all(gic, pe, value);
		return true;
	case SIM_GICR_VPROPBASER:
		if (gic->cfg.v4 && !(p->vpendbaser & SIM_GICR_VPENDBASER_VALID))
			p->vpropbaser = value & (gic->cfg.v4 == SIM_GIC_V4_1 ? VPROPBASER41_MASK :
									       PROPBASER_MASK);
		return gic->cfg.v4;
	case SIM_GICR_VPENDBASER:
		if (gic->cfg.v4)
			gic_vpend_write(gic, pe, value);
		return gic->cfg.v4;
	case SIM_GICR_VSGIR:
		p->vsgir = value & 0xffff;
		return gic->cfg.v4 == SIM_GIC_V4_1;
	default:
		return false;
	}
}

/* Where the 64-bit register that holds this offset begins; @off itself for a 32-bit one. */
static uint32_t reg_base(uint32_t off)
{
	switch (off & ~UINT32_C(7)) {
	case SIM_GICR_TYPER:
	case SIM_GICR_PROPBASER:
	case SIM_GICR_PENDBASER:
	case SIM_GICR_INVLPIR:
	case SIM_GICR_INVALLR:
	case SIM_GICR_VPROPBASER:
	case SIM_GICR_VPENDBASER:
		return off & ~UINT32_C(7);
	default:
		return off;
	}
}

bool sim_gicr_read(struct sim_gic *gic, uint32_t pe, uint32_t off, unsigned int nbytes,
		   uint64_t *value)
{
	uint32_t base = reg_base(off);
	bool known;

	*value = 0;
	if ((nbytes != 4 && nbytes != 8) || off % nbytes)
		return false;
	known = reg_read(gic, pe, base, value);
	*value >>= (off - base) * 8;
	if (nbytes == 4)
		*value &= UINT32_MAX;
	return known;
}

bool sim_gicr_write(struct sim_gic *gic, uint32_t pe, uint32_t off, unsigned int nbytes,
		    uint64_t value)
{
	uint32_t base = reg_base(off);
	uint64_t old = 0, mask;

	if ((nbytes != 4 && nbytes != 8) || off % nbytes)
		return false;
	/* The lower half of an invalidation is what sets it off. */
	if (off != base && (base == SIM_GICR_INVLPIR || base == SIM_GICR_INVALLR))
		return true;
	if (nbytes == 4) {
		/* The other half as it is; a command register's other half is zero. */
		mask = (uint64_t)UINT32_MAX << (off - base) * 8;
		reg_read(gic, pe, base, &old);
		value = (old & ~mask) | (value << (off - base) * 8 & mask);
	}
	return reg_write(gic, pe, base, value);
}
