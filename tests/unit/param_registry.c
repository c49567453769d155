// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: the registry keeps P1-P4 of param.h, and its messages say name, value and range.
 * Method: a table with one parameter of each type; every way of setting it, right and wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/engine/error.h"
#include "sim/engine/param.h"

static const char *const throttles[] = { "none", "auto_converge", NULL };

static const struct sim_param its[] = {
	SIM_PARAM_U64_ENTRY("its.devbits", "bits", "16", 1, 32, "GICv3", "DeviceID bits"),
	SIM_PARAM_BOOL_ENTRY("its.cache", "on", "choice", "translation cache"),
};

static const struct sim_param migrate[] = {
	SIM_PARAM_ENUM_ENTRY("throttle.policy", "none", throttles, "QEMU", "how"),
	{ .name = "policy.names", .type = SIM_PARAM_STRING, .unit = "", .def = "wp",
	  .min = 1, .max = 8, .source = "choice", .description = "which" },
	SIM_PARAM_PATH_ENTRY("workload.trace", "", "choice", "what it writes"),
	SIM_PARAM_U64_ENTRY("link.bandwidth_bytes_per_s", "bytes/s", "1_250_000k", 1, UINT64_MAX,
			    "choice", "of the link"),
};

static struct sim_params *both(void)
{
	struct sim_params *p = sim_params_new();

	sim_params_register(p, its, 2);
	sim_params_register(p, migrate, 4);
	return p;
}

static void defaults(void **state)
{
	struct sim_params *p = both();

	(void)state;
	assert_int_equal(sim_params_count(p), 6);
	assert_true(sim_params_u64(p, "its.devbits") == 16);
	assert_true(sim_params_bool(p, "its.cache"));
	assert_int_equal(sim_params_enum(p, "throttle.policy"), 0);
	assert_string_equal(sim_params_str(p, "throttle.policy"), "none");
	assert_string_equal(sim_params_str(p, "policy.names"), "wp");
	assert_string_equal(sim_params_str(p, "workload.trace"), "");
	assert_true(sim_params_u64(p, "link.bandwidth_bytes_per_s") == 1250000000);
	assert_string_equal(sim_params_text(p, 5), "1250000000");
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(sim_params_origin(p, i), SIM_PARAM_DEFAULT);
	assert_ptr_equal(sim_params_find(p, "its.cache"), &its[1]);
	assert_null(sim_params_find(p, "its.cach"));
	sim_params_free(p);
}

static void a_table_may_be_shared(void **state)
{
	struct sim_params *p = both();

	(void)state;
	sim_params_register(p, its, 2);
	assert_int_equal(sim_params_count(p), 6);
	sim_params_free(p);
}

static void set_and_remembered(void **state)
{
	struct sim_params *p = both();
	struct sim_error err = { "" };

	(void)state;
	assert_true(sim_params_set(p, "its.devbits", "0x20", "a.yaml:3", &err));
	assert_true(sim_params_assign(p, "its.cache=no", &err));
	assert_true(sim_params_assign(p, "throttle.policy=auto_converge", &err));
	assert_true(sim_params_assign(p, "policy.names=a=b", &err));
	assert_true(sim_params_u64(p, "its.devbits") == 32);
	assert_string_equal(sim_params_text(p, 0), "32");
	assert_false(sim_params_bool(p, "its.cache"));
	assert_string_equal(sim_params_text(p, 1), "off");
	assert_int_equal(sim_params_enum(p, "throttle.policy"), 1);
	assert_string_equal(sim_params_str(p, "policy.names"), "a=b");
	assert_int_equal(sim_params_origin(p, 0), SIM_PARAM_FILE);
	assert_int_equal(sim_params_origin(p, 1), SIM_PARAM_COMMAND_LINE);
	assert_int_equal(sim_params_origin(p, 4), SIM_PARAM_DEFAULT);
	assert_string_equal(err.text, "");
	sim_params_free(p);
}

