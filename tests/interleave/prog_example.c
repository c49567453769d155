// SPDX-License-Identifier: BSD-2-Clause
/*
 * prog_example.c - the program of docs/explore.md: a mailbox of one slot.
 */
#include "wx.h"

static uint64_t full, letter, sum;	/* shared; sum is the consumer's own */

static void setup(void)			/* the first state, before every run */
{
	full = letter = sum = 0;
	wx_name(&full, "full");		/* names for the printed schedule */
	wx_name(&letter, "letter");
}

static void thread(unsigned int tid)
{
	for (uint64_t i = 1; i <= 2; i++) {
		while (weir_load_acquire(&full) != tid)		/* 0: producer, 1: consumer */
			weir_pause();
		if (tid == 0)
			weir_plain_store(&letter, i);		/* race-checked */
		else
			sum += weir_plain_load(&letter);
		weir_store_release(&full, !tid);
	}
}

static void final(void)			/* all threads done, all stores performed */
{
	wx_check(sum == 3, "the letters add up to %llu", (unsigned long long)sum);
}

WX_PROGRAM(mailbox) = {
	.name = "example/mailbox", .what = "one slot, handed back and forth", .nthreads = 2,
	.setup = setup, .thread = thread, .final = final,
};
