/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/report/series.h - what a run looked like over time: the figures behind the report's pictures.
 *
 * One `struct sim_series` belongs to one policy of one run. The scenario pushes facts as they
 * happen and need not know how long the run will take: time is kept in SIM_SERIES_BINS bins, and
 * when an instant falls behind the last one, neighbours are added up and a bin spans twice the
 * time. All that is kept is additive, so nothing is lost but resolution, and the cost is constant
 * memory and O(1) amortised a push.
 *
 * S1  The sum over the bins of a cause equals the sum of what was pushed for it, to the nanosecond.
 * S2  Integers only; the same pushes give the same bytes.
 *
 * Throughput is derived: in a bin, vcpus x (its span) minus what all causes lost in it. So the area
 * above the curve *is* the lost compute of the comparison table.
 *
 * Concurrency: none.
 */
#ifndef SIM_REPORT_SERIES_H
#define SIM_REPORT_SERIES_H

#include <stddef.h>
#include <stdint.h>

#define SIM_SERIES_BINS		512u	/* columns of time */
#define SIM_SERIES_ROWS		96u	/* rows of addresses in the heat map, at most */
#define SIM_SERIES_CAUSES	8u	/* causes of lost compute, at most */

struct sim_series;

/* What a span of the run is, for its colour in the report. */
enum sim_phase_kind {
	SIM_PHASE_ROUND = 0,		/* a pre-copy round */
	SIM_PHASE_FREEZE,
	SIM_PHASE_BLACKOUT,
	SIM_PHASE_OTHER
};

/**
 * struct sim_phase - a span of the run
 * @kind: what it is
 * @name: short, for the picture: "round 3", "freeze", "blackout"; copied
 * @t0_ns: its begin
 * @t1_ns: its end, exclusive
 * @pages_sent: pages sent in it
 * @bytes_sent: bytes sent in it
 * @faults: write faults in it
 */
struct sim_phase {
	enum sim_phase_kind kind;
	const char *name;
	uint64_t t0_ns, t1_ns;
	uint64_t pages_sent, bytes_sent, faults;
};

/**
 * sim_series_lost() - guest progress was lost
 * @s: the series
 * @cause: index in the causes the policy was opened with
 * @t0_ns: begin of the span in which it was lost
 * @t1_ns: its end; t1 == t0 counts at that instant
 * @lost_vcpu_ns: how much, summed over the vCPUs concerned; spread evenly over the span
 */
void sim_series_lost(struct sim_series *s, unsigned int cause, uint64_t t0_ns, uint64_t t1_ns,
		     uint64_t lost_vcpu_ns);

/**
 * sim_series_dirty() - pages became dirty, or interrupts were taken (the heat map)
 * @s: the series
 * @time_ns: when
 * @gfn: first page, inside the range the policy was opened with
 * @npages: how many pages, from @gfn on
 */
void sim_series_dirty(struct sim_series *s, uint64_t time_ns, uint64_t gfn, uint64_t npages);

/** sim_series_phase() - a span of the run is over; phases may overlap, and keep the given order */
void sim_series_phase(struct sim_series *s, const struct sim_phase *phase);

/** sim_series_end() - the run ended; the pictures reach to this time */
void sim_series_end(struct sim_series *s, uint64_t end_ns);

#endif
