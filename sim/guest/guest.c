// SPDX-License-Identifier: BSD-2-Clause
/*
 * guest.c - the clocks of vCPUs: stops, delays, and what they are charged to. See guest.h.
 */
#include "sim/guest/guest_internal.h"

#include <assert.h>
#include <stdlib.h>

const char *const sim_cause_names[SIM_NCAUSES] = {
	"fault", "lock", "split", "scan", "throttle", "blackout"
};

static enum sim_cause first_cause(uint32_t holds)
{
	return (enum sim_cause)__builtin_ctz(holds);
}

static void charge(struct vcpu *v, enum sim_cause cause, uint64_t t0_ns, uint64_t t1_ns)
{
	v->lost_ns[cause] += t1_ns - t0_ns;
	if (v->guest->ops->lost && t1_ns > t0_ns)
		v->guest->ops->lost(v->guest->ctx, v->number, cause, t0_ns, t1_ns);
}

/* Charge what a held vCPU lost until now. What a delay took already is not charged again. */
static void charge_until(struct vcpu *v, uint64_t now_ns)
{
	if (now_ns <= v->since_ns)
		return;
	charge(v, first_cause(v->holds), v->since_ns, now_ns);
	v->since_ns = now_ns;
}

/* Let the one event of a vCPU be not later than its next action. */
void sim_vcpu_arm(struct vcpu *v, uint64_t now_ns)
{
	uint64_t due_ns = v->holds ? NEVER : sim_replay_due(v);

	if (due_ns < now_ns)
		due_ns = now_ns;
	if (v->event) {
		if (due_ns != NEVER && v->event_ns <= due_ns)
			return;		/* early: it looks again and arms itself */
		(void)sim_queue_cancel(v->guest->queue, v->event);
		v->event = 0;
	}
	if (due_ns == NEVER)
		return;
	v->event_ns = due_ns;
	v->event = sim_queue_post(v->guest->queue, due_ns, v->number, sim_replay_event, v, 0);
}

void sim_vcpu_delay(struct vcpu *v, enum sim_cause cause, uint64_t ns, uint64_t now_ns)
{
	assert(!v->holds && now_ns >= v->base_now_ns);
	if (now_ns > v->base_now_ns) {
		v->base_steady_ns = sim_vcpu_steady(v, now_ns);
		v->base_now_ns = now_ns;
		v->pos = POS_ALL;
	}
	v->base_now_ns += ns;
	v->delay_cause = cause;
	charge(v, cause, now_ns, now_ns + ns);
}

void sim_vcpu_hold(struct vcpu *v, enum sim_cause cause, uint64_t now_ns)
{
	if (v->holds) {
		charge_until(v, now_ns);
	} else {
		if (now_ns > v->base_now_ns) {
			v->base_steady_ns = sim_vcpu_steady(v, now_ns);
			v->base_now_ns = now_ns;
			v->pos = POS_ALL;
		}
		v->since_ns = v->base_now_ns;
	}
	v->holds |= 1u << cause;
}

void sim_guest_hold(struct sim_guest *g, unsigned int vcpu, enum sim_cause cause)
{
	uint64_t now_ns = sim_queue_now(g->queue);

	sim_vcpu_hold(&g->vcpus[vcpu], cause, now_ns);
	sim_vcpu_arm(&g->vcpus[vcpu], now_ns);
}

void sim_guest_release(struct sim_guest *g, unsigned int vcpu, enum sim_cause cause)
{
	struct vcpu *v = &g->vcpus[vcpu];
	uint64_t now_ns = sim_queue_now(g->queue);

	if (!(v->holds & 1u << cause))
		return;
	charge_until(v, now_ns);
	v->holds &= ~(1u << cause);
	if (!v->holds)
		v->base_now_ns = v->since_ns;
	sim_vcpu_arm(v, now_ns);
}

uint32_t sim_guest_held(const struct sim_guest *g, unsigned int vcpu)
{
	return g->vcpus[vcpu].holds;
}

void sim_guest_delay(struct sim_guest *g, unsigned int vcpu, enum sim_cause cause, uint64_t ns)
{
	struct vcpu *v = &g->vcpus[vcpu];
	uint64_t now_ns = sim_queue_now(g->queue);

	/* its event, if one is pending, may now be early, which does no harm */
	if (ns && !v->holds && now_ns >= v->base_now_ns && !v->retry)
		sim_vcpu_delay(v, cause, ns, now_ns);
}

