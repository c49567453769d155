/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/report/format.h - figures for people: three or four significant digits and a unit that fits.
 *
 * Integer arithmetic, rounded half up, so that a report has the same bytes everywhere.
 */
#ifndef SIM_REPORT_FORMAT_H
#define SIM_REPORT_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define SIM_FORMAT_BYTES 48

/**
 * sim_format_value() - a value in its unit
 * @value: the value
 * @unit: "ns" and "vcpu ns" become ns, us, ms or s; "bytes" B, KiB, MiB, GiB; "bool" yes or no;
 *	any other is a count, in groups of three digits, with the unit after it ("" : none)
 * @buf: receives the text
 */
void sim_format_value(uint64_t value, const char *unit, char buf[SIM_FORMAT_BYTES]);

/** sim_format_count() - digits in groups of three, by commas */
void sim_format_count(uint64_t value, char buf[SIM_FORMAT_BYTES]);

#endif
