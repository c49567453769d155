// SPDX-License-Identifier: BSD-2-Clause
/*
 * xlate_ck.c - Concurrency Kit's hash table of integers, read in an epoch section as its entries'
 * reclamation asks for.
 */
#include <stdlib.h>

#include "xlate_peers.h"

#ifdef WEIR_HAVE_CK
#include <ck_epoch.h>
#include <ck_ht.h>

struct table {
	ck_ht_t ht;
};

static ck_epoch_t epoch;
static __thread ck_epoch_record_t record;

static void hash(ck_ht_hash_t *h, const void *key, size_t bytes, uint64_t seed)
{
	uint64_t k = *(const uint64_t *)key;

	(void)bytes;
	(void)seed;
	k *= 0x9e3779b97f4a7c15u;
	h->value = k ^ k >> 32;
}

static void *ht_malloc(size_t n)
{
	return malloc(n);
}

static void ht_free(void *p, size_t n, bool defer)
{
	(void)n;
	(void)defer;
	free(p);
}

static struct ck_malloc allocator = { .malloc = ht_malloc, .free = ht_free };

static bool lookup(struct table *t, uint32_t device, uint32_t event, uint64_t *value)
{
	uintptr_t key = (uint64_t)device << 32 | event;
	ck_ht_entry_t entry;
	ck_ht_hash_t h;
	bool found;

	ck_epoch_begin(&record, NULL);
	ck_ht_hash_direct(&h, &t->ht, key);
	ck_ht_entry_key_set_direct(&entry, key);
	found = ck_ht_get_spmc(&t->ht, h, &entry);
	if (found)
		*value = ck_ht_entry_value_direct(&entry);
	ck_epoch_end(&record, NULL);
	return found;
}

XW_LOOP(loop, struct table *t = w->data, lookup(t, device, event, &value))

/* A thread that runs two cases in turn is registered once. */
static __thread unsigned int registered;

static void enter(void)
{
	if (!registered++)
		ck_epoch_register(&epoch, &record, NULL);
}

static void leave(void)
{
	if (!--registered)
		ck_epoch_unregister(&record);
}

static void table_free(struct xw *w)
{
	struct table *t = w->data;

	ck_ht_destroy(&t->ht);
	free(t);
}

static void *setup(const struct bench_params *params)
{
	struct xw *w = xw_new(params, 2);
	struct table *t = calloc(1, sizeof(*t));
	uint32_t i;

	if (!t || !ck_ht_init(&t->ht, CK_HT_MODE_DIRECT, hash, &allocator, w->nkeys * 2u + 8u, 1))
		host_die("out of memory");
	for (i = 0; i < w->nkeys; i++) {
		uintptr_t key = (uint64_t)w->keys[i].device << 32 | w->keys[i].event;
		ck_ht_entry_t entry;
		ck_ht_hash_t h;

		ck_ht_hash_direct(&h, &t->ht, key);
		ck_ht_entry_set_direct(&entry, h, key,
				       xw_value(w->keys[i].device, w->keys[i].event));
		if (!ck_ht_put_spmc(&t->ht, h, &entry))
			host_die("ck_ht: a key was refused");
	}
	w->data = t;
	w->loop = loop;
	w->fini = table_free;
	w->thread_enter = enter;
	w->thread_leave = leave;
	return w;
}

#define IMPL(name, setup) XW_IMPL(name, setup)
#else
#define IMPL(name, setup) XW_MISSING(name, "libck-dev")
#endif

void bench_xlate_ck(void)
{
	static const struct bench_impl impl = IMPL("xlate/hit/ck_ht", setup);
	static const uint32_t sizes[] = { 1, 16, 64, 1024, 65536 };
	size_t s;

#ifdef WEIR_HAVE_CK
	ck_epoch_init(&epoch);
#endif
	for (s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
		bench_register_xlate_shapes(&impl, sizes[s], 11);
}
