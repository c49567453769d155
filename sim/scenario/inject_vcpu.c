// SPDX-License-Identifier: BSD-2-Clause
/*
 * inject_vcpu.c - a vCPU: takes LPIs, gives commands, and waits or works in between.
 *
 * An LPI that becomes pending while the vCPU is in its guest makes it leave: it is kicked, once
 * until it has entered again, and sees at the entry all that is pending. One in the host sees it at
 * its entry anyway. In WFI the host polls for a while, if no other thread wants the CPU, and then
 * blocks the vCPU's thread; waking it is a switch.
 *
 * A command is a write of GITS_CWRITER, which leaves the guest: the host takes the ITS's mutex,
 * executes what is in the queue, and enters again.
 */
#include "sim/scenario/inject_internal.h"

#include <stdlib.h>

#define OFF_NS	20000u	/* ITS and LPIs stay off so long */
#define SPIN_NS	1000u	/* the driver looks whether they are on again */

static void next(struct inject_cpu *cpu);

void inject_vcpus_build(struct inject *in)
{
	in->vcpus = sim_alloc(in->cfg->nvcpus, sizeof(*in->vcpus), "vCPUs");
	for (uint32_t i = 0; i < in->cfg->nvcpus; i++) {
		in->vcpus[i].index = i;
		in->vcpus[i].event = NO_EVENT;
		in->vcpus[i].cpu = &in->cpus[i % in->nhosts];
	}
}

void inject_vcpus_down(struct inject *in)
{
	for (uint32_t i = 0; i < in->cfg->nvcpus && in->vcpus; i++)
		free(in->vcpus[i].tasks);
	free(in->vcpus);
}

static void blocks(void *ctx, uint64_t arg)
{
	struct inject_vcpu *v = ctx;
	struct inject *in = v->cpu->in;

	(void)arg;
	v->poll_timer = 0;
	v->state = VCPU_BLOCKED;
	inject_note(in, INJECT_EV_BLOCK, v->index, 0, 0);
	inject_sched_sleep(v->cpu);
	inject_go(v->cpu);
}

void inject_vcpu_stop_polling(struct inject_vcpu *v)
{
	(void)sim_queue_cancel(v->cpu->in->queue, v->poll_timer);
	blocks(v, 0);
}

/* After the exit that WFI is. */
static void wait(struct inject_cpu *cpu)
{
	struct inject *in = cpu->in;
	struct inject_vcpu *v = cpu->vcpu;

	if (sim_gic_line(in->m.gic, v->index) || v->ntasks) {
		v->state = VCPU_OUT;
		return;
	}
	v->state = VCPU_POLLING;
	if (cpu->nready)
		blocks(v, 0);
	else
		v->poll_timer = sim_queue_post(in->queue, inject_now(in) + in->cfg->halt_poll_ns, 0,
					       blocks, v, 0);
}

/* There is something for a vCPU in WFI. */
static void wake(struct inject_vcpu *v)
{
	struct inject_cpu *cpu = v->cpu;
	struct inject *in = cpu->in;

	if (v->state == VCPU_POLLING) {
		(void)sim_queue_cancel(in->queue, v->poll_timer);
		v->state = VCPU_OUT;
		inject_go(cpu);
		return;
	}
	v->state = VCPU_OUT;
	v->wanted = true;
	inject_note(in, INJECT_EV_RESUME, v->index, 0, 0);
	inject_sched_wake(v->thread);
}

static void kick_arrives(void *ctx, uint64_t arg)
{
	struct inject_vcpu *v = ctx;

	(void)arg;
	if (v->state == VCPU_GUEST && v->kicked)
		inject_irq(v->cpu, NO_EVENT, 0);
}

