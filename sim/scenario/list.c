// SPDX-License-Identifier: BSD-2-Clause
/*
 * list.c - the scenarios of this build.
 */
#include "sim/scenario/scenario.h"

#include "sim/scenario/inject.h"
#include "sim/scenario/migrate.h"

const struct sim_scenario *const sim_scenarios[] = {
	&sim_scenario_migrate,
	&sim_scenario_inject,
	NULL
};
