// SPDX-License-Identifier: BSD-2-Clause
/*
 * format.c - find the unit in which a value has one to three digits before the point, and round to
 * three digits in all.
 */
#include "sim/report/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/engine/wide.h"

struct scale {
	uint64_t factor;
	const char *suffix;
};

static uint64_t rounded(uint64_t value, uint64_t times, uint64_t factor)
{
	return (uint64_t)(((sim_u128)value * times + factor / 2) / factor);
}

/* In the smallest unit in which the rounded value has at most three digits before the point. */
static void scaled(uint64_t value, const struct scale *scales, size_t n, char *buf)
{
	for (size_t i = 0;; i++) {
		uint64_t factor = scales[i].factor;
		uint64_t hundredths = rounded(value, 100, factor);
		uint64_t tenths = rounded(value, 10, factor), whole = rounded(value, 1, factor);

		if (i + 1 < n && whole >= scales[i + 1].factor / factor)
			continue;
		if (i > 0 && hundredths < 1000)
			snprintf(buf, SIM_FORMAT_BYTES, "%" PRIu64 ".%02" PRIu64 " %s",
				 hundredths / 100, hundredths % 100, scales[i].suffix);
		else if (i > 0 && tenths < 1000)
			snprintf(buf, SIM_FORMAT_BYTES, "%" PRIu64 ".%" PRIu64 " %s", tenths / 10,
				 tenths % 10, scales[i].suffix);
		else
			snprintf(buf, SIM_FORMAT_BYTES, "%" PRIu64 " %s", whole,
				 scales[i].suffix);
		return;
	}
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
		scaled(value, times, 4, buf);
	} else if (strcmp(unit, "vcpu ns") == 0) {
		scaled(value, vcpu_times, 4, buf);
	} else if (strcmp(unit, "bytes") == 0) {
		scaled(value, sizes, 5, buf);
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
