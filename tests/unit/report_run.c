// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: a run directory holds what FORMATS says, with the figures of the scenario; the report
 * reaches for nothing outside itself, escapes what it is given, and is rendered from what is on
 * disk. Method: the sample scenario (cli/scenario.c), whose figures are arithmetic.
 */
#define _GNU_SOURCE	/* nftw() in report_dir.h */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <jansson.h>

#include "sim/engine/error.h"
#include "sim/report/config.h"
#include "sim/report/files.h"
#include "sim/report/html.h"
#include "sim/report/model.h"
#include "sim/report/run.h"
#include "sim/report/series_data.h"
#include "sim/scenario/scenario.h"
#include "tests/unit/report_dir.h"

static enum sim_exit run_with(const char *assignment, const char *dir, bool force,
			      struct sim_run_record *record, struct sim_error *err)
{
	struct sim_config *config;
	struct sim_run_request request = { .dir = dir, .force = force, .command = "again <it>" };
	enum sim_exit code;

	put_file("c.yaml", "scenario: sample\n", 17);
	config = sim_config_load("c.yaml", err);
	assert_non_null(config);
	assert_true(sim_params_assign(config->params, assignment, err));
	request.config = config;
	code = sim_run_recorded(&request, record, err);
	sim_config_free(config);
	return code;
}

static char *slurp(const char *path)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = fopen(path, "rb"), *out = open_memstream(&text, &len);
	int c;

	assert_non_null(f);
	while ((c = fgetc(f)) != EOF)
		fputc(c, out);
	fclose(f);
	fclose(out);
	return text;
}

static void everything_is_there(void **state)
{
	static const char *const files[] = {
		"d/config.resolved.yaml", "d/stats.json", "d/stats.txt", "d/manifest.json",
		"d/report.html", "d/compare.json", "d/slow/stats.json", "d/slow/stats.txt",
		"d/slow/trace.zst", "d/fast/series.json",
	};
	struct sim_run_record record;
	struct sim_error err = { "" };
	char *text;

	(void)state;
	assert_int_equal(run_with("sample.events=1000", "d", false, &record, &err), SIM_EXIT_OK);
	assert_string_equal(err.text, "");
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		assert_true(sim_path_exists(files[i]));
	assert_int_equal(strlen(record.digest), 32);
	assert_int_equal(strspn(record.digest, "0123456789abcdef"), 32);
	text = slurp("d/compare.json");
	assert_string_equal(text,
		"{\n  \"schema\": 1,\n  \"scenario\": \"sample\",\n  \"rows\": [\n    {\n"
		"      \"policy\": \"slow\",\n      \"lost_vcpu_ns\": 102000,\n"
		"      \"blackout_ns\": 1000,\n      \"bytes_sent\": 4096000,\n"
		"      \"memory_equal\": true,\n      \"faults\": 1000\n    },\n    {\n"
		"      \"policy\": \"fast\",\n      \"lost_vcpu_ns\": 202000,\n"
		"      \"blackout_ns\": 1000,\n      \"bytes_sent\": 4096000,\n"
		"      \"memory_equal\": true,\n      \"faults\": 1000\n    }\n  ]\n}\n");
	free(text);
	text = slurp("d/stats.txt");
	assert_string_equal(text, "slow.sample.faults  1000 1  # events in all\n"
				  "fast.sample.faults  1000 1  # events in all\n");
	free(text);
}

static void model_of_the_run(void **state)
{
	struct sim_run_record record;
	struct sim_error err = { "" };
	struct sim_model *m;

	(void)state;
	assert_int_equal(run_with("sample.events=1000", "d", false, &record, &err), SIM_EXIT_OK);
	m = sim_model_load("d", &err);
	assert_string_equal(err.text, "");
	assert_string_equal(m->digest, record.digest);
	assert_int_equal(m->npolicies, 2);
	for (size_t p = 0; p < 2; p++) {
		const struct sim_series *s = m->policies[p].series;
		uint64_t lost = 0;

		for (unsigned int i = 0; i < SIM_SERIES_BINS; i++)
			lost += s->lost[0][i] + s->lost[1][i];
		assert_true(lost == m->policies[p].values[0].value);	/* picture = table */
		assert_true(s->end_ns == 1001000);
	}
	assert_true(sim_model_is_best(m, 0, 0));	/* loses less */
	assert_false(sim_model_is_best(m, 1, 0));
	assert_false(sim_model_is_best(m, 0, 1));	/* equal blackouts: none is best */
	assert_false(sim_model_is_best(m, 0, 3));	/* no way is better */
	sim_model_free(m);
}

static void digests(void **state)
{
	struct sim_run_record a, b, c, d;
	struct sim_error err = { "" };

	(void)state;
	assert_int_equal(run_with("sample.events=50", "a", false, &a, &err), SIM_EXIT_OK);
	assert_int_equal(run_with("sample.events=50", "b", false, &b, &err), SIM_EXIT_OK);
	assert_int_equal(run_with("sample.events=51", "c", false, &c, &err), SIM_EXIT_OK);
	assert_int_equal(run_with("sample.chatty=on", "d", false, &d, &err), SIM_EXIT_OK);
	assert_string_equal(a.digest, b.digest);
	assert_string_not_equal(a.digest, c.digest);
	/* notes are words about the run, not part of it: the default has 100 events */
	assert_int_equal(run_with("sample.events=100", "c", true, &c, &err), SIM_EXIT_OK);
	assert_string_equal(c.digest, d.digest);
}

