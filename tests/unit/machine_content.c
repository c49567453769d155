// SPDX-License-Identifier: BSD-2-Clause
/*
 * machine_content - the contents of guest memory against a model that is an array.
 *
 * Goal: a copy that is stale, missing, or in the wrong frame is seen, and nothing else is.
 * Method: the model keeps a version and a copy for each frame; 10^6 random stores and sends go to
 * both. Hand-made cases name the frames that must differ.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "sim/machine/content.h"
#include "tests/percent.h"

#define BASE	UINT64_C(0x40000)
#define NPAGES	UINT64_C(5000)	/* not a multiple of 64 */

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static uint64_t share(uint64_t n)
{
	return n * test_percent() / 100;
}

static void versions_count_stores_and_name_the_writer(void **state)
{
	struct sim_content *c = sim_content_create(BASE, NPAGES);

	(void)state;
	assert_int_equal(sim_content_version(c, BASE + 7), 0);
	assert_int_equal(sim_content_store(c, BASE + 7, 3, 1), UINT64_C(3) << 56 | 1);
	assert_int_equal(sim_content_store(c, BASE + 7, 5, 10), UINT64_C(5) << 56 | 11);
	assert_int_equal(sim_content_version(c, BASE + 7), UINT64_C(5) << 56 | 11);
	assert_int_equal(sim_content_version(c, BASE + 8), 0);
	sim_content_destroy(c);
}

static void impossible_sizes_are_refused(void **state)
{
	(void)state;
	assert_null(sim_content_create(BASE, 0));
	assert_null(sim_content_create(0, ((uint64_t)1 << 40) + 1));
	assert_null(sim_content_create(UINT64_MAX - 1, 3));
	sim_content_destroy(NULL);
}

static void nothing_sent_means_all_differ(void **state)
{
	struct sim_content *c = sim_content_create(BASE, NPAGES);
	uint64_t first = 0, nbad = 0;

	(void)state;
	assert_false(sim_content_equal(c, &first, &nbad));
	assert_int_equal(first, BASE);
	assert_int_equal(nbad, NPAGES);
	assert_int_equal(sim_content_send_run(c, BASE, NPAGES), 0);
	assert_true(sim_content_equal(c, NULL, &nbad));
	assert_int_equal(nbad, 0);
	sim_content_forget_received(c);
	assert_false(sim_content_equal(c, NULL, &nbad));
	assert_int_equal(nbad, NPAGES);
	sim_content_destroy(c);
}

static void a_store_after_the_copy_is_seen(void **state)
{
	struct sim_content *c = sim_content_create(BASE, NPAGES);
	struct sim_content_bad bad;
	uint64_t first = 0, nbad = 0, gfn = 0;

	(void)state;
	sim_content_store(c, BASE + 100, 1, 1);
	sim_content_store(c, BASE + NPAGES - 1, 1, 1);
	assert_int_equal(sim_content_send_run(c, BASE, NPAGES), 2);
	assert_true(sim_content_equal(c, NULL, NULL));
	sim_content_store(c, BASE + 100, 1, 1);		/* was written before */
	sim_content_store(c, BASE + 4000, 2, 1);	/* was a zero page when it was sent */
	assert_false(sim_content_equal(c, &first, &nbad));
	assert_int_equal(first, BASE + 100);
	assert_int_equal(nbad, 2);
	assert_false(sim_content_same(c, BASE + 100));
	assert_true(sim_content_same(c, BASE + 101));

	assert_true(sim_content_next_bad(c, 0, &bad));
	assert_int_equal(bad.gfn, BASE + 100);
	assert_int_equal(bad.src_version, UINT64_C(1) << 56 | 2);
	assert_int_equal(bad.dst_content, sim_content_of(BASE + 100, UINT64_C(1) << 56 | 1));
	assert_true(bad.received);
	assert_true(sim_content_next_bad(c, bad.gfn + 1, &bad));
	assert_int_equal(bad.gfn, BASE + 4000);
	assert_int_equal(bad.dst_content, 0);
	assert_false(sim_content_next_bad(c, bad.gfn + 1, &bad));

	assert_true(sim_content_next_written(c, &gfn));
	assert_int_equal(gfn, BASE + 100);
	gfn++;
	assert_true(sim_content_next_written(c, &gfn));
	assert_int_equal(gfn, BASE + 4000);
	gfn++;
	assert_true(sim_content_next_written(c, &gfn));
	assert_int_equal(gfn, BASE + NPAGES - 1);
	gfn++;
	assert_false(sim_content_next_written(c, &gfn));

	sim_content_send(c, BASE + 100);
	sim_content_send(c, BASE + 4000);
	assert_true(sim_content_equal(c, NULL, NULL));
	sim_content_destroy(c);
}

static void a_copy_in_the_wrong_frame_is_seen(void **state)
{
	struct sim_content *c = sim_content_create(BASE, NPAGES);
	uint64_t first = 0, nbad = 0, gfn = 0;

	(void)state;
	/* Both frames at the same version: the copies differ by their frame alone. */
	sim_content_store(c, BASE + 1, 0, 1);
	sim_content_store(c, BASE + 2, 0, 1);
	sim_content_send_run(c, BASE, NPAGES);
	sim_content_send_to(c, BASE + 1, BASE + 2);
	assert_false(sim_content_equal(c, &first, &nbad));
	assert_int_equal(first, BASE + 2);
	assert_int_equal(nbad, 1);
	sim_content_send(c, BASE + 2);
	/* Into a frame that nobody wrote. */
	sim_content_send_to(c, BASE + 1, BASE + 77);
	assert_false(sim_content_equal(c, &first, &nbad));
	assert_int_equal(first, BASE + 77);
	assert_int_equal(nbad, 1);
	/* It has content at the destination only: it is not among the written. */
	gfn = BASE + 3;
	assert_false(sim_content_next_written(c, &gfn));
	/* A zero page into a frame that was written. */
	sim_content_send(c, BASE + 77);
	assert_true(sim_content_equal(c, NULL, NULL));
	sim_content_send_to(c, BASE + 500, BASE + 1);
	assert_false(sim_content_equal(c, &first, &nbad));
	assert_int_equal(first, BASE + 1);
	sim_content_destroy(c);
}

