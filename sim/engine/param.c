// SPDX-License-Identifier: BSD-2-Clause
/*
 * param.c - the registry of parameters; param.h says what it promises.
 *
 * A value is kept twice: parsed, for those who read it, and as canonical text, for those who print
 * it. Both are made before the slot is touched, so that a refused value changes nothing (P2).
 */
#include "sim/engine/param.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/error.h"
#include "sim/engine/nearest.h"
#include "sim/engine/number.h"
#include "sim/engine/utf8.h"

#define STRING_MAX_DEFAULT 4096u
#define SHOWN_MAX 60u		/* bytes of a bad value that a message repeats */

struct slot {
	const struct sim_param *param;
	enum sim_param_origin origin;
	uint64_t value;		/* U64; BOOL as 0 or 1; ENUM as an index */
	char *text;
};

struct sim_params {
	struct slot *slots;
	size_t n, capacity;
};

struct sim_params *sim_params_new(void)
{
	return sim_alloc(1, sizeof(struct sim_params), "parameters");
}

void sim_params_free(struct sim_params *params)
{
	if (!params)
		return;
	for (size_t i = 0; i < params->n; i++)
		free(params->slots[i].text);
	free(params->slots);
	free(params);
}

static struct slot *slot_of(const struct sim_params *params, const char *name)
{
	for (size_t i = 0; i < params->n; i++) {
		if (strcmp(params->slots[i].param->name, name) == 0)
			return &params->slots[i];
	}
	return NULL;
}

static bool parse_bool(const char *text, uint64_t *value)
{
	static const char *const words[] = { "off", "on", "false", "true", "no", "yes", "0", "1" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(text, words[i]) == 0) {
			*value = i & 1;
			return true;
		}
	}
	return false;
}

static bool parse_enum(const struct sim_param *param, const char *text, uint64_t *value)
{
	for (size_t i = 0; param->choices[i]; i++) {
		if (strcmp(text, param->choices[i]) == 0) {
			*value = i;
			return true;
		}
	}
	return false;
}

static bool string_valid(const struct sim_param *param, const char *text)
{
	size_t max = param->max ? (size_t)param->max : STRING_MAX_DEFAULT;
	size_t len = strnlen(text, max + 1);

	if (len > max || len < param->min || sim_utf8_first_bad(text, len) != len)
		return false;
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return false;
	}
	return true;
}

/* Is @text a value of @param? If so, *value and the canonical text in buf or @text itself. */
static bool parse(const struct sim_param *param, const char *text, uint64_t *value,
		  char *buf, size_t size, const char **canonical)
{
	*value = 0;
	*canonical = text;
	switch (param->type) {
	case SIM_PARAM_U64:
		if (!sim_number_parse(text, value) || *value < param->min || *value > param->max)
			return false;
		snprintf(buf, size, "%" PRIu64, *value);
		*canonical = buf;
		return true;
	case SIM_PARAM_BOOL:
		if (!parse_bool(text, value))
			return false;
		*canonical = *value ? "on" : "off";
		return true;
	case SIM_PARAM_ENUM:
		return parse_enum(param, text, value);
	case SIM_PARAM_STRING:
	case SIM_PARAM_PATH:
		return string_valid(param, text);
	}
	return false;
}

/* component.noun_unit: lower-case letters, digits and _, with one dot inside. */
static bool name_valid(const char *name)
{
	const char *dot = strchr(name, '.');

	return dot && dot != name && dot[1] && !strchr(dot + 1, '.') &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.") == strlen(name);
}

static _Noreturn void bad_table(const struct sim_param *param, const char *what)
{
	fprintf(stderr, "weir-sim: parameter table: %s: %s\n", param->name, what);
	abort();
}

static void add(struct sim_params *params, const struct sim_param *param)
{
	const char *canonical;
	uint64_t value;
	char buf[32];

	if (!name_valid(param->name))
		bad_table(param, "a name is component.noun_unit, in lower case");
	if (!param->unit || !param->source || !param->description)
		bad_table(param, "unit, source and description are needed");
	if (param->type == SIM_PARAM_ENUM && (!param->choices || !param->choices[0]))
		bad_table(param, "has no choices");
	if (!param->def || !parse(param, param->def, &value, buf, sizeof(buf), &canonical))
		bad_table(param, "its default is not one of its values");
	if (params->n == params->capacity) {
		params->capacity = params->capacity ? 2 * params->capacity : 64;
		params->slots = sim_realloc(params->slots, params->capacity,
					    sizeof(*params->slots), "parameters");
	}
	params->slots[params->n++] = (struct slot){
		.param = param, .value = value, .text = sim_strdup(canonical),
	};
}

void sim_params_register(struct sim_params *params, const struct sim_param *table, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct slot *old = slot_of(params, table[i].name);

		if (!old)
			add(params, &table[i]);
		else if (old->param != &table[i])
			bad_table(&table[i], "is declared twice");
	}
}

/* The value as a message repeats it: no control characters, not too long. */
static const char *shown(const char *text, char *buf)
{
	size_t len = strnlen(text, SHOWN_MAX + 1);
	bool cut = len > SHOWN_MAX;
	size_t n = cut ? SHOWN_MAX : len;

	for (size_t i = 0; i < n; i++)
		buf[i] = (char)((unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i]);
	n = sim_utf8_first_bad(buf, n);		/* a cut may fall inside a character */
	strcpy(buf + n, n < len ? "..." : "");
	return buf;
}

