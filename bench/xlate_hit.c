// SPDX-License-Identifier: BSD-2-Clause
/*
 * xlate_hit.c - look-ups that hit: the library inlined and called, a flat array per device, which
 * is the floor, and an empty loop, which is the limit. Counters off.
 *
 * hit is throughput: look-ups that do not depend on each other. latency makes each one's key depend
 * on the value before it. miss looks for keys that are not there.
 *
 * The cache holds exactly the keys (dense; irregular/full) or twice as many (irregular), structured
 * for dense and mixed for irregular keys. What does not fit a set is taken out of the stream.
 */
#include <stdlib.h>
#include <string.h>

#include "peers/xlate_peers.h"
#include "weir/xlate.h"
#include "xlate_world.h"

static struct weir_xlate *cache_new(const struct xw *w, uint32_t flags)
{
	struct weir_xlate_config cfg = {
		.capacity = w->nkeys * (w->params.irregular && !w->params.full ? 2u : 1u),
		.index = w->params.irregular ? WEIR_XLATE_MIXED : WEIR_XLATE_STRUCTURED,
		.device_stride = 2049,
		.flags = flags,
	};
	struct weir_xlate *c;
	size_t size = weir_xlate_size(&cfg);

	if (weir_xlate_init(host_alloc(size), size, &cfg, NULL, NULL, &c))
		host_die("xlate: the cache was refused");
	return c;
}

static void cache_free(struct xw *w)
{
	struct weir_xlate *c = w->data;

	host_free(c, sizeof(*c) + (c->set_mask + 1u) * ((size_t)c->ways *
							sizeof(struct weir_xlate_slot) +
							sizeof(struct weir_xlate_set)));
}

void xw_fill(struct weir_xlate *c, struct xw_key k)
{
	struct weir_xlate_lease lease;

	weir_xlate_lease(c, k.device, k.event, &lease);
	(void)weir_xlate_fill(c, &lease, k.device, xw_value(k.device, k.event));
}

/* A case over a cache that holds the keys; some rounds of them, as a guest's interrupts come. */
struct xw *xw_cached_with(const struct bench_params *params, uint32_t rounds, uint32_t flags)
{
	struct xw *w = xw_new(params, rounds);
	struct weir_xlate *c = cache_new(w, flags);
	uint32_t i, round, kept = 0;
	uint64_t value;

	w->data = c;
	w->fini = cache_free;
	for (round = 0; round < 4; round++)
		for (i = 0; i < w->nkeys; i++)
			if (!weir_xlate_lookup(c, w->keys[i].device, w->keys[i].event, &value))
				xw_fill(c, w->keys[i]);
	for (i = 0; i < w->nkeys; i++)
		if (weir_xlate_lookup(c, w->keys[i].device, w->keys[i].event, &value))
			w->keys[kept++] = w->keys[i];
	if (kept < w->nkeys) {
		w->nkeys = kept;
		xw_stream(w);
	}
	return w;
}

struct xw *xw_cached(const struct bench_params *params, uint32_t rounds)
{
	return xw_cached_with(params, rounds, 0);
}

XW_LOOP(loop_call, const struct weir_xlate *c = w->data,
	weir_xlate_lookup(c, device, event, &value))
XW_LOOP(loop_inline, const struct weir_xlate *c = w->data,
	weir_xlate_lookup_inline(c, device, event, &value))
XW_LOOP(loop_flat, const struct flat *f = w->data, flat_lookup(f, device, event, &value))
XW_LOOP(loop_empty, , (value = xw_value(device, event)))

/* The next key is found through the value: its lowest bit is used in a way that changes nothing. */
#define CHAIN_LOOP(fn, prologue, expr) \
	static uint64_t fn(const struct xw *w) \
	{ \
		const struct xw_key *k; \
		uint64_t sum = 0, value = 0; \
		uint32_t i; \
		prologue; \
		for (i = 0; i < w->nstream; i++) { \
			k = &w->stream[i + (uint32_t)(value >> 63)]; \
			uint32_t device = k->device, event = k->event; \
			if (expr) \
				sum += value; \
		} \
		return sum; \
	}

CHAIN_LOOP(chain_call, const struct weir_xlate *c = w->data,
	   weir_xlate_lookup(c, device, event, &value))
CHAIN_LOOP(chain_inline, const struct weir_xlate *c = w->data,
	   weir_xlate_lookup_inline(c, device, event, &value))
CHAIN_LOOP(chain_flat, const struct flat *f = w->data, flat_lookup(f, device, event, &value))

#define SETUP(fn, make, loop_, rounds) \
	static void *fn(const struct bench_params *params) \
	{ \
		struct xw *w = make(params, rounds); \
		w->loop = loop_; \
		return w; \
	}

SETUP(setup_call, xw_cached, loop_call, 4)
SETUP(setup_inline, xw_cached, loop_inline, 4)
SETUP(setup_flat, xw_flat, loop_flat, 4)
SETUP(setup_empty, xw_new, loop_empty, 8)
SETUP(setup_chain_call, xw_cached, chain_call, 2)
SETUP(setup_chain_inline, xw_cached, chain_inline, 2)
SETUP(setup_chain_flat, xw_flat, chain_flat, 2)

/* The keys in sequence, as a test that raises every event in turn does. */
#define SETUP_ORDERED(fn, of) \
	static void *fn(const struct bench_params *params) \
	{ \
		struct xw *w = of(params); \
		xw_in_sequence(w); \
		return w; \
	}

SETUP_ORDERED(setup_inline_ordered, setup_inline)
SETUP_ORDERED(setup_flat_ordered, setup_flat)

/* The device differs in a bit that no key has: every look-up misses. */
XW_LOOP(loop_miss, const struct weir_xlate *c = w->data,
	weir_xlate_lookup(c, device | 0x40000u, event, &value))

static void *setup_miss(const struct bench_params *params)
{
	struct xw *w = xw_cached(params, 4);

	w->loop = loop_miss;
	w->want = 0;
	return w;
}

void bench_xlate_hit(void)
{
	static const uint32_t sizes[] = { 1, 16, 64, 1024, 65536 };
	/* Which level of the caches a slot or a value of the dense keys comes from. */
	static const uint32_t levels[] = { 16384, 32768, 262144 };
	static const struct bench_impl impls[] = {
		XW_IMPL("xlate/hit/weir", setup_call),
		XW_IMPL("xlate/hit/weir_inline", setup_inline),
		XW_IMPL("xlate/hit/flat", setup_flat),
		XW_IMPL("xlate/hit/empty", setup_empty),
	};
	static const struct bench_impl others[] = {
		XW_IMPL("xlate/latency/weir", setup_chain_call),
		XW_IMPL("xlate/latency/weir_inline", setup_chain_inline),
		XW_IMPL("xlate/latency/flat", setup_chain_flat),
		XW_IMPL("xlate/miss/weir", setup_miss),
		XW_IMPL("xlate/hit/weir_inline_ordered", setup_inline_ordered),
		XW_IMPL("xlate/hit/flat_ordered", setup_flat_ordered),
	};
	size_t i, s;

	for (i = 0; i < sizeof(impls) / sizeof(*impls); i++)
		for (s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
			bench_register_xlate_shapes(&impls[i], sizes[s], 21);
	for (i = 1; i < 3; i++)
		for (s = 0; s < sizeof(levels) / sizeof(*levels); s++)
			bench_register_xlate(&impls[i], levels[s], false, false, 1, 21);
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		for (s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
			bench_register_xlate(&others[i], sizes[s], false, false, 1, 21);
}
