// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: the guest, which counts most stores instead of simulating them, does exactly what a machine
 * would that translates every single store at its time; and each stopped nanosecond is charged
 * once.
 *
 * Method: a model of one page below steps through time a nanosecond at a time and does each store
 * on its own, by the replay rule. Random small traces run through both, with faults, delays, stops
 * and invalidations at random times. Compared: each walk and fault (time, vCPU, frame), and at
 * random instants the stores of each frame, each vCPU's progress, and what each cause took from it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/engine/rng.h"
#include "sim/guest/guest.h"
#include "tests/percent.h"

#define NVCPUS		2u
#define FRAMES		5u
#define NGROUPS_MAX	8u
#define ROWS_MAX	6u
#define SCRIPT_MAX	24u
#define END_NS		600u
#define LOG_MAX		4096u

enum what { READ, TIGHTEN, FORGET, HOLD, RELEASE, DELAY, END };

/* Something that happens at a time, beside the vCPUs. */
struct step {
	uint64_t time_ns;
	enum what what;
	unsigned int vcpu;
	uint64_t first, last;
	uint64_t ns;
};

/* A random case. */
struct plan {
	uint64_t epoch_ns;
	uint64_t fault_ns;
	uint64_t walk_ns;	/* delay of a walk */
	size_t ngroups, naccesses;
	struct sim_pagewr_group groups[NGROUPS_MAX];
	struct sim_pagewr_access accesses[NGROUPS_MAX * ROWS_MAX];
	uint64_t nepochs;
	struct step steps[SCRIPT_MAX];
	size_t nsteps;
};

/* The machine, twice: under the guest and under the model. */
struct machine {
	bool writable[FRAMES];
	bool cached[NVCPUS][FRAMES];
	uint64_t stores[FRAMES];
	uint64_t log[LOG_MAX];
	size_t nlog;
};

static void note(struct machine *m, uint64_t value)
{
	assert_true(m->nlog < LOG_MAX);
	m->log[m->nlog++] = value;
}

/* A store's translation. Returns true if it goes ahead. */
static bool translate(struct machine *m, uint64_t now_ns, unsigned int vcpu, uint64_t gfn,
		      uint64_t walk_ns, uint64_t *delay_ns)
{
	*delay_ns = 0;
	if (m->cached[vcpu][gfn])
		return true;
	note(m, now_ns << 16 | vcpu << 12 | gfn << 1 | m->writable[gfn]);
	if (!m->writable[gfn])
		return false;
	m->cached[vcpu][gfn] = true;
	*delay_ns = walk_ns;
	return true;
}

static void tighten(struct machine *m, const struct step *step)
{
	uint64_t gfn;
	unsigned int v;

	for (gfn = step->first; gfn <= step->last; gfn++) {
		if (step->what == TIGHTEN)
			m->writable[gfn] = false;
		for (v = 0; v < NVCPUS; v++)
			m->cached[v][gfn] = false;
	}
}

/* ---- the guest under test ---- */

struct real {
	const struct plan *plan;
	struct machine machine;
	struct sim_queue *queue;
	struct sim_guest *guest;
	uint64_t fault_gfn[NVCPUS];
	bool over;
};

static void fault_done(void *ctx, uint64_t vcpu)
{
	struct real *r = ctx;

	r->machine.writable[r->fault_gfn[vcpu]] = true;
	sim_guest_release(r->guest, (unsigned int)vcpu, SIM_CAUSE_FAULT);
}

static bool op_store(void *ctx, unsigned int vcpu, uint64_t gfn, uint64_t writes, bool again,
		     uint64_t now_ns, uint64_t *delay_ns)
{
	struct real *r = ctx;

	(void)writes;
	(void)again;
	if (translate(&r->machine, now_ns, vcpu, gfn, r->plan->walk_ns, delay_ns))
		return true;
	r->fault_gfn[vcpu] = gfn;
	sim_queue_post(r->queue, now_ns + r->plan->fault_ns, SIM_GUEST_PRIO_OTHERS, fault_done, r,
		       vcpu);
	return false;
}

