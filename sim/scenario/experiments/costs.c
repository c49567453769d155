// SPDX-License-Identifier: BSD-2-Clause
/*
 * costs.c - the cost file. `weir-sim experiment fit` repeats the fit and prints what is left over.
 */
#include "sim/scenario/experiments/costs.h"

#define SPARSE "eager-split series (2023), sparse write, 1..152 vCPUs"

const struct experiment_cost experiment_costs[EXPERIMENT_NCOSTS] = {
	{"cost.fault_exit_ns", "3450", true, "fit: " SPARSE},
	{"cost.fault_lock_ns", "165", true,
	 "fit: " SPARSE "; the 2023 series' machine has perf2023.fault_lock_ns"},
	{"cost.split_ns", "1490", true, "fit: " SPARSE},
	{"cost.split_serial_ns", "1330", true, "fit: " SPARSE},
	{"cost.leaf_ps", "38100", true,
	 "the 2023 series' row before: CLEAR, 0.48 s for 12.58 M pages"},
	{"cost.word_ps", "2390", true,
	 "the 2023 series' row before: GET, 0.47 ms for 196608 words"},
	{"cost.scan_pte_ps", "2400", true, "the 2021 HTTU series: 40 ms for 64 GiB, one thread"},
	{"cost.scan_group_ns", "0", false,
	 "in the 2.4 ns of the 2021 series; a jump costs a descent of the tables"},
	{"cost.table_ns", "20", false, "assumed: two cache misses, overlapped"},
	{"cost.call_ns", "1000", false, "assumed: a system call and its locks"},
	{"cost.tlbi_ns", "1800", false, "assumed: as a split without contention"},
	{"cost.tlbi_vcpu_ns", "200", false, "assumed"},
	{"cost.hw_dirty_ns", "100", false, "assumed: compare-and-swap in the walker"},
	{"cost.tlb_refill_ns", "50", false, "assumed: a walk whose descriptors are cached"},
	{"cost.pause_ns", "20000", false, "assumed: kicking vCPUs out"},
	{"cost.log_kick_ns", "3000", false, "assumed: as a write fault"},
	{"cost.log_entry_ns", "30", false, "assumed: no measured figure of FEAT_HDBSS is known"},
	{"cost.ring_exit_ns", "5000", false, "assumed"},
	{"cost.ring_entry_ns", "30", false, "assumed"},
};
