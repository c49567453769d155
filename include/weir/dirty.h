/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * weir/dirty.h - a dirty log for the stage-2 tables of a virtual machine.
 *
 * A *region* is a run of guest frames (gfn). Its pages are tracked 64 at a time: a *group* is 64
 * pages, 512 bytes of leaf descriptors and one word of the bitmap, and it is in one of two modes.
 * In TRAP mode a page is write-protected and its first write faults; in HW mode leaves carry DBM
 * and the hardware records the write by setting S2AP[1] (FEAT_HAFDBS). The groups in HW mode are
 * the *scan set*: only their descriptors are ever read to find dirty pages. 64 groups are a
 * *stripe*, the unit in which readers exclude each other (4096 pages, 16 MiB of 4 KiB pages).
 *
 * Leaf descriptors, by {DBM, S2AP[1]}:
 *
 *   {0,0} trapping        a write faults, and weir_dirty_fault() is called
 *   {0,1} untracked       writable; legal only while the page's bit is set (or logging is off)
 *   {1,0} writable-clean  legal only in a group of the scan set, or under HDBSS
 *   {1,1} writable-dirty  dirty, in a group of the scan set; elsewhere as {0,1}
 *
 * Where a page's dirtiness is kept, so that there is one truth: a page is dirty when its bit is
 * set, or when its leaf is writable-dirty and its group is in the scan set. Nothing else.
 *
 * The invariants, which the code cites by number:
 *
 * I1  While logging, at every instant at least one holds for a page: its bit is set; every write to
 *     it faults (leaf without write permission, no writable translation cached); its group is in
 *     the scan set and no cached translation can write it without setting its leaf dirty; the
 *     hardware's log has it, or will have it before its leaf is set dirty (HDBSS); an open
 *     transaction or a weir_dirty_clear() in progress holds it; a weir_dirty_fault() on it, or on
 *     its neighbourhood, has not returned.
 * I2  A group enters the scan set before any of its leaves gets DBM, and leaves it after the last
 *     leaf has lost it.
 * I3  No reader gets a page before the TLB invalidation of the re-arming that took it is complete.
 * I4  Re-arming takes the bit first and the leaf's write permission second; relaxing sets the bit
 *     first, the leaf second, and then looks at the bit again.
 * I5  Every error is towards "dirty". A page may be reported once too often, never too seldom.
 * I6  A bit that is set is reachable: by the time weir_dirty_mark() or weir_dirty_fault() returns,
 *     the summary levels above it are set.
 *
 * Concurrency: weir_dirty_fault() and weir_dirty_mark() may run at any time on any CPU, against
 * each other and against every other function; they take no lock and never wait. Readers (get,
 * clear, harvest, freeze) may run in parallel on different stripes; two that meet on one get
 * WEIR_EBUSY. start, final and stop are for the owner of the region, one at a time.
 *
 * The caller owns the tables: keeps table memory alive during a call that may read it, changes live
 * descriptors only atomically, passes what it replaced to weir_dirty_fold(), and keeps W, DBM and
 * CONT clear in invalid ones. A new leaf goes in trapping; if writable, its page is marked after.
 *
 * Costs: fault O(1), O(neighbourhood) when it promotes. get and harvest: two words a block of 64
 * stripes, 64 descriptors a group of the scan set, a word a dirty group. Memory: 1.5 bits a page.
 * Source of the idea: the KVM arm64 software/hardware combined dirty log (2023) and the objections
 * to it; KVM's dirty-log ABI for CLEAR; the x86 rule "dirty in the bitmap or write-protected".
 * Encodings: Arm ARM (DDI 0487), stage 2 block and page descriptors, FEAT_HAFDBS.
 */
#ifndef WEIR_DIRTY_H
#define WEIR_DIRTY_H

#include "weir/status.h"
#include "weir/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pages a group (a bitmap word) and a stripe (what readers claim) cover. */
#define WEIR_DIRTY_GROUP_PAGES	64u
#define WEIR_DIRTY_STRIPE_PAGES	4096u

/* The largest region, in pages: 2^40 pages, 4 PiB of 4 KiB pages. */
#define WEIR_DIRTY_PAGES_MAX	((uint64_t)1 << 40)

