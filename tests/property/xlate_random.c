// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: transparency. Whatever is done in whatever order, a hit is what the tables say.
 * Method: random configurations, and in each a random sequence of look-ups with fills, table
 * changes with the narrowest invalidation that covers them, leases that are kept and used later,
 * against a model of one page: the tables.
 * A seed that fails is printed; give it as the only argument to repeat it.
 */
#include "../unit/xlate_caches.h"
#include "tests/percent.h"

#define DEVICES	6u
#define EVENTS	24u
#define LEASES	5u
#define STEPS	4000u

struct entry {
	uint32_t tag;
	uint64_t value;
};

static struct entry table[DEVICES][EVENTS];
static uint64_t rng, versions;
/* Identifiers that are dense, sparse, and wide. */
static uint32_t device_ids[DEVICES], event_ids[EVENTS];

static uint32_t below(uint32_t n)
{
	rng = rng * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((rng >> 33) % n);
}

static void change(uint32_t d, uint32_t e)
{
	table[d][e].value = ++versions;
	table[d][e].tag = below(8) * 1000003u;
}

/* One command: a table change of some extent, then the invalidation that covers it. */
static void command(struct weir_xlate *c)
{
	uint32_t d = below(DEVICES), e = below(EVENTS), i, j, tag;

	switch (below(12)) {
	default:
		change(d, e);
		weir_xlate_invalidate_event(c, device_ids[d], event_ids[e]);
		break;
	case 1:
	case 2:
		for (i = 0; i < EVENTS; i++)
			change(d, i);
		weir_xlate_invalidate_device(c, device_ids[d]);
		break;
	case 3:
	case 4:
		/* What has the tag moves; who has it afterwards is nobody's business. */
		tag = table[d][e].tag;
		for (i = 0; i < DEVICES; i++)
			for (j = 0; j < EVENTS; j++)
				if (table[i][j].tag == tag)
					table[i][j].value = ++versions;
		weir_xlate_invalidate_tag(c, tag);
		break;
	case 5:
		for (i = 0; i < DEVICES; i++)
			for (j = 0; j < EVENTS; j++)
				change(i, j);
		weir_xlate_invalidate_all(c);
		break;
	}
}

/* A walk that was under way when others changed the tables: it may have read old or new entries. */
struct walk {
	struct weir_xlate_lease lease;
	struct entry read;
	int open;
};

static void run(uint64_t seed)
{
	static const uint32_t ways[] = { 0, 2, 4, 8, 16 };
	struct weir_xlate_config cfg;
	struct walk walks[LEASES] = { { .open = 0 } };
	struct weir_xlate_stats stats;
	struct weir_xlate *c;
	uint32_t i, j, hits = 0, misses = 0, spread;

	rng = seed;
	versions = 0;
	cfg.capacity = 1 + below(below(2) ? 20 : 200);
	cfg.ways = ways[below(5)];
	cfg.index = below(2);
	cfg.device_stride = below(2) ? 0 : 2 * below(1000) + 1;
	cfg.seed = below(1000);
	cfg.flags = below(4);
	spread = below(3);
	for (i = 0; i < DEVICES; i++)
		device_ids[i] = spread == 0 ? i : spread == 1 ? i * 8 : UINT32_MAX - i * 0x10001;
	for (i = 0; i < EVENTS; i++)
		event_ids[i] = spread == 2 ? i * 0x10000 : i;
	for (i = 0; i < DEVICES; i++)
		for (j = 0; j < EVENTS; j++)
			change(i, j);
	c = cache_with_ops(&cfg, NULL, NULL);
	for (i = 0; i < STEPS; i++) {
		uint32_t d = below(DEVICES), e = below(EVENTS), what = below(20);
		struct walk *w = &walks[below(LEASES)];
		uint64_t value;

		if (what == 0) {
			command(c);
		} else if (what == 1 && !w->open) {
			weir_xlate_lease(c, device_ids[d], event_ids[e], &w->lease);
			w->read = table[d][e];
			w->open = 1;
		} else if (what == 2 && w->open) {
			/* Accepted or not, the next look-ups tell whether it was right. */
			(void)weir_xlate_fill(c, &w->lease, w->read.tag, w->read.value);
			w->open = 0;
		} else {
			if (below(2))
				d = e = 0;
			if (weir_xlate_lookup(c, device_ids[d], event_ids[e], &value)) {
				hits++;
				if (value != table[d][e].value)
					fail_msg("seed %llu, step %u: stale",
						 (unsigned long long)seed, i);
				continue;
			}
			misses++;
			weir_xlate_lease(c, device_ids[d], event_ids[e], &walks[0].lease);
			assert_int_equal(weir_xlate_fill(c, &walks[0].lease, table[d][e].tag,
							 table[d][e].value), WEIR_OK);
			walks[0].open = 0;
			assert_true(weir_xlate_lookup(c, device_ids[d], event_ids[e], &value));
			assert_true(value == table[d][e].value);
			hits++;
		}
		if (i % 64 == 0)
			assert_true(weir_xlate_residency(c) <= cfg.capacity);
	}
	weir_xlate_stats(c, &stats);
	assert_true(stats.hits == (cfg.flags & WEIR_XLATE_F_COUNTERS ? hits : 0));
	assert_true(stats.misses == (cfg.flags & WEIR_XLATE_F_COUNTERS ? misses : 0));
	free(c);
}

static uint64_t first = 1, nseeds = 400;

static void random_runs(void **state)
{
	uint64_t seed;

	(void)state;
	for (seed = first; seed < first + nseeds; seed++)
		run(seed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_runs) };

	if (test_percent() < 100)
		nseeds = nseeds * test_percent() / 100 + 1;
	if (argc > 1) {
		first = strtoull(argv[1], NULL, 10);
		nseeds = 1;
	}
	return cmocka_run_group_tests_name("xlate_random", tests, NULL, NULL);
}
