// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dirty.c - a region's life: its memory, starting and stopping the log, its counters.
 *
 * What the module is, its invariants and its concurrency contract: weir/dirty.h. Its rooms:
 *
 *   dirty.c          init, start, stop, final, stats
 *   dirty_fault.c    the writers that fault
 *   dirty_mark.c     the writers that do not: mark, fold, log
 *   dirty_read.c     get, get_bitmap, peek
 *   dirty_take.c     clear, harvest
 *   dirty_freeze.c   freeze, thaw
 *   dirty_readers.c  further readers, pages that devices may write
 *   dirty_ring.c     a ring of what a vCPU dirtied, in front of the log
 *   dirty_choose.c   which policy for which region
 *   dirty_assume.c   pages that are dirty in every round
 *   dirty_leaf.c     what readers do to descriptors
 *   dirty_pass.c     how readers share the region, and what they owe it
 *   dirty_scanset.c  entering and leaving the scan set
 *   dirty_learn.c    the policies
 */
#include "dirty_internal.h"

#define ALIGN_BYTES	64u

/* Words of each level; the layout of a region's memory. */
struct layout {
	uint64_t groups;
	uint64_t stripes;
	uint64_t blocks;
	uint64_t bytes;
	uint64_t log_bytes;
	bool ctl;
};

static bool power_of_two(uint32_t v)
{
	return v && !(v & (v - 1u));
}

static bool needs_dbm(uint32_t policy)
{
	return policy == WEIR_DIRTY_DBM_ALL || policy == WEIR_DIRTY_FIXED ||
	       policy == WEIR_DIRTY_HDBSS;
}

static bool has_dbm(const struct weir_dirty_config *cfg)
{
	return (cfg->flags & WEIR_DIRTY_F_DBM) && !(cfg->flags & WEIR_DIRTY_F_DBM_NEEDS_BBM);
}

/* Tables are a page each, of 8-byte leaves. */
static unsigned int page_shift(const struct weir_dirty_config *cfg)
{
	return cfg->table_pages == TABLE_PAGES_MAX ? 16u : cfg->table_pages == 2048u ? 14u : 12u;
}

static enum weir_status check(const struct weir_dirty_config *cfg)
{
	const uint32_t known = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_DBM_NEEDS_BBM |
			       WEIR_DIRTY_F_COUNTERS | WEIR_DIRTY_F_TABLES_EXCLUSIVE |
			       WEIR_DIRTY_F_READERS | WEIR_DIRTY_F_DEVICES | WEIR_DIRTY_F_HDBSS |
			       WEIR_DIRTY_F_S2PIE | WEIR_DIRTY_F_NESTED | WEIR_DIRTY_F_ASSUME;

	if (!cfg->npages || cfg->npages > WEIR_DIRTY_PAGES_MAX || (cfg->base_gfn & 63u))
		return WEIR_EINVAL;
	if (cfg->base_gfn > ((uint64_t)1 << 52) - cfg->npages)
		return WEIR_EINVAL;
	if (cfg->table_pages && cfg->table_pages != 512u && cfg->table_pages != 2048u &&
	    cfg->table_pages != TABLE_PAGES_MAX)
		return WEIR_EINVAL;
	if (cfg->policy > WEIR_DIRTY_HDBSS || (cfg->flags & ~known))
		return WEIR_EINVAL;
	if (cfg->policy == WEIR_DIRTY_FIXED &&
	    (!power_of_two(cfg->neighbourhood) || cfg->neighbourhood > SPAN_PAGES_MAX))
		return WEIR_EINVAL;
	if (cfg->flags & (WEIR_DIRTY_F_S2PIE | WEIR_DIRTY_F_NESTED))
		return WEIR_EOPNOTSUPP;
	if (needs_dbm(cfg->policy) && !has_dbm(cfg))
		return WEIR_EOPNOTSUPP;
	if (cfg->policy == WEIR_DIRTY_HDBSS && !(cfg->flags & WEIR_DIRTY_F_HDBSS))
		return WEIR_EOPNOTSUPP;
	/* A log entry names no frame beyond 2^56 bytes. */
	if (cfg->policy == WEIR_DIRTY_HDBSS &&
	    cfg->base_gfn + (cfg->npages - 1u) > WEIR_DIRTY_LOG_IPA >> page_shift(cfg))
		return WEIR_EINVAL;
	return WEIR_OK;
}

static uint64_t aligned(uint64_t bytes)
{
	return (bytes + (ALIGN_BYTES - 1u)) & ~(uint64_t)(ALIGN_BYTES - 1u);
}

static struct layout lay_out(const struct weir_dirty_config *cfg)
{
	struct layout l;

