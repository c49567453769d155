// SPDX-License-Identifier: BSD-2-Clause
/*
 * machine_script - stage-2 scripts that are bad, or that go where the recorded one does not.
 *
 * Goal: bad input gives one line that names place, value and what would be right, and prints
 * nothing; results beyond the recording follow the architecture and the script format.
 * Method: small scripts written to a file, with the message or the output they must give.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "sim/machine/script.h"

#define CFG	"scenario s\ncfg 4 25 1 2 0 0\n"
#define CFG_OUT	"scenario s\ncfg 4 25 1 2 0 0 => vtcr=0x80023559\n"

static int run(const char *script, const char *const *names, size_t nnames, char **out,
	       struct sim_error *err)
{
	char path[] = "/tmp/weir-script-XXXXXX";
	int fd = mkstemp(path), code;
	size_t len;
	FILE *f;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, script, strlen(script)), strlen(script));
	close(fd);
	f = open_memstream(out, &len);
	assert_non_null(f);
	code = sim_script_stage2(f, path, names, nnames, err);
	fclose(f);
	unlink(path);
	return code;
}

static void bad_scripts_are_refused_whole(void **state)
{
	static const struct {
		const char *script, *message;
	} cases[] = {
		{ "", ": no scenario in it, expected `scenario NAME`" },
		{ "# a remark\n", ": no scenario in it" },
		{ "ld 0x10\n", ":1: operation 'ld' before any scenario" },
		{ "scenario\n", ":1: scenario: found 1 words" },
		{ "scenario a b\n", ":1: scenario: found 3 words" },
		{ CFG "load 0x10\n", ":3: operation 'load', expected cfg, leaf" },
		{ "scenario s\nld 0x10\n", ":2: ld before the scenario's tables" },
		{ CFG "scenario t\ntlbi\n", ":4: tlbi before the scenario's tables" },
		{ CFG "ld\n", ":3: ld: found 0 operands, expected 1" },
		{ CFG "ld 0x10 0x18\n", ":3: ld: found 2 operands, expected 1" },
		{ CFG "ld 0x1g\n", ":3: ld: found '0x1g', expected an unsigned number" },
		{ CFG "ld 0xAB\n", ":3: ld: found '0xAB', expected an unsigned number" },
		{ CFG "ld -8\n", ":3: ld: found '-8'" },
		{ CFG "ld 0x\n", ":3: ld: found '0x'" },
		{ CFG "ld 18446744073709551616\n", ":3: ld: found '18446744073709551616'" },
		{ CFG "ld 0x10000000000000000\n", ":3: ld: found '0x10000000000000000'" },
		{ CFG "ld 0x12\n", ":3: ld: address 0x12, expected a multiple of 8" },
		{ CFG "leaf 3 0x1004 0x3\n", ":3: leaf: address 0x1004, expected a multiple" },
		{ CFG "leaf 4 0x1000 0x3\n", ":3: leaf: level 4, expected 1..3" },
		{ CFG "leaf 0 0x1000 0x3\n", ":3: leaf: level 0, expected 1..3" },
		{ CFG "leaf 3 0x8000000000 0x3\n", ":3: leaf: address 0x8000000000, expected" },
		{ CFG "desc 4 0x1000\n", ":3: desc: level 4, expected 0..3" },
		{ "scenario s\ncfg 8 25 1 2 0 0\n", ":2: cfg: TG=8, expected 4, 16 or 64" },
		{ "scenario s\ncfg 4 64 1 2 0 0\n", ":2: cfg: T0SZ=64, expected 0..63" },
		{ "scenario s\ncfg 4 25 4 2 0 0\n", ":2: cfg: SL0=4, expected 0..3" },
		{ "scenario s\ncfg 4 25 1 8 0 0\n", ":2: cfg: PS=8, expected 0..7" },
		{ "scenario s\ncfg 4 25 1 2 2 0\n", ":2: cfg: HA=2, expected 0..1" },
		{ "scenario s\ncfg 4 25 1 2 0 0 0 9\n", ":2: cfg: SL2=9, expected 0..1" },
		{ "scenario s\ncfg 4 25 1 2 0\n", ":2: cfg: found 5 operands, expected 6 or 8" },
		{ "scenario s\ncfg 4 25 1 2 0 0 0\n", ":2: cfg: found 7 operands" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sim_error err = { "" };
		char *out = NULL;

		assert_int_equal(run(cases[i].script, NULL, 0, &out, &err), 2);
		if (!strstr(err.text, cases[i].message))
			fail_msg("found '%s', expected '%s'", err.text, cases[i].message);
		assert_null(strchr(err.text, '\n'));
		assert_string_equal(out, "");
		free(out);
	}
}

static void names_choose_scenarios(void **state)
{
	static const char script[] = "scenario a\ncfg 4 25 1 2 0 0\n\n# a remark\n"
				     "scenario b\ncfg 4 25 1 2 0 0\ntlbi\nscenario c\n";
	static const char *const names[] = { "c", "b" }, *const bad[] = { "b", "d" };
	struct sim_error err = { "" };
	char *out = NULL;

	(void)state;
	assert_int_equal(run(script, names, 2, &out, &err), 0);
	assert_string_equal(out, "scenario b\ncfg 4 25 1 2 0 0 => vtcr=0x80023559\n"
				 "tlbi => ok\nscenario c\n");
	free(out);
	assert_int_equal(run(script, bad, 2, &out, &err), 2);
	assert_non_null(strstr(err.text, "no scenario 'd'"));
	assert_string_equal(out, "");
	free(out);
}

static void missing_files_are_named(void **state)
{
	struct sim_error err = { "" };

	(void)state;
	assert_int_equal(sim_script_stage2(stdout, "/nonexistent/x.scn", NULL, 0, &err), 2);
	assert_non_null(strstr(err.text, "/nonexistent/x.scn"));
}

static void results_beyond_the_recording(void **state)
{
	static const struct {
		const char *script, *out;
	} cases[] = {
		/* Words are echoed with one space; numbers as they were written. */
		{ CFG "  tlbi  \nleaf\t3  268435456   0x480007ff\n",
		  CFG_OUT "tlbi => ok\nleaf 3 268435456 0x480007ff => ok\n" },
		/* Data that is not code, and nothing that answers. */
		{ CFG "leaf 3 0x10000000 0x480007ff\nex 0x10000010\n",
		  CFG_OUT "leaf 3 0x10000000 0x480007ff => ok\n"
			  "ex 0x10000010 => el1-fault ec=0x0 fst=0x0 addrsize level=0 far=0x0\n" },
		/* The code itself cannot be fetched: its page is gone. */
		{ CFG "leaf 3 0x40200000 0\nld 0x10000000\n",
		  CFG_OUT "leaf 3 0x40200000 0 => ok\n"
			  "ld 0x10000000 => iabt fst=0x7 translation level=3 wnr=0 s1ptw=0 "
			  "far=0x40200000 ipa=0x40200000\n" },
		/* 30-bit input: there is no code. */
		{ "scenario s\ncfg 4 34 0 2 0 0\nst 0x10000000\n",
		  "scenario s\ncfg 4 34 0 2 0 0 => vtcr=0x80023522\n"
		  "st 0x10000000 => iabt fst=0x4 translation level=0 wnr=0 s1ptw=0 "
		  "far=0x40200000 ipa=0x40200000\n" },
		/* A store into a table is a store into a table. */
		{ CFG "leaf 3 0x10000000 0x440007ff\nst 0x10000018\nld 0x10000018\n",
		  CFG_OUT "leaf 3 0x10000000 0x440007ff => ok\nst 0x10000018 => ok\n"
			  "ld 0x10000018 => ok val=0x5a5a000000000001\n" },
		/* The walk starts where nothing is, beyond the output size, in data, in flash. */
		{ CFG "vttbr 0x2000000000\nat_r 0x10000000\nvttbr 0x10000000000\n"
		      "at_w 0x10000000\nvttbr 0x48000000\nat_r 0x10000000\nvttbr 0x1000\n"
		      "at_r 0x10000000\n",
		  CFG_OUT "vttbr 0x2000000000 => ok\n"
			  "at_r 0x10000000 => at-trap fst=0x15 walk-eabt level=1 s1ptw=0\n"
			  "vttbr 0x10000000000 => ok\n"
			  "at_w 0x10000000 => fault fst=0x0 addrsize level=0 s2=1 ptw=0\n"
			  "vttbr 0x48000000 => ok\n"
			  "at_r 0x10000000 => fault fst=0x5 translation level=1 s2=1 ptw=0\n"
			  "vttbr 0x1000 => ok\n"
			  "at_r 0x10000000 => fault fst=0x5 translation level=1 s2=1 ptw=0\n" },
		/* AT never sets the dirty state; a store does. */
		{ "scenario s\ncfg 4 25 1 2 1 1\nleaf 3 0x10000000 0x800004800077f\n"
		  "at_w 0x10000000\ndesc 3 0x10000000\nst 0x10000000\ndesc 3 0x10000000\n",
		  "scenario s\ncfg 4 25 1 2 1 1 => vtcr=0x80623559\n"
		  "leaf 3 0x10000000 0x800004800077f => ok\n"
		  "at_w 0x10000000 => pa=0x48000000 par=0x48000b00\n"
		  "desc 3 0x10000000 => desc=0x800004800077f\n"
		  "st 0x10000000 => ok landed=0x48000000\n"
		  "desc 3 0x10000000 => desc=0x80000480007ff\n" },
		/* No table, no descriptor. */
		{ CFG "desc 3 0x20000000\ndesc 0 0x20000000\n",
		  CFG_OUT "desc 3 0x20000000 => desc=0x0\ndesc 0 0x20000000 => desc=0x0\n" },
		/* 52-bit output in a 64 KiB descriptor, and a level-0 block of FEAT_LPA2. */
		{ "scenario s\ncfg 64 12 2 6 0 0\nleaf 3 0x10000000 0x48000f7ff\n"
		  "at_r 0x10000000\n",
		  "scenario s\ncfg 64 12 2 6 0 0 => vtcr=0x8006758c\n"
		  "leaf 3 0x10000000 0x48000f7ff => ok\n"
		  "at_r 0x10000000 => pa=0xf000480000000 par=0xf000480000b00\n" },
		{ "scenario s\ncfg 4 12 2 6 0 0 1 0\nleaf 0 0x8000000000 0x4fd\n"
		  "at_r 0x8048000000\nld 0x8048001010\n",
		  "scenario s\ncfg 4 12 2 6 0 0 1 0 => vtcr=0x18006358c\n"
		  "leaf 0 0x8000000000 0x4fd => ok\n"
		  "at_r 0x8048000000 => pa=0x48000000 par=0x48000b00\n"
		  "ld 0x8048001010 => ok val=0x48001010\n" },
		/* Start level -1: no table at its level 0. */
		{ "scenario s\ncfg 4 12 0 6 0 0 1 1\nat_r 0x8000000000000\n",
		  "scenario s\ncfg 4 12 0 6 0 0 1 1 => vtcr=0x38006350c\n"
		  "at_r 0x8000000000000 => fault fst=0x2b translation level=-1 s2=1 ptw=0\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sim_error err = { "" };
		char *out = NULL;

		assert_int_equal(run(cases[i].script, NULL, 0, &out, &err), 0);
		assert_string_equal(out, cases[i].out);
		free(out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_scripts_are_refused_whole),
		cmocka_unit_test(names_choose_scenarios),
		cmocka_unit_test(missing_files_are_named),
		cmocka_unit_test(results_beyond_the_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
