// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: what the experiments claim. Rows are judged by the rule of their kind and by no other; the
 * cost file in the code and the one in examples/ are one; fitted rows stay within 25 % and held-out
 * ones within a factor of 2, but for the misses that are listed here by name; the answer's bounds
 * and the sparse bound hold; no page is lost.
 *
 * Method: the judgement by numbers at its edges; the experiments at a fraction of their size, which
 * leaves times as they are (checked against the full size where it is cheap).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/report/config.h"
#include "sim/scenario/experiments/costs.h"
#include "sim/scenario/experiments/experiment.h"
#include "tests/percent.h"

static bool missed(enum experiment_kind kind, uint64_t published, uint64_t simulated)
{
	const struct experiment_row row = {.kind = kind,
					   .published = published,
					   .simulated = simulated};

	return experiment_missed(&row);
}

static void rows_are_judged_by_their_kind(void **state)
{
	(void)state;
	assert_false(missed(EXPERIMENT_FITTED, 100, 125));
	assert_true(missed(EXPERIMENT_FITTED, 100, 126));
	assert_false(missed(EXPERIMENT_FITTED, 100, 75));
	assert_true(missed(EXPERIMENT_FITTED, 100, 74));
	assert_false(missed(EXPERIMENT_HELD_OUT, 100, 200));
	assert_true(missed(EXPERIMENT_HELD_OUT, 100, 201));
	assert_false(missed(EXPERIMENT_HELD_OUT, 100, 50));
	assert_true(missed(EXPERIMENT_HELD_OUT, 100, 49));
	assert_false(missed(EXPERIMENT_BOUND, 100, 100));
	assert_true(missed(EXPERIMENT_BOUND, 100, 101));
	assert_false(missed(EXPERIMENT_BOUND, 100, 0));
	assert_false(missed(EXPERIMENT_FIGURE, 0, 1000));
}

static void the_two_cost_files_are_one(void **state)
{
	struct sim_error err = {""};
	struct sim_config *config =
		sim_config_load(WEIR_SOURCE_DIR "/examples/scenarios/costs-2023.yaml", &err);
	struct sim_params *params = experiment_params(NULL, NULL, &err);
	unsigned int i;

	(void)state;
	if (!config || !params)
		fail_msg("%s", err.text);
	for (i = 0; i < EXPERIMENT_NCOSTS; i++) {
		const char *name = experiment_costs[i].name;

		if (sim_params_u64(config->params, name) != sim_params_u64(params, name))
			fail_msg("%s: differs between costs.c and costs-2023.yaml", name);
		assert_true(strlen(experiment_costs[i].source) > 0);
	}
	/* and it is complete: every price of the scenario is in it */
	for (i = 0; i < sim_params_count(params); i++) {
		const char *name = sim_params_at(params, i)->name;

		if (strncmp(name, "cost.", 5) == 0)
			assert_int_equal(sim_params_origin(params, i), SIM_PARAM_FILE);
	}
	sim_config_free(config);
	sim_params_free(params);
}

