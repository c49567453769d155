// SPDX-License-Identifier: BSD-2-Clause
/*
 * svg.c - the common scale, the time axis, and the bars of lost compute.
 */
#include "sim/report/svg.h"

#include <inttypes.h>
#include <string.h>

#include "sim/engine/wide.h"
#include "sim/report/format.h"
#include "sim/report/html.h"
#include "sim/report/model.h"
#include "sim/report/series_data.h"
#include "sim/report/svg_heat.h"

long sim_svg_x(const struct sim_svg_scale *scale, uint64_t time_ns)
{
	const uint64_t width = SIM_SVG_RIGHT - SIM_SVG_LEFT;
	uint64_t span_ns = scale->end_ns - scale->begin_ns;

	if (time_ns < scale->begin_ns)
		time_ns = scale->begin_ns;
	if (time_ns > scale->end_ns)
		time_ns = scale->end_ns;
	return SIM_SVG_LEFT + (long)(((sim_u128)(time_ns - scale->begin_ns) * width + span_ns / 2) /
				     span_ns);
}

void sim_svg_scale_init(struct sim_svg_scale *scale, const struct sim_model *model)
{
	unsigned int lowest = 100;

	*scale = (struct sim_svg_scale){ .end_ns = 1 };
	for (size_t p = 0; p < model->npolicies; p++) {
		const struct sim_series *s = model->policies[p].series;

		if (s && s->end_ns > scale->end_ns)
			scale->end_ns = s->end_ns;
		if (s && s->shift > scale->heat_shift)
			scale->heat_shift = s->shift;
		if (s && sim_svg_lowest_percent(s) < lowest)
			lowest = sim_svg_lowest_percent(s);
	}
	scale->floor_percent = lowest >= 90 ? 90 : lowest >= 75 ? 75 : lowest >= 50 ? 50 : 0;
	while ((scale->end_ns - 1) >> scale->heat_shift >= SIM_SERIES_BINS / 2)
		scale->heat_shift++;
	for (size_t p = 0; p < model->npolicies; p++) {
		uint64_t max = model->policies[p].series ?
			       sim_heat_max(model->policies[p].series, scale->heat_shift) : 0;

		if (max > scale->heat_max)
			scale->heat_max = max;
	}
}

bool sim_svg_scale_closing(struct sim_svg_scale *scale, const struct sim_model *model)
{
	uint64_t begin_ns = UINT64_MAX;

	for (size_t p = 0; p < model->npolicies; p++) {
		const struct sim_series *s = model->policies[p].series;
		size_t i = 0;

		while (s && i < s->nphases && s->phases[i].kind != SIM_PHASE_ROUND)
			i++;
		if (s && i < s->nphases && s->phases[i].t1_ns < begin_ns)
			begin_ns = s->phases[i].t1_ns;
	}
	if (begin_ns < scale->end_ns / 2 || begin_ns >= scale->end_ns)
		return false;
	scale->begin_ns = begin_ns;
	return true;
}

/* The largest of 1, 2, 5 times a power of ten that gives at least four ticks. */
static uint64_t tick_step(uint64_t span)
{
	static const unsigned int factors[] = { 5, 2, 1 };
	uint64_t power = 1;

	while (power <= span / 10)
		power *= 10;
	for (;; power /= 10) {
		for (size_t i = 0; i < 3; i++) {
			if (span / (factors[i] * power) >= 4)
				return factors[i] * power;
		}
		if (power == 1)
			return 1;
	}
}

void sim_svg_time_axis(FILE *out, const struct sim_svg_scale *scale, long top, long y)
{
	uint64_t step = tick_step(scale->end_ns - scale->begin_ns);
	char text[SIM_FORMAT_BYTES];

	for (uint64_t t = (scale->begin_ns + step - 1) / step * step; t <= scale->end_ns;
	     t += step) {
		long x = sim_svg_x(scale, t);

		sim_format_value(t, "ns", text);
		if (t == 0)
			strcpy(text, "0");
		fprintf(out, "<path class=\"grid\" d=\"M%ld %ldV%ld\"/>"
			"<text x=\"%ld\" y=\"%ld\" class=\"mid\">%s</text>\n",
			x, top, y + 40, x, y + 170, text);
		if (t > UINT64_MAX - step)
			break;
	}
	fprintf(out, "<text x=\"%d\" y=\"%ld\" class=\"mid\">simulated time</text>\n",
		(SIM_SVG_LEFT + SIM_SVG_RIGHT) / 2, y + 330);
}

static uint64_t lost_of(const struct sim_series *s, unsigned int cause)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < SIM_SERIES_BINS; i++)
		sum += s->lost[cause][i];
	return sum;
}

static uint64_t lost_total(const struct sim_series *s)
{
	uint64_t sum = 0;

	for (unsigned int c = 0; c < s->ncauses; c++)
		sum += lost_of(s, c);
	return sum;
}

static long bar_x(uint64_t value, uint64_t max)
{
	const uint64_t width = SIM_SVG_RIGHT - SIM_SVG_LEFT - 1250;	/* room for the total */

	return SIM_SVG_LEFT + (long)(value / (max / width ? max / width : 1));
}

static void lost_bar(FILE *out, const struct sim_model_policy *policy, uint64_t max, long y)
{
	const struct sim_series *s = policy->series;
	char text[SIM_FORMAT_BYTES];
	uint64_t sum = 0;

	fprintf(out, "<text x=\"%d\" y=\"%ld\" class=\"end name\">", SIM_SVG_LEFT - 80, y + 165);
	sim_html_text(out, policy->name);
	fprintf(out, "</text>\n");
	for (unsigned int c = 0; c < s->ncauses; c++) {
		uint64_t lost = lost_of(s, c);
		long x0 = bar_x(sum, max), x1 = bar_x(sum + lost, max);

		sum += lost;
		if (x1 == x0)
			continue;
		sim_format_value(lost, "vcpu ns", text);
		fprintf(out, "<path class=\"c%u\" d=\"M%ld %ldH%ldv220H%ldz\"><title>", c, x0, y,
			x1, x0);
		sim_html_text(out, s->causes[c]);
		fprintf(out, ": %s</title></path>\n", text);
	}
	sim_format_value(sum, "vcpu ns", text);
	fprintf(out, "<text x=\"%ld\" y=\"%ld\" class=\"value\">%s</text>\n",
		bar_x(sum, max) + 80, y + 165, text);
}

void sim_svg_lost_bars(FILE *out, const struct sim_model *model)
{
	uint64_t max = 1;
	long y = 60;
	size_t n = 0;

	for (size_t p = 0; p < model->npolicies; p++) {
		const struct sim_series *s = model->policies[p].series;

		if (!s)
			continue;
		n++;
		if (lost_total(s) > max)
			max = lost_total(s);
	}
	fprintf(out, "<div class=\"scroll\"><svg viewBox=\"0 0 %d %zu\" role=\"img\" "
		"aria-label=\"lost compute by "
		"cause\">\n", SIM_SVG_WIDTH, 320 * n + 80);
	for (size_t p = 0; p < model->npolicies; p++) {
		if (!model->policies[p].series)
			continue;
		lost_bar(out, &model->policies[p], max, y);
		y += 320;
	}
	fprintf(out, "</svg></div>\n");
}
