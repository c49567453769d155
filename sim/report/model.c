// SPDX-License-Identifier: BSD-2-Clause
/*
 * model.c - manifest.json, report.json, compare.json and each policy's series.json, as one struct.
 */
#include "sim/report/model.h"

#include <stdlib.h>
#include <string.h>

#include "sim/engine/error.h"
#include "sim/report/files.h"
#include "sim/report/format.h"
#include "sim/report/json.h"
#include "sim/report/series_data.h"

static json_t *load(const char *dir, const char *name, struct sim_error *err)
{
	char *path = sim_path_join(dir, name);
	json_t *root = sim_json_load(path, err);

	if (root && (!json_is_object(root) ||
		     json_integer_value(json_object_get(root, "schema")) != 1)) {
		sim_error_at(err, path, 0, "\"schema\": not 1: written by another version");
		json_decref(root);
		root = NULL;
	}
	free(path);
	return root;
}

static void metrics_from(struct sim_model *m, const json_t *report, struct sim_error *err)
{
	const json_t *list = sim_json_get_array(report, "metrics", "report.json", err);

	m->nmetrics = json_array_size(list);
	m->metrics = sim_alloc(m->nmetrics + 1, sizeof(*m->metrics), "report");
	for (size_t i = 0; i < m->nmetrics; i++) {
		const json_t *entry = json_array_get(list, i);
		const char *better = sim_json_get_str(entry, "better", "report.json", err);

		m->metrics[i] = (struct sim_metric){
			.name = sim_json_get_str(entry, "name", "report.json", err),
			.title = sim_json_get_str(entry, "title", "report.json", err),
			.unit = sim_json_get_str(entry, "unit", "report.json", err),
			.better = strcmp(better, "lower") == 0 ? SIM_METRIC_LOWER :
				  strcmp(better, "higher") == 0 ? SIM_METRIC_HIGHER :
								  SIM_METRIC_NEUTRAL,
			.detail = json_is_true(json_object_get(entry, "detail")),
			.description = sim_json_get_str(entry, "description", "report.json", err),
		};
	}
}

static void params_from(struct sim_model *m, const json_t *report, struct sim_error *err)
{
	const json_t *list = sim_json_get_array(report, "parameters", "report.json", err);

	m->nparams = json_array_size(list);
	m->params = sim_alloc(m->nparams + 1, sizeof(*m->params), "report");
	for (size_t i = 0; i < m->nparams; i++) {
		const json_t *entry = json_array_get(list, i);

		m->params[i] = (struct sim_model_param){
			.name = sim_json_get_str(entry, "name", "report.json", err),
			.text = sim_json_get_str(entry, "value", "report.json", err),
			.unit = sim_json_get_str(entry, "unit", "report.json", err),
			.def = sim_json_get_str(entry, "default", "report.json", err),
			.origin = sim_json_get_str(entry, "origin", "report.json", err),
			.source = sim_json_get_str(entry, "source", "report.json", err),
			.description = sim_json_get_str(entry, "description", "report.json", err),
		};
	}
}

static struct sim_series *series_of(const char *dir, const char *policy, struct sim_error *err)
{
	char *sub = sim_path_join(dir, policy), *path = sim_path_join(sub, "series.json");
	struct sim_series *series = NULL;
	json_t *root = load(sub, "series.json", err);

	if (root)
		series = sim_series_from_json(root, path, err);
	json_decref(root);
	free(path);
	free(sub);
	return series;
}

static void policy_from(struct sim_model *m, struct sim_model_policy *p, const char *dir,
			const json_t *entry, const json_t *row, struct sim_error *err)
{
	p->name = sim_json_get_str(entry, "name", "manifest.json", err);
	p->digest = sim_json_get_str(entry, "digest", "manifest.json", err);
	p->values = sim_alloc(m->nmetrics + 1, sizeof(*p->values), "report");
	if (strcmp(sim_json_get_str(row, "policy", "compare.json", err), p->name) != 0)
		sim_error_at(err, "compare.json", 0, "its rows are not the policies of "
			     "manifest.json");
	for (size_t i = 0; i < m->nmetrics; i++) {
		const json_t *value = json_object_get(row, m->metrics[i].name);

		p->values[i].known = value != NULL;
		if (json_is_boolean(value))
			p->values[i].value = json_is_true(value);
		else if (value && !sim_json_as_u64(value, &p->values[i].value))
			sim_error_at(err, "compare.json", 0, "\"%s\": of another type, expected "
				     "an unsigned number", m->metrics[i].name);
	}
	if (*p->digest && !sim_error_is_set(err))
		p->series = series_of(dir, p->name, err);
}

