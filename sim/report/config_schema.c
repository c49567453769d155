// SPDX-License-Identifier: BSD-2-Clause
/*
 * config_schema.c - build a libcyaml schema, load with it, and translate its complaints.
 *
 * libcyaml 1.3.1 explains itself in a log: a cause ("Unexpected key: x"), then a backtrace, deepest
 * mapping first ("in mapping field 'link' (line: 3, column: 3)"). Both are collected here; the line
 * of a key comes from config_lines.c, because the backtrace names that of the value before it.
 */
#include "sim/report/config_schema.h"

#include <cyaml/cyaml.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/error.h"
#include "sim/engine/nearest.h"
#include "sim/report/config_lines.h"

#define NAME_BYTES 128

/* What libcyaml said. */
struct complaint {
	char cause[256];
	char field[2][NAME_BYTES];	/* mapping fields it was in, deepest first */
	unsigned int nfields;
	uint64_t line;			/* of the deepest one; 0: not said */
};

struct schema {
	cyaml_schema_field_t *top;	/* ends with CYAML_FIELD_END */
	size_t ntop;
	cyaml_schema_field_t **mappings;	/* of top[i], if it is a mapping */
	size_t *nmapping;
	char **keys;			/* of top[i] */
};

static void listen(cyaml_log_t level, void *ctx, const char *fmt, va_list args)
{
	struct complaint *c = ctx;
	char text[256], *line, *quote;

	(void)level;
	vsnprintf(text, sizeof(text), fmt, args);
	text[strcspn(text, "\n")] = '\0';
	if (!c->cause[0]) {
		snprintf(c->cause, sizeof(c->cause), "%s",
			 strncmp(text, "Load: ", 6) == 0 ? text + 6 : text);
		return;
	}
	line = strstr(text, "(line: ");
	if (line && !c->line)
		c->line = strtoull(line + 7, NULL, 10);
	quote = strstr(text, "field '");
	if (quote && c->nfields < 2) {
		quote += 7;
		snprintf(c->field[c->nfields++], NAME_BYTES, "%.*s",
			 (int)strcspn(quote, "'"), quote);
	}
}

static cyaml_schema_field_t scalar_field(const char *key, size_t value_index)
{
	return (cyaml_schema_field_t){
		.key = key,
		.value = { .type = CYAML_STRING,
			   .flags = (enum cyaml_flag)(CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL),
			   .data_size = sizeof(char),
			   .string = { .min = 0, .max = CYAML_UNLIMITED } },
		.data_offset = (uint32_t)(value_index * sizeof(char *)),
	};
}

/* The index in top[] of a component, added if it is new. */
static size_t component_of(struct schema *s, const char *name, size_t len, size_t nvalues)
{
	size_t i;

	for (i = 0; i < s->ntop; i++) {
		if (strlen(s->keys[i]) == len && strncmp(s->keys[i], name, len) == 0)
			return i;
	}
	s->keys[i] = sim_alloc(len + 1, 1, "configuration schema");
	memcpy(s->keys[i], name, len);
	s->mappings[i] = sim_alloc(nvalues + 1, sizeof(**s->mappings), "configuration schema");
	s->top[i] = (cyaml_schema_field_t){
		.key = s->keys[i],
		.value = { .type = CYAML_MAPPING, .flags = CYAML_FLAG_OPTIONAL,
			   .data_size = (uint32_t)(nvalues * sizeof(char *)),
			   .mapping = { .fields = s->mappings[i] } },
	};
	s->ntop++;
	return i;
}

static void schema_init(struct schema *s, const char *const *names, size_t n)
{
	s->top = sim_alloc(n + 1, sizeof(*s->top), "configuration schema");
	s->mappings = sim_alloc(n + 1, sizeof(*s->mappings), "configuration schema");
	s->nmapping = sim_alloc(n + 1, sizeof(*s->nmapping), "configuration schema");
	s->keys = sim_alloc(n + 1, sizeof(*s->keys), "configuration schema");
	s->ntop = 0;
	for (size_t i = 0; i < n; i++) {
		const char *dot = strchr(names[i], '.');
		size_t at;

		if (!dot) {
			s->keys[s->ntop] = sim_strdup(names[i]);
			s->top[s->ntop] = scalar_field(s->keys[s->ntop], i);
			s->ntop++;
			continue;
		}
		at = component_of(s, names[i], (size_t)(dot - names[i]), n);
		s->mappings[at][s->nmapping[at]++] = scalar_field(dot + 1, i);
	}
}

static void schema_done(struct schema *s)
{
	for (size_t i = 0; i < s->ntop; i++) {
		free(s->keys[i]);
		free(s->mappings[i]);
	}
	free(s->keys);
	free(s->mappings);
	free(s->nmapping);
	free(s->top);
}

