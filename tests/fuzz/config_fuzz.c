// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: no bytes make the reader of configurations crash, or fail without one line that names the
 * file; and whatever it accepts is the same after it was written and read again.
 * Method: libFuzzer, over a file in memory and the parameters of the migrate scenario.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/error.h"
#include "sim/report/config.h"
#include "sim/scenario/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void require(int holds)
{
	if (!holds)
		abort();
}

/* Paths that exist are made absolute when they are written: not what this is about. */
static void same(const struct sim_config *a, const struct sim_config *b)
{
	require(a->scenario == b->scenario && a->seed == b->seed && a->number == b->number);
	for (size_t i = 0; i < sim_params_count(a->params); i++) {
		if (sim_params_at(a->params, i)->type != SIM_PARAM_PATH)
			require(strcmp(sim_params_text(a->params, i),
				       sim_params_text(b->params, i)) == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct sim_error err = { "" };
	struct sim_config *config = sim_config_load_memory("c.yaml", bytes, len, &err), *again;
	char *text;

	if (!config) {
		require(strncmp(err.text, "c.yaml:", 7) == 0);
		require(!strchr(err.text, '\n'));
		return 0;
	}
	require(!sim_error_is_set(&err));
	text = sim_config_text(config);
	again = sim_config_load_memory("r.yaml", text, strlen(text), &err);
	require(again != NULL);
	same(config, again);
	free(text);
	sim_config_free(again);
	sim_config_free(config);
	return 0;
}
