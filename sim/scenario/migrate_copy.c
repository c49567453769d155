// SPDX-License-Identifier: BSD-2-Clause
/*
 * migrate_copy.c - the copier while the guest runs: log on, then round after round of CLEAR, send
 * and GET, until the rest is small enough.
 *
 * Each step is an event; what it costs is the delay to the next one (M2).
 */
#include "sim/scenario/migrate_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void next_chunk(void *ctx, uint64_t arg);
static void send(void *ctx, uint64_t arg);
static void get(void *ctx, uint64_t arg);

void migrate_copier_post(struct migrate *m, uint64_t delay_ns, sim_event_fn *fn)
{
	(void)sim_queue_post(m->queue, sim_queue_now(m->queue) + delay_ns, SIM_GUEST_PRIO_OTHERS,
			     fn, m, 0);
}

/* The next pending page from next_page on; false if there is none. */
bool migrate_next_pending(struct migrate *m, uint64_t *page)
{
	uint64_t nwords = (m->cfg->npages + 63) / 64, i = m->next_page / 64, word;

	if (m->next_page >= m->cfg->npages)
		return false;
	word = m->pending[i] & ~UINT64_C(0) << (m->next_page % 64);
	while (!word && ++i < nwords)
		word = m->pending[i];
	if (!word)
		return false;
	*page = i * 64 + (uint64_t)__builtin_ctzll(word);
	return true;
}

/* A span of the run is over: say so to the report, and begin to count anew. */
void migrate_phase(struct migrate *m, enum sim_phase_kind kind, const char *name)
{
	uint64_t now_ns = sim_queue_now(m->queue), faults = m->figures.faults;
	struct sim_phase phase = {
		.kind = kind, .name = name, .t0_ns = m->round_start_ns, .t1_ns = now_ns,
		.pages_sent = m->round_pages, .bytes_sent = m->round_bytes,
		.faults = faults - m->round_faults,
	};

	if (m->series && now_ns > m->round_start_ns)
		sim_series_phase(m->series, &phase);
	m->round_start_ns = now_ns;
	m->round_pages = 0;
	m->round_bytes = 0;
	m->round_faults = faults;
}

static void begin_round(struct migrate *m)
{
	sim_history_emit(m->history, sim_queue_now(m->queue), MIGRATE_EV_ROUND, ACTOR_COPIER,
			 m->round, m->npending);
	m->next_page = 0;
	m->chunk_end = 0;
	migrate_assume_round(m);
	if (!m->done)
		next_chunk(m, 0);
}

/* Split the blocks of a chunk before it is first cleared. Returns false when that broke down. */
static bool split_chunk(struct migrate *m, uint64_t first, uint64_t end)
{
	uint64_t gfn = m->cfg->base_gfn + first, end_gfn = m->cfg->base_gfn + end;

	while (gfn < end_gfn) {
		unsigned int order = 0;
		enum weir_status status;

		(void)sim_s2_leaf(m->s2, gfn, &order);
		if (order) {
			status = sim_dirty_glue_ops(&m->glue)->block_split(&m->glue, gfn);
			if (status != WEIR_OK) {
				migrate_broken(m, "splitting a block", status);
				return false;
			}
		}
		gfn = (gfn | 511u) + 1;
	}
	return true;
}

/* CLEAR what is pending of the chunk that holds a page; then send it. */
static void clear_chunk(struct migrate *m, uint64_t page)
{
	uint64_t first = page / m->cfg->chunk_pages * m->cfg->chunk_pages;
	uint64_t end = first + m->cfg->chunk_pages, npages, words, ns;
	struct migrate_bill bill;
	enum weir_status status;

	if (end > m->cfg->npages)
		end = m->cfg->npages;
	if (m->round && m->policy->log == MIGRATE_RING) {
		/* what came out of a ring was re-armed when the ring was reset */
		m->chunk_end = end;
		migrate_copier_post(m, 0, send);
		return;
	}
	npages = end - first;
	words = (npages + 63) / 64;
	migrate_bill_open(m, &bill);
	if (m->cfg->split_eager && !m->round && !split_chunk(m, first, end))
		return;
	sim_history_emit(m->history, sim_queue_now(m->queue), MIGRATE_EV_CLEAR, ACTOR_COPIER,
			 m->cfg->base_gfn + first, npages);
	migrate_note(m, m->cfg->base_gfn + first, m->cfg->base_gfn + end - 1,
		     sim_queue_now(m->queue), "CLEAR in round", (unsigned int)m->round);
	status = weir_dirty_clear(m->d, m->cfg->base_gfn + first, npages, &m->pending[first / 64]);
	if (status != WEIR_OK) {
		migrate_broken(m, "weir_dirty_clear()", status);
		return;
	}
	migrate_assume_skip(m, first, npages);
	ns = migrate_bill_ns(m, &bill, words);
	m->figures.clear_ns += ns;
	m->chunk_end = end;
	migrate_copier_post(m, ns, send);
}

static void next_chunk(void *ctx, uint64_t arg)
{
	struct migrate *m = ctx;
	uint64_t page;

	(void)arg;
	if (migrate_next_pending(m, &page)) {
		clear_chunk(m, page);
		return;
	}
	m->next_page = 0;
	m->found = 0;
	m->last_get_ns = migrate_log_gather(m);
	m->figures.gets_ns += m->last_get_ns;
	migrate_copier_post(m, m->last_get_ns, get);
}

