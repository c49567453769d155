// SPDX-License-Identifier: BSD-2-Clause
/*
 * xlate_radix.c - the translation cache of 2024: a radix tree of 64 children a node over DeviceID
 * and 16 bits of EventID, as high as its largest index needs, read under RCU (liburcu's qsbr,
 * whose read side costs nothing, as a kernel's). With references: a hit takes one, unless the
 * object is on its way out, and puts it after the use; without: the use ends with the read-side
 * section.
 */
#include <stdlib.h>

#include "xlate_peers.h"

#ifdef WEIR_HAVE_URCU
#define URCU_INLINE_SMALL_FUNCTIONS
#include <urcu-qsbr.h>

#define SHIFT	6u
#define FANOUT	(1u << SHIFT)

struct node {
	void *child[FANOUT];
};

struct radix {
	struct node *root;
	unsigned int shift;	/* of the root */
	struct xw_object *objects;
};

/* A thread that runs two cases in turn is registered once. */
static __thread unsigned int registered;

void peer_rcu_enter(void)
{
	if (!registered++)
		rcu_register_thread();
}

void peer_rcu_leave(void)
{
	if (!--registered)
		rcu_unregister_thread();
}

static uint64_t index_of(uint32_t device, uint32_t event)
{
	return (uint64_t)device << 16 | event;
}

static struct xw_object *walk(const struct radix *r, uint32_t device, uint32_t event)
{
	uint64_t index = index_of(device, event);
	unsigned int shift = r->shift;
	void *p = rcu_dereference(r->root);

	/* The range is checked first: the index packs 16 bits of the event. */
	if (event >> 16 || index >> (shift + SHIFT))
		return NULL;
	for (;;) {
		p = rcu_dereference(((struct node *)p)->child[index >> shift & (FANOUT - 1u)]);
		if (!p || !shift)
			return p;
		shift -= SHIFT;
	}
}

static bool get(struct xw_object *o)
{
	uint32_t refs = __atomic_load_n(&o->refs, __ATOMIC_RELAXED);

	do
		if (!refs)
			return false;
	while (!__atomic_compare_exchange_n(&o->refs, &refs, refs + 1u, 1, __ATOMIC_ACQUIRE,
					    __ATOMIC_RELAXED));
	return true;
}

static bool lookup_ref(const struct radix *r, uint32_t device, uint32_t event, uint64_t *value)
{
	struct xw_object *o;

	rcu_read_lock();
	o = walk(r, device, event);
	if (o && !get(o))
		o = NULL;
	rcu_read_unlock();
	if (!o)
		return false;
	*value = o->value;
	(void)__atomic_sub_fetch(&o->refs, 1u, __ATOMIC_RELEASE);
	return true;
}

static bool lookup(const struct radix *r, uint32_t device, uint32_t event, uint64_t *value)
{
	struct xw_object *o;

	rcu_read_lock();
	o = walk(r, device, event);
	if (o)
		*value = o->value;
	rcu_read_unlock();
	return o != NULL;
}

XW_LOOP(loop_ref, const struct radix *r = w->data, lookup_ref(r, device, event, &value))
XW_LOOP(loop_rcu, const struct radix *r = w->data, lookup(r, device, event, &value))

static void *zalloc(size_t n, size_t size)
{
	void *p = aligned_alloc(64, (n * size + 63u) / 64u * 64u);
	size_t i;

	if (!p)
		host_die("out of memory");
	for (i = 0; i < n * size; i++)
		((char *)p)[i] = 0;
	return p;
}

static void insert(struct radix *r, uint64_t index, struct xw_object *o)
{
	struct node *n = r->root;
	unsigned int shift;

	for (shift = r->shift; shift; shift -= SHIFT) {
		void **slot = &n->child[index >> shift & (FANOUT - 1u)];

		if (!*slot)
			*slot = zalloc(1, sizeof(*n));
		n = *slot;
	}
	n->child[index & (FANOUT - 1u)] = o;
}

static void free_nodes(struct node *n, unsigned int shift)
{
	unsigned int i;

	for (i = 0; shift && i < FANOUT; i++)
		if (n->child[i])
			free_nodes(n->child[i], shift - SHIFT);
	free(n);
}

static void radix_free(struct xw *w)
{
	struct radix *r = w->data;

	free_nodes(r->root, r->shift);
	free(r->objects);
	free(r);
}

static void *make(const struct bench_params *params, uint64_t (*loop)(const struct xw *w))
{
	struct xw *w = xw_new(params, 4);
	struct radix *r = zalloc(1, sizeof(*r));
	uint64_t top = 0, index;
	uint32_t i;

	for (i = 0; i < w->nkeys; i++) {
		index = index_of(w->keys[i].device, w->keys[i].event);
		top = index > top ? index : top;
	}
	while (top >> (r->shift + SHIFT))
		r->shift += SHIFT;
	r->root = zalloc(1, sizeof(*r->root));
	r->objects = zalloc(w->nkeys, sizeof(*r->objects));
	for (i = 0; i < w->nkeys; i++) {
		r->objects[i].value = xw_value(w->keys[i].device, w->keys[i].event);
		r->objects[i].refs = 1;
		insert(r, index_of(w->keys[i].device, w->keys[i].event), &r->objects[i]);
	}
	w->data = r;
	w->loop = loop;
	w->fini = radix_free;
	w->thread_enter = peer_rcu_enter;
	w->thread_leave = peer_rcu_leave;
	return w;
}

static void *setup_ref(const struct bench_params *params)
{
	return make(params, loop_ref);
}

static void *setup_rcu(const struct bench_params *params)
{
	return make(params, loop_rcu);
}

#define IMPL(name, setup) XW_IMPL(name, setup)
#else
#define IMPL(name, setup) XW_MISSING(name, "liburcu-dev")
#endif

void bench_xlate_radix(void)
{
	static const struct bench_impl with_refs = IMPL("xlate/hit/radix_rcu_ref", setup_ref);
	static const struct bench_impl without = IMPL("xlate/hit/radix_rcu", setup_rcu);
	static const uint32_t sizes[] = { 1, 16, 64, 1024, 65536 };
	size_t s;

	for (s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		bench_register_xlate_shapes(&with_refs, sizes[s], 21);
		bench_register_xlate_shapes(&without, sizes[s], 21);
	}
}
