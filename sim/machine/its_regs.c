// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_regs.c - the registers of the ITS: the bits that a write changes, and what it sets off.
 *
 * CBASER and the BASERs hold still while the ITS is enabled. Half a 64-bit register may be written;
 * the other half stays as it is.
 */
#include "sim/machine/its_internal.h"

/* Cacheability [61:59] and [55:53], shareability [11:10]. */
#define ATTRIBUTES	(UINT64_C(0x7) << 59 | UINT64_C(0x7) << 53 | UINT64_C(0x3) << 10)
#define CBASER_MASK	(SIM_GITS_VALID | ATTRIBUTES | (((uint64_t)1 << 52) - 4096) | 0xffu)
#define BASER_MASK                                                                                 \
	(SIM_GITS_VALID | SIM_GITS_BASER_INDIRECT | ATTRIBUTES | (((uint64_t)1 << 48) - 4096) |    \
	 UINT64_C(0x3ff))
#define BASER_PAGE_64K	(UINT64_C(2) << 8)
#define BASER_PAGE_MASK	(UINT64_C(3) << 8)
#define CWRITER_MASK	SIM_GITS_QUEUE_OFFSET

#define IIDR		UINT64_C(0x43b)
#define PIDR0_ITS	0x94u

#define TYPER_PHYSICAL	((uint64_t)1 << 0)
#define TYPER_VIRTUAL	((uint64_t)1 << 1)
#define TYPER_VMOVP	((uint64_t)1 << 37)
#define TYPER_CIL	((uint64_t)1 << 36)
#define TYPER_VSGI	((uint64_t)1 << 39)
#define TYPER_VMAPP	((uint64_t)1 << 40)

static uint64_t typer(const struct sim_its *its)
{
	uint64_t v = TYPER_PHYSICAL | (uint64_t)(its_ite_bytes(its) - 1) << 4 |
		     (uint64_t)(its->cfg.eventbits - 1) << 8 |
		     (uint64_t)(its->cfg.devbits - 1) << 13;

	/* CIL 0 means 16 bits too; which of the two an ITS says is its own affair. */
	if (its->cfg.icidbits != 16 || its->cfg.choices.state == SIM_GIC_TABLE)
		v |= TYPER_CIL | (uint64_t)(its->cfg.icidbits - 1) << 32;
	if (its->v4)
		v |= TYPER_VIRTUAL | TYPER_VMOVP;
	if (its->v4 == SIM_GIC_V4_1)
		v |= TYPER_VSGI | TYPER_VMAPP;
	return v;
}

static bool quiescent(const struct sim_its *its)
{
	bool empty = its->creadr == its->cwriter;

	return its->cfg.choices.quiescent_is_empty ? empty : empty || !its->enabled;
}

static uint64_t ctlr(const struct sim_its *its)
{
	return (its->enabled ? SIM_GITS_CTLR_ENABLED : 0) |
	       (quiescent(its) ? SIM_GITS_CTLR_QUIESCENT : 0);
}

/* Which table BASER @n describes; false if it describes none. */
static bool baser_kind(const struct sim_its *its, uint32_t n, enum its_table_kind *kind)
{
	if (n >= (its->v4 ? ITS_TABLES : ITS_TABLE_VPE))
		return false;
	*kind = (enum its_table_kind)n;
	return true;
}

static uint64_t baser_read(const struct sim_its *its, enum its_table_kind kind)
{
	static const uint64_t type[ITS_TABLES] = { 1, 4, 2 };

	return its->baser[kind] | type[kind] << 56 |
	       (uint64_t)(its_entry_bytes(its, kind) - 1) << 48 |
	       (its->cfg.choices.pages_64k ? BASER_PAGE_64K : 0);
}

/* A whole register, by the offset of its first byte. */
static bool reg_read(const struct sim_its *its, uint32_t off, uint64_t *value)
{
	enum its_table_kind kind;

	*value = 0;
	switch (off) {
	case SIM_GITS_CTLR:
		*value = ctlr(its);
		return true;
	case SIM_GITS_IIDR:
		*value = IIDR;
		return true;
	case SIM_GITS_TYPER:
		*value = typer(its);
		return true;
	case SIM_GITS_CBASER:
		*value = its->cbaser;
		return true;
	case SIM_GITS_CWRITER:
		*value = its->cwriter;
		return true;
	case SIM_GITS_CREADR:
		*value = its->creadr | (its->stalled ? SIM_GITS_CREADR_STALLED : 0);
		return true;
	default:
		break;
	}
	if (sim_gic_idreg(off, PIDR0_ITS, its->v4, value))
		return true;
	if (off < SIM_GITS_BASER || off >= SIM_GITS_BASER + 8 * SIM_GITS_BASERS || off % 8)
		return false;
	if (baser_kind(its, (off - SIM_GITS_BASER) / 8, &kind))
		*value = baser_read(its, kind);
	return true;
}

static bool tables_valid(const struct sim_its *its)
{
	return its->cbaser & its->baser[ITS_TABLE_DEVICE] & its->baser[ITS_TABLE_COLLECTION] &
	       SIM_GITS_VALID;
}

static void ctlr_write(struct sim_its *its, uint64_t value)
{
	bool on = value & SIM_GITS_CTLR_ENABLED, was = its->enabled;

	if (on && !was && its->cfg.choices.enable_needs_tables && !tables_valid(its))
		return;
	its->enabled = on;
	if (was && !on)
		its_invalidate(its, SIM_ITS_SCOPE_ALL, 0, 0, 0);
	if (on && its->cfg.choices.retry_always)
		its->stalled = false;
	its_queue_run(its);
}

