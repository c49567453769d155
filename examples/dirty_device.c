// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_device_map(), weir_dirty_device_unmap(): pages that a device writes behind everybody's
 * back are dirty in every epoch, until its mapping is gone.
 */
#include "tables.h"

int main(void)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init_flags(&tables, WEIR_DIRTY_WP, WEIR_DIRTY_F_DEVICES);

	expect(weir_dirty_start(d, false) == WEIR_OK);
	expect(weir_dirty_device_map(d, BASE_GFN + 8, 16) == WEIR_OK);
	expect(weir_dirty_clear(d, BASE_GFN, NPAGES, NULL) == WEIR_OK);
	printf("while mapped, after a clear: %u dirty\n", count_dirty(d));
	expect(count_dirty(d) == 16);

	expect(weir_dirty_device_unmap(d, BASE_GFN + 8, 16) == WEIR_OK);
	expect(count_dirty(d) == 16);		/* once more: what was written since */
	expect(weir_dirty_clear(d, BASE_GFN, NPAGES, NULL) == WEIR_OK);
	printf("unmapped, after a clear: %u dirty\n", count_dirty(d));
	expect(count_dirty(d) == 0);
	free(d);
	return 0;
}
