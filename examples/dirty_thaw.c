// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_thaw(): the guest is not stopped after all (it still writes too fast), so pages are
 * handed to the hardware again.
 */
#include "tables.h"

int main(void)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init(&tables, WEIR_DIRTY_FIXED);
	struct weir_dirty_fault_info info;
	struct weir_dirty_cursor cur;

	expect(weir_dirty_start(d, false) == WEIR_OK);
	weir_dirty_cursor_init(d, &cur);
	expect(weir_dirty_freeze(d, &cur, 0) == WEIR_OK);
	expect(weir_dirty_fault(d, BASE_GFN, &info) == WEIR_OK);
	expect(info.outcome == WEIR_DIRTY_TRAPPED);

	weir_dirty_thaw(d);
	expect(weir_dirty_fault(d, BASE_GFN + 64, &info) == WEIR_OK);
	printf("frozen, a fault traps; thawed, it promotes\n");
	expect(info.outcome == WEIR_DIRTY_PROMOTED);
	free(d);
	return 0;
}
