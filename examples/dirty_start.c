// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_start(): logging begins with every page clean and protected, or, as KVM's
 * INITIALLY_SET, with every page dirty and nothing protected until it is cleared.
 */
#include "tables.h"

int main(void)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init(&tables, WEIR_DIRTY_WP);

	expect(weir_dirty_start(d, false) == WEIR_OK);
	printf("clean at first: %u dirty, leaf 0 %s\n", count_dirty(d),
	       tables.page[0] & WEIR_DIRTY_DESC_W ? "writable" : "protected");
	expect(count_dirty(d) == 0);
	expect(!(tables.page[0] & WEIR_DIRTY_DESC_W));
	expect(weir_dirty_start(d, false) == WEIR_EBUSY);
	weir_dirty_stop(d);

	free(d);
	d = tables_init(&tables, WEIR_DIRTY_WP);
	expect(weir_dirty_start(d, true) == WEIR_OK);
	printf("dirty at first: %u dirty, leaf 0 %s\n", count_dirty(d),
	       tables.page[0] & WEIR_DIRTY_DESC_W ? "writable" : "protected");
	expect(count_dirty(d) == NPAGES);
	expect(tables.page[0] & WEIR_DIRTY_DESC_W);
	free(d);
	return 0;
}
