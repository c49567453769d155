// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: an invalidation drops what it names, at once, and spares its neighbours; a lease that it
 * overtook is refused, with the reason counted. Method: each scope against each key; leases held
 * across invalidations.
 */
#include "xlate_caches.h"

enum scope { EVENT, DEVICE, TAGGED, ALL, SCOPES };

static void invalidate(struct weir_xlate *c, enum scope scope, uint32_t device, uint32_t event,
		       uint32_t tag)
{
	if (scope == EVENT)
		weir_xlate_invalidate_event(c, device, event);
	else if (scope == DEVICE)
		weir_xlate_invalidate_device(c, device);
	else if (scope == TAGGED)
		weir_xlate_invalidate_tag(c, tag);
	else
		weir_xlate_invalidate_all(c);
}

/* 8 devices of 8 events, event e of every device with tag e. */
static void each_scope(void **state)
{
	struct weir_xlate *c = cache_of(256, 0);
	struct weir_xlate_lease lease;
	uint32_t scope, d, e;

	(void)state;
	for (scope = 0; scope < SCOPES; scope++) {
		for (d = 0; d < 8; d++)
			for (e = 0; e < 8; e++) {
				weir_xlate_lease(c, d, e, &lease);
				assert_int_equal(weir_xlate_fill(c, &lease, e, value_of(d, e)),
						 WEIR_OK);
			}
		assert_int_equal(weir_xlate_residency(c), 64);
		invalidate(c, (enum scope)scope, 3, 5, 5);
		for (d = 0; d < 8; d++)
			for (e = 0; e < 8; e++) {
				int gone = scope == ALL || (scope == EVENT && d == 3 && e == 5) ||
					   (scope == DEVICE && d == 3) ||
					   (scope == TAGGED && e == 5);

				assert_int_equal(hit(c, d, e), !gone);
			}
		weir_xlate_invalidate_all(c);
		assert_int_equal(weir_xlate_residency(c), 0);
	}
	free(c);
}

/* X8: of two events that prefer slot 0 one is in slot 1, whatever slot 0 holds. */
static void guests(void **state)
{
	struct weir_xlate_config cfg = { .capacity = 2, .ways = 2, .device_stride = 1 };
	struct weir_xlate *c = cache_with_ops(&cfg, NULL, NULL);

	(void)state;
	assert_int_equal(fill(c, 0, 0), WEIR_OK);
	assert_int_equal(fill(c, 0, 2), WEIR_OK);
	weir_xlate_invalidate_event(c, 0, 2);
	assert_false(hit(c, 0, 2));
	assert_true(hit(c, 0, 0));
	assert_int_equal(fill(c, 0, 2), WEIR_OK);
	weir_xlate_invalidate_event(c, 0, 0);
	assert_false(hit(c, 0, 0));
	assert_true(hit(c, 0, 2));
	weir_xlate_invalidate_event(c, 0, 2);
	assert_false(hit(c, 0, 2));
	assert_int_equal(weir_xlate_residency(c), 0);
	free(c);
}

/* X2: a lease from before, and one from after. */
static void leases(void **state)
{
	struct weir_xlate *c = cache_of(64, WEIR_XLATE_F_COUNTERS);
	struct weir_xlate_lease before, after;
	struct weir_xlate_stats s;
	uint32_t scope;

	(void)state;
	for (scope = 0; scope < SCOPES; scope++) {
		weir_xlate_lease(c, 1, 2, &before);
		invalidate(c, (enum scope)scope, 1, 2, TAG);
		weir_xlate_lease(c, 1, 2, &after);
		assert_int_equal(weir_xlate_fill(c, &before, TAG, value_of(1, 2)), WEIR_ESTALE);
		assert_false(hit(c, 1, 2));
		assert_int_equal(weir_xlate_fill(c, &after, TAG, value_of(1, 2)), WEIR_OK);
		assert_true(hit(c, 1, 2));
		/* A refused fill leaves what others filled. */
		assert_int_equal(weir_xlate_fill(c, &before, TAG, 0), WEIR_ESTALE);
		assert_true(hit(c, 1, 2));
	}
	weir_xlate_stats(c, &s);
	assert_int_equal(s.refused_event, 2);
	assert_int_equal(s.refused_device, 2);
	assert_int_equal(s.refused_tag, 2);
	assert_int_equal(s.refused_all, 2);
	assert_int_equal(s.refused_busy, 0);
	assert_int_equal(s.invalidations_event, 1);
	assert_int_equal(s.invalidations_device, 1);
	assert_int_equal(s.invalidations_tag, 1);
	assert_int_equal(s.invalidations_all, 1);
	assert_int_equal(s.fills, 4);
	free(c);
}

