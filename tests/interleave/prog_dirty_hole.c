// SPDX-License-Identifier: BSD-2-Clause
/*
 * prog_dirty_hole.c - what a reader found out before it took a page may be wrong after it: tables
 * that are put into holes, a summary bit that two readers look at, a mark beside the last get.
 *
 * Each lost a page once. A pass remembered that there was no table, or no leaf with DBM, from
 * before it took the bit that said so; a summary bit went before its reader's claim was seen; a
 * mark looked at the state of the log before it set its bits, and not after.
 */
#include "vm.h"

#define FEW	2u
#define LAST_GFN (VM_BASE_GFN + FEW - 1)

static enum weir_status get(uint64_t *pages)
{
	struct weir_dirty_cursor cur = { VM_BASE_GFN, LAST_GFN, false };
	struct weir_dirty_word w[2];
	size_t n;
	enum weir_status s = weir_dirty_get(vm.d, &cur, w, 2, 0, &n);

	*pages = n ? w[0].pages : 0;
	return s;
}

/*
 * A clear leaves a bit of the second level behind, which is legal; one get takes it away, another
 * must not miss the page that was marked meanwhile.
 */
static void few_setup(void)
{
	static const struct vm_config c = { .npages = FEW, .policy = WEIR_DIRTY_WP };

	vm_setup(&c);
}

static void stale_thread(unsigned int tid)
{
	uint64_t pages;
	enum weir_status s;

	if (tid == 0) {
		vm_write_and_mark(0);
	} else if (tid == 1) {
		const uint64_t one = 1;

		vm.readers++;
		wx_note("clear of page 0");
		if (!weir_dirty_clear(vm.d, VM_BASE_GFN, FEW, &one))
			vm_copy_page(0, 0);
		wx_note("T1 get");
		(void)get(&pages);
		vm.readers--;
	} else {
		vm_write_and_mark(1);
		wx_note("get");
		s = get(&pages);
		wx_note("get done: %d %#llx", (int)s, (unsigned long long)pages);
		wx_check(s != WEIR_OK || (pages & 2),
			 "my mark returned, but a get does not have it");
	}
}

WX_PROGRAM(stale) = {
	.name = "dirty/stale-summary", .what = "two gets and a mark at a stale summary bit",
	.nthreads = 3, .schedules = 100000, .models = WX_IN(WX_PSO) | WX_IN(WX_C11),
	.setup = few_setup, .thread = stale_thread, .final = vm_final,
};

/* final beside a mark that is in flight */

static enum weir_status said;
static uint64_t reported;

static void final_thread(unsigned int tid)
{
	if (tid == 0) {
		wx_check(!weir_dirty_final(vm.d), "final");
		(void)get(&reported);
		return;
	}
	said = vm_write_and_mark(0);
}

static void final_check(void)
{
	wx_check(said == WEIR_ESHUTDOWN || (reported & 1),
		 "a mark answered OK, and the get after final did not report it");
}

WX_PROGRAM(final_mark) = {
	.name = "dirty/final-mark", .what = "final and the last get beside a mark in flight",
	.nthreads = 2, .setup = few_setup, .thread = final_thread, .final = final_check,
};

/* a table is put into a hole while a reader is at work */

#define FAR	4096u

static void map_table(unsigned int page)
{
	weir_store_relaxed(&vm.desc[page], (uint64_t)3);	/* valid, trapping */
	weir_store_release(&vm.there, 1);
}

static void hole_setup(void)
{
	static const struct vm_config c = { .npages = FAR + 64u, .policy = WEIR_DIRTY_WP,
					    .mapped_gap = 64 };

	vm_setup(&c);
	vm_hole = true;
	vm.there = 0;
	vm.desc[0] = vm.desc[64] = vm.desc[FAR] = 0;
	/* The VMM has written to both; no table is there yet. */
	vm_write_and_mark(0);
	vm_write_and_mark(FAR);
	wx_name(&vm.there, "there");
}

static void hole_thread(unsigned int tid)
{
	if (tid == 0) {
		map_table(FAR);
		vm_write(FAR);
		vm_write(FAR);
	} else {
		vm_harvest(0, FAR + 63u, 0);
	}
}

WX_PROGRAM(hole) = {
	.name = "dirty/hole", .what = "a table is mapped into a hole beside a harvest",
	.nthreads = 2, .schedules = 10000,
	.setup = hole_setup, .thread = hole_thread, .final = vm_final,
};

