/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/report/run_state.h - what the shell knows of a run in progress.
 */
#ifndef SIM_REPORT_RUN_STATE_H
#define SIM_REPORT_RUN_STATE_H

#include <jansson.h>

#include "sim/engine/history.h"
#include "sim/report/config.h"
#include "sim/report/run.h"
#include "sim/scenario/scenario.h"

/* One policy; the scenario holds a pointer to its first field. */
struct sim_run_policy {
	struct sim_policy_out out;
	struct sim_run *run;
	char *name, *dir;
	uint64_t *values;		/* one a metric */
	bool *known;
	bool ended;
	uint8_t digest[SIM_DIGEST_BYTES];
	json_t *stats;			/* array of stats.json */
};

struct sim_run_state {
	const struct sim_run_request *request;
	bool opened;			/* cleared, and config.resolved.yaml is in it */
	struct sim_run_policy **policies;	/* in the order they were begun */
	size_t npolicies;
	json_t *notes, *failures;		/* arrays of strings */
	int64_t wall_ns;			/* of the scenario; outside the digest */
	int64_t started_s;			/* since 1970, UTC */
};

/* record.c: everything but what belongs to one policy. */
bool sim_record_write(const struct sim_run_state *state, struct sim_run_record *record,
		      struct sim_error *err);

/* stats_file.c */
json_t *sim_stats_to_json(const struct sim_stats *stats);
bool sim_stats_write(const char *dir, const json_t *stats, struct sim_error *err);

#endif