static void send(void *ctx, uint64_t arg)
{
	struct migrate *m = ctx;
	uint64_t page;

	(void)arg;
	if (migrate_next_pending(m, &page) && page < m->chunk_end)
		migrate_copier_post(m, migrate_send_batch(m, m->chunk_end), send);
	else
		next_chunk(m, 0);
}

/*
 * GET for the next chunk into the bitmap. Returns what it costs; 0 with the run broken. npages is
 * set to how many pages it found dirty.
 */
uint64_t migrate_get_chunk(struct migrate *m, uint64_t *npages)
{
	uint64_t first = m->next_page, n = m->cfg->chunk_pages, i, words;
	struct migrate_bill bill;
	enum weir_status status;

	if (n > m->cfg->npages - first)
		n = m->cfg->npages - first;
	words = (n + 63) / 64;
	migrate_bill_open(m, &bill);
	if (m->policy->log == MIGRATE_RING && !m->paused) {
		/* rings say what was written; the region is asked in the pause, last */
		memset(&m->pending[first / 64], 0, words * sizeof(*m->pending));
	} else {
		status = weir_dirty_get_bitmap(m->d, m->cfg->base_gfn + first, n,
					       &m->pending[first / 64]);
		if (status != WEIR_OK) {
			migrate_broken(m, "weir_dirty_get_bitmap()", status);
			return 0;
		}
	}
	migrate_log_merge(m, first / 64, words);
	*npages = 0;
	for (i = 0; i < words; i++)
		*npages += (uint64_t)__builtin_popcountll(m->pending[first / 64 + i]);
	m->next_page = first + n;
	sim_history_emit(m->history, sim_queue_now(m->queue), MIGRATE_EV_GET, ACTOR_COPIER,
			 m->cfg->base_gfn + first, *npages);
	return migrate_bill_ns(m, &bill, words);
}

/* Blackout if the guest were stopped now. */
static uint64_t estimate(const struct migrate *m)
{
	return m->cfg->cost.pause_ns + m->last_get_ns + migrate_link_ns(m, m->npending) +
	       m->cfg->device_ns;
}

/* All of a round was sent, and GET has reported what is dirty again. */
static void decide(void *ctx, uint64_t arg)
{
	struct migrate *m = ctx;
	char name[32];

	(void)arg;
	sim_check_leaves(&m->check);
	migrate_throttle_round(m, m->npending);
	snprintf(name, sizeof(name), "round %llu", (unsigned long long)m->round);
	migrate_phase(m, SIM_PHASE_ROUND, name);
	m->figures.rounds = ++m->round;
	m->figures.estimate_ns = estimate(m);
	if (!m->npending || m->figures.estimate_ns <= m->cfg->downtime_limit_ns) {
		m->figures.outcome = MIGRATE_COMPLETED;
		migrate_switch_over(m);
	} else if (m->cfg->pace.postcopy_rounds && m->round >= m->cfg->pace.postcopy_rounds) {
		m->figures.outcome = MIGRATE_POSTCOPY;
		migrate_switch_over(m);
	} else if (m->round < m->cfg->rounds_max) {
		migrate_count_false(m);
		begin_round(m);
	} else if (m->cfg->cancel) {
		migrate_cancel(m);
	} else {
		m->figures.outcome = MIGRATE_FORCED;
		migrate_switch_over(m);
	}
}

static void get(void *ctx, uint64_t arg)
{
	struct migrate *m = ctx;
	uint64_t npages = 0, ns = migrate_get_chunk(m, &npages);

	(void)arg;
	if (m->done)
		return;
	m->found += npages;
	m->last_get_ns += ns;
	m->figures.gets_ns += ns;
	if (m->next_page < m->cfg->npages) {
		migrate_copier_post(m, ns, get);
		return;
	}
	m->npending = m->found;
	migrate_copier_post(m, ns, decide);
}

/* The migration begins. */
void migrate_begin(void *ctx, uint64_t arg)
{
	struct migrate *m = ctx;

	(void)arg;
	m->figures.start_ns = sim_queue_now(m->queue);
	migrate_phase(m, SIM_PHASE_OTHER, "warm-up");
	if (m->policy->choose)
		migrate_auto_begin(m);
	else
		migrate_log_on(m, 0);
}

/* Log on, and everything is to be sent. */
void migrate_log_on(void *ctx, uint64_t arg)
{
	struct migrate *m = ctx;
	uint64_t nwords = (m->cfg->npages + 63) / 64;
	struct migrate_bill bill;
	enum weir_status status;
	unsigned int i;

	(void)arg;
	sim_history_emit(m->history, sim_queue_now(m->queue), MIGRATE_EV_LOG_START, ACTOR_COPIER,
			 m->cfg->npages, 0);
	if (!migrate_log_arm(m))
		return;
	for (i = 0; i < m->cfg->nvcpus; i++)
		m->vcpus[i].start_ns = sim_guest_progress(m->guest, i);
	migrate_bill_open(m, &bill);
	status = weir_dirty_start(m->d, m->cfg->initially_set);
	if (status != WEIR_OK) {
		migrate_broken(m, "weir_dirty_start()", status);
		return;
	}
	m->check.logging = true;
	memset(m->pending, 0xff, nwords * sizeof(*m->pending));
	if (m->cfg->npages % 64)
		m->pending[nwords - 1] = ~UINT64_C(0) >> (64 - m->cfg->npages % 64);
	m->npending = m->cfg->npages;
	m->next_page = 0;
	sim_check_leaves(&m->check);
	migrate_copier_post(m, migrate_bill_ns(m, &bill, 0), next_chunk);
}
