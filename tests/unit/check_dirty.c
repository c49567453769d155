// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: each checker sees the state it is there for, and no other.
 *
 * Method: a small machine whose descriptors, TLBs, contents and log are set by hand, first into
 * states that are legal, then into ones that are not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/check/check.h"
#include "sim/machine/dirty_glue.h"

#define BASE	0x40000u
#define NPAGES	2048u
#define BLOCK	(BASE + 1024u)		/* the second half is mapped by 2 MiB blocks */

struct world {
	struct sim_s2 *s2;
	struct sim_mmu *mmu;
	struct sim_content *content;
	struct sim_dirty_glue glue;
	void *memory;
	struct weir_dirty *d;
	struct sim_check check;
	enum sim_checker reported;
	unsigned int nreports;
	char text[256];
};

static void report(void *ctx, enum sim_checker checker, uint64_t gfn, const char *what)
{
	struct world *w = ctx;

	(void)gfn;
	w->reported = checker;
	w->nreports++;
	strncpy(w->text, what, sizeof(w->text) - 1);
}

/* A guest of two vCPUs, logging, with every page clean and trapping, no TLB entries. */
static void set_up(struct world *w, uint32_t policy)
{
	struct sim_s2_config s2 = { .geometry = SIM_S2_GEOMETRY_4K };
	struct sim_mmu_config mmu = {
		.nvcpus = 2,
		.vtcr = { .ha = true, .hd = true, .pa_bits = 48 },
	};
	struct weir_dirty_config cfg = {
		.base_gfn = BASE, .npages = NPAGES, .policy = policy, .neighbourhood = 64,
		.flags = WEIR_DIRTY_F_DBM,
	};

	memset(w, 0, sizeof(*w));
	assert_int_equal(sim_s2_create(&s2, &w->s2), WEIR_OK);
	assert_int_equal(sim_s2_map(w->s2, BASE, 1024, BASE, SIM_S2_ATTRS_RW, 0), WEIR_OK);
	assert_int_equal(sim_s2_map(w->s2, BLOCK, 1024, BLOCK, SIM_S2_ATTRS_RW, 9), WEIR_OK);
	assert_int_equal(sim_mmu_create(&mmu, w->s2, &w->mmu), WEIR_OK);
	w->content = sim_content_create(BASE, NPAGES);
	w->glue = (struct sim_dirty_glue){ .s2 = w->s2, .mmu = w->mmu };
	w->memory = aligned_alloc(64, (weir_dirty_size(&cfg) + 63) / 64 * 64);
	assert_int_equal(weir_dirty_init(w->memory, weir_dirty_size(&cfg), &cfg,
					 sim_dirty_glue_ops(&w->glue), &w->glue, &w->d), WEIR_OK);
	assert_int_equal(weir_dirty_start(w->d, false), WEIR_OK);
	w->check = (struct sim_check){
		.d = w->d, .s2 = w->s2, .mmu = w->mmu, .content = w->content, .base_gfn = BASE,
		.npages = NPAGES, .logging = true, .report = report, .ctx = w,
	};
}

static void take_down(struct world *w)
{
	sim_mmu_destroy(w->mmu);
	sim_s2_destroy(w->s2);
	sim_content_destroy(w->content);
	free(w->memory);
}

static uint64_t *leaf(struct world *w, uint64_t gfn)
{
	unsigned int order;

	return sim_s2_leaf(w->s2, gfn, &order);
}

static void legal_leaves_pass(void **state)
{
	struct world w;

	(void)state;
	set_up(&w, WEIR_DIRTY_FIXED);
	sim_check_leaves(&w.check);
	assert_int_equal(weir_dirty_fault(w.d, BASE + 5, NULL), WEIR_OK);	/* promotes */
	assert_int_equal(weir_dirty_fault(w.d, BLOCK + 5, NULL), WEIR_OK);	/* splits a block */
	assert_int_equal(weir_dirty_mark(w.d, BASE + 200, 1), WEIR_OK);
	*leaf(&w, BASE + 200) |= SIM_DESC_W;		/* untracked, but its bit is set */
	sim_check_leaves(&w.check);
	assert_int_equal(sim_check_total(&w.check), 0);
	w.check.logging = false;			/* anything goes */
	*leaf(&w, BASE + 300) |= SIM_DESC_W;
	sim_check_leaves(&w.check);
	assert_int_equal(sim_check_total(&w.check), 0);
	take_down(&w);
}

