/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inject2019.h - the guests of the 2019 series, as parameters of the inject scenario.
 */
#ifndef SIM_SCENARIO_EXPERIMENTS_INJECT2019_H
#define SIM_SCENARIO_EXPERIMENTS_INJECT2019_H

#include "sim/scenario/inject.h"

enum inject2019_guest {
	INJECT2019_STREAMS = 0,	/* half a million interrupts a second */
	INJECT2019_NVME,	/* fio, 4 KiB random reads */
	INJECT2019_NVME_HOST,	/* the same without a hypervisor */
	INJECT2019_SATA,
	INJECT2019_SEQUENTIAL,	/* fio, 1 MiB sequential reads */
	INJECT2019_COMPILE,
	INJECT2019_MEMCACHED,
	INJECT2019_GUESTS
};

#define INJECT2019_VCPUS 4u /* but for STREAMS */

/**
 * struct inject2019_choice - what was chosen so that one published figure each comes out
 * @percent: of the inject scenario's costs, what everything costs on that machine
 * @memcached_io_ns: work of a request in the guest
 * @compile_msis_per_s: interrupts while a kernel is compiled
 */
struct inject2019_choice {
	uint64_t percent;
	uint64_t memcached_io_ns;
	uint64_t compile_msis_per_s;
};

extern const struct inject2019_choice inject2019_choice;

/**
 * inject2019_run() - one guest under one design, several times; takes no published figure
 * @runs: how many; of each, interrupts come to other CPUs. @result is their sum: of its figures,
 *	those that can be added up, and no others
 * @more: NAME=VALUE, separated by commas, the last word on the guest's parameters; may be NULL
 *
 * Return: false with @err set.
 */
bool inject2019_run(enum inject2019_guest guest, const struct inject2019_choice *choice,
		    enum sim_its_design_kind kind, uint64_t runs, const char *more,
		    struct inject_result *result, struct sim_error *err);

/** inject2019_gain() - requests a second, per mille more than before; negative for less */
int64_t inject2019_gain(const struct inject_result *before, const struct inject_result *after);

/** inject2019_time_saved() - of a computation beside the interrupts, per mille less than before */
int64_t inject2019_time_saved(const struct inject_result *before,
			      const struct inject_result *after);

#endif
