// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_vcmd.c - what the GICv4 commands do, and those of GICv4.1.
 *
 * Words, where they differ from the physical ones: DW1 vPE 47:32. VMAPTI and VMAPI: DW2 vINTID 31:0
 * (VMAPTI), doorbell 63:32. VMOVI: DW2 doorbell 63:32, change it 0. VMAPP: DW2 Valid 63, RDbase
 * 51:16; DW3 virtual pending table 51:16, Size 4:0; 4.1 adds DW0 Alloc 8, PTZ 9, virtual
 * configuration table 51:16, and DW1 default doorbell 31:0. Without Alloc a vPE that is mapped,
 * because another ITS has mapped it, keeps its virtual SGIs. PTZ says that the pending table is
 * zero, where it is read anyway. VMOVP: DW2 RDbase; 4.1 adds DW2 change
 * the default doorbell 63, DW3 doorbell 31:0. VSGI: DW0 enable 8, clear 9, group 10, priority
 * 23:20, vSGI 35:32. INVDB: DW1 vPE.
 *
 * A vPE's vLPIs are pending in its own table, so moving it moves no bits.
 */
#include "sim/machine/its_internal.h"

#include <string.h>

#define ADDR_64K (((uint64_t)1 << 52) - ((uint64_t)1 << 16))

static uint32_t device_of(const uint64_t cmd[4])
{
	return (uint32_t)(cmd[0] >> 32);
}

static uint32_t event_of(const uint64_t cmd[4])
{
	return (uint32_t)cmd[1];
}

static uint32_t vpe_of(const uint64_t cmd[4])
{
	return (uint32_t)its_field(cmd[1], 32, 47);
}

static bool is_v41(const struct sim_its *its)
{
	return its->v4 == SIM_GIC_V4_1;
}

static bool lpi_valid(const struct sim_its *its, uint64_t intid)
{
	return intid >= SIM_GIC_LPI_FIRST && intid < sim_gic_lpi_end(its->gic);
}

static bool doorbell_valid(const struct sim_its *its, uint64_t intid)
{
	return intid == SIM_GIC_SPURIOUS || lpi_valid(its, intid);
}

static enum sim_its_code do_vmapp(struct sim_its *its, const uint64_t cmd[4])
{
	uint64_t rdbase = its_field(cmd[2], 16, 51);
	struct sim_gic_vpe vpe = {
		.id = vpe_of(cmd),
		.idbits = (uint32_t)its_field(cmd[3], 0, 4) + 1,
		.pend_addr = cmd[3] & ADDR_64K,
		.conf_addr = is_v41(its) ? cmd[0] & ADDR_64K : 0,
		.doorbell = is_v41(its) ? (uint32_t)cmd[1] : SIM_GIC_SPURIOUS,
		.doorbell_wanted = is_v41(its),
	};
	uint32_t idbits = sim_gic_config(its->gic)->idbits;
	struct sim_gic_vpe mapped;

	if (!(cmd[2] >> 63))
		return its_vpe_unset(its, vpe.id);
	if (rdbase >= its->npes)
		return SIM_ITS_PROCNUM_OOR;
	if (vpe.idbits > idbits)
		return SIM_ITS_VPTSIZE_OOR;
	if (is_v41(its) && !doorbell_valid(its, vpe.doorbell))
		return SIM_ITS_PHYSICALID_OOR;
	vpe.pe = (uint32_t)rdbase;
	if (is_v41(its) && !its_field(cmd[0], 8, 8) &&
	    its_vpe_get(its, vpe.id, &mapped) == SIM_ITS_OK) {
		memcpy(vpe.vsgi, mapped.vsgi, sizeof(vpe.vsgi));
		vpe.doorbell_wanted = mapped.doorbell_wanted;
	}
	return its_vpe_set(its, &vpe);
}

static enum sim_its_code map_vlpi(struct sim_its *its, const uint64_t cmd[4], uint32_t vintid)
{
	struct its_ite ite = {
		.valid = true, .is_virtual = true, .intid = vintid, .icid = vpe_of(cmd),
		.doorbell = (uint32_t)(cmd[2] >> 32),
	};
	struct its_table vpes = its_table_get(its, ITS_TABLE_VPE);
	struct its_dev dev;
	enum sim_its_code code = its_map_check(its, device_of(cmd), event_of(cmd), &dev);

	if (code)
		return code;
	if (!lpi_valid(its, vintid))
		return SIM_ITS_VIRTUALID_OOR;
	if (!doorbell_valid(its, ite.doorbell))
		return SIM_ITS_PHYSICALID_OOR;
	if (ite.icid >= vpes.nentries)
		return SIM_ITS_VPE_OOR;
	return its_map_event(its, device_of(cmd), &dev, event_of(cmd), &ite);
}

/* VMOVI names two vPEs, and has a code for each that is not mapped. */
static enum sim_its_code vmovi_vpe(struct sim_its *its, uint32_t id, enum sim_its_code unmapped,
				   struct sim_gic_vpe *vpe)
{
	enum sim_its_code code = its_vpe_get(its, id, vpe);

	return code == SIM_ITS_UNMAPPED_VPE ? unmapped : code;
}

static enum sim_its_code do_vmovi(struct sim_its *its, const uint64_t cmd[4])
{
	struct sim_gic_vpe from, to;
	struct its_dev dev;
	struct its_ite ite;
	enum sim_its_code code =
		its_find_event(its, device_of(cmd), event_of(cmd), &dev, &ite);