/* Bits of a stage-2 leaf descriptor that the library reads. It writes W and DBM, and no others. */
#define WEIR_DIRTY_DESC_VALID	((uint64_t)1 << 0)
#define WEIR_DIRTY_DESC_PAGE	((uint64_t)1 << 1)	/* set in a page, clear in a block */
#define WEIR_DIRTY_DESC_W	((uint64_t)1 << 7)	/* S2AP[1] */
#define WEIR_DIRTY_DESC_AF	((uint64_t)1 << 10)
#define WEIR_DIRTY_DESC_DBM	((uint64_t)1 << 51)
#define WEIR_DIRTY_DESC_CONT	((uint64_t)1 << 52)	/* one of a contiguous run; only read */

struct weir_dirty;

/** enum weir_dirty_policy - when a page that faults is handed to the hardware */
enum weir_dirty_policy {
	/* never: every first write to a page faults; blocks are split when a write faults */
	WEIR_DIRTY_WP = 0,
	/* never, and blocks are split when they are re-armed, so that no fault waits for a split */
	WEIR_DIRTY_WP_EAGER = 1,
	/* always: every page-grain leaf gets DBM when it is re-armed or faults */
	WEIR_DIRTY_DBM_ALL = 2,
	/* on a fault, with its neighbourhood of a fixed number of pages */
	WEIR_DIRTY_FIXED = 3,
	/* where the faults it saves cost more than the scans it causes, learned group by group */
	WEIR_DIRTY_ADAPTIVE = 4,
	/*
	 * always, and nothing is scanned: the hardware appends each page whose leaf it sets dirty
	 * to a log (FEAT_HDBSS), and the owner hands the log to weir_dirty_log(). The log is armed
	 * on every vCPU before logging starts and disarmed after it stops.
	 */
	WEIR_DIRTY_HDBSS = 5
};

/* What the machine and its owner can do: config.flags */
#define WEIR_DIRTY_F_DBM		(1u << 0) /* FEAT_HAFDBS usable: VTCR_EL2.HA and HD set */
#define WEIR_DIRTY_F_DBM_NEEDS_BBM	(1u << 1) /* erratum 1024718: DBM never changes live */
#define WEIR_DIRTY_F_COUNTERS		(1u << 2) /* keep the counters of weir_dirty_stats() */
/*
 * Nobody but hardware and this module changes a live descriptor of a range, in any bit, while a
 * reader works on it, as under a lock such as KVM's mmu_lock. A leaf that is writable-dirty with AF
 * set is one that hardware has no reason to write, so with this promise it is cleaned by a plain
 * 64-bit store instead of an atomic and.
 */
#define WEIR_DIRTY_F_TABLES_EXCLUSIVE	(1u << 3)
#define WEIR_DIRTY_F_READERS		(1u << 6)	/* allow reader_attach(): 1 bit a page */
#define WEIR_DIRTY_F_DEVICES		(1u << 7)	/* allow device_map(): 1 bit a page */
#define WEIR_DIRTY_F_HDBSS		(1u << 8)	/* FEAT_HDBSS present */
#define WEIR_DIRTY_F_S2PIE		(1u << 4) /* permission indirection: refused, EOPNOTSUPP */
#define WEIR_DIRTY_F_NESTED		(1u << 5) /* shadow tables of a nested guest: refused too */

/**
 * struct weir_dirty_config - what a region is and how it is tracked
 * @base_gfn: first guest frame; a multiple of 64
 * @npages: number of pages, 1 to WEIR_DIRTY_PAGES_MAX; need not be a multiple of 64
 * @policy: an enum weir_dirty_policy
 * @neighbourhood: for FIXED, how many pages are promoted together: a power of two from 1 to 512,
 *	aligned to itself; else ignored
 * @table_pages: leaves a last-level table holds: 512, 2048 or 8192 (4, 16, 64 KiB granule); 0: 512
 * @flags: WEIR_DIRTY_F_*
 * @cost_fault_ns: for ADAPTIVE, what a write fault costs, in ns; 0: 3000
 * @cost_scan_group_ns: for ADAPTIVE, what reading a group's 64 leaves costs, in ns; 0: 350
 * @scan_weight: for ADAPTIVE, how much dearer scan time is than fault time: 1 in the background,
 *	the number of vCPUs where the scan runs with the guest stopped; 0: 1
 */
struct weir_dirty_config {
	uint64_t base_gfn;
	uint64_t npages;
	uint32_t policy;
	uint32_t neighbourhood;
	uint32_t table_pages;
	uint32_t flags;
	uint32_t cost_fault_ns;
	uint32_t cost_scan_group_ns;
	uint32_t scan_weight;
};

