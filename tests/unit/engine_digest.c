// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: the digest is the same on every host, compiler and level of optimisation; and that of the
 * empty input, and of bytes in any pieces, is XXH3's.
 * Method: a small machine of everything in the engine (queue with ties and cancellations, streams,
 * Zipf, histogram, counters, history) runs to the end. Its digest has no meaning of its own; all
 * builds and architectures that run this test must agree on it, and a change of it is a change of
 * what seeds mean.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>
#include <cmocka.h>

#include "sim/engine/digest.h"
#include "sim/engine/hist.h"
#include "sim/engine/history.h"
#include "sim/engine/queue.h"
#include "sim/engine/rng.h"
#include "sim/engine/stats.h"

#define AGREED "8700a0ec826a62d35da0462c60c5add2"

enum { NACTORS = 64, NEVENTS = 100000 };

static const struct sim_history_kind kinds[] = { { 1, "step", "actor", "rank", "draw" } };

struct machine {
	struct sim_queue *queue;
	struct sim_history *history;
	struct sim_hist *ranks;
	struct sim_rng rng;
	struct sim_zipf zipf;
	uint64_t ids[NACTORS];
	uint64_t nevents;
};

static void step(void *ctx, uint64_t actor)
{
	struct machine *m = ctx;
	const uint64_t rank = sim_zipf_next(&m->zipf, &m->rng);
	const uint64_t draw = sim_rng_below(&m->rng, 1000);
	const uint64_t delay_ns = sim_rng_below(&m->rng, 100);
	const uint32_t prio = (uint32_t)sim_rng_below(&m->rng, 3);
	const uint64_t other = sim_rng_below(&m->rng, NACTORS);

	sim_history_emit(m->history, sim_queue_now(m->queue), 1, (uint32_t)actor, rank, draw);
	sim_hist_add(m->ranks, rank);
	if (++m->nevents >= NEVENTS)
		return;
	m->ids[actor] = sim_queue_post(m->queue, sim_queue_now(m->queue) + delay_ns, prio, step, m,
				       actor);
	if (sim_rng_chance(&m->rng, 1, 7) && sim_queue_cancel(m->queue, m->ids[other]))
		m->ids[other] = sim_queue_post(m->queue, sim_queue_now(m->queue) + 7, 2, step, m,
					       other);
}

static void run_machine(uint64_t seed, char digest[SIM_DIGEST_HEX_BYTES])
{
	static const uint32_t ppms[] = { 0, 1000, 500000, 990000, 1000000 };
	struct sim_stats *stats = sim_stats_create();
	struct sim_error err = { "" };
	struct machine m = {
		.queue = sim_queue_create(),
		.history = sim_history_create(kinds, 1, NULL, &err),
		.ranks = sim_hist_create(0),
	};

	sim_rng_init(&m.rng, seed, 0, "machine");
	sim_zipf_init(&m.zipf, 1u << 20, 990);
	for (uint64_t i = 0; i < NACTORS; i++)
		m.ids[i] = sim_queue_post(m.queue, i % 5, 0, step, &m, i);
	while (sim_queue_run_one(m.queue))
		continue;
	for (size_t i = 0; i < sizeof(ppms) / sizeof(ppms[0]); i++) {
		char name[32];

		snprintf(name, sizeof(name), "rank.ppm%u", ppms[i]);
		sim_stat_set(sim_stat_add(stats, name, "1", "a percentile of the ranks"),
			     sim_hist_percentile(m.ranks, ppms[i]));
	}
	assert_true(sim_history_finish(m.history, stats, &err));
	sim_history_digest_hex(m.history, digest);
	sim_zipf_fini(&m.zipf);
	sim_hist_destroy(m.ranks);
	sim_history_destroy(m.history);
	sim_queue_destroy(m.queue);
	sim_stats_destroy(stats);
}

static void test_agreed_digest(void **state)
{
	char digest[SIM_DIGEST_HEX_BYTES];
	char again[SIM_DIGEST_HEX_BYTES];
	char other[SIM_DIGEST_HEX_BYTES];

	(void)state;
	run_machine(42, digest);
	run_machine(42, again);
	run_machine(43, other);
	assert_string_equal(digest, again);
	assert_string_not_equal(digest, other);
	assert_string_equal(digest, AGREED);
}

/* The well-known XXH3-128 of empty input, in its canonical form. */
static void test_empty(void **state)
{
	struct sim_digest *digest = sim_digest_create();
	char hex[SIM_DIGEST_HEX_BYTES];

	(void)state;
	sim_digest_hex(digest, hex);
	assert_string_equal(hex, "99aa06d3014798d86001c324468d497f");
	sim_digest_destroy(digest);
	sim_digest_destroy(NULL);
}

static void test_pieces(void **state)
{
	static unsigned char bytes[5000];
	struct sim_digest *digest = sim_digest_create();
	XXH128_canonical_t canonical;
	uint8_t got[SIM_DIGEST_BYTES];
	size_t pos = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * i >> 3);
	for (size_t len = 0; pos < sizeof(bytes); len = (len + 37) % 400) {
		const size_t part = len < sizeof(bytes) - pos ? len : sizeof(bytes) - pos;

		sim_digest_update(digest, bytes + pos, part);
		pos += part;
		XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, pos));
		sim_digest_get(digest, got);
		assert_memory_equal(got, canonical.digest, sizeof(got));
	}
	sim_digest_destroy(digest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_agreed_digest),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
