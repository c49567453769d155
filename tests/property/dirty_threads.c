// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: with real threads, no written page is lost and no reader copies a page that can still be
 * written behind its back. For TSan, and for machines with weak ordering.
 * Method: vCPU threads write through a TLB of their own or by compare-and-swap on the leaf, as the
 * hardware does; one thread marks; two harvest, abort, freeze and thaw. What a harvest hands over
 * is copied, but for pages that are assumed dirty by then, if the region may assume any: they must
 * come again. At the end the copy equals the memory. The invalidation takes each vCPU's lock, so
 * that no write through an old translation is under way when it returns: that is TLBI and DSB.
 */
#include <pthread.h>
#include <sched.h>

#include "../unit/dirty_tables.h"
#include "weir/env.h"

#define BASE	0x40000u
#define NPAGES	8192u
#define NVCPUS	2u
#define WRITES	500000u
#define ROUND_WRITES	2048u

struct vcpu {
	pthread_mutex_t lock;
	unsigned char tlb[NPAGES];
};

static struct tables *t;
static struct vcpu vcpus[NVCPUS];
static uint64_t memory[NPAGES], copy[NPAGES];
static uint32_t writers_left;
static unsigned int hot_writes;		/* that a vCPU does about one place */
static uint64_t nwrites;		/* that vCPUs have done, about */
static bool assumes;

static void tlbi_range(void *ctx, uint64_t first_gfn, uint64_t last_gfn)
{
	unsigned int v;

	(void)ctx;
	if (last_gfn >= BASE + NPAGES)
		last_gfn = BASE + NPAGES - 1;
	for (v = 0; v < NVCPUS; v++) {
		pthread_mutex_lock(&vcpus[v].lock);
		memset(&vcpus[v].tlb[first_gfn - BASE], 0, last_gfn - first_gfn + 1);
		pthread_mutex_unlock(&vcpus[v].lock);
	}
}

static void tlbi_local(void *ctx, uint64_t gfn)
{
	(void)ctx;
	(void)gfn;	/* faults are not cached */
}

static uint64_t *leaf(void *ctx, uint64_t gfn, unsigned int *order)
{
	*order = 0;
	return &((struct tables *)ctx)->pte[gfn - BASE];
}

static const struct weir_dirty_ops ops = {
	.leaf = leaf,
	.tlbi_range = tlbi_range,
	.tlbi_local = tlbi_local,
	.block_split = tables_split,
};

/* The hardware's view of a store: true if it went through. */
static int store(struct vcpu *v, uint64_t p)
{
	uint64_t *pte = &t->pte[p], desc;
	int ok;

	pthread_mutex_lock(&v->lock);
	ok = v->tlb[p];
	while (!ok) {
		desc = weir_load_acquire(pte);
		if (desc & T_W)
			ok = 1;
		else if (!(desc & T_DBM))
			break;
		else
			ok = weir_cas_acq_rel(pte, &desc, desc | T_W);
	}
	if (ok) {
		v->tlb[p] = 1;
		(void)weir_fetch_add_relaxed(&memory[p], (uint64_t)1);
	}
	pthread_mutex_unlock(&v->lock);
	return ok;
}

static uint64_t next(uint64_t *x)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return *x >> 33;
}

static void *vcpu_main(void *arg)
{
	struct vcpu *v = arg;
	uint64_t x = (uint64_t)(v - vcpus) + 1, hot = 0;
	unsigned int i;

	for (i = 0; i < (assumes ? WRITES / 8 : WRITES); i++) {
		uint64_t p;

		if (!(i % hot_writes))
			hot = next(&x) % NPAGES;
		if (!(i % 256))
			(void)weir_fetch_add_relaxed(&nwrites, (uint64_t)256);
		if (assumes && !(i % 256))
			sched_yield();	/* rounds are between writes */
		p = next(&x) % 4 ? (hot + next(&x) % 90) % NPAGES : next(&x) % NPAGES;
		while (!store(v, p)) {
			enum weir_status status = weir_dirty_fault(t->d, BASE + p, NULL);

			if (status != WEIR_OK && status != WEIR_EAGAIN)
				abort();
		}
	}
	(void)weir_fetch_add_acq_rel(&writers_left, ~(uint32_t)0);
	return NULL;
}

