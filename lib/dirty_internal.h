/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dirty_internal.h - the region's layout, and the few operations on its words that all of
 * lib/dirty* share.
 *
 * A region is one header and its arrays behind it. A *log* is three of them, a bitmap with two
 * levels of summary:
 *
 *   bits[group]    one word of 64 pages a group
 *   sum0[stripe]   which groups of the stripe may have a bit set      (64 groups)
 *   sum1[block]    which stripes of the block may have a bit in sum0  (64 stripes)
 *
 * The region has the log that writers set (`shared`), with WEIR_DIRTY_F_DEVICES one of the pages
 * that devices may write (`device`), and each reader but an only one has a log of what other
 * readers took before it saw it (`own`). Beside them:
 *
 *   scan0[stripe]  which groups of the stripe are in HW mode: the scan set
 *   scan1[block]   which stripes of the block may have a bit in scan0
 *   claim[block]   which stripes of the block a reader is working on
 *   leaving[stripe] groups that a reader has demoted, until the invalidation; under its claim
 *   ctl[group]     what ADAPTIVE has learned (that policy only)
 *   hot[group]     pages assumed dirty, and those that may be soon (WEIR_DIRTY_F_ASSUME only)
 *
 * A summary bit that is set may be stale, a summary bit that is clear is true (I6) - except while a
 * reader that holds the claim of the stripe is in the middle of retiring it. Readers therefore look
 * at claim as well, see weir_dirty_claim().
 *
 * Raising and retiring a summary bit is the store-buffer pattern, twice: the writer sets the child,
 * fences, and looks at the parent; the reader clears the parent, fences, and looks at the child. At
 * least one of the two sees the other.
 */
#ifndef WEIR_LIB_DIRTY_INTERNAL_H
#define WEIR_LIB_DIRTY_INTERNAL_H

#include "weir/env.h"
#include "weir/dirty.h"

#define GROUP_SHIFT	6u	/* pages a group */
#define STRIPE_SHIFT	6u	/* groups a stripe, stripes a block */
#define STRIPE_PAGES_SHIFT	(GROUP_SHIFT + STRIPE_SHIFT)
#define BLOCK_PAGES_SHIFT	(GROUP_SHIFT + 2u * STRIPE_SHIFT)
#define TABLE_PAGES_MAX	8192u
#define SPAN_PAGES_MAX	512u	/* the widest promotion */

/* Tries before a leaf that others keep changing is left to the retry of the access. */
#define LEAF_TRIES_MAX	8u

#define DESC_TYPE	(WEIR_DIRTY_DESC_VALID | WEIR_DIRTY_DESC_PAGE)
#define DESC_BLOCK	WEIR_DIRTY_DESC_VALID	/* above the last level */
#define DESC_PAGE	DESC_TYPE		/* at the last level */

enum dirty_state {
	DIRTY_OFF = 0,
	DIRTY_LOGGING = 1,
	DIRTY_FINAL = 2
};

struct dirty_log {
	uint64_t *bits;			/* NULL: there is no such log */
	uint64_t *sum0;
	uint64_t *sum1;
};

/* Of a group, changed under the claim of its stripe: see dirty_assume.c. */
struct dirty_hot {
	uint64_t assumed;		/* pages whose bits no reader takes */
	uint64_t often[2];		/* of each page, bit 0 and bit 1 of a count */
	uint64_t round;			/* in which the counts were right */
};

