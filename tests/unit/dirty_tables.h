/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dirty_tables.h - the smallest stage-2 tables that the dirty module can run over, for its tests:
 * one last-level table of 512 leaves for each 2 MiB, or a block in its place. Counts what the
 * library asks, and can be told to fail.
 */
#ifndef WEIR_TESTS_DIRTY_TABLES_H
#define WEIR_TESTS_DIRTY_TABLES_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "weir/dirty.h"

#define T_VALID		WEIR_DIRTY_DESC_VALID
#define T_W		WEIR_DIRTY_DESC_W
#define T_AF		WEIR_DIRTY_DESC_AF
#define T_DBM		WEIR_DIRTY_DESC_DBM
#define T_PAGE		((uint64_t)3 | T_AF | ((uint64_t)1 << 6))	/* page, read, accessed */
#define T_BLOCK		((uint64_t)1 | T_AF | ((uint64_t)1 << 6))
#define T_STATE		(T_W | T_DBM)

struct tables {
	uint64_t base_gfn;
	uint64_t npages;
	uint64_t first_table;		/* gfn of pte[0]: base_gfn rounded down to 512 */
	uint64_t *pte;
	uint64_t *block;		/* one a 2 MiB; 0: a table is there */
	void *mem;
	struct weir_dirty *d;
	unsigned int tlbis, locals, splits, leaf_calls;
	uint64_t tlbi_first, tlbi_last;
	unsigned int splits_allowed;
	uint64_t read_only;		/* gfn of one page that may not be written; 0: none */
	void (*on_tlbi)(struct tables *t);
	void (*on_leaf)(struct tables *t);
};

static inline uint64_t *tables_leaf(void *ctx, uint64_t gfn, unsigned int *order)
{
	struct tables *t = ctx;
	uint64_t *block = &t->block[(gfn - t->first_table) / 512];

	t->leaf_calls++;
	if (t->on_leaf)
		t->on_leaf(t);
	assert_true(gfn >= t->base_gfn && gfn - t->base_gfn < t->npages);
	if (*block) {
		*order = 9;
		return *block & T_VALID ? block : NULL;
	}
	*order = 0;
	return &t->pte[gfn - t->first_table];
}

static inline void tables_tlbi_range(void *ctx, uint64_t first_gfn, uint64_t last_gfn)
{
	struct tables *t = ctx;

	assert_true(first_gfn <= last_gfn);
	t->tlbis++;
	t->tlbi_first = first_gfn;
	t->tlbi_last = last_gfn;
	if (t->on_tlbi)
		t->on_tlbi(t);
}

static inline void tables_tlbi_local(void *ctx, uint64_t gfn)
{
	(void)gfn;
	((struct tables *)ctx)->locals++;
}

static inline enum weir_status tables_split(void *ctx, uint64_t gfn)
{
	struct tables *t = ctx;
	uint64_t index = (gfn - t->first_table) / 512, i;

	if (!t->block[index]) {		/* a page: the hint of its run is dropped */
		uint64_t first = (gfn - t->first_table) & ~(uint64_t)15;

		for (i = first; i < first + 16; i++)
			t->pte[i] &= ~WEIR_DIRTY_DESC_CONT;
		return WEIR_OK;
	}
	if (!t->splits_allowed)
		return WEIR_ENOMEM;
	t->splits_allowed--;
	t->splits++;
	for (i = 0; i < 512; i++)
		t->pte[index * 512 + i] = T_PAGE | (t->block[index] & T_W);
	t->block[index] = 0;
	return WEIR_OK;
}

static inline uint64_t tables_writable(void *ctx, uint64_t group_gfn)
{
	struct tables *t = ctx;

	if (t->read_only && t->read_only - group_gfn < 64)
		return ~((uint64_t)1 << (t->read_only - group_gfn));
	return ~(uint64_t)0;
}

static const struct weir_dirty_ops tables_ops = {
	.leaf = tables_leaf,
	.tlbi_range = tables_tlbi_range,
	.tlbi_local = tables_tlbi_local,
	.block_split = tables_split,
	.writable = tables_writable,
};

