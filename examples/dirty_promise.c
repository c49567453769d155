// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_promise(): before the guest is stopped, what would a get in the pause cost at most?
 */
#include "tables.h"

int main(void)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init(&tables, WEIR_DIRTY_DBM_ALL);
	struct weir_dirty_promise before, after;
	struct weir_dirty_cursor all;

	expect(weir_dirty_start(d, false) == WEIR_OK);
	guest_store(d, &tables, BASE_GFN + 700);
	weir_dirty_promise(d, &before);
	weir_dirty_cursor_init(d, &all);
	expect(weir_dirty_freeze(d, &all, 0) == WEIR_OK);
	weir_dirty_promise(d, &after);
	printf("descriptors to read in the pause: %llu, frozen: %llu\n",
	       (unsigned long long)before.ptes, (unsigned long long)after.ptes);
	expect(before.ptes == NPAGES);		/* everything is in the scan set */
	expect(after.ptes == 0 && after.words == 1);
	free(d);
	return 0;
}
