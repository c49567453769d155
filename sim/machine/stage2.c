// SPDX-License-Identifier: BSD-2-Clause
/*
 * stage2.c - stage-2 tables: their memory, and software's way to an entry. See stage2.h.
 *
 * Table memory is one reserved run of host address space that the kernel fills with zero pages as
 * they are touched; tables come from its growing end, or from the list of those given back. The
 * start tables are the first. The limit counts granules handed out.
 */
#include "sim/machine/stage2.h"
#include "sim/machine/stage2_priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define S2_TABLE_BYTES_DEFAULT	((uint64_t)8 << 30)
#define S2_CONCATENATED_MAX	16u

static bool geometry_valid(const struct sim_s2_geometry *geo)
{
	unsigned int stride = geo->granule_shift - 3;
	unsigned int bits_below;

	if (geo->granule_shift != 12 && geo->granule_shift != 14 && geo->granule_shift != 16)
		return false;
	if (geo->ds && geo->granule_shift == 16)
		return false;
	if (geo->start_level < (geo->ds && geo->granule_shift == 12 ? -1 : 0) ||
	    geo->start_level > 3)
		return false;
	if (geo->granule_shift == 16 && geo->start_level < 1)
		return false;
	if (geo->granule_shift == 14 && geo->start_level < 1 && !geo->ds)
		return false;
	if (geo->ia_bits < 16 || geo->ia_bits > s2_pa_bits_max(geo))
		return false;
	/* The start level resolves at least one bit, and at most 16 whole tables. */
	bits_below = geo->granule_shift + (unsigned int)(3 - geo->start_level) * stride;
	return geo->ia_bits > bits_below && geo->ia_bits <= bits_below + stride + 4;
}

/* Bytes of the start tables, in whole granules. */
static uint64_t root_bytes(const struct sim_s2 *s2)
{
	uint64_t granule = (uint64_t)1 << s2->geo.granule_shift;
	uint64_t bytes = (uint64_t)8 << (s2->geo.ia_bits - s2_shift(s2, s2->geo.start_level));

	return bytes < granule ? granule : bytes;
}

enum weir_status sim_s2_create(const struct sim_s2_config *cfg, struct sim_s2 **out)
{
	uint64_t max = cfg->table_bytes_max ? cfg->table_bytes_max : S2_TABLE_BYTES_DEFAULT;
	struct sim_s2 *s2;
	uint64_t align;

	if (!geometry_valid(&cfg->geometry))
		return WEIR_EINVAL;
	align = (uint64_t)S2_CONCATENATED_MAX << cfg->geometry.granule_shift;
	if (cfg->table_base_pa & (align - 1) || cfg->table_base_pa + max < max ||
	    (cfg->table_base_pa + max) >> s2_pa_bits_max(&cfg->geometry))
		return WEIR_EINVAL;
	s2 = calloc(1, sizeof(*s2));
	if (!s2)
		return WEIR_ENOMEM;
	s2->geo = cfg->geometry;
	s2->stride = cfg->geometry.granule_shift - 3;
	s2->oa_mask = (((uint64_t)1 << (s2->geo.ds ? 50 : 48)) - 1) >> s2->geo.granule_shift
		      << s2->geo.granule_shift;
	s2->base_pa = cfg->table_base_pa;
	s2->root_pa = cfg->table_base_pa;
	s2->bytes_max = max >> s2->geo.granule_shift << s2->geo.granule_shift;
	s2->bytes_reserved = s2->bytes_max;
	s2->bytes_used = root_bytes(s2);
	if (s2->bytes_used > s2->bytes_max) {
		free(s2);
		return WEIR_ENOMEM;
	}
	s2->mem = mmap(NULL, s2->bytes_reserved, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s2->mem == MAP_FAILED) {
		free(s2);
		return WEIR_ENOMEM;
	}
	/* Only advice: 1 TiB is then mapped in a second, and walked with fewer host TLB misses. */
	(void)madvise(s2->mem, s2->bytes_reserved, MADV_HUGEPAGE);
	*out = s2;
	return WEIR_OK;
}

void sim_s2_destroy(struct sim_s2 *s2)
{
	if (!s2)
		return;
	munmap(s2->mem, s2->bytes_reserved);
	free(s2);
}

const struct sim_s2_geometry *sim_s2_geometry(const struct sim_s2 *s2)
{
	return &s2->geo;
}

uint64_t sim_s2_root_pa(const struct sim_s2 *s2)
{
	return s2->root_pa;
}

void sim_s2_set_root(struct sim_s2 *s2, uint64_t vttbr, bool pa52)
{
	uint64_t size = (uint64_t)8 << (s2->geo.ia_bits - s2_shift(s2, s2->geo.start_level));
	uint64_t pa = vttbr & (((uint64_t)1 << 48) - 1);

	if (pa52)
		pa |= (vttbr >> 2 & 0xf) << 48;
	s2->root_pa = pa & ~(size - 1);
}