/* A region, which is its own first reader, or a further reader of one. */
struct weir_dirty {
	struct weir_dirty *region;	/* itself, or the region that it reads */
	struct weir_dirty *next;	/* the next further reader; plain, under a claim */
	struct dirty_log own;
	/* what follows is the region's alone */
	uint64_t base_gfn;
	uint64_t npages;
	uint64_t ngroups;
	struct dirty_log shared;
	struct dirty_log device;
	uint64_t *scan0;
	uint64_t *scan1;
	uint64_t *claim;
	uint64_t *leaving;		/* plain, under the stripe's claim */
	uint16_t *ctl;			/* NULL unless ADAPTIVE with usable DBM */
	struct dirty_hot *hot;		/* NULL without WEIR_DIRTY_F_ASSUME */
	const struct weir_dirty_ops *ops;
	void *ctx;
	uint32_t table_pages;
	uint32_t span_pages;		/* pages promoted by a fault: FIXED, DBM_ALL; else 0 */
	uint32_t good_pages_min; /* ADAPTIVE: dirty pages that make a group worth promoting */
	uint32_t keep_pages_min;	/* ADAPTIVE: and worth keeping */
	uint32_t idle_max;		/* ADAPTIVE: harvests that find nothing, until it is not */
	bool eager;			/* split blocks when they are re-armed */
	bool rearm_dbm;			/* DBM_ALL, HDBSS: re-arming gives DBM */
	bool logged;			/* HDBSS: leaves have DBM outside the scan set */
	bool dbm;			/* the hardware heeds DBM */
	bool exclusive;			/* WEIR_DIRTY_F_TABLES_EXCLUSIVE */
	bool counting;
	bool many_readers;		/* further readers may be attached */
	struct weir_dirty *readers;	/* plain: read under a claim, changed under all */
	/*
	 * enum dirty_state; atomic, and relaxed throughout: nothing is published through it. What
	 * start() resets is all ones, or is protected again after its fence; readers come after it
	 * by their claims.
	 */
	uint32_t state;
	uint32_t frozen;		/* no more promotions; atomic */
	uint32_t trust;			/* ADAPTIVE: see dirty_learn.c; atomic */
	uint64_t round;			/* these three: see dirty_assume.c; atomic */
	uint64_t assumed_max;
	uint64_t nassumed;
	struct weir_dirty_stats stats;	/* each field atomic, relaxed */
};

/* Count n on a field of the statistics. */
#define dirty_count(d, field, n)                                                 \
	do {                                                                     \
		if ((d)->counting)                                               \
			(void)weir_fetch_add_relaxed(&(d)->stats.field,          \
						     (uint64_t)(n));             \
	} while (0)

/* What a fault, and a scan of a group, costs where the owner does not say. */
#define COST_FAULT_NS		3000u
#define COST_SCAN_GROUP_NS	350u

/* Bits lo..hi of a word; 0 <= lo <= hi <= 63. */
static inline uint64_t dirty_span(uint64_t lo, uint64_t hi)
{
	return (~(uint64_t)0 << lo) & (~(uint64_t)0 >> (63u - hi));
}

/* Which of the 64 from `start` on are in first..last; some are. */
static inline uint64_t dirty_part(uint64_t start, uint64_t first, uint64_t last)
{
	return dirty_span(first > start ? first - start : 0,
			  last < start + 63u ? last - start : 63u);
}

static inline uint64_t dirty_bit(uint64_t index)
{
	return (uint64_t)1 << (index & 63u);
}

static inline uint64_t dirty_group_of(const struct weir_dirty *d, uint64_t gfn)
{
	return (gfn - d->base_gfn) >> GROUP_SHIFT;
}

static inline uint64_t dirty_gfn_of(const struct weir_dirty *d, uint64_t group)
{
	return d->base_gfn + (group << GROUP_SHIFT);
}

/* The pages of a group that exist: all 64, but in the last group of a ragged region. */
static inline uint64_t dirty_group_mask(const struct weir_dirty *d, uint64_t group)
{
	uint64_t first = group << GROUP_SHIFT;

	if (d->npages - first >= 64u)
		return ~(uint64_t)0;
	return dirty_span(0, d->npages - first - 1u);
}

/*
 * Set a bit in a summary word after its child was set. The fence is the writer's half of the
 * store-buffer pattern; it pairs with the one in weir_dirty_retire() or weir_dirty_pass_end().
 */
