// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: values as references. Each accepted fill is handed back once, a refused one never, whatever
 * ended it; and the op may use the cache. Method: an owner that counts references.
 */
#include "xlate_caches.h"

#define OBJECTS 4096u

struct owner {
	struct weir_xlate *c;
	unsigned int refs[OBJECTS];
	unsigned int held;
	int nested;
};

static void displaced(void *ctx, uint32_t device, uint32_t event, uint64_t value)
{
	struct owner *o = ctx;

	(void)device;
	assert_true(value < OBJECTS);
	assert_int_equal(value, device * 64 + event);
	assert_true(o->refs[value] > 0);
	o->refs[value]--;
	o->held--;
	if (o->nested) {
		/* No lock is held: the cache takes a fill of the same set. */
		struct weir_xlate_lease lease;

		o->nested = 0;
		weir_xlate_lease(o->c, device, event, &lease);
		o->refs[value]++;
		o->held++;
		assert_int_equal(weir_xlate_fill(o->c, &lease, TAG, value), WEIR_OK);
	}
}

static const struct weir_xlate_ops ops = { .displaced = displaced };

static struct owner *owner_of(uint32_t capacity)
{
	struct weir_xlate_config cfg = { .capacity = capacity, .flags = WEIR_XLATE_F_COUNTERS };
	struct owner *o = calloc(1, sizeof(*o));

	o->c = cache_with_ops(&cfg, &ops, o);
	return o;
}

/* A reference for the cache, taken back if it refuses. */
static enum weir_status give(struct owner *o, const struct weir_xlate_lease *lease)
{
	uint32_t v = lease->device * 64 + lease->event;
	enum weir_status status;

	o->refs[v]++;
	o->held++;
	status = weir_xlate_fill(o->c, lease, TAG, v);
	if (status) {
		o->refs[v]--;
		o->held--;
	}
	return status;
}

static enum weir_status give_key(struct owner *o, uint32_t device, uint32_t event)
{
	struct weir_xlate_lease lease;

	weir_xlate_lease(o->c, device, event, &lease);
	return give(o, &lease);
}

static void end(struct owner *o)
{
	weir_xlate_invalidate_all(o->c);
	assert_int_equal(weir_xlate_drain(o->c), WEIR_OK);
	assert_int_equal(o->held, 0);
	assert_int_equal(weir_xlate_drain(o->c), WEIR_OK);
	free(o->c);
	free(o);
}

static void every_way_out(void **state)
{
	struct owner *o = owner_of(16);
	struct weir_xlate_stats stats;
	uint32_t e;

	(void)state;
	for (e = 0; e < 16; e++)
		assert_int_equal(give_key(o, 0, e), WEIR_OK);
	assert_int_equal(o->held, 16);
	/* Written over. */
	assert_int_equal(give_key(o, 0, 3), WEIR_OK);
	assert_int_equal(o->held, 16);
	/* Evicted. */
	assert_int_equal(give_key(o, 0, 20), WEIR_OK);
	assert_int_equal(o->held, 16);
	/* Invalidated: kept until the slot is used again, or drained. */
	weir_xlate_invalidate_event(o->c, 0, 20);
	assert_int_equal(o->held, 16);
	assert_int_equal(weir_xlate_drain(o->c), WEIR_OK);
	assert_int_equal(o->held, 15);
	assert_int_equal(o->refs[20], 0);
	assert_int_equal(weir_xlate_residency(o->c), 15);
	weir_xlate_stats(o->c, &stats);
	assert_int_equal(stats.fills, 18);
	assert_int_equal(stats.displaced, 3);
	end(o);
}

static void a_share_below_the_ways(void **state)
{
	struct owner *o = owner_of(9);	/* 16 slots, 9 of them live at most */
	uint32_t e;

	(void)state;
	for (e = 0; e < 300; e++) {
		assert_int_equal(give_key(o, 0, e % 50), WEIR_OK);
		assert_true(weir_xlate_residency(o->c) <= 9);
		assert_true(o->held <= 16);
	}
	end(o);
}

static void a_refused_fill_owes_nothing(void **state)
{
	struct owner *o = owner_of(16);
	struct weir_xlate_lease lease;

	(void)state;
	weir_xlate_lease(o->c, 0, 1, &lease);
	weir_xlate_invalidate_event(o->c, 0, 1);
	assert_int_equal(give(o, &lease), WEIR_ESTALE);
	assert_int_equal(o->held, 0);
	end(o);
}

static void the_op_may_fill(void **state)
{
	struct owner *o = owner_of(16);
	uint32_t e;

	(void)state;
	for (e = 0; e < 16; e++)
		assert_int_equal(give_key(o, 0, e), WEIR_OK);
	o->nested = 1;
	assert_int_equal(give_key(o, 0, 30), WEIR_OK);
	assert_int_equal(o->nested, 0);
	end(o);
}

/* Facts, failure 3 and 5: many uses of one event, and a cache that dies full. */
static void balanced_at_teardown(void **state)
{
	struct owner *o = owner_of(64);
	uint64_t value;
	uint32_t i;

	(void)state;
	for (i = 0; i < 64; i++)
		assert_int_equal(give_key(o, i / 16, i % 16), WEIR_OK);
	for (i = 0; i < 1000; i++)
		(void)weir_xlate_lookup(o->c, 1, 1, &value);
	weir_xlate_invalidate_device(o->c, 1);
	assert_int_equal(o->held, 64);
	end(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_way_out),
		cmocka_unit_test(a_share_below_the_ways),
		cmocka_unit_test(a_refused_fill_owes_nothing),
		cmocka_unit_test(the_op_may_fill),
		cmocka_unit_test(balanced_at_teardown),
	};

	return cmocka_run_group_tests_name("xlate_displaced", tests, NULL, NULL);
}
