// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_design_list.c - the translation cache of Linux 5.4: entries allocated once, in one list, the
 * most recently used first. See its_design.h.
 *
 * Published behaviour. Entries that hold nothing are all at the tail, so a search ends at the first
 * of them. What is found moves to the front. A fill searches once more, for two CPUs may have
 * missed the same key, and else takes the last entry, gives up what that held, and moves it to the
 * front. An invalidation empties all entries and leaves them where they are.
 *
 * L1  Entries that hold a translation precede those that hold none.
 * L2  One reference an entry that holds a translation.
 *
 * The list is of entry numbers in an array; entry `capacity` is its head.
 */
#include <stdlib.h>

#include "sim/machine/its_design_internal.h"

struct list_entry {
	uint32_t next, prev;
	bool used;
	const struct sim_its *its; /* stands for the doorbell's address; compared, never ordered */
	uint32_t did, eid;
	struct design_target target;
};

struct design_list {
	uint32_t capacity;
	uint32_t used;
	bool refs;
	struct list_entry *entries;
};

struct design_list *design_list_create(uint32_t capacity, bool refs)
{
	struct design_list *list = sim_alloc(1, sizeof(*list), "a list of translations");
	uint32_t i;

	list->capacity = capacity;
	list->refs = refs;
	list->entries = sim_alloc((size_t)capacity + 1, sizeof(*list->entries),
				  "entries of a list of translations");
	for (i = 0; i <= capacity; i++) {
		list->entries[i].next = i == capacity ? 0 : i + 1;
		list->entries[i].prev = i ? i - 1 : capacity;
	}
	return list;
}

void design_list_destroy(struct design_list *list)
{
	if (!list)
		return;
	free(list->entries);
	free(list);
}

static void move_to_front(struct design_list *list, uint32_t i)
{
	struct list_entry *entry = &list->entries[i], *head = &list->entries[list->capacity];

	list->entries[entry->prev].next = entry->next;
	list->entries[entry->next].prev = entry->prev;
	entry->next = head->next;
	entry->prev = list->capacity;
	list->entries[head->next].prev = i;
	head->next = i;
}

/* The entry of a key, at the front now; NULL. The caller holds the lock. */
static struct list_entry *search(struct design_list *list, const struct sim_its *its, uint32_t did,
				 uint32_t eid, struct sim_its_work *work)
{
	uint32_t first = list->entries[list->capacity].next, i;

	for (i = first; i != list->capacity; i = list->entries[i].next) {
		struct list_entry *entry = &list->entries[i];

		work->scanned++;
		if (!entry->used)
			return NULL;
		if (entry->its != its || entry->did != did || entry->eid != eid)
			continue;
		if (i != first) {
			move_to_front(list, i);
			work->moved = true;
		}
		return entry;
	}
	return NULL;
}

bool design_list_find(struct design_list *list, const struct sim_its *its, uint32_t did,
		      uint32_t eid, struct design_target *target, struct sim_its_work *work)
{
	const struct list_entry *entry = search(list, its, did, eid, work);

	work->locks |= SIM_ITS_LOCK_LIST;
	if (!entry)
		return false;
	*target = entry->target;
	if (list->refs) {
		work->refs += 2;
		work->locks |= SIM_ITS_LOCK_PUT;
	}
	return true;
}

void design_list_fill(struct design_list *list, const struct sim_its *its, uint32_t did,
		      uint32_t eid, const struct design_target *target, struct sim_its_work *work)
{
	uint32_t last = list->entries[list->capacity].prev;
	struct list_entry *entry = &list->entries[last];

	work->locks |= SIM_ITS_LOCK_LIST;
	if (search(list, its, did, eid, work))
		return;
	if (entry->used) {
		work->dropped++;
		work->refs++;
		list->used--;
	}
	entry->used = true;
	entry->its = its;
	entry->did = did;
	entry->eid = eid;
	entry->target = *target;
	move_to_front(list, last);
	list->used++;
	work->filled = true;
	work->refs++;
}

void design_list_drop(struct design_list *list, struct sim_its_work *work)
{
	uint32_t i;

	work->locks |= SIM_ITS_LOCK_LIST;
	for (i = list->entries[list->capacity].next; i != list->capacity;
	     i = list->entries[i].next) {
		work->scanned++;
		if (!list->entries[i].used)
			break;
		list->entries[i].used = false;
		work->dropped++;
		work->refs++;
	}
	list->used = 0;
}

uint64_t design_list_used(const struct design_list *list)
{
	return list->used;
}