void inject_vcpu_notify(struct inject *in, uint32_t vcpu)
{
	struct inject_vcpu *v = &in->vcpus[vcpu];

	switch (v->state) {
	case VCPU_OUT:
		inject_sched_want(v);
		break;
	case VCPU_GUEST:
		if (v->kicked)
			break;
		v->kicked = true;
		in->counts.kicks++;
		inject_note(in, INJECT_EV_KICK, vcpu, 0, 0);
		(void)sim_queue_post(in->queue, inject_now(in) + in->cfg->cost.kick_ns, 0,
				     kick_arrives, v, 0);
		break;
	case VCPU_POLLING:
	case VCPU_BLOCKED:
		wake(v);
		break;
	}
}

static void is_in(struct inject_cpu *cpu)
{
	struct inject_vcpu *v = cpu->vcpu;

	inject_sync(cpu->in, v->index);
	v->state = VCPU_GUEST;
	v->kicked = false;
	v->wanted = false;
	if (!inject_doing(cpu, LEVEL_GUEST))
		next(cpu);
}

void inject_vcpu_enter(struct inject_cpu *cpu)
{
	inject_piece(cpu, LEVEL_ENTRY, INJECT_EXIT, cpu->in->cfg->cost.entry_ns, is_in);
}

static void ends(struct inject_cpu *cpu)
{
	struct inject *in = cpu->in;
	struct inject_vcpu *v = cpu->vcpu;

	inject_end_of(in, v->index);
	in->counts.ios += v->handling;
	if (in->devices[in->events[v->event].device].kind == INJECT_SECOND)
		in->counts.second_ios += v->handling;
	inject_ended(in, v->event, v->handling);
	v->event = NO_EVENT;
	next(cpu);
}

/* The guest's handler has acknowledged its LPI. */
static void handle(struct inject_cpu *cpu, uint32_t intid)
{
	struct inject *in = cpu->in;
	const struct inject_cost *cost = &in->cfg->cost;
	struct inject_vcpu *v = cpu->vcpu;
	uint32_t index = in->event_of_lpi[intid - SIM_GIC_LPI_FIRST];
	struct inject_event *event = &in->events[index];
	uint64_t latency_ns = inject_now(in) - event->pending_ns;

	in->counts.lpis++;
	in->counts.commanded += !event->pending;
	inject_note(in, INJECT_EV_TAKE, v->index, intid, event->pending ? latency_ns : 0);
	if (in->measuring && event->pending)
		sim_hist_add(in->latency, latency_ns);
	if (in->measuring && in->series)
		sim_series_dirty(in->series, inject_now(in) - in->begin_ns, index, 1);
	event->pending = false;
	v->event = index;
	v->handling = event->done;
	event->done = 0;
	inject_piece(cpu, LEVEL_GUEST, INJECT_HANDLER, cost->handler_ns + v->handling * cost->io_ns,
		     ends);
}

static void take(struct inject_cpu *cpu)
{
	struct inject *in = cpu->in;
	uint32_t intid = inject_take(in, cpu->vcpu->index);

	if (intid != SIM_GIC_SPURIOUS && in->event_of_lpi[intid - SIM_GIC_LPI_FIRST] != NO_EVENT)
		handle(cpu, intid);
	else
		next(cpu);
}

static void is_executed(struct inject_cpu *cpu)
{
	struct inject_vcpu *v = cpu->vcpu;
	struct inject_task task = v->tasks[v->first_task];

	inject_mutex_give(cpu->in);
	v->first_task = (v->first_task + 1) % v->tasks_room;
	v->ntasks--;
	inject_guest_done(cpu->in, &task);
}

static void on(struct inject_cpu *cpu)
{
	cpu->in->off = false;
	inject_power(cpu->in, true);
	inject_piece(cpu, LEVEL_HOST, INJECT_COMMAND, 0, is_executed);
}

static void was_off(struct inject_cpu *cpu)
{
	inject_mutex_take(cpu, LEVEL_HOST, on);
}

static void off(struct inject_cpu *cpu)
{
	inject_mutex_give(cpu->in);
	inject_piece(cpu, LEVEL_HOST, INJECT_COMMAND, OFF_NS, was_off);
}

