/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/report/svg_heat.h - cells of a heat map at the resolution of a picture.
 */
#ifndef SIM_REPORT_SVG_HEAT_H
#define SIM_REPORT_SVG_HEAT_H

#include <stdint.h>

struct sim_series;

/** sim_heat_max() - the largest cell of a column of 2^shift ns; shift is at least the series' */
uint64_t sim_heat_max(const struct sim_series *series, unsigned int shift);

#endif
