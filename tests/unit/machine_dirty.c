// SPDX-License-Identifier: BSD-2-Clause
/*
 * machine_dirty - the real dirty log over the simulated machine, judged by memory contents.
 *
 * Goal: with every invalidation in place the destination ends with what the source holds, under
 * every policy and from every size of mapping; with invalidations planted out it does not, which
 * shows that the machine can lose a page.
 * Method: vCPUs store at random through TLBs and faults while pages are harvested and copied; at
 * the end contents are compared. In between the log's invariant I1 is checked on every page, from
 * leaves, TLBs and peek alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "sim/machine/content.h"
#include "sim/machine/dirty_glue.h"
#include "tests/percent.h"

#define BASE	UINT64_C(0x40000)
#define NVCPUS	4u
#define NWORDS	64u

struct guest {
	struct sim_s2 *s2;
	struct sim_mmu *mmu;
	struct sim_content *content;
	struct sim_dirty_glue glue;
	struct weir_dirty *d;
	void *mem;
	uint64_t npages;
	uint64_t rnd;
	bool sticky;
};

static const struct weir_dirty_config policies[] = {
	{ .policy = WEIR_DIRTY_WP },
	{ .policy = WEIR_DIRTY_WP_EAGER },
	{ .policy = WEIR_DIRTY_DBM_ALL },
	{ .policy = WEIR_DIRTY_FIXED, .neighbourhood = 64 },
	{ .policy = WEIR_DIRTY_FIXED, .neighbourhood = 1 },
	{ .policy = WEIR_DIRTY_ADAPTIVE },
};

#define NPOLICIES	(sizeof(policies) / sizeof(policies[0]))

static uint64_t rnd(struct guest *g, uint64_t n)
{
	g->rnd ^= g->rnd << 13;
	g->rnd ^= g->rnd >> 7;
	g->rnd ^= g->rnd << 17;
	return g->rnd % n;
}

static uint64_t share(uint64_t n)
{
	return n * test_percent() / 100;
}

static void create(struct guest *g, const struct weir_dirty_config *policy, uint64_t npages,
		   unsigned int order, bool sticky)
{
	struct sim_s2_config tables = {
		.geometry = SIM_S2_GEOMETRY_4K,
		.table_base_pa = (uint64_t)1 << 40,
		.table_bytes_max = 4 << 20,
	};
	struct sim_mmu_config mmu = {
		.nvcpus = NVCPUS,
		.vtcr = { .ha = true, .hd = true, .pa_bits = 48 },
		.tlb_page_entries = 16384,
		.sticky_permissions = sticky,
	};
	struct weir_dirty_config cfg = *policy;

	*g = (struct guest){ .npages = npages, .rnd = 88172645463325252, .sticky = sticky };
	assert_int_equal(sim_s2_create(&tables, &g->s2), WEIR_OK);
	assert_int_equal(sim_mmu_create(&mmu, g->s2, &g->mmu), WEIR_OK);
	assert_int_equal(sim_s2_map(g->s2, BASE, npages, BASE, SIM_S2_ATTRS_RW, order), WEIR_OK);
	g->content = sim_content_create(BASE, npages);
	g->glue = (struct sim_dirty_glue){ .s2 = g->s2, .mmu = g->mmu };
	cfg.base_gfn = BASE;
	cfg.npages = npages;
	cfg.flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_COUNTERS;
	g->mem = aligned_alloc(64, (weir_dirty_size(&cfg) + 63) & ~(size_t)63);
	assert_non_null(g->mem);
	assert_int_equal(weir_dirty_init(g->mem, weir_dirty_size(&cfg), &cfg,
					 sim_dirty_glue_ops(&g->glue), &g->glue, &g->d),
			 WEIR_OK);
}

static void destroy(struct guest *g)
{
	sim_mmu_destroy(g->mmu);
	sim_s2_destroy(g->s2);
	sim_content_destroy(g->content);
	free(g->mem);
}

/* A store, with the faults it takes. */
static void guest_store(struct guest *g, unsigned int vcpu, uint64_t gfn)
{
	struct weir_dirty_fault_info info;
	struct sim_walk w;
	unsigned int tries = 0;

	g->glue.vcpu = vcpu;
	while (!sim_mmu_access(g->mmu, vcpu, gfn, SIM_WRITE, &w)) {
		assert_int_equal(w.fault, SIM_FAULT_PERMISSION);
		assert_true(tries++ < 3);
		assert_int_equal(weir_dirty_fault(g->d, gfn, &info), WEIR_OK);
		/* Where the TLB keeps what is forbidden, the fault itself may be out of date. */
		if (g->sticky && info.outcome == WEIR_DIRTY_SPURIOUS)
			sim_mmu_invalidate_local(g->mmu, vcpu, gfn);
	}
	sim_content_store(g->content, gfn, vcpu, 1);
}

