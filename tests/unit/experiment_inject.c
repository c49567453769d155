// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: the arithmetic of inject2019's figures, and that the three numbers that it chooses were
 * chosen for the figures that it calls fitted.
 *
 * Method: results made up by hand; each chosen number against a smaller and a larger one, by
 * nothing but its own figure. Runs take no published figure: see inject2019_run().
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/scenario/experiments/inject2019.h"
#include "tests/percent.h"

#define SECOND UINT64_C(1000000000)

/* A quarter of them where time is dear. */
static unsigned int runs(void)
{
	return test_percent() < 100 ? 4 : 16;
}

static struct inject_result result_of(enum inject2019_guest guest,
				      const struct inject2019_choice *choice,
				      enum sim_its_design_kind kind)
{
	struct sim_error err = {""};
	struct inject_result result;

	if (!inject2019_run(guest, choice, kind, runs(), NULL, &result, &err))
		fail_msg("%s", err.text);
	return result;
}

static void gains(void **state)
{
	(void)state;
	assert_int_equal(inject2019_gain(1000, 1270), 270);
	assert_int_equal(inject2019_gain(1000, 1000), 0);
	assert_int_equal(inject2019_gain(1000, 900), -100);
	assert_int_equal(inject2019_gain(0, 900), 0);
}

/* A compilation that has 2 CPUs' time of 4, then 3: two thirds of the time, then. */
static void time_saved(void **state)
{
	struct inject_result before = { .span_ns = 2 * SECOND, .busy_ns = 4 * SECOND };
	struct inject_result after = { .span_ns = SECOND, .busy_ns = 3 * SECOND };
	const struct inject_result none = { .span_ns = SECOND };

	(void)state;
	assert_int_equal(inject2019_time_saved(&before, &after), 1000 - 666);
	assert_int_equal(inject2019_time_saved(&after, &after), 0);
	assert_true(inject2019_time_saved(&after, &before) < 0);
	assert_int_equal(inject2019_time_saved(&before, &none), 0);
}

static uint64_t apart(int64_t a, int64_t b)
{
	return (uint64_t)(a > b ? a - b : b - a);
}

/* How far each chosen number leaves its figure from what was published. */
static uint64_t switch_error(const struct inject2019_choice *choice)
{
	struct inject_result before = result_of(INJECT2019_TWO, choice, SIM_ITS_NONE);
	struct inject_result after = result_of(INJECT2019_TWO, choice, SIM_ITS_LIST2019);

	return apart(inject2019_gain(inject_per_s(&before, before.ios - before.second_ios),
				     inject_per_s(&after, after.ios - after.second_ios)), 230);
}

static uint64_t housekeeping_error(const struct inject2019_choice *choice)
{
	struct inject_result after = result_of(INJECT2019_STREAMS, choice, SIM_ITS_LIST2019);

	return apart((int64_t)inject_per_s(&after, after.switches), 2000);
}

static uint64_t memcached_error(const struct inject2019_choice *choice)
{
	struct inject_result after = result_of(INJECT2019_MEMCACHED, choice, SIM_ITS_LIST2019);

	return apart((int64_t)inject_per_s(&after, after.ios), 180539);
}

/* @number of @choice is better than those by @step beside it. */
static void is_the_best(struct inject2019_choice *choice, uint64_t *number, uint64_t step,
			uint64_t (*error)(const struct inject2019_choice *choice))
{
	uint64_t chosen = *number, best = error(choice);

	*number = chosen - step;
	assert_true(error(choice) >= best);
	*number = chosen + step;
	assert_true(error(choice) >= best);
	*number = chosen;
}

static void the_choices_are_for_their_own_figures(void **state)
{
	struct inject2019_choice choice = inject2019_choice;

	(void)state;
	is_the_best(&choice, &choice.switch_ns, 2000, switch_error);
	is_the_best(&choice, &choice.wakeups_per_s, 50, housekeeping_error);
	is_the_best(&choice, &choice.memcached_io_ns, 500, memcached_error);
}

static void a_run_repeats_and_can_be_changed(void **state)
{
	struct inject_result a = result_of(INJECT2019_TWO, &inject2019_choice, SIM_ITS_NONE);
	struct inject_result b = result_of(INJECT2019_TWO, &inject2019_choice, SIM_ITS_NONE);
	struct sim_error err = {""};

	(void)state;
	assert_memory_equal(&a, &b, sizeof(a));
	assert_true(inject2019_run(INJECT2019_TWO, &inject2019_choice, SIM_ITS_NONE, 1,
				   "second.depth=1,cost.switch_ns=90000", &b, &err));
	assert_true(inject_per_s(&b, b.ios) < inject_per_s(&a, a.ios));
	assert_false(inject2019_run(INJECT2019_TWO, &inject2019_choice, SIM_ITS_NONE, 1,
				    "device.depht=1", &b, &err));
	assert_non_null(strstr(err.text, "device.depth"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gains),
		cmocka_unit_test(time_saved),
		cmocka_unit_test(the_choices_are_for_their_own_figures),
		cmocka_unit_test(a_run_repeats_and_can_be_changed),
	};

	return cmocka_run_group_tests_name("experiment_inject", tests, NULL, NULL);
}
