// SPDX-License-Identifier: BSD-2-Clause
/*
 * stress.c - the threads of vgic_lpi_stress, their locks and their lines. See stress.h.
 *
 * An actor is a thread, or the vCPU that moves interrupts. It goes through steps; each step does
 * what it has to do now, and says when the next one is.
 */
#include "sim/scenario/experiments/stress.h"

#include <stdlib.h>

#include "sim/engine/queue.h"
#include "sim/scenario/experiments/stress_machine.h"

#define U64 SIM_PARAM_U64_ENTRY

#define WALK_TABLES 3u /* device, event, collection */
#define NOBODY	    UINT32_MAX

#define PRICE(name, unit, def, source, what) \
	U64("stress." name, unit, def, 0, 1000000000, source, what)

const struct sim_param stress_params[STRESS_NPARAMS] = {
	PRICE("call_ns", "ns", "423", "fit: -v1 -d1 -e1, before",
	      "KVM_SIGNAL_MSI without what follows: the call, the LPI's lock and bits"),
	PRICE("bus_ns", "ns", "291", "fit: -v1 -d1 -e1, after",
	      "SRCU, and the ITS found on the bus"),
	PRICE("doorbell_ns", "ns", "5", "assumed: one compare, with the VM's one ITS",
	      "the ITS found by its doorbell"),
	PRICE("lock_ns", "ns", "20", "assumed: two atomics, interrupts off and on",
	      "a lock that nobody else wants"),
	PRICE("handoff_ns", "ns", "595", "fit: -v16 -d16 -e16, before",
	      "a lock, and what it guards, that another CPU had last"),
	PRICE("line_ns", "ns", "96", "fit: -v16 -d16 -e16, after",
	      "an atomic change of a line that another CPU had last"),
	PRICE("ref_ns", "ns", "5", "weir-bench: a reference taken and given up, 6.7 to 11 ns",
	      "an atomic change of a line that the CPU has"),
	PRICE("scan_ps", "ps", "1550",
	      "weir-bench: xlate/hit/kvm2019, (809.1 - 63.5) ns for 480 entries",
	      "an entry of the list that is looked at"),
	PRICE("node_ns", "ns", "2", "weir-bench: xlate/hit/radix_rcu, two nodes in 3.8 ns",
	      "a node of the tree"),
	PRICE("table_ns", "ns", "20", "assumed: two cache misses, overlapped",
	      "a table entry in a walk"),
	PRICE("hit_ns", "ns", "3", "weir-bench: xlate/hit, called: 2.2 ns", "a hit in xlate"),
	PRICE("fill_ns", "ns", "60", "weir-bench: xlate/fill", "a fill of xlate"),
	PRICE("generation_ns", "ns", "10", "weir-bench: xlate/invalidate_*",
	      "an invalidation of xlate"),
	PRICE("command_ns", "ns", "500", "assumed", "a command, but for what it makes forget"),
};

struct prices {
	uint64_t call, bus, doorbell, lock, handoff, line, ref, scan_ps, node, table, hit, fill;
	uint64_t generation, command;
};

struct line {
	uint64_t free_ns;
	uint32_t owner;
};

struct actor {
	struct stress *s;
	void (*next)(struct actor *a);
	uint32_t id; /* the device's; of the vCPU: their number */
	uint32_t event;
	uint64_t left;
	uint64_t asked_ns;
	struct sim_its_route route;
	bool hit;
	bool holds_ref;
};

struct lock {
	bool held;
	uint32_t last;
	uint32_t first, nwaiting;
	struct actor *waiting[STRESS_DEVICES_MAX + 1];
};

struct stress {
	struct stress_setup setup;
	struct prices price;
	struct sim_queue *queue;
	struct stress_machine m;
	struct sim_its_design *design;
	struct sim_its_work forgot; /* what the last command cost */
	struct lock list, its;
	struct line *lpi_lines; /* the reference of each LPI */
	struct line *pe_lines;
	struct actor actors[STRESS_DEVICES_MAX + 1];
	uint32_t running;
	uint32_t cold; /* threads that have not made their warm-up yet */
	uint64_t begin_ns;
	uint64_t movi_due_ns;
	struct stress_result result;
};

static uint64_t now(const struct actor *a)
{
	return sim_queue_now(a->s->queue);
}

static void step(void *ctx, uint64_t arg)
{
	struct actor *a = ctx;

	(void)arg;
	a->next(a);
}

static void after(struct actor *a, uint64_t ns, void (*next)(struct actor *a))
{
	a->next = next;
	sim_queue_post(a->s->queue, now(a) + ns, 0, step, a, 0);
}

static void grant(struct lock *lock, struct actor *a)
{
	const struct prices *price = &a->s->price;
	uint64_t ns = price->lock;

	if (lock->last != a->id && lock->last != NOBODY)
		ns += price->handoff;
	lock->held = true;
	lock->last = a->id;
	a->s->result.lock_ns += now(a) + ns - a->asked_ns;
	after(a, ns, a->next);
}