static void op_wrote(void *ctx, unsigned int vcpu, uint64_t gfn, uint64_t n)
{
	struct real *r = ctx;

	(void)vcpu;
	r->machine.stores[gfn] += n;
}

static bool op_cached(void *ctx, unsigned int vcpu, uint64_t gfn)
{
	struct real *r = ctx;

	return r->machine.cached[vcpu][gfn];
}

static const struct sim_guest_ops ops = {
	.store = op_store, .wrote = op_wrote, .cached = op_cached
};

static void real_read(struct real *r)
{
	unsigned int v, cause;
	uint64_t gfn, sum;

	/* half of the time by the whole range, half frame by frame */
	if (sim_queue_now(r->queue) & 1) {
		sim_guest_settle(r->guest, 0, UINT64_C(1) << 40);
	} else {
		for (gfn = 0; gfn < FRAMES; gfn++)
			sim_guest_settle(r->guest, gfn, 1);
	}
	for (gfn = 0; gfn < FRAMES; gfn++)
		note(&r->machine, r->machine.stores[gfn]);
	for (v = 0; v < NVCPUS; v++) {
		sum = sim_guest_progress(r->guest, v);
		note(&r->machine, sum);
		for (cause = 0; cause < SIM_NCAUSES; cause++) {
			uint64_t lost = sim_guest_lost_ns(r->guest, v, (enum sim_cause)cause);

			note(&r->machine, lost);
			sum += lost;
		}
		assert_int_equal(sum, sim_queue_now(r->queue));
	}
}

static void real_step(void *ctx, uint64_t arg)
{
	struct real *r = ctx;
	const struct step *step = &r->plan->steps[arg];

	switch (step->what) {
	case READ:
		real_read(r);
		break;
	case TIGHTEN:
	case FORGET:
		tighten(&r->machine, step);
		sim_guest_invalidated(r->guest, step->first, step->last);
		break;
	case HOLD:
		sim_guest_hold(r->guest, step->vcpu, SIM_CAUSE_THROTTLE);
		break;
	case RELEASE:
		sim_guest_release(r->guest, step->vcpu, SIM_CAUSE_THROTTLE);
		break;
	case DELAY:
		sim_guest_delay(r->guest, step->vcpu, SIM_CAUSE_SCAN, step->ns);
		break;
	case END:
		r->over = true;
		break;
	}
}

static void run_real(struct real *r, const struct plan *plan)
{
	struct sim_workload_config cfg = {
		.kind = SIM_WORKLOAD_TRACE, .trace = "plan", .nvcpus = NVCPUS, .npages = FRAMES,
		.epoch_ns = plan->epoch_ns,
	};
	struct sim_pagewr_rows rows = {
		.accesses = calloc(plan->naccesses, sizeof(*rows.accesses)),
		.naccesses = plan->naccesses,
		.groups = calloc(plan->ngroups, sizeof(*rows.groups)),
		.ngroups = plan->ngroups, .epoch_last = plan->nepochs - 1, .nvcpus = NVCPUS,
	};
	struct sim_error err = { "" };
	struct sim_workload *workload;
	size_t i;

	memset(r, 0, sizeof(*r));
	memcpy(rows.accesses, plan->accesses, plan->naccesses * sizeof(*rows.accesses));
	memcpy(rows.groups, plan->groups, plan->ngroups * sizeof(*rows.groups));
	workload = sim_workload_open_rows(&cfg, &rows, &err);
	assert_non_null(workload);
	r->plan = plan;
	memset(r->machine.writable, true, sizeof(r->machine.writable));
	r->queue = sim_queue_create();
	r->guest = sim_guest_create(r->queue, workload, NVCPUS, &ops, r);
	for (i = 0; i < plan->nsteps; i++)
		sim_queue_post(r->queue, plan->steps[i].time_ns, SIM_GUEST_PRIO_OTHERS, real_step,
			       r, i);
	sim_guest_start(r->guest);
	while (!r->over)
		assert_true(sim_queue_run_one(r->queue));
	sim_guest_destroy(r->guest);
	sim_queue_destroy(r->queue);
	sim_workload_close(workload);
}

