// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_design - the published translation caches and the library's, as designs in front of an ITS.
 *
 * Goal: each does what was published of it, step by step: what a search looks at, which locks and
 * references it takes, what an invalidation forgets; and none of them changes an answer.
 * Method: short sequences whose counts are worked out by hand from the published algorithms; random
 * commands and interrupts with each hit held against the tables, and the same with the
 * invalidations cut off, which must be noticed.
 */
#include "its_designs.h"

#include "sim/engine/rng.h"
#include "tests/percent.h"

static void start(struct bench *b, enum sim_its_design_kind kind, uint32_t capacity)
{
	bench_up(b, kind, capacity, SIM_ITS_PROFILE_KVM, 16);
}

/* Device 1 with events 0..n-1, LPIs from 8192, collections 0..3 in turn. */
static void map_events(struct bench *b, uint32_t n)
{
	assert_int_equal(mapd(&b->m, 1, 8, true), SIM_ITS_OK);
	for (uint32_t e = 0; e < n; e++)
		assert_int_equal(mapti(&b->m, 1, e, 8192 + e, e % 4), SIM_ITS_OK);
}

static bool look(struct bench *b, uint32_t did, uint32_t eid)
{
	struct sim_its_route route;

	return sim_its_design_lookup(b->design, b->m.its, did, eid, &route);
}

static enum sim_its_code resolve(struct bench *b, uint32_t did, uint32_t eid)
{
	struct sim_its_route route;

	return sim_its_design_resolve(b->design, b->m.its, did, eid, &route);
}

static uint64_t resident(struct bench *b)
{
	struct sim_its_design_stats stats;

	sim_its_design_stats(b->design, &stats);
	return stats.resident;
}

static void expect(struct bench *b, bool hit, uint32_t locks, uint32_t scanned, bool moved,
		   uint32_t refs, uint64_t dropped)
{
	const struct sim_its_work *work = sim_its_design_work(b->design);

	assert_int_equal(work->hit, hit);
	assert_int_equal(work->locks, locks);
	assert_int_equal(work->scanned, scanned);
	assert_int_equal(work->moved, moved);
	assert_int_equal(work->refs, refs);
	assert_int_equal(work->dropped, dropped);
}

#define LIST SIM_ITS_LOCK_LIST
#define PUT  SIM_ITS_LOCK_PUT
#define ITS  SIM_ITS_LOCK_ITS
#define TREE SIM_ITS_LOCK_TREE

/* A list of two entries, from empty to its first victim. */
static void the_list_step_by_step(void **state)
{
	struct bench b;

	(void)state;
	start(&b, SIM_ITS_LIST2019, 2);
	map_events(&b, 3);
	/* -, -: the first entry is empty, and ends the search, twice */
	assert_false(look(&b, 1, 0));
	expect(&b, false, LIST, 1, false, 0, 0);
	assert_int_equal(resolve(&b, 1, 0), SIM_ITS_OK);
	expect(&b, true, ITS | LIST, 1, false, 1, 0);
	assert_true(sim_its_design_work(b.design)->filled);
	assert_int_equal(sim_its_design_work(b.design)->tables, 3);
	/* 0, - */
	assert_true(look(&b, 1, 0));
	expect(&b, true, LIST, 1, false, 0, 0);
	assert_false(look(&b, 1, 1));
	expect(&b, false, LIST, 2, false, 0, 0);
	resolve(&b, 1, 1);
	expect(&b, true, ITS | LIST, 2, false, 1, 0);
	/* 1, 0: event 0 is behind, and moves */
	assert_true(look(&b, 1, 0));
	expect(&b, true, LIST, 2, true, 0, 0);
	/* 0, 1: the list is full; event 2 takes the place of 1, whose reference is given up */
	assert_false(look(&b, 1, 2));
	expect(&b, false, LIST, 2, false, 0, 0);
	resolve(&b, 1, 2);
	expect(&b, true, ITS | LIST, 2, false, 2, 1);
	assert_int_equal(resident(&b), 2);
	/* 2, 0 */
	assert_false(look(&b, 1, 1));
	/* resolved though it is there: no second entry of a key, it only moves */
	resolve(&b, 1, 0);
	expect(&b, true, ITS | LIST, 2, true, 0, 0);
	assert_false(sim_its_design_work(b.design)->filled);
	assert_int_equal(resident(&b), 2);
	bench_down(&b);
}

