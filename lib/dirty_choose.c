// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dirty_choose.c - which policy for which region, and why.
 *
 * A harvest costs, by write protection, a fault a page that was dirtied; by hardware state, a scan
 * of every group; by the hardware's log, an entry a page and a kick a vCPU. The least of the three
 * that the machine can do is the choice; on a tie the simplest, in that order.
 */
#include "dirty_internal.h"

#define COST_LOG_PAGE_NS	30u
#define COST_KICK_NS		3000u

/* 8 ms: with 2^40 pages and 2^32 vCPUs the sums below stay within 64 bits. */
#define COST_MAX_NS		0x7fffffu

static uint64_t or_default(uint32_t cost_ns, uint32_t fallback_ns)
{
	if (!cost_ns)
		return fallback_ns;
	return cost_ns < COST_MAX_NS ? cost_ns : COST_MAX_NS;
}

WEIR_API enum weir_dirty_policy weir_dirty_choose(const struct weir_dirty_load *load,
						  const char **why)
{
	uint64_t npages = load->npages < WEIR_DIRTY_PAGES_MAX ? load->npages : WEIR_DIRTY_PAGES_MAX;
	uint64_t dirty = load->dirty_pages < npages ? load->dirty_pages : npages;
	uint64_t groups = (npages + 63u) >> GROUP_SHIFT;
	uint64_t by_fault = dirty * or_default(load->cost_fault_ns, COST_FAULT_NS);
	uint64_t by_scan = groups * or_default(load->cost_scan_group_ns, COST_SCAN_GROUP_NS);
	uint64_t by_log = dirty * or_default(load->cost_log_page_ns, COST_LOG_PAGE_NS) +
			  load->nvcpus * or_default(load->cost_kick_ns, COST_KICK_NS);
	bool dbm = (load->flags & WEIR_DIRTY_F_DBM) &&
		   !(load->flags & WEIR_DIRTY_F_DBM_NEEDS_BBM);
	bool log = dbm && (load->flags & WEIR_DIRTY_F_HDBSS);
	const char *reason;
	enum weir_dirty_policy policy;

	if (!dbm) {
		policy = WEIR_DIRTY_WP;
		reason = "write protection: the hardware cannot keep dirty state here";
	} else if (by_fault <= by_scan && (!log || by_fault <= by_log)) {
		policy = WEIR_DIRTY_WP;
		reason = "write protection: few pages are written, their faults are cheapest";
	} else if (log && by_log < by_scan) {
		policy = WEIR_DIRTY_HDBSS;
		reason = "the hardware's log: cheaper than faults and than scanning the region";
	} else {
		policy = WEIR_DIRTY_DBM_ALL;
		reason = "hardware dirty state: many pages are written, scanning is cheapest";
	}
	if (why)
		*why = reason;
	return policy;
}
