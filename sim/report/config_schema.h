/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/report/config_schema.h - libcyaml with a schema made at run time.
 *
 * A schema is a list of keys, each `key` at the top or `component.key` in a mapping; every value is
 * loaded as text. What libcyaml says when it refuses a file is translated into one line of ours.
 */
#ifndef SIM_REPORT_CONFIG_SCHEMA_H
#define SIM_REPORT_CONFIG_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

struct sim_error;

/**
 * struct sim_config_file - a file in memory
 * @name: as the user gave it
 * @bytes: UTF-8, checked
 * @len: how many
 */
struct sim_config_file {
	const char *name;
	char *bytes;
	size_t len;
};

/**
 * sim_schema_load() - the values of keys
 * @file: the text
 * @names: the keys that are allowed
 * @n: how many
 * @only_these: refuse other keys; else skip them
 * @values: receives @n strings to free(), NULL where the file has no such key
 * @err: what is wrong
 *
 * Return: true; false with @err set and nothing in @values.
 */
bool sim_schema_load(const struct sim_config_file *file, const char *const *names, size_t n,
		     bool only_these, char **values, struct sim_error *err);

#endif