/* The tag is known after the walk: a lease cannot know that it is not concerned. */
static void any_tag_stops_leases(void **state)
{
	struct weir_xlate *c = cache_of(64, 0);
	struct weir_xlate_lease lease;

	(void)state;
	weir_xlate_lease(c, 1, 2, &lease);
	weir_xlate_invalidate_tag(c, TAG + 1);
	assert_int_equal(weir_xlate_fill(c, &lease, TAG, 0), WEIR_ESTALE);
	assert_int_equal(fill(c, 1, 2), WEIR_OK);
	weir_xlate_invalidate_tag(c, TAG + 1);
	assert_true(hit(c, 1, 2));
	free(c);
}

/* Other devices and sets are no reason to refuse. */
static void unconcerned_leases(void **state)
{
	struct weir_xlate *c = cache_of(64, 0);
	struct weir_xlate_lease lease;

	(void)state;
	weir_xlate_lease(c, 1, 2, &lease);
	weir_xlate_invalidate_device(c, 2);
	weir_xlate_invalidate_event(c, 1, 3);
	assert_int_equal(weir_xlate_fill(c, &lease, TAG, value_of(1, 2)), WEIR_OK);
	assert_true(hit(c, 1, 2));
	free(c);
}

/* Facts 2.4: a generation of 8, 16 or 32 bits would come round. */
static void generations_do_not_wrap(void **state)
{
	struct weir_xlate *c = cache_of(16, 0);
	struct weir_xlate_lease lease;
	uint32_t i;

	(void)state;
	assert_int_equal(fill(c, 1, 2), WEIR_OK);
	weir_xlate_lease(c, 1, 2, &lease);
	for (i = 0; i < 1u << 16; i++) {
		weir_xlate_invalidate_device(c, 1);
		assert_false(hit(c, 1, 2));
	}
	assert_int_equal(weir_xlate_fill(c, &lease, TAG, 0), WEIR_ESTALE);
	/* As if 2^32 of each had gone by. */
	c->gen_all += (uint64_t)1 << 32;
	assert_false(hit(c, 1, 2));
	assert_int_equal(weir_xlate_fill(c, &lease, TAG, 0), WEIR_ESTALE);
	free(c);
}

/* Sums of different generations do not stand in for each other. */
static void sums_do_not_alias(void **state)
{
	struct weir_xlate *c = cache_of(64, 0);
	struct weir_xlate_lease lease;
	uint32_t round;

	(void)state;
	for (round = 0; round < 100; round++) {
		weir_xlate_lease(c, 1, 2, &lease);
		assert_int_equal(weir_xlate_fill(c, &lease, round, value_of(1, 2)), WEIR_OK);
		assert_true(hit(c, 1, 2));
		if (round % 3 == 0)
			weir_xlate_invalidate_all(c);
		else if (round % 3 == 1)
			weir_xlate_invalidate_device(c, 1);
		else
			weir_xlate_invalidate_tag(c, round);
		assert_false(hit(c, 1, 2));
	}
	free(c);
}

static void what_is_not_there(void **state)
{
	struct weir_xlate *c = cache_of(64, 0);

	(void)state;
	weir_xlate_invalidate_event(c, 9, 9);
	assert_int_equal(fill(c, 0, 0), WEIR_OK);
	weir_xlate_invalidate_event(c, 0, 64);	/* same set, other key */
	assert_true(hit(c, 0, 0));
	free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_scope),
		cmocka_unit_test(guests),
		cmocka_unit_test(leases),
		cmocka_unit_test(any_tag_stops_leases),
		cmocka_unit_test(unconcerned_leases),
		cmocka_unit_test(generations_do_not_wrap),
		cmocka_unit_test(sums_do_not_alias),
		cmocka_unit_test(what_is_not_there),
	};

	return cmocka_run_group_tests_name("xlate_invalidate", tests, NULL, NULL);
}