static void take(struct lock *lock, struct actor *a, void (*next)(struct actor *a))
{
	a->next = next;
	a->asked_ns = now(a);
	if (lock->held)
		lock->waiting[(lock->first + lock->nwaiting++) % (STRESS_DEVICES_MAX + 1)] = a;
	else
		grant(lock, a);
}

static void give(struct lock *lock)
{
	struct actor *a = lock->waiting[lock->first];

	lock->held = false;
	if (!lock->nwaiting)
		return;
	lock->first = (lock->first + 1) % (STRESS_DEVICES_MAX + 1);
	lock->nwaiting--;
	grant(lock, a);
}

/* How long an atomic change of a line takes from now on. */
static uint64_t change(struct line *line, struct actor *a)
{
	const struct prices *price = &a->s->price;
	uint64_t begin = line->free_ns > now(a) ? line->free_ns : now(a);

	line->free_ns = begin + (line->owner == a->id || line->owner == NOBODY ? price->ref
									      : price->line);
	line->owner = a->id;
	return line->free_ns - now(a);
}

static struct line *lpi_line(struct actor *a)
{
	return &a->s->lpi_lines[a->route.intid - SIM_GIC_LPI_FIRST];
}

static bool is_list(const struct stress *s)
{
	return s->setup.kind == SIM_ITS_LIST2019 || s->setup.kind == SIM_ITS_LIST2024;
}

/* What of a call's work takes time on the CPU that does it. */
static uint64_t work_ns(const struct stress *s, const struct sim_its_work *work)
{
	const struct prices *price = &s->price;

	return work->scanned * price->scan_ps / 1000 + work->nodes * price->node +
	       work->generations * price->generation;
}

static void begin(struct actor *a);

static void warmed_up(struct stress *s)
{
	if (--s->cold)
		return;
	s->result = (struct stress_result){.lpis = 0};
	s->begin_ns = sim_queue_now(s->queue);
}

static void done(struct actor *a)
{
	struct stress *s = a->s;

	s->result.lpis++;
	s->result.hits += a->hit;
	a->event = (a->event + 1) % s->setup.nevents;
	a->left--;
	if (s->setup.warmup &&
	    a->left == (s->setup.iterations - s->setup.warmup) * s->setup.nevents)
		warmed_up(s);
	begin(a);
}

static void put_done(struct actor *a)
{
	give(&a->s->list);
	done(a);
}

static void put(struct actor *a)
{
	after(a, change(lpi_line(a), a), put_done);
}

static void kicked(struct actor *a)
{
	if (!a->holds_ref)
		done(a);
	else if (is_list(a->s))
		take(&a->s->list, a, put);
	else
		after(a, change(lpi_line(a), a), done);
}

static void kick(struct actor *a)
{
	after(a, change(&a->s->pe_lines[a->route.pe], a), kicked);
}

static void pend(struct actor *a)
{
	sim_its_deliver(a->s->m.its, &a->route);
	after(a, change(&a->s->pe_lines[a->route.pe], a), kick);
}

static void filled(struct actor *a)
{
	if (is_list(a->s))
		give(&a->s->list);
	give(&a->s->its);
	pend(a);
}

static void fill(struct actor *a)
{
	struct stress *s = a->s;
	const struct sim_its_work *work = sim_its_design_work(s->design);
	uint64_t ns;

	sim_assert(sim_its_design_resolve(s->design, s->m.its, a->id, a->event, &a->route) ==
		   SIM_ITS_OK);
	ns = work_ns(s, work);
	if (work->locks & SIM_ITS_LOCK_TREE)
		ns += s->price.lock;
	if (s->setup.kind == SIM_ITS_WEIR)
		ns += s->price.fill;
	if (work->refs)
		ns += change(lpi_line(a), a);
	after(a, ns, filled);
}

/* Under the list's lock, where there is a list. */
static void with_list(struct actor *a, void (*next)(struct actor *a))
{
	if (is_list(a->s))
		take(&a->s->list, a, next);
	else
		next(a);
}

static void walked(struct actor *a)
{
	with_list(a, fill);
}

static void walk(struct actor *a)
{
	after(a, WALK_TABLES * a->s->price.table, walked);
}

static void missed(struct actor *a)
{
	take(&a->s->its, a, walk);
}

static void looked(struct actor *a)
{
	if (is_list(a->s))
		give(&a->s->list);
	if (a->hit)
		pend(a);
	else if (is_list(a->s))
		after(a, a->s->price.bus, missed);
	else
		missed(a);
}

static void look(struct actor *a)
{
	struct stress *s = a->s;
	const struct sim_its_work *work = sim_its_design_work(s->design);
	uint64_t ns;

	a->hit = sim_its_design_lookup(s->design, s->m.its, a->id, a->event, &a->route);
	a->holds_ref = work->refs > 0;
	ns = work_ns(s, work);
	if (s->setup.kind == SIM_ITS_WEIR)
		ns += s->price.hit;
	if (a->holds_ref)
		ns += change(lpi_line(a), a);
	after(a, ns, looked);
}

