// SPDX-License-Identifier: BSD-2-Clause
/*
 * content.c - versions of frames at both ends of a migration: see content.h.
 *
 * The table is linear probing at a load of at most 7/8. Four frames of an aligned quartet have
 * consecutive homes, so that a run of frames touches a run of slots. Slots are never removed, so a
 * probe ends at the first empty one; growth reinserts in slot order. All of it depends on the
 * sequence of calls alone, and nothing a caller sees depends on slot order.
 */
#include "sim/machine/content.h"
#include "sim/engine/error.h"

#include <stdlib.h>
#include <string.h>

#define CONTENT_PAGES_MAX	((uint64_t)1 << 40)
#define CONTENT_SLOTS_MIN_LOG2	10u

struct slot {
	uint64_t key;	/* frame index + 1; 0: empty */
	uint64_t src;	/* version */
	uint64_t dst;	/* content */
};

struct sim_content {
	uint64_t base_gfn;
	uint64_t npages;
	struct slot *slots;
	unsigned int slots_log2;
	uint64_t nused;
	uint64_t nused_max;
	uint64_t *present;
	uint64_t *received;
};

static uint64_t nwords(const struct sim_content *c)
{
	return (c->npages + 63) / 64;
}

static bool bit_get(const uint64_t *map, uint64_t idx)
{
	return map[idx / 64] >> (idx % 64) & 1;
}

static void bit_set(uint64_t *map, uint64_t idx)
{
	map[idx / 64] |= (uint64_t)1 << (idx % 64);
}

static uint64_t index_of(const struct sim_content *c, uint64_t gfn)
{
	uint64_t idx = gfn - c->base_gfn;

	sim_assert(idx < c->npages);
	return idx;
}

static uint64_t home_of(uint64_t idx, unsigned int slots_log2)
{
	uint64_t quartet = (idx >> 2) * UINT64_C(0x9e3779b97f4a7c15);

	return quartet >> (64 - (slots_log2 - 2)) << 2 | (idx & 3);
}

/* The slot of a frame, or the empty one where it belongs. */
static struct slot *probe(struct slot *slots, unsigned int slots_log2, uint64_t idx)
{
	uint64_t mask = ((uint64_t)1 << slots_log2) - 1;
	uint64_t i = home_of(idx, slots_log2);

	while (slots[i].key != idx + 1 && slots[i].key != 0)
		i = (i + 1) & mask;
	return &slots[i];
}

static void set_slots(struct sim_content *c, unsigned int slots_log2)
{
	uint64_t nslots = (uint64_t)1 << slots_log2;
	struct slot *slots = sim_alloc(nslots, sizeof(*slots), "guest memory contents");

	if (c->slots) {
		for (uint64_t i = 0; i < (uint64_t)1 << c->slots_log2; i++)
			if (c->slots[i].key)
				*probe(slots, slots_log2, c->slots[i].key - 1) = c->slots[i];
		free(c->slots);
	}
	c->slots = slots;
	c->slots_log2 = slots_log2;
	c->nused_max = nslots / 8 * 7;
}

static struct slot *insert(struct sim_content *c, struct slot *s, uint64_t idx)
{
	if (c->nused == c->nused_max) {
		set_slots(c, c->slots_log2 + 1);
		s = probe(c->slots, c->slots_log2, idx);
	}
	s->key = idx + 1;
	c->nused++;
	bit_set(c->present, idx);
	return s;
}

static struct slot *slot_for(struct sim_content *c, uint64_t idx)
{
	struct slot *s = probe(c->slots, c->slots_log2, idx);

	return s->key ? s : insert(c, s, idx);
}

struct sim_content *sim_content_create(uint64_t base_gfn, uint64_t npages)
{
	struct sim_content *c;

	if (npages == 0 || npages > CONTENT_PAGES_MAX || base_gfn + (npages - 1) < base_gfn)
		return NULL;
	c = sim_alloc(1, sizeof(*c), "guest memory contents");
	c->base_gfn = base_gfn;
	c->npages = npages;
	c->present = calloc(nwords(c), sizeof(*c->present));
	c->received = calloc(nwords(c), sizeof(*c->received));
	if (!c->present || !c->received) {
		sim_content_destroy(c);
		return NULL;
	}
	set_slots(c, CONTENT_SLOTS_MIN_LOG2);
	return c;
}

void sim_content_destroy(struct sim_content *c)
{
	if (!c)
		return;
	free(c->slots);
	free(c->present);
	free(c->received);
	free(c);
}

uint64_t sim_content_store(struct sim_content *c, uint64_t gfn, unsigned int writer,
			   uint64_t nstores)
{
	struct slot *s = slot_for(c, index_of(c, gfn));

	s->src = (uint64_t)writer << SIM_CONTENT_COUNT_BITS |
		 ((s->src + nstores) & SIM_CONTENT_COUNT_MASK);
	return s->src;
}

uint64_t sim_content_version(const struct sim_content *c, uint64_t gfn)
{
	return probe(c->slots, c->slots_log2, index_of(c, gfn))->src;
}

uint64_t sim_content_of(uint64_t gfn, uint64_t version)
{
	uint64_t x = gfn + UINT64_C(0x9e3779b97f4a7c15);

	if (version == 0)
		return 0;
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return version ^ x ^ (x >> 31);
}

void sim_content_send_to(struct sim_content *c, uint64_t gfn, uint64_t dst_gfn)
{
	uint64_t idx = index_of(c, dst_gfn);
	uint64_t content = sim_content_of(gfn, sim_content_version(c, gfn));

	bit_set(c->received, idx);
	if (content != 0 || bit_get(c->present, idx))
		slot_for(c, idx)->dst = content;
}

