// SPDX-License-Identifier: BSD-2-Clause
/*
 * events.c - print a record by the description its file carries; find the file.
 */
#include "sim/cli/events.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/report/files.h"
#include "sim/report/json.h"

/* Addresses and descriptors read better in hexadecimal. */
static bool is_address(const char *name)
{
	static const char *const words[] = { "gfn", "pfn", "ipa", "iova", "addr", "desc" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strstr(name, words[i]))
			return true;
	}
	return false;
}

static void print_field(FILE *out, const char *name, uint64_t value)
{
	if (!*name)
		return;
	if (is_address(name))
		fprintf(out, " %s=0x%" PRIx64, name, value);
	else
		fprintf(out, " %s=%" PRIu64, name, value);
}

void sim_event_print(const struct sim_history_reader *reader, const struct sim_record *record,
		     FILE *out)
{
	const struct sim_history_kind *kind = sim_history_kind(reader, record->kind);

	if (!kind) {
		fprintf(out, "%" PRIu64 " kind%" PRIu32 " actor=%" PRIu32 " a=%" PRIu64
			" b=%" PRIu64 "\n", record->time_ns, record->kind, record->actor,
			record->a, record->b);
		return;
	}
	fprintf(out, "%" PRIu64 " %s", record->time_ns, kind->name);
	print_field(out, kind->actor, record->actor);
	print_field(out, kind->a, record->a);
	print_field(out, kind->b, record->b);
	fputc('\n', out);
}

/* " DIR/wp, DIR/adaptive" for a run of several policies. */
static void name_policies(const char *dir, struct sim_error *err)
{
	char *path = sim_path_join(dir, "manifest.json"), list[400] = "";
	json_t *manifest = sim_json_load(path, NULL);
	const json_t *policies = json_object_get(manifest, "policies");
	size_t len = 0;

	for (size_t i = 0; i < json_array_size(policies) && len < sizeof(list); i++) {
		const char *name = json_string_value(json_object_get(json_array_get(policies, i),
								     "name"));
		char *sub = sim_path_join(dir, name ? name : "");

		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "",
					sub);
		free(sub);
	}
	if (*list)
		sim_error_at(err, dir, 0, "has a trace for each policy: name one of %s", list);
	else
		sim_error_at(err, dir, 0, "holds no trace.zst");
	json_decref(manifest);
	free(path);
}

char *sim_trace_path(const char *arg, struct sim_error *err)
{
	struct stat st;
	char *path;

	if (stat(arg, &st) != 0 || !S_ISDIR(st.st_mode))
		return sim_strdup(arg);
	path = sim_path_join(arg, "trace.zst");
	if (sim_path_exists(path))
		return path;
	free(path);
	name_policies(arg, err);
	return NULL;
}