static void called(struct actor *a)
{
	struct stress *s = a->s;

	if (is_list(s))
		take(&s->list, a, look);
	else
		after(a, s->setup.bus || s->setup.kind != SIM_ITS_WEIR ? s->price.bus
								       : s->price.doorbell,
		      look);
}

static void begin(struct actor *a)
{
	struct stress *s = a->s;

	if (a->left) {
		after(a, s->price.call, called);
		return;
	}
	s->running--;
	s->result.span_ns = now(a) - s->begin_ns;
}

static void movi_begin(struct actor *a);

static void movi_end(struct actor *a)
{
	struct stress *s = a->s;

	give(&s->its);
	s->result.movis++;
	s->movi_due_ns += s->setup.movi_period_ns;
	if (s->movi_due_ns < now(a))
		s->movi_due_ns = now(a);
	after(a, s->movi_due_ns - now(a), movi_begin);
}

static void movi_forgotten(struct actor *a)
{
	if (is_list(a->s))
		give(&a->s->list);
	after(a, a->s->price.command, movi_end);
}

static void movi(struct actor *a)
{
	struct stress *s = a->s;

	s->forgot = (struct sim_its_work){.hit = false};
	stress_machine_movi(&s->m);
	s->result.dropped += s->forgot.dropped;
	/* Each reference is given up on a line that the thread of its device had last. */
	after(a, work_ns(s, &s->forgot) + s->forgot.dropped * s->price.line, movi_forgotten);
}

static void movi_locked(struct actor *a)
{
	with_list(a, movi);
}

static void movi_begin(struct actor *a)
{
	if (a->s->running)
		take(&a->s->its, a, movi_locked);
}

static void on_invalidate(void *ctx, const struct sim_its_inval *inval)
{
	struct stress *s = ctx;

	sim_its_design_invalidate(s->design, s->m.its, inval);
	s->forgot = *sim_its_design_work(s->design);
}

static void read_prices(struct prices *price, const struct sim_params *params)
{
	uint64_t *const all[] = {
		&price->call, &price->bus,  &price->doorbell, &price->lock, &price->handoff,
		&price->line, &price->ref,  &price->scan_ps,  &price->node, &price->table,
		&price->hit,  &price->fill, &price->generation, &price->command,
	};

	_Static_assert(sizeof(all) / sizeof(all[0]) == STRESS_NPARAMS, "one each");
	for (unsigned int i = 0; i < STRESS_NPARAMS; i++)
		*all[i] = sim_params_u64(params, stress_params[i].name);
}

static struct line *lines(uint32_t n)
{
	struct line *all = sim_alloc(n, sizeof(*all), "lines");

	for (uint32_t i = 0; i < n; i++)
		all[i].owner = NOBODY;
	return all;
}

static void start(struct stress *s)
{
	const struct stress_setup *setup = &s->setup;
	uint32_t nthreads = setup->ndevices;

	s->list.last = s->its.last = NOBODY;
	s->running = nthreads;
	s->cold = nthreads;
	for (uint32_t i = 0; i <= nthreads; i++) {
		struct actor *a = &s->actors[i];

		*a = (struct actor){
			.s = s,
			.id = i,
			.left = i < nthreads ? setup->iterations * setup->nevents : 0,
		};
		if (i < nthreads)
			begin(a);
		else if (setup->movi_period_ns)
			after(a, s->movi_due_ns = setup->movi_period_ns, movi_begin);
	}
}

bool stress_run(const struct stress_setup *setup, const struct sim_params *params,
		struct stress_result *result, struct sim_error *err)
{
	const struct sim_its_hooks hooks = {.invalidate = on_invalidate};
	const struct sim_its_design_config cfg = {
		.nvcpus = setup->nvcpus,
		.capacity = setup->kind == SIM_ITS_WEIR ? setup->entries : 0,
		.device_stride = setup->nevents | 1,
		.verify = true,
	};
	struct stress *s = sim_alloc(1, sizeof(*s), "a stress run");

	s->setup = *setup;
	read_prices(&s->price, params);
	if (!stress_machine_up(&s->m, &s->setup, err)) {
		free(s);
		return false;
	}
	s->design = sim_its_design_create(setup->kind, &cfg, err);
	if (!s->design) {
		stress_machine_down(&s->m);
		free(s);
		return false;
	}
	sim_its_set_hooks(s->m.its, &hooks, s);
	s->queue = sim_queue_create();
	s->lpi_lines = lines(setup->ndevices * setup->nevents);
	s->pe_lines = lines(setup->nvcpus);
	start(s);
	while (s->running)
		sim_queue_run_one(s->queue);
	s->result.wrong = sim_its_design_wrong(s->design);
	s->result.unsignalled = stress_machine_silent(&s->m);
	*result = s->result;
	free(s->pe_lines);
	free(s->lpi_lines);
	sim_queue_destroy(s->queue);
	sim_its_design_destroy(s->design);
	stress_machine_down(&s->m);
	free(s);
	return true;
}

uint64_t stress_rate(const struct stress_result *result)
{
	return result->lpis * UINT64_C(1000000000) / result->span_ns;
}
