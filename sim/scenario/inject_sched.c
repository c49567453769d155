// SPDX-License-Identifier: BSD-2-Clause
/*
 * inject_sched.c - threads that share a CPU: vCPUs' threads, where there are more than CPUs; busy
 * threads of the host, which always want to run; and what a host does besides, a thread a CPU that
 * wakes from time to time. Workers are not among them: they run as soon as they are woken.
 *
 * As Linux's fair scheduler does it, with equal weights. Each thread has the time that it had of
 * the CPU, interrupts included. Who has had least is next. One that slept comes back with what
 * nobody is behind, less half of sched.latency_ns, and takes the CPU at once from one that has had
 * more by sched.wakeup_ns. At a tick one that has had its share of sched.latency_ns,
 * sched.granularity_ns at least, makes room for one that has not had more. A vCPU that wakes while
 * another thread has its CPU goes to one with nothing to do, if there is one; the host's threads
 * stay.
 *
 * A vCPU in its guest is interrupted first. One that has taken a lock is not switched away, nor one
 * that executes commands. One that polls in WFI stops as soon as another thread is ready.
 */
#include "sim/scenario/inject_internal.h"

#include <stdlib.h>

#define SECOND_NS UINT64_C(1000000000)

static void link(struct inject_cpu *cpu, struct inject_thread *thread)
{
	thread->cpu = cpu;
	thread->next = cpu->threads;
	cpu->threads = thread;
	if (!thread->vcpu)
		return;
	thread->vcpu->cpu = cpu;
	cpu->nvcpus++;
}

static struct inject_thread *add(struct inject *in, uint32_t c, struct inject_vcpu *vcpu,
				 bool busy)
{
	struct inject_thread *thread = &in->threads[in->nthreads];

	*thread = (struct inject_thread){ .index = in->nthreads++, .vcpu = vcpu, .busy = busy };
	link(&in->cpus[c], thread);
	if (!vcpu && !busy)
		return thread;
	thread->state = THREAD_READY;
	thread->cpu->nready++;
	if (!vcpu)
		return thread;
	vcpu->thread = thread;
	thread->cpu->nvcpus_ready++;
	return thread;
}

void inject_sched_build(struct inject *in)
{
	const struct inject_config *cfg = in->cfg;

	in->threads = sim_alloc(cfg->nvcpus + cfg->busy_threads + in->nhosts,
				sizeof(*in->threads), "threads");
	for (uint32_t v = 0; v < cfg->nvcpus; v++)
		add(in, v % in->nhosts, &in->vcpus[v], false);
	for (uint32_t t = 0; t < cfg->busy_threads; t++)
		add(in, t % in->nhosts, NULL, true);
	for (uint32_t c = 0; c < in->nhosts && cfg->wakeups_per_s; c++)
		in->cpus[c].house = add(in, c, NULL, false);
}

void inject_sched_down(struct inject *in)
{
	free(in->threads);
}

static void house_wakes(void *ctx, uint64_t arg)
{
	struct inject *in = ctx;
	struct inject_cpu *cpu = &in->cpus[arg];

	if (in->quiet)
		return;
	if (cpu->house->state == THREAD_ASLEEP)
		inject_sched_wake(cpu->house);
	(void)sim_queue_post(in->queue, inject_now(in) + SECOND_NS / in->cfg->wakeups_per_s, 0,
			     house_wakes, in, arg);
}

/* Of equals the one with the lower number. */
static struct inject_thread *least(const struct inject_cpu *cpu, enum inject_thread_state state)
{
	struct inject_thread *found = NULL;

	for (struct inject_thread *t = cpu->threads; t; t = t->next)
		if (t->state == state &&
		    (!found || t->run_ns < found->run_ns ||
		     (t->run_ns == found->run_ns && t->index < found->index)))
			found = t;
	return found;
}

/* Nobody is behind this, or he came back with a credit. */
static void move_least(struct inject_cpu *cpu)
{
	const struct inject_thread *ready = least(cpu, THREAD_READY);
	uint64_t run_ns = cpu->current ? cpu->current->run_ns : UINT64_MAX;

	if (ready && ready->run_ns < run_ns)
		run_ns = ready->run_ns;
	if (run_ns != UINT64_MAX && run_ns > cpu->least_ns)
		cpu->least_ns = run_ns;
}

static void goes_on(struct inject_cpu *cpu)
{
	cpu->pieces[LEVEL_THREAD] = cpu->current->thread;
}

