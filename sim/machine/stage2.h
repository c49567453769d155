/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/machine/stage2.h - stage-2 translation tables as hardware reads them (VMSAv8-64).
 *
 * Real 64-bit descriptors in real tables. A table lives in simulated physical memory: table number
 * i is at table_base_pa + i * granule, and the descriptors that point to it hold that address, so
 * that no host pointer is ever part of the machine's state. The host keeps all tables in one
 * reserved run of memory, which makes the step from address to pointer an addition, and lays the
 * last-level tables of a mapping side by side.
 *
 * A frame number (gfn, pfn) counts granules: address >> granule_shift.
 *
 * S1  A live descriptor is changed only by a 64-bit atomic store, exchange or compare-and-swap.
 * S2  A block is replaced by a table with break-before-make: the table is complete before it is
 *     linked; the block is exchanged for an invalid descriptor, SIM_DESC_BREAKING; the invalidation
 *     callback returns; the table is linked. Software that looks for a leaf meanwhile waits; the
 *     walker, which is hardware, faults.
 * S3  A split's leaves inherit output address, S2AP, AF, SH, MemAttr, XN and software bits of the
 *     block; never DBM, Contiguous or nT.
 * S4  A call that fails leaves the tables as they were.
 *
 * Concurrency: leaf lookup, walks, hardware updates and splits may run in parallel; map, store and
 * destroy are for one thread alone.
 * Cost: 8 bytes a page mapped at page grain; 1 TiB at 4 KiB is 2 GiB and is written once, in order.
 * Sources: Arm ARM DDI 0487, D8 (VMSAv8-64 translation), FEAT_HAFDBS, FEAT_LPA2.
 */
#ifndef SIM_MACHINE_STAGE2_H
#define SIM_MACHINE_STAGE2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/status.h"

/* Bits of a stage-2 descriptor. */
#define SIM_DESC_VALID		((uint64_t)1 << 0)
#define SIM_DESC_TABLE		((uint64_t)1 << 1)	/* table; at level 3: page */
#define SIM_DESC_MEMATTR_WB	((uint64_t)0xf << 2)	/* normal, write-back inner and outer */
#define SIM_DESC_R		((uint64_t)1 << 6)	/* S2AP[0] */
#define SIM_DESC_W		((uint64_t)1 << 7)	/* S2AP[1] */
#define SIM_DESC_SH_INNER	((uint64_t)3 << 8)
#define SIM_DESC_AF		((uint64_t)1 << 10)
#define SIM_DESC_NT		((uint64_t)1 << 16)
#define SIM_DESC_DBM		((uint64_t)1 << 51)
#define SIM_DESC_CONTIGUOUS	((uint64_t)1 << 52)
#define SIM_DESC_XN		((uint64_t)3 << 53)
#define SIM_DESC_XN_ALL		((uint64_t)2 << 53)	/* no execution at EL1 and EL0 */
#define SIM_DESC_SW		((uint64_t)0xf << 55)

/* An invalid descriptor that says: being replaced, break-before-make is under way. */
#define SIM_DESC_BREAKING	((uint64_t)1 << 63)

/* Attributes of an ordinary page of guest memory: write-back, readable, writable, accessed. */
#define SIM_S2_ATTRS_RW		(SIM_DESC_MEMATTR_WB | SIM_DESC_R | SIM_DESC_W | \
				 SIM_DESC_SH_INNER | SIM_DESC_AF)

/**
 * struct sim_s2_geometry - the shape of the tables
 * @granule_shift: log2 of the granule in bytes: 12, 14 or 16
 * @start_level: level of the first lookup, -1 to 3
 * @ia_bits: input address bits, 64 - T0SZ. Up to four bits more than the start level's table
 *	resolves make up to 16 concatenated start tables
 * @ds: 52-bit descriptor format of FEAT_LPA2 (VTCR_EL2.DS) for 4 and 16 KiB
 */
