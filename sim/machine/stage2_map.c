// SPDX-License-Identifier: BSD-2-Clause
/*
 * stage2_map.c - mapping runs of frames, and splitting blocks.
 *
 * A mapping is walked twice by one function: first to see that nothing is in the way and how many
 * tables it takes, then to do it, which cannot fail. Memory is written once, in order.
 */
#include "sim/machine/stage2.h"
#include "sim/machine/stage2_priv.h"

#define S2_DEPTH_MAX	4	/* tables below the start level */

/* Bits that a caller may set in a leaf: [11:2] and [63:51], without the address parts of either. */
#define S2_ATTRS	((uint64_t)0xffc | UINT64_MAX << 51)

struct map_job {
	struct sim_s2 *s2;
	bool dry;
	int leaf_level;
	uint64_t first;		/* bytes: input and output addresses of the run */
	uint64_t first_oa;
	uint64_t attrs;
	uint64_t ntables;	/* dry: tables needed */
};

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void fill_leaves(const struct map_job *j, uint64_t *table, uint64_t first, uint64_t last)
{
	const struct sim_s2 *s2 = j->s2;
	unsigned int shift = s2_shift(s2, j->leaf_level);
	uint64_t n = ((last - first) >> shift) + 1;
	uint64_t oa = j->first_oa + (first - j->first);
	uint64_t *entry = table + s2_index(s2, j->leaf_level, first);

	for (uint64_t i = 0; i < n; i++, oa += (uint64_t)1 << shift)
		entry[i] = s2_leaf_desc(s2, j->leaf_level, oa, j->attrs);
}

static bool leaves_free(const struct map_job *j, const uint64_t *table, uint64_t first,
			uint64_t last)
{
	unsigned int shift = s2_shift(j->s2, j->leaf_level);
	uint64_t n = ((last - first) >> shift) + 1;
	const uint64_t *entry = table + s2_index(j->s2, j->leaf_level, first);

	for (uint64_t i = 0; i < n; i++)
		if (entry[i] & SIM_DESC_VALID)
			return false;
	return true;
}

/* first..last (bytes) lie under one table of the level; a dry job may have none yet: NULL. */
static enum weir_status map_level(struct map_job *j, int level, uint64_t *table, uint64_t first,
				  uint64_t last)
{
	struct sim_s2 *s2 = j->s2;
	uint64_t size = (uint64_t)1 << s2_shift(s2, level);

	if (level == j->leaf_level) {
		if (!j->dry)
			fill_leaves(j, table, first, last);
		else if (table && !leaves_free(j, table, first, last))
			return WEIR_EBUSY;
		return WEIR_OK;
	}
	for (uint64_t at = first & ~(size - 1);; at += size) {
		uint64_t *entry = table ? table + s2_index(s2, level, at) : NULL;
		uint64_t desc = entry ? *entry : 0;
		uint64_t *next = NULL;
		enum weir_status st;

		if (s2_is_table(level, desc))
			next = s2_table_at(s2, s2_desc_oa(s2, level, desc));
		else if (desc & SIM_DESC_VALID)
			return WEIR_EBUSY;
		if (!next && j->dry) {
			j->ntables++;
		} else if (!next) {
			next = s2_table_alloc(s2);
			*entry = s2_table_desc(s2, next);
		}
		st = map_level(j, level + 1, next, later(first, at),
			       earlier(last, at + (size - 1)));
		if (st != WEIR_OK || last - at < size)
			return st;
	}
}

static bool leaf_level_of(const struct sim_s2 *s2, unsigned int order, int *level)
{
	for (int l = 3; l >= s2->geo.start_level; l--) {
		if (s2_order(s2, l) == order && (l == 3 || s2_block_level(&s2->geo, l))) {
			*level = l;
			return true;
		}
	}
	return false;
}

