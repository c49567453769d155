// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dirty_fault.c - the writers' side: a write that faulted.
 *
 * A fault either traps (the page's bit is set and its leaf becomes writable) or promotes (the group
 * enters the scan set, the leaf becomes writable-dirty and its neighbours writable-clean). It runs
 * against readers without a lock:
 *
 *   fault                              reader
 *   F1 set the bit                     R1 take the bit
 *   F2 make the leaf writable            (fence)
 *     (fence)                          R2 take the leaf's write permission, if it has it
 *   F3 set the bit if it is gone       R3 invalidate, then hand the page over
 *
 * If R2 does not see F2, F3 sees R1 and sets the bit again. If it does, the leaf traps again and
 * the write that is to be retried faults once more. Promotion has the same shape with the scan set
 * in the bit's place, see dirty_scanset.c.
 *
 * Cost: a trap is two or three atomic operations and a compare-and-swap; a promotion one
 * compare-and-swap a leaf, at most SPAN_PAGES_MAX.
 */
#include "dirty_internal.h"

/* Whether a leaf lets a write through, as the hardware reads it. */
static bool lets_write(const struct weir_dirty *d, uint64_t desc)
{
	return (desc & WEIR_DIRTY_DESC_W) || (d->dbm && (desc & WEIR_DIRTY_DESC_DBM));
}

/*
 * Turn the leaf from trapping into trapping | set. Says WEIR_OK with *info spurious if it lets
 * writes through already. type: bits 1:0 of the descriptor, so that a block that is being split is
 * not taken for a leaf.
 */
static enum weir_status relax_leaf(struct weir_dirty *d, uint64_t *leaf, uint64_t type,
				   uint64_t set, struct weir_dirty_fault_info *info)
{
	uint64_t v = weir_load_relaxed(leaf);
	unsigned int tries;

	for (tries = 0; tries < LEAF_TRIES_MAX; tries++) {
		if (!(v & WEIR_DIRTY_DESC_VALID))
			return WEIR_ENOENT;
		if ((v & DESC_TYPE) != type)
			return WEIR_EAGAIN;
		if (lets_write(d, v)) {
			info->outcome = WEIR_DIRTY_SPURIOUS;
			return WEIR_OK;
		}
		/*
		 * Relaxed: a fence of dirty_set_bits() stands between the bit and this, one of
		 * dirty_raise() between the scan set and this (I2, I4); until the fault returns, I1
		 * holds by the fault.
		 */
		if (weir_cas_relaxed(leaf, &v, v | set)) {
			info->leaves++;
			return WEIR_OK;
		}
	}
	return WEIR_EAGAIN;
}

/* The page's bit keeps its dirtiness. */
static enum weir_status trap(struct weir_dirty *d, uint64_t *leaf, uint64_t group, uint64_t page,
			     uint64_t set, struct weir_dirty_fault_info *info)
{
	enum weir_status status;

	dirty_set_bits(&d->shared, group, page);		/* F1 */
	status = relax_leaf(d, leaf, DESC_PAGE, set, info);	/* F2 */
	if (status || info->outcome == WEIR_DIRTY_SPURIOUS)
		return status;
	weir_fence_full();	/* pairs with weir_dirty_retire() */
	if (!(weir_load_relaxed(&d->shared.bits[group]) & page))
		dirty_set_bits(&d->shared, group, page);	/* F3 */
	return WEIR_OK;
}

/* Neighbours of one group become writable-clean. leaf: the group's first. */
static void promote_neighbours(struct weir_dirty *d, uint64_t *leaf, uint64_t group,
			       uint64_t pages, struct weir_dirty_fault_info *info)
{
	uint64_t gfn = dirty_gfn_of(d, group), todo;

	if (d->ops->writable)
		pages &= d->ops->writable(d->ctx, gfn);
	for (todo = pages; todo; todo &= todo - 1u) {
		unsigned int i = weir_ctz64(todo);
		uint64_t v = weir_load_relaxed(&leaf[i]);

		if (!(v & WEIR_DIRTY_DESC_VALID) || (v & WEIR_DIRTY_DESC_CONT) || lets_write(d, v))
			continue;
		/* Relaxed: as in relax_leaf(). */
		if (weir_cas_relaxed(&leaf[i], &v, v | WEIR_DIRTY_DESC_DBM))
			info->leaves++;
	}
}