/* Run one; its misses must be those of @known (parts of names, ending with NULL), all of them. */
static void run(const char *name, const char *const *assignments, const char *const *known)
{
	struct sim_error err = {""};
	const struct experiment *experiment = experiment_find(name, &err);
	struct experiment_run x;
	unsigned int nmissed = 0, nknown = 0;

	assert_non_null(experiment);
	if (!experiment_open(&x, experiment, assignments, &err) || !experiment->run(&x))
		fail_msg("%s: %s", name, err.text);
	assert_true(x.nrows > 0);
	for (size_t i = 0; i < x.nrows; i++) {
		bool listed = false;

		if (!experiment_missed(&x.rows[i]))
			continue;
		nmissed++;
		for (unsigned int k = 0; known[k]; k++)
			listed |= strstr(x.rows[i].name, known[k]) != NULL;
		if (!listed)
			fail_msg("%s: %s: published %llu, simulated %llu", name, x.rows[i].name,
				 (unsigned long long)x.rows[i].published,
				 (unsigned long long)x.rows[i].simulated);
		if (!x.rows[i].why)
			fail_msg("%s: %s: a miss without a reason", name, x.rows[i].name);
	}
	while (known[nknown])
		nknown++;
	assert_int_equal(nmissed, nknown);
	if (x.nfailures)
		fail_msg("%s: %s", name, x.failures[0]);
	experiment_close(&x);
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NONE	  ((const char *const[]){NULL})

static void the_series_of_2023(void **state)
{
	(void)state;
	run("perf2023", LIST("perf2023.scale=64"), NONE);
}

static void the_answer(void **state)
{
	(void)state;
	run("answer2023", LIST("perf2023.scale=64", "answer.rest_bytes=4194304"),
	    LIST("fixed64, 10x: GET, frozen, but", "adaptive, 10x: GET, frozen, but"));
}

/* A migration of a smaller guest, in which every policy converges. */
static void lost_compute_and_blackout(void **state)
{
	(void)state;
	run("auc2023",
	    LIST("guest.vcpus=8", "guest.memory_bytes=512Mi", "workload.set_bytes=64Mi",
		 "link.bandwidth_bytes_per_s=125000000"),
	    NONE);
}

static void eager_splitting(void **state)
{
	const char *most = test_percent() < 100 ? "koller.vcpus_max=64" : "koller.vcpus_max=152";

	(void)state;
	run("koller", LIST("koller.scale=16", most), NONE);
}

static void turning_logging_on(void **state)
{
	(void)state;
	run("initially_set", LIST("large.scale=16"), NONE);
}

static void scans(void **state)
{
	(void)state;
	run("scans2021", LIST("large.scale=64"), NONE);
}

static void x86(void **state)
{
	(void)state;
	run("gardon", LIST("large.scale=64"), LIST("legacy MMU: dirty memory"));
}

static void sparse_writers_are_not_scanned(void **state)
{
	(void)state;
	run("sparse", NULL, NONE);
}

static void a_short_blackout(void **state)
{
	(void)state;
	run("blackout", LIST("blackout.seeds=30"), NONE);
}

static void directions(void **state)
{
	(void)state;
	run("memaslap2023", NULL, LIST("gets more done", "increment 15"));
}

static void an_old_sample(void **state)
{
	(void)state;
	run("autoconverge", NULL, NONE);
}

static void hot_pages_last(void **state)
{
	(void)state;
	run("assume", NULL, NONE);
}

static void adaptive_against_both(void **state)
{
	(void)state;
	run("matrix", LIST("matrix.runs=1"), NONE);
}

static void lpis_a_second(void **state)
{
	(void)state;
	run("lpi2024", LIST("lpi2024.scale=100"),
	    LIST("-v1 -d1 -e1: weir behind the bus", "-e17: weir, time an LPI; bound: the tree"));
}

static void the_cache_of_2019(void **state)
{
	(void)state;
	run("inject2019",
	    LIST(test_percent() < 100 ? "inject2019.runs=4" : "inject2019.runs=32"), NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_judged_by_their_kind),
		cmocka_unit_test(the_two_cost_files_are_one),
		cmocka_unit_test(the_series_of_2023),
		cmocka_unit_test(the_answer),
		cmocka_unit_test(lost_compute_and_blackout),
		cmocka_unit_test(eager_splitting),
		cmocka_unit_test(turning_logging_on),
		cmocka_unit_test(scans),
		cmocka_unit_test(x86),
		cmocka_unit_test(sparse_writers_are_not_scanned),
		cmocka_unit_test(a_short_blackout),
		cmocka_unit_test(directions),
		cmocka_unit_test(an_old_sample),
		cmocka_unit_test(hot_pages_last),
		cmocka_unit_test(adaptive_against_both),
		cmocka_unit_test(lpis_a_second),
		cmocka_unit_test(the_cache_of_2019),
	};

	return cmocka_run_group_tests_name("experiment_tables", tests, NULL, NULL);
}
