// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: the digest is XXH3-128 of the records' bytes however they were batched; a trace file gives
 * back what was emitted; a file that is cut, damaged, newer or foreign is refused with words, and a
 * disk that is full is noticed.
 * Method: records laid out byte by byte here, digested in one call; files written, then cut at
 * every length and flipped at every byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>
#include <cmocka.h>

#include "sim/engine/history.h"
#include "sim/engine/stats.h"
#include "tests/unit/death.h"

enum { EXIT_INTERNAL = 3, RECORD_BYTES = 32 };

static const struct sim_history_kind kinds[] = {
	{ 1, "fault", "vcpu", "gfn", "write" },
	{ 7, "tick", "", "", "" },
	{ 0, "zero", "", "a", "b" },
};

enum { NKINDS = sizeof(kinds) / sizeof(kinds[0]) };

static char path[64];

static int make_path(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/weir-history-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	return close(fd);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

static struct sim_record record_at(uint64_t i)
{
	return (struct sim_record){
		.time_ns = i * UINT64_C(0x0102030405060708),
		.kind = i % 3 == 0 ? 1 : i % 3 == 1 ? 7 : 0,
		.actor = (uint32_t)(i * 0x01020305),
		.a = ~i,
		.b = i << 40,
	};
}

static void put(unsigned char *bytes, uint64_t value, int len)
{
	for (int i = 0; i < len; i++)
		bytes[i] = (unsigned char)(value >> (8 * i));
}

/* All records as bytes; free() it. */
static unsigned char *lay_out(uint64_t count)
{
	unsigned char *bytes = malloc(count * RECORD_BYTES + 1);

	assert_non_null(bytes);
	for (uint64_t i = 0; i < count; i++) {
		const struct sim_record r = record_at(i);
		unsigned char *p = bytes + i * RECORD_BYTES;

		put(p, r.time_ns, 8);
		put(p + 8, r.kind, 4);
		put(p + 12, r.actor, 4);
		put(p + 16, r.a, 8);
		put(p + 24, r.b, 8);
	}
	return bytes;
}

static void hex_of(const void *bytes, size_t len, char hex[SIM_DIGEST_HEX_BYTES])
{
	const XXH128_hash_t hash = XXH3_128bits(bytes, len);

	snprintf(hex, SIM_DIGEST_HEX_BYTES, "%016llx%016llx", (unsigned long long)hash.high64,
		 (unsigned long long)hash.low64);
}

static void emit(struct sim_history *history, uint64_t begin, uint64_t end)
{
	for (uint64_t i = begin; i < end; i++) {
		const struct sim_record r = record_at(i);

		sim_history_emit(history, r.time_ns, r.kind, r.actor, r.a, r.b);
	}
}

static struct sim_history *create(const char *file)
{
	struct sim_error err = { "" };
	struct sim_history *history = sim_history_create(kinds, NKINDS, file, &err);

	assert_non_null(history);
	assert_string_equal(err.text, "");
	return history;
}

/* Counts around the batch size; asking for the digest on the way must not change it. */
static void test_digest_is_one_shot_digest(void **state)
{
	static const uint64_t counts[] = { 0,	1,   2,	  63,  64,   65,
					   255, 256, 257, 512, 1000, 100000 };

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		unsigned char *bytes = lay_out(counts[i]);
		struct sim_history *history = create(NULL);
		char expected[SIM_DIGEST_HEX_BYTES];
		char got[SIM_DIGEST_HEX_BYTES];

		hex_of(bytes, counts[i] * RECORD_BYTES, expected);
		emit(history, 0, counts[i] / 3);
		sim_history_digest_hex(history, got);
		emit(history, counts[i] / 3, counts[i]);
		assert_int_equal(sim_history_count(history), counts[i]);
		sim_history_digest_hex(history, got);
		assert_string_equal(got, expected);
		assert_true(sim_history_finish(history, NULL, NULL));
		sim_history_digest_hex(history, got);
		assert_string_equal(got, expected);
		sim_history_destroy(history);
		free(bytes);
	}
}

