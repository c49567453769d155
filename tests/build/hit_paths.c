// SPDX-License-Identifier: BSD-2-Clause
/*
 * What callgrind_gate.sh counts: each hit path of the library, CALLS times, and nothing else in
 * the function it is told to look at. Prints nothing; exit code 1 if a call was not a hit.
 */
#include "examples/tables.h"

enum {
	CALLS = 1000
};

int main(void)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init(&tables, WEIR_DIRTY_FIXED);
	struct weir_dirty_fault_info info;
	unsigned int i;

	expect(weir_dirty_start(d, false) == WEIR_OK);
	guest_store(d, &tables, BASE_GFN + 1);
	for (i = 0; i < CALLS; i++) {
		/* Another vCPU faults on the page that is promoted already. */
		expect(weir_dirty_fault(d, BASE_GFN + 1, &info) == WEIR_OK);
		expect(info.outcome == WEIR_DIRTY_SPURIOUS);
	}
	for (i = 0; i < CALLS; i++)
		expect(weir_dirty_mark(d, BASE_GFN + 64 + i % NPAGES / 2, 1) == WEIR_OK);
	free(d);
	return 0;
}
