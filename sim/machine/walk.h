/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/machine/walk.h - the stage-2 walker: what the MMU does with tables and an access.
 *
 * The order of checks is the architecture's. Before the walk: does the start level go with the
 * input size, the input address against that size, the base register against the output size. At
 * each level: can the table be read, is the descriptor valid and of a type this level has, is its
 * address within the output size. At the leaf: access flag, then permission; then the hardware
 * updates, AF and (write, DBM, HA and HD) S2AP[1] together in one compare-and-swap. When that
 * loses, the new descriptor is looked at from the start. With a log (FEAT_HDBSS) the leaf that is
 * set dirty is first entered there; where that cannot be, nothing is set and the access aborts.
 *
 * Not modelled: stage 1 (input addresses are intermediate ones), caching of table descriptors.
 *
 * Concurrency: any number of walks beside descriptor changes; see stage2.h.
 * Cost: one load a level, one compare-and-swap when a bit is to be set.
 * Sources: Arm ARM DDI 0487, D8 (fault priority, hardware management of AF and dirty state).
 */
#ifndef SIM_MACHINE_WALK_H
#define SIM_MACHINE_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/machine/stage2.h"

struct sim_hdbss;

enum sim_access {
	SIM_READ = 0,
	SIM_WRITE = 1,
	SIM_EXEC = 2,		/* instruction fetch at EL1 */
	SIM_AT_READ = 3,	/* AT instructions, by a walk alone: as a load or store, but */
	SIM_AT_WRITE = 4	/* the dirty state is never set; AF may be, and is */
};

/* Fault status codes: ESR_ELx.DFSC and IFSC, at level 0; add the level. */
#define SIM_FSC_ADDRESS_SIZE	0x00u
#define SIM_FSC_TRANSLATION	0x04u
#define SIM_FSC_ACCESS_FLAG	0x08u
#define SIM_FSC_PERMISSION	0x0cu
#define SIM_FSC_WALK_EABORT	0x14u
#define SIM_FSC_ATOMIC_UPDATE	0x31u	/* has no level */

/** enum sim_fault - the kinds of fault, level apart */
enum sim_fault {
	SIM_FAULT_NONE = 0,
	SIM_FAULT_ADDRESS_SIZE,
	SIM_FAULT_TRANSLATION,
	SIM_FAULT_ACCESS_FLAG,
	SIM_FAULT_PERMISSION,
	SIM_FAULT_WALK_EABORT,
	SIM_FAULT_ATOMIC_UPDATE,
	SIM_FAULT_HDBSS	/* the hardware's log is full, or cannot be written; HDBSSF is set */
};

/**
 * struct sim_vtcr - the part of VTCR_EL2 that is not the tables' shape
 * @ha: hardware sets the access flag
 * @hd: hardware sets S2AP[1] of leaves with DBM; ignored without ha
 * @pa_bits: output size: 32, 36, 40, 42, 44, 48 or 52 (VTCR_EL2.PS)
 * @uncached: table memory is not write-back cacheable: hardware cannot update descriptors there,
 *	and an access that entails it faults
 * @inconsistent: start level and input size do not go together: every walk faults
 */
struct sim_vtcr {
	bool ha;
	bool hd;
	uint8_t pa_bits;
	bool uncached;
	bool inconsistent;
};

/**
 * struct sim_walk - what a walk, or an access, came to
 * @fault: SIM_FAULT_NONE if the access may go on
 * @fsc: fault status code with its level; 0 without a fault
 * @level: of the leaf or of the fault
 * @order: log2 of the frames the leaf maps
 * @run_order: log2 of the frames of the contiguous run the leaf says it is in; else as order
 * @tlb_hit: answered from the TLB: desc is then 0
 * @af_set: hardware set the access flag
 * @dirty_set: hardware set S2AP[1]
 * @ipa: input address
 * @oa: output address of ipa
 * @desc: the leaf after hardware updates, or the descriptor that faulted
 */
struct sim_walk {
	enum sim_fault fault;
	uint8_t fsc;
	int8_t level;
	uint8_t order;
	uint8_t run_order;
	bool tlb_hit;
	bool af_set;
	bool dirty_set;
	uint64_t ipa;
	uint64_t oa;
	uint64_t desc;
};

/**
 * struct sim_walk_hook - a place for others between a walk's reading of a leaf and its update
 * @fn: called before each compare-and-swap, with the descriptor it is about to change; what it
 *	does to the descriptor the walker must survive. NULL: none
 */
struct sim_walk_hook {
	void (*fn)(void *ctx, uint64_t *desc);
	void *ctx;
};

/**
 * sim_walk() - translate for an access, with the hardware updates it entails
 * @hook: may be NULL
 * @out: the result, all fields set
 *
 * Return: true if the access may go on.
 */
bool sim_walk(const struct sim_s2 *s2, const struct sim_vtcr *vtcr, uint64_t ipa,
	      enum sim_access access, const struct sim_walk_hook *hook, struct sim_walk *out);

/**
 * sim_walk_logged() - as sim_walk(), by a CPU with VTCR_EL2.HDBSS set
 * @log: its log; NULL: HDBSS is clear
 */
bool sim_walk_logged(const struct sim_s2 *s2, const struct sim_vtcr *vtcr, uint64_t ipa,
		     enum sim_access access, const struct sim_walk_hook *hook,
		     struct sim_hdbss *log, struct sim_walk *out);

/** sim_fault_name() - "translation", "permission" ...; "none" */
const char *sim_fault_name(enum sim_fault fault);

#endif
