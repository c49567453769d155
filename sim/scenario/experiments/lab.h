/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/scenario/experiments/lab.h - the machine of dirty_log_perf_test: vCPUs that each write their
 * own memory in one pass, and stand still while the log is read.
 *
 * The library is the real one, over real tables, walker and TLBs; every access goes through
 * sim_mmu_access(), every fault through weir_dirty_fault(). The lab adds time:
 *
 * L1  A pass takes as long as its slowest vCPU. vCPUs are idle during start, GET, CLEAR and freeze,
 *     as in the selftest.
 * L2  A fault is an exit (cost.fault_exit_ns), the lock in order of arrival (ties: the lower
 *     vCPU), held for cost.fault_lock_ns and a descriptor change each (cost.leaf_ps), and where a
 *     block was split, the split outside of the lock: cost.split_ns on its own, and then, one
 *     split after the other in the order of the lock, its broadcasts (cost.split_serial_ns). As
 *     in the migrate scenario, but for the guest's clock.
 * L3  Between two faults a vCPU is simulated ahead of the others. That is exact: vCPUs have memory
 *     of their own, in whole last-level tables, and nothing is promoted or split across tables.
 * L4  An exact log of what was written since it was last taken stands beside the library's; a page
 *     that GET does not report is lost.
 *
 * Cost: about 30 ns an access that does not fault, 150 ns one that does; 8 bytes a page.
 */
#ifndef SIM_SCENARIO_EXPERIMENTS_LAB_H
#define SIM_SCENARIO_EXPERIMENTS_LAB_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/dirty.h"
#include "sim/engine/error.h"
#include "sim/engine/param.h"

/**
 * struct lab_config - the machine
 * @nvcpus: vCPUs
 * @vcpu_pages: pages of each; a multiple of the leaf's
 * @map_order: log2 of the pages a leaf maps: 0, 9, 18
 * @policy: an enum weir_dirty_policy
 * @neighbourhood: for FIXED
 * @scan_weight: for ADAPTIVE; 0: 1
 * @split_maps_one: a split by a fault maps only the page that faulted; every other page of the
 *	block faults at its first access, a read as well (KVM arm64 without eager splitting). For WP
 * @params: the costs, cost.*
 */
struct lab_config {
	uint32_t nvcpus;
	uint64_t vcpu_pages;
	unsigned int map_order;
	uint32_t policy;
	uint32_t neighbourhood;
	uint32_t scan_weight;
	bool split_maps_one;
	const struct sim_params *params;
};

/**
 * struct lab_pattern - what each vCPU does in a pass
 * @first_page: of its memory
 * @naccesses: how many pages it touches
 * @step: how far apart
 * @write_every: 1: all accesses are writes; n: one of n, the others read
 */
struct lab_pattern {
	uint64_t first_page;
	uint64_t naccesses;
	uint64_t step;
	uint64_t write_every;
};

struct lab;

/** lab_create() - a machine that has populated its memory; logging is off. NULL with @err set */
struct lab *lab_create(const struct lab_config *cfg, struct sim_error *err);
void lab_destroy(struct lab *lab);

/*
 * What one would time: each returns ns. lab_get() reads into a bitmap of the region,
 * lab_get_words() into pairs and leaves groups without dirty pages out. lab_clear() clears what
 * the last of the two reported.
 */
uint64_t lab_start(struct lab *lab, bool all_dirty);
uint64_t lab_pass(struct lab *lab, const struct lab_pattern *pattern);
uint64_t lab_get(struct lab *lab);
uint64_t lab_get_words(struct lab *lab);
uint64_t lab_clear(struct lab *lab);
uint64_t lab_freeze(struct lab *lab);
void lab_thaw(struct lab *lab);

/** lab_set_scan_ps() - another price of a descriptor that is read, from now on */
void lab_set_scan_ps(struct lab *lab, uint64_t scan_pte_ps);

/** lab_pages() - pages of the machine */
uint64_t lab_pages(const struct lab *lab);

/** lab_faults() - faults of the last pass; lab_dirty() - pages the last GET reported */
uint64_t lab_faults(const struct lab *lab);
uint64_t lab_dirty(const struct lab *lab);

/** lab_lost() - pages written and not reported, in all GETs so far; lab_stats() - the log's */
uint64_t lab_lost(const struct lab *lab);
void lab_stats(const struct lab *lab, struct weir_dirty_stats *out);

/** lab_broken() - a call of the library failed; what it was is in @err of lab_create() */
bool lab_broken(const struct lab *lab);

#endif
