// SPDX-License-Identifier: BSD-2-Clause
/*
 * migrate_fault.c - what is under the guest: a store, the write fault it may be, and the lock.
 *
 * A fault costs the vCPU the exit and entry (FAULT), the wait for the lock of the tables (LOCK),
 * the time it holds it (FAULT), and where a block was split the split with its broadcast
 * invalidation (SPLIT); then the store is tried again. The lock serves one vCPU at a time, in order
 * of arrival; the library itself takes none, but the fault paths of hypervisors do. The library is
 * called at the instant the lock is granted.
 *
 * The planted mistake break.late_scan_set lives here too: a fault handler in a hurry that writes
 * the descriptors itself, lets the vCPU go on, and tells the log when it finds the time.
 */
#include "sim/scenario/migrate_internal.h"

#include <stdlib.h>

static void arrive(void *ctx, uint64_t vcpu);
static void grant(struct migrate *m);

static bool store(void *ctx, unsigned int vcpu, uint64_t gfn, uint64_t writes, bool again,
		  uint64_t now_ns, uint64_t *delay_ns)
{
	struct migrate *m = ctx;
	struct sim_walk walk;
	bool done;

	sim_history_emit(m->history, now_ns, again ? MIGRATE_EV_AGAIN : MIGRATE_EV_STORE, vcpu, gfn,
			 again ? 0 : writes);
	if (m->missing)
		return migrate_postcopy_store(m, vcpu, gfn, now_ns);
	done = sim_mmu_access(m->mmu, vcpu, gfn, SIM_WRITE, &walk);
	if (!done) {
		m->vcpus[vcpu].fault_gfn = gfn;
		if (walk.fault == SIM_FAULT_HDBSS) {
			(void)sim_queue_post(m->queue, now_ns + m->cfg->cost.fault_exit_ns,
					     SIM_GUEST_PRIO_OTHERS, migrate_log_full, m, vcpu);
			return false;
		}
		sim_history_emit(m->history, now_ns, MIGRATE_EV_FAULT, vcpu, gfn, 0);
		migrate_note(m, gfn, gfn, now_ns, "fault of vcpu", vcpu);
		if (walk.fault != SIM_FAULT_PERMISSION)
			migrate_broken(m, "a store faults on an unmapped page", WEIR_EFAULT);
		(void)sim_queue_post(m->queue, now_ns + m->cfg->cost.fault_exit_ns,
				     SIM_GUEST_PRIO_OTHERS, arrive, m, vcpu);
		return false;
	}
	if (walk.tlb_hit)
		return true;
	if (!m->check.logging)
		return true;
	if (walk.dirty_set)
		migrate_log_dirtied(m, gfn);
	sim_check_leaf(&m->check, gfn, walk.order, walk.desc);
	if (walk.dirty_set) {
		sim_history_emit(m->history, now_ns, MIGRATE_EV_HW_DIRTY, vcpu, gfn, 0);
		migrate_note(m, gfn, gfn, now_ns, "hardware sets it dirty, vcpu", vcpu);
		m->figures.hw_dirty++;
		migrate_pace_dirtied(m, vcpu, false);
		*delay_ns = m->cfg->cost.hw_dirty_ns;
		if (m->series)
			sim_series_dirty(m->series, now_ns, gfn, 1);
	} else if (again) {
		*delay_ns = m->cfg->cost.refill_ns;
	}
	return true;
}

static void wrote(void *ctx, unsigned int vcpu, uint64_t gfn, uint64_t n)
{
	struct migrate *m = ctx;

	(void)sim_content_store(m->content, gfn, vcpu, n);
}

static bool cached(void *ctx, unsigned int vcpu, uint64_t gfn)
{
	const struct migrate *m = ctx;
	unsigned int who;

	if (m->missing)
		return !migrate_postcopy_missing(m, gfn);
	/* if a lower vCPU has it too, the answer is no, and costs a lookup when the store is due */
	return sim_mmu_any_writable(m->mmu, gfn, &who) && who == vcpu;
}

static void lost(void *ctx, unsigned int vcpu, enum sim_cause cause, uint64_t t0_ns,
		 uint64_t t1_ns)
{
	struct migrate *m = ctx;

	(void)vcpu;
	if (m->series)
		sim_series_lost(m->series, cause, t0_ns, t1_ns, t1_ns - t0_ns);
}

const struct sim_guest_ops migrate_guest_ops = {
	.store = store, .wrote = wrote, .cached = cached, .lost = lost
};

/* ---- the fault handler ---- */

static void resume(void *ctx, uint64_t vcpu)
{
	struct migrate *m = ctx;

	migrate_log_leave(m, (unsigned int)vcpu);
	migrate_pace_rest(m, (unsigned int)vcpu);
	sim_guest_release(m->guest, (unsigned int)vcpu, SIM_CAUSE_FAULT);
	sim_guest_release(m->guest, (unsigned int)vcpu, SIM_CAUSE_SPLIT);
	migrate_pause_check(m);
}

static void unlock(struct migrate *m)
{
	m->lock.taken = false;
	if (m->lock.n)
		grant(m);
}

static void served(void *ctx, uint64_t vcpu)
{
	struct migrate *m = ctx;

	resume(m, vcpu);
	unlock(m);
}

static void served_split(void *ctx, uint64_t vcpu)
{
	struct migrate *m = ctx;
	uint64_t end_ns = migrate_split_end(&m->cfg->cost, sim_queue_now(m->queue),
					    &m->splits_free_ns);

	sim_guest_hold(m->guest, (unsigned int)vcpu, SIM_CAUSE_SPLIT);
	sim_guest_release(m->guest, (unsigned int)vcpu, SIM_CAUSE_FAULT);
	(void)sim_queue_post(m->queue, end_ns, SIM_GUEST_PRIO_OTHERS, resume, m, vcpu);
	unlock(m);
}

