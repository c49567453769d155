// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_log(): entries of the hardware's log (FEAT_HDBSS) become dirty pages; nothing is
 * scanned.
 */
#include "tables.h"

int main(void)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init_flags(&tables, WEIR_DIRTY_HDBSS, WEIR_DIRTY_F_HDBSS);
	struct weir_dirty_stats stats;
	uint64_t log[2];

	expect(weir_dirty_start(d, false) == WEIR_OK);
	guest_store(d, &tables, BASE_GFN + 600);		/* the leaf is set dirty, and: */
	log[0] = (BASE_GFN + 600) << 12 | WEIR_DIRTY_LOG_VALID;
	log[1] = 0;						/* not written yet */
	expect(weir_dirty_log(d, log, 2, 12) == 1);
	weir_dirty_stats(d, &stats);
	printf("%u dirty, %llu descriptors scanned\n", count_dirty(d),
	       (unsigned long long)stats.ptes_scanned);
	expect(count_dirty(d) == 1 && stats.ptes_scanned == 0);
	free(d);
	return 0;
}
