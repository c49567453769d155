// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: whatever is done to a region in whatever order, no written page is lost and no unwritten
 * page is reported.
 * Method: 10^6 random operations a seed, 20 seeds a policy, against an exact log of writes, over
 * tables with blocks and four vCPUs whose TLBs hold writable translations until they are told to
 * forget. The bounds, written down before the first run: lost pages 0; false positives 0, for every
 * policy, because a group's neighbours are promoted clean, the hardware sets exactly the leaf that
 * was written, and every TLB has forgotten a page when its re-arming returns.
 *
 * A page that starts out dirty (start with all_dirty), was marked, or was mapped by a block that
 * was replaced while it was writable counts as written.
 *
 * With pages assumed dirty the second bound is another one: what is reported and was not written
 * was assumed when it was last taken, and at no time are more assumed than was ever allowed.
 */
#include "../unit/dirty_tables.h"
#include "tests/percent.h"

#define BASE	(0x40000u + 192u)	/* groups, not tables, are aligned */
#define NPAGES	9000u
#define NVCPUS	4u
#define OPS	1000000u
#define SEEDS	20u

struct world {
	struct tables *t;
	uint64_t rng;
	unsigned char written[NPAGES];		/* since the page was last taken */
	unsigned char tlb[NVCPUS][NPAGES];	/* 1: a writable translation is cached */
	unsigned int vcpu;			/* the one that is running */
	uint64_t hot;				/* where it mostly writes */
	int started;
	unsigned char loose[NPAGES];		/* assumed when it was last taken */
	uint64_t allowed;			/* pages that may be assumed; 0: none ever was */
	uint64_t log[64];			/* the hardware's log, if there is one */
	size_t nlog;
	int hdbss;
	int assumes;
};

static struct world w;

