/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine.h - the explorer's own state, shared by its files and by no program.
 *
 * One OS thread, one global `wx`. A run: reset, setup(), a fiber a thread, then steps. A step is
 * one operation of a thread, or one store leaving a store buffer. Before each operation the running
 * fiber asks the scheduler who is next (sched.c), performs any drains that were picked, and
 * switches directly to the next fiber if it is another.
 *
 * Every decision is an *action*, 16 bits; the sequence of actions is the schedule, and enough to
 * repeat the run.
 */
#ifndef WX_ENGINE_H
#define WX_ENGINE_H

#include "wx.h"

#define WX_SB_MAX	16u	/* stores a thread holds back at most; one more drains the oldest */
#define WX_HIST		8u	/* values of a location that a load may still see */
#define WX_LOCS_MAX	16384u	/* locations a run may touch */
#define WX_TRACE_MAX	(1u << 17)
#define WX_MSG_MAX	512u
#define WX_STACK_BYTES	(128u << 10)

#define wx_likely(x)	__builtin_expect(!!(x), 1)
#define wx_unlikely(x)	__builtin_expect(!!(x), 0)

/* Actions: kind in bits 15..12, thread in 11..8, argument in 7..0. */
enum wx_kind { WX_A_RUN, WX_A_DRAIN, WX_A_READ, WX_A_CHOOSE, WX_A_FREEZE };
#define WX_ACTION(kind, tid, arg)	((uint16_t)(((kind) << 12) | ((tid) << 8) | (arg)))
#define WX_A_KIND(a)	((unsigned int)(a) >> 12)
#define WX_A_TID(a)	(((unsigned int)(a) >> 8) & 0xf)
#define WX_A_ARG(a)	((unsigned int)(a) & 0xff)

/* What happened before: one counter a thread. */
struct wx_clk {
	uint32_t v[WX_THREADS_MAX];
} __attribute__((aligned(32)));

static inline void wx_clk_join(struct wx_clk *to, const struct wx_clk *from)
{
	for (unsigned int i = 0; i < WX_THREADS_MAX; i++)
		to->v[i] = to->v[i] > from->v[i] ? to->v[i] : from->v[i];
}

/* One value that a location has had. */
struct wx_value {
	uint64_t v;
	uint32_t commit;	/* when it was performed: the count of stores performed */
	uint32_t pad;
	struct wx_clk rel;	/* what an acquire that reads it gets to know */
};

struct wx_loc {
	uintptr_t addr;
	uint8_t bytes;
	uint8_t head;		/* index of the newest value */
	uint8_t count;		/* values kept */
	uint8_t rmw;		/* thread + 1 whose read-modify-write waits; 0: none */
	uint8_t plain;		/* ever accessed plainly: check atomics for races too */
	uint32_t id;
	uint32_t seen[WX_THREADS_MAX];	/* no thread reads older than it has seen */
	struct wx_value hist[WX_HIST];
	/* The last accesses of each thread, by its own counter: plain, atomic, read, write. */
	uint32_t plain_rd[WX_THREADS_MAX], plain_wr[WX_THREADS_MAX];
	uint32_t atomic_rd[WX_THREADS_MAX], atomic_wr[WX_THREADS_MAX];
};

/* A store that its thread has issued and memory has not seen. */
struct wx_pending {
	struct wx_loc *loc;
	uint64_t v;
	struct wx_clk rel;
	uint32_t serial;	/* names it for sleep sets */
	bool release;		/* waits for all older ones */
	bool rmw;		/* the store half of a read-modify-write: owns its location */
};

enum wx_state { WX_RUNNABLE, WX_DONE, WX_FROZEN };

/* What a thread will do when it is next run: for sleep sets. */
struct wx_next {
	const volatile void *p;	/* NULL: touches no shared memory */
	bool write;
};

struct wx_thread {
	void *sp;
	unsigned int id;
	enum wx_state state;
	uint32_t ops;		/* operations begun */
	uint32_t floor;		/* loads from here on are satisfied no earlier than this commit */
	uint32_t serial;
	bool fresh;		/* has just paused: the next load sees the newest value */
	unsigned int nsb;
	struct wx_next next;
	struct wx_clk clk;
	struct wx_clk fence_rel;	/* clk at the last fence: what relaxed stores publish */
	struct wx_clk seen_rel;		/* what relaxed loads read: an acquire at the next fence */
	struct wx_pending sb[WX_SB_MAX];
};

enum wx_sched { WX_S_RANDOM, WX_S_PCT, WX_S_MIX, WX_S_DFS, WX_S_REPLAY };

/* What a campaign is asked to do. */
struct wx_options {
	enum wx_model model;
	enum wx_sched sched;
	unsigned int pct_d;
	uint64_t seed;
	bool freeze;		/* freeze one thread at a random operation */
	unsigned int steps_max;	/* 0: the program's */
	unsigned int preemptions_max;	/* exhaustive: bound; 0: none */
};

