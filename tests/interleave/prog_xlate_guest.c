// SPDX-License-Identifier: BSD-2-Clause
/*
 * prog_xlate_guest.c - keys that are not in their preferred slots, beside what happens there.
 *
 * An invalidation of an event looks elsewhere only where no preferred slot has the key (X8), so
 * guests are where it could forget one.
 */
#include "xlate_tables.h"

/* Keys 0 and 2 prefer slot 0. Key 2 is in slot 1, until slot 0 is dead or its host's key goes. */
static void guest_setup(void)
{
	setup_cache(2, 2);
	scope = EVENT;
	(void)fill(0);
	(void)fill(2);
}

static void guest_thread(unsigned int tid)
{
	if (tid == 0) {
		inject(2);
		inject(2);
	} else if (tid == 1) {
		command(2);
		look(2);
	} else {
		command(0);
		look(2);
	}
}

WX_PROGRAM(guest_event) = {
	.name = "xlate/guest-event", .what = "an event is invalidated where it is a guest",
	.nthreads = 3, .setup = guest_setup, .thread = guest_thread, .final = check_slots,
};

/* A fill goes back to the preferred slot, or stays away, while the event is invalidated. */
static void guest_moves_thread(unsigned int tid)
{
	if (tid == 0) {
		weir_xlate_invalidate_device(c, DEVICE);
		(void)fill(0);
	} else if (tid == 1) {
		(void)fill(2);
		look(2);
	} else {
		command(2);
		look(2);
	}
}

WX_PROGRAM(guest_moves) = {
	.name = "xlate/guest-moves", .what = "a guest moves while its event is invalidated",
	.nthreads = 3, .setup = guest_setup, .thread = guest_moves_thread, .final = check_slots,
};

/* All keys prefer slot 1, so the first of two pairs: keys 0 and 1 are there, key 2 next to it. */
static void near_setup(void)
{
	uint32_t n = 0, e;

	setup_with(4, 4, WEIR_XLATE_MIXED, 0);
	for (e = 0; n < KEYS; e++) {
		uint64_t key = (uint64_t)DEVICE << 32 | e;
		uint64_t offset = key * c->index_mul >> WEIR_XLATE_INDEX_SHIFT & c->index_mask;

		if (offset == sizeof(struct weir_xlate_slot))
			events[n++] = e;
	}
	scope = EVENT;
	(void)fill(0);
	(void)fill(1);
	(void)fill(2);
}

WX_PROGRAM(near_event) = {
	.name = "xlate/near-event", .what = "keys of a pair, one of them in the pair next to it",
	.nthreads = 3, .setup = near_setup, .thread = guest_thread, .final = check_slots,
};

/* Key 1 is dead in slot 1 and comes back in slot 0, when key 0 has left it. */
static void pair_again_thread(unsigned int tid)
{
	if (tid == 0) {
		inject(1);
		inject(1);
	} else if (tid == 1) {
		command(0);
		look(1);
	} else {
		command(1);
		command(1);
		look(1);
	}
}

WX_PROGRAM(pair_again) = {
	.name = "xlate/pair-again", .what = "a key that stands twice in a pair, once dead",
	.nthreads = 3, .setup = near_setup, .thread = pair_again_thread, .final = check_slots,
};
