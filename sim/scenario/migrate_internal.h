/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * migrate_internal.h - one policy's migration: the machine, the guest, the log and the copier.
 *
 *   migrate_machine.c  builds all of it and takes it down
 *   migrate_fault.c    what is under the guest: stores, write faults, the lock of the tables
 *   migrate_copy.c     rounds: CLEAR, send, GET, and when to stop
 *   migrate_assume.c   pages dirty in every round are left for the pause
 *   migrate_switch.c   freeze, pause, the last GET, the rest, resume
 *   migrate_link.c     pages onto the link: settle, check, copy, count
 *   migrate_cost.c     what the library's calls cost
 *   migrate_log.c      rings and the hardware's logs: filled, full, gathered
 *   migrate_auto.c     measuring before, and the library's choice
 *   migrate_throttle.c auto-converge
 *   migrate_pace.c     dirty-limit and quota: throttles by each vCPU's dirty rate
 *   migrate_postcopy.c the guest runs on at the destination, and the rest is fetched
 *   migrate_watch.c    the history of a few frames, for the report of a lost page
 *   migrate_result.c   the figures of the table, counters
 *   migrate_policy.c   runs one policy to its end
 *
 * M1  The copier is one thread: at any time one event of it is pending, or it waits for vCPUs to
 *     leave their fault handlers.
 * M2  A call of the library takes effect at one instant, at which the copier starts to pay for it:
 *     the next step comes when it is paid.
 */
#ifndef SIM_SCENARIO_MIGRATE_INTERNAL_H
#define SIM_SCENARIO_MIGRATE_INTERNAL_H

#include "weir/dirty.h"
#include "sim/check/check.h"
#include "sim/engine/history.h"
#include "sim/engine/queue.h"
#include "sim/guest/guest.h"
#include "sim/machine/content.h"
#include "sim/machine/dirty_glue.h"
#include "sim/machine/mmu.h"
#include "sim/machine/stage2.h"
#include "sim/report/series.h"
#include "sim/scenario/migrate_param.h"

struct sim_run;

/* Kinds of the event history. Stable once published. */
enum migrate_event {
	MIGRATE_EV_STORE = 1,		/* vcpu, gfn, stores of the row */
	MIGRATE_EV_AGAIN,		/* vcpu, gfn: a row's store was translated again */
	MIGRATE_EV_HW_DIRTY,		/* vcpu, gfn */
	MIGRATE_EV_FAULT,		/* vcpu, gfn */
	MIGRATE_EV_FAULT_DONE,		/* vcpu, gfn, outcome | leaves << 8 | split << 32 */
	MIGRATE_EV_SPLIT,		/* gfn */
	MIGRATE_EV_TLBI,		/* first gfn, last gfn */
	MIGRATE_EV_LOG_START,
	MIGRATE_EV_ROUND,		/* number, pages */
	MIGRATE_EV_CLEAR,		/* first gfn, pages */
	MIGRATE_EV_SEND,		/* first gfn, pages */
	MIGRATE_EV_GET,			/* first gfn, dirty pages */
	MIGRATE_EV_THROTTLE,		/* percent */
	MIGRATE_EV_SLEEP,		/* vcpu, ns */
	MIGRATE_EV_FREEZE,		/* next gfn */
	MIGRATE_EV_PAUSE,
	MIGRATE_EV_FINAL,
	MIGRATE_EV_RESUME,		/* pages lost */
	MIGRATE_EV_CANCEL,
	MIGRATE_EV_LOG_FULL,		/* vcpu, gfn */
	MIGRATE_EV_LOG_DRAIN,		/* vcpu, entries */
	MIGRATE_EV_FETCH,		/* vcpu, gfn */
	MIGRATE_EV_ARRIVED,		/* pages that came after the resume */
	MIGRATE_EV_CHOICE,		/* enum weir_dirty_policy, pages written in the sample */
	MIGRATE_EV_END
};

#define MIGRATE_NKINDS	(MIGRATE_EV_END - 1)
extern const struct sim_history_kind migrate_kinds[MIGRATE_NKINDS];