static void test_stats_are_folded_in(void **state)
{
	static const char names[] = "a.first\0"
				    "\xff\xff\xff\xff\xff\xff\xff\xff"
				    "b\0"
				    "\x07\0\0\0\0\0\0";
	struct sim_stats *stats = sim_stats_create();
	struct sim_history *history = create(NULL);
	unsigned char *records = lay_out(5);
	unsigned char bytes[5 * RECORD_BYTES + sizeof(names)];
	char expected[SIM_DIGEST_HEX_BYTES];
	char got[SIM_DIGEST_HEX_BYTES];

	(void)state;
	memcpy(bytes, records, 5 * RECORD_BYTES);
	memcpy(bytes + 5 * RECORD_BYTES, names, sizeof(names));
	hex_of(bytes, sizeof(bytes), expected);
	sim_stat_set_signed(sim_stat_add_signed(stats, "a.first", "1", "x"), -1);
	sim_stat_set(sim_stat_add(stats, "b", "ns", "y"), 7);
	emit(history, 0, 5);
	assert_true(sim_history_finish(history, stats, NULL));
	sim_history_digest_hex(history, got);
	assert_string_equal(got, expected);
	sim_history_destroy(history);
	sim_stats_destroy(stats);
	free(records);
}

/* Write a file of so many records; returns its size. */
static size_t write_trace(uint64_t count, char digest[SIM_DIGEST_HEX_BYTES])
{
	struct sim_history *history = create(path);
	struct sim_error err = { "" };
	FILE *file;
	long size;

	emit(history, 0, count);
	assert_false(sim_history_error(history, &err));
	assert_true(sim_history_finish(history, NULL, &err));
	assert_string_equal(err.text, "");
	sim_history_digest_hex(history, digest);
	sim_history_destroy(history);
	file = fopen(path, "rb");
	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	fclose(file);
	assert_true(size > 0);
	return (size_t)size;
}

static void test_file_gives_back_what_was_emitted(void **state)
{
	static const uint64_t counts[] = { 0, 1, 256, 300, 20000 };

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		char written[SIM_DIGEST_HEX_BYTES];
		char read[SIM_DIGEST_HEX_BYTES];
		struct sim_error err = { "" };
		struct sim_history_reader *reader;
		struct sim_record got;

		write_trace(counts[i], written);
		reader = sim_history_open(path, &err);
		assert_non_null(reader);
		for (uint64_t j = 0; j < counts[i]; j++) {
			const struct sim_record expected = record_at(j);

			assert_int_equal(sim_history_next(reader, &got, &err), 1);
			assert_memory_equal(&got, &expected, sizeof(got));
		}
		assert_int_equal(sim_history_next(reader, &got, &err), 0);
		assert_int_equal(sim_history_next(reader, &got, &err), 0);
		assert_string_equal(err.text, "");
		sim_history_record_digest_hex(reader, read);
		assert_string_equal(read, written);
		assert_string_equal(sim_history_kind(reader, 1)->name, "fault");
		assert_string_equal(sim_history_kind(reader, 1)->actor, "vcpu");
		assert_string_equal(sim_history_kind(reader, 1)->a, "gfn");
		assert_string_equal(sim_history_kind(reader, 1)->b, "write");
		assert_string_equal(sim_history_kind(reader, 7)->a, "");
		assert_null(sim_history_kind(reader, 2));
		sim_history_close(reader);
	}
}

static size_t read_bytes(unsigned char *bytes, size_t room)
{
	FILE *file = fopen(path, "rb");
	size_t len;

	assert_non_null(file);
	len = fread(bytes, 1, room, file);
	fclose(file);
	return len;
}

