// SPDX-License-Identifier: BSD-2-Clause
/*
 * format.c - scale a value to its largest fitting unit and print it with decimals to three digits.
 */
#include "sim/report/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct scale {
	uint64_t factor;
	const char *suffix;
};

/* value / factor, rounded half up, with as many decimals as make three significant digits. */
static void scaled(uint64_t value, const struct scale *scale, char *buf)
{
	uint64_t whole = value / scale->factor, rest = value % scale->factor;
	unsigned int decimals = scale->factor == 1 || whole >= 100 ? 0 : whole >= 10 ? 1 : 2;
	uint64_t ten = decimals == 2 ? 100 : decimals == 1 ? 10 : 1;
	/* rest < 2^40 for every scale here, so that this cannot overflow */
	uint64_t fraction = (rest * ten + scale->factor / 2) / scale->factor;

	if (fraction == ten) {
		whole++;
		fraction = 0;
	}
	if (decimals)
		snprintf(buf, SIM_FORMAT_BYTES, "%" PRIu64 ".%0*" PRIu64 " %s", whole,
			 (int)decimals, fraction, scale->suffix);
	else
		snprintf(buf, SIM_FORMAT_BYTES, "%" PRIu64 " %s", whole, scale->suffix);
}

static const struct scale *fitting(uint64_t value, const struct scale *scales, size_t n)
{
	size_t i = n - 1;

	while (i > 0 && value < scales[i].factor)
		i--;
	return &scales[i];
}

void sim_format_count(uint64_t value, char buf[SIM_FORMAT_BYTES])
{
	char digits[24];
	size_t len, out = 0;

	len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, value);
	for (size_t i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			buf[out++] = ',';
		buf[out++] = digits[i];
	}
	buf[out] = '\0';
}

void sim_format_value(uint64_t value, const char *unit, char buf[SIM_FORMAT_BYTES])
{
	static const struct scale times[] = {
		{ 1, "ns" }, { 1000, "us" }, { 1000000, "ms" }, { 1000000000, "s" },
	};
	static const struct scale vcpu_times[] = {
		{ 1, "vCPU ns" }, { 1000, "vCPU us" }, { 1000000, "vCPU ms" },
		{ 1000000000, "vCPU s" },
	};
	static const struct scale sizes[] = {
		{ 1, "B" }, { 1 << 10, "KiB" }, { 1 << 20, "MiB" }, { 1 << 30, "GiB" },
		{ UINT64_C(1) << 40, "TiB" },
	};

	if (strcmp(unit, "ns") == 0) {
		scaled(value, fitting(value, times, 4), buf);
	} else if (strcmp(unit, "vcpu ns") == 0) {
		scaled(value, fitting(value, vcpu_times, 4), buf);
	} else if (strcmp(unit, "bytes") == 0) {
		scaled(value, fitting(value, sizes, 5), buf);
	} else if (strcmp(unit, "bool") == 0) {
		snprintf(buf, SIM_FORMAT_BYTES, "%s", value ? "yes" : "no");
	} else {
		sim_format_count(value, buf);
		if (*unit) {
			size_t len = strlen(buf);

			snprintf(buf + len, SIM_FORMAT_BYTES - len, " %s", unit);
		}
	}
}
