// SPDX-License-Identifier: BSD-2-Clause
/*
 * sparse.c - writers that touch one page of 64, so that a neighbourhood of 64 is scanned for one
 * page: the objection to a presumptive neighbourhood.
 *
 * 8 vCPUs x 512 MiB. Rounds of pass, GET and CLEAR; the descriptors that GET and CLEAR read to find
 * dirty pages, from the third round on. The bound is two for each dirty page. Once from a guest of
 * which nothing is known, once after two rounds in which it wrote every page.
 */
#include "sim/scenario/experiments/list.h"
#include "sim/scenario/experiments/lab.h"

#define ROUNDS 6u
#define STRIDE 64u

static void round_of(struct lab *lab, const struct lab_pattern *pattern, uint64_t *dirty,
		     uint64_t *pass_ns)
{
	*pass_ns += lab_pass(lab, pattern);
	(void)lab_get(lab);
	*dirty += lab_dirty(lab);
	(void)lab_clear(lab);
}

static bool scanned(struct experiment_run *run, uint32_t policy, bool dense, uint64_t *ptes,
		    uint64_t *dirty, uint64_t *pass_ns)
{
	struct lab_config cfg = {
		.nvcpus = 8,
		.vcpu_pages = 131072,
		.map_order = 9,
		.policy = policy,
		.neighbourhood = 64,
		.params = run->params,
	};
	struct lab_pattern pattern = {
		.first_page = 7,
		.naccesses = cfg.vcpu_pages / STRIDE,
		.step = STRIDE,
		.write_every = 1,
	};
	struct lab_pattern all = {.naccesses = cfg.vcpu_pages, .step = 1, .write_every = 1};
	struct lab *lab = lab_create(&cfg, run->err);
	struct weir_dirty_stats from, to;

	if (!lab)
		return false;
	(void)lab_start(lab, true);
	(void)lab_get(lab);
	(void)lab_clear(lab);
	for (unsigned int i = 0; dense && i < 2; i++)
		round_of(lab, &all, dirty, pass_ns);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		if (i <= 2) {
			lab_stats(lab, &from);
			*dirty = 0;
			*pass_ns = 0;
		}
		round_of(lab, &pattern, dirty, pass_ns);
	}
	lab_stats(lab, &to);
	*ptes = to.ptes_scanned - from.ptes_scanned;
	if (lab_lost(lab))
		experiment_fail(run, "lost page: %llu pages were written and not reported",
				(unsigned long long)lab_lost(lab));
	lab_destroy(lab);
	return !sim_error_is_set(run->err);
}

static bool run_sparse(struct experiment_run *run)
{
	static const struct {
		const char *name;
		uint32_t policy;
		bool dense;
		enum experiment_kind kind;
	} policies[] = {
		{"adaptive", WEIR_DIRTY_ADAPTIVE, false, EXPERIMENT_BOUND},
		{"adaptive, dense before", WEIR_DIRTY_ADAPTIVE, true, EXPERIMENT_BOUND},
		{"fixed64", WEIR_DIRTY_FIXED, false, EXPERIMENT_FIGURE},
		{"wp", WEIR_DIRTY_WP, false, EXPERIMENT_FIGURE},
	};
	uint64_t ptes, dirty = 0, ns = 0;

	for (unsigned int i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		if (!scanned(run, policies[i].policy, policies[i].dense, &ptes, &dirty, &ns))
			return false;
		experiment_count(run, policies[i].kind, "", 2 * dirty, ptes, NULL,
				 "%s: descriptors scanned, rounds 3 to %u", policies[i].name,
				 ROUNDS);
		experiment_row(run, EXPERIMENT_FIGURE, 0, ns, NULL,
			       "%s: dirty memory, rounds 3 to %u", policies[i].name, ROUNDS);
	}
	experiment_note(run,
			"the bound: 2 for each of the %llu pages that were dirty in those rounds",
			(unsigned long long)dirty);
	return true;
}

const struct experiment experiment_sparse = {
	.name = "sparse",
	.summary = "one page written in each 64: what is scanned to find it",
	.source = "bound: two descriptors for each dirty page",
	.run = run_sparse,
};
