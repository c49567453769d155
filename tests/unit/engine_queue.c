// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: events come in the order (time, priority, sequence), each once, whatever was cancelled.
 * Method: long runs of random operations, with many ties, beside a model that keeps the pending
 * events in a plain array and searches it for the least; the rules of posting, cancelling and of
 * the clock one by one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "sim/engine/queue.h"
#include "tests/unit/death.h"

enum { EXIT_INTERNAL = 3 };

/* The model: pending events, unordered. */
enum { MODEL_MAX = 4096 };

struct model_event {
	uint64_t time_ns;
	uint32_t prio;
	uint64_t seq;
	uint64_t id;
};

struct model {
	struct model_event pending[MODEL_MAX];
	size_t count;
	uint64_t seq;
};

static struct model model;
static uint64_t random_state;

static uint64_t rnd(uint64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % n;
}

static bool model_precedes(const struct model_event *a, const struct model_event *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	if (a->prio != b->prio)
		return a->prio < b->prio;
	return a->seq < b->seq;
}

static size_t model_first(void)
{
	size_t first = 0;

	for (size_t i = 1; i < model.count; i++)
		if (model_precedes(&model.pending[i], &model.pending[first]))
			first = i;
	return first;
}

static struct model_event model_take(size_t i)
{
	const struct model_event taken = model.pending[i];

	model.pending[i] = model.pending[--model.count];
	return taken;
}

static void nothing(void *ctx, uint64_t arg)
{
	(void)ctx;
	(void)arg;
}

/* The argument of each event is its sequence number in the model. */
static void post(struct sim_queue *q, uint64_t time_ns, uint32_t prio)
{
	struct model_event event = { time_ns, prio, model.seq++, 0 };

	event.id = sim_queue_post(q, time_ns, prio, nothing, &model, event.seq);
	assert_int_not_equal(event.id, 0);
	model.pending[model.count++] = event;
}

static void pop_and_compare(struct sim_queue *q)
{
	struct sim_event event;
	struct model_event expected;

	if (!model.count) {
		assert_int_equal(sim_queue_next_ns(q), UINT64_MAX);
		assert_false(sim_queue_pop(q, &event));
		return;
	}
	expected = model_take(model_first());
	if (rnd(2))
		assert_int_equal(sim_queue_next_ns(q), expected.time_ns);
	assert_true(sim_queue_pop(q, &event));
	assert_int_equal(event.time_ns, expected.time_ns);
	assert_int_equal(event.prio, expected.prio);
	assert_int_equal(event.arg, expected.seq);
	assert_ptr_equal(event.ctx, &model);
	assert_int_equal(sim_queue_now(q), expected.time_ns);
	assert_false(sim_queue_cancel(q, expected.id));
}

static void cancel_one(struct sim_queue *q)
{
	struct model_event gone;

	if (!model.count)
		return;
	gone = model_take(rnd(model.count));
	assert_true(sim_queue_cancel(q, gone.id));
	assert_false(sim_queue_cancel(q, gone.id));
}

/*
 * @spread: posts fall so many ns ahead at most, few of them make many ties; out of 100 operations
 * @posts post and @cancels cancel.
 */
static void random_run(uint64_t seed, uint64_t spread, uint64_t posts, uint64_t cancels,
		       size_t nops, size_t npending_max)
{
	struct sim_queue *q = sim_queue_create();

	random_state = seed;
	model.count = 0;
	model.seq = 0;
	for (size_t i = 0; i < nops; i++) {
		const uint64_t choice = rnd(100);

		if (choice < posts && model.count < npending_max)
			post(q, sim_queue_now(q) + rnd(spread), (uint32_t)rnd(3));
		else if (choice < posts + cancels)
			cancel_one(q);
		else
			pop_and_compare(q);
		assert_int_equal(sim_queue_pending(q), model.count);
	}
	while (model.count)
		pop_and_compare(q);
	pop_and_compare(q);
	assert_int_equal(sim_queue_posted(q), model.seq);
	sim_queue_destroy(q);
}

static void test_random_with_ties(void **state)
{
	(void)state;
	random_run(1, 4, 52, 6, 200000, 200);
}

static void test_random_sparse(void **state)
{
	(void)state;
	random_run(2, 1000000, 60, 0, 100000, 300);
}

static void test_random_mostly_cancelled(void **state)
{
	(void)state;
	random_run(3, 50, 50, 42, 200000, 300);
}

static void test_random_many_pending(void **state)
{
	(void)state;
	random_run(4, 100, 80, 15, 8000, MODEL_MAX);
}

static int compare_model(const void *a, const void *b)
{
	return model_precedes(a, b) ? -1 : 1;
}

/* Growth: more pending than the model's array can search, so sorted once instead. */
static void test_many_at_once(void **state)
{
	enum { COUNT = 100000 };
	struct model_event *events = calloc(COUNT, sizeof(*events));
	struct sim_queue *q = sim_queue_create();
	struct sim_event event;

	(void)state;
	assert_non_null(events);
	random_state = 5;
	for (uint64_t i = 0; i < COUNT; i++) {
		events[i] = (struct model_event){ rnd(5000), (uint32_t)rnd(3), i, 0 };
		sim_queue_post(q, events[i].time_ns, events[i].prio, nothing, NULL, i);
	}
	qsort(events, COUNT, sizeof(*events), compare_model);
	for (uint64_t i = 0; i < COUNT; i++) {
		assert_true(sim_queue_pop(q, &event));
		assert_int_equal(event.arg, events[i].seq);
	}
	assert_false(sim_queue_pop(q, &event));
	free(events);
	sim_queue_destroy(q);
}

