// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_freeze(): before the guest is stopped, every page goes back to trapping, so that the
 * last get reads the dirty groups and not the memory.
 */
#include "tables.h"

/* Descriptors that a get of the whole region reads. */
static uint64_t cost_of_get(struct weir_dirty *d)
{
	struct weir_dirty_stats before, after;

	weir_dirty_stats(d, &before);
	count_dirty(d);
	weir_dirty_stats(d, &after);
	return after.ptes_scanned - before.ptes_scanned;
}

int main(void)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init(&tables, WEIR_DIRTY_DBM_ALL);
	struct weir_dirty_cursor cur;
	uint64_t before;

	expect(weir_dirty_start(d, false) == WEIR_OK);
	guest_store(d, &tables, BASE_GFN + 11);
	before = cost_of_get(d);

	weir_dirty_cursor_init(d, &cur);
	while (weir_dirty_freeze(d, &cur, 256) == WEIR_EAGAIN)
		;	/* vCPUs run on between the portions */
	printf("a get reads %llu descriptors before, %llu after\n", (unsigned long long)before,
	       (unsigned long long)cost_of_get(d));
	expect(before > 0 && cost_of_get(d) == 0);
	expect(count_dirty(d) == 1);

	expect(guest_store(d, &tables, BASE_GFN + 12) == 1);	/* its price */
	expect(count_dirty(d) == 2);
	free(d);
	return 0;
}
