// SPDX-License-Identifier: BSD-2-Clause
/*
 * migrate_auto.c - the policy `auto`: count the guest's writes for a while, and let the library
 * choose for the region (weir_dirty_choose()): write protection, hardware state, or the hardware's
 * log. One kind of dirty state at a time.
 *
 * The count is a logging session of its own, by hardware state, over in full before the migration's
 * begins: that one starts with every page dirty, so that nothing of the first need be kept. It is
 * part of the migration in every figure: its time, the splits and faults that the guest pays, the
 * descriptors that it reads.
 */
#include "sim/scenario/migrate_internal.h"

#include <inttypes.h>

#include "sim/scenario/scenario.h"

static const char *policy_name(uint32_t policy)
{
	return policy == WEIR_DIRTY_WP ? "wp" : policy == WEIR_DIRTY_HDBSS ? "hdbss" : "dbm_all";
}

static void choose(struct migrate *m)
{
	const struct migrate_cost *cost = &m->cfg->cost;
	struct weir_dirty_load load = {
		.npages = m->cfg->npages,
		.dirty_pages = m->sample_pages,
		.nvcpus = m->cfg->nvcpus,
		.flags = WEIR_DIRTY_F_DBM,
		.cost_fault_ns = (uint32_t)(cost->fault_exit_ns + cost->fault_lock_ns),
		.cost_scan_group_ns = (uint32_t)(cost->scan_group_ns + cost->scan_pte_ps *
						 WEIR_DIRTY_GROUP_PAGES / 1000),
		.cost_log_page_ns = (uint32_t)m->cfg->log.entry_ns,
		.cost_kick_ns = (uint32_t)m->cfg->log.kick_ns,
	};

	if (m->cfg->log.auto_entries)
		load.flags |= WEIR_DIRTY_F_HDBSS;
	m->chosen = *m->named;
	m->chosen.choose = false;
	m->chosen.policy = weir_dirty_choose(&load, &m->why);
	if (m->chosen.policy == WEIR_DIRTY_HDBSS) {
		m->chosen.log = MIGRATE_HDBSS;
		m->chosen.log_entries = m->cfg->log.auto_entries;
	}
	m->policy = &m->chosen;
	sim_history_emit(m->history, sim_queue_now(m->queue), MIGRATE_EV_CHOICE, ACTOR_COPIER,
			 m->chosen.policy, m->sample_pages);
}

static void chosen(void *ctx, uint64_t arg)
{
	struct migrate *m = ctx;
	enum weir_status status;

	(void)arg;
	weir_dirty_stop(m->d);
	m->check.logging = false;
	weir_dirty_stats(m->d, &m->stats_before);
	choose(m);
	status = migrate_build_log(m);
	if (status != WEIR_OK) {
		migrate_broken(m, "building the chosen log", status);
		return;
	}
	m->check.d = m->d;
	migrate_phase(m, SIM_PHASE_OTHER, "sample");
	migrate_log_on(m, 0);
}

static void count(void *ctx, uint64_t arg)
{
	struct migrate *m = ctx;
	uint64_t ns = 0, npages;

	(void)arg;
	for (m->next_page = 0; m->next_page < m->cfg->npages && !m->done;) {
		ns += migrate_get_chunk(m, &npages);
		m->sample_pages += npages;
	}
	m->figures.gets_ns += ns;
	if (!m->done)
		migrate_copier_post(m, ns, chosen);
}

void migrate_auto_begin(struct migrate *m)
{
	struct migrate_bill bill;
	enum weir_status status;

	migrate_bill_open(m, &bill);
	status = weir_dirty_start(m->d, false);
	if (status != WEIR_OK) {
		migrate_broken(m, "weir_dirty_start()", status);
		return;
	}
	m->check.logging = true;
	migrate_copier_post(m, migrate_bill_ns(m, &bill, 0) + m->cfg->log.sample_ns, count);
}

void migrate_auto_note(struct sim_run *run, const struct migrate_result *result)
{
	if (result->why)
		sim_run_note(run, "%s chose %s: %s (%" PRIu64 " pages were written in the "
			     "sample).", result->policy->name, policy_name(result->chosen),
			     result->why, result->sample_pages);
}
