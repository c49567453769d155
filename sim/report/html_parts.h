/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/report/html_parts.h - sections of the report, in the order of the page.
 */
#ifndef SIM_REPORT_HTML_PARTS_H
#define SIM_REPORT_HTML_PARTS_H

#include <stdio.h>

struct sim_model;
struct sim_model_policy;
struct sim_series;

extern const char *const sim_html_style[];	/* pieces, ending with NULL */

void sim_html_header(FILE *out, const struct sim_model *model);
void sim_html_comparison(FILE *out, const struct sim_model *model);
void sim_html_phases(FILE *out, const struct sim_series *series);
void sim_html_params(FILE *out, const struct sim_model *model);

#endif
