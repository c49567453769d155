// SPDX-License-Identifier: BSD-2-Clause
/*
 * config_lines.c - look a key up in libyaml's tree.
 */
#include "sim/report/config_lines.h"

#include <stdbool.h>
#include <string.h>
#include <yaml.h>

/* The last pair of a mapping whose key is @key, or NULL. */
static const yaml_node_pair_t *pair_of(yaml_document_t *doc, const yaml_node_t *mapping,
				       const char *key)
{
	const yaml_node_pair_t *found = NULL;

	if (!mapping || mapping->type != YAML_MAPPING_NODE)
		return NULL;
	for (const yaml_node_pair_t *p = mapping->data.mapping.pairs.start;
	     p < mapping->data.mapping.pairs.top; p++) {
		const yaml_node_t *node = yaml_document_get_node(doc, p->key);

		if (node && node->type == YAML_SCALAR_NODE &&
		    strcmp((const char *)node->data.scalar.value, key) == 0)
			found = p;
	}
	return found;
}

static uint64_t line_in(yaml_document_t *doc, const char *component, const char *key)
{
	const yaml_node_t *mapping = yaml_document_get_root_node(doc);
	const yaml_node_pair_t *pair;

	if (component) {
		pair = pair_of(doc, mapping, component);
		mapping = pair ? yaml_document_get_node(doc, pair->value) : NULL;
	}
	pair = pair_of(doc, mapping, key);
	return pair ? yaml_document_get_node(doc, pair->key)->start_mark.line + 1 : 0;
}

uint64_t sim_config_line(const char *text, size_t len, const char *component, const char *key)
{
	yaml_parser_t parser;
	yaml_document_t doc;
	uint64_t line = 0;

	if (!yaml_parser_initialize(&parser))
		return 0;
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
	if (yaml_parser_load(&parser, &doc)) {
		line = line_in(&doc, component, key);
		yaml_document_delete(&doc);
	}
	yaml_parser_delete(&parser);
	return line;
}

/* An encoding error has an offset, every other one a mark. */
static uint64_t problem_line(const yaml_parser_t *parser, const char *text)
{
	uint64_t line = 1;

	if (parser->error != YAML_READER_ERROR)
		return parser->problem_mark.line + 1;
	for (size_t i = 0; i < parser->problem_offset; i++)
		line += text[i] == '\n';
	return line;
}

uint64_t sim_config_syntax_line(const char *text, size_t len)
{
	yaml_parser_t parser;
	yaml_event_t event;
	uint64_t line = 0;
	bool more = true;

	if (!yaml_parser_initialize(&parser))
		return 0;
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
	while (more) {
		if (!yaml_parser_parse(&parser, &event)) {
			line = problem_line(&parser, text);
			break;
		}
		more = event.type != YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return line;
}

#define DEPTH_MAX 16u

/* Where a walk over the events is: in which mappings and lists, and whether a key comes next. */
struct shape {
	bool mapping[DEPTH_MAX];
	bool key[DEPTH_MAX];
	unsigned int depth;
};

/* What is wrong with a value or a key, as far as its first event tells. */
static const char *shape_of(struct shape *s, const yaml_event_t *event)
{
	const bool single = event->type == YAML_SCALAR_EVENT;
	bool key = false;

	if (event->type == YAML_ALIAS_EVENT)
		return "found an alias, expected the value itself";
	if (s->depth && s->mapping[s->depth - 1]) {
		key = s->key[s->depth - 1];
		s->key[s->depth - 1] = !key;
	}
	/* "a\0b": the text may not have one, an escape in it makes one, and C would stop there */
	if (single)
		return memchr(event->data.scalar.value, 0, event->data.scalar.length) ?
			       "found a NUL in a name or a value, expected text" : NULL;
	if (key)
		return "found a list or a mapping, expected a name";
	if (s->depth == DEPTH_MAX)
		return "found more than 16 levels of nesting, expected one or two";
	s->mapping[s->depth] = s->key[s->depth] = event->type == YAML_MAPPING_START_EVENT;
	s->depth++;
	return NULL;
}

static const char *next_shape(struct shape *s, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_ALIAS_EVENT:
	case YAML_SCALAR_EVENT:
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		return shape_of(s, event);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		s->depth--;
		break;
	default:
		break;
	}
	return NULL;
}

const char *sim_config_shape(const char *text, size_t len, uint64_t *line)
{
	struct shape shape = { .depth = 0 };
	const char *refused = NULL;
	yaml_parser_t parser;
	yaml_event_t event;
	bool more = true;

	if (!yaml_parser_initialize(&parser))
		return NULL;
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
	while (more && !refused && yaml_parser_parse(&parser, &event)) {
		refused = next_shape(&shape, &event);
		*line = event.start_mark.line + 1;
		more = event.type != YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return refused;
}
