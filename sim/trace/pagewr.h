/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/trace/pagewr.h - page-write traces: which vCPU wrote which guest frame how often, by epoch.
 *
 * First line `epoch,vcpu,gfn,writes` or `epoch,vcpu,gfn,writes,reads`; one line per (epoch, vCPU,
 * 4 KiB frame) with an access; sorted by epoch; decimal unsigned 64-bit numbers; lines that begin
 * with '#' are marks and are skipped. docs/formats.md has the whole.
 *
 * Strict: exactly the columns of the first line, digits only (no sign, space, CR, or empty field),
 * no overflow, no decrease of the epoch; with limits, no vCPU and no frame that the guest does not
 * have. The first offence ends the reading with `FILE:LINE: what, found V, expected W`.
 *
 * Three ways to read: row by row; an epoch at a time with its rows grouped by vCPU (what a replay
 * wants, as the i-th of a vCPU's n rows starts at i/n of the epoch); or the whole file into
 * arrays, once, to be replayed many times. The first two need memory for one buffer or one epoch
 * only.
 */
#ifndef SIM_TRACE_PAGEWR_H
#define SIM_TRACE_PAGEWR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/engine/error.h"

/** Frames of 4 KiB that a 64-bit physical address can name. */
#define SIM_PAGEWR_GFN_MAX ((UINT64_C(1) << 52) - 1)

/** Highest vCPU number, where no limit is given. */
#define SIM_PAGEWR_VCPU_MAX (UINT32_MAX - 1)

/** What the guest has. A 0 in nvcpus or npages leaves that unchecked. */
struct sim_pagewr_limits {
	uint32_t nvcpus;
	uint64_t base_gfn;
	uint64_t npages;
};

struct sim_pagewr_row {
	uint64_t epoch;
	uint64_t gfn;
	uint64_t writes; /* 0 where there were only reads */
	uint64_t reads;	 /* 0 where the file has no such column */
	uint32_t vcpu;
};

struct sim_pagewr;

/**
 * sim_pagewr_open() - open a trace and check its first line
 * @path: as sim_text_open()
 * @limits: copied; NULL for none
 *
 * Return: NULL with @err set if it is not such a trace.
 */
struct sim_pagewr *sim_pagewr_open(const char *path, const struct sim_pagewr_limits *limits,
				   struct sim_error *err);

/** sim_pagewr_open_memory() - the same from memory, see sim_text_open_memory() */
struct sim_pagewr *sim_pagewr_open_memory(const char *name, const void *bytes, size_t len,
					  const struct sim_pagewr_limits *limits,
					  struct sim_error *err);

/** sim_pagewr_next() - 1 with @row filled in; 0 at the end; -1 with @err set, and so ever after */
int sim_pagewr_next(struct sim_pagewr *trace, struct sim_pagewr_row *row, struct sim_error *err);

/** sim_pagewr_has_reads() - whether the file has the `reads` column */
bool sim_pagewr_has_reads(const struct sim_pagewr *trace);

/** sim_pagewr_rewind() - start over; false with @err set where that is impossible (a pipe) */
bool sim_pagewr_rewind(struct sim_pagewr *trace, struct sim_error *err);

void sim_pagewr_close(struct sim_pagewr *trace);

/** One access row inside a group. */
struct sim_pagewr_access {
	uint64_t gfn;
	uint64_t writes;
	uint64_t reads;
};

/** The rows of one vCPU in one epoch, in file order: accesses[first .. first + count - 1]. */
struct sim_pagewr_group {
	uint64_t epoch;
	size_t first;
	size_t count;
	uint32_t vcpu;
};

/** Groups ordered by (epoch, vcpu), each non-empty, and the rows they point into. */
struct sim_pagewr_rows {
	struct sim_pagewr_access *accesses;
	size_t naccesses;
	struct sim_pagewr_group *groups;
	size_t ngroups;
	uint64_t epoch_first;
	uint64_t epoch_last; /* inclusive; epochs without a row have no group */
	uint32_t nvcpus;     /* highest vCPU number + 1 */
	bool has_reads;
	size_t accesses_room; /* of the arrays; the reader's */
	size_t groups_room;
};

/**
 * sim_pagewr_next_epoch() - the groups of the next epoch that has rows
 * @rows: zero-initialised before the first call; overwritten by each; free with
 *     sim_pagewr_rows_free()
 *
 * Do not mix with sim_pagewr_next() between two rewinds. Return: as sim_pagewr_next().
 */
int sim_pagewr_next_epoch(struct sim_pagewr *trace, struct sim_pagewr_rows *rows,
			  struct sim_error *err);

/**
 * sim_pagewr_load() - a whole trace into arrays
 * @rows: filled in; free with sim_pagewr_rows_free()
 *
 * A trace without a single row is an error here: there would be nothing to replay.
 * Return: false with @err set, and @rows empty.
 */
bool sim_pagewr_load(const char *path, const struct sim_pagewr_limits *limits,
		     struct sim_pagewr_rows *rows, struct sim_error *err);

void sim_pagewr_rows_free(struct sim_pagewr_rows *rows);

#endif
