/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/report/html.h - report.html: one file, no other resource, no script, light and dark.
 */
#ifndef SIM_REPORT_HTML_H
#define SIM_REPORT_HTML_H

#include <stdbool.h>
#include <stdio.h>

struct sim_error;
struct sim_model;

/** sim_html_text() - text with & < > " escaped */
void sim_html_text(FILE *out, const char *text);

/** sim_html_write() - render DIR/report.html from the run directory's data; false with @err set */
bool sim_html_write(const char *dir, struct sim_error *err);

/** sim_html_write_model() - the same, from data that was read */
bool sim_html_write_model(const char *dir, const struct sim_model *model, struct sim_error *err);

#endif
