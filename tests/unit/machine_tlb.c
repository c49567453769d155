// SPDX-License-Identifier: BSD-2-Clause
/*
 * machine_tlb - the TLB remembers what was entered and forgets what was asked, and nothing else.
 *
 * Goal: T2 (exact invalidation) and T3 (what is evicted) of tlb.h.
 * Method: a TLB large enough never to evict is compared with an array of flags over random fills
 * and invalidations; eviction is checked by hand on one set.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim/machine/tlb.h"

#define BASE	UINT64_C(0x40000)
#define NPAGES	UINT64_C(8192)	/* 16 blocks of 2 MiB */
#define RW	(SIM_TLB_R | SIM_TLB_W)

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void entries_are_found(void **state)
{
	struct sim_tlb *t = sim_tlb_create(0, 0);
	struct sim_tlb_hit hit;

	(void)state;
	assert_false(sim_tlb_lookup(t, 0, &hit));
	assert_false(sim_tlb_lookup(t, BASE, &hit));
	sim_tlb_fill(t, BASE + 5, 0x1234, SIM_TLB_R, 0);
	assert_true(sim_tlb_lookup(t, BASE + 5, &hit));
	assert_int_equal(hit.pfn, 0x1234);
	assert_int_equal(hit.perms, SIM_TLB_R);
	assert_int_equal(hit.order, 0);
	assert_false(sim_tlb_lookup(t, BASE + 4, &hit));
	/* The same translation anew takes the place of the old one. */
	sim_tlb_fill(t, BASE + 5, 0x1234, RW, 0);
	assert_true(sim_tlb_lookup(t, BASE + 5, &hit));
	assert_int_equal(hit.perms, RW);
	assert_int_equal(sim_tlb_entries(t), 1);
	/* A block answers for each of its frames. */
	sim_tlb_fill(t, 1024 + 7, 0x800 + 7, RW, 9);
	assert_true(sim_tlb_lookup(t, 1024, &hit));
	assert_int_equal(hit.pfn, 0x800);
	assert_true(sim_tlb_lookup(t, 1535, &hit));
	assert_int_equal(hit.pfn, 0x800 + 511);
	assert_int_equal(hit.order, 9);
	assert_false(sim_tlb_lookup(t, 1536, &hit));
	assert_false(sim_tlb_lookup(t, 1023, &hit));
	sim_tlb_fill(t, UINT64_C(1) << 39, 0, RW, 18);
	assert_true(sim_tlb_lookup(t, (UINT64_C(1) << 39) + 262143, &hit));
	assert_int_equal(hit.order, 18);
	assert_int_equal(hit.pfn, 262143);
	sim_tlb_invalidate_all(t);
	assert_int_equal(sim_tlb_entries(t), 0);
	assert_false(sim_tlb_lookup(t, BASE + 5, &hit));
	assert_false(sim_tlb_lookup(t, 1024, &hit));
	sim_tlb_destroy(t);
}