static void remember_late(struct migrate *m, uint64_t gfn)
{
	if (m->nlate == m->late_room) {
		m->late_room = m->late_room ? 2 * m->late_room : 1024;
		m->late = sim_realloc(m->late, m->late_room, sizeof(*m->late), "late faults");
	}
	m->late[m->nlate++] = gfn;
}

/* Pages that a policy hands to the hardware at one fault. */
static uint64_t hurried_span(const struct migrate_policy *policy)
{
	switch (policy->policy) {
	case WEIR_DIRTY_DBM_ALL:
		return 512;
	case WEIR_DIRTY_FIXED:
		return policy->neighbourhood;
	default:
		return 16;
	}
}

/* The planted mistake: all of a promotion but the scan set. */
static bool hurry(struct migrate *m, uint64_t gfn, struct weir_dirty_fault_info *info)
{
	uint64_t span = hurried_span(m->policy), page = gfn / span * span, end = page + span;
	unsigned int order;
	uint64_t *leaf = sim_s2_leaf(m->s2, gfn, &order);

	*info = (struct weir_dirty_fault_info){ .outcome = WEIR_DIRTY_SPURIOUS };
	if (!leaf || *leaf & SIM_DESC_W)
		return true;
	if (order) {
		if (sim_dirty_glue_ops(&m->glue)->block_split(&m->glue, gfn) != WEIR_OK)
			return false;
		info->split = true;
	}
	for (; page < end; page++) {
		leaf = sim_s2_leaf(m->s2, page, &order);
		if (!leaf || order || *leaf & (SIM_DESC_W | SIM_DESC_DBM))
			continue;
		*leaf |= page == gfn ? SIM_DESC_W | SIM_DESC_DBM : SIM_DESC_DBM;
		info->leaves++;
	}
	info->outcome = WEIR_DIRTY_PROMOTED;
	remember_late(m, gfn);
	return true;
}

/* Once the last harvest is over, the hurried handler's calls come in. */
void migrate_tell_late(struct migrate *m)
{
	size_t i;

	for (i = 0; i < m->nlate; i++)
		(void)weir_dirty_fault(m->d, m->late[i], NULL);
	m->nlate = 0;
}

static bool handle(struct migrate *m, uint64_t gfn, struct weir_dirty_fault_info *info)
{
	enum weir_status status;

	if (m->cfg->late_scan_set && m->check.logging && migrate_policy_has_hw(m->policy))
		return hurry(m, gfn, info);
	*info = (struct weir_dirty_fault_info){ .outcome = WEIR_DIRTY_SPURIOUS };
	status = weir_dirty_fault(m->d, gfn, info);
	if (status == WEIR_OK || status == WEIR_EAGAIN)
		return true;
	migrate_broken(m, "weir_dirty_fault()", status);
	return false;
}

/* Serve the first vCPU in the queue. */
static void grant(struct migrate *m)
{
	static const char *const outcomes[] = {
		[WEIR_DIRTY_SPURIOUS] = "fault was spurious, leaves written",
		[WEIR_DIRTY_TRAPPED] = "bit set, leaves written",
		[WEIR_DIRTY_PROMOTED] = "promoted, leaves written",
		[WEIR_DIRTY_UNTRACKED] = "not logging, leaves written",
	};
	unsigned int vcpu = m->lock.queue[m->lock.first];
	uint64_t now_ns = sim_queue_now(m->queue), gfn = m->vcpus[vcpu].fault_gfn;
	struct weir_dirty_fault_info info;
	uint64_t service_ns;

	m->lock.first = (m->lock.first + 1) % m->cfg->nvcpus;
	m->lock.n--;
	m->lock.taken = true;
	sim_guest_hold(m->guest, vcpu, SIM_CAUSE_FAULT);
	sim_guest_release(m->guest, vcpu, SIM_CAUSE_LOCK);
	m->glue.vcpu = vcpu;
	if (!handle(m, gfn, &info))
		return;
	m->figures.faults++;
	sim_history_emit(m->history, now_ns, MIGRATE_EV_FAULT_DONE, vcpu, gfn,
			 (uint64_t)info.outcome | (uint64_t)info.leaves << 8 |
				 (uint64_t)info.split << 32);
	migrate_note(m, gfn, gfn, now_ns, outcomes[info.outcome], info.leaves);
	if (info.outcome == WEIR_DIRTY_TRAPPED)
		migrate_log_push(m, vcpu, gfn);
	if (info.outcome == WEIR_DIRTY_TRAPPED || info.outcome == WEIR_DIRTY_PROMOTED)
		migrate_pace_dirtied(m, vcpu, true);
	if (m->series && info.outcome != WEIR_DIRTY_SPURIOUS)
		sim_series_dirty(m->series, now_ns, gfn, 1);
	service_ns = m->cfg->cost.fault_lock_ns + info.leaves * m->cfg->cost.leaf_ps / 1000;
	(void)sim_queue_post(m->queue, now_ns + service_ns, SIM_GUEST_PRIO_OTHERS,
			     info.split ? served_split : served, m, vcpu);
}

/* The vCPU has left the guest and asks for the lock. */
static void arrive(void *ctx, uint64_t vcpu)
{
	struct migrate *m = ctx;

	m->lock.queue[(m->lock.first + m->lock.n++) % m->cfg->nvcpus] = (unsigned int)vcpu;
	if (!m->lock.taken) {
		grant(m);
		return;
	}
	sim_guest_hold(m->guest, (unsigned int)vcpu, SIM_CAUSE_LOCK);
	sim_guest_release(m->guest, (unsigned int)vcpu, SIM_CAUSE_FAULT);
}
