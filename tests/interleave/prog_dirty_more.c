// SPDX-License-Identifier: BSD-2-Clause
/*
 * prog_dirty_more.c - `dirty` under concurrency: rings, independent readers, devices, the
 * hardware's log, and readers of different kinds that meet.
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
SETUP(readers_setup, .npages = FEW, .policy = WEIR_DIRTY_WP, .readers = true)
SETUP(readers_fixed_setup, .npages = FEW, .policy = WEIR_DIRTY_FIXED, .neighbourhood = 64,
      .readers = true)
SETUP(device_setup, .npages = FEW, .policy = WEIR_DIRTY_WP, .flags = WEIR_DIRTY_F_DEVICES)
SETUP(hdbss_setup, .npages = FEW, .policy = WEIR_DIRTY_HDBSS)
SETUP(off_setup, .npages = FEW, .policy = WEIR_DIRTY_FIXED, .neighbourhood = 64, .off = true)

static void writer(void)
{
	vm_write(0);
	vm_write(1);
	vm_write(0);
}

/* ---- a ring: a CPU pushes, a collector collects, a third party resets ---- */

static struct weir_dirty_ring ring;
static uint64_t entries[WEIR_DIRTY_RING_MIN];
static uint64_t collected[WEIR_DIRTY_RING_MIN];
static unsigned int ncollected, nreset;

static void ring_setup(void)
{
	wp_setup();
	wx_check(!weir_dirty_ring_init(&ring, entries, WEIR_DIRTY_RING_MIN), "ring_init");
	vm.ring = &ring;
	ncollected = nreset = 0;
	for (unsigned int i = 0; i < 4 && wx_printing(); i++)
		wx_name(&entries[i], "ring%u", i);
}

static void collect(void)
{
	wx_note("collect");
	ncollected += (unsigned int)weir_dirty_ring_collect(&ring, &collected[ncollected], 4);
}

static void reset(void)
{
	enum weir_status s;
	size_t n;

	vm.readers++;
	wx_note("reset");
	s = weir_dirty_ring_reset(&ring, vm.d, &n);
	wx_note("reset done: %d, %zu entries", (int)s, n);
	wx_check(s == WEIR_OK || s == WEIR_EBUSY, "reset: %s", weir_status_str(s));
	for (; n; n--)		/* collect() wrote the frame before it let go of the entry */
		vm_copy_page(0, (unsigned int)(collected[nreset++] - VM_BASE_GFN));
	vm.readers--;
}

static void ring_thread(unsigned int tid)
{
	if (tid == 0) {
		writer();
	} else if (tid == 1) {
		collect();
		collect();
		collect();
	} else {
		reset();
		reset();
	}
}

static void ring_final(void)
{
	wx_check(nreset <= ncollected || wx_frozen(1), "%u entries reset, %u collected", nreset,
		 ncollected);
	for (unsigned int i = 0; i < ncollected; i++)
		wx_check(collected[i] >= VM_BASE_GFN && collected[i] <= LAST_GFN,
			 "the ring holds gfn %#llx", (unsigned long long)collected[i]);
	vm_final();
}

WX_PROGRAM(ring_program) = {
	.name = "dirty/ring", .what = "a CPU fills its ring, one collects, one resets",
	.nthreads = 3, .setup = ring_setup, .thread = ring_thread, .final = ring_final,
};

static void ring_beside_thread(unsigned int tid)
{
	if (tid == 0) {
		writer();
	} else if (tid == 1) {
		collect();
		reset();
	} else {
		vm_harvest(0, LAST, 0);
	}
}

WX_PROGRAM(ring_beside) = {
	.name = "dirty/ring-beside-harvest", .what = "a ring is reset beside a harvest",
	.nthreads = 3, .setup = ring_setup, .thread = ring_beside_thread, .final = ring_final,
};

/* ---- two readers, each with an epoch of its own ---- */

static void readers_thread(unsigned int tid)
{
	if (tid == 0) {
		writer();
		vm_write_and_mark(2);
		return;
	}
	for (unsigned int i = 0; i < 2 && !vm_harvest_by(tid - 1, 0, LAST, 0); i++)
		weir_pause();
}

WX_PROGRAM(readers_wp) = {
	.name = "dirty/readers", .what = "two independent readers: each gets every write",
	.nthreads = 3, .setup = readers_setup, .thread = readers_thread, .final = vm_final,
};

WX_PROGRAM(readers_fixed) = {
	.name = "dirty/readers-fixed64", .what = "the same, neighbourhoods of 64 with DBM",
	.nthreads = 3, .setup = readers_fixed_setup, .thread = readers_thread, .final = vm_final,
};

/* ---- a device ---- */

static void device_thread(unsigned int tid)
{
	if (tid == 1) {
		vm_harvest(0, LAST, 0);
		vm_harvest(0, LAST, 0);
		return;
	}
	if (tid == 2) {
		vm_write(0);
		return;
	}
	wx_check(!weir_dirty_device_map(vm.d, VM_BASE_GFN + 1, 1), "device_map");
	vm_dma(1);
	vm_dma(1);
	wx_note("unmap");
	wx_dsb();		/* the IOTLB invalidation has completed */
	wx_check(!weir_dirty_device_unmap(vm.d, VM_BASE_GFN + 1, 1), "device_unmap");
}

