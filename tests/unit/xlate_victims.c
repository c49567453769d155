// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: who has to leave. The dead first, the unused next, and no cliff on a loop that is a little
 * too long. Method: one set, of which everything is known, and loops as the project's targets put
 * them.
 */
#include "xlate_caches.h"

/* One set of 16: 15 translations are in use, one is not, and it goes. */
static void the_unused_goes(void **state)
{
	struct weir_xlate *c = cache_of(16, 0);
	uint32_t e;

	(void)state;
	for (e = 0; e < 16; e++)
		assert_int_equal(fill(c, 0, e), WEIR_OK);
	for (e = 0; e < 16; e++)
		if (e != 11)
			assert_true(hit(c, 0, e));
	assert_int_equal(fill(c, 0, 100), WEIR_OK);
	for (e = 0; e < 16; e++)
		assert_int_equal(hit(c, 0, e), e != 11);
	assert_true(hit(c, 0, 100));
	free(c);
}

static void the_dead_go_first(void **state)
{
	struct weir_xlate *c = cache_of(16, WEIR_XLATE_F_COUNTERS);
	struct weir_xlate_stats stats;
	uint32_t e;

	(void)state;
	for (e = 0; e < 16; e++)
		assert_int_equal(fill(c, 0, e), WEIR_OK);
	for (e = 1; e < 16; e += 2)
		weir_xlate_invalidate_event(c, 0, e);
	/* Their preferred slots are taken, by those whose own they are. */
	for (e = 96; e < 112; e += 2)
		assert_int_equal(fill(c, 0, e), WEIR_OK);
	for (e = 0; e < 16; e++)
		assert_int_equal(hit(c, 0, e), !(e % 2));
	for (e = 96; e < 112; e += 2)
		assert_true(hit(c, 0, e));
	weir_xlate_stats(c, &stats);
	assert_int_equal(stats.evictions, 0);
	assert_int_equal(weir_xlate_residency(c), 16);
	free(c);
}

/* Key 16 finds its slot taken by key 0 and is a guest in slot 1, until key 1 comes. */
static void a_guest_makes_room(void **state)
{
	struct weir_xlate *c = cache_of(16, WEIR_XLATE_F_COUNTERS);
	struct weir_xlate_stats stats;

	(void)state;
	assert_int_equal(fill(c, 0, 0), WEIR_OK);
	assert_int_equal(fill(c, 0, 16), WEIR_OK);
	assert_true(hit(c, 0, 16));
	assert_int_equal(fill(c, 0, 1), WEIR_OK);
	assert_false(hit(c, 0, 16));
	assert_int_equal(fill(c, 0, 16), WEIR_OK);
	assert_true(hit(c, 0, 0) && hit(c, 0, 1) && hit(c, 0, 16));
	weir_xlate_stats(c, &stats);
	assert_int_equal(stats.evictions, 1);
	free(c);
}

/* A scan of keys that are used once displaces itself: seven in use, 1000 pass by. */
static void a_scan_displaces_itself(void **state)
{
	struct weir_xlate *c = cache_of(16, 0);
	uint32_t e, s, lost = 0;

	(void)state;
	for (e = 0; e < 7; e++)
		assert_int_equal(fill(c, 0, e), WEIR_OK);
	for (s = 0; s < 1000; s++) {
		for (e = 0; e < 7; e++)
			if (!hit(c, 0, e)) {
				lost++;
				assert_int_equal(fill(c, 0, e), WEIR_OK);
			}
		assert_int_equal(fill(c, 1, s), WEIR_OK);
	}
	assert_int_equal(lost, 0);
	free(c);
}

/* All in use: some one goes, and the marks start afresh. */
static void all_in_use(void **state)
{
	struct weir_xlate *c = cache_of(16, 0);
	uint32_t e, left = 0;

	(void)state;
	for (e = 0; e < 16; e++)
		assert_int_equal(fill(c, 0, e), WEIR_OK);
	for (e = 0; e < 16; e++)
		assert_true(hit(c, 0, e));
	assert_int_equal(fill(c, 0, 100), WEIR_OK);
	for (e = 0; e < 16; e++)
		left += (uint32_t)hit(c, 0, e);
	assert_int_equal(left, 15);
	free(c);
}

/* Hits in a thousand of a loop over n keys, once it is warm. */
static uint32_t loop_permille(uint32_t capacity, uint32_t n)
{
	struct weir_xlate *c = cache_of(capacity, 0);
	uint32_t i, hits = 0, total = 200 * n;
	uint64_t value;

	for (i = 0; i < total + 20 * n; i++) {
		if (weir_xlate_lookup(c, 0, i % n, &value))
			hits += i >= 20 * n;
		else
			assert_int_equal(fill(c, 0, i % n), WEIR_OK);
	}
	free(c);
	return (uint32_t)((uint64_t)hits * 1000 / total);
}

/* Exact LRU: 1000, 0. */
static void loops(void **state)
{
	static const uint32_t capacities[] = { 16, 32, 48, 64, 100, 256, 1024 };
	uint32_t i;

	(void)state;
	for (i = 0; i < sizeof(capacities) / sizeof(*capacities); i++) {
		assert_int_equal(loop_permille(capacities[i], capacities[i]), 1000);
		print_message("loop of %u in %u: %u permille\n", capacities[i] + 4, capacities[i],
			      loop_permille(capacities[i], capacities[i] + 4));
		assert_true(loop_permille(capacities[i], capacities[i] + 4) >= 750 ||
			    capacities[i] < 32);
	}
}

/* The choice of victims is the seed's, and the same on every machine. */
static void deterministic(void **state)
{
	struct weir_xlate_config cfg = { .capacity = 64, .seed = 5 };
	struct weir_xlate *a = cache_with_ops(&cfg, NULL, NULL);
	struct weir_xlate *b = cache_with_ops(&cfg, NULL, NULL);
	uint32_t e;

	(void)state;
	for (e = 0; e < 500; e++) {
		assert_int_equal(fill(a, e % 7, e), WEIR_OK);
		assert_int_equal(fill(b, e % 7, e), WEIR_OK);
	}
	for (e = 0; e < 500; e++)
		assert_int_equal(hit(a, e % 7, e), hit(b, e % 7, e));
	free(a);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_unused_goes),
		cmocka_unit_test(the_dead_go_first),
		cmocka_unit_test(a_guest_makes_room),
		cmocka_unit_test(a_scan_displaces_itself),
		cmocka_unit_test(all_in_use),
		cmocka_unit_test(loops),
		cmocka_unit_test(deterministic),
	};

	return cmocka_run_group_tests_name("xlate_victims", tests, NULL, NULL);
}