/* A new file each time: some file systems wait for the disk when one is overwritten. */
static void write_bytes(const void *bytes, size_t len)
{
	FILE *file;

	unlink(path);
	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

/* Read to the end; true if that went well. A failure must come with words, time and again. */
static bool read_all(struct sim_error *err, char digest[SIM_DIGEST_HEX_BYTES])
{
	struct sim_history_reader *reader;
	struct sim_record record;
	int got;

	sim_error_clear(err);
	reader = sim_history_open(path, err);
	if (!reader) {
		assert_non_null(strstr(err->text, path));
		return false;
	}
	do
		got = sim_history_next(reader, &record, err);
	while (got > 0);
	if (got < 0) {
		assert_non_null(strstr(err->text, path));
		assert_int_equal(sim_history_next(reader, &record, NULL), -1);
	}
	if (digest)
		sim_history_record_digest_hex(reader, digest);
	sim_history_close(reader);
	return got == 0;
}

/* A few bits of a zstd frame mean nothing: flipped, they may pass, but never change a record. */
static void test_cut_and_flipped_files_are_refused(void **state)
{
	static unsigned char bytes[4096];
	char digest[SIM_DIGEST_HEX_BYTES];
	char read[SIM_DIGEST_HEX_BYTES];
	const size_t len = write_trace(40, digest);
	size_t nrefused = 0;
	struct sim_error err = { "" };

	(void)state;
	assert_true(len < sizeof(bytes));
	assert_int_equal(read_bytes(bytes, sizeof(bytes)), len);
	assert_true(read_all(&err, NULL));
	for (size_t cut = 0; cut < len; cut++) {
		write_bytes(bytes, cut);
		assert_false(read_all(&err, NULL));
	}
	for (size_t i = 0; i < len; i++) {
		bytes[i] ^= (unsigned char)(1u << i % 8);
		write_bytes(bytes, len);
		if (read_all(&err, read))
			assert_string_equal(read, digest);
		else
			nrefused++;
		bytes[i] ^= (unsigned char)(1u << i % 8);
	}
	assert_true(nrefused >= len * 9 / 10);
	bytes[len] = 0;
	write_bytes(bytes, len + 1);
	assert_false(read_all(&err, NULL));
}

/* A file with the given contents, compressed. */
static void write_compressed(const void *bytes, size_t len)
{
	static unsigned char compressed[65536];
	const size_t size = ZSTD_compress(compressed, sizeof(compressed), bytes, len, 1);

	assert_false(ZSTD_isError(size));
	write_bytes(compressed, size);
}

static size_t make_header(unsigned char *bytes, const char *magic, uint32_t nkinds)
{
	memcpy(bytes, magic, 8);
	put(bytes + 8, nkinds, 4);
	return 12;
}

/* An end record for less than 128 records: the kind in pieces of 7 bits, then a byte each. */
static size_t make_end(unsigned char *bytes, unsigned char count)
{
	const unsigned char end[] = { 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0, count, 0 };

	memcpy(bytes, end, sizeof(end));
	return sizeof(end);
}

static void expect_refused(const unsigned char *bytes, size_t len, const char *words)
{
	struct sim_error err = { "" };

	write_compressed(bytes, len);
	assert_false(read_all(&err, NULL));
	if (!strstr(err.text, words))
		fail_msg("'%s' should say '%s'", err.text, words);
}

static void test_well_packed_nonsense_is_refused(void **state)
{
	unsigned char bytes[1024] = { 0 };
	struct sim_error err = { "" };
	size_t head, len;

	(void)state;
	head = make_header(bytes, "WEIRTRC1", 0);
	len = head + make_end(bytes + head, 0);
	write_compressed(bytes, len);
	assert_true(read_all(&err, NULL));

	expect_refused(bytes, 0, "cut off");
	expect_refused(bytes, head, "cut off");
	make_header(bytes, "WEIRTRC2", 0);
	expect_refused(bytes, len, "version");
	make_header(bytes, "\x7f" "ELF1234", 0);
	expect_refused(bytes, len, "not a trace");
	make_header(bytes, "WEIRTRC1", UINT32_MAX);
	expect_refused(bytes, len, "number of kinds");
	make_header(bytes, "WEIRTRC1", 1);
	memset(bytes + head, 'x', 200);
	expect_refused(bytes, head + 200, "name");

	make_header(bytes, "WEIRTRC1", 0);
	make_end(bytes + head, 5);
	expect_refused(bytes, len, "0 records, expected 5");
	make_end(bytes + head, 0);
	bytes[len] = 0;
	expect_refused(bytes, len + 1, "after the end");
	bytes[head + 4] = 0x1f;
	expect_refused(bytes, len, "more than 32 bits");
	memset(bytes + head, 0xff, 20);
	bytes[head] = 1;
	expect_refused(bytes, head + 20, "more than 64 bits");
	memset(bytes + head, 9, 5);
	expect_refused(bytes, head + 5, "kind 9");
}

/* The layout as written down: one record of known bytes after a table of one kind. */
static void test_layout(void **state)
{
	static const unsigned char bytes[] = "WEIRTRC1\x01\0\0\0"
					     "\x2c\x01\0\0n\0\0x\0\0"
					     "\xac\x02\x04\x05\x80\x01\x00"
					     "\xac\x02\x01\x05\x7f\xff\xff\xff\xff\xff\xff"
					     "\xff\xff\xff\x01"
					     "\xff\xff\xff\xff\x0f\0\0\x02";
	const struct sim_record expected[] = {
		{ .time_ns = 2, .kind = 300, .actor = 5, .a = 128, .b = 0 },
		{ .time_ns = 1, .kind = 300, .actor = 5, .a = 127, .b = UINT64_MAX },
	};
	struct sim_error err = { "" };
	struct sim_history_reader *reader;
	struct sim_record got;

	(void)state;
	write_compressed(bytes, sizeof(bytes)); /* the string's own NUL is the last b */
	reader = sim_history_open(path, &err);
	assert_non_null(reader);
	assert_string_equal(sim_history_kind(reader, 300)->name, "n");
	assert_string_equal(sim_history_kind(reader, 300)->actor, "");
	assert_string_equal(sim_history_kind(reader, 300)->a, "x");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(sim_history_next(reader, &got, &err), 1);
		assert_memory_equal(&got, &expected[i], sizeof(got));
	}
	assert_int_equal(sim_history_next(reader, &got, &err), 0);
	sim_history_close(reader);
}