/* All of 64 bits of time, and both ends of priority. */
static void test_extremes(void **state)
{
	struct sim_queue *q = sim_queue_create();
	struct sim_event event;

	(void)state;
	sim_queue_post(q, UINT64_MAX, SIM_PRIO_MAX, nothing, NULL, 4);
	sim_queue_post(q, UINT64_MAX, 0, nothing, NULL, 3);
	sim_queue_post(q, UINT64_C(1) << 63, 0, nothing, NULL, 2);
	sim_queue_post(q, (UINT64_C(1) << 63) - 1, SIM_PRIO_MAX, nothing, NULL, 1);
	sim_queue_post(q, 0, SIM_PRIO_MAX, nothing, NULL, 0);
	for (uint64_t i = 0; i < 5; i++) {
		assert_true(sim_queue_pop(q, &event));
		assert_int_equal(event.arg, i);
	}
	assert_int_equal(event.prio, SIM_PRIO_MAX);
	sim_queue_destroy(q);
}

/* A chain that posts and cancels from inside events. */
struct chain {
	struct sim_queue *q;
	uint64_t own_id;
	uint64_t victim_id;
	char log[64];
	size_t len;
};

static void log_event(void *ctx, uint64_t arg)
{
	struct chain *chain = ctx;

	chain->log[chain->len++] = (char)arg;
}

static void chain_event(void *ctx, uint64_t arg)
{
	struct chain *chain = ctx;

	log_event(ctx, arg);
	assert_false(sim_queue_cancel(chain->q, chain->own_id));
	assert_true(sim_queue_cancel(chain->q, chain->victim_id));
	/* Of the same instant: after what is pending there already, and by priority. */
	sim_queue_post(chain->q, sim_queue_now(chain->q), 1, log_event, chain, 'd');
	sim_queue_post(chain->q, sim_queue_now(chain->q), 0, log_event, chain, 'b');
	sim_queue_post(chain->q, sim_queue_now(chain->q) + 5, 0, log_event, chain, 'e');
}

static void test_events_post_and_cancel(void **state)
{
	struct chain chain = { .q = sim_queue_create() };

	(void)state;
	chain.own_id = sim_queue_post(chain.q, 10, 0, chain_event, &chain, 'a');
	sim_queue_post(chain.q, 10, 1, log_event, &chain, 'c');
	chain.victim_id = sim_queue_post(chain.q, 12, 0, log_event, &chain, 'x');
	assert_int_equal(sim_queue_run_until(chain.q, 9), 0);
	assert_int_equal(sim_queue_now(chain.q), 9);
	assert_int_equal(sim_queue_run_until(chain.q, 10), 4); /* the end is included */
	assert_int_equal(sim_queue_run_until(chain.q, 14), 0);
	assert_int_equal(sim_queue_now(chain.q), 14);
	assert_int_equal(sim_queue_pending(chain.q), 1);
	assert_true(sim_queue_run_one(chain.q));
	assert_int_equal(sim_queue_now(chain.q), 15);
	assert_false(sim_queue_run_one(chain.q));
	assert_string_equal(chain.log, "abcde");
	sim_queue_destroy(chain.q);
}

/* An id outlives its event without ever meaning another. */
static void test_stale_ids(void **state)
{
	struct sim_queue *q = sim_queue_create();
	uint64_t old[100];

	(void)state;
	assert_false(sim_queue_cancel(q, 0));
	assert_false(sim_queue_cancel(q, UINT64_MAX));
	for (size_t i = 0; i < 100; i++) {
		old[i] = sim_queue_post(q, i, 0, nothing, NULL, 0);
		if (i % 2)
			assert_true(sim_queue_cancel(q, old[i]));
		else
			assert_true(sim_queue_run_one(q));
	}
	for (size_t i = 0; i < 100; i++)
		sim_queue_post(q, 1000, 0, nothing, NULL, 0);
	for (size_t i = 0; i < 100; i++)
		assert_false(sim_queue_cancel(q, old[i]));
	assert_int_equal(sim_queue_pending(q), 100);
	sim_queue_destroy(q);
}

static void post_into_past(void *arg)
{
	struct sim_queue *q = arg;

	sim_queue_post(q, 99, 0, nothing, NULL, 0);
}

static void post_high_prio(void *arg)
{
	struct sim_queue *q = arg;

	sim_queue_post(q, 100, SIM_PRIO_MAX + 1, nothing, NULL, 0);
}

static void run_back(void *arg)
{
	struct sim_queue *q = arg;

	sim_queue_run_until(q, 99);
}

static void test_misuse_ends_the_process(void **state)
{
	struct sim_queue *q = sim_queue_create();

	(void)state;
	sim_queue_run_until(q, 100);
	assert_int_equal(exit_code_of(post_into_past, q), EXIT_INTERNAL);
	assert_int_equal(exit_code_of(post_high_prio, q), EXIT_INTERNAL);
	assert_int_equal(exit_code_of(run_back, q), EXIT_INTERNAL);
	sim_queue_destroy(q);
	sim_queue_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_with_ties),
		cmocka_unit_test(test_random_sparse),
		cmocka_unit_test(test_random_mostly_cancelled),
		cmocka_unit_test(test_random_many_pending),
		cmocka_unit_test(test_many_at_once),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_events_post_and_cancel),
		cmocka_unit_test(test_stale_ids),
		cmocka_unit_test(test_misuse_ends_the_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
