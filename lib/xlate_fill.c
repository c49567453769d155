// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xlate_fill.c - leases and fills: who gets into a set, at whose expense, and how it is published.
 *
 * A fill holds the try-lock of its set, which only fills and drains take. Under it:
 *
 *   - a live slot of the same key is written over, so that there is one (X4);
 *   - else, while the set holds less than its share of the capacity, a dead slot is taken, a
 *     preferred one if there is a dead one; or a preferred one from a *guest*, a translation whose
 *     own preferred slots are others. The guest misses once, and both are found sooner ever after;
 *   - else a live one goes: a random one of those that no lookup has hit since the last time that
 *     all marks were cleared, a guest in a preferred slot before others; they are cleared
 *     when all are marked. That is a clock without a hand.
 *     A new translation starts without a mark, so that a scan displaces itself. Being random, it
 *     has no cliff on a loop that is a little too long.
 *
 * The shares of the sets sum up to the capacity.
 *
 * Cost: 16 slots in 16 lines are looked at, which is why it is done on a miss only.
 */
#include "xlate_internal.h"

/* What a filler knows of its set, one bit a way, and what it decided. */
struct xlate_choice {
	unsigned int live;
	unsigned int used;	/* live, and hit since it was filled or last spared */
	unsigned int same;	/* live and of the same key: at most one bit */
	unsigned int homes;	/* the preferred ones: one, or a pair */
	unsigned int near;	/* the pair in the next line, which a lookup tries second */
	uint64_t index;		/* a preferred slot */
	unsigned int way;
	bool evicts;
};

/* What a slot owed to the displaced op. */
struct xlate_owed {
	uint64_t key;
	uint64_t value;
};

static unsigned int count(unsigned int ways)
{
	return weir_popcount64((uint64_t)ways);
}

WEIR_API void weir_xlate_lease(const struct weir_xlate *c, uint32_t device, uint32_t event,
			       struct weir_xlate_lease *lease)
{
	uint64_t index = xlate_index(c, xlate_key(device, event));

	lease->device = device;
	lease->event = event;
	/* Acquire, all four: who sees that an invalidation began sees the tables it is about. */
	lease->gen_all = weir_load_acquire(&c->gen_all);
	lease->gen_device = weir_load_acquire(&c->gen_device[xlate_gen_index(device)]);
	lease->tag_epoch = weir_load_acquire(&c->tag_epoch);
	lease->event_epoch = weir_load_acquire(xlate_epoch(c, index));
}

static bool try_lock(struct weir_xlate_set *set)
{
	uint32_t unlocked = 0;

	/* Acquire: pairs with unlock(). */
	return weir_cas_acquire(&set->lock, &unlocked, 1u);
}

static void unlock(struct weir_xlate_set *set)
{
	weir_store_release(&set->lock, 0u);
}

/* Under the lock: only invalidations and lookups write beside us, and only stamps. */
static void survey(const struct weir_xlate *c, uint64_t key, uint64_t index,
		   struct xlate_choice *ch)
{
	uint64_t set = xlate_set_of(c, index);
	unsigned int paired = xlate_paired(c), way;

	ch->live = ch->used = ch->same = 0;
	ch->index = index;
	ch->homes = (1u + 2u * paired) << (xlate_way_of(c, ch->index) & ~paired);
	ch->near = xlate_has_near(c) ? 3u << xlate_way_of(c, xlate_near(ch->index)) : 0u;
	for (way = 0; way < c->ways; way++) {
		const struct weir_xlate_slot *slot = xlate_slot(c, set, way);
		unsigned int bit = 1u << way;

		if (!xlate_live(c, slot))
			continue;
		ch->live |= bit;
		if (!(weir_load_relaxed(&slot->stamp) & STAMP_UNUSED))
			ch->used |= bit;
		if (weir_load_relaxed(&slot->key) == key)
			ch->same |= bit;
	}
}

/* One of the bits of a mask that is not 0. */
static unsigned int pick(struct weir_xlate_set *set, unsigned int mask)
{
	uint32_t r = set->random * 1664525u + 1013904223u;
	unsigned int n = (r >> 16) * count(mask) >> 16;

	set->random = r;
	while (n--)
		mask &= mask - 1u;
	return weir_ctz64(mask);
}

/* All are in use: whoever is not hit again from now on may go. */
static void spare(const struct weir_xlate *c, uint64_t set, unsigned int ways)
{
	for (; ways; ways &= ways - 1u) {
		struct weir_xlate_slot *slot = xlate_slot(c, set, weir_ctz64(ways));
		uint64_t stamp = weir_load_relaxed(&slot->stamp);

		/* Not over the DEAD of an invalidation; and see xlate_lookup.c. */
		if (stamp & ~STAMP_BITS)
			(void)weir_cas_relaxed(&slot->stamp, &stamp, stamp | c->used);
	}
}

