// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_cmd.c - what the physical commands do. A command first checks all it names, in the order of
 * the architecture's error list, then changes tables, then LPI state, then invalidates.
 *
 * Words: DW0 opcode 7:0, DeviceID 63:32; DW1 EventID 31:0, pINTID 63:32 or, for MAPD, Size 4:0; DW2
 * Valid 63, ITT address 51:8, RDbase 51:16, collection 15:0; DW3 MOVALL's second RDbase. RDbase is
 * a PE number (GITS_TYPER.PTA is 0).
 */
#include "sim/machine/its_internal.h"

#define ITT_MASK (((uint64_t)1 << 52) - ((uint64_t)1 << 8))

static uint32_t device_of(const uint64_t cmd[4])
{
	return (uint32_t)(cmd[0] >> 32);
}

static uint32_t event_of(const uint64_t cmd[4])
{
	return (uint32_t)cmd[1];
}

static uint32_t icid_of(const uint64_t cmd[4])
{
	return (uint32_t)its_field(cmd[2], 0, 15);
}

static enum sim_its_code do_mapd(struct sim_its *its, const uint64_t cmd[4])
{
	struct its_dev dev = {
		.valid = cmd[2] >> 63,
		.bits = (uint32_t)its_field(cmd[1], 0, 4) + 1,
		.itt = cmd[2] & ITT_MASK,
	};
	struct its_dev old;
	enum sim_its_code code = its->store->dev_get(its, device_of(cmd), &old);

	/* What is wrong with the operands goes before a table that is not there. */
	if (code == SIM_ITS_DEVICE_OOR)
		return code;
	if (dev.valid && dev.bits > its->cfg.eventbits)
		return SIM_ITS_ITTSIZE_OOR;
	if (code)
		return code;
	code = its->store->dev_set(its, device_of(cmd), &dev);
	if (!code && old.valid)
		its_invalidate(its, SIM_ITS_SCOPE_DEVICE, device_of(cmd), 0, 0);
	return code;
}

static enum sim_its_code do_mapc(struct sim_its *its, const uint64_t cmd[4])
{
	uint64_t rdbase = its_field(cmd[2], 16, 51);
	struct its_coll coll = { .valid = cmd[2] >> 63 }, old;
	enum sim_its_code code = its->store->coll_get(its, icid_of(cmd), &old);

	if (code == SIM_ITS_COLLECTION_OOR)
		return code;
	if (coll.valid && rdbase >= its->npes)
		return SIM_ITS_PROCNUM_OOR;
	if (code)
		return code;
	coll.pe = coll.valid ? (uint32_t)rdbase : 0;
	code = its->store->coll_set(its, icid_of(cmd), &coll);
	if (!code && old.valid)
		its_invalidate(its, SIM_ITS_SCOPE_COLLECTION, 0, 0, icid_of(cmd));
	return code;
}

enum sim_its_code its_map_check(struct sim_its *its, uint32_t did, uint32_t eid,
				struct its_dev *dev)
{
	enum sim_its_code code = its_find_dev(its, did, dev);

	if (code)
		return code;
	return (uint64_t)eid >> dev->bits ? SIM_ITS_ID_OOR : SIM_ITS_OK;
}

enum sim_its_code its_map_event(struct sim_its *its, uint32_t did, const struct its_dev *dev,
				uint32_t eid, const struct its_ite *ite)
{
	struct its_ite old;
	enum sim_its_code code = its->store->ite_get(its, did, dev, eid, &old);

	if (code)
		return code;
	if (old.valid && its->cfg.choices.remap == SIM_ITS_REMAP_IGNORE)
		return SIM_ITS_OK;
	code = its->store->ite_set(its, did, dev, eid, ite);
	if (!code && old.valid)
		its_invalidate(its, SIM_ITS_SCOPE_EVENT, did, eid, 0);
	return code;
}

