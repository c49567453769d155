/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/scenario/experiments/stress.h - vgic_lpi_stress: host threads that signal interrupts as fast
 * as they can, and what they do to one another in front of an ITS.
 *
 * A thread a device, each on a CPU of its own, calls KVM_SIGNAL_MSI for the device's events in
 * turn. ITS, tables, commands and the designs (its_design.h) are the simulator's own, and every
 * call is really made; the model adds time:
 *
 * S1  A call costs stress.call_ns, whatever the design, and the design's work by its counts:
 *     entries looked at, nodes, table entries, references.
 * S2  A lock serves in order of arrival. It costs stress.lock_ns, and stress.handoff_ns more if
 *     another CPU had it last: the lock's line and the lines that it guards have to come over.
 * S3  A line that CPUs change by atomics is one CPU's at a time, in order of arrival: stress.ref_ns
 *     if it has it, stress.line_ns if another has. Such lines are the references of each LPI and
 *     the request word of each vCPU, changed twice an interrupt (request, kick).
 * S4  Nobody takes the LPIs: as in the published runs the guest has interrupts masked, so that an
 *     LPI stays pending after its first call.
 * S5  A vCPU, beside it, may move one interrupt each stress.movi_period_ns: the ITS's mutex, the
 *     command, and what the design forgets, entry by entry where it does so.
 *
 * The threads' order at one instant is that of the event queue. No randomness.
 *
 * Cost: about 0.4 us an interrupt, and 1.5 ns an entry that a list looks at.
 */
#ifndef SIM_SCENARIO_EXPERIMENTS_STRESS_H
#define SIM_SCENARIO_EXPERIMENTS_STRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/engine/error.h"
#include "sim/engine/param.h"
#include "sim/machine/its_design.h"

#define STRESS_DEVICES_MAX 64u
#define STRESS_EVENTS_MAX  256u
#define STRESS_VCPUS_MAX   64u

/**
 * struct stress_setup - a run
 * @nvcpus: vCPUs, and collections (-v)
 * @ndevices: devices, and threads (-d)
 * @nevents: events of each device (-e)
 * @iterations: of each thread, over all its events (-i)
 * @warmup: of them, those before the measurement begins: it does when the last thread has made
 *	them. A run that is shorter than the published one leaves its cold start out in this way
 * @kind: the design
 * @spread: collections are of one vCPU each, as the test meant it; else all are of vCPU 0, as it
 *	did until 2025
 * @bus: the ITS is found by a search of the bus, as in the published code; else by its doorbell.
 *	What is published does as it does: lists only after a miss, the tree always
 * @entries: of weir's cache; 0: as many as the list has, 16 a vCPU
 * @movi_period_ns: 0 for no MOVI
 */
struct stress_setup {
	uint32_t nvcpus;
	uint32_t ndevices;
	uint32_t nevents;
	uint64_t iterations;
	uint64_t warmup;
	enum sim_its_design_kind kind;
	bool spread;
	bool bus;
	uint32_t entries;
	uint64_t movi_period_ns;
};

/**
 * struct stress_result - what came of it
 * @lpis: calls, all of which found their LPI; this and what follows, of the measurement
 * @span_ns: from its begin to the end of the last call
 * @hits: calls that the design answered
 * @movis: commands executed
 * @dropped: entries that they cost
 * @lock_ns: time that threads waited for locks, and had them handed over
 * @wrong: hits that differed from the tables; not 0 is a fault
 * @unsignalled: LPIs that are not pending at the end; not 0 is a fault
 */
struct stress_result {
	uint64_t lpis;
	uint64_t span_ns;
	uint64_t hits;
	uint64_t movis;
	uint64_t dropped;
	uint64_t lock_ns;
	uint64_t wrong;
	uint64_t unsignalled;
};

/* Parameters stress.*: each price, its unit and what it is read off. */
#define STRESS_NPARAMS 14u
extern const struct sim_param stress_params[STRESS_NPARAMS];

/** stress_run() - one run; false with @err set if the setup is out of range */
bool stress_run(const struct stress_setup *setup, const struct sim_params *params,
		struct stress_result *result, struct sim_error *err);

/** stress_rate() - LPIs a second */
uint64_t stress_rate(const struct stress_result *result);

#endif
