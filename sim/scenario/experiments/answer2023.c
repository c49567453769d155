// SPDX-License-Identifier: BSD-2-Clause
/*
 * answer2023.c - the machine of the 2023 rows, with the same cost file, under our policies; and with
 * several times the memory.
 *
 * After the iterations, what a migration does at its end. Everything is clean; the hardware-tracked
 * groups are frozen beside the guest (its price: the collector's time, and the faults of what the
 * guest writes from then on); the guest writes what a converged pre-copy leaves, answer.rest_bytes
 * in all; then it stands still, and GET reads the log: this is the GET in blackout. For comparison
 * the worst case, a guest that has written everything since the freeze: GET is then the whole
 * bitmap and nothing but the bitmap.
 *
 * The bounds are the issue's: GET a thousandth of the series' 3.25 s, dirty memory time no worse
 * than its 0.41 s (for the same memory).
 */
#include "sim/scenario/experiments/list.h"
#include "sim/scenario/experiments/perf.h"

#define MS		UINT64_C(1000000)
#define GET_BOUND_NS	(3250 * MS / 1000)
#define DIRTY_BOUND_NS	(410 * MS)

static void stop_the_guest(struct experiment_run *run, const struct perf_setup *setup,
			   struct lab *lab, struct perf_result *result)
{
	uint64_t rest = sim_params_u64(run->params, "answer.rest_bytes") / 4096 / setup->nvcpus;
	struct lab_pattern last = { .naccesses = rest, .step = 1, .write_every = 1 };
	struct lab_pattern all = { .naccesses = setup->vcpu_pages, .step = 1, .write_every = 1 };

	if (last.naccesses > setup->vcpu_pages)
		last.naccesses = setup->vcpu_pages;
	/* the same writes without the freeze: what they cost anyhow */
	result->frozen.free_ns = lab_pass(lab, &last);
	(void)lab_get(lab);
	(void)lab_clear(lab);
	result->frozen.freeze_ns = lab_freeze(lab);
	result->frozen.trapped_ns = lab_pass(lab, &last);
	result->frozen.faults = lab_faults(lab);
	result->frozen.get_ns = lab_get_words(lab);
	result->frozen.pages = lab_dirty(lab);
	(void)lab_pass(lab, &all);
	result->frozen.full_get_ns = lab_get(lab);
	if (lab_lost(lab))
		experiment_fail(run, "lost page: %llu pages were written and not reported (%s)",
				(unsigned long long)lab_lost(lab), setup->name);
}

static bool one(struct experiment_run *run, const char *name, uint32_t policy, uint64_t times,
		uint64_t scale)
{
	struct perf_setup setup = {
		.name = name, .nvcpus = 96, .vcpu_pages = PERF_VCPU_PAGES * times / scale,
		.map_order = 9, .policy = policy, .iterations = times > 1 ? 3 : 5,
		.finish = stop_the_guest,
	};
	struct perf_result r;

	if (!perf_lab(run, &setup, &r))
		return false;
	if (times == 1)
		experiment_row(run, EXPERIMENT_BOUND, DIRTY_BOUND_NS, r.mean.dirty_ns * scale, NULL,
			       "%s: dirty memory", name);
	else
		experiment_row(run, EXPERIMENT_BOUND, DIRTY_BOUND_NS, r.mean.dirty_ns * scale, NULL,
			       "%s, %llux: dirty memory", name, (unsigned long long)times);
	experiment_row(run, EXPERIMENT_BOUND, GET_BOUND_NS, r.frozen.get_ns, NULL,
		       "%s, %llux: GET in blackout, frozen", name, (unsigned long long)times);
	experiment_row(run, EXPERIMENT_FIGURE, 0, r.frozen.freeze_ns * scale, NULL,
		       "%s, %llux:   its price: freeze, beside the guest", name,
		       (unsigned long long)times);
	experiment_row(run, EXPERIMENT_FIGURE, 0, r.frozen.trapped_ns - r.frozen.free_ns, NULL,
		       "%s, %llux:   its price: delay of each vCPU by %llu faults", name,
		       (unsigned long long)times, (unsigned long long)r.frozen.faults);
	experiment_row(run, times == 1 ? EXPERIMENT_BOUND : EXPERIMENT_FIGURE, GET_BOUND_NS,
		       r.frozen.full_get_ns * scale, NULL,
		       "%s, %llux: GET, everything dirty, as a bitmap", name,
		       (unsigned long long)times);
	experiment_row(run, EXPERIMENT_FIGURE, 0, r.mean.get_ns * scale, NULL,
		       "%s, %llux: GET in the background, not frozen", name,
		       (unsigned long long)times);
	experiment_row(run, EXPERIMENT_FIGURE, 0, r.mean.clear_ns * scale, NULL,
		       "%s, %llux: CLEAR", name, (unsigned long long)times);
	return true;
}

static bool run_answer2023(struct experiment_run *run)
{
	uint64_t times = sim_params_u64(run->params, "answer.memory_times");
	uint64_t scale = sim_params_u64(run->params, "perf2023.scale");

	if (scale & (scale - 1)) {
		sim_error_set(run->err, "perf2023.scale=%llu: must be a power of two",
			      (unsigned long long)scale);
		return false;
	}
	if (!one(run, "fixed64", WEIR_DIRTY_FIXED, 1, scale) ||
	    !one(run, "adaptive", WEIR_DIRTY_ADAPTIVE, 1, scale) ||
	    !one(run, "dbm_all", WEIR_DIRTY_DBM_ALL, 1, scale) ||
	    !one(run, "adaptive", WEIR_DIRTY_ADAPTIVE, times, scale))
		return false;
	experiment_note(run, "bounds: the series' 3.25 s by 1000, and its 0.41 s; the cost file is "
			"that of perf2023");
	experiment_note(run, "the guest is stopped with %llu pages dirty; GET in blackout reads the "
			"log as pairs of group and pages, one thread",
			(unsigned long long)(sim_params_u64(run->params, "answer.rest_bytes") / 4096 /
					     96 * 96));
	experiment_note(run, "with %llux the memory, GET of a bitmap that is all ones is 8 bytes a "
			"256 KiB, whoever keeps it; the series' GET would take %llux 3.25 s",
			(unsigned long long)times, (unsigned long long)times);
	return true;
}

const struct experiment experiment_answer2023 = {
	.name = "answer2023",
	.summary = "the machine of perf2023, same costs, under our policies: blackout and its price",
	.source = "bounds: issue of the 2023 thread; costs: costs.c",
	.run = run_answer2023,
};