static void ready_to_run(struct inject_cpu *cpu, struct inject_thread *thread, bool ready)
{
	thread->state = ready ? THREAD_READY : THREAD_RUNNING;
	cpu->nready += ready ? 1u : UINT32_MAX;
	if (thread->vcpu)
		cpu->nvcpus_ready += ready ? 1u : UINT32_MAX;
}

static void get(struct inject_cpu *cpu, struct inject_thread *thread)
{
	ready_to_run(cpu, thread, false);
	cpu->current = thread;
	cpu->vcpu = thread->vcpu;
	cpu->picked_ns = inject_now(cpu->in);
	cpu->resched = false;
	move_least(cpu);
	if (!thread->vcpu) {
		if (!thread->thread.then)
			thread->thread = (struct inject_piece){
				.then = inject_sched_sleep, .cause = INJECT_NCAUSES,
				.left_ns = thread->busy ? UINT64_MAX : cpu->in->cfg->wakeup_run_ns,
			};
		return;
	}
	cpu->pieces[LEVEL_GUEST] = thread->guest;
}

/* Switched to: what it does is paid for first. */
static void pick(struct inject_cpu *cpu)
{
	struct inject *in = cpu->in;
	struct inject_thread *thread = least(cpu, THREAD_READY);
	uint64_t ns = in->cfg->cost.switch_ns + (thread->woken ? in->cfg->cost.wake_ns : 0);

	get(cpu, thread);
	thread->woken = false;
	if (in->nthreads > in->nhosts)
		inject_note(in, INJECT_EV_TURN, cpu->index, thread->index, thread->run_ns);
	if (thread->vcpu)
		inject_piece(cpu, LEVEL_ENTRY, INJECT_SWITCH, ns, inject_vcpu_enter);
	else
		inject_piece(cpu, LEVEL_THREAD, INJECT_SWITCH, ns, goes_on);
}

static void tick(void *ctx, uint64_t arg);

/* When devices are quiet, vCPUs go on until they have seen what there is. */
static bool is_wanted(const struct inject_cpu *cpu)
{
	for (const struct inject_thread *t = cpu->threads; t; t = t->next)
		if (t->state == THREAD_READY && t->vcpu && t->vcpu->wanted)
			return true;
	return false;
}

static void tick_later(struct inject_cpu *cpu)
{
	cpu->tick = cpu->nready && (!cpu->in->quiet || is_wanted(cpu)) ?
		    sim_queue_post(cpu->in->queue, inject_now(cpu->in) + cpu->in->cfg->tick_ns, 0,
				   tick, cpu, 0) : 0;
}

/* The CPU is taken from whoever has it. An entry that was not complete is begun again. */
static void put_back(struct inject_cpu *cpu)
{
	struct inject_thread *thread = cpu->current;

	if (thread->vcpu) {
		thread->guest = cpu->pieces[LEVEL_GUEST];
		thread->vcpu->wanted |= thread->guest.then != NULL;
		cpu->pieces[LEVEL_GUEST].then = NULL;
		cpu->pieces[LEVEL_ENTRY].then = NULL;
	} else {
		if (cpu->pieces[LEVEL_THREAD].cause == INJECT_NCAUSES)
			thread->thread = cpu->pieces[LEVEL_THREAD];
		cpu->pieces[LEVEL_THREAD].then = NULL;
	}
	ready_to_run(cpu, thread, true);
	cpu->current = NULL;
	cpu->vcpu = NULL;
	if (!cpu->tick)
		tick_later(cpu);
}

bool inject_sched_due(const struct inject_cpu *cpu)
{
	if (!cpu->nready || (cpu->vcpu && cpu->vcpu->state != VCPU_OUT))
		return false;
	return !cpu->current ||
	       (cpu->resched && least(cpu, THREAD_READY)->run_ns <= cpu->current->run_ns);
}

void inject_sched_turn(struct inject_cpu *cpu)
{
	bool counted = !cpu->current && !cpu->idle;	/* when the one before went to sleep */

	if (!inject_sched_due(cpu))
		return;
	if (cpu->current)
		put_back(cpu);
	cpu->idle = false;
	cpu->in->counts.thread_switches += !counted;
	pick(cpu);
}

void inject_sched_sleep(struct inject_cpu *cpu)
{
	struct inject_thread *thread = cpu->current;

	inject_cpu_settle(cpu);
	thread->state = THREAD_ASLEEP;
	thread->thread.then = NULL;
	thread->guest.then = NULL;
	cpu->current = NULL;
	cpu->vcpu = NULL;
	cpu->idle = !cpu->nready;
	cpu->in->counts.thread_switches++;
}

