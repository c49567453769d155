// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xlate_lookup.c - lookups beyond the preferred slot.
 *
 * Comes here: a key that is in another slot of its set, or nowhere; a translation whose first use
 * this is, to mark it; every lookup of a cache that counts.
 *
 * The mark tells fills which translations are in use: two bits of the stamp, which the first hit
 * clears by a compare-and-swap. Stamps repeat, so it may mark another translation that took the
 * slot meanwhile, which is harmless. A read-modify-write, so that it does not hide the writer's
 * release from lookups that see the marked stamp.
 *
 * A key of a pair that found both slots taken is in the pair next to it, if that had room: in the
 * line that a processor is likeliest to have fetched as well. It is looked at first.
 *
 * Cost: four loads of one line and the arithmetic on 16 lanes, then the slot.
 */
#include "xlate_internal.h"

/* One slot, by the protocol that weir_xlate_lookup_inline() explains. */
static bool read_slot(const struct weir_xlate *c, struct weir_xlate_slot *slot, uint64_t key,
		      uint64_t *value)
{
	uint64_t word = weir_load_acquire(&slot->word);
	uint64_t stamp = weir_load_acquire(&slot->stamp);
	uint64_t v;

	if (weir_load_acquire(&slot->key) != key)
		return false;
	if ((stamp & ~STAMP_BITS) != xlate_sum(c, key, word))
		return false;
	v = weir_load_acquire(&slot->value);
	if (weir_load_relaxed(&slot->word) != word)
		return false;
	*value = v;
	/* Acquire: this CPU's next lookup may read the stamp that it wrote over another fill's. */
	if (stamp & c->used)
		(void)weir_cas_acquire(&slot->stamp, &stamp, stamp & ~(uint64_t)c->used);
	return true;
}

/* One of the two by arithmetic, as the inlined look-up does: a branch could not be predicted. */
static bool read_near(const struct weir_xlate *c, uint64_t key, uint64_t index, uint64_t *value)
{
	struct weir_xlate_slot *slot = xlate_slot_at(c, xlate_near(index));

	return read_slot(c, slot + (weir_load_relaxed(&slot->key) != key), key, value);
}

static bool scan(const struct weir_xlate *c, uint64_t key, uint64_t index, uint64_t *value)
{
	uint64_t set = xlate_set_of(c, index), todo;

	if (xlate_has_near(c)) {
		if (read_near(c, key, index, value))
			return true;
	}
	for (todo = xlate_candidates(&c->sets[set], key); todo; todo &= todo - 1u)
		if (read_slot(c, xlate_slot(c, set, xlate_candidate(todo)), key, value))
			return true;
	return false;
}

WEIR_API bool weir_xlate_lookup_scan(const struct weir_xlate *c, uint64_t key, uint64_t offset,
				     uint64_t *value)
{
	uint64_t index = offset / sizeof(struct weir_xlate_slot);
	bool hit = scan(c, key, index, value);

	if (c->counting) {
		struct weir_xlate_set *set = xlate_set(c, index);

		(void)weir_fetch_add_relaxed(hit ? &set->hits : &set->misses, (uint64_t)1);
	}
	return hit;
}

WEIR_API bool weir_xlate_lookup(const struct weir_xlate *c, uint32_t device, uint32_t event,
				uint64_t *value)
{
	return weir_xlate_lookup_inline(c, device, event, value);
}