/* ---- the model: each nanosecond, each store ---- */

struct model_vcpu {
	uint64_t steady_ns;
	uint64_t delay_until_ns;
	bool fault, throttle;
	bool retry;
	uint64_t fault_until_ns, fault_gfn;
	uint64_t fault_order;
	uint64_t lost_ns[SIM_NCAUSES];
};

struct model {
	const struct plan *plan;
	struct machine machine;
	struct model_vcpu vcpus[NVCPUS];
	uint64_t faults;
	/* progress inside the current steady nanosecond: stores up to this (row) are done */
	uint64_t done_steady_ns[NVCPUS];
	size_t done_rows[NVCPUS];
};

static const struct sim_pagewr_group *group_at(const struct plan *plan, unsigned int vcpu,
					       uint64_t epoch)
{
	size_t i;

	for (i = 0; i < plan->ngroups; i++) {
		if (plan->groups[i].vcpu == vcpu && plan->groups[i].epoch == epoch)
			return &plan->groups[i];
	}
	return NULL;
}

/* Stores of row i of n, with w stores, that are due at an offset in the epoch. */
static uint64_t due_at(const struct plan *plan, uint64_t i, uint64_t n, uint64_t w, uint64_t offset)
{
	uint64_t start = i * plan->epoch_ns / n, span = plan->epoch_ns - start, k, due = 0;

	for (k = 0; k < w; k++)
		due += start + k * span / w == offset;
	return due;
}

/* Do what is due at a vCPU's steady instant and not yet done. */
static void model_run(struct model *m, unsigned int v, uint64_t now_ns)
{
	struct model_vcpu *vcpu = &m->vcpus[v];
	const struct plan *plan = m->plan;
	uint64_t offset = vcpu->steady_ns % plan->epoch_ns;
	const struct sim_pagewr_group *group =
		group_at(plan, v, vcpu->steady_ns / plan->epoch_ns % plan->nepochs);
	size_t row;

	if (m->done_steady_ns[v] != vcpu->steady_ns) {
		m->done_steady_ns[v] = vcpu->steady_ns;
		m->done_rows[v] = 0;
	}
	for (row = m->done_rows[v]; group && row < group->count; row++) {
		const struct sim_pagewr_access *access = &plan->accesses[group->first + row];
		uint64_t n, delay_ns;

		if (vcpu->fault || vcpu->throttle || now_ns < vcpu->delay_until_ns)
			return;
		n = due_at(plan, row, group->count, access->writes, offset);
		if (n) {
			vcpu->retry = false;
			if (!translate(&m->machine, now_ns, v, access->gfn, plan->walk_ns,
				       &delay_ns)) {
				vcpu->fault = true;
				vcpu->retry = true;
				vcpu->fault_until_ns = now_ns + plan->fault_ns;
				vcpu->fault_gfn = access->gfn;
				vcpu->fault_order = m->faults++;
				return;
			}
			m->machine.stores[access->gfn] += n;
			if (delay_ns)
				vcpu->delay_until_ns = now_ns + delay_ns;
		}
		m->done_rows[v] = row + 1;
	}
}

