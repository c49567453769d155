// SPDX-License-Identifier: BSD-2-Clause
/*
 * migrate_pace.c - throttles by what each vCPU dirties: dirty-limit and quota.
 *
 * dirty-limit gives a vCPU a rate. At the end of each period its penalty is set: the time a page
 * may take at that rate, less the time that a page took it while it ran. It sleeps the penalty for
 * every page that it is seen to make dirty, in portions of LIMIT_BATCH pages. A penalty that is not
 * needed comes down by an eighth a period: writes come in bursts, after each CLEAR. It begins where
 * auto-converge would. quota gives all vCPUs together a share of what the link carries in an
 * interval, in equal parts; one that has used up its part sleeps to the end of the interval. It
 * begins after the full pass.
 *
 * A hypervisor sees who dirtied a page where the write faults. Where the hardware keeps the dirty
 * state it sees nobody, and learns from the GETs how much was dirtied in all: there each vCPU is
 * held to the part of the interval in which, at the rate of the round before, it uses up its share.
 *
 * Sources of the ideas: QEMU's dirty-limit (8.1), the dirty quota proposed for KVM.
 */
#include "sim/scenario/migrate_internal.h"

__extension__ typedef unsigned __int128 u128;

#define U64		SIM_PARAM_U64_ENTRY
#define SECOND_NS	UINT64_C(1000000000)
#define LIMIT_BATCH	64u

const struct sim_param migrate_pace_params[] = {
	U64("migrate.dirty_limit_bytes_per_s", "bytes/s", "1Mi", 4096, UINT64_C(1) << 40,
		"QEMU: vcpu-dirty-limit 1 MB/s", "dirty-limit: what a vCPU may dirty"),
	U64("migrate.dirty_limit_period_ns", "ns", "1000000000", 1000, 1000 * SECOND_NS,
		"QEMU: x-vcpu-dirty-limit-period 1 s", "dirty-limit: time between two corrections"),
	U64("migrate.quota_interval_ns", "ns", "10000000", 1000, SECOND_NS, "choice",
		"quota: what a budget is for"),
	U64("migrate.quota_percent", "percent", "50", 1, 100, "choice",
		"quota: share of the link that the guest may dirty"),
	U64("migrate.postcopy_rounds", "rounds", "0", 0, 1000000, "choice",
		"switch to post-copy after so many rounds without convergence; 0: never"),
	U64("link.rtt_ns", "ns", "100000", 0, SECOND_NS, "assumed: within a data centre",
		"post-copy: asking for a page, without the page's own time on the link"),
};

void migrate_pace_config_read(struct migrate_pace_config *cfg, const struct sim_params *p)
{
	*cfg = (struct migrate_pace_config){
		.limit_bytes_per_s = sim_params_u64(p, "migrate.dirty_limit_bytes_per_s"),
		.limit_period_ns = sim_params_u64(p, "migrate.dirty_limit_period_ns"),
		.quota_interval_ns = sim_params_u64(p, "migrate.quota_interval_ns"),
		.quota_percent = sim_params_u64(p, "migrate.quota_percent"),
		.postcopy_rounds = sim_params_u64(p, "migrate.postcopy_rounds"),
		.rtt_ns = sim_params_u64(p, "link.rtt_ns"),
	};
}

static void tick(void *ctx, uint64_t arg);

static uint64_t scale(uint64_t a, uint64_t b, uint64_t c)
{
	u128 q = c ? (u128)a * b / c : 0;

	return q > UINT64_MAX ? UINT64_MAX : (uint64_t)q;
}

static uint64_t period_ns(const struct migrate *m)
{
	return m->cfg->throttle == MIGRATE_QUOTA ? m->cfg->pace.quota_interval_ns
						 : m->cfg->pace.limit_period_ns;
}

/* Pages that one vCPU may dirty in a period; at least one, or it would never run. */
static uint64_t budget(const struct migrate *m)
{
	uint64_t bytes = m->cfg->throttle == MIGRATE_QUOTA
		? scale(m->cfg->link_bytes_per_s, m->cfg->pace.quota_percent,
			100u * (uint64_t)m->cfg->nvcpus)
		: m->cfg->pace.limit_bytes_per_s;
	uint64_t pages = scale(bytes, period_ns(m), SECOND_NS * PAGE_BYTES);

	return pages ? pages : 1;
}

static bool stopped(const struct migrate *m)
{
	return m->pausing || m->paused || m->done;
}

static void wake(void *ctx, uint64_t vcpu)
{
	struct migrate *m = ctx;

	if (!stopped(m))
		sim_guest_release(m->guest, (unsigned int)vcpu, SIM_CAUSE_THROTTLE);
}

