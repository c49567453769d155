// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: numbers, UTF-8 and near names are read by the rules their headers state, and by no others.
 * Method: tables of texts with what the rule says of each; RFC 3629's own limits for UTF-8.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sim/engine/nearest.h"
#include "sim/engine/number.h"
#include "sim/engine/utf8.h"

static void numbers_that_are(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {
		{ "0", 0 }, { "7", 7 }, { "1_000_000", 1000000 }, { "0x1F", 31 },
		{ "0xff_ff", 65535 },
		{ "1k", 1000 }, { "1Ki", 1024 }, { "3M", 3000000 }, { "512Mi", 512u << 20 },
		{ "2G", 2000000000 }, { "1Gi", 1u << 30 }, { "1T", 1000000000000 },
		{ "1Ti", UINT64_C(1) << 40 }, { "0k", 0 }, { "0x10Ki", 16384 },
		{ "18446744073709551615", UINT64_MAX }, { "0xffffffffffffffff", UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		uint64_t value = 99;

		if (!sim_number_parse(good[i].text, &value))
			fail_msg("'%s' was refused", good[i].text);
		assert_true(value == good[i].value);
	}
}

static void numbers_that_are_not(void **state)
{
	static const char *const bad[] = {
		"", " 1", "1 ", "-1", "+1", "010", "00", "0_1", "_1", "1_", "1__0", "1e9", "1.5",
		"0x",
		"0x_1", "x10", "1K", "1ki", "1kk", "1Mib", "1Xi", "1i", "k", "1k2",
		"18446744073709551616", "0x10000000000000000", "16777216Ti", "99999999999T", "12a",
		"\xef\xbc\x91",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		uint64_t value = 99;

		if (sim_number_parse(bad[i], &value))
			fail_msg("'%s' was accepted", bad[i]);
		assert_true(value == 99);
	}
}

static void utf8(void **state)
{
	static const struct {
		const char *bytes;
		size_t first_bad;
	} cases[] = {
		{ "", 0 }, { "abc", 3 }, { "\xc2\x80", 2 }, { "\xdf\xbf", 2 },
		{ "\xe0\xa0\x80", 3 }, { "\xed\x9f\xbf", 3 }, { "\xee\x80\x80", 3 },
		{ "\xf0\x90\x80\x80", 4 }, { "\xf4\x8f\xbf\xbf", 4 },
		{ "a\x80", 1 }, { "\xc0\x80", 0 }, { "\xc1\xbf", 0 }, { "ab\xc2", 2 },
		{ "\xc2\x41", 0 }, { "\xe0\x9f\xbf", 0 }, { "\xed\xa0\x80", 0 }, { "\xe1\x80", 0 },
		{ "\xf0\x8f\xbf\xbf", 0 }, { "\xf4\x90\x80\x80", 0 }, { "\xf5\x80\x80\x80", 0 },
		{ "x\xff", 1 }, { "\xc3\xa9\xfe", 2 }, { "\xf1\x80\x80", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(sim_utf8_first_bad(cases[i].bytes, strlen(cases[i].bytes)),
				 cases[i].first_bad);
}

static void offer_all(const char *asked, char *buf, size_t size)
{
	static const char *const names[] = {
		"cost.fault_ns", "cost.split_ns", "link.bandwidth_bytes_per_s", "its.devbits",
		"its.cache", "workload.trace", "break.skip_tlbi",
	};
	struct sim_nearest near;

	sim_nearest_init(&near, asked);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		sim_nearest_offer(&near, names[i]);
	sim_nearest_text(&near, buf, size);
}

static void near_names(void **state)
{
	char buf[256];

	(void)state;
	offer_all("its.devbit", buf, sizeof(buf));
	assert_string_equal(buf, "; did you mean its.devbits?");
	offer_all("cost.fualt_ns", buf, sizeof(buf));	/* a swap is one step */
	assert_string_equal(buf, "; did you mean cost.fault_ns?");
	offer_all("bandwidth", buf, sizeof(buf));	/* contained in one */
	assert_string_equal(buf, "; did you mean link.bandwidth_bytes_per_s?");
	offer_all("its.trace", buf, sizeof(buf));	/* right noun, wrong component */
	assert_string_equal(buf, "; did you mean workload.trace?");
	offer_all("nothing.like_these_at_all", buf, sizeof(buf));
	assert_string_equal(buf, "");
}

static void near_names_are_few(void **state)
{
	struct sim_nearest near;
	char buf[256];

	(void)state;
	sim_nearest_init(&near, "fixed");
	sim_nearest_offer(&near, "fixed1234");	/* contains it: one step */
	sim_nearest_offer(&near, "fixes");
	sim_nearest_offer(&near, "fixed");
	sim_nearest_offer(&near, "fixer");
	sim_nearest_text(&near, buf, sizeof(buf));
	assert_string_equal(buf, "; did you mean fixed1234, fixes or fixed?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_that_are),
		cmocka_unit_test(numbers_that_are_not),
		cmocka_unit_test(utf8),
		cmocka_unit_test(near_names),
		cmocka_unit_test(near_names_are_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
