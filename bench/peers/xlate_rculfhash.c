// SPDX-License-Identifier: BSD-2-Clause
/*
 * xlate_rculfhash.c - liburcu's lock-free hash table, as large as its keys need, under qsbr.
 */
#include <stdlib.h>

#include "xlate_peers.h"

#ifdef WEIR_HAVE_URCU
#define URCU_INLINE_SMALL_FUNCTIONS
#include <urcu-qsbr.h>
#include <urcu/rculfhash.h>

struct entry {
	struct cds_lfht_node node;
	uint64_t key;
	uint64_t value;
};

struct table {
	struct cds_lfht *ht;
	struct entry *entries;
	uint32_t nentries;
};

static unsigned long hash_of(uint64_t key)
{
	key *= 0x9e3779b97f4a7c15u;
	return key ^ key >> 32;
}

static int matches(struct cds_lfht_node *node, const void *key)
{
	return caa_container_of(node, struct entry, node)->key == *(const uint64_t *)key;
}

static bool lookup(struct table *t, uint32_t device, uint32_t event, uint64_t *value)
{
	uint64_t key = (uint64_t)device << 32 | event;
	struct cds_lfht_node *node;
	struct cds_lfht_iter iter;

	rcu_read_lock();
	cds_lfht_lookup(t->ht, hash_of(key), matches, &key, &iter);
	node = cds_lfht_iter_get_node(&iter);
	if (node)
		*value = caa_container_of(node, struct entry, node)->value;
	rcu_read_unlock();
	return node != NULL;
}

XW_LOOP(loop, struct table *t = w->data, lookup(t, device, event, &value))

static void table_free(struct xw *w)
{
	struct table *t = w->data;
	uint32_t i;

	peer_rcu_enter();
	rcu_read_lock();
	for (i = 0; i < t->nentries; i++)
		(void)cds_lfht_del(t->ht, &t->entries[i].node);
	rcu_read_unlock();
	peer_rcu_leave();
	(void)cds_lfht_destroy(t->ht, NULL);
	free(t->entries);
	free(t);
}

static void *setup(const struct bench_params *params)
{
	struct xw *w = xw_new(params, 2);
	struct table *t = calloc(1, sizeof(*t));
	unsigned long size = 1;
	uint32_t i;

	while (size < w->nkeys)
		size *= 2u;
	if (!t)
		host_die("out of memory");
	t->ht = cds_lfht_new(size, size, 0, 0, NULL);
	t->nentries = w->nkeys;
	t->entries = calloc(w->nkeys, sizeof(*t->entries));
	if (!t->ht || !t->entries)
		host_die("out of memory");
	peer_rcu_enter();
	rcu_read_lock();
	for (i = 0; i < w->nkeys; i++) {
		struct entry *e = &t->entries[i];

		e->key = (uint64_t)w->keys[i].device << 32 | w->keys[i].event;
		e->value = xw_value(w->keys[i].device, w->keys[i].event);
		cds_lfht_node_init(&e->node);
		cds_lfht_add(t->ht, hash_of(e->key), &e->node);
	}
	rcu_read_unlock();
	peer_rcu_leave();
	w->data = t;
	w->loop = loop;
	w->fini = table_free;
	w->thread_enter = peer_rcu_enter;
	w->thread_leave = peer_rcu_leave;
	return w;
}

#define IMPL(name, setup) XW_IMPL(name, setup)
#else
#define IMPL(name, setup) XW_MISSING(name, "liburcu-dev")
#endif

void bench_xlate_rculfhash(void)
{
	static const struct bench_impl impl = IMPL("xlate/hit/rculfhash", setup);
	static const uint32_t sizes[] = { 1, 16, 64, 1024, 65536 };
	size_t s;

	for (s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
		bench_register_xlate_shapes(&impl, sizes[s], 11);
}