	l.groups = (cfg->npages + 63u) >> GROUP_SHIFT;
	l.stripes = (l.groups + 63u) >> STRIPE_SHIFT;
	l.blocks = (l.stripes + 63u) >> STRIPE_SHIFT;
	l.ctl = cfg->policy == WEIR_DIRTY_ADAPTIVE && has_dbm(cfg);
	l.log_bytes = aligned(l.groups * 8u) + aligned(l.stripes * 8u) + aligned(l.blocks * 8u);
	l.bytes = aligned(sizeof(struct weir_dirty)) + l.log_bytes +
		  2u * (aligned(l.stripes * 8u) + aligned(l.blocks * 8u));
	if (cfg->flags & WEIR_DIRTY_F_READERS)
		l.bytes += l.log_bytes;
	if (cfg->flags & WEIR_DIRTY_F_DEVICES)
		l.bytes += l.log_bytes;
	if (l.ctl)
		l.bytes += aligned(l.groups * 2u);
	if (cfg->flags & WEIR_DIRTY_F_ASSUME)
		l.bytes += aligned(l.groups * sizeof(struct dirty_hot));
	return l;
}

WEIR_API size_t weir_dirty_size(const struct weir_dirty_config *cfg)
{
	struct layout l;

	if (check(cfg))
		return 0;
	l = lay_out(cfg);
	return l.bytes > (size_t)-1 ? 0 : (size_t)l.bytes;
}

/* Hand out the next piece of the region's memory. */
static void *piece(unsigned char **at, uint64_t bytes)
{
	void *p = *at;

	*at += aligned(bytes);
	return p;
}

static void log_piece(unsigned char **at, const struct layout *l, struct dirty_log *log)
{
	log->bits = piece(at, l->groups * 8u);
	log->sum0 = piece(at, l->stripes * 8u);
	log->sum1 = piece(at, l->blocks * 8u);
}

WEIR_API enum weir_status weir_dirty_init(void *mem, size_t size,
					  const struct weir_dirty_config *cfg,
					  const struct weir_dirty_ops *ops, void *ctx,
					  struct weir_dirty **out)
{
	enum weir_status status = check(cfg);
	unsigned char *at = mem;
	struct weir_dirty *d = mem;
	struct layout l;

	if (status)
		return status;
	if (!mem || ((uintptr_t)mem & (ALIGN_BYTES - 1u)) || !ops || !ops->leaf ||
	    !ops->tlbi_range || !ops->tlbi_local || !ops->block_split || !out)
		return WEIR_EINVAL;
	l = lay_out(cfg);
	if (size < l.bytes)
		return WEIR_ENOMEM;
	weir_memset(mem, 0, (size_t)l.bytes);
	(void)piece(&at, sizeof(*d));
	d->region = d;
	d->base_gfn = cfg->base_gfn;
	d->npages = cfg->npages;
	d->ngroups = l.groups;
	log_piece(&at, &l, &d->shared);
	if (cfg->flags & WEIR_DIRTY_F_READERS)
		log_piece(&at, &l, &d->own);
	if (cfg->flags & WEIR_DIRTY_F_DEVICES)
		log_piece(&at, &l, &d->device);
	d->scan0 = piece(&at, l.stripes * 8u);
	d->scan1 = piece(&at, l.blocks * 8u);
	d->claim = piece(&at, l.blocks * 8u);
	d->leaving = piece(&at, l.stripes * 8u);
	d->ctl = l.ctl ? piece(&at, l.groups * 2u) : NULL;
	if (cfg->flags & WEIR_DIRTY_F_ASSUME)
		d->hot = piece(&at, l.groups * sizeof(struct dirty_hot));
	weir_assert((uint64_t)(at - (unsigned char *)mem) == l.bytes);
	d->ops = ops;
	d->ctx = ctx;
	d->table_pages = cfg->table_pages ? cfg->table_pages : 512u;
	d->eager = cfg->policy == WEIR_DIRTY_WP_EAGER;
	d->logged = cfg->policy == WEIR_DIRTY_HDBSS;
	d->rearm_dbm = cfg->policy == WEIR_DIRTY_DBM_ALL || d->logged;
	d->dbm = has_dbm(cfg);
	d->exclusive = (cfg->flags & WEIR_DIRTY_F_TABLES_EXCLUSIVE) != 0;
	d->many_readers = (cfg->flags & WEIR_DIRTY_F_READERS) != 0;
	d->counting = (cfg->flags & WEIR_DIRTY_F_COUNTERS) != 0;
	if (d->rearm_dbm)
		d->span_pages = SPAN_PAGES_MAX;
	else if (cfg->policy == WEIR_DIRTY_FIXED)
		d->span_pages = cfg->neighbourhood;
	weir_dirty_learn_init(d, cfg);
	*out = d;
	return WEIR_OK;
}

/* All bits of a summary of n children, or none. */
static void fill_summary(uint64_t *words, uint64_t n, bool ones)
{
	uint64_t i;

	for (i = 0; i << 6 < n; i++) {
		uint64_t left = n - (i << 6);

		/* Release: a level is filled after the one above it, see weir_dirty_log_fill(). */
		weir_store_release(&words[i], ones ? dirty_span(0, left < 64u ? left - 1u : 63u)
						   : (uint64_t)0);
	}
}

