// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_assume(), weir_dirty_assumed(): a page that is dirty in every round is not sent before
 * the last one.
 */
#include "tables.h"

/* One round: the guest writes one page, the rest is taken and sent. Returns the pages sent. */
static unsigned int send_round(struct weir_dirty *d, struct tables *tables)
{
	struct weir_dirty_word words[NPAGES / 64];
	struct weir_dirty_cursor all;
	struct weir_dirty_txn txn;
	unsigned int sent = 0;
	size_t i;

	/* What the link sends in, say, 50 of the 300 ms that the guest may stand still. */
	expect(weir_dirty_assume(d, 100) == WEIR_OK);
	guest_store(d, tables, BASE_GFN + 70);
	weir_dirty_cursor_init(d, &all);
	expect(weir_dirty_harvest_begin(d, &txn, &all, words, NPAGES / 64) == WEIR_OK);
	expect(weir_dirty_harvest_step(d, &txn, 0) == WEIR_OK);
	for (i = 0; i < txn.nwords; i++) {
		uint64_t pages = words[i].pages & ~weir_dirty_assumed(d, words[i].gfn);

		for (; pages; pages &= pages - 1)
			sent++;
	}
	weir_dirty_harvest_commit(d, &txn);
	return sent;
}

int main(void)
{
	static struct tables tables;
	struct weir_dirty *d = tables_init_flags(&tables, WEIR_DIRTY_WP, WEIR_DIRTY_F_ASSUME);
	unsigned int round, sent;

	expect(weir_dirty_start(d, false) == WEIR_OK);
	for (round = 1; round <= 6; round++) {
		sent = send_round(d, &tables);
		printf("round %u: %u sent\n", round, sent);
		expect(sent == (round < 3));
	}
	/* The guest has stopped: now it is sent like any other. */
	expect(weir_dirty_final(d) == WEIR_OK);
	expect(weir_dirty_assumed(d, BASE_GFN + 70) == 0);
	expect(weir_dirty_peek(d, BASE_GFN + 70) & WEIR_DIRTY_PEEK_BIT);
	free(d);
	return 0;
}
