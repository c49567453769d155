// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: reading the log reports exactly the dirty pages, in portions of any size, and changes
 * nothing; clearing follows KVM's rules and re-arms exactly what it was asked to.
 * Method: pages dirtied in every way that there is, against a plain array of booleans.
 */
#include "dirty_tables.h"

#define BASE 0x40000u
#define NPAGES 9000u		/* three stripes, the last one ragged */

static struct tables *started(uint32_t policy)
{
	struct weir_dirty_config cfg = {
		.base_gfn = BASE, .npages = NPAGES, .policy = policy, .neighbourhood = 64,
		.flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_COUNTERS,
	};
	struct tables *t = tables_new(&cfg);

	assert_int_equal(weir_dirty_start(t->d, false), WEIR_OK);
	return t;
}

/* Dirty a scattered set more; model[p] says which pages are. */
static void scatter(struct tables *t, unsigned char *model, unsigned int seed)
{
	unsigned int i, p = seed;

	for (i = 0; i < 500; i++) {
		p = (p * 1103515245u + 12345u) & 0x7fffffffu;
		tables_guest_write(t, BASE + p % NPAGES);
		model[p % NPAGES] = 1;
		p = (p * 1103515245u + 12345u) & 0x7fffffffu;
		assert_int_equal(weir_dirty_mark(t->d, BASE + p % (NPAGES - 3), 3), WEIR_OK);
		memset(model + p % (NPAGES - 3), 1, 3);
	}
	tables_guest_write(t, BASE);
	tables_guest_write(t, BASE + NPAGES - 1);
	model[0] = model[NPAGES - 1] = 1;
}

/* Read the log in portions; the answer must be the model, in order, without empty words. */
static void check_get(struct tables *t, const unsigned char *model, size_t room, uint64_t budget)
{
	struct weir_dirty_word words[64];
	struct weir_dirty_cursor cur;
	unsigned char seen[NPAGES] = { 0 };
	enum weir_status status;
	uint64_t next = BASE;
	size_t n, i, b;

	weir_dirty_cursor_init(t->d, &cur);
	do {
		status = weir_dirty_get(t->d, &cur, words, room, budget, &n);
		assert_true(status == WEIR_OK || status == WEIR_EAGAIN);
		assert_true(n <= room);
		for (i = 0; i < n; i++) {
			assert_true(words[i].gfn >= next && words[i].pages);
			next = words[i].gfn + 64;
			for (b = 0; b < 64; b++)
				if (words[i].pages >> b & 1)
					seen[words[i].gfn + b - BASE] = 1;
		}
	} while (status == WEIR_EAGAIN);
	assert_true(cur.done);
	assert_memory_equal(seen, model, NPAGES);
}

static void check_bitmap(struct tables *t, const unsigned char *model, uint64_t first, uint64_t n)
{
	uint64_t bitmap[NPAGES / 64 + 2], p;

	memset(bitmap, 0x5a, sizeof(bitmap));
	assert_int_equal(weir_dirty_get_bitmap(t->d, BASE + first, n, bitmap), WEIR_OK);
	for (p = 0; p < n; p++)
		assert_int_equal(bitmap[p / 64] >> (p % 64) & 1, model[first + p]);
	for (; p % 64; p++)
		assert_int_equal(bitmap[p / 64] >> (p % 64) & 1, 0);
	assert_int_equal(bitmap[(n + 63) / 64], 0x5a5a5a5a5a5a5a5a);
}

