// SPDX-License-Identifier: BSD-2-Clause
/*
 * inject_irq.c - interrupt context of a CPU: the host's handler, the look-up, and either the
 * injection or a work item for the worker. A kick, by which a vCPU is made to leave its guest, is
 * an interrupt with nothing to do.
 *
 * Interrupts of a CPU are served in the order in which they come. The first one that finds the
 * guest running pays the exit; the way back is paid when nothing else is left to do.
 */
#include "sim/scenario/inject_internal.h"

#include <stdlib.h>

static void next(struct inject_cpu *cpu);

void inject_raise(struct inject *in, uint32_t event)
{
	struct inject_event *e = &in->events[event];

	in->counts.msis++;
	inject_note(in, INJECT_EV_MSI, e->cpu, e->device_id, e->event_id);
	inject_irq(&in->cpus[e->cpu], event, inject_now(in));
}

static void push(struct inject_cpu *cpu, uint32_t event, uint64_t raised_ns)
{
	if (cpu->nirqs == cpu->irqs_room) {
		uint32_t room = cpu->irqs_room ? 2 * cpu->irqs_room : 16;
		struct inject_irq *irqs = sim_alloc(room, sizeof(*irqs), "interrupts");

		for (uint32_t i = 0; i < cpu->nirqs; i++)
			irqs[i] = cpu->irqs[(cpu->first_irq + i) % cpu->irqs_room];
		free(cpu->irqs);
		cpu->irqs = irqs;
		cpu->first_irq = 0;
		cpu->irqs_room = room;
	}
	cpu->irqs[(cpu->first_irq + cpu->nirqs++) % cpu->irqs_room] =
		(struct inject_irq){ .event = event, .raised_ns = raised_ns };
}

static struct inject_irq pop(struct inject_cpu *cpu)
{
	struct inject_irq irq = cpu->irqs[cpu->first_irq];

	cpu->first_irq = (cpu->first_irq + 1) % cpu->irqs_room;
	cpu->nirqs--;
	return irq;
}

void inject_irq(struct inject_cpu *cpu, uint32_t event, uint64_t raised_ns)
{
	bool first = !cpu->nirqs && !inject_doing(cpu, LEVEL_IRQ);

	push(cpu, event, raised_ns);
	if (!first)
		return;
	if (cpu->vcpu && cpu->vcpu->state == VCPU_GUEST) {
		cpu->vcpu->state = VCPU_OUT;
		inject_piece(cpu, LEVEL_IRQ, INJECT_EXIT, cpu->in->cfg->cost.exit_ns, next);
	} else {
		next(cpu);
	}
	inject_go(cpu);
}

void inject_arrived(struct inject *in, struct inject_event *event, uint64_t raised_ns,
		    enum sim_its_code code, const struct sim_its_route *route)
{
	enum inject_arrival arrival = inject_deliver(in, event, code, route);
	uint32_t index;

	event->warm = code == SIM_ITS_OK;
	in->counts.refused += arrival == ARRIVAL_REFUSED;
	in->counts.coalesced += arrival == ARRIVAL_COALESCED;
	if (arrival == ARRIVAL_PENDING) {
		index = in->event_of_lpi[route->intid - SIM_GIC_LPI_FIRST];
		if (index != NO_EVENT) {
			event = &in->events[index];
			in->counts.discarded += event->pending && event->cut;
			event->pending = true;
			event->cut = false;
			event->pending_ns = raised_ns;
		}
	}
	if (arrival != ARRIVAL_REFUSED)
		inject_vcpu_notify(in, route->pe);
	inject_replay_translated(in);
}

static void look(struct inject_cpu *cpu);

/* The look-up has been paid for, and the injection, or the wake-up. */
static void paid(struct inject_cpu *cpu)
{
	struct inject *in = cpu->in;
	uint32_t index = cpu->irqs[cpu->first_irq].event;
	struct inject_event *event = &in->events[index];
	struct inject_irq irq;

	if (cpu->hit && cpu->changes != in->m.changes) {
		in->counts.again++;
		inject_note(in, INJECT_EV_AGAIN, cpu->index, index, 0);
		look(cpu);
		return;
	}
	irq = pop(cpu);
	in->counts.lookups++;
	in->counts.hits += cpu->hit;
	in->counts.warm_lookups += event->warm;
	in->counts.warm_hits += event->warm && cpu->hit;
	if (cpu->hit) {
		inject_note(in, INJECT_EV_HIT, cpu->index, index, cpu->route.intid);
		inject_arrived(in, event, irq.raised_ns, SIM_ITS_OK, &cpu->route);
	} else {
		inject_worker_queue(cpu, index, irq.raised_ns);
	}
	next(cpu);
}

static void look(struct inject_cpu *cpu)
{
	struct inject *in = cpu->in;
	const struct inject_event *event = &in->events[cpu->irqs[cpu->first_irq].event];
	const struct inject_cost *cost = &in->cfg->cost;
	uint64_t wait_ns, ns;

	cpu->changes = in->m.changes;
	cpu->hit = sim_its_design_lookup(in->m.design, in->m.its, event->device_id,
					 event->event_id, &cpu->route);
	ns = inject_lookup_ns(in, sim_its_design_work(in->m.design), &wait_ns);
	ns += cpu->hit ? cost->inject_ns : cpu->awake ? 0 : cost->wake_ns;
	inject_piece_after(cpu, LEVEL_IRQ, wait_ns, INJECT_IRQ, ns, paid);
}

static void next(struct inject_cpu *cpu)
{
	while (cpu->nirqs && cpu->irqs[cpu->first_irq].event == NO_EVENT)
		(void)pop(cpu);
	if (cpu->nirqs)
		inject_piece(cpu, LEVEL_IRQ, INJECT_IRQ, cpu->in->cfg->cost.irq_ns, look);
}