static uint64_t cbaser_bits(const struct sim_its *its, uint64_t value)
{
	value &= CBASER_MASK & ~(its->cfg.choices.pages_64k ? UINT64_C(0xf000) : UINT64_C(0));
	return its->cfg.choices.cached_tables ? sim_gic_attributes(value, 59, 53) : value;
}

static void cbaser_write(struct sim_its *its, uint64_t value)
{
	if (its->enabled)
		return;
	its->cbaser = cbaser_bits(its, value);
	its->creadr = 0;
	its->stalled = false;
	if (its->cfg.choices.cbaser_resets_cwriter)
		its->cwriter = 0;
}

static uint64_t baser_bits(const struct sim_its *its, enum its_table_kind kind, uint64_t value)
{
	value &= BASER_MASK;
	if (its->cfg.choices.pages_64k) {
		value = (value & ~BASER_PAGE_MASK) | BASER_PAGE_64K;
		if (kind == ITS_TABLE_COLLECTION)
			value &= ~SIM_GITS_BASER_INDIRECT;
	}
	return its->cfg.choices.cached_tables ? sim_gic_attributes(value, 59, 53) : value;
}

static void baser_write(struct sim_its *its, enum its_table_kind kind, uint64_t value)
{
	if (its->enabled)
		return;
	its->baser[kind] = baser_bits(its, kind, value);
	if (!(value & SIM_GITS_VALID))
		its->store->table_gone(its, kind);
	its_invalidate(its, SIM_ITS_SCOPE_ALL, 0, 0, 0);
}

static void cwriter_write(struct sim_its *its, uint64_t value)
{
	uint64_t offset = value & CWRITER_MASK;

	if (offset >= its_queue_bytes(its) && its->cfg.choices.cwriter_oor_dropped)
		return;
	its->cwriter = offset;
	if (value & SIM_GITS_CWRITER_RETRY || its->cfg.choices.retry_always)
		its->stalled = false;
	its_queue_run(its);
}

static void sgir_write(struct sim_its *its, uint64_t value)
{
	uint32_t id = (uint32_t)its_field(value, 32, 47);
	struct sim_gic_vpe vpe;

	if (its->enabled && its_vpe_get(its, id, &vpe) == SIM_ITS_OK)
		sim_gic_vsgi_set(its->gic, &vpe, (uint32_t)its_field(value, 0, 3));
}

static bool reg_write(struct sim_its *its, uint32_t off, uint64_t value)
{
	enum its_table_kind kind;

	switch (off) {
	case SIM_GITS_CTLR:
		ctlr_write(its, value);
		return true;
	case SIM_GITS_CBASER:
		cbaser_write(its, value);
		return true;
	case SIM_GITS_CWRITER:
		cwriter_write(its, value);
		return true;
	case SIM_GITS_SGIR:
		if (its->v4 == SIM_GIC_V4_1)
			sgir_write(its, value);
		return its->v4 == SIM_GIC_V4_1;
	default:
		break;
	}
	if (off < SIM_GITS_BASER || off >= SIM_GITS_BASER + 8 * SIM_GITS_BASERS || off % 8)
		return false;
	if (baser_kind(its, (off - SIM_GITS_BASER) / 8, &kind))
		baser_write(its, kind, value);
	return true;
}

/* Where the 64-bit register that holds this offset begins; @off itself for a 32-bit one. */
static uint32_t reg_base(uint32_t off)
{
	uint32_t base = off & ~UINT32_C(7);

	if (base == SIM_GITS_TYPER || (base >= SIM_GITS_CBASER && base <= SIM_GITS_CREADR) ||
	    (base >= SIM_GITS_BASER && base < SIM_GITS_BASER + 8 * SIM_GITS_BASERS) ||
	    base == SIM_GITS_SGIR)
		return base;
	return off;
}

bool sim_its_read(struct sim_its *its, uint32_t off, unsigned int nbytes, uint64_t *value)
{
	uint32_t base = reg_base(off);
	bool known;

	*value = 0;
	if ((nbytes != 4 && nbytes != 8) || off % nbytes)
		return false;
	known = reg_read(its, base, value);
	*value >>= (off - base) * 8;
	if (nbytes == 4)
		*value &= UINT32_MAX;
	return known;
}

bool sim_its_write(struct sim_its *its, uint32_t off, unsigned int nbytes, uint64_t value,
		   uint32_t device_id)
{
	uint32_t base = reg_base(off);
	uint64_t old = 0, mask;

	if (off == SIM_GITS_TRANSLATER && (nbytes == 2 || nbytes == 4)) {
		sim_its_msi(its, device_id,
			    (uint32_t)(nbytes == 2 ? value & UINT16_MAX : value & UINT32_MAX));
		return true;
	}
	if ((nbytes != 4 && nbytes != 8) || off % nbytes)
		return false;
	if (nbytes == 4) {
		mask = (uint64_t)UINT32_MAX << (off - base) * 8;
		reg_read(its, base, &old);
		value = (old & ~mask) | (value << (off - base) * 8 & mask);
	}
	return reg_write(its, base, value);
}

uint64_t sim_its_reg_get(struct sim_its *its, uint32_t off)
{
	uint64_t value;

	reg_read(its, off, &value);
	return value;
}

bool sim_its_reg_set(struct sim_its *its, uint32_t off, uint64_t value)
{
	uint64_t offset = value & SIM_GITS_QUEUE_OFFSET;

	switch (off) {
	case SIM_GITS_CREADR:
	case SIM_GITS_CWRITER:
		if (offset >= its_queue_bytes(its))
			return false;
		if (off == SIM_GITS_CWRITER) {
			its->cwriter = offset;
		} else {
			its->creadr = offset;
			its->stalled = value & SIM_GITS_CREADR_STALLED;
		}
		return true;
	default:
		return reg_write(its, off, value);
	}
}