static void hole_clear_thread(unsigned int tid)
{
	enum weir_status s;

	if (tid == 0) {
		map_table(FAR);
		vm_write(FAR);
		vm_write(FAR);
		return;
	}
	vm.readers++;
	s = weir_dirty_clear(vm.d, VM_BASE_GFN, FAR + 64u, NULL);
	wx_check(!s, "clear");
	vm_copy_page(0, 0);
	vm_copy_page(0, FAR);
	vm.readers--;
}

WX_PROGRAM(hole_clear) = {
	.name = "dirty/hole-clear", .what = "the same, beside a clear",
	.nthreads = 2, .schedules = 10000,
	.setup = hole_setup, .thread = hole_clear_thread, .final = vm_final,
};

/* A group in HW mode whose table is gone is demoted while a fault fills it anew. */
static void hole_freeze_setup(void)
{
	static const struct vm_config c = { .npages = 2u, .policy = WEIR_DIRTY_FIXED,
					    .neighbourhood = 64 };
	struct weir_dirty_fault_info info;

	vm_setup(&c);
	wx_check(!weir_dirty_fault(vm.d, VM_BASE_GFN, &info), "fault");
	(void)vm_harvest(0, 1, 0);
	vm_hole = true;				/* unmapped: clean leaves, nothing to fold */
	vm.there = 0;
	vm.desc[0] = vm.desc[1] = 0;
	wx_name(&vm.there, "there");
}

static void hole_freeze_thread(unsigned int tid)
{
	struct weir_dirty_cursor cur = { VM_BASE_GFN, VM_BASE_GFN + 1, false };

	if (tid == 0) {
		map_table(0);
		vm_write(0);
		return;
	}
	vm.readers++;
	wx_note("freeze");
	(void)weir_dirty_freeze(vm.d, &cur, 0);
	wx_note("freeze done");
	vm.readers--;
}

WX_PROGRAM(hole_freeze) = {
	.name = "dirty/hole-freeze", .what = "a demoted group gets a table again",
	.nthreads = 2, .schedules = 10000,
	.setup = hole_freeze_setup, .thread = hole_freeze_thread, .final = vm_final,
};

/* A group in HW mode whose table is gone is demoted by a get, while a fault fills it anew. */
static void hole_get_setup(void)
{
	static const struct vm_config c = { .npages = 2u, .policy = WEIR_DIRTY_ADAPTIVE };
	uint64_t pages;

	vm_setup(&c);
	for (unsigned int i = 0; i < 2; i++)
		wx_check(!weir_dirty_fault(vm.d, VM_BASE_GFN + i, NULL), "fault");
	(void)vm_harvest(0, 1, 0);
	wx_check(weir_dirty_peek(vm.d, VM_BASE_GFN) == WEIR_DIRTY_PEEK_HW, "not promoted");
	for (unsigned int i = 0; i < 3; i++)
		(void)get(&pages);		/* idle: one more and it is demoted */
	vm_hole = true;				/* unmapped: clean leaves, nothing to fold */
	vm.there = 0;
	vm.desc[0] = vm.desc[1] = 0;
	wx_name(&vm.there, "there");
}

static void hole_get_thread(unsigned int tid)
{
	uint64_t pages;

	if (tid == 0) {
		map_table(0);
		vm_write(0);
		return;
	}
	vm.readers++;
	wx_note("get");
	(void)get(&pages);
	wx_note("get done");
	vm.readers--;
}

WX_PROGRAM(hole_get) = {
	.name = "dirty/hole-get", .what = "a group that a get demotes gets a table again",
	.nthreads = 2, .schedules = 10000,
	.setup = hole_get_setup, .thread = hole_get_thread, .final = vm_final,
};

/* a get beside device_unmap: the page is dirty at every instant */

static void device_setup(void)
{
	static const struct vm_config c = { .npages = 2u, .policy = WEIR_DIRTY_WP,
					    .flags = WEIR_DIRTY_F_DEVICES };

	vm_setup(&c);
	wx_check(!weir_dirty_device_map(vm.d, VM_BASE_GFN, 1), "map");
}

static void device_thread(unsigned int tid)
{
	uint64_t pages;
	enum weir_status s;

	if (tid == 0) {
		(void)weir_dirty_device_unmap(vm.d, VM_BASE_GFN, 1);
		return;
	}
	s = get(&pages);
	wx_check(s || (pages & 1), "a page that is dirty at every instant is not in a get");
}

WX_PROGRAM(device_get) = {
	.name = "dirty/device-get", .what = "get beside device_unmap", .nthreads = 2,
	.setup = device_setup, .thread = device_thread, .final = vm_final,
};
