/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inject_internal.h - one design's run: machine, CPUs, vCPUs, devices.
 *
 *   inject_machine.c  memory, GIC, ITS, the design, checkers; the guest's driver of the ITS
 *   inject_cpu.c      what a CPU of the host does, by urgency
 *   inject_sched.c    threads that share a CPU, and which of them has it
 *   inject_irq.c      interrupt context: look-ups and injections
 *   inject_worker.c   what interrupt context leaves to a thread; the ITS's mutex
 *   inject_vcpu.c     vCPUs: taking LPIs, giving commands, WFI
 *   inject_cost.c     what a design's work takes
 *   inject_device.c   devices that answer requests, or interrupt at a rate
 *   inject_replay.c   a recorded stream
 *   inject_guest.c    a guest that moves interrupts, and binds devices again
 *   inject_save.c     saving the tables under a dirty log
 *   inject_run.c      from set-up to the last interrupt
 *   inject_result.c   figures and counters
 *   inject_note.c     what they say
 *
 * J1  What changes or reads tables takes effect at one instant: a command when its vCPU has paid
 *     for it, an injection when its CPU has. An injection that was paid for while tables changed is
 *     looked up again.
 * J2  A CPU does one thing at a time: interrupt context before a vCPU's exit, that before the
 *     worker, that before the thread that has the CPU. Time that a vCPU's CPU does not run the
 *     guest's program is lost to a cause, each nanosecond of each vCPU to one.
 * J3  Each interrupt that a device raises is refused, coalesced, taken, discarded by the guest, or
 *     lost.
 */
#ifndef SIM_SCENARIO_INJECT_INTERNAL_H
#define SIM_SCENARIO_INJECT_INTERNAL_H

#include "sim/check/its_check.h"
#include "sim/engine/hist.h"
#include "sim/engine/history.h"
#include "sim/engine/map.h"
#include "sim/engine/queue.h"
#include "sim/engine/rng.h"
#include "sim/machine/its_cache.h"
#include "sim/report/series.h"
#include "sim/scenario/inject.h"
#include "sim/scenario/inject_param.h"
#include "sim/trace/its_stream.h"

struct sim_stats;

/* Kinds of the event history. Stable once published. */
enum inject_event_kind {
	INJECT_EV_MSI = 1,	/* device, event: a device's write */
	INJECT_EV_HIT,		/* cpu; event, LPI */
	INJECT_EV_QUEUED,	/* cpu; event: left to the worker */
	INJECT_EV_MERGED,	/* cpu; event: its item was queued already */
	INJECT_EV_WALK,		/* cpu; event, code */
	INJECT_EV_AGAIN,	/* cpu; event: tables changed meanwhile */
	INJECT_EV_PENDING,	/* vcpu; LPI, 1 if it was before */
	INJECT_EV_KICK,		/* vcpu */
	INJECT_EV_TAKE,		/* vcpu; LPI, latency */
	INJECT_EV_WORKER,	/* cpu: switched to its worker */
	INJECT_EV_WORKER_DONE,	/* cpu: and back */
	INJECT_EV_BLOCK,	/* vcpu: waits for an interrupt, switched away */
	INJECT_EV_RESUME,	/* vcpu: and back */
	INJECT_EV_COMMAND,	/* opcode; device, event: completed */
	INJECT_EV_COMMAND_ERROR,/* opcode; device, code: and failed */
	INJECT_EV_FORGET,	/* scope; what it names, entries dropped */
	INJECT_EV_POWER,	/* 1: ITS and LPIs are on; 0: off */
	INJECT_EV_MEASURE,	/* from here on figures count */
	INJECT_EV_QUIET,	/* devices raise no more */
	INJECT_EV_TURN,		/* cpu; thread, what it had of the CPU: another's turn */
	INJECT_EV_END
};

#define INJECT_NKINDS	(INJECT_EV_END - 1)
extern const struct sim_history_kind inject_kinds[INJECT_NKINDS];

struct inject;
struct inject_cpu;
struct inject_vcpu;
struct inject_thread;

#define NO_EVENT	UINT32_MAX