/* Who acts in the history, beside vCPUs. */
#define ACTOR_COPIER	0xffffu

/* vCPUs that want the lock of the tables, in order of arrival. */
struct migrate_lock {
	bool taken;
	unsigned int *queue;	/* ring of nvcpus */
	unsigned int first;
	unsigned int n;
};

struct migrate_vcpu {
	uint64_t fault_gfn;
	bool throttled;		/* its throttle timer runs */
	bool log_full;		/* its ring is: it leaves the guest when its fault is served */
	bool fetching;		/* post-copy: it waits for fault_gfn */
	uint64_t dirtied;	/* pages it made dirty, by faults and in hardware */
	uint64_t start_ns;	/* its progress when logging began */

	/* dirty-limit and quota: of this period */
	uint64_t seen;		/* faults that made a page dirty */
	uint64_t slept_ns;
	uint64_t penalty_ns;	/* dirty-limit: for each page that is seen */
	uint64_t debt_ns;	/* to be slept when its fault is served */
};

/* Rings or hardware logs. Frames are numbered from base_gfn in both bitmaps. */
struct migrate_log {
	struct weir_dirty_ring *rings;	/* one a vCPU */
	uint64_t *entries;		/* nvcpus * log_entries: of the rings, or the buffers */
	uint64_t *frames;		/* rings: collected, for the next round */
	uint64_t *held;			/* hardware: in a log that was not drained */
	uint64_t nentries;		/* taken out of them */
	uint64_t nfull;			/* exits because one was full */
	uint64_t ngathers;
};

/* The library's counters and the glue's, before a call. */
struct migrate_bill {
	struct weir_dirty_stats stats;
	uint64_t leaves;
	uint64_t splits;
};

/* A frame whose history is wanted. */
#define WATCHES_MAX		3u
#define WATCH_EVENTS		8u
#define WATCH_EVENT_BYTES	56u
struct migrate_watch {
	uint64_t gfn;
	uint64_t n;
	char events[WATCH_EVENTS][WATCH_EVENT_BYTES];
};

enum migrate_outcome {
	MIGRATE_COMPLETED = 0,	/* what was left fit into the downtime limit */
	MIGRATE_FORCED,		/* the rounds were used up: switched over all the same */
	MIGRATE_CANCELLED,	/* the rounds were used up: given up */
	MIGRATE_POSTCOPY,	/* switched over with pages still to come */
	MIGRATE_UNFINISHED	/* migrate.limit_ns came first */
};

/* Figures of the copier. */
struct migrate_figures {
	enum migrate_outcome outcome;
	uint64_t rounds;
	uint64_t pages_sent;
	uint64_t bytes_sent;
	uint64_t false_positives;
	uint64_t lost_pages;
	uint64_t faults;
	uint64_t hw_dirty;
	uint64_t splits_eager;
	uint64_t start_ns;	/* of the migration */
	uint64_t end_ns;
	uint64_t pause_ns;	/* when the pause began */
	uint64_t blackout_ns;
	uint64_t get_ns;	/* in blackout */
	uint64_t gets_ns;	/* before */
	uint64_t clear_ns;
	uint64_t freeze_ns;
	uint64_t pages_skipped;	/* assumed dirty, and not sent in a round */
	uint64_t estimate_ns;	/* of the blackout, when it was decided upon */
	uint64_t last_pages;	/* sent in blackout */
	uint64_t late_pages;	/* post-copy: arrived after the resume */
	uint64_t fetches;	/* post-copy: stores that waited for a page */
	uint64_t postcopy_ns;	/* from the resume until all had arrived */
	bool equal;
};

/* What a policy came to: all that is left when its machine is taken down. */
struct migrate_result {
	const struct migrate_policy *policy;
	struct migrate_figures figures;
	struct weir_dirty_stats log;
	const char *why;		/* auto: the library's reason */
	uint64_t sample_pages;		/* and what it was told */
	uint32_t chosen;
	uint64_t tlbis;
	uint64_t lost_ns[SIM_NCAUSES];
	uint64_t lost_total_ns;
};

