// SPDX-License-Identifier: BSD-2-Clause
/*
 * svg_rate.c - throughput over time: the curve of what is left, the causes of what is lost above
 * it, and the phases of the run behind.
 *
 * In a bin, the causes are stacked from 100 % downwards, so that the area above the curve is the
 * lost compute of the comparison table. Where losses are small the axis begins higher than 0 (and
 * the report says so): only a blackout is cut off then, and it is known to reach to 0.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "sim/engine/wide.h"
#include "sim/report/format.h"
#include "sim/report/html.h"
#include "sim/report/series_data.h"
#include "sim/report/svg.h"

#define BAND_TOP 60		/* the strip of phases */
#define BAND_HEIGHT 200
#define TOP 300			/* 100 % */
#define HEIGHT 1400
#define BOTTOM (TOP + HEIGHT)

static const char *const phase_class[] = { "round", "freeze", "blackout", "other" };

/* Nanoseconds of a bin that the run reached. */
static uint64_t bin_span(const struct sim_series *s, unsigned int bin)
{
	uint64_t t0 = (uint64_t)bin << s->shift, t1 = (uint64_t)(bin + 1) << s->shift;

	return (t1 < s->end_ns ? t1 : s->end_ns) - t0;
}

/* What the first @ncauses causes took of a bin, in millionths. */
static uint64_t lost_ppm(const struct sim_series *s, unsigned int bin, unsigned int ncauses)
{
	sim_u128 capacity = (sim_u128)bin_span(s, bin) * s->vcpus, sum = 0;

	for (unsigned int c = 0; c < ncauses; c++)
		sum += s->lost[c][bin];
	if (sum >= capacity)
		return 1000000;
	return (uint64_t)(sum * 1000000 / capacity);
}

/* How far below 100 % that is; what is below the floor of the axis is cut off. */
static long depth(const struct sim_svg_scale *scale, const struct sim_series *s, unsigned int bin,
		  unsigned int ncauses)
{
	uint64_t deep = lost_ppm(s, bin, ncauses) * HEIGHT / (10000 * (100 - scale->floor_percent));

	return deep < HEIGHT ? (long)deep : HEIGHT;
}

static uint64_t bin_end(const struct sim_series *s, unsigned int bin)
{
	uint64_t t1 = (uint64_t)(bin + 1) << s->shift;

	return t1 < s->end_ns ? t1 : s->end_ns;
}

static bool in_blackout(const struct sim_series *s, unsigned int bin)
{
	uint64_t t0 = (uint64_t)bin << s->shift;

	for (size_t i = 0; i < s->nphases; i++) {
		const struct sim_phase *p = &s->phases[i];

		if (p->kind == SIM_PHASE_BLACKOUT && p->t0_ns < bin_end(s, bin) && t0 < p->t1_ns)
			return true;
	}
	return false;
}

unsigned int sim_svg_lowest_percent(const struct sim_series *s)
{
	uint64_t lost = 0;

	for (unsigned int i = 0; i < sim_series_bins(s); i++) {
		uint64_t here = in_blackout(s, i) ? 0 : lost_ppm(s, i, s->ncauses);

		if (here > lost)
			lost = here;
	}
	return 100 - (unsigned int)((lost + 9999) / 10000);
}

/* The first bin of the plot; the one on its left edge is cut by the scale. */
static unsigned int first_bin(const struct sim_svg_scale *scale, const struct sim_series *s)
{
	return (unsigned int)(scale->begin_ns >> s->shift);
}

/* Steps from left to right at the lower edge of the first @ncauses causes. */
static void edge_forth(FILE *out, const struct sim_svg_scale *scale, const struct sim_series *s,
		       unsigned int ncauses)
{
	for (unsigned int i = first_bin(scale, s); i < sim_series_bins(s); i++)
		fprintf(out, "V%ldH%ld", TOP + depth(scale, s, i, ncauses),
			sim_svg_x(scale, bin_end(s, i)));
}

static void edge_back(FILE *out, const struct sim_svg_scale *scale, const struct sim_series *s,
		      unsigned int ncauses)
{
	for (unsigned int i = sim_series_bins(s); i-- > first_bin(scale, s);)
		fprintf(out, "V%ldH%ld", TOP + depth(scale, s, i, ncauses),
			sim_svg_x(scale, (uint64_t)i << s->shift));
}

