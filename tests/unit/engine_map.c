// SPDX-License-Identifier: BSD-2-Clause
/*
 * engine_map - Goal: a key gives the value it was given last, and no other key one. Method: keys
 * that are dense, far apart, or equal in their lower half, through many growths, against what the
 * loop says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim/engine/map.h"

#define N 5000u

static uint64_t dense(uint64_t i)
{
	return i;
}

static uint64_t upper(uint64_t i)
{
	return i << 32 | 7;
}

static uint64_t lower(uint64_t i)
{
	return UINT64_C(0xffffffff00000000) + i * 65536;
}

static void what_was_set_is_there(void **state)
{
	uint64_t (*const keys[])(uint64_t) = { dense, upper, lower };

	(void)state;
	for (unsigned int k = 0; k < 3; k++) {
		struct sim_map map = { .n = 0 };
		uint32_t value = 0xabcd;

		assert_false(sim_map_get(&map, 0, &value));
		for (uint32_t i = 0; i < N; i++) {
			assert_false(sim_map_get(&map, keys[k](i), &value));
			sim_map_set(&map, keys[k](i), i);
			sim_map_set(&map, keys[k](i / 2), i / 2 + N);
		}
		assert_int_equal(map.n, N);
		assert_int_equal(value, 0xabcd);
		for (uint32_t i = 0; i < N; i++) {
			assert_true(sim_map_get(&map, keys[k](i), &value));
			assert_int_equal(value, i < N / 2 ? i + N : i);
		}
		assert_false(sim_map_get(&map, keys[k](N), &value));
		sim_map_fini(&map);
		assert_false(sim_map_get(&map, keys[k](0), &value));
		sim_map_fini(&map);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(what_was_set_is_there) };

	return cmocka_run_group_tests_name("engine_map", tests, NULL, NULL);
}
