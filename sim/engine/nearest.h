/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/engine/nearest.h - "did you mean ...?": the names nearest to one that does not exist.
 *
 * Nearness is the optimal string alignment distance (insert, delete, replace, swap neighbours), and
 * a candidate that contains what was asked for, or whose last part is equal to its last part,
 * counts as one step away. Names farther than a third of their length, or more than a step farther
 * than the nearest, are not offered. Ties keep the order of the offers, so the text is
 * deterministic.
 *
 * Cost: O(length^2) an offer, on the way to an error message only.
 */
#ifndef SIM_ENGINE_NEAREST_H
#define SIM_ENGINE_NEAREST_H

#include <stddef.h>

#define SIM_NEAREST_MAX 3u

struct sim_nearest {
	const char *asked;
	size_t n;
	const char *name[SIM_NEAREST_MAX];
	unsigned int distance[SIM_NEAREST_MAX];
};

/* @asked is kept by reference, and so are the candidates. */
void sim_nearest_init(struct sim_nearest *near, const char *asked);
void sim_nearest_offer(struct sim_nearest *near, const char *candidate);

/* `; did you mean a, b or c?`, or "" when nothing is near. */
void sim_nearest_text(const struct sim_nearest *near, char *buf, size_t size);

#endif
