// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_fault(): the first write to a page traps. By the fixed policy its neighbourhood of 64
 * pages goes to the hardware, whose later writes do not trap. A block is split first.
 */
#include "tables.h"

int main(void)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init(&tables, WEIR_DIRTY_FIXED);
	struct weir_dirty_fault_info info;
	unsigned int invalidations;

	tables.block = DESC_BLOCK | WEIR_DIRTY_DESC_AF | WEIR_DIRTY_DESC_W;
	expect(weir_dirty_start(d, false) == WEIR_OK);
	expect(weir_dirty_fault(d, BASE_GFN + 5, &info) == WEIR_OK);
	printf("first write: split %d, %u leaves written\n", info.split, info.leaves);
	expect(info.outcome == WEIR_DIRTY_PROMOTED && info.split && tables.splits == 1);

	/* A neighbour does not trap; the page itself is writable already. */
	expect(guest_store(d, &tables, BASE_GFN + 6) == 0);
	invalidations = tables.invalidations;
	expect(weir_dirty_fault(d, BASE_GFN + 5, &info) == WEIR_OK);
	expect(info.outcome == WEIR_DIRTY_SPURIOUS && info.leaves == 0);
	expect(tables.invalidations == invalidations);
	printf("two pages written, %u in the log\n", count_dirty(d));
	expect(count_dirty(d) == 2);

	expect(weir_dirty_fault(d, BASE_GFN + NPAGES, &info) == WEIR_ERANGE);
	free(d);
	return 0;
}
