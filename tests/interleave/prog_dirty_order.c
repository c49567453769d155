// SPDX-License-Identifier: BSD-2-Clause
/*
 * prog_dirty_order.c - what a reader owes to a writer that has finished. The other programs let a
 * page wait for the last get; here a harvest that begins after a mark or a fault returned must
 * report the page, whatever another reader of the stripe is doing (I6), and what get reports may be
 * read.
 *
 * The other reader works on another group of the same stripe, of which one page is dirty: it never
 * takes the page in question, but it claims the stripe, and retires and raises its summary bits.
 */
#include "vm.h"

#define GROUPS	2u
#define LAST	(GROUPS * 64u - 1u)
#define OTHER	64u			/* the other reader's page, in the second group */

#define SETUP(name, ...) \
	static void name(void) \
	{ \
		static const struct vm_config c = { \
			.npages = GROUPS * 64u, .mapped_gap = 64, __VA_ARGS__ \
		}; \
		vm_setup(&c); \
		vm_write_and_mark(OTHER); \
		done = 0; \
		wx_name(&done, "done"); \
	}

static uint64_t done;

SETUP(wp_setup, .policy = WEIR_DIRTY_WP)
SETUP(fixed_setup, .policy = WEIR_DIRTY_FIXED, .neighbourhood = 16)
SETUP(adaptive_setup, .policy = WEIR_DIRTY_ADAPTIVE)

static void other_harvests(void)
{
	vm_harvest(OTHER, LAST, 0);
}

static void other_harvests_twice(void)
{
	vm_harvest(OTHER, LAST, 0);
	vm_write_and_mark(OTHER);
	vm_harvest(OTHER, LAST, 0);
}

static void other_clears(void)
{
	const uint64_t all = ~(uint64_t)0;

	vm.readers++;
	wx_note("clear");
	if (weir_dirty_clear(vm.d, VM_BASE_GFN + OTHER, 64, &all) == WEIR_OK)
		vm_copy_page(0, OTHER);
	vm.readers--;
}

static void other_freezes(void)
{
	struct weir_dirty_cursor cur = { VM_BASE_GFN + OTHER, VM_BASE_GFN + LAST, false };

	wx_note("freeze");
	(void)weir_dirty_freeze(vm.d, &cur, 0);
	weir_dirty_thaw(vm.d);
	vm_harvest(OTHER, LAST, 0);
}

static void expect_page(void)
{
	if (!weir_load_acquire(&done) || !vm_harvest(0, OTHER - 1, 0))
		return;			/* not yet, or the other holds the stripe */
	wx_check(vm.copy[0][0] == 1,
		 "unreachable: the write returned, a harvest did not report it");
}

static void mark_and_tell(void)
{
	vm_write_and_mark(0);
	weir_store_release(&done, 1);
}

/* Nothing is dirty at first: summaries are raised for the first time. */
#define EMPTY_SETUP(name, ...) \
	static void name(void) \
	{ \
		static const struct vm_config c = { \
			.npages = GROUPS * 64u, .mapped_gap = 64, __VA_ARGS__ \
		}; \
		vm_setup(&c); \
		done = 0; \
		wx_name(&done, "done"); \
	}

EMPTY_SETUP(empty_wp_setup, .policy = WEIR_DIRTY_WP)
EMPTY_SETUP(empty_fixed_setup, .policy = WEIR_DIRTY_FIXED, .neighbourhood = 16)
EMPTY_SETUP(empty_adaptive_setup, .policy = WEIR_DIRTY_ADAPTIVE)

/* The CPU has stored, and its store is performed, before it tells. */
static void write_and_tell(void)
{
	vm_write(0);
	weir_store_release(&done, 1);
}

static void mark_harvest_thread(unsigned int tid)
{
	if (tid == 0)
		mark_and_tell();
	else if (tid == 1)
		other_harvests();
	else
		expect_page();
}

static void mark_clear_thread(unsigned int tid)
{
	if (tid == 0)
		mark_and_tell();
	else if (tid == 1)
		other_clears();
	else
		expect_page();
}

static void fault_harvest_thread(unsigned int tid)
{
	if (tid == 0)
		write_and_tell();
	else if (tid == 1)
		other_harvests();
	else
		expect_page();
}

static void mark_long_thread(unsigned int tid)
{
	if (tid == 0)
		mark_and_tell();
	else if (tid == 1)
		other_harvests_twice();
	else
		expect_page();
}

static void fault_long_thread(unsigned int tid)
{
	if (tid == 0)
		write_and_tell();
	else if (tid == 1)
		other_harvests_twice();
	else
		expect_page();
}

static void fault_freeze_thread(unsigned int tid)
{
	if (tid == 0)
		write_and_tell();
	else if (tid == 1)
		other_freezes();
	else
		expect_page();
}

/* A freeze that begins after a promoting fault returned finds the group. */
static void expect_frozen(void)
{
	struct weir_dirty_cursor cur = { VM_BASE_GFN, VM_BASE_GFN + OTHER - 1, false };
	enum weir_status s;

	if (!weir_load_acquire(&done))
		return;
	vm.readers++;
	wx_note("freeze");
	s = weir_dirty_freeze(vm.d, &cur, 0);
	wx_note("freeze done: %d", (int)s);
	vm.readers--;
	wx_check(s != WEIR_OK || !(weir_dirty_peek(vm.d, VM_BASE_GFN) & WEIR_DIRTY_PEEK_HW),
		 "unreachable: the fault returned, a freeze did not find the group");
}

static void freeze_finds_thread(unsigned int tid)
{
	if (tid == 0)
		write_and_tell();
	else if (tid == 1)
		other_harvests_twice();
	else
		expect_frozen();
}

