/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/report/table.h - the comparison table as text, for a terminal.
 */
#ifndef SIM_REPORT_TABLE_H
#define SIM_REPORT_TABLE_H

#include <stdio.h>

struct sim_model;

/**
 * sim_table_print() - a row a policy, a column a metric; the best of a column is marked with *
 * @model: the run
 * @columns: width of the terminal: a wider table is cut into several; 0: no limit
 * @out: where to
 */
void sim_table_print(const struct sim_model *model, unsigned int columns, FILE *out);

#endif
