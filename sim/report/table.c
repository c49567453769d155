// SPDX-License-Identifier: BSD-2-Clause
/*
 * table.c - the comparison table for a terminal, then the notes.
 */
#include "sim/report/table.h"

#include <stdlib.h>
#include <string.h>

#include "sim/engine/error.h"
#include "sim/report/format.h"
#include "sim/report/model.h"

static void cell(const struct sim_model *model, size_t policy, size_t metric, char *buf)
{
	const struct sim_model_value *value = &model->policies[policy].values[metric];

	if (!value->known) {
		strcpy(buf, "-");
		return;
	}
	sim_format_value(value->value, model->metrics[metric].unit, buf);
	if (sim_model_is_best(model, policy, metric)) {
		size_t len = strlen(buf);

		memmove(buf + 1, buf, len + 1);
		buf[0] = '*';
	}
}

static int column_width(const struct sim_model *model, size_t metric)
{
	size_t width = strlen(model->metrics[metric].title);
	char buf[SIM_FORMAT_BYTES + 1];

	for (size_t p = 0; p < model->npolicies; p++) {
		cell(model, p, metric, buf);
		if (strlen(buf) > width)
			width = strlen(buf);
	}
	return (int)width;
}

static int name_width(const struct sim_model *model)
{
	size_t width = strlen("policy");

	for (size_t p = 0; p < model->npolicies; p++) {
		if (strlen(model->policies[p].name) > width)
			width = strlen(model->policies[p].name);
	}
	return (int)width;
}

static bool any_best(const struct sim_model *model)
{
	for (size_t i = 0; i < model->nmetrics; i++) {
		for (size_t p = 0; !model->metrics[i].detail && p < model->npolicies; p++) {
			if (sim_model_is_best(model, p, i))
				return true;
		}
	}
	return false;
}

/* Columns first to end - 1. */
static void block(const struct sim_model *model, const int *widths, size_t first, size_t end,
		  FILE *out)
{
	char buf[SIM_FORMAT_BYTES + 1];

	fprintf(out, "%-*s", name_width(model), "policy");
	for (size_t i = first; i < end; i++) {
		if (widths[i])
			fprintf(out, "  %*s", widths[i], model->metrics[i].title);
	}
	fputc('\n', out);
	for (size_t p = 0; p < model->npolicies; p++) {
		fprintf(out, "%-*s", name_width(model), model->policies[p].name);
		for (size_t i = first; i < end; i++) {
			if (!widths[i])
				continue;
			cell(model, p, i, buf);
			fprintf(out, "  %*s", widths[i], buf);
		}
		fputc('\n', out);
	}
}

void sim_table_print(const struct sim_model *model, unsigned int columns, FILE *out)
{
	int *widths = sim_alloc(model->nmetrics + 1, sizeof(*widths), "table");
	size_t first = 0, i;
	int used = name_width(model);

	for (i = 0; i < model->nmetrics; i++)
		widths[i] = model->metrics[i].detail ? 0 : column_width(model, i);
	for (i = 0; i < model->nmetrics; i++) {
		if (columns && i > first && used + 2 + widths[i] > (int)columns) {
			block(model, widths, first, i, out);
			fputc('\n', out);
			first = i;
			used = name_width(model);
		}
		used += widths[i] ? 2 + widths[i] : 0;
	}
	block(model, widths, first, i, out);
	if (any_best(model))
		fputs("(* best of its column)\n", out);
	for (i = 0; i < json_array_size(model->notes); i++)
		fprintf(out, "%s%s\n", i ? "" : "\n",
			json_string_value(json_array_get(model->notes, i)));
	free(widths);
}
