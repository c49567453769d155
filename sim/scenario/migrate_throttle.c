// SPDX-License-Identifier: BSD-2-Clause
/*
 * migrate_throttle.c - auto-converge, as QEMU does it: each vCPU runs for a slice, then sleeps so
 * that the percentage of time it sleeps is the throttle's. The percentage starts and grows when,
 * in two rounds (migrate.throttle_votes), more than a share of what was sent got dirty again;
 * never before the first full pass.
 */
#include "sim/scenario/migrate_internal.h"

static void wake(void *ctx, uint64_t vcpu);

static void sleep(void *ctx, uint64_t vcpu)
{
	struct migrate *m = ctx;
	uint64_t now_ns = sim_queue_now(m->queue);
	uint64_t ns = m->cfg->throttle_slice_ns * m->throttle_percent /
		      (100 - m->throttle_percent);

	if (m->pausing || m->paused)
		return;
	sim_history_emit(m->history, now_ns, MIGRATE_EV_SLEEP, (uint32_t)vcpu, ns, 0);
	sim_guest_hold(m->guest, (unsigned int)vcpu, SIM_CAUSE_THROTTLE);
	(void)sim_queue_post(m->queue, now_ns + ns, SIM_GUEST_PRIO_OTHERS, wake, m, vcpu);
}

static void wake(void *ctx, uint64_t vcpu)
{
	struct migrate *m = ctx;

	if (m->pausing || m->paused)
		return;
	sim_guest_release(m->guest, (unsigned int)vcpu, SIM_CAUSE_THROTTLE);
	(void)sim_queue_post(m->queue, sim_queue_now(m->queue) + m->cfg->throttle_slice_ns,
			     SIM_GUEST_PRIO_OTHERS, sleep, m, vcpu);
}

static void raise(struct migrate *m)
{
	unsigned int i;

	if (!m->throttle_percent)
		m->throttle_percent = m->cfg->throttle_initial_percent;
	else
		m->throttle_percent += m->cfg->throttle_increment_percent;
	if (m->throttle_percent > m->cfg->throttle_max_percent)
		m->throttle_percent = m->cfg->throttle_max_percent;
	sim_history_emit(m->history, sim_queue_now(m->queue), MIGRATE_EV_THROTTLE, ACTOR_COPIER,
			 m->throttle_percent, 0);
	for (i = 0; i < m->cfg->nvcpus; i++) {
		if (!m->vcpus[i].throttled) {
			m->vcpus[i].throttled = true;
			sleep(m, i);
		}
	}
}

/* A round is over: this many pages got dirty while round_pages were sent. */
void migrate_throttle_round(struct migrate *m, uint64_t dirtied_pages)
{
	migrate_pace_found(m, dirtied_pages);
	if (m->cfg->throttle == MIGRATE_QUOTA)
		migrate_pace_start(m);	/* the full pass is over */
	if (!m->cfg->throttle || !m->round)
		return;
	if (dirtied_pages * 100 <= m->round_pages * m->cfg->throttle_trigger_percent)
		return;
	if (++m->throttle_votes < m->cfg->throttle_votes)
		return;
	m->throttle_votes = 0;
	if (m->cfg->throttle == MIGRATE_AUTO_CONVERGE)
		raise(m);
	else
		migrate_pace_start(m);
}

void migrate_throttle_stop(struct migrate *m)
{
	unsigned int i;

	for (i = 0; i < m->cfg->nvcpus; i++)
		sim_guest_release(m->guest, i, SIM_CAUSE_THROTTLE);
}