static void a_hit_of_2024_takes_the_lock_twice(void **state)
{
	struct bench b;

	(void)state;
	start(&b, SIM_ITS_LIST2024, 2);
	map_events(&b, 1);
	resolve(&b, 1, 0);
	assert_true(look(&b, 1, 0));
	expect(&b, true, LIST | PUT, 1, false, 2, 0);
	assert_false(look(&b, 1, 1));
	expect(&b, false, LIST, 2, false, 0, 0);
	bench_down(&b);
}

/* 16 entries a vCPU, and the cliff behind them: one event more in turn, and nothing hits. */
static void the_list_has_a_cliff(void **state)
{
	struct sim_its_design_stats stats;
	struct bench b;

	(void)state;
	for (uint32_t n = 64; n <= 65; n++) {
		start(&b, SIM_ITS_LIST2019, 0);
		assert_int_equal(sim_its_design_capacity(b.design), 4 * 16);
		map_events(&b, n);
		for (uint32_t i = 0; i < 10 * n; i++)
			assert_int_equal(sim_its_msi(b.m.its, 1, i % n), SIM_ITS_OK);
		sim_its_design_stats(b.design, &stats);
		assert_int_equal(stats.hits, n == 64 ? 9 * 64 : 0);
		assert_int_equal(stats.resident_max, 64);
		/* the last to be looked at: all of them, in either case */
		assert_int_equal(sim_its_design_work(b.design)->scanned, n == 64 ? 64 : 128);
		bench_down(&b);
	}
}

static void nodes_of_the_tree(struct bench *b, uint32_t did, uint32_t eid, uint32_t nodes)
{
	assert_true(look(b, did, eid));
	expect(b, true, 0, 0, false, 2, 0);
	assert_true(sim_its_design_work(b->design)->rcu);
	assert_int_equal(sim_its_design_work(b->design)->nodes, nodes);
}

/* 6 bits of the index a node: as high as the largest index needs. */
static void the_tree_step_by_step(void **state)
{
	struct bench b;

	(void)state;
	start(&b, SIM_ITS_XARRAY2024, 1);
	assert_true(sim_its_design_capacity(b.design) == UINT64_MAX);
	mapd(&b.m, 0, 8, true);
	mapti(&b.m, 0, 0, 8200, 0);
	mapti(&b.m, 0, 5, 8201, 0);
	map_events(&b, 200);
	assert_false(look(&b, 0, 0));
	expect(&b, false, 0, 0, false, 0, 0);
	resolve(&b, 0, 0);
	expect(&b, true, ITS | TREE, 0, false, 1, 0);
	nodes_of_the_tree(&b, 0, 0, 0); /* index 0 alone sits in the head */
	resolve(&b, 0, 5);
	nodes_of_the_tree(&b, 0, 5, 1);
	nodes_of_the_tree(&b, 0, 0, 1);
	resolve(&b, 1, 0); /* index 0x10000: 17 bits */
	nodes_of_the_tree(&b, 1, 0, 3);
	nodes_of_the_tree(&b, 0, 5, 3);
	assert_false(look(&b, 1, 1));
	assert_int_equal(sim_its_design_work(b.design)->nodes, 3);
	/* replacing what is there: one reference more, one less */
	resolve(&b, 1, 0);
	expect(&b, true, ITS | TREE, 0, false, 2, 1);
	assert_int_equal(resident(&b), 3);
	/* it has no bound */
	for (uint32_t e = 0; e < 200; e++)
		sim_its_msi(b.m.its, 1, e);
	assert_int_equal(resident(&b), 202);
	/* and goes one by one, each looked for through three nodes */
	movi(&b.m, 1, 7, 0);
	expect(&b, false, TREE, 0, false, 202, 202);
	assert_int_equal(sim_its_design_work(b.design)->nodes, 202 * 3);
	assert_int_equal(resident(&b), 0);
	bench_down(&b);
}