static const char *after(const char *text, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

static void unknown_key(const struct sim_config_file *file, const struct schema *s,
			const struct complaint *c, const char *const *names, size_t n,
			const char *key, struct sim_error *err)
{
	const char *component = c->nfields ? c->field[0] : NULL;
	uint64_t line = sim_config_line(file->bytes, file->len, component, key);
	char full[2 * NAME_BYTES + 8], hint[256];
	struct sim_nearest near;

	snprintf(full, sizeof(full), "%s%s%.*s", component ? component : "", component ? "." : "",
		 NAME_BYTES, key);
	sim_nearest_init(&near, full);
	if (component) {
		for (size_t i = 0; i < n; i++)
			sim_nearest_offer(&near, names[i]);
	} else {
		for (size_t i = 0; i < s->ntop; i++)
			sim_nearest_offer(&near, s->keys[i]);
	}
	sim_nearest_text(&near, hint, sizeof(hint));
	if (!component && strchr(key, '.'))
		snprintf(hint, sizeof(hint), " (a file nests parameters: `%.*s:`, and on the next "
			 "line, indented, `%s:`)", (int)strcspn(key, "."), key,
			 strchr(key, '.') + 1);
	sim_error_at(err, file->name, line ? line : c->line, "%s: no such %s%s", full,
		     component ? "parameter" : "component", hint);
}

/* "link.latency_ns", "link", or "" for the file as a whole. */
static void place(const struct complaint *c, char *buf, size_t size)
{
	if (c->nfields == 2)
		snprintf(buf, size, "%s.%s: ", c->field[1], c->field[0]);
	else
		snprintf(buf, size, "%s%s", c->nfields ? c->field[0] : "",
			 c->nfields ? ": " : "");
}

static const char *event_noun(const char *event)
{
	if (after(event, "SCALAR"))
		return "a single value";
	if (after(event, "SEQUENCE"))
		return "a list";
	if (after(event, "MAPPING"))
		return "a mapping";
	return event;
}

static void translate(const struct sim_config_file *file, const struct schema *s,
		      const struct complaint *c, const char *const *names, size_t n,
		      struct sim_error *err)
{
	char where[2 * NAME_BYTES + 4];
	const char *what;

	place(c, where, sizeof(where));
	if ((what = after(c->cause, "Unexpected key: "))) {
		unknown_key(file, s, c, names, n, what, err);
	} else if ((what = after(c->cause, "Mapping field already seen: "))) {
		const char *component = c->nfields == 2 ? c->field[1] : NULL;

		sim_error_at(err, file->name,
			     sim_config_line(file->bytes, file->len, component, what),
			     "%sis given twice, expected once", where);
	} else if (after(c->cause, "Expecting ") && (what = strstr(c->cause, "event: "))) {
		sim_error_at(err, file->name, c->line ? c->line : 1, "%sfound %s, expected %s",
			     where, event_noun(what + 7),
			     after(c->cause, "Expecting MAPPING") ?
			     "a mapping (name: value)" : "a single value");
	} else if ((what = after(c->cause, "libyaml: "))) {
		sim_error_at(err, file->name, sim_config_syntax_line(file->bytes, file->len),
			     "not YAML: %s", what);
	} else if (after(c->cause, "Ignoring documents")) {
		sim_error_at(err, file->name, 0, "holds several YAML documents, expected one");
	} else {
		sim_error_at(err, file->name, c->line, "%s%s", where, c->cause);
	}
}

bool sim_schema_load(const struct sim_config_file *file, const char *const *names, size_t n,
		     bool only_these, char **values, struct sim_error *err)
{
	struct complaint complaint = { .nfields = 0 };
	const cyaml_config_t config = {
		.log_fn = listen, .log_ctx = &complaint, .mem_fn = cyaml_mem,
		.log_level = CYAML_LOG_WARNING,
		.flags = (cyaml_cfg_flags_t)(CYAML_CFG_NO_ALIAS |
					     (only_these ? 0 : CYAML_CFG_IGNORE_UNKNOWN_KEYS)),
	};
	struct schema schema;
	cyaml_schema_value_t root = {
		.type = CYAML_MAPPING, .flags = CYAML_FLAG_POINTER,
		.data_size = (uint32_t)(n * sizeof(char *)),
	};
	char **loaded = NULL;
	cyaml_err_t status;
	bool ok;

	schema_init(&schema, names, n);
	root.mapping.fields = schema.top;
	status = cyaml_load_data((const uint8_t *)file->bytes, file->len, &config, &root,
				 (cyaml_data_t **)&loaded, NULL);
	ok = status == CYAML_OK && loaded && !complaint.cause[0];
	if (ok) {
		for (size_t i = 0; i < n; i++)
			values[i] = loaded[i] ? sim_strdup(loaded[i]) : NULL;
	} else if (complaint.cause[0]) {
		translate(file, &schema, &complaint, names, n, err);
	} else {
		sim_error_at(err, file->name, 0, "%s", status == CYAML_OK ?
			     "is empty, expected `scenario: NAME`" : cyaml_strerror(status));
	}
	cyaml_free(&config, &root, loaded, 0);
	schema_done(&schema);
	return ok;
}
