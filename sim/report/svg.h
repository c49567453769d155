/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/report/svg.h - the report's pictures, as inline SVG.
 *
 * One user unit is a tenth of a pixel, so that every coordinate is an integer and the same data
 * gives the same bytes. Colours are classes (html_style.c), so that one picture serves light and
 * dark. All policies of a run share the scales of time, of loss and of heat: what looks longer,
 * larger or darker is.
 */
#ifndef SIM_REPORT_SVG_H
#define SIM_REPORT_SVG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct sim_model;
struct sim_series;

#define SIM_SVG_WIDTH 10000	/* of every picture */
#define SIM_SVG_LEFT 1050	/* left edge of the plot: room for labels */
#define SIM_SVG_RIGHT 9750	/* its right edge */
#define SIM_SVG_HEAT_LEVELS 8u

/**
 * struct sim_svg_scale - what the pictures of a run have in common
 * @begin_ns: the left edge of the plots
 * @end_ns: the right edge: the latest end among the policies, after @begin_ns
 * @floor_percent: where the axis of throughput begins: 0, 50, 75 or 90, the highest that cuts
 *	nothing but the blackout
 * @heat_shift: log2 of the nanoseconds of a column of the heat maps
 * @heat_max: the largest cell of all heat maps; 0 if there is no dirty page
 */
struct sim_svg_scale {
	uint64_t begin_ns, end_ns;
	unsigned int floor_percent;
	unsigned int heat_shift;
	uint64_t heat_max;
};

void sim_svg_scale_init(struct sim_svg_scale *scale, const struct sim_model *model);

/**
 * sim_svg_scale_closing() - narrow the scale to the end of the run
 *
 * From the earliest end of a first round (the pass over all of memory) on.
 *
 * Return: false, with nothing changed, where that is most of the run, or there is no round.
 */
bool sim_svg_scale_closing(struct sim_svg_scale *scale, const struct sim_model *model);

/** sim_svg_x() - where an instant is */
long sim_svg_x(const struct sim_svg_scale *scale, uint64_t time_ns);

/** sim_svg_time_axis() - ticks, labels and a title below @y; grid lines up to @top */
void sim_svg_time_axis(FILE *out, const struct sim_svg_scale *scale, long top, long y);

/** sim_svg_lost_bars() - lost compute by cause, a bar a policy */
void sim_svg_lost_bars(FILE *out, const struct sim_model *model);

/** sim_svg_lowest_percent() - the lowest throughput of a series, but for bins of a blackout */
unsigned int sim_svg_lowest_percent(const struct sim_series *series);

/** sim_svg_throughput() - throughput over time, what was lost by cause, and the phases */
void sim_svg_throughput(FILE *out, const struct sim_svg_scale *scale,
			const struct sim_series *series);

/** sim_svg_heat() - pages that became dirty, time by address */
void sim_svg_heat(FILE *out, const struct sim_svg_scale *scale, const struct sim_series *series);

/** sim_svg_heat_legend() - the colours of the heat maps and what they stand for, as HTML */
void sim_svg_heat_legend(FILE *out, const struct sim_svg_scale *scale,
			 const struct sim_series *series);

#endif