/* An event of a device, and the interrupt it is to the guest. */
struct inject_event {
	uint32_t device_id, event_id;
	uint32_t device;	/* number of the device */
	uint32_t intid;		/* 0: never mapped */
	uint32_t icid;		/* its collection, as the guest knows it */
	uint32_t cpu;		/* that the device interrupts */
	bool mapped;
	bool queued;		/* its work item is */
	bool warm;		/* was translated, and no command has named it since */
	bool pending;		/* its LPI became pending and was not taken */
	bool cut;		/* and a command may have put an end to that */
	uint64_t raised_ns;	/* queued: when the device raised what queued it */
	uint64_t pending_ns;	/* when it raised what made its LPI pending */
	/* closed loop */
	uint32_t done;		/* requests that wait for a handler */
};

/* What a CPU can do, the most urgent first. */
enum inject_level {
	LEVEL_IRQ = 0,
	LEVEL_HOST,		/* a vCPU's thread in the host, not to be switched away */
	LEVEL_WORKER,
	LEVEL_ENTRY,		/* a vCPU's thread on its way into the guest, or out of WFI */
	LEVEL_GUEST,		/* an interrupt handler of the guest */
	LEVEL_THREAD,		/* a thread of the host that has the CPU */
	LEVELS
};

typedef void inject_step(struct inject_cpu *cpu);

/* Something a CPU does at a level: for so long, then a function. */
struct inject_piece {
	inject_step *then;	/* NULL: nothing to do at this level */
	uint64_t left_ns;	/* UINT64_MAX: until somebody puts another one there */
	uint64_t wait_ns;	/* of that, what it first waits for a lock */
	enum inject_cause cause;
};

struct inject_irq {
	uint32_t event;		/* NO_EVENT: a kick */
	uint64_t raised_ns;
};

struct inject_cpu {
	struct inject *in;
	struct inject_vcpu *vcpu;	/* that has the CPU; NULL: none has */
	uint32_t index;

	/* threads */
	struct inject_thread *threads;	/* list */
	uint32_t nready;		/* of them */
	uint32_t nvcpus, nvcpus_ready;	/* vCPUs' of them */
	struct inject_thread *house;	/* keeping; NULL: none */
	struct inject_thread *current;	/* NULL: idle */
	bool idle;			/* switched to nobody */
	bool resched;			/* another thread ought to have the CPU */
	uint64_t picked_ns;		/* when current was */
	uint64_t tick;			/* timer */
	uint64_t least_ns;		/* run time that nobody who is ready is behind */

	struct inject_piece pieces[LEVELS];
	enum inject_level level;	/* what runs; LEVELS: nothing */
	uint64_t since_ns;
	uint64_t timer;

	/* interrupt context */
	struct inject_irq *irqs;	/* ring */
	uint32_t first_irq, nirqs, irqs_room;
	struct sim_its_route route;	/* looked up */
	uint64_t changes;		/* when it was */
	bool hit;
	bool stepping;			/* a step of this CPU is at work */

	/* worker */
	uint32_t *items;		/* ring of events, one place each */
	uint32_t first_item, nitems;
	uint32_t item;			/* at work */
	uint64_t item_raised_ns;
	bool awake;
	enum sim_its_code code;		/* of the walk */
	struct sim_its_route walked;
	uint64_t walk_changes;
	struct weir_xlate_lease lease;
};

enum inject_vcpu_state {
	VCPU_OUT = 0,		/* in the host, about to enter */
	VCPU_GUEST,
	VCPU_POLLING,		/* WFI: the host polls */
	VCPU_BLOCKED		/* WFI: another thread may run */
};

enum inject_task_kind {
	TASK_MOVE = 0,		/* event to a vCPU */
	TASK_UNBIND,		/* device */
	TASK_BIND,		/* device */
	TASK_RESET,
	TASK_REPLAY		/* commands that wait in the replay */
};

struct inject_task {
	enum inject_task_kind kind;
	uint32_t subject;
	uint32_t vcpu;
};

enum inject_thread_state {
	THREAD_ASLEEP = 0,
	THREAD_READY,
	THREAD_RUNNING
};

/* A vCPU's, or one of the host's: always busy, or waking from time to time. */
struct inject_thread {
	struct inject_thread *next;	/* of its CPU */
	struct inject_cpu *cpu;
	uint32_t index;
	struct inject_vcpu *vcpu;	/* NULL: the host's */
	enum inject_thread_state state;
	bool busy;
	uint64_t run_ns;		/* had of the CPU, as the scheduler reckons */
	bool woken;			/* since it had the CPU */
	struct inject_piece guest, thread;	/* while another has the CPU */
};

