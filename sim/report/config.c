// SPDX-License-Identifier: BSD-2-Clause
/*
 * config.c - read a configuration in two passes: its scenario first, because that decides which
 * keys there are, then everything.
 */
#include "sim/report/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/error.h"
#include "sim/engine/nearest.h"
#include "sim/engine/number.h"
#include "sim/report/config_lines.h"
#include "sim/report/config_schema.h"
#include "sim/report/files.h"
#include "sim/scenario/scenario.h"
#include "sim/trace/text.h"

#define CONFIG_BYTES_MAX (1u << 20)
#define NTOP 3u			/* scenario, seed, run */

const struct sim_scenario *sim_scenario_find(const char *name, const char *where,
					     struct sim_error *err)
{
	struct sim_nearest near;
	char hint[256];

	sim_nearest_init(&near, name);
	for (size_t i = 0; sim_scenarios[i]; i++) {
		if (strcmp(sim_scenarios[i]->name, name) == 0)
			return sim_scenarios[i];
		sim_nearest_offer(&near, sim_scenarios[i]->name);
	}
	sim_nearest_text(&near, hint, sizeof(hint));
	sim_error_set(err, "%s: no such scenario: %s%s (weir-sim list-params lists them)", where,
		      sim_quote(name, strlen(name)).text, hint);
	return NULL;
}

struct sim_params *sim_scenario_params(const struct sim_scenario *scenario)
{
	struct sim_params *params = sim_params_new();

	for (size_t i = 0; i < scenario->ntables; i++)
		sim_params_register(params, scenario->tables[i].params, scenario->tables[i].n);
	return params;
}

void sim_config_free(struct sim_config *config)
{
	if (!config)
		return;
	sim_params_free(config->params);
	free(config);
}

/* All of a text, as checked UTF-8. Closes it. */
static bool read_text(struct sim_text *text, struct sim_config_file *file, struct sim_error *err)
{
	struct sim_line line;
	size_t capacity = 0;
	int more;

	while ((more = sim_text_next(text, &line, err)) == 1) {
		if (file->len + line.len + 1 > CONFIG_BYTES_MAX) {
			sim_error_at(err, file->name, line.number, "more than %u bytes, which is "
				     "no configuration", CONFIG_BYTES_MAX);
			more = -1;
			break;
		}
		if (file->len + line.len + 1 > capacity) {
			capacity = 2 * (file->len + line.len + 1);
			file->bytes = sim_realloc(file->bytes, capacity, 1, "configuration");
		}
		memcpy(file->bytes + file->len, line.text, line.len);
		file->len += line.len;
		file->bytes[file->len++] = '\n';
	}
	sim_text_close(text);
	if (more == 0 && file->bytes)
		return true;
	if (more == 0)
		sim_error_at(err, file->name, 0, "is empty, expected `scenario: NAME`");
	free(file->bytes);
	return false;
}

/* A relative path of a file is relative to that file. */
static char *path_from(const char *config_path, const char *value)
{
	const char *slash = strrchr(config_path, '/');
	char *dir, *joined;

	if (!slash || !*value || *value == '/' || strcmp(value, "-") == 0)
		return sim_strdup(value);
	dir = sim_strdup(config_path);
	dir[slash - config_path + 1] = '\0';
	joined = sim_path_join(dir, value);
	free(dir);
	return joined;
}

static bool set_param(const struct sim_config_file *file, struct sim_params *params,
		      const struct sim_param *param, const char *value, struct sim_error *err)
{
	const char *dot = strchr(param->name, '.');
	char *component = sim_strdup(param->name);
	char *text = param->type == SIM_PARAM_PATH ? path_from(file->name, value)
						   : sim_strdup(value);
	size_t size = strlen(file->name) + 32;
	char *where = sim_alloc(size, 1, "file name");
	bool ok;

	component[dot - param->name] = '\0';
	snprintf(where, size, "%s:%llu", file->name, (unsigned long long)
		 sim_config_line(file->bytes, file->len, component, dot + 1));
	ok = sim_params_set(params, param->name, text, where, err);
	free(where);
	free(text);
	free(component);
	return ok;
}

