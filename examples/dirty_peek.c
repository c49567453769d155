// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_peek(): where the log stands on one page, for a checker or a debugger: its bit, and
 * whether the hardware records for its group.
 */
#include "tables.h"

static void show(const struct weir_dirty *d, const char *when, uint64_t gfn)
{
	unsigned int what = weir_dirty_peek(d, gfn);

	printf("%-16s bit %d, hardware %d\n", when, !!(what & WEIR_DIRTY_PEEK_BIT),
	       !!(what & WEIR_DIRTY_PEEK_HW));
}

int main(void)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init(&tables, WEIR_DIRTY_FIXED);

	expect(weir_dirty_start(d, false) == WEIR_OK);
	show(d, "at first", BASE_GFN);
	expect(weir_dirty_peek(d, BASE_GFN) == 0);

	/* The hardware keeps this page's dirtiness, in its leaf. */
	guest_store(d, &tables, BASE_GFN);
	show(d, "after a store", BASE_GFN);
	expect(weir_dirty_peek(d, BASE_GFN) & WEIR_DIRTY_PEEK_HW);

	/* The log keeps this one's. */
	expect(weir_dirty_mark(d, BASE_GFN + 64, 1) == WEIR_OK);
	show(d, "after a mark", BASE_GFN + 64);
	expect(weir_dirty_peek(d, BASE_GFN + 64) == WEIR_DIRTY_PEEK_BIT);

	expect(weir_dirty_peek(d, BASE_GFN + NPAGES) == 0);
	free(d);
	return 0;
}
