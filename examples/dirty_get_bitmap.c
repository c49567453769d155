// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_get_bitmap(): the dirty pages as KVM_GET_DIRTY_LOG gives them, one bit a page.
 */
#include "tables.h"

int main(void)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init(&tables, WEIR_DIRTY_ADAPTIVE);
	uint64_t bitmap[2] = {~(uint64_t)0, ~(uint64_t)0};	/* every word is overwritten */

	expect(weir_dirty_start(d, false) == WEIR_OK);
	guest_store(d, &tables, BASE_GFN + 64);
	guest_store(d, &tables, BASE_GFN + 129);

	/* The second and the third group of the region. */
	expect(weir_dirty_get_bitmap(d, BASE_GFN + 64, 128, bitmap) == WEIR_OK);
	printf("%#llx %#llx\n", (unsigned long long)bitmap[0], (unsigned long long)bitmap[1]);
	expect(bitmap[0] == 1 && bitmap[1] == 2);

	/* Ranges begin at a group. */
	expect(weir_dirty_get_bitmap(d, BASE_GFN + 1, 64, bitmap) == WEIR_EINVAL);
	free(d);
	return 0;
}