static void send_words(struct guest *g, const struct weir_dirty_word *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (uint64_t pages = words[i].pages; pages; pages &= pages - 1)
			sim_content_send(g->content,
					 words[i].gfn + (unsigned int)__builtin_ctzll(pages));
}

/* Take and copy what is dirty; some portions are given back, as after a broken connection. */
static void harvest_and_send(struct guest *g, bool fail_some)
{
	struct weir_dirty_word words[NWORDS];
	struct weir_dirty_cursor cur;
	struct weir_dirty_txn txn;
	enum weir_status st;

	weir_dirty_cursor_init(g->d, &cur);
	assert_int_equal(weir_dirty_harvest_begin(g->d, &txn, &cur, words, NWORDS), WEIR_OK);
	do {
		st = weir_dirty_harvest_step(g->d, &txn, 0);
		assert_true(st == WEIR_OK || st == WEIR_EAGAIN);
		if (fail_some && rnd(g, 20) == 0) {
			weir_dirty_harvest_abort(g->d, &txn);
			return;
		}
		send_words(g, words, txn.nwords);
		weir_dirty_harvest_commit(g->d, &txn);
	} while (st != WEIR_OK);
	weir_dirty_harvest_abort(g->d, &txn);
}

/*
 * I1 between operations, with no transaction open: a page's bit is set; or nothing can write it
 * without faulting; or hardware will note the write. And nothing writable is a block (blocks are
 * split before they are tracked) unless all its pages are dirty.
 */
static void check_page(struct guest *g, uint64_t gfn)
{
	unsigned int peek = weir_dirty_peek(g->d, gfn), order;
	uint64_t desc = *sim_s2_leaf(g->s2, gfn, &order);

	if (peek & WEIR_DIRTY_PEEK_BIT)
		return;
	if (peek & WEIR_DIRTY_PEEK_HW && desc & SIM_DESC_DBM) {
		assert_int_equal(order, 0);
		if (!(desc & SIM_DESC_W))
			assert_false(sim_mmu_any_writable(g->mmu, gfn, NULL));
		return;
	}
	assert_int_equal(desc & (SIM_DESC_W | SIM_DESC_DBM), 0);
	assert_false(sim_mmu_any_writable(g->mmu, gfn, NULL));
}

static void check_pages(struct guest *g)
{
	for (uint64_t i = 0; i < g->npages; i++)
		check_page(g, BASE + i);
}

/* Most stores to a hot set, some to a run, few anywhere. */
static void random_store(struct guest *g)
{
	uint64_t page, kind = rnd(g, 10);

	if (kind < 6)
		page = rnd(g, 40) * 193;
	else if (kind < 9)
		page = 1000 + rnd(g, 300);
	else
		page = rnd(g, g->npages < 8192 ? g->npages : 8192);
	guest_store(g, (unsigned int)rnd(g, NVCPUS), BASE + page % g->npages);
}

static void migrate(struct guest *g, bool all_dirty, uint64_t nstores, bool check)
{
	for (int i = 0; i < 500; i++)
		random_store(g);
	assert_int_equal(weir_dirty_start(g->d, all_dirty), WEIR_OK);
	if (!all_dirty)
		sim_content_send_run(g->content, BASE, g->npages);
	for (int round = 0; round < 8; round++) {
		for (uint64_t i = 0; i < nstores; i++)
			random_store(g);
		harvest_and_send(g, round < 7);
		if (check && round % 3 == 0)
			check_pages(g);
	}
	assert_int_equal(weir_dirty_final(g->d), WEIR_OK);
	harvest_and_send(g, false);
	weir_dirty_stop(g->d);
}

