// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: the lab's times are those of its rules, and its log of writes sees a page that is lost.
 *
 * Method: machines small enough to add up by hand, with prices that tell causes apart: exit 1000
 * ns, lock 100, a leaf 10, a refill 1, a hardware update 5, a scanned descriptor 2, a bitmap word
 * 3, a call 7; splits and descents of the tables cost nothing but where a test says so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim/scenario/experiments/experiment.h"
#include "sim/scenario/experiments/lab.h"

#define PAGES 512u

static const char *const prices[] = {"cost.fault_exit_ns=1000", "cost.fault_lock_ns=100",
				     "cost.leaf_ps=10000",	"cost.tlb_refill_ns=1",
				     "cost.hw_dirty_ns=5",	"cost.scan_pte_ps=2000",
				     "cost.word_ps=3000",	"cost.call_ns=7",
				     "cost.scan_group_ns=0",	"cost.table_ns=0",
				     "cost.tlbi_ns=0",		"cost.split_ns=0",
				     "cost.split_serial_ns=0",	NULL};

static struct sim_params *params;

static struct lab *machine(uint32_t nvcpus, unsigned int order, uint32_t policy)
{
	struct lab_config cfg = {
		.nvcpus = nvcpus,
		.vcpu_pages = PAGES,
		.map_order = order,
		.policy = policy,
		.neighbourhood = 64,
		.params = params,
	};
	struct sim_error err = {""};
	struct lab *lab = lab_create(&cfg, &err);

	if (!lab)
		fail_msg("%s", err.text);
	return lab;
}

/* Logging on, everything clean. */
static void begin(struct lab *lab)
{
	(void)lab_start(lab, true);
	(void)lab_get(lab);
	(void)lab_clear(lab);
}

static uint64_t write_all(struct lab *lab, uint64_t n)
{
	const struct lab_pattern pattern = {.naccesses = n, .step = 1, .write_every = 1};

	return lab_pass(lab, &pattern);
}

/* One vCPU: each of 512 faults is exit + lock + leaf + refill. */
static void one_vcpu_pays_each_fault(void **state)
{
	struct lab *lab = machine(1, 0, WEIR_DIRTY_WP);

	(void)state;
	begin(lab);
	assert_int_equal(write_all(lab, PAGES), PAGES * (1000 + 100 + 10 + 1));
	assert_int_equal(lab_faults(lab), PAGES);
	/* GET: a call and a word a group; CLEAR: the same and a leaf a page */
	assert_int_equal(lab_get(lab), 7 + 8 * 3);
	assert_int_equal(lab_dirty(lab), PAGES);
	assert_int_equal(lab_clear(lab), 7 + 8 * 3 + PAGES * 10);
	assert_int_equal(lab_lost(lab), 0);
	lab_destroy(lab);
}

/* 16 vCPUs that arrive together: the lock, 16 * 110, is longer than the exit, and decides. */
static void the_lock_serves_one_at_a_time(void **state)
{
	struct lab *lab = machine(16, 0, WEIR_DIRTY_WP);

	(void)state;
	begin(lab);
	/* the first is served at 1000, the last of a round 16 * 110 later; then a refill */
	assert_int_equal(write_all(lab, 10), 1000 + 10 * 16 * 110 + 1);
	lab_destroy(lab);
}

/* A fault a group writes 64 leaves; the other 63 pages are hardware's. */
static void a_neighbourhood_is_one_fault(void **state)
{
	struct lab *lab = machine(1, 0, WEIR_DIRTY_FIXED);

	(void)state;
	begin(lab);
	assert_int_equal(write_all(lab, PAGES), 8 * (1000 + 100 + 64 * 10 + 1) + 8 * 63 * (1 + 5));
	assert_int_equal(lab_faults(lab), 8);
	/* GET reads each descriptor; afterwards pages are writable-clean and nothing faults */
	assert_int_equal(lab_get(lab), 7 + 8 * 3 + PAGES * 2);
	(void)lab_clear(lab);
	assert_int_equal(write_all(lab, PAGES), PAGES * (1 + 5));
	/* frozen, GET reads no descriptor, and writes trap again */
	(void)lab_get(lab);
	(void)lab_clear(lab);
	(void)lab_freeze(lab);
	assert_int_equal(write_all(lab, PAGES), PAGES * (1000 + 100 + 10 + 1));
	assert_int_equal(lab_get(lab), 7 + 8 * 3);
	assert_int_equal(lab_lost(lab), 0);
	lab_destroy(lab);
}

/* KVM's old split: the block's other pages fault when they are read, and stay clean. */
static void a_split_that_maps_one_page(void **state)
{
	const struct lab_pattern pattern = {.naccesses = PAGES, .step = 1, .write_every = 8};
	struct lab_config cfg = {
		.nvcpus = 1,
		.vcpu_pages = PAGES,
		.map_order = 9,
		.policy = WEIR_DIRTY_WP,
		.split_maps_one = true,
		.params = params,
	};
	struct sim_error err = {""};
	struct lab *lab = lab_create(&cfg, &err);

	(void)state;
	assert_non_null(lab);
	begin(lab);
	(void)lab_pass(lab, &pattern);
	assert_int_equal(lab_faults(lab), PAGES);
	(void)lab_get(lab);
	assert_int_equal(lab_dirty(lab), PAGES / 8);
	assert_int_equal(lab_lost(lab), 0);
	lab_destroy(lab);
	/* with a whole table of pages only the stores fault */
	lab = machine(1, 9, WEIR_DIRTY_WP_EAGER);
	begin(lab);
	(void)lab_pass(lab, &pattern);
	assert_int_equal(lab_faults(lab), PAGES / 8);
	lab_destroy(lab);
}

/* Pairs cost what is dirty: two words a group and two a block. */
static void pairs_cost_the_dirty_groups(void **state)
{
	struct lab *lab = machine(4, 0, WEIR_DIRTY_WP);

	(void)state;
	begin(lab);
	(void)write_all(lab, 1);
	assert_int_equal(lab_get_words(lab), 7 + (2 + 4 * 2) * 3);
	assert_int_equal(lab_dirty(lab), 4);
	assert_int_equal(lab_lost(lab), 0);
	lab_destroy(lab);
}

static int setup(void **state)
{
	struct sim_error err = {""};

	(void)state;
	params = experiment_params(prices, NULL, &err);
	return params ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	sim_params_free(params);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_vcpu_pays_each_fault),
		cmocka_unit_test(the_lock_serves_one_at_a_time),
		cmocka_unit_test(a_neighbourhood_is_one_fault),
		cmocka_unit_test(a_split_that_maps_one_page),
		cmocka_unit_test(pairs_cost_the_dirty_groups),
	};

	return cmocka_run_group_tests_name("experiment_lab", tests, setup, teardown);
}
