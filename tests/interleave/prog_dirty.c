// SPDX-License-Identifier: BSD-2-Clause
/*
 * prog_dirty.c - `dirty` under concurrency: writers that fault, are tracked by the hardware or
 * mark, against a reader. What must hold is always the same and checked from contents: a page that
 * was written and never reported makes a copy differ (vm.c).
 */
#include "vm.h"

#define SETUP(name, ...) \
	static void name(void) \
	{ \
		static const struct vm_config c = { __VA_ARGS__ }; \
		vm_setup(&c); \
	}

#define LAST(npages)	((npages) - 1u)

/* ---- one group, two CPUs, one reader, under each policy ---- */

#define FEW	3u

SETUP(wp_setup, .npages = FEW, .policy = WEIR_DIRTY_WP)
SETUP(eager_setup, .npages = FEW, .policy = WEIR_DIRTY_WP_EAGER)
SETUP(fixed_setup, .npages = FEW, .policy = WEIR_DIRTY_FIXED, .neighbourhood = 64)
SETUP(fixed1_setup, .npages = FEW, .policy = WEIR_DIRTY_FIXED, .neighbourhood = 1)
SETUP(dbm_all_setup, .npages = FEW, .policy = WEIR_DIRTY_DBM_ALL)
SETUP(adaptive_setup, .npages = FEW, .policy = WEIR_DIRTY_ADAPTIVE)
SETUP(exclusive_setup, .npages = FEW, .policy = WEIR_DIRTY_FIXED, .neighbourhood = 64,
      .flags = WEIR_DIRTY_F_TABLES_EXCLUSIVE)
SETUP(skip_tlbi_setup, .npages = FEW, .policy = WEIR_DIRTY_WP, .skip_tlbi = true)
SETUP(skip_tlbi_fixed_setup, .npages = FEW, .policy = WEIR_DIRTY_FIXED, .neighbourhood = 64,
      .skip_tlbi = true)
SETUP(all_dirty_setup, .npages = FEW, .policy = WEIR_DIRTY_FIXED, .neighbourhood = 64,
      .all_dirty = true)

static void harvest_thread(unsigned int tid)
{
	if (tid == 0) {
		vm_write(0);
		vm_write(1);
		vm_write(0);
	} else if (tid == 1) {
		vm_write(0);
		vm_write(2);
	} else {
		vm_harvest(0, LAST(FEW), 0);
		vm_harvest(0, LAST(FEW), 0);
	}
}

static void harvest_once_thread(unsigned int tid)
{
	if (tid == 0) {
		vm_write(0);
		vm_write(1);
	} else {
		vm_harvest(0, LAST(FEW), 0);
	}
}

static void all_dirty_thread(unsigned int tid)
{
	if (tid == 2)
		vm_harvest(0, LAST(FEW), 0);
	else
		harvest_thread(tid);
}

#define HARVEST(ident, name_, setup_, what_) \
	WX_PROGRAM(ident) = { \
		.name = "dirty/" name_, .what = what_, .nthreads = 3, \
		.setup = setup_, .thread = harvest_thread, .final = vm_final, .step = vm_step, \
	}

HARVEST(wp, "wp", wp_setup, "two CPUs fault, a reader harvests twice: write protection");
HARVEST(eager, "wp-eager", eager_setup, "the same, eager split");
HARVEST(fixed, "fixed64", fixed_setup, "the same, neighbourhoods of 64 with DBM");
HARVEST(fixed1, "fixed1", fixed1_setup, "the same, single pages with DBM");
HARVEST(dbm_all, "dbm-all", dbm_all_setup, "the same, DBM everywhere");
HARVEST(adaptive, "adaptive", adaptive_setup, "the same, adaptive");
HARVEST(exclusive, "fixed64-exclusive", exclusive_setup,
	"the same with plain stores on settled leaves");

/* The machine's mistake, so that the check from contents is known to find one. */
#define SKIP_TLBI(ident, name_, setup_) \
	WX_PROGRAM(ident) = { \
		.name = "dirty/" name_, .what = "tlbi_range does nothing: a page is lost", \
		.nthreads = 3, .must_fail = WX_ALL_MODELS, \
		.setup = setup_, .thread = harvest_thread, .final = vm_final, \
	}

SKIP_TLBI(skip_tlbi, "skip-tlbi", skip_tlbi_setup);
SKIP_TLBI(skip_tlbi_fixed, "skip-tlbi-fixed64", skip_tlbi_fixed_setup);

WX_PROGRAM(all_dirty) = {
	.name = "dirty/all-dirty", .what = "started with everything dirty", .nthreads = 3,
	.setup = all_dirty_setup, .thread = all_dirty_thread, .final = vm_final, .step = vm_step,
};

WX_PROGRAM(wp_frozen) = {
	.name = "dirty/wp-frozen", .what = "one of two CPUs and a reader is frozen for ever",
	.nthreads = 3, .steps_max = 4000, .flags = WX_F_FREEZE,
	.setup = wp_setup, .thread = harvest_thread, .final = vm_final,
};