static void the_report_stands_alone(void **state)
{
	static const char *const never[] = {
		"http:", "https:", "src=", "href=", "url(", "@import", "<script", "<link", "<here>",
		"<it>",
	};
	struct sim_run_record record;
	struct sim_error err = { "" };
	char *text, *again;

	(void)state;
	assert_int_equal(run_with("sample.events=1000", "d", false, &record, &err), SIM_EXIT_OK);
	text = slurp("d/report.html");
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
		if (strstr(text, never[i]))
			fail_msg("report.html has %s", never[i]);
	}
	assert_non_null(strstr(text, "slow loses least &lt;here&gt; &amp; now."));
	assert_non_null(strstr(text, record.digest));
	assert_non_null(strstr(text, "<td class=\"n best\" title=\"102000 vcpu ns\">102 vCPU us"));
	assert_int_equal(unlink("d/report.html"), 0);
	assert_true(sim_html_write("d", &err));
	again = slurp("d/report.html");
	assert_string_equal(again, text);
	free(text);
	free(again);
}

static void ways_to_end(void **state)
{
	struct sim_run_record record;
	struct sim_error err = { "" };

	(void)state;
	assert_int_equal(run_with("sample.ending=bad_input", "d", false, &record, &err),
			 SIM_EXIT_USAGE);
	assert_false(sim_path_exists("d"));		/* nothing half-applied */
	sim_error_clear(&err);
	assert_int_equal(run_with("sample.ending=incomplete", "e", false, &record, &err),
			 SIM_EXIT_INTERNAL);
	assert_string_equal(err.text, "scenario sample, policy slow: gave no faults");
	assert_false(sim_path_exists("e/manifest.json"));	/* so it is no complete run */
	sim_error_clear(&err);
	assert_int_equal(run_with("sample.ending=fail", "e", true, &record, &err),
			 SIM_EXIT_PROPERTY);
	assert_int_equal(record.failures, 1);
	assert_int_equal(run_with("sample.ending=abort_midway", "e", true, &record, &err),
			 SIM_EXIT_PROPERTY);
	assert_true(sim_path_exists("e/report.html"));
}

/* Bad input with --force leaves the earlier run as it was. */
static void bad_input_keeps_the_earlier_run(void **state)
{
	struct sim_run_record record;
	struct sim_error err = { "" };

	(void)state;
	assert_int_equal(run_with("sample.events=9", "d", false, &record, &err), SIM_EXIT_OK);
	assert_int_equal(run_with("sample.ending=bad_input", "d", true, &record, &err),
			 SIM_EXIT_USAGE);
	assert_true(sim_path_exists("d/manifest.json"));
	assert_true(sim_path_exists("d/slow/trace.zst"));
}

static void damage(const char *file, const char *text, const char *message)
{
	struct sim_error err = { "" };
	struct sim_run_record record;

	assert_int_equal(run_with("sample.events=9", "d", true, &record, &err), SIM_EXIT_OK);
	put_file(file, text, strlen(text));
	assert_null(sim_model_load("d", &err));
	if (!strstr(err.text, message))
		fail_msg("%s: said \"%s\"", file, err.text);
}

static void damaged_directories(void **state)
{
	struct sim_error err = { "" };

	(void)state;
	assert_null(sim_model_load("nothing", &err));
	assert_string_equal(err.text, "nothing/manifest.json: cannot be read: No such file or "
			    "directory");
	damage("d/manifest.json", "{\n\n", "d/manifest.json:3: not JSON");
	damage("d/manifest.json", "[]", "written by another version");
	damage("d/manifest.json", "{\"schema\": 2}", "written by another version");
	damage("d/manifest.json", "{\"schema\": 1}", "\"scenario\": missing, expected a string");
	damage("d/compare.json", "{\"schema\": 1, \"rows\": []}", "0 rows, expected 2");
	damage("d/report.json", "{\"schema\": 1}", "missing");
	damage("d/slow/series.json", "{\"schema\": 1}", "d/slow/series.json: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(everything_is_there, enter_dir, leave_dir),
		cmocka_unit_test_setup_teardown(model_of_the_run, enter_dir, leave_dir),
		cmocka_unit_test_setup_teardown(digests, enter_dir, leave_dir),
		cmocka_unit_test_setup_teardown(the_report_stands_alone, enter_dir, leave_dir),
		cmocka_unit_test_setup_teardown(ways_to_end, enter_dir, leave_dir),
		cmocka_unit_test_setup_teardown(bad_input_keeps_the_earlier_run, enter_dir,
						leave_dir),
		cmocka_unit_test_setup_teardown(damaged_directories, enter_dir, leave_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
