// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: the writers write where and as often as their parameters say, the same for every policy,
 * and a trace is handed to each vCPU in order and starts over at its end.
 *
 * Method: counts and addresses by arithmetic; distributions by bounds that a fair sampler misses
 * with a probability far below 10^-9.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/guest/workload.h"

#define BASE	0x40000u

static const struct sim_workload_config plain = {
	.kind = SIM_WORKLOAD_SEQUENTIAL, .nvcpus = 2, .base_gfn = BASE, .npages = 1000,
	.epoch_ns = 1000000, .rate_stores_per_s = 1000000, .burst_stores = 1, .set_pages = 100,
	.set_first_page = 10, .set_spread_pages = 1, .zipf_theta_milli = 990, .stride_pages = 10,
	.phase_ns = 2000000, .hot_pages_percent = 10, .hot_stores_percent = 90,
	.hot_drift_ns = 1000000, .seed = 7,
};

/* The next frame of a vCPU's stream of visits, as a page of the guest. */
struct stream {
	struct sim_workload *workload;
	struct sim_cursor cursor;
	struct sim_epoch epoch;
	size_t next;
};

static void open_stream(struct stream *s, const struct sim_workload_config *cfg, uint32_t vcpu)
{
	struct sim_error err = { "" };

	memset(s, 0, sizeof(*s));
	s->workload = sim_workload_open(cfg, &err);
	assert_non_null(s->workload);
	sim_cursor_init(&s->cursor, s->workload, vcpu);
}

static uint64_t next_page(struct stream *s)
{
	while (s->next == s->epoch.nrows) {
		assert_true(sim_cursor_next(&s->cursor, &s->epoch));
		s->next = 0;
	}
	return s->epoch.rows[s->next++].gfn - BASE;
}

static void close_stream(struct stream *s)
{
	sim_cursor_fini(&s->cursor);
	sim_workload_close(s->workload);
}

static void sequential_goes_round(void **state)
{
	struct stream s;
	uint64_t i;

	(void)state;
	open_stream(&s, &plain, 1);	/* vCPU 1 of 2 begins half way */
	for (i = 0; i < 250; i++)
		assert_int_equal(next_page(&s), 10 + (50 + i) % 100);
	close_stream(&s);
}

static void stride_visits_every_page_once_a_turn(void **state)
{
	struct sim_workload_config cfg = plain;
	struct stream s;
	unsigned int seen[100] = { 0 };
	uint64_t i;

	(void)state;
	cfg.kind = SIM_WORKLOAD_STRIDE;
	open_stream(&s, &cfg, 0);
	for (i = 0; i < 100; i++) {
		uint64_t page = next_page(&s) - 10;

		assert_int_equal(page, i % 10 * 10 + i / 10);
		seen[page]++;
	}
	for (i = 0; i < 100; i++)
		assert_int_equal(seen[i], 1);
	close_stream(&s);
}

static void a_spread_set_is_strewn(void **state)
{
	struct sim_workload_config cfg = plain;
	struct stream s;
	uint64_t i;

	(void)state;
	cfg.set_spread_pages = 9;
	cfg.nvcpus = 1;
	open_stream(&s, &cfg, 0);
	for (i = 0; i < 300; i++)
		assert_int_equal(next_page(&s), 10 + i % 100 * 9);
	close_stream(&s);
}

