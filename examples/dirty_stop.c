// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_stop(): logging ends; what was not collected is forgotten, and a page that still traps
 * becomes writable at its next fault, without being recorded.
 */
#include "tables.h"

int main(void)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init(&tables, WEIR_DIRTY_WP);
	struct weir_dirty_fault_info info;

	expect(weir_dirty_start(d, false) == WEIR_OK);
	guest_store(d, &tables, BASE_GFN);
	weir_dirty_stop(d);
	weir_dirty_stop(d);	/* harmless */

	expect(weir_dirty_fault(d, BASE_GFN + 7, &info) == WEIR_OK);
	printf("a fault after stop: %s\n",
	       info.outcome == WEIR_DIRTY_UNTRACKED ? "untracked" : "tracked");
	expect(info.outcome == WEIR_DIRTY_UNTRACKED);
	expect(tables.page[7] & WEIR_DIRTY_DESC_W);
	expect(weir_dirty_peek(d, BASE_GFN + 7) == 0);
	free(d);	/* there is nothing else to take down */
	return 0;
}
