// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: lines come out as they went in, from memory, files, zstd and a pipe, whatever their lengths
 * and wherever a buffer ends; what is not text is refused by file and line.
 * Method: texts made here and cut into lines by a loop; each kind of damage by a case.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>
#include <cmocka.h>

#include "sim/trace/text.h"

/* Read @text to the end and compare with the lines of bytes[0 .. len). */
static void expect_lines(struct sim_text *text, const char *bytes, size_t len)
{
	struct sim_error err = { "" };
	struct sim_line line;
	uint64_t number = 0;

	for (size_t pos = 0; pos < len;) {
		const char *newline = memchr(bytes + pos, '\n', len - pos);
		const size_t line_len = (newline ? (size_t)(newline - bytes) : len) - pos;

		assert_int_equal(sim_text_next(text, &line, &err), 1);
		assert_int_equal(line.number, ++number);
		assert_int_equal(line.len, line_len);
		assert_memory_equal(line.text, bytes + pos, line_len);
		pos += line_len + 1;
	}
	assert_int_equal(sim_text_next(text, &line, &err), 0);
	assert_int_equal(sim_text_next(text, &line, &err), 0);
	assert_string_equal(err.text, "");
}

static void check_plain(const char *bytes, size_t len)
{
	struct sim_error err = { "" };
	struct sim_text *text = sim_text_open_memory("m", bytes, len);

	expect_lines(text, bytes, len);
	assert_true(sim_text_rewind(text, &err));
	expect_lines(text, bytes, len);
	sim_text_close(text);
}

/* As one frame, and as two that meet in the middle of everything. */
static void check_zstd(const char *bytes, size_t len)
{
	const size_t room = ZSTD_compressBound(len) + ZSTD_compressBound(0) + 64;
	char *packed = malloc(room);
	struct sim_error err = { "" };

	assert_non_null(packed);
	for (size_t cut = 0; cut <= len; cut += len / 2 + 1) {
		struct sim_text *text;
		size_t size = ZSTD_compress(packed, room, bytes, cut, 1);

		assert_false(ZSTD_isError(size));
		size += ZSTD_compress(packed + size, room - size, bytes + cut, len - cut, 1);
		text = sim_text_open_memory("m.zst", packed, size);
		expect_lines(text, bytes, len);
		assert_true(sim_text_rewind(text, &err));
		expect_lines(text, bytes, len);
		sim_text_close(text);
	}
	free(packed);
}

static void test_small_texts(void **state)
{
	static const char *const texts[] = {
		"",   "\n",    "a",	    "a\n",	    "a\nb",	    "\n\n",
		"a\r\nb\r\n",  "\n\na\n\n", "tab\there\n",  "\x01\x7f\n",
		"z\xc3\xa4hlt\n\xe2\x82\xac\n",
		"\xf0\x9f\x98\x80\n\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		check_plain(texts[i], strlen(texts[i]));
		check_zstd(texts[i], strlen(texts[i]));
	}
}

/* Several buffers' worth, lines of 0 to 300 bytes and a few of the greatest length. */
static void test_large_texts(void **state)
{
	const size_t len = 1500000;
	char *bytes = malloc(len);
	size_t line = 0;

	(void)state;
	assert_non_null(bytes);
	for (size_t pos = 0, left = 0; pos < len; pos++) {
		if (left--) {
			bytes[pos] = (char)('!' + pos % 90);
			continue;
		}
		bytes[pos] = '\n';
		left = ++line % 1000 ? line * 7919 % 301 : SIM_TEXT_LINE_BYTES_MAX;
	}
	check_plain(bytes, len);
	check_zstd(bytes, len);
	free(bytes);
}

static void expect_error(struct sim_text *text, uint64_t good_lines, const char *place,
			 const char *words)
{
	struct sim_error err = { "" };
	struct sim_line line;

	for (uint64_t i = 0; i < good_lines; i++)
		assert_int_equal(sim_text_next(text, &line, &err), 1);
	assert_int_equal(sim_text_next(text, &line, &err), -1);
	if (strncmp(err.text, place, strlen(place)) != 0 || !strstr(err.text, words))
		fail_msg("'%s' should begin with '%s' and say '%s'", err.text, place, words);
	sim_error_clear(&err);
	assert_int_equal(sim_text_next(text, &line, &err), -1);
	assert_true(sim_error_is_set(&err));
	assert_false(sim_text_rewind(text, &err));
	sim_text_close(text);
}

