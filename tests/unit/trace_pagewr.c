// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: page-write traces are read exactly, by row, by epoch and whole; every offence against the
 * format is named by file and line, and nothing is handed out after it.
 * Method: texts with known rows; one case an offence; the same trace read in three ways; the files
 * of tests/data, among them the first epochs of a recorded trace, counted by other tools.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "sim/trace/pagewr.h"

#define HEADER "epoch,vcpu,gfn,writes\n"
#define HEADER_READS "epoch,vcpu,gfn,writes,reads\n"
#define DATA WEIR_SOURCE_DIR "/tests/data/"

static struct sim_pagewr *open_text(const char *text, const struct sim_pagewr_limits *limits,
				    struct sim_error *err)
{
	sim_error_clear(err);
	return sim_pagewr_open_memory("t.csv", text, strlen(text), limits, err);
}

static void expect_row(struct sim_pagewr *trace, uint64_t epoch, uint32_t vcpu, uint64_t gfn,
		       uint64_t writes, uint64_t reads)
{
	struct sim_error err = { "" };
	struct sim_pagewr_row row;

	assert_int_equal(sim_pagewr_next(trace, &row, &err), 1);
	assert_int_equal(row.epoch, epoch);
	assert_int_equal(row.vcpu, vcpu);
	assert_int_equal(row.gfn, gfn);
	assert_int_equal(row.writes, writes);
	assert_int_equal(row.reads, reads);
}

static void expect_end(struct sim_pagewr *trace)
{
	struct sim_error err = { "" };
	struct sim_pagewr_row row;

	assert_int_equal(sim_pagewr_next(trace, &row, &err), 0);
	assert_string_equal(err.text, "");
}

static void test_rows(void **state)
{
	struct sim_error err = { "" };
	struct sim_pagewr *trace = open_text(HEADER "0,0,262144,1\n"
						    "#M,start,0\n"
						    "0,1,5,0\n"
						    "7,0,00,18446744073709551615\n"
						    "#\n"
						    "18446744073709551615,4294967294,"
						    "4503599627370495,3",
					     NULL, &err);

	(void)state;
	assert_non_null(trace);
	assert_false(sim_pagewr_has_reads(trace));
	for (int round = 0; round < 2; round++) {
		expect_row(trace, 0, 0, 262144, 1, 0);
		expect_row(trace, 0, 1, 5, 0, 0);
		expect_row(trace, 7, 0, 0, UINT64_MAX, 0);
		expect_row(trace, UINT64_MAX, UINT32_MAX - 1, (UINT64_C(1) << 52) - 1, 3, 0);
		expect_end(trace);
		expect_end(trace);
		assert_true(sim_pagewr_rewind(trace, &err));
	}
	sim_pagewr_close(trace);
	sim_pagewr_close(NULL);
}

static void test_rows_with_reads(void **state)
{
	const struct sim_pagewr_limits limits = { .nvcpus = 2, .base_gfn = 100, .npages = 10 };
	struct sim_error err = { "" };
	struct sim_pagewr *trace =
		open_text(HEADER_READS "3,0,100,0,9\n3,1,109,8,0\n", &limits, &err);

	(void)state;
	assert_non_null(trace);
	assert_true(sim_pagewr_has_reads(trace));
	expect_row(trace, 3, 0, 100, 0, 9);
	expect_row(trace, 3, 1, 109, 8, 0);
	expect_end(trace);
	sim_pagewr_close(trace);
}

static void test_header_alone(void **state)
{
	struct sim_error err = { "" };
	struct sim_pagewr *trace = open_text("epoch,vcpu,gfn,writes", NULL, &err);
	struct sim_pagewr_rows rows = { 0 };

	(void)state;
	assert_non_null(trace);
	expect_end(trace);
	assert_int_equal(sim_pagewr_next_epoch(trace, &rows, &err), 0);
	sim_pagewr_rows_free(&rows);
	sim_pagewr_close(trace);
}

static void expect_words(const struct sim_error *err, const char *words)
{
	if (strcmp(err->text, words) != 0)
		fail_msg("found '%s', expected '%s'", err->text, words);
}