/**
 * struct weir_dirty_ops - what the library asks of the tables' owner
 *
 * Every op gets the ctx of weir_dirty_init(). None may call back into the same region, except that
 * block_split() may call weir_dirty_fold(). gfn is always inside the region.
 */
struct weir_dirty_ops {
	/**
	 * @leaf: the live leaf descriptor that maps gfn
	 *
	 * *order is set to log2 of the pages it maps: 0 for a page, 9 or 18 for a 2 MiB or 1 GiB
	 * block at 4 KiB granule. Blocks do not carry the contiguous hint, lie inside one region,
	 * and may be written wholly or not at all. With order 0 the descriptors of the whole
	 * last-level table stand in order around it, so the library reads up to table_pages of
	 * them from one call; those that map nothing are not valid. Where there is no last-level
	 * table and no block it returns NULL, with *order set to log2 of the aligned run around
	 * gfn that may be skipped, at least table_pages. The memory stays valid until the
	 * library's function that called the op returns. Context: as the function that called;
	 * must not sleep.
	 */
	uint64_t *(*leaf)(void *ctx, uint64_t gfn, unsigned int *order);
	/**
	 * @tlbi_range: forget cached translations of first..last (inclusive) on every CPU
	 *
	 * Orders the descriptor writes before it (DSB ISHST) first, and has completed when it
	 * returns (TLBI, DSB ISH): no CPU can write through an older translation any more.
	 * A range may be wider than what was changed; forgetting too much is legal. It may end
	 * beyond the region, where its last group or a block does.
	 */
	void (*tlbi_range)(void *ctx, uint64_t first_gfn, uint64_t last_gfn);
	/**
	 * @tlbi_local: forget the translation of gfn on this CPU only
	 *
	 * After a permission was relaxed; other CPUs fault once more and find the leaf writable.
	 */
	void (*tlbi_local)(void *ctx, uint64_t gfn);
	/**
	 * @block_split: replace the block that maps gfn by a table of page leaves; or, if a page
	 * maps it already, drop the contiguous hint of its run
	 *
	 * The leaves inherit the block's S2AP; PAGE is set on them, DBM never. Where a reader may
	 * run beside it, a block that could be written through is folded once the leaves are in
	 * place: a reader that came in the middle took its pages and found nothing to protect.
	 * Break-before-make and its invalidation are the owner's. If another CPU has split it
	 * meanwhile, that is success. Dropping a hint cannot fail. Return: WEIR_OK; WEIR_ENOMEM.
	 */
	enum weir_status (*block_split)(void *ctx, uint64_t gfn);
	/**
	 * @writable: which pages of the group at group_gfn the guest may write (optional)
	 *
	 * Bit i stands for page group_gfn + i. Asked before leaves get write permission or DBM.
	 * NULL where every page of the region may be written. A hypervisor that maps some pages
	 * read-only for reasons of its own (a shared zero page, copy on write) must supply it.
	 */
	uint64_t (*writable)(void *ctx, uint64_t group_gfn);
};

/** struct weir_dirty_word - dirty pages of one group: bit i stands for page gfn + i */
struct weir_dirty_word {
	uint64_t gfn;
	uint64_t pages;
};

/** struct weir_dirty_cursor - a place in a region, for a walk that is done in portions */
struct weir_dirty_cursor {
	uint64_t next_gfn;	/* where the next call goes on */
	uint64_t last_gfn;	/* inclusive end */
	bool done;		/* the walk is complete */
};

/** enum weir_dirty_outcome - what a fault led to */
enum weir_dirty_outcome {
	/*
	 * The leaf was writable already: nothing was changed, and nothing invalidated. The CPU may
	 * hold a translation that it cached while the leaf trapped; if it can fault on that again,
	 * its owner drops it (a local TLBI) before the retry.
	 */
	WEIR_DIRTY_SPURIOUS = 0,
	WEIR_DIRTY_TRAPPED = 1,		/* the page's bit is set, the page is writable */
	WEIR_DIRTY_PROMOTED = 2,	/* the page is writable-dirty, neighbours writable-clean */
	WEIR_DIRTY_UNTRACKED = 3	/* logging is off: the page is writable */
};

