// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dirty_learn.c - who is promoted, and how far: the policies' one place.
 *
 * The rule. A group in HW mode saves the faults of its dirty pages, all but the one that promoted
 * it, and costs a scan of its 64 descriptors at every harvest. With n pages dirty between harvests
 * it is worth promoting if (n - 1) * fault > weight * scan, and, once promoted, worth keeping if
 * n * fault > weight * scan. Both become page counts when the region is made.
 *
 * Trust. How likely is it that a group with one dirty page will have n? Every group that was taken
 * with some page dirty answers for the region: one more if it had n, one less if not, 0 to 64. So
 * does every group that faults promoted. From 4 on, the first fault of a group promotes it, whole:
 * what a fixed neighbourhood takes for granted is granted where the guest has shown it, and taken
 * back where it shows otherwise. A guest that writes one page in each group never gets there.
 *
 * The learning. A fault sees how many pages of its group have faulted since they were last taken:
 * the group's bits. The fault that makes n worth promoting promotes; to wait for the harvest would
 * be to pay for the rest of the group until then. Each harvest shows the n of each group it
 * visits. One good harvest promotes. A group is demoted when the scans since its last write have
 * cost what its next promotion would in faults, but after four idle ones at most: from there on
 * there is less to gain than a percent, and to scan as much as under a fixed neighbourhood. Two
 * harvests in a row that found some pages, but too few, or a stride, demote as well. A group that
 * was demoted must wait out 1, 3, 7, ... 63 harvests in which it is dirty, doubling each time,
 * before it is promoted again, or be written in 8, 16, 32 times as many pages as are worth a
 * promotion: then waiting costs more than it could save. Seven good harvests in a row forgive. The
 * first time a group is taken after a start that calls everything dirty teaches nothing.
 *
 * Strides. A group with few dirty pages whose first is where its neighbours' first are is one step
 * of a stride, and will not have more: it is not promoted on trust, nor with its table, and what a
 * dense phase has left in HW mode comes down. Promoted, it would save a fault a harvest, and have
 * its 64 descriptors scanned for it; what that adds up to grows with memory.
 *
 * The ladder. A trap is the first step, one page. A group is promoted by an aligned run of 16 pages
 * if that holds all its dirty pages, else whole; a trapping page of a group in HW mode takes its
 * run of 16 along; and when six of a table's eight groups are in HW mode - three, where trust is 16
 * or more - a fault in one of the others promotes the whole table of 512.
 */
#include "dirty_internal.h"

#define RUN_PAGES		16u
#define TABLE_SPAN_PAGES	512u
#define TABLE_GROUPS_HOT	6u
#define TABLE_GROUPS_TRUSTED	3u

#define TRUST_MAX		64u
#define TRUST_GROUP		4u
#define TRUST_TABLE		16u

/* A group that waits is promoted all the same by this many times more dirty pages, as a shift. */
#define WAIT_SHIFT		2u

/* ctl[group]: good:3 backoff:3 wait:6 idle:2 strided:1 seen:1 */
#define GOOD_MAX		7u
#define BACKOFF_MAX		6u
#define IDLE_MIN		2u
#define IDLE_MAX		4u	/* what is stored is less */
#define SEEN			((uint16_t)1 << 15)

struct habit {
	unsigned int good;
	unsigned int backoff;
	unsigned int wait;
	unsigned int idle;
	unsigned int strided;
};

static struct habit habit_load(uint16_t c)
{
	struct habit h = { c & 7u, (c >> 3) & 7u, (c >> 6) & 63u, (c >> 12) & 3u, (c >> 14) & 1u };

	return h;
}

static uint16_t habit_store(struct habit h)
{
	return (uint16_t)(h.good | h.backoff << 3 | h.wait << 6 | h.idle << 12 | h.strided << 14 |
			  SEEN);
}

/* Smallest n from 0 to 65 with n * fault > cost. */
static uint32_t pages_worth(uint64_t fault_ns, uint64_t cost_ns)
{
	uint32_t n = 0;

	while (n <= 64u && n * fault_ns <= cost_ns)
		n++;
	return n;
}

void weir_dirty_learn_init(struct weir_dirty *d, const struct weir_dirty_config *cfg)
{
	uint64_t fault_ns = cfg->cost_fault_ns ? cfg->cost_fault_ns : COST_FAULT_NS;
	uint64_t scan_ns = cfg->cost_scan_group_ns ? cfg->cost_scan_group_ns : COST_SCAN_GROUP_NS;
	uint64_t weight = cfg->scan_weight ? cfg->scan_weight : 1u;

	d->keep_pages_min = pages_worth(fault_ns, scan_ns * weight);
	d->good_pages_min = d->keep_pages_min + 1u;
	for (d->idle_max = IDLE_MIN; d->idle_max < IDLE_MAX; d->idle_max++)
		if (d->idle_max * scan_ns * weight >= d->good_pages_min * fault_ns)
			break;
}

void weir_dirty_learn_reset(struct weir_dirty *d, bool all_dirty)
{
	uint64_t group;

	weir_store_relaxed(&d->trust, 0u);
	for (group = 0; d->ctl && group < d->ngroups; group++)
		weir_store_relaxed(&d->ctl[group], all_dirty ? (uint16_t)0 : SEEN);
}

/*
 * A group had enough dirty pages, or had some and too few. Two that do this at once may count as
 * one: it is a guess.
 */
static void learn_trust(struct weir_dirty *d, bool enough)
{
	uint32_t trust = weir_load_relaxed(&d->trust);

	if (enough && trust < TRUST_MAX)
		weir_store_relaxed(&d->trust, trust + 1u);
	else if (!enough && trust)
		weir_store_relaxed(&d->trust, trust - 1u);
}

