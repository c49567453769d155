// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_choose(): which kind of dirty state for a region of 64 GiB, and why.
 */
#include "tables.h"

int main(void)
{
	struct weir_dirty_load load = {
		.npages = (uint64_t)64 << 18, .dirty_pages = 1000, .nvcpus = 16,
		.flags = WEIR_DIRTY_F_DBM,
	};
	const char *why;

	expect(weir_dirty_choose(&load, &why) == WEIR_DIRTY_WP);
	printf("1000 pages a round: %s\n", why);
	load.dirty_pages = 1000000;
	expect(weir_dirty_choose(&load, &why) == WEIR_DIRTY_DBM_ALL);
	printf("1000000 pages a round: %s\n", why);
	load.flags |= WEIR_DIRTY_F_HDBSS;
	expect(weir_dirty_choose(&load, &why) == WEIR_DIRTY_HDBSS);
	printf("with FEAT_HDBSS: %s\n", why);
	return 0;
}