static void contents_arrive_under_every_policy(void **state)
{
	static const struct {
		uint64_t npages;
		unsigned int order;
	} maps[] = { { 8192 + 37, 0 }, { 8192, 9 }, { 262144, 18 } };

	(void)state;
	for (size_t p = 0; p < NPOLICIES; p++) {
		for (size_t k = 0; k < 3 * 4; k++) {
			struct guest g;
			uint64_t first = 0, nbad = 0;

			create(&g, &policies[p], maps[k % 3].npages, maps[k % 3].order, k / 3 & 1);
			migrate(&g, k / 6, share(4000), maps[k % 3].order < 18);
			if (!sim_content_equal(g.content, &first, &nbad))
				fail_msg("policy %zu, map %zu: %llu pages, first 0x%llx", p, k,
					 (unsigned long long)nbad, (unsigned long long)first);
			destroy(&g);
		}
	}
}

static void without_invalidation_pages_are_lost(void **state)
{
	(void)state;
	for (size_t p = 0; p < NPOLICIES; p++) {
		struct guest g;
		uint64_t nbad = 0;

		create(&g, &policies[p], 8192, 0, false);
		g.glue.skip_tlbi = true;
		migrate(&g, false, 2000, false);
		assert_false(sim_content_equal(g.content, NULL, &nbad));
		assert_true(nbad > 0);
		destroy(&g);
	}
}

/* One page, one vCPU, one forgotten invalidation, step by step. */
static void one_forgotten_invalidation_loses_one_store(void **state)
{
	(void)state;
	for (size_t p = 0; p < NPOLICIES; p++) {
		struct guest g;
		uint64_t first = 0, nbad = 0, gfn = BASE + 77;

		create(&g, &policies[p], 4096, 0, false);
		assert_int_equal(weir_dirty_start(g.d, false), WEIR_OK);
		sim_content_send_run(g.content, BASE, g.npages);
		guest_store(&g, 2, gfn);
		harvest_and_send(&g, false);
		assert_true(sim_content_equal(g.content, NULL, NULL));
		guest_store(&g, 2, gfn);
		g.glue.skip_tlbi = true;
		harvest_and_send(&g, false);
		assert_true(sim_content_equal(g.content, NULL, NULL));
		assert_true(sim_mmu_any_writable(g.mmu, gfn, NULL));
		g.glue.skip_tlbi = false;
		guest_store(&g, 2, gfn);	/* through the stale translation */
		harvest_and_send(&g, false);
		assert_false(sim_content_equal(g.content, &first, &nbad));
		assert_int_equal(first, gfn);
		assert_int_equal(nbad, 1);
		destroy(&g);
	}
}

static void the_second_vcpu_at_a_fault_changes_nothing(void **state)
{
	static const struct weir_dirty_config wp = { .policy = WEIR_DIRTY_WP };
	struct weir_dirty_fault_info info;
	struct guest g;
	uint64_t desc, tlbis;
	unsigned int order;

	(void)state;
	create(&g, &wp, 4096, 0, false);
	assert_int_equal(weir_dirty_start(g.d, false), WEIR_OK);
	/* Both fault before either is served. */
	assert_false(sim_mmu_access(g.mmu, 0, BASE + 5, SIM_WRITE, NULL));
	assert_false(sim_mmu_access(g.mmu, 1, BASE + 5, SIM_WRITE, NULL));
	g.glue.vcpu = 0;
	assert_int_equal(weir_dirty_fault(g.d, BASE + 5, &info), WEIR_OK);
	assert_int_equal(info.outcome, WEIR_DIRTY_TRAPPED);
	desc = *sim_s2_leaf(g.s2, BASE + 5, &order);
	tlbis = g.glue.counts[SIM_DIRTY_OP_TLBI_RANGE] + g.glue.counts[SIM_DIRTY_OP_TLBI_LOCAL];
	g.glue.vcpu = 1;
	assert_int_equal(weir_dirty_fault(g.d, BASE + 5, &info), WEIR_OK);
	assert_int_equal(info.outcome, WEIR_DIRTY_SPURIOUS);
	assert_int_equal(info.leaves, 0);
	assert_int_equal(*sim_s2_leaf(g.s2, BASE + 5, &order), desc);
	assert_int_equal(g.glue.counts[SIM_DIRTY_OP_TLBI_RANGE] +
				 g.glue.counts[SIM_DIRTY_OP_TLBI_LOCAL],
			 tlbis);
	assert_true(sim_mmu_access(g.mmu, 1, BASE + 5, SIM_WRITE, NULL));
	destroy(&g);
}

