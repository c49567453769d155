// SPDX-License-Identifier: BSD-2-Clause
/*
 * progress.c - ten times a second at most, on standard error.
 */
#include "sim/cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS 100000000

void sim_progress_init(struct sim_progress *progress, bool quiet)
{
	*progress = (struct sim_progress){ .shown = !quiet && isatty(STDERR_FILENO) };
}

static uint64_t percent(uint64_t done, uint64_t total)
{
	if (done >= total)
		return 100;
	return total < UINT64_MAX / 100 ? done * 100 / total : done / (total / 100);
}

void sim_progress_show(struct sim_progress *progress, const char *what, uint64_t done,
		       uint64_t total)
{
	struct timespec now;
	int64_t now_ns;

	if (!progress->shown)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	if (now_ns < progress->next_ns)
		return;
	progress->next_ns = now_ns + PERIOD_NS;
	progress->drawn = true;
	if (total > 0)
		fprintf(stderr, "\r\033[K%s  %" PRIu64 " %%", what,
			percent(done, total));
	else
		fprintf(stderr, "\r\033[K%s  %" PRIu64, what, done);
	fflush(stderr);
}

void sim_progress_wipe(struct sim_progress *progress)
{
	if (progress->drawn)
		fputs("\r\033[K", stderr);
	progress->drawn = false;
}
