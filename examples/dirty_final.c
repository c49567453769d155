// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_final(): every writer has stopped, and what get reports now is the last word. A writer
 * that comes later is a mistake somewhere: it is recorded, counted, and told.
 */
#include "tables.h"

int main(void)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init(&tables, WEIR_DIRTY_WP);
	struct weir_dirty_stats stats;
	enum weir_status status;

	expect(weir_dirty_start(d, false) == WEIR_OK);
	guest_store(d, &tables, BASE_GFN + 1);
	expect(weir_dirty_final(d) == WEIR_OK);
	expect(count_dirty(d) == 1);

	status = weir_dirty_mark(d, BASE_GFN + 2, 3);
	weir_dirty_stats(d, &stats);
	printf("a late mark: %s; %llu late pages\n", weir_status_str(status),
	       (unsigned long long)stats.pages_late[WEIR_DIRTY_BY_VMM]);
	expect(status == WEIR_ESHUTDOWN && stats.pages_late[WEIR_DIRTY_BY_VMM] == 3);
	expect(count_dirty(d) == 4);	/* an error towards dirty */
	free(d);
	return 0;
}
