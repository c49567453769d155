/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * its_internal.h - what the parts of the ITS share: its.c (its life, translation), its_regs.c (the
 * registers), its_queue.c (the command queue), its_cmd.c and its_vcmd.c (what commands do),
 * its_table.c (tables in guest memory), its_mem.c and its_held.c (the two places for mappings),
 * its_vpe.c (the vPE table), its_save.c (the layout of saved tables).
 */
#ifndef SIM_MACHINE_ITS_INTERNAL_H
#define SIM_MACHINE_ITS_INTERNAL_H

#include "sim/machine/its.h"

#define ITS_ICID_NONE	UINT32_MAX
#define ITS_PE_MASK	UINT64_C(0xfffffffff) /* RDbase: bits 51:16 of its word */

/* Bits [first, last] of a word. */
static inline uint64_t its_field(uint64_t word, unsigned int first, unsigned int last)
{
	return word >> first & ((UINT64_C(2) << (last - first)) - 1);
}

/* The tables: BASER n is of type n + 1 but for the last. */
enum its_table_kind {
	ITS_TABLE_DEVICE = 0,
	ITS_TABLE_COLLECTION,
	ITS_TABLE_VPE,
	ITS_TABLES
};

/* A table as its BASER describes it. */
struct its_table {
	uint64_t base;
	uint64_t page_bytes;
	uint64_t nbytes;     /* of the flat table, or of level 1 */
	uint64_t nentries;   /* 0 if it is not Valid */
	uint32_t entry_bytes;
	bool indirect;
};

enum its_entry {
	ITS_ENTRY_AT = 0,
	ITS_ENTRY_OOR,	  /* beyond the table */
	ITS_ENTRY_ABSENT, /* its level-1 entry is not valid */
	ITS_ENTRY_FAULT	  /* level 1 is not in memory */
};

struct its_dev {
	bool valid;
	uint32_t bits; /* of an EventID */
	uint64_t itt;
};

struct its_coll {
	bool valid;
	uint32_t pe;
};

struct its_ite {
	bool valid;
	bool is_virtual;
	uint32_t intid;
	uint32_t icid; /* or the vPE */
	uint32_t doorbell;
};

/*
 * A place for mappings. Getters answer SIM_ITS_OK with `valid` false for what is not mapped. Event
 * numbers are in the device's range.
 */
struct its_store {
	enum sim_its_code (*dev_get)(struct sim_its *its, uint32_t did, struct its_dev *dev);
	enum sim_its_code (*dev_set)(struct sim_its *its, uint32_t did, const struct its_dev *dev);
	enum sim_its_code (*coll_get)(struct sim_its *its, uint32_t icid, struct its_coll *coll);
	enum sim_its_code (*coll_set)(struct sim_its *its, uint32_t icid,
				      const struct its_coll *coll);
	enum sim_its_code (*ite_get)(struct sim_its *its, uint32_t did, const struct its_dev *dev,
				     uint32_t eid, struct its_ite *ite);
	enum sim_its_code (*ite_set)(struct sim_its *its, uint32_t did, const struct its_dev *dev,
				     uint32_t eid, const struct its_ite *ite);
	/* A BASER is no longer Valid. */
	void (*table_gone)(struct sim_its *its, enum its_table_kind kind);
};

struct its_held; /* its_held.c */

struct sim_its {
	struct sim_its_config cfg;
	const struct its_store *store;
	struct sim_gic *gic;
	struct sim_ram *ram;
	enum sim_gic_v4 v4;
	uint32_t npes;
	struct sim_gic_listener listener;
	struct sim_its_hooks hooks;
	void *hooks_ctx;
	struct sim_its_stats stats;

	bool enabled;
	bool stalled;
	uint64_t cbaser, cwriter, creadr;
	uint64_t baser[ITS_TABLES];

	struct its_held *held;
};

extern const struct its_store its_mem_store;
extern const struct its_store its_held_store;

/* its_table.c */
struct its_table its_table_get(const struct sim_its *its, enum its_table_kind kind);
enum its_entry its_table_at(const struct sim_its *its, const struct its_table *table,
			    uint64_t index, uint64_t *addr);
/* Where to write an entry; one that is absent is out of range. */
enum sim_its_code its_table_place(struct sim_its *its, enum its_table_kind kind, uint32_t index,
				  enum sim_its_code oor, uint64_t *addr);
uint32_t its_entry_bytes(const struct sim_its *its, enum its_table_kind kind);
uint32_t its_ite_bytes(const struct sim_its *its);

/* its_held.c */
struct its_held *its_held_create(void);
/* Forget all mappings, and free what they took. */
void its_held_drop(struct sim_its *its);

/* its_vpe.c: the vPE table, GICv4 only. */
enum sim_its_code its_vpe_get(struct sim_its *its, uint32_t id, struct sim_gic_vpe *vpe);
enum sim_its_code its_vpe_set(struct sim_its *its, const struct sim_gic_vpe *vpe);
enum sim_its_code its_vpe_unset(struct sim_its *its, uint32_t id);

/* its.c: look up what a command names; the code says what is missing. */
enum sim_its_code its_find_dev(struct sim_its *its, uint32_t did, struct its_dev *dev);
enum sim_its_code its_find_event(struct sim_its *its, uint32_t did, uint32_t eid,
				 struct its_dev *dev, struct its_ite *ite);
enum sim_its_code its_find_pe(struct sim_its *its, uint32_t icid, uint32_t *pe);
void its_invalidate(struct sim_its *its, enum sim_its_scope scope, uint32_t did, uint32_t eid,
		    uint32_t icid);

/* its_queue.c */
uint64_t its_queue_bytes(const struct sim_its *its);
/* Execute what may be executed, up to commands_max; whether there is more. */
bool its_queue_run(struct sim_its *its);

/* its_cmd.c, its_vcmd.c */
enum sim_its_code its_execute(struct sim_its *its, const uint64_t cmd[4]);
enum sim_its_code its_execute_v4(struct sim_its *its, const uint64_t cmd[4]);
enum sim_its_code its_map_check(struct sim_its *its, uint32_t did, uint32_t eid,
				struct its_dev *dev);
enum sim_its_code its_map_event(struct sim_its *its, uint32_t did, const struct its_dev *dev,
				uint32_t eid, const struct its_ite *ite);

#endif