static void test_bad_headers(void **state)
{
	static const char tail[] = ", expected 'epoch,vcpu,gfn,writes' or "
				   "'epoch,vcpu,gfn,writes,reads'";
	static const struct {
		const char *text;
		const char *found;
	} bad[] = {
		{ "", "an empty file" },
		{ "\n", "''" },
		{ "0,0,1,1\n", "'0,0,1,1'" },
		{ "epoch,vcpu,gfn,writes\r\n", "'epoch,vcpu,gfn,writes\\x0d'" },
		{ "epoch,vcpu,gfn\n", "'epoch,vcpu,gfn'" },
		{ "epoch,vcpu,gfn,reads\n", "'epoch,vcpu,gfn,reads'" },
		{ " " HEADER, "' epoch,vcpu,gfn,writes'" },
		{ "#M,start,0\n" HEADER, "'#M,start,0'" },
		{ "epoch,vcpu,gfn,writes,reads,\n", "'epoch,vcpu,gfn,writes,reads,'" },
		{ "epoch,vcpu,gfn,writes,epoch,vcpu,gfn,writes,reads,\n",
		  "'epoch,vcpu,gfn,writes,epoch,vcpu,gfn,wr...'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct sim_error err;
		char words[256];

		snprintf(words, sizeof(words), "t.csv:1: first line, found %s%s", bad[i].found,
			 tail);
		assert_null(open_text(bad[i].text, NULL, &err));
		expect_words(&err, words);
	}
}

/* The rows before the offence are handed out, and never one after it. */
static void expect_bad_row(const char *header, const char *row, const char *words)
{
	const struct sim_pagewr_limits limits = { .nvcpus = 2, .base_gfn = 100, .npages = 10 };
	struct sim_error err;
	struct sim_pagewr_row got;
	struct sim_pagewr *trace;
	char text[512];
	const bool reads = strcmp(header, HEADER_READS) == 0;

	snprintf(text, sizeof(text), "%s6,0,100,1%s\n#\n%s\n9,0,100,1%s\n", header,
		 reads ? ",1" : "", row, reads ? ",1" : "");
	trace = open_text(text, &limits, &err);
	assert_non_null(trace);
	assert_int_equal(sim_pagewr_next(trace, &got, &err), 1);
	assert_int_equal(sim_pagewr_next(trace, &got, &err), -1);
	expect_words(&err, words);
	sim_error_clear(&err);
	assert_int_equal(sim_pagewr_next(trace, &got, &err), -1);
	expect_words(&err, words);
	sim_error_clear(&err);
	assert_false(sim_pagewr_rewind(trace, &err));
	expect_words(&err, words);
	sim_pagewr_close(trace);
}

#define NUMBER "expected a decimal number 0..18446744073709551615"

static void test_bad_rows(void **state)
{
	static const struct {
		const char *row;
		const char *words;
	} bad[] = {
		{ "", "columns, found 1 in '', expected 4 (epoch,vcpu,gfn,writes)" },
		{ "6,0,100", "columns, found 3 in '6,0,100', expected 4 (epoch,vcpu,gfn,writes)" },
		{ "6,0,100,1,1",
		  "columns, found 5 in '6,0,100,1,1', expected 4 (epoch,vcpu,gfn,writes)" },
		{ "6,0,100,", "writes, found '', " NUMBER },
		{ ",0,100,1", "epoch, found '', " NUMBER },
		{ "6,0,-100,1", "gfn, found '-100', " NUMBER },
		{ "6,0,+100,1", "gfn, found '+100', " NUMBER },
		{ "6, 0,100,1", "vcpu, found ' 0', " NUMBER },
		{ "6,0,100,1 ", "writes, found '1 ', " NUMBER },
		{ "6,0,100,1\r", "writes, found '1\\x0d', " NUMBER },
		{ "6,0,0x64,1", "gfn, found '0x64', " NUMBER },
		{ "6,0,1e2,1", "gfn, found '1e2', " NUMBER },
		{ "6,0,100,1.5", "writes, found '1.5', " NUMBER },
		{ "6,0,100,18446744073709551616",
		  "writes, found '18446744073709551616', " NUMBER },
		{ "6,0,100,99999999999999999999",
		  "writes, found '99999999999999999999', " NUMBER },
		{ "6,0,100,184467440737095516150",
		  "writes, found '184467440737095516150', " NUMBER },
		{ "5,0,100,1", "epoch, found 5, expected at least 6, that of the row before" },
		{ "6,2,100,1", "vcpu, found 2, expected 0..1" },
		{ "6,4294967296,100,1", "vcpu, found 4294967296, expected 0..1" },
		{ "6,0,99,1", "gfn, found 99, expected 100..109" },
		{ "6,0,110,1", "gfn, found 110, expected 100..109" },
		{ " #", "columns, found 1 in ' #', expected 4 (epoch,vcpu,gfn,writes)" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char words[256];

		snprintf(words, sizeof(words), "t.csv:4: %s", bad[i].words);
		expect_bad_row(HEADER, bad[i].row, words);
	}
	expect_bad_row(HEADER_READS, "6,0,100,1",
		       "t.csv:4: columns, found 4 in '6,0,100,1', expected 5 "
		       "(epoch,vcpu,gfn,writes,reads)");
	expect_bad_row(HEADER_READS, "6,0,100,0,0",
		       "t.csv:4: writes and reads, found 0 and 0, expected at least one access");
	expect_bad_row(HEADER_READS, "6,0,100,0,x", "t.csv:4: reads, found 'x', " NUMBER);
}

static void test_bounds_without_limits(void **state)
{
	struct sim_error err;
	struct sim_pagewr_row row;
	struct sim_pagewr *trace = open_text(HEADER "0,4294967295,1,1\n", NULL, &err);

	(void)state;
	assert_int_equal(sim_pagewr_next(trace, &row, &err), -1);
	expect_words(&err, "t.csv:2: vcpu, found 4294967295, expected 0..4294967294");
	sim_pagewr_close(trace);
	trace = open_text(HEADER "0,0,4503599627370496,1\n", NULL, &err);
	assert_int_equal(sim_pagewr_next(trace, &row, &err), -1);
	expect_words(&err,
		     "t.csv:2: gfn, found 4503599627370496, expected 0..4503599627370495");
	sim_pagewr_close(trace);
}

static void expect_group(const struct sim_pagewr_rows *rows, size_t i, uint64_t epoch,
			 uint32_t vcpu, const uint64_t *gfns, size_t count)
{
	const struct sim_pagewr_group *group = &rows->groups[i];

	assert_int_equal(group->epoch, epoch);
	assert_int_equal(group->vcpu, vcpu);
	assert_int_equal(group->count, count);
	for (size_t j = 0; j < count; j++)
		assert_int_equal(rows->accesses[group->first + j].gfn, gfns[j]);
}

/* vCPUs in any order within an epoch; each one's rows keep the order of the file. */
static void test_epochs(void **state)
{
	struct sim_error err = { "" };
	struct sim_pagewr_rows rows = { 0 };
	struct sim_pagewr *trace = open_text(HEADER "2,1,9,1\n2,0,5,1\n2,1,7,1\n2,0,6,1\n2,3,1,1\n"
						    "3,0,4,1\n"
						    "9,2,3,1\n9,2,2,1\n",
					     NULL, &err);

	(void)state;
	for (int round = 0; round < 2; round++) {
		assert_int_equal(sim_pagewr_next_epoch(trace, &rows, &err), 1);
		assert_int_equal(rows.ngroups, 3);
		assert_int_equal(rows.naccesses, 5);
		assert_int_equal(rows.nvcpus, 4);
		expect_group(&rows, 0, 2, 0, (const uint64_t[]){ 5, 6 }, 2);
		expect_group(&rows, 1, 2, 1, (const uint64_t[]){ 9, 7 }, 2);
		expect_group(&rows, 2, 2, 3, (const uint64_t[]){ 1 }, 1);
		assert_int_equal(sim_pagewr_next_epoch(trace, &rows, &err), 1);
		assert_int_equal(rows.ngroups, 1);
		assert_int_equal(rows.nvcpus, 1);
		assert_int_equal(rows.epoch_first, 3);
		assert_int_equal(rows.epoch_last, 3);
		expect_group(&rows, 0, 3, 0, (const uint64_t[]){ 4 }, 1);
		assert_int_equal(sim_pagewr_next_epoch(trace, &rows, &err), 1);
		expect_group(&rows, 0, 9, 2, (const uint64_t[]){ 3, 2 }, 2);
		assert_int_equal(sim_pagewr_next_epoch(trace, &rows, &err), 0);
		assert_int_equal(rows.ngroups, 0);
		assert_true(sim_pagewr_rewind(trace, &err));
	}
	sim_pagewr_rows_free(&rows);
	sim_pagewr_close(trace);
}

/* Rewinding in the middle of an epoch forgets the row that was read ahead. */
static void test_rewind_half_way(void **state)
{
	struct sim_error err = { "" };
	struct sim_pagewr_rows rows = { 0 };
	struct sim_pagewr *trace = open_text(HEADER "0,0,1,1\n1,0,2,1\n", NULL, &err);

	(void)state;
	for (int round = 0; round < 3; round++) {
		assert_int_equal(sim_pagewr_next_epoch(trace, &rows, &err), 1);
		expect_group(&rows, 0, 0, 0, (const uint64_t[]){ 1 }, 1);
		assert_true(sim_pagewr_rewind(trace, &err));
	}
	sim_pagewr_rows_free(&rows);
	sim_pagewr_close(trace);
}

struct sums {
	uint64_t rows;
	uint64_t writes;
	uint64_t reads;
	uint64_t gfns;
};

static void add(struct sums *sums, uint64_t gfn, uint64_t writes, uint64_t reads)
{
	sums->rows++;
	sums->writes += writes;
	sums->reads += reads;
	sums->gfns += gfn;
}

static struct sums sums_of_rows(const struct sim_pagewr_rows *rows)
{
	struct sums sums = { 0 };

	for (size_t i = 0; i < rows->ngroups; i++) {
		const struct sim_pagewr_group *group = &rows->groups[i];

		for (size_t j = group->first; j < group->first + group->count; j++)
			add(&sums, rows->accesses[j].gfn, rows->accesses[j].writes,
			    rows->accesses[j].reads);
	}
	return sums;
}

/* The first ten epochs of a recorded trace, in which both vCPUs write; summed up by awk. */
static void test_recorded(void **state)
{
	static const struct sums expected = {
		.rows = 1251,
		.writes = 1460880,
		.gfns = 395988567,
	};
	const struct sim_pagewr_limits limits = { 2, 0x40000, 131072 };
	struct sim_error err = { "" };
	struct sim_pagewr_rows rows = { 0 };
	struct sums by_row = { 0 };
	struct sums by_epoch = { 0 };
	struct sums whole;
	struct sim_pagewr_row row;
	struct sim_pagewr *trace = sim_pagewr_open(DATA "pagewr-redis-head.csv.zst", &limits, &err);

	(void)state;
	assert_non_null(trace);
	while (sim_pagewr_next(trace, &row, &err) == 1)
		add(&by_row, row.gfn, row.writes, row.reads);
	assert_true(sim_pagewr_rewind(trace, &err));
	while (sim_pagewr_next_epoch(trace, &rows, &err) == 1) {
		const struct sums sums = sums_of_rows(&rows);

		by_epoch.rows += sums.rows;
		by_epoch.writes += sums.writes;
		by_epoch.gfns += sums.gfns;
	}
	sim_pagewr_close(trace);
	sim_pagewr_rows_free(&rows);
	assert_true(sim_pagewr_load(DATA "pagewr-redis-head.csv.zst", &limits, &rows, &err));
	assert_string_equal(err.text, "");
	assert_int_equal(rows.epoch_first, 0);
	assert_int_equal(rows.epoch_last, 9);
	assert_int_equal(rows.nvcpus, 2);
	whole = sums_of_rows(&rows);
	sim_pagewr_rows_free(&rows);
	assert_memory_equal(&by_row, &expected, sizeof(expected));
	assert_memory_equal(&by_epoch, &expected, sizeof(expected));
	assert_memory_equal(&whole, &expected, sizeof(expected));
}

static void test_bad_files(void **state)
{
	static const struct {
		const char *file;
		const char *words;
	} bad[] = {
		{ "pagewr-bad-cut.csv.zst", "cut off: the compressed data ends in the middle" },
		{ "pagewr-bad-order.csv", ":5: epoch, found 1, expected at least 2" },
		{ "pagewr-bad-utf8.csv", ":3: byte 3 of the line, found 0xe4" },
		{ "pagewr-bad-crlf.csv", ":1: first line, found 'epoch,vcpu,gfn,writes\\x0d'" },
		{ "pagewr-bad-header.csv", ":1: first line, found 'epoch,cpu,gfn,writes'" },
		{ "pagewr-bad-column.csv", ":4: columns, found 3 in '1,0,262144'" },
		{ "pagewr-bad-range.csv", ":3: gfn, found 393216, expected 262144..393215" },
		{ "pagewr-bad-overflow.csv", ":2: writes, found '18446744073709551616'" },
		{ "pagewr-bad-negative.csv", ":2: writes, found '-1'" },
		{ "pagewr-bad-empty.csv", ": rows, found none, expected at least one" },
		{ "no-such-file.csv", "cannot open" },
	};
	const struct sim_pagewr_limits limits = { 2, 0x40000, 131072 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct sim_pagewr_rows rows;
		struct sim_error err = { "" };
		char path[512];

		snprintf(path, sizeof(path), "%s%s", DATA, bad[i].file);
		assert_false(sim_pagewr_load(path, &limits, &rows, &err));
		assert_null(rows.accesses);
		assert_null(rows.groups);
		if (strncmp(err.text, path, strlen(path)) != 0 || !strstr(err.text, bad[i].words))
			fail_msg("'%s' should begin with the file and say '%s'", err.text,
				 bad[i].words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_rows_with_reads),
		cmocka_unit_test(test_header_alone),
		cmocka_unit_test(test_bad_headers),
		cmocka_unit_test(test_bad_rows),
		cmocka_unit_test(test_bounds_without_limits),
		cmocka_unit_test(test_epochs),
		cmocka_unit_test(test_rewind_half_way),
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_bad_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
