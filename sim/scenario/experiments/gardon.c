// SPDX-License-Identifier: BSD-2-Clause
/*
 * gardon.c - x86: the TDP MMU against the legacy MMU, 96 vCPUs x 1 GiB in 1 GiB pages, the second
 * iteration of dirty_log_perf_test.
 *
 * Nothing is fitted to it: arm64's fault, lock and leaf prices are asked to predict another
 * architecture. The only thing changed is that a split invalidates without a broadcast
 * (cost.split_serial_ns is 0).
 */
#include "sim/scenario/experiments/list.h"
#include "sim/scenario/experiments/lab.h"

#define GIB_PAGES UINT64_C(262144)
#define MS	  UINT64_C(1000000)

static const char *const x86[] = {"cost.split_serial_ns=0", NULL};

static bool run_gardon(struct experiment_run *run)
{
	uint64_t scale = sim_params_u64(run->params, "large.scale"), dirty, get, clear;
	struct sim_params *params = experiment_params(x86, run->assignments, run->err);
	struct lab_config cfg = {
		.nvcpus = 96,
		.vcpu_pages = GIB_PAGES / scale,
		.map_order = scale > 1 ? 9 : 18,
		.policy = WEIR_DIRTY_WP,
		.split_maps_one = true,
		.params = params,
	};
	struct lab_pattern all = {.naccesses = cfg.vcpu_pages, .step = 1, .write_every = 1};
	struct lab *lab = NULL;

	if (cfg.vcpu_pages % 512)
		sim_error_set(run->err,
			      "large.scale=%llu: must be a power of two, at most 512 here",
			      (unsigned long long)scale);
	else if (params)
		lab = lab_create(&cfg, run->err);
	if (lab) {
		(void)lab_start(lab, true);
		(void)lab_get(lab);
		(void)lab_clear(lab);
		dirty = lab_pass(lab, &all) * scale;
		get = lab_get(lab) * scale;
		clear = lab_clear(lab) * scale;
		if (lab_lost(lab))
			experiment_fail(run, "lost page: %llu pages were written and not reported",
					(unsigned long long)lab_lost(lab));
		experiment_row(run, EXPERIMENT_HELD_OUT, 3680 * MS, dirty, NULL,
			       "TDP MMU: dirty memory");
		experiment_row(run, EXPERIMENT_HELD_OUT, 31570 * MS, dirty,
			       "the legacy MMU holds one exclusive lock over the whole fault, 1.25 "
			       "us "
			       "of it; the model's lock is that of a fault path that shares it",
			       "legacy MMU: dirty memory");
		experiment_row(run, EXPERIMENT_HELD_OUT, 700000, get, NULL, "GET");
		experiment_row(run, EXPERIMENT_HELD_OUT, 1830 * MS, clear, NULL, "TDP MMU: CLEAR");
		experiment_row(run, EXPERIMENT_HELD_OUT, 1290 * MS, clear, NULL,
			       "legacy MMU: CLEAR");
		experiment_note(run,
				"the memory of each vCPU is divided by %llu, times are multiplied "
				"by it",
				(unsigned long long)scale);
		experiment_note(run,
				"disabling (45.7 s, 3.57 s) is not simulated: putting huge pages "
				"together again is the owner's work, weir_dirty_stop() is one "
				"store");
	}
	lab_destroy(lab);
	sim_params_free(params);
	return !sim_error_is_set(run->err);
}

const struct experiment experiment_gardon = {
	.name = "gardon",
	.summary = "x86, TDP and legacy MMU, 96 vCPUs x 1 GiB, second iteration",
	.source = "KVM x86 TDP MMU series (2020)",
	.run = run_gardon,
};