/* A vCPU in its guest is made to leave it, and then it is another's turn. */
static void leave(void *ctx, uint64_t arg)
{
	struct inject_cpu *cpu = ctx;

	(void)arg;
	if (cpu->resched && cpu->vcpu && cpu->vcpu->state == VCPU_GUEST)
		inject_irq(cpu, NO_EVENT, 0);
}

static void preempt(struct inject_cpu *cpu, uint64_t after_ns)
{
	if (cpu->resched)
		return;
	cpu->resched = true;
	if (cpu->vcpu && cpu->vcpu->state == VCPU_GUEST)
		(void)sim_queue_post(cpu->in->queue, inject_now(cpu->in) + after_ns, 0, leave, cpu,
				     0);
}

void inject_sched_want(struct inject_vcpu *v)
{
	v->wanted = true;
	if (v->thread->state == THREAD_READY && !v->cpu->tick)
		tick_later(v->cpu);
}

static void tick(void *ctx, uint64_t arg)
{
	struct inject_cpu *cpu = ctx;
	const struct inject_config *cfg = cpu->in->cfg;
	uint64_t slice_ns = cfg->sched_latency_ns / (cpu->nready + 1);

	(void)arg;
	inject_cpu_settle(cpu);
	move_least(cpu);
	if (slice_ns < cfg->sched_granularity_ns)
		slice_ns = cfg->sched_granularity_ns;
	if (cpu->current && cpu->nready && inject_now(cpu->in) - cpu->picked_ns >= slice_ns &&
	    least(cpu, THREAD_READY)->run_ns <= cpu->current->run_ns)
		preempt(cpu, 0);
	tick_later(cpu);
	inject_go(cpu);
}

/* One with nothing to do but interrupts, the next in number. */
static struct inject_cpu *idle_cpu(const struct inject_cpu *cpu)
{
	struct inject *in = cpu->in;

	for (uint32_t i = 1; i < in->nhosts; i++) {
		struct inject_cpu *other = &in->cpus[(cpu->index + i) % in->nhosts];

		if (!other->current && !other->nready && !other->awake)
			return other;
	}
	return NULL;
}

/* What it has had counts against what those there have had. */
static void migrate(struct inject_thread *thread, struct inject_cpu *to)
{
	struct inject_cpu *from = thread->cpu;
	struct inject_thread **at = &from->threads;
	uint64_t behind_ns = from->least_ns > thread->run_ns ? from->least_ns - thread->run_ns : 0;

	inject_cpu_settle(to);
	while (*at != thread)
		at = &(*at)->next;
	*at = thread->next;
	from->nvcpus--;
	link(to, thread);
	thread->run_ns = to->least_ns > behind_ns ? to->least_ns - behind_ns : 0;
}

void inject_sched_wake(struct inject_thread *thread)
{
	const struct inject_config *cfg = thread->cpu->in->cfg;
	uint64_t credit_ns = cfg->sched_latency_ns / 2, from_ns;
	struct inject_cpu *cpu = thread->cpu, *idle;

	inject_cpu_settle(cpu);
	idle = thread->vcpu && cpu->current ? idle_cpu(cpu) : NULL;
	if (idle) {
		migrate(thread, idle);
		cpu = idle;
	}
	move_least(cpu);
	from_ns = cpu->least_ns > credit_ns ? cpu->least_ns - credit_ns : 0;
	if (thread->run_ns < from_ns)
		thread->run_ns = from_ns;
	thread->woken = true;
	ready_to_run(cpu, thread, true);
	if (cpu->vcpu && cpu->vcpu->state == VCPU_POLLING)
		inject_vcpu_stop_polling(cpu->vcpu);
	else if (cpu->current && thread->run_ns + cfg->sched_wakeup_ns < cpu->current->run_ns)
		preempt(cpu, cfg->cost.kick_ns);
	if (!cpu->tick)
		tick_later(cpu);
	inject_go(cpu);
}

/* Without a switch: it has been at it. */
static void first(struct inject_cpu *cpu)
{
	get(cpu, least(cpu, THREAD_READY));
	if (!cpu->vcpu)
		goes_on(cpu);
}

/* The first of each CPU has it. Housekeeping of CPUs takes turns. */
void inject_sched_start(struct inject *in)
{
	for (uint32_t c = 0; c < in->nhosts; c++) {
		struct inject_cpu *cpu = &in->cpus[c];
		uint64_t period_ns;

		if (cpu->nready)
			first(cpu);
		tick_later(cpu);
		if (!in->cfg->wakeups_per_s)
			continue;
		period_ns = SECOND_NS / in->cfg->wakeups_per_s;
		(void)sim_queue_post(in->queue, period_ns * (c + 1) / in->nhosts, 0, house_wakes,
				     in, c);
	}
}
