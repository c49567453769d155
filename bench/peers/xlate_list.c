// SPDX-License-Identifier: BSD-2-Clause
/*
 * xlate_list.c - the translation cache of 2019: a list under a spinlock, searched from its head;
 * what is found moves to the front. Preallocated, one reference an entry, none taken by a hit.
 */
#include <pthread.h>
#include <stdlib.h>

#include "xlate_peers.h"

struct node {
	struct node *next, *prev;
	uint64_t key;
	struct xw_object *object;
};

struct list {
	pthread_spinlock_t lock;
	struct node head;
	struct node *nodes;
	struct xw_object *objects;
};

static void unlink_node(struct node *n)
{
	n->prev->next = n->next;
	n->next->prev = n->prev;
}

static void push(struct list *l, struct node *n)
{
	n->next = l->head.next;
	n->prev = &l->head;
	n->next->prev = n;
	l->head.next = n;
}

static bool lookup(struct list *l, uint32_t device, uint32_t event, uint64_t *value)
{
	uint64_t key = (uint64_t)device << 32 | event;
	struct node *n;
	bool found = false;

	pthread_spin_lock(&l->lock);
	for (n = l->head.next; n != &l->head && n->object; n = n->next) {
		if (n->key != key)
			continue;
		if (n != l->head.next) {
			unlink_node(n);
			push(l, n);
		}
		*value = n->object->value;
		found = true;
		break;
	}
	pthread_spin_unlock(&l->lock);
	return found;
}

XW_LOOP(loop, struct list *l = w->data, lookup(l, device, event, &value))

static void list_free(struct xw *w)
{
	struct list *l = w->data;

	pthread_spin_destroy(&l->lock);
	free(l->nodes);
	free(l->objects);
	free(l);
}

static void *setup(const struct bench_params *params)
{
	struct xw *w = xw_new(params, 1);
	struct list *l = calloc(1, sizeof(*l));
	uint32_t i;

	if (!l)
		host_die("out of memory");
	l->nodes = calloc(w->nkeys, sizeof(*l->nodes));
	l->objects = calloc(w->nkeys, sizeof(*l->objects));
	if (!l->nodes || !l->objects)
		host_die("out of memory");
	l->head.next = l->head.prev = &l->head;
	pthread_spin_init(&l->lock, PTHREAD_PROCESS_PRIVATE);
	for (i = 0; i < w->nkeys; i++) {
		l->objects[i].value = xw_value(w->keys[i].device, w->keys[i].event);
		l->nodes[i].key = (uint64_t)w->keys[i].device << 32 | w->keys[i].event;
		l->nodes[i].object = &l->objects[i];
		push(l, &l->nodes[i]);
	}
	w->data = l;
	w->loop = loop;
	w->fini = list_free;
	return w;
}

void bench_xlate_list(void)
{
	static const struct bench_impl impl = XW_IMPL("xlate/hit/kvm2019", setup);
	static const uint32_t sizes[] = { 1, 16, 64, 1024 };
	size_t s;

	/* 65536 would take hours. */
	for (s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
		bench_register_xlate_shapes(&impl, sizes[s], 5);
}