static void *marker_main(void *arg)
{
	uint64_t x = 77;
	unsigned int i;

	(void)arg;
	for (i = 0; i < WRITES / 4; i++) {
		uint64_t p = next(&x) % NPAGES;

		(void)weir_fetch_add_relaxed(&memory[p], (uint64_t)1);
		if (weir_dirty_mark(t->d, BASE + p, 1))
			abort();
	}
	(void)weir_fetch_add_acq_rel(&writers_left, ~(uint32_t)0);
	return NULL;
}

/*
 * Copy a page. Two readers may hold it one after the other and copy it at the same time, and the
 * later content wins, as it does at a destination that numbers what it is sent; contents only grow.
 */
static void copy_page(uint64_t p)
{
	uint64_t old = weir_load_relaxed(&copy[p]), now = weir_load_relaxed(&memory[p]);

	while (old < now && !weir_cas_acq_rel(&copy[p], &old, now))
		;
}

/* Copy what a transaction holds and is not assumed to be dirty in the next as well. */
static void copy_words(const struct weir_dirty_word *words, size_t n)
{
	size_t i, b;

	for (i = 0; i < n; i++) {
		uint64_t pages = words[i].pages & ~weir_dirty_assumed(t->d, words[i].gfn);

		for (b = 0; b < 64; b++)
			if (pages >> b & 1)
				copy_page(words[i].gfn - BASE + b);
	}
}

static void *reader_main(void *arg)
{
	const bool rounds = (uintptr_t)arg == 1001 && assumes;	/* one of the two does */
	uint64_t x = (uint64_t)(uintptr_t)arg, last = 0;
	struct weir_dirty_word words[32];
	struct weir_dirty_cursor cur;
	struct weir_dirty_txn txn;
	enum weir_status status;

	while (weir_load_acquire(&writers_left)) {
		uint64_t first = next(&x) % (NPAGES / 64), n = 1 + next(&x) % 64;

		cur.next_gfn = BASE + first * 64;
		cur.last_gfn = cur.next_gfn + n * 64 - 1;
		if (cur.last_gfn >= BASE + NPAGES)
			cur.last_gfn = BASE + NPAGES - 1;
		cur.done = false;
		if (rounds && weir_load_relaxed(&nwrites) - last >= ROUND_WRITES) {
			/* a round begins, and the one before it ends: a walk over everything */
			last = weir_load_relaxed(&nwrites);
			if (weir_dirty_assume(t->d, next(&x) % 200))
				abort();
			weir_dirty_thaw(t->d);
			weir_dirty_cursor_init(t->d, &cur);
		}
		if (!(next(&x) % (assumes ? 256 : 16))) {
			status = weir_dirty_freeze(t->d, &cur, next(&x) % 3000);
			if (next(&x) % 2)
				weir_dirty_thaw(t->d);
			continue;
		}
		if (weir_dirty_harvest_begin(t->d, &txn, &cur, words, 32))
			abort();
		do {
			status = weir_dirty_harvest_step(t->d, &txn, next(&x) % 2 ? 0 : 500);
			if (!(next(&x) % 5)) {
				weir_dirty_harvest_abort(t->d, &txn);
				break;
			}
			copy_words(words, txn.nwords);
			weir_dirty_harvest_commit(t->d, &txn);
		} while (status == WEIR_EAGAIN);
	}
	return NULL;
}