static inline void dirty_raise(uint64_t *word, uint64_t bit)
{
	weir_fence_full();
	if (!(weir_load_relaxed(word) & bit))
		/* Relaxed: the fence has ordered the child before it. */
		(void)weir_fetch_or_relaxed(word, bit);
}

/* Set bits of a group, and make them reachable (I6). */
static inline void dirty_set_bits(struct dirty_log *log, uint64_t group, uint64_t pages)
{
	uint64_t stripe = group >> STRIPE_SHIFT, block = stripe >> STRIPE_SHIFT;

	/* Release: whoever takes the bit sees the write that it stands for. */
	(void)weir_fetch_or_release(&log->bits[group], pages);
	/*
	 * As dirty_raise(), twice, but where the first level is set one fence serves both looks: a
	 * reader that clears the first level after we saw it set comes later in the order of
	 * fences, finds our bit, and sets it again before it looks whether the second may go.
	 */
	weir_fence_full();
	if (!(weir_load_relaxed(&log->sum0[stripe]) & dirty_bit(group))) {
		(void)weir_fetch_or_relaxed(&log->sum0[stripe], dirty_bit(group));
		weir_fence_full();
	}
	if (!(weir_load_relaxed(&log->sum1[block]) & dirty_bit(stripe)))
		(void)weir_fetch_or_relaxed(&log->sum1[block], dirty_bit(stripe));
}

/* Groups of a stripe that may have a bit set in a log. */
static inline uint64_t dirty_log_groups(const struct dirty_log *log, uint64_t stripe)
{
	return log->bits ? weir_load_relaxed(&log->sum0[stripe]) : 0;
}

/* Bits of a group of a log, where the summary says that there may be some. */
static inline uint64_t dirty_log_pages(const struct dirty_log *log, uint64_t group)
{
	/* Acquire: pairs with the release of dirty_set_bits(). */
	return log->bits ? weir_load_acquire(&log->bits[group]) : 0;
}

static inline bool dirty_in_scan_set(const struct weir_dirty *d, uint64_t group)
{
	return (weir_load_relaxed(&d->scan0[group >> STRIPE_SHIFT]) & dirty_bit(group)) != 0;
}

/* Pages of a region, at least one, as the first and the last of them, counted from its first. */
static inline bool dirty_range(const struct weir_dirty *d, uint64_t first_gfn, uint64_t npages,
			       uint64_t *first, uint64_t *last)
{
	*first = first_gfn - d->base_gfn;
	*last = *first + (npages - 1u);
	return first_gfn >= d->base_gfn && npages && *first < d->npages &&
	       npages <= d->npages - *first;
}

/* Pages of a group that are assumed dirty. */
static inline uint64_t dirty_assumed_pages(const struct weir_dirty *d, uint64_t group)
{
	/* Relaxed: who changes it holds the claim, and who leaves a page out claims it later. */
	return d->hot ? weir_load_relaxed(&d->hot[group].assumed) : 0;
}

/*
 * One reader's pass over part of a region: the stripes of one block that it holds, and what it owes
 * them (an invalidation, groups to let go) before it may release them.
 */
struct dirty_pass {
	struct weir_dirty *d;		/* the region */
	struct weir_dirty *reader;	/* who reads it */
	uint64_t block;
	uint64_t claimed;		/* stripes of the block that this pass holds */
	uint64_t strided;		/* of the stripe at work: see dirty_learn.c */
	bool learn;			/* ADAPTIVE, logging, not frozen */
	bool assume;			/* pages may be assumed dirty, logging, not frozen */
	bool tlbi;			/* an invalidation is owed, of these pages: first..last */
	enum weir_status status;	/* WEIR_ENOMEM once an eager split failed */
	uint64_t tlbi_first_gfn;
	uint64_t tlbi_last_gfn;

	/* stripes with groups that leave the scan set after the invalidation */
	uint64_t demoted_stripes;

