// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: a guest that moves one interrupt again and again does not slow down its neighbours. Method:
 * 16 devices of 16 events inject at 100 kHz each; MOVI at 10 kHz on one of them, MAPD at 1 kHz on
 * another, a collection that is remapped at 100 Hz; in integer time, without a clock. What is not
 * named by a command hits at least 95 times in a hundred.
 */
#include "xlate_caches.h"

#define DEVICES	16u
#define EVENTS	16u
#define TICKS	200000u		/* of 10 us: two seconds */

struct count {
	uint32_t hits, all;
};

static void inject(struct weir_xlate *c, uint32_t d, uint32_t e, struct count *n)
{
	struct weir_xlate_lease lease;
	uint64_t value;

	n->all++;
	if (weir_xlate_lookup(c, d * 8, e, &value)) {
		n->hits++;
		return;
	}
	weir_xlate_lease(c, d * 8, e, &lease);
	assert_int_equal(weir_xlate_fill(c, &lease, d, value_of(d * 8, e)), WEIR_OK);
}

/* Permille of hits of the devices that no command names; movi and the rest are periods in ticks. */
static uint32_t survivors(uint32_t movi, uint32_t mapd, uint32_t mapc)
{
	struct weir_xlate *c = cache_of(DEVICES * EVENTS, 0);
	struct count named = { 0 }, others = { 0 };
	uint32_t t, d;

	for (t = 0; t < TICKS; t++) {
		for (d = 0; d < DEVICES; d++)
			inject(c, d, (t * 7 + d) % EVENTS, d < 3 ? &named : &others);
		if (movi && t % movi == 0)
			weir_xlate_invalidate_event(c, 0, t / movi % EVENTS);
		if (mapd && t % mapd == 0)
			weir_xlate_invalidate_device(c, 8);
		if (mapc && t % mapc == 0)
			weir_xlate_invalidate_tag(c, 2);
	}
	free(c);
	return (uint32_t)((uint64_t)others.hits * 1000 / others.all);
}

static void storms(void **state)
{
	(void)state;
	assert_true(survivors(10, 0, 0) >= 950);
	assert_true(survivors(0, 100, 0) >= 950);
	assert_true(survivors(10, 100, 1000) >= 950);
	print_message("survivors: MOVI %u, with MAPD and MAPC %u permille\n", survivors(10, 0, 0),
		      survivors(10, 100, 1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(storms) };

	return cmocka_run_group_tests_name("xlate_storm", tests, NULL, NULL);
}