/*
 * Set every bit of a log, or clear every bit, with the summaries. No reader is at work, but a
 * writer that began before may be: parents go first, so that what it raises meanwhile is not left
 * without a parent (I6).
 */
void weir_dirty_log_fill(const struct weir_dirty *d, struct dirty_log *log, bool ones)
{
	uint64_t stripes = (d->ngroups + 63u) >> STRIPE_SHIFT, i;

	fill_summary(log->sum1, stripes, ones);
	fill_summary(log->sum0, d->ngroups, ones);
	for (i = 0; i < d->ngroups; i++)
		weir_store_release(&log->bits[i], ones ? dirty_group_mask(d, i) : (uint64_t)0);
}

/*
 * Nothing is in the scan set: for a region that is off. A fault that began before may put a group
 * back meanwhile: parents go first, so that what is left of it is either reachable or gone, and the
 * leaves that it gave DBM lose it when they are re-armed.
 */
static void empty_scan_set(struct weir_dirty *d)
{
	fill_summary(d->scan1, (d->ngroups + 63u) >> STRIPE_SHIFT, false);
	fill_summary(d->scan0, d->ngroups, false);
}

/* Protect every page of the region, as if each had just been cleared. All stripes are claimed. */
static enum weir_status protect_all(struct weir_dirty *d)
{
	uint64_t group, last = d->ngroups - 1u;
	struct dirty_pass p;

	weir_dirty_pass_init(&p, d);
	p.learn = false;
	for (group = 0; group <= last; group++) {
		p.block = group >> (2u * STRIPE_SHIFT);
		p.claimed |= dirty_bit(group >> STRIPE_SHIFT);
		weir_dirty_rearm(&p, group, dirty_group_mask(d, group));
		if ((group & 4095u) == 4095u || group == last)
			weir_dirty_pass_end(&p);
	}
	weir_dirty_pass_count(&p);
	return p.status;
}

WEIR_API enum weir_status weir_dirty_start(struct weir_dirty *d, bool all_dirty)
{
	enum weir_status status = WEIR_OK;

	weir_assert(d->region == d);
	if (weir_load_relaxed(&d->state) != DIRTY_OFF ||
	    !weir_dirty_claim_range(d, 0, d->ngroups - 1u))
		return WEIR_EBUSY;
	weir_dirty_log_fill(d, &d->shared, all_dirty);
	/* What further readers have not taken yet stays theirs: they may have attached before. */
	if (d->own.bits)
		weir_dirty_log_fill(d, &d->own, false);
	empty_scan_set(d);
	weir_dirty_learn_reset(d, all_dirty);
	weir_dirty_assume_reset(d);
	weir_store_relaxed(&d->frozen, 0u);
	weir_store_relaxed(&d->state, (uint32_t)DIRTY_LOGGING);
	/* A writer that saw logging off looks again: pairs with untrack() and mark_by(). */
	weir_fence_full();
	if (all_dirty)
		weir_dirty_unclaim_range(d, 0, d->ngroups - 1u);
	else
		status = protect_all(d);
	return status;
}

WEIR_API void weir_dirty_stop(struct weir_dirty *d)
{
	weir_assert(d->region == d);
	weir_store_relaxed(&d->state, (uint32_t)DIRTY_OFF);
	weir_store_relaxed(&d->frozen, 0u);
}

WEIR_API enum weir_status weir_dirty_final(struct weir_dirty *d)
{
	weir_assert(d->region == d);
	if (weir_load_relaxed(&d->state) != DIRTY_LOGGING)
		return WEIR_EINVAL;
	weir_store_relaxed(&d->state, (uint32_t)DIRTY_FINAL);
	weir_fence_full();	/* pairs with mark_by() */
	return WEIR_OK;
}

WEIR_API void weir_dirty_cursor_init(const struct weir_dirty *reader, struct weir_dirty_cursor *cur)
{
	const struct weir_dirty *d = reader->region;

	cur->next_gfn = d->base_gfn;
	cur->last_gfn = d->base_gfn + (d->npages - 1u);
	cur->done = false;
}

/* KVM's rule for a range of the bitmap: it starts on a word, and ends on one or at the end. */
bool weir_dirty_range_ok(const struct weir_dirty *d, uint64_t first_gfn, uint64_t npages)
{
	uint64_t first = first_gfn - d->base_gfn;

	if (first_gfn < d->base_gfn || (first & 63u) || first > d->npages)
		return false;
	if (npages > d->npages - first)
		return false;
	return !(npages & 63u) || npages == d->npages - first;
}

WEIR_API void weir_dirty_stats(const struct weir_dirty *d, struct weir_dirty_stats *out)
{
	const uint64_t *from = (const uint64_t *)&d->region->stats;
	uint64_t *to = (uint64_t *)out;
	size_t i;

	for (i = 0; i < sizeof(*out) / sizeof(*to); i++)
		to[i] = weir_load_relaxed(&from[i]);
}
