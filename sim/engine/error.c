// SPDX-License-Identifier: BSD-2-Clause
/*
 * sim/engine/error.c - messages about bad input, and the two ends of a process that cannot go on.
 */
#include "sim/engine/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_INTERNAL = 3 };

static void error_vformat(struct sim_error *err, size_t used, const char *fmt, va_list args)
{
	if (used < sizeof(err->text))
		vsnprintf(err->text + used, sizeof(err->text) - used, fmt, args);
}

void sim_error_set(struct sim_error *err, const char *fmt, ...)
{
	va_list args;

	if (!err || err->text[0])
		return;
	va_start(args, fmt);
	error_vformat(err, 0, fmt, args);
	va_end(args);
}

void sim_error_at(struct sim_error *err, const char *file, uint64_t line, const char *fmt, ...)
{
	va_list args;
	int used;

	if (!err || err->text[0])
		return;
	if (line)
		used = snprintf(err->text, sizeof(err->text), "%s:%llu: ", file,
				(unsigned long long)line);
	else
		used = snprintf(err->text, sizeof(err->text), "%s: ", file);
	if (used < 0)
		return;
	va_start(args, fmt);
	error_vformat(err, (size_t)used, fmt, args);
	va_end(args);
}

struct sim_quoted sim_quote(const char *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	/* Past this, an escape, the dots, the quote and the NUL might not all fit. */
	const size_t full = SIM_QUOTE_BYTES - sizeof("\\x00...'");
	struct sim_quoted quoted;
	size_t n = 0;

	quoted.text[n++] = '\'';
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if (n > full) {
			memcpy(quoted.text + n, "...", 3);
			n += 3;
			break;
		}
		if (c >= 0x20 && c < 0x7f) {
			quoted.text[n++] = (char)c;
			continue;
		}
		quoted.text[n++] = '\\';
		quoted.text[n++] = 'x';
		quoted.text[n++] = digits[c >> 4];
		quoted.text[n++] = digits[c & 15];
	}
	quoted.text[n++] = '\'';
	quoted.text[n] = '\0';
	return quoted;
}

void sim_assert_failed(const char *file, int line, const char *cond)
{
	fflush(stdout);
	fprintf(stderr, "weir: internal error: %s:%d: %s does not hold\n", file, line, cond);
	_Exit(EXIT_INTERNAL);
}

void sim_out_of_memory(size_t count, size_t size, const char *what)
{
	fflush(stdout);
	fprintf(stderr, "weir: out of memory: %s: %zu times %zu bytes\n", what, count, size);
	_Exit(EXIT_INTERNAL);
}

void *sim_alloc(size_t count, size_t size, const char *what)
{
	void *memory = calloc(count ? count : 1, size ? size : 1);

	if (!memory)
		sim_out_of_memory(count, size, what);
	return memory;
}

void *sim_realloc(void *old, size_t count, size_t size, const char *what)
{
	size_t bytes;
	void *memory;

	if (__builtin_mul_overflow(count, size, &bytes))
		sim_out_of_memory(count, size, what);
	memory = realloc(old, bytes ? bytes : 1);
	if (!memory)
		sim_out_of_memory(count, size, what);
	return memory;
}

char *sim_strdup(const char *text)
{
	size_t bytes = strlen(text) + 1;
	char *copy = sim_alloc(bytes, 1, "text");

	memcpy(copy, text, bytes);
	return copy;
}