/* The tree's key has 16 bits for each id: what is wider is looked up nowhere and never entered. */
static void ids_that_do_not_fit_do_not_alias(void **state)
{
	static const struct { enum sim_its_design_kind kind; bool wide; } kinds[] = {
		{ SIM_ITS_LIST2019, true }, { SIM_ITS_XARRAY2024, false }, { SIM_ITS_WEIR, true },
	};
	struct bench b;

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		bench_up(&b, kinds[i].kind, 8, SIM_ITS_PROFILE_KVM, 20);
		assert_int_equal(mapd(&b.m, 5, 20, true), SIM_ITS_OK);
		assert_int_equal(mapti(&b.m, 5, 3, 8300, 0), SIM_ITS_OK);
		assert_int_equal(mapti(&b.m, 5, 0x10003, 8301, 1), SIM_ITS_OK);
		assert_int_equal(resolve(&b, 5, 0x10003), SIM_ITS_OK);
		assert_int_equal(sim_its_design_work(b.design)->filled, kinds[i].wide);
		assert_int_equal(look(&b, 5, 0x10003), kinds[i].wide);
		assert_false(look(&b, 5, 3));
		assert_false(look(&b, 6, 3)); /* 5 << 16 plus 0x10003 */
		assert_int_equal(sim_its_design_wrong(b.design), 0);
		bench_down(&b);
	}
}

static void no_cache_walks_every_time(void **state)
{
	struct sim_its_design_stats stats;
	struct bench b;

	(void)state;
	start(&b, SIM_ITS_NONE, 0);
	assert_int_equal(sim_its_design_capacity(b.design), 0);
	map_events(&b, 1);
	assert_false(look(&b, 1, 0));
	expect(&b, false, 0, 0, false, 0, 0);
	assert_int_equal(resolve(&b, 1, 0), SIM_ITS_OK);
	expect(&b, true, ITS, 0, false, 0, 0);
	assert_int_equal(sim_its_design_work(b.design)->tables, 3);
	assert_int_equal(resolve(&b, 1, 1), SIM_ITS_UNMAPPED_INTERRUPT);
	assert_int_equal(sim_its_design_work(b.design)->tables, 2);
	assert_int_equal(resolve(&b, 2, 0), SIM_ITS_UNMAPPED_DEVICE);
	assert_int_equal(sim_its_design_work(b.design)->tables, 1);
	movi(&b.m, 1, 0, 1);
	sim_its_design_stats(b.design, &stats);
	assert_int_equal(stats.invalidations, 0);
	assert_int_equal(stats.resolves, 3);
	bench_down(&b);
}

/* What is left of eight events of device 1 and one of device 2 after one thing has happened. */
enum happening {
	A_MOVI = 0,
	A_DISCARD,
	A_MAPD,
	A_MAPC_ELSEWHERE,
	A_MAPC_OFF,
	A_MOVALL,
	AN_ITS_OFF,
	LPIS_OFF,
	NOTHING_OF_NOTE,
	HAPPENINGS
};

static void happen(struct machine *m, enum happening what)
{
	switch (what) {
	case A_MOVI:
		assert_int_equal(movi(m, 1, 0, 1), SIM_ITS_OK);
		break;
	case A_DISCARD:
		assert_int_equal(on_event(m, SIM_ITS_DISCARD, 1, 0), SIM_ITS_OK);
		break;
	case A_MAPD:
		assert_int_equal(mapd(m, 1, 8, false), SIM_ITS_OK);
		break;
	case A_MAPC_ELSEWHERE:
		assert_int_equal(mapc(m, 0, 3, true), SIM_ITS_OK);
		break;
	case A_MAPC_OFF:
		assert_int_equal(mapc(m, 0, 0, false), SIM_ITS_OK);
		break;
	case A_MOVALL:
		assert_int_equal(movall(m, 0, 1), SIM_ITS_OK);
		break;
	case AN_ITS_OFF:
		its_write(m, SIM_GITS_CTLR, 0);
		break;
	case LPIS_OFF:
		sim_gicr_write(m->gic, 0, SIM_GICR_CTLR, 4, 0);
		break;
	default:
		assert_int_equal(on_event(m, SIM_ITS_INT, 1, 0), SIM_ITS_OK);
		assert_int_equal(on_event(m, SIM_ITS_CLEAR, 1, 0), SIM_ITS_OK);
		assert_int_equal(on_event(m, SIM_ITS_INV, 1, 0), SIM_ITS_OK);
		assert_int_equal(invall(m, 0), SIM_ITS_OK);
		assert_int_equal(mapti(m, 1, 9, 8250, 1), SIM_ITS_OK);
		assert_int_equal(mapd(m, 3, 4, true), SIM_ITS_OK);
		assert_int_not_equal(movi(m, 1, 77, 1), SIM_ITS_OK);
		break;
	}
}

