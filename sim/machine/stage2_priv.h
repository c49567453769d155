/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/machine/stage2_priv.h - what stage2*.c and walk.c share: the arithmetic of descriptors and
 * levels, and where table memory is. Not for others.
 *
 * With stride = granule_shift - 3, an entry of level l maps 2^(granule_shift + (3 - l) * stride)
 * bytes. Addresses in descriptors: bits [47:granule_shift]; OA[51:48] in bits [15:12] at 64 KiB;
 * with DS, bits [49:granule_shift] and OA[51:50] in bits [9:8], where the shareability was.
 */
#ifndef SIM_MACHINE_STAGE2_PRIV_H
#define SIM_MACHINE_STAGE2_PRIV_H

#include "sim/machine/stage2.h"

struct sim_s2 {
	struct sim_s2_geometry geo;
	unsigned int stride;
	uint64_t oa_mask;	/* address bits where descriptors have them at their own place */
	uint64_t base_pa;	/* of table memory, and of software's start table */
	uint64_t root_pa;	/* where hardware starts: VTTBR_EL2.BADDR */
	uint64_t *(*memory)(void *ctx, uint64_t pa);
	void *memory_ctx;
	unsigned char *mem;	/* host view of base_pa */
	uint64_t bytes_used;	/* tables below this were handed out at some time */
	uint64_t bytes_reserved;
	uint64_t bytes_max;	/* limit on tables in use */
	uint64_t free_pa;	/* tables given back, linked through their first entry; 0: none */
	uint64_t nfree;
	uint64_t nsplits;
	bool lock;		/* allocation and splits */
	void (*invalidate)(void *ctx, uint64_t first_gfn, uint64_t last_gfn);
	void *invalidate_ctx;
};

static inline uint64_t s2_load(const uint64_t *desc)
{
	return __atomic_load_n(desc, __ATOMIC_ACQUIRE);
}

/* log2 of the bytes, and of the frames, that an entry of a level maps. */
static inline unsigned int s2_shift(const struct sim_s2 *s2, int level)
{
	return s2->geo.granule_shift + (unsigned int)(3 - level) * s2->stride;
}

static inline unsigned int s2_order(const struct sim_s2 *s2, int level)
{
	return (unsigned int)(3 - level) * s2->stride;
}

/* Which entry of its table translates ipa. The start tables stand side by side: no upper bound. */
static inline uint64_t s2_index(const struct sim_s2 *s2, int level, uint64_t ipa)
{
	uint64_t idx = ipa >> s2_shift(s2, level);

	return level == s2->geo.start_level ? idx : idx & (((uint64_t)1 << s2->stride) - 1);
}

static inline unsigned int s2_pa_bits_max(const struct sim_s2_geometry *geo)
{
	return geo->ds || geo->granule_shift == 16 ? 52 : 48;
}

/* The address in a table or page descriptor. */
static inline uint64_t s2_desc_addr(const struct sim_s2 *s2, uint64_t desc)
{
	uint64_t addr = desc & s2->oa_mask;

	if (s2->geo.ds)
		addr |= (desc >> 8 & 3) << 50;
	else if (s2->geo.granule_shift == 16)
		addr |= (desc >> 12 & 0xf) << 48;
	return addr;
}

/* The address in any descriptor of a level: a block has fewer address bits. */
static inline uint64_t s2_desc_oa(const struct sim_s2 *s2, int level, uint64_t desc)
{
	uint64_t addr = s2_desc_addr(s2, desc);

	return desc & SIM_DESC_TABLE ? addr : addr >> s2_shift(s2, level) << s2_shift(s2, level);
}

static inline uint64_t s2_oa_desc(const struct sim_s2 *s2, uint64_t oa)
{
	uint64_t desc = oa & s2->oa_mask;

	if (s2->geo.ds)
		desc |= (oa >> 50 & 3) << 8;
	else if (s2->geo.granule_shift == 16)
		desc |= (oa >> 48 & 0xf) << 12;
	return desc;
}