/**
 * struct weir_dirty_fault_info - what weir_dirty_fault() did
 * @outcome: an enum weir_dirty_outcome
 * @leaves: descriptors it wrote
 * @split: whether it had a block split
 */
struct weir_dirty_fault_info {
	enum weir_dirty_outcome outcome;
	unsigned int leaves;
	bool split;
};

/**
 * weir_dirty_size() - bytes of memory that a region needs
 * @cfg: its configuration
 *
 * Context: any.
 * Return: bytes; 0 where weir_dirty_init() would refuse the configuration.
 */
size_t weir_dirty_size(const struct weir_dirty_config *cfg);

/**
 * weir_dirty_init() - make a region, with logging off
 * @mem: the caller's memory, aligned to 64 bytes, kept until the region is no longer used
 * @size: its size in bytes, at least weir_dirty_size(cfg)
 * @cfg: copied
 * @ops: kept by reference; leaf, tlbi_range, tlbi_local and block_split are set
 * @ctx: passed to every op
 * @out: the region
 *
 * There is no counterpart: after weir_dirty_stop() the memory may simply be given back.
 *
 * ADAPTIVE on a machine without usable DBM tracks by write protection alone; the other policies
 * that need it are refused there.
 *
 * Context: caller serialises. Writes all of the memory.
 * Return: WEIR_OK; WEIR_EINVAL for a misaligned or impossible value or a missing op; WEIR_ENOMEM if
 *	size is too small; WEIR_EOPNOTSUPP for a policy that needs DBM (or HDBSS) where it is not
 *	usable or needs break-before-make, and for S2PIE and nested tables.
 */
enum weir_status weir_dirty_init(void *mem, size_t size, const struct weir_dirty_config *cfg,
				 const struct weir_dirty_ops *ops, void *ctx,
				 struct weir_dirty **out);

/**
 * weir_dirty_start() - start logging
 * @d: a region with logging off
 * @all_dirty: true: every page is reported dirty at first and nothing is protected until it is
 *	cleared, in O(1) time a group (KVM's INITIALLY_SET); false: every page is clean at first,
 *	and is protected now, in O(1) a leaf: to do it in portions, start all dirty and
 *	weir_dirty_clear() a range at a time. With false, a policy that splits eagerly splits here.
 *
 * Context: may run beside fault and mark; one start, final or stop at a time. Calls ops.
 * Return: WEIR_OK; WEIR_EBUSY if logging is on or a reader is still at work; WEIR_ENOMEM if an
 *	eager split failed: that block stays a block, is protected, and logging is on all the same.
 */
enum weir_status weir_dirty_start(struct weir_dirty *d, bool all_dirty);

/**
 * weir_dirty_stop() - stop logging and forget what was not collected
 * @d: a region in any state
 *
 * Pages that trap become writable as they fault. Cannot fail; stopping twice is harmless.
 *
 * Context: no reader of the region is at work; may run beside fault and mark.
 */
void weir_dirty_stop(struct weir_dirty *d);

/**
 * weir_dirty_fault() - a write faulted on the permission of a page
 * @d: the region
 * @gfn: the page
 * @info: what was done; may be NULL
 *
 * When it returns WEIR_OK the access may be retried. On a page that is writable already (a second
 * vCPU, an older translation) it writes no descriptor, splits nothing and invalidates nothing.
 *
 * Context: any CPU, any time; takes no lock, never waits. Calls leaf, tlbi_local, and on a block
 * block_split (which may allocate).
 * Return: WEIR_OK; WEIR_ERANGE outside the region; WEIR_ENOENT if nothing is mapped at gfn;
 *	WEIR_EFAULT if the page may not be written; WEIR_ENOMEM if a block could not be split;
 *	WEIR_EAGAIN if others kept changing the leaf, or it says that it is not of the order that
 *	ops->leaf says (WEIR_DIRTY_DESC_PAGE): retry the access; WEIR_ESHUTDOWN after
 *	weir_dirty_final(): the page is marked all the same, and counted as late.
 */
enum weir_status weir_dirty_fault(struct weir_dirty *d, uint64_t gfn,
				  struct weir_dirty_fault_info *info);

