// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: a configuration is read as config.h says, a wrong one is refused with its line, and the
 * resolved one reads back the same (C1).
 * Method: the sample scenario (cli/scenario.c); a table of files and of the exact message of each.
 */
#define _GNU_SOURCE	/* nftw() in report_dir.h */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sim/engine/error.h"
#include "sim/report/config.h"
#include "sim/scenario/scenario.h"
#include "tests/unit/report_dir.h"

static void defaults(void **state)
{
	struct sim_error err = { "" };
	struct sim_config *c;

	(void)state;
	put_file("c.yaml", "scenario: sample", 16);	/* also without a newline at its end */
	c = sim_config_load("c.yaml", &err);
	assert_string_equal(err.text, "");
	assert_string_equal(c->scenario->name, "sample");
	assert_true(c->seed == 1 && c->number == 0);
	assert_true(sim_params_u64(c->params, "sample.events") == 100);
	sim_config_free(c);
}

static const char all_set[] =
	"# a comment\n"
	"run: 0x10\n"
	"sample: {events: 5_000, chatty: yes}\n"
	"scenario: \"sample\"\n"
	"policy:\n"
	"  names: 'a: \"b\" # c'\n"
	"seed: 9223372036854775807\n";

static void values(void **state)
{
	struct sim_error err = { "" };
	struct sim_config *c;

	(void)state;
	put_file("c.yaml", all_set, sizeof(all_set) - 1);
	c = sim_config_load("c.yaml", &err);
	assert_string_equal(err.text, "");
	assert_true(c->seed == INT64_MAX && c->number == 16);
	assert_true(sim_params_u64(c->params, "sample.events") == 5000);
	assert_true(sim_params_bool(c->params, "sample.chatty"));
	assert_string_equal(sim_params_str(c->params, "policy.names"), "a: \"b\" # c");
	assert_int_equal(sim_params_origin(c->params, 0), SIM_PARAM_FILE);
	assert_int_equal(sim_params_origin(c->params, 1), SIM_PARAM_DEFAULT);
	sim_config_free(c);
}

/* C1, with every character that YAML makes something of. */
static void resolved(void **state)
{
	static const char *const texts[] = {
		"plain", "", " lead", "a: b", "# no comment", "\"q\" \\n 'x'", "- list", "~",
		"null", "on", "0x10", "{a}", "[b]", "&a", "*a", "!t", "%d", "@", "`",
		"\xc3\xa9\xe2\x82\xac", "\xc2\x85", "\xc2\x9f", "\xe2\x80\xa8x",
		"\xef\xbb\xbf", "\xef\xbf\xbf",
		"\xf0\x9f\x98\x80", "a\\", "\\u0041",
	};

	(void)state;
	put_file("c.yaml", all_set, sizeof(all_set) - 1);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct sim_error err = { "" };
		struct sim_config *a = sim_config_load("c.yaml", &err), *b;
		char *text, *again;

		assert_true(sim_params_set(a->params, "policy.names", texts[i], NULL, &err));
		text = sim_config_text(a);
		put_file("r.yaml", text, strlen(text));
		b = sim_config_load("r.yaml", &err);
		assert_string_equal(err.text, "");
		assert_true(b->seed == a->seed && b->number == a->number);
		for (size_t k = 0; k < sim_params_count(a->params); k++)
			assert_string_equal(sim_params_text(b->params, k),
					    sim_params_text(a->params, k));
		again = sim_config_text(b);
		assert_string_equal(again, text);
		free(again);
		free(text);
		sim_config_free(a);
		sim_config_free(b);
	}
}

static void path_is(const char *config, const char *value, const char *want)
{
	struct sim_error err = { "" };
	struct sim_config *c;
	char text[256];

	snprintf(text, sizeof(text), "scenario: sample\nsample:\n  file: \"%s\"\n", value);
	put_file(config, text, strlen(text));
	c = sim_config_load(config, &err);
	assert_string_equal(err.text, "");
	assert_string_equal(sim_params_str(c->params, "sample.file"), want);
	sim_config_free(c);
}

static void paths_are_relative_to_the_file(void **state)
{
	struct sim_error err = { "" };
	struct sim_config *c;
	char *text, want[256];

	assert_int_equal(mkdir("d", 0777), 0);
	path_is("c.yaml", "x.csv", "x.csv");
	path_is("d/c.yaml", "x.csv", "d/x.csv");
	path_is("d/c.yaml", "../x.csv", "d/../x.csv");
	path_is("d/c.yaml", "/x.csv", "/x.csv");
	path_is("d/c.yaml", "-", "-");
	path_is("d/c.yaml", "", "");
	/* in the resolved file it is absolute, if it exists */
	put_file("d/x.csv", "", 0);
	path_is("d/c.yaml", "../d/x.csv", "d/../d/x.csv");
	c = sim_config_load("d/c.yaml", &err);
	text = sim_config_text(c);
	snprintf(want, sizeof(want), "file: \"%s/d/x.csv\"", (const char *)*state);
	assert_non_null(strstr(text, want));
	free(text);
	sim_config_free(c);
}