	/* the last answer of ops->leaf: pages run_first..run_last */
	uint64_t run_first_gfn;
	uint64_t run_last_gfn;
	uint64_t *run;
	unsigned int run_order;

	/* where a scan reads ahead beyond that run: the leaves of ahead_gfn and on, or NULL */
	uint64_t ahead_gfn;
	const uint64_t *ahead;

	/* what the reader wants and has */
	struct weir_dirty_word *words;	/* NULL: nobody remembers what is taken */
	size_t nwords_max;
	size_t nwords;
	uint64_t *bitmap;
	uint64_t bitmap_group;		/* the group of bitmap[0] */
	uint64_t bitmap_next;		/* the group whose word is written next */
	const uint64_t *mask;		/* pages that are wanted; NULL: all */
	uint64_t mask_group;		/* the group of mask[0] */
	uint64_t budget_ptes;		/* 0: no limit */
	uint64_t ptes;			/* descriptors visited so far */

	/* counted here, added to the statistics once a pass */
	uint64_t ptes_scanned;
	uint64_t ptes_rearmed;
	uint64_t leaves_promoted;
	uint64_t leaves_demoted;
	uint64_t groups_demoted;
	uint64_t pages;
};

/* dirty.c */
void weir_dirty_log_fill(const struct weir_dirty *d, struct dirty_log *log, bool ones);
bool weir_dirty_range_ok(const struct weir_dirty *d, uint64_t first_gfn, uint64_t npages);

/* dirty_pass.c */
void weir_dirty_pass_init(struct dirty_pass *p, struct weir_dirty *reader);
uint64_t weir_dirty_skip_empty(const struct dirty_pass *p, uint64_t block, uint64_t last,
			       bool scan_only);
uint64_t weir_dirty_claim(struct dirty_pass *p, uint64_t block, uint64_t range, bool scan_only);
bool weir_dirty_claim_range(struct weir_dirty *d, uint64_t first_group, uint64_t last_group);
void weir_dirty_unclaim_range(struct weir_dirty *d, uint64_t first_group, uint64_t last_group);
void weir_dirty_pass_end(struct dirty_pass *p);
void weir_dirty_pass_count(struct dirty_pass *p);
void weir_dirty_retire(struct dirty_log *log, uint64_t stripe, uint64_t emptied);
uint64_t weir_dirty_candidates(const struct weir_dirty *reader, uint64_t block);
bool weir_dirty_is_logging(const struct weir_dirty *d);
bool weir_dirty_cursor_ok(const struct weir_dirty *d, const struct weir_dirty_cursor *cur);

/* dirty_leaf.c */
uint64_t *weir_dirty_lookup(struct dirty_pass *p, uint64_t gfn);
void weir_dirty_forget_run(struct dirty_pass *p);
void weir_dirty_expect(struct dirty_pass *p, uint64_t group, uint64_t pages);
uint64_t weir_dirty_scan(struct dirty_pass *p, uint64_t group);
uint64_t weir_dirty_scan_groups(struct dirty_pass *p, uint64_t stripe, uint64_t groups,
				uint64_t shared, uint64_t *pages);
void weir_dirty_rearm(struct dirty_pass *p, uint64_t group, uint64_t dirty);
void weir_dirty_demote(struct dirty_pass *p, uint64_t group);

/* dirty_take.c */
enum weir_status weir_dirty_clear_pages(struct weir_dirty *reader, uint64_t base,
					const uint32_t *pages, size_t n);

/* dirty_scanset.c */
void weir_dirty_enter_scan_set(struct weir_dirty *d, uint64_t group);
bool weir_dirty_leave_scan_set(struct dirty_pass *p, uint64_t group);

/* dirty_readers.c */
void weir_dirty_tell_others(struct weir_dirty *reader, uint64_t group, uint64_t pages);

