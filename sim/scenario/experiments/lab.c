// SPDX-License-Identifier: BSD-2-Clause
/*
 * lab.c - building the machine, and what is timed while the vCPUs stand still.
 */
#include "sim/scenario/experiments/lab_internal.h"

#include <stdlib.h>
#include <string.h>

#define BASE_GFN      UINT64_C(0x40000)
#define TABLE_BASE_PA (UINT64_C(1) << 47)
#define WORDS_AT_ONCE 4096u

void lab_break(struct lab *lab, const char *what, enum weir_status status)
{
	sim_error_set(lab->err, "experiment: %s: %s", what, weir_status_str(status));
	lab->broken = true;
}

/* A split that leaves only the page that faulted mapped; the others keep all but validity. */
static enum weir_status split_and_map_one(void *ctx, uint64_t gfn)
{
	struct sim_dirty_glue *glue = ctx;
	unsigned int order = 0;
	bool block = sim_s2_leaf(glue->s2, gfn, &order) && order;
	enum weir_status status = sim_dirty_glue_ops(glue)->block_split(glue, gfn);
	uint64_t *leaf;

	if (status != WEIR_OK || !block)
		return status;
	leaf = sim_s2_leaf(glue->s2, gfn, &order) - gfn % TABLE_PAGES;
	for (uint64_t i = 0; i < TABLE_PAGES; i++)
		if (i != gfn % TABLE_PAGES)
			leaf[i] &= ~SIM_DESC_VALID;
	return WEIR_OK;
}

static enum weir_status build_tables(struct lab *lab, const struct lab_config *cfg)
{
	struct sim_s2_config s2 = {.geometry = SIM_S2_GEOMETRY_4K, .table_base_pa = TABLE_BASE_PA};
	struct sim_mmu_config mmu = {
		.nvcpus = cfg->nvcpus,
		.vtcr = {.ha = true, .hd = true, .pa_bits = 48},
	};
	enum weir_status status;

	s2.table_bytes_max = lab->npages * 8 + lab->npages / 32 + (UINT64_C(16) << 20);
	s2.table_bytes_max = (s2.table_bytes_max | 0xffff) + 1;
	status = sim_s2_create(&s2, &lab->m.s2);
	if (status == WEIR_OK)
		status = sim_s2_map(lab->m.s2, BASE_GFN, lab->npages, BASE_GFN, SIM_S2_ATTRS_RW,
				    cfg->map_order);
	if (status == WEIR_OK)
		status = sim_mmu_create(&mmu, lab->m.s2, &lab->m.mmu);
	return status;
}

static enum weir_status build_log(struct lab *lab, const struct lab_config *cfg)
{
	const struct migrate_cost *cost = &lab->price.cost;
	struct weir_dirty_config log = {
		.base_gfn = BASE_GFN,
		.npages = lab->npages,
		.policy = cfg->policy,
		.neighbourhood = cfg->neighbourhood,
		.scan_weight = cfg->scan_weight,
		.flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_COUNTERS | WEIR_DIRTY_F_TABLES_EXCLUSIVE,
		.cost_fault_ns = (uint32_t)(cost->fault_exit_ns + cost->fault_lock_ns),
		.cost_scan_group_ns = (uint32_t)(cost->scan_group_ns +
						 cost->scan_pte_ps * WEIR_DIRTY_GROUP_PAGES / 1000),
	};
	size_t size = weir_dirty_size(&log);

	if (!size)
		return WEIR_EINVAL;
	lab->m.memory = aligned_alloc(64, (size + 63) / 64 * 64);
	if (!lab->m.memory)
		return WEIR_ENOMEM;
	lab->m.glue = (struct sim_dirty_glue){.s2 = lab->m.s2, .mmu = lab->m.mmu};
	lab->ops = *sim_dirty_glue_ops(&lab->m.glue);
	if (cfg->split_maps_one)
		lab->ops.block_split = split_and_map_one;
	return weir_dirty_init(lab->m.memory, size, &log, &lab->ops, &lab->m.glue, &lab->m.d);
}

struct lab *lab_create(const struct lab_config *cfg, struct sim_error *err)
{
	struct lab *lab = sim_alloc(1, sizeof(*lab), "experiment");
	enum weir_status status;

	lab->err = err;
	lab->base_gfn = BASE_GFN;
	lab->npages = cfg->nvcpus * cfg->vcpu_pages;
	lab->vcpu_pages = cfg->vcpu_pages;
	if (!migrate_config_read(&lab->price, cfg->params, err)) {
		lab_destroy(lab);
		return NULL;
	}
	lab->price.nvcpus = cfg->nvcpus;
	lab->m.cfg = &lab->price;
	lab->vcpus = sim_alloc(cfg->nvcpus, sizeof(*lab->vcpus), "vCPUs");
	lab->heap = sim_alloc(cfg->nvcpus, sizeof(*lab->heap), "vCPUs");
	lab->bitmap = sim_alloc(lab->npages / 64, sizeof(*lab->bitmap), "dirty bitmap");
	lab->written = sim_alloc(lab->npages / 64, sizeof(*lab->written), "log of writes");
	status = build_tables(lab, cfg);
	if (status == WEIR_OK)
		status = build_log(lab, cfg);
	if (status == WEIR_OK)
		return lab;
	lab_break(lab, "building the machine", status);
	lab_destroy(lab);
	return NULL;
}