static void run(uint32_t policy, uint32_t flags)
{
	struct weir_dirty_config cfg = {
		.base_gfn = BASE, .npages = NPAGES, .policy = policy, .neighbourhood = 64,
		.flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_COUNTERS | flags,
	};
	pthread_t threads[NVCPUS + 3];
	struct weir_dirty_cursor cur;
	struct weir_dirty_word *words = calloc(NPAGES / 64, sizeof(*words));
	unsigned int i, n = 0;
	size_t nwords;

	t = tables_new(&cfg);
	assert_int_equal(weir_dirty_init(t->mem, weir_dirty_size(&cfg), &cfg, &ops, t, &t->d),
			 WEIR_OK);
	memset(memory, 0, sizeof(memory));
	memset(copy, 0, sizeof(copy));
	for (i = 0; i < NVCPUS; i++) {
		memset(vcpus[i].tlb, 0, sizeof(vcpus[i].tlb));
		pthread_mutex_init(&vcpus[i].lock, NULL);
	}
	assert_int_equal(weir_dirty_start(t->d, false), WEIR_OK);
	writers_left = NVCPUS + 1;
	nwrites = 0;
	assumes = (flags & WEIR_DIRTY_F_ASSUME) != 0;
	hot_writes = assumes ? 32768 : 4096;
	for (i = 0; i < NVCPUS; i++)
		pthread_create(&threads[n++], NULL, vcpu_main, &vcpus[i]);
	pthread_create(&threads[n++], NULL, marker_main, NULL);
	pthread_create(&threads[n++], NULL, reader_main, (void *)(uintptr_t)1001);
	pthread_create(&threads[n++], NULL, reader_main, (void *)(uintptr_t)2002);
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(weir_dirty_final(t->d), WEIR_OK);
	weir_dirty_cursor_init(t->d, &cur);
	assert_int_equal(weir_dirty_get(t->d, &cur, words, NPAGES / 64, 0, &nwords), WEIR_OK);
	copy_words(words, nwords);
	for (i = 0; i < NPAGES; i++)
		if (copy[i] != memory[i])
			fail_msg("page %u: lost (%lu of %lu writes copied)", i,
				 (unsigned long)copy[i], (unsigned long)memory[i]);
	for (i = 0; i < NVCPUS; i++)
		pthread_mutex_destroy(&vcpus[i].lock);
	if (assumes) {
		struct weir_dirty_stats stats;

		weir_dirty_stats(t->d, &stats);
		print_message("%lu pages assumed, %lu let go\n",
			      (unsigned long)stats.pages_assumed,
			      (unsigned long)stats.pages_let_go);
	}
	free(words);
	tables_free(t);
}

static void wp(void **state)
{
	(void)state;
	run(WEIR_DIRTY_WP, 0);
	run(WEIR_DIRTY_WP, WEIR_DIRTY_F_TABLES_EXCLUSIVE);
}

static void fixed(void **state)
{
	(void)state;
	run(WEIR_DIRTY_FIXED, 0);
	run(WEIR_DIRTY_FIXED, WEIR_DIRTY_F_TABLES_EXCLUSIVE);
}

static void dbm_all(void **state)
{
	(void)state;
	run(WEIR_DIRTY_DBM_ALL, 0);
	run(WEIR_DIRTY_DBM_ALL, WEIR_DIRTY_F_TABLES_EXCLUSIVE);
}

static void adaptive(void **state)
{
	(void)state;
	run(WEIR_DIRTY_ADAPTIVE, 0);
	run(WEIR_DIRTY_ADAPTIVE, WEIR_DIRTY_F_TABLES_EXCLUSIVE);
}

static void assumed(void **state)
{
	(void)state;
	run(WEIR_DIRTY_WP, WEIR_DIRTY_F_ASSUME);
	run(WEIR_DIRTY_FIXED, WEIR_DIRTY_F_ASSUME);
	run(WEIR_DIRTY_ADAPTIVE, WEIR_DIRTY_F_ASSUME | WEIR_DIRTY_F_TABLES_EXCLUSIVE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wp),
		cmocka_unit_test(fixed),
		cmocka_unit_test(dbm_all),
		cmocka_unit_test(adaptive),
		cmocka_unit_test(assumed),
	};

	return cmocka_run_group_tests_name("dirty_threads", tests, NULL, NULL);
}
