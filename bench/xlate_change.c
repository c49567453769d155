// SPDX-License-Identifier: BSD-2-Clause
/*
 * xlate_change.c - invalidations and fills, at capacities from 64 to 65536 (`keys` here). `empty`
 * is the call of a function that does nothing with the same arguments: what to take off for the
 * call. `weir_serial`: no two may meet. Devices and tags are those of 32 devices by turns.
 *
 * An atomic add waits for one to the same word right before it, and in a function for the store of
 * its return address as well: so invalidate_all/weir, again and again, takes what `atomic_add`
 * takes, the call of a function that adds to one word. Nobody invalidates so. `weir_change` is
 * everything as a command does it, after a change of the tables that takes eight dependent
 * multiplications, less than what reads a command and finds its table entry; `change` is that
 * change and the call of nothing.
 *
 * invalidate_event kills entries that are there at first, and finds them dead later; what it does
 * is the same. The events come in random order, and in sequence as weir_ordered: at 65536 the
 * first meet a cache miss now and then, which a guest's commands would as well.
 */
#include <stdlib.h>

#include "peers/xlate_peers.h"
#include "weir/xlate.h"
#include "xlate_world.h"

__attribute__((noinline)) static void nothing(struct weir_xlate *c, uint32_t device,
					      uint32_t event)
{
	__asm__ volatile("" : : "r"(c), "r"(device), "r"(event) : "memory");
}

__attribute__((noinline)) static void add(uint64_t *word)
{
	(void)__atomic_fetch_add(word, 4u, __ATOMIC_RELEASE);
}

static uint64_t some_word;

/* Changes a table, and returns what the next change depends on. */
static inline uint64_t change(uint64_t *table, uint64_t x)
{
	uint32_t i;

	for (i = 0; i < 8; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	__atomic_store_n(&table[x >> 52], x, __ATOMIC_RELEASE);
	return x;
}

#define CHANGE_LOOP(fn, call) \
	static uint64_t fn(const struct xw *w) \
	{ \
		static uint64_t table[4096], x; \
		struct weir_xlate *c = w->data; \
		uint32_t i; \
		for (i = 0; i < w->nstream; i++) { \
			x = change(table, x); \
			call; \
		} \
		return 0; \
	}

CHANGE_LOOP(loop_all_change, weir_xlate_invalidate_all(c))
CHANGE_LOOP(loop_change, nothing(c, 0, 0))
XW_LOOP(loop_add, , (add(&some_word), (void)device, (void)event, false))
XW_LOOP(loop_all, struct weir_xlate *c = w->data, (weir_xlate_invalidate_all(c), (void)device,
						   (void)event, false))
XW_LOOP(loop_device, struct weir_xlate *c = w->data, (weir_xlate_invalidate_device(c, device),
						      (void)event, false))
XW_LOOP(loop_tag, struct weir_xlate *c = w->data, (weir_xlate_invalidate_tag(c, device),
						   (void)event, false))
XW_LOOP(loop_event, struct weir_xlate *c = w->data, (weir_xlate_invalidate_event(c, device, event),
						     false))
XW_LOOP(loop_nothing, struct weir_xlate *c = w->data, (nothing(c, device, event), false))
XW_LOOP(loop_fill, struct weir_xlate *c = w->data,
	(xw_fill(c, (struct xw_key){ device, event }), false))

static struct xw *make(const struct bench_params *params, uint64_t (*loop)(const struct xw *w),
		       uint32_t flags)
{
	struct xw *w = xw_cached_with(params, 2, flags);

	w->loop = loop;
	w->want = 0;
	return w;
}

#define SETUP(fn, loop, flags) \
	static void *fn(const struct bench_params *params) \
	{ \
		return make(params, loop, flags); \
	}

SETUP(setup_all, loop_all, 0)
SETUP(setup_serial_all, loop_all, WEIR_XLATE_F_SERIAL)
SETUP(setup_all_change, loop_all_change, 0)
SETUP(setup_serial_all_change, loop_all_change, WEIR_XLATE_F_SERIAL)
SETUP(setup_change, loop_change, 0)
SETUP(setup_event, loop_event, 0)
SETUP(setup_nothing, loop_nothing, 0)
SETUP(setup_add, loop_add, 0)
SETUP(setup_fill, loop_fill, 0)

/* 32 devices, or tags, by turns, however few have an entry. */
#define SETUP_DEVICES(fn, loop, flags) \
	static void *fn(const struct bench_params *params) \
	{ \
		struct xw *w = make(params, loop, flags); \
		uint32_t i; \
		for (i = 0; i < w->nstream; i++) \
			w->stream[i].device = XW_FIRST_DEVICE + i % 32u; \
		return w; \
	}

SETUP_DEVICES(setup_device, loop_device, 0)
SETUP_DEVICES(setup_tag, loop_tag, 0)
SETUP_DEVICES(setup_serial_device, loop_device, WEIR_XLATE_F_SERIAL)
SETUP_DEVICES(setup_serial_tag, loop_tag, WEIR_XLATE_F_SERIAL)

static void *setup_ordered(const struct bench_params *params)
{
	struct xw *w = make(params, loop_event, 0);

	xw_in_sequence(w);
	w->want = 0;
	return w;
}

void bench_xlate_change(void)
{
	static const uint32_t sizes[] = { 64, 1024, 32768, 65536 };
	static const struct bench_impl impls[] = {
		XW_IMPL("xlate/invalidate_all/weir", setup_all),
		XW_IMPL("xlate/invalidate_all/weir_change", setup_all_change),
		XW_IMPL("xlate/invalidate_all/change", setup_change),
		XW_IMPL("xlate/invalidate_device/weir", setup_device),
		XW_IMPL("xlate/invalidate_tag/weir", setup_tag),
		XW_IMPL("xlate/invalidate_all/weir_serial", setup_serial_all),
		XW_IMPL("xlate/invalidate_all/weir_serial_change", setup_serial_all_change),
		XW_IMPL("xlate/invalidate_device/weir_serial", setup_serial_device),
		XW_IMPL("xlate/invalidate_tag/weir_serial", setup_serial_tag),
		XW_IMPL("xlate/invalidate_event/weir", setup_event),
		XW_IMPL("xlate/invalidate_event/weir_ordered", setup_ordered),
		XW_IMPL("xlate/invalidate_all/empty", setup_nothing),
		XW_IMPL("xlate/invalidate_all/atomic_add", setup_add),
		XW_IMPL("xlate/fill/weir", setup_fill),
	};
	size_t i, s;

	for (i = 0; i < sizeof(impls) / sizeof(*impls); i++)
		for (s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
			bench_register_xlate(&impls[i], sizes[s], false, false, 1, 21);
}