/* Tables with every page mapped and writable, and a region over them with logging off. */
static inline struct tables *tables_new(const struct weir_dirty_config *cfg)
{
	struct tables *t = calloc(1, sizeof(*t));
	size_t size = weir_dirty_size(cfg);
	uint64_t npages, i;

	assert_non_null(t);
	assert_int_not_equal(size, 0);
	t->base_gfn = cfg->base_gfn;
	t->npages = cfg->npages;
	t->first_table = cfg->base_gfn & ~(uint64_t)511;
	npages = (cfg->base_gfn + cfg->npages + 511) / 512 * 512 - t->first_table;
	t->pte = malloc(npages * sizeof(*t->pte));
	t->block = calloc(npages / 512, sizeof(*t->block));
	t->mem = aligned_alloc(64, (size + 63) / 64 * 64);
	t->splits_allowed = ~0u;
	assert_non_null(t->pte);
	assert_non_null(t->block);
	assert_non_null(t->mem);
	for (i = 0; i < npages; i++)
		t->pte[i] = T_PAGE | T_W;
	assert_int_equal(weir_dirty_init(t->mem, size, cfg, &tables_ops, t, &t->d), WEIR_OK);
	return t;
}

/* The same, all in blocks of 2 MiB. */
static inline struct tables *tables_new_blocks(const struct weir_dirty_config *cfg)
{
	struct tables *t = tables_new(cfg);
	uint64_t i;

	for (i = 0; i < (cfg->base_gfn + cfg->npages + 511) / 512 - t->first_table / 512; i++)
		t->block[i] = T_BLOCK | T_W;
	return t;
}

static inline void tables_free(struct tables *t)
{
	free(t->pte);
	free(t->block);
	free(t->mem);
	free(t);
}

/* {DBM, W} of the page leaf of gfn. */
static inline uint64_t tables_state(const struct tables *t, uint64_t gfn)
{
	return t->pte[gfn - t->first_table] & T_STATE;
}

/* The hardware writes through the leaf of gfn, as FEAT_HAFDBS does; false: it faults. */
static inline int tables_hw_write(struct tables *t, uint64_t gfn)
{
	uint64_t *leaf = &t->pte[gfn - t->first_table];

	if (t->block[(gfn - t->first_table) / 512])
		return (t->block[(gfn - t->first_table) / 512] & T_W) != 0;
	if (*leaf & T_DBM)
		*leaf |= T_W;
	return (*leaf & T_W) != 0;
}

/* The guest writes: by hardware, or after a fault. */
static inline struct weir_dirty_fault_info tables_guest_write(struct tables *t, uint64_t gfn)
{
	struct weir_dirty_fault_info info = { WEIR_DIRTY_SPURIOUS, 0, false };

	if (tables_hw_write(t, gfn))
		return info;
	assert_int_equal(weir_dirty_fault(t->d, gfn, &info), WEIR_OK);
	assert_true(tables_hw_write(t, gfn));
	return info;
}

/* Whether get reports gfn. */
static inline int tables_is_dirty(struct tables *t, uint64_t gfn)
{
	uint64_t group = t->base_gfn + (gfn - t->base_gfn) / 64 * 64;
	struct weir_dirty_cursor cur = { group, group + 63, false };
	uint64_t end = t->base_gfn + t->npages - 1;
	struct weir_dirty_word word;
	size_t n;

	if (cur.last_gfn > end)
		cur.last_gfn = end;
	assert_int_equal(weir_dirty_get(t->d, &cur, &word, 1, 0, &n), WEIR_OK);
	return n && (word.pages >> (gfn - group) & 1);
}

/* How many pages get reports. */
static inline uint64_t tables_count_dirty(struct tables *t)
{
	struct weir_dirty_cursor cur;
	struct weir_dirty_word words[7];
	enum weir_status status;
	uint64_t pages = 0;
	size_t i, n;

	weir_dirty_cursor_init(t->d, &cur);
	do {
		status = weir_dirty_get(t->d, &cur, words, 7, 0, &n);
		for (i = 0; i < n; i++)
			pages += (uint64_t)__builtin_popcountll(words[i].pages);
	} while (status == WEIR_EAGAIN);
	assert_int_equal(status, WEIR_OK);
	return pages;
}

#endif