struct sim_s2_geometry {
	unsigned int granule_shift;
	int start_level;
	unsigned int ia_bits;
	bool ds;
};

/* The tables of a 4 KiB-granule guest with a 48-bit input address, started at level 0. */
#define SIM_S2_GEOMETRY_4K	{ .granule_shift = 12, .start_level = 0, .ia_bits = 48 }

/**
 * struct sim_s2_config - how to make tables
 * @geometry: their shape
 * @table_base_pa: physical address of the first table; aligned to 16 granules
 * @table_bytes_max: tables use no more than this; 0: 8 GiB. Beyond it calls give WEIR_ENOMEM.
 *	Address space of that size is reserved, memory is used as tables are
 */
struct sim_s2_config {
	struct sim_s2_geometry geometry;
	uint64_t table_base_pa;
	uint64_t table_bytes_max;
};

struct sim_s2;

/**
 * sim_s2_create() - tables with nothing mapped
 *
 * Return: WEIR_OK; WEIR_EINVAL for a shape the architecture does not have or a misaligned base;
 *	WEIR_ENOMEM.
 */
enum weir_status sim_s2_create(const struct sim_s2_config *cfg, struct sim_s2 **out);

/** sim_s2_destroy() - give everything back; NULL is fine */
void sim_s2_destroy(struct sim_s2 *s2);

/**
 * sim_s2_limit() - change table_bytes_max, for fault tests
 * @table_bytes_max: cut to the reserve of sim_s2_create(); below what is in use: no more tables
 */
void sim_s2_limit(struct sim_s2 *s2, uint64_t table_bytes_max);

/** sim_s2_geometry() - the shape */
const struct sim_s2_geometry *sim_s2_geometry(const struct sim_s2 *s2);

/** sim_s2_root_pa() - physical address where hardware's walks start, as in VTTBR_EL2.BADDR */
uint64_t sim_s2_root_pa(const struct sim_s2 *s2);

/**
 * sim_s2_set_root() - have hardware's walks start elsewhere
 * @vttbr: value of VTTBR_EL2: CnP, the VMID and bits below the start tables' size are ignored
 * @pa52: bits [5:2] are address bits [51:48]
 *
 * The calls that are software's (map, store, entry, leaf, split) keep to the tables they made.
 */
void sim_s2_set_root(struct sim_s2 *s2, uint64_t vttbr, bool pa52);

/**
 * sim_s2_set_memory() - physical memory beside the tables, for walks that lead there
 * @at: the 8 bytes at pa; NULL where there is no memory, which aborts the walk
 */
void sim_s2_set_memory(struct sim_s2 *s2, uint64_t *(*at)(void *ctx, uint64_t pa), void *ctx);

/**
 * sim_s2_set_invalidate() - whom to tell when a live translation is broken
 * @fn: forget cached translations of first..last (inclusive) everywhere, and return when done.
 *	sim_mmu_create() installs its own
 * @ctx: passed to it
 */
void sim_s2_set_invalidate(struct sim_s2 *s2,
			   void (*fn)(void *ctx, uint64_t first_gfn, uint64_t last_gfn), void *ctx);

/**
 * sim_s2_map() - map a run of frames
 * @first_gfn: first guest frame
 * @npages: number of frames
 * @first_pfn: first output frame
 * @attrs: the bits of a leaf but for validity, type and output address: SIM_S2_ATTRS_RW, say
 * @order: log2 of the frames a leaf maps: 0 pages, 9 or 18 for 2 MiB or 1 GiB at 4 KiB granule.
 *	All three numbers are multiples of it; with SIM_DESC_CONTIGUOUS, of a run of them
 *
 * Return: WEIR_OK; WEIR_EINVAL for misalignment, an order that no level has, or a frame outside
 *	the input or output range; WEIR_EBUSY if something is mapped there; WEIR_ENOMEM. Where it
 *	fails nothing is mapped.
 */
