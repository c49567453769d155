// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_mark(): a writer that does not fault (the VMM, a device model, DMA) says what it
 * wrote, after it wrote it.
 */
#include "tables.h"

int main(void)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init(&tables, WEIR_DIRTY_ADAPTIVE);
	enum weir_status status;

	expect(weir_dirty_start(d, false) == WEIR_OK);
	/* A buffer of 100 pages that crosses a group of 64. */
	expect(weir_dirty_mark(d, BASE_GFN + 30, 100) == WEIR_OK);
	printf("marked 100 pages, %u in the log\n", count_dirty(d));
	expect(count_dirty(d) == 100);

	/* One page too far: refused as a whole. */
	status = weir_dirty_mark(d, BASE_GFN + NPAGES - 1, 2);
	printf("past the end: %s\n", weir_status_str(status));
	expect(status == WEIR_ERANGE);
	expect(count_dirty(d) == 100);
	free(d);
	return 0;
}
