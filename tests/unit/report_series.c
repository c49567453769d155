// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: a time series loses resolution and nothing else (S1), wherever in time the pushes fall, and
 * survives series.json; what is not a series is refused.
 * Method: pushes whose exact sums and bins follow from a line of arithmetic, and random ones
 * against running totals.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sim/engine/error.h"
#include "sim/report/series_data.h"
#include "sim/scenario/scenario.h"

static const char *const causes[] = { "fault", "blackout" };

static struct sim_series *series(uint64_t npages)
{
	const struct sim_policy_shape shape = { 2, 0x40000, npages, 4096, causes, 2 };

	return sim_series_create(&shape);
}

static uint64_t sum(const struct sim_series *s, unsigned int cause)
{
	uint64_t total = 0;

	for (unsigned int i = 0; i < SIM_SERIES_BINS; i++)
		total += s->lost[cause][i];
	return total;
}

static uint64_t heat_sum(const struct sim_series *s)
{
	uint64_t total = 0;

	for (unsigned int i = 0; i < SIM_SERIES_BINS; i++) {
		for (unsigned int r = 0; r < SIM_SERIES_ROWS; r++)
			total += s->heat[i][r];
	}
	return total;
}

/* Cumulative shares, rounded down: what the bins get adds up. */
static void a_loss_is_spread_evenly(void **state)
{
	struct sim_series *s = series(64);

	(void)state;
	assert_int_equal(s->shift, 10);
	sim_series_lost(s, 0, 512, 512 + 4096, 4096);
	assert_true(s->lost[0][0] == 512);
	assert_true(s->lost[0][1] == 1024);
	assert_true(s->lost[0][3] == 1024);
	assert_true(s->lost[0][4] == 512);
	sim_series_lost(s, 1, 0, 4096, 3);
	assert_true(s->lost[1][0] == 0);	/* floor(3 * 1/4) */
	assert_true(s->lost[1][1] == 1);	/* floor(3 * 2/4) - 0 */
	assert_true(s->lost[1][2] == 1);
	assert_true(s->lost[1][3] == 1);
	sim_series_destroy(s);
}

static void an_instant_counts_where_it_is(void **state)
{
	struct sim_series *s = series(64);

	(void)state;
	sim_series_lost(s, 0, 1024, 1024, 7);
	assert_true(s->lost[0][1] == 7);
	sim_series_lost(s, 0, 1023, 1024, 1);
	assert_true(s->lost[0][0] == 1);
	sim_series_destroy(s);
}

static void bins_fold_when_time_outgrows_them(void **state)
{
	struct sim_series *s = series(64);

	(void)state;
	for (unsigned int i = 0; i < SIM_SERIES_BINS; i++)
		sim_series_lost(s, 0, (uint64_t)i << 10, (uint64_t)i << 10, i);
	assert_int_equal(s->shift, 10);
	sim_series_lost(s, 0, (uint64_t)SIM_SERIES_BINS << 10, (uint64_t)SIM_SERIES_BINS << 10, 1);
	assert_int_equal(s->shift, 11);
	assert_true(s->lost[0][0] == 0 + 1);
	assert_true(s->lost[0][255] == 510 + 511);
	assert_true(s->lost[0][256] == 1);
	assert_true(sum(s, 0) == 511 * 512 / 2 + 1);
	sim_series_destroy(s);
}

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static void sums_are_exact(void **state)
{
	uint64_t x = 88172645463325252, lost[2] = { 0, 0 }, dirty = 0;
	struct sim_series *s = series(100000);

	(void)state;
	for (unsigned int i = 0; i < 20000; i++) {
		unsigned int cause = (unsigned int)(next_random(&x) & 1);
		uint64_t t0 = next_random(&x) >> (24 + next_random(&x) % 30);
		uint64_t span = next_random(&x) >> (24 + next_random(&x) % 40);
		uint64_t n = next_random(&x) % 1000000;
		uint64_t gfn = next_random(&x) % 99000, pages = next_random(&x) % 1000 + 1;

		sim_series_lost(s, cause, t0, t0 + span, n);
		sim_series_dirty(s, t0, 0x40000 + gfn, pages);
		lost[cause] += n;
		dirty += pages;
	}
	assert_true(sum(s, 0) == lost[0]);
	assert_true(sum(s, 1) == lost[1]);
	assert_true(heat_sum(s) == dirty);
	sim_series_destroy(s);
}

