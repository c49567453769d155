// SPDX-License-Identifier: BSD-2-Clause
/*
 * migrate_cost.c - a price for what the library did.
 *
 * The library counts (WEIR_DIRTY_F_COUNTERS), and so does the glue under it. A bill is the
 * difference across a call: descriptors read and changed, groups begun, descents, invalidations,
 * splits. Each has a price of its own; the sum is rounded down to whole nanoseconds.
 */
#include "sim/scenario/migrate_internal.h"

void migrate_bill_open(struct migrate *m, struct migrate_bill *bill)
{
	weir_dirty_stats(m->d, &bill->stats);
	bill->leaves = m->glue.counts[SIM_DIRTY_OP_LEAF];
	bill->splits = m->glue.counts[SIM_DIRTY_OP_BLOCK_SPLIT] + m->figures.splits_eager;
}

/*
 * When a split that begins at start_ns is over. Filling the table and taking the block out is its
 * vCPU's own work; the broadcast invalidations of all vCPUs' splits are carried out one after the
 * other. free_ns: when those that began before are through.
 */
uint64_t migrate_split_end(const struct migrate_cost *cost, uint64_t start_ns, uint64_t *free_ns)
{
	uint64_t ns = start_ns + cost->split_ns;

	if (ns < *free_ns)
		ns = *free_ns;
	*free_ns = ns + cost->split_serial_ns;
	return *free_ns;
}

uint64_t migrate_bill_ns(struct migrate *m, const struct migrate_bill *bill, uint64_t words)
{
	const struct migrate_cost *cost = &m->cfg->cost;
	struct migrate_bill now;
	uint64_t scanned, changed, ns, ps;

	migrate_bill_open(m, &now);
	scanned = now.stats.ptes_scanned - bill->stats.ptes_scanned;
	changed = now.stats.ptes_rearmed - bill->stats.ptes_rearmed +
		  now.stats.leaves_promoted - bill->stats.leaves_promoted +
		  now.stats.leaves_demoted - bill->stats.leaves_demoted;
	ps = scanned * cost->scan_pte_ps + changed * cost->leaf_ps + words * cost->word_ps;
	ns = cost->call_ns;
	ns += scanned / WEIR_DIRTY_GROUP_PAGES * cost->scan_group_ns;
	ns += (now.leaves - bill->leaves) * cost->table_ns;
	ns += (now.stats.tlbi_ranges - bill->stats.tlbi_ranges) * cost->tlbi_ns;
	ns += (now.splits - bill->splits) * (cost->split_ns + cost->split_serial_ns);
	return ns + ps / 1000;
}
