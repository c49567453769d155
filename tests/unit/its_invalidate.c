// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_invalidate - what a cache in front of the ITS is told, and when.
 *
 * Goal: each change of a translation is announced in the narrowest scope that covers it, after the
 * tables changed and before CREADR moves past the command; nothing else is announced. And a cache
 * that heeds the announcements never differs from the tables.
 * Method: a hook that looks at the tables and CREADR at the moment of the call, against a table of
 * commands and scopes; then a million random commands with a plain map in front (fewer by
 * WEIR_TEST_PERCENT).
 */
#include "its_machine.h"

#include "sim/engine/rng.h"
#include "tests/percent.h"

struct watch {
	struct machine m;
	unsigned int calls;
	struct sim_its_inval last;
	/* At the moment of the call: */
	uint64_t creadr;
	enum sim_its_code code;
	struct sim_its_route route; /* of event (1, 3) */
};

static void on_invalidate(void *ctx, const struct sim_its_inval *inval)
{
	struct watch *w = ctx;

	w->calls++;
	w->last = *inval;
	w->creadr = its_read(&w->m, SIM_GITS_CREADR);
	w->code = sim_its_translate(w->m.its, 1, 3, &w->route);
}

/* Event (1, 3) is LPI 8200 of collection 1, on PE 1; all watched from here on. */
static void start(struct watch *w, enum sim_its_profile profile)
{
	const struct sim_its_hooks hooks = { .invalidate = on_invalidate };

	machine_up_profile(&w->m, profile);
	for (uint32_t pe = 0; pe < 4; pe++)
		mapc(&w->m, pe, pe, true);
	mapd(&w->m, 1, 5, true);
	mapti(&w->m, 1, 3, 8200, 1);
	sim_its_set_hooks(w->m.its, &hooks, w);
	w->calls = 0;
}

#define V	((uint64_t)1 << 63)
#define DEV(d)	((uint64_t)(d) << 32)
#define NONE	99

struct row {
	const char *what;
	uint64_t cmd[4];
	int scope[2]; /* in the profiles qemu and kvm; NONE: not announced */
	enum sim_its_code code[2]; /* of (1, 3) at that moment */
};

static const struct row rows[] = {
	{ "DISCARD", { SIM_ITS_DISCARD | DEV(1), 3, 0, 0 },
	  { SIM_ITS_SCOPE_EVENT, SIM_ITS_SCOPE_EVENT },
	  { SIM_ITS_UNMAPPED_INTERRUPT, SIM_ITS_UNMAPPED_INTERRUPT } },
	{ "MOVI", { SIM_ITS_MOVI | DEV(1), 3, 2, 0 },
	  { SIM_ITS_SCOPE_EVENT, SIM_ITS_SCOPE_EVENT }, { SIM_ITS_OK, SIM_ITS_OK } },
	{ "MAPD again", { SIM_ITS_MAPD | DEV(1), 4, V | ITT(1), 0 },
	  { SIM_ITS_SCOPE_DEVICE, SIM_ITS_SCOPE_DEVICE },
	  { SIM_ITS_OK, SIM_ITS_UNMAPPED_INTERRUPT } },
	{ "MAPD smaller", { SIM_ITS_MAPD | DEV(1), 0, V | ITT(1), 0 },
	  { SIM_ITS_SCOPE_DEVICE, SIM_ITS_SCOPE_DEVICE }, { SIM_ITS_ID_OOR, SIM_ITS_ID_OOR } },
	{ "MAPD V=0", { SIM_ITS_MAPD | DEV(1), 4, ITT(1), 0 },
	  { SIM_ITS_SCOPE_DEVICE, SIM_ITS_SCOPE_DEVICE },
	  { SIM_ITS_UNMAPPED_DEVICE, SIM_ITS_UNMAPPED_DEVICE } },
	{ "MAPC elsewhere", { SIM_ITS_MAPC, 0, V | 3 << 16 | 1, 0 },
	  { SIM_ITS_SCOPE_COLLECTION, SIM_ITS_SCOPE_COLLECTION }, { SIM_ITS_OK, SIM_ITS_OK } },
	{ "MAPC V=0", { SIM_ITS_MAPC, 0, 1, 0 },
	  { SIM_ITS_SCOPE_COLLECTION, SIM_ITS_SCOPE_COLLECTION },
	  { SIM_ITS_UNMAPPED_COLLECTION, SIM_ITS_UNMAPPED_COLLECTION } },
	{ "MAPTI over", { SIM_ITS_MAPTI | DEV(1), DEV(8201) | 3, 2, 0 },
	  { SIM_ITS_SCOPE_EVENT, NONE }, { SIM_ITS_OK, SIM_ITS_OK } },
	{ "MAPTI new", { SIM_ITS_MAPTI | DEV(1), DEV(8201) | 4, 2, 0 }, { NONE, NONE }, { 0 } },
	{ "MAPD new", { SIM_ITS_MAPD | DEV(2), 4, V | ITT(2), 0 }, { NONE, NONE }, { 0 } },
	{ "MAPC new", { SIM_ITS_MAPC, 0, V | 5, 0 }, { NONE, NONE }, { 0 } },
	{ "MOVALL", { SIM_ITS_MOVALL, 0, 1 << 16, 2 << 16 }, { NONE, NONE }, { 0 } },
	{ "INT", { SIM_ITS_INT | DEV(1), 3, 0, 0 }, { NONE, NONE }, { 0 } },
	{ "CLEAR", { SIM_ITS_CLEAR | DEV(1), 3, 0, 0 }, { NONE, NONE }, { 0 } },
	{ "INV", { SIM_ITS_INV | DEV(1), 3, 0, 0 }, { NONE, NONE }, { 0 } },
	{ "INVALL", { SIM_ITS_INVALL, 0, 1, 0 }, { NONE, NONE }, { 0 } },
	{ "SYNC", { SIM_ITS_SYNC, 0, 0, 0 }, { NONE, NONE }, { 0 } },
	{ "DISCARD of none", { SIM_ITS_DISCARD | DEV(1), 4, 0, 0 }, { NONE, NONE }, { 0 } },
	{ "MAPC out of range", { SIM_ITS_MAPC, 0, V | 9 << 16 | 1, 0 }, { NONE, NONE }, { 0 } },
};

