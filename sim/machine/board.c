// SPDX-License-Identifier: BSD-2-Clause
/*
 * board.c - physical memory, and the code, of the script machine: see board.h.
 *
 * RAM is one sparse run of host memory; a data page is filled when it is first looked at.
 */
#include "sim/machine/board.h"
#include "sim/engine/error.h"

#include <stdlib.h>
#include <sys/mman.h>

#define FLASH_END	UINT64_C(0x08000000)
#define RAM_BASE	UINT64_C(0x40000000)
#define RAM_BYTES	UINT64_C(0x20000000)
#define DATA_BASE	UINT64_C(0x48000000)
#define DATA_BYTES	UINT64_C(0x02000000)
#define PAGE_BYTES	UINT64_C(4096)
#define PA_BITS		52
#define CODE_OFFSET	UINT64_C(0xff0)
#define TWO_HVC		UINT64_C(0xd4000002d4000002)

struct sim_board {
	unsigned char *ram;
	unsigned char filled[DATA_BYTES / PAGE_BYTES];
	uint64_t flash_word;
	struct sim_board_caps caps;
	struct sim_mmu *mmu;
	struct sim_s2 *s2;
	struct sim_vtcr vtcr;
	bool base52;
};

static bool is_data(uint64_t pa)
{
	return pa - DATA_BASE < DATA_BYTES;
}

static bool is_code(uint64_t pa)
{
	return is_data(pa) && (pa & (PAGE_BYTES - 1)) == CODE_OFFSET;
}

static void fill_page(struct sim_board *b, uint64_t pa)
{
	uint64_t page = pa & ~(PAGE_BYTES - 1);
	uint64_t *words = (uint64_t *)(void *)(b->ram + (page - RAM_BASE));
	unsigned char *filled = &b->filled[(page - DATA_BASE) / PAGE_BYTES];

	if (*filled)
		return;
	*filled = 1;
	for (uint64_t i = 0; i < PAGE_BYTES / 8; i++)
		words[i] = page + i * 8;
	words[CODE_OFFSET / 8] = TWO_HVC;
}

/* The doubleword at pa, beside the tables; NULL: nothing answers. */
static uint64_t *memory_at(void *ctx, uint64_t pa)
{
	struct sim_board *b = ctx;

	if (pa < FLASH_END) {
		b->flash_word = 0;
		return &b->flash_word;
	}
	if (pa - RAM_BASE >= RAM_BYTES)
		return NULL;
	if (is_data(pa))
		fill_page(b, pa);
	return (uint64_t *)(void *)(b->ram + (pa - RAM_BASE));
}

struct sim_board *sim_board_create(const struct sim_board_caps *caps)
{
	struct sim_board *b = sim_alloc(1, sizeof(*b), "script machine");

	b->caps = *caps;

