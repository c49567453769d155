// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: counters keep the order of registration and their addresses, are found by name, and reject
 * what is not a name.
 * Method: more of them than the registry starts with room for; each rule of names by a case.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sim/engine/stats.h"
#include "tests/unit/death.h"

enum { EXIT_INTERNAL = 3 };

static void test_order_and_lookup(void **state)
{
	enum { COUNT = 500 };
	struct sim_stats *stats = sim_stats_create();
	struct sim_stat *added[COUNT];
	char name[32];

	(void)state;
	assert_int_equal(sim_stats_count(stats), 0);
	assert_null(sim_stats_find(stats, "a.b0"));
	for (int i = 0; i < COUNT; i++) {
		/* Neither ascending nor descending by name. */
		snprintf(name, sizeof(name), "a.b%d", i * 7919 % COUNT);
		added[i] = sim_stat_add(stats, name, "ns", "of no importance");
		sim_stat_count(added[i], (uint64_t)i);
	}
	assert_int_equal(sim_stats_count(stats), COUNT);
	for (int i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "a.b%d", i * 7919 % COUNT);
		assert_ptr_equal(sim_stats_at(stats, (size_t)i), added[i]);
		assert_ptr_equal(sim_stats_find(stats, name), added[i]);
		assert_string_equal(added[i]->name, name);
		assert_int_equal(added[i]->value, i);
	}
	assert_null(sim_stats_find(stats, "a.b"));
	sim_stats_destroy(stats);
	sim_stats_destroy(NULL);
}

static void test_values(void **state)
{
	struct sim_stats *stats = sim_stats_create();
	char unit[] = "pages";
	struct sim_stat *count = sim_stat_add(stats, "x", unit, "what x is");
	struct sim_stat *level = sim_stat_add_signed(stats, "y_2.z", "1", "what y is");

	(void)state;
	unit[0] = '?';
	assert_string_equal(count->unit, "pages");
	assert_string_equal(count->description, "what x is");
	assert_false(count->is_signed);
	assert_int_equal(count->value, 0);
	sim_stat_count(count, 3);
	sim_stat_count(count, UINT64_MAX - 5);
	assert_int_equal(count->value, UINT64_MAX - 2);
	sim_stat_set(count, 10);
	sim_stat_max(count, 9);
	assert_int_equal(count->value, 10);
	sim_stat_max(count, 11);
	assert_int_equal(count->value, 11);
	assert_true(level->is_signed);
	sim_stat_set_signed(level, -5);
	assert_true((int64_t)level->value == -5);
	sim_stats_destroy(stats);
}

struct registration {
	struct sim_stats *stats;
	const char *name;
	const char *unit;
	const char *description;
};

static void do_register(void *arg)
{
	const struct registration *r = arg;

	sim_stat_add(r->stats, r->name, r->unit, r->description);
}

static void test_misuse_ends_the_process(void **state)
{
	struct sim_stats *stats = sim_stats_create();
	struct registration bad[] = {
		{ stats, "taken", "1", "x" }, { stats, "", "1", "x" },
		{ stats, ".a", "1", "x" },    { stats, "a.", "1", "x" },
		{ stats, "a..b", "1", "x" },  { stats, "A", "1", "x" },
		{ stats, "a b", "1", "x" },   { stats, "a-b", "1", "x" },
		{ stats, "a", "", "x" },      { stats, "a", "1", "" },
	};
	struct registration good = { stats, "a", "1", "x" };

	(void)state;
	sim_stat_add(stats, "taken", "1", "x");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(exit_code_of(do_register, &bad[i]), EXIT_INTERNAL);
	assert_int_equal(exit_code_of(do_register, &good), 0);
	sim_stats_destroy(stats);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_lookup),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_misuse_ends_the_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