static void reading_changes_nothing(void **state)
{
	static const uint32_t policies[] = { WEIR_DIRTY_WP, WEIR_DIRTY_FIXED, WEIR_DIRTY_DBM_ALL };
	static const size_t rooms[] = { 1, 2, 3, 63, 64 };
	unsigned char model[NPAGES];
	size_t i, r;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct tables *t = started(policies[i]);
		uint64_t *copy = malloc(NPAGES * 8);
		unsigned int tlbis = t->tlbis;

		memset(model, 0, NPAGES);
		scatter(t, model, 7);
		memcpy(copy, t->pte, NPAGES * 8);
		for (r = 0; r < 5; r++) {
			check_get(t, model, rooms[r], 0);
			check_get(t, model, rooms[r], 64);
			check_get(t, model, rooms[r], 1000);
		}
		check_bitmap(t, model, 0, NPAGES);
		check_bitmap(t, model, 64, 128);
		check_bitmap(t, model, 4096, 4096);
		check_bitmap(t, model, 8960, 40);
		assert_memory_equal(copy, t->pte, NPAGES * 8);
		assert_int_equal(t->tlbis, tlbis);
		free(copy);
		tables_free(t);
	}
}

/* The published rule: first on a word; length whole words or to the end; inside the slot. */
static void kvm_clear_rules(void **state)
{
	struct weir_dirty_config cfg = {
		.base_gfn = BASE, .npages = 1000, .policy = WEIR_DIRTY_WP,
	};
	struct tables *t = tables_new(&cfg);
	uint64_t bitmap[17];

	(void)state;
	assert_int_equal(weir_dirty_start(t->d, true), WEIR_OK);
	assert_int_equal(weir_dirty_clear(t->d, BASE + 960, 64, NULL), WEIR_EINVAL);
	assert_int_equal(weir_dirty_clear(t->d, BASE + 1, 64, NULL), WEIR_EINVAL);
	assert_int_equal(weir_dirty_clear(t->d, BASE + 1024, 64, NULL), WEIR_EINVAL);
	assert_int_equal(weir_dirty_clear(t->d, BASE + 1024, 0, NULL), WEIR_EINVAL);
	assert_int_equal(weir_dirty_clear(t->d, BASE + 64, 65, NULL), WEIR_EINVAL);
	assert_int_equal(weir_dirty_clear(t->d, BASE - 64, 64, NULL), WEIR_EINVAL);
	assert_int_equal(weir_dirty_clear(t->d, BASE, ~(uint64_t)63, NULL), WEIR_EINVAL);
	assert_int_equal(weir_dirty_get_bitmap(t->d, BASE + 960, 64, bitmap), WEIR_EINVAL);
	assert_int_equal(tables_count_dirty(t), 1000);
	assert_int_equal(weir_dirty_clear(t->d, BASE, 0, NULL), WEIR_OK);
	assert_int_equal(tables_count_dirty(t), 1000);
	assert_int_equal(weir_dirty_clear(t->d, BASE + 960, 40, NULL), WEIR_OK);
	assert_int_equal(tables_count_dirty(t), 960);
	assert_int_equal(weir_dirty_clear(t->d, BASE, 1000, NULL), WEIR_OK);
	assert_int_equal(tables_count_dirty(t), 0);
	tables_free(t);
}

static void bad_cursors_are_refused(void **state)
{
	struct tables *t = started(WEIR_DIRTY_WP);
	static const struct weir_dirty_cursor bad[] = {
		{ BASE + 1, BASE + 63, false }, { BASE, BASE + 62, false },
		{ BASE - 64, BASE + 63, false }, { BASE, BASE + NPAGES, false },
		{ BASE + 128, BASE + 63, false }, { 0, 0, false },
		{ ~(uint64_t)63, ~(uint64_t)0, false },
	};
	struct weir_dirty_word word;
	struct weir_dirty_txn txn;
	size_t i, n;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct weir_dirty_cursor cur = bad[i];

		assert_int_equal(weir_dirty_get(t->d, &cur, &word, 1, 0, &n), WEIR_EINVAL);
		assert_int_equal(weir_dirty_freeze(t->d, &cur, 0), WEIR_EINVAL);
		assert_int_equal(weir_dirty_harvest_begin(t->d, &txn, &cur, &word, 1), WEIR_EINVAL);
	}
	tables_free(t);
}