	if (!code && !ite.is_virtual)
		code = SIM_ITS_ID_IS_PHYSICAL;
	if (!code)
		code = vmovi_vpe(its, ite.icid, SIM_ITS_UNMAPPED_ITE_VPE, &from);
	if (!code)
		code = vmovi_vpe(its, vpe_of(cmd), SIM_ITS_UNMAPPED_CMD_VPE, &to);
	if (!code && ite.intid >> to.idbits)
		code = SIM_ITS_VIRTUALID_OOR;
	if (!code && cmd[2] & 1 && !doorbell_valid(its, cmd[2] >> 32))
		code = SIM_ITS_PHYSICALID_OOR;
	if (code)
		return code;
	ite.icid = to.id;
	if (cmd[2] & 1)
		ite.doorbell = (uint32_t)(cmd[2] >> 32);
	code = its->store->ite_set(its, device_of(cmd), &dev, event_of(cmd), &ite);
	if (code)
		return code;
	sim_gic_vlpi_move(its->gic, &from, &to, ite.intid, ite.doorbell);
	its_invalidate(its, SIM_ITS_SCOPE_EVENT, device_of(cmd), event_of(cmd), 0);
	return SIM_ITS_OK;
}

static enum sim_its_code do_vmovp(struct sim_its *its, const uint64_t cmd[4])
{
	uint64_t rdbase = its_field(cmd[2], 16, 51);
	struct sim_gic_vpe vpe;
	enum sim_its_code code = its_vpe_get(its, vpe_of(cmd), &vpe);

	if (!code && rdbase >= its->npes)
		code = SIM_ITS_PROCNUM_OOR;
	if (!code && is_v41(its) && cmd[2] >> 63 && !doorbell_valid(its, cmd[3] & UINT32_MAX))
		code = SIM_ITS_PHYSICALID_OOR;
	if (code)
		return code;
	vpe.pe = (uint32_t)rdbase;
	if (is_v41(its) && cmd[2] >> 63)
		vpe.doorbell = (uint32_t)cmd[3];
	return its_vpe_set(its, &vpe);
}

static enum sim_its_code do_vinvall(struct sim_its *its, const uint64_t cmd[4])
{
	struct sim_gic_vpe vpe;
	enum sim_its_code code = its_vpe_get(its, vpe_of(cmd), &vpe);

	if (!code)
		sim_gic_vlpi_inv(its->gic, &vpe);
	return code;
}

static enum sim_its_code do_vsync(struct sim_its *its, const uint64_t cmd[4])
{
	struct sim_gic_vpe vpe;

	return its_vpe_get(its, vpe_of(cmd), &vpe);
}

static enum sim_its_code do_vsgi(struct sim_its *its, const uint64_t cmd[4])
{
	uint32_t vsgi = (uint32_t)its_field(cmd[0], 32, 35);
	struct sim_gic_vpe vpe;
	enum sim_its_code code = its_vpe_get(its, vpe_of(cmd), &vpe);

	if (code)
		return code;
	/* Clear takes the pending state and leaves the configuration. */
	if (its_field(cmd[0], 9, 9)) {
		sim_gic_vsgi_clear(its->gic, &vpe, vsgi);
		return SIM_ITS_OK;
	}
	vpe.vsgi[vsgi] = (uint8_t)(its_field(cmd[0], 20, 23) << 4 |
				   (its_field(cmd[0], 8, 8) ? SIM_GIC_VSGI_ENABLE : 0) |
				   (its_field(cmd[0], 10, 10) ? SIM_GIC_VSGI_GROUP1 : 0));
	code = its_vpe_set(its, &vpe);
	if (!code)
		sim_gic_vlpi_inv(its->gic, &vpe);
	return code;
}

static enum sim_its_code do_invdb(struct sim_its *its, const uint64_t cmd[4])
{
	struct sim_gic_vpe vpe;
	enum sim_its_code code = its_vpe_get(its, vpe_of(cmd), &vpe);

	if (!code)
		sim_gic_lpi_inv(its->gic, vpe.pe, vpe.doorbell);
	return code;
}

enum sim_its_code its_execute_v4(struct sim_its *its, const uint64_t cmd[4])
{
	uint32_t op = cmd[0] & 0xff;

	if (!is_v41(its) && (op == SIM_ITS_VSGI || op == SIM_ITS_INVDB))
		return SIM_ITS_UNKNOWN_COMMAND;
	switch (op) {
	case SIM_ITS_VMAPP:
		return do_vmapp(its, cmd);
	case SIM_ITS_VMAPTI:
		return map_vlpi(its, cmd, (uint32_t)cmd[2]);
	case SIM_ITS_VMAPI:
		return map_vlpi(its, cmd, event_of(cmd));
	case SIM_ITS_VMOVI:
		return do_vmovi(its, cmd);
	case SIM_ITS_VMOVP:
		return do_vmovp(its, cmd);
	case SIM_ITS_VINVALL:
		return do_vinvall(its, cmd);
	case SIM_ITS_VSYNC:
		return do_vsync(its, cmd);
	case SIM_ITS_VSGI:
		return do_vsgi(its, cmd);
	case SIM_ITS_INVDB:
		return do_invdb(its, cmd);
	default:
		return SIM_ITS_UNKNOWN_COMMAND;
	}
}
