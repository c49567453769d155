// SPDX-License-Identifier: BSD-2-Clause
/*
 * sparse.c - writers that touch one page of 64, so that a neighbourhood of 64 is scanned for one
 * page: the objection to a presumptive neighbourhood.
 *
 * 8 vCPUs x 512 MiB. Rounds of pass, GET and CLEAR; the descriptors that GET and CLEAR read to find
 * dirty pages, from the third round on. The bound is two for each dirty page.
 */
#include "sim/scenario/experiments/list.h"
#include "sim/scenario/experiments/lab.h"

#define ROUNDS 6u
#define STRIDE 64u

static bool scanned(struct experiment_run *run, uint32_t policy, uint64_t *ptes, uint64_t *dirty,
		    uint64_t *pass_ns)
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
	struct lab *lab = lab_create(&cfg, run->err);
	struct weir_dirty_stats from, to;

	*dirty = 0;
	*pass_ns = 0;
	if (!lab)
		return false;
	(void)lab_start(lab, true);
	(void)lab_get(lab);
	(void)lab_clear(lab);
	lab_stats(lab, &from);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		uint64_t ns = lab_pass(lab, &pattern);

		if (i == 2)
			lab_stats(lab, &from);
		(void)lab_get(lab);
		if (i >= 2) {
			*dirty += lab_dirty(lab);
			*pass_ns += ns;
		}
		(void)lab_clear(lab);
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
		enum experiment_kind kind;
	} policies[] = {
		{"adaptive", WEIR_DIRTY_ADAPTIVE, EXPERIMENT_BOUND},
		{"fixed64", WEIR_DIRTY_FIXED, EXPERIMENT_FIGURE},
		{"wp", WEIR_DIRTY_WP, EXPERIMENT_FIGURE},
	};
	uint64_t ptes, dirty, ns;

	for (unsigned int i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		if (!scanned(run, policies[i].policy, &ptes, &dirty, &ns))
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
