/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/report/config_lines.h - on which line of a configuration a key stands.
 *
 * libcyaml hands out values without their place, and its messages name the line of the value
 * before. This asks libyaml, which libcyaml reads through, for the place of one key. On the way to
 * an error message only.
 */
#ifndef SIM_REPORT_CONFIG_LINES_H
#define SIM_REPORT_CONFIG_LINES_H

#include <stddef.h>
#include <stdint.h>

/**
 * sim_config_line() - the line of a key
 * @text: the file
 * @len: its bytes
 * @component: the mapping it is in; NULL for one at the top
 * @key: the key
 *
 * Return: the line of its last occurrence (of two, the second is the mistake), from 1; 0 if the
 *	text does not parse or has no such key.
 */
uint64_t sim_config_line(const char *text, size_t len, const char *component, const char *key);

/** sim_config_syntax_line() - the line on which libyaml gives up, from 1; 0 if the text parses */
uint64_t sim_config_syntax_line(const char *text, size_t len);

/**
 * sim_config_shape() - what YAML allows and no configuration needs
 * @text: the configuration
 * @len: its bytes
 * @line: of what is refused
 *
 * Aliases, which make a small file a large document; keys that are lists or mappings; and nesting
 * beyond any need, which libyaml takes the square of its depth for.
 *
 * Return: "found V, expected W", a constant string; NULL if there is nothing to refuse, which is
 * so too where the text is not YAML.
 */
const char *sim_config_shape(const char *text, size_t len, uint64_t *line);

#endif
