/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guest_internal.h - the layout of a vCPU, shared by guest.c (clock and stops) and replay.c (rows).
 *
 * Where a vCPU is. While it runs, its steady clock is base_steady + (now - base_now), or
 * base_steady while now is not after base_now (a delay). While it is held it is base_steady. All
 * stores due before base_steady are done; of those due at it, the ones of rows below pos.
 */
#ifndef SIM_GUEST_GUEST_INTERNAL_H
#define SIM_GUEST_GUEST_INTERNAL_H

#include "sim/guest/guest.h"

#define POS_ALL		SIZE_MAX
#define NO_STORE	UINT64_MAX	/* row_state.again: nothing to translate again */
#define NEVER		UINT64_MAX

#define FILTER_BITS	1024u		/* of the groups of 64 frames that active rows may be in */
#define GROUP_SHIFT	6u

/* A row of the current epoch, once it has begun. */
struct row_state {
	uint64_t settled;	/* stores reported through ops->wrote */
	uint64_t again;		/* the store that must be translated again, or NO_STORE */
};

/* A place in the retranslation heap: steady time, then row. */
struct again {
	uint64_t steady_ns;
	size_t row;
};

/* Rows with stores to come, by frame: open addressing, emptied by a new generation. */
struct active {
	uint64_t gfn;
	uint32_t row;
	uint32_t generation;
};

struct vcpu {
	struct sim_guest *guest;
	unsigned int number;

	uint64_t base_now_ns;
	uint64_t base_steady_ns;
	size_t pos;
	bool retry;		/* the store of row pos, at base_steady_ns, faulted */
	uint32_t holds;		/* 1 << cause */
	uint64_t since_ns;	/* held: begin of what is not charged yet */
	uint64_t lost_ns[SIM_NCAUSES];
	enum sim_cause delay_cause;	/* of the last delay, which lasts until base_now_ns */

	uint64_t event;		/* pending, or 0 */
	uint64_t event_ns;

	struct sim_cursor cursor;
	bool has_epoch;
	uint64_t epoch_steady_ns;
	const struct sim_pagewr_access *rows;
	size_t nrows;
	size_t next_row;
	uint64_t next_start_ns;	/* of next_row: next_row * epoch_ns / nrows */
	uint64_t start_step_ns;	/* epoch_ns / nrows, and its remainder, added up in start_part */
	uint64_t start_rest;
	uint64_t start_part;
	struct row_state *state;

	struct again *heap;
	size_t nheap;

	struct active *active;
	size_t active_mask;
	uint32_t generation;
	uint64_t filter[FILTER_BITS / 64];
};

struct sim_guest {
	struct sim_queue *queue;
	const struct sim_guest_ops *ops;
	void *ctx;
	uint64_t epoch_ns;
	uint32_t nvcpus;
	struct sim_guest_stats stats;
	struct vcpu *vcpus;
};

/* guest.c */
void sim_vcpu_delay(struct vcpu *v, enum sim_cause cause, uint64_t ns, uint64_t now_ns);
void sim_vcpu_hold(struct vcpu *v, enum sim_cause cause, uint64_t now_ns);
void sim_vcpu_arm(struct vcpu *v, uint64_t now_ns);

/* replay.c */
void sim_replay_init(struct vcpu *v, const struct sim_workload *workload);
void sim_replay_fini(struct vcpu *v);
void sim_replay_next_epoch(struct vcpu *v);
void sim_replay_event(void *ctx, uint64_t arg);
uint64_t sim_replay_due(const struct vcpu *v);
void sim_replay_invalidated(struct vcpu *v, uint64_t first_gfn, uint64_t last_gfn,
			    uint64_t now_ns);
void sim_replay_settle(struct vcpu *v, uint64_t first_gfn, uint64_t npages, uint64_t now_ns);

static inline uint64_t sim_vcpu_steady(const struct vcpu *v, uint64_t now_ns)
{
	if (v->holds || now_ns <= v->base_now_ns)
		return v->base_steady_ns;
	return v->base_steady_ns + (now_ns - v->base_now_ns);
}

#endif
