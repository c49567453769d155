// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_fold(): a live leaf is replaced (here: unmapped). What the hardware recorded in it
 * must not be lost with it.
 */
#include "tables.h"

int main(void)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init(&tables, WEIR_DIRTY_DBM_ALL);
	uint64_t *leaf = &tables.page[9];
	uint64_t old;

	expect(weir_dirty_start(d, false) == WEIR_OK);
	guest_store(d, &tables, BASE_GFN + 9);

	/* break: atomically, so that a write of the hardware is either in old or faults */
	old = __atomic_exchange_n(leaf, 0, __ATOMIC_ACQ_REL);
	tables_tlbi_range(&tables, BASE_GFN + 9, BASE_GFN + 9);
	weir_dirty_fold(d, BASE_GFN + 9, 0, old);

	printf("unmapped page is %s\n",
	       weir_dirty_peek(d, BASE_GFN + 9) & WEIR_DIRTY_PEEK_BIT ? "dirty" : "lost");
	expect(weir_dirty_peek(d, BASE_GFN + 9) & WEIR_DIRTY_PEEK_BIT);
	expect(count_dirty(d) == 1);
	free(d);
	return 0;
}
