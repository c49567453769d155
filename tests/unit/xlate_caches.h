/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xlate_caches.h - what the tests of the translation cache share: making one, and the whole way
 * from a lease to a fill in one call.
 */
#ifndef TESTS_UNIT_XLATE_CACHES_H
#define TESTS_UNIT_XLATE_CACHES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "weir/xlate.h"

#define TAG 3u

static inline struct weir_xlate *cache_with_ops(const struct weir_xlate_config *cfg,
						const struct weir_xlate_ops *ops, void *ctx)
{
	size_t size = weir_xlate_size(cfg);
	struct weir_xlate *c = NULL;
	void *mem = aligned_alloc(64, (size + 63) / 64 * 64);

	assert_non_null(mem);
	memset(mem, 0xa5, size);
	assert_int_equal(weir_xlate_init(mem, size, cfg, ops, ctx, &c), WEIR_OK);
	assert_ptr_equal(c, mem);
	return c;
}

static inline struct weir_xlate *cache_of(uint32_t capacity, uint32_t flags)
{
	struct weir_xlate_config cfg = { .capacity = capacity, .flags = flags };

	return cache_with_ops(&cfg, NULL, NULL);
}

/* A value that tells which key it is of. */
static inline uint64_t value_of(uint32_t device, uint32_t event)
{
	return ((uint64_t)device << 32 | event) ^ UINT64_C(0xfeedfacecafebeef);
}

static inline enum weir_status fill(struct weir_xlate *c, uint32_t device, uint32_t event)
{
	struct weir_xlate_lease lease;

	weir_xlate_lease(c, device, event, &lease);
	return weir_xlate_fill(c, &lease, TAG, value_of(device, event));
}

/* Whether it is a hit; then the value is the key's own, and both twins say the same. */
static inline int hit(const struct weir_xlate *c, uint32_t device, uint32_t event)
{
	uint64_t value = 1, twin = 1;
	int is = weir_xlate_lookup(c, device, event, &value);

	assert_int_equal(is, weir_xlate_lookup_inline(c, device, event, &twin));
	assert_true(value == (is ? value_of(device, event) : 1));
	assert_true(twin == value);
	return is;
}

#endif
