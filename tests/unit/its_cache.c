// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_cache - the library's translation cache in front of an ITS.
 *
 * Goal: what the cache answers is what the tables say, in either place for mappings, under any
 * commands; it is not asked to remember what must not be; and the check of that can fail.
 * Method: random commands and interrupts with `verify` on; the same with the invalidations cut off,
 * which must be noticed; single cases by the cache's counters.
 */
#include "its_machine.h"

#include "sim/engine/rng.h"
#include "sim/machine/its_cache.h"
#include "tests/percent.h"

struct cached {
	struct machine m;
	struct sim_its_cache *cache;
	bool deaf; /* invalidations get lost */
};

static enum sim_its_code on_translate(void *ctx, struct sim_its *its, uint32_t device_id,
				      uint32_t event_id, struct sim_its_route *route)
{
	return sim_its_cache_translate(((struct cached *)ctx)->cache, its, device_id, event_id,
				       route);
}

static void on_invalidate(void *ctx, const struct sim_its_inval *inval)
{
	struct cached *c = ctx;

	if (!c->deaf)
		sim_its_cache_invalidate(c->cache, inval);
}

static void start(struct cached *c, enum sim_its_profile profile, enum sim_gic_v4 v4,
		  uint32_t capacity)
{
	const struct sim_its_hooks hooks = { .translate = on_translate,
					     .invalidate = on_invalidate };
	const struct sim_its_config its = { .choices = *sim_its_profile(profile) };
	const struct weir_xlate_config cfg = { .capacity = capacity };
	struct sim_error err = { "" };

	*c = (struct cached){ .deaf = false };
	c->cache = sim_its_cache_create(&cfg, true, &err);
	assert_non_null(c->cache);
	machine_up(&c->m, &its, v4);
	sim_its_set_hooks(c->m.its, &hooks, c);
	for (uint32_t pe = 0; pe < 4; pe++)
		mapc(&c->m, pe, pe, true);
}

static void stop(struct cached *c)
{
	machine_down(&c->m);
	sim_its_cache_destroy(c->cache);
}

static struct weir_xlate_stats counts(struct cached *c)
{
	struct weir_xlate_stats s;

	weir_xlate_stats(sim_its_cache_xlate(c->cache), &s);
	return s;
}

static void random_operation(struct cached *c, struct sim_rng *rng)
{
	struct machine *m = &c->m;
	uint32_t d = (uint32_t)sim_rng_below(rng, 6), e = (uint32_t)sim_rng_below(rng, 16);
	uint32_t icid = (uint32_t)sim_rng_below(rng, 4);

	switch (sim_rng_below(rng, 40)) {
	case 0:
		mapd(m, d, 1 + sim_rng_below(rng, 4), sim_rng_chance(rng, 3, 4));
		break;
	case 1:
		mapc(m, icid, sim_rng_below(rng, 4), sim_rng_chance(rng, 63, 64));
		break;
	case 2:
		on_event(m, SIM_ITS_DISCARD, d, e);
		break;
	case 3:
	case 4:
		movi(m, d, e, icid);
		break;
	case 5:
	case 6:
	case 7:
	case 8:
		mapti(m, d, e, 8192 + sim_rng_below(rng, 40), icid);
		break;
	case 9:
		sim_gicr_write(m->gic, icid, SIM_GICR_CTLR, 4, sim_rng_below(rng, 16) > 0);
		break;
	default:
		sim_its_msi(m->its, d, e);
		break;
	}
}

static uint64_t wrong_after(bool deaf, enum sim_its_profile profile, uint32_t capacity,
			    uint64_t n)
{
	struct cached c;
	struct sim_rng rng;
	uint64_t wrong;

	start(&c, profile, SIM_GIC_V4_NONE, capacity);
	c.deaf = deaf;
	sim_rng_init(&rng, capacity, profile, "its_cache");
	for (uint64_t i = 0; i < n; i++)
		random_operation(&c, &rng);
	assert_true(counts(&c).hits > n / 100);
	assert_true(weir_xlate_residency(sim_its_cache_xlate(c.cache)) <= capacity);
	wrong = sim_its_cache_wrong(c.cache);
	stop(&c);
	return wrong;
}