/* The other reader freezes and does nothing else. */
static void fault_only_freeze_thread(unsigned int tid)
{
	struct weir_dirty_cursor cur = { VM_BASE_GFN + OTHER, VM_BASE_GFN + LAST, false };

	if (tid == 1)
		(void)weir_dirty_freeze(vm.d, &cur, 0);
	else
		fault_freeze_thread(tid);
}

#define REACHABLE(ident, name_, setup_, thread_, what_) \
	WX_PROGRAM(ident) = { \
		.name = "dirty/" name_, .what = what_, .nthreads = 3, \
		.schedules = 60000, \
		.setup = setup_, .thread = thread_, .final = vm_final, \
	}

REACHABLE(reach_mark, "reachable-mark", wp_setup, mark_harvest_thread,
	  "a mark is reported by the next harvest, beside another reader");
REACHABLE(reach_clear, "reachable-clear", wp_setup, mark_clear_thread,
	  "the same, beside a clear");
REACHABLE(reach_fault, "reachable-fault", fixed_setup, fault_harvest_thread,
	  "a write tracked by the hardware, beside another reader");
REACHABLE(reach_freeze, "reachable-freeze", fixed_setup, fault_freeze_thread,
	  "the same, beside a freeze");
REACHABLE(reach_mark_long, "reachable-mark-twice", wp_setup, mark_long_thread,
	  "a mark is reported by the next harvest, beside two of another reader");
REACHABLE(reach_fault_long, "reachable-fault-twice", fixed_setup, fault_long_thread,
	  "a write tracked by the hardware, beside two harvests of another reader");
REACHABLE(reach_adaptive_long, "reachable-adaptive-twice", adaptive_setup, fault_long_thread,
	  "the same, adaptive");
REACHABLE(empty_mark_long, "reachable-mark-empty", empty_wp_setup, mark_long_thread,
	  "the same, nothing being dirty at first");
REACHABLE(empty_fault_long, "reachable-fault-empty", empty_fixed_setup, fault_long_thread,
	  "the same, nothing being dirty at first");
REACHABLE(empty_adaptive_long, "reachable-adaptive-empty", empty_adaptive_setup, fault_long_thread,
	  "the same, nothing being dirty at first");
WX_PROGRAM(empty_freeze) = {
	.name = "dirty/reachable-freeze-empty", .nthreads = 3,
	.what = "a write tracked by the hardware, beside a freeze and nothing else",
	.models = WX_IN(WX_PSO) | WX_IN(WX_C11), .schedules = 400000,
	.setup = empty_fixed_setup, .thread = fault_only_freeze_thread, .final = vm_final,
};
REACHABLE(empty_freeze_finds, "reachable-for-freeze-empty", empty_fixed_setup, freeze_finds_thread,
	  "a promoted group is found by the next freeze, nothing being dirty at first");
REACHABLE(reach_adaptive, "reachable-adaptive", adaptive_setup, fault_harvest_thread,
	  "the same, adaptive");

REACHABLE(reach_freeze_finds, "reachable-for-freeze", fixed_setup, freeze_finds_thread,
	  "a promoted group is found by the next freeze, beside another reader");

/* ---- a reader is attached beside a harvest ---- */

#define READER_BYTES	4096u
static unsigned char reader_mem[READER_BYTES] __attribute__((aligned(64)));

SETUP(attach_setup, .policy = WEIR_DIRTY_WP, .flags = WEIR_DIRTY_F_READERS)

static void attach_thread(unsigned int tid)
{
	struct weir_dirty *r = NULL;
	enum weir_status s;

	if (tid == 0) {
		mark_and_tell();
		return;
	}
	if (tid == 1) {
		vm_harvest(0, LAST, 0);
		vm_harvest(0, LAST, 0);
		return;
	}
	wx_note("attach");
	s = weir_dirty_reader_attach(vm.d, reader_mem, READER_BYTES, false, &r);
	wx_note("attach done: %d", (int)s);
	wx_check(s == WEIR_OK || s == WEIR_EBUSY, "attach: %s", weir_status_str(s));
	if (s == WEIR_OK && wx_choose(2)) {
		s = weir_dirty_reader_detach(r);
		wx_note("detach done: %d", (int)s);
		wx_check(s == WEIR_OK || s == WEIR_EBUSY, "detach: %s", weir_status_str(s));
	}
}

REACHABLE(attach, "attach", attach_setup, attach_thread,
	  "a reader is attached and detached beside a harvest and a mark");

/* The same, beside a clear, which claims in another way. */
static void attach_clear_thread(unsigned int tid)
{
	if (tid == 1)
		other_clears();
	else
		attach_thread(tid);
}

REACHABLE(attach_clear, "attach-clear", attach_setup, attach_clear_thread,
	  "a reader is attached and detached beside a clear and a mark");

/* ---- what get reports may be read ---- */

static void get_thread(unsigned int tid)
{
	struct weir_dirty_cursor cur = { VM_BASE_GFN, VM_BASE_GFN + LAST, false };
	struct weir_dirty_word words[GROUPS];
	size_t n;

	if (tid == 0) {
		vm_write_and_mark(0);
		return;
	}
	wx_note("get");
	if (weir_dirty_get(vm.d, &cur, words, GROUPS, 0, &n) != WEIR_OK || !n ||
	    words[0].gfn != VM_BASE_GFN)
		return;
	wx_check(weir_load_relaxed(&vm.content[0]) == 1, "get reports a page before its content");
}

WX_PROGRAM(get_reads) = {
	.name = "dirty/get-content", .what = "the content of what get reports is there",
	.nthreads = 2, .setup = wp_setup, .thread = get_thread, .final = vm_final,
};
