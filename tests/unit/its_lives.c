// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_lives - guests that live on between saves, and elsewhere.
 *
 * Goal: what died since an earlier save does not come back, and a machine that was migrated answers
 * as it would have without. Method: each way for events to die between two saves; then random lives
 * with saves and migrations anywhere, every event asked before and after.
 */
#include "its_migrate.h"

/*
 * What lived at one save and not at the next: events of a device that was mapped again or unmapped,
 * of a collection that was unmapped, and of a collection table that was taken away.
 */
static void what_died_between_two_saves_stays_dead(void **state)
{
	static const struct { const char *what; bool mapd, mapc, valid; } ends[] = {
		{ "MAPD again", true, false, true },
		{ "MAPD V=0 and back", true, false, false },
		{ "MAPC V=0", false, true, false },
		{ "BASER", false, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct machine m;
		struct sim_error err = { "" };
		struct sim_its_route route;

		start(&m);
		save(&m);
		if (ends[i].mapd) {
			assert_int_equal(mapd(&m, 1, 5, ends[i].valid), SIM_ITS_OK);
			assert_int_equal(mapd(&m, 1, 5, true), SIM_ITS_OK);
		} else if (ends[i].mapc) {
			assert_int_equal(mapc(&m, 1, 0, false), SIM_ITS_OK);
		} else {
			its_write(&m, SIM_GITS_CTLR, 0);
			its_write(&m, SIM_GITS_BASER + 8, 0);
			its_write(&m, SIM_GITS_BASER + 8, V | COLLECTIONS | UINT64_C(2) << 8);
			its_write(&m, SIM_GITS_CTLR, SIM_GITS_CTLR_ENABLED);
		}
		assert_true(load(&m, ITT(1) + 24) == 0);
		save(&m);
		if (!migrate(&m, &err))
			fail_msg("%s: %s", ends[i].what, err.text);
		mapc(&m, 1, 1, true);
		mapc(&m, 2, 3, true);
		assert_int_equal(sim_its_translate(m.its, 1, 3, &route),
				 SIM_ITS_UNMAPPED_INTERRUPT);
		assert_int_equal(sim_its_translate(m.its, 5, 0, &route),
				 ends[i].mapd ? SIM_ITS_OK : SIM_ITS_UNMAPPED_INTERRUPT);
		assert_int_equal(sim_its_translate(m.its, 1, 7, &route),
				 ends[i].mapc ? SIM_ITS_OK : SIM_ITS_UNMAPPED_INTERRUPT);
		machine_down(&m);
	}
}

static void count_writes(void *ctx, uint64_t addr, uint64_t nbytes)
{
	(void)addr;
	(void)nbytes;
	++*(unsigned int *)ctx;
}

/* An event that no save has written leaves no mark on its page when it goes. */
static void what_was_never_saved_is_not_written(void **state)
{
	struct machine m;
	unsigned int writes = 0;

	(void)state;
	start(&m);
	sim_ram_on_write(m.ram, count_writes, &writes);
	on_event(&m, SIM_ITS_DISCARD, 1, 7);
	mapc(&m, 1, 0, false);
	mapd(&m, 1, 5, true);
	mapd(&m, 5, 2, false);
	assert_int_equal(writes, 0);
	machine_down(&m);
}

#define DEVS	4u
#define EVENTS	16u

/* What the machine answers for each event, and whether its LPI is pending there. */
struct answer {
	enum sim_its_code code;
	uint32_t intid, pe;
	bool pending;
};

static void ask(struct machine *m, struct answer answers[DEVS * EVENTS])
{
	for (uint32_t i = 0; i < DEVS * EVENTS; i++) {
		struct sim_its_route route = { .intid = 0 };
		enum sim_its_code code =
			sim_its_translate(m->its, i / EVENTS, i % EVENTS, &route);

		/* What died with its collection is mapped until a save, and not mapped after. */
		if (code == SIM_ITS_UNMAPPED_COLLECTION)
			code = SIM_ITS_UNMAPPED_INTERRUPT;
		answers[i] = (struct answer){ code, route.intid, route.pe, false };
		if (code == SIM_ITS_OK)
			answers[i].pending = sim_gic_lpi_pending(m->gic, route.pe, route.intid);
	}
}

static uint32_t draw(uint64_t *seed, uint32_t n)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33) % n;
}

/* A command of a guest's; each event has an LPI of its own, so that its place is its collection. */
static void live(struct machine *m, uint64_t *seed)
{
	uint32_t did = draw(seed, DEVS), eid = draw(seed, EVENTS), icid = draw(seed, 5);

	switch (draw(seed, 16)) { /* what takes much away is rare */
	case 0:
		if (draw(seed, 6) == 0)
			mapd(m, did, 1 + draw(seed, 4), draw(seed, 3));
		return;
	case 1:
		mapc(m, icid, draw(seed, 4), draw(seed, 12));
		return;
	case 2:
	case 3:
		on_event(m, SIM_ITS_DISCARD, did, eid);
		return;
	case 4:
	case 5:
		movi(m, did, eid, icid);
		return;
	case 6:
		on_event(m, SIM_ITS_CLEAR, did, eid);
		return;
	case 7:
		take(m, draw(seed, 4));
		return;
	case 8:
	case 9:
	case 10:
		on_event(m, SIM_ITS_INT, did, eid);
		return;
	default:
		mapti(m, did, eid, 8192 + did * EVENTS + eid, icid);
		return;
	}
}

/* Saves and migrations anywhere in a guest's life: the answers are those of before. */
static void a_life_goes_on_elsewhere(void **state)
{
	uint64_t seed = 20190611;
	struct answer before[DEVS * EVENTS], after[DEVS * EVENTS];
	unsigned int pending = 0;

	(void)state;
	for (unsigned int life = 0; life < 40; life++) {
		struct machine m;
		struct sim_error err = { "" };

		machine_up_profile(&m, SIM_ITS_PROFILE_KVM);
		for (unsigned int i = 0; i < 600; i++) {
			live(&m, &seed);
			if (draw(&seed, 20))
				continue;
			save(&m);
			if (draw(&seed, 3) == 0)
				continue;
			ask(&m, before);
			if (!migrate(&m, &err))
				fail_msg("life %u, step %u: %s", life, i, err.text);
			ask(&m, after);
			for (uint32_t e = 0; e < DEVS * EVENTS; e++) {
				assert_int_equal(after[e].code, before[e].code);
				assert_int_equal(after[e].intid, before[e].intid);
				assert_int_equal(after[e].pe, before[e].pe);
				assert_int_equal(after[e].pending, before[e].pending);
				pending += before[e].pending;
			}
		}
		machine_down(&m);
	}
	assert_true(pending > 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_died_between_two_saves_stays_dead),
		cmocka_unit_test(what_was_never_saved_is_not_written),
		cmocka_unit_test(a_life_goes_on_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
