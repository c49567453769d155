/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guest/workload.h - what the vCPUs of a guest write: a recorded trace, or a synthetic writer.
 *
 * Either is a sequence of *epochs* for each vCPU: an epoch has a number and rows, a row names a
 * frame and how many stores go to it. When those stores happen is guest/guest.h's business. A trace
 * starts over at its end; a synthetic writer goes on for ever.
 *
 * Patterns, over a working set of W pages that all vCPUs share:
 *   uniform     each page as likely as any other
 *   zipf        page ranks drawn with exponent theta, ranks strewn over the working set
 *   sequential  one page after another; vCPU i of n starts at i/n of the working set
 *   stride      every N-th page, then the same one page further on; vCPU i starts with lane i
 *   phase       uniform; each phase the working set is the next W pages of the guest, as far apart
 *   hot         a share of the stores goes to a hot set, which drifts by one page now and then
 *
 * A workload is read-only once it is open and serves any number of runs; what moves is in cursors,
 * one a vCPU of a run. Draws come from streams named "guest.vcpuN": they depend on seed, run and
 * vCPU alone, so that every policy of a comparison sees the same writes.
 *
 * Cost: a trace is in memory, 24 bytes a row; synthetic rows are made an epoch at a time.
 */
#ifndef SIM_GUEST_WORKLOAD_H
#define SIM_GUEST_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/engine/error.h"
#include "sim/engine/param.h"
#include "sim/engine/rng.h"
#include "sim/trace/pagewr.h"

enum sim_workload_kind {
	SIM_WORKLOAD_TRACE = 0,
	SIM_WORKLOAD_UNIFORM,
	SIM_WORKLOAD_ZIPF,
	SIM_WORKLOAD_SEQUENTIAL,
	SIM_WORKLOAD_STRIDE,
	SIM_WORKLOAD_PHASE,
	SIM_WORKLOAD_HOT
};

/** The parameters workload.*. */
#define SIM_WORKLOAD_NPARAMS	14u
extern const struct sim_param sim_workload_params[SIM_WORKLOAD_NPARAMS];

/**
 * struct sim_workload_config - what is written, and by whom
 * @kind: an enum sim_workload_kind
 * @trace: for TRACE, the file
 * @nvcpus: vCPUs of the guest
 * @base_gfn: first frame of the guest
 * @npages: its frames
 * @epoch_ns: span of an epoch of a vCPU's steady clock, 1 to 10^9
 * @rate_stores_per_s: stores a second of each vCPU, 1 to 10^10
 * @burst_stores: stores of one visit to a page, at least 1
 * @set_pages: W, 1 to npages
 * @set_first_page: where the working set begins, counted from base_gfn
 * @set_spread_pages: its pages lie this far apart, 1: side by side; the last is below npages
 * @zipf_theta_milli: exponent in thousandths
 * @stride_pages: N
 * @phase_ns: length of a phase of a vCPU's steady clock
 * @hot_pages_percent: size of the hot set in percent of W
 * @hot_stores_percent: share of the visits that go to it
 * @hot_drift_ns: the hot set moves by one page in this time; 0: it stays
 * @seed: of the run
 * @run: number of the run
 */
struct sim_workload_config {
	enum sim_workload_kind kind;
	const char *trace;
	uint32_t nvcpus;
	uint64_t base_gfn;
	uint64_t npages;
	uint64_t epoch_ns;
	uint64_t rate_stores_per_s;
	uint64_t burst_stores;
	uint64_t set_pages;
	uint64_t set_first_page;
	uint64_t set_spread_pages;
	uint32_t zipf_theta_milli;
	uint64_t stride_pages;
	uint64_t phase_ns;
	uint32_t hot_pages_percent;
	uint32_t hot_stores_percent;
	uint64_t hot_drift_ns;
	uint64_t seed;
	uint64_t run;
};

/**
 * sim_workload_config_read() - from parameters
 * @cfg: nvcpus, base_gfn, npages, seed and run are the caller's to set before
 * @err: set when the parameters do not fit together
 *
 * Return: false with @err set.
 */
bool sim_workload_config_read(struct sim_workload_config *cfg, const struct sim_params *params,
			      struct sim_error *err);

struct sim_workload;

/** sim_workload_open() - load the trace, or prepare the writer; NULL with @err set */
struct sim_workload *sim_workload_open(const struct sim_workload_config *cfg,
				       struct sim_error *err);

/** sim_workload_open_rows() - replay rows that are in memory; taken over, and freed with it */
struct sim_workload *sim_workload_open_rows(const struct sim_workload_config *cfg,
					    struct sim_pagewr_rows *rows, struct sim_error *err);

void sim_workload_close(struct sim_workload *w);

/** sim_workload_rows_max() - the most rows an epoch of one vCPU can have */
size_t sim_workload_rows_max(const struct sim_workload *w);

/** sim_workload_epoch_ns() - the span of an epoch */
uint64_t sim_workload_epoch_ns(const struct sim_workload *w);

/** One vCPU's place in a workload. */
struct sim_cursor {
	const struct sim_workload *workload;
	uint32_t vcpu;
	uint64_t lap;			/* TRACE: times it started over */
	size_t next;			/* TRACE: the vCPU's next group */
	uint64_t epoch;			/* synthetic: the next epoch */
	uint64_t credit;		/* synthetic: stores owed, in units of 1e-9 stores */
	uint64_t place;			/* SEQUENTIAL, STRIDE: the next page */
	uint64_t lane;			/* STRIDE */
	struct sim_rng rng;
	struct sim_pagewr_access *rows;	/* synthetic: the epoch's rows */
};

/** sim_cursor_init() - at the beginning; sim_cursor_fini() it */
void sim_cursor_init(struct sim_cursor *cursor, const struct sim_workload *w, uint32_t vcpu);
void sim_cursor_fini(struct sim_cursor *cursor);

/** An epoch of one vCPU that has rows; the rows are valid until the cursor's next call. */
struct sim_epoch {
	uint64_t number;	/* laps included: it spans number * epoch_ns and epoch_ns on */
	const struct sim_pagewr_access *rows;
	size_t nrows;
};

/** sim_cursor_next() - the next epoch with rows; false if this vCPU never has any (again) */
bool sim_cursor_next(struct sim_cursor *cursor, struct sim_epoch *epoch);

#endif