/* Events 0 and 4 of device 1, and event 0 of device 2, are of collection 0. */
static void what_is_forgotten(void **state)
{
	static const uint32_t published[HAPPENINGS] = {
		[A_MAPC_ELSEWHERE] = 9, [NOTHING_OF_NOTE] = 9,
	};
	static const uint32_t precise[HAPPENINGS] = {
		[A_MOVI] = 8, [A_DISCARD] = 8, [A_MAPD] = 1, [A_MAPC_ELSEWHERE] = 6,
		[A_MAPC_OFF] = 6, [A_MOVALL] = 9, [NOTHING_OF_NOTE] = 9,
	};
	struct bench b;

	(void)state;
	for (int kind = SIM_ITS_LIST2019; kind < SIM_ITS_DESIGNS; kind++) {
		for (int what = 0; what < HAPPENINGS; what++) {
			start(&b, (enum sim_its_design_kind)kind, 64);
			map_events(&b, 8);
			mapd(&b.m, 2, 4, true);
			mapti(&b.m, 2, 0, 8240, 0);
			for (uint32_t e = 0; e < 8; e++)
				assert_int_equal(resolve(&b, 1, e), SIM_ITS_OK);
			assert_int_equal(resolve(&b, 2, 0), SIM_ITS_OK);
			assert_int_equal(resident(&b), 9);
			happen(&b.m, (enum happening)what);
			assert_int_equal(resident(&b), kind == SIM_ITS_WEIR ? precise[what]
									    : published[what]);
			bench_down(&b);
		}
	}
}

/* The target is an indirection: a collection that moves takes its remembered LPIs along. */
static void a_hit_follows_its_collection(void **state)
{
	struct bench b;

	(void)state;
	for (int kind = SIM_ITS_LIST2019; kind < SIM_ITS_DESIGNS; kind++) {
		struct sim_its_route route;

		bench_up(&b, (enum sim_its_design_kind)kind, 8, SIM_ITS_PROFILE_QEMU, 16);
		map_events(&b, 1);
		resolve(&b, 1, 0);
		mapc(&b.m, 0, 3, true);
		assert_int_equal(look(&b, 1, 0), kind != SIM_ITS_WEIR);
		assert_int_equal(sim_its_design_translate(b.design, b.m.its, 1, 0, &route),
				 SIM_ITS_OK);
		assert_int_equal(route.pe, 3);
		assert_int_equal(route.intid, 8192);
		assert_int_equal(sim_its_design_wrong(b.design), 0);
		bench_down(&b);
	}
}

/* As published, and the exception of D1: a hit does not look at EnableLPIs. */
static void a_published_hit_does_not_look_at_enable_lpis(void **state)
{
	struct bench b;

	(void)state;
	for (int kind = SIM_ITS_NONE; kind < SIM_ITS_DESIGNS; kind++) {
		bool published = kind != SIM_ITS_NONE && kind != SIM_ITS_WEIR;

		start(&b, (enum sim_its_design_kind)kind, 8);
		map_events(&b, 1);
		sim_gicr_write(b.m.gic, 3, SIM_GICR_CTLR, 4, 0);
		resolve(&b, 1, 0);
		mapc(&b.m, 0, 3, true);
		assert_int_equal(sim_its_msi(b.m.its, 1, 0),
				 published ? SIM_ITS_OK : SIM_ITS_LPIS_DISABLED);
		assert_int_equal(sim_its_design_wrong(b.design), published);
		bench_down(&b);
	}
}

