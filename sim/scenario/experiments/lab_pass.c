// SPDX-License-Identifier: BSD-2-Clause
/*
 * lab_pass.c - a pass: every vCPU goes through its memory once, and queues for the lock where it
 * faults.
 */
#include "sim/scenario/experiments/lab_internal.h"

static bool before(const struct lab *lab, unsigned int a, unsigned int b)
{
	uint64_t x = lab->vcpus[a].arrive_ns, y = lab->vcpus[b].arrive_ns;

	return x < y || (x == y && a < b);
}

static void sift_up(struct lab *lab, unsigned int i)
{
	while (i && before(lab, lab->heap[i], lab->heap[(i - 1) / 2])) {
		unsigned int up = (i - 1) / 2, vcpu = lab->heap[i];

		lab->heap[i] = lab->heap[up];
		lab->heap[up] = vcpu;
		i = up;
	}
}

/* The top's vCPU has a new time of arrival. */
static void sift_down(struct lab *lab)
{
	unsigned int i = 0;

	for (;;) {
		unsigned int down = 2 * i + 1, vcpu = lab->heap[i];

		if (down + 1 < lab->nheap && before(lab, lab->heap[down + 1], lab->heap[down]))
			down++;
		if (down >= lab->nheap || !before(lab, lab->heap[down], vcpu))
			return;
		lab->heap[i] = lab->heap[down];
		lab->heap[down] = vcpu;
		i = down;
	}
}

static uint64_t gfn_of(const struct lab *lab, const struct lab_pattern *pattern, unsigned int vcpu,
		       uint64_t access)
{
	return lab->base_gfn + vcpu * lab->vcpu_pages + pattern->first_page +
	       access * pattern->step;
}

/* Let a vCPU run until it faults (true) or is through (false). */
static bool run_ahead(struct lab *lab, const struct lab_pattern *pattern, unsigned int vcpu)
{
	const struct migrate_cost *cost = &lab->price.cost;
	struct lab_vcpu *v = &lab->vcpus[vcpu];
	uint64_t phase = v->next % pattern->write_every;

	for (; v->next < pattern->naccesses; v->next++) {
		uint64_t gfn = gfn_of(lab, pattern, vcpu, v->next), page = gfn - lab->base_gfn;
		bool write = phase == 0;
		struct sim_walk walk;

		if (!sim_mmu_access(lab->m.mmu, vcpu, gfn, write ? SIM_WRITE : SIM_READ, &walk)) {
			v->arrive_ns = v->now_ns + cost->fault_exit_ns;
			v->unmapped = walk.fault == SIM_FAULT_TRANSLATION;
			v->write = write;
			return true;
		}
		if (!walk.tlb_hit)
			v->now_ns += cost->refill_ns + (walk.dirty_set ? cost->hw_dirty_ns : 0);
		if (write)
			lab->written[page / 64] |= UINT64_C(1) << (page % 64);
		if (++phase == pattern->write_every)
			phase = 0;
	}
	return false;
}

/* The handler, with the lock: the page is mapped, and may be written if that is what faulted. */
static void handle(struct lab *lab, struct lab_vcpu *v, unsigned int vcpu, uint64_t gfn,
		   struct weir_dirty_fault_info *info)
{
	enum weir_status status;

	*info = (struct weir_dirty_fault_info){.outcome = WEIR_DIRTY_SPURIOUS};
	if (v->unmapped) {
		*sim_s2_entry(lab->m.s2, 3, gfn << 12) |= SIM_DESC_VALID;
		info->leaves = 1;
		if (!v->write)
			return;
	}
	lab->m.glue.vcpu = vcpu;
	status = weir_dirty_fault(lab->m.d, gfn, info);
	if (status != WEIR_OK && status != WEIR_EAGAIN)
		lab_break(lab, "weir_dirty_fault()", status);
}

uint64_t lab_pass(struct lab *lab, const struct lab_pattern *pattern)
{
	const struct migrate_cost *cost = &lab->price.cost;
	uint64_t free_ns = 0, end_ns = 0, splits_free_ns = 0;
	unsigned int n = lab->price.nvcpus, i;

	lab->faults = 0;
	lab->nheap = 0;
	for (i = 0; i < n; i++) {
		lab->vcpus[i] = (struct lab_vcpu){.now_ns = 0};
		if (run_ahead(lab, pattern, i)) {
			lab->heap[lab->nheap] = i;
			sift_up(lab, lab->nheap++);
		} else if (lab->vcpus[i].now_ns > end_ns) {
			end_ns = lab->vcpus[i].now_ns;
		}
	}
	while (lab->nheap && !lab->broken) {
		unsigned int vcpu = lab->heap[0];
		struct lab_vcpu *v = &lab->vcpus[vcpu];
		struct weir_dirty_fault_info info;

		if (free_ns < v->arrive_ns)
			free_ns = v->arrive_ns;
		handle(lab, v, vcpu, gfn_of(lab, pattern, vcpu, v->next), &info);
		lab->faults++;
		free_ns += cost->fault_lock_ns + info.leaves * cost->leaf_ps / 1000;
		v->now_ns = free_ns;
		if (info.split)
			v->now_ns = migrate_split_end(cost, free_ns, &splits_free_ns);
		if (!run_ahead(lab, pattern, vcpu)) {
			if (v->now_ns > end_ns)
				end_ns = v->now_ns;
			lab->heap[0] = lab->heap[--lab->nheap];
		}
		sift_down(lab);
	}
	return end_ns;
}