static void test_plain_and_missing_files_are_refused(void **state)
{
	struct sim_error err = { "" };

	(void)state;
	write_bytes("epoch,vcpu,gfn,writes\n", 22);
	assert_false(read_all(&err, NULL));
	sim_error_clear(&err);
	assert_null(sim_history_open("/nonexistent/trace.zst", &err));
	assert_non_null(strstr(err.text, "/nonexistent/trace.zst"));
	sim_error_clear(&err);
	assert_null(sim_history_create(kinds, NKINDS, "/nonexistent/trace.zst", &err));
	assert_non_null(strstr(err.text, "/nonexistent/trace.zst"));
}

/* The disk is full: the run goes on with a right digest, and says so at the end. */
static void test_full_disk(void **state)
{
	const uint64_t count = 200000;
	unsigned char *bytes = lay_out(count);
	struct sim_error err = { "" };
	struct sim_history *history;
	char expected[SIM_DIGEST_HEX_BYTES];
	char got[SIM_DIGEST_HEX_BYTES];

	(void)state;
	if (access("/dev/full", W_OK))
		skip();
	history = create("/dev/full");
	hex_of(bytes, count * RECORD_BYTES, expected);
	emit(history, 0, count);
	assert_true(sim_history_error(history, &err));
	assert_non_null(strstr(err.text, "/dev/full"));
	sim_error_clear(&err);
	assert_false(sim_history_finish(history, NULL, &err));
	assert_non_null(strstr(err.text, "/dev/full"));
	sim_history_digest_hex(history, got);
	assert_string_equal(got, expected);
	sim_history_destroy(history);
	/* A short history meets the full disk only when the file is completed. */
	sim_error_clear(&err);
	history = create("/dev/full");
	emit(history, 0, 3);
	assert_false(sim_history_finish(history, NULL, &err));
	assert_non_null(strstr(err.text, "/dev/full"));
	sim_history_destroy(history);
	free(bytes);
}

static void emit_unknown(void *arg)
{
	struct sim_history *history = arg;

	sim_history_emit(history, 0, 1, 0, 0, 0);
	sim_history_emit(history, 0, 2, 0, 0, 0);
	sim_history_finish(history, NULL, NULL);
}

static void create_twice_the_same(void *arg)
{
	static const struct sim_history_kind same[] = {
		{ 1, "a", "", "", "" },
		{ 1, "b", "", "", "" },
	};

	(void)arg;
	sim_history_create(same, 2, NULL, NULL);
}

static void test_misuse_ends_the_process(void **state)
{
	struct sim_history *history = create(NULL);

	(void)state;
	assert_int_equal(exit_code_of(emit_unknown, history), EXIT_INTERNAL);
	assert_int_equal(exit_code_of(create_twice_the_same, NULL), EXIT_INTERNAL);
	sim_history_destroy(history);
	sim_history_destroy(NULL);
	sim_history_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_digest_is_one_shot_digest),
		cmocka_unit_test(test_stats_are_folded_in),
		cmocka_unit_test(test_file_gives_back_what_was_emitted),
		cmocka_unit_test(test_cut_and_flipped_files_are_refused),
		cmocka_unit_test(test_well_packed_nonsense_is_refused),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_plain_and_missing_files_are_refused),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_misuse_ends_the_process),
	};

	return cmocka_run_group_tests(tests, make_path, remove_path);
}
