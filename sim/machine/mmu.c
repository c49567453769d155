// SPDX-License-Identifier: BSD-2-Clause
/*
 * mmu.c - TLB, walk, fill: see mmu.h.
 */
#include "sim/machine/mmu.h"
#include "sim/engine/error.h"
#include "sim/machine/stage2_priv.h"
#include "sim/machine/tlb_priv.h"

#include <stdlib.h>

struct vcpu {
	struct sim_tlb *tlb;
	uint64_t hits;
	uint64_t misses;
	uint64_t faults;
	uint64_t af_updates;
	uint64_t dirty_updates;
	uint64_t conflicts;
	struct sim_hdbss *log;	/* with VTCR_EL2.HDBSS; a cache line each */
};

struct sim_mmu {
	struct sim_s2 *s2;
	struct sim_vtcr vtcr;
	struct sim_walk_hook hook;
	bool sticky_permissions;
	unsigned int bbm_level;
	bool check_conflicts;
	unsigned int nvcpus;
	struct vcpu *vcpus;
	struct sim_hdbss *logs;	/* one a vCPU, on or not */
	uint64_t invalidations;
	uint64_t local_invalidations;
};

static void invalidate_cb(void *ctx, uint64_t first_gfn, uint64_t last_gfn)
{
	sim_mmu_invalidate(ctx, first_gfn, last_gfn);
}

static bool pa_bits_valid(unsigned int bits)
{
	return bits == 32 || bits == 36 || bits == 40 || bits == 42 || bits == 44 || bits == 48 ||
	       bits == 52;
}

enum weir_status sim_mmu_create(const struct sim_mmu_config *cfg, struct sim_s2 *s2,
				struct sim_mmu **out)
{
	struct sim_mmu *m;

	if (cfg->nvcpus == 0 || cfg->nvcpus > SIM_MMU_VCPUS_MAX || cfg->bbm_level > 2 ||
	    !pa_bits_valid(cfg->vtcr.pa_bits))
		return WEIR_EINVAL;
	m = sim_alloc(1, sizeof(*m), "MMUs");
	m->s2 = s2;
	m->vtcr = cfg->vtcr;
	m->sticky_permissions = cfg->sticky_permissions;
	m->bbm_level = cfg->bbm_level;
	m->check_conflicts = cfg->check_conflicts;
	m->vcpus = sim_alloc(cfg->nvcpus, sizeof(*m->vcpus), "MMUs");
	m->logs = sim_alloc(cfg->nvcpus, sizeof(*m->logs), "dirty logs");
	for (unsigned int i = 0; i < cfg->nvcpus; i++) {
		m->logs[i].memory = cfg->log_memory;
		m->logs[i].memory_ctx = cfg->log_memory_ctx;
	}
	for (; m->nvcpus < cfg->nvcpus; m->nvcpus++) {
		m->vcpus[m->nvcpus].tlb = sim_tlb_create(cfg->tlb_page_entries,
							 cfg->tlb_block_entries);
		if (!m->vcpus[m->nvcpus].tlb) {
			sim_mmu_destroy(m);
			return WEIR_EINVAL;
		}
	}
	sim_s2_set_invalidate(s2, invalidate_cb, m);
	*out = m;
	return WEIR_OK;
}

void sim_mmu_destroy(struct sim_mmu *m)
{
	if (!m)
		return;
	if (m->s2->invalidate_ctx == m)
		sim_s2_set_invalidate(m->s2, NULL, NULL);
	for (unsigned int i = 0; i < m->nvcpus; i++)
		sim_tlb_destroy(m->vcpus[i].tlb);
	free(m->vcpus);
	free(m->logs);
	free(m);
}

static unsigned int perms_of(const struct sim_vtcr *vtcr, uint64_t desc)
{
	unsigned int xn = (unsigned int)(desc >> 53 & 3);
	unsigned int perms = 0;

	if (desc & SIM_DESC_R)
		perms |= SIM_TLB_R;
	if (desc & SIM_DESC_W)
		perms |= SIM_TLB_W;
	else if (vtcr->ha && vtcr->hd && desc & SIM_DESC_DBM)
		perms |= SIM_TLB_CLEAN;
	if (xn == 0 || xn == 3)
		perms |= SIM_TLB_X;
	return perms;
}