static void check(const struct row *row, int profile)
{
	const struct sim_its_inval *last;
	struct watch w;
	uint64_t at;

	start(&w, (enum sim_its_profile)profile);
	at = w.m.write;
	run(&w.m, row->cmd[0], row->cmd[1], row->cmd[2], row->cmd[3]);
	if (w.calls != (row->scope[profile] != NONE))
		fail_msg("%s: announced %u times", row->what, w.calls);
	if (w.calls) {
		last = &w.last;
		assert_int_equal(last->scope, row->scope[profile]);
		if (last->scope <= SIM_ITS_SCOPE_DEVICE)
			assert_int_equal(last->device_id, 1);
		if (last->scope == SIM_ITS_SCOPE_EVENT)
			assert_int_equal(last->event_id, 3);
		if (last->scope == SIM_ITS_SCOPE_COLLECTION)
			assert_int_equal(last->icid, 1);
		/* CREADR had not moved, and the tables had changed. */
		assert_int_equal(w.creadr, at);
		assert_int_equal(w.code, row->code[profile]);
		if (w.code == SIM_ITS_OK && row->cmd[0] != (SIM_ITS_MAPD | DEV(1)))
			assert_true(w.route.pe != 1);
	}
	assert_int_equal(its_read(&w.m, SIM_GITS_CREADR), w.m.write);
	machine_down(&w.m);
}

static void commands_announce_what_they_change(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		check(&rows[i], SIM_ITS_PROFILE_QEMU);
		check(&rows[i], SIM_ITS_PROFILE_KVM);
	}
}

static void switches_announce_everything(void **state)
{
	struct watch w;

	(void)state;
	for (int p = SIM_ITS_PROFILE_QEMU; p <= SIM_ITS_PROFILE_KVM; p++) {
		start(&w, (enum sim_its_profile)p);
		its_write(&w.m, SIM_GITS_CTLR, 0);
		assert_int_equal(w.calls, 1);
		assert_int_equal(w.last.scope, SIM_ITS_SCOPE_ALL);
		assert_int_equal(w.code, SIM_ITS_DISABLED);
		its_write(&w.m, SIM_GITS_BASER, 0);
		assert_int_equal(w.calls, 2);
		its_write(&w.m, SIM_GITS_BASER, SIM_GITS_VALID | DEVICES | UINT64_C(2) << 8);
		its_write(&w.m, SIM_GITS_CTLR, SIM_GITS_CTLR_ENABLED);
		w.calls = 0;
		sim_gicr_write(w.m.gic, 1, SIM_GICR_CTLR, 4, 0);
		assert_int_equal(w.calls, 1);
		assert_int_equal(w.last.scope, SIM_ITS_SCOPE_ALL);
		assert_int_not_equal(w.code, SIM_ITS_OK);
		sim_gicr_write(w.m.gic, 1, SIM_GICR_CTLR, 4, 0);
		sim_gicr_write(w.m.gic, 1, SIM_GICR_CTLR, 4, 1);
		assert_int_equal(w.calls, 1);
		machine_down(&w.m);
	}
}

