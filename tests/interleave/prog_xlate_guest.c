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

/*
 * Keys 0 to 2 prefer slot 1, or what is asked for, so the first of two pairs: 0 and 1 are there,
 * key 2 next to it.
 */
static void near_setup_with(uint32_t capacity, uint32_t slot, uint32_t slot_of_3)
{
	uint32_t n = 0, e;

	setup_with(capacity, 4, WEIR_XLATE_MIXED, 0);
	for (e = 0; n < KEYS; e++) {
		uint64_t key = (uint64_t)DEVICE << 32 | e;
		uint64_t offset = key * c->index_mul >> WEIR_XLATE_INDEX_SHIFT & c->index_mask;

		if (offset == sizeof(struct weir_xlate_slot) * (n == 3 ? slot_of_3 : slot))
			events[n++] = e;
	}
	scope = EVENT;
	(void)fill(0);
	(void)fill(1);
	(void)fill(2);
}

static void near_setup(void)
{
	near_setup_with(4, 1, 1);
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

/*
 * Key 3 takes the slot next to its pair from key 2. Who does not see key 2's fingerprint there any
 * more must not find key 2 there either.
 */
static void near_leaves_setup(void)
{
	near_setup_with(3, 1, 2);
}

static void near_leaves_thread(unsigned int tid)
{
	if (tid == 0) {
		(void)fill(3);
	} else {
		command(2);
		look(2);
	}
}

WX_PROGRAM(near_leaves) = {
	.name = "xlate/near-leaves", .what = "an event is invalidated while its slot is taken",
	.nthreads = 2, .schedules = 100000,
	.setup = near_leaves_setup, .thread = near_leaves_thread,
	.final = check_slots,
};

/*
 * Key 2 comes home, because all are dead, and leaves it again. Who saw it at home, and looked
 * nowhere else, must not find it where it was before.
 */
static void near_home_setup(void)
{
	near_setup_with(4, 0, 0);
}

static void near_home_thread(unsigned int tid)
{
	uint64_t value;

	if (tid == 0) {
		weir_xlate_invalidate_device(c, DEVICE);
		(void)fill(2);
		(void)fill(0);
	} else {
		/* Without look(): to read what this thread says is complete would be an order. */
		change_table(2);
		invalidate(2);
		if (weir_xlate_lookup(c, DEVICE, events[2], &value))
			check_value(2, value, 1);
	}
}

WX_PROGRAM(near_home) = {
	.name = "xlate/near-home", .what = "an event is invalidated while it comes and goes",
	.nthreads = 2, .setup = near_home_setup, .thread = near_home_thread, .final = check_slots,
};