struct wx {
	const struct wx_program *prog;
	struct wx_options opt;
	struct wx_thread *cur;		/* NULL outside threads: memory is touched directly */
	unsigned int runnable;		/* masks of threads */
	unsigned int yielding;
	unsigned int pending;		/* threads with stores held back */
	unsigned int last;		/* the thread that ran last */
	uint32_t now;			/* stores performed */
	uint32_t steps;			/* of this run */
	uint32_t steps_max;
	uint32_t freeze_tid, freeze_at;
	enum wx_sched strategy;		/* of this run */
	bool printing;
	bool calibrating;		/* measuring how long a run is: nothing counts */
	bool failed;
	bool pruned;			/* sleep sets: this run repeats an earlier one */
	uint64_t rng;
	uint64_t digest;
	uint32_t ntrace;
	uint32_t ops_estimate;		/* operations of a typical run, for PCT and freezing */
	uint64_t total_steps;
	const char *fail_file;
	unsigned int fail_line;
	uint32_t fail_step;
	char fail_msg[WX_MSG_MAX];
	struct wx_thread thread[WX_THREADS_MAX];
	uint16_t trace[WX_TRACE_MAX];
};
extern struct wx wx;

/* fiber.c */
void wx_fiber_init(void);
void wx_fiber_start(struct wx_thread *t);
void wx_fiber_switch(struct wx_thread *from, struct wx_thread *to);
/* Runs fn on the checkers' fiber with no current thread; false if it failed. */
bool wx_fiber_call(void (*fn)(void));
/* The threads from `first` on until none is left; false if the run failed. */
bool wx_fiber_run(struct wx_thread *first);
void wx_fiber_leave(void) __attribute__((noreturn));

/* mem.c, loc.c */
void wx_loc_reset(void);
struct wx_loc *wx_loc_get(const volatile void *p, unsigned int bytes);
const char *wx_loc_name(uintptr_t addr);
/* The running thread writes first..first + bytes - 1 plainly, all at once: race check only. */
void wx_loc_free(uintptr_t first, size_t bytes);
void wx_mem_reset(void);
unsigned int wx_mem_eligible(const struct wx_thread *t, unsigned int *idx);
void wx_mem_drain(struct wx_thread *t, unsigned int idx);

/* arena.c */
extern unsigned char wx_arena[] __attribute__((aligned(64)));
void wx_arena_reset(void);
void wx_arena_touch(uintptr_t offset);
#define WX_ARENA_BYTES	((size_t)WX_ALLOC_MAX * 64)

/* lin.c */
void wx_lin_reset(void);
uint32_t wx_lin_events(void);		/* begins and ends so far */

/* sched.c */
void wx_sched_begin(uint64_t schedule);
void wx_step(struct wx_thread *t);		/* the scheduling point before an operation */
struct wx_thread *wx_pick(struct wx_thread *t);	/* who is next; NULL: the run is over */
unsigned int wx_pick_value(enum wx_kind kind, unsigned int tid, unsigned int n);
uint64_t wx_rand(void);

/* dfs.c */
void wx_dfs_reset(void);
void wx_dfs_begin(void);
bool wx_dfs_next(void);				/* false: everything has been explored */
unsigned int wx_dfs_pick(const uint16_t *acts, unsigned int n);
unsigned int wx_dfs_value(unsigned int n);
bool wx_dfs_truncated(void);

/* replay.c: actions to follow; what does not apply is skipped, after them the simplest is done */
struct wx_replay { const uint16_t *act; uint32_t n, pos; };
extern struct wx_replay wx_replay;
unsigned int wx_replay_pick(const uint16_t *acts, unsigned int n);
unsigned int wx_replay_value(enum wx_kind kind, unsigned int n);

/* run.c */
struct wx_result {
	uint64_t schedules;	/* run */
	uint64_t steps;
	uint64_t failures;
	uint64_t first_failure;	/* index of the schedule */
	uint64_t digest;
	bool complete;		/* the exhaustive search ended */
};
bool wx_run_one(uint64_t schedule);		/* false: it failed */
bool wx_run_replay(const uint16_t *act, uint32_t n, bool printing);
/* Runs schedules from..end-1, to the first failure unless keep_going. */
struct wx_result wx_campaign(const struct wx_program *p, const struct wx_options *opt,
			     uint64_t from, uint64_t end, bool keep_going);

/* minimise.c: wx.trace (a failure) is made simpler in place; returns runs spent */
uint32_t wx_minimise(void);

/* print.c */
enum wx_event { WX_E_OP, WX_E_DRAIN, WX_E_NOTE, WX_E_FREEZE };
void wx_print_reset(void);
void wx_print_event(enum wx_event e, unsigned int tid, const struct weir_explore_site *site,
		    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void wx_print_schedule(void *file);

/* sites.c */
struct wx_mutant { struct weir_explore_site *site; uint8_t order; };
unsigned int wx_sites_count(void);
struct weir_explore_site *wx_site(unsigned int i);
void wx_site_name(const struct weir_explore_site *s, char *buf, size_t n);
const char *wx_order_name(unsigned int order);
const char *wx_op_name(unsigned int op);
/* The weaker orders to try for a site, at most 2; how many. */
unsigned int wx_site_weaker(const struct weir_explore_site *s, uint8_t order[2]);
/* Gives every record of the same name as s (a header's, say) that order. */
void wx_site_weaken(const struct weir_explore_site *s, uint8_t order);
void wx_sites_restore(void);
bool wx_site_same(const struct weir_explore_site *a, const struct weir_explore_site *b);

/* programs */
unsigned int wx_program_count(void);
const struct wx_program *wx_program(unsigned int i);
extern const char *const wx_model_name[WX_MODELS];

#endif
