// SPDX-License-Identifier: BSD-2-Clause
/*
 * prog_xlate.c - `xlate` under concurrency: injectors that look up and fill, and commands that
 * change the tables and invalidate, in every scope. xlate_tables.h has what is checked.
 */
#include "xlate_tables.h"

/* ---- two injectors and a command, in each scope ---- */

#define SCOPED(name, s) \
	static void name(void) \
	{ \
		setup_cache(2, 2); \
		scope = (s); \
	}

SCOPED(event_setup, EVENT)
SCOPED(device_setup, DEV)
SCOPED(tag_setup, TAG)
SCOPED(all_setup, ALL)

static void command_thread(unsigned int tid)
{
	if (tid == 0) {
		inject(0);
		inject(0);
	} else if (tid == 1) {
		inject(0);
		look(0);
	} else {
		command(0);
		look(0);
	}
}

#define COMMAND(ident, name_, setup_, what_) \
	WX_PROGRAM(ident) = { \
		.name = "xlate/" name_, .what = what_, .nthreads = 3, \
		.setup = setup_, .thread = command_thread, .final = check_slots, \
	}

COMMAND(event, "event", event_setup, "injectors beside an event's invalidation");
COMMAND(device, "device", device_setup, "injectors beside a device's invalidation");
COMMAND(tag, "tag", tag_setup, "injectors beside a tag's invalidation");
COMMAND(all, "all", all_setup, "injectors beside an invalidation of everything");

/* Commands that the owner serialises. */
#define SERIAL(name, s) \
	static void name(void) \
	{ \
		setup_with(2, 2, WEIR_XLATE_STRUCTURED, WEIR_XLATE_F_SERIAL); \
		scope = (s); \
	}

SERIAL(serial_device_setup, DEV)
SERIAL(serial_tag_setup, TAG)
SERIAL(serial_all_setup, ALL)

COMMAND(serial_device, "serial-device", serial_device_setup, "as device, one command at a time");
COMMAND(serial_tag, "serial-tag", serial_tag_setup, "as tag, one command at a time");
COMMAND(serial_all, "serial-all", serial_all_setup, "as all, one command at a time");

/* ---- a slot that changes hands: nothing is torn ---- */

static void evict_thread(unsigned int tid)
{
	if (tid == 0) {
		look(0);
		look(0);
		look(2);
	} else if (tid == 1) {
		inject(2);
		inject(0);
	} else {
		inject(1);
		inject(3);
	}
}

static void evict_setup(void)
{
	setup_cache(2, 2);
	scope = EVENT;
	(void)fill(0);
	(void)fill(1);
}

WX_PROGRAM(evict) = {
	.name = "xlate/evict", .what = "four keys in two slots, which change hands under lookups",
	.nthreads = 3, .setup = evict_setup, .thread = evict_thread, .final = check_slots,
};

/* ---- the mixed index: each key has a pair of preferred slots ---- */

static void pair_setup(void)
{
	setup_with(2, 2, WEIR_XLATE_MIXED, 0);
	scope = EVENT;
	(void)fill(0);
	(void)fill(1);
}

WX_PROGRAM(pair_evict) = {
	.name = "xlate/pair-evict", .what = "four keys in a pair of slots, which change hands",
	.nthreads = 3, .setup = pair_setup, .thread = evict_thread, .final = check_slots,
};

COMMAND(pair_event, "pair-event", pair_setup, "an event of a pair is invalidated and comes back");

/* One slot: every fill writes what a lookup is reading. */
static void one_slot_thread(unsigned int tid)
{
	if (tid == 0) {
		look(0);
		look(0);
	} else {
		(void)fill(1);
		(void)fill(0);
		(void)fill(1);
	}
}

static void one_slot_setup(void)
{
	setup_cache(1, 0);
	scope = EVENT;
	(void)fill(0);
}

WX_PROGRAM(one_slot) = {
	.name = "xlate/one-slot", .what = "two keys take turns in the only slot", .nthreads = 2,
	.setup = one_slot_setup, .thread = one_slot_thread, .final = check_slots,
};

