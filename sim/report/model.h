/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/report/model.h - a run directory, read back: what table and report are made of.
 *
 * Both are rendered from what is on disk, right after a run as well as a year later, so that there
 * is one way to the picture. Nothing read is trusted: a damaged or edited directory gives
 * `FILE: what, expected`.
 */
#ifndef SIM_REPORT_MODEL_H
#define SIM_REPORT_MODEL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/scenario/scenario.h"

struct sim_error;
struct sim_series;

/* One figure; a run that broke a property may have ended without some. */
struct sim_model_value {
	bool known;
	uint64_t value;
};

struct sim_model_policy {
	const char *name;
	const char *digest;
	struct sim_model_value *values;		/* one a metric */
	struct sim_series *series;		/* NULL if the policy did not finish */
};

struct sim_model_param {
	const char *name, *text, *unit, *def, *source, *description, *origin;
};

struct sim_model {
	const char *scenario, *summary;
	uint64_t seed, number;
	const char *digest, *version, *commit, *compiler, *flags, *arch;
	bool dirty;
	const char *command;			/* reproduces the run */
	struct sim_metric *metrics;
	size_t nmetrics;
	struct sim_model_policy *policies;
	size_t npolicies;
	struct sim_model_param *params;
	size_t nparams;
	json_t *notes, *failures;		/* arrays of strings */
	json_t *files[3];			/* what the strings above point into */
};

/** sim_model_load() - read a run directory; NULL with @err set */
struct sim_model *sim_model_load(const char *dir, struct sim_error *err);
void sim_model_free(struct sim_model *model);

/**
 * sim_model_is_best() - is a policy's figure the best of its metric?
 *
 * Figures that print alike are equally good; where all do, or no way is better, none is best; and
 * none in a run that violated a property.
 */
bool sim_model_is_best(const struct sim_model *model, size_t policy, size_t metric);

#endif
