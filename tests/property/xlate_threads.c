// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: with real threads, a hit is never older than what was complete before the lookup began,
 * never newer than the tables, never of another key, and what it names can be read without a race.
 * For TSan, and for machines with weak ordering.
 * Method: four threads do the same mixture: look up, and fill what is missing, at times under a
 * lease that was kept across other operations; change the tables and invalidate, in every scope,
 * singly and in storms. The table of a key names an object, which is written once, by plain stores,
 * before the table names it, and holds its key and version; a value names its object. Commands of
 * one device are serialised, as an ITS does it; devices are not, unless the cache is SERIAL.
 * Arguments: operations in all, in millions (default 10, of which WEIR_TEST_PERCENT is the share);
 * a seed.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "../unit/xlate_caches.h"
#include "weir/env.h"
#include "tests/percent.h"

#define THREADS		4u
#define RUNS		6u		/* calls of run() */
#define DEVICES		8u
#define EVENTS		32u
#define KEYS		(DEVICES * EVENTS)
#define STORM		256u		/* commands at most */

enum scope { ONE_EVENT, ONE_TAG, ONE_DEVICE, EVERYTHING, SCOPES };

struct object {
	uint32_t key;
	uint32_t version;
};

/* A walk whose fill is late. */
struct late {
	struct weir_xlate_lease lease;
	uint64_t value;
	uint32_t tag;
	bool has;
};

struct worker {
	pthread_t thread;
	uint64_t x;			/* random numbers */
	struct late late;
	uint32_t storm;			/* commands that are left of it */
	enum scope scope;		/* and theirs */
	uint64_t lookups, hits, fills, refused, commands;
};

static struct weir_xlate *c;
static struct object *objects;
static uint32_t nobjects, next_object;
static uint32_t table[KEYS];		/* the object of each key */
static uint32_t complete[KEYS];		/* the version that lookups have to see */
static pthread_mutex_t command_lock[DEVICES];
static bool serial;
static uint64_t operations = 10000000, seed = 1;

static uint32_t below(uint64_t *x, uint32_t n)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*x >> 33) % n);
}

static uint32_t tag_of(const struct object *o)
{
	return (o->key + o->version) % 5;
}

static void complain(uint32_t k, uint64_t value, const char *what, uint32_t version)
{
	fprintf(stderr, "key %u: found %#llx, %s %u\n", k, (unsigned long long)value, what,
		version);
	abort();
}

static void check_hit(uint32_t k, uint64_t value, uint32_t floor)
{
	const struct object *o = &objects[value & UINT32_MAX];

	if (value >> 32 != k || o->key != k)
		complain(k, value, "of key", o->key);
	if (o->version < floor)
		complain(k, value, "complete was version", floor);
	/* Acquire: the table's object is about to be read. */
	if (o->version > objects[weir_load_acquire(&table[k])].version)
		complain(k, value, "newer than the table, version", o->version);
}

static void give(struct worker *w, const struct weir_xlate_lease *lease, uint32_t tag,
		 uint64_t value)
{
	if (weir_xlate_fill(c, lease, tag, value) == WEIR_OK)
		w->fills++;
	else
		w->refused++;
}

static void inject(struct worker *w, uint32_t k)
{
	uint32_t floor = weir_load_acquire(&complete[k]), object;
	struct weir_xlate_lease lease;
	uint64_t value;

	w->lookups++;
	if (weir_xlate_lookup_inline(c, k / EVENTS, k % EVENTS, &value)) {
		check_hit(k, value, floor);
		w->hits++;
		return;
	}
	weir_xlate_lease(c, k / EVENTS, k % EVENTS, &lease);
	object = weir_load_acquire(&table[k]);
	value = (uint64_t)k << 32 | object;
	if (!w->late.has && !below(&w->x, 8))
		w->late = (struct late){ lease, value, tag_of(&objects[object]), true };
	else
		give(w, &lease, tag_of(&objects[object]), value);
}

/* Entries first..end of the table get new objects, and these new numbers, which are free. */
static void change(uint32_t first, uint32_t end, uint32_t number)
{
	uint32_t k;

	for (k = first; k < end; k++, number++) {
		objects[number] = (struct object){
			.key = k,
			.version = objects[weir_load_relaxed(&table[k])].version + 1,
		};
		weir_store_release(&table[k], number);
	}
}

static void invalidate(uint32_t k, enum scope scope, uint32_t old_tag)
{
	if (scope == EVERYTHING)
		weir_xlate_invalidate_all(c);
	else if (scope == ONE_DEVICE)
		weir_xlate_invalidate_device(c, k / EVENTS);
	else if (scope == ONE_TAG)
		/* Whatever was filled from the old entry has its tag. */
		weir_xlate_invalidate_tag(c, old_tag);
	else
		weir_xlate_invalidate_event(c, k / EVENTS, k % EVENTS);
}

static void command(struct worker *w, enum scope scope)
{
	uint32_t k = below(&w->x, KEYS), first = k, end = k + 1, i;
	pthread_mutex_t *lock = &command_lock[serial ? 0 : k / EVENTS];
	uint32_t number, old_tag;

	if (scope >= ONE_DEVICE) {
		first = k / EVENTS * EVENTS;
		end = first + EVENTS;
	}
	pthread_mutex_lock(lock);
	number = weir_fetch_add_relaxed(&next_object, end - first);
	if (number + (end - first) <= nobjects) {
		old_tag = tag_of(&objects[weir_load_relaxed(&table[k])]);
		change(first, end, number);
		invalidate(k, scope, old_tag);
		for (i = first; i < end; i++)
			weir_store_release(&complete[i],
					   objects[weir_load_relaxed(&table[i])].version);
		w->commands++;
	}
	pthread_mutex_unlock(lock);
}

