// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: weir-sim experiment keeps its word to a user: a table or JSON on standard output, exit
 * code 0 for a table with misses, 1 when a page is lost, and 2 with one line for input that is
 * wrong.
 *
 * Method: run the program; look at exit code, streams and files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define WEIR_SIM EMULATOR " " WEIR_BIN_DIR "/weir-sim experiment "
#define TEXT_MAX 65536u

static char dir[64];
static char out[TEXT_MAX], err[TEXT_MAX];

static void slurp(const char *name, char *text)
{
	char path[160];
	size_t n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "r");
	if (file) {
		n = fread(text, 1, TEXT_MAX - 1, file);
		fclose(file);
	}
	text[n] = '\0';
}

static int sim(const char *args)
{
	char command[1024];
	int status;

	snprintf(command, sizeof(command), "cd %s && " WEIR_SIM "%s >out 2>err", dir, args);
	status = system(command);
	assert_true(WIFEXITED(status));
	slurp("out", out);
	slurp("err", err);
	return WEXITSTATUS(status);
}

static void names_are_listed_and_offered(void **state)
{
	(void)state;
	assert_int_equal(sim("list"), 0);
	assert_non_null(strstr(out, "perf2023"));
	assert_non_null(strstr(out, "fit"));
	assert_int_equal(sim("perf2032"), 2);
	assert_non_null(strstr(err, "perf2023"));
	assert_string_equal(out, "");
	assert_int_equal(sim(""), 2);
	assert_int_equal(sim("koller --all"), 2);
	assert_int_equal(sim("koller --format yaml"), 2);
	assert_int_equal(sim("koller -C koller.scale=3"), 2);
	assert_non_null(strstr(err, "koller.scale=3"));
	assert_int_equal(sim("koller -C koller.skale=4"), 2);
	assert_non_null(strstr(err, "koller.scale"));
	assert_int_equal(sim("koller --out nowhere/deeper"), 2);
	assert_int_equal(sim("koller --out /dev/null"), 2);
	assert_string_equal(out, "");
	assert_int_equal(sim("koller --out ''"), 2);
}

/* The synthetic writers take seconds, and print a table; a trace that is not there comes first. */
static void input_is_looked_at_first(void **state)
{
	static const char *const lists[] = {
		"matrix -C matrix.traces=",
		"assume -C assume.traces=",
		"--all -C matrix.traces=",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		char arguments[256];

		snprintf(arguments, sizeof(arguments), "%s%s,nowhere.csv", lists[i],
			 WEIR_SOURCE_DIR "/examples/traces/pagewr-redis-set.csv.zst");
		assert_int_equal(sim(arguments), 2);
		assert_string_equal(err, "weir-sim: nowhere.csv: cannot open: No such file or "
					 "directory\n");
		assert_string_equal(out, "");
	}
}

/* A miss is a statement about the model: exit code 0, and the reason is printed. */
static void a_miss_is_shown_with_its_reason(void **state)
{
	(void)state;
	assert_int_equal(sim("gardon -C large.scale=64"), 0);
	assert_non_null(strstr(out, "MISS"));
	assert_non_null(strstr(out, "why: "));
	assert_non_null(strstr(out, "held out"));
	assert_int_equal(sim("koller -C koller.scale=64 -C koller.vcpus_max=8"), 0);
	assert_non_null(strstr(out, "fitted"));
	assert_non_null(strstr(out, "held out"));
	assert_null(strstr(out, ", 152 vCPUs"));
	assert_string_equal(err, "");
}

static void a_directory_gets_both_forms(void **state)
{
	(void)state;
	assert_int_equal(sim("sparse --out results --format json"), 0);
	assert_non_null(strstr(out, "\"experiment\": \"sparse\""));
	slurp("results/sparse.json", err);
	assert_string_equal(err, out);
	slurp("results/sparse.txt", err);
	assert_non_null(strstr(err, "bound"));
	/* the same again, byte for byte */
	slurp("results/sparse.json", err);
	assert_int_equal(sim("sparse --format json"), 0);
	slurp("results/sparse.json", err);
	assert_string_equal(err, out);
}

/* Without invalidations the guest's writes get lost, and the exit code says so. */
static void a_lost_page_is_a_failure(void **state)
{
	(void)state;
	assert_int_equal(sim("matrix -C matrix.runs=1 -C break.skip_tlbi=on "
			     "-C workload.kind=hot -C workload.burst_stores=64"),
			 1);
	assert_non_null(strstr(out, "FAILED"));
}

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/experiment_cli.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_listed_and_offered),
		cmocka_unit_test(input_is_looked_at_first),
		cmocka_unit_test(a_miss_is_shown_with_its_reason),
		cmocka_unit_test(a_directory_gets_both_forms),
		cmocka_unit_test(a_lost_page_is_a_failure),
	};

	return cmocka_run_group_tests_name("experiment_cli", tests, setup, teardown);
}
