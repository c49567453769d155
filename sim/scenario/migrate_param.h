/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * migrate_param.h - the parameters of the migrate scenario, read and checked once.
 */
#ifndef SIM_SCENARIO_MIGRATE_PARAM_H
#define SIM_SCENARIO_MIGRATE_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/engine/error.h"
#include "sim/engine/param.h"
#include "sim/scenario/scenario.h"

#define PAGE_BYTES		4096u
#define POLICIES_MAX		16u
#define POLICY_NAME_BYTES	24u

/* What an action costs, ns unless the name says otherwise. */
struct migrate_cost {
	uint64_t fault_exit_ns;
	uint64_t fault_lock_ns;
	uint64_t leaf_ps;
	uint64_t split_ns;
	uint64_t split_serial_ns;
	uint64_t scan_pte_ps;
	uint64_t scan_group_ns;
	uint64_t table_ns;
	uint64_t word_ps;
	uint64_t call_ns;
	uint64_t tlbi_ns;
	uint64_t tlbi_vcpu_ns;
	uint64_t hw_dirty_ns;
	uint64_t refill_ns;
	uint64_t pause_ns;
};

/* How the guest is slowed down so that the migration converges. */
enum migrate_throttle_kind {
	MIGRATE_NO_THROTTLE = 0,
	MIGRATE_AUTO_CONVERGE,
	MIGRATE_DIRTY_LIMIT,
	MIGRATE_QUOTA
};

/* Throttles by dirty rate, and the switch to post-copy. */
struct migrate_pace_config {
	uint64_t limit_bytes_per_s;	/* dirty-limit: a vCPU's */
	uint64_t limit_period_ns;
	uint64_t quota_interval_ns;
	uint64_t quota_percent;
	uint64_t postcopy_rounds;	/* 0: never */
	uint64_t rtt_ns;
};

/* What logs cost, and how auto measures. */
struct migrate_log_config {
	uint64_t sample_ns;
	uint32_t auto_entries;		/* of the hardware's log; 0: the machine has none */
	uint64_t kick_ns;
	uint64_t entry_ns;
	uint64_t ring_exit_ns;
	uint64_t ring_entry_ns;
};

struct migrate_config {
	uint32_t nvcpus;
	uint64_t base_gfn;
	uint64_t npages;
	unsigned int map_order;
	uint32_t tlb_page_entries;
	uint32_t tlb_block_entries;

	uint64_t link_bytes_per_s;
	uint64_t header_bytes;
	uint64_t batch_pages;

	uint64_t warmup_ns;
	bool initially_set;
	bool split_eager;
	uint64_t chunk_pages;
	uint64_t downtime_limit_ns;
	uint64_t device_ns;
	uint64_t rounds_max;
	uint64_t limit_ns;
	bool cancel;			/* when the rounds are used up; else switch over by force */
	bool freeze;
	uint64_t freeze_budget_ptes;
	uint64_t assume_percent;	/* of the downtime limit, for pages assumed dirty */

	enum migrate_throttle_kind throttle;
	uint64_t throttle_trigger_percent;
	uint64_t throttle_votes;
	uint64_t throttle_initial_percent;
	uint64_t throttle_increment_percent;
	uint64_t throttle_max_percent;
	uint64_t throttle_slice_ns;

	uint32_t scan_weight;
	bool skip_tlbi;
	bool late_scan_set;
	struct migrate_cost cost;
	struct migrate_log_config log;
	struct migrate_pace_config pace;
};

/* What stands beside the bitmap. */
enum migrate_log_kind {
	MIGRATE_NO_LOG = 0,
	MIGRATE_RING,		/* a ring a vCPU, filled by its fault handler */
	MIGRATE_HDBSS		/* the hardware's log, a buffer a vCPU */
};

/* A policy to compare. */
struct migrate_policy {
	char name[POLICY_NAME_BYTES];
	uint32_t policy;		/* enum weir_dirty_policy */
	uint32_t neighbourhood;
	enum migrate_log_kind log;
	uint32_t log_entries;
	bool choose;			/* measure first, and let the library choose */
};

#define MIGRATE_NPARAMS		47u
extern const struct sim_param migrate_params[MIGRATE_NPARAMS];

#define MIGRATE_PACE_NPARAMS	6u
extern const struct sim_param migrate_pace_params[MIGRATE_PACE_NPARAMS];

/** migrate_pace_config_read() - the part of migrate_config_read() about throttles and post-copy */
void migrate_pace_config_read(struct migrate_pace_config *cfg, const struct sim_params *params);

#define MIGRATE_LOG_NPARAMS	6u
extern const struct sim_param migrate_log_params[MIGRATE_LOG_NPARAMS];

/** migrate_log_config_read() - the part of migrate_config_read() that is about logs */
bool migrate_log_config_read(struct migrate_log_config *cfg, const struct sim_params *params,
			     struct sim_error *err);

/** migrate_log_policy_read() - ring<N>, hdbss<N>, auto; false if the name is none of these */
bool migrate_log_policy_read(struct migrate_policy *policy);

/** migrate_config_read() - all but the workload; false with @err set */
bool migrate_config_read(struct migrate_config *cfg, const struct sim_params *params,
			 struct sim_error *err);

/** migrate_policies_read() - policy.names; how many, or 0 with @err set */
unsigned int migrate_policies_read(struct migrate_policy policies[POLICIES_MAX],
				   const struct sim_params *params, struct sim_error *err);

/** migrate_policy_has_hw() - does it ever hand pages to the hardware? */
bool migrate_policy_has_hw(const struct migrate_policy *policy);

#endif
