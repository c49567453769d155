// SPDX-License-Identifier: BSD-2-Clause
/*
 * xlate_bare.c - the least that an entry can be which holds a whole key, a whole value and a whole
 * generation: 24 bytes, and 32 as the library's slots are. It is read, the key and one generation
 * are compared, and that is all: no scopes, no protection against a writer, no second place to
 * look. What this costs beside a flat array, no cache of that kind can do better.
 *
 * Dense keys only: they have an entry each, at event + 2048 * device.
 */
#include <string.h>

#include "xlate_peers.h"

struct bare24 {
	uint64_t key;
	uint64_t value;
	uint64_t generation;
};

struct bare32 {
	uint64_t key;
	uint64_t value;
	uint64_t generation;
	uint64_t unused;
};

static uint64_t generation = 4;

static uint64_t place(const struct xw *w, uint32_t device, uint32_t event)
{
	return (event + (uint64_t)2048u * device) & (w->nkeys - 1u);
}

#define BARE(entry) \
	static void entry##_free(struct xw *w) \
	{ \
		host_free(w->data, w->nkeys * sizeof(struct entry)); \
	} \
	static struct xw *entry##_new(const struct bench_params *params, \
				      uint64_t (*loop)(const struct xw *w)) \
	{ \
		struct xw *w = xw_new(params, 4); \
		struct entry *entries = host_alloc(w->nkeys * sizeof(*entries)); \
		uint32_t i; \
		for (i = 0; i < w->nkeys; i++) { \
			uint32_t device = w->keys[i].device, event = w->keys[i].event; \
			struct entry *e = &entries[place(w, device, event)]; \
			e->key = (uint64_t)device << 32 | event; \
			e->value = xw_value(device, event); \
			e->generation = generation; \
		} \
		w->data = entries; \
		w->loop = loop; \
		w->fini = entry##_free; \
		return w; \
	} \
	static inline bool entry##_lookup(const struct entry *e, uint32_t device, uint32_t event, \
					  uint64_t *value) \
	{ \
		uint64_t stamp = __atomic_load_n(&e->generation, __ATOMIC_ACQUIRE); \
		if (__atomic_load_n(&e->key, __ATOMIC_RELAXED) != \
		    ((uint64_t)device << 32 | event)) \
			return false; \
		if (stamp != __atomic_load_n(&generation, __ATOMIC_RELAXED)) \
			return false; \
		*value = __atomic_load_n(&e->value, __ATOMIC_RELAXED); \
		return true; \
	} \
	XW_LOOP(entry##_loop, const struct entry *entries = w->data, \
		entry##_lookup(&entries[place(w, device, event)], device, event, &value)) \
	static void *entry##_setup(const struct bench_params *params) \
	{ \
		return entry##_new(params, entry##_loop); \
	}

BARE(bare24)
BARE(bare32)

void bench_xlate_bare(void)
{
	static const uint32_t sizes[] = { 64, 1024, 65536 };
	static const struct bench_impl impls[] = {
		XW_IMPL("xlate/hit/bare24", bare24_setup),
		XW_IMPL("xlate/hit/bare32", bare32_setup),
	};
	size_t i, s;

	for (i = 0; i < sizeof(impls) / sizeof(*impls); i++)
		for (s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
			bench_register_xlate(&impls[i], sizes[s], false, false, 1, 21);
}
