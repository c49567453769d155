/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/trace/pagewr_internal.h - what pagewr.c (rows) and pagewr_rows.c (epochs, files) share.
 */
#ifndef SIM_TRACE_PAGEWR_INTERNAL_H
#define SIM_TRACE_PAGEWR_INTERNAL_H

#include "sim/trace/pagewr.h"
#include "sim/trace/text.h"

/* A row's vCPU and its place among its epoch's rows, to sort by. */
struct sim_pagewr_order {
	uint32_t vcpu;
	size_t place;
};

struct sim_pagewr {
	struct sim_text *text;
	unsigned int ncolumns;
	uint32_t vcpu_last;
	uint64_t gfn_first;
	uint64_t gfn_span;   /* last - first */
	uint64_t epoch;	     /* of the last row: the next one's is not below it */
	struct sim_error err; /* about a row; the text reader keeps its own */

	/* Reading by epochs: the row that showed that the epoch before it is complete. */
	bool has_ahead;
	struct sim_pagewr_row ahead;
	struct sim_pagewr_order *order; /* one a row of the epoch being read */
	size_t order_room;
	struct sim_pagewr_access *scratch; /* room to reorder them */
	size_t scratch_room;
};

#endif
