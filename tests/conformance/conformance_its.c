// SPDX-License-Identifier: BSD-2-Clause
/*
 * conformance_its - the recorded ITS scripts, replayed.
 *
 * Goal: each profile's ITS, redistributors and CPU interfaces answer as the implementation it is
 * named after (recorded in tests/data/its, whose README says how), byte for byte.
 * Method: run each script in each profile and compare line by line, whole, and scenario by
 * scenario, because a scenario starts from reset whatever ran before it; and again with the queue
 * executed a command at a time, and with the translation cache in front, on which nothing that is
 * printed may depend.
 */
#include "tests/conformance/golden.h"

#include "sim/engine/param.h"
#include "sim/machine/script_its.h"
#include "tests/percent.h"

#define DATA	WEIR_SOURCE_DIR "/tests/data/its/"

struct recording {
	const char *option;
	const char *script;
	const char *golden;
	size_t scenarios;
};

static const struct recording recordings[] = {
	{ "its.profile=qemu", DATA "phys.scn", DATA "phys.qemu.golden", 20 },
	{ "its.profile=kvm", DATA "phys.scn", DATA "phys.kvm.golden", 20 },
	{ "its.profile=qemu", DATA "diverge.scn", DATA "diverge.qemu.golden", 6 },
	{ "its.profile=kvm", DATA "diverge.scn", DATA "diverge.kvm.golden", 6 },
	{ "its.profile=qemu", DATA "fuzz-1.scn", DATA "fuzz-1.golden", 20 },
	{ "its.profile=kvm", DATA "fuzz-1.scn", DATA "fuzz-1.golden", 20 },
	{ "its.profile=qemu", DATA "enable.scn", DATA "enable.qemu.golden", 3 },
	{ "its.profile=kvm", DATA "enable.scn", DATA "enable.kvm.golden", 3 },
	{ "its.profile=qemu", DATA "random.scn", DATA "random.qemu.golden", 8 },
	{ "its.profile=kvm", DATA "random.scn", DATA "random.kvm.golden", 8 },
	{ "its.profile=qemu", DATA "registers.scn", DATA "registers.qemu.golden", 8 },
	{ "its.v4=4.0", DATA "virtual.scn", DATA "virtual.qemu.golden", 6 },
	{ "its.v4=4.0", DATA "virtual-junk.scn", DATA "virtual-junk.qemu.golden", 5 },
};

#define NRECORDINGS (sizeof(recordings) / sizeof(recordings[0]))

static const char *const plain[] = { NULL };

/* @more: further options, ending with NULL. */
static char *run(const struct recording *r, const char *const *more, const char *const *names,
		 size_t nnames, size_t *len)
{
	struct sim_params *params = sim_params_new();
	struct sim_error err = { "" };
	char *text = NULL;
	FILE *out = open_memstream(&text, len);

	assert_non_null(out);
	sim_its_params(params);
	assert_true(sim_params_assign(params, r->option, &err));
	for (; *more; more++)
		assert_true(sim_params_assign(params, *more, &err));
	assert_int_equal(sim_script_its(out, r->script, names, nnames, params, &err), 0);
	assert_string_equal(err.text, "");
	fclose(out);
	sim_params_free(params);
	return text;
}

static void compare_whole(const struct recording *r, const char *const *more)
{
	size_t got_len = 0, want_len = 0;
	char *got = run(r, more, NULL, 0, &got_len);
	char *want = read_all(r->golden, &want_len);

	expect(got, got_len, want, want_len);
	free(got);
	free(want);
}

static void each_script_is_as_recorded(void **state)
{
	(void)state;
	for (size_t i = 0; i < NRECORDINGS; i++)
		compare_whole(&recordings[i], plain);
}

/* How many recordings a variation is tried on: all, or a share where time is dear. */
static size_t share(void)
{
	size_t n = NRECORDINGS * test_percent() / 100;

	return n ? n : 1;
}

static void a_queue_run_by_single_commands_is_the_same(void **state)
{
	static const char *const single[] = { "its.burst_commands=1", NULL };

	(void)state;
	for (size_t i = 0; i < share(); i++)
		compare_whole(&recordings[i], single);
}

/* A cache in front, large and tiny: nobody can tell. */
static void a_cached_its_is_the_same(void **state)
{
	static const char *const large[] = { "its.cache=on", NULL };
	static const char *const tiny[] = { "its.cache=on", "its.cache_capacity=2",
					    "its.cache_index=mixed", NULL };

	(void)state;
	for (size_t i = 0; i < share(); i++) {
		compare_whole(&recordings[i], large);
		compare_whole(&recordings[i], tiny);
	}
}

static void each_alone(const struct recording *r)
{
	size_t want_len = 0, n = 0;
	char *want = read_all(r->golden, &want_len);
	char *at = want;

	while (*at) {
		char *next = strstr(at + 1, "\nscenario ");
		char *end = next ? next + 1 : want + want_len;
		size_t got_len = 0;
		char name[128];
		const char *names[1] = { name };
		char *got;

		assert_int_equal(sscanf(at, "scenario %127s", name), 1);
		got = run(r, plain, names, 1, &got_len);
		expect(got, got_len, at, (size_t)(end - at));
		free(got);
		at = end;
		n++;
	}
	assert_int_equal(n, r->scenarios);
	free(want);
}

static void a_scenario_alone_is_the_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < share(); i++)
		each_alone(&recordings[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_script_is_as_recorded),
		cmocka_unit_test(a_queue_run_by_single_commands_is_the_same),
		cmocka_unit_test(a_cached_its_is_the_same),
		cmocka_unit_test(a_scenario_alone_is_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