static void sleep_for(struct migrate *m, unsigned int vcpu, uint64_t ns)
{
	uint64_t now_ns = sim_queue_now(m->queue);

	if (!ns)
		return;
	sim_history_emit(m->history, now_ns, MIGRATE_EV_SLEEP, vcpu, ns, 0);
	m->vcpus[vcpu].slept_ns += ns;
	sim_guest_hold(m->guest, vcpu, SIM_CAUSE_THROTTLE);
	(void)sim_queue_post(m->queue, now_ns + ns, SIM_GUEST_PRIO_OTHERS, wake, m, vcpu);
}

static uint64_t period_left(const struct migrate *m)
{
	uint64_t end_ns = m->period_start_ns + period_ns(m), now_ns = sim_queue_now(m->queue);

	return end_ns > now_ns ? end_ns - now_ns : 0;
}

static void rest_of_period(void *ctx, uint64_t vcpu)
{
	struct migrate *m = ctx;

	if (!stopped(m))
		sleep_for(m, (unsigned int)vcpu, period_left(m));
}

/* Writes that fault nowhere: let a vCPU run for the part of the period that its budget lasts. */
static void hold_to_share(struct migrate *m, unsigned int vcpu)
{
	uint64_t run_ns = period_ns(m);
	uint64_t pages = scale(m->exitless_pages, run_ns, m->exitless_run_ns);

	if (pages > budget(m))
		(void)sim_queue_post(m->queue, sim_queue_now(m->queue) +
				     scale(run_ns, budget(m), pages), SIM_GUEST_PRIO_OTHERS,
				     rest_of_period, m, vcpu);
}

static bool exitless(const struct migrate *m)
{
	return m->policy->log == MIGRATE_HDBSS || migrate_policy_has_hw(m->policy);
}

/* dirty-limit: what each page is to cost from now on. */
static void correct(struct migrate *m, struct migrate_vcpu *v)
{
	uint64_t period = period_ns(m), ran_ns, wanted_ns = period / budget(m), had_ns;

	ran_ns = v->slept_ns < period ? period - v->slept_ns : 0;
	had_ns = v->seen ? ran_ns / v->seen : wanted_ns;
	if (had_ns < wanted_ns)
		v->penalty_ns = wanted_ns - had_ns;
	else
		v->penalty_ns -= (v->penalty_ns + 7) / 8;
}

static void tick(void *ctx, uint64_t arg)
{
	struct migrate *m = ctx;
	unsigned int i;

	(void)arg;
	if (stopped(m))
		return;
	for (i = 0; i < m->cfg->nvcpus; i++) {
		struct migrate_vcpu *v = &m->vcpus[i];

		if (m->cfg->throttle == MIGRATE_DIRTY_LIMIT && m->period_start_ns)
			correct(m, v);
		v->seen = 0;
		v->slept_ns = 0;
		if (exitless(m))
			hold_to_share(m, i);
	}
	m->period_start_ns = sim_queue_now(m->queue);
	(void)sim_queue_post(m->queue, m->period_start_ns + period_ns(m), SIM_GUEST_PRIO_OTHERS,
			     tick, m, 0);
}

void migrate_pace_start(struct migrate *m)
{
	if (m->pacing)
		return;
	m->pacing = true;
	sim_history_emit(m->history, sim_queue_now(m->queue), MIGRATE_EV_THROTTLE, ACTOR_COPIER,
			 100, 0);
	tick(m, 0);
}

/* A vCPU made a page dirty; fault: and was seen. */
void migrate_pace_dirtied(struct migrate *m, unsigned int vcpu, bool fault)
{
	struct migrate_vcpu *v = &m->vcpus[vcpu];

	v->dirtied++;
	if (!m->pacing || !fault || exitless(m))
		return;
	v->seen++;
	if (m->cfg->throttle == MIGRATE_DIRTY_LIMIT && v->dirtied % LIMIT_BATCH == 0)
		v->debt_ns = v->penalty_ns * LIMIT_BATCH;
	else if (m->cfg->throttle == MIGRATE_QUOTA && v->seen >= budget(m))
		v->debt_ns = period_left(m);
}

/* Its fault was served: it pays what it owes before it runs on. */
void migrate_pace_rest(struct migrate *m, unsigned int vcpu)
{
	uint64_t ns = m->vcpus[vcpu].debt_ns;

	m->vcpus[vcpu].debt_ns = 0;
	if (!stopped(m))
		sleep_for(m, vcpu, ns);
}

/* A GET over the region found so many pages dirty. */
void migrate_pace_found(struct migrate *m, uint64_t npages)
{
	uint64_t before_ns = m->progress_ns;
	unsigned int i;

	m->progress_ns = 0;
	for (i = 0; i < m->cfg->nvcpus; i++)
		m->progress_ns += sim_guest_progress(m->guest, i);
	m->exitless_pages = npages;
	m->exitless_run_ns = m->progress_ns - before_ns;
}