static uint64_t rnd(uint64_t n)
{
	uint64_t z = (w.rng += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (z ^ (z >> 31)) % n;
}

static void tlb_forget(uint64_t first_gfn, uint64_t last_gfn)
{
	uint64_t first = first_gfn < BASE ? 0 : first_gfn - BASE;
	uint64_t last = last_gfn - BASE;
	unsigned int v;

	if (last_gfn < BASE || first >= NPAGES)
		return;
	if (last >= NPAGES)
		last = NPAGES - 1;
	for (v = 0; v < NVCPUS; v++)
		memset(&w.tlb[v][first], 0, last - first + 1);
}

static void world_tlbi_range(void *ctx, uint64_t first_gfn, uint64_t last_gfn)
{
	tables_tlbi_range(ctx, first_gfn, last_gfn);
	tlb_forget(first_gfn, last_gfn);
}

static void world_tlbi_local(void *ctx, uint64_t gfn)
{
	tables_tlbi_local(ctx, gfn);
	w.tlb[w.vcpu][gfn - BASE] = 0;
}

static enum weir_status world_split(void *ctx, uint64_t gfn)
{
	enum weir_status status = rnd(16) ? tables_split(ctx, gfn) : WEIR_ENOMEM;

	if (!status)	/* break-before-make: nobody holds the block any more */
		tlb_forget(gfn & ~(uint64_t)511, gfn | 511);
	return status;
}

static const struct weir_dirty_ops world_ops = {
	.leaf = tables_leaf,
	.tlbi_range = world_tlbi_range,
	.tlbi_local = world_tlbi_local,
	.block_split = world_split,
};

/* Hand the hardware's log over. */
static void drain(void)
{
	assert_int_equal(weir_dirty_log(w.t->d, w.log, w.nlog, 12), w.hdbss ? w.nlog : 0);
	w.nlog = 0;
}

/* The hardware writes, and with HDBSS logs the page whose leaf it sets dirty. */
static int hw_write(uint64_t p)
{
	uint64_t before = tables_state(w.t, BASE + p);

	if (!tables_hw_write(w.t, BASE + p))
		return 0;
	if (w.hdbss && before == T_DBM && tables_state(w.t, BASE + p) == T_STATE) {
		if (w.nlog == 64)
			drain();	/* full: the vCPU leaves the guest */
		w.log[w.nlog++] = (BASE + p) << 12 | 1;
	}
	return 1;
}

/* A vCPU writes a page: through its TLB, by a walk, or by a fault and a retry. */
static void guest_write(uint64_t p)
{
	unsigned int tries;

	w.vcpu = (unsigned int)rnd(NVCPUS);
	for (tries = 0; !w.tlb[w.vcpu][p]; tries++) {
		enum weir_status status;

		if (hw_write(p)) {
			w.tlb[w.vcpu][p] = 1;
			break;
		}
		status = weir_dirty_fault(w.t->d, BASE + p, NULL);
		assert_true(status == WEIR_OK || status == WEIR_ENOMEM);
		assert_true(tries < 100);
	}
	w.written[p] = 1;
}

/* A random run of whole groups; returns its length in pages. */
static uint64_t some_range(uint64_t *first)
{
	uint64_t groups = (NPAGES + 63) / 64, n;

	*first = rnd(groups) * 64;
	n = (rnd(8) ? 1 + rnd(4) : 1 + rnd(groups)) * 64;
	return n < NPAGES - *first ? n : NPAGES - *first;
}

/* What get says of a range must be what was written. */
static void check(uint64_t first, uint64_t n)
{
	uint64_t bitmap[NPAGES / 64 + 1], p;

	if (!w.started)
		return;
	drain();
	assert_int_equal(weir_dirty_get_bitmap(w.t->d, BASE + first, n, bitmap), WEIR_OK);
	for (p = 0; p < n; p++)
		if ((bitmap[p / 64] >> (p % 64) & 1) != w.written[first + p] &&
		    (w.written[first + p] || !w.loose[first + p]))
			fail_msg("page %lu: %s", (unsigned long)(first + p),
				 w.written[first + p] ? "lost" : "reported, but not written");
}

/* A page was taken; unless it was assumed instead, and the owner would not send it. */
static void taken(uint64_t p)
{
	if (weir_dirty_assumed(w.t->d, BASE + p) >> (p % 64) & 1) {
		w.loose[p] = 1;
		return;
	}
	w.written[p] = 0;
	w.loose[p] = 0;
}

/* A round begins. */
static void do_assume(void)
{
	uint64_t max = rnd(4) ? rnd(300) : 0, n = 0, p;
	struct weir_dirty_promise promise;

	if (max > w.allowed)
		w.allowed = max;
	for (p = 0; p < NPAGES; p += 64)
		n += (uint64_t)__builtin_popcountll(weir_dirty_assumed(w.t->d, BASE + p));
	assert_true(n <= w.allowed);
	weir_dirty_promise(w.t->d, &promise);
	assert_int_equal(promise.assumed, n);
	assert_int_equal(weir_dirty_assume(w.t->d, max), WEIR_OK);
}

static void do_clear(void)
{
	uint64_t mask[NPAGES / 64 + 1], first, n = some_range(&first), p;
	int whole = !rnd(4);
	enum weir_status status;

	for (p = 0; p < (n + 63) / 64; p++)
		mask[p] = whole ? ~(uint64_t)0 : rnd(~(uint64_t)0) & rnd(~(uint64_t)0);
	drain();
	status = weir_dirty_clear(w.t->d, BASE + first, n, whole ? NULL : mask);
	assert_true(status == WEIR_OK || status == WEIR_ENOMEM);
	for (p = 0; p < n; p++)
		if (mask[p / 64] >> (p % 64) & 1)
			taken(first + p);
}

static void do_harvest(void)
{
	struct weir_dirty_word words[24];
	struct weir_dirty_cursor cur = { 0, 0, false };
	struct weir_dirty_txn txn;
	uint64_t first, n = some_range(&first), b;
	enum weir_status status;
	size_t i;

	drain();
	cur.next_gfn = BASE + first;
	cur.last_gfn = BASE + first + n - 1;
	assert_int_equal(weir_dirty_harvest_begin(w.t->d, &txn, &cur, words, 1 + rnd(24)), WEIR_OK);
	do {
		status = weir_dirty_harvest_step(w.t->d, &txn, rnd(2) ? 0 : 1 + rnd(2000));
		assert_true(status == WEIR_OK || status == WEIR_EAGAIN || status == WEIR_ENOMEM);
		if (!rnd(3)) {
			weir_dirty_harvest_abort(w.t->d, &txn);
			return;
		}
		for (i = 0; i < txn.nwords; i++)
			for (b = 0; b < 64; b++) {
				if (!(words[i].pages >> b & 1))
					continue;
				assert_true(w.written[words[i].gfn - BASE + b] ||
					    w.loose[words[i].gfn - BASE + b]);
				taken(words[i].gfn - BASE + b);
			}
		weir_dirty_harvest_commit(w.t->d, &txn);
	} while (status == WEIR_EAGAIN);
}

/* The owner of the tables unmaps a page and maps it again, trapping; or makes a block again. */
static void do_remap(void)
{
	uint64_t p = rnd(NPAGES), gfn = BASE + p, first, last, i;
	uint64_t *block = &w.t->block[(gfn - w.t->first_table) / 512];
	uint64_t *leaf = &w.t->pte[gfn - w.t->first_table];

	if (*block)
		return;
	drain();
	if (rnd(8)) {
		uint64_t old = *leaf;

		*leaf = 0;
		tlb_forget(gfn, gfn);
		weir_dirty_fold(w.t->d, gfn, 0, old);
		*leaf = T_PAGE;
		return;
	}
	first = gfn & ~(uint64_t)511;
	last = first + 511;
	for (i = first; i <= last; i++) {
		uint64_t old = w.t->pte[i - w.t->first_table];

		w.t->pte[i - w.t->first_table] = 0;
		tlb_forget(i, i);
		if (i >= BASE && i < BASE + NPAGES)
			weir_dirty_fold(w.t->d, i, 0, old);
	}
	*block = T_BLOCK;
}

static void do_freeze(void)
{
	struct weir_dirty_cursor cur;
	enum weir_status status;

	if (rnd(2)) {
		weir_dirty_thaw(w.t->d);
		return;
	}
	weir_dirty_cursor_init(w.t->d, &cur);
	do
		status = weir_dirty_freeze(w.t->d, &cur, rnd(3) ? 0 : 1 + rnd(3000));
	while (status == WEIR_EAGAIN && rnd(8));
}

static void do_restart(void)
{
	int all_dirty = rnd(2) != 0;
	enum weir_status status;

	drain();

	if (w.started) {
		check(0, NPAGES);
		weir_dirty_stop(w.t->d);
		w.started = 0;
		return;
	}
	status = weir_dirty_start(w.t->d, all_dirty);
	assert_true(status == WEIR_OK || status == WEIR_ENOMEM);
	memset(w.written, all_dirty, sizeof(w.written));
	memset(w.loose, 0, sizeof(w.loose));
	w.allowed = 0;
	w.started = 1;
}

static void step(void)
{
	uint64_t op = rnd(1000), first, n;

	if (w.assumes && w.started && !rnd(700))
		do_assume();

	if (op < 800) {
		if (!rnd(w.assumes ? 20000 : 500))
			w.hot = rnd(NPAGES);
		guest_write(rnd(4) ? (w.hot + rnd(40) * (1 + w.hot % 5)) % NPAGES : rnd(NPAGES));
	} else if (op < 860) {
		w.tlb[rnd(NVCPUS)][rnd(NPAGES)] = 0;	/* an entry is evicted */
	} else if (op < 900) {
		first = rnd(NPAGES);
		n = 1 + rnd(rnd(50) ? 3 : 300);
		n = n < NPAGES - first ? n : NPAGES - first;
		assert_int_equal(weir_dirty_mark(w.t->d, BASE + first, n), WEIR_OK);
		memset(&w.written[first], 1, n);
	} else if (op < 930) {
		n = some_range(&first);
		check(first, n);
	} else if (op < 960 && w.started) {
		do_clear();
	} else if (op < 985 && w.started) {
		do_harvest();
	} else if (op < 998) {
		do_remap();
	} else if (op < 999 && w.started) {
		do_freeze();
	} else if (!rnd(20)) {
		do_restart();
	}
}

static void run_policy(uint32_t policy, uint32_t neighbourhood)
{
	struct weir_dirty_config cfg = {
		.base_gfn = BASE, .npages = NPAGES, .policy = policy,
		.neighbourhood = neighbourhood,
		.flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_COUNTERS | WEIR_DIRTY_F_HDBSS,
	};
	unsigned int seed, i, ops = OPS / 100 * test_percent();
	struct weir_dirty_stats stats;

	for (seed = 1; seed <= SEEDS; seed++) {
		void *mem;

		if (seed & 1)
			cfg.flags |= WEIR_DIRTY_F_TABLES_EXCLUSIVE;
		else
			cfg.flags &= ~WEIR_DIRTY_F_TABLES_EXCLUSIVE;
		if (seed % 4 < 2)
			cfg.flags |= WEIR_DIRTY_F_ASSUME;
		else
			cfg.flags &= ~WEIR_DIRTY_F_ASSUME;
		memset(&w, 0, sizeof(w));
		w.assumes = seed % 4 < 2;
		w.rng = seed;
		w.hdbss = policy == WEIR_DIRTY_HDBSS;
		w.t = tables_new_blocks(&cfg);
		mem = w.t->mem;
		assert_int_equal(weir_dirty_init(mem, weir_dirty_size(&cfg), &cfg, &world_ops, w.t,
						 &w.t->d), WEIR_OK);
		do_restart();
		for (i = 0; i < ops; i++)
			step();
		if (!w.started)
			do_restart();
		do_freeze();
		assert_int_equal(weir_dirty_final(w.t->d), WEIR_OK);
		check(0, NPAGES);
		weir_dirty_stats(w.t->d, &stats);
		assert_true(!w.assumes || ops < OPS ||
			    (stats.pages_assumed > 200 && stats.pages_let_go > 100));
		tables_free(w.t);
	}
}

static void wp(void **state)
{
	(void)state;
	run_policy(WEIR_DIRTY_WP, 0);
}

static void wp_eager(void **state)
{
	(void)state;
	run_policy(WEIR_DIRTY_WP_EAGER, 0);
}

static void dbm_all(void **state)
{
	(void)state;
	run_policy(WEIR_DIRTY_DBM_ALL, 0);
}

static void fixed(void **state)
{
	(void)state;
	run_policy(WEIR_DIRTY_FIXED, 1);
	run_policy(WEIR_DIRTY_FIXED, 16);
	run_policy(WEIR_DIRTY_FIXED, 64);
	run_policy(WEIR_DIRTY_FIXED, 512);
}

static void hdbss(void **state)
{
	(void)state;
	run_policy(WEIR_DIRTY_HDBSS, 0);
}

static void adaptive(void **state)
{
	(void)state;
	run_policy(WEIR_DIRTY_ADAPTIVE, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wp),
		cmocka_unit_test(wp_eager),
		cmocka_unit_test(dbm_all),
		cmocka_unit_test(fixed),
		cmocka_unit_test(adaptive),
		cmocka_unit_test(hdbss),
	};

	return cmocka_run_group_tests_name("dirty_random", tests, NULL, NULL);
}
