/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scenario/inject.h - a guest whose devices interrupt it, under several designs before the ITS.
 *
 * The question: what does a translation cache buy a guest, and what does it cost? Machine, guest
 * and devices are the same under each design (its_design.h); the machine has real tables, a real
 * command queue, real pending bits.
 *
 * An interrupt of a device arrives on a host CPU, in interrupt context. A design that knows it
 * there injects it there. What it does not know is left to a worker of that CPU, as KVM's irqfd
 * leaves it: one work item an event, so that interrupts of an event whose item is queued already
 * are one; one worker a CPU, which takes all that is queued once it runs. It costs a switch to the
 * worker and one back, the wait for the ITS's mutex, and the walk. docs/simulator.md describes the
 * model and where each cost comes from.
 *
 * inject_simulate() runs one design without any output, for experiments.
 */
#ifndef SIM_SCENARIO_INJECT_H
#define SIM_SCENARIO_INJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/engine/error.h"
#include "sim/engine/param.h"
#include "sim/machine/its_design.h"
#include "sim/scenario/scenario.h"

/* Why a vCPU's CPU did something other than run the guest's program. */
enum inject_cause {
	INJECT_HANDLER = 0,	/* the guest's own interrupt handlers */
	INJECT_EXIT,		/* exits and entries */
	INJECT_IRQ,		/* the host's interrupt context, look-ups included */
	INJECT_SWITCH,		/* context switches */
	INJECT_WORKER,		/* walks and injections of the worker */
	INJECT_LOCK,		/* waiting for locks, in any context */
	INJECT_COMMAND,		/* the ITS's commands */
	INJECT_READY,		/* another thread has the CPU */
	INJECT_NCAUSES
};

extern const char *const inject_cause_names[INJECT_NCAUSES];

/**
 * struct inject_result - what a run under one design came to
 * @span_ns: measured time; what follows is of this span
 * @msis: interrupts that devices raised
 * @refused: of them, those that nothing was mapped for
 * @coalesced: of them, those that met their LPI pending, or their work item queued
 * @lpis: LPIs that a vCPU acknowledged
 * @lost: interrupts that were due and came to nothing; of the whole run, as the next
 * @stuck: requests of a closed loop that no handler has ended when all is quiet
 * @save_missed: with guest.save, pages that were written and are not in the dirty log
 * @lookups: in interrupt context
 * @hits: of them, those that were injected there
 * @warm_lookups: of events that were looked up before and that no command has named since
 * @warm_hits: of them, hits
 * @switches: context switches, those of vCPUs that block included
 * @worker_switches: of them, those to and from workers
 * @worker_ns: workers' time, without switches
 * @kicks: vCPUs that were interrupted in their guest to take an LPI
 * @latency_ns: from the device's write to the handler: median, 99, 99.9 percent, largest
 * @ios: of a closed loop: completed by a handler
 * @second_ios: of them, by the second kind of devices
 * @busy_ns: what the host's busy threads had of the CPUs
 * @commands: executed
 * @invalidations: that the ITS asked of the design
 * @dropped: entries forgotten by them
 * @evictions: entries forgotten to make room
 * @residency_max: entries held at most
 * @lost_ns: of vCPUs' CPUs, by enum inject_cause
 * @violations: of checkers
 */
struct inject_result {
	uint64_t span_ns;
	uint64_t msis;
	uint64_t refused;
	uint64_t coalesced;
	uint64_t lpis;
	uint64_t lost;
	uint64_t stuck;
	uint64_t save_missed;
	uint64_t lookups;
	uint64_t hits;
	uint64_t warm_lookups;
	uint64_t warm_hits;
	uint64_t switches;
	uint64_t worker_switches;
	uint64_t worker_ns;
	uint64_t kicks;
	uint64_t latency_p50_ns;
	uint64_t latency_p99_ns;
	uint64_t latency_p999_ns;
	uint64_t latency_max_ns;
	uint64_t ios;
	uint64_t second_ios;
	uint64_t busy_ns;
	uint64_t commands;
	uint64_t invalidations;
	uint64_t dropped;
	uint64_t evictions;
	uint64_t residency_max;
	uint64_t lost_ns[INJECT_NCAUSES];
	uint64_t violations;
};

/** inject_params_register() - every parameter of the scenario, the ITS's included */
void inject_params_register(struct sim_params *params);

/**
 * inject_simulate() - one design, no output
 * @params: as inject_params_register() leaves them, some set
 *
 * Return: false with @err set if the parameters contradict one another, or the input is bad.
 */
bool inject_simulate(const struct sim_params *params, uint64_t seed, uint64_t run,
		     enum sim_its_design_kind kind, struct inject_result *result,
		     struct sim_error *err);

/** inject_per_s() - a count of a result, a second */
uint64_t inject_per_s(const struct inject_result *result, uint64_t count);

extern const struct sim_scenario sim_scenario_inject;

#endif