static bool trusted(const struct weir_dirty *d, uint32_t enough)
{
	return weir_load_relaxed(&d->trust) >= enough;
}

/*
 * Which of a stripe's groups look like steps of a stride: too few pages dirty for a promotion, and
 * the first of them at the same place in the groups on both sides. pages[i]: for those of `groups`.
 */
uint64_t weir_dirty_learn_strides(const struct weir_dirty *d, uint64_t groups,
				  const uint64_t *pages)
{
	uint64_t few = 0, same = 0, left;

	for (left = groups; left; left &= left - 1u) {
		unsigned int i = weir_ctz64(left);

		if (!pages[i] || weir_popcount64(pages[i]) >= d->good_pages_min)
			continue;
		/* bit i of same: as the group below */
		if ((few << 1) & dirty_bit(i) &&
		    weir_ctz64(pages[i]) == weir_ctz64(pages[i - 1u]))
			same |= dirty_bit(i);
		few |= dirty_bit(i);
	}
	/* At the ends of the stripe there is one neighbour to go by. */
	return few & (same | 1u) & (same >> 1 | dirty_bit(63)) & (same | same >> 1);
}

/*
 * A harvest found npages of a group dirty: what is to become of it? strided: it is a step of a
 * stride. Under the stripe's claim.
 */
enum dirty_verdict weir_dirty_learn(struct weir_dirty *d, uint64_t group, unsigned int npages,
				    bool hw, bool strided)
{
	uint16_t c = weir_load_relaxed(&d->ctl[group]);
	struct habit h = habit_load(c);
	enum dirty_verdict verdict = DIRTY_KEEP;

	if ((c & SEEN) && npages && !h.wait)
		learn_trust(d, npages >= d->good_pages_min);
	if (npages)
		h.strided = strided;
	if (!(c & SEEN)) {
		/* the first harvest after start: these bits are no writes */
	} else if (hw && npages >= d->keep_pages_min && !strided) {
		h.idle = 0;
		if (h.good < GOOD_MAX)
			h.good++;
		else
			h.backoff = 0;
	} else if (hw) {
		h.good = 0;
		h.idle += npages ? (d->idle_max + 1u) / 2u : 1u;
		if (h.idle >= d->idle_max) {
			h.idle = 0;
			if (h.backoff < BACKOFF_MAX)
				h.backoff++;
			h.wait = (1u << h.backoff) - 1u;
			verdict = DIRTY_DEMOTE;
		}
	} else if (h.wait) {
		h.wait--;
	} else if (npages >= d->good_pages_min) {
		h.good = 0;
		h.idle = 0;
		verdict = DIRTY_PROMOTE;
	}
	weir_store_relaxed(&d->ctl[group], habit_store(h));
	return verdict;
}

/* The pages that get DBM with a group whose dirty pages are these: a run of 16, or all 64. */
uint64_t weir_dirty_learn_span(uint64_t pages)
{
	unsigned int run;

	for (run = 0; run < 64u; run += RUN_PAGES) {
		uint64_t mask = dirty_span(run, run + RUN_PAGES - 1u);

		if (!(pages & ~mask))
			return mask;
	}
	return ~(uint64_t)0;
}

/* Groups in HW mode of the 512-page table around gfn. */
static unsigned int hot_groups(const struct weir_dirty *d, uint64_t gfn)
{
	uint64_t first = gfn & ~(uint64_t)(TABLE_SPAN_PAGES - 1u);
	unsigned int i, hot = 0;

	for (i = 0; i < TABLE_SPAN_PAGES; i += 64u) {
		uint64_t at = first + i;

		if (at >= d->base_gfn && at - d->base_gfn < d->npages &&
		    dirty_in_scan_set(d, dirty_group_of(d, at)))
			hot++;
	}
	return hot;
}

/* How many pages a fault at gfn, of a trapping group, promotes: none, its run, group or table. */
static uint64_t trapping_span(struct weir_dirty *d, uint64_t gfn)
{
	uint64_t group = dirty_group_of(d, gfn), assumed = dirty_assumed_pages(d, group);
	uint64_t pages = (dirty_log_pages(&d->shared, group) & ~assumed) |
			 dirty_bit(gfn - d->base_gfn);
	struct habit h = habit_load(weir_load_relaxed(&d->ctl[group]));
	uint32_t n = weir_popcount64(pages);

	if (h.strided && n < d->good_pages_min)
		return 0;
	if (hot_groups(d, gfn) >=
	    (trusted(d, TRUST_TABLE) ? TABLE_GROUPS_TRUSTED : TABLE_GROUPS_HOT))
		return TABLE_SPAN_PAGES;
	if (h.wait && n < d->good_pages_min << (h.backoff + WAIT_SHIFT))
		return 0;
	if (n < d->good_pages_min)
		return trusted(d, TRUST_GROUP) ? 64u : 0;
	learn_trust(d, true);
	if (trusted(d, TRUST_GROUP) || weir_dirty_learn_span(pages) == ~(uint64_t)0)
		return 64u;
	return RUN_PAGES;
}

/*
 * The neighbourhood that a fault at gfn promotes: returns its first page (aligned to its size, so
 * it may lie below the region) and sets *npages; 0 pages: do not promote.
 */
uint64_t weir_dirty_fault_span(struct weir_dirty *d, uint64_t gfn, uint64_t *npages)
{
	uint64_t n = d->span_pages;

	if (d->ctl && dirty_in_scan_set(d, dirty_group_of(d, gfn)))
		n = trusted(d, TRUST_GROUP) ? 64u : RUN_PAGES;
	else if (d->ctl)
		n = trapping_span(d, gfn);
	*npages = n;
	return n ? gfn & ~(n - 1u) : gfn;
}