void sim_content_send(struct sim_content *c, uint64_t gfn)
{
	uint64_t idx = index_of(c, gfn);
	struct slot *s;

	bit_set(c->received, idx);
	if (!bit_get(c->present, idx))
		return;
	s = probe(c->slots, c->slots_log2, idx);
	s->dst = sim_content_of(gfn, s->src);
}

/* The bits of word w whose frames lie in first..last (frame indexes). */
static uint64_t word_mask(uint64_t w, uint64_t first, uint64_t last)
{
	uint64_t mask = UINT64_MAX;

	if (w == first / 64)
		mask &= UINT64_MAX << (first % 64);
	if (w == last / 64)
		mask &= UINT64_MAX >> (63 - last % 64);
	return mask;
}

uint64_t sim_content_send_run(struct sim_content *c, uint64_t first_gfn, uint64_t npages)
{
	uint64_t first, last, nwritten = 0;

	if (npages == 0)
		return 0;
	first = index_of(c, first_gfn);
	last = index_of(c, first_gfn + (npages - 1));
	for (uint64_t w = first / 64; w <= last / 64; w++) {
		uint64_t mask = word_mask(w, first, last);
		uint64_t todo = c->present[w] & mask;

		c->received[w] |= mask;
		for (; todo; todo &= todo - 1) {
			uint64_t idx = w * 64 + (unsigned int)__builtin_ctzll(todo);
			struct slot *s = probe(c->slots, c->slots_log2, idx);

			s->dst = sim_content_of(c->base_gfn + idx, s->src);
			nwritten += s->src != 0;
		}
	}
	return nwritten;
}

bool sim_content_received(const struct sim_content *c, uint64_t gfn)
{
	return bit_get(c->received, index_of(c, gfn));
}

void sim_content_forget_received(struct sim_content *c)
{
	memset(c->received, 0, nwords(c) * sizeof(*c->received));
	for (uint64_t i = 0; i < (uint64_t)1 << c->slots_log2; i++)
		c->slots[i].dst = 0;
}

/* The frames of word w that differ. */
static uint64_t bad_in_word(const struct sim_content *c, uint64_t w)
{
	uint64_t valid = word_mask(w, 0, c->npages - 1);
	uint64_t bad = valid & ~c->received[w];
	uint64_t todo = c->present[w] & c->received[w];

	for (; todo; todo &= todo - 1) {
		unsigned int bit = (unsigned int)__builtin_ctzll(todo);
		uint64_t idx = w * 64 + bit;
		const struct slot *s = probe(c->slots, c->slots_log2, idx);

		if (s->dst != sim_content_of(c->base_gfn + idx, s->src))
			bad |= (uint64_t)1 << bit;
	}
	return bad;
}

bool sim_content_same(const struct sim_content *c, uint64_t gfn)
{
	const struct slot *s = probe(c->slots, c->slots_log2, index_of(c, gfn));

	return sim_content_received(c, gfn) && s->dst == sim_content_of(gfn, s->src);
}

bool sim_content_equal(const struct sim_content *c, uint64_t *first_bad_gfn, uint64_t *nbad)
{
	uint64_t n = 0, first = 0;

	for (uint64_t w = 0; w < nwords(c); w++) {
		uint64_t bad = bad_in_word(c, w);

		if (bad && n == 0)
			first = c->base_gfn + w * 64 + (unsigned int)__builtin_ctzll(bad);
		n += (unsigned int)__builtin_popcountll(bad);
	}
	if (n && first_bad_gfn)
		*first_bad_gfn = first;
	if (nbad)
		*nbad = n;
	return n == 0;
}

bool sim_content_next_bad(const struct sim_content *c, uint64_t from_gfn,
			  struct sim_content_bad *bad)
{
	uint64_t from = from_gfn < c->base_gfn ? 0 : from_gfn - c->base_gfn;

	for (uint64_t w = from / 64; w < nwords(c); w++) {
		uint64_t mask = bad_in_word(c, w) & word_mask(w, from, UINT64_MAX);
		const struct slot *s;

		if (!mask)
			continue;
		from = w * 64 + (unsigned int)__builtin_ctzll(mask);
		s = probe(c->slots, c->slots_log2, from);
		bad->gfn = c->base_gfn + from;
		bad->src_version = s->src;
		bad->src_content = sim_content_of(bad->gfn, s->src);
		bad->dst_content = s->dst;
		bad->received = bit_get(c->received, from);
		return true;
	}
	return false;
}

bool sim_content_next_written(const struct sim_content *c, uint64_t *gfn)
{
	uint64_t from = *gfn < c->base_gfn ? 0 : *gfn - c->base_gfn;

	for (uint64_t w = from / 64; w < nwords(c); w++) {
		uint64_t todo = c->present[w] & word_mask(w, from, UINT64_MAX);

		for (; todo; todo &= todo - 1) {
			uint64_t idx = w * 64 + (unsigned int)__builtin_ctzll(todo);

			if (probe(c->slots, c->slots_log2, idx)->src == 0)
				continue;
			*gfn = c->base_gfn + idx;
			return true;
		}
	}
	return false;
}

void sim_content_stats(const struct sim_content *c, struct sim_content_stats *out)
{
	uint64_t n = 0;

	for (uint64_t w = 0; w < nwords(c); w++)
		n += (unsigned int)__builtin_popcountll(c->received[w]);
	out->npages = c->npages;
	out->pages_present = c->nused;
	out->pages_received = n;
	out->slots = (uint64_t)1 << c->slots_log2;
	out->bytes = out->slots * sizeof(struct slot) + 2 * nwords(c) * sizeof(uint64_t);
}