/**
 * weir_dirty_mark() - pages were written by somebody who does not fault
 * @d: the region
 * @first_gfn: first page
 * @npages: number of pages, at least 1
 *
 * For the VMM, vhost, device emulation, table saves, DMA. Call it after the write.
 * Context: any CPU, any time, any context; takes no lock, never waits, calls no op.
 * Return: WEIR_OK (also while logging is off, when there is nothing to record); WEIR_ERANGE if the
 *	range is empty or not inside the region, with nothing marked; WEIR_ESHUTDOWN after
 *	weir_dirty_final(): the pages are marked all the same, and counted as late.
 */
enum weir_status weir_dirty_mark(struct weir_dirty *d, uint64_t first_gfn, uint64_t npages);

/** enum weir_dirty_source - who wrote */
enum weir_dirty_source {
	WEIR_DIRTY_BY_VCPU = 0,		/* a vCPU: a fault, or a leaf that was folded */
	WEIR_DIRTY_BY_VMM = 1,		/* the VMM, device emulation */
	WEIR_DIRTY_BY_VHOST = 2,	/* an in-kernel or out-of-process backend */
	WEIR_DIRTY_BY_DEVICE = 3,	/* DMA */
	WEIR_DIRTY_BY_TABLES = 4,	/* interrupt tables that are saved to guest memory */
	WEIR_DIRTY_BY_OTHER = 5
};

#define WEIR_DIRTY_SOURCES 6

/**
 * weir_dirty_mark_by() - weir_dirty_mark(), with the writer's name on it
 * @d: the region
 * @source: who wrote; the statistics count by it, late writes above all
 * @first_gfn: first page
 * @npages: number of pages, at least 1
 *
 * Context: as weir_dirty_mark().
 * Return: as weir_dirty_mark(); WEIR_EINVAL for a source that does not exist.
 */
enum weir_status weir_dirty_mark_by(struct weir_dirty *d, enum weir_dirty_source source,
				    uint64_t first_gfn, uint64_t npages);

/**
 * weir_dirty_fold() - a live leaf was replaced: keep what it knew
 * @d: the region, or a reader of it
 * @gfn: first page the old leaf mapped
 * @order: log2 of the pages it mapped, below 64 (asserted)
 * @old_desc: the old descriptor, as the atomic exchange returned it
 *
 * For unmap, collapse and remap. Marks the pages if the old leaf could have been written through.
 * The order is: exchange the descriptor, invalidate and wait, fold, map anew. Folded before the
 * invalidation has completed, a reader may take the page while a cached translation still writes
 * it.
 *
 * Context: as weir_dirty_mark().
 */
void weir_dirty_fold(struct weir_dirty *d, uint64_t gfn, unsigned int order, uint64_t old_desc);

/**
 * weir_dirty_cursor_init() - a cursor over a whole region
 * @d: the region
 * @cur: set to its first and last page
 *
 * A caller may narrow the range: next_gfn to a multiple of 64, last_gfn to the end of a group or of
 * the region.
 *
 * Context: any.
 */
void weir_dirty_cursor_init(const struct weir_dirty *d, struct weir_dirty_cursor *cur);

/**
 * weir_dirty_get() - which pages are dirty, as (group, pages) pairs; clears nothing
 * @d: the region
 * @cur: where to go on; moved
 * @words: room for the pairs, in ascending gfn; groups without a dirty page are left out
 * @nwords_max: how many fit, at least 1
 * @budget_ptes: stop after reading about this many descriptors; 0: no limit
 * @nwords: how many were written
 *
 * Content that is read after this, and not after weir_dirty_clear(), is a snapshot only if no vCPU
 * runs.
 *
 * Context: any context in which the ops may be called.
 * Return: WEIR_OK when the walk is complete; WEIR_EAGAIN when room or budget ran out (call again
 *	with the same cursor); WEIR_EBUSY when another reader holds the stripe at cur->next_gfn
 *	(what was found before it is in words); WEIR_EINVAL for a cursor that is misaligned or
 *	outside the region, no room, or a region that is not logging.
 */
enum weir_status weir_dirty_get(struct weir_dirty *d, struct weir_dirty_cursor *cur,
				struct weir_dirty_word *words, size_t nwords_max,
				uint64_t budget_ptes, size_t *nwords);

/**
 * weir_dirty_get_bitmap() - which pages are dirty, as a bitmap; clears nothing
 * @d: the region
 * @first_gfn: first page, base_gfn plus a multiple of 64
 * @npages: number of pages; a multiple of 64 unless it reaches the region's end
 * @bitmap: (npages + 63) / 64 words; bit i of word j is page first_gfn + 64 * j + i. All are
 *	written.
 *
 * Context: as weir_dirty_get().
 * Return: WEIR_OK; WEIR_EBUSY when another reader holds part of the range (bitmap is undefined);
 *	WEIR_EINVAL for a range that breaks the rules above, or a region that is not logging.
 */