struct migrate {
	const struct migrate_config *cfg;
	const struct migrate_policy *policy;	/* what is done */
	const struct migrate_policy *named;	/* what was asked for */

	/* outputs; series may be NULL */
	struct sim_history *history;
	struct sim_series *series;
	void (*on_violation)(void *ctx, enum sim_checker checker, uint64_t gfn, const char *what);
	void *on_violation_ctx;
	struct migrate_watch *watches;
	unsigned int nwatches;
	struct sim_error error;		/* the simulation itself broke down */

	/* the machine and the guest */
	struct sim_queue *queue;
	struct sim_content *content;
	struct sim_s2 *s2;
	struct sim_mmu *mmu;
	struct sim_dirty_glue glue;
	void *memory;			/* of the log */
	struct weir_dirty *d;
	struct sim_guest *guest;
	struct sim_check check;
	struct migrate_lock lock;
	uint64_t splits_free_ns;	/* the broadcasts of faults' splits are through */
	struct migrate_vcpu *vcpus;
	struct migrate_log log;
	struct migrate_policy chosen;		/* auto: by the library */
	struct weir_dirty_stats stats_before;	/* of the log that measured */
	const char *why;
	uint64_t sample_pages;
	uint64_t *late;			/* planted mistake: frames the log is not told of in time */
	size_t nlate;
	size_t late_room;

	/* the copier */
	uint64_t round;
	uint64_t *pending;		/* bitmap: to be sent in this round */
	uint64_t npending;
	uint64_t next_page;		/* where the round, or a walk over the region, goes on */
	uint64_t chunk_end;		/* pages below this one are cleared already */
	uint64_t link_rest;		/* bytes on the link, the part of a ns that is left over */
	uint64_t found;			/* dirty pages that the GET at work has seen */
	uint64_t last_get_ns;		/* what the last GET over the region took */
	uint64_t round_start_ns;
	uint64_t round_pages;
	uint64_t round_bytes;
	uint64_t round_faults;
	uint64_t throttle_percent;
	unsigned int throttle_votes;
	struct weir_dirty_cursor cursor;
	bool pacing;			/* dirty-limit or quota is at work */
	uint64_t period_start_ns;
	uint64_t exitless_pages;	/* found by the last GET, of writes that fault nowhere, */
	uint64_t exitless_run_ns;	/* in so much progress of all vCPUs */
	uint64_t progress_ns;		/* of all vCPUs, at that GET */
	uint64_t *missing;		/* post-copy: bitmap of what has not arrived; else NULL */
	uint64_t flight_end;		/* post-copy: what is on the link lies below this page */
	unsigned int *wanted;	/* post-copy: vCPUs that asked, in order; a ring of nvcpus */
	unsigned int first_wanted;
	unsigned int nwanted;
	bool pausing;
	bool paused;
	bool done;
	struct migrate_figures figures;
	struct sim_content_bad bad[WATCHES_MAX];	/* some of the lost pages */
};

/* migrate_machine.c */
bool migrate_build(struct migrate *m, const struct sim_workload *workload);
void migrate_take_down(struct migrate *m);
enum weir_status migrate_build_log(struct migrate *m);
void migrate_broken(struct migrate *m, const char *what, enum weir_status status);

/* migrate_log.c */
void migrate_log_build(struct migrate *m);
void migrate_log_take_down(struct migrate *m);
bool migrate_log_arm(struct migrate *m);
void migrate_log_disarm(struct migrate *m);
uint64_t *migrate_log_memory(void *ctx, uint64_t pa);
void migrate_log_dirtied(struct migrate *m, uint64_t gfn);
void migrate_log_push(struct migrate *m, unsigned int vcpu, uint64_t gfn);
void migrate_log_leave(struct migrate *m, unsigned int vcpu);
void migrate_log_full(void *ctx, uint64_t vcpu);
uint64_t migrate_log_gather(struct migrate *m);
void migrate_log_merge(struct migrate *m, uint64_t first_word, uint64_t words);

/* migrate_auto.c */
void migrate_auto_begin(struct migrate *m);
void migrate_auto_note(struct sim_run *run, const struct migrate_result *result);

