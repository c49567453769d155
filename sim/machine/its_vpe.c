// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_vpe.c - the vPE table of GICv4, in guest memory. An entry is four little-endian words, ours:
 *
 *   0  Valid 63, wants its default doorbell 62, virtual pending table 51:16, vINTID bits - 1 in 4:0
 *   1  virtual configuration table 51:16 (4.1), PE 15:0
 *   2  priorities of the 16 virtual SGIs, 4 bits each (4.1)
 *   3  default doorbell 63:32, virtual SGIs in group 1 31:16, enabled 15:0 (4.1)
 */
#include "sim/machine/its_internal.h"

#define VPE_WORDS	4u
#define VPE_VALID	((uint64_t)1 << 63)
#define VPE_WANTS	((uint64_t)1 << 62)
#define ADDR_64K	(((uint64_t)1 << 52) - ((uint64_t)1 << 16))

static enum sim_its_code vpe_read(struct sim_its *its, uint32_t id, uint64_t *addr,
				  uint64_t w[VPE_WORDS])
{
	uint8_t bytes[VPE_WORDS * 8];
	enum sim_its_code code = its_table_place(its, ITS_TABLE_VPE, id, SIM_ITS_VPE_OOR, addr);

	if (code)
		return code;
	if (!sim_ram_read(its->ram, *addr, bytes, sizeof(bytes)))
		return SIM_ITS_FAULT;
	for (unsigned int i = 0; i < VPE_WORDS; i++)
		w[i] = sim_le64(bytes + 8 * i);
	return SIM_ITS_OK;
}

static enum sim_its_code vpe_write(struct sim_its *its, uint64_t addr, const uint64_t w[VPE_WORDS])
{
	uint8_t bytes[VPE_WORDS * 8];

	for (unsigned int i = 0; i < VPE_WORDS; i++)
		sim_put_le64(bytes + 8 * i, w[i]);
	return sim_ram_write(its->ram, addr, bytes, sizeof(bytes)) ? SIM_ITS_OK : SIM_ITS_FAULT;
}

static uint8_t vsgi_unpack(const uint64_t w[VPE_WORDS], unsigned int i)
{
	return (uint8_t)((w[2] >> 4 * i & 0xf) << 4 |
			 (w[3] >> i & 1 ? SIM_GIC_VSGI_ENABLE : 0) |
			 (w[3] >> (16 + i) & 1 ? SIM_GIC_VSGI_GROUP1 : 0));
}

enum sim_its_code its_vpe_get(struct sim_its *its, uint32_t id, struct sim_gic_vpe *vpe)
{
	uint64_t addr, w[VPE_WORDS];
	enum sim_its_code code = vpe_read(its, id, &addr, w);

	if (code)
		return code;
	*vpe = (struct sim_gic_vpe){
		.id = id,
		.pe = (uint32_t)its_field(w[1], 0, 15),
		.idbits = (uint32_t)its_field(w[0], 0, 4) + 1,
		.pend_addr = w[0] & ADDR_64K,
		.conf_addr = w[1] & ADDR_64K,
		.doorbell = (uint32_t)(w[3] >> 32),
		.doorbell_wanted = w[0] & VPE_WANTS,
	};
	for (unsigned int i = 0; i < SIM_GIC_VSGIS; i++)
		vpe->vsgi[i] = vsgi_unpack(w, i);
	return w[0] & VPE_VALID && vpe->pe < its->npes && vpe->idbits <= SIM_GIC_IDBITS_MAX ?
		       SIM_ITS_OK : SIM_ITS_UNMAPPED_VPE;
}

enum sim_its_code its_vpe_set(struct sim_its *its, const struct sim_gic_vpe *vpe)
{
	uint64_t addr, w[VPE_WORDS] = { 0 };
	enum sim_its_code code =
		its_table_place(its, ITS_TABLE_VPE, vpe->id, SIM_ITS_VPE_OOR, &addr);

	if (code)
		return code;
	w[0] = VPE_VALID | (vpe->doorbell_wanted ? VPE_WANTS : 0) | (vpe->pend_addr & ADDR_64K) |
	       (vpe->idbits - 1);
	w[1] = (vpe->conf_addr & ADDR_64K) | vpe->pe;
	w[3] = (uint64_t)vpe->doorbell << 32;
	for (unsigned int i = 0; i < SIM_GIC_VSGIS; i++) {
		w[2] |= (uint64_t)(vpe->vsgi[i] >> 4) << 4 * i;
		w[3] |= (uint64_t)!!(vpe->vsgi[i] & SIM_GIC_VSGI_ENABLE) << i |
			(uint64_t)!!(vpe->vsgi[i] & SIM_GIC_VSGI_GROUP1) << (16 + i);
	}
	return vpe_write(its, addr, w);
}

enum sim_its_code its_vpe_unset(struct sim_its *its, uint32_t id)
{
	uint64_t addr;
	const uint64_t none[VPE_WORDS] = { 0 };
	enum sim_its_code code = its_table_place(its, ITS_TABLE_VPE, id, SIM_ITS_VPE_OOR, &addr);

	return code ? code : vpe_write(its, addr, none);
}