static void refused(void **state)
{
	static const struct {
		const char *assignment, *message;
	} bad[] = {
		{ "its.devbits=40", "its.devbits=40: must be 1..32" },
		{ "its.devbits=0", "its.devbits=0: must be 1..32" },
		{ "its.devbits=many", "its.devbits=many: must be a number, 1..32" },
		{ "its.devbits=", "its.devbits=: must be a number, 1..32" },
		{ "its.cache=maybe", "its.cache=maybe: must be on or off" },
		{ "its.cache=2", "its.cache=2: must be on or off" },
		{ "throttle.policy=auto", "throttle.policy=auto: must be one of none, "
		  "auto_converge; did you mean auto_converge?" },
		{ "throttle.policy=None", "throttle.policy=None: must be one of none, "
		  "auto_converge; did you mean none?" },
		{ "policy.names=", "policy.names=: must be text of 1..8 bytes, in UTF-8 without "
		  "control characters" },
		{ "policy.names=123456789", "policy.names=123456789: must be text of 1..8 bytes, "
		  "in UTF-8 without control characters" },
		{ "policy.names=a\tb", "policy.names=a?b: must be text of 1..8 bytes, in UTF-8 "
		  "without control characters" },
		{ "policy.names=a\xff", "policy.names=a...: must be text of 1..8 bytes, in UTF-8 "
		  "without control characters" },
		{ "its.devbit=3", "its.devbit: no such parameter; did you mean its.devbits?" },
		{ "its.devbits", "-C its.devbits: must be name=value" },
		{ "=3", "-C =3: must be name=value" },
		{ "", "-C : must be name=value" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct sim_params *p = both();
		struct sim_error err = { "" };

		assert_false(sim_params_assign(p, bad[i].assignment, &err));
		assert_string_equal(err.text, bad[i].message);
		for (size_t k = 0; k < sim_params_count(p); k++)	/* P2 */
			assert_int_equal(sim_params_origin(p, k), SIM_PARAM_DEFAULT);
		assert_true(sim_params_u64(p, "its.devbits") == 16);
		assert_string_equal(sim_params_str(p, "policy.names"), "wp");
		sim_params_free(p);
	}
}

static void refused_with_its_place(void **state)
{
	struct sim_params *p = both();
	struct sim_error err = { "" };
	char long_text[200];

	(void)state;
	assert_false(sim_params_set(p, "its.devbits", "40", "a.yaml:3", &err));
	assert_string_equal(err.text, "a.yaml:3: its.devbits=40: must be 1..32");
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	sim_error_clear(&err);
	assert_false(sim_params_set(p, "its.devbits", long_text, NULL, &err));
	assert_non_null(strstr(err.text, "x...: must be a number, 1..32"));
	assert_true(strlen(err.text) < 120);
	sim_params_free(p);
}

/* P4: canonical text, set again, is the same value. */
static void canonical(void **state)
{
	static const char *const assignments[] = {
		"its.devbits=0x1_f", "its.cache=false", "throttle.policy=auto_converge",
		"policy.names=\"a\\b\"", "workload.trace=/tmp/\xc3\xa9 x",
		"link.bandwidth_bytes_per_s=3Gi",
	};
	struct sim_params *p = both(), *q = both();
	struct sim_error err = { "" };

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		const struct sim_param *param = sim_params_at(p, i);

		assert_true(sim_params_assign(p, assignments[i], &err));
		assert_true(sim_params_set(q, param->name, sim_params_text(p, i), NULL, &err));
		assert_string_equal(sim_params_text(q, i), sim_params_text(p, i));
	}
	assert_true(sim_params_u64(q, "its.devbits") == 31);
	assert_true(sim_params_u64(q, "link.bandwidth_bytes_per_s") == UINT64_C(3) << 30);
	sim_params_free(p);
	sim_params_free(q);
}

/* Does @f end its process by abort()? */
static bool aborts(void (*f)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		close(STDERR_FILENO);
		f();
		_exit(0);
	}
	assert_true(waitpid(child, &status, 0) == child);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void default_out_of_range(void)
{
	static const struct sim_param t[] = {
		SIM_PARAM_U64_ENTRY("a.b", "", "9", 1, 8, "choice", "x"),
	};

	sim_params_register(sim_params_new(), t, 1);
}

static void name_without_component(void)
{
	static const struct sim_param t[] = {
		SIM_PARAM_U64_ENTRY("b", "", "9", 1, 10, "choice", "x"),
	};

	sim_params_register(sim_params_new(), t, 1);
}

static void name_twice(void)
{
	static const struct sim_param t[] = {
		SIM_PARAM_U64_ENTRY("a.b", "", "9", 1, 10, "choice", "x"),
		SIM_PARAM_BOOL_ENTRY("a.b", "on", "choice", "x"),
	};

	sim_params_register(sim_params_new(), t, 2);
}

static void read_of_the_unknown(void)
{
	sim_params_u64(both(), "its.devbit");
}

static void read_as_another_type(void)
{
	sim_params_bool(both(), "its.devbits");
}

static void mistakes_of_the_program_abort(void **state)
{
	(void)state;
	assert_true(aborts(default_out_of_range));
	assert_true(aborts(name_without_component));
	assert_true(aborts(name_twice));
	assert_true(aborts(read_of_the_unknown));
	assert_true(aborts(read_as_another_type));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(a_table_may_be_shared),
		cmocka_unit_test(set_and_remembered),
		cmocka_unit_test(refused),
		cmocka_unit_test(refused_with_its_place),
		cmocka_unit_test(canonical),
		cmocka_unit_test(mistakes_of_the_program_abort),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
