/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/report/config.h - a configuration file: which scenario, which seed, which parameters.
 *
 *	scenario: migrate
 *	seed: 1
 *	run: 0
 *	link:
 *	  bandwidth_bytes_per_s: 1250000000
 *	workload:
 *	  trace: ../traces/pagewr-redis-set.csv.zst
 *
 * The schema is built from the parameter tables of the scenario: a mapping a component, a scalar a
 * parameter. libcyaml loads it; what it refuses is said again with the file, the line, and the
 * nearest names. A key may be left out (but for `scenario`); its default applies. A relative path
 * is relative to the file.
 *
 * C1  Loading what sim_config_text() made gives the same scenario, seed, run and values.
 * C2  A file that is refused leaves no half-set configuration behind.
 */
#ifndef SIM_REPORT_CONFIG_H
#define SIM_REPORT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_error;
struct sim_params;
struct sim_scenario;

/* Seeds and run numbers fit a JSON integer. */
#define SIM_SEED_MAX INT64_MAX

/**
 * struct sim_config - what to run
 * @scenario: which
 * @params: all its parameters
 * @seed: 0..SIM_SEED_MAX; 1 if the file has none
 * @number: run number, 0..SIM_SEED_MAX; 0 if the file has none
 */
struct sim_config {
	const struct sim_scenario *scenario;
	struct sim_params *params;
	uint64_t seed, number;
};

/** sim_config_load() - read a file ("-": standard input); NULL with @err set */
struct sim_config *sim_config_load(const char *path, struct sim_error *err);

/** sim_config_load_memory() - as sim_config_load(), from memory; @name is for messages */
struct sim_config *sim_config_load_memory(const char *name, const void *bytes, size_t len,
					  struct sim_error *err);

void sim_config_free(struct sim_config *config);

/**
 * sim_config_text() - the whole configuration as YAML, defaults included, with units as comments
 *
 * Return: text to free(). Paths in it are absolute.
 */
char *sim_config_text(const struct sim_config *config);

/** sim_scenario_find() - by name; NULL with @err offering the nearest ones, after "@where: " */
const struct sim_scenario *sim_scenario_find(const char *name, const char *where,
					     struct sim_error *err);

/** sim_scenario_params() - all parameters of a scenario, at their defaults */
struct sim_params *sim_scenario_params(const struct sim_scenario *scenario);

#endif