enum weir_status sim_s2_map(struct sim_s2 *s2, uint64_t first_gfn, uint64_t npages,
			    uint64_t first_pfn, uint64_t attrs, unsigned int order)
{
	unsigned int gs = s2->geo.granule_shift;
	uint64_t ngfns = (uint64_t)1 << (s2->geo.ia_bits - gs);
	uint64_t npfns = (uint64_t)1 << (s2_pa_bits_max(&s2->geo) - gs);
	struct map_job job = { .s2 = s2, .dry = true, .attrs = attrs };
	uint64_t *root = s2_table_at(s2, s2->base_pa);
	uint64_t last;
	enum weir_status st;

	if (!leaf_level_of(s2, order, &job.leaf_level) || attrs & ~S2_ATTRS || npages == 0)
		return WEIR_EINVAL;
	if (s2->geo.ds)
		job.attrs &= ~SIM_DESC_SH_INNER;
	if (attrs & SIM_DESC_CONTIGUOUS)
		order += s2_run_log2(&s2->geo, job.leaf_level);
	if ((first_gfn | npages | first_pfn) & (((uint64_t)1 << order) - 1))
		return WEIR_EINVAL;
	if (first_gfn >= ngfns || npages > ngfns - first_gfn || first_pfn >= npfns ||
	    npages > npfns - first_pfn)
		return WEIR_EINVAL;
	job.first = first_gfn << gs;
	job.first_oa = first_pfn << gs;
	last = job.first + ((npages << gs) - 1);
	st = map_level(&job, s2->geo.start_level, root, job.first, last);
	if (st != WEIR_OK)
		return st;
	if (job.ntables > s2_tables_left(s2))
		return WEIR_ENOMEM;
	job.dry = false;
	return map_level(&job, s2->geo.start_level, root, job.first, last);
}

/* Fill a table of the level under a block with leaves that inherit from it. */
static void inherit(const struct sim_s2 *s2, uint64_t *table, int level, uint64_t block)
{
	uint64_t oa = s2_desc_oa(s2, level - 1, block);
	uint64_t attrs = block & S2_ATTRS & ~(SIM_DESC_DBM | SIM_DESC_CONTIGUOUS);

	if (s2->geo.ds)
		attrs &= ~SIM_DESC_SH_INNER;
	for (uint64_t i = 0; i < (uint64_t)1 << s2->stride; i++)
		table[i] = s2_leaf_desc(s2, level, oa + (i << s2_shift(s2, level)), attrs);
}

/* Tables from the level under the block down to pages, the path to ipa linked among them. */
static void build_path(const struct sim_s2 *s2, uint64_t *const *tables, int block_level,
		       uint64_t block, uint64_t ipa)
{
	for (int level = block_level + 1; level <= 3; level++) {
		uint64_t *table = tables[level - block_level - 1];
		uint64_t *entry = table + s2_index(s2, level, ipa);

		inherit(s2, table, level, block);
		block = *entry;
		if (level < 3)
			*entry = s2_table_desc(s2, tables[level - block_level]);
	}
}

/* Break-before-make (S2). False: the block had changed, and nothing was done. */
static bool replace(struct sim_s2 *s2, uint64_t *entry, int level, uint64_t block, uint64_t ipa,
		    const uint64_t *table)
{
	uint64_t order = s2_order(s2, level);
	uint64_t first = ipa >> s2->geo.granule_shift >> order << order;

	if (!__atomic_compare_exchange_n(entry, &block, SIM_DESC_BREAKING, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return false;
	if (s2->invalidate)
		s2->invalidate(s2->invalidate_ctx, first, first + (((uint64_t)1 << order) - 1));
	__atomic_store_n(entry, s2_table_desc(s2, table), __ATOMIC_RELEASE);
	s2->nsplits++;
	return true;
}

static enum weir_status split_locked(struct sim_s2 *s2, uint64_t ipa)
{
	uint64_t *tables[S2_DEPTH_MAX];
	uint64_t desc;
	int level;
	uint64_t *entry = s2_lookup(s2, ipa, &level, &desc);
	int n = 0;

	if (!s2_is_leaf(s2, level, desc))
		return WEIR_ENOENT;
	while (n < 3 - level) {
		tables[n] = s2_table_alloc(s2);
		if (!tables[n])
			break;
		n++;
	}
	if (n < 3 - level) {
		while (n > 0)
			s2_table_free(s2, tables[--n]);
		return WEIR_ENOMEM;
	}
	if (n > 0 && desc & SIM_DESC_CONTIGUOUS) {
		unsigned int order;

		s2_drop_run(s2, ipa >> s2->geo.granule_shift, &order);
		desc = s2_load(entry);
	}
	/* The hardware may set AF or S2AP[1] of the block meanwhile: then once more. */
	while (n > 0) {
		build_path(s2, tables, level, desc, ipa);
		if (replace(s2, entry, level, desc, ipa, tables[0]))
			break;
		desc = s2_load(entry);
	}
	return WEIR_OK;
}

enum weir_status sim_s2_split_block(struct sim_s2 *s2, uint64_t gfn)
{
	enum weir_status st;

	if (gfn >> (s2->geo.ia_bits - s2->geo.granule_shift))
		return WEIR_ENOENT;
	s2_lock(s2);
	st = split_locked(s2, gfn << s2->geo.granule_shift);
	s2_unlock(s2);
	return st;
}
