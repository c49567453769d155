/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stress_machine.h - the guest of vgic_lpi_stress: an ITS with all its events mapped.
 */
#ifndef SIM_SCENARIO_EXPERIMENTS_STRESS_MACHINE_H
#define SIM_SCENARIO_EXPERIMENTS_STRESS_MACHINE_H

#include "sim/machine/its.h"
#include "sim/scenario/experiments/stress.h"

struct stress_machine {
	const struct stress_setup *setup;
	struct sim_ram *ram;
	struct sim_gic *gic;
	struct sim_its *its;
	uint64_t write; /* offset of the next command */
	uint64_t moves;
};

/** stress_machine_up() - events of all devices to collections in turn, LPIs from 8192 on */
bool stress_machine_up(struct stress_machine *m, const struct stress_setup *setup,
		       struct sim_error *err);
void stress_machine_down(struct stress_machine *m);

/** stress_machine_movi() - the guest moves its next event to the next collection */
void stress_machine_movi(struct stress_machine *m);

/** stress_machine_silent() - LPIs that are pending nowhere */
uint64_t stress_machine_silent(const struct stress_machine *m);

#endif
