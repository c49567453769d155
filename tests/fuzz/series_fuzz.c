// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: no JSON makes the reader of series.json crash, or fail without words; what it accepts can
 * be drawn, and is the same after it was written and read again.
 * Method: libFuzzer, over JSON in memory.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "sim/engine/error.h"
#include "sim/report/model.h"
#include "sim/report/series_data.h"
#include "sim/report/svg.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void require(int holds)
{
	if (!holds)
		abort();
}

static void draw(struct sim_series *s)
{
	struct sim_model_policy policy = { .name = "p", .digest = "d", .series = s };
	struct sim_model model = { .policies = &policy, .npolicies = 1 };
	struct sim_svg_scale scale;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	sim_svg_scale_init(&scale, &model);
	sim_svg_lost_bars(out, &model);
	sim_svg_throughput(out, &scale, s);
	sim_svg_heat_legend(out, &scale, s);
	sim_svg_heat(out, &scale, s);
	if (sim_svg_scale_closing(&scale, &model))
		sim_svg_throughput(out, &scale, s);
	fclose(out);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	json_t *root = json_loadb((const char *)bytes, len, 0, NULL), *written;
	struct sim_error err = { "" };
	struct sim_series *s, *again;

	if (!root)
		return 0;
	s = sim_series_from_json(root, "series.json", &err);
	json_decref(root);
	if (!s) {
		require(sim_error_is_set(&err));
		return 0;
	}
	draw(s);
	written = sim_series_to_json(s);
	require(written != NULL);
	again = sim_series_from_json(written, "series.json", &err);
	require(again != NULL);
	json_decref(written);
	sim_series_destroy(again);
	sim_series_destroy(s);
	return 0;
}
