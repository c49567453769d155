// SPDX-License-Identifier: BSD-2-Clause
/*
 * prog_dirty_assume.c - pages that are assumed dirty, left out of a round and looked at again,
 * while CPUs write them.
 *
 * Setup takes page 0 in two rounds, so that the first harvest of a run finds it the third time, if
 * somebody has written it by then; the round after that is one in which group 0 is looked at again.
 * The reader copies what it is handed but for what is assumed by then. What it left out must come
 * back.
 */
#include "vm.h"

#define FEW	2u
#define LAST	(FEW - 1u)

/* Group 0 of a region is looked at in rounds that are multiples of eight. */
#define ROUNDS_BEFORE	6u

static void begin_round(void)
{
	wx_note("assume");
	wx_check(!weir_dirty_assume(vm.d, 1), "assume");
}

static void warm_up(const struct vm_config *c)
{
	vm_setup(c);
	for (unsigned int i = 1; i <= ROUNDS_BEFORE; i++) {
		begin_round();
		if (i + 2 <= ROUNDS_BEFORE)
			continue;
		wx_check(!weir_dirty_mark(vm.d, VM_BASE_GFN, 1), "mark");
		wx_check(vm_harvest(0, LAST, 0), "harvest");
	}
}

#define SETUP(name, ...)                                                                     \
	static void name(void)                                                               \
	{                                                                                    \
		static const struct vm_config c = { .npages = FEW, .flags = WEIR_DIRTY_F_ASSUME, \
						    __VA_ARGS__ };                           \
		warm_up(&c);                                                                 \
	}

SETUP(wp_setup, .policy = WEIR_DIRTY_WP)
SETUP(fixed_setup, .policy = WEIR_DIRTY_FIXED, .neighbourhood = 64)
SETUP(adaptive_setup, .policy = WEIR_DIRTY_ADAPTIVE)
SETUP(readers_setup, .policy = WEIR_DIRTY_WP, .readers = true)

/* A round of a reader that sends nothing that is assumed. */
static void round_of(void)
{
	struct weir_dirty_cursor cur = { VM_BASE_GFN, VM_BASE_GFN + LAST, false };
	struct weir_dirty_word word;
	struct weir_dirty_txn txn;
	enum weir_status s;

	begin_round();
	vm.readers++;
	wx_check(!weir_dirty_harvest_begin(vm.d, &txn, &cur, &word, 1), "harvest_begin");
	wx_note("harvest");
	s = weir_dirty_harvest_step(vm.d, &txn, 0);
	wx_check(s == WEIR_OK || s == WEIR_EBUSY, "harvest: %s", weir_status_str(s));
	wx_note("harvest done: %d, %zu words", (int)s, txn.nwords);
	if (txn.nwords) {
		word.pages &= ~weir_dirty_assumed(vm.d, word.gfn);
		vm_copy(&word, 1);
	}
	weir_dirty_harvest_commit(vm.d, &txn);
	vm.readers--;
}

static void rounds_thread(unsigned int tid)
{
	if (tid < 2) {
		vm_write(0);
		vm_write(tid);
		return;
	}
	round_of();
	round_of();
}

WX_PROGRAM(assume_wp) = {
	.name = "dirty/assume", .what = "a page is assumed dirty and let go, under two CPUs",
	.nthreads = 3, .setup = wp_setup, .thread = rounds_thread, .final = vm_final,
	.step = vm_step,
};

WX_PROGRAM(assume_fixed) = {
	.name = "dirty/assume-fixed64", .what = "the same, neighbourhoods of 64 with DBM",
	.nthreads = 3, .setup = fixed_setup, .thread = rounds_thread, .final = vm_final,
	.step = vm_step,
};

WX_PROGRAM(assume_adaptive) = {
	.name = "dirty/assume-adaptive", .what = "the same, adaptive", .nthreads = 3,
	.setup = adaptive_setup, .thread = rounds_thread, .final = vm_final, .step = vm_step,
};

/*
 * A ring's reset takes page 0 in its third round, and so comes to assume it, while a CPU writes and
 * a round goes by: each claims the stripe, under which alone the counts are changed.
 */
static struct weir_dirty_ring ring;
static uint64_t entries[WEIR_DIRTY_RING_MIN];

static void ring_setup(void)
{
	uint64_t gfn;

	wp_setup();
	wx_check(!weir_dirty_ring_init(&ring, entries, WEIR_DIRTY_RING_MIN), "ring_init");
	vm.ring = &ring;
	wx_check(!weir_dirty_mark(vm.d, VM_BASE_GFN, 1), "mark");
	wx_check(!weir_dirty_ring_push(&ring, VM_BASE_GFN), "push");
	wx_check(weir_dirty_ring_collect(&ring, &gfn, 1) == 1, "collect");
	begin_round();
}

static void ring_thread(unsigned int tid)
{
	struct weir_dirty_word word = { VM_BASE_GFN, 1 };
	enum weir_status s;
	size_t n;

	if (tid == 0) {
		vm_write(0);
		vm_write(1);
	} else if (tid == 1) {
		vm.readers++;
		wx_note("reset");
		s = weir_dirty_ring_reset(&ring, vm.d, &n);
		wx_note("reset done: %d, %zu entries", (int)s, n);
		wx_check(s == WEIR_OK || s == WEIR_EBUSY, "reset: %s", weir_status_str(s));
		word.pages &= ~weir_dirty_assumed(vm.d, word.gfn);
		if (n && word.pages)
			vm_copy(&word, 1);
		vm.readers--;
	} else {
		round_of();
	}
}

WX_PROGRAM(assume_ring) = {
	.name = "dirty/assume-ring", .what = "a ring's reset, beside a round that assumes pages",
	.nthreads = 3, .setup = ring_setup, .thread = ring_thread, .final = vm_final,
	.step = vm_step,
};

/* The page is assumed in a group that is being frozen. */
static void freeze_thread(unsigned int tid)
{
	struct weir_dirty_cursor cur;
	enum weir_status s;

	if (tid == 0) {
		vm_write(0);
		vm_write(0);
	} else if (tid == 1) {
		round_of();
		round_of();
	} else {
		weir_dirty_cursor_init(vm.d, &cur);
		vm.readers++;
		wx_note("freeze");
		s = weir_dirty_freeze(vm.d, &cur, 0);
		wx_note("freeze done: %d", (int)s);
		wx_check(s == WEIR_OK || s == WEIR_EBUSY, "freeze: %s", weir_status_str(s));
		vm.readers--;
	}
}

WX_PROGRAM(assume_freeze) = {
	.name = "dirty/assume-freeze", .what = "a page is assumed dirty while its group is frozen",
	.nthreads = 3, .setup = fixed_setup, .thread = freeze_thread, .final = vm_final,
	.step = vm_step,
};

/* The second reader asks nobody, and copies what it is handed. */
static void readers_thread(unsigned int tid)
{
	if (tid == 0) {
		vm_write(0);
		vm_write(0);
	} else if (tid == 1) {
		round_of();
		round_of();
	} else {
		(void)vm_harvest_by(1, 0, LAST, 0);
		(void)vm_harvest_by(1, 0, LAST, 0);
	}
}

WX_PROGRAM(assume_readers) = {
	.name = "dirty/assume-readers", .what = "a page is assumed dirty under a second reader",
	.nthreads = 3, .setup = readers_setup, .thread = readers_thread, .final = vm_final,
};