/* Whether a level may hold blocks. Level 3 holds pages, and nothing else. */
static inline bool s2_block_level(const struct sim_s2_geometry *geo, int level)
{
	if (geo->granule_shift == 12)
		return level == 1 || level == 2 || (level == 0 && geo->ds);
	if (geo->granule_shift == 14)
		return level == 2 || (level == 1 && geo->ds);
	return level == 2 || level == 1;
}

/* log2 of the entries of a contiguous run. */
static inline unsigned int s2_run_log2(const struct sim_s2_geometry *geo, int level)
{
	if (geo->granule_shift == 12)
		return 4;
	if (geo->granule_shift == 14)
		return level == 3 ? 7 : 5;
	return 5;
}

static inline bool s2_is_table(int level, uint64_t desc)
{
	return level < 3 && (desc & SIM_DESC_VALID) && (desc & SIM_DESC_TABLE);
}

static inline bool s2_is_leaf(const struct sim_s2 *s2, int level, uint64_t desc)
{
	if (!(desc & SIM_DESC_VALID))
		return false;
	if (level == 3)
		return desc & SIM_DESC_TABLE;
	return !(desc & SIM_DESC_TABLE) && s2_block_level(&s2->geo, level);
}

static inline uint64_t *s2_table_at(const struct sim_s2 *s2, uint64_t pa)
{
	uint64_t off = pa - s2->base_pa;

	if (off >= __atomic_load_n(&s2->bytes_used, __ATOMIC_RELAXED))
		return NULL;
	return (uint64_t *)(void *)(s2->mem + off);
}

static inline uint64_t s2_pa_of(const struct sim_s2 *s2, const uint64_t *table)
{
	return s2->base_pa + (uint64_t)((const unsigned char *)table - s2->mem);
}

static inline uint64_t s2_table_desc(const struct sim_s2 *s2, const uint64_t *table)
{
	return s2_oa_desc(s2, s2_pa_of(s2, table)) | SIM_DESC_TABLE | SIM_DESC_VALID;
}

/* The 8 bytes at pa as a walker reads them: a table's, or other memory's; NULL: there is none. */
static inline uint64_t *s2_word_at(const struct sim_s2 *s2, uint64_t pa)
{
	uint64_t *word = s2_table_at(s2, pa);

	return word || !s2->memory ? word : s2->memory(s2->memory_ctx, pa);
}

/* A page or block that maps oa with the bits of a leaf other than type, validity and address. */
static inline uint64_t s2_leaf_desc(const struct sim_s2 *s2, int level, uint64_t oa, uint64_t attrs)
{
	return s2_oa_desc(s2, oa) | attrs | (level == 3 ? SIM_DESC_TABLE : 0) | SIM_DESC_VALID;
}

static inline void s2_lock(struct sim_s2 *s2)
{
	while (__atomic_test_and_set(&s2->lock, __ATOMIC_ACQUIRE))
		;
}

static inline void s2_unlock(struct sim_s2 *s2)
{
	__atomic_clear(&s2->lock, __ATOMIC_RELEASE);
}

/* How many tables the limit leaves. */
static inline uint64_t s2_tables_left(const struct sim_s2 *s2)
{
	uint64_t in_use = s2->bytes_used - (s2->nfree << s2->geo.granule_shift);

	return in_use < s2->bytes_max ? (s2->bytes_max - in_use) >> s2->geo.granule_shift : 0;
}

/* Under the lock, or alone. An empty table, NULL at the limit; and its way back. */
uint64_t *s2_table_alloc(struct sim_s2 *s2);
void s2_table_free(struct sim_s2 *s2, uint64_t *table);

/*
 * Under the lock: the leaf at gfn loses its Contiguous hint, with all its run. *order is log2 of
 * the aligned frames around gfn that have none now. Whether there was one.
 */
bool s2_drop_run(struct sim_s2 *s2, uint64_t gfn, unsigned int *order);

/*
 * The entry at which software's walk for ipa ends: a leaf, or one that leads nowhere. *level and
 * *desc are its level and value. ipa lies in the input range. Waits while it is being split.
 */
uint64_t *s2_lookup(const struct sim_s2 *s2, uint64_t ipa, int *level, uint64_t *desc);

#endif
