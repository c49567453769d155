// SPDX-License-Identifier: BSD-2-Clause
/*
 * machine_caps - stage-2 scripts on machines that the recorded one is not.
 *
 * Goal: with a TLB, with a hardware log, without LPA2 and at each level of break-before-make the
 * script machine does what the architecture says.
 * Method: scripts of the project's own, their results written down from the architecture: cached
 * translations stay until they are invalidated, and belong to a VMID; a change of size alone is a
 * conflict below FEAT_BBM level 2; registers and entries of FEAT_HDBSS; DS and SL2 are RES0.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sim/engine/error.h"
#include "sim/machine/board.h"
#include "sim/machine/script.h"

#define DATA	WEIR_SOURCE_DIR "/tests/data/stage2/"

static void replay(const char *script, const char *golden, struct sim_board_caps caps)
{
	char want[256], got[256];
	struct sim_error err = { "" };
	FILE *expected = fopen(golden, "r"), *out = tmpfile();
	unsigned int line = 0;

	assert_non_null(expected);
	assert_non_null(out);
	if (sim_script_stage2_on(out, script, NULL, 0, &caps, &err))
		fail_msg("%s", err.text);
	rewind(out);
	while (fgets(want, sizeof(want), expected)) {
		line++;
		if (!fgets(got, sizeof(got), out))
			fail_msg("%s:%u: nothing, expected %s", golden, line, want);
		if (strcmp(got, want))
			fail_msg("%s:%u: found %s, expected %s", golden, line, got, want);
	}
	assert_null(fgets(got, sizeof(got), out));
	fclose(out);
	fclose(expected);
}

static void a_tlb(void **state)
{
	(void)state;
	replay(DATA "tlb.scn", DATA "tlb.golden",
	       (struct sim_board_caps){ .tlb = true, .bbm_level = 2 });
}

static void a_tlb_without_bbm(void **state)
{
	(void)state;
	replay(DATA "tlb.scn", DATA "tlb.bbm0.golden", (struct sim_board_caps){ .tlb = true });
	replay(DATA "tlb.scn", DATA "tlb.bbm0.golden",
	       (struct sim_board_caps){ .tlb = true, .bbm_level = 1 });
}

static void a_hardware_log(void **state)
{
	(void)state;
	replay(DATA "hdbss.scn", DATA "hdbss.golden", (struct sim_board_caps){ .hdbss = true });
	replay(DATA "hdbss.scn", DATA "hdbss.golden",
	       (struct sim_board_caps){ .hdbss = true, .tlb = true });
}

static void no_lpa2(void **state)
{
	(void)state;
	replay(DATA "lpa2_off.scn", DATA "lpa2_off.golden",
	       (struct sim_board_caps){ .no_lpa2 = true });
}

static void a_log_that_the_machine_has_not(void **state)
{
	struct sim_board_caps none = { .tlb = false };
	struct sim_error err = { "" };
	FILE *out = tmpfile();

	(void)state;
	assert_non_null(out);
	assert_int_equal(sim_script_stage2_on(out, DATA "hdbss.scn", NULL, 0, &none, &err), 2);
	assert_non_null(strstr(err.text, "s2.hdbss=on"));
	assert_int_equal(ftell(out), 0);
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tlb),
		cmocka_unit_test(a_tlb_without_bbm),
		cmocka_unit_test(a_hardware_log),
		cmocka_unit_test(no_lpa2),
		cmocka_unit_test(a_log_that_the_machine_has_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