/* The same key again and again: the value changes under a key and a stamp that do not. */
static void rewrite_thread(unsigned int tid)
{
	if (tid == 0) {
		look(0);
		look(0);
	} else if (tid == 1) {
		change_table(0);
		(void)fill(0);
		change_table(0);
		(void)fill(0);
		invalidate(0);
		finish(0);
	} else {
		look(0);
		inject(0);
	}
}

WX_PROGRAM(rewrite) = {
	.name = "xlate/rewrite", .what = "a live translation is written over", .nthreads = 3,
	.setup = one_slot_setup, .thread = rewrite_thread, .final = check_slots,
};

/* Filled anew right after the command: the new stamp never goes with the old value. */
static void refill_thread(unsigned int tid)
{
	if (tid == 0) {
		look(0);
		look(0);
	} else {
		command(0);
		(void)fill(0);
	}
}

WX_PROGRAM(refill) = {
	.name = "xlate/refill", .what = "a lookup beside a command and the fill that follows it",
	.nthreads = 2, .setup = one_slot_setup, .thread = refill_thread, .final = check_slots,
};

/* ---- concurrent fills of one key ---- */

static void fills_thread(unsigned int tid)
{
	(void)fill(tid == 2 ? 1 : 0);
	look(0);
	if (tid == 0)
		(void)fill(0);
}

static void fills_setup(void)
{
	setup_cache(2, 2);
}

static void fills_final(void)
{
	wx_check(fills > 0, "no fill was accepted");
	check_slots();
}

WX_PROGRAM(fills_of_one) = {
	.name = "xlate/fills", .what = "concurrent fills of one key and its neighbour",
	.nthreads = 3, .setup = fills_setup, .thread = fills_thread, .final = fills_final,
};

/* ---- marks: set by hits, cleared by a fill, beside invalidations ---- */

static void marks_thread(unsigned int tid)
{
	if (tid == 0) {
		look(0);
		look(1);
		look(0);
	} else if (tid == 1) {
		(void)fill(2);
		look(0);
	} else {
		command(0);
		look(0);
	}
}

static void marks_setup(void)
{
	uint64_t value;

	evict_setup();
	(void)weir_xlate_lookup(c, DEVICE, 0, &value);
	(void)weir_xlate_lookup(c, DEVICE, 1, &value);
}

WX_PROGRAM(marks) = {
	.name = "xlate/marks", .what = "a fill spares what is in use, beside an invalidation",
	.nthreads = 3, .setup = marks_setup, .thread = marks_thread, .final = check_slots,
};

/* ---- a lease that is held across invalidations ---- */

static void lease_thread(unsigned int tid)
{
	struct weir_xlate_lease lease;

	if (tid == 0) {
		weir_xlate_lease(c, DEVICE, 0, &lease);
		(void)fill_from(0, &lease);
		(void)fill_from(0, &lease);
		look(0);
	} else {
		command(0);
		command(0);
	}
}

#define LEASE(ident, name_, setup_) \
	WX_PROGRAM(ident) = { \
		.name = "xlate/lease-" name_, .what = "a lease is used twice across two commands", \
		.nthreads = 2, .setup = setup_, .thread = lease_thread, .final = check_slots, \
	}

LEASE(lease_event, "event", event_setup);
LEASE(lease_device, "device", device_setup);
LEASE(lease_tag, "tag", tag_setup);
LEASE(lease_all, "all", all_setup);
LEASE(lease_serial, "serial", serial_tag_setup);

/* A walk that began after the command was complete is never refused for it, and is new. */
static void after_thread(unsigned int tid)
{
	struct weir_xlate_lease lease;
	uint64_t done;

	if (tid == 0) {
		command(0);
		return;
	}
	weir_xlate_lease(c, DEVICE, 0, &lease);
	done = weir_load_acquire(&complete[0]);
	if (fill_from(0, &lease) == WEIR_OK)
		look(0);
	if (done)
		wx_check(fill(0) == WEIR_OK, "a fill after all commands was refused");
}

