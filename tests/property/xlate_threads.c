// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: with real threads, a hit is never older than what was complete before the lookup began, and
 * never of another key. For TSan, and for machines with weak ordering.
 * Method: a table of versions. Injectors look up and fill; one thread changes entries and
 * invalidates, in storms, in every scope, publishing after each what is complete. The value holds
 * its key and its version. One argument: operations a thread, in thousands (default 200).
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "../unit/xlate_caches.h"
#include "weir/env.h"

#define THREADS		3u
#define DEVICES		8u
#define EVENTS		32u
#define KEYS		(DEVICES * EVENTS)

static struct weir_xlate *c;
static uint64_t table[KEYS], complete[KEYS];
static uint64_t operations = 200000;
static uint32_t commands_left;
static uint64_t total_hits;

static uint32_t below(uint64_t *x, uint32_t n)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*x >> 33) % n);
}

static uint32_t tag_of(uint32_t k, uint64_t version)
{
	return (uint32_t)(k + version) % 5;
}

static void inject(uint32_t k, uint64_t *hits)
{
	uint64_t floor = weir_load_acquire(&complete[k]), value, version;
	struct weir_xlate_lease lease;

	if (weir_xlate_lookup_inline(c, k / EVENTS, k % EVENTS, &value)) {
		if (value >> 32 != k || (value & UINT32_MAX) < floor) {
			fprintf(stderr, "key %u: found %#llx, version %llu was complete\n", k,
				(unsigned long long)value, (unsigned long long)floor);
			abort();
		}
		++*hits;
		return;
	}
	weir_xlate_lease(c, k / EVENTS, k % EVENTS, &lease);
	version = weir_load_relaxed(&table[k]);
	(void)weir_xlate_fill(c, &lease, tag_of(k, version), (uint64_t)k << 32 | version);
}

static void *injector(void *arg)
{
	uint64_t x = (uint64_t)(uintptr_t)arg, hits = 0, i;

	/* Yields, lest on few CPUs a whole life passes between two commands. */
	for (i = 0; i < operations || weir_load_acquire(&commands_left); i++) {
		inject(below(&x, 4) ? below(&x, KEYS / 4) : below(&x, KEYS), &hits);
		if (i % 512 == 0)
			sched_yield();
	}
	(void)weir_fetch_add_relaxed(&total_hits, hits);
	return NULL;
}

static void change(uint32_t k)
{
	weir_store_relaxed(&table[k], weir_load_relaxed(&table[k]) + 1);
}

/* Entries first..end of the table, by the invalidation that covers them. */
static void command(uint64_t *x)
{
	uint32_t k = below(x, KEYS), first = k, end = k + 1, i, scope = below(x, 8);
	uint64_t before = weir_load_relaxed(&table[k]);

	if (scope == 0)
		first = 0, end = KEYS;
	else if (scope == 1)
		first = k / EVENTS * EVENTS, end = first + EVENTS;
	for (i = first; i < end; i++)
		change(i);
	if (scope == 0) {
		weir_xlate_invalidate_all(c);
	} else if (scope == 1) {
		weir_xlate_invalidate_device(c, k / EVENTS);
	} else if (scope == 2) {
		/* Whatever was filled from the old entry had its tag. */
		weir_xlate_invalidate_tag(c, tag_of(k, before));
	} else {
		weir_xlate_invalidate_event(c, k / EVENTS, k % EVENTS);
	}
	for (i = first; i < end; i++)
		weir_store_release(&complete[i], weir_load_relaxed(&table[i]));
}

static void *commander(void *arg)
{
	uint64_t x = (uint64_t)(uintptr_t)arg;
	uint32_t i;

	while (weir_load_relaxed(&commands_left)) {
		command(&x);
		weir_store_release(&commands_left, weir_load_relaxed(&commands_left) - 1u);
		/* A storm, or a pause in which translations live. */
		if (below(&x, 4))
			continue;
		for (i = below(&x, 3000); i; i--)
			weir_pause();
		sched_yield();
	}
	return NULL;
}

static void run(uint32_t capacity, uint32_t index, uint32_t flags)
{
	struct weir_xlate_config cfg = { .capacity = capacity, .index = index, .flags = flags };
	pthread_t threads[THREADS + 1];
	uint64_t value;
	uint32_t i;

	c = cache_with_ops(&cfg, NULL, NULL);
	memset(table, 0, sizeof(table));
	memset(complete, 0, sizeof(complete));
	commands_left = (uint32_t)(operations / 40);
	total_hits = 0;
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, injector, (void *)(uintptr_t)(i + 1));
	pthread_create(&threads[i], NULL, commander, (void *)(uintptr_t)99);
	for (i = 0; i <= THREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < KEYS; i++)
		if (weir_xlate_lookup(c, i / EVENTS, i % EVENTS, &value))
			assert_true(value == ((uint64_t)i << 32 | table[i]));
	assert_true(weir_xlate_residency(c) <= capacity);
	assert_true(total_hits > 0);
	if (flags) {
		struct weir_xlate_stats stats;

		weir_xlate_stats(c, &stats);
		print_message("hits %llu misses %llu fills %llu refused %llu busy %llu\n",
			      (unsigned long long)stats.hits, (unsigned long long)stats.misses,
			      (unsigned long long)stats.fills,
			      (unsigned long long)(stats.refused_all + stats.refused_device +
						   stats.refused_tag + stats.refused_event),
			      (unsigned long long)stats.refused_busy);
		assert_true(stats.misses >= stats.fills);
	}
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
	const char *percent = getenv("WEIR_TEST_PERCENT");

	if (percent)
		operations = operations * strtoull(percent, NULL, 10) / 100 + 1000;
	if (argc > 1)
		operations = strtoull(argv[1], NULL, 10) * 1000;
	return cmocka_run_group_tests_name("xlate_threads", tests, NULL, NULL);
}
