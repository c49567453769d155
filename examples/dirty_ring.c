// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_ring_init(), _push(), _collect(), _reset(): one vCPU's writes, in order.
 */
#include "tables.h"

int main(void)
{
	static struct tables tables;
	static uint64_t entries[WEIR_DIRTY_RING_MIN];
	struct weir_dirty *d = tables_init(&tables, WEIR_DIRTY_WP);
	struct weir_dirty_fault_info info;
	struct weir_dirty_ring ring;
	uint64_t gfns[8];
	size_t n, nreset;

	expect(weir_dirty_start(d, false) == WEIR_OK);
	expect(weir_dirty_ring_init(&ring, entries, WEIR_DIRTY_RING_MIN) == WEIR_OK);
	expect(weir_dirty_fault(d, BASE_GFN + 70, &info) == WEIR_OK);
	if (info.outcome == WEIR_DIRTY_TRAPPED)
		expect(weir_dirty_ring_push(&ring, BASE_GFN + 70) == WEIR_OK);

	n = weir_dirty_ring_collect(&ring, gfns, 8);
	printf("collected %zu: gfn 0x%llx\n", n, (unsigned long long)gfns[0]);
	expect(n == 1 && count_dirty(d) == 1);
	expect(weir_dirty_ring_reset(&ring, d, &nreset) == WEIR_OK);
	expect(nreset == 1 && count_dirty(d) == 0);
	free(d);
	return 0;
}