/* Groups first..last enter the scan set, unless the hardware's log takes its place. */
static void enter_groups(struct weir_dirty *d, uint64_t first, uint64_t last)
{
	uint64_t group;

	for (group = first; !d->logged && group <= last; group++)
		weir_dirty_enter_scan_set(d, group);
}

/*
 * The page and its neighbourhood of npages from `first` on are handed to the hardware. leaf maps
 * gfn and stands in a table that holds the whole neighbourhood. Under HDBSS the page itself gets
 * its bit: its leaf is set dirty here and not by the hardware, so that no entry will tell of it.
 */
static enum weir_status promote(struct weir_dirty *d, uint64_t *leaf, uint64_t gfn, uint64_t first,
				uint64_t npages, struct weir_dirty_fault_info *info)
{
	const uint64_t set = WEIR_DIRTY_DESC_DBM | WEIR_DIRTY_DESC_W;
	uint64_t from = first < d->base_gfn ? 0 : first - d->base_gfn;
	uint64_t to = first + (npages - 1u) - d->base_gfn;
	uint64_t own = dirty_group_of(d, gfn), page = gfn - d->base_gfn, group;
	enum weir_status status;

	if (to > d->npages - 1u)
		to = d->npages - 1u;
	info->outcome = WEIR_DIRTY_PROMOTED;
	enter_groups(d, from >> GROUP_SHIFT, to >> GROUP_SHIFT);
	if (d->logged)
		status = trap(d, leaf, own, dirty_bit(page), set, info);
	else
		status = relax_leaf(d, leaf, DESC_PAGE, set, info);
	if (status || info->outcome == WEIR_DIRTY_SPURIOUS)
		return status;
	for (group = from >> GROUP_SHIFT; group <= to >> GROUP_SHIFT; group++) {
		uint64_t start = group << GROUP_SHIFT;
		uint64_t pages = dirty_part(start, from, to);

		if (group == own)
			pages &= ~dirty_bit(page);
		promote_neighbours(d, leaf + ((ptrdiff_t)start - (ptrdiff_t)page), group, pages,
				   info);
	}
	weir_fence_full();	/* pairs with weir_dirty_leave_scan_set() */
	enter_groups(d, from >> GROUP_SHIFT, to >> GROUP_SHIFT);
	return WEIR_OK;
}

/*
 * The page leaf of gfn, splitting the block or the contiguous run that maps it; *writable, and the
 * leaf as it is, if it lets writes through already.
 */
static enum weir_status page_leaf(struct weir_dirty *d, uint64_t gfn, uint64_t **leaf,
				  bool *writable, struct weir_dirty_fault_info *info)
{
	unsigned int tries, order;

	for (tries = 0; tries < LEAF_TRIES_MAX; tries++) {
		enum weir_status status;
		uint64_t v;

		order = 0;
		*leaf = d->ops->leaf(d->ctx, gfn, &order);
		if (!*leaf)
			return WEIR_ENOENT;
		v = weir_load_relaxed(*leaf);
		*writable = lets_write(d, v);
		/* The leaves of a contiguous run must not differ. */
		if (*writable || (!order && !(v & WEIR_DIRTY_DESC_CONT)))
			return WEIR_OK;
		status = d->ops->block_split(d->ctx, gfn);
		if (status)
			return status;
		info->split = true;
		dirty_count(d, blocks_split, 1);
	}
	return WEIR_EAGAIN;
}

static bool may_write(struct weir_dirty *d, uint64_t gfn)
{
	uint64_t group = dirty_group_of(d, gfn);

	return !d->ops->writable || (d->ops->writable(d->ctx, dirty_gfn_of(d, group)) &
				     dirty_bit(gfn - d->base_gfn));
}

/* Logging is off: the page, or the block, becomes writable. */
static enum weir_status untrack(struct weir_dirty *d, uint64_t gfn,
				struct weir_dirty_fault_info *info)
{
	unsigned int order = 0;
	uint64_t *leaf = d->ops->leaf(d->ctx, gfn, &order);
	enum weir_status status;
	bool writable;

