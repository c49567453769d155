// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_stats(): what the log has done, counted where WEIR_DIRTY_F_COUNTERS asks for it. Here:
 * what a dense writer costs when every page traps, and when neighbours go to the hardware together.
 */
#include "tables.h"

static struct weir_dirty_stats after_dense_writer(enum weir_dirty_policy policy)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init(&tables, policy);
	struct weir_dirty_stats stats;
	uint64_t i;

	expect(weir_dirty_start(d, false) == WEIR_OK);
	for (i = 0; i < NPAGES; i++)
		guest_store(d, &tables, BASE_GFN + i);
	expect(count_dirty(d) == NPAGES);
	weir_dirty_stats(d, &stats);
	free(d);
	return stats;
}

int main(void)
{
	struct weir_dirty_stats wp = after_dense_writer(WEIR_DIRTY_WP);
	struct weir_dirty_stats fixed = after_dense_writer(WEIR_DIRTY_FIXED);

	printf("wp      %4llu faults, %4llu descriptors read\n",
	       (unsigned long long)wp.faults_trapped, (unsigned long long)wp.ptes_scanned);
	printf("fixed64 %4llu faults, %4llu descriptors read\n",
	       (unsigned long long)fixed.faults_promoted, (unsigned long long)fixed.ptes_scanned);
	expect(wp.faults_trapped == NPAGES && wp.ptes_scanned == 0);
	expect(fixed.faults_promoted == NPAGES / 64 && fixed.ptes_scanned == NPAGES);
	return 0;
}
