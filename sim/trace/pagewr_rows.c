// SPDX-License-Identifier: BSD-2-Clause
/*
 * sim/trace/pagewr_rows.c - page-write traces by the epoch and by the file.
 *
 * An epoch's rows are appended as they come, with each row's vCPU beside. Recorded files have each
 * epoch's rows in order of vCPU already; where the format's freedom was used, a stable sort by vCPU
 * puts them so. Then equal neighbours become groups.
 */
#include "sim/trace/pagewr.h"

#include <stdlib.h>
#include <string.h>

#include "sim/trace/pagewr_internal.h"

enum { ROOM_FIRST = 1024 };

/* Room for one more element of @size bytes. */
static void *ensure_room(void *array, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return array;
	*room = *room ? *room * 2 : ROOM_FIRST;
	return sim_realloc(array, *room, size, "rows of a trace");
}

static void append_access(struct sim_pagewr *trace, struct sim_pagewr_rows *rows, size_t first,
			  const struct sim_pagewr_row *row)
{
	const size_t place = rows->naccesses - first;

	trace->order = ensure_room(trace->order, place, &trace->order_room, sizeof(*trace->order));
	trace->order[place] = (struct sim_pagewr_order){ .vcpu = row->vcpu, .place = place };
	rows->accesses = ensure_room(rows->accesses, rows->naccesses, &rows->accesses_room,
				     sizeof(*rows->accesses));
	rows->accesses[rows->naccesses++] = (struct sim_pagewr_access){
		.gfn = row->gfn,
		.writes = row->writes,
		.reads = row->reads,
	};
}

static int compare_order(const void *left, const void *right)
{
	const struct sim_pagewr_order *a = left;
	const struct sim_pagewr_order *b = right;

	if (a->vcpu != b->vcpu)
		return a->vcpu < b->vcpu ? -1 : 1;
	return a->place < b->place ? -1 : 1;
}

/* Put the rows from @first on in order of vCPU, keeping each vCPU's in file order. */
static void sort_by_vcpu(struct sim_pagewr *trace, struct sim_pagewr_rows *rows, size_t first)
{
	const size_t count = rows->naccesses - first;
	struct sim_pagewr_access *accesses = rows->accesses + first;

	if (trace->scratch_room < count) {
		trace->scratch_room = count;
		trace->scratch = sim_realloc(trace->scratch, count, sizeof(*trace->scratch),
					     "rows of a trace");
	}
	memcpy(trace->scratch, accesses, count * sizeof(*accesses));
	qsort(trace->order, count, sizeof(*trace->order), compare_order);
	for (size_t i = 0; i < count; i++)
		accesses[i] = trace->scratch[trace->order[i].place];
}

static void append_groups(struct sim_pagewr *trace, struct sim_pagewr_rows *rows, size_t first,
			  uint64_t epoch)
{
	const size_t count = rows->naccesses - first;

	for (size_t begin = 0, end; begin < count; begin = end) {
		const uint32_t vcpu = trace->order[begin].vcpu;

		for (end = begin + 1; end < count && trace->order[end].vcpu == vcpu;)
			end++;
		rows->groups = ensure_room(rows->groups, rows->ngroups, &rows->groups_room,
					   sizeof(*rows->groups));
		rows->groups[rows->ngroups++] = (struct sim_pagewr_group){
			.epoch = epoch,
			.first = first + begin,
			.count = end - begin,
			.vcpu = vcpu,
		};
		if (rows->nvcpus <= vcpu)
			rows->nvcpus = vcpu + 1;
	}
}

/* Append the next epoch that has rows. 1, 0 at the end, -1 with @err set. */
static int append_epoch(struct sim_pagewr *trace, struct sim_pagewr_rows *rows,
			struct sim_error *err)
{
	const size_t first = rows->naccesses;
	struct sim_pagewr_row row = trace->ahead;
	uint64_t epoch;
	bool sorted = true;
	int got = 1;

	if (!trace->has_ahead)
		got = sim_pagewr_next(trace, &row, err);
	if (got <= 0)
		return got;
	epoch = row.epoch;
	do {
		const size_t count = rows->naccesses - first;

		sorted = sorted && (!count || trace->order[count - 1].vcpu <= row.vcpu);
		append_access(trace, rows, first, &row);
		got = sim_pagewr_next(trace, &row, err);
		if (got < 0)
			return got;
	} while (got && row.epoch == epoch);
	trace->has_ahead = got;
	trace->ahead = row;
	if (!sorted)
		sort_by_vcpu(trace, rows, first);
	if (!rows->ngroups)
		rows->epoch_first = epoch;
	rows->epoch_last = epoch;
	rows->has_reads = sim_pagewr_has_reads(trace);
	append_groups(trace, rows, first, epoch);
	return 1;
}

int sim_pagewr_next_epoch(struct sim_pagewr *trace, struct sim_pagewr_rows *rows,
			  struct sim_error *err)
{
	rows->naccesses = 0;
	rows->ngroups = 0;
	rows->nvcpus = 0;
	return append_epoch(trace, rows, err);
}

/* Give back what the doubling of the arrays left over. */
static void trim(struct sim_pagewr_rows *rows)
{
	rows->accesses = sim_realloc(rows->accesses, rows->naccesses, sizeof(*rows->accesses),
				     "rows of a trace");
	rows->groups = sim_realloc(rows->groups, rows->ngroups, sizeof(*rows->groups),
				   "rows of a trace");
	rows->accesses_room = rows->naccesses;
	rows->groups_room = rows->ngroups;
}

bool sim_pagewr_load(const char *path, const struct sim_pagewr_limits *limits,
		     struct sim_pagewr_rows *rows, struct sim_error *err)
{
	struct sim_pagewr *trace;
	int got;

	*rows = (struct sim_pagewr_rows){ 0 };
	trace = sim_pagewr_open(path, limits, err);
	if (!trace)
		return false;
	do
		got = append_epoch(trace, rows, err);
	while (got > 0);
	sim_pagewr_close(trace);
	if (!got && !rows->ngroups) {
		sim_error_at(err, path, 0, "rows, found none, expected at least one");
		got = -1;
	}
	if (got < 0) {
		sim_pagewr_rows_free(rows);
		return false;
	}
	trim(rows);
	return true;
}

void sim_pagewr_rows_free(struct sim_pagewr_rows *rows)
{
	free(rows->accesses);
	free(rows->groups);
	*rows = (struct sim_pagewr_rows){ 0 };
}
