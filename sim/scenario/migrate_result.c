// SPDX-License-Identifier: BSD-2-Clause
/*
 * migrate_result.c - what a migration came to: the columns of the table, the counters, and the two
 * judgements on contents, lost pages and false positives.
 */
#include "sim/scenario/migrate_internal.h"

#include <stdio.h>

#include "sim/engine/stats.h"
#include "sim/scenario/scenario.h"

const struct sim_metric migrate_metrics[] = {
	SIM_METRIC("lost_pages", "lost pages", "", LOWER, false,
		   "pages whose content differs at the destination when the guest resumes"),
	SIM_METRIC("memory_equal", "memory equal", "bool", HIGHER, false,
		   "all of memory compared, source against destination"),
	SIM_METRIC("lost_compute_vcpu_ns", "lost compute", "vcpu ns", LOWER, false,
		   "sum over vCPUs of (common end - progress)"),
	SIM_METRIC("blackout_ns", "blackout", "ns", LOWER, false, "from the pause to the resume"),
	SIM_METRIC("get_ns", "GET", "ns", LOWER, false,
		   "harvest of the whole region in blackout, bitmap copied out"),
	SIM_METRIC("freeze_ns", "freeze", "ns", LOWER, false,
		   "turning hardware-tracked groups back to trapping, beside the guest"),
	SIM_METRIC("clear_ns", "CLEAR", "ns", LOWER, false, "re-arming what was sent"),
	SIM_METRIC("total_ns", "total", "ns", LOWER, false,
		   "from the start of logging to the resume"),
	SIM_METRIC("rounds", "rounds", "", NEUTRAL, false,
		   "pre-copy rounds, the full one included"),
	SIM_METRIC("bytes_sent", "sent", "bytes", LOWER, false, "pages and their headers"),
	SIM_METRIC("faults", "faults", "", LOWER, false, "write faults"),
	SIM_METRIC("ptes_scanned", "PTEs scanned", "", LOWER, false,
		   "descriptors read to find dirty pages"),
	SIM_METRIC("tlbis", "TLBIs", "", LOWER, false,
		   "broadcast invalidations: ranges, and one for each block split"),
	SIM_METRIC("false_positive_pages", "false positives", "", LOWER, false,
		   "pages reported dirty that had not changed since they were sent last"),
	SIM_METRIC("lost_fault_vcpu_ns", "lost to faults", "vcpu ns", LOWER, true,
		   "exits, handlers and entries"),
	SIM_METRIC("lost_lock_vcpu_ns", "lost to the lock", "vcpu ns", LOWER, true,
		   "waiting for the lock of the tables"),
	SIM_METRIC("lost_split_vcpu_ns", "lost to splits", "vcpu ns", LOWER, true,
		   "splitting blocks, broadcast invalidation included"),
	SIM_METRIC("lost_scan_vcpu_ns", "lost to scans", "vcpu ns", LOWER, true,
		   "others' invalidations, TLB refills, hardware dirty updates"),
	SIM_METRIC("lost_throttle_vcpu_ns", "lost to throttling", "vcpu ns", LOWER, true,
		   "sleeps of auto-converge"),
	SIM_METRIC("lost_blackout_vcpu_ns", "lost to blackout", "vcpu ns", LOWER, true,
		   "stopped for the switchover"),
};

/* A page that is reported dirty and holds what the destination has was reported for nothing. */
void migrate_count_false(struct migrate *m)
{
	uint64_t nwords = (m->cfg->npages + 63) / 64, i, word;

	for (i = 0; i < nwords; i++) {
		uint64_t gfn = m->cfg->base_gfn + i * 64;

		word = m->pending[i];
		if (!word)
			continue;
		sim_guest_settle(m->guest, gfn, 64);
		for (; word; word &= word - 1)
			m->figures.false_positives +=
				sim_content_same(m->content, gfn + (uint64_t)__builtin_ctzll(word));
	}
}

/* The guest is about to resume: is it the guest that was stopped? */
void migrate_find_lost(struct migrate *m)
{
	struct sim_content_bad bad[WATCHES_MAX];
	uint64_t nbad = sim_check_lost(&m->check, bad, WATCHES_MAX);
	unsigned int i;

	m->figures.lost_pages = nbad;
	m->figures.equal = !nbad;
	for (i = 0; i < WATCHES_MAX && i < nbad; i++)
		m->bad[i] = bad[i];
}

/*
 * The result of a run that is over. Lost compute is the sum over vCPUs of (end - progress): after
 * its own end a guest makes full progress, so that the same comes out for any common end that is
 * later.
 */