void lab_destroy(struct lab *lab)
{
	if (!lab)
		return;
	sim_mmu_destroy(lab->m.mmu);
	sim_s2_destroy(lab->m.s2);
	free(lab->m.memory);
	free(lab->vcpus);
	free(lab->heap);
	free(lab->bitmap);
	free(lab->written);
	free(lab);
}

uint64_t lab_start(struct lab *lab, bool all_dirty)
{
	struct migrate_bill bill;
	enum weir_status status;

	migrate_bill_open(&lab->m, &bill);
	status = weir_dirty_start(lab->m.d, all_dirty);
	if (status != WEIR_OK)
		lab_break(lab, "weir_dirty_start()", status);
	/* a word a group is made ready either way */
	return migrate_bill_ns(&lab->m, &bill, lab->npages / 64);
}

/* What GET did not report, of what was written, is lost. */
static void judge(struct lab *lab)
{
	lab->dirty = 0;
	for (uint64_t i = 0; i < lab->npages / 64; i++) {
		uint64_t lost = lab->written[i] & ~lab->bitmap[i];

		lab->lost += (uint64_t)__builtin_popcountll(lost);
		lab->dirty += (uint64_t)__builtin_popcountll(lab->bitmap[i]);
	}
}

uint64_t lab_get(struct lab *lab)
{
	struct migrate_bill bill;
	enum weir_status status;

	migrate_bill_open(&lab->m, &bill);
	status = weir_dirty_get_bitmap(lab->m.d, BASE_GFN, lab->npages, lab->bitmap);
	if (status != WEIR_OK)
		lab_break(lab, "weir_dirty_get_bitmap()", status);
	judge(lab);
	return migrate_bill_ns(&lab->m, &bill, lab->npages / 64);
}

uint64_t lab_get_words(struct lab *lab)
{
	struct weir_dirty_word words[WORDS_AT_ONCE];
	uint64_t nblocks = (lab->npages + (1u << 18) - 1) >> 18, read = nblocks * 2;
	struct weir_dirty_cursor cursor;
	struct migrate_bill bill;
	enum weir_status status;
	size_t n;

	memset(lab->bitmap, 0, lab->npages / 64 * sizeof(*lab->bitmap));
	migrate_bill_open(&lab->m, &bill);
	weir_dirty_cursor_init(lab->m.d, &cursor);
	do {
		status = weir_dirty_get(lab->m.d, &cursor, words, WORDS_AT_ONCE, 0, &n);
		for (size_t i = 0; i < n; i++)
			lab->bitmap[(words[i].gfn - BASE_GFN) / 64] = words[i].pages;
		read += 2 * n; /* a pair is two words, and as many are read for a summary */
	} while (status == WEIR_EAGAIN);
	if (status != WEIR_OK)
		lab_break(lab, "weir_dirty_get()", status);
	judge(lab);
	return migrate_bill_ns(&lab->m, &bill, read);
}

uint64_t lab_clear(struct lab *lab)
{
	struct migrate_bill bill;
	enum weir_status status;

	migrate_bill_open(&lab->m, &bill);
	status = weir_dirty_clear(lab->m.d, BASE_GFN, lab->npages, lab->bitmap);
	if (status != WEIR_OK)
		lab_break(lab, "weir_dirty_clear()", status);
	for (uint64_t i = 0; i < lab->npages / 64; i++)
		lab->written[i] &= ~lab->bitmap[i];
	return migrate_bill_ns(&lab->m, &bill, lab->npages / 64);
}

uint64_t lab_freeze(struct lab *lab)
{
	struct weir_dirty_cursor cursor;
	struct migrate_bill bill;
	enum weir_status status;

	migrate_bill_open(&lab->m, &bill);
	weir_dirty_cursor_init(lab->m.d, &cursor);
	do
		status = weir_dirty_freeze(lab->m.d, &cursor, lab->price.freeze_budget_ptes);
	while (status == WEIR_EAGAIN);
	if (status != WEIR_OK)
		lab_break(lab, "weir_dirty_freeze()", status);
	return migrate_bill_ns(&lab->m, &bill, 0);
}

void lab_thaw(struct lab *lab)
{
	weir_dirty_thaw(lab->m.d);
}

void lab_set_scan_ps(struct lab *lab, uint64_t scan_pte_ps)
{
	lab->price.cost.scan_pte_ps = scan_pte_ps;
}

uint64_t lab_pages(const struct lab *lab)
{
	return lab->npages;
}

uint64_t lab_faults(const struct lab *lab)
{
	return lab->faults;
}

uint64_t lab_dirty(const struct lab *lab)
{
	return lab->dirty;
}

uint64_t lab_lost(const struct lab *lab)
{
	return lab->lost;
}

void lab_stats(const struct lab *lab, struct weir_dirty_stats *out)
{
	weir_dirty_stats(lab->m.d, out);
}

bool lab_broken(const struct lab *lab)
{
	return lab->broken;
}
