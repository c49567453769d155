/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inject_params.h - runs of the inject scenario for tests: parameters as assignments, one design.
 */
#ifndef TESTS_UNIT_INJECT_PARAMS_H
#define TESTS_UNIT_INJECT_PARAMS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sim/engine/error.h"
#include "sim/scenario/inject.h"

/* Assignments, separated by blanks, over the defaults. */
static inline struct sim_params *params_with(const char *base, const char *assignments)
{
	struct sim_params *params = sim_params_new();
	struct sim_error err = { "" };
	char text[4096], *save = NULL, *one;

	inject_params_register(params);
	snprintf(text, sizeof(text), "%s %s", base, assignments);
	for (one = strtok_r(text, " ", &save); one; one = strtok_r(NULL, " ", &save)) {
		sim_params_assign(params, one, &err);
		assert_string_equal(err.text, "");
	}
	return params;
}

static inline struct inject_result simulate(const char *base, const char *assignments,
					    enum sim_its_design_kind kind)
{
	struct sim_params *params = params_with(base, assignments);
	struct sim_error err = { "" };
	struct inject_result result;

	if (!inject_simulate(params, 1, 0, kind, &result, &err))
		fail_msg("%s", err.text);
	sim_params_free(params);
	return result;
}

/* What vCPUs lost, to all causes. */
static inline uint64_t lost_all(const struct inject_result *r)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < INJECT_NCAUSES; i++)
		sum += r->lost_ns[i];
	return sum;
}

#endif