void migrate_sum_up(const struct migrate *m, struct migrate_result *result)
{
	struct sim_s2_stats s2;
	unsigned int i, cause;

	*result = (struct migrate_result){
		.policy = m->named, .figures = m->figures, .why = m->why,
		.sample_pages = m->sample_pages, .chosen = m->policy->policy,
	};
	weir_dirty_stats(m->d, &result->log);
	for (i = 0; i < sizeof(result->log) / sizeof(uint64_t); i++)
		((uint64_t *)&result->log)[i] += ((const uint64_t *)&m->stats_before)[i];
	sim_s2_stats(m->s2, &s2);
	result->tlbis = result->log.tlbi_ranges + s2.blocks_split;
	for (i = 0; i < m->cfg->nvcpus; i++) {
		result->lost_total_ns += m->figures.end_ns - sim_guest_progress(m->guest, i);
		for (cause = 0; cause < SIM_NCAUSES; cause++)
			result->lost_ns[cause] +=
				sim_guest_lost_ns(m->guest, i, (enum sim_cause)cause);
	}
}

void migrate_hand_over(const struct migrate_result *result, struct sim_policy_out *out)
{
	const struct migrate_figures *f = &result->figures;
	unsigned int cause;
	char name[40];

	sim_run_value(out, "lost_pages", f->lost_pages);
	sim_run_value(out, "memory_equal", f->equal);
	sim_run_value(out, "lost_compute_vcpu_ns", result->lost_total_ns);
	sim_run_value(out, "blackout_ns", f->blackout_ns);
	sim_run_value(out, "get_ns", f->get_ns);
	sim_run_value(out, "freeze_ns", f->freeze_ns);
	sim_run_value(out, "clear_ns", f->clear_ns);
	sim_run_value(out, "total_ns", f->end_ns - f->start_ns);
	sim_run_value(out, "rounds", f->rounds);
	sim_run_value(out, "bytes_sent", f->bytes_sent);
	sim_run_value(out, "faults", f->faults);
	sim_run_value(out, "ptes_scanned", result->log.ptes_scanned);
	sim_run_value(out, "tlbis", result->tlbis);
	sim_run_value(out, "false_positive_pages", f->false_positives);
	for (cause = 0; cause < SIM_NCAUSES; cause++) {
		snprintf(name, sizeof(name), "lost_%s_vcpu_ns", sim_cause_names[cause]);
		sim_run_value(out, name, result->lost_ns[cause]);
	}
}

static void add(struct sim_stats *stats, const char *name, const char *unit, uint64_t value,
		const char *description)
{
	sim_stat_set(sim_stat_add(stats, name, unit, description), value);
}

static void add_copier(const struct migrate *m, struct sim_stats *s)
{
	const struct migrate_figures *f = &m->figures;

	add(s, "migrate.outcome", "1", f->outcome,
	    "0 converged, 1 forced, 2 cancelled, 3 post-copy, 4 not over within migrate.limit_ns");
	add(s, "migrate.start_ns", "ns", f->start_ns, "when logging began");
	add(s, "migrate.end_ns", "ns", f->end_ns, "when the guest resumed");
	add(s, "migrate.rounds", "1", f->rounds, "pre-copy rounds");
	add(s, "migrate.pages_sent", "pages", f->pages_sent, "pages sent");
	add(s, "migrate.bytes_sent", "bytes", f->bytes_sent, "bytes sent");
	add(s, "migrate.last_pages", "pages", f->last_pages, "pages sent in blackout");
	add(s, "migrate.postcopy_pages", "pages", f->late_pages, "arrived after the resume");
	add(s, "migrate.postcopy_fetches", "1", f->fetches, "stores that waited for a page");
	add(s, "migrate.postcopy_ns", "ns", f->postcopy_ns, "resume until all had arrived");
	add(s, "migrate.skipped_pages", "pages", f->pages_skipped,
	    "assumed dirty, and not sent in a round");
	add(s, "migrate.false_positive_pages", "pages", f->false_positives,
	    "reported dirty without having changed");
	add(s, "migrate.lost_pages", "pages", f->lost_pages, "wrong at the destination");
	add(s, "migrate.blackout_ns", "ns", f->blackout_ns, "pause to resume");
	add(s, "migrate.estimate_ns", "ns", f->estimate_ns,
	    "blackout expected when it was decided to switch over");
	add(s, "migrate.get_ns", "ns", f->get_ns, "GET in blackout");
	add(s, "migrate.gets_ns", "ns", f->gets_ns, "GETs at the ends of rounds");
	add(s, "migrate.clear_ns", "ns", f->clear_ns, "CLEARs");
	add(s, "migrate.freeze_ns", "ns", f->freeze_ns, "freezing");
	add(s, "migrate.throttle_percent", "percent", m->throttle_percent, "throttle at the end");
	add(s, "migrate.faults", "1", f->faults, "write faults");
	add(s, "migrate.hw_dirty", "1", f->hw_dirty, "leaves that hardware set dirty");
}

static void add_guest(const struct migrate *m, const struct migrate_result *result,
		      struct sim_stats *s)
{
	struct sim_guest_stats guest;
	struct sim_mmu_stats mmu;
	unsigned int cause, i;
	char name[48];