static void no_block_is_writable_while_logging(void **state)
{
	(void)state;
	for (size_t p = 0; p < NPOLICIES; p++) {
		struct guest g;

		create(&g, &policies[p], 8192, 9, false);
		assert_true(sim_s2_writable_block(g.s2, BASE, BASE + 8191, NULL));
		assert_int_equal(weir_dirty_start(g.d, false), WEIR_OK);
		assert_false(sim_s2_writable_block(g.s2, BASE, BASE + 8191, NULL));
		for (int i = 0; i < 3000; i++)
			random_store(&g);
		assert_false(sim_s2_writable_block(g.s2, BASE, BASE + 8191, NULL));
		harvest_and_send(&g, false);
		assert_false(sim_s2_writable_block(g.s2, BASE, BASE + 8191, NULL));
		destroy(&g);
	}
}

static void a_split_without_memory_can_be_tried_again(void **state)
{
	static const struct weir_dirty_config wp = { .policy = WEIR_DIRTY_WP };
	struct guest g;
	unsigned int order;

	(void)state;
	create(&g, &wp, 8192, 9, false);
	assert_int_equal(weir_dirty_start(g.d, false), WEIR_OK);
	sim_s2_limit(g.s2, 0);
	assert_false(sim_mmu_access(g.mmu, 0, BASE, SIM_WRITE, NULL));
	assert_int_equal(weir_dirty_fault(g.d, BASE, NULL), WEIR_ENOMEM);
	assert_int_equal(g.glue.splits_failed, 1);
	assert_false(sim_mmu_access(g.mmu, 0, BASE, SIM_WRITE, NULL));
	sim_s2_limit(g.s2, UINT64_MAX);
	guest_store(&g, 0, BASE);
	assert_non_null(sim_s2_leaf(g.s2, BASE, &order));
	assert_int_equal(order, 0);
	destroy(&g);
}

static void pages_that_may_not_be_written_stay_so(void **state)
{
	static const uint64_t readonly[1] = { UINT64_C(1) << 3 };

	(void)state;
	for (size_t p = 0; p < NPOLICIES; p++) {
		struct sim_dirty_glue glue;
		struct guest g;
		unsigned int order;
		struct weir_dirty_config cfg = policies[p];

		create(&g, &policies[p], 4096, 0, false);
		glue = g.glue;
		glue.readonly = readonly;
		glue.readonly_base_gfn = BASE;
		glue.readonly_words = 1;
		g.glue = glue;
		cfg.base_gfn = BASE;
		cfg.npages = g.npages;
		cfg.flags = WEIR_DIRTY_F_DBM;
		assert_int_equal(weir_dirty_init(g.mem, weir_dirty_size(&cfg), &cfg,
						 sim_dirty_glue_ops(&g.glue), &g.glue, &g.d),
				 WEIR_OK);
		*sim_s2_leaf(g.s2, BASE + 3, &order) &= ~SIM_DESC_W;
		assert_int_equal(weir_dirty_start(g.d, false), WEIR_OK);
		guest_store(&g, 0, BASE + 2);
		guest_store(&g, 0, BASE + 4);
		assert_false(sim_mmu_access(g.mmu, 0, BASE + 3, SIM_WRITE, NULL));
		assert_int_equal(weir_dirty_fault(g.d, BASE + 3, NULL), WEIR_EFAULT);
		assert_int_equal(*sim_s2_leaf(g.s2, BASE + 3, &order) & SIM_DESC_W, 0);
		harvest_and_send(&g, false);
		assert_false(sim_mmu_access(g.mmu, 0, BASE + 3, SIM_WRITE, NULL));
		destroy(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contents_arrive_under_every_policy),
		cmocka_unit_test(without_invalidation_pages_are_lost),
		cmocka_unit_test(one_forgotten_invalidation_loses_one_store),
		cmocka_unit_test(the_second_vcpu_at_a_fault_changes_nothing),
		cmocka_unit_test(no_block_is_writable_while_logging),
		cmocka_unit_test(a_split_without_memory_can_be_tried_again),
		cmocka_unit_test(pages_that_may_not_be_written_stay_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
