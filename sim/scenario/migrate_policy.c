// SPDX-License-Identifier: BSD-2-Clause
/*
 * migrate_policy.c - one policy's migration from time 0 to its end.
 */
#include "sim/scenario/migrate_internal.h"

#define PROGRESS_EVENTS	16384u

/* Set up by the caller: cfg, policy, outputs. False: m->error says what broke down. */
bool migrate_run_policy(struct migrate *m, const struct sim_workload *workload,
			void (*progress)(void *ctx, uint64_t done, uint64_t total), void *ctx)
{
	uint64_t events = 0, total;

	if (!migrate_build(m, workload))
		return false;
	total = m->cfg->warmup_ns + migrate_link_ns(m, m->cfg->npages);
	sim_guest_start(m->guest);
	(void)sim_queue_post(m->queue, m->cfg->warmup_ns, SIM_GUEST_PRIO_OTHERS, migrate_begin, m,
			     0);
	/* after all else of its instant */
	(void)sim_queue_post(m->queue, m->cfg->warmup_ns + m->cfg->limit_ns, SIM_PRIO_MAX,
			     migrate_limit, m, 0);
	while (!m->done && sim_queue_run_one(m->queue)) {
		if (progress && ++events % PROGRESS_EVENTS == 0)
			progress(ctx, sim_queue_now(m->queue), total);
	}
	if (!m->done)
		migrate_broken(m, "nothing left to do before the migration ended", WEIR_EINVAL);
	return !sim_error_is_set(&m->error);
}