static enum sim_its_code map_lpi(struct sim_its *its, const uint64_t cmd[4], uint32_t intid)
{
	struct its_ite ite = {
		.valid = true, .intid = intid, .icid = icid_of(cmd), .doorbell = SIM_GIC_SPURIOUS,
	};
	struct its_dev dev;
	struct its_coll coll;
	enum sim_its_code code = its_map_check(its, device_of(cmd), event_of(cmd), &dev);

	if (code)
		return code;
	if (intid < SIM_GIC_LPI_FIRST || intid >= sim_gic_lpi_end(its->gic))
		return SIM_ITS_PHYSICALID_OOR;
	/*
	 * The collection must be one that can be mapped, but need not be mapped yet; nor need its
	 * entry be in memory, for nothing is read of it.
	 */
	code = its->store->coll_get(its, ite.icid, &coll);
	if (code == SIM_ITS_COLLECTION_OOR)
		return code;
	return its_map_event(its, device_of(cmd), &dev, event_of(cmd), &ite);
}

static enum sim_its_code do_mapti(struct sim_its *its, const uint64_t cmd[4])
{
	return map_lpi(its, cmd, (uint32_t)(cmd[1] >> 32));
}

static enum sim_its_code do_mapi(struct sim_its *its, const uint64_t cmd[4])
{
	return map_lpi(its, cmd, event_of(cmd));
}

/* An unmapped collection makes the interrupt an unmapped one. */
static enum sim_its_code as_interrupt(enum sim_its_code code)
{
	return code == SIM_ITS_UNMAPPED_COLLECTION || code == SIM_ITS_COLLECTION_OOR ?
		       SIM_ITS_UNMAPPED_INTERRUPT : code;
}

/* The PE that has an LPI's state: with state held the LPI knows, and no collection is needed. */
static enum sim_its_code state_pe(struct sim_its *its, const struct its_ite *ite, uint32_t *pe)
{
	*pe = 0;
	if (its->cfg.choices.state == SIM_GIC_HELD)
		return SIM_ITS_OK;
	return as_interrupt(its_find_pe(its, ite->icid, pe));
}

static enum sim_its_code do_int(struct sim_its *its, const uint64_t cmd[4])
{
	struct sim_its_route route;
	enum sim_its_code code =
		sim_its_translate(its, device_of(cmd), event_of(cmd), &route);

	if (code)
		return as_interrupt(code);
	sim_its_deliver(its, &route);
	return SIM_ITS_OK;
}

static enum sim_its_code do_clear(struct sim_its *its, const uint64_t cmd[4])
{
	struct sim_gic_vpe vpe;
	struct its_dev dev;
	struct its_ite ite;
	uint32_t pe;
	enum sim_its_code code =
		its_find_event(its, device_of(cmd), event_of(cmd), &dev, &ite);

	if (code)
		return code;
	if (ite.is_virtual) {
		code = its_vpe_get(its, ite.icid, &vpe);
		if (!code)
			sim_gic_vlpi_clear(its->gic, &vpe, ite.intid);
		return code;
	}
	code = state_pe(its, &ite, &pe);
	if (!code)
		sim_gic_lpi_clear(its->gic, pe, ite.intid);
	return code;
}

static enum sim_its_code do_inv(struct sim_its *its, const uint64_t cmd[4])
{
	struct sim_gic_vpe vpe;
	struct its_dev dev;
	struct its_ite ite;
	uint32_t pe;
	enum sim_its_code code =
		its_find_event(its, device_of(cmd), event_of(cmd), &dev, &ite);

	if (code)
		return code;
	if (ite.is_virtual) {
		code = its_vpe_get(its, ite.icid, &vpe);
		if (!code)
			sim_gic_vlpi_inv(its->gic, &vpe);
		return code;
	}
	code = state_pe(its, &ite, &pe);
	if (!code)
		sim_gic_lpi_inv(its->gic, pe, ite.intid);
	return code;
}

static enum sim_its_code do_discard(struct sim_its *its, const uint64_t cmd[4])
{
	struct its_ite none = { .valid = false }, ite;
	struct sim_gic_vpe vpe;
	struct its_dev dev;
	uint32_t pe = 0;
	enum sim_its_code code =
		its_find_event(its, device_of(cmd), event_of(cmd), &dev, &ite);