static void model_step(struct model *m, const struct step *step, uint64_t now_ns)
{
	struct model_vcpu *vcpu = &m->vcpus[step->vcpu];
	unsigned int v, cause;
	uint64_t gfn;

	switch (step->what) {
	case READ:
		for (gfn = 0; gfn < FRAMES; gfn++)
			note(&m->machine, m->machine.stores[gfn]);
		for (v = 0; v < NVCPUS; v++) {
			note(&m->machine, m->vcpus[v].steady_ns);
			for (cause = 0; cause < SIM_NCAUSES; cause++)
				note(&m->machine, m->vcpus[v].lost_ns[cause]);
		}
		break;
	case TIGHTEN:
	case FORGET:
		tighten(&m->machine, step);
		break;
	case HOLD:
		vcpu->throttle = true;
		break;
	case RELEASE:
		vcpu->throttle = false;
		break;
	case DELAY:
		if (!vcpu->fault && !vcpu->throttle && !vcpu->retry &&
		    now_ns >= vcpu->delay_until_ns)
			vcpu->delay_until_ns = now_ns + step->ns;
		break;
	case END:
		break;
	}
}

static void model_run_all(struct model *m, uint64_t now_ns)
{
	unsigned int v;

	for (v = 0; v < NVCPUS; v++)
		model_run(m, v, now_ns);
}

static void model_faults_done(struct model *m, uint64_t now_ns)
{
	for (;;) {
		struct model_vcpu *first = NULL;
		unsigned int v;

		for (v = 0; v < NVCPUS; v++) {
			struct model_vcpu *vcpu = &m->vcpus[v];

			if (vcpu->fault && vcpu->fault_until_ns == now_ns &&
			    (!first || vcpu->fault_order < first->fault_order))
				first = vcpu;
		}
		if (!first)
			return;
		m->machine.writable[first->fault_gfn] = true;
		first->fault = false;
		model_run_all(m, now_ns);
	}
}

static void run_model(struct model *m, const struct plan *plan)
{
	uint64_t now_ns;
	unsigned int v;
	size_t i = 0;

	memset(m, 0, sizeof(*m));
	m->plan = plan;
	memset(m->machine.writable, true, sizeof(m->machine.writable));
	for (now_ns = 0; now_ns <= END_NS; now_ns++) {
		model_run_all(m, now_ns);
		for (; i < plan->nsteps && plan->steps[i].time_ns == now_ns; i++) {
			if (plan->steps[i].what == END)
				return;
			model_step(m, &plan->steps[i], now_ns);
			model_run_all(m, now_ns);
		}
		model_faults_done(m, now_ns);
		for (v = 0; v < NVCPUS; v++) {
			struct model_vcpu *vcpu = &m->vcpus[v];

			if (now_ns < vcpu->delay_until_ns)
				vcpu->lost_ns[SIM_CAUSE_SCAN]++;
			else if (vcpu->fault)
				vcpu->lost_ns[SIM_CAUSE_FAULT]++;
			else if (vcpu->throttle)
				vcpu->lost_ns[SIM_CAUSE_THROTTLE]++;
			else
				vcpu->steady_ns++;
		}
	}
}

/* ---- random cases ---- */

static void random_trace(struct plan *plan, struct sim_rng *rng)
{
	uint64_t epoch;
	unsigned int v;

	plan->nepochs = sim_rng_between(rng, 1, 3);
	for (epoch = 0; epoch < plan->nepochs; epoch++) {
		for (v = 0; v < NVCPUS; v++) {
			struct sim_pagewr_group *group = &plan->groups[plan->ngroups];
			size_t i;

			*group = (struct sim_pagewr_group){
				.epoch = epoch, .vcpu = v, .first = plan->naccesses,
				.count = (size_t)sim_rng_below(rng, ROWS_MAX + 1),
			};
			if (!group->count)
				continue;
			plan->ngroups++;
			for (i = 0; i < group->count; i++) {
				plan->accesses[plan->naccesses].gfn = sim_rng_below(rng, FRAMES);
				plan->accesses[plan->naccesses++].writes =
					sim_rng_below(rng, 3) ? sim_rng_below(rng, 12)
							      : sim_rng_below(rng, 200);
			}
		}
	}
}

