/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inject_param.h - the parameters of the inject scenario, read and checked once.
 */
#ifndef SIM_SCENARIO_INJECT_PARAM_H
#define SIM_SCENARIO_INJECT_PARAM_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/engine/error.h"
#include "sim/engine/param.h"
#include "sim/machine/its_design.h"

#define INJECT_VCPUS_MAX	SIM_GIC_PES_MAX
#define INJECT_EVENTS_MAX	32768u

/* What something takes, ns unless the name says otherwise. */
struct inject_cost {
	/* any CPU of the host */
	uint64_t exit_ns;
	uint64_t entry_ns;
	uint64_t kick_ns;
	uint64_t wake_ns;
	uint64_t switch_ns;
	uint64_t irq_ns;
	uint64_t inject_ns;
	uint64_t command_ns;
	/* what designs do */
	uint64_t doorbell_ns;
	uint64_t entry_scan_ps;
	uint64_t node_ps;
	uint64_t xlate_ps;
	uint64_t ref_ps;
	uint64_t lock_ps;
	uint64_t table_ns;
	uint64_t fill_ns;
	uint64_t drop_ps;
	uint64_t generation_ps;
	/* the guest's own */
	uint64_t vector_ns;
	uint64_t handler_ns;
	uint64_t io_ns;
};

/* Who raises interrupts, and when. */
enum inject_load {
	INJECT_CLOSED = 0,	/* devices answer requests */
	INJECT_OPEN,		/* devices interrupt at a rate */
	INJECT_REPLAY		/* a recorded stream */
};

enum inject_device_kind { INJECT_FIRST = 0, INJECT_SECOND, INJECT_KINDS };

struct inject_device_config {
	uint32_t count;
	uint32_t events;	/* of each: queues */
	uint64_t depth;		/* requests of a queue */
	uint64_t latency_ns;
	uint64_t jitter_percent;
	uint64_t io_bytes;
	uint64_t bytes_per_s;
	uint64_t msis_per_s;	/* open loop: of each device */
};

struct inject_break {
	bool skip_invalidate;
	bool late_invalidate;
	bool stale_fill;
	bool wrong_code;
	bool overfull;
	bool wrong_table;
};

struct inject_config {
	uint64_t seed;
	uint64_t run;
	enum sim_its_design_kind kind;
	struct sim_its_config its;
	struct sim_gic_config gic;
	struct sim_its_design_config design;

	uint32_t nvcpus;
	uint32_t host_cpus;	/* that run vCPUs */
	uint32_t irq_cpus;	/* 0: devices interrupt the vCPUs' own CPUs */
	uint32_t busy_threads;
	uint64_t wakeups_per_s;	/* of each CPU that runs vCPUs */
	uint64_t wakeup_run_ns;
	uint64_t sched_latency_ns;
	uint64_t sched_granularity_ns;
	uint64_t sched_wakeup_ns;
	uint64_t tick_ns;
	bool busy;
	uint64_t halt_poll_ns;
	bool save;		/* the tables, at the end */
	bool walk_locked;

	enum inject_load load;
	const char *trace;
	uint64_t speedup;
	uint64_t warmup_ns;
	uint64_t span_ns;
	struct inject_device_config device[INJECT_KINDS];
	uint32_t device_vcpus;	/* that a device interrupts, at most */

	uint64_t balance_period_ns;	/* 0: never */
	uint32_t balance_events;
	uint64_t storm_movi_per_s;	/* 0: none */
	uint32_t storm_devices;
	uint64_t rebind_period_ns;	/* 0: never */
	uint64_t reset_period_ns;	/* 0: never */

	struct inject_cost cost;
	struct inject_break broken;
};

/**
 * inject_config_read() - all but the design and the seeds
 *
 * Return: false with @err set if the parameters contradict one another.
 */
bool inject_config_read(struct inject_config *cfg, const struct sim_params *params,
			struct sim_error *err);

/**
 * inject_policies_read() - policy.names
 *
 * Return: how many; 0 with @err set.
 */
unsigned int inject_policies_read(enum sim_its_design_kind kinds[SIM_ITS_DESIGNS],
				  const struct sim_params *params, struct sim_error *err);

#define INJECT_NPARAMS	68u
extern const struct sim_param inject_params[INJECT_NPARAMS];

#endif
