/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inject2019.h - the guests of the 2019 series, as parameters of the inject scenario.
 */
#ifndef SIM_SCENARIO_EXPERIMENTS_INJECT2019_H
#define SIM_SCENARIO_EXPERIMENTS_INJECT2019_H

#include "sim/scenario/inject.h"

enum inject2019_guest {
	INJECT2019_STREAMS = 0,	/* half a million interrupts a second */
	INJECT2019_NVME,	/* fio, 4 KiB random reads, while the host compiles a kernel */
	INJECT2019_NVME_HOST,	/* the same without a hypervisor */
	INJECT2019_TWO,		/* fio on NVMe in one guest, on SATA in another: second_ios */
	INJECT2019_ALONE,	/* fio, NVMe, and nothing else on the machine */
	INJECT2019_SEQUENTIAL,	/* fio, 1 MiB sequential reads, while the host compiles */
	INJECT2019_MEMCACHED,
	INJECT2019_GUESTS
};

/**
 * struct inject2019_choice - what was chosen so that one published figure each comes out
 * @switch_ns: a context switch where CPUs are busy, so that caches are cold after it
 * @wakeups_per_s: of housekeeping, on each CPU that runs a vCPU of STREAMS
 * @memcached_io_ns: work of a request in the guest
 */
struct inject2019_choice {
	uint64_t switch_ns;
	uint64_t wakeups_per_s;
	uint64_t memcached_io_ns;
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

/** inject2019_gain() - a rate, per mille more than before; negative for less */
int64_t inject2019_gain(uint64_t before, uint64_t after);

/** inject2019_time_saved() - of the compilation on the host, per mille less than before */
int64_t inject2019_time_saved(const struct inject_result *before,
			      const struct inject_result *after);

#endif