static bool set_number(const struct sim_config_file *file, const char *key, const char *value,
		       uint64_t *out, struct sim_error *err)
{
	uint64_t number;

	if (!value)
		return true;
	if (sim_number_parse(value, &number) && number <= SIM_SEED_MAX) {
		*out = number;
		return true;
	}
	sim_error_at(err, file->name, sim_config_line(file->bytes, file->len, NULL, key),
		     "%s: found %s, expected a number, 0..%llu", key,
		     sim_quote(value, strlen(value)).text, (unsigned long long)SIM_SEED_MAX);
	return false;
}

static const char *const top_keys[NTOP] = { "scenario", "seed", "run" };

static const struct sim_scenario *read_scenario(const struct sim_config_file *file,
						struct sim_error *err)
{
	const struct sim_scenario *scenario = NULL;
	char *value = NULL, where[512];

	if (!sim_schema_load(file, top_keys, 1, false, &value, err))
		return NULL;
	if (value) {
		snprintf(where, sizeof(where), "%s:%llu", file->name, (unsigned long long)
			 sim_config_line(file->bytes, file->len, NULL, "scenario"));
		scenario = sim_scenario_find(value, where, err);
	} else {
		sim_error_at(err, file->name, 0, "names no scenario, expected `scenario: NAME`");
	}
	free(value);
	return scenario;
}

static bool read_values(const struct sim_config_file *file, struct sim_config *config,
			struct sim_error *err)
{
	size_t nparams = sim_params_count(config->params), n = NTOP + nparams;
	const char **names = sim_alloc(n, sizeof(*names), "configuration");
	char **values = sim_alloc(n, sizeof(*values), "configuration");
	bool ok;

	memcpy(names, top_keys, sizeof(top_keys));
	for (size_t i = 0; i < nparams; i++)
		names[NTOP + i] = sim_params_at(config->params, i)->name;
	ok = sim_schema_load(file, names, n, true, values, err) &&
	     set_number(file, "seed", values[1], &config->seed, err) &&
	     set_number(file, "run", values[2], &config->number, err);
	for (size_t i = 0; ok && i < nparams; i++) {
		if (values[NTOP + i])
			ok = set_param(file, config->params, sim_params_at(config->params, i),
				       values[NTOP + i], err);
	}
	for (size_t i = 0; i < n; i++)
		free(values[i]);
	free(values);
	free(names);
	return ok;
}

static struct sim_config *load(struct sim_text *text, const char *name, struct sim_error *err)
{
	struct sim_config *config;
	struct sim_config_file file = { .name = name };
	const struct sim_scenario *scenario = NULL;
	const char *refused;
	uint64_t line;

	if (!read_text(text, &file, err))
		return NULL;
	refused = sim_config_shape(file.bytes, file.len, &line);
	if (refused)
		sim_error_at(err, name, line, "%s", refused);
	else
		scenario = read_scenario(&file, err);
	if (!scenario) {
		free(file.bytes);
		return NULL;
	}
	config = sim_alloc(1, sizeof(*config), "configuration");
	config->scenario = scenario;
	config->params = sim_scenario_params(scenario);
	config->seed = 1;
	if (!read_values(&file, config, err)) {
		sim_config_free(config);
		config = NULL;
	}
	free(file.bytes);
	return config;
}

struct sim_config *sim_config_load(const char *path, struct sim_error *err)
{
	struct sim_text *text = sim_text_open(path, err);

	return text ? load(text, path, err) : NULL;
}

struct sim_config *sim_config_load_memory(const char *name, const void *bytes, size_t len,
					  struct sim_error *err)
{
	return load(sim_text_open_memory(name, bytes, len), name, err);
}