WX_PROGRAM(after) = {
	.name = "xlate/after", .what = "a fill that follows the command is accepted", .nthreads = 2,
	.setup = event_setup, .thread = after_thread, .final = check_slots,
};

/* Who was refused because of a command sees its change when it asks again. */
static void refused_thread(unsigned int tid)
{
	if (tid == 0) {
		(void)fill(0);
		(void)fill(0);
		look(0);
	} else {
		command(0);
		look(0);
	}
}

WX_PROGRAM(refused) = {
	.name = "xlate/refused", .what = "a fill is refused, and another follows", .nthreads = 2,
	.setup = event_setup, .thread = refused_thread, .final = check_slots,
};

/* ---- a filler that is frozen for ever ---- */

static void frozen_setup(void)
{
	setup_cache(4, 2);	/* keys 0 and 2 in one set, 1 and 3 in the other */
	scope = EVENT;
	(void)fill(0);
}

static void frozen_thread(unsigned int tid)
{
	if (tid == 0) {
		(void)fill(0);
		(void)fill(2);
	} else if (tid == 1) {
		command(0);
		look(0);
		(void)fill(1);
		wx_check(look(1), "the other set does not work");
	} else {
		inject(0);
		look(2);
	}
}

static void frozen_final(void)
{
	uint64_t value;

	/* Who froze before its command was complete may leave what was true before it. */
	wx_check(!weir_xlate_lookup(c, DEVICE, 0, &value) ||
		 (value >= OBJECT(0, complete[0]) && value <= OBJECT(0, table[0])),
		 "a frozen filler left a stale translation");
}

WX_PROGRAM(frozen) = {
	.name = "xlate/frozen-filler", .what = "a thread is frozen anywhere: nobody waits for it",
	.nthreads = 3, .flags = WX_F_FREEZE, .steps_max = 2000,
	.setup = frozen_setup, .thread = frozen_thread, .final = frozen_final,
};

/* ---- planted faults: the owner's mistakes ---- */

/* Invalidates first, changes the table second. */
static void early_thread(unsigned int tid)
{
	if (tid == 0) {
		inject(0);
		look(0);
	} else {
		invalidate(0);
		change_table(0);
		finish(0);
		look(0);
	}
}

WX_PROGRAM(early) = {
	.name = "xlate/invalidate-first", .what = "invalidated before the table is changed",
	.nthreads = 2, .must_fail = WX_ALL_MODELS, .schedules = 40000,
	.setup = all_setup, .thread = early_thread, .final = check_slots,
};

/* Promises to serialise commands, and does not: a generation goes back. */
static void not_serial_thread(unsigned int tid)
{
	if (tid == 0) {
		inject(0);
		look(0);
	} else if (tid == 1) {
		command(0);
		command(0);
		look(0);
	} else {
		command(1);
	}
}

WX_PROGRAM(not_serial) = {
	.name = "xlate/serial-not", .what = "commands at once where one at a time was promised",
	.nthreads = 3, .must_fail = WX_ALL_MODELS, .schedules = 40000,
	.setup = serial_all_setup, .thread = not_serial_thread, .final = check_slots,
};

/* Walks first, takes the lease second. */
static void late_lease_thread(unsigned int tid)
{
	struct weir_xlate_lease lease;
	uint64_t version;

	if (tid == 0) {
		version = weir_load_acquire(&table[0]);
		weir_xlate_lease(c, DEVICE, 0, &lease);
		(void)weir_xlate_fill(c, &lease, 0, OBJECT(0, version));
		look(0);
	} else {
		command(0);
	}
}

WX_PROGRAM(late_lease) = {
	.name = "xlate/late-lease", .what = "the lease is taken after the walk", .nthreads = 2,
	.must_fail = WX_ALL_MODELS, .schedules = 40000,
	.setup = event_setup, .thread = late_lease_thread, .final = check_slots,
};