uint64_t sim_guest_delays_end(const struct sim_guest *g)
{
	uint64_t end_ns = sim_queue_now(g->queue);
	uint32_t i;

	for (i = 0; i < g->nvcpus; i++) {
		if (g->vcpus[i].base_now_ns > end_ns)
			end_ns = g->vcpus[i].base_now_ns;
	}
	return end_ns;
}

void sim_guest_invalidated(struct sim_guest *g, uint64_t first_gfn, uint64_t last_gfn)
{
	uint64_t now_ns = sim_queue_now(g->queue);
	uint32_t i;

	for (i = 0; i < g->nvcpus; i++)
		sim_replay_invalidated(&g->vcpus[i], first_gfn, last_gfn, now_ns);
}

void sim_guest_settle(struct sim_guest *g, uint64_t first_gfn, uint64_t npages)
{
	uint64_t now_ns = sim_queue_now(g->queue);
	uint32_t i;

	for (i = 0; i < g->nvcpus; i++)
		sim_replay_settle(&g->vcpus[i], first_gfn, npages, now_ns);
}

void sim_guest_charge(struct sim_guest *g)
{
	uint64_t now_ns = sim_queue_now(g->queue);
	uint32_t i;

	for (i = 0; i < g->nvcpus; i++) {
		if (g->vcpus[i].holds)
			charge_until(&g->vcpus[i], now_ns);
	}
}

uint64_t sim_guest_progress(const struct sim_guest *g, unsigned int vcpu)
{
	return sim_vcpu_steady(&g->vcpus[vcpu], sim_queue_now(g->queue));
}

uint64_t sim_guest_lost_ns(const struct sim_guest *g, unsigned int vcpu, enum sim_cause cause)
{
	const struct vcpu *v = &g->vcpus[vcpu];
	uint64_t now_ns = sim_queue_now(g->queue);
	uint64_t lost_ns = v->lost_ns[cause];

	if (v->holds && first_cause(v->holds) == cause && now_ns > v->since_ns)
		lost_ns += now_ns - v->since_ns;
	if (v->delay_cause == cause && now_ns < v->base_now_ns)
		lost_ns -= v->base_now_ns - now_ns;	/* a delay that is not over */
	return lost_ns;
}

void sim_guest_stats(const struct sim_guest *g, struct sim_guest_stats *out)
{
	*out = g->stats;
}

struct sim_guest *sim_guest_create(struct sim_queue *queue, const struct sim_workload *workload,
				   uint32_t nvcpus, const struct sim_guest_ops *ops, void *ctx)
{
	struct sim_guest *g = sim_alloc(1, sizeof(*g), "guest");
	uint32_t i;

	assert(nvcpus >= 1 && nvcpus < SIM_GUEST_PRIO_OTHERS);
	g->queue = queue;
	g->ops = ops;
	g->ctx = ctx;
	g->epoch_ns = sim_workload_epoch_ns(workload);
	g->nvcpus = nvcpus;
	g->vcpus = sim_alloc(nvcpus, sizeof(*g->vcpus), "vCPUs");
	for (i = 0; i < nvcpus; i++) {
		struct vcpu *v = &g->vcpus[i];

		v->guest = g;
		v->number = i;
		v->pos = 0;
		sim_replay_init(v, workload);
	}
	return g;
}

void sim_guest_destroy(struct sim_guest *g)
{
	uint32_t i;

	if (!g)
		return;
	for (i = 0; i < g->nvcpus; i++) {
		if (g->vcpus[i].event)
			(void)sim_queue_cancel(g->queue, g->vcpus[i].event);
		sim_replay_fini(&g->vcpus[i]);
	}
	free(g->vcpus);
	free(g);
}

void sim_guest_start(struct sim_guest *g)
{
	uint32_t i;

	for (i = 0; i < g->nvcpus; i++) {
		sim_replay_next_epoch(&g->vcpus[i]);
		sim_vcpu_arm(&g->vcpus[i], sim_queue_now(g->queue));
	}
}