static void test_what_is_not_text(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *words;
	} bad[] = {
		{ "ok\nx\0y\n", 7, "byte 2 of the line, found 0x00" },
		{ "ok\n\0", 4, "byte 1 of the line, found 0x00" },
		{ "ok\nab\x80\n", 7, "byte 3 of the line, found 0x80" },
		{ "ok\n\xff\xfe\n", 6, "found 0xff" },
		{ "ok\n\xc0\xaf\n", 6, "found 0xc0" },	       /* overlong */
		{ "ok\n\xe0\x9f\xbf\n", 7, "found 0xe0" },     /* overlong */
		{ "ok\n\xed\xa0\x80\n", 7, "found 0xed" },     /* surrogate */
		{ "ok\n\xf4\x90\x80\x80\n", 8, "found 0xf4" }, /* above U+10FFFF */
		{ "ok\n\xe2\x82\n", 6, "found 0xe2" },	       /* cut by the newline */
		{ "ok\na\xe2\x82", 6, "found 0xe2" },	       /* cut by the end */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		expect_error(sim_text_open_memory("m", bad[i].bytes, bad[i].len), 1,
			     "m:2: ", bad[i].words);
}

static void test_long_lines(void **state)
{
	const size_t len = SIM_TEXT_LINE_BYTES_MAX + 1;
	char *bytes = malloc(600000);

	(void)state;
	assert_non_null(bytes);
	memset(bytes, 'x', 600000);
	memcpy(bytes, "ok\n", 3);
	expect_error(sim_text_open_memory("m", bytes, 600000), 1, "m:2: ", "65536");
	expect_error(sim_text_open_memory("m", bytes, 3 + len), 1, "m:2: ", "65536");
	bytes[3 + len] = '\n';
	expect_error(sim_text_open_memory("m", bytes, 4 + len), 1, "m:2: ", "65536");
	bytes[3 + len - 1] = '\n';
	check_plain(bytes, 3 + len);
	check_plain(bytes, 3 + len - 1);
	free(bytes);
}

/* Read to the end or to an error; how many lines. */
static uint64_t count_lines(struct sim_text *text, struct sim_error *err)
{
	struct sim_line line;
	uint64_t count = 0;

	sim_error_clear(err);
	while (sim_text_next(text, &line, err) == 1)
		count++;
	return count;
}

static void test_cut_and_damaged_zstd(void **state)
{
	char bytes[3000];
	char packed[4096];
	struct sim_error err = { "" };
	struct sim_text *text;
	size_t size;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i % 10 == 9 ? '\n' : (char)('a' + i * i % 23);
	size = ZSTD_compress(packed, sizeof(packed), bytes, sizeof(bytes), 1);
	assert_false(ZSTD_isError(size));
	for (size_t cut = 1; cut < size; cut++) {
		text = sim_text_open_memory("m.zst", packed, cut);
		assert_true(count_lines(text, &err) < 300);
		assert_non_null(strstr(err.text, "m.zst:"));
		assert_non_null(strstr(err.text, "cut off"));
		sim_text_close(text);
	}
	memcpy(packed + size, "junk", 4);
	text = sim_text_open_memory("m.zst", packed, size + 4);
	count_lines(text, &err);
	assert_non_null(strstr(err.text, "m.zst:"));
	sim_text_close(text);
	text = sim_text_open_memory("m.zst", bytes, sizeof(bytes));
	count_lines(text, &err);
	assert_non_null(strstr(err.text, "m.zst:1: damaged, or not compressed"));
	sim_text_close(text);
	expect_error(sim_text_open_memory("m", packed, size), 0, "m:1: ", ".zst");
}

static void test_files(void **state)
{
	static const char bytes[] = "one\ntwo\nthree";
	struct sim_error err = { "" };
	char path[] = "/tmp/weir-text-XXXXXX";
	const int fd = mkstemp(path);
	struct sim_text *text;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, sizeof(bytes) - 1), sizeof(bytes) - 1);
	close(fd);
	text = sim_text_open(path, &err);
	assert_non_null(text);
	assert_string_equal(sim_text_name(text), path);
	expect_lines(text, bytes, sizeof(bytes) - 1);
	assert_true(sim_text_rewind(text, &err));
	expect_lines(text, bytes, sizeof(bytes) - 1);
	sim_text_close(text);
	unlink(path);
	assert_null(sim_text_open(path, &err));
	assert_non_null(strstr(err.text, path));
	sim_error_clear(&err);
	text = sim_text_open("/tmp", &err);
	assert_non_null(text);
	assert_int_equal(count_lines(text, &err), 0);
	assert_non_null(strstr(err.text, "/tmp:1: reading"));
	sim_text_close(text);
	sim_text_close(NULL);
}

/* A pipe on standard input can be read, and not started over. */
static void test_standard_input(void **state)
{
	static const char bytes[] = "one\ntwo\n";
	struct sim_error err = { "" };
	struct sim_text *text;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], bytes, sizeof(bytes) - 1), sizeof(bytes) - 1);
	close(ends[1]);
	assert_true(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
	close(ends[0]);
	text = sim_text_open("-", &err);
	assert_non_null(text);
	expect_lines(text, bytes, sizeof(bytes) - 1);
	assert_false(sim_text_rewind(text, &err));
	assert_non_null(strstr(err.text, "-: cannot start over"));
	sim_text_close(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small_texts),
		cmocka_unit_test(test_large_texts),
		cmocka_unit_test(test_what_is_not_text),
		cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_cut_and_damaged_zstd),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_standard_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
