// SPDX-License-Identifier: BSD-2-Clause
/*
 * prog_xlate.c - `xlate` under concurrency: injectors that look up and fill, and commands that
 * change the tables and invalidate, in every scope.
 *
 * The tables are one word a key: the version of its translation. An injector looks up; if it misses
 * it takes a lease, reads the table and fills. A command stores a new version, invalidates, and
 * publishes that it is complete (CREADR). The value of a version is an object that was initialised
 * before the table named it, by a plain store: a hit reads it by a plain load.
 *
 * What is checked: a hit is of the key that was asked for (X3, X5); its version is not older than
 * what was complete before the lookup began (X2), nor than what this thread was told before; its
 * object is initialised and read without a race (acquire); at the end no more slots are live than
 * the capacity, and one a key (X4); a last lookup of each key agrees with the table (X1).
 */
#include <string.h>

#include "wx.h"
#include "weir/xlate.h"

#define KEYS		4u
#define VERSIONS	6u
#define DEVICE		7u
#define OBJECT(k, v)	((uint64_t)(k) << 8 | (v))

enum scope { EVENT, DEV, TAG, ALL };

static unsigned char mem[16384] __attribute__((aligned(64)));
static struct weir_xlate *c;
static uint64_t table[KEYS], complete[KEYS], objects[KEYS][VERSIONS];
static uint64_t told[WX_THREADS_MAX][KEYS];	/* private: the version a thread saw last */
static unsigned int fills, evicting;		/* private: bookkeeping of the programs */
static enum scope scope;

static void setup_with(uint32_t capacity, uint32_t ways, uint32_t index, uint32_t flags)
{
	struct weir_xlate_config cfg = {
		.capacity = capacity, .ways = ways, .index = index, .device_stride = 1,
		.flags = flags,
	};

	wx_check(weir_xlate_init(mem, sizeof(mem), &cfg, NULL, NULL, &c) == WEIR_OK, "init");
	memset(told, 0, sizeof(told));
	fills = evicting = 0;
	for (unsigned int k = 0; k < KEYS; k++) {
		table[k] = complete[k] = 0;
		wx_name(&table[k], "table%u", k);
		wx_name(&complete[k], "complete%u", k);
		for (unsigned int v = 0; v < VERSIONS; v++)
			objects[k][v] = v ? 0 : OBJECT(k, 0);
	}
	wx_name(&c->gen_all, "gen_all");
	wx_name(&c->tag_epoch, "tag_epoch");
	for (unsigned int i = 0; i < capacity; i++) {
		struct weir_xlate_slot *slot = (struct weir_xlate_slot *)(void *)(c + 1) + i;

		wx_name(&slot->key, "key%u", i);
		wx_name(&slot->value, "value%u", i);
		wx_name(&slot->stamp, "stamp%u", i);
		wx_name(&slot->word, "word%u", i);
	}
	for (unsigned int i = 0; i <= c->set_mask; i++) {
		wx_name(&c->sets[i].epoch, "epoch%u", i);
		wx_name(&c->sets[i].lock, "lock%u", i);
	}
}

static void setup_cache(uint32_t capacity, uint32_t ways)
{
	setup_with(capacity, ways, WEIR_XLATE_STRUCTURED, 0);
}

/* ---- what threads do ---- */

static void check_value(unsigned int k, uint64_t value, uint64_t floor)
{
	uint64_t version = value & 0xff;

	wx_note("key %u: version %llu", k, (unsigned long long)version);
	wx_check(value >> 8 == k, "key %u: a translation of key %llu", k,
		 (unsigned long long)value >> 8);
	wx_check(version >= floor, "key %u: version %llu came back after %llu was complete", k,
		 (unsigned long long)version, (unsigned long long)floor);
	wx_check(weir_plain_load(&objects[k][version]) == value, "key %u: not initialised", k);
	if (wx_self() == WX_THREADS_MAX)
		return;
	wx_check(version >= told[wx_self()][k], "key %u: version %llu after %llu", k,
		 (unsigned long long)version, (unsigned long long)told[wx_self()][k]);
	told[wx_self()][k] = version;
}

static bool look(unsigned int k)
{
	uint64_t floor = weir_load_acquire(&complete[k]), value;

	if (!weir_xlate_lookup(c, DEVICE, k, &value))
		return false;
	check_value(k, value, floor);
	return true;
}

static enum weir_status fill_from(unsigned int k, const struct weir_xlate_lease *lease)
{
	/* Acquire: the object, not the age of the version, which is the lease's business. */
	uint64_t version = weir_load_acquire(&table[k]);
	enum weir_status s = weir_xlate_fill(c, lease, k, OBJECT(k, version));

	wx_note("fill of key %u with version %llu: %d", k, (unsigned long long)version, s);
	wx_check(s == WEIR_OK || s == WEIR_ESTALE || s == WEIR_EBUSY, "fill: %d", s);
	fills += s == WEIR_OK;
	return s;
}

static enum weir_status fill(unsigned int k)
{
	struct weir_xlate_lease lease;

	weir_xlate_lease(c, DEVICE, k, &lease);
	return fill_from(k, &lease);
}

static void inject(unsigned int k)
{
	if (!look(k))
		(void)fill(k);
}

static void invalidate(unsigned int k)
{
	if (scope == EVENT)
		weir_xlate_invalidate_event(c, DEVICE, k);
	else if (scope == DEV)
		weir_xlate_invalidate_device(c, DEVICE);
	else if (scope == TAG)
		weir_xlate_invalidate_tag(c, k);
	else
		weir_xlate_invalidate_all(c);
}

static void change_table(unsigned int k)
{
	uint64_t version = weir_load_relaxed(&table[k]) + 1;

	wx_note("key %u: version %llu", k, (unsigned long long)version);
	weir_plain_store(&objects[k][version], OBJECT(k, version));
	weir_store_release(&table[k], version);
}

static void finish(unsigned int k)
{
	uint64_t version = weir_load_relaxed(&table[k]);

	wx_note("key %u: version %llu is complete", k, (unsigned long long)version);
	weir_store_release(&complete[k], version);
}

static void command(unsigned int k)
{
	change_table(k);
	invalidate(k);
	finish(k);
}

/* ---- at the end ---- */

static void check_slots(void)
{
	unsigned int live = 0;

	for (unsigned int k = 0; k < KEYS; k++) {
		uint64_t value;

		if (!weir_xlate_lookup(c, DEVICE, k, &value))
			continue;
		live++;
		wx_check(value == OBJECT(k, table[k]), "key %u: cached %#llx, the table says %#llx",
			 k, (unsigned long long)value, (unsigned long long)OBJECT(k, table[k]));
	}
	wx_check(weir_xlate_residency(c) == live, "%u live slots for %u live keys",
		 weir_xlate_residency(c), live);
	wx_check(live <= c->capacity, "%u live, capacity %u", live, c->capacity);
}

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
