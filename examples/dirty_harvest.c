// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_harvest_begin(), _step(), _commit(), _abort(): take pages, send them, and either let
 * go of them or, when the link failed, give them back.
 */
#include "tables.h"

int main(void)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init(&tables, WEIR_DIRTY_ADAPTIVE);
	struct weir_dirty_cursor all;
	struct weir_dirty_word words[4];
	struct weir_dirty_txn txn;
	enum weir_status status;
	unsigned int steps = 0;
	uint64_t i;

	expect(weir_dirty_start(d, false) == WEIR_OK);
	for (i = 0; i < 10; i++)
		guest_store(d, &tables, BASE_GFN + 100 * i);
	weir_dirty_cursor_init(d, &all);

	expect(weir_dirty_harvest_begin(d, &txn, &all, words, 4) == WEIR_OK);
	status = weir_dirty_harvest_step(d, &txn, 0);
	expect(status == WEIR_EAGAIN && txn.nwords == 4);	/* no more room */
	weir_dirty_harvest_abort(d, &txn);
	printf("aborted: %u dirty\n", count_dirty(d));
	expect(count_dirty(d) == 10);

	expect(weir_dirty_harvest_begin(d, &txn, &all, words, 4) == WEIR_OK);
	do {
		status = weir_dirty_harvest_step(d, &txn, 0);
		/* here: send the pages of txn.words[0 .. txn.nwords - 1] */
		weir_dirty_harvest_commit(d, &txn);
		steps++;
	} while (status == WEIR_EAGAIN);
	printf("committed in %u steps: %u dirty\n", steps, count_dirty(d));
	expect(status == WEIR_OK && count_dirty(d) == 0);
	free(d);
	return 0;
}