enum weir_status weir_dirty_get_bitmap(struct weir_dirty *d, uint64_t first_gfn, uint64_t npages,
				       uint64_t *bitmap);

/**
 * weir_dirty_clear() - forget that pages are dirty and catch their next write (KVM's CLEAR)
 * @d: the region
 * @first_gfn: first page, base_gfn plus a multiple of 64
 * @npages: number of pages; a multiple of 64 unless it reaches the region's end
 * @mask: (npages + 63) / 64 words; the pages to clear. NULL: all
 *
 * Pages of the mask that are not dirty are left alone; what is assumed dirty stays so. When it
 * returns, content may be read: a later write makes the page dirty again.
 *
 * Context: any context in which the ops may be called.
 * Return: WEIR_OK; WEIR_EBUSY when another reader holds part of the range: nothing was cleared;
 *	WEIR_EINVAL for a range that breaks the rules above, or a region that is not logging;
 *	WEIR_ENOMEM if an eager split failed (the pages are cleared all the same, the block is
 *	protected).
 */
enum weir_status weir_dirty_clear(struct weir_dirty *d, uint64_t first_gfn, uint64_t npages,
				  const uint64_t *mask);

/**
 * struct weir_dirty_txn - a harvest in progress: the pages it holds, and where it goes on
 * @cur: the walk
 * @words: the caller's room
 * @nwords_max: how many fit
 * @nwords: how many are held
 */
struct weir_dirty_txn {
	struct weir_dirty_cursor cur;
	struct weir_dirty_word *words;
	size_t nwords_max;
	size_t nwords;
};

/**
 * weir_dirty_harvest_begin() - open a transaction that takes dirty pages out of the log
 * @d: the region
 * @txn: the caller's; set up here
 * @cur: the range
 * @words: room for the pages it takes
 * @nwords_max: how many groups fit, at least 1
 *
 * Takes nothing yet. get and clear in one pass, for a reader that wants each page once, and that
 * may fail after it was handed pages. Context: any.
 * Return: WEIR_OK; WEIR_EINVAL as weir_dirty_get(), but for a region that is not logging.
 */
enum weir_status weir_dirty_harvest_begin(struct weir_dirty *d, struct weir_dirty_txn *txn,
					  const struct weir_dirty_cursor *cur,
					  struct weir_dirty_word *words, size_t nwords_max);

/**
 * weir_dirty_harvest_step() - take pages: re-arm them, wait for the invalidation, hand them over
 * @d: the region
 * @txn: an open transaction; the pages taken are appended to its words
 * @budget_ptes: stop after reading about this many descriptors; 0: no limit
 *
 * When it returns, in whatever way, the content of the pages in words may be read.
 *
 * Context: any context in which the ops may be called; one call at a time for a transaction.
 * Return: WEIR_OK when the range is done; WEIR_EAGAIN when room or budget ran out: use the pages,
 *	commit, and step again; WEIR_EBUSY when another reader holds the stripe at cur.next_gfn;
 *	WEIR_ENOMEM if an eager split failed: the pages are taken all the same, the block is
 *	protected, and the walk can go on; WEIR_EINVAL if logging is off or nwords is too large.
 */
enum weir_status weir_dirty_harvest_step(struct weir_dirty *d, struct weir_dirty_txn *txn,
					 uint64_t budget_ptes);

/**
 * weir_dirty_harvest_commit() - the pages held have arrived: let go of them
 * @d: the region
 * @txn: an open transaction; stays open, with its words empty
 *
 * Context: any.
 */
void weir_dirty_harvest_commit(struct weir_dirty *d, struct weir_dirty_txn *txn);

/**
 * weir_dirty_harvest_abort() - the pages held have not arrived: they are dirty again
 * @d: the region
 * @txn: an open transaction; closed by this
 *
 * Context: as weir_dirty_mark().
 */
void weir_dirty_harvest_abort(struct weir_dirty *d, struct weir_dirty_txn *txn);

