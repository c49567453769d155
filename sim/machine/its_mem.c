// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_mem.c - mappings in guest memory, and nowhere else: read and written at each use.
 *
 * The contents are the ITS's own business, as the architecture has it. Ours, little-endian:
 *
 *   DTE 8 bytes   Valid 63, ITT address 51:8, EventID bits - 1 in 4:0
 *   CTE 8 bytes   Valid 63, PE 15:0
 *   ITE 12 bytes  Valid 63, virtual 62, doorbell 47:24, INTID 23:0; then 4 bytes: vPE 31:16, or
 *                 collection 15:0
 *   vPE 32 bytes  see its_vpe.c
 *
 * A guest that writes there itself finds that its nonsense is checked like any other operand: a PE
 * that does not exist is no PE, and an INTID that is no LPI pends nothing.
 */
#include "sim/machine/its_internal.h"

#define ENTRY_VALID	((uint64_t)1 << 63)
#define ADDR_256	(((uint64_t)1 << 52) - ((uint64_t)1 << 8))
#define ITE_VIRTUAL	((uint64_t)1 << 62)

/* An entry of 8 bytes. Absent ones read as not valid. */
static enum sim_its_code entry_get(struct sim_its *its, enum its_table_kind kind, uint32_t index,
				   enum sim_its_code oor, uint64_t *value)
{
	struct its_table table = its_table_get(its, kind);
	uint64_t addr;

	*value = 0;
	switch (its_table_at(its, &table, index, &addr)) {
	case ITS_ENTRY_OOR:
		return oor;
	case ITS_ENTRY_ABSENT:
		return SIM_ITS_OK;
	case ITS_ENTRY_AT:
		if (sim_ram_get64(its->ram, addr, value))
			return SIM_ITS_OK;
		break;
	case ITS_ENTRY_FAULT:
		break;
	}
	return SIM_ITS_FAULT;
}

static enum sim_its_code entry_set(struct sim_its *its, enum its_table_kind kind, uint32_t index,
				   enum sim_its_code oor, uint64_t value)
{
	uint64_t addr;
	enum sim_its_code code = its_table_place(its, kind, index, oor, &addr);

	if (code)
		return code;
	return sim_ram_put64(its->ram, addr, value) ? SIM_ITS_OK : SIM_ITS_FAULT;
}

static enum sim_its_code mem_dev_get(struct sim_its *its, uint32_t did, struct its_dev *dev)
{
	uint64_t v;
	enum sim_its_code code =
		entry_get(its, ITS_TABLE_DEVICE, did, SIM_ITS_DEVICE_OOR, &v);

	dev->valid = v & ENTRY_VALID;
	dev->bits = (uint32_t)its_field(v, 0, 4) + 1;
	dev->itt = v & ADDR_256;
	return code;
}

static enum sim_its_code mem_dev_set(struct sim_its *its, uint32_t did, const struct its_dev *dev)
{
	uint64_t v = 0;

	if (dev->valid)
		v = ENTRY_VALID | (dev->itt & ADDR_256) | (dev->bits - 1);
	return entry_set(its, ITS_TABLE_DEVICE, did, SIM_ITS_DEVICE_OOR, v);
}

static enum sim_its_code mem_coll_get(struct sim_its *its, uint32_t icid, struct its_coll *coll)
{
	uint64_t v;
	enum sim_its_code code =
		entry_get(its, ITS_TABLE_COLLECTION, icid, SIM_ITS_COLLECTION_OOR, &v);

	coll->valid = v & ENTRY_VALID;
	coll->pe = (uint32_t)its_field(v, 0, 15);
	return code;
}

static enum sim_its_code mem_coll_set(struct sim_its *its, uint32_t icid,
				      const struct its_coll *coll)
{
	return entry_set(its, ITS_TABLE_COLLECTION, icid, SIM_ITS_COLLECTION_OOR,
			 coll->valid ? ENTRY_VALID | coll->pe : 0);
}

static enum sim_its_code mem_ite_get(struct sim_its *its, uint32_t did, const struct its_dev *dev,
				     uint32_t eid, struct its_ite *ite)
{
	uint8_t bytes[12];
	uint64_t v;
	uint32_t w;

	(void)did;
	if (!sim_ram_read(its->ram, dev->itt + (uint64_t)eid * sizeof(bytes), bytes, sizeof(bytes)))
		return SIM_ITS_FAULT;
	v = sim_le64(bytes);
	w = sim_le32(bytes + 8);
	*ite = (struct its_ite){
		.valid = v & ENTRY_VALID,
		.is_virtual = its->v4 && v & ITE_VIRTUAL,
		.intid = (uint32_t)its_field(v, 0, 23),
		.doorbell = (uint32_t)its_field(v, 24, 47),
	};
	ite->icid = ite->is_virtual ? w >> 16 : w & 0xffff;
	return SIM_ITS_OK;
}

static enum sim_its_code mem_ite_set(struct sim_its *its, uint32_t did, const struct its_dev *dev,
				     uint32_t eid, const struct its_ite *ite)
{
	uint8_t bytes[12] = { 0 };

	(void)did;
	if (ite->valid) {
		sim_put_le64(bytes, ENTRY_VALID | (ite->is_virtual ? ITE_VIRTUAL : 0) |
				    (uint64_t)ite->doorbell << 24 | ite->intid);
		sim_put_le32(bytes + 8, ite->is_virtual ? ite->icid << 16 : ite->icid);
	}
	return sim_ram_write(its->ram, dev->itt + (uint64_t)eid * sizeof(bytes), bytes,
			     sizeof(bytes)) ? SIM_ITS_OK : SIM_ITS_FAULT;
}

static void mem_table_gone(struct sim_its *its, enum its_table_kind kind)
{
	(void)its;
	(void)kind;
}

const struct its_store its_mem_store = {
	.dev_get = mem_dev_get,
	.dev_set = mem_dev_set,
	.coll_get = mem_coll_get,
	.coll_set = mem_coll_set,
	.ite_get = mem_ite_get,
	.ite_set = mem_ite_set,
	.table_gone = mem_table_gone,
};