static void a_block_goes_with_any_of_its_pages(void **state)
{
	static const struct {
		uint64_t first, last;
		bool goes;
	} cases[] = {
		{ 0, 1023, false },	{ 1536, UINT64_MAX, false }, { 1024, 1024, true },
		{ 1535, 1535, true },	{ 1300, 1310, true },	     { 0, 1024, true },
		{ 1535, 9999, true },	{ 0, UINT64_MAX, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sim_tlb *t = sim_tlb_create(0, 0);
		struct sim_tlb_hit hit;

		sim_tlb_fill(t, 1100, 0x800, RW, 9);
		sim_tlb_fill(t, 10, 10, RW, 0);
		sim_tlb_fill(t, 2000, 2000, RW, 0);
		sim_tlb_invalidate(t, cases[i].first, cases[i].last);
		assert_int_equal(sim_tlb_lookup(t, 1100, &hit), !cases[i].goes);
		assert_int_equal(sim_tlb_lookup(t, 10, &hit), cases[i].first > 10);
		assert_int_equal(sim_tlb_lookup(t, 2000, &hit),
				 !(cases[i].first <= 2000 && cases[i].last >= 2000));
		sim_tlb_destroy(t);
	}
}

static unsigned char page[NPAGES], block[NPAGES / 512];

static void forget(uint64_t first, uint64_t last)
{
	for (uint64_t k = first; k <= last && k < NPAGES; k++)
		page[k] = block[k / 512] = 0;
}

/* Model: which pages and which blocks are entered; no entry may be missing, none too many. */
static void check_against_model(const struct sim_tlb *t)
{
	for (uint64_t k = 0; k < NPAGES; k++) {
		struct sim_tlb_hit hit;
		bool found = sim_tlb_lookup(t, BASE + k, &hit);

		assert_int_equal(found, page[k] || block[k / 512]);
		if (!found)
			continue;
		assert_int_equal(hit.order, page[k] ? 0 : 9);
		assert_int_equal(hit.perms, page[k] ? RW : SIM_TLB_R);
		assert_int_equal(hit.pfn, k + 77 * 512);
	}
}

static void invalidation_is_exact(void **state)
{
	struct sim_tlb *t = sim_tlb_create((uint32_t)NPAGES, 64);
	uint64_t rnd = 88172645463325252;

	(void)state;
	forget(0, NPAGES - 1);
	for (int op = 0; op < 20000; op++) {
		uint64_t i = next_random(&rnd) % NPAGES;
		uint64_t kind = next_random(&rnd) % 1000;
		/* Lengths from one page to half of the whole, short ones as often as long ones. */
		uint64_t n = next_random(&rnd) % ((uint64_t)1 << next_random(&rnd) % 13) + 1;

		if (kind < 900) {
			sim_tlb_fill(t, BASE + i, i + 77 * 512, RW, 0);
			page[i] = 1;
		} else if (kind < 950) {
			sim_tlb_fill(t, BASE + i, i + 77 * 512, SIM_TLB_R, 9);
			block[i / 512] = 1;
		} else if (kind < 998) {
			sim_tlb_invalidate(t, BASE + i, BASE + i + n - 1);
			forget(i, i + n - 1);
			check_against_model(t);
		} else {
			if (kind == 998)
				sim_tlb_invalidate_all(t);
			else
				sim_tlb_invalidate(t, 0, UINT64_MAX);
			forget(0, NPAGES - 1);
			check_against_model(t);
		}
	}
	sim_tlb_destroy(t);
}

static void eviction_is_in_turn(void **state)
{
	struct sim_tlb *t = sim_tlb_create(16, 4);	/* four sets of pages, one of blocks */
	struct sim_tlb_hit hit;

	(void)state;
	for (uint64_t i = 0; i < 6; i++)
		sim_tlb_fill(t, 1 + i * 4, i, RW, 0);	/* all in set 1 */
	sim_tlb_fill(t, 2, 2, RW, 0);
	for (uint64_t i = 0; i < 6; i++)
		assert_int_equal(sim_tlb_lookup(t, 1 + i * 4, &hit), i >= 2);
	assert_true(sim_tlb_lookup(t, 2, &hit));
	/* A gap is filled before anything is evicted. */
	sim_tlb_invalidate(t, 1 + 4 * 4, 1 + 4 * 4);
	sim_tlb_fill(t, 1 + 6 * 4, 6, RW, 0);
	for (uint64_t i = 2; i < 7; i++)
		assert_int_equal(sim_tlb_lookup(t, 1 + i * 4, &hit), i != 4);
	/* Blocks of both sizes share their set and leave pages alone. */
	for (uint64_t i = 0; i < 5; i++)
		sim_tlb_fill(t, i << 18, 0, RW, i & 1 ? 18 : 9);
	assert_false(sim_tlb_lookup(t, 511, &hit));
	assert_true(sim_tlb_lookup(t, (uint64_t)1 << 18, &hit));
	assert_true(sim_tlb_lookup(t, (uint64_t)4 << 18, &hit));
	assert_int_equal(sim_tlb_entries(t), 4 + 1 + 4);
	sim_tlb_destroy(t);
}

static void as_many_entries_as_pages_evict_none(void **state)
{
	struct sim_tlb *t = sim_tlb_create((uint32_t)NPAGES, 0);

	(void)state;
	for (int round = 0; round < 2; round++)
		for (uint64_t i = 0; i < NPAGES; i++)
			sim_tlb_fill(t, BASE + 3 + i * 5 % NPAGES, i, RW, 0);
	assert_int_equal(sim_tlb_entries(t), NPAGES);
	sim_tlb_destroy(t);
}

static void forgetting_all_works_for_ever(void **state)
{
	struct sim_tlb *t = sim_tlb_create(64, 4);
	struct sim_tlb_hit hit;

	(void)state;
	/* More often than a generation can be told apart by 16 bits. */
	sim_tlb_fill(t, 1, 1, RW, 0);
	for (int i = 0; i < 200000; i++) {
		if (i % 777 == 0)
			sim_tlb_fill(t, 100 + (uint64_t)i % 50, 1, RW, i & 1 ? 9 : 0);
		sim_tlb_invalidate_all(t);
		assert_false(sim_tlb_lookup(t, 1, &hit));
		assert_false(sim_tlb_lookup(t, 100 + (uint64_t)i % 50, &hit));
	}
	assert_int_equal(sim_tlb_entries(t), 0);
	sim_tlb_destroy(t);
}

static void impossible_sizes_are_refused(void **state)
{
	(void)state;
	assert_null(sim_tlb_create(2, 4));
	assert_null(sim_tlb_create(48, 4));
	assert_null(sim_tlb_create(64, 5));
	assert_null(sim_tlb_create((uint32_t)1 << 31, 4));
	sim_tlb_destroy(NULL);
}

static void each_vmid_has_its_own(void **state)
{
	struct sim_tlb *t = sim_tlb_create(64, 4);
	struct sim_tlb_hit hit;

	(void)state;
	sim_tlb_fill(t, 0x100, 0x1, SIM_TLB_R, 0);
	sim_tlb_set_vmid(t, 0xffff);
	assert_false(sim_tlb_lookup(t, 0x100, &hit));
	sim_tlb_fill(t, 0x100, UINT64_C(0xffffffffff), SIM_TLB_R, 0);
	sim_tlb_fill(t, 0x200, 0x400, SIM_TLB_R, 9);
	assert_true(sim_tlb_lookup(t, 0x100, &hit));
	assert_int_equal(hit.pfn, UINT64_C(0xffffffffff));
	assert_false(sim_tlb_conflict(t, 0x100, UINT64_C(0xffffffffff), 0, false));
	sim_tlb_set_vmid(t, 0);
	assert_false(sim_tlb_lookup(t, 0x3ff, &hit));
	assert_false(sim_tlb_conflict(t, 0x200, 0x7, 0, false));
	assert_int_equal(sim_tlb_entries(t), 3);
	/* all of one VMID, by whatever range, and nothing of another's */
	sim_tlb_invalidate(t, 0, UINT64_MAX);
	assert_false(sim_tlb_lookup(t, 0x100, &hit));
	sim_tlb_set_vmid(t, 0xffff);
	assert_true(sim_tlb_lookup(t, 0x100, &hit));
	assert_true(sim_tlb_lookup(t, 0x3ff, &hit));
	assert_int_equal(hit.pfn, 0x5ff);
	sim_tlb_invalidate_vmid(t);
	assert_int_equal(sim_tlb_entries(t), 0);
	sim_tlb_fill(t, 0x100, 0x1, SIM_TLB_R, 0);
	sim_tlb_set_vmid(t, 7);
	sim_tlb_invalidate_vmid(t);
	assert_int_equal(sim_tlb_entries(t), 1);
	sim_tlb_invalidate_all(t);
	assert_int_equal(sim_tlb_entries(t), 0);
	sim_tlb_destroy(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_found),
		cmocka_unit_test(a_block_goes_with_any_of_its_pages),
		cmocka_unit_test(invalidation_is_exact),
		cmocka_unit_test(eviction_is_in_turn),
		cmocka_unit_test(as_many_entries_as_pages_evict_none),
		cmocka_unit_test(forgetting_all_works_for_ever),
		cmocka_unit_test(each_vmid_has_its_own),
		cmocka_unit_test(impossible_sizes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