WX_PROGRAM(device) = {
	.name = "dirty/device", .what = "a device is mapped, writes, is unmapped", .nthreads = 3,
	.setup = device_setup, .thread = device_thread, .final = vm_final,
};

/* ---- the hardware's log ---- */

static void hdbss_thread(unsigned int tid)
{
	if (tid == 0) {
		writer();
	} else if (tid == 1) {
		vm_write(0);
		vm_write(2);
	} else {
		vm_kick_logs();
		vm_harvest(0, LAST, 0);
		vm_kick_logs();
		vm_harvest(0, LAST, 0);
	}
}

WX_PROGRAM(hdbss) = {
	.name = "dirty/hdbss", .what = "the hardware logs pages; CPUs are kicked before a harvest",
	.nthreads = 3, .setup = hdbss_setup, .thread = hdbss_thread, .final = vm_final,
};

/* ---- readers of different kinds on one stripe ---- */

static void clear_once(void)
{
	struct weir_dirty_word word;
	struct weir_dirty_cursor cur = { VM_BASE_GFN, LAST_GFN, false };
	enum weir_status s;
	size_t n;

	vm.readers++;
	wx_note("get");
	s = weir_dirty_get(vm.d, &cur, &word, 1, 0, &n);
	if (s == WEIR_OK && n) {
		wx_note("clear");
		s = weir_dirty_clear(vm.d, VM_BASE_GFN, FEW, &word.pages);
		wx_note("clear done: %d", (int)s);
		if (s == WEIR_OK)
			vm_copy(&word, 1);
	}
	wx_check(s == WEIR_OK || s == WEIR_EBUSY, "clear: %s", weir_status_str(s));
	vm.readers--;
}

static void kinds_thread(unsigned int tid)
{
	if (tid == 0) {
		writer();
	} else if (tid == 1) {
		clear_once();
		clear_once();
	} else {
		vm_harvest(0, LAST, 0);
		vm_harvest(0, LAST, 0);
	}
}

WX_PROGRAM(kinds) = {
	.name = "dirty/clear-meets-harvest", .what = "a clear and a harvest meet on one stripe",
	.nthreads = 3, .setup = fixed_setup, .thread = kinds_thread, .final = vm_final,
};

WX_PROGRAM(kinds_adaptive) = {
	.name = "dirty/clear-meets-harvest-adaptive", .what = "the same, adaptive",
	.nthreads = 3, .setup = adaptive_setup, .thread = kinds_thread, .final = vm_final,
};

static void two_clears_thread(unsigned int tid)
{
	if (tid == 0)
		writer();
	else
		clear_once();
}

WX_PROGRAM(two_clears) = {
	.name = "dirty/two-clears", .what = "two clears meet on one stripe", .nthreads = 3,
	.setup = wp_setup, .thread = two_clears_thread, .final = vm_final,
};

/* ---- starting with everything dirty, under writers ---- */

static void start_all_thread(unsigned int tid)
{
	if (tid == 0) {
		vm_write(0);
		vm_write(1);
	} else if (tid == 1) {
		vm_write_and_mark(2);
		vm_write_and_mark(2);
	} else {
		wx_note("start");
		wx_check(!weir_dirty_start(vm.d, true), "start");
		wx_note("start done");
		vm_harvest(0, LAST, 0);
	}
}

WX_PROGRAM(start_all) = {
	.name = "dirty/start-all-dirty", .what = "logging starts, all dirty, under a CPU and marks",
	.nthreads = 3, .setup = off_setup, .thread = start_all_thread, .final = vm_final,
};

/* Stopped and started again: what the second log says is right by itself. */
static void restart_thread(unsigned int tid)
{
	if (tid == 0) {
		writer();
		return;
	}
	wx_check(!weir_dirty_start(vm.d, false), "start");
	vm_harvest(0, LAST, 0);
	weir_dirty_stop(vm.d);
	wx_note("stopped");
	wx_check(!weir_dirty_start(vm.d, true), "start");
	vm_harvest(0, LAST, 0);
}

WX_PROGRAM(restart) = {
	.name = "dirty/restart", .what = "stopped and started again under a writing CPU",
	.nthreads = 2, .setup = off_setup, .thread = restart_thread, .final = vm_final,
};

static void restart_short_thread(unsigned int tid)
{
	if (tid == 0) {
		vm_write(0);
		vm_write(0);
		return;
	}
	weir_dirty_stop(vm.d);
	wx_note("stopped");
	wx_check(!weir_dirty_start(vm.d, true), "start");
	vm_harvest(0, LAST, 0);
}

WX_PROGRAM(restart_short) = {
	.name = "dirty/restart-short", .what = "a fault in flight while the log is started again",
	.nthreads = 2, .schedules = 150000,
	.setup = fixed_setup, .thread = restart_short_thread, .final = vm_final,
};

static void restart_mark_thread(unsigned int tid)
{
	if (tid == 0) {
		vm_write_and_mark(0);
		return;
	}
	weir_dirty_stop(vm.d);
	wx_note("stopped");
	wx_check(!weir_dirty_start(vm.d, false), "start");
	vm_copy_all();
}

WX_PROGRAM(restart_mark) = {
	.name = "dirty/restart-mark", .what = "a mark in flight while the log is started again",
	.nthreads = 2, .setup = fixed_setup, .thread = restart_mark_thread, .final = vm_final,
};