/* Without room for the answer nothing is taken: a page that nobody remembers would be lost. */
static void no_room_is_refused(void **state)
{
	struct tables *t = started(WEIR_DIRTY_WP);
	struct weir_dirty_word word;
	struct weir_dirty_cursor cur;
	struct weir_dirty_txn txn;
	size_t n = 1;

	(void)state;
	weir_dirty_cursor_init(t->d, &cur);
	assert_int_equal(weir_dirty_get(t->d, &cur, NULL, 1, 0, &n), WEIR_EINVAL);
	assert_int_equal(n, 0);
	assert_int_equal(weir_dirty_get(t->d, &cur, &word, 0, 0, &n), WEIR_EINVAL);
	assert_int_equal(weir_dirty_harvest_begin(t->d, &txn, &cur, NULL, 1), WEIR_EINVAL);
	assert_int_equal(weir_dirty_harvest_begin(t->d, &txn, &cur, &word, 0), WEIR_EINVAL);
	tables_free(t);
}

/* Clear some of the dirty pages: those trap again and read clean, the others stay as they were. */
static void clear_is_exact(void **state)
{
	static const uint32_t policies[] = { WEIR_DIRTY_WP, WEIR_DIRTY_FIXED, WEIR_DIRTY_DBM_ALL };
	unsigned char model[NPAGES];
	uint64_t mask[NPAGES / 64 + 1];
	size_t i, w;
	uint64_t p;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct tables *t = started(policies[i]);

		memset(model, 0, NPAGES);
		scatter(t, model, 21);
		for (w = 0; w < sizeof(mask) / 8; w++)
			mask[w] = 0x9e3779b97f4a7c15u * (w + 1);
		assert_int_equal(weir_dirty_clear(t->d, BASE, NPAGES, mask), WEIR_OK);
		for (p = 0; p < NPAGES; p++) {
			if (!(mask[p / 64] >> (p % 64) & 1))
				continue;
			model[p] = 0;
			assert_int_equal(tables_state(t, BASE + p) & T_W, 0);
		}
		check_get(t, model, 64, 0);
		scatter(t, model, 22);		/* every write after it is seen */
		assert_int_equal(weir_dirty_clear(t->d, BASE + 64, NPAGES - 64, NULL), WEIR_OK);
		memset(model + 64, 0, NPAGES - 64);
		check_get(t, model, 64, 0);
		tables_free(t);
	}
}

static void clear_invalidates_what_it_changed(void **state)
{
	struct tables *t = started(WEIR_DIRTY_WP);
	unsigned int tlbis = t->tlbis;

	(void)state;
	assert_int_equal(weir_dirty_mark(t->d, BASE + 10, 5), WEIR_OK);
	assert_int_equal(weir_dirty_clear(t->d, BASE, NPAGES, NULL), WEIR_OK);
	assert_int_equal(t->tlbis, tlbis);	/* no leaf was writable: nothing to invalidate */
	tables_guest_write(t, BASE + 100);
	tables_guest_write(t, BASE + 5000);
	assert_int_equal(weir_dirty_clear(t->d, BASE, NPAGES, NULL), WEIR_OK);
	assert_int_equal(t->tlbis, tlbis + 1);
	assert_true(t->tlbi_first <= BASE + 100 && t->tlbi_last >= BASE + 5000);
	tables_free(t);
}

/* Initially all dirty, in blocks: clearing a part protects its block and loses no other page. */
static void clear_over_blocks(void **state)
{
	struct weir_dirty_config cfg = {
		.base_gfn = BASE, .npages = 2048, .policy = WEIR_DIRTY_WP,
	};
	struct tables *t = tables_new_blocks(&cfg);

	(void)state;
	assert_int_equal(weir_dirty_start(t->d, true), WEIR_OK);
	assert_int_equal(t->block[0] & T_W, T_W);
	assert_int_equal(weir_dirty_clear(t->d, BASE + 64, 64, NULL), WEIR_OK);
	assert_int_equal(t->block[0] & T_W, 0);
	assert_int_equal(t->block[1] & T_W, T_W);
	assert_int_equal(tables_count_dirty(t), 2048 - 64);
	assert_true(tables_guest_write(t, BASE + 64).split);
	assert_int_equal(tables_count_dirty(t), 2048 - 63);
	tables_free(t);
}

