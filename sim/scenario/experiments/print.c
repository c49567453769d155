// SPDX-License-Identifier: BSD-2-Clause
/*
 * print.c - an experiment's rows as a table for a person, or as JSON.
 */
#include "sim/scenario/experiments/experiment.h"

#include <string.h>

#include <jansson.h>

#include "sim/report/format.h"
#include "sim/report/json.h"

/* Simulated against published: "+12 %", or "x 2.4" where percent say little. */
static void error_text(const struct experiment_row *row, char *buf, size_t size)
{
	double ratio = row->published ? (double)row->simulated / (double)row->published : 0;

	if (row->kind == EXPERIMENT_FIGURE || !row->published)
		snprintf(buf, size, "-");
	else if (row->kind == EXPERIMENT_BOUND)
		snprintf(buf, size, "x %.3g", ratio);
	else if (ratio > 3 || ratio < 0.01)
		snprintf(buf, size, "x %.3g", ratio);
	else
		snprintf(buf, size, "%+.0f %%", (ratio - 1) * 100);
}

static int name_width(const struct experiment_run *run)
{
	size_t width = strlen("row");

	for (size_t i = 0; i < run->nrows; i++)
		if (strlen(run->rows[i].name) > width)
			width = strlen(run->rows[i].name);
	return (int)width;
}

static void print_row(const struct experiment_row *row, int width, FILE *out)
{
	char published[SIM_FORMAT_BYTES] = "-", simulated[SIM_FORMAT_BYTES], error[32];
	bool missed = experiment_missed(row);

	if (row->kind != EXPERIMENT_FIGURE)
		sim_format_value(row->published, row->unit, published);
	sim_format_value(row->simulated, row->unit, simulated);
	error_text(row, error, sizeof(error));
	fprintf(out, "  %-*s  %14s  %14s  %9s  %s%s\n", width, row->name, published, simulated,
		error, experiment_kind_name(row->kind), missed ? "  MISS" : "");
	if (missed && row->why)
		fprintf(out, "      why: %s\n", row->why);
}

void experiment_print(const struct experiment_run *run, FILE *out)
{
	int width = name_width(run);
	size_t i;

	fprintf(out, "%s: %s\n", run->experiment->name, run->experiment->summary);
	if (run->experiment->source)
		fprintf(out, "source: %s\n", run->experiment->source);
	if (run->nrows)
		fprintf(out, "\n  %-*s  %14s  %14s  %9s\n", width, "row", "published", "simulated",
			"error");
	for (i = 0; i < run->nrows; i++)
		print_row(&run->rows[i], width, out);
	for (i = 0; i < run->nnotes; i++)
		fprintf(out, "%s  %s\n", i ? "" : "\n", run->notes[i]);
	for (i = 0; i < run->nfailures; i++)
		fprintf(out, "  FAILED: %s\n", run->failures[i]);
}

static json_t *lines_json(char *const *lines, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, json_string(lines[i]));
	return array;
}

static json_t *row_json(const struct experiment_row *row)
{
	bool missed = experiment_missed(row);
	json_t *object = json_object();

	json_object_set_new(object, "row", json_string(row->name));
	json_object_set_new(object, "unit", json_string(row->unit));
	json_object_set_new(object, "kind", json_string(experiment_kind_name(row->kind)));
	if (row->kind != EXPERIMENT_FIGURE)
		json_object_set_new(object, "published", sim_json_u64(row->published));
	json_object_set_new(object, "simulated", sim_json_u64(row->simulated));
	json_object_set_new(object, "miss", json_boolean(missed));
	if (missed && row->why)
		json_object_set_new(object, "why", json_string(row->why));
	return object;
}

void experiment_print_json(const struct experiment_run *run, FILE *out)
{
	json_t *root = json_object(), *rows = json_array();

	for (size_t i = 0; i < run->nrows; i++)
		json_array_append_new(rows, row_json(&run->rows[i]));
	json_object_set_new(root, "experiment", json_string(run->experiment->name));
	json_object_set_new(root, "summary", json_string(run->experiment->summary));
	if (run->experiment->source)
		json_object_set_new(root, "source", json_string(run->experiment->source));
	json_object_set_new(root, "rows", rows);
	json_object_set_new(root, "notes", lines_json(run->notes, run->nnotes));
	json_object_set_new(root, "failures", lines_json(run->failures, run->nfailures));
	json_dumpf(root, out, JSON_INDENT(2));
	fputc('\n', out);
	json_decref(root);
}
