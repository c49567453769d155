/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * program.h - weir-sim as a user runs it, for tests: shell commands in a scratch directory, and
 * what they said.
 */
#ifndef TESTS_UNIT_PROGRAM_H
#define TESTS_UNIT_PROGRAM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define WEIR_SIM	EMULATOR " " WEIR_BIN_DIR "/weir-sim"
#define TEXT_MAX	65536u
#define TEXT(s)		(s), sizeof(s) - 1

static char dir[64];			/* scratch */
static char out[TEXT_MAX], err[TEXT_MAX];

static inline void slurp(const char *path, char *text)
{
	FILE *file = fopen(path, "r");
	size_t n = 0;

	if (file) {
		n = fread(text, 1, TEXT_MAX - 1, file);
		fclose(file);
	}
	text[n] = '\0';
}

/* Run a shell command in the scratch directory; its exit code. */
static inline int sh(const char *fmt, ...)
{
	char command[4096], wrapped[8192];
	va_list args;
	int status;

	va_start(args, fmt);
	vsnprintf(command, sizeof(command), fmt, args);
	va_end(args);
	snprintf(wrapped, sizeof(wrapped), "cd %s && { %s; } >stdout 2>stderr </dev/null", dir,
		 command);
	status = system(wrapped);
	assert_true(WIFEXITED(status));
	snprintf(wrapped, sizeof(wrapped), "%s/stdout", dir);
	slurp(wrapped, out);
	snprintf(wrapped, sizeof(wrapped), "%s/stderr", dir);
	slurp(wrapped, err);
	return WEXITSTATUS(status);
}

static inline void write_file(const char *name, const void *bytes, size_t len)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static inline unsigned int occurrences(const char *text, const char *what)
{
	unsigned int n = 0;

	while ((text = strstr(text, what))) {
		text++;
		n++;
	}
	return n;
}

static inline unsigned int lines(const char *text)
{
	return occurrences(text, "\n");
}

static inline const char *last_line(char *text)
{
	size_t n = strlen(text);
	char *newline;

	if (n && text[n - 1] == '\n')
		text[n - 1] = '\0';
	newline = strrchr(text, '\n');
	return newline ? newline + 1 : text;
}

static inline int program_set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/weir-sim.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static inline int program_tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

#endif