	if (leaf && !order) {
		status = page_leaf(d, gfn, &leaf, &writable, info);
		if (status)
			return status;
	}
	if (!leaf)
		return WEIR_ENOENT;
	if (!may_write(d, gfn))
		return WEIR_EFAULT;
	info->outcome = WEIR_DIRTY_UNTRACKED;
	status = relax_leaf(d, leaf, order ? DESC_BLOCK : DESC_PAGE, WEIR_DIRTY_DESC_W, info);
	if (status || info->outcome == WEIR_DIRTY_SPURIOUS)
		return status;
	weir_fence_full();	/* pairs with weir_dirty_start() */
	if (weir_load_relaxed(&d->state) != DIRTY_OFF) {
		uint64_t first = gfn & ~(((uint64_t)1 << order) - 1u);

		/* Logging began meanwhile, and may not have seen that the leaf is writable. */
		weir_dirty_fold(d, first, order, WEIR_DIRTY_DESC_VALID | WEIR_DIRTY_DESC_W);
	}
	return WEIR_OK;
}

static enum weir_status track(struct weir_dirty *d, uint64_t gfn, bool may_promote,
			      struct weir_dirty_fault_info *info)
{
	uint64_t first = 0, npages = 0, *leaf;
	enum weir_status status;
	bool writable;

	status = page_leaf(d, gfn, &leaf, &writable, info);
	if (status || writable)
		return status;		/* spurious, if it is */
	if (!may_write(d, gfn))
		return WEIR_EFAULT;
	if (may_promote)
		first = weir_dirty_fault_span(d, gfn, &npages);
	if (npages)
		return promote(d, leaf, gfn, first, npages, info);
	info->outcome = WEIR_DIRTY_TRAPPED;
	return trap(d, leaf, dirty_group_of(d, gfn), dirty_bit(gfn - d->base_gfn),
		    WEIR_DIRTY_DESC_W, info);
}

static void count_fault(struct weir_dirty *d, enum weir_status status,
			const struct weir_dirty_fault_info *info)
{
	if (status)
		dirty_count(d, faults_failed, 1);
	else if (info->outcome == WEIR_DIRTY_TRAPPED)
		dirty_count(d, faults_trapped, 1);
	else if (info->outcome == WEIR_DIRTY_SPURIOUS)
		dirty_count(d, faults_spurious, 1);
	else if (info->outcome == WEIR_DIRTY_PROMOTED)
		dirty_count(d, faults_promoted, 1);
	else
		dirty_count(d, faults_untracked, 1);
	if (!status && info->outcome == WEIR_DIRTY_PROMOTED)
		dirty_count(d, leaves_promoted, info->leaves);
}

WEIR_API enum weir_status weir_dirty_fault(struct weir_dirty *d, uint64_t gfn,
					   struct weir_dirty_fault_info *info)
{
	struct weir_dirty_fault_info did = { WEIR_DIRTY_SPURIOUS, 0, false };
	enum weir_status status;
	uint32_t state;

	if (gfn < d->base_gfn || gfn - d->base_gfn >= d->npages)
		return WEIR_ERANGE;
	state = weir_load_relaxed(&d->state);
	if (state == DIRTY_OFF)
		status = untrack(d, gfn, &did);
	else
		status = track(d, gfn, state == DIRTY_LOGGING && !weir_load_relaxed(&d->frozen),
			       &did);
	if (!status && did.outcome != WEIR_DIRTY_SPURIOUS) {
		d->ops->tlbi_local(d->ctx, gfn);
		dirty_count(d, tlbi_locals, 1);
	}
	if (d->counting)
		count_fault(d, status, &did);
	if (info)
		*info = did;
	if (!status && state == DIRTY_FINAL) {
		dirty_set_bits(&d->shared, dirty_group_of(d, gfn),
			       dirty_bit(gfn - d->base_gfn));
		dirty_count(d, pages_late[WEIR_DIRTY_BY_VCPU], 1);
		return WEIR_ESHUTDOWN;
	}
	return status;
}
