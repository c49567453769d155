// SPDX-License-Identifier: BSD-2-Clause
/*
 * json.c - jansson, with the simulator's way of saying what is wrong.
 */
#include "sim/report/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/error.h"
#include "sim/engine/number.h"
#include "sim/report/files.h"

json_t *sim_json_u64(uint64_t value)
{
	char digits[24];

	if (value <= INT64_MAX)
		return json_integer((json_int_t)value);
	snprintf(digits, sizeof(digits), "%" PRIu64, value);
	return json_string(digits);
}

bool sim_json_as_u64(const json_t *value, uint64_t *out)
{
	if (json_is_string(value))
		return sim_number_parse(json_string_value(value), out);
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return false;
	*out = (uint64_t)json_integer_value(value);
	return true;
}

json_t *sim_json_load(const char *path, struct sim_error *err)
{
	FILE *f = fopen(path, "rb");
	json_error_t where;
	json_t *root;

	if (!f) {
		sim_error_at(err, path, 0, "cannot be read: %s", strerror(errno));
		return NULL;
	}
	root = json_loadf(f, JSON_REJECT_DUPLICATES, &where);
	if (!root && ferror(f))
		sim_error_at(err, path, 0, "cannot be read: %s", strerror(errno));
	else if (!root)
		sim_error_at(err, path, where.line > 0 ? (uint64_t)where.line : 0,
			     "not JSON: %s", where.text);
	fclose(f);
	return root;
}

bool sim_json_write(const char *path, json_t *root, struct sim_error *err)
{
	char *text = root ? json_dumps(root, JSON_INDENT(2)) : NULL;
	size_t len = text ? strlen(text) : 0;
	bool ok = text != NULL;

	json_decref(root);
	if (ok) {
		text[len++] = '\n';	/* in the place of the NUL */
		ok = sim_file_write(path, text, len, err);
	} else {
		sim_error_at(err, path, 0, "cannot be put into JSON");
	}
	free(text);
	return ok;
}

static json_t *field(const json_t *object, const char *key, const char *file, const char *type,
		     bool (*is)(const json_t *), struct sim_error *err)
{
	json_t *value = json_object_get(object, key);

	if (value && is(value))
		return value;
	sim_error_at(err, file, 0, "\"%s\": %s, expected %s", key,
		     value ? "of another type" : "missing", type);
	return NULL;
}

static bool is_u64(const json_t *value)
{
	uint64_t ignored;

	return sim_json_as_u64(value, &ignored);
}

static bool is_string(const json_t *value)
{
	return json_is_string(value);
}

static bool is_array(const json_t *value)
{
	return json_is_array(value);
}

uint64_t sim_json_get_u64(const json_t *object, const char *key, const char *file,
			  struct sim_error *err)
{
	json_t *value = field(object, key, file, "an unsigned number", is_u64, err);
	uint64_t out = 0;

	if (value)
		sim_json_as_u64(value, &out);
	return out;
}

const char *sim_json_get_str(const json_t *object, const char *key, const char *file,
			     struct sim_error *err)
{
	json_t *value = field(object, key, file, "a string", is_string, err);

	return value ? json_string_value(value) : "";
}

json_t *sim_json_get_array(const json_t *object, const char *key, const char *file,
			   struct sim_error *err)
{
	return field(object, key, file, "an array", is_array, err);
}