/* migrate_fault.c */
extern const struct sim_guest_ops migrate_guest_ops;
void migrate_tell_late(struct migrate *m);

/* migrate_cost.c */
void migrate_bill_open(struct migrate *m, struct migrate_bill *bill);
uint64_t migrate_bill_ns(struct migrate *m, const struct migrate_bill *bill, uint64_t words);
uint64_t migrate_split_end(const struct migrate_cost *cost, uint64_t start_ns, uint64_t *free_ns);

/* migrate_copy.c */
void migrate_begin(void *ctx, uint64_t arg);
void migrate_log_on(void *ctx, uint64_t arg);
uint64_t migrate_get_chunk(struct migrate *m, uint64_t *npages);
void migrate_copier_post(struct migrate *m, uint64_t delay_ns, sim_event_fn *fn);
void migrate_phase(struct migrate *m, enum sim_phase_kind kind, const char *name);
bool migrate_next_pending(struct migrate *m, uint64_t *page);

/* migrate_assume.c */
bool migrate_assumes(const struct migrate *m);
void migrate_assume_round(struct migrate *m);
void migrate_assume_skip(struct migrate *m, uint64_t first_page, uint64_t npages);

/* migrate_link.c */
uint64_t migrate_send_batch(struct migrate *m, uint64_t end_page);
uint64_t migrate_link_ns(const struct migrate *m, uint64_t npages);
uint64_t migrate_link_bytes_ns(const struct migrate *m, uint64_t nbytes);

/* migrate_switch.c */
void migrate_switch_over(struct migrate *m);
void migrate_cancel(struct migrate *m);
void migrate_limit(void *ctx, uint64_t arg);
void migrate_over(struct migrate *m);
void migrate_pause_check(struct migrate *m);

/* migrate_throttle.c */
void migrate_throttle_round(struct migrate *m, uint64_t dirtied_pages);
void migrate_throttle_stop(struct migrate *m);

/* migrate_pace.c */
void migrate_pace_start(struct migrate *m);
void migrate_pace_dirtied(struct migrate *m, unsigned int vcpu, bool fault);
void migrate_pace_rest(struct migrate *m, unsigned int vcpu);
void migrate_pace_found(struct migrate *m, uint64_t npages);

/* migrate_postcopy.c */
void migrate_postcopy_resume(void *ctx, uint64_t arg);
bool migrate_postcopy_store(struct migrate *m, unsigned int vcpu, uint64_t gfn, uint64_t now_ns);
bool migrate_postcopy_missing(const struct migrate *m, uint64_t gfn);

/* migrate_watch.c: note an event on frames first..last; cheap when nothing is watched */
void migrate_watch_note(struct migrate *m, uint64_t first_gfn, uint64_t last_gfn, uint64_t now_ns,
			const char *what, unsigned int number);
void migrate_watch_text(const struct migrate_watch *watch, char *buf, size_t size);

#define migrate_note(m, first, last, now, what, number)                                 \
	do {                                                                            \
		if ((m)->nwatches)                                                      \
			migrate_watch_note((m), (first), (last), (now), (what), (number)); \
	} while (0)

/* migrate_policy.c */
bool migrate_run_policy(struct migrate *m, const struct sim_workload *workload,
			void (*progress)(void *ctx, uint64_t done, uint64_t total), void *ctx);

/* migrate_result.c */
struct sim_policy_out;
struct sim_run;
#define MIGRATE_NMETRICS	20u
extern const struct sim_metric migrate_metrics[MIGRATE_NMETRICS];
void migrate_count_false(struct migrate *m);
void migrate_find_lost(struct migrate *m);
void migrate_sum_up(const struct migrate *m, struct migrate_result *result);
void migrate_hand_over(const struct migrate_result *result, struct sim_policy_out *out);
struct sim_stats *migrate_stats(const struct migrate *m, const struct migrate_result *result);

/* migrate_note.c */
void migrate_write_notes(struct sim_run *run, const struct migrate_result *results,
			 unsigned int n);

#endif
