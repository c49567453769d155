// SPDX-License-Identifier: BSD-2-Clause
/*
 * prog_dirty_life.c - `dirty` under concurrency: get and clear, abort, freezing, starting, the last
 * word, and tables that change underneath.
 */
#include "vm.h"

#define SETUP(name, ...) \
	static void name(void) \
	{ \
		static const struct vm_config c = { __VA_ARGS__ }; \
		vm_setup(&c); \
	}

#define FEW	3u
#define LAST	(FEW - 1u)
#define LAST_GFN	(VM_BASE_GFN + LAST)

SETUP(wp_setup, .npages = FEW, .policy = WEIR_DIRTY_WP)
SETUP(fixed_setup, .npages = FEW, .policy = WEIR_DIRTY_FIXED, .neighbourhood = 64)
SETUP(adaptive_setup, .npages = FEW, .policy = WEIR_DIRTY_ADAPTIVE)
SETUP(off_setup, .npages = FEW, .policy = WEIR_DIRTY_WP, .off = true)
SETUP(off_fixed_setup, .npages = FEW, .policy = WEIR_DIRTY_FIXED, .neighbourhood = 64, .off = true)

static void writer(void)
{
	vm_write(0);
	vm_write(1);
	vm_write(0);
}

/* ---- get, then clear what it told, then copy ---- */

static void get_and_clear(void)
{
	struct weir_dirty_word word;
	struct weir_dirty_cursor cur = { VM_BASE_GFN, LAST_GFN, false };
	uint64_t mask;
	size_t n;

	vm.readers++;
	wx_note("get");
	wx_check(weir_dirty_get(vm.d, &cur, &word, 1, 0, &n) == WEIR_OK, "get");
	mask = n ? word.pages : 0;
	wx_note("clear %#llx", (unsigned long long)mask);
	wx_check(weir_dirty_clear(vm.d, VM_BASE_GFN, FEW, &mask) == WEIR_OK, "clear");
	wx_note("clear done");
	vm_copy(&word, n);
	vm.readers--;
}

static void clear_thread(unsigned int tid)
{
	if (tid == 0) {
		writer();
	} else if (tid == 1) {
		vm_write_and_mark(2);
	} else {
		get_and_clear();
		get_and_clear();
	}
}

WX_PROGRAM(clear_wp) = {
	.name = "dirty/clear-wp", .what = "get, clear and copy beside faults and a mark",
	.nthreads = 3, .setup = wp_setup, .thread = clear_thread, .final = vm_final,
	.step = vm_step,
};

WX_PROGRAM(clear_fixed) = {
	.name = "dirty/clear-fixed64", .what = "the same, neighbourhoods of 64 with DBM",
	.nthreads = 3, .setup = fixed_setup, .thread = clear_thread, .final = vm_final,
	.step = vm_step,
};

WX_PROGRAM(clear_adaptive) = {
	.name = "dirty/clear-adaptive", .what = "the same, adaptive",
	.nthreads = 3, .setup = adaptive_setup, .thread = clear_thread, .final = vm_final,
	.step = vm_step,
};

/* ---- a harvest whose pages do not arrive ---- */

static void aborting_reader(void)
{
	struct weir_dirty_cursor cur = { VM_BASE_GFN, LAST_GFN, false };
	struct weir_dirty_word word;
	struct weir_dirty_txn txn;

	vm.readers++;
	wx_check(!weir_dirty_harvest_begin(vm.d, &txn, &cur, &word, 1), "harvest_begin");
	wx_check(!weir_dirty_harvest_step(vm.d, &txn, 0), "harvest_step");
	wx_note("abort");
	weir_dirty_harvest_abort(vm.d, &txn);
	vm.readers--;
}

static void abort_thread(unsigned int tid)
{
	if (tid == 0) {
		writer();
	} else {
		aborting_reader();
		vm_harvest(0, LAST, 0);
	}
}

WX_PROGRAM(abort_fixed) = {
	.name = "dirty/abort", .what = "a transaction is aborted while a CPU writes", .nthreads = 2,
	.setup = fixed_setup, .thread = abort_thread, .final = vm_final, .step = vm_step,
};

/* ---- freezing ---- */

static void freeze_all(void)
{
	struct weir_dirty_cursor cur = { VM_BASE_GFN, LAST_GFN, false };

	vm.readers++;
	wx_note("freeze");
	wx_check(weir_dirty_freeze(vm.d, &cur, 0) == WEIR_OK, "freeze");
	wx_note("freeze done");
	vm.readers--;
}

static void freeze_thread(unsigned int tid)
{
	if (tid == 0) {
		writer();
	} else if (tid == 1) {
		vm_write(0);
		vm_write(2);
	} else {
		freeze_all();
		vm_harvest(0, LAST, 0);
	}
}

WX_PROGRAM(freeze_fixed) = {
	.name = "dirty/freeze", .what = "freeze races with faults that promote", .nthreads = 3,
	.setup = fixed_setup, .thread = freeze_thread, .final = vm_final, .step = vm_step,
};

/* Harvest first: groups in HW mode are demoted while hardware updates are under way. */
static void harvest_freeze_thread(unsigned int tid)
{
	if (tid == 0) {
		writer();
	} else {
		vm_harvest(0, LAST, 0);
		freeze_all();
	}
}

WX_PROGRAM(freeze_after) = {
	.name = "dirty/harvest-then-freeze", .what = "leaves with DBM, some clean, are demoted",
	.nthreads = 2, .setup = fixed_setup, .thread = harvest_freeze_thread, .final = vm_final,
	.step = vm_step,
};