static unsigned int needed(enum sim_access access)
{
	return 1u << access;	/* SIM_TLB_R, W and X stand in the order of enum sim_access */
}

/* Not in the TLB, or not with the permission: walk, and enter what that finds. */
static bool walk_and_fill(struct sim_mmu *m, struct vcpu *v, uint64_t gfn, enum sim_access access,
			  struct sim_walk *out)
{
	unsigned int gs = m->s2->geo.granule_shift;

	v->misses++;
	if (!sim_walk_logged(m->s2, &m->vtcr, gfn << gs, access, &m->hook, v->log, out)) {
		v->faults++;
		return false;
	}
	v->af_updates += out->af_set;
	v->dirty_updates += out->dirty_set;
	if (m->check_conflicts)
		v->conflicts += sim_tlb_conflict(v->tlb, gfn, out->oa >> gs, out->run_order,
						 m->bbm_level == 2);
	if (m->bbm_level == 0 || out->level == 3 || !(out->desc & SIM_DESC_NT))
		sim_tlb_fill(v->tlb, gfn, out->oa >> gs, perms_of(&m->vtcr, out->desc),
			     out->run_order);
	return true;
}

static void describe_hit(const struct sim_mmu *m, const struct tlb_entry *e, uint64_t gfn,
			 unsigned int order, struct sim_walk *out)
{
	unsigned int gs = m->s2->geo.granule_shift;

	*out = (struct sim_walk){
		.tlb_hit = true,
		.order = (uint8_t)(order - order % m->s2->stride),
		.run_order = (uint8_t)order,
		.level = (int8_t)(3 - (int)(order / m->s2->stride)),
		.ipa = gfn << gs,
		.oa = tlb_pfn(e, gfn, order) << gs,
	};
}

bool sim_mmu_access(struct sim_mmu *m, unsigned int vcpu, uint64_t gfn, enum sim_access access,
		    struct sim_walk *out)
{
	struct sim_walk scratch;
	const struct tlb_entry *e;
	unsigned int order;
	struct vcpu *v;

	sim_assert(vcpu < m->nvcpus);
	v = &m->vcpus[vcpu];
	e = tlb_lookup(v->tlb, gfn, &order);
	if (e && tlb_perms(e) & needed(access)) {
		v->hits++;
		if (out)
			describe_hit(m, e, gfn, order, out);
		return true;
	}
	if (!out)
		out = &scratch;
	if (e && m->sticky_permissions &&
	    !(access == SIM_WRITE && tlb_perms(e) & SIM_TLB_CLEAN)) {
		describe_hit(m, e, gfn, order, out);
		out->fault = SIM_FAULT_PERMISSION;
		out->fsc = (uint8_t)(SIM_FSC_PERMISSION + (unsigned int)out->level);
		v->faults++;
		return false;
	}
	return walk_and_fill(m, v, gfn, access, out);
}

void sim_mmu_invalidate(struct sim_mmu *m, uint64_t first_gfn, uint64_t last_gfn)
{
	m->invalidations++;
	for (unsigned int i = 0; i < m->nvcpus; i++)
		sim_tlb_invalidate(m->vcpus[i].tlb, first_gfn, last_gfn);
}

/* A hint says level l: pages or blocks of that level, and runs of them. */
static uint64_t orders_of_level(const struct sim_s2 *s2, int level)
{
	if (level == SIM_TLBI_ANY_LEVEL)
		return UINT64_MAX;
	if (level < s2->geo.start_level)
		return 0;
	return (uint64_t)1 << s2_order(s2, level) |
	       (uint64_t)1 << (s2_order(s2, level) + s2_run_log2(&s2->geo, level));
}

void sim_mmu_tlbi(struct sim_mmu *m, const struct sim_tlbi *tlbi)
{
	uint64_t orders = orders_of_level(m->s2, tlbi->level);

	m->invalidations++;
	for (unsigned int i = 0; i < m->nvcpus; i++)
		sim_tlb_invalidate_orders(m->vcpus[i].tlb, tlbi->first_gfn, tlbi->last_gfn, orders);
}