/**
 * weir_dirty_freeze() - turn every page back to trapping, before the guest is stopped
 * @d: a region that is logging
 * @cur: where to go on; moved
 * @budget_ptes: stop after visiting about this many descriptors; 0: no limit
 *
 * Under HDBSS there is nothing to turn back: the log is what a get in the pause costs, and the
 * walk is complete at once. From the first call on nothing is promoted any more. When the walk is
 * complete the scan set is empty but for pages that faulted meanwhile, so that a get in the pause
 * costs the dirty groups and not the memory. Writes until the pause trap: that is its price.
 *
 * Context: any context in which the ops may be called; vCPUs may run.
 * Return: WEIR_OK when the walk is complete; WEIR_EAGAIN when the budget ran out; WEIR_EBUSY as
 *	weir_dirty_get(); WEIR_EINVAL for a bad cursor or a region that is not logging.
 */
enum weir_status weir_dirty_freeze(struct weir_dirty *d, struct weir_dirty_cursor *cur,
				   uint64_t budget_ptes);

/**
 * weir_dirty_thaw() - the guest will not be stopped after all: promote again
 * @d: a region that was frozen
 *
 * Context: any.
 */
void weir_dirty_thaw(struct weir_dirty *d);

/**
 * weir_dirty_final() - no writer is left: what get reports now is the last word
 * @d: a region that is logging
 *
 * Call it when every vCPU is stopped and every other writer quiesced. From here on a mark or a
 * fault is a writer that came too late: it is recorded, counted, and answered with WEIR_ESHUTDOWN.
 *
 * Context: as weir_dirty_start().
 * Return: WEIR_OK; WEIR_EINVAL if the region is not logging.
 */
enum weir_status weir_dirty_final(struct weir_dirty *d);

/* What weir_dirty_peek() tells of a page. */
#define WEIR_DIRTY_PEEK_BIT	(1u << 0)	/* its bit is set */
#define WEIR_DIRTY_PEEK_HW	(1u << 1)	/* its group is in the scan set */
#define WEIR_DIRTY_PEEK_DEVICE	(1u << 2)	/* a device may write it */
#define WEIR_DIRTY_PEEK_OWN	(1u << 3)	/* another reader took it before this one saw it */

/**
 * weir_dirty_peek() - where the log stands on one page, for checkers and debuggers
 * @d: the region
 * @gfn: a page of it
 *
 * Context: any; calls no op.
 * Return: WEIR_DIRTY_PEEK_* of the page; 0 outside the region.
 */
unsigned int weir_dirty_peek(const struct weir_dirty *d, uint64_t gfn);

/** struct weir_dirty_stats - counters since weir_dirty_init(); 0 without WEIR_DIRTY_F_COUNTERS */
struct weir_dirty_stats {
	uint64_t faults_trapped;
	uint64_t faults_promoted;
	uint64_t faults_spurious;
	uint64_t faults_untracked;	/* while logging was off */
	uint64_t faults_failed;
	uint64_t pages_marked[WEIR_DIRTY_SOURCES];	/* by mark and fold, and by whom */
	uint64_t pages_late[WEIR_DIRTY_SOURCES];	/* marked or faulted after final */
	uint64_t pages_logged;		/* entries of the hardware's log */
	uint64_t leaves_promoted;	/* leaves that got DBM */
	uint64_t leaves_demoted;	/* leaves that lost it */
	uint64_t groups_promoted;	/* entries into the scan set */
	uint64_t groups_demoted;
	uint64_t blocks_split;
	uint64_t tlbi_ranges;
	uint64_t tlbi_locals;
	uint64_t ptes_scanned;		/* descriptors read to find dirty pages */
	uint64_t ptes_rearmed;		/* descriptors that lost write permission */
	uint64_t pages_cleared;		/* by clear, and taken by harvest */
	uint64_t pages_returned;	/* by abort */
	uint64_t pages_assumed;		/* to be dirty in every round */
	uint64_t pages_let_go;		/* and not any more */
	uint64_t readers_busy;		/* WEIR_EBUSY answers */
};

/**
 * weir_dirty_stats() - read the counters
 * @d: the region
 * @out: the counters, each exact, not one snapshot of all
 *
 * Context: any.
 */
void weir_dirty_stats(const struct weir_dirty *d, struct weir_dirty_stats *out);

#ifdef __cplusplus
}
#endif

/* The rest of the module. */
#include "weir/dirty_readers.h"
#include "weir/dirty_assume.h"
#include "weir/dirty_ring.h"
#endif