/* The share of a set in the capacity; the remainder goes to the first sets. */
static unsigned int share(const struct weir_xlate *c, uint64_t set)
{
	return c->capacity / (c->set_mask + 1u) + (set < (c->capacity & c->set_mask));
}

/*
 * Which of the preferred ways have guests: translations whose own preferred slots are others, and
 * that came when these were free.
 */
static unsigned int guests(const struct weir_xlate *c, uint64_t set, const struct xlate_choice *ch,
			   unsigned int live)
{
	unsigned int paired = xlate_paired(c), todo = ch->homes & live, found = 0;

	for (; todo; todo &= todo - 1u) {
		uint64_t key = weir_load_relaxed(&xlate_slot(c, set, weir_ctz64(todo))->key);

		if ((xlate_index(c, key) ^ ch->index) >> paired)
			found |= todo & ~(todo - 1u);
	}
	return found;
}

/* The dead way where a lookup of the key finds it soonest. */
static unsigned int nearest(const struct xlate_choice *ch, unsigned int dead)
{
	if (dead & ch->homes)
		return weir_ctz64(dead & ch->homes);
	return weir_ctz64(dead & ch->near ? dead & ch->near : dead);
}

/* A live way that may go: not in use, a guest in a preferred one if there is one. */
static unsigned int victim(struct weir_xlate *c, uint64_t set, struct xlate_choice *ch)
{
	unsigned int unused, away;

	if (ch->used == ch->live) {
		spare(c, set, ch->live);
		ch->used = 0;
	}
	unused = ch->live & ~ch->used;
	away = guests(c, set, ch, unused);
	return away ? weir_ctz64(away) : pick(&c->sets[set], unused);
}

static void choose(struct weir_xlate *c, uint64_t set, struct xlate_choice *ch)
{
	unsigned int dead = ~ch->live & ((1u << c->ways) - 1u), away = 0;

	ch->evicts = false;
	if (ch->same) {
		ch->way = weir_ctz64(ch->same);
	} else if (count(ch->live) < share(c, set)) {
		if (!(dead & ch->homes))
			away = guests(c, set, ch, ch->live);
		ch->evicts = away != 0;
		ch->way = away ? weir_ctz64(away) : nearest(ch, dead);
	} else {
		ch->evicts = true;
		ch->way = victim(c, set, ch);
		if (dead) {
			/* The set has more slots than its share: there may be a better one. */
			weir_store_relaxed(&xlate_slot(c, set, ch->way)->stamp, STAMP_DEAD);
			ch->way = nearest(ch, dead | 1u << ch->way);
		}
	}
}

/* What the slot owes, if it does; under the lock. */
static bool owed_by(const struct weir_xlate_slot *slot, struct xlate_owed *owed)
{
	if (!(weir_load_relaxed(&slot->word) & WORD_FULL))
		return false;
	owed->key = weir_load_relaxed(&slot->key);
	owed->value = weir_load_relaxed(&slot->value);
	return true;
}

static void set_print(struct weir_xlate_set *set, unsigned int way, uint64_t key)
{
	uint64_t *prints = &set->prints[way & 3u];
	unsigned int shift = (way >> 2) * 16u;
	uint64_t others = weir_load_relaxed(prints) & ~((uint64_t)0xffff << shift);

	/* Release: who does not see the old key's fingerprint does not see the old key. */
	weir_store_release(prints, others | xlate_print(key) << shift);
}

/*
 * Write a slot and make it live, unless an event of the key's epoch was invalidated since the
 * lease. Each release here pairs with the acquire of the same field in weir_xlate_lookup_inline().
 */
static bool publish(struct weir_xlate *c, const struct xlate_choice *ch,
		    const struct weir_xlate_lease *lease, unsigned int tag_index, uint64_t value,
		    uint64_t stamp)
{
	struct weir_xlate_slot *slot = xlate_slot(c, xlate_set_of(c, ch->index), ch->way);
	uint64_t key = xlate_key(lease->device, lease->event), expected = STAMP_PENDING;
	uint64_t word = (weir_load_relaxed(&slot->word) & ~(WORD_SEQ - 1u)) + WORD_SEQ + tag_index;
	uint64_t *epoch = xlate_epoch(c, ch->index);

	weir_store_relaxed(&slot->stamp, STAMP_PENDING);
	weir_store_release(&slot->word, c->ops ? word | WORD_FULL : word);
	weir_store_release(&slot->key, key);
	weir_store_release(&slot->value, value);
	set_print(xlate_set(c, ch->index), ch->way, key);
	/* See xlate_invalidate.c. */
	if (weir_fetch_add_acq_rel(epoch, (uint64_t)0) != lease->event_epoch)
		weir_store_relaxed(&slot->stamp, STAMP_DEAD);
	/*
	 * Release: key and value go before the stamp. The explorer cannot show it missing, because
	 * its machine performs them for the read-modify-write before; C11 and LL/SC do not.
	 */
	else if (weir_cas_release(&slot->stamp, &expected, stamp | STAMP_BITS))
		return true;
	/* Nothing is owed for it. Keeps the release sequence of the word, as in collect(). */
	if (c->ops)
		(void)weir_fetch_and_relaxed(&slot->word, ~WORD_FULL);
	return false;
}