	sim_guest_stats(m->guest, &guest);
	add(s, "replay.rows", "rows", guest.rows, "rows begun");
	add(s, "replay.epochs", "1", guest.epochs, "epochs finished, each vCPU's own");
	add(s, "replay.stores", "1", guest.stores, "stores done");
	add(s, "replay.translated", "1", guest.translated, "stores that went through the MMU");
	add(s, "replay.again", "1", guest.again, "of them, after an invalidation or a fault");
	add(s, "guest.lost_ns", "vcpu ns", result->lost_total_ns, "progress lost, all causes");
	for (cause = 0; cause < SIM_NCAUSES; cause++) {
		snprintf(name, sizeof(name), "guest.lost_%s_ns", sim_cause_names[cause]);
		add(s, name, "vcpu ns", result->lost_ns[cause],
		    "progress lost to this cause");
	}
	for (i = 0; i < m->cfg->nvcpus; i++) {
		const struct migrate_vcpu *v = &m->vcpus[i];
		uint64_t ran_ns = sim_guest_progress(m->guest, i) - v->start_ns;

		snprintf(name, sizeof(name), "vcpu%u.dirty_pages", i);
		add(s, name, "pages", v->dirtied, "made dirty by this vCPU while logging");
		snprintf(name, sizeof(name), "vcpu%u.dirty_pages_per_s", i);
		add(s, name, "pages/s", ran_ns ? v->dirtied * 1000000000u / ran_ns : 0,
		    "of its progress");
	}
	sim_mmu_stats(m->mmu, &mmu);
	add(s, "mmu.tlb_hits", "1", mmu.tlb_hits, "accesses answered by a TLB");
	add(s, "mmu.walks", "1", mmu.tlb_misses, "accesses that walked the tables");
	add(s, "mmu.faults", "1", mmu.faults, "walks that ended in a fault");
	add(s, "mmu.dirty_updates", "1", mmu.dirty_updates, "leaves set dirty by hardware");
	add(s, "mmu.invalidations", "1", mmu.invalidations, "broadcast invalidations");
	add(s, "mmu.local_invalidations", "1", mmu.local_invalidations, "local invalidations");
}

static void add_log(const struct migrate *m, const struct weir_dirty_stats *d, struct sim_stats *s)
{
	struct sim_s2_stats s2;
	struct sim_content_stats content;
	unsigned int i;
	uint64_t late = 0;
	char name[48];

	add(s, "dirty.faults_trapped", "1", d->faults_trapped, "faults that set a bit");
	add(s, "dirty.faults_promoted", "1", d->faults_promoted, "faults that promoted");
	add(s, "dirty.faults_spurious", "1", d->faults_spurious, "faults on a writable page");
	add(s, "dirty.faults_untracked", "1", d->faults_untracked, "faults while logging was off");
	for (i = 0; i < WEIR_DIRTY_SOURCES; i++)
		late += d->pages_late[i];
	add(s, "dirty.pages_late", "pages", late, "marked or faulted after final");
	add(s, "dirty.leaves_promoted", "ptes", d->leaves_promoted, "leaves that got DBM");
	add(s, "dirty.leaves_demoted", "ptes", d->leaves_demoted, "leaves that lost DBM");
	add(s, "dirty.groups_promoted", "groups", d->groups_promoted, "entries into the scan set");
	add(s, "dirty.groups_demoted", "groups", d->groups_demoted, "exits from the scan set");
	add(s, "dirty.blocks_split", "blocks", d->blocks_split, "splits the log asked for");
	add(s, "dirty.tlbi_ranges", "1", d->tlbi_ranges, "range invalidations");
	add(s, "dirty.tlbi_locals", "1", d->tlbi_locals, "local invalidations");
	add(s, "dirty.ptes_scanned", "ptes", d->ptes_scanned, "descriptors read in scans");
	add(s, "dirty.ptes_rearmed", "ptes", d->ptes_rearmed, "descriptors write-protected");
	add(s, "dirty.pages_cleared", "pages", d->pages_cleared, "pages taken by CLEAR");
	add(s, "dirty.pages_assumed", "pages", d->pages_assumed, "began to be assumed dirty");
	add(s, "dirty.pages_let_go", "pages", d->pages_let_go, "ceased to be");
	add(s, "dirty.pages_logged", "pages", d->pages_logged, "entries of the hardware's log");
	add(s, "log.entries", "1", m->log.nentries, "taken out of rings or hardware logs");
	add(s, "log.full_exits", "1", m->log.nfull, "exits because one was full");
	add(s, "log.gathers", "1", m->log.ngathers, "times that all of them were gathered");
	sim_s2_stats(m->s2, &s2);
	add(s, "s2.blocks_split", "blocks", s2.blocks_split, "blocks broken up");
	add(s, "s2.table_bytes", "bytes", s2.table_bytes, "stage-2 tables");
	sim_content_stats(m->content, &content);
	add(s, "content.pages_written", "pages", content.pages_present, "frames ever written");
	for (i = 0; i < SIM_NCHECKERS; i++) {
		snprintf(name, sizeof(name), "check.%s", sim_checker_names[i]);
		add(s, name, "1", m->check.violations[i], "violations of this checker");
	}
}

struct sim_stats *migrate_stats(const struct migrate *m, const struct migrate_result *result)
{
	struct sim_stats *stats = sim_stats_create();

	add_copier(m, stats);
	add_guest(m, result, stats);
	add_log(m, &result->log, stats);
	return stats;
}
