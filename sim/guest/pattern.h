/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guest/pattern.h - where the next visit of a synthetic writer goes. workload.h says which patterns
 * there are; this is the part of it that draws.
 */
#ifndef SIM_GUEST_PATTERN_H
#define SIM_GUEST_PATTERN_H

#include "sim/guest/workload.h"

struct sim_pattern {
	const struct sim_workload_config *cfg;
	struct sim_zipf zipf;
	uint64_t scatter;	/* ZIPF: rank r is page r * scatter mod W */
	uint64_t hot_pages;	/* HOT: at least 1 */
};

/** sim_pattern_init() - prepare; @cfg outlives it */
void sim_pattern_init(struct sim_pattern *p, const struct sim_workload_config *cfg);
void sim_pattern_fini(struct sim_pattern *p);

/** sim_pattern_start() - put a vCPU's cursor at its beginning */
void sim_pattern_start(const struct sim_pattern *p, struct sim_cursor *cursor);

/** sim_pattern_next() - the frame of the next visit; @steady_ns: when its epoch begins */
uint64_t sim_pattern_next(const struct sim_pattern *p, struct sim_cursor *cursor,
			  uint64_t steady_ns);

#endif