static void rows_of_the_heat_map(void **state)
{
	struct sim_series *s = series(131072);

	(void)state;
	assert_int_equal(s->row_shift, 11);	/* 2048 pages: 131072 / 96 rounded up to a power */
	assert_int_equal(s->nrows, 64);
	sim_series_dirty(s, 0, 0x40000 + 2047, 2050);	/* 1 in row 0, 2048 in row 1, 1 in row 2 */
	assert_int_equal(s->heat[0][0], 1);
	assert_int_equal(s->heat[0][1], 2048);
	assert_int_equal(s->heat[0][2], 1);
	sim_series_dirty(s, 0, 0x40000 + 131071, 1);	/* the last page */
	assert_int_equal(s->heat[0][63], 1);
	sim_series_destroy(s);
	s = series(1);
	assert_int_equal(s->nrows, 1);
	sim_series_destroy(s);
	s = series(SIM_SERIES_ROWS + 1);
	assert_true(s->nrows <= SIM_SERIES_ROWS);
	sim_series_destroy(s);
}

static void through_json(void **state)
{
	struct sim_series *s = series(5000), *back;
	struct sim_error err = { "" };
	json_t *a, *b;

	(void)state;
	sim_series_lost(s, 0, 5, 3000000, 12345);
	sim_series_lost(s, 1, 3000000, 4000000, 2000000);
	sim_series_dirty(s, 777777, 0x40000 + 4000, 1000);
	sim_series_phase(s, &(struct sim_phase){ SIM_PHASE_ROUND, "round 1", 0, 3000000, 1, 2, 3 });
	sim_series_phase(s, &(struct sim_phase){ SIM_PHASE_BLACKOUT, "b \"q\"", 3000000, 4000000,
						 UINT64_MAX, 0, 0 });
	sim_series_end(s, 4000000);
	a = sim_series_to_json(s);
	assert_non_null(a);
	back = sim_series_from_json(a, "series.json", &err);
	assert_string_equal(err.text, "");
	assert_non_null(back);
	b = sim_series_to_json(back);
	assert_true(json_equal(a, b));
	assert_true(sum(back, 0) == 12345 && sum(back, 1) == 2000000 && heat_sum(back) == 1000);
	assert_true(back->phases[1].pages_sent == UINT64_MAX);
	json_decref(a);
	json_decref(b);
	sim_series_destroy(s);
	sim_series_destroy(back);
}

static void refuse(const char *key, json_t *value, const char *message)
{
	struct sim_series *s = series(5000);
	struct sim_error err = { "" };
	json_t *root;

	sim_series_phase(s, &(struct sim_phase){ SIM_PHASE_ROUND, "r", 0, 3000000, 0, 0, 0 });
	root = sim_series_to_json(s);
	if (value)
		json_object_set_new(root, key, value);
	else
		json_object_del(root, key);
	assert_null(sim_series_from_json(root, "series.json", &err));
	if (!strstr(err.text, message))
		fail_msg("%s: said \"%s\"", key, err.text);
	json_decref(root);
	sim_series_destroy(s);
}

static void damaged_json(void **state)
{
	(void)state;
	refuse("end_ns", NULL, "\"end_ns\": missing");
	refuse("end_ns", json_integer(-1), "\"end_ns\": of another type");
	refuse("end_ns", json_integer(1), "phase \"r\": outside the run");
	refuse("vcpus", json_integer(0), "not a time series");
	refuse("npages", json_integer(0), "not a time series");
	refuse("bin_shift", json_integer(60), "not a time series");
	refuse("bin_shift", json_integer(2), "not a time series");	/* end beyond the bins */
	refuse("lost", json_string("x"), "\"lost\": of another type");
	refuse("lost", json_pack("[{s:s, s:[s]}]", "cause", "x", "vcpu_ns", "y"), "element 0");
	refuse("heat", json_pack("[[b]]", 1), "column 0, row 0");
	refuse("heat", json_pack("[[I]]", (json_int_t)1 << 40), "column 0, row 0");
	refuse("phases", json_pack("[{s:s}]", "name", "x"), "\"kind\": missing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loss_is_spread_evenly),
		cmocka_unit_test(an_instant_counts_where_it_is),
		cmocka_unit_test(bins_fold_when_time_outgrows_them),
		cmocka_unit_test(sums_are_exact),
		cmocka_unit_test(rows_of_the_heat_map),
		cmocka_unit_test(through_json),
		cmocka_unit_test(damaged_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
