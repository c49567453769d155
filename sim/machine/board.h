/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/machine/board.h - the small machine on which stage-2 scripts run.
 *
 * Physical memory: 128 MiB of flash at 0, which holds zeros and ignores stores; RAM from 0x40000000
 * to 0x5fffffff; nothing elsewhere. Stage-2 tables grow from 0x44000000. The data pages 0x48000000
 * to 0x49ffffff hold their own address in every doubleword, and at +0xff0 of each page two HVC
 * instructions. Accesses come from code that is itself fetched through stage 2, from 0x40200000.
 *
 * One vCPU, stage 1 off. Without a TLB, as it is by default, each operation walks.
 */
#ifndef SIM_MACHINE_BOARD_H
#define SIM_MACHINE_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/machine/mmu.h"
#include "sim/machine/vtcr.h"
#include "sim/machine/walk.h"

#define BOARD_CODE	UINT64_C(0x40200000)
#define BOARD_TABLES	UINT64_C(0x44000000)
#define BOARD_TABLES_BYTES	(UINT64_C(64) << 20)

/* How an access that passed stage 2 ended. */
enum sim_board_end {
	SIM_BOARD_OK = 0,
	SIM_BOARD_LANDED,	/* a store changed a data page */
	SIM_BOARD_STAGE2,	/* a stage-2 fault: walk says which */
	SIM_BOARD_CONFLICT,	/* the TLB holds what contradicts the walk: abort, 0x30 */
	SIM_BOARD_EL1_SIZE,	/* beyond the physical address size: stage 1's fault, at EL1 */
	SIM_BOARD_EL1_ABORT,	/* nothing answers at that address: an external abort, at EL1 */
	SIM_BOARD_EL1_UNDEFINED	/* fetched what is no instruction */
};

/**
 * struct sim_board_access - what an access came to
 * @end: how it ended
 * @fetch: the fault is one of fetching that code or the target: an instruction abort
 * @address: the address that faulted
 * @walk: the walk of the access, or of the code's fetch if that faulted
 * @value: what was loaded; where a store landed
 */
struct sim_board_access {
	enum sim_board_end end;
	bool fetch;
	uint64_t address;
	struct sim_walk walk;
	uint64_t value;
};

struct sim_board;

/**
 * struct sim_board_caps - what the machine has beyond, or short of, the recorded one
 * @tlb: translations are cached until they are invalidated, each under its VMID
 * @no_lpa2: DS and SL2 are RES0
 * @hdbss: FEAT_HDBSS
 * @bbm_level: 0 to 2; see struct sim_mmu_config
 */
struct sim_board_caps {
	bool tlb;
	bool no_lpa2;
	bool hdbss;
	unsigned int bbm_level;
};

/** sim_board_create() - from reset: no tables */
struct sim_board *sim_board_create(const struct sim_board_caps *caps);

/** sim_board_destroy() - give it back; NULL is fine */
void sim_board_destroy(struct sim_board *b);

/** sim_board_configure() - new tables of a shape, with the code mapped where it fits */
void sim_board_configure(struct sim_board *b, const struct sim_vtcr_fields *f);

/** sim_board_tables() - the tables; NULL before the first sim_board_configure() */
struct sim_s2 *sim_board_tables(const struct sim_board *b);

/** sim_board_mmu() - the MMU: its TLB and its log; NULL before the first sim_board_configure() */
struct sim_mmu *sim_board_mmu(const struct sim_board *b);

/** sim_board_set_vttbr() - write VTTBR_EL2 */
void sim_board_set_vttbr(struct sim_board *b, uint64_t vttbr);

/** sim_board_access() - a load, store or fetch at EL1, by that code; data: what to store */
void sim_board_access(struct sim_board *b, uint64_t address, enum sim_access access, uint64_t data,
		      struct sim_board_access *out);

/** sim_board_translate() - AT S12E1R or W (write); false: the walk of out faulted */
bool sim_board_translate(struct sim_board *b, uint64_t address, bool write, struct sim_walk *out);

#endif
