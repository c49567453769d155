/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/cli/progress.h - one line on a terminal that says how far a long run is; none in a pipe.
 */
#ifndef SIM_CLI_PROGRESS_H
#define SIM_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct sim_progress {
	bool shown;		/* is there a terminal, and does the user want it? */
	bool drawn;		/* is there a line to wipe? */
	int64_t next_ns;	/* not before this; of the monotonic clock */
};

void sim_progress_init(struct sim_progress *progress, bool quiet);
void sim_progress_show(struct sim_progress *progress, const char *what, uint64_t done,
		       uint64_t total);

/** sim_progress_wipe() - before anything else is printed */
void sim_progress_wipe(struct sim_progress *progress);

#endif