#define BLOCK ((uint64_t)1 << 18)	/* pages that share a word of the upper summary */

static const uint64_t far_apart[] = { 5, 2 * BLOCK + 777, 5 * BLOCK - 1, 6 * BLOCK + 69 };

/* A second reader, in the middle of a clear of the page in block 2. */
static void looks_in(struct tables *t)
{
	struct weir_dirty_cursor cur = { BASE + BLOCK, BASE + 4 * BLOCK - 1, false };
	struct weir_dirty_word word;
	size_t n;

	t->on_tlbi = NULL;
	assert_int_equal(weir_dirty_get(t->d, &cur, &word, 1, 0, &n), WEIR_EBUSY);
	assert_int_equal(n, 0);
	assert_int_equal(cur.next_gfn, BASE + 2 * BLOCK);
}

/* Nothing but a few pages in seven gigabytes: each is found from wherever the walk starts. */
static void empty_blocks_are_passed_over(void **state)
{
	struct weir_dirty_config cfg = {
		.base_gfn = BASE, .npages = 6 * BLOCK + 70, .policy = WEIR_DIRTY_WP,
	};
	const uint64_t starts[] = { 0, 64, BLOCK, 2 * BLOCK + 704, 2 * BLOCK + 832, 6 * BLOCK };
	struct tables *t = tables_new(&cfg);
	size_t nwords = (size_t)(cfg.npages + 63) / 64, i, s, n;
	uint64_t *bitmap = malloc(nwords * sizeof(*bitmap));
	struct weir_dirty_word words[4];

	(void)state;
	assert_int_equal(weir_dirty_start(t->d, false), WEIR_OK);
	for (i = 0; i < 4; i++)
		assert_int_equal(weir_dirty_mark(t->d, BASE + far_apart[i], 1), WEIR_OK);
	for (s = 0; s < sizeof(starts) / sizeof(starts[0]); s++) {
		struct weir_dirty_cursor cur = { BASE + starts[s], BASE + cfg.npages - 1, false };
		size_t next = 0;

		assert_int_equal(weir_dirty_get(t->d, &cur, words, 4, 0, &n), WEIR_OK);
		for (i = 0; i < 4; i++) {
			if (far_apart[i] < starts[s])
				continue;
			assert_true(next < n);
			assert_int_equal(words[next].gfn, BASE + far_apart[i] / 64 * 64);
			assert_int_equal(words[next++].pages, (uint64_t)1 << far_apart[i] % 64);
		}
		assert_int_equal(next, n);
	}
	memset(bitmap, 0xff, nwords * sizeof(*bitmap));
	assert_int_equal(weir_dirty_get_bitmap(t->d, BASE, cfg.npages, bitmap), WEIR_OK);
	for (i = 0; i < 4; i++)
		bitmap[far_apart[i] / 64] ^= (uint64_t)1 << far_apart[i] % 64;
	for (i = 0; i < nwords; i++)
		assert_int_equal(bitmap[i], 0);
	t->on_tlbi = looks_in;
	assert_true(tables_hw_write(t, BASE + far_apart[1]) == 0);
	tables_guest_write(t, BASE + far_apart[1]);
	assert_int_equal(weir_dirty_clear(t->d, BASE + 2 * BLOCK, 4096, NULL), WEIR_OK);
	assert_null(t->on_tlbi);
	free(bitmap);
	tables_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reading_changes_nothing),
		cmocka_unit_test(kvm_clear_rules),
		cmocka_unit_test(bad_cursors_are_refused),
		cmocka_unit_test(no_room_is_refused),
		cmocka_unit_test(clear_is_exact),
		cmocka_unit_test(clear_invalidates_what_it_changed),
		cmocka_unit_test(clear_over_blocks),
		cmocka_unit_test(empty_blocks_are_passed_over),
	};

	return cmocka_run_group_tests_name("dirty_read", tests, NULL, NULL);
}
