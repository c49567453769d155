/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * golden.h - reading a recording, and comparing what a script printed with it.
 */
#ifndef TESTS_CONFORMANCE_GOLDEN_H
#define TESTS_CONFORMANCE_GOLDEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static inline char *read_all(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	char *text;

	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	*len = (size_t)ftell(f);
	rewind(f);
	text = malloc(*len + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, *len, f), *len);
	text[*len] = '\0';
	fclose(f);
	return text;
}

/* Compare, and name the first line that differs. */
static inline void expect(const char *got, size_t got_len, const char *want, size_t want_len)
{
	size_t at = 0, line = 1, start = 0;

	while (at < got_len && at < want_len && got[at] == want[at]) {
		if (want[at] == '\n') {
			line++;
			start = at + 1;
		}
		at++;
	}
	if (at != got_len || at != want_len)
		fail_msg("line %zu: found '%.*s', expected '%.*s'", line,
			 (int)strcspn(got + start, "\n"), got + start,
			 (int)strcspn(want + start, "\n"), want + start);
}

#endif
