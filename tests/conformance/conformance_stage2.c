// SPDX-License-Identifier: BSD-2-Clause
/*
 * conformance_stage2 - the recorded stage-2 script, replayed.
 *
 * Goal: geometry, leaves, permissions, hardware updates and faults are those of another
 * implementation of the architecture (recorded in tests/data/stage2), byte for byte.
 * Method: run the script, compare with the recording line by line; then once more each scenario
 * alone, because a scenario starts from reset whatever ran before it.
 */
#include "tests/conformance/golden.h"
#include "sim/machine/script.h"

#define DATA	WEIR_SOURCE_DIR "/tests/data/stage2/"

static char *run(const char *path, const char *const *names, size_t nnames, size_t *len)
{
	struct sim_error err = { "" };
	char *text = NULL;
	FILE *out = open_memstream(&text, len);

	assert_non_null(out);
	assert_int_equal(sim_script_stage2(out, path, names, nnames, &err), 0);
	assert_string_equal(err.text, "");
	fclose(out);
	return text;
}

static void the_sweep_is_the_recorded_one(void **state)
{
	size_t got_len = 0, want_len = 0;
	char *got = run(DATA "sweep.scn", NULL, 0, &got_len);
	char *want = read_all(DATA "sweep.golden", &want_len);

	(void)state;
	assert_true(want_len > 30000);
	expect(got, got_len, want, want_len);
	free(got);
	free(want);
}

/* Stores carry the number of accesses before them in the run: nothing that is printed does. */
static void a_scenario_alone_is_the_same(void **state)
{
	size_t want_len = 0, n = 0;
	char *want = read_all(DATA "sweep.golden", &want_len);
	char *at = want;

	(void)state;
	while (*at) {
		char *next = strstr(at + 1, "\nscenario ");
		char *end = next ? next + 1 : want + want_len;
		size_t got_len = 0;
		char name[128];
		const char *names[1] = { name };
		char *got;

		assert_int_equal(sscanf(at, "scenario %127s", name), 1);
		got = run(DATA "sweep.scn", names, 1, &got_len);
		expect(got, got_len, at, (size_t)(end - at));
		free(got);
		at = end;
		n++;
	}
	assert_int_equal(n, 105);
	free(want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sweep_is_the_recorded_one),
		cmocka_unit_test(a_scenario_alone_is_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
