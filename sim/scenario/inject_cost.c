// SPDX-License-Identifier: BSD-2-Clause
/*
 * inject_cost.c - what a design's work takes, from what it says it did.
 *
 * A spinlock of a VM, or of an ITS, is held for what was done under it, and those who want it come
 * in the order in which they ask: each waits until the one before gives it up. The holder cannot
 * be interrupted. The ITS's mutex is inject_worker.c's.
 */
#include "sim/scenario/inject_internal.h"

static uint64_t ns_of(uint64_t ps)
{
	return (ps + 999) / 1000;
}

/* How long one waits for a spinlock that is then held so long. */
static uint64_t spin(struct inject *in, uint64_t *free_ns, uint64_t hold_ns)
{
	uint64_t now = inject_now(in), wait_ns = *free_ns > now ? *free_ns - now : 0;

	*free_ns = now + wait_ns + hold_ns;
	return wait_ns;
}

/* The reading side: what was compared and visited. */
static uint64_t search_ps(const struct inject *in, const struct sim_its_work *work)
{
	const struct inject_cost *cost = &in->cfg->cost;

	return work->scanned * cost->entry_scan_ps + work->nodes * cost->node_ps +
	       work->refs * cost->ref_ps;
}

/* Under the list's lock, if it was taken: search, and what is made and forgotten there. */
static uint64_t list_ns(struct inject *in, const struct sim_its_work *work, uint64_t under_ps,
			uint64_t *wait_ns)
{
	const struct inject_cost *cost = &in->cfg->cost;
	uint64_t hold_ns = ns_of(cost->lock_ps + under_ps);

	if (!(work->locks & SIM_ITS_LOCK_LIST))
		return ns_of(under_ps);
	*wait_ns += spin(in, &in->list_free_ns, hold_ns);
	return hold_ns + (work->locks & SIM_ITS_LOCK_PUT ? ns_of(cost->lock_ps) : 0);
}

uint64_t inject_lookup_ns(struct inject *in, const struct sim_its_work *work, uint64_t *wait_ns)
{
	const struct inject_cost *cost = &in->cfg->cost;

	*wait_ns = 0;
	if (in->cfg->kind == SIM_ITS_NONE)
		return 0;
	return cost->doorbell_ns + list_ns(in, work, search_ps(in, work), wait_ns) +
	       (in->cfg->kind == SIM_ITS_WEIR ? ns_of(cost->xlate_ps) : 0);
}

uint64_t inject_resolve_ns(struct inject *in, const struct sim_its_work *work, uint64_t *wait_ns)
{
	const struct inject_cost *cost = &in->cfg->cost;
	uint64_t under_ps = search_ps(in, work) + work->dropped * cost->drop_ps;
	uint64_t fill_ns = work->filled ? cost->fill_ns : 0;

	*wait_ns = 0;
	if (work->locks & SIM_ITS_LOCK_TREE)
		*wait_ns += spin(in, &in->tree_free_ns, fill_ns);
	return cost->doorbell_ns + work->tables * cost->table_ns + fill_ns +
	       list_ns(in, work, under_ps, wait_ns);
}

uint64_t inject_forget_ps(struct inject *in, const struct sim_its_work *work)
{
	const struct inject_cost *cost = &in->cfg->cost;
	uint64_t ps = work->dropped * cost->drop_ps + work->generations * cost->generation_ps +
		      work->nodes * cost->node_ps;

	if (work->locks & SIM_ITS_LOCK_LIST)
		ps += cost->lock_ps + 1000 * spin(in, &in->list_free_ns, ns_of(ps + cost->lock_ps));
	if (work->locks & SIM_ITS_LOCK_TREE)
		ps += cost->lock_ps + 1000 * spin(in, &in->tree_free_ns, ns_of(ps + cost->lock_ps));
	return ps;
}
