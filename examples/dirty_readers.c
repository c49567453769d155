// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_reader_attach(), _size(), _detach(): a migration and a snapshot of one guest, each
 * with an epoch of its own.
 */
#include "tables.h"

int main(void)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init_flags(&tables, WEIR_DIRTY_WP, WEIR_DIRTY_F_READERS);
	struct weir_dirty *snapshot;
	size_t size = weir_dirty_reader_size(d);
	void *mem = aligned_alloc(64, size);

	expect(weir_dirty_start(d, false) == WEIR_OK);
	expect(weir_dirty_reader_attach(d, mem, size, false, &snapshot) == WEIR_OK);
	guest_store(d, &tables, BASE_GFN + 1);
	guest_store(d, &tables, BASE_GFN + 2);

	expect(weir_dirty_clear(d, BASE_GFN, 64, NULL) == WEIR_OK); /* the migration's */
	printf("migration: %u dirty, snapshot: %u dirty\n", count_dirty(d), count_dirty(snapshot));
	expect(count_dirty(d) == 0 && count_dirty(snapshot) == 2);

	expect(weir_dirty_clear(snapshot, BASE_GFN, 64, NULL) == WEIR_OK);
	guest_store(d, &tables, BASE_GFN + 2);				/* faults: both see it */
	expect(count_dirty(d) == 1 && count_dirty(snapshot) == 1);
	expect(weir_dirty_reader_detach(snapshot) == WEIR_OK);
	free(mem);
	free(d);
	return 0;
}
