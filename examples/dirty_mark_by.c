// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_mark_by(): a mark with the writer's name on it, so that one that comes too late is
 * known.
 */
#include "tables.h"

int main(void)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init(&tables, WEIR_DIRTY_WP);
	struct weir_dirty_stats stats;

	expect(weir_dirty_start(d, false) == WEIR_OK);
	expect(weir_dirty_mark_by(d, WEIR_DIRTY_BY_TABLES, BASE_GFN, 1) == WEIR_OK);
	expect(weir_dirty_final(d) == WEIR_OK);
	expect(weir_dirty_mark_by(d, WEIR_DIRTY_BY_VHOST, BASE_GFN + 5, 2) == WEIR_ESHUTDOWN);
	weir_dirty_stats(d, &stats);
	printf("late: vhost %llu pages, tables %llu\n",
	       (unsigned long long)stats.pages_late[WEIR_DIRTY_BY_VHOST],
	       (unsigned long long)stats.pages_late[WEIR_DIRTY_BY_TABLES]);
	expect(stats.pages_late[WEIR_DIRTY_BY_VHOST] == 2 && count_dirty(d) == 3);
	free(d);
	return 0;
}
