// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_get(): the dirty pages as (group, pages) pairs, in portions. Clears nothing.
 */
#include "tables.h"

int main(void)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init(&tables, WEIR_DIRTY_ADAPTIVE);
	struct weir_dirty_cursor cur;
	struct weir_dirty_word words[2];
	enum weir_status status;
	unsigned int calls = 0, groups = 0;
	size_t i, n;

	expect(weir_dirty_start(d, false) == WEIR_OK);
	for (i = 0; i < 5; i++)
		guest_store(d, &tables, BASE_GFN + 130 * i);

	weir_dirty_cursor_init(d, &cur);
	do {
		status = weir_dirty_get(d, &cur, words, 2, 0, &n);
		for (i = 0; i < n; i++)
			printf("gfn %#llx: pages %#llx\n", (unsigned long long)words[i].gfn,
			       (unsigned long long)words[i].pages);
		groups += (unsigned int)n;
		calls++;
	} while (status == WEIR_EAGAIN);
	expect(status == WEIR_OK && cur.done);
	expect(groups == 5 && calls >= 3);
	expect(count_dirty(d) == 5);	/* still */
	free(d);
	return 0;
}
