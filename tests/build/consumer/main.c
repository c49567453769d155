// SPDX-License-Identifier: BSD-2-Clause
/*
 * Somebody else's program, in C11 and in C++17: uses both modules, and prints the version it was
 * linked with, if all is well.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/weir.h>

static uint64_t table = WEIR_DIRTY_DESC_VALID | WEIR_DIRTY_DESC_W | 2u;

static uint64_t *leaf(void *ctx, uint64_t gfn, unsigned int *order)
{
	(void)ctx;
	(void)gfn;
	*order = 0;
	return &table;
}

static void tlbi_range(void *ctx, uint64_t first_gfn, uint64_t last_gfn)
{
	(void)ctx;
	(void)first_gfn;
	(void)last_gfn;
}

static void tlbi_local(void *ctx, uint64_t gfn)
{
	(void)ctx;
	(void)gfn;
}

static enum weir_status block_split(void *ctx, uint64_t gfn)
{
	(void)ctx;
	(void)gfn;
	return WEIR_ENOMEM;
}

/* One page: written, reported, forgotten. */
static bool dirty_works(void)
{
	struct weir_dirty_config cfg;
	struct weir_dirty_ops ops;
	struct weir_dirty *d;
	uint64_t bitmap = 0;
	size_t size;
	void *mem;

	memset(&cfg, 0, sizeof(cfg));
	memset(&ops, 0, sizeof(ops));
	cfg.npages = 1;
	ops.leaf = leaf;
	ops.tlbi_range = tlbi_range;
	ops.tlbi_local = tlbi_local;
	ops.block_split = block_split;
	size = (weir_dirty_size(&cfg) + 63) / 64 * 64;
	mem = aligned_alloc(64, size);
	if (!mem || weir_dirty_init(mem, size, &cfg, &ops, NULL, &d) != WEIR_OK)
		return false;
	if (weir_dirty_start(d, false) != WEIR_OK || (table & WEIR_DIRTY_DESC_W))
		return false;
	if (weir_dirty_fault(d, 0, NULL) != WEIR_OK || !(table & WEIR_DIRTY_DESC_W))
		return false;
	if (weir_dirty_get_bitmap(d, 0, 1, &bitmap) != WEIR_OK || bitmap != 1)
		return false;
	weir_dirty_stop(d);
	free(mem);
	return true;
}

/* One translation: filled, found, dropped; and a lease from before that is stale. */
static bool xlate_works(void)
{
	struct weir_xlate_config cfg;
	struct weir_xlate_lease lease;
	struct weir_xlate *c;
	uint64_t value = 0;
	size_t size;
	void *mem;

	memset(&cfg, 0, sizeof(cfg));
	cfg.capacity = 16;
	size = weir_xlate_size(&cfg);
	mem = aligned_alloc(64, size);
	if (!mem || weir_xlate_init(mem, size, &cfg, NULL, NULL, &c) != WEIR_OK)
		return false;
	weir_xlate_lease(c, 1, 2, &lease);
	if (weir_xlate_fill(c, &lease, 3, 8192) != WEIR_OK)
		return false;
	if (!weir_xlate_lookup_inline(c, 1, 2, &value) || value != 8192)
		return false;
	weir_xlate_invalidate_event(c, 1, 2);
	if (weir_xlate_lookup(c, 1, 2, &value))
		return false;
	if (weir_xlate_fill(c, &lease, 3, 8192) != WEIR_ESTALE)
		return false;
	free(mem);
	return true;
}

int main(void)
{
	if (strcmp(weir_version(), WEIR_VERSION_STRING) != 0)
		return 1;
	if (strcmp(weir_status_str(WEIR_OK), "success") != 0)
		return 1;
	if (!dirty_works() || !xlate_works())
		return 1;
	puts(weir_version());
	return 0;
}