struct model {
	uint64_t src[NPAGES];
	uint64_t copied[NPAGES];	/* version that was sent */
	unsigned char received[NPAGES];
};

static uint64_t model_bad(const struct model *m, uint64_t *first)
{
	uint64_t n = 0;

	for (uint64_t i = NPAGES; i-- > 0;) {
		if (m->received[i] && m->src[i] == m->copied[i])
			continue;
		*first = BASE + i;
		n++;
	}
	return n;
}

static void check_against(const struct sim_content *c, const struct model *m)
{
	uint64_t first = 0, nbad = 0, want_first = 0;
	uint64_t want = model_bad(m, &want_first);
	struct sim_content_bad bad = { 0 };
	uint64_t n = 0;

	assert_int_equal(sim_content_equal(c, &first, &nbad), want == 0);
	assert_int_equal(nbad, want);
	if (want)
		assert_int_equal(first, want_first);
	for (uint64_t gfn = 0; sim_content_next_bad(c, gfn, &bad); gfn = bad.gfn + 1) {
		uint64_t i = bad.gfn - BASE;

		assert_false(m->received[i] && m->src[i] == m->copied[i]);
		assert_int_equal(bad.src_version, m->src[i]);
		assert_int_equal(bad.received, m->received[i]);
		n++;
	}
	assert_int_equal(n, want);
}

static void random_stores_and_sends_match_the_model(void **state)
{
	uint64_t rnd = UINT64_C(0x243f6a8885a308d3);
	uint64_t nops = share(1000000);
	struct sim_content *c = sim_content_create(BASE, NPAGES);
	struct model *m = calloc(1, sizeof(*m));

	(void)state;
	assert_non_null(m);
	for (uint64_t op = 0; op < nops; op++) {
		uint64_t i = next_random(&rnd) % NPAGES;
		uint64_t kind = next_random(&rnd) % 100;

		if (kind < 50) {
			uint64_t n = next_random(&rnd) % 5 + 1;
			unsigned int writer = (unsigned int)(next_random(&rnd) % 256);
			uint64_t count = (m->src[i] & SIM_CONTENT_COUNT_MASK) + n;

			m->src[i] = (uint64_t)writer << 56 | count;
			assert_int_equal(sim_content_store(c, BASE + i, writer, n), m->src[i]);
		} else if (kind < 99) {
			m->copied[i] = m->src[i];
			m->received[i] = 1;
			sim_content_send(c, BASE + i);
			assert_true(sim_content_same(c, BASE + i));
		} else {
			uint64_t n = next_random(&rnd) % (NPAGES - i) % 200 + 1;
			uint64_t nwritten = 0;

			for (uint64_t k = i; k < i + n; k++) {
				m->copied[k] = m->src[k];
				m->received[k] = 1;
				nwritten += m->src[k] != 0;
			}
			assert_int_equal(sim_content_send_run(c, BASE + i, n), nwritten);
		}
		if (op % 50000 == 0)
			check_against(c, m);
	}
	check_against(c, m);
	sim_content_destroy(c);
	free(m);
}

/* 2^24 frames, one in 32 written at random: memory in proportion to what was written. */
static void a_sparse_guest_is_small(void **state)
{
	uint64_t npages = (uint64_t)1 << 24, nstores = share((uint64_t)1 << 19);
	uint64_t rnd = 88172645463325252, n = 0, last = 0, nbad = 0;
	struct sim_content *c = sim_content_create(0, npages);
	struct sim_content_stats stats;

	(void)state;
	for (uint64_t i = 0; i < nstores; i++)
		sim_content_store(c, next_random(&rnd) % npages, 0, 1);
	sim_content_stats(c, &stats);
	assert_true(stats.pages_present <= nstores);
	assert_true(stats.bytes <= npages / 4 + (stats.pages_present + 1024) * 56);
	for (uint64_t gfn = 0; sim_content_next_written(c, &gfn); gfn++) {
		assert_true(n == 0 || gfn > last);
		last = gfn;
		n++;
	}
	assert_int_equal(n, stats.pages_present);
	assert_int_equal(sim_content_send_run(c, 0, npages), n);
	assert_true(sim_content_equal(c, NULL, &nbad));
	sim_content_stats(c, &stats);
	assert_int_equal(stats.pages_received, npages);
	sim_content_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_count_stores_and_name_the_writer),
		cmocka_unit_test(impossible_sizes_are_refused),
		cmocka_unit_test(nothing_sent_means_all_differ),
		cmocka_unit_test(a_store_after_the_copy_is_seen),
		cmocka_unit_test(a_copy_in_the_wrong_frame_is_seen),
		cmocka_unit_test(random_stores_and_sends_match_the_model),
		cmocka_unit_test(a_sparse_guest_is_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
