/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/machine/mmu.h - the MMUs of a guest's vCPUs: one set of stage-2 tables, a TLB each.
 *
 * sim_mmu_access() is what a load, store or fetch of a vCPU goes through: TLB, else walk (which may
 * set AF and the dirty state in the leaf) and fill. It does not touch memory contents: when it
 * returns true, the caller does (sim_content_store()).
 *
 * Concurrency: accesses of different vCPUs may run in parallel; an invalidation may not run beside
 * accesses (the simulator's events are atomic, so it does not).
 * Cost: a TLB hit is one function call and one set of the TLB.
 */
#ifndef SIM_MACHINE_MMU_H
#define SIM_MACHINE_MMU_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/machine/hdbss.h"
#include "sim/machine/stage2.h"
#include "sim/machine/tlb.h"
#include "sim/machine/tlbi.h"
#include "sim/machine/walk.h"

#define SIM_MMU_VCPUS_MAX	4096u

/**
 * struct sim_mmu_config - how to make them
 * @nvcpus: 1 to SIM_MMU_VCPUS_MAX
 * @vtcr: hardware updates and output size
 * @tlb_page_entries: see sim_tlb_create(); 0: default
 * @tlb_block_entries: likewise
 * @sticky_permissions: a cached translation that forbids the access faults without a walk, as the
 *	architecture allows. Software must then invalidate (locally) after every permission fault,
 *	a spurious one too. false: such an access is walked again
 * @bbm_level: FEAT_BBM of the machine, 0 to 2: at 1 and 2 a block with nT is never cached
 * @check_conflicts: look at each fill whether it contradicts what that TLB holds, and count it: a
 *	checker of break-before-make, which at level 2 lets a change of size alone pass. O(capacity)
 *	a miss
 * @log_memory: physical memory that holds the hardware's dirty logs; NULL: there is none
 * @log_memory_ctx: passed to it
 */
struct sim_mmu_config {
	unsigned int nvcpus;
	struct sim_vtcr vtcr;
	uint32_t tlb_page_entries;
	uint32_t tlb_block_entries;
	bool sticky_permissions;
	unsigned int bbm_level;
	bool check_conflicts;
	uint64_t *(*log_memory)(void *ctx, uint64_t pa);
	void *log_memory_ctx;
};

struct sim_mmu;

/**
 * sim_mmu_create() - MMUs with empty TLBs over tables; becomes the tables' invalidation
 *
 * Return: WEIR_OK; WEIR_EINVAL for a number out of range. Memory that is short ends the program.
 */
enum weir_status sim_mmu_create(const struct sim_mmu_config *cfg, struct sim_s2 *s2,
				struct sim_mmu **out);

/** sim_mmu_destroy() - give them back, before the tables; NULL is fine */
void sim_mmu_destroy(struct sim_mmu *m);

/**
 * sim_mmu_access() - a vCPU accesses a page
 * @vcpu: below nvcpus
 * @gfn: guest frame
 * @out: what happened; may be NULL. Its ipa and oa are of the page's first byte
 *
 * Return: true if the access may go on; false: a fault, which out describes.
 */
bool sim_mmu_access(struct sim_mmu *m, unsigned int vcpu, uint64_t gfn, enum sim_access access,
		    struct sim_walk *out);

/** sim_mmu_invalidate() - forget first_gfn..last_gfn (inclusive) on every vCPU (broadcast TLBI) */
void sim_mmu_invalidate(struct sim_mmu *m, uint64_t first_gfn, uint64_t last_gfn);

/** sim_mmu_tlbi() - a broadcast TLBI by intermediate address or range, with its level hint */
void sim_mmu_tlbi(struct sim_mmu *m, const struct sim_tlbi *tlbi);

/** sim_mmu_invalidate_local() - forget one frame on one vCPU */
void sim_mmu_invalidate_local(struct sim_mmu *m, unsigned int vcpu, uint64_t gfn);

/** sim_mmu_invalidate_vmid() - forget all of the current VMID on every vCPU (VMALLS12E1IS) */
void sim_mmu_invalidate_vmid(struct sim_mmu *m);

/** sim_mmu_invalidate_all() - forget everything on every vCPU, of every VMID (ALLE1IS) */
void sim_mmu_invalidate_all(struct sim_mmu *m);

/** sim_mmu_set_vmid() - the guest runs under another VMID; invalidations then concern that one */
void sim_mmu_set_vmid(struct sim_mmu *m, uint16_t vmid);

/**
 * sim_mmu_any_writable() - whether a vCPU could store to a frame without a walk, for checkers
 * @vcpu: set to the lowest such vCPU; may be NULL
 */
bool sim_mmu_any_writable(const struct sim_mmu *m, uint64_t gfn, unsigned int *vcpu);

/**
 * sim_mmu_hdbss_arm() - give a vCPU a log (FEAT_HDBSS), in the order that hdbss.h asks for
 * @base_pa, nentries: its buffer; see sim_hdbss_encode()
 *
 * Return: WEIR_OK; WEIR_EINVAL for a buffer that cannot be one; WEIR_EBUSY with a log on already;
 *	WEIR_EOPNOTSUPP where hardware does not set the dirty state. Then nothing has changed.
 */
enum weir_status sim_mmu_hdbss_arm(struct sim_mmu *m, unsigned int vcpu, uint64_t base_pa,
				   uint64_t nentries);

/**
 * sim_mmu_hdbss_disarm() - take it away again: the buffer is free after this
 *
 * Return: WEIR_OK, also without a log; WEIR_EBUSY while it holds entries that were not drained: it
 *	stays on.
 */
enum weir_status sim_mmu_hdbss_disarm(struct sim_mmu *m, unsigned int vcpu);

/**
 * sim_mmu_hdbss_set() - VTCR_EL2.HDBSS of one vCPU, as a raw write: no order is kept
 */
void sim_mmu_hdbss_set(struct sim_mmu *m, unsigned int vcpu, bool on);

/** sim_mmu_hdbss() - a vCPU's log, its registers to be read and written */
struct sim_hdbss *sim_mmu_hdbss(struct sim_mmu *m, unsigned int vcpu);

/** sim_mmu_set_walk_hook() - see struct sim_walk_hook; fn NULL removes it */
void sim_mmu_set_walk_hook(struct sim_mmu *m, struct sim_walk_hook hook);

/** sim_mmu_tables() - the tables it walks */
struct sim_s2 *sim_mmu_tables(const struct sim_mmu *m);

/** struct sim_mmu_stats - counters since creation, summed over vCPUs */
struct sim_mmu_stats {
	uint64_t tlb_hits;
	uint64_t tlb_misses;	/* walks */
	uint64_t faults;
	uint64_t af_updates;
	uint64_t dirty_updates;
	uint64_t tlb_conflicts;		/* with check_conflicts */
	uint64_t invalidations;		/* broadcast, by range and of all */
	uint64_t local_invalidations;
};

void sim_mmu_stats(const struct sim_mmu *m, struct sim_mmu_stats *out);

#endif
