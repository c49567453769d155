// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: figures for people are rounded half up to three digits and carry the unit that fits.
 * Method: a table, with the edges of each unit and of rounding.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sim/report/format.h"

static void values(void **state)
{
	static const struct {
		uint64_t value;
		const char *unit, *text;
	} cases[] = {
		{ 0, "ns", "0 ns" }, { 999, "ns", "999 ns" }, { 1000, "ns", "1.00 us" },
		{ 1004, "ns", "1.00 us" }, { 1005, "ns", "1.01 us" }, { 9994, "ns", "9.99 us" },
		{ 9995, "ns", "10.0 us" }, { 10049, "ns", "10.0 us" }, { 10050, "ns", "10.1 us" },
		{ 99949, "ns", "99.9 us" }, { 99950, "ns", "100 us" }, { 100499, "ns", "100 us" },
		{ 100500, "ns", "101 us" }, { 999499, "ns", "999 us" }, { 999500, "ns", "1.00 ms" },
		{ 999999499, "ns", "1.00 s" }, { 1500000000, "ns", "1.50 s" },
		{ 18600123, "vcpu ns", "18.6 vCPU ms" }, { 0, "vcpu ns", "0 vCPU ns" },
		{ 1023, "bytes", "1023 B" }, { 1024, "bytes", "1.00 KiB" },
		{ 1536, "bytes", "1.50 KiB" }, { 606076928, "bytes", "578 MiB" },
		{ UINT64_C(1) << 40, "bytes", "1.00 TiB" },
		{ UINT64_MAX, "bytes", "16777216 TiB" },
		{ 0, "bool", "no" }, { 1, "bool", "yes" },
		{ 0, "", "0" }, { 999, "", "999" }, { 1000, "", "1,000" },
		{ 1234567, "pages", "1,234,567 pages" },
		{ UINT64_MAX, "", "18,446,744,073,709,551,615" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char buf[SIM_FORMAT_BYTES];

		sim_format_value(cases[i].value, cases[i].unit, buf);
		assert_string_equal(buf, cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(values) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
