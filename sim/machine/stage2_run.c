// SPDX-License-Identifier: BSD-2-Clause
/*
 * stage2_run.c - contiguous runs: taking the hint away before pages are tracked one by one.
 *
 * A translation of the run may be cached as one, and hardware that sets AF or the dirty state may
 * do so in any entry of it, once. So the hint goes from all entries together: each is exchanged for
 * an invalid one, what they had is put together, translations are forgotten, and the entries come
 * back with it.
 */
#include "sim/machine/stage2.h"
#include "sim/machine/stage2_priv.h"

#define RUN_MAX	128u

/* Exchange a run's entries; returns AF and, if a leaf with DBM was written, W. */
static uint64_t break_run(uint64_t *run, unsigned int n, uint64_t *old)
{
	uint64_t state = 0;

	for (unsigned int i = 0; i < n; i++) {
		old[i] = __atomic_exchange_n(&run[i], SIM_DESC_BREAKING, __ATOMIC_ACQ_REL);
		if (!(old[i] & SIM_DESC_VALID))
			continue;
		state |= old[i] & SIM_DESC_AF;
		if (old[i] & SIM_DESC_DBM)
			state |= old[i] & SIM_DESC_W;
	}
	return state;
}

static void make_run(uint64_t *run, unsigned int n, const uint64_t *old, uint64_t state)
{
	for (unsigned int i = 0; i < n; i++) {
		uint64_t desc = old[i];

		if (desc & SIM_DESC_VALID) {
			desc = (desc & ~SIM_DESC_CONTIGUOUS) | (state & SIM_DESC_AF);
			if (desc & SIM_DESC_DBM)
				desc |= state & SIM_DESC_W;
		}
		__atomic_store_n(&run[i], desc, __ATOMIC_RELEASE);
	}
}

bool s2_drop_run(struct sim_s2 *s2, uint64_t gfn, unsigned int *order)
{
	uint64_t old[RUN_MAX];
	uint64_t desc, first, state;
	int level;
	uint64_t *entry = s2_lookup(s2, gfn << s2->geo.granule_shift, &level, &desc);
	unsigned int n = 1u << s2_run_log2(&s2->geo, level);

	*order = s2_order(s2, level);
	if (!s2_is_leaf(s2, level, desc) || !(desc & SIM_DESC_CONTIGUOUS))
		return false;
	first = gfn >> *order & ~(uint64_t)(n - 1);
	entry -= (gfn >> *order) - first;
	state = break_run(entry, n, old);
	first <<= *order;
	*order += s2_run_log2(&s2->geo, level);
	if (s2->invalidate)
		s2->invalidate(s2->invalidate_ctx, first, first + (((uint64_t)1 << *order) - 1));
	make_run(entry, n, old, state);
	return true;
}

uint64_t sim_s2_drop_contiguous(struct sim_s2 *s2, uint64_t first_gfn, uint64_t last_gfn)
{
	uint64_t top = ((uint64_t)1 << (s2->geo.ia_bits - s2->geo.granule_shift)) - 1;
	uint64_t nruns = 0;

	if (last_gfn > top)
		last_gfn = top;
	for (uint64_t gfn = first_gfn; gfn <= last_gfn;) {
		unsigned int order;

		s2_lock(s2);
		nruns += s2_drop_run(s2, gfn, &order);
		s2_unlock(s2);
		gfn = ((gfn >> order) + 1) << order;
	}
	return nruns;
}
