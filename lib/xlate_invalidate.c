// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xlate_invalidate.c - making lookups forget, in O(1) and without waiting.
 *
 * Device, tag, all: move a generation; by a read-modify-write, as one that went back would bring
 * dead entries to life, or by a store where the owner serialises (WEIR_XLATE_F_SERIAL). Entries
 * stamped with the old one are dead for every lookup that happens after, and so is an entry whose
 * filler took its lease before: it is stamped with what the lease saw.
 *
 * A tag is known only after the walk, so the lease cannot hold its generation. The filler reads it
 * when it has it, and then the tag epoch, which must be the lease's. The epoch moves first here:
 *
 *	invalidate_tag:	epoch += 1; gen_tag += 4 (release)
 *	fill:		load gen_tag (acquire); load epoch
 *
 * Who sees the new generation sees the new epoch, and is refused unless its lease is from after.
 * Who stamps the old generation is dead as soon as it moves.
 *
 * One event: move an epoch that it shares with every 64th slot's events, then kill the slot that
 * has the key, which is nearly always the preferred one. A filler does the same in the opposite
 * order, key first, epoch second (it adds 0). Both use read-modify-writes of one location, so one
 * comes first, without a fence:
 *
 *	invalidate_event: epoch += 1 (acq_rel); if key is there: stamp = DEAD
 *	fill:		  key = k; epoch += 0 (acq_rel); as in the lease? CAS stamp PENDING -> sum
 *
 * If the invalidation comes first, the filler sees an epoch that moved. If the filler does, the
 * invalidation sees the key: its store follows the filler's CAS and kills, or precedes it and makes
 * it fail. It waits for no filler, frozen or not.
 *
 * X8. The set is looked at only where no preferred slot has the key. Who put the key elsewhere had
 * found them all alive, with other keys. One that has it now got it from a later fill, which had
 * found the other place dead, or that would have been written over; and if the first of these two
 * came before the invalidation, in the order of the epoch, what it had found is not unseen here.
 * What the second had found is acquired with the key. A fingerprint that has gone is acquired as
 * well, with the key that is there instead: a lookup tries the slots of the pair next to the
 * preferred one without it.
 */
#include "xlate_internal.h"

/*
 * Whether it was there. Acquire: where the filler that came here saw the key dead elsewhere, nobody
 * after us sees it alive.
 */
static bool kill(struct weir_xlate_slot *slot, uint64_t key)
{
	if (weir_load_acquire(&slot->key) != key)
		return false;
	weir_store_relaxed(&slot->stamp, STAMP_DEAD);
	return true;
}

WEIR_API void weir_xlate_invalidate_event(struct weir_xlate *c, uint32_t device, uint32_t event)
{
	uint64_t key = xlate_key(device, event), index = xlate_index(c, key);
	uint64_t set = xlate_set_of(c, index), todo;
	struct weir_xlate_slot *home = xlate_slot_at(c, index);
	bool found;

	weir_prefetch(home);
	/*
	 * Release: a lease that sees it makes a walk that sees what was changed. Acquire: sees the
	 * keys of fillers that came before.
	 */
	(void)weir_fetch_add_acq_rel(xlate_epoch(c, index), (uint64_t)1);
	xlate_count(c, invalidations_event, 1);
	found = kill(home, key);
	if (xlate_paired(c))
		found |= kill(xlate_slot_at(c, index ^ 1u), key);
	if (found)
		return;
	for (todo = xlate_candidates(&c->sets[set], key); todo; todo &= todo - 1u)
		(void)kill(xlate_slot(c, set, xlate_candidate(todo)), key);
}

/*
 * Release: pairs with the acquire of leases; the generation of a tag, with that of fill. A macro,
 * so that the explorer takes each use for an order of its own.
 */
#define advance(c, counter, step)                                                               \
	do {                                                                                    \
		if ((c)->serial)                                                                \
			weir_store_release((counter), weir_load_relaxed(counter) + (step));     \
		else                                                                            \
			(void)weir_fetch_add_release((counter), (step));                        \
	} while (0)

WEIR_API void weir_xlate_invalidate_device(struct weir_xlate *c, uint32_t device)
{
	advance(c, &c->gen_device[xlate_gen_index(device)], GEN_STEP);
	xlate_count(c, invalidations_device, 1);
}

WEIR_API void weir_xlate_invalidate_tag(struct weir_xlate *c, uint32_t tag)
{
	advance(c, &c->tag_epoch, (uint64_t)1);
	advance(c, &c->gen_tag[xlate_gen_index(tag)], GEN_STEP);
	xlate_count(c, invalidations_tag, 1);
}

WEIR_API void weir_xlate_invalidate_all(struct weir_xlate *c)
{
	advance(c, &c->gen_all, GEN_STEP);
	xlate_count(c, invalidations_all, 1);
}