	b->ram = mmap(NULL, RAM_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	sim_assert(b->ram != MAP_FAILED);
	return b;
}

void sim_board_destroy(struct sim_board *b)
{
	if (!b)
		return;
	sim_mmu_destroy(b->mmu);
	sim_s2_destroy(b->s2);
	munmap(b->ram, RAM_BYTES);
	free(b);
}

void sim_board_configure(struct sim_board *b, const struct sim_vtcr_fields *f)
{
	struct sim_s2_config cfg = {
		.table_base_pa = BOARD_TABLES,
		.table_bytes_max = BOARD_TABLES_BYTES,
	};
	unsigned int gs = f->granule_shift;
	struct sim_mmu_config mmu = {
		.nvcpus = 1, .bbm_level = b->caps.bbm_level, .check_conflicts = b->caps.tlb,
		.log_memory = memory_at, .log_memory_ctx = b,
	};

	sim_mmu_destroy(b->mmu);
	sim_s2_destroy(b->s2);
	(void)sim_vtcr_geometry(f, &cfg.geometry);
	b->vtcr = sim_vtcr_walker(f);
	b->base52 = sim_vtcr_base52(f);
	sim_assert(sim_s2_create(&cfg, &b->s2) == WEIR_OK);
	sim_s2_set_memory(b->s2, memory_at, b);
	mmu.vtcr = b->vtcr;
	sim_assert(sim_mmu_create(&mmu, b->s2, &b->mmu) == WEIR_OK);
	if (cfg.geometry.ia_bits >= 31)
		sim_assert(sim_s2_map(b->s2, BOARD_CODE >> gs, 1, BOARD_CODE >> gs,
				      SIM_S2_ATTRS_RW, 0) == WEIR_OK);
}

struct sim_s2 *sim_board_tables(const struct sim_board *b)
{
	return b->s2;
}

struct sim_mmu *sim_board_mmu(const struct sim_board *b)
{
	return b->mmu;
}

void sim_board_set_vttbr(struct sim_board *b, uint64_t vttbr)
{
	sim_mmu_set_vmid(b->mmu, (uint16_t)(vttbr >> 48));
	sim_s2_set_root(b->s2, vttbr, b->base52);
}

/* Stage 1 is off: it checks the size of the address and nothing else. */
static bool beyond_pa(uint64_t address)
{
	return address >> PA_BITS;
}

/* Translate by way of the TLB. False: the access ends here. */
static bool translate(struct sim_board *b, uint64_t address, enum sim_access access,
		      struct sim_board_access *out)
{
	unsigned int gs = sim_s2_geometry(b->s2)->granule_shift;
	struct sim_mmu_stats before, after;
	bool ok;

	if (!b->caps.tlb)
		sim_mmu_invalidate_all(b->mmu);
	sim_mmu_stats(b->mmu, &before);
	ok = sim_mmu_access(b->mmu, 0, address >> gs, access, &out->walk);
	sim_mmu_stats(b->mmu, &after);
	out->walk.ipa = address;
	out->walk.oa |= address & (((uint64_t)1 << gs) - 1);
	if (!ok)
		out->end = SIM_BOARD_STAGE2;
	else if (after.tlb_conflicts != before.tlb_conflicts)
		out->end = SIM_BOARD_CONFLICT;
	return out->end == SIM_BOARD_OK;
}

static bool fetch_faults(struct sim_board *b, uint64_t address, struct sim_board_access *out)
{
	out->fetch = true;
	out->address = address;
	return !translate(b, address, SIM_EXEC, out);
}

/* The physical half of an access: what the memory at out->walk.oa does. */
static void reach_memory(struct sim_board *b, enum sim_access access, uint64_t data,
			 struct sim_board_access *out)
{
	uint64_t pa = out->walk.oa;
	uint64_t *word = sim_s2_table_at(b->s2, pa);

	out->end = SIM_BOARD_OK;
	if (!word)
		word = memory_at(b, pa);
	if (!word) {
		out->end = SIM_BOARD_EL1_ABORT;
	} else if (access == SIM_EXEC) {
		if (!is_code(pa))
			out->end = SIM_BOARD_EL1_UNDEFINED;
	} else if (access == SIM_READ) {
		out->value = *word;
	} else if (is_data(pa)) {
		/* It changed, was seen, and is put back. */
		out->end = SIM_BOARD_LANDED;
		out->value = pa;
	} else {
		*word = data;
	}
}

void sim_board_access(struct sim_board *b, uint64_t address, enum sim_access access, uint64_t data,
		      struct sim_board_access *out)
{
	*out = (struct sim_board_access){ .end = SIM_BOARD_OK };
	if (fetch_faults(b, BOARD_CODE, out))
		return;
	out->fetch = access == SIM_EXEC;
	out->address = address;
	if (beyond_pa(address)) {
		out->end = SIM_BOARD_EL1_SIZE;
		return;
	}
	if (translate(b, address, access, out))
		reach_memory(b, access, data, out);
}

bool sim_board_translate(struct sim_board *b, uint64_t address, bool write, struct sim_walk *out)
{
	return sim_walk(b->s2, &b->vtcr, address, write ? SIM_AT_WRITE : SIM_AT_READ, NULL, out);
}
