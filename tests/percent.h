/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * percent.h - the share of its iterations that a long test is to do: WEIR_TEST_PERCENT of the
 * environment, 1 to 100; all of them without it.
 */
#ifndef TESTS_PERCENT_H
#define TESTS_PERCENT_H

#include <stdlib.h>

static inline unsigned int test_percent(void)
{
	const char *text = getenv("WEIR_TEST_PERCENT");
	unsigned long long percent = text ? strtoull(text, NULL, 10) : 100;

	return percent >= 1 && percent <= 100 ? (unsigned int)percent : 100u;
}

#endif