static void refuse(const struct sim_param *param, const char *text, const char *where,
		   struct sim_error *err)
{
	char range[256], value[SHOWN_MAX + 4], hint[256] = "";
	struct sim_nearest near;
	uint64_t number;
	bool no_number = param->type == SIM_PARAM_U64 && !sim_number_parse(text, &number);

	sim_param_range_text(param, range, sizeof(range));
	if (param->type == SIM_PARAM_ENUM) {
		sim_nearest_init(&near, text);
		for (size_t i = 0; param->choices[i]; i++)
			sim_nearest_offer(&near, param->choices[i]);
		sim_nearest_text(&near, hint, sizeof(hint));
	}
	sim_error_set(err, "%s%s%s=%s: must be %s%s%s", where ? where : "", where ? ": " : "",
		      param->name, shown(text, value), no_number ? "a number, " : "", range, hint);
}

bool sim_params_set(struct sim_params *params, const char *name, const char *text,
		    const char *where, struct sim_error *err)
{
	struct slot *slot = slot_of(params, name);
	const char *canonical;
	uint64_t value;
	char buf[32], *copy;

	if (!slot) {
		char asked[SHOWN_MAX + 4], hint[256];

		sim_params_suggest(params, name, hint, sizeof(hint));
		sim_error_set(err, "%s%s%s: no such parameter%s", where ? where : "",
			      where ? ": " : "", shown(name, asked), hint);
		return false;
	}
	if (!parse(slot->param, text, &value, buf, sizeof(buf), &canonical)) {
		refuse(slot->param, text, where, err);
		return false;
	}
	copy = sim_strdup(canonical);
	free(slot->text);
	slot->text = copy;
	slot->value = value;
	slot->origin = where ? SIM_PARAM_FILE : SIM_PARAM_COMMAND_LINE;
	return true;
}

bool sim_params_assign(struct sim_params *params, const char *assignment, struct sim_error *err)
{
	const char *equals = strchr(assignment, '=');
	char shown_buf[SHOWN_MAX + 4] = "", *name;
	bool ok;

	if (!equals || equals == assignment) {
		sim_error_set(err, "-C %s: must be name=value", shown(assignment, shown_buf));
		return false;
	}
	name = sim_strdup(assignment);
	name[equals - assignment] = '\0';
	ok = sim_params_set(params, name, equals + 1, NULL, err);
	free(name);
	return ok;
}

static const struct slot *read_slot(const struct sim_params *params, const char *name,
				    enum sim_param_type type)
{
	const struct slot *slot = slot_of(params, name);

	if (!slot || (slot->param->type != type &&
	    !(type == SIM_PARAM_STRING && (slot->param->type == SIM_PARAM_ENUM ||
	     slot->param->type == SIM_PARAM_PATH)))) {
		fprintf(stderr, "weir-sim: %s: read, but not declared%s\n", name,
			slot ? " with this type" : "");
		abort();
	}
	return slot;
}

uint64_t sim_params_u64(const struct sim_params *params, const char *name)
{
	return read_slot(params, name, SIM_PARAM_U64)->value;
}

bool sim_params_bool(const struct sim_params *params, const char *name)
{
	return read_slot(params, name, SIM_PARAM_BOOL)->value != 0;
}

unsigned int sim_params_enum(const struct sim_params *params, const char *name)
{
	return (unsigned int)read_slot(params, name, SIM_PARAM_ENUM)->value;
}

const char *sim_params_str(const struct sim_params *params, const char *name)
{
	return read_slot(params, name, SIM_PARAM_STRING)->text;
}

size_t sim_params_count(const struct sim_params *params)
{
	return params->n;
}

const struct sim_param *sim_params_at(const struct sim_params *params, size_t i)
{
	assert(i < params->n);
	return params->slots[i].param;
}

const char *sim_params_text(const struct sim_params *params, size_t i)
{
	assert(i < params->n);
	return params->slots[i].text;
}

enum sim_param_origin sim_params_origin(const struct sim_params *params, size_t i)
{
	assert(i < params->n);
	return params->slots[i].origin;
}

const struct sim_param *sim_params_find(const struct sim_params *params, const char *name)
{
	const struct slot *slot = slot_of(params, name);

	return slot ? slot->param : NULL;
}

void sim_params_suggest(const struct sim_params *params, const char *name, char *buf, size_t size)
{
	struct sim_nearest near;

	sim_nearest_init(&near, name);
	for (size_t i = 0; i < params->n; i++)
		sim_nearest_offer(&near, params->slots[i].param->name);
	sim_nearest_text(&near, buf, size);
}

static void choices_text(const struct sim_param *param, char *buf, size_t size)
{
	size_t len = (size_t)snprintf(buf, size, "one of ");

	for (size_t i = 0; param->choices[i] && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%s", i ? ", " : "",
					param->choices[i]);
}

void sim_param_range_text(const struct sim_param *param, char *buf, size_t size)
{
	switch (param->type) {
	case SIM_PARAM_U64:
		snprintf(buf, size, "%" PRIu64 "..%" PRIu64, param->min, param->max);
		return;
	case SIM_PARAM_BOOL:
		snprintf(buf, size, "on or off");
		return;
	case SIM_PARAM_ENUM:
		choices_text(param, buf, size);
		return;
	case SIM_PARAM_STRING:
		snprintf(buf, size, "text of %" PRIu64 "..%" PRIu64 " bytes, in UTF-8 without "
			 "control characters", param->min,
			 param->max ? param->max : (uint64_t)STRING_MAX_DEFAULT);
		return;
	case SIM_PARAM_PATH:
		snprintf(buf, size, "the path of a file");
		return;
	}
}
