// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: the times of the interrupt stress are those of its rules; the prices of lpi2024 follow from
 * the rows that it calls fitted, and from no other.
 *
 * Method: runs small enough to add up by hand, with prices that tell causes apart; the fit over
 * rows of which some are spoilt.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/scenario/experiments/experiment.h"
#include "sim/scenario/experiments/lpi2024.h"

static const char *const prices[] = {
	"stress.call_ns=1000", "stress.bus_ns=300",   "stress.doorbell_ns=5",
	"stress.lock_ns=10",   "stress.handoff_ns=100", "stress.line_ns=50",
	"stress.ref_ns=1",     "stress.scan_ps=1000", "stress.node_ns=2",
	"stress.table_ns=7",   "stress.hit_ns=3",     "stress.fill_ns=20",
	"stress.generation_ns=4", "stress.command_ns=30", NULL};

/* As above, but all time is spent on what is shared. */
static const char *const shared[] = {"stress.call_ns=0", "stress.bus_ns=0", NULL};

static struct stress_result run(const struct stress_setup *setup, const char *const *more)
{
	struct sim_error err = {""};
	struct sim_params *params = experiment_params(prices, more, &err);
	struct stress_result r;

	if (!params || !stress_run(setup, params, &r, &err))
		fail_msg("%s", err.text);
	sim_params_free(params);
	if (!setup->warmup)
		assert_int_equal(r.lpis, setup->ndevices * setup->nevents * setup->iterations);
	assert_int_equal(r.wrong, 0);
	assert_int_equal(r.unsignalled, 0);
	return r;
}