static void a_writable_block_is_found(void **state)
{
	struct world w;

	(void)state;
	set_up(&w, WEIR_DIRTY_WP);
	assert_int_equal(weir_dirty_mark(w.d, BLOCK, 512), WEIR_OK);
	*leaf(&w, BLOCK) |= SIM_DESC_W;			/* legal: all 512 bits are set */
	sim_check_leaves(&w.check);
	assert_int_equal(sim_check_total(&w.check), 0);
	*leaf(&w, BLOCK + 512) |= SIM_DESC_W;
	sim_check_leaves(&w.check);
	assert_int_equal(w.check.violations[SIM_CHECK_WRITABLE_BLOCK], 1);
	assert_int_equal(sim_check_total(&w.check), 1);
	take_down(&w);
}

static void illegal_leaves_are_found(void **state)
{
	static const uint64_t bits[] = { SIM_DESC_W, SIM_DESC_DBM, SIM_DESC_W | SIM_DESC_DBM };
	struct world w;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		set_up(&w, WEIR_DIRTY_WP);
		*leaf(&w, BASE + 7) |= bits[i];
		sim_check_leaves(&w.check);
		assert_int_equal(w.check.violations[SIM_CHECK_ILLEGAL_LEAF], 1);
		assert_int_equal(sim_check_total(&w.check), 1);
		sim_check_leaf(&w.check, BASE + 7, 0, *leaf(&w, BASE + 7));
		assert_int_equal(sim_check_total(&w.check), 2);
		assert_int_equal(w.nreports, 1);	/* counted, but said once */
		take_down(&w);
	}
}

static void a_copy_beside_a_cached_write_is_found(void **state)
{
	struct world w;

	(void)state;
	set_up(&w, WEIR_DIRTY_WP);
	/* vCPU 1 faults, writes, and so has a writable translation; the page's bit is set */
	assert_false(sim_mmu_access(w.mmu, 1, BASE + 9, SIM_WRITE, NULL));
	assert_int_equal(weir_dirty_fault(w.d, BASE + 9, NULL), WEIR_OK);
	assert_true(sim_mmu_access(w.mmu, 1, BASE + 9, SIM_WRITE, NULL));
	(void)sim_content_store(w.content, BASE + 9, 1, 1);
	sim_check_copy(&w.check, BASE, 64);
	assert_int_equal(sim_check_total(&w.check), 0);
	/* cleared with the invalidation: fine */
	assert_int_equal(weir_dirty_clear(w.d, BASE, 64, NULL), WEIR_OK);
	sim_check_copy(&w.check, BASE, 64);
	assert_int_equal(sim_check_total(&w.check), 0);
	/* and without */
	assert_int_equal(weir_dirty_fault(w.d, BASE + 9, NULL), WEIR_OK);
	assert_true(sim_mmu_access(w.mmu, 1, BASE + 9, SIM_WRITE, NULL));
	w.glue.skip_tlbi = true;
	assert_int_equal(weir_dirty_clear(w.d, BASE, 64, NULL), WEIR_OK);
	sim_check_copy(&w.check, BASE, 9);
	assert_int_equal(sim_check_total(&w.check), 0);
	sim_check_copy(&w.check, BASE, 10);
	assert_int_equal(w.check.violations[SIM_CHECK_CONTENT_BEFORE_TLBI], 1);
	assert_non_null(strstr(w.text, "the TLB of vcpu 1 may write it"));
	take_down(&w);
}

static void lost_pages_are_found_from_contents(void **state)
{
	struct sim_content_bad bad[2];
	struct world w;

	(void)state;
	set_up(&w, WEIR_DIRTY_WP);
	assert_int_equal(sim_check_lost(&w.check, bad, 2), NPAGES);	/* nothing has arrived */
	w.check.violations[SIM_CHECK_LOST_PAGE] = 0;
	(void)sim_content_store(w.content, BASE + 1, 0, 10);
	(void)sim_content_send_run(w.content, BASE, NPAGES);
	assert_int_equal(sim_check_lost(&w.check, bad, 2), 0);
	(void)sim_content_store(w.content, BASE + 1, 1, 1);
	(void)sim_content_store(w.content, BASE + 77, 1, 1);
	(void)sim_content_store(w.content, BASE + 1077, 1, 1);
	assert_int_equal(sim_check_lost(&w.check, bad, 2), 3);
	assert_int_equal(bad[0].gfn, BASE + 1);
	assert_int_equal(bad[1].gfn, BASE + 77);
	assert_int_equal(w.check.violations[SIM_CHECK_LOST_PAGE], 3);
	take_down(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(legal_leaves_pass),
		cmocka_unit_test(a_writable_block_is_found),
		cmocka_unit_test(illegal_leaves_are_found),
		cmocka_unit_test(a_copy_beside_a_cached_write_is_found),
		cmocka_unit_test(lost_pages_are_found_from_contents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