void sim_s2_set_memory(struct sim_s2 *s2, uint64_t *(*at)(void *ctx, uint64_t pa), void *ctx)
{
	s2->memory = at;
	s2->memory_ctx = ctx;
}

void sim_s2_set_invalidate(struct sim_s2 *s2,
			   void (*fn)(void *ctx, uint64_t first_gfn, uint64_t last_gfn), void *ctx)
{
	s2->invalidate = fn;
	s2->invalidate_ctx = ctx;
}

void sim_s2_limit(struct sim_s2 *s2, uint64_t table_bytes_max)
{
	s2->bytes_max = table_bytes_max < s2->bytes_reserved ? table_bytes_max : s2->bytes_reserved;
}

uint64_t *s2_table_alloc(struct sim_s2 *s2)
{
	uint64_t granule = (uint64_t)1 << s2->geo.granule_shift;
	uint64_t *table;

	if (s2_tables_left(s2) == 0)
		return NULL;
	if (s2->free_pa) {
		table = s2_table_at(s2, s2->free_pa);
		s2->free_pa = table[0];
		s2->nfree--;
		memset(table, 0, granule);
		return table;
	}
	table = (uint64_t *)(void *)(s2->mem + s2->bytes_used);
	/* Pairs with nothing: a walker learns of the table from a descriptor stored later. */
	__atomic_store_n(&s2->bytes_used, s2->bytes_used + granule, __ATOMIC_RELAXED);
	return table;
}

void s2_table_free(struct sim_s2 *s2, uint64_t *table)
{
	table[0] = s2->free_pa;
	s2->free_pa = s2_pa_of(s2, table);
	s2->nfree++;
}

uint64_t *sim_s2_table_at(const struct sim_s2 *s2, uint64_t pa)
{
	return s2_table_at(s2, pa);
}

uint64_t *sim_s2_entry(const struct sim_s2 *s2, int level, uint64_t ipa)
{
	uint64_t *table = s2_table_at(s2, s2->base_pa);

	if (level < s2->geo.start_level || level > 3 || ipa >> s2->geo.ia_bits)
		return NULL;
	for (int l = s2->geo.start_level;; l++) {
		uint64_t *entry = table + s2_index(s2, l, ipa);
		uint64_t desc = s2_load(entry);

		if (l == level)
			return entry;
		if (!s2_is_table(l, desc))
			return NULL;
		table = s2_table_at(s2, s2_desc_oa(s2, l, desc));
		if (!table)
			return NULL;
	}
}

enum weir_status sim_s2_store(struct sim_s2 *s2, int level, uint64_t ipa, uint64_t desc)
{
	uint64_t *table = s2_table_at(s2, s2->base_pa);

	if (level < s2->geo.start_level || level > 3)
		return WEIR_EINVAL;
	if (ipa >> s2->geo.ia_bits)
		return WEIR_ERANGE;
	for (int l = s2->geo.start_level; l < level; l++) {
		uint64_t *entry = table + s2_index(s2, l, ipa);
		uint64_t parent = s2_load(entry);

		table = s2_is_table(l, parent) ? s2_table_at(s2, s2_desc_oa(s2, l, parent)) : NULL;
		if (!table) {
			table = s2_table_alloc(s2);
			if (!table)
				return WEIR_ENOMEM;
			__atomic_store_n(entry, s2_table_desc(s2, table), __ATOMIC_RELEASE);
		}
	}
	__atomic_store_n(table + s2_index(s2, level, ipa), desc, __ATOMIC_RELEASE);
	return WEIR_OK;
}

uint64_t *s2_lookup(const struct sim_s2 *s2, uint64_t ipa, int *level, uint64_t *desc)
{
	uint64_t *table = s2_table_at(s2, s2->base_pa);
	int l = s2->geo.start_level;

	for (;;) {
		uint64_t *entry = table + s2_index(s2, l, ipa);
		uint64_t value = s2_load(entry);

		if (value == SIM_DESC_BREAKING)
			continue;
		table = s2_is_table(l, value) ? s2_table_at(s2, s2_desc_oa(s2, l, value)) : NULL;
		if (!table) {
			*level = l;
			*desc = value;
			return entry;
		}
		l++;
	}
}

uint64_t *sim_s2_leaf(const struct sim_s2 *s2, uint64_t gfn, unsigned int *order)
{
	uint64_t *entry;
	uint64_t desc;
	int level;

	*order = 0;
	if (gfn >> (s2->geo.ia_bits - s2->geo.granule_shift))
		return NULL;
	entry = s2_lookup(s2, gfn << s2->geo.granule_shift, &level, &desc);
	*order = s2_order(s2, level);
	return s2_is_leaf(s2, level, desc) ? entry : NULL;
}

void sim_s2_stats(const struct sim_s2 *s2, struct sim_s2_stats *out)
{
	out->tables = (s2->bytes_used >> s2->geo.granule_shift) - s2->nfree;
	out->table_bytes = out->tables << s2->geo.granule_shift;
	out->blocks_split = s2->nsplits;
}