/* --- a cache of everything, in front of the ITS */

#define DIDS	6u
#define EIDS	16u

struct memory {
	struct machine m;
	bool known[DIDS][EIDS];
	struct sim_its_route routes[DIDS][EIDS];
	uint64_t hits;
};

static void forget(void *ctx, const struct sim_its_inval *inval)
{
	struct memory *c = ctx;

	for (uint32_t d = 0; d < DIDS; d++)
		for (uint32_t e = 0; e < EIDS; e++)
			if (inval->scope == SIM_ITS_SCOPE_ALL ||
			    (inval->scope == SIM_ITS_SCOPE_COLLECTION &&
			     c->routes[d][e].icid == inval->icid) ||
			    (inval->scope == SIM_ITS_SCOPE_DEVICE && d == inval->device_id) ||
			    (inval->scope == SIM_ITS_SCOPE_EVENT && d == inval->device_id &&
			     e == inval->event_id))
				c->known[d][e] = false;
}

static enum sim_its_code remember(void *ctx, struct sim_its *its, uint32_t d, uint32_t e,
				  struct sim_its_route *route)
{
	struct memory *c = ctx;
	struct sim_its_route fresh = { 0 };
	enum sim_its_code code = sim_its_translate(its, d, e, &fresh);

	if (c->known[d][e]) {
		const struct sim_its_route *r = &c->routes[d][e];

		c->hits++;
		assert_int_equal(code, SIM_ITS_OK);
		assert_int_equal(fresh.intid, r->intid);
		assert_int_equal(fresh.pe, r->pe);
		assert_int_equal(fresh.icid, r->icid);
	} else if (code == SIM_ITS_OK) {
		c->known[d][e] = true;
		c->routes[d][e] = fresh;
	}
	*route = fresh;
	return code;
}

static void random_operation(struct memory *c, struct sim_rng *rng)
{
	struct machine *m = &c->m;
	uint32_t d = (uint32_t)sim_rng_below(rng, DIDS), e = (uint32_t)sim_rng_below(rng, EIDS);
	uint32_t icid = (uint32_t)sim_rng_below(rng, 5), pe = (uint32_t)sim_rng_below(rng, 5);

	switch (sim_rng_below(rng, 64)) {
	case 0:
		mapd(m, d, 1 + sim_rng_below(rng, 4), sim_rng_chance(rng, 3, 4));
		break;
	case 1:
		mapc(m, icid, pe, sim_rng_chance(rng, 15, 16));
		break;
	case 2:
		movall(m, pe, sim_rng_below(rng, 4));
		break;
	case 3:
		its_write(m, SIM_GITS_CTLR, sim_rng_below(rng, 8) > 0);
		break;
	case 4:
		sim_gicr_write(m->gic, pe % 4, SIM_GICR_CTLR, 4, sim_rng_below(rng, 8) > 0);
		break;
	case 5:
		take(m, pe % 4);
		break;
	case 6:
	case 7:
		on_event(m, SIM_ITS_DISCARD, d, e);
		break;
	case 8:
	case 9:
		movi(m, d, e, icid);
		break;
	case 10:
	case 11:
	case 12:
	case 13:
	case 14:
	case 15:
		mapti(m, d, e, 8192 + sim_rng_below(rng, 40), icid);
		break;
	default:
		sim_its_msi(m->its, d, e);
		break;
	}
}

static void a_heedful_cache_is_transparent(void **state)
{
	uint64_t n = UINT64_C(10000) * test_percent();

	(void)state;
	for (int p = SIM_ITS_PROFILE_QEMU; p <= SIM_ITS_PROFILE_KVM; p++) {
		const struct sim_its_hooks hooks = { .translate = remember, .invalidate = forget };
		struct memory c = { .hits = 0 };
		struct sim_rng rng;

		machine_up_profile(&c.m, (enum sim_its_profile)p);
		sim_its_set_hooks(c.m.its, &hooks, &c);
		sim_rng_init(&rng, 5, (uint64_t)p, "its_invalidate");
		for (uint64_t i = 0; i < n; i++)
			random_operation(&c, &rng);
		assert_true(c.hits > n / 100);
		machine_down(&c.m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_announce_what_they_change),
		cmocka_unit_test(switches_announce_everything),
		cmocka_unit_test(a_heedful_cache_is_transparent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
