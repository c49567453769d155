// SPDX-License-Identifier: BSD-2-Clause
/*
 * answer2023.c - the machine of the 2023 rows, with the same cost file, under our policies; and
 * with several times the memory.
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
#include <stdio.h>

#include "sim/report/format.h"
#include "sim/scenario/experiments/list.h"
#include "sim/scenario/experiments/perf.h"

#define MS	       UINT64_C(1000000)
#define GET_BOUND_NS   (3250 * MS / 1000)
#define DIRTY_BOUND_NS (410 * MS)

static void stop_the_guest(struct experiment_run *run, const struct perf_setup *setup,
			   struct lab *lab, struct perf_result *result)
{
	uint64_t rest = sim_params_u64(run->params, "answer.rest_bytes") / 4096 / setup->nvcpus;
	struct lab_pattern last = {.naccesses = rest, .step = 1, .write_every = 1};
	struct lab_pattern all = {.naccesses = setup->vcpu_pages, .step = 1, .write_every = 1};

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

/* The GET in blackout, and in the same row what it costs to have it so short. */
static void add_blackout(struct experiment_run *run, const char *name, uint64_t get_ns,
			 const struct perf_result *r, uint64_t scale)
{
	char freeze[SIM_FORMAT_BYTES], delay[SIM_FORMAT_BYTES];

	sim_format_value(r->frozen.freeze_ns * scale, "ns", freeze);
	sim_format_value(r->frozen.trapped_ns - r->frozen.free_ns, "ns", delay);
	experiment_row(run, EXPERIMENT_BOUND, GET_BOUND_NS, get_ns, NULL,
		       "%s: GET in blackout; freeze %s beside the guest, %llu faults, vCPU +%s",
		       name, freeze, (unsigned long long)r->frozen.faults, delay);
}

static bool one(struct experiment_run *run, const char *policy_name, uint32_t policy,
		uint64_t times, uint64_t scale)
{
	struct sim_params *params = perf_params(run);
	struct perf_setup setup = {
		.params = params,
		.nvcpus = 96,
		.vcpu_pages = PERF_VCPU_PAGES * times / scale,
		.map_order = 9,
		.policy = policy,
		.iterations = (unsigned int)sim_params_u64(run->params, "perf2023.iterations"),
		.finish = stop_the_guest,
	};
	/* two words of summary a GiB, of which the divided machine has fewer */
	uint64_t summaries = setup.nvcpus * setup.vcpu_pages * (scale - 1) / (1u << 18) * 2;
	uint64_t word_ps = sim_params_u64(run->params, "cost.word_ps");
	struct perf_result r;
	char name[32];
	bool ok;

	snprintf(name, sizeof(name), "%s, %llux", policy_name, (unsigned long long)times);
	setup.name = name;
	ok = params && perf_lab(run, &setup, &r);
	sim_params_free(params);
	if (!ok)
		return false;
	experiment_row(run, EXPERIMENT_BOUND, DIRTY_BOUND_NS * times, r.mean.dirty_ns * scale, NULL,
		       "%s: dirty memory, mean", name);
	experiment_row(run, EXPERIMENT_BOUND, DIRTY_BOUND_NS, r.last.dirty_ns * scale, NULL,
		       "%s: dirty memory, last iteration", name);
	add_blackout(run, name, r.frozen.get_ns + summaries * word_ps / 1000, &r, scale);
	experiment_row(run, EXPERIMENT_BOUND, GET_BOUND_NS, r.frozen.full_get_ns * scale,
		       "a bitmap of all ones is 8 bytes for each 256 KiB, whoever keeps it; the "
		       "series' GET of as much memory is 6900 times as long",
		       "%s: GET, frozen, but everything dirty again, as a bitmap", name);
	experiment_row(run, EXPERIMENT_FIGURE, 0, r.mean.get_ns * scale, NULL,
		       "%s: GET beside the guest, not frozen", name);
	experiment_row(run, EXPERIMENT_FIGURE, 0, r.mean.clear_ns * scale, NULL, "%s: CLEAR", name);
	return true;
}

static bool run_answer2023(struct experiment_run *run)
{
	uint64_t times = sim_params_u64(run->params, "answer.memory_times");
	uint64_t scale = sim_params_u64(run->params, "perf2023.scale");
	uint64_t large = sim_params_u64(run->params, "answer.large_scale") * scale;

	if (large & (large - 1) || PERF_VCPU_PAGES / scale < 512) {
		sim_error_set(run->err,
			      "perf2023.scale=%llu, answer.large_scale=%llu: must be powers of two",
			      (unsigned long long)scale, (unsigned long long)(large / scale));
		return false;
	}
	if (!one(run, "fixed64", WEIR_DIRTY_FIXED, 1, scale) ||
	    !one(run, "adaptive", WEIR_DIRTY_ADAPTIVE, 1, scale) ||
	    !one(run, "dbm_all", WEIR_DIRTY_DBM_ALL, 1, scale) ||
	    !one(run, "fixed64", WEIR_DIRTY_FIXED, times, large) ||
	    !one(run, "adaptive", WEIR_DIRTY_ADAPTIVE, times, large))
		return false;
	experiment_note(run,
			"bounds: the series' GET of 3.25 s by 1000; its 0.41 s of dirty memory, "
			"as a mean for as many times the pages; the cost file is perf2023's");
	experiment_note(
		run,
		"the guest is stopped with %llu MB dirty (300 ms of a 10 Gbit/s link), GET in "
		"blackout reads pairs of group and pages, one thread",
		(unsigned long long)(sim_params_u64(run->params, "answer.rest_bytes") / 1000000));
	experiment_note(run,
			"memory of each vCPU divided by %llu, by %llu with %llux the memory; times "
			"multiplied by it",
			(unsigned long long)scale, (unsigned long long)large,
			(unsigned long long)times);
	return true;
}

const struct experiment experiment_answer2023 = {
	.name = "answer2023",
	.summary =
		"the machine of perf2023, same costs, under our policies: blackout and its price",
	.source = "bounds: the series' own figures",
	.run = run_answer2023,
};