static void refused(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{ "",
		  "c.yaml: is empty, expected `scenario: NAME`" },
		{ "# x\n",
		  "c.yaml: is empty, expected `scenario: NAME`" },
		{ "seed: 4\n",
		  "c.yaml: names no scenario, expected `scenario: NAME`" },
		{ "\nscenario: sampel\n",
		  "c.yaml:2: no such scenario: 'sampel'; did you mean sample? (weir-sim "
		  "list-params lists them)" },
		{ "scenario: sample\nsample:\n  ending: good\n  event: 5\n",
		  "c.yaml:4: sample.event: no such parameter; did you mean sample.events?" },
		{ "scenario: sample\n\nsampl:\n  events: 5\n",
		  "c.yaml:3: sampl: no such component; did you mean sample?" },
		{ "scenario: sample\nsample.events: 4\n",
		  "c.yaml:2: sample.events: no such component (a file nests parameters: "
		  "`sample:`, and on the next line, indented, `events:`)" },
		{ "scenario: sample\nsample:\n  chatty: on\n  events: 0\n",
		  "c.yaml:4: sample.events=0: must be 1..1000000000" },
		{ "scenario: sample\nsample:\n  events: fast\n",
		  "c.yaml:3: sample.events=fast: must be a number, 1..1000000000" },
		{ "scenario: sample\nsample:\n  events:\n",
		  "c.yaml:3: sample.events=: must be a number, 1..1000000000" },
		{ "scenario: sample\nsample:\n  events: [1]\n",
		  "c.yaml:3: sample.events: found a list, expected a single value" },
		{ "scenario: sample\nsample: 4\n",
		  "c.yaml:2: sample: found a single value, expected a mapping (name: value)" },
		{ "scenario: sample\nseed: {a: 1}\n",
		  "c.yaml:2: seed: found a mapping, expected a single value" },
		{ "- a\n",
		  "c.yaml:1: found a list, expected a mapping (name: value)" },
		{ "scenario: sample\nsample:\n  events: 5\n  events: 6\n",
		  "c.yaml:4: sample.events: is given twice, expected once" },
		{ "scenario: sample\nsample:\n  events: 5\nsample:\n  events: 6\n",
		  "c.yaml:4: sample: is given twice, expected once" },
		{ "scenario: sample\nseed: -1\n",
		  "c.yaml:2: seed: found '-1', expected a number, 0..9223372036854775807" },
		{ "scenario: sample\nrun: 9223372036854775808\n",
		  "c.yaml:2: run: found '9223372036854775808', expected a number, "
		  "0..9223372036854775807" },
		{ "scenario: sample\nsample:\n\tevents: 4\n",
		  "c.yaml:3: not YAML: found character that cannot start any token" },
		{ "scenario: \"sam\n",
		  "c.yaml:2: not YAML: found unexpected end of stream" },
		{ "scenario: sample\n---\nscenario: sample\n",
		  "c.yaml: holds several YAML documents, expected one" },
		{ "scenario: sample\n\nseed: \x01\n",
		  "c.yaml:3: not YAML: control characters are not allowed" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct sim_error err = { "" };

		put_file("c.yaml", bad[i].text, strlen(bad[i].text));
		assert_null(sim_config_load("c.yaml", &err));
		assert_string_equal(err.text, bad[i].message);
	}
}

static void refused_bytes(void **state)
{
	static const char bad_utf8[] = "scenario: sample\nseed: \xff\n";
	static const char nul[] = "scenario: sample\nseed: \0001\n";
	struct sim_error err = { "" };

	(void)state;
	put_file("c.yaml", bad_utf8, sizeof(bad_utf8) - 1);
	assert_null(sim_config_load("c.yaml", &err));
	assert_non_null(strstr(err.text, "c.yaml:2: "));
	assert_non_null(strstr(err.text, "UTF-8"));
	sim_error_clear(&err);
	put_file("c.yaml", nul, sizeof(nul) - 1);
	assert_null(sim_config_load("c.yaml", &err));
	assert_non_null(strstr(err.text, "c.yaml:2: "));
	sim_error_clear(&err);
	assert_null(sim_config_load("none.yaml", &err));
	assert_non_null(strstr(err.text, "none.yaml: "));
}

static void too_large(void **state)
{
	struct sim_error err = { "" };
	FILE *f = fopen("c.yaml", "wb");

	(void)state;
	fputs("scenario: sample\n", f);
	for (unsigned int i = 0; i < 60000; i++)
		fputs("# twenty bytes more\n", f);
	fclose(f);
	assert_null(sim_config_load("c.yaml", &err));
	assert_non_null(strstr(err.text, "more than 1048576 bytes, which is no configuration"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(defaults, enter_dir, leave_dir),
		cmocka_unit_test_setup_teardown(values, enter_dir, leave_dir),
		cmocka_unit_test_setup_teardown(resolved, enter_dir, leave_dir),
		cmocka_unit_test_setup_teardown(paths_are_relative_to_the_file, enter_dir,
						leave_dir),
		cmocka_unit_test_setup_teardown(refused, enter_dir, leave_dir),
		cmocka_unit_test_setup_teardown(refused_bytes, enter_dir, leave_dir),
		cmocka_unit_test_setup_teardown(too_large, enter_dir, leave_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