WX_PROGRAM(fixed_frozen) = {
	.name = "dirty/fixed64-frozen", .what = "the same, neighbourhoods of 64 with DBM",
	.nthreads = 3, .steps_max = 4000, .flags = WX_F_FREEZE,
	.setup = fixed_setup, .thread = harvest_thread, .final = vm_final,
};

WX_PROGRAM(wp_small) = {
	.name = "dirty/wp-small", .what = "one CPU, one harvest: short enough for deep schedules",
	.nthreads = 2, .setup = wp_setup, .thread = harvest_once_thread, .final = vm_final,
	.step = vm_step,
};

WX_PROGRAM(fixed_small) = {
	.name = "dirty/fixed64-small", .what = "the same, neighbourhoods of 64 with DBM",
	.nthreads = 2, .setup = fixed_setup, .thread = harvest_once_thread, .final = vm_final,
	.step = vm_step,
};

/* ---- marks ---- */

static void mark_thread(unsigned int tid)
{
	if (tid == 2) {
		vm_harvest(0, LAST(FEW), 0);
		vm_harvest(0, LAST(FEW), 0);
		return;
	}
	wx_check(vm_write_and_mark(tid) == WEIR_OK, "mark");
	wx_check(vm_write_and_mark(tid) == WEIR_OK, "mark");
}

WX_PROGRAM(mark) = {
	.name = "dirty/mark", .what = "two marking writers, a reader harvests twice", .nthreads = 3,
	.setup = wp_setup, .thread = mark_thread, .final = vm_final,
};

/* Far apart: another group, another stripe. The summaries are raised and retired at each level. */
#define FAR	(4096u + 128u)
SETUP(far_setup, .npages = FAR, .policy = WEIR_DIRTY_WP, .mapped_gap = 64)

static void far_mark_thread(unsigned int tid)
{
	if (tid == 2) {
		vm_harvest(0, LAST(FAR), 0);
		vm_harvest(0, LAST(FAR), 0);
		return;
	}
	vm_write_and_mark(tid * 4096u);
	vm_write_and_mark(tid * 4096u + 64u);
	vm_write_and_mark(tid * 4096u);
}

WX_PROGRAM(mark_far) = {
	.name = "dirty/mark-far", .what = "marks in two stripes, a reader of both", .nthreads = 3,
	.setup = far_setup, .thread = far_mark_thread, .final = vm_final,
};

/* A mark and a fault on one page, each with its own write. */
static void mark_and_fault_thread(unsigned int tid)
{
	if (tid == 0)
		vm_write(0);
	else if (tid == 1)
		vm_write_and_mark(1);
	else
		vm_harvest(0, LAST(FEW), 0);
}

WX_PROGRAM(mark_and_fault) = {
	.name = "dirty/mark-and-fault", .what = "a mark beside a fault in one group", .nthreads = 3,
	.setup = fixed_setup, .thread = mark_and_fault_thread, .final = vm_final, .step = vm_step,
};

/* ---- several readers ---- */

static void two_readers_thread(unsigned int tid)
{
	if (tid == 0) {
		vm_write(0);
		vm_write_and_mark(2);
		vm_write(1);
		vm_write(0);
		return;
	}
	for (unsigned int i = 0; i < 3 && !vm_harvest(0, LAST(FEW), 0); i++)
		weir_pause();
}

WX_PROGRAM(two_readers) = {
	.name = "dirty/two-readers", .what = "two readers meet on one stripe", .nthreads = 3,
	.setup = fixed_setup, .thread = two_readers_thread, .final = vm_final,
};

SETUP(stripes_setup, .npages = FAR, .policy = WEIR_DIRTY_FIXED, .neighbourhood = 64,
      .mapped_gap = 64)

static void disjoint_thread(unsigned int tid)
{
	if (tid == 0) {
		vm_write(0);
		vm_write(4096);
		vm_write_and_mark(64);
		vm_write_and_mark(4096 + 64);
	} else if (tid == 1) {
		wx_check(vm_harvest(0, 4095, 0), "EBUSY on a stripe of its own");
	} else {
		wx_check(vm_harvest(4096, LAST(FAR), 0), "EBUSY on a stripe of its own");
	}
}

WX_PROGRAM(disjoint) = {
	.name = "dirty/disjoint", .what = "two readers harvest disjoint stripes in parallel",
	.nthreads = 3, .setup = stripes_setup, .thread = disjoint_thread, .final = vm_final,
};

/* Readers of overlapping ranges: neither may miss what the other gives up. */
static void overlap_thread(unsigned int tid)
{
	if (tid == 0) {
		vm_write_and_mark(0);
		vm_write_and_mark(4096);
		return;
	}
	for (unsigned int i = 0; i < 2; i++)
		vm_harvest(tid == 1 ? 0 : 4096, LAST(FAR), 0);
}

WX_PROGRAM(overlap) = {
	.name = "dirty/overlap", .what = "two readers of overlapping ranges, marks in both stripes",
	.nthreads = 3, .setup = far_setup, .thread = overlap_thread, .final = vm_final,
};
