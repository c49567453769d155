// SPDX-License-Identifier: BSD-2-Clause
/*
 * series2023.c - how the 2023 combined dirty log series for KVM on arm64 collects and clears.
 *
 * It uses KVM's generic table walker: for each descriptor of the range the walker fills in a
 * context and calls the visitor through a pointer; the visitor loads, tests, changes the
 * descriptor by compare-and-swap, and sets a bit of the slot's bitmap atomically; after the visit
 * the walker looks at the descriptor again, for the visitor may have turned it into a table. Of
 * the levels above the last one only the step from table to table is modelled, to the series'
 * advantage.
 *
 * Written from descriptions of the series; it shares no code with it.
 */
#include <stdbool.h>

#include "peers.h"

#define TABLE_PTES	512u
#define DESC_TABLE	((uint64_t)3)
#define LAST_LEVEL	3u

#define WALK_LEAF	(1u << 0)
#define WALK_SHARED	(1u << 1)

struct visit {
	uint64_t *ptep;
	uint64_t old;
	void *arg;
	uint64_t start;
	uint64_t addr;
	uint64_t end;
	uint32_t level;
	uint32_t flags;
};

struct walker {
	int (*visitor)(const struct visit *v);
	void *arg;
	uint32_t flags;
};

struct walk {
	const struct walker *walker;
	uint64_t start;
	uint64_t addr;
	uint64_t end;
};

static bool is_table(uint64_t desc, uint32_t level)
{
	return level != LAST_LEVEL && (desc & DESC_TABLE) == DESC_TABLE;
}

__attribute__((noinline)) static int visit_entry(struct walk *walk, uint64_t *ptep, uint32_t level)
{
	struct visit v = {
		.ptep = ptep,
		.old = __atomic_load_n(ptep, __ATOMIC_RELAXED),
		.arg = walk->walker->arg,
		.start = walk->start,
		.addr = walk->addr,
		.end = walk->end,
		.level = level,
		.flags = walk->walker->flags,
	};
	int err = 0;

	if (!is_table(v.old, level) && (v.flags & WALK_LEAF)) {
		err = walk->walker->visitor(&v);
		v.old = __atomic_load_n(ptep, __ATOMIC_RELAXED);
	}
	if (err)
		return err;
	if (!is_table(v.old, level)) {
		walk->addr = (walk->addr & ~(uint64_t)4095u) + 4096u;
		return 0;
	}
	return -1;	/* no table below the last level */
}

/* Pages first..end of the tables. */
static int walk_range(const struct walker *walker, uint64_t *const *tables, uint64_t first,
		      uint64_t end)
{
	struct walk walk = { walker, first << 12, first << 12, end << 12 };

	while (walk.addr < walk.end) {
		uint64_t page = walk.addr >> 12, *table = tables[page / TABLE_PTES];
		uint64_t i;

		for (i = page % TABLE_PTES; i < TABLE_PTES && walk.addr < walk.end; i++) {
			int err = visit_entry(&walk, &table[i], LAST_LEVEL);

			if (err)
				return err;
		}
	}
	return 0;
}

static bool take_write(const struct visit *v)
{
	uint64_t old = v->old;

	if (!(v->flags & WALK_SHARED)) {
		__atomic_store_n(v->ptep, old & ~WEIR_DIRTY_DESC_W, __ATOMIC_RELAXED);
		return true;
	}
	return __atomic_compare_exchange_n(v->ptep, &old, old & ~WEIR_DIRTY_DESC_W, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static int sync_visitor(const struct visit *v)
{
	const uint64_t dirty = WEIR_DIRTY_DESC_VALID | WEIR_DIRTY_DESC_DBM | WEIR_DIRTY_DESC_W;
	uint64_t *bitmap = v->arg, page = v->addr >> 12;

	if ((v->old & dirty) != dirty)
		return 0;
	if (!take_write(v))
		return -1;
	__atomic_fetch_or(&bitmap[page / 64u], (uint64_t)1 << (page % 64u), __ATOMIC_SEQ_CST);
	return 0;
}

static int protect_visitor(const struct visit *v)
{
	if (!(v->old & WEIR_DIRTY_DESC_VALID) || !(v->old & WEIR_DIRTY_DESC_W))
		return 0;
	return take_write(v) ? 0 : -1;
}

void peer_series2023_sync(uint64_t *const *tables, uint64_t npages, uint64_t *bitmap)
{
	const struct walker walker = { sync_visitor, bitmap, WALK_LEAF | WALK_SHARED };

	(void)walk_range(&walker, tables, 0, npages);
}

/* KVM's CLEAR: take the bits of each word, then protect from the first of them to the last. */
void peer_series2023_clear(uint64_t *const *tables, uint64_t npages, uint64_t *bitmap,
			   const uint64_t *mask)
{
	const struct walker walker = { protect_visitor, NULL, WALK_LEAF | WALK_SHARED };
	uint64_t g;

	for (g = 0; g < npages / 64u; g++) {
		uint64_t got;

		if (!mask[g])
			continue;
		got = __atomic_fetch_and(&bitmap[g], ~mask[g], __ATOMIC_SEQ_CST) & mask[g];
		if (!got)
			continue;
		(void)walk_range(&walker, tables, g * 64u + (uint64_t)__builtin_ctzll(got),
				 g * 64u + 64u - (uint64_t)__builtin_clzll(got));
	}
}
