// SPDX-License-Identifier: BSD-2-Clause
/*
 * migrate_postcopy.c - the switch to post-copy: the guest runs on at the destination, and what has
 * not arrived is pushed to it, or fetched when it is stored to.
 *
 * The blackout is the pause, the last GET, its bitmap and the device state. After the resume the
 * link carries the missing pages in order, a batch at a time; a store to one that is missing waits
 * for the fault's exit, the round trip, the transfer that is under way, those that asked before,
 * and its page. That wait is lost to FAULT, and the migration lasts until the last page is there.
 *
 * Nothing is stored at the source any more: a page that is missing cannot have been written since
 * the pause. So each page is judged once, those that are there at the resume, the others as they
 * come; what the destination does with its own tables is outside the model, before as after.
 */
#include "sim/scenario/migrate_internal.h"

#include <string.h>

static void push(void *ctx, uint64_t arg);

bool migrate_postcopy_missing(const struct migrate *m, uint64_t gfn)
{
	uint64_t page = gfn - m->cfg->base_gfn;

	return m->missing[page / 64] >> (page % 64) & 1;
}

/* A store's fault has reached the source. */
static void asked(void *ctx, uint64_t vcpu)
{
	struct migrate *m = ctx;

	m->wanted[(m->first_wanted + m->nwanted++) % m->cfg->nvcpus] = (unsigned int)vcpu;
}

bool migrate_postcopy_store(struct migrate *m, unsigned int vcpu, uint64_t gfn, uint64_t now_ns)
{
	if (!migrate_postcopy_missing(m, gfn))
		return true;
	m->figures.fetches++;
	m->vcpus[vcpu].fault_gfn = gfn;
	m->vcpus[vcpu].fetching = true;
	sim_history_emit(m->history, now_ns, MIGRATE_EV_FETCH, vcpu, gfn, 0);
	(void)sim_queue_post(m->queue, now_ns + m->cfg->cost.fault_exit_ns + m->cfg->pace.rtt_ns,
			     SIM_GUEST_PRIO_OTHERS, asked, m, vcpu);
	return false;
}

/* Stores that waited for what has arrived go on. */
static void wake(struct migrate *m)
{
	unsigned int i;

	for (i = 0; i < m->cfg->nvcpus; i++) {
		struct migrate_vcpu *v = &m->vcpus[i];

		if (!v->fetching || migrate_postcopy_missing(m, v->fault_gfn))
			continue;
		v->fetching = false;
		sim_guest_release(m->guest, i, SIM_CAUSE_FAULT);
	}
}

/* A transfer is over: all that was sent is there. */
static void arrived(void *ctx, uint64_t first_page)
{
	struct migrate *m = ctx;
	uint64_t i;

	for (i = first_page / 64; i * 64 < m->flight_end; i++)
		m->missing[i] &= m->pending[i];
	wake(m);
	push(m, 0);
}

/* The page that was asked for first and was not sent yet. */
static bool next_wanted(struct migrate *m, uint64_t *page)
{
	while (m->nwanted) {
		unsigned int vcpu = m->wanted[m->first_wanted];

		m->first_wanted = (m->first_wanted + 1) % m->cfg->nvcpus;
		m->nwanted--;
		*page = m->vcpus[vcpu].fault_gfn - m->cfg->base_gfn;
		if (m->vcpus[vcpu].fetching && m->pending[*page / 64] >> (*page % 64) & 1)
			return true;
	}
	return false;
}

/* The next transfer: what is wanted, or the next batch in order. */
static void push(void *ctx, uint64_t arg)
{
	struct migrate *m = ctx;
	uint64_t page, next = m->next_page, before = m->npending, ns;

	(void)arg;
	if (!m->npending) {
		m->figures.postcopy_ns = sim_queue_now(m->queue) - m->figures.pause_ns -
					 m->figures.blackout_ns;
		sim_history_emit(m->history, sim_queue_now(m->queue), MIGRATE_EV_ARRIVED,
				 ACTOR_COPIER, m->figures.late_pages, 0);
		migrate_phase(m, SIM_PHASE_OTHER, "post-copy");
		migrate_over(m);
		return;
	}
	if (next_wanted(m, &page)) {
		m->next_page = page;
		ns = migrate_send_batch(m, page + 1);
		m->flight_end = page + 1;
		m->next_page = next;
	} else {
		if (!migrate_next_pending(m, &page)) {
			m->next_page = 0;
			(void)migrate_next_pending(m, &page);
		}
		ns = migrate_send_batch(m, m->cfg->npages);
		m->flight_end = m->next_page;
	}
	m->figures.late_pages += before - m->npending;
	(void)sim_queue_post(m->queue, sim_queue_now(m->queue) + ns, SIM_GUEST_PRIO_OTHERS, arrived,
			     m, page);
}

/* Each page is there as it was at the pause, or is still to come. */
static void judge(struct migrate *m)
{
	uint64_t i;

	for (i = 0; i < m->cfg->npages; i++) {
		uint64_t gfn = m->cfg->base_gfn + i;

		if (migrate_postcopy_missing(m, gfn) || sim_content_same(m->content, gfn))
			continue;
		if (m->figures.lost_pages < WATCHES_MAX)
			m->bad[m->figures.lost_pages].gfn = gfn;
		m->figures.lost_pages++;
		sim_check_violated(&m->check, SIM_CHECK_LOST_PAGE, gfn,
				   "differs at the destination, and is not to come");
	}
	m->figures.equal = !m->figures.lost_pages;
}

static void run_there(void *ctx, uint64_t arg)
{
	struct migrate *m = ctx;
	uint64_t now_ns = sim_queue_now(m->queue);
	unsigned int i;

	(void)arg;
	m->figures.blackout_ns = now_ns - m->figures.pause_ns;
	judge(m);
	sim_history_emit(m->history, now_ns, MIGRATE_EV_RESUME, ACTOR_COPIER,
			 m->figures.lost_pages, 0);
	sim_guest_charge(m->guest);
	migrate_phase(m, SIM_PHASE_BLACKOUT, "blackout");
	sim_guest_invalidated(m->guest, m->cfg->base_gfn,
			      m->cfg->base_gfn + m->cfg->npages - 1);
	for (i = 0; i < m->cfg->nvcpus; i++)
		sim_guest_release(m->guest, i, SIM_CAUSE_BLACKOUT);
	push(m, 0);
}

/* The pause, with GET's bitmap at hand: it goes over, with the device state. */
void migrate_postcopy_resume(void *ctx, uint64_t arg)
{
	struct migrate *m = ctx;
	uint64_t nwords = (m->cfg->npages + 63) / 64, ns;

	(void)arg;
	sim_guest_settle(m->guest, m->cfg->base_gfn, m->cfg->npages);
	weir_dirty_stop(m->d);
	m->check.logging = false;
	m->missing = sim_alloc(nwords, sizeof(*m->missing), "missing pages");
	m->wanted = sim_alloc(m->cfg->nvcpus, sizeof(*m->wanted), "vCPUs that wait");
	memcpy(m->missing, m->pending, nwords * sizeof(*m->missing));
	ns = migrate_link_bytes_ns(m, nwords * 8);
	m->figures.bytes_sent += nwords * 8;
	m->round_bytes += nwords * 8;
	migrate_copier_post(m, ns + m->cfg->device_ns, run_there);
}