static void execute(struct inject_cpu *cpu)
{
	struct inject *in = cpu->in;
	struct inject_vcpu *v = cpu->vcpu;

	if (v->tasks[v->first_task].kind == TASK_RESET) {
		in->off = true;
		inject_power(in, false);
		inject_guest_off(in);
		inject_piece(cpu, LEVEL_HOST, INJECT_COMMAND, (in->m.forget_ps + 999) / 1000, off);
		return;
	}
	inject_ring(in);
	inject_piece(cpu, LEVEL_HOST, INJECT_COMMAND, (in->m.forget_ps + 999) / 1000, is_executed);
}

static void left(struct inject_cpu *cpu);

/* The mutex is taken: write the commands down, and pay for them. */
static void trap(struct inject_cpu *cpu)
{
	struct inject *in = cpu->in;
	struct inject_vcpu *v = cpu->vcpu;
	uint64_t before = in->m.written;

	if (in->off) {	/* since it was asked for */
		inject_mutex_give(in);
		left(cpu);
		return;
	}
	in->m.forget_ps = 0;
	inject_guest_write(in, &v->tasks[v->first_task]);
	inject_piece(cpu, LEVEL_HOST, INJECT_COMMAND,
		     (in->m.written - before) * in->cfg->cost.command_ns, execute);
}

/* Commands are not executed while the ITS is off; the guest's driver waits. */
static void left(struct inject_cpu *cpu)
{
	if (cpu->in->off)
		inject_piece(cpu, LEVEL_HOST, INJECT_COMMAND, SPIN_NS, left);
	else
		inject_mutex_take(cpu, LEVEL_HOST, trap);
}

/* In the guest, with no handler at work. What it was kicked for it sees when it is back. */
static void next(struct inject_cpu *cpu)
{
	struct inject *in = cpu->in;
	struct inject_vcpu *v = cpu->vcpu;

	if (v->kicked)
		return;
	if (sim_gic_line(in->m.gic, v->index)) {
		inject_piece(cpu, LEVEL_GUEST, INJECT_HANDLER, in->cfg->cost.vector_ns, take);
	} else if (v->ntasks) {
		v->state = VCPU_OUT;
		inject_piece(cpu, LEVEL_HOST, INJECT_COMMAND, in->cfg->cost.exit_ns, left);
	} else if (!in->cfg->busy) {
		v->state = VCPU_OUT;
		inject_piece(cpu, LEVEL_HOST, INJECT_EXIT, in->cfg->cost.exit_ns, wait);
	}
}

void inject_vcpu_task(struct inject *in, uint32_t vcpu, enum inject_task_kind kind,
		      uint32_t subject, uint32_t to)
{
	struct inject_vcpu *v = &in->vcpus[vcpu];

	if (v->ntasks == v->tasks_room) {
		uint32_t room = v->tasks_room ? 2 * v->tasks_room : 8;
		struct inject_task *tasks = sim_alloc(room, sizeof(*tasks), "tasks");

		for (uint32_t i = 0; i < v->ntasks; i++)
			tasks[i] = v->tasks[(v->first_task + i) % v->tasks_room];
		free(v->tasks);
		v->tasks = tasks;
		v->first_task = 0;
		v->tasks_room = room;
	}
	v->tasks[(v->first_task + v->ntasks++) % v->tasks_room] =
		(struct inject_task){ .kind = kind, .subject = subject, .vcpu = to };
	if (v->state == VCPU_POLLING || v->state == VCPU_BLOCKED) {
		wake(v);
	} else if (v->state == VCPU_GUEST && !inject_doing(v->cpu, LEVEL_GUEST) &&
		   !v->cpu->stepping) {
		next(v->cpu);
		inject_go(v->cpu);
	} else if (v->state == VCPU_OUT) {
		inject_sched_want(v);
	}
}