/* dirty_assume.c */
void weir_dirty_assume_reset(struct weir_dirty *d);
void weir_dirty_assume_review(struct weir_dirty *d, uint64_t group);
uint64_t weir_dirty_assume_learn(struct weir_dirty *d, uint64_t group, uint64_t dirty);

/* dirty_learn.c */
enum dirty_verdict {
	DIRTY_KEEP = 0,
	DIRTY_PROMOTE = 1,
	DIRTY_DEMOTE = 2
};
void weir_dirty_learn_init(struct weir_dirty *d, const struct weir_dirty_config *cfg);
void weir_dirty_learn_reset(struct weir_dirty *d, bool all_dirty);
enum dirty_verdict weir_dirty_learn(struct weir_dirty *d, uint64_t group, unsigned int npages,
				    bool hw, bool strided);
uint64_t weir_dirty_learn_strides(const struct weir_dirty *d, uint64_t groups,
				  const uint64_t *pages);
uint64_t weir_dirty_learn_span(uint64_t pages);
uint64_t weir_dirty_fault_span(struct weir_dirty *d, uint64_t gfn, uint64_t *npages);

/* Whether the pass has spent its budget. */
static inline bool dirty_spent(const struct dirty_pass *p)
{
	return p->budget_ptes && p->ptes >= p->budget_ptes;
}

/*
 * Walk the stripes of a cursor's range that may hold something: claim them block by block, hand
 * each to work(), settle what the block owes, go on. work() returns false to stop, with *group set
 * to where to go on. Inlined into each reader, so that work() is a direct call.
 */
static inline enum weir_status dirty_walk(struct dirty_pass *p, struct weir_dirty_cursor *cur,
					  bool scan_only,
					  bool (*work)(struct dirty_pass *p, uint64_t stripe,
						       uint64_t groups, uint64_t *group))
{
	struct weir_dirty *d = p->d;
	uint64_t last = dirty_group_of(d, cur->last_gfn);

	while (!cur->done) {
		uint64_t first = dirty_group_of(d, cur->next_gfn);
		uint64_t from_block = first >> (2u * STRIPE_SHIFT);
		uint64_t block = weir_dirty_skip_empty(p, from_block, last >> (2u * STRIPE_SHIFT),
						       scan_only);
		uint64_t end = (block << (2u * STRIPE_SHIFT)) + 4095u; /* the block's last group */
		uint64_t to = end < last ? end : last;
		uint64_t busy, todo, group = 0;
		bool stopped = false;

		if (block != from_block) {
			first = block << (2u * STRIPE_SHIFT);
			cur->next_gfn = dirty_gfn_of(d, first);
		}
		busy = weir_dirty_claim(p, block,
					dirty_span((first >> STRIPE_SHIFT) & 63u,
						   (to >> STRIPE_SHIFT) & 63u),
					scan_only);
		for (todo = p->claimed; todo && !stopped; todo &= todo - 1u) {
			uint64_t stripe = (block << STRIPE_SHIFT) + weir_ctz64(todo);
			uint64_t lo = stripe << STRIPE_SHIFT;
			uint64_t from = first > lo ? first - lo : 0;
			uint64_t upto = to < lo + 63u ? to - lo : 63u;

			stopped = !work(p, stripe, dirty_span(from, upto), &group);
		}
		weir_dirty_pass_end(p);
		if (stopped) {
			cur->next_gfn = dirty_gfn_of(d, group);
			return WEIR_EAGAIN;
		}
		if (busy) {
			group = ((block << STRIPE_SHIFT) + weir_ctz64(busy)) << STRIPE_SHIFT;
			if (group > first)
				cur->next_gfn = dirty_gfn_of(d, group);
			dirty_count(d, readers_busy, 1);
			return WEIR_EBUSY;
		}
		cur->done = to == last;
		cur->next_gfn = cur->done ? cur->last_gfn : dirty_gfn_of(d, to + 1u);
	}
	return WEIR_OK;
}

#endif
