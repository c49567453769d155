// SPDX-License-Identifier: BSD-2-Clause
/*
 * config_text.c - a configuration as YAML: every value, with its unit and range as a comment.
 *
 * Texts and paths are double-quoted; what YAML does not allow in the raw is escaped.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/error.h"
#include "sim/report/config.h"
#include "sim/scenario/scenario.h"

/*
 * Characters beyond ASCII that a YAML stream may not hold as they are, or that a reader may take
 * for a line break or a byte order mark: C1 controls, U+2028, U+2029, U+FEFF, U+FFFE, U+FFFF.
 */
static unsigned int needs_escape(const unsigned char *p, size_t *len)
{
	unsigned int c;

	*len = 0;
	if (p[0] == 0xc2 && p[1] < 0xa0) {
		*len = 2;
		return p[1];
	}
	if ((p[0] & 0xf0) != 0xe0)
		return 0;
	c = (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
	if (c != 0x2028 && c != 0x2029 && c != 0xfeff && c != 0xfffe && c != 0xffff)
		return 0;
	*len = 3;
	return c;
}

static void put_quoted(FILE *out, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	fputc('"', out);
	while (*p) {
		size_t len;
		unsigned int code = needs_escape(p, &len);

		if (code) {
			fprintf(out, "\\u%04X", code);
			p += len;
			continue;
		}
		if (*p == '"' || *p == '\\')
			fputc('\\', out);
		fputc(*p++, out);
	}
	fputc('"', out);
}

static void put_path(FILE *out, const char *path)
{
	char *absolute = *path && strcmp(path, "-") != 0 ? realpath(path, NULL) : NULL;

	put_quoted(out, absolute ? absolute : path);
	free(absolute);
}

static void put_param(FILE *out, const struct sim_param *param, const char *text)
{
	char range[256];

	fprintf(out, "  %s: ", strchr(param->name, '.') + 1);
	switch (param->type) {
	case SIM_PARAM_U64:
	case SIM_PARAM_BOOL:
		fputs(text, out);
		break;
	case SIM_PARAM_ENUM:
	case SIM_PARAM_STRING:
		put_quoted(out, text);
		break;
	case SIM_PARAM_PATH:
		put_path(out, text);
		break;
	}
	sim_param_range_text(param, range, sizeof(range));
	fprintf(out, "  # %s%s%s\n", param->unit, *param->unit ? ", " : "", range);
}

static bool same_component(const char *a, const char *b)
{
	size_t n = (size_t)(strchr(a, '.') - a);

	return strncmp(a, b, n + 1) == 0;
}

/* One component's mapping: its first parameter is i; those registered later belong here too. */
static void put_component(FILE *out, const struct sim_params *params, size_t i)
{
	const char *name = sim_params_at(params, i)->name;

	for (size_t k = 0; k < i; k++) {
		if (same_component(name, sim_params_at(params, k)->name))
			return;
	}
	fprintf(out, "%.*s:\n", (int)(strchr(name, '.') - name), name);
	for (size_t k = i; k < sim_params_count(params); k++) {
		if (same_component(name, sim_params_at(params, k)->name))
			put_param(out, sim_params_at(params, k), sim_params_text(params, k));
	}
}

char *sim_config_text(const struct sim_config *config)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return sim_strdup("");
	fprintf(out, "# Every parameter of this run, defaults included. Run it again with\n"
		"# weir-sim run config.resolved.yaml\n"
		"scenario: %s\nseed: %" PRIu64 "\nrun: %" PRIu64 "\n",
		config->scenario->name, config->seed, config->number);
	for (size_t i = 0; i < sim_params_count(config->params); i++)
		put_component(out, config->params, i);
	fclose(out);
	return text;
}
