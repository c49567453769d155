// SPDX-License-Identifier: BSD-2-Clause
/*
 * stats_file.c - counters as stats.json, for programs, and stats.txt, aligned for people.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/error.h"
#include "sim/engine/stats.h"
#include "sim/report/files.h"
#include "sim/report/json.h"
#include "sim/report/run_state.h"

json_t *sim_stats_to_json(const struct sim_stats *stats)
{
	json_t *list = json_array();

	for (size_t i = 0; stats && i < sim_stats_count(stats); i++) {
		const struct sim_stat *stat = sim_stats_at(stats, i);
		json_t *value = stat->is_signed ? json_integer((json_int_t)stat->value)
						: sim_json_u64(stat->value);

		json_array_append_new(list, json_pack("{s:s, s:o, s:s, s:s}", "name", stat->name,
						      "value", value, "unit", stat->unit,
						      "description", stat->description));
	}
	return list;
}

static const char *field(const json_t *entry, const char *key)
{
	return json_string_value(json_object_get(entry, key));
}

static void value_text(const json_t *entry, char *buf, size_t size)
{
	const json_t *value = json_object_get(entry, "value");

	if (json_is_string(value))
		snprintf(buf, size, "%s", json_string_value(value));
	else
		snprintf(buf, size, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
}

static int longer(int width, const char *text)
{
	int len = (int)strlen(text);

	return len > width ? len : width;
}

static char *to_text(const json_t *stats, size_t *len)
{
	int name_width = 0, value_width = 0, unit_width = 0;
	char *text = NULL, value[32];
	FILE *out = open_memstream(&text, len);
	const json_t *entry;
	size_t i;

	json_array_foreach(stats, i, entry) {
		value_text(entry, value, sizeof(value));
		name_width = longer(name_width, field(entry, "name"));
		value_width = longer(value_width, value);
		unit_width = longer(unit_width, field(entry, "unit"));
	}
	json_array_foreach(stats, i, entry) {
		value_text(entry, value, sizeof(value));
		fprintf(out, "%-*s  %*s %-*s  # %s\n", name_width, field(entry, "name"),
			value_width, value, unit_width, field(entry, "unit"),
			field(entry, "description"));
	}
	fclose(out);
	return text;
}

bool sim_stats_write(const char *dir, const json_t *stats, struct sim_error *err)
{
	char *json_path = sim_path_join(dir, "stats.json");
	char *text_path = sim_path_join(dir, "stats.txt");
	size_t len = 0;
	char *text = to_text(stats, &len);
	bool ok = sim_json_write(json_path, json_pack("{s:i, s:O}", "schema", 1, "stats", stats),
				 err) &&
		  sim_file_write(text_path, text, len, err);

	free(text);
	free(text_path);
	free(json_path);
	return ok;
}
