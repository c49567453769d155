/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guest/guest.h - vCPUs that store to memory on a steady clock, and lose time when they are
 * stopped.
 *
 * The replay rule. Each vCPU has a steady clock, which stands still while the vCPU is stopped.
 * Epoch e spans epoch_ns of it, from e * epoch_ns on. The i-th of its n rows there starts at i/n of
 * the epoch: store k of the row's w is due floor(k * L / w) after the start, with L from the start
 * to the epoch's end. Stores of one vCPU that are due at one instant are done in the order of rows;
 * those of one row that are due at one instant are done together.
 *
 * What is simulated. A store is translated (ops->store) when it is the first of its row, or the
 * first after the row's translation was forgotten (sim_guest_invalidated()). The stores between are
 * known to hit the TLB: they change nothing but the page's content, and are only counted, when
 * somebody asks (sim_guest_settle()) or the epoch ends. The result is that of translating each
 * store.
 *
 * Invariants:
 *   G1  At any instant, steady clock + sum over causes of what was lost = simulated time, for each
 *       vCPU, to the nanosecond.
 *   G2  All stores of all vCPUs that are due at a time come before any other event of that time:
 *       they run at priorities 0 to nvcpus - 1, every other event at SIM_GUEST_PRIO_OTHERS. So a
 *       store that was not simulated is done exactly when its time is not after now.
 *   G3  A store that faulted is not done, nor is any later one of its vCPU, until it was retried.
 *   G4  A row whose translation was forgotten is in the vCPU's retranslation heap, at the time of
 *       its next store.
 *   G5  One engine event is pending a vCPU that runs; none a vCPU that is stopped.
 *
 * Stops have causes and may overlap: a vCPU runs when none holds it, and the time goes to the first
 * in the order of enum sim_cause. Short delays (a TLB refill) are not events: they move the steady
 * clock against the simulated time.
 *
 * Concurrency: none; called from events of one queue. Cost: a row is one engine step, one call of
 * ops->store and one of ops->wrote; an invalidation looks at each row of the current epochs, or at
 * each frame of a short range.
 */
#ifndef SIM_GUEST_GUEST_H
#define SIM_GUEST_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/engine/queue.h"
#include "sim/guest/workload.h"

/* Priority of every event that is not a vCPU's. */
#define SIM_GUEST_PRIO_OTHERS	0x8000u

/** Why a vCPU loses time. Where several hold it, the first of them is charged. */
enum sim_cause {
	SIM_CAUSE_FAULT = 0,	/* exit, handler, entry */
	SIM_CAUSE_LOCK,		/* waiting for the lock of the tables */
	SIM_CAUSE_SPLIT,	/* splitting a block, its broadcast invalidation included */
	SIM_CAUSE_SCAN,		/* invalidations by others, TLB refills, hardware dirty updates */
	SIM_CAUSE_THROTTLE,	/* slowed down so that the migration converges */
	SIM_CAUSE_BLACKOUT,	/* stopped for the switchover */
	SIM_NCAUSES
};

/** The causes' names: "fault", "lock" ... */
extern const char *const sim_cause_names[SIM_NCAUSES];

/**
 * struct sim_guest_ops - the machine under the guest
 *
 * Called from vCPU events. They may post events of SIM_GUEST_PRIO_OTHERS and must not call back
 * into the guest.
 */
struct sim_guest_ops {
	/**
	 * @store: translate a store
	 * @writes: stores of the row
	 * @again: not the row's first: its translation was forgotten, or it faulted
	 * @delay_ns: what it took beyond a TLB hit; lost to SIM_CAUSE_SCAN
	 *
	 * Return: true when it is done. false: it faulted; the vCPU is held by SIM_CAUSE_FAULT from
	 * now on, until sim_guest_release(), and then tries again.
	 */
	bool (*store)(void *ctx, unsigned int vcpu, uint64_t gfn, uint64_t writes, bool again,
		      uint64_t now_ns, uint64_t *delay_ns);
	/** @wrote: n stores to a frame were done since the last call */
	void (*wrote)(void *ctx, unsigned int vcpu, uint64_t gfn, uint64_t n);
	/** @cached: can this vCPU store to the frame without a walk? */
	bool (*cached)(void *ctx, unsigned int vcpu, uint64_t gfn);
	/** @lost: n ns were lost to a cause between two times; for pictures. May be NULL */
	void (*lost)(void *ctx, unsigned int vcpu, enum sim_cause cause, uint64_t t0_ns,
		     uint64_t t1_ns);
};

struct sim_guest;

/** sim_guest_create() - vCPUs at the beginning of a workload; nothing is posted yet */
struct sim_guest *sim_guest_create(struct sim_queue *queue, const struct sim_workload *workload,
				   uint32_t nvcpus, const struct sim_guest_ops *ops, void *ctx);
void sim_guest_destroy(struct sim_guest *g);

/** sim_guest_start() - let the vCPUs run from now on; call once, at time 0 */
void sim_guest_start(struct sim_guest *g);

/** sim_guest_hold() - stop a vCPU for a cause; holding twice is the same as once */
void sim_guest_hold(struct sim_guest *g, unsigned int vcpu, enum sim_cause cause);

/** sim_guest_release() - the cause is over; the vCPU runs on if there is no other */
void sim_guest_release(struct sim_guest *g, unsigned int vcpu, enum sim_cause cause);

/** sim_guest_held() - the causes that hold a vCPU, as a mask of 1 << cause */
uint32_t sim_guest_held(const struct sim_guest *g, unsigned int vcpu);

/** sim_guest_delay() - a vCPU, if it runs, loses some time from now on */
void sim_guest_delay(struct sim_guest *g, unsigned int vcpu, enum sim_cause cause, uint64_t ns);

/** sim_guest_delays_end() - when the last delay of any vCPU is over; now, or later */
uint64_t sim_guest_delays_end(const struct sim_guest *g);

/** sim_guest_invalidated() - cached translations of first..last (inclusive) may be gone */
void sim_guest_invalidated(struct sim_guest *g, uint64_t first_gfn, uint64_t last_gfn);

/** sim_guest_settle() - report, through ops->wrote, all stores to these frames done by now */
void sim_guest_settle(struct sim_guest *g, uint64_t first_gfn, uint64_t npages);

/** sim_guest_charge() - report, through ops->lost, what stopped vCPUs lost until now */
void sim_guest_charge(struct sim_guest *g);

/** sim_guest_progress() - a vCPU's steady clock; sim_guest_lost_ns() - what a cause took from it */
uint64_t sim_guest_progress(const struct sim_guest *g, unsigned int vcpu);
uint64_t sim_guest_lost_ns(const struct sim_guest *g, unsigned int vcpu, enum sim_cause cause);

/** struct sim_guest_stats - counters over all vCPUs */
struct sim_guest_stats {
	uint64_t rows;		/* rows begun */
	uint64_t epochs;	/* epochs finished, a vCPU each */
	uint64_t stores;	/* stores reported through ops->wrote */
	uint64_t translated;	/* calls of ops->store */
	uint64_t again;		/* of them, not the first of a row */
};

void sim_guest_stats(const struct sim_guest *g, struct sim_guest_stats *out);

#endif