static void thaw_thread(unsigned int tid)
{
	if (tid == 0) {
		writer();
	} else {
		freeze_all();
		weir_dirty_thaw(vm.d);
		vm_harvest(0, LAST, 0);
	}
}

WX_PROGRAM(thaw) = {
	.name = "dirty/thaw", .what = "frozen and thawed while a CPU writes", .nthreads = 2,
	.setup = fixed_setup, .thread = thaw_thread, .final = vm_final, .step = vm_step,
};

/* ---- starting under a running guest ---- */

static void start_thread(unsigned int tid)
{
	if (tid < 2) {
		vm_write(tid);
		vm_write(0);
		return;
	}
	vm.readers++;
	wx_note("start");
	wx_check(!weir_dirty_start(vm.d, false), "start");
	wx_note("start done");
	vm_copy_all();
	vm.readers--;
	vm_harvest(0, LAST, 0);
}

/* Pages that trap already, so that the CPUs' first writes are untracked faults. */
static void start_setup(void)
{
	off_setup();
	for (unsigned int i = 0; i < FEW; i++)
		vm.desc[i] &= ~WEIR_DIRTY_DESC_W;
}

WX_PROGRAM(start_wp) = {
	.name = "dirty/start", .what = "logging starts while CPUs fault", .nthreads = 3,
	.setup = start_setup, .thread = start_thread, .final = vm_final,
};

WX_PROGRAM(start_fixed) = {
	.name = "dirty/start-writable", .what = "logging starts while CPUs write writable pages",
	.nthreads = 3, .setup = off_fixed_setup, .thread = start_thread, .final = vm_final,
};

/* ---- the last word ---- */

static uint64_t closed, late_status;

static void late_setup(void)
{
	wp_setup();
	closed = late_status = 0;
	wx_name(&closed, "closed");
}

/* A mark that begins after final() returned is told so, and recorded all the same. */
static void late_thread(unsigned int tid)
{
	enum weir_status s;
	uint64_t after;

	if (tid == 0) {
		vm_harvest(0, LAST, 0);
		wx_check(!weir_dirty_final(vm.d), "final");
		weir_store_release(&closed, 1);
		return;
	}
	after = weir_load_acquire(&closed);
	s = vm_write_and_mark(0);
	wx_check(s == WEIR_OK || s == WEIR_ESHUTDOWN, "mark: %s", weir_status_str(s));
	wx_check(!after || s == WEIR_ESHUTDOWN, "a late mark was not refused");
}

WX_PROGRAM(late) = {
	.name = "dirty/late-mark", .what = "final beside a mark: a late one is told, none is lost",
	.nthreads = 2, .setup = late_setup, .thread = late_thread, .final = vm_final,
};

/* ---- tables that change ---- */

static bool fold_early;

static void fold_setup(bool early)
{
	fixed_setup();
	fold_early = early;
}

static void fold_right_setup(void)
{
	fold_setup(false);
}

static void fold_early_setup(void)
{
	fold_setup(true);
}

/* The owner replaces a leaf: exchange, invalidate, fold, map again. */
static void fold_thread(unsigned int tid)
{
	uint64_t old;

	if (tid == 0) {
		vm_write(0);
		vm_write(0);
	} else if (tid == 1) {
		vm_harvest(0, LAST, 0);
	} else {
		old = vm_unmap(0);
		if (fold_early)
			weir_dirty_fold(vm.d, VM_BASE_GFN, 0, old);
		vm_tlbi(0, 0);
		if (!fold_early)
			weir_dirty_fold(vm.d, VM_BASE_GFN, 0, old);
		vm_map(0);
	}
}

WX_PROGRAM(fold) = {
	.name = "dirty/fold", .what = "a leaf is unmapped, invalidated, folded and mapped again",
	.nthreads = 3, .setup = fold_right_setup, .thread = fold_thread, .final = vm_final,
};

WX_PROGRAM(fold_before) = {
	.name = "dirty/fold-before-tlbi",
	.what = "the owner folds before it invalidates: a page is lost",
	.nthreads = 3, .schedules = 200000, .must_fail = WX_ALL_MODELS,
	.setup = fold_early_setup, .thread = fold_thread, .final = vm_final,
};

/* ---- a block, split by a fault or by a reader ---- */

SETUP(split_setup, .npages = FEW, .policy = WEIR_DIRTY_WP, .block = true, .all_dirty = true)
SETUP(split_eager_setup, .npages = FEW, .policy = WEIR_DIRTY_WP_EAGER, .block = true,
      .all_dirty = true)
SETUP(split_fixed_setup, .npages = FEW, .policy = WEIR_DIRTY_FIXED, .neighbourhood = 64,
      .block = true, .all_dirty = true)

static void split_thread(unsigned int tid)
{
	if (tid == 0) {
		vm_write(0);
		vm_write(1);
	} else if (tid == 1) {
		vm_write(2);
	} else {
		vm_harvest(0, LAST, 0);
		vm_harvest(0, LAST, 0);
	}
}

#define SPLIT(ident, name_, setup_, what_) \
	WX_PROGRAM(ident) = { \
		.name = "dirty/" name_, .what = what_, .nthreads = 3, \
		.setup = setup_, .thread = split_thread, .final = vm_final, \
	}

SPLIT(split_wp, "split", split_setup, "a block is re-armed, then split by faults");
SPLIT(split_eager, "split-eager", split_eager_setup, "a block is split when it is re-armed");
SPLIT(split_fixed, "split-fixed64", split_fixed_setup, "a block is split and its leaves promoted");
