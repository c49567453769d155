// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_clear(): forget that the pages of a mask are dirty, and catch their next write. Read
 * their content after this call, and never before.
 */
#include "tables.h"

int main(void)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init(&tables, WEIR_DIRTY_WP);
	const uint64_t mask = (uint64_t)1 << 3;

	expect(weir_dirty_start(d, false) == WEIR_OK);
	guest_store(d, &tables, BASE_GFN + 3);
	guest_store(d, &tables, BASE_GFN + 4);
	expect(count_dirty(d) == 2);

	expect(weir_dirty_clear(d, BASE_GFN, 64, &mask) == WEIR_OK);
	printf("after clearing one of two: %u dirty, %u invalidations\n", count_dirty(d),
	       tables.invalidations);
	expect(count_dirty(d) == 1);

	expect(guest_store(d, &tables, BASE_GFN + 3) == 1);	/* trapped again */
	expect(guest_store(d, &tables, BASE_GFN + 4) == 0);	/* was not cleared */
	expect(count_dirty(d) == 2);
	free(d);
	return 0;
}
