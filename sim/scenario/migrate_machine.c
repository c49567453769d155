// SPDX-License-Identifier: BSD-2-Clause
/*
 * migrate_machine.c - the machine of one migration: memory, tables, TLBs, log, guest; and the hook
 * through which invalidations reach the guest's bookkeeping.
 */
#include "sim/scenario/migrate_internal.h"

#include <inttypes.h>
#include <stdlib.h>

const struct sim_history_kind migrate_kinds[] = {
	{ MIGRATE_EV_STORE, "store", "vcpu", "gfn", "stores" },
	{ MIGRATE_EV_AGAIN, "translate_again", "vcpu", "gfn", "" },
	{ MIGRATE_EV_HW_DIRTY, "hw_dirty", "vcpu", "gfn", "" },
	{ MIGRATE_EV_FAULT, "fault", "vcpu", "gfn", "" },
	{ MIGRATE_EV_FAULT_DONE, "fault_done", "vcpu", "gfn", "outcome_leaves_split" },
	{ MIGRATE_EV_SPLIT, "split", "", "gfn", "" },
	{ MIGRATE_EV_TLBI, "tlbi", "", "first_gfn", "last_gfn" },
	{ MIGRATE_EV_LOG_START, "log_start", "copier", "pages", "" },
	{ MIGRATE_EV_ROUND, "round", "copier", "number", "pages" },
	{ MIGRATE_EV_CLEAR, "clear", "copier", "gfn", "pages" },
	{ MIGRATE_EV_SEND, "send", "copier", "gfn", "pages" },
	{ MIGRATE_EV_GET, "get", "copier", "gfn", "dirty_pages" },
	{ MIGRATE_EV_THROTTLE, "throttle", "copier", "percent", "" },
	{ MIGRATE_EV_SLEEP, "sleep", "vcpu", "ns", "" },
	{ MIGRATE_EV_FREEZE, "freeze", "copier", "next_gfn", "" },
	{ MIGRATE_EV_PAUSE, "pause", "copier", "", "" },
	{ MIGRATE_EV_FINAL, "final", "copier", "", "" },
	{ MIGRATE_EV_RESUME, "resume", "copier", "lost_pages", "" },
	{ MIGRATE_EV_CANCEL, "cancel", "copier", "", "" },
	{ MIGRATE_EV_LOG_FULL, "log_full", "vcpu", "gfn", "" },
	{ MIGRATE_EV_LOG_DRAIN, "log_drain", "vcpu", "entries", "" },
	{ MIGRATE_EV_FETCH, "fetch", "vcpu", "gfn", "" },
	{ MIGRATE_EV_ARRIVED, "arrived", "copier", "pages", "" },
	{ MIGRATE_EV_CHOICE, "choice", "copier", "policy", "pages_written" },
};

/* The simulation itself cannot go on: not a property of what is simulated. */
void migrate_broken(struct migrate *m, const char *what, enum weir_status status)
{
	sim_error_set(&m->error, "migrate: policy %s, %llu ns: %s: %s", m->policy->name,
		      (unsigned long long)sim_queue_now(m->queue), what, weir_status_str(status));
	m->done = true;
}

/* The host's memory does not suffice for what the guest's takes here. */
static void no_memory(struct migrate *m)
{
	uint64_t nbytes = m->cfg->npages * PAGE_BYTES;

	sim_error_set(&m->error, "guest.memory_bytes=%" PRIu64 ": this host has no memory for the "
		      "tables, contents and log of such a guest (tables alone: %" PRIu64
		      " bytes), must be less, or the host larger (policy %s)", nbytes,
		      m->cfg->npages * 8, m->policy->name);
	m->done = true;
}

/* Every running vCPU but one pays for an invalidation that others issued. */
static void disturb(struct migrate *m)
{
	unsigned int i;

	for (i = 0; i < m->cfg->nvcpus; i++)
		sim_guest_delay(m->guest, i, SIM_CAUSE_SCAN, m->cfg->cost.tlbi_vcpu_ns);
}

static void on_op(void *ctx, enum sim_dirty_op op, uint64_t first_gfn, uint64_t last_gfn)
{
	struct migrate *m = ctx;
	uint64_t now_ns = sim_queue_now(m->queue);
	unsigned int order = m->cfg->map_order;

	if (op != SIM_DIRTY_OP_TLBI_RANGE && op != SIM_DIRTY_OP_BLOCK_SPLIT)
		return;
	if (op == SIM_DIRTY_OP_TLBI_RANGE) {
		sim_history_emit(m->history, now_ns, MIGRATE_EV_TLBI, ACTOR_COPIER, first_gfn,
				 last_gfn);
		migrate_note(m, first_gfn, last_gfn, now_ns,
			     m->glue.skip_tlbi ? "no TLBI" : "TLBI", 0);
	} else {
		sim_history_emit(m->history, now_ns, MIGRATE_EV_SPLIT, ACTOR_COPIER, first_gfn, 0);
	}
	/* an entry of a block goes when any of its pages does */
	first_gfn = first_gfn >> order << order;
	last_gfn = ((last_gfn >> order) + 1) << order;
	sim_guest_invalidated(m->guest, first_gfn, last_gfn - 1);
	disturb(m);
}

/* Map the guest with the largest leaves that fit, up to the wanted order. */
static enum weir_status map_memory(struct migrate *m)
{
	uint64_t gfn = m->cfg->base_gfn, end = gfn + m->cfg->npages;
	unsigned int wanted = m->cfg->map_order;

