/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/report/run.h - run a scenario and record it: what the `run` command asks for.
 *
 * Order of events: the directory is claimed; when the scenario begins its first policy, and so has
 * found its input good, what an earlier run left is deleted and config.resolved.yaml written, by
 * which an interrupted run can be told from somebody's files. After the run come compare.json, the
 * statistics, report.json (what the report says beside the figures) and then manifest.json: a
 * directory with a manifest is a complete run. report.html is made from those, last.
 */
#ifndef SIM_REPORT_RUN_H
#define SIM_REPORT_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/engine/error.h"
#include "sim/engine/history.h"

struct sim_config;

/* The exit codes of weir-sim. */
enum sim_exit {
	SIM_EXIT_OK = 0,
	SIM_EXIT_PROPERTY = 1,		/* a property failed */
	SIM_EXIT_USAGE = 2,		/* usage or bad input */
	SIM_EXIT_INTERNAL = 3
};

/* Whoever shows what goes on; each may be NULL. */
struct sim_run_watcher {
	void (*progress)(void *ctx, const char *what, uint64_t done, uint64_t total);
	void (*failed)(void *ctx, const char *property);
	void *ctx;
};

/**
 * struct sim_run_record - what a finished run leaves behind
 * @digest: of everything, 32 hexadecimal digits
 * @failures: properties that broke
 */
struct sim_run_record {
	char digest[SIM_DIGEST_HEX_BYTES];
	size_t failures;
};

/**
 * struct sim_run_request - what to run, and where to
 * @config: what
 * @dir: where; see sim_rundir_claim()
 * @force: replace an earlier run
 * @no_trace: keep no trace.zst; the digest is the same
 * @command: the command line that reproduces it, for the report
 * @watcher: may be NULL
 */
struct sim_run_request {
	const struct sim_config *config;
	const char *dir;
	bool force, no_trace;
	const char *command;
	const struct sim_run_watcher *watcher;
};

/**
 * sim_run_recorded() - run a configuration into a directory
 * @request: what and where
 * @record: filled in when the run ended with SIM_EXIT_OK or SIM_EXIT_PROPERTY
 * @err: set otherwise
 */
enum sim_exit sim_run_recorded(const struct sim_run_request *request,
			       struct sim_run_record *record, struct sim_error *err);

#endif
