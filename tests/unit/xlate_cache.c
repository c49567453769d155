// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: lookups find what was filled, under exactly the key it was filled under, and dense keys
 * fill the cache to the last slot. Method: caches small enough to reason about.
 */
#include "xlate_caches.h"

static void finds_what_was_filled(void **state)
{
	struct weir_xlate *c = cache_of(64, 0);

	(void)state;
	assert_false(hit(c, 1, 2));
	assert_int_equal(fill(c, 1, 2), WEIR_OK);
	assert_true(hit(c, 1, 2));
	assert_false(hit(c, 2, 1));
	assert_false(hit(c, 1, 3));
	assert_int_equal(weir_xlate_residency(c), 1);
	free(c);
}

/* X5, and facts of the field: an EventID of 17 bits, packed, was another device's. */
static void keys_are_of_full_width(void **state)
{
	static const uint32_t ids[] = { 0, 5, 0x10005, 0x80000005, 0xffffffff, 0xffff0000 };
	struct weir_xlate *c = cache_of(64, 0);
	uint32_t d, e, n = sizeof(ids) / sizeof(*ids);

	(void)state;
	for (d = 0; d < n; d++)
		for (e = 0; e < n; e++) {
			assert_false(hit(c, ids[d], ids[e]));
			assert_int_equal(fill(c, ids[d], ids[e]), WEIR_OK);
			assert_true(hit(c, ids[d], ids[e]));
			weir_xlate_invalidate_all(c);
		}
	free(c);
}

/* A key that would find the empty slots of a fresh cache, and any value, are nothing special. */
static void zero_is_a_key_and_a_value(void **state)
{
	struct weir_xlate *c = cache_of(16, 0);
	struct weir_xlate_lease lease;
	uint64_t value = 7;

	(void)state;
	assert_false(weir_xlate_lookup(c, 0, 0, &value));
	assert_int_equal(value, 7);
	weir_xlate_lease(c, 0, 0, &lease);
	assert_int_equal(weir_xlate_fill(c, &lease, 0, 0), WEIR_OK);
	assert_true(weir_xlate_lookup(c, 0, 0, &value));
	assert_int_equal(value, 0);
	weir_xlate_lease(c, 0, 0, &lease);
	assert_int_equal(weir_xlate_fill(c, &lease, UINT32_MAX, UINT64_MAX), WEIR_OK);
	assert_true(weir_xlate_lookup(c, 0, 0, &value));
	assert_true(value == UINT64_MAX);
	free(c);
}

/* X4: the fix of the list of 2019 from v1 to v2. */
static void one_entry_a_key(void **state)
{
	struct weir_xlate *c = cache_of(64, WEIR_XLATE_F_COUNTERS);
	struct weir_xlate_stats stats;
	struct weir_xlate_lease first, second;
	uint64_t value;

	(void)state;
	weir_xlate_lease(c, 1, 2, &first);
	weir_xlate_lease(c, 1, 2, &second);
	assert_int_equal(weir_xlate_fill(c, &second, TAG, 22), WEIR_OK);
	assert_int_equal(weir_xlate_fill(c, &first, TAG, 11), WEIR_OK);
	assert_int_equal(weir_xlate_residency(c), 1);
	assert_true(weir_xlate_lookup(c, 1, 2, &value));
	assert_int_equal(value, 11);
	weir_xlate_stats(c, &stats);
	assert_int_equal(stats.fills, 2);
	assert_int_equal(stats.replaced, 1);
	assert_int_equal(stats.evictions, 0);
	free(c);
}

/* As many dense keys as there is room for stay, whatever the capacity. */
static void dense_keys_fit(void **state)
{
	static const uint32_t capacities[] = { 1, 7, 16, 20, 32, 48, 50, 64, 100, 1024 };
	uint32_t i, e;

	(void)state;
	for (i = 0; i < sizeof(capacities) / sizeof(*capacities); i++) {
		struct weir_xlate *c = cache_of(capacities[i], 0);

		for (e = 0; e < capacities[i]; e++)
			assert_int_equal(fill(c, 0, e), WEIR_OK);
		for (e = 0; e < capacities[i]; e++)
			assert_true(hit(c, 0, e));
		assert_int_equal(weir_xlate_residency(c), capacities[i]);
		free(c);
	}
}

/* Devices that lie side by side under the stride: 16 of them with 17 events each. */
static void dense_devices_fit(void **state)
{
	struct weir_xlate_config cfg = { .capacity = 272, .device_stride = 17 };
	struct weir_xlate *c = cache_with_ops(&cfg, NULL, NULL);
	uint32_t d, e;

	(void)state;
	for (d = 0; d < 16; d++)
		for (e = 0; e < 17; e++)
			assert_int_equal(fill(c, d, e), WEIR_OK);
	for (d = 0; d < 16; d++)
		for (e = 0; e < 17; e++)
			assert_true(hit(c, d, e));
	free(c);
}

/* A key whose preferred slot is taken is found elsewhere, and again after the taker went. */
static void beyond_the_preferred_slot(void **state)
{
	struct weir_xlate *c = cache_of(64, 0);
	uint32_t k;

	(void)state;
	for (k = 0; k < 16; k++)
		assert_int_equal(fill(c, 0, 5 + 64 * k), WEIR_OK);
	for (k = 0; k < 16; k++)
		assert_true(hit(c, 0, 5 + 64 * k));
	weir_xlate_invalidate_event(c, 0, 5);
	assert_false(hit(c, 0, 5));
	for (k = 1; k < 16; k++)
		assert_true(hit(c, 0, 5 + 64 * k));
	/* Filled again it comes back into a dead slot, and nobody has to leave. */
	assert_int_equal(fill(c, 0, 5), WEIR_OK);
	for (k = 0; k < 16; k++)
		assert_true(hit(c, 0, 5 + 64 * k));
	free(c);
}

static void counts(void **state)
{
	struct weir_xlate *c = cache_of(16, WEIR_XLATE_F_COUNTERS);
	struct weir_xlate *silent = cache_of(16, 0);
	struct weir_xlate_stats stats, none = { 0 };
	uint32_t e;

	(void)state;
	for (e = 0; e < 20; e++)
		assert_int_equal(fill(c, 0, e), WEIR_OK);
	for (e = 0; e < 20; e++)
		(void)hit(c, 0, e);
	weir_xlate_stats(c, &stats);
	assert_int_equal(stats.fills, 20);
	assert_int_equal(stats.evictions, 4);
	assert_int_equal(stats.hits, 2 * 16);
	assert_int_equal(stats.misses, 2 * 4);
	assert_int_equal(fill(silent, 0, 1), WEIR_OK);
	assert_true(hit(silent, 0, 1));
	weir_xlate_invalidate_all(silent);
	weir_xlate_stats(silent, &stats);
	assert_memory_equal(&stats, &none, sizeof(stats));
	free(c);
	free(silent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_was_filled),
		cmocka_unit_test(keys_are_of_full_width),
		cmocka_unit_test(zero_is_a_key_and_a_value),
		cmocka_unit_test(one_entry_a_key),
		cmocka_unit_test(dense_keys_fit),
		cmocka_unit_test(dense_devices_fit),
		cmocka_unit_test(beyond_the_preferred_slot),
		cmocka_unit_test(counts),
	};

	return cmocka_run_group_tests_name("xlate_cache", tests, NULL, NULL);
}