	if (code)
		return code;
	code = ite.is_virtual ? its_vpe_get(its, ite.icid, &vpe) :
				as_interrupt(its_find_pe(its, ite.icid, &pe));
	if (code)
		return code;
	code = its->store->ite_set(its, device_of(cmd), &dev, event_of(cmd), &none);
	if (code)
		return code;
	if (ite.is_virtual)
		sim_gic_vlpi_clear(its->gic, &vpe, ite.intid);
	else if (!its->cfg.choices.discard_keeps_pending)
		sim_gic_lpi_clear(its->gic, pe, ite.intid);
	its_invalidate(its, SIM_ITS_SCOPE_EVENT, device_of(cmd), event_of(cmd), 0);
	return SIM_ITS_OK;
}

static enum sim_its_code do_movi(struct sim_its *its, const uint64_t cmd[4])
{
	struct its_dev dev;
	struct its_ite ite;
	uint32_t from, to;
	enum sim_its_code code =
		its_find_event(its, device_of(cmd), event_of(cmd), &dev, &ite);

	if (!code && ite.is_virtual)
		code = SIM_ITS_ID_IS_VIRTUAL;
	if (!code)
		code = its_find_pe(its, ite.icid, &from);
	if (!code)
		code = its_find_pe(its, icid_of(cmd), &to);
	if (code)
		return code;
	ite.icid = icid_of(cmd);
	code = its->store->ite_set(its, device_of(cmd), &dev, event_of(cmd), &ite);
	if (code)
		return code;
	sim_gic_lpi_move(its->gic, ite.intid, from, to);
	its_invalidate(its, SIM_ITS_SCOPE_EVENT, device_of(cmd), event_of(cmd), 0);
	return SIM_ITS_OK;
}

static enum sim_its_code do_movall(struct sim_its *its, const uint64_t cmd[4])
{
	uint64_t from = its_field(cmd[2], 16, 51), to = its_field(cmd[3], 16, 51);

	if (from >= its->npes || to >= its->npes)
		return SIM_ITS_PROCNUM_OOR_MOVALL;
	sim_gic_lpi_move_all(its->gic, (uint32_t)from, (uint32_t)to);
	return SIM_ITS_OK;
}

static enum sim_its_code do_invall(struct sim_its *its, const uint64_t cmd[4])
{
	uint32_t pe;
	enum sim_its_code code;

	if (its->cfg.choices.invall_everywhere) {
		for (pe = 0; pe < its->npes; pe++)
			sim_gic_lpi_inv_all(its->gic, pe);
		return SIM_ITS_OK;
	}
	code = its_find_pe(its, icid_of(cmd), &pe);
	if (!code)
		sim_gic_lpi_inv_all(its->gic, pe);
	return code;
}

enum sim_its_code its_execute(struct sim_its *its, const uint64_t cmd[4])
{
	switch (cmd[0] & 0xff) {
	case SIM_ITS_MOVI:
		return do_movi(its, cmd);
	case SIM_ITS_INT:
		return do_int(its, cmd);
	case SIM_ITS_CLEAR:
		return do_clear(its, cmd);
	case SIM_ITS_SYNC: /* each command has completed when the next begins */
		return SIM_ITS_OK;
	case SIM_ITS_MAPD:
		return do_mapd(its, cmd);
	case SIM_ITS_MAPC:
		return do_mapc(its, cmd);
	case SIM_ITS_MAPTI:
		return do_mapti(its, cmd);
	case SIM_ITS_MAPI:
		return do_mapi(its, cmd);
	case SIM_ITS_INV:
		return do_inv(its, cmd);
	case SIM_ITS_INVALL:
		return do_invall(its, cmd);
	case SIM_ITS_MOVALL:
		return do_movall(its, cmd);
	case SIM_ITS_DISCARD:
		return do_discard(its, cmd);
	default:
		return its->v4 ? its_execute_v4(its, cmd) : SIM_ITS_UNKNOWN_COMMAND;
	}
}