/* What the lease rules out before the set is touched; the stamp, if it rules out nothing. */
static enum weir_status check_lease(struct weir_xlate *c, const struct weir_xlate_lease *lease,
				    uint64_t index, unsigned int tag_index, uint64_t *stamp)
{
	/* Acquire: who sees the tag's generation move sees the epoch move. */
	uint64_t gen_tag = weir_load_acquire(&c->gen_tag[tag_index]);

	if (weir_load_relaxed(&c->gen_all) != lease->gen_all)
		xlate_count(c, refused_all, 1);
	else if (weir_load_relaxed(&c->gen_device[xlate_gen_index(lease->device)]) !=
		 lease->gen_device)
		xlate_count(c, refused_device, 1);
	else if (weir_load_relaxed(&c->tag_epoch) != lease->tag_epoch)
		xlate_count(c, refused_tag, 1);
	else if (weir_load_relaxed(xlate_epoch(c, index)) != lease->event_epoch)
		xlate_count(c, refused_event, 1);
	else {
		*stamp = lease->gen_all + lease->gen_device + gen_tag;
		return WEIR_OK;
	}
	return WEIR_ESTALE;
}

static void hand_back(struct weir_xlate *c, const struct xlate_owed *owed)
{
	xlate_count(c, displaced, 1);
	c->ops->displaced(c->ctx, xlate_device_of(owed->key), (uint32_t)owed->key, owed->value);
}

WEIR_API enum weir_status weir_xlate_fill(struct weir_xlate *c,
					  const struct weir_xlate_lease *lease, uint32_t tag,
					  uint64_t value)
{
	uint64_t key = xlate_key(lease->device, lease->event), stamp;
	uint64_t index = xlate_index(c, key), s = xlate_set_of(c, index);
	struct weir_xlate_set *set = &c->sets[s];
	unsigned int tag_index = xlate_gen_index(tag);
	struct xlate_choice ch;
	struct xlate_owed owed;
	bool owes, accepted;

	if (check_lease(c, lease, index, tag_index, &stamp))
		return WEIR_ESTALE;
	if (!try_lock(set)) {
		xlate_count(c, refused_busy, 1);
		return WEIR_EBUSY;
	}
	survey(c, key, index, &ch);
	weir_assert(count(ch.live) <= share(c, s));
	weir_assert(!(ch.same & (ch.same - 1u)));
	choose(c, s, &ch);
	owes = owed_by(xlate_slot(c, s, ch.way), &owed);
	accepted = publish(c, &ch, lease, tag_index, value, stamp);
	unlock(set);
	if (owes)
		hand_back(c, &owed);
	xlate_count(c, evictions, ch.evicts);
	if (!accepted) {
		xlate_count(c, refused_event, 1);
		return WEIR_ESTALE;
	}
	xlate_count(c, fills, 1);
	xlate_count(c, replaced, ch.same != 0);
	return WEIR_OK;
}

/* Take from the dead slots of a set what they owe. */
static unsigned int collect(struct weir_xlate *c, uint64_t set,
			    struct xlate_owed owed[WEIR_XLATE_WAYS_MAX])
{
	unsigned int way, n = 0;

	for (way = 0; way < c->ways; way++) {
		struct weir_xlate_slot *slot = xlate_slot(c, set, way);

		if (xlate_live(c, slot) || !owed_by(slot, &owed[n]))
			continue;
		/* Keeps the release sequence of the word. */
		(void)weir_fetch_and_relaxed(&slot->word, ~WORD_FULL);
		n++;
	}
	return n;
}

WEIR_API enum weir_status weir_xlate_drain(struct weir_xlate *c)
{
	enum weir_status status = WEIR_OK;
	uint64_t s;

	for (s = 0; c->ops && s <= c->set_mask; s++) {
		struct xlate_owed owed[WEIR_XLATE_WAYS_MAX];
		unsigned int n, i;

		if (!try_lock(&c->sets[s])) {
			status = WEIR_EBUSY;
			continue;
		}
		n = collect(c, s, owed);
		unlock(&c->sets[s]);
		for (i = 0; i < n; i++)
			hand_back(c, &owed[i]);
	}
	return status;
}