static void the_rate_is_exact(void **state)
{
	static const struct { uint64_t rate, burst, epoch_ns; } cases[] = {
		{ 1000000, 1, 1000000 }, { 999999, 7, 1000000 }, { 3, 1, 1000000 },
		{ 12345678, 64, 777777 }, { 1, 2, 1000000000 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sim_workload_config cfg = plain;
		uint64_t stores = 0, due, epoch = 0;
		struct stream s;

		cfg.rate_stores_per_s = cases[i].rate;
		cfg.burst_stores = cases[i].burst;
		cfg.epoch_ns = cases[i].epoch_ns;
		open_stream(&s, &cfg, 0);
		while (stores < 3000 && epoch < 100000) {
			assert_true(sim_cursor_next(&s.cursor, &s.epoch));
			assert_true(s.epoch.number >= epoch);	/* and the skipped ones had none */
			assert_true(s.epoch.nrows > 0);
			assert_true(s.epoch.nrows <= sim_workload_rows_max(s.workload));
			stores += s.epoch.nrows * cases[i].burst;
			epoch = s.epoch.number + 1;
			/* whole bursts of what is due by the epoch's end */
			due = epoch * cases[i].epoch_ns * cases[i].rate / 1000000000;
			assert_int_equal(stores, due / cases[i].burst * cases[i].burst);
		}
		close_stream(&s);
	}
}

/* Count 100000 visits by page. */
static void count(const struct sim_workload_config *cfg, uint64_t *pages)
{
	struct stream s;
	uint64_t i;

	memset(pages, 0, 1000 * sizeof(*pages));
	open_stream(&s, cfg, 0);
	for (i = 0; i < 100000; i++) {
		uint64_t page = next_page(&s);

		assert_true(page < 1000);
		pages[page]++;
	}
	close_stream(&s);
}

static void the_shares_are_those_asked_for(void **state)
{
	struct sim_workload_config cfg = plain;
	uint64_t pages[1000], i, in = 0, most = 0;

	(void)state;
	cfg.kind = SIM_WORKLOAD_UNIFORM;
	count(&cfg, pages);
	for (i = 0; i < 1000; i++) {	/* 1000 a page, deviation 31 */
		if (i < 10 || i >= 110)
			assert_int_equal(pages[i], 0);
		else
			assert_in_range(pages[i], 700, 1300);
	}
	cfg.kind = SIM_WORKLOAD_HOT;
	cfg.hot_drift_ns = 0;
	count(&cfg, pages);
	for (i = 10; i < 20; i++)
		in += pages[i];
	assert_in_range(in, 90000, 92000);	/* 90 %, and a tenth of the rest */
	cfg.kind = SIM_WORKLOAD_ZIPF;
	count(&cfg, pages);
	for (i = 10; i < 110; i++)
		most = pages[i] > most ? pages[i] : most;
	assert_in_range(most, 18000, 20500);	/* 1 / sum of r^-0.99 over 100 ranks: 19.1 % */
}

static void a_phase_moves_the_set(void **state)
{
	struct sim_workload_config cfg = plain;
	struct stream s;
	uint64_t i;

	(void)state;
	cfg.kind = SIM_WORKLOAD_PHASE;
	cfg.set_first_page = 0;
	open_stream(&s, &cfg, 0);
	/* 1000 visits an epoch, 2 epochs a phase; the 11th phase begins at page 0 again */
	for (i = 0; i < 22000; i++) {
		uint64_t first = i / 2000 * 100 % 1000;

		assert_in_range(next_page(&s), first, first + 99);
	}
	close_stream(&s);
}

static void streams_depend_on_seed_and_vcpu(void **state)
{
	struct sim_workload_config cfg = plain;
	struct stream a, b, c, d;
	uint64_t i, ab = 0, ac = 0;

	(void)state;
	cfg.kind = SIM_WORKLOAD_UNIFORM;
	open_stream(&a, &cfg, 0);
	open_stream(&b, &cfg, 1);
	open_stream(&d, &cfg, 0);
	cfg.seed = 8;
	open_stream(&c, &cfg, 0);
	for (i = 0; i < 1000; i++) {
		uint64_t page = next_page(&a);

		assert_int_equal(page, next_page(&d));
		ab += page == next_page(&b);
		ac += page == next_page(&c);
	}
	assert_true(ab < 100 && ac < 100);	/* by chance: 10 */
	close_stream(&a);
	close_stream(&b);
	close_stream(&c);
	close_stream(&d);
}

static void a_trace_starts_over(void **state)
{
	static const char text[] = "epoch,vcpu,gfn,writes\n1,0,262144,3\n1,1,262145,4\n"
				   "1,0,262146,5\n3,0,262147,6\n";
	static const struct { uint64_t number; size_t nrows; uint64_t gfn; } expected[] = {
		{ 1, 2, 262144 }, { 3, 1, 262147 }, { 5, 2, 262144 }, { 7, 1, 262147 },
	};
	struct sim_workload_config cfg = plain;
	struct sim_pagewr_rows rows = { 0 };
	struct sim_error err = { "" };
	struct sim_workload *workload;
	struct sim_cursor cursor;
	struct sim_epoch epoch;
	const char *path = "guest_workload.csv";
	FILE *file = fopen(path, "w");
	size_t i;

	(void)state;
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, sizeof(text) - 1, file), sizeof(text) - 1);
	assert_int_equal(fclose(file), 0);
	cfg.kind = SIM_WORKLOAD_TRACE;
	cfg.trace = path;
	assert_true(sim_pagewr_load(path, NULL, &rows, &err));
	cfg.nvcpus = 3;
	workload = sim_workload_open_rows(&cfg, &rows, &err);
	assert_non_null(workload);
	sim_cursor_init(&cursor, workload, 0);
	for (i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		assert_true(sim_cursor_next(&cursor, &epoch));
		assert_int_equal(epoch.number, expected[i].number);
		assert_int_equal(epoch.nrows, expected[i].nrows);
		assert_int_equal(epoch.rows[0].gfn, expected[i].gfn);
	}
	sim_cursor_fini(&cursor);
	sim_cursor_init(&cursor, workload, 2);	/* no row at all */
	assert_false(sim_cursor_next(&cursor, &epoch));
	sim_cursor_fini(&cursor);
	sim_workload_close(workload);
	remove(path);
}

static void a_trace_too_long_for_the_clock_is_refused(void **state)
{
	struct sim_workload_config cfg = plain;
	struct sim_pagewr_rows rows = { .epoch_last = UINT64_MAX / 1000 };
	struct sim_error err = { "" };

	(void)state;
	cfg.kind = SIM_WORKLOAD_TRACE;
	cfg.trace = "long.csv";
	assert_null(sim_workload_open_rows(&cfg, &rows, &err));
	assert_non_null(strstr(err.text, "long.csv: epoch 18446744073709551, of 1000000 ns each"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sequential_goes_round),
		cmocka_unit_test(stride_visits_every_page_once_a_turn),
		cmocka_unit_test(a_spread_set_is_strewn),
		cmocka_unit_test(the_rate_is_exact),
		cmocka_unit_test(the_shares_are_those_asked_for),
		cmocka_unit_test(a_phase_moves_the_set),
		cmocka_unit_test(streams_depend_on_seed_and_vcpu),
		cmocka_unit_test(a_trace_starts_over),
		cmocka_unit_test(a_trace_too_long_for_the_clock_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