	while (gfn < end) {
		unsigned int order = wanted;
		uint64_t npages;
		enum weir_status status;

		while (order && (gfn & (((uint64_t)1 << order) - 1) ||
				 end - gfn < (uint64_t)1 << order))
			order -= 9;
		npages = order == wanted ? (end - gfn) >> order << order : (uint64_t)1 << order;
		if (order < wanted && order + 9 <= wanted) {
			/* up to where a larger leaf may begin, or to the end */
			uint64_t next = (gfn | (((uint64_t)1 << (order + 9)) - 1)) + 1;

			npages = (next < end ? next - gfn : end - gfn) >> order << order;
		}
		status = sim_s2_map(m->s2, gfn, npages, gfn, SIM_S2_ATTRS_RW, order);
		if (status != WEIR_OK)
			return status;
		gfn += npages;
	}
	return WEIR_OK;
}

static enum weir_status build_tables(struct migrate *m)
{
	struct sim_s2_config s2 = {
		.geometry = SIM_S2_GEOMETRY_4K, .table_base_pa = UINT64_C(1) << 47
	};
	struct sim_mmu_config mmu = {
		.nvcpus = m->cfg->nvcpus,
		.vtcr = { .ha = true, .hd = true, .pa_bits = 48 },
		.tlb_page_entries = m->cfg->tlb_page_entries,
		.tlb_block_entries = m->cfg->tlb_block_entries,
		.log_memory = migrate_log_memory,
		.log_memory_ctx = m,
	};
	enum weir_status status;

	/* every page at page grain, and as much again for the upper levels of small guests */
	s2.table_bytes_max = m->cfg->npages * 8 + m->cfg->npages / 32 + (UINT64_C(16) << 20);
	s2.table_bytes_max = (s2.table_bytes_max | 0xffff) + 1;
	m->content = sim_content_create(m->cfg->base_gfn, m->cfg->npages);
	if (!m->content)
		return WEIR_ENOMEM;
	status = sim_s2_create(&s2, &m->s2);
	if (status == WEIR_OK)
		status = map_memory(m);
	if (status == WEIR_OK)
		status = sim_mmu_create(&mmu, m->s2, &m->mmu);
	return status;
}

/* The library's log for m->policy, off. What was there before is given back. */
enum weir_status migrate_build_log(struct migrate *m)
{
	struct weir_dirty_config cfg = {
		.base_gfn = m->cfg->base_gfn,
		.npages = m->cfg->npages,
		.policy = m->policy->policy,
		.neighbourhood = m->policy->neighbourhood,
		.table_pages = 512,
		.flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_COUNTERS | WEIR_DIRTY_F_TABLES_EXCLUSIVE,
		.cost_fault_ns = (uint32_t)(m->cfg->cost.fault_exit_ns +
					    m->cfg->cost.fault_lock_ns),
		.cost_scan_group_ns = (uint32_t)(m->cfg->cost.scan_group_ns +
						 m->cfg->cost.scan_pte_ps *
							 WEIR_DIRTY_GROUP_PAGES / 1000),
		.scan_weight = m->cfg->scan_weight,
	};
	size_t size;

	if (m->policy->log == MIGRATE_HDBSS)
		cfg.flags |= WEIR_DIRTY_F_HDBSS;
	if (migrate_assumes(m))
		cfg.flags |= WEIR_DIRTY_F_ASSUME;
	size = weir_dirty_size(&cfg);
	if (!size)
		return WEIR_EINVAL;
	free(m->memory);
	m->memory = aligned_alloc(64, (size + 63) / 64 * 64);
	if (!m->memory)
		return WEIR_ENOMEM;
	migrate_log_build(m);
	return weir_dirty_init(m->memory, size, &cfg, sim_dirty_glue_ops(&m->glue), &m->glue,
			       &m->d);
}

bool migrate_build(struct migrate *m, const struct sim_workload *workload)
{
	uint32_t n = m->cfg->nvcpus;
	enum weir_status status;

	m->named = m->policy;
	m->queue = sim_queue_create();
	m->lock.queue = sim_alloc(n, sizeof(*m->lock.queue), "lock queue");
	m->vcpus = sim_alloc(n, sizeof(*m->vcpus), "vCPUs");
	m->pending = calloc((m->cfg->npages + 63) / 64, sizeof(*m->pending));
	status = build_tables(m);
	m->glue = (struct sim_dirty_glue){
		.s2 = m->s2, .mmu = m->mmu, .skip_tlbi = m->cfg->skip_tlbi,
		.on_op = on_op, .hook_ctx = m,
	};
	if (status == WEIR_OK)
		status = migrate_build_log(m);
	if (status == WEIR_ENOMEM || !m->pending) {
		no_memory(m);
		return false;
	}
	if (status != WEIR_OK) {
		migrate_broken(m, "building the machine", status);
		return false;
	}
	m->guest = sim_guest_create(m->queue, workload, n, &migrate_guest_ops, m);
	m->check = (struct sim_check){
		.d = m->d, .s2 = m->s2, .mmu = m->mmu, .content = m->content,
		.base_gfn = m->cfg->base_gfn, .npages = m->cfg->npages,
		.report = m->on_violation, .ctx = m->on_violation_ctx,
	};
	return true;
}

void migrate_take_down(struct migrate *m)
{
	sim_guest_destroy(m->guest);
	sim_mmu_destroy(m->mmu);
	sim_s2_destroy(m->s2);
	sim_content_destroy(m->content);
	sim_queue_destroy(m->queue);
	migrate_log_take_down(m);
	free(m->memory);
	free(m->missing);
	free(m->wanted);
	free(m->pending);
	free(m->vcpus);
	free(m->lock.queue);
	free(m->late);
}