static void policies_from(struct sim_model *m, const char *dir, const json_t *manifest,
			  const json_t *compare, struct sim_error *err)
{
	const json_t *list = sim_json_get_array(manifest, "policies", "manifest.json", err);
	const json_t *rows = sim_json_get_array(compare, "rows", "compare.json", err);

	m->npolicies = json_array_size(list);
	m->policies = sim_alloc(m->npolicies + 1, sizeof(*m->policies), "report");
	if (json_array_size(rows) != m->npolicies)
		sim_error_at(err, "compare.json", 0, "%zu rows, expected %zu as in manifest.json",
			     json_array_size(rows), m->npolicies);
	for (size_t i = 0; i < m->npolicies && !sim_error_is_set(err); i++)
		policy_from(m, &m->policies[i], dir, json_array_get(list, i),
			    json_array_get(rows, i), err);
}

struct sim_model *sim_model_load(const char *dir, struct sim_error *err)
{
	struct sim_model *m = sim_alloc(1, sizeof(*m), "report");
	json_t *manifest = m->files[0] = load(dir, "manifest.json", err);
	json_t *report = m->files[1] = manifest ? load(dir, "report.json", err) : NULL;
	json_t *compare = m->files[2] = report ? load(dir, "compare.json", err) : NULL;

	if (compare) {
		m->scenario = sim_json_get_str(manifest, "scenario", "manifest.json", err);
		m->seed = sim_json_get_u64(manifest, "seed", "manifest.json", err);
		m->number = sim_json_get_u64(manifest, "run", "manifest.json", err);
		m->digest = sim_json_get_str(manifest, "digest", "manifest.json", err);
		m->version = sim_json_get_str(manifest, "version", "manifest.json", err);
		m->commit = sim_json_get_str(manifest, "commit", "manifest.json", err);
		m->compiler = sim_json_get_str(manifest, "compiler", "manifest.json", err);
		m->flags = sim_json_get_str(manifest, "flags", "manifest.json", err);
		m->arch = sim_json_get_str(manifest, "arch", "manifest.json", err);
		m->dirty = json_is_true(json_object_get(manifest, "dirty"));
		m->summary = sim_json_get_str(report, "summary", "report.json", err);
		m->command = sim_json_get_str(report, "command", "report.json", err);
		m->notes = sim_json_get_array(report, "notes", "report.json", err);
		m->failures = sim_json_get_array(report, "failures", "report.json", err);
		metrics_from(m, report, err);
		params_from(m, report, err);
		policies_from(m, dir, manifest, compare, err);
	}
	if (!sim_error_is_set(err))
		return m;
	sim_model_free(m);
	return NULL;
}

void sim_model_free(struct sim_model *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->npolicies; i++) {
		free(m->policies[i].values);
		sim_series_destroy(m->policies[i].series);
	}
	free(m->policies);
	free(m->metrics);
	free(m->params);
	for (size_t i = 0; i < sizeof(m->files) / sizeof(m->files[0]); i++)
		json_decref(m->files[i]);
	free(m);
}

/* Does figure a beat figure b, to the digits that are printed? */
static bool beats(const struct sim_metric *metric, uint64_t a, uint64_t b)
{
	char text_a[SIM_FORMAT_BYTES], text_b[SIM_FORMAT_BYTES];

	sim_format_value(a, metric->unit, text_a);
	sim_format_value(b, metric->unit, text_b);
	return (metric->better == SIM_METRIC_LOWER ? a < b : a > b) &&
	       strcmp(text_a, text_b) != 0;
}

bool sim_model_is_best(const struct sim_model *m, size_t policy, size_t metric)
{
	const struct sim_metric *what = &m->metrics[metric];
	const struct sim_model_value *mine = &m->policies[policy].values[metric];
	bool beats_one = false;

	if (!mine->known || what->better == SIM_METRIC_NEUTRAL || json_array_size(m->failures))
		return false;
	for (size_t p = 0; p < m->npolicies; p++) {
		const struct sim_model_value *other = &m->policies[p].values[metric];

		if (!other->known)
			continue;
		if (beats(what, other->value, mine->value))
			return false;
		beats_one |= beats(what, mine->value, other->value);
	}
	return beats_one;
}