static void random_operation(struct bench *b, struct sim_rng *rng)
{
	struct machine *m = &b->m;
	uint32_t d = (uint32_t)sim_rng_below(rng, 4), e = (uint32_t)sim_rng_below(rng, 12);
	uint32_t icid = (uint32_t)sim_rng_below(rng, 4);

	switch (sim_rng_below(rng, 150)) {
	case 0:
		mapd(m, d, 1 + sim_rng_below(rng, 4), sim_rng_chance(rng, 3, 4));
		break;
	case 1:
		mapc(m, icid, sim_rng_below(rng, 4), sim_rng_chance(rng, 15, 16));
		break;
	case 2:
		on_event(m, SIM_ITS_DISCARD, d, e);
		break;
	case 3:
		movi(m, d, e, icid);
		break;
	case 4:
		movall(m, icid, sim_rng_below(rng, 4));
		break;
	case 5:
		/* off, an interrupt in vain, and on: D1's condition holds at every MAPC */
		sim_gicr_write(m->gic, icid, SIM_GICR_CTLR, 4, 0);
		sim_its_msi(m->its, d, e);
		sim_gicr_write(m->gic, icid, SIM_GICR_CTLR, 4, 1);
		break;
	case 6:
	case 7:
	case 8:
	case 9:
		mapti(m, d, e, 8192 + sim_rng_below(rng, 40), icid);
		break;
	default:
		sim_its_msi(m->its, d, e);
		break;
	}
}

static void no_design_changes_an_answer(void **state)
{
	uint64_t n = UINT64_C(200) * test_percent();
	struct sim_its_design_stats stats;
	struct bench b;
	struct sim_rng rng;

	(void)state;
	/* Fewer do not make every deaf design wrong. */
	if (n < 5000)
		n = 5000;
	for (int i = 0; i < 4 * SIM_ITS_DESIGNS; i++) {
		int kind = i / 4;

		bench_up(&b, (enum sim_its_design_kind)kind, 32,
			   i & 1 ? SIM_ITS_PROFILE_KVM : SIM_ITS_PROFILE_QEMU, 16);
		b.deaf = i & 2;
		sim_rng_init(&rng, 1, (uint64_t)i & 1, "its_design");
		for (uint64_t j = 0; j < n; j++)
			random_operation(&b, &rng);
		sim_its_design_stats(b.design, &stats);
		if (kind == SIM_ITS_NONE) {
			assert_int_equal(stats.hits + stats.resident_max, 0);
		} else {
			assert_true(stats.hits > n / 100);
			assert_true(kind == SIM_ITS_XARRAY2024 || stats.resident_max <= 32);
			if (b.deaf)
				assert_true(sim_its_design_wrong(b.design) > 0);
		}
		if (!b.deaf)
			assert_int_equal(sim_its_design_wrong(b.design), 0);
		bench_down(&b);
	}
}

static void impossible_shapes_are_refused(void **state)
{
	const struct sim_its_design_config none = { .nvcpus = 0 };
	const struct sim_its_design_config huge = { .capacity = UINT32_MAX };
	struct sim_error err = { "" };

	(void)state;
	assert_null(sim_its_design_create(SIM_ITS_LIST2019, &none, &err));
	assert_string_equal(err.text, "its: a cache of 0 entries: must be 1..16777216");
	sim_error_clear(&err);
	assert_null(sim_its_design_create(SIM_ITS_WEIR, &huge, &err));
	assert_string_equal(err.text, "its: a cache of 4294967295 entries: must be 1..16777216");
	for (int kind = 0; kind < SIM_ITS_DESIGNS; kind++)
		assert_non_null(sim_its_design_names[kind]);
	assert_null(sim_its_design_names[SIM_ITS_DESIGNS]);
	sim_its_design_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_list_step_by_step),
		cmocka_unit_test(a_hit_of_2024_takes_the_lock_twice),
		cmocka_unit_test(the_list_has_a_cliff),
		cmocka_unit_test(the_tree_step_by_step),
		cmocka_unit_test(ids_that_do_not_fit_do_not_alias),
		cmocka_unit_test(no_cache_walks_every_time),
		cmocka_unit_test(what_is_forgotten),
		cmocka_unit_test(a_hit_follows_its_collection),
		cmocka_unit_test(a_published_hit_does_not_look_at_enable_lpis),
		cmocka_unit_test(no_design_changes_an_answer),
		cmocka_unit_test(impossible_shapes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
