// SPDX-License-Identifier: BSD-2-Clause
/*
 * migrate_switch.c - the end of a migration: freeze, pause, the last GET, the rest, resume; or not.
 *
 * Freeze runs while the guest does, so that the GET in the pause reads dirty groups and not the
 * memory; what it takes, and the write faults it causes until the pause, are part of lost compute.
 *
 * The pause kicks every vCPU. One that is in a fault handler finishes that first and does not
 * re-enter; the log is asked for the last time when all have stopped.
 */
#include "sim/scenario/migrate_internal.h"

static void freeze(void *ctx, uint64_t arg);
static void pause_guest(struct migrate *m);
static void quiesced(void *ctx, uint64_t arg);
static void get_rest(void *ctx, uint64_t arg);
static void send_rest(void *ctx, uint64_t arg);
static void resume(void *ctx, uint64_t arg);

void migrate_switch_over(struct migrate *m)
{
	if (!m->cfg->freeze || !migrate_policy_has_hw(m->policy)) {
		pause_guest(m);
		return;
	}
	weir_dirty_cursor_init(m->d, &m->cursor);
	freeze(m, 0);
}

static void frozen(void *ctx, uint64_t arg)
{
	struct migrate *m = ctx;

	(void)arg;
	migrate_phase(m, SIM_PHASE_FREEZE, "freeze");
	pause_guest(m);
}

static void freeze(void *ctx, uint64_t arg)
{
	struct migrate *m = ctx;
	struct migrate_bill bill;
	enum weir_status status;
	uint64_t ns;

	(void)arg;
	migrate_bill_open(m, &bill);
	status = weir_dirty_freeze(m->d, &m->cursor, m->cfg->freeze_budget_ptes);
	if (status != WEIR_OK && status != WEIR_EAGAIN) {
		migrate_broken(m, "weir_dirty_freeze()", status);
		return;
	}
	sim_history_emit(m->history, sim_queue_now(m->queue), MIGRATE_EV_FREEZE, ACTOR_COPIER,
			 m->cursor.next_gfn, 0);
	ns = migrate_bill_ns(m, &bill, 0);
	m->figures.freeze_ns += ns;
	migrate_copier_post(m, ns, status == WEIR_OK ? frozen : freeze);
}

static void pause_guest(struct migrate *m)
{
	unsigned int i;

	m->figures.pause_ns = sim_queue_now(m->queue);
	sim_history_emit(m->history, m->figures.pause_ns, MIGRATE_EV_PAUSE, ACTOR_COPIER, 0, 0);
	for (i = 0; i < m->cfg->nvcpus; i++)
		sim_guest_hold(m->guest, i, SIM_CAUSE_BLACKOUT);
	migrate_throttle_stop(m);
	m->pausing = true;
	migrate_pause_check(m);
}

/* Have all vCPUs left their fault handlers? */
void migrate_pause_check(struct migrate *m)
{
	uint64_t now_ns = sim_queue_now(m->queue), end_ns;
	unsigned int i;

	if (!m->pausing)
		return;
	for (i = 0; i < m->cfg->nvcpus; i++) {
		if (sim_guest_held(m->guest, i) != 1u << SIM_CAUSE_BLACKOUT)
			return;
	}
	m->pausing = false;
	m->paused = true;
	end_ns = m->figures.pause_ns + m->cfg->cost.pause_ns;
	if (end_ns < sim_guest_delays_end(m->guest))
		end_ns = sim_guest_delays_end(m->guest);
	migrate_copier_post(m, end_ns > now_ns ? end_ns - now_ns : 0, quiesced);
}

static void quiesced(void *ctx, uint64_t arg)
{
	struct migrate *m = ctx;
	uint64_t gather_ns = migrate_log_gather(m);
	enum weir_status status = weir_dirty_final(m->d);

	(void)arg;
	m->figures.get_ns += gather_ns;
	if (status != WEIR_OK) {
		migrate_broken(m, "weir_dirty_final()", status);
		return;
	}
	sim_history_emit(m->history, sim_queue_now(m->queue), MIGRATE_EV_FINAL, ACTOR_COPIER, 0, 0);
	sim_check_leaves(&m->check);
	m->next_page = 0;
	m->found = 0;
	migrate_copier_post(m, gather_ns, get_rest);
}

static void get_rest(void *ctx, uint64_t arg)
{
	struct migrate *m = ctx;
	uint64_t npages = 0, ns = migrate_get_chunk(m, &npages);

	(void)arg;
	if (m->done)
		return;
	m->found += npages;
	m->figures.get_ns += ns;
	if (m->next_page < m->cfg->npages) {
		migrate_copier_post(m, ns, get_rest);
		return;
	}
	m->npending = m->found;
	m->figures.last_pages = m->found;
	migrate_tell_late(m);
	migrate_count_false(m);
	m->next_page = 0;
	if (m->figures.outcome == MIGRATE_POSTCOPY) {
		m->figures.last_pages = 0;
		migrate_copier_post(m, ns, migrate_postcopy_resume);
		return;
	}
	migrate_copier_post(m, ns, send_rest);
}

static void send_rest(void *ctx, uint64_t arg)
{
	struct migrate *m = ctx;

	(void)arg;
	if (m->npending)
		migrate_copier_post(m, migrate_send_batch(m, m->cfg->npages), send_rest);
	else
		migrate_copier_post(m, m->cfg->device_ns, resume);
}

/* The run is over, at this instant. */
void migrate_over(struct migrate *m)
{
	m->figures.end_ns = sim_queue_now(m->queue);
	sim_guest_charge(m->guest);
	weir_dirty_stop(m->d);
	m->check.logging = false;
	migrate_log_disarm(m);
	m->done = true;
}

static void resume(void *ctx, uint64_t arg)
{
	struct migrate *m = ctx;

	(void)arg;
	m->figures.blackout_ns = sim_queue_now(m->queue) - m->figures.pause_ns;
	sim_guest_settle(m->guest, m->cfg->base_gfn, m->cfg->npages);
	migrate_find_lost(m);
	sim_history_emit(m->history, sim_queue_now(m->queue), MIGRATE_EV_RESUME, ACTOR_COPIER,
			 m->figures.lost_pages, 0);
	migrate_phase(m, SIM_PHASE_BLACKOUT, "blackout");
	migrate_over(m);
}

/* Given up: the guest stays where it is. */
void migrate_cancel(struct migrate *m)
{
	m->figures.outcome = MIGRATE_CANCELLED;
	sim_history_emit(m->history, sim_queue_now(m->queue), MIGRATE_EV_CANCEL, ACTOR_COPIER, 0,
			 0);
	migrate_over(m);
}

/* Out of time, wherever it is: the figures are those of now. */
void migrate_limit(void *ctx, uint64_t arg)
{
	struct migrate *m = ctx;

	(void)arg;
	if (m->pausing || (m->paused && !m->missing))
		m->figures.blackout_ns = sim_queue_now(m->queue) - m->figures.pause_ns;
	m->figures.outcome = MIGRATE_UNFINISHED;
	migrate_phase(m, SIM_PHASE_OTHER, "migrate.limit_ns");
	sim_history_emit(m->history, sim_queue_now(m->queue), MIGRATE_EV_CANCEL, ACTOR_COPIER, 0,
			 0);
	migrate_over(m);
}