static void lost_area(FILE *out, const struct sim_svg_scale *scale, const struct sim_series *s,
		      unsigned int cause)
{
	char text[SIM_FORMAT_BYTES];
	uint64_t sum = 0;

	for (unsigned int i = 0; i < SIM_SERIES_BINS; i++)
		sum += s->lost[cause][i];
	if (sum == 0)
		return;
	sim_format_value(sum, "vcpu ns", text);
	fprintf(out, "<path class=\"c%u\" d=\"M%d %d", cause, SIM_SVG_LEFT, TOP);
	edge_forth(out, scale, s, cause);
	edge_back(out, scale, s, cause + 1);
	fprintf(out, "z\"><title>lost to ");
	sim_html_text(out, s->causes[cause]);
	fprintf(out, ": %s</title></path>\n", text);
}

static void phase_title(FILE *out, const struct sim_phase *p)
{
	char span[SIM_FORMAT_BYTES], pages[SIM_FORMAT_BYTES], bytes[SIM_FORMAT_BYTES];
	char faults[SIM_FORMAT_BYTES];

	sim_format_value(p->t1_ns - p->t0_ns, "ns", span);
	sim_format_count(p->pages_sent, pages);
	sim_format_value(p->bytes_sent, "bytes", bytes);
	sim_format_count(p->faults, faults);
	fprintf(out, "<title>");
	sim_html_text(out, p->name);
	fprintf(out, ": %s, %s pages (%s) sent, %s faults</title>", span, pages, bytes, faults);
}

/* A strip above the plot with the name, where it fits, and a tint over the plot. */
static void phase_band(FILE *out, const struct sim_svg_scale *scale, const struct sim_phase *p,
		       size_t number)
{
	long x0 = sim_svg_x(scale, p->t0_ns), x1 = sim_svg_x(scale, p->t1_ns);
	const char *class = phase_class[p->kind];

	if (p->t1_ns <= scale->begin_ns)
		return;
	if (x1 < x0 + 15)
		x1 = x0 + 15;	/* a pixel and a half: a short pause is still a pause */
	fprintf(out, "<path class=\"%s p%zu\" d=\"M%ld %dH%ldv%dH%ldz\">", class, number % 2, x0,
		BAND_TOP, x1, BAND_HEIGHT, x0);
	phase_title(out, p);
	fprintf(out, "</path>\n");
	if (p->kind != SIM_PHASE_ROUND)
		fprintf(out, "<path class=\"tint %s\" d=\"M%ld %dH%ldV%dH%ldz\"/>\n", class, x0,
			TOP, x1, BOTTOM, x0);
	if (x1 - x0 < 700)
		return;
	fprintf(out, "<text x=\"%ld\" y=\"%d\" class=\"mid on-%s\">", (x0 + x1) / 2,
		BAND_TOP + 140, class);
	sim_html_text(out, p->name);
	fprintf(out, "</text>\n");
}

/* Six labels: 0, 20, ... 100 %, or what the floor makes of them. */
static void percent_axis(FILE *out, const struct sim_svg_scale *scale)
{
	unsigned int step = (100 - scale->floor_percent) / 5;

	for (unsigned int i = 0; i <= 5; i++)
		fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"end\">%u %%</text>\n",
			SIM_SVG_LEFT - 60, BOTTOM - HEIGHT / 5 * (int)i + 45,
			scale->floor_percent + step * i);
}

void sim_svg_throughput(FILE *out, const struct sim_svg_scale *scale, const struct sim_series *s)
{
	long end = sim_svg_x(scale, s->end_ns);

	fprintf(out, "<div class=\"scroll\"><svg viewBox=\"0 0 %d %d\" role=\"img\" "
		"aria-label=\"guest throughput over "
		"time\">\n", SIM_SVG_WIDTH, BOTTOM + 360);
	sim_svg_time_axis(out, scale, TOP, BOTTOM);
	fprintf(out, "<path class=\"left\" d=\"M%d %dV%d", SIM_SVG_LEFT, BOTTOM, TOP);
	edge_forth(out, scale, s, s->ncauses);
	fprintf(out, "V%dz\"/>\n", BOTTOM);
	for (unsigned int c = 0; c < s->ncauses; c++)
		lost_area(out, scale, s, c);
	for (size_t i = 0; i < s->nphases; i++)
		phase_band(out, scale, &s->phases[i], i);
	fprintf(out, "<path class=\"curve\" d=\"M%d %d", SIM_SVG_LEFT, TOP);
	edge_forth(out, scale, s, s->ncauses);
	fprintf(out, "\"/>\n<path class=\"frame\" d=\"M%d %dH%ldV%dH%dz\"/>\n", SIM_SVG_LEFT, TOP,
		end, BOTTOM, SIM_SVG_LEFT);
	percent_axis(out, scale);
	fprintf(out, "</svg></div>\n");
}
