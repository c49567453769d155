/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * migrate_harness.h - one policy's migration from `name=value` settings, without the command around
 * it: what the tests of the scenario have in common.
 */
#ifndef TESTS_UNIT_MIGRATE_HARNESS_H
#define TESTS_UNIT_MIGRATE_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/scenario/migrate.h"
#include "sim/scenario/migrate_internal.h"

#define TRACES		WEIR_SOURCE_DIR "/examples/traces"
#define TRACE		"workload.trace=" TRACES "/pagewr-redis-set.csv.zst"
#define SETTINGS(...)	((const char *const[]){ __VA_ARGS__, NULL })

struct harness {
	struct migrate_result result;
	uint64_t progress_ns;		/* summed over vCPUs */
	uint64_t nvcpus;
	uint64_t violations[SIM_NCHECKERS];
	char digest[SIM_DIGEST_HEX_BYTES];
};

/* Run the first policy of policy.names. Later settings win. */
static inline void harness_run(struct harness *h, uint64_t seed, const char *const *settings,
			       const char *const *more)
{
	struct sim_params *params = sim_params_new();
	struct sim_workload_config writes = { 0 };
	struct migrate_policy policies[POLICIES_MAX];
	struct migrate_config cfg;
	struct migrate m = { .cfg = &cfg, .policy = &policies[0] };
	struct sim_error err = { "" };
	struct sim_workload *workload;
	unsigned int i;

	for (i = 0; i < sim_scenario_migrate.ntables; i++)
		sim_params_register(params, sim_scenario_migrate.tables[i].params,
				    sim_scenario_migrate.tables[i].n);
	for (; settings && *settings; settings++) {
		if (!sim_params_assign(params, *settings, &err))
			fail_msg("%s", err.text);
	}
	for (; more && *more; more++) {
		if (!sim_params_assign(params, *more, &err))
			fail_msg("%s", err.text);
	}
	if (!migrate_config_read(&cfg, params, &err) ||
	    !migrate_policies_read(policies, params, &err))
		fail_msg("%s", err.text);
	writes.nvcpus = cfg.nvcpus;
	writes.base_gfn = cfg.base_gfn;
	writes.npages = cfg.npages;
	writes.seed = seed;
	if (!sim_workload_config_read(&writes, params, &err))
		fail_msg("%s", err.text);
	workload = sim_workload_open(&writes, &err);
	if (!workload)
		fail_msg("%s", err.text);
	m.history = sim_history_create(migrate_kinds, MIGRATE_NKINDS, NULL, &err);
	if (!migrate_run_policy(&m, workload, NULL, NULL))
		fail_msg("%s", m.error.text);
	migrate_sum_up(&m, &h->result);
	h->nvcpus = cfg.nvcpus;
	h->progress_ns = 0;
	for (i = 0; i < cfg.nvcpus; i++)
		h->progress_ns += sim_guest_progress(m.guest, i);
	memcpy(h->violations, m.check.violations, sizeof(h->violations));
	sim_history_digest_hex(m.history, h->digest);
	sim_history_destroy(m.history);
	migrate_take_down(&m);
	sim_workload_close(workload);
	sim_params_free(params);
}

/* Nothing lost, nothing violated, and the parts of what was lost add up. */
static inline void harness_sound(const struct harness *h, const char *what)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < SIM_NCHECKERS; i++) {
		if (h->violations[i])
			fail_msg("%s: checker %s: %llu violations", what, sim_checker_names[i],
				 (unsigned long long)h->violations[i]);
	}
	for (i = 0; i < SIM_NCAUSES; i++)
		sum += h->result.lost_ns[i];
	if (sum != h->result.lost_total_ns)
		fail_msg("%s: the parts add up to %llu ns, expected %llu", what,
			 (unsigned long long)sum, (unsigned long long)h->result.lost_total_ns);
	assert_int_equal(h->progress_ns + sum, h->nvcpus * h->result.figures.end_ns);
	assert_int_equal(h->result.figures.lost_pages, 0);
}

#endif
