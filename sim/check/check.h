/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check/check.h - what must hold while a guest's dirty pages are logged, looked at from outside.
 *
 * The checkers know the machine (contents, tables, TLBs) and the log's own word on a page
 * (weir_dirty_peek()). They know nothing of how the library works, nor which mistake was planted.
 *
 *   lost_page            when the guest resumes, each page is at the destination as it is at the
 *                        source. Contents are compared, all of them.
 *   content_before_tlbi  when a page is copied, no TLB lets a vCPU write it unseen: either nobody
 *                        can write it without a walk, or the log holds it dirty
 *   writable_block       while logging, a block that may be written has every page's bit set
 *   illegal_leaf         while logging, a page leaf that may be written without a trap has its bit
 *                        set, or DBM and its group in the scan set; DBM only in the scan set.
 *                        Where the hardware keeps a log: DBM and clean, or in that log
 *
 * A violation is counted; the first of each checker is reported in words.
 *
 * Concurrency: none. Cost: content_before_tlbi is a TLB lookup a vCPU and written page sent; the
 * leaf checks are a comparison a walk, and sim_check_leaves() reads every leaf, once a round.
 */
#ifndef SIM_CHECK_CHECK_H
#define SIM_CHECK_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/dirty.h"
#include "sim/machine/content.h"
#include "sim/machine/mmu.h"
#include "sim/machine/stage2.h"

enum sim_checker {
	SIM_CHECK_LOST_PAGE = 0,
	SIM_CHECK_CONTENT_BEFORE_TLBI,
	SIM_CHECK_WRITABLE_BLOCK,
	SIM_CHECK_ILLEGAL_LEAF,
	SIM_NCHECKERS
};

/** "lost_page" ... */
extern const char *const sim_checker_names[SIM_NCHECKERS];

/**
 * struct sim_check - the checkers of one guest
 * @d: the log; NULL before there is one
 * @s2: the tables
 * @mmu: the TLBs
 * @content: memory at both ends
 * @base_gfn: first frame
 * @npages: frames
 * @logging: between start and stop of the log: set by the owner
 * @in_log: whether the hardware's log (FEAT_HDBSS), armed on every vCPU, has a frame that was not
 *	drained yet; NULL: there is none, or it is not armed
 * @log_ctx: passed to it
 * @report: called at a checker's first violation
 * @ctx: passed to it
 * @violations: by checker
 */
struct sim_check {
	struct weir_dirty *d;
	const struct sim_s2 *s2;
	const struct sim_mmu *mmu;
	const struct sim_content *content;
	uint64_t base_gfn;
	uint64_t npages;
	bool logging;
	bool (*in_log)(void *ctx, uint64_t gfn);
	void *log_ctx;
	void (*report)(void *ctx, enum sim_checker checker, uint64_t gfn, const char *what);
	void *ctx;
	uint64_t violations[SIM_NCHECKERS];
};

/** sim_check_leaf() - a leaf, as a walk found or left it */
void sim_check_leaf(struct sim_check *check, uint64_t gfn, unsigned int order, uint64_t desc);

/** sim_check_leaves() - all leaves */
void sim_check_leaves(struct sim_check *check);

/** sim_check_copy() - these frames are about to be copied */
void sim_check_copy(struct sim_check *check, uint64_t first_gfn, uint64_t npages);

/**
 * sim_check_lost() - the guest is about to resume: compare both ends
 * @bad: receives up to nbad_max of the frames that differ, in ascending order
 *
 * Return: how many frames differ.
 */
uint64_t sim_check_lost(struct sim_check *check, struct sim_content_bad *bad,
			unsigned int nbad_max);

/** sim_check_describe_page() - "bit clear, HW group, leaf {1,0}, vcpu 1 may write unseen" */
void sim_check_describe_page(const struct sim_check *check, uint64_t gfn, char *buf, size_t size);

/** sim_check_total() - violations of all checkers */
uint64_t sim_check_total(const struct sim_check *check);

/* check.c: count a violation; the first one is reported with the state of the page. */
void sim_check_violated(struct sim_check *check, enum sim_checker checker, uint64_t gfn,
			const char *what);

#endif
