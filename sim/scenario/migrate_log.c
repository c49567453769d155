// SPDX-License-Identifier: BSD-2-Clause
/*
 * migrate_log.c - policies with a log beside the bitmap: a ring a vCPU, or the hardware's (HDBSS).
 *
 * Rings. The fault handler pushes each page it trapped. A ring that is soft-full sends its vCPU to
 * user space when the fault is served, where it is collected and reset; so the page whose store is
 * about to be tried again is in the ring already, and traps once more: a page too often, never too
 * seldom. At the end of a round all rings are collected and reset, and what came out of them since
 * the round before is what the next one sends. The region's own bits are the backup: they have the
 * pages of writers without a vCPU, and those that found no room, and are asked in the pause, last.
 *
 * The hardware's log. It is armed on every vCPU before logging starts, and disarmed when logging
 * has stopped and it was drained. A log that is full aborts the store; its vCPU leaves the guest,
 * drains it, and tries again. Before each GET over the region every vCPU is kicked out and its log
 * drained; what is written during the GET is in the next one.
 *
 * What a vCPU spends on its log is charged to SCAN: it does there what a GET does elsewhere.
 */
#include "sim/scenario/migrate_internal.h"

#include <stdlib.h>
#include <string.h>

#define LOGS_PA		(UINT64_C(1) << 46)	/* where the hardware's logs are */
#define COLLECT		256u

static uint64_t bitmap_words(const struct migrate *m)
{
	return (m->cfg->npages + 63) / 64;
}

static bool test_and_clear(uint64_t *bitmap, uint64_t page)
{
	uint64_t bit = UINT64_C(1) << (page % 64), old = bitmap[page / 64];

	bitmap[page / 64] = old & ~bit;
	return old & bit;
}

static bool in_log(void *ctx, uint64_t gfn)
{
	const struct migrate *m = ctx;
	uint64_t page = gfn - m->cfg->base_gfn;

	return m->log.held[page / 64] >> (page % 64) & 1;
}

/* Room for the log of m->policy, in place of what was there. */
void migrate_log_build(struct migrate *m)
{
	uint32_t n = m->policy->log_entries, i;
	struct migrate_log *log = &m->log;

	migrate_log_take_down(m);
	if (m->policy->log == MIGRATE_NO_LOG)
		return;
	log->entries = sim_alloc((size_t)m->cfg->nvcpus * n, sizeof(*log->entries), "dirty logs");
	if (m->policy->log == MIGRATE_HDBSS) {
		log->held = sim_alloc(bitmap_words(m), sizeof(*log->held), "frames in logs");
		return;
	}
	log->frames = sim_alloc(bitmap_words(m), sizeof(*log->frames), "frames from rings");
	log->rings = sim_alloc(m->cfg->nvcpus, sizeof(*log->rings), "rings");
	for (i = 0; i < m->cfg->nvcpus; i++)
		sim_assert(weir_dirty_ring_init(&log->rings[i], log->entries + (size_t)i * n, n) ==
			   WEIR_OK);
}

void migrate_log_take_down(struct migrate *m)
{
	free(m->log.rings);
	free(m->log.entries);
	free(m->log.frames);
	free(m->log.held);
	m->log = (struct migrate_log){ .rings = NULL };
}

/* The 8 bytes at an address, for the hardware that writes its logs there. */
uint64_t *migrate_log_memory(void *ctx, uint64_t pa)
{
	const struct migrate *m = ctx;
	uint64_t i = (pa - LOGS_PA) / 8;

	if (!m->log.held || pa < LOGS_PA || i >= (uint64_t)m->cfg->nvcpus * m->policy->log_entries)
		return NULL;
	return &m->log.entries[i];
}

/* Before logging starts. */
bool migrate_log_arm(struct migrate *m)
{
	uint64_t bytes = (uint64_t)m->policy->log_entries * 8;
	unsigned int i;

	if (m->policy->log != MIGRATE_HDBSS)
		return true;
	for (i = 0; i < m->cfg->nvcpus; i++) {
		enum weir_status status = sim_mmu_hdbss_arm(m->mmu, i, LOGS_PA + i * bytes,
							    m->policy->log_entries);

		if (status == WEIR_OK)
			continue;
		migrate_broken(m, "arming the hardware's log", status);
		return false;
	}
	m->check.in_log = in_log;
	m->check.log_ctx = m;
	return true;
}

/* The hardware set a leaf dirty. */
void migrate_log_dirtied(struct migrate *m, uint64_t gfn)
{
	uint64_t page = gfn - m->cfg->base_gfn;

	if (m->log.held)
		m->log.held[page / 64] |= UINT64_C(1) << (page % 64);
}

/* Hand a vCPU's hardware log to the library. Returns how many entries it had. */
static uint64_t drain(struct migrate *m, unsigned int vcpu)
{
	struct sim_hdbss *hw = sim_mmu_hdbss(m->mmu, vcpu);
	uint64_t buf[COLLECT];
	uint32_t i = 0, n;

	while (i < hw->index) {
		for (n = 0; n < COLLECT && i < hw->index; n++, i++) {
			uint64_t gfn;

			buf[n] = sim_hdbss_read(hw, i);
			gfn = (buf[n] & SIM_HDBSS_ADDRESS) / PAGE_BYTES;
			(void)test_and_clear(m->log.held, gfn - m->cfg->base_gfn);
		}
		(void)weir_dirty_log(m->d, buf, n, 12);
	}
	sim_hdbss_rewind(hw);
	return i;
}

