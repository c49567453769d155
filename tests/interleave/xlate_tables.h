/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xlate_tables.h - the tables, injectors and commands of the programs about `xlate`.
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
#ifndef TESTS_INTERLEAVE_XLATE_TABLES_H
#define TESTS_INTERLEAVE_XLATE_TABLES_H

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
static unsigned int fills;		/* private: bookkeeping of the programs */
static enum scope scope;
static uint32_t events[KEYS];			/* the EventID of a key */

static inline void setup_with(uint32_t capacity, uint32_t ways, uint32_t index, uint32_t flags)
{
	struct weir_xlate_config cfg = {
		.capacity = capacity, .ways = ways, .index = index, .device_stride = 1,
		.flags = flags,
	};

	wx_check(weir_xlate_init(mem, sizeof(mem), &cfg, NULL, NULL, &c) == WEIR_OK, "init");
	memset(told, 0, sizeof(told));
	fills = 0;
	for (unsigned int k = 0; k < KEYS; k++) {
		events[k] = k;
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
		wx_name(&c->sets[i].lock, "lock%u", i);
	}
}

static inline void setup_cache(uint32_t capacity, uint32_t ways)
{
	setup_with(capacity, ways, WEIR_XLATE_STRUCTURED, 0);
}

/* ---- what threads do ---- */

static inline void check_value(unsigned int k, uint64_t value, uint64_t floor)
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

static inline bool look(unsigned int k)
{
	uint64_t floor = weir_load_acquire(&complete[k]), value;

	if (!weir_xlate_lookup(c, DEVICE, events[k], &value))
		return false;
	check_value(k, value, floor);
	return true;
}

static inline enum weir_status fill_from(unsigned int k, const struct weir_xlate_lease *lease)
{
	/* Acquire: the object, not the age of the version, which is the lease's business. */
	uint64_t version = weir_load_acquire(&table[k]);
	enum weir_status s = weir_xlate_fill(c, lease, k, OBJECT(k, version));

	wx_note("fill of key %u with version %llu: %d", k, (unsigned long long)version, s);
	wx_check(s == WEIR_OK || s == WEIR_ESTALE || s == WEIR_EBUSY, "fill: %d", s);
	fills += s == WEIR_OK;
	return s;
}

static inline enum weir_status fill(unsigned int k)
{
	struct weir_xlate_lease lease;

	weir_xlate_lease(c, DEVICE, events[k], &lease);
	return fill_from(k, &lease);
}

static inline void inject(unsigned int k)
{
	if (!look(k))
		(void)fill(k);
}

static inline void invalidate(unsigned int k)
{
	if (scope == EVENT)
		weir_xlate_invalidate_event(c, DEVICE, events[k]);
	else if (scope == DEV)
		weir_xlate_invalidate_device(c, DEVICE);
	else if (scope == TAG)
		weir_xlate_invalidate_tag(c, k);
	else
		weir_xlate_invalidate_all(c);
}

static inline void change_table(unsigned int k)
{
	uint64_t version = weir_load_relaxed(&table[k]) + 1;

	wx_note("key %u: version %llu", k, (unsigned long long)version);
	weir_plain_store(&objects[k][version], OBJECT(k, version));
	weir_store_release(&table[k], version);
}

static inline void finish(unsigned int k)
{
	uint64_t version = weir_load_relaxed(&table[k]);

	wx_note("key %u: version %llu is complete", k, (unsigned long long)version);
	weir_store_release(&complete[k], version);
}

static inline void command(unsigned int k)
{
	change_table(k);
	invalidate(k);
	finish(k);
}

/* ---- at the end ---- */

static inline void check_slots(void)
{
	unsigned int live = 0;

	for (unsigned int k = 0; k < KEYS; k++) {
		uint64_t value;

		if (!weir_xlate_lookup(c, DEVICE, events[k], &value))
			continue;
		live++;
		wx_check(value == OBJECT(k, table[k]), "key %u: cached %#llx, the table says %#llx",
			 k, (unsigned long long)value, (unsigned long long)OBJECT(k, table[k]));
	}
	wx_check(weir_xlate_residency(c) == live, "%u live slots for %u live keys",
		 weir_xlate_residency(c), live);
	wx_check(live <= c->capacity, "%u live, capacity %u", live, c->capacity);
}

#endif
