// SPDX-License-Identifier: BSD-2-Clause
/*
 * What callgrind_gate.sh counts: each hit path of the library, CALLS times, and nothing else in
 * the function it is told to look at. Prints nothing; exit code 1 if a call was not a hit.
 */
#include "examples/tables.h"

enum {
	CALLS = 1000
};

/* All 16 groups of the region are in the scan set, and nothing was written. */
static void harvest_of_clean_groups(void)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init(&tables, WEIR_DIRTY_DBM_ALL);
	struct weir_dirty_word words[NPAGES / 64];
	struct weir_dirty_cursor cur;
	struct weir_dirty_txn txn;
	unsigned int i;

	expect(weir_dirty_start(d, false) == WEIR_OK);
	guest_store(d, &tables, BASE_GFN + 1);		/* the block is split, its pages promoted */
	guest_store(d, &tables, BASE_GFN + 513);
	expect(weir_dirty_clear(d, BASE_GFN, NPAGES, NULL) == WEIR_OK);
	for (i = 0; i < NPAGES; i += 64)
		expect(weir_dirty_peek(d, BASE_GFN + i) == WEIR_DIRTY_PEEK_HW);
	for (i = 0; i < CALLS; i++) {
		weir_dirty_cursor_init(d, &cur);
		expect(weir_dirty_harvest_begin(d, &txn, &cur, words, NPAGES / 64) == WEIR_OK);
		expect(weir_dirty_harvest_step(d, &txn, 0) == WEIR_OK);
		expect(txn.nwords == 0);
	}
	free(d);
}

/* All pages trap again, and nothing was written since: a look at the summaries. */
static void get_of_a_frozen_region(void)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init(&tables, WEIR_DIRTY_DBM_ALL);
	struct weir_dirty_word words[NPAGES / 64];
	struct weir_dirty_cursor cur;
	unsigned int i;
	size_t n;

	expect(weir_dirty_start(d, false) == WEIR_OK);
	guest_store(d, &tables, BASE_GFN + 1);
	expect(weir_dirty_clear(d, BASE_GFN, NPAGES, NULL) == WEIR_OK);
	weir_dirty_cursor_init(d, &cur);
	expect(weir_dirty_freeze(d, &cur, 0) == WEIR_OK);
	for (i = 0; i < CALLS; i++) {
		weir_dirty_cursor_init(d, &cur);
		expect(weir_dirty_get(d, &cur, words, NPAGES / 64, 0, &n) == WEIR_OK && !n);
	}
	free(d);
}

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
	harvest_of_clean_groups();
	get_of_a_frozen_region();
	return 0;
}