static void operate(struct worker *w)
{
	/* Of one scope, lest the widest one hides what the others fail to refuse. */
	if (!w->storm && !below(&w->x, 2048)) {
		w->storm = 1 + below(&w->x, STORM);
		w->scope = (enum scope)below(&w->x, SCOPES);
	}
	if (w->storm) {
		w->storm--;
		command(w, w->scope);
	} else if (!below(&w->x, 256)) {
		command(w, (enum scope)below(&w->x, SCOPES));
	} else if (w->late.has && !below(&w->x, 16)) {
		w->late.has = false;
		give(w, &w->late.lease, w->late.tag, w->late.value);
	} else {
		inject(w, below(&w->x, 4) ? below(&w->x, KEYS / 4) : below(&w->x, KEYS));
	}
}

static void *work(void *arg)
{
	uint64_t n = operations / RUNS / THREADS, i;
	struct worker *w = arg;

	for (i = 0; i < n; i++) {
		operate(w);
		/* Lest on few CPUs a thread's whole life passes between two of another's steps. */
		if (!below(&w->x, 256))
			sched_yield();
	}
	return NULL;
}

static void tables(void)
{
	uint32_t i;

	nobjects = KEYS + (uint32_t)(operations / RUNS);
	objects = calloc(nobjects, sizeof(*objects));
	assert_non_null(objects);
	for (i = 0; i < KEYS; i++) {
		objects[i].key = table[i] = i;
		complete[i] = 0;
	}
	for (i = 0; i < DEVICES; i++)
		pthread_mutex_init(&command_lock[i], NULL);
	next_object = KEYS;
}

/* At the end each translation that is left is the table's. */
static void check_rest(uint32_t capacity)
{
	uint64_t value;
	uint32_t i;

	for (i = 0; i < KEYS; i++)
		if (weir_xlate_lookup(c, i / EVENTS, i % EVENTS, &value))
			assert_true(value == ((uint64_t)i << 32 | table[i]));
	assert_true(weir_xlate_residency(c) <= capacity);
}

static void run(uint32_t capacity, uint32_t index, uint32_t flags)
{
	struct weir_xlate_config cfg = { .capacity = capacity, .index = index, .flags = flags };
	struct worker workers[THREADS] = { 0 }, sum = { 0 };
	struct weir_xlate_stats stats;
	uint32_t i;

	c = cache_with_ops(&cfg, NULL, NULL);
	serial = flags & WEIR_XLATE_F_SERIAL;
	tables();
	for (i = 0; i < THREADS; i++) {
		workers[i].x = seed * 1000003u + capacity * 17u + i;
		assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		sum.lookups += workers[i].lookups;
		sum.hits += workers[i].hits;
		sum.fills += workers[i].fills;
		sum.refused += workers[i].refused;
		sum.commands += workers[i].commands;
	}
	print_message("capacity %u, index %u: %llu lookups, %llu hits, %llu fills and %llu "
		      "refused, %llu commands\n", capacity, index,
		      (unsigned long long)sum.lookups, (unsigned long long)sum.hits,
		      (unsigned long long)sum.fills, (unsigned long long)sum.refused,
		      (unsigned long long)sum.commands);
	assert_true(sum.hits > 0 && sum.commands > 0 && sum.refused > 0);
	weir_xlate_stats(c, &stats);
	assert_true(!(flags & WEIR_XLATE_F_COUNTERS) ||
		    (stats.hits == sum.hits && stats.fills == sum.fills &&
		     stats.misses == sum.lookups - sum.hits));
	check_rest(capacity);
	for (i = 0; i < DEVICES; i++)
		pthread_mutex_destroy(&command_lock[i]);
	free(objects);
	free(c);
}

static void small(void **state)
{
	(void)state;
	run(16, WEIR_XLATE_STRUCTURED, 0);
	run(1, WEIR_XLATE_STRUCTURED, 0);
}

static void middling(void **state)
{
	(void)state;
	run(100, WEIR_XLATE_STRUCTURED, 0);
	run(64, WEIR_XLATE_MIXED, 0);
	run(64, WEIR_XLATE_STRUCTURED, WEIR_XLATE_F_SERIAL);
}

static void large_and_counted(void **state)
{
	(void)state;
	run(1024, WEIR_XLATE_MIXED, WEIR_XLATE_F_COUNTERS);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small),
		cmocka_unit_test(middling),
		cmocka_unit_test(large_and_counted),
	};

	if (test_percent() < 100)
		operations = operations * test_percent() / 100 + 200000;
	if (argc > 1)
		operations = strtoull(argv[1], NULL, 10) * 1000000u;
	if (argc > 2)
		seed = strtoull(argv[2], NULL, 10);
	if (!operations || operations > 4000000000u) {
		fprintf(stderr, "xlate_threads: %s million operations: 1 to 4000\n", argv[1]);
		return 2;
	}
	return cmocka_run_group_tests_name("xlate_threads", tests, NULL, NULL);
}
