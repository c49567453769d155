// SPDX-License-Identifier: BSD-2-Clause
/*
 * svg_heat.c - the dirty-page heat map: time to the right, addresses upwards.
 *
 * A level of colour stands for a range of pages that became dirty in a cell. The ranges grow by
 * powers of two, as evenly as they can up to the largest cell: counts span decades. A level is one
 * path of horizontal strokes, as high as a row, so that a map of 20,000 cells stays a few tens of
 * kilobytes and sharp at any size.
 */
#include "sim/report/svg_heat.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "sim/report/format.h"
#include "sim/report/series_data.h"
#include "sim/report/svg.h"

#define TOP 60
#define HEIGHT 2000

static uint64_t cell(const struct sim_series *s, unsigned int shift, unsigned int column,
		     unsigned int row)
{
	unsigned int merged = 1u << (shift - s->shift);
	uint64_t sum = 0;

	for (unsigned int i = column * merged; i < (column + 1) * merged; i++)
		sum += i < SIM_SERIES_BINS ? s->heat[i][row] : 0;
	return sum;
}

static unsigned int ncolumns(const struct sim_series *s, unsigned int shift)
{
	return s->end_ns ? (unsigned int)((s->end_ns - 1) >> shift) + 1 : 1;
}

uint64_t sim_heat_max(const struct sim_series *s, unsigned int shift)
{
	uint64_t max = 0;

	for (unsigned int c = 0; c < ncolumns(s, shift); c++) {
		for (unsigned int r = 0; r < s->nrows; r++) {
			uint64_t value = cell(s, shift, c, r);

			if (value > max)
				max = value;
		}
	}
	return max;
}

static unsigned int log2_of(uint64_t value)
{
	return 63 - (unsigned int)__builtin_clzll(value);
}

/* The smallest cell of a level, from 1: powers of two, spread evenly up to the largest cell. */
static uint64_t level_first(unsigned int level, uint64_t max)
{
	return UINT64_C(1) << ((level - 1) * (log2_of(max) + 1) / SIM_SVG_HEAT_LEVELS);
}

/* 0: nothing became dirty; 1 to SIM_SVG_HEAT_LEVELS. Where levels coincide, the highest. */
static unsigned int level_of(uint64_t value, uint64_t max)
{
	unsigned int level = value ? SIM_SVG_HEAT_LEVELS : 0;

	while (level && level_first(level, max) > value)
		level--;
	return level;
}

static void strokes(FILE *out, const struct sim_svg_scale *scale, const struct sim_series *s,
		    unsigned int level, long row_height)
{
	unsigned int n = ncolumns(s, scale->heat_shift);

	fprintf(out, "<path class=\"h h%u\" stroke-width=\"%ld\" d=\"", level, row_height);
	for (unsigned int r = 0; r < s->nrows; r++) {
		long y = TOP + row_height * (long)(s->nrows - 1 - r) + row_height / 2;

		for (unsigned int c = 0, begin = 0; c <= n; c++) {
			bool in = c < n && level_of(cell(s, scale->heat_shift, c, r),
						    scale->heat_max) == level;

			if (in)
				continue;
			if (c > begin)
				fprintf(out, "M%ld %ldH%ld",
					sim_svg_x(scale, (uint64_t)begin << scale->heat_shift), y,
					sim_svg_x(scale, (uint64_t)c << scale->heat_shift));
			begin = c + 1;
		}
	}
	fprintf(out, "\"/>\n");
}

/* Events are few, so that a quarter of them may be none: each number stands where it belongs. */
static void event_axis(FILE *out, const struct sim_series *s, long row_height, long bottom)
{
	uint64_t before = UINT64_MAX;

	for (unsigned int i = 0; i <= 4; i++) {
		uint64_t event = s->npages * i / 4;
		long y = bottom - row_height * (long)event / (1L << s->row_shift);

		if (event != before)
			fprintf(out, "<text x=\"%d\" y=\"%ld\" class=\"end\">%" PRIu64
				"</text>\n", SIM_SVG_LEFT - 60, y + 45, event);
		before = event;
	}
}

static void address_axis(FILE *out, const struct sim_series *s, long bottom)
{
	char text[SIM_FORMAT_BYTES];

	for (unsigned int i = 0; i <= 4; i++) {
		uint64_t gfn = s->base_gfn + s->npages * i / 4;
		long y = bottom - (bottom - TOP) / 4 * (long)i;

		sim_format_value((gfn - s->base_gfn) * s->page_bytes, "bytes", text);
		fprintf(out, "<text x=\"%d\" y=\"%ld\" class=\"end\">%s"
			"<title>guest frame 0x%" PRIx64 "</title></text>\n", SIM_SVG_LEFT - 60,
			y + 45, i ? text : "0", gfn);
	}
}

void sim_svg_heat(FILE *out, const struct sim_svg_scale *scale, const struct sim_series *s)
{
	long row_height = HEIGHT / (long)s->nrows > 4 ? HEIGHT / (long)s->nrows / 2 * 2 : 4;
	long bottom = TOP + row_height * (long)s->nrows;

	fprintf(out, "<div class=\"scroll\"><svg viewBox=\"0 0 %d %ld\" role=\"img\" "
		"aria-label=\"%s\">\n"
		"<path class=\"plot\" d=\"M%d %dH%ldV%ldH%dz\"/>\n", SIM_SVG_WIDTH, bottom + 360,
		s->page_bytes ? "pages that became dirty, by time and guest address" :
				"interrupts taken, by time and event",
		SIM_SVG_LEFT, TOP, sim_svg_x(scale, s->end_ns), bottom, SIM_SVG_LEFT);
	for (unsigned int level = 1; level <= SIM_SVG_HEAT_LEVELS; level++)
		strokes(out, scale, s, level, row_height);
	if (s->page_bytes)
		address_axis(out, s, bottom);
	else
		event_axis(out, s, row_height, bottom);
	sim_svg_time_axis(out, scale, bottom, bottom);
	fprintf(out, "</svg></div>\n");
}

void sim_svg_heat_legend(FILE *out, const struct sim_svg_scale *scale, const struct sim_series *s)
{
	char span[SIM_FORMAT_BYTES], bytes[SIM_FORMAT_BYTES];

	sim_format_value(UINT64_C(1) << scale->heat_shift, "ns", span);
	sim_format_value(((uint64_t)s->page_bytes) << s->row_shift, "bytes", bytes);
	if (s->page_bytes)
		fprintf(out, "<p class=\"legend\">pages in %s and %s of memory: ", span, bytes);
	else
		fprintf(out, "<p class=\"legend\">interrupts in %s, of %u event%s: ", span,
			1u << s->row_shift, s->row_shift ? "s" : "");
	for (unsigned int level = 1; scale->heat_max && level <= SIM_SVG_HEAT_LEVELS; level++) {
		bool top = level == SIM_SVG_HEAT_LEVELS;
		uint64_t first = level_first(level, scale->heat_max);
		uint64_t last = top ? scale->heat_max : level_first(level + 1, scale->heat_max) - 1;

		if (last < first)
			continue;
		fprintf(out, "<span><i class=\"k%u\"></i>%" PRIu64, level, first);
		if (last > first)
			fprintf(out, "&ndash;%" PRIu64, last);
		fprintf(out, "</span> ");
	}
	fprintf(out, "<span><i class=\"k0\"></i>none</span></p>\n");
}