static void hits_are_what_the_tables_say(void **state)
{
	uint64_t n = UINT64_C(3000) * test_percent();

	(void)state;
	for (int p = SIM_ITS_PROFILE_QEMU; p <= SIM_ITS_PROFILE_KVM; p++) {
		assert_int_equal(wrong_after(false, (enum sim_its_profile)p, 64, n), 0);
		assert_int_equal(wrong_after(false, (enum sim_its_profile)p, 16, n), 0);
		assert_true(wrong_after(true, (enum sim_its_profile)p, 64, n) > 0);
	}
}

static void errors_are_not_remembered(void **state)
{
	struct cached c;

	(void)state;
	start(&c, SIM_ITS_PROFILE_KVM, SIM_GIC_V4_NONE, 64);
	assert_int_equal(sim_its_msi(c.m.its, 1, 3), SIM_ITS_UNMAPPED_DEVICE);
	mapd(&c.m, 1, 5, true);
	assert_int_equal(sim_its_msi(c.m.its, 1, 3), SIM_ITS_UNMAPPED_INTERRUPT);
	mapti(&c.m, 1, 3, 8200, 1);
	sim_gicr_write(c.m.gic, 1, SIM_GICR_CTLR, 4, 0);
	assert_int_equal(sim_its_msi(c.m.its, 1, 3), SIM_ITS_LPIS_DISABLED);
	assert_int_equal(counts(&c).fills, 0);
	sim_gicr_write(c.m.gic, 1, SIM_GICR_CTLR, 4, 1);
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(sim_its_msi(c.m.its, 1, 3), SIM_ITS_OK);
	assert_int_equal(counts(&c).fills, 1);
	assert_int_equal(counts(&c).hits, 4);
	assert_int_equal(take(&c.m, 1), 8200);
	stop(&c);
}

static void virtual_interrupts_are_not_remembered(void **state)
{
	struct cached c;

	(void)state;
	start(&c, SIM_ITS_PROFILE_QEMU, SIM_GIC_V4_0, 64);
	mapd(&c.m, 1, 5, true);
	/* Physical, and remembered; then virtual: the next interrupt is the vPE's. */
	mapti(&c.m, 1, 3, 8200, 1);
	sim_its_msi(c.m.its, 1, 3);
	assert_int_equal(take(&c.m, 1), 8200);
	run(&c.m, SIM_ITS_VMAPP, 0, (uint64_t)1 << 63, VPT(0) | 15);
	run(&c.m, SIM_ITS_VMAPTI | (uint64_t)1 << 32, 3, UINT64_C(8300) << 32 | 8210, 0);
	assert_int_equal(c.m.code, SIM_ITS_OK);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(sim_its_msi(c.m.its, 1, 3), SIM_ITS_OK);
	assert_int_equal(take(&c.m, 1), SIM_GIC_SPURIOUS);
	assert_int_equal(take(&c.m, 0), 8300);
	assert_int_equal(counts(&c).hits, 0);
	assert_int_equal(counts(&c).fills, 1);
	stop(&c);
}

static void impossible_shapes_are_refused(void **state)
{
	const struct weir_xlate_config cfg = { .capacity = 0 };
	struct sim_error err = { "" };

	(void)state;
	assert_null(sim_its_cache_create(&cfg, false, &err));
	assert_non_null(strstr(err.text, "capacity 0"));
	sim_its_cache_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hits_are_what_the_tables_say),
		cmocka_unit_test(errors_are_not_remembered),
		cmocka_unit_test(virtual_interrupts_are_not_remembered),
		cmocka_unit_test(impossible_shapes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