static int by_time(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

static void random_plan(struct plan *plan, uint64_t number)
{
	struct sim_rng rng;
	size_t i;

	memset(plan, 0, sizeof(*plan));
	sim_rng_init(&rng, 1, number, "guest_replay");
	plan->epoch_ns = sim_rng_between(&rng, 3, 90);
	plan->fault_ns = sim_rng_between(&rng, 0, 30);
	plan->walk_ns = sim_rng_below(&rng, 2) ? sim_rng_between(&rng, 1, 5) : 0;
	while (!plan->naccesses) {
		plan->ngroups = 0;
		random_trace(plan, &rng);
	}
	plan->nsteps = (size_t)sim_rng_between(&rng, 2, SCRIPT_MAX - 2);
	for (i = 0; i < plan->nsteps; i++) {
		struct step *step = &plan->steps[i];

		step->time_ns = sim_rng_below(&rng, END_NS);
		step->what = (enum what)sim_rng_below(&rng, END);
		step->vcpu = (unsigned int)sim_rng_below(&rng, NVCPUS);
		step->first = sim_rng_below(&rng, FRAMES);
		step->last = sim_rng_between(&rng, step->first, FRAMES - 1);
		step->ns = sim_rng_between(&rng, 1, 20);
	}
	plan->steps[plan->nsteps++] = (struct step){ .time_ns = END_NS, .what = READ };
	qsort(plan->steps, plan->nsteps, sizeof(plan->steps[0]), by_time);
	/* equal times: the model and the queue both keep this order */
	plan->steps[plan->nsteps++] = (struct step){ .time_ns = END_NS, .what = END };
}

static void same_as_translating_each_store(void **state)
{
	static struct real real;
	static struct model model;
	struct plan plan;
	uint64_t number, walks = 0, ncases = 4000 * test_percent() / 100;

	(void)state;
	for (number = 0; number < ncases; number++) {
		size_t i;

		random_plan(&plan, number);
		run_model(&model, &plan);
		run_real(&real, &plan);
		for (i = 0; i < model.machine.nlog && i < real.machine.nlog; i++) {
			if (model.machine.log[i] != real.machine.log[i])
				break;
		}
		if (i < model.machine.nlog || i < real.machine.nlog)
			fail_msg("case %llu: entry %zu is %llx, expected %llx",
				 (unsigned long long)number, i,
				 (unsigned long long)(i < real.machine.nlog ? real.machine.log[i]
									   : 0),
				 (unsigned long long)(i < model.machine.nlog ? model.machine.log[i]
									    : 0));
		walks += real.machine.nlog;
	}
	assert_true(walks > ncases);	/* the cases are not empty */
}

/* The rule in figures: 2 rows in an epoch of 100 ns, the second with 3 stores. */
static void rows_start_at_their_share_of_the_epoch(void **state)
{
	static struct real real;
	static const uint64_t at[] = { 49, 50, 65, 66, 82, 83, 99, 149, 150 };
	static const uint64_t stores[] = { 0, 1, 1, 2, 2, 3, 3, 3, 4 };
	struct plan plan = {
		.epoch_ns = 100, .nepochs = 1, .ngroups = 1, .naccesses = 2,
		.groups = { { .count = 2 } },
		.accesses = { { .gfn = 0, .writes = 1 }, { .gfn = 1, .writes = 3 } },
	};
	size_t i, n = sizeof(at) / sizeof(at[0]), values = FRAMES + NVCPUS * (1 + SIM_NCAUSES);

	(void)state;
	/* frame 1 is written at 50, 66 and 83, and again from 150 on */
	for (i = 0; i < n; i++)
		plan.steps[plan.nsteps++] = (struct step){ .time_ns = at[i], .what = READ };
	plan.steps[plan.nsteps++] = (struct step){ .time_ns = 199, .what = END };
	run_real(&real, &plan);
	/* the log: a walk of frame 0; the reads, with a walk of frame 1 after the first */
	assert_int_equal(real.machine.nlog, n * values + 2);
	for (i = 0; i < n; i++)
		assert_int_equal(real.machine.log[1 + i * values + (i > 0) + 1], stores[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_start_at_their_share_of_the_epoch),
		cmocka_unit_test(same_as_translating_each_store),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