void sim_mmu_invalidate_local(struct sim_mmu *m, unsigned int vcpu, uint64_t gfn)
{
	sim_assert(vcpu < m->nvcpus);
	m->local_invalidations++;
	sim_tlb_invalidate(m->vcpus[vcpu].tlb, gfn, gfn);
}

void sim_mmu_invalidate_vmid(struct sim_mmu *m)
{
	m->invalidations++;
	for (unsigned int i = 0; i < m->nvcpus; i++)
		sim_tlb_invalidate_vmid(m->vcpus[i].tlb);
}

void sim_mmu_set_vmid(struct sim_mmu *m, uint16_t vmid)
{
	for (unsigned int i = 0; i < m->nvcpus; i++)
		sim_tlb_set_vmid(m->vcpus[i].tlb, vmid);
}

void sim_mmu_invalidate_all(struct sim_mmu *m)
{
	m->invalidations++;
	for (unsigned int i = 0; i < m->nvcpus; i++)
		sim_tlb_invalidate_all(m->vcpus[i].tlb);
}

bool sim_mmu_any_writable(const struct sim_mmu *m, uint64_t gfn, unsigned int *vcpu)
{
	struct sim_tlb_hit hit;

	for (unsigned int i = 0; i < m->nvcpus; i++) {
		if (!sim_tlb_lookup(m->vcpus[i].tlb, gfn, &hit) || !(hit.perms & SIM_TLB_W))
			continue;
		if (vcpu)
			*vcpu = i;
		return true;
	}
	return false;
}

enum weir_status sim_mmu_hdbss_arm(struct sim_mmu *m, unsigned int vcpu, uint64_t base_pa,
				   uint64_t nentries)
{
	enum weir_status status;

	sim_assert(vcpu < m->nvcpus);
	if (!m->vtcr.ha || !m->vtcr.hd)
		return WEIR_EOPNOTSUPP;
	if (m->vcpus[vcpu].log)
		return WEIR_EBUSY;
	status = sim_hdbss_encode(base_pa, nentries, &m->logs[vcpu].br);
	if (status != WEIR_OK)
		return status;
	sim_hdbss_rewind(&m->logs[vcpu]);
	sim_mmu_hdbss_set(m, vcpu, true);
	return WEIR_OK;
}

enum weir_status sim_mmu_hdbss_disarm(struct sim_mmu *m, unsigned int vcpu)
{
	sim_assert(vcpu < m->nvcpus);
	if (m->vcpus[vcpu].log && m->logs[vcpu].index)
		return WEIR_EBUSY;
	sim_mmu_hdbss_set(m, vcpu, false);
	m->logs[vcpu].br = 0;
	return WEIR_OK;
}

void sim_mmu_hdbss_set(struct sim_mmu *m, unsigned int vcpu, bool on)
{
	sim_assert(vcpu < m->nvcpus);
	m->vcpus[vcpu].log = on && m->vtcr.ha && m->vtcr.hd ? &m->logs[vcpu] : NULL;
}

struct sim_hdbss *sim_mmu_hdbss(struct sim_mmu *m, unsigned int vcpu)
{
	sim_assert(vcpu < m->nvcpus);
	return &m->logs[vcpu];
}

void sim_mmu_set_walk_hook(struct sim_mmu *m, struct sim_walk_hook hook)
{
	m->hook = hook;
}

struct sim_s2 *sim_mmu_tables(const struct sim_mmu *m)
{
	return m->s2;
}

void sim_mmu_stats(const struct sim_mmu *m, struct sim_mmu_stats *out)
{
	*out = (struct sim_mmu_stats){
		.invalidations = m->invalidations,
		.local_invalidations = m->local_invalidations,
	};
	for (unsigned int i = 0; i < m->nvcpus; i++) {
		const struct vcpu *v = &m->vcpus[i];

		out->tlb_hits += v->hits;
		out->tlb_misses += v->misses;
		out->faults += v->faults;
		out->af_updates += v->af_updates;
		out->dirty_updates += v->dirty_updates;
		out->tlb_conflicts += v->conflicts;
	}
}