struct inject_vcpu {
	struct inject_cpu *cpu;
	struct inject_thread *thread;
	enum inject_vcpu_state state;
	uint32_t index;
	bool kicked;
	bool wanted;		/* has something to see when it enters */
	uint64_t poll_timer;
	uint32_t event;		/* whose handler runs; NO_EVENT: nobody's */
	uint32_t handling;	/* its requests that the handler has found done */
	struct inject_task *tasks;	/* ring */
	uint32_t first_task, ntasks, tasks_room;
};

/* The ITS's mutex: who wants it, in order. Workers and vCPUs spin for it. */
struct inject_mutex {
	bool taken;
	struct {
		struct inject_cpu *cpu;
		enum inject_level level;
	} *waiters;	/* ring, two places a CPU */
	uint32_t first, n, room;
};

struct inject_device {
	uint32_t id;
	uint32_t bits;		/* of an EventID */
	uint64_t itt;
	uint64_t itt_bytes;
	uint64_t free_ns;	/* when its transfers are through */
	uint32_t outstanding;	/* requests that no handler has ended */
	/* synthetic */
	enum inject_device_kind kind;
	const struct inject_device_config *cfg;
	uint32_t first_event;
	uint32_t first_vcpu, nvcpus;	/* that take its interrupts */
	bool stopping;		/* no new requests: it is to be bound again */
	struct sim_rng rng;
};

/* Where the guest has put its tables. */
struct inject_layout {
	uint64_t base, end;
	uint64_t prop, pend, pend_stride;
	uint64_t queue, queue_bytes;
	uint64_t devices, devices_bytes;
	uint64_t collections, collections_bytes;
	uint64_t itts;
};

struct inject_executed {
	uint64_t cmd[4];
	enum sim_its_code code;
};

struct inject_machine {
	struct inject_layout at;
	struct sim_ram *ram;
	struct sim_gic *gic;
	struct sim_its *its;
	struct sim_its_design *design;
	struct sim_its_twin *twin;
	struct sim_its_completion *completion;
	struct sim_its_residency residency;
	struct sim_its_check check;
	uint64_t write;			/* the next command's place in the queue */
	uint64_t written;		/* commands so far */
	uint64_t passed;		/* of them, by CREADR */
	struct inject_executed *executed; /* commands that CREADR has not been seen to pass */
	size_t nexecuted, executed_room;
	bool hearing;			/* a line that rises is news to a vCPU */
	uint64_t changes;		/* commands executed so far */
	uint64_t forget_ps;		/* what the design has done for the commands at work */
};

/* What is counted. A snapshot of it is taken when measuring begins. */
struct inject_counts {
	uint64_t msis, refused, coalesced, merged, lpis, commanded, discarded;
	uint64_t lookups, hits, warm_lookups, warm_hits, again;
	uint64_t walks, rewalks, evictions, worker_switches, worker_ns;
	uint64_t thread_switches, kicks, ios, busy_ns;
	uint64_t second_ios;
	uint64_t commands, invalidations, dropped, moves, skipped_moves, rebinds, resets;
	uint64_t lost_ns[INJECT_NCAUSES];
};

/* A recorded stream, in memory: every design replays the same. */
struct inject_stream {
	struct sim_its_event *rows;
	size_t nrows;
};

struct inject_replay {
	size_t next;			/* row */
	bool waiting;			/* for commands to be executed */
	uint64_t untranslated;		/* interrupts that no table was asked about yet */
	uint32_t last_icid, last_pe;	/* of the last MAPC */
};