/* One thread has nothing to wait for: the first call, which walks, and the others. */
static void one_stream_is_a_sum(void **state)
{
	static const struct {
		enum sim_its_design_kind kind;
		bool bus;
		uint64_t first, next;
	} cases[] = {
		/* call, bus, mutex, walk, request and kick */
		{SIM_ITS_NONE, true, 1000 + 300 + 10 + 21 + 2, 1000 + 300 + 10 + 21 + 2},
		/* call, lock, an entry; bus, mutex, walk, lock, an entry, a reference; 2 */
		{SIM_ITS_LIST2019, true, 1000 + 11 + 300 + 10 + 21 + 11 + 1 + 2, 1000 + 11 + 2},
		/* and a hit takes a reference, the lock again, and puts it */
		{SIM_ITS_LIST2024, true, 1000 + 11 + 300 + 10 + 21 + 11 + 1 + 2,
		 1000 + 11 + 1 + 2 + 10 + 1},
		/* call, bus, no node; mutex, walk, the tree's lock, a reference; 2 */
		{SIM_ITS_XARRAY2024, true, 1000 + 300 + 10 + 21 + 10 + 1 + 2,
		 1000 + 300 + 1 + 2 + 1},
		/* call, doorbell, look-up; mutex, walk, fill; 2 */
		{SIM_ITS_WEIR, false, 1000 + 5 + 3 + 10 + 21 + 20 + 2, 1000 + 5 + 3 + 2},
		{SIM_ITS_WEIR, true, 1000 + 300 + 3 + 10 + 21 + 20 + 2, 1000 + 300 + 3 + 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stress_setup setup = {.nvcpus = 1, .ndevices = 1, .nevents = 1,
					     .iterations = 100, .kind = cases[i].kind,
					     .bus = cases[i].bus};
		struct stress_result r = run(&setup, NULL);

		assert_int_equal(r.span_ns, cases[i].first + 99 * cases[i].next);
		assert_int_equal(r.hits, cases[i].kind == SIM_ITS_NONE ? 0 : 99);
		/* and without the first */
		setup.warmup = 1;
		r = run(&setup, NULL);
		assert_int_equal(r.span_ns, 99 * cases[i].next);
		assert_int_equal(r.lpis, 99);
	}
}

/* What 1000 iterations more take, of @setup with @more prices. */
static uint64_t marginal_ns(struct stress_setup setup, const char *const *more)
{
	struct stress_result a, b;

	setup.iterations = 1000;
	a = run(&setup, more);
	setup.iterations = 2000;
	b = run(&setup, more);
	return b.span_ns - a.span_ns;
}

/*
 * Two threads that do nothing else pass the list's lock to and fro: twice an interrupt it is handed
 * over, once with two entries and a reference, once with a put under it.
 */
static void a_lock_is_handed_over(void **state)
{
	struct stress_setup setup = {.nvcpus = 1, .ndevices = 2, .nevents = 1,
				     .kind = SIM_ITS_LIST2024, .bus = true};

	(void)state;
	assert_int_equal(marginal_ns(setup, shared), 2000 * (110 + 2 + 1 + 110 + 1));
}

/* Four threads and one vCPU's line, which each changes twice an interrupt. */
static void a_line_is_one_cpus_at_a_time(void **state)
{
	struct stress_setup setup = {.nvcpus = 4, .ndevices = 4, .nevents = 1,
				     .kind = SIM_ITS_XARRAY2024, .bus = true};

	(void)state;
	assert_int_equal(marginal_ns(setup, shared), 4000 * 2 * 50);
	/* a vCPU each: nothing is shared. Three nodes, a reference and its put, request and kick */
	setup.spread = true;
	assert_int_equal(marginal_ns(setup, shared), 1000 * (3 * 2 + 4));
}

/* A guest that moves interrupts: the tree forgets all four events each time, xlate one. */
static void what_a_movi_costs(void **state)
{
	struct stress_setup setup = {.nvcpus = 2, .ndevices = 1, .nevents = 4, .iterations = 1000,
				     .bus = true, .movi_period_ns = 20000};
	struct stress_result r;

	(void)state;
	/* 20 us are 15 calls or more: all four events are there again */
	setup.kind = SIM_ITS_XARRAY2024;
	r = run(&setup, NULL);
	assert_true(r.movis > 200);
	assert_int_equal(r.dropped, 4 * r.movis);
	assert_in_range(r.lpis - r.hits, 4 * r.movis + 1, 4 * r.movis + 4);
	setup.kind = SIM_ITS_WEIR;
	r = run(&setup, NULL);
	assert_true(r.movis > 200);
	assert_in_range(r.lpis - r.hits, r.movis + 3, r.movis + 4);
}

static void a_run_repeats(void **state)
{
	struct stress_setup setup = {.nvcpus = 8, .ndevices = 8, .nevents = 17, .iterations = 50,
				     .kind = SIM_ITS_LIST2024, .bus = true,
				     .movi_period_ns = 5000};
	struct stress_result a = run(&setup, NULL), b = run(&setup, NULL);

	(void)state;
	assert_int_equal(a.span_ns, b.span_ns);
	assert_int_equal(a.hits, b.hits);
	assert_int_equal(a.dropped, b.dropped);
	assert_int_equal(a.lock_ns, b.lock_ns);
}

/* 272 events in 256 entries; and in as many as they are, after a first lap that misses. */
static void entries_for_all_hit_always(void **state)
{
	struct stress_setup setup = {
		.nvcpus = 16, .ndevices = 16, .nevents = 17, .iterations = 50, .warmup = 2,
		.kind = SIM_ITS_WEIR,
	};
	struct stress_result r = run(&setup, NULL);

	(void)state;
	assert_true(r.hits < r.lpis);
	assert_true(r.hits * 100 > r.lpis * 85);
	setup.entries = 272;
	r = run(&setup, NULL);
	assert_int_equal(r.hits, r.lpis);
	/* the list keeps its own bound */
	setup.kind = SIM_ITS_LIST2024;
	r = run(&setup, NULL);
	assert_int_equal(r.hits, 0);
}

static void setups_out_of_range_are_refused(void **state)
{
	struct sim_error err = {""};
	struct sim_params *params = experiment_params(NULL, NULL, &err);
	struct stress_setup setup = {.nvcpus = 1, .ndevices = 65, .nevents = 1, .iterations = 1};
	struct stress_result r;

	(void)state;
	assert_non_null(params);
	assert_false(stress_run(&setup, params, &r, &err));
	assert_non_null(strstr(err.text, "65 devices"));
	sim_params_free(params);
}

static struct lpi2024_fit fit_of(const struct lpi2024_row *rows)
{
	struct sim_error err = {""};
	struct sim_params *params = experiment_params(NULL, NULL, &err);
	struct lpi2024_fit fit;

	assert_non_null(params);
	lpi2024_fit(rows, params, &fit);
	sim_params_free(params);
	return fit;
}

static bool same(const struct lpi2024_fit *a, const struct lpi2024_fit *b)
{
	return a->call_ns == b->call_ns && a->bus_ns == b->bus_ns &&
	       a->handoff_ns == b->handoff_ns && a->line_ns == b->line_ns;
}

/* The prices in use are the fit's. */
static void the_prices_are_fitted(void **state)
{
	struct lpi2024_fit fit = fit_of(lpi2024_rows);
	struct sim_error err = {""};
	struct sim_params *params = experiment_params(NULL, NULL, &err);

	(void)state;
	assert_int_equal(sim_params_u64(params, "stress.call_ns"), fit.call_ns);
	assert_int_equal(sim_params_u64(params, "stress.bus_ns"), fit.bus_ns);
	assert_int_equal(sim_params_u64(params, "stress.handoff_ns"), fit.handoff_ns);
	assert_int_equal(sim_params_u64(params, "stress.line_ns"), fit.line_ns);
	/* 1e9 / 2063297 = 484.66; less two locks, an entry, four changes: 423.1 */
	assert_int_equal(fit.call_ns, 423);
	sim_params_free(params);
}

/* A row that is held out may say anything; one that is fitted may not. */
static void hold_outs_are_no_inputs(void **state)
{
	struct lpi2024_fit fit = fit_of(lpi2024_rows), other;
	struct lpi2024_row rows[LPI2024_NROWS];
	unsigned int nheld = 0;

	(void)state;
	for (unsigned int i = 0; i < LPI2024_NROWS; i++) {
		memcpy(rows, lpi2024_rows, sizeof(rows));
		rows[i].before = rows[i].before * 2 / 3;
		other = fit_of(rows);
		assert_int_equal(same(&fit, &other), !rows[i].fitted);
		rows[i].before = lpi2024_rows[i].before;
		rows[i].after = rows[i].after * 2 / 3;
		other = fit_of(rows);
		assert_int_equal(same(&fit, &other), !rows[i].fitted);
		nheld += !rows[i].fitted;
	}
	assert_int_equal(nheld, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_stream_is_a_sum),
		cmocka_unit_test(a_lock_is_handed_over),
		cmocka_unit_test(a_line_is_one_cpus_at_a_time),
		cmocka_unit_test(what_a_movi_costs),
		cmocka_unit_test(a_run_repeats),
		cmocka_unit_test(entries_for_all_hit_always),
		cmocka_unit_test(setups_out_of_range_are_refused),
		cmocka_unit_test(the_prices_are_fitted),
		cmocka_unit_test(hold_outs_are_no_inputs),
	};

	return cmocka_run_group_tests_name("experiment_stress", tests, NULL, NULL);
}