enum weir_status sim_s2_map(struct sim_s2 *s2, uint64_t first_gfn, uint64_t npages,
			    uint64_t first_pfn, uint64_t attrs, unsigned int order);

/**
 * sim_s2_store() - store a raw descriptor, as software that builds tables would
 * @level: of the table it goes into
 * @ipa: selects the entry
 * @desc: any value
 *
 * Makes the tables above it; a parent that is not a table is replaced by an empty one. Tables that
 * are no longer linked stay allocated until sim_s2_destroy().
 *
 * Return: WEIR_OK; WEIR_EINVAL for a level the tables do not have; WEIR_ERANGE for an ipa beyond
 *	the input range; WEIR_ENOMEM.
 */
enum weir_status sim_s2_store(struct sim_s2 *s2, int level, uint64_t ipa, uint64_t desc);

/** sim_s2_entry() - the entry for ipa in its table of a level; NULL where there is no table */
uint64_t *sim_s2_entry(const struct sim_s2 *s2, int level, uint64_t ipa);

/**
 * sim_s2_leaf() - the live leaf descriptor that maps a frame
 * @order: set to log2 of the frames it maps; where NULL is returned, of the aligned run around gfn
 *	in which nothing is mapped
 *
 * With order 0 the whole last-level table stands in order around the pointer.
 * Return: NULL where nothing is mapped.
 */
uint64_t *sim_s2_leaf(const struct sim_s2 *s2, uint64_t gfn, unsigned int *order);

/**
 * sim_s2_split_block() - replace the block that maps a frame by tables, down to a page for gfn
 *
 * A level-1 block becomes a table of level-2 blocks, of which the one that holds gfn becomes a
 * table of pages; both with one break. A block in a contiguous run first loses the hint, with its
 * run. Where a page maps gfn already there is nothing to do.
 *
 * Return: WEIR_OK; WEIR_ENOENT where nothing is mapped; WEIR_ENOMEM.
 */
enum weir_status sim_s2_split_block(struct sim_s2 *s2, uint64_t gfn);

/**
 * sim_s2_drop_contiguous() - take the Contiguous hint from the leaves that map first_gfn..last_gfn
 *
 * For whole runs, by break-before-make. Hardware may have set AF or the dirty state in any one
 * entry for all of the run: where one entry has them, all get them.
 *
 * Return: how many runs were broken.
 */
uint64_t sim_s2_drop_contiguous(struct sim_s2 *s2, uint64_t first_gfn, uint64_t last_gfn);

/**
 * sim_s2_each_leaf() - visit the valid leaves that map first_gfn..last_gfn, in gfn order
 * @fn: gets the first frame of the leaf, its order and its descriptor; false ends the walk
 *
 * Return: false if fn ended it.
 */
bool sim_s2_each_leaf(const struct sim_s2 *s2, uint64_t first_gfn, uint64_t last_gfn,
		      bool (*fn)(void *ctx, uint64_t gfn, unsigned int order, uint64_t desc),
		      void *ctx);

/**
 * sim_s2_writable_block() - whether a block in first_gfn..last_gfn has write permission or DBM
 * @gfn: set to its first frame if so; may be NULL
 *
 * Reads the upper levels only: for checkers that run often.
 */
bool sim_s2_writable_block(const struct sim_s2 *s2, uint64_t first_gfn, uint64_t last_gfn,
			   uint64_t *gfn);

/** struct sim_s2_stats - sizes and counts */
struct sim_s2_stats {
	uint64_t tables;	/* in use, concatenated start tables included */
	uint64_t table_bytes;
	uint64_t blocks_split;	/* breaks: a level-1 block split down to pages counts once */
};

void sim_s2_stats(const struct sim_s2 *s2, struct sim_s2_stats *out);

/** sim_s2_table_at() - host view of a granule of table memory; NULL where pa is not a table */
uint64_t *sim_s2_table_at(const struct sim_s2 *s2, uint64_t pa);

#endif
