// SPDX-License-Identifier: BSD-2-Clause
/*
 * inject_cpu.c - a CPU of the host: one piece of work at each level, the most urgent one runs.
 *
 * A piece that is put aside keeps what it has left. When nothing runs the vCPU, if there is one,
 * is in its guest's program or in WFI, and nothing is charged.
 */
#include "sim/scenario/inject_internal.h"

#include <stdlib.h>

static void on_timer(void *ctx, uint64_t arg);

void inject_cpus_build(struct inject *in)
{
	in->nhosts = in->cfg->host_cpus;
	in->ncpus = in->nhosts + in->cfg->irq_cpus;
	in->cpus = sim_alloc(in->ncpus, sizeof(*in->cpus), "CPUs");
	for (uint32_t i = 0; i < in->ncpus; i++) {
		struct inject_cpu *cpu = &in->cpus[i];

		cpu->in = in;
		cpu->index = i;
		cpu->level = LEVELS;
		cpu->items = sim_alloc(in->nevents + 1, sizeof(*cpu->items), "work items");
	}
	in->mutex.room = 2 * in->ncpus;
	in->mutex.waiters = sim_alloc(in->mutex.room, sizeof(*in->mutex.waiters), "a mutex");
}

void inject_cpus_down(struct inject *in)
{
	for (uint32_t i = 0; i < in->ncpus && in->cpus; i++) {
		free(in->cpus[i].irqs);
		free(in->cpus[i].items);
	}
	free(in->cpus);
	free(in->mutex.waiters);
}

/* Time of a vCPU's CPU, from @t0_ns to @t1_ns, that its guest's program did not have. */
static void charge(struct inject_cpu *cpu, enum inject_cause cause, uint64_t t0_ns, uint64_t t1_ns)
{
	struct inject *in = cpu->in;

	if (cpu->level == LEVEL_WORKER && cause != INJECT_SWITCH)
		in->counts.worker_ns += t1_ns - t0_ns;
	if (cpu->level == LEVEL_THREAD && cause == INJECT_NCAUSES && cpu->current->busy)
		in->counts.busy_ns += t1_ns - t0_ns;
	if (cause == INJECT_NCAUSES || cpu->nvcpus == cpu->nvcpus_ready || t1_ns == t0_ns)
		return;
	in->counts.lost_ns[cause] += t1_ns - t0_ns;
	if (in->series && in->measuring)
		sim_series_lost(in->series, cause, t0_ns - in->begin_ns, t1_ns - in->begin_ns,
				t1_ns - t0_ns);
}

/* And all of it, of vCPUs that are ready while another thread has the CPU. */
static void charge_ready(struct inject_cpu *cpu, uint64_t t0_ns, uint64_t t1_ns)
{
	struct inject *in = cpu->in;
	uint64_t ns = (t1_ns - t0_ns) * cpu->nvcpus_ready;

	if (!ns)
		return;
	in->counts.lost_ns[INJECT_READY] += ns;
	if (in->series && in->measuring)
		sim_series_lost(in->series, INJECT_READY, t0_ns - in->begin_ns,
				t1_ns - in->begin_ns, ns);
}

void inject_cpu_settle(struct inject_cpu *cpu)
{
	uint64_t t0_ns = cpu->since_ns, now = inject_now(cpu->in), waited_ns = now - t0_ns;
	struct inject_piece *piece;

	cpu->since_ns = now;
	charge_ready(cpu, t0_ns, now);
	if (cpu->current && cpu->level != LEVEL_WORKER)
		cpu->current->run_ns += now - t0_ns;
	if (cpu->level == LEVELS)
		return;
	piece = &cpu->pieces[cpu->level];
	if (waited_ns > piece->wait_ns)
		waited_ns = piece->wait_ns;
	charge(cpu, INJECT_LOCK, t0_ns, t0_ns + waited_ns);
	charge(cpu, piece->cause, t0_ns + waited_ns, now);
	if (piece->left_ns == UINT64_MAX)
		return;
	piece->wait_ns -= waited_ns;
	piece->left_ns -= now - t0_ns;
}

void inject_cpus_settle(struct inject *in)
{
	for (uint32_t i = 0; i < in->ncpus; i++)
		inject_cpu_settle(&in->cpus[i]);
}

void inject_piece_after(struct inject_cpu *cpu, enum inject_level level, uint64_t wait_ns,
			enum inject_cause cause, uint64_t ns, inject_step *then)
{
	if (cpu->level == level)
		inject_cpu_settle(cpu);
	cpu->pieces[level] = (struct inject_piece){
		.then = then, .left_ns = ns == UINT64_MAX ? ns : wait_ns + ns, .wait_ns = wait_ns,
		.cause = cause,
	};
}

void inject_piece(struct inject_cpu *cpu, enum inject_level level, enum inject_cause cause,
		  uint64_t ns, inject_step *then)
{
	inject_piece_after(cpu, level, 0, cause, ns, then);
}

/* The most urgent level with something to do. Worker, turn and entry begin when it is time. */
static enum inject_level choose(struct inject_cpu *cpu)
{
	if (inject_doing(cpu, LEVEL_IRQ))
		return LEVEL_IRQ;
	if (inject_doing(cpu, LEVEL_HOST))
		return LEVEL_HOST;
	if (!inject_doing(cpu, LEVEL_WORKER) && cpu->awake)
		inject_worker_start(cpu);
	if (inject_doing(cpu, LEVEL_WORKER))
		return LEVEL_WORKER;
	inject_sched_turn(cpu);
	if (!inject_doing(cpu, LEVEL_ENTRY) && cpu->vcpu && cpu->vcpu->state == VCPU_OUT)
		inject_vcpu_enter(cpu);
	if (inject_doing(cpu, LEVEL_ENTRY))
		return LEVEL_ENTRY;
	if (inject_doing(cpu, LEVEL_GUEST))
		return LEVEL_GUEST;
	return inject_doing(cpu, LEVEL_THREAD) ? LEVEL_THREAD : LEVELS;
}

void inject_go(struct inject_cpu *cpu)
{
	struct inject *in = cpu->in;

	if (cpu->stepping)
		return;
	inject_cpu_settle(cpu);
	(void)sim_queue_cancel(in->queue, cpu->timer);
	cpu->timer = 0;
	cpu->level = choose(cpu);
	if (cpu->level != LEVELS && cpu->pieces[cpu->level].left_ns != UINT64_MAX)
		cpu->timer = sim_queue_post(in->queue,
					    cpu->since_ns + cpu->pieces[cpu->level].left_ns, 0,
					    on_timer, cpu, 0);
}

/* What runs is done. */
static void on_timer(void *ctx, uint64_t arg)
{
	struct inject_cpu *cpu = ctx;
	inject_step *then;

	(void)arg;
	inject_cpu_settle(cpu);
	then = cpu->pieces[cpu->level].then;
	cpu->pieces[cpu->level].then = NULL;
	cpu->level = LEVELS;
	cpu->stepping = true;
	then(cpu);
	cpu->stepping = false;
	inject_go(cpu);
}
