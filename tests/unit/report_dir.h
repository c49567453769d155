/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_dir.h - a directory for one test, and small files in it.
 */
#ifndef TESTS_REPORT_DIR_H
#define TESTS_REPORT_DIR_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* CMocka's set-up: a new directory, and the process in it. */
static int enter_dir(void **state)
{
	char template[] = "/tmp/weir-test-XXXXXX";

	*state = mkdtemp(template) ? strdup(template) : NULL;
	return *state ? chdir(*state) : -1;
}

static int leave_dir(void **state)
{
	int failed = chdir("/") || nftw(*state, remove_entry, 8, FTW_DEPTH | FTW_PHYS);

	free(*state);
	return failed;
}

static inline void put_file(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

#endif
