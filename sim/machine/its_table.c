// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_table.c - where an entry of a flat or two-level table is, as a GITS_BASER describes it.
 *
 * A two-level table's first level holds 8-byte entries, Valid in bit 63 and the address of one page
 * of second-level entries below. 64 KiB pages have address bits 51:48 in bits 15:12 of the BASER.
 */
#include "sim/machine/its_internal.h"

#define L1_BYTES	8u
#define DTE_BYTES	8u
#define CTE_BYTES	8u
#define VPE_BYTES	32u
#define ITE_BYTES_MEM	12u
#define ITE_BYTES_HELD	8u

uint32_t its_entry_bytes(const struct sim_its *its, enum its_table_kind kind)
{
	(void)its;
	return kind == ITS_TABLE_DEVICE ? DTE_BYTES :
	       kind == ITS_TABLE_COLLECTION ? CTE_BYTES : VPE_BYTES;
}

uint32_t its_ite_bytes(const struct sim_its *its)
{
	return its->cfg.choices.state == SIM_GIC_HELD ? ITE_BYTES_HELD : ITE_BYTES_MEM;
}

static uint64_t id_end(const struct sim_its *its, enum its_table_kind kind)
{
	uint32_t bits = kind == ITS_TABLE_DEVICE ? its->cfg.devbits :
			kind == ITS_TABLE_COLLECTION ? its->cfg.icidbits : its->cfg.vpebits;

	return UINT64_C(1) << bits;
}

struct its_table its_table_get(const struct sim_its *its, enum its_table_kind kind)
{
	uint64_t v = its->baser[kind], end;
	struct its_table t = { .entry_bytes = its_entry_bytes(its, kind) };

	t.page_bytes = UINT64_C(4096) << 2 * (its_field(v, 8, 9) < 2 ? its_field(v, 8, 9) : 2);
	t.base = v & (((uint64_t)1 << 48) - t.page_bytes);
	if (t.page_bytes == 65536)
		t.base |= its_field(v, 12, 15) << 48;
	t.nbytes = (its_field(v, 0, 7) + 1) * t.page_bytes;
	t.indirect = v & SIM_GITS_BASER_INDIRECT;
	if (!(v & SIM_GITS_VALID))
		return t;
	t.nentries = t.indirect ? t.nbytes / L1_BYTES * (t.page_bytes / t.entry_bytes) :
				  t.nbytes / t.entry_bytes;
	end = id_end(its, kind);
	if (t.nentries > end)
		t.nentries = end;
	return t;
}

enum its_entry its_table_at(const struct sim_its *its, const struct its_table *table,
			    uint64_t index, uint64_t *addr)
{
	uint64_t in_page = table->page_bytes / table->entry_bytes, l1;

	if (index >= table->nentries)
		return ITS_ENTRY_OOR;
	*addr = table->base + index * table->entry_bytes;
	if (!table->indirect)
		return ITS_ENTRY_AT;
	if (!sim_ram_get64(its->ram, table->base + index / in_page * L1_BYTES, &l1))
		return ITS_ENTRY_FAULT;
	if (!(l1 & SIM_GITS_VALID))
		return ITS_ENTRY_ABSENT;
	l1 &= ((uint64_t)1 << 52) - table->page_bytes;
	*addr = l1 + index % in_page * table->entry_bytes;
	return ITS_ENTRY_AT;
}

enum sim_its_code its_table_place(struct sim_its *its, enum its_table_kind kind, uint32_t index,
				  enum sim_its_code oor, uint64_t *addr)
{
	struct its_table table = its_table_get(its, kind);
	enum its_entry at = its_table_at(its, &table, index, addr);

	return at == ITS_ENTRY_AT ? SIM_ITS_OK : at == ITS_ENTRY_FAULT ? SIM_ITS_FAULT : oor;
}