struct inject {
	const struct inject_config *cfg;
	const struct inject_stream *stream;	/* NULL: no replay */
	/* outputs; NULL where there are none */
	struct sim_history *history;
	struct sim_series *series;
	void (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *progress_ctx;
	struct sim_error *err;
	bool failed;

	struct sim_queue *queue;
	struct inject_machine m;
	struct inject_cpu *cpus;
	uint32_t nhosts;			/* CPUs that run vCPUs; those for devices follow */
	uint32_t ncpus;
	struct inject_vcpu *vcpus;
	struct inject_thread *threads;
	uint32_t nthreads;
	struct inject_mutex mutex;
	uint64_t list_free_ns, tree_free_ns;	/* spinlocks: when the last in line gives them up */
	struct inject_event *events;
	uint32_t nevents;
	struct sim_map event_of;		/* device, event */
	uint32_t *event_of_lpi;			/* by INTID - SIM_GIC_LPI_FIRST */
	struct inject_device *devices;
	uint32_t ndevices;
	struct inject_replay replay;
	struct sim_its_inval *late;	/* break.late_invalidate */
	size_t nlate, late_room;
	struct sim_rng balance_rng;
	uint32_t storm_next, rebind_next;

	bool measuring;
	bool quiet;			/* devices raise no more */
	bool resetting;			/* no new requests: ITS and LPIs are about to be off */
	bool off;			/* they are */
	uint64_t outstanding;		/* requests of all devices */
	uint64_t begin_ns, end_ns;	/* measured */
	struct inject_counts counts, before, after;
	struct {
		uint64_t changed, dirty, missed; /* pages */
	} save;
	uint64_t left;			/* pending at the end: of LPIs that are disabled */
	struct sim_hist *latency;
};

/* inject_machine.c */
bool inject_machine_build(struct inject *in);
void inject_machine_down(struct inject *in);
void inject_command(struct inject *in, uint64_t w0, uint64_t w1, uint64_t w2, uint64_t w3);
void inject_ring(struct inject *in);
void inject_configure(struct inject *in, uint32_t intid, bool enabled);
/* The ITS, and LPIs of every PE. */
void inject_power(struct inject *in, bool on);
void inject_zero_itt(struct inject *in, const struct inject_device *device);
/* break.wrong_table */
void inject_spoil(struct inject *in);
uint32_t inject_take(struct inject *in, uint32_t pe);
void inject_end_of(struct inject *in, uint32_t pe);
void inject_sync(struct inject *in, uint32_t pe);
/* What came of it; the LPI was pending before. */
enum inject_arrival { ARRIVAL_PENDING = 0, ARRIVAL_COALESCED, ARRIVAL_REFUSED, ARRIVAL_LOST };
enum inject_arrival inject_deliver(struct inject *in, const struct inject_event *event,
				   enum sim_its_code code, const struct sim_its_route *route);

/* inject_cpu.c */
void inject_cpus_build(struct inject *in);
void inject_cpus_down(struct inject *in);
/* What runs has run until now. */
void inject_cpu_settle(struct inject_cpu *cpu);
/* Charge all CPUs with what they did until now. */
void inject_cpus_settle(struct inject *in);
void inject_piece(struct inject_cpu *cpu, enum inject_level level, enum inject_cause cause,
		  uint64_t ns, inject_step *then);
void inject_piece_after(struct inject_cpu *cpu, enum inject_level level, uint64_t wait_ns,
			enum inject_cause cause, uint64_t ns, inject_step *then);
/* Something changed: do what is most urgent now. */
void inject_go(struct inject_cpu *cpu);
static inline bool inject_doing(const struct inject_cpu *cpu, enum inject_level level)
{
	return cpu->pieces[level].then;
}

/* inject_sched.c */
void inject_sched_build(struct inject *in);
void inject_sched_down(struct inject *in);
void inject_sched_start(struct inject *in);
/* A thread that sleeps has something to do. Waking it is paid for when it gets the CPU. */
void inject_sched_wake(struct inject_thread *thread);
/* A vCPU that is about to enter has something to see there. */
void inject_sched_want(struct inject_vcpu *v);
/* The thread that has the CPU sleeps. */
void inject_sched_sleep(struct inject_cpu *cpu);
/* Another thread has the CPU after this. */
bool inject_sched_due(const struct inject_cpu *cpu);
/* Before a thread goes on, with no more urgent work: is it another one's turn? */
void inject_sched_turn(struct inject_cpu *cpu);

/* inject_irq.c */
void inject_raise(struct inject *in, uint32_t event);
void inject_irq(struct inject_cpu *cpu, uint32_t event, uint64_t raised_ns);
void inject_arrived(struct inject *in, struct inject_event *event, uint64_t raised_ns,
		    enum sim_its_code code, const struct sim_its_route *route);

/* inject_worker.c */
void inject_worker_start(struct inject_cpu *cpu);
void inject_worker_queue(struct inject_cpu *cpu, uint32_t event, uint64_t raised_ns);
/* Wait for it, at a level of a CPU; then(cpu) is called with it taken. */
void inject_mutex_take(struct inject_cpu *cpu, enum inject_level level, inject_step *then);
void inject_mutex_give(struct inject *in);

/* inject_vcpu.c */
void inject_vcpus_build(struct inject *in);
void inject_vcpus_down(struct inject *in);
void inject_vcpu_enter(struct inject_cpu *cpu);
void inject_vcpu_stop_polling(struct inject_vcpu *v);
void inject_vcpu_notify(struct inject *in, uint32_t vcpu);
void inject_vcpu_task(struct inject *in, uint32_t vcpu, enum inject_task_kind kind,
		      uint32_t subject, uint32_t to);

/* inject_cost.c */
/* Beside what it takes: @wait_ns, for spinlocks. */
uint64_t inject_lookup_ns(struct inject *in, const struct sim_its_work *work, uint64_t *wait_ns);
uint64_t inject_resolve_ns(struct inject *in, const struct sim_its_work *work, uint64_t *wait_ns);
uint64_t inject_forget_ps(struct inject *in, const struct sim_its_work *work);

/* inject_device.c */
/* The @n-th of the vCPUs that take its interrupts, round and round. */
static inline uint32_t inject_device_vcpu(const struct inject_device *device, uint32_t n)
{
	return device->first_vcpu + n % device->nvcpus;
}
void inject_devices_build(struct inject *in);
void inject_devices_start(struct inject *in);
void inject_device_start(struct inject *in, uint32_t device);
/* The handler of an event has ended @n of its requests. */
void inject_ended(struct inject *in, uint32_t event, uint32_t n);

/* inject_replay.c */
bool inject_stream_load(struct inject_stream *stream, const char *path, struct sim_error *err);
void inject_stream_free(struct inject_stream *stream);
bool inject_replay_build(struct inject *in);
void inject_replay_start(struct inject *in);
void inject_replay_translated(struct inject *in);
void inject_replay_commands(struct inject *in);
/* All commands of the stream, without its interrupts; false with in->err set if they get stuck. */
/* The line of the nth last command that was written, 1 being the last; 0: not a stream's. */
uint64_t inject_replay_line(const struct inject *in, uint64_t nth);
bool inject_replay_try(struct inject *in);

/* inject_guest.c */
void inject_guest_boot(struct inject *in);
void inject_guest_start(struct inject *in);
/* The commands of a task into the queue; after they were executed; nothing of a device is left. */
void inject_guest_write(struct inject *in, const struct inject_task *task);
void inject_guest_done(struct inject *in, const struct inject_task *task);
void inject_guest_idle(struct inject *in, uint32_t device);
/* ITS and LPIs have been switched off. */
void inject_guest_off(struct inject *in);
/* Nothing of any device is left. */
void inject_guest_silent(struct inject *in);
/* A command has completed. */
void inject_guest_named(struct inject *in, const uint64_t cmd[4]);

/* inject_save.c */
void inject_save(struct inject *in);

/* inject_run.c */
/* The machine, booted; inject_run() does it. False with in->err set. */
bool inject_build(struct inject *in);
bool inject_run(struct inject *in);
void inject_free(struct inject *in);

/* inject_result.c */
#define INJECT_NMETRICS	27u
extern const struct sim_metric inject_metrics[INJECT_NMETRICS];
void inject_sum_up(struct inject *in, struct inject_result *result);
void inject_hand_over(const struct inject_result *result, struct sim_policy_out *out);
struct sim_stats *inject_stats(const struct inject *in, const struct inject_result *result);

/* inject_note.c */
void inject_write_notes(struct sim_run *run, const struct inject_config *cfg,
			const enum sim_its_design_kind *kinds,
			const struct inject_result *results, unsigned int n);

static inline void inject_note(struct inject *in, enum inject_event_kind kind, uint32_t actor,
			       uint64_t a, uint64_t b)
{
	if (in->history)
		sim_history_emit(in->history, sim_queue_now(in->queue), kind, actor, a, b);
}

static inline uint64_t inject_now(const struct inject *in)
{
	return sim_queue_now(in->queue);
}

#endif
