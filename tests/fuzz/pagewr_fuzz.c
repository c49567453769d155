// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: no bytes make the page-write reader crash, hand out a row that breaks its promises, or fail
 * without words; and reading by rows and by epochs agree.
 * Method: libFuzzer. Each input is read as text and as zstd, with limits and without.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/trace/pagewr.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void require(int holds)
{
	if (!holds)
		abort();
}

/* What a way of reading has seen: order apart, the same for all ways. */
struct seen {
	uint64_t nrows;
	uint64_t sum;
	int end; /* 0, or -1 for an error */
};

static void add(struct seen *seen, uint64_t epoch, uint32_t vcpu, uint64_t gfn, uint64_t accesses)
{
	seen->nrows++;
	seen->sum += (epoch * 31 + vcpu) * 31 + gfn * 7 + accesses;
}

static struct seen read_rows(struct sim_pagewr *trace, const struct sim_pagewr_limits *limits)
{
	struct sim_error err = { "" };
	struct sim_pagewr_row row;
	struct seen seen = { 0 };
	uint64_t epoch = 0;

	while ((seen.end = sim_pagewr_next(trace, &row, &err)) > 0) {
		require(row.epoch >= epoch);
		require(row.gfn <= SIM_PAGEWR_GFN_MAX);
		require(!limits || row.vcpu < limits->nvcpus);
		require(!limits || row.gfn - limits->base_gfn < limits->npages);
		epoch = row.epoch;
		add(&seen, row.epoch, row.vcpu, row.gfn, row.writes + row.reads);
	}
	require((seen.end < 0) == (strncmp(err.text, "f.", 2) == 0));
	return seen;
}

static struct seen read_epochs(struct sim_pagewr *trace)
{
	struct sim_pagewr_rows rows = { 0 };
	struct sim_error err = { "" };
	struct seen seen = { 0 };

	while ((seen.end = sim_pagewr_next_epoch(trace, &rows, &err)) > 0) {
		size_t next = 0;

		for (size_t i = 0; i < rows.ngroups; i++) {
			const struct sim_pagewr_group *group = &rows.groups[i];

			require(group->count && group->first == next);
			require(!i || group->vcpu > group[-1].vcpu);
			next += group->count;
			for (size_t j = group->first; j < next; j++)
				add(&seen, group->epoch, group->vcpu, rows.accesses[j].gfn,
				    rows.accesses[j].writes + rows.accesses[j].reads);
		}
		require(next == rows.naccesses);
	}
	sim_pagewr_rows_free(&rows);
	return seen;
}

static void read_both_ways(const char *name, const uint8_t *bytes, size_t len,
			   const struct sim_pagewr_limits *limits)
{
	struct sim_error err = { "" };
	struct sim_pagewr *trace = sim_pagewr_open_memory(name, bytes, len, limits, &err);
	struct seen by_row, by_epoch;

	if (!trace) {
		require(strncmp(err.text, name, strlen(name)) == 0);
		return;
	}
	by_row = read_rows(trace, limits);
	require(sim_pagewr_rewind(trace, &err) == (by_row.end == 0));
	sim_pagewr_close(trace);
	trace = sim_pagewr_open_memory(name, bytes, len, limits, &err);
	require(trace != NULL);
	by_epoch = read_epochs(trace);
	require(by_epoch.end == by_row.end);
	/* Before an error, the epoch that it cut is not handed out. */
	require(by_epoch.nrows <= by_row.nrows);
	require(by_row.end || memcmp(&by_row, &by_epoch, sizeof(by_row)) == 0);
	sim_pagewr_close(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const struct sim_pagewr_limits limits = { 2, 0x40000, 131072 };

	read_both_ways("f.csv", bytes, len, NULL);
	read_both_ways("f.csv", bytes, len, &limits);
	read_both_ways("f.csv.zst", bytes, len, NULL);
	return 0;
}