/* Collect a vCPU's ring into the bitmap of the next round. Returns how many entries it had. */
static uint64_t collect(struct migrate *m, unsigned int vcpu)
{
	uint64_t gfns[COLLECT], total = 0;
	size_t n, i;

	do {
		n = weir_dirty_ring_collect(&m->log.rings[vcpu], gfns, COLLECT);
		for (i = 0; i < n; i++) {
			uint64_t page = gfns[i] - m->cfg->base_gfn;

			m->log.frames[page / 64] |= UINT64_C(1) << (page % 64);
		}
		total += n;
	} while (n == COLLECT);
	return total;
}

/* Re-arm what was collected. */
static void reset(struct migrate *m, unsigned int vcpu)
{
	size_t n;
	enum weir_status status = weir_dirty_ring_reset(&m->log.rings[vcpu], m->d, &n);

	if (status != WEIR_OK)
		migrate_broken(m, "weir_dirty_ring_reset()", status);
}

/* Empty one vCPU's log. Returns what that takes. */
static uint64_t empty(struct migrate *m, unsigned int vcpu, bool rearm)
{
	bool ring = m->policy->log == MIGRATE_RING;
	uint64_t n, ns = 0;
	struct migrate_bill bill;

	n = ring ? collect(m, vcpu) : drain(m, vcpu);
	if (ring && rearm && n) {
		migrate_bill_open(m, &bill);
		reset(m, vcpu);
		ns = migrate_bill_ns(m, &bill, 0);
	}
	m->log.nentries += n;
	sim_history_emit(m->history, sim_queue_now(m->queue), MIGRATE_EV_LOG_DRAIN, vcpu, n, 0);
	return ns + n * (ring ? m->cfg->log.ring_entry_ns : m->cfg->log.entry_ns);
}

static void emptied(void *ctx, uint64_t vcpu)
{
	struct migrate *m = ctx;

	sim_guest_release(m->guest, (unsigned int)vcpu, SIM_CAUSE_SCAN);
	migrate_pause_check(m);
}

/* A vCPU has left the guest because its log is full. */
void migrate_log_full(void *ctx, uint64_t vcpu)
{
	struct migrate *m = ctx;
	uint64_t ns;

	sim_guest_hold(m->guest, (unsigned int)vcpu, SIM_CAUSE_SCAN);
	sim_guest_release(m->guest, (unsigned int)vcpu, SIM_CAUSE_FAULT);
	m->log.nfull++;
	sim_history_emit(m->history, sim_queue_now(m->queue), MIGRATE_EV_LOG_FULL, (uint32_t)vcpu,
			 m->vcpus[vcpu].fault_gfn, 0);
	ns = empty(m, (unsigned int)vcpu, true);
	(void)sim_queue_post(m->queue, sim_queue_now(m->queue) + ns, SIM_GUEST_PRIO_OTHERS, emptied,
			     m, vcpu);
}

/* A page was trapped: into the ring of its writer, if there are rings. */
void migrate_log_push(struct migrate *m, unsigned int vcpu, uint64_t gfn)
{
	if (m->log.rings && weir_dirty_ring_push(&m->log.rings[vcpu], gfn) != WEIR_OK)
		m->vcpus[vcpu].log_full = true;
}

/* A fault was served; if it filled the ring, the vCPU does not go back into the guest yet. */
void migrate_log_leave(struct migrate *m, unsigned int vcpu)
{
	if (!m->vcpus[vcpu].log_full)
		return;
	m->vcpus[vcpu].log_full = false;
	sim_guest_hold(m->guest, vcpu, SIM_CAUSE_SCAN);
	(void)sim_queue_post(m->queue, sim_queue_now(m->queue) + m->cfg->log.ring_exit_ns,
			     SIM_GUEST_PRIO_OTHERS, migrate_log_full, m, vcpu);
}

/*
 * All logs, before a GET: kick the vCPUs that run, wait for them, empty each. In the pause, what
 * was in a ring need not be re-armed; and what the last round left to be sent, re-armed as it is,
 * goes back to where the GET will look for it. Returns what it takes the copier.
 */
uint64_t migrate_log_gather(struct migrate *m)
{
	uint64_t ns = 0, word;
	unsigned int i;

	if (m->policy->log == MIGRATE_NO_LOG)
		return 0;
	for (word = 0; m->log.frames && m->paused && word < bitmap_words(m); word++)
		m->log.frames[word] |= m->pending[word];
	m->log.ngathers++;
	for (i = 0; i < m->cfg->nvcpus; i++) {
		sim_guest_delay(m->guest, i, SIM_CAUSE_SCAN, m->cfg->log.kick_ns);
		ns += empty(m, i, !m->paused);
	}
	return ns + (m->paused ? 0 : m->cfg->log.kick_ns);
}

/* What came out of rings since the last round goes into the bitmap beside what GET found. */
void migrate_log_merge(struct migrate *m, uint64_t first_word, uint64_t words)
{
	uint64_t i;

	for (i = first_word; m->log.frames && i < first_word + words; i++) {
		m->pending[i] |= m->log.frames[i];
		m->log.frames[i] = 0;
	}
}

/* Logging has stopped. */
void migrate_log_disarm(struct migrate *m)
{
	unsigned int i;

	if (m->policy->log != MIGRATE_HDBSS)
		return;
	m->check.in_log = NULL;
	for (i = 0; i < m->cfg->nvcpus; i++) {
		(void)drain(m, i);
		sim_assert(sim_mmu_hdbss_disarm(m->mmu, i) == WEIR_OK);
	}
}
