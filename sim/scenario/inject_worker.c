// SPDX-License-Identifier: BSD-2-Clause
/*
 * inject_worker.c - what interrupt context cannot do: a thread a CPU, which walks the tables.
 *
 * As KVM's irqfd does it: an event has one work item. It is queued on the CPU on which its
 * interrupt came, and while it is queued further interrupts of the event are covered by it. The
 * CPU's worker is woken if it sleeps, runs as soon as no interrupt is left and the vCPU's thread
 * can be switched away, and takes items until there are none: then it switches back. An item that
 * has been taken can be queued again.
 *
 * Walking takes the ITS's mutex, under which commands are executed too, so that what was walked is
 * true until it is injected. `weir` walks without it (host.walk_locked) under a lease: tables may
 * change meanwhile, and then the fill is refused and the walk is done again.
 *
 * Those who want the mutex get it in the order in which they asked, and spin: its holder is never
 * switched away.
 */
#include "sim/scenario/inject_internal.h"

#define SAMPLES 64u	/* residency is looked at so many times while a cache fills */

static void next(struct inject_cpu *cpu);

void inject_mutex_take(struct inject_cpu *cpu, enum inject_level level, inject_step *then)
{
	struct inject_mutex *mutex = &cpu->in->mutex;
	uint32_t last;

	if (!mutex->taken) {
		mutex->taken = true;
		inject_piece(cpu, level, INJECT_LOCK, 0, then);
		return;
	}
	inject_piece(cpu, level, INJECT_LOCK, UINT64_MAX, then);
	sim_assert(mutex->n < mutex->room);
	last = (mutex->first + mutex->n++) % mutex->room;
	mutex->waiters[last].cpu = cpu;
	mutex->waiters[last].level = level;
}

/* The next in line has it, once its CPU gets round to noticing. */
void inject_mutex_give(struct inject *in)
{
	struct inject_mutex *mutex = &in->mutex;
	struct inject_cpu *cpu;
	enum inject_level level;

	if (!mutex->n) {
		mutex->taken = false;
		return;
	}
	cpu = mutex->waiters[mutex->first].cpu;
	level = mutex->waiters[mutex->first].level;
	mutex->first = (mutex->first + 1) % mutex->room;
	mutex->n--;
	inject_piece(cpu, level, INJECT_LOCK, 0, cpu->pieces[level].then);
	inject_go(cpu);
}

void inject_worker_queue(struct inject_cpu *cpu, uint32_t event, uint64_t raised_ns)
{
	struct inject *in = cpu->in;
	struct inject_event *e = &in->events[event];

	if (e->queued) {
		in->counts.coalesced++;
		in->counts.merged++;
		inject_note(in, INJECT_EV_MERGED, cpu->index, event, 0);
		inject_replay_translated(in);
		return;
	}
	inject_note(in, INJECT_EV_QUEUED, cpu->index, event, 0);
	cpu->items[(cpu->first_item + cpu->nitems++) % in->nevents] = event;
	e->queued = true;
	e->raised_ns = raised_ns;
	cpu->awake = true;
}

static void rest(struct inject_cpu *cpu)
{
	cpu->awake = cpu->nitems > 0;
}

static void switch_thread(struct inject_cpu *cpu, enum inject_event_kind kind,
			  inject_step *then)
{
	cpu->in->counts.worker_switches++;
	inject_note(cpu->in, kind, cpu->index, 0, 0);
	inject_piece(cpu, LEVEL_WORKER, INJECT_SWITCH, cpu->in->cfg->cost.switch_ns, then);
}

void inject_worker_start(struct inject_cpu *cpu)
{
	switch_thread(cpu, INJECT_EV_WORKER, next);
}

static bool is_locked(const struct inject *in)
{
	return in->cfg->kind != SIM_ITS_WEIR || in->cfg->walk_locked;
}

static void sample_residency(struct inject *in)
{
	uint64_t capacity = sim_its_design_capacity(in->m.design);
	struct sim_its_design_stats stats;

	sim_its_check_residency(&in->m.check, &in->m.residency, in->m.design);
	if (in->counts.walks % (capacity / SAMPLES + 1) == 0)
		sim_its_design_stats(in->m.design, &stats);
}

static void walk(struct inject_cpu *cpu);

/* Without the mutex: is what was walked still true? break.stale_fill does not ask. */
static bool still_true(struct inject_cpu *cpu)
{
	struct inject *in = cpu->in;
	const struct inject_event *event = &in->events[cpu->item];

	if (cpu->code != SIM_ITS_OK)
		return in->m.changes == cpu->walk_changes;
	if (in->cfg->broken.stale_fill)
		sim_its_design_lease(in->m.design, event->device_id, event->event_id, &cpu->lease);
	return sim_its_design_fill(in->m.design, &cpu->lease, &cpu->walked);
}

static void inject(struct inject_cpu *cpu)
{
	struct inject *in = cpu->in;
	struct inject_event *event = &in->events[cpu->item];

	if (!is_locked(in) && !still_true(cpu)) {
		in->counts.rewalks++;
		inject_note(in, INJECT_EV_AGAIN, cpu->index, cpu->item, 1);
		walk(cpu);
		return;
	}
	inject_note(in, INJECT_EV_WALK, cpu->index, cpu->item, cpu->code);
	inject_arrived(in, event, cpu->item_raised_ns, cpu->code, &cpu->walked);
	if (is_locked(in))
		inject_mutex_give(in);
	sample_residency(in);
	next(cpu);
}

static void walk(struct inject_cpu *cpu)
{
	struct inject *in = cpu->in;
	const struct inject_cost *cost = &in->cfg->cost;
	const struct inject_event *event = &in->events[cpu->item];
	const struct sim_its_work *work = sim_its_design_work(in->m.design);
	uint64_t wait_ns = 0, ns;

	in->counts.walks++;
	cpu->walk_changes = in->m.changes;
	if (is_locked(in)) {
		cpu->code = sim_its_design_resolve(in->m.design, in->m.its, event->device_id,
						   event->event_id, &cpu->walked);
		/* The tree has no bound; what it drops is replaced by the same. */
		if (sim_its_design_capacity(in->m.design) != UINT64_MAX)
			in->counts.evictions += work->dropped;
		ns = inject_resolve_ns(in, work, &wait_ns);
	} else {
		sim_its_design_lease(in->m.design, event->device_id, event->event_id, &cpu->lease);
		cpu->code = sim_its_translate(in->m.its, event->device_id, event->event_id,
					      &cpu->walked);
		ns = cost->doorbell_ns + 3 * cost->table_ns + cost->fill_ns;
	}
	inject_piece_after(cpu, LEVEL_WORKER, wait_ns, INJECT_WORKER, ns + cost->inject_ns, inject);
}

/* The next item, or back to where the worker came from, or to the thread whose turn it is now. */
static void next(struct inject_cpu *cpu)
{
	struct inject *in = cpu->in;

	if (!cpu->nitems && inject_sched_due(cpu)) {
		rest(cpu);
		return;
	}
	if (!cpu->nitems) {
		switch_thread(cpu, INJECT_EV_WORKER_DONE, rest);
		return;
	}
	cpu->item = cpu->items[cpu->first_item];
	cpu->first_item = (cpu->first_item + 1) % in->nevents;
	cpu->nitems--;
	in->events[cpu->item].queued = false;
	cpu->item_raised_ns = in->events[cpu->item].raised_ns;
	if (is_locked(in))
		inject_mutex_take(cpu, LEVEL_WORKER, walk);
	else
		walk(cpu);
}
