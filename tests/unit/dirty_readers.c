// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: several readers each see every write once, whatever the others take; device pages are dirty
 * in every epoch; what a walk was promised to cost is never exceeded; late writers have names.
 * Method: random writes and takes by three readers against one array of booleans a reader.
 */
#include "dirty_tables.h"

#define BASE	0x40000u
#define NPAGES	5000u
#define NREADERS 3u

static uint64_t seed;

static uint64_t rnd(uint64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % n;
}

static struct tables *started(uint32_t policy, uint32_t flags)
{
	struct weir_dirty_config cfg = {
		.base_gfn = BASE, .npages = NPAGES, .policy = policy, .neighbourhood = 64,
		.flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_COUNTERS | flags,
	};
	struct tables *t = tables_new(&cfg);

	assert_int_equal(weir_dirty_start(t->d, false), WEIR_OK);
	return t;
}

static void *attach(struct tables *t, bool all_dirty, struct weir_dirty **reader)
{
	size_t size = weir_dirty_reader_size(t->d);
	unsigned char *mem = aligned_alloc(64, size + 64);

	memset(mem + size, 0xa5, 64);
	assert_int_equal(weir_dirty_reader_attach(t->d, mem, size, all_dirty, reader), WEIR_OK);
	assert_int_equal(mem[size], 0xa5);
	return mem;
}

static void check(struct weir_dirty *reader, const unsigned char *model)
{
	uint64_t bitmap[NPAGES / 64 + 1], p;

	assert_int_equal(weir_dirty_get_bitmap(reader, BASE, NPAGES, bitmap), WEIR_OK);
	for (p = 0; p < NPAGES; p++)
		if ((bitmap[p / 64] >> (p % 64) & 1) != model[p])
			fail_msg("page %lu: model says %d", (unsigned long)p, model[p]);
}

static void take(struct weir_dirty *reader, unsigned char *model)
{
	struct weir_dirty_word words[NPAGES / 64 + 1];
	struct weir_dirty_cursor cur;
	struct weir_dirty_txn txn;
	uint64_t first = rnd(NPAGES / 64) * 64, n = (1 + rnd(20)) * 64, b;
	int aborted = !rnd(3);
	size_t i;

	n = n < NPAGES - first ? n : NPAGES - first;
	if (rnd(2)) {
		assert_int_equal(weir_dirty_clear(reader, BASE + first, n, NULL), WEIR_OK);
		memset(model + first, 0, n);
		return;
	}
	weir_dirty_cursor_init(reader, &cur);
	assert_int_equal(weir_dirty_harvest_begin(reader, &txn, &cur, words, 1 + rnd(40)), WEIR_OK);
	(void)weir_dirty_harvest_step(reader, &txn, 0);
	for (i = 0; i < txn.nwords; i++)
		for (b = 0; b < 64; b++)
			if (words[i].pages >> b & 1) {
				assert_int_equal(model[words[i].gfn - BASE + b], 1);
				model[words[i].gfn - BASE + b] = (unsigned char)aborted;
			}
	if (aborted)
		weir_dirty_harvest_abort(reader, &txn);
	else
		weir_dirty_harvest_commit(reader, &txn);
}

static void each_reader_sees_each_write_once(void **state)
{
	static const uint32_t policies[] = { WEIR_DIRTY_WP, WEIR_DIRTY_FIXED, WEIR_DIRTY_ADAPTIVE };
	static unsigned char model[NREADERS][NPAGES];
	size_t k, r;
	unsigned int i;

	(void)state;
	for (k = 0; k < 3; k++) {
		struct tables *t = started(policies[k], WEIR_DIRTY_F_READERS);
		struct weir_dirty *reader[NREADERS] = { t->d, NULL, NULL };
		void *mem[NREADERS] = { NULL, NULL, NULL };

		seed = k + 1;
		memset(model, 0, sizeof(model));
		mem[1] = attach(t, false, &reader[1]);
		mem[2] = attach(t, true, &reader[2]);
		memset(model[2], 1, NPAGES);
		for (i = 0; i < 20000; i++) {
			uint64_t p = rnd(4) ? 700 + rnd(100) : rnd(NPAGES);

			if (rnd(10)) {
				tables_guest_write(t, BASE + p);
				for (r = 0; r < NREADERS; r++)
					model[r][p] = 1;
			} else {
				r = rnd(NREADERS);
				take(reader[r], model[r]);
			}
			if (!(i % 500))
				for (r = 0; r < NREADERS; r++)
					check(reader[r], model[r]);
		}
		assert_int_equal(weir_dirty_reader_detach(reader[1]), WEIR_OK);
		assert_int_equal(weir_dirty_reader_detach(reader[1]), WEIR_EINVAL);
		assert_int_equal(weir_dirty_reader_detach(t->d), WEIR_EINVAL);
		check(reader[0], model[0]);
		check(reader[2], model[2]);
		free(mem[1]);
		free(mem[2]);
		tables_free(t);
	}
}

/*
 * A reader that does not start all dirty starts as the first reader stands: what a third one took
 * before the first saw it is dirty for the new one as well.
 */
static void attaching_inherits_what_the_first_reader_was_told(void **state)
{
	struct tables *t = started(WEIR_DIRTY_FIXED, WEIR_DIRTY_F_READERS);
	static const uint64_t pages[] = { 3, 700, NPAGES - 1 };
	static unsigned char model[NPAGES], none[NPAGES];
	struct weir_dirty *first, *second;
	void *mem[2];
	size_t i;

	(void)state;
	mem[0] = attach(t, false, &first);
	for (i = 0; i < 3; i++) {
		tables_guest_write(t, BASE + pages[i]);
		model[pages[i]] = 1;
	}
	assert_int_equal(weir_dirty_clear(first, BASE, NPAGES, NULL), WEIR_OK);
	mem[1] = attach(t, false, &second);
	check(t->d, model);
	check(first, none);
	check(second, model);
	assert_int_equal(weir_dirty_clear(second, BASE, NPAGES, NULL), WEIR_OK);
	check(t->d, model);
	check(second, none);
	assert_int_equal(weir_dirty_reader_detach(second), WEIR_OK);
	assert_int_equal(weir_dirty_reader_detach(first), WEIR_OK);
	free(mem[0]);
	free(mem[1]);
	tables_free(t);
}

static void starting_takes_nothing_from_a_reader(void **state)
{
	struct weir_dirty_config cfg = {
		.base_gfn = BASE, .npages = NPAGES, .policy = WEIR_DIRTY_WP,
		.flags = WEIR_DIRTY_F_READERS,
	};
	struct tables *t = tables_new(&cfg);
	unsigned char all[NPAGES], none[NPAGES];
	struct weir_dirty *snapshot, *display;
	void *mem = attach(t, true, &snapshot), *more = attach(t, false, &display);

	(void)state;
	memset(all, 1, sizeof(all));
	memset(none, 0, sizeof(none));
	assert_int_equal(weir_dirty_start(t->d, false), WEIR_OK);
	check(snapshot, all);
	check(display, none);
	check(t->d, none);
	assert_int_equal(weir_dirty_reader_detach(snapshot), WEIR_OK);
	assert_int_equal(weir_dirty_reader_detach(display), WEIR_OK);
	free(mem);
	free(more);
	tables_free(t);
}

static void attaching_wants_the_flag_and_the_memory(void **state)
{
	struct tables *t = started(WEIR_DIRTY_WP, 0);
	struct tables *u = started(WEIR_DIRTY_WP, WEIR_DIRTY_F_READERS);
	size_t size = weir_dirty_reader_size(u->d);
	unsigned char *mem = aligned_alloc(64, size);
	struct weir_dirty *reader;

	(void)state;
	assert_int_equal(weir_dirty_reader_attach(t->d, mem, size, false, &reader),
			 WEIR_EOPNOTSUPP);
	assert_int_equal(weir_dirty_reader_attach(u->d, mem, size - 1, false, &reader),
			 WEIR_ENOMEM);
	assert_int_equal(weir_dirty_reader_attach(u->d, mem + 8, size, false, &reader),
			 WEIR_EINVAL);
	assert_int_equal(weir_dirty_device_map(t->d, BASE, 1), WEIR_EOPNOTSUPP);
	assert_int_equal(weir_dirty_device_unmap(t->d, BASE, 1), WEIR_EOPNOTSUPP);
	free(mem);
	tables_free(t);
	tables_free(u);
}

/* Attached twice, the list of readers would be a ring; the reader and its epoch are left alone. */
static void a_reader_is_attached_once(void **state)
{
	struct tables *t = started(WEIR_DIRTY_WP, WEIR_DIRTY_F_READERS);
	size_t size = weir_dirty_reader_size(t->d);
	unsigned char model[NPAGES] = { 0 };
	struct weir_dirty *reader, *again;
	void *mem = attach(t, false, &reader);
	void *zero = aligned_alloc(64, size);

	(void)state;
	assert_int_equal(weir_dirty_mark(t->d, BASE + 7, 1), WEIR_OK);
	assert_int_equal(weir_dirty_clear(t->d, BASE, NPAGES, NULL), WEIR_OK);
	assert_int_equal(weir_dirty_reader_attach(t->d, mem, size, true, &again), WEIR_EINVAL);
	model[7] = 1;
	check(reader, model);
	assert_int_equal(weir_dirty_reader_detach(reader), WEIR_OK);
	assert_int_equal(weir_dirty_reader_detach(reader), WEIR_EINVAL);
	assert_int_equal(weir_dirty_reader_detach(t->d), WEIR_EINVAL);
	memset(zero, 0, size);
	assert_int_equal(weir_dirty_reader_detach(zero), WEIR_EINVAL);
	assert_int_equal(weir_dirty_reader_attach(t->d, mem, size, false, &reader), WEIR_OK);
	free(zero);
	free(mem);
	tables_free(t);
}

static void device_pages_are_dirty_until_unmapped(void **state)
{
	struct tables *t = started(WEIR_DIRTY_FIXED, WEIR_DIRTY_F_DEVICES);
	unsigned char model[NPAGES] = { 0 };
	struct weir_dirty_word words[80];
	struct weir_dirty_cursor cur;
	struct weir_dirty_txn txn;
	unsigned int round;

	(void)state;
	assert_int_equal(weir_dirty_device_map(t->d, BASE + 100, 100), WEIR_OK);
	assert_int_equal(weir_dirty_device_map(t->d, BASE + NPAGES - 1, 2), WEIR_ERANGE);
	memset(model + 100, 1, 100);
	for (round = 0; round < 3; round++) {
		check(t->d, model);
		assert_int_equal(weir_dirty_clear(t->d, BASE, NPAGES, NULL), WEIR_OK);
		check(t->d, model);
		weir_dirty_cursor_init(t->d, &cur);
		assert_int_equal(weir_dirty_harvest_begin(t->d, &txn, &cur, words, 80), WEIR_OK);
		assert_int_equal(weir_dirty_harvest_step(t->d, &txn, 0), WEIR_OK);
		assert_int_equal(txn.nwords, 3);
		weir_dirty_harvest_commit(t->d, &txn);
		assert_int_equal(weir_dirty_peek(t->d, BASE + 150), WEIR_DIRTY_PEEK_DEVICE);
	}
	assert_int_equal(weir_dirty_device_unmap(t->d, BASE + 100, 50), WEIR_OK);
	check(t->d, model);				/* once more */
	assert_int_equal(weir_dirty_clear(t->d, BASE, NPAGES, NULL), WEIR_OK);
	memset(model + 100, 0, 50);
	check(t->d, model);
	assert_int_equal(weir_dirty_final(t->d), WEIR_OK);
	assert_int_equal(weir_dirty_device_unmap(t->d, BASE + 150, 50), WEIR_ESHUTDOWN);
	check(t->d, model);
	tables_free(t);
}

static void promises_hold(void **state)
{
	static const uint32_t policies[] = { WEIR_DIRTY_WP, WEIR_DIRTY_FIXED, WEIR_DIRTY_DBM_ALL,
					     WEIR_DIRTY_ADAPTIVE };
	uint64_t bitmap[NPAGES / 64 + 1];
	struct weir_dirty_promise promise;
	struct weir_dirty_stats a, b;
	size_t k;
	unsigned int i, j, w, words;

	(void)state;
	for (k = 0; k < 4; k++) {
		struct tables *t = started(policies[k], 0);

		seed = k + 99;
		for (i = 0; i < 500; i++) {
			for (j = 0; j < 50; j++)
				tables_guest_write(t, BASE + (rnd(3) ? 64 * rnd(8) : rnd(NPAGES)));
			weir_dirty_promise(t->d, &promise);
			weir_dirty_stats(t->d, &a);
			(void)weir_dirty_get_bitmap(t->d, BASE, NPAGES, bitmap);
			weir_dirty_stats(t->d, &b);
			for (words = 0, w = 0; w < NPAGES / 64 + 1; w++)
				words += bitmap[w] != 0;
			assert_true(b.ptes_scanned - a.ptes_scanned <= promise.ptes);
			assert_true(b.tlbi_ranges - a.tlbi_ranges <= promise.tlbis);
			assert_true(words <= promise.words);
			weir_dirty_promise(t->d, &promise);
			weir_dirty_stats(t->d, &a);
			assert_int_equal(weir_dirty_clear(t->d, BASE, NPAGES, NULL), WEIR_OK);
			weir_dirty_stats(t->d, &b);
			assert_true(b.ptes_scanned - a.ptes_scanned <= promise.ptes);
			assert_true(b.tlbi_ranges - a.tlbi_ranges <= promise.tlbis);
		}
		weir_dirty_promise(t->d, &promise);
		if (policies[k] == WEIR_DIRTY_WP) {	/* clean, and nothing to scan: free */
			assert_int_equal(promise.ptes, 0);
			assert_int_equal(promise.words, 0);
			assert_int_equal(promise.tlbis, 0);
		}
		if (policies[k] == WEIR_DIRTY_DBM_ALL)
			assert_int_equal(promise.ptes, (NPAGES + 63) / 64 * 64);
		tables_free(t);
	}
}

static void writers_have_names(void **state)
{
	struct tables *t = started(WEIR_DIRTY_WP, 0);
	struct weir_dirty_stats stats;
	unsigned int s;

	(void)state;
	for (s = 0; s < WEIR_DIRTY_SOURCES; s++)
		assert_int_equal(weir_dirty_mark_by(t->d, (enum weir_dirty_source)s, BASE + s * 10,
						    s + 1), WEIR_OK);
	assert_int_equal(weir_dirty_mark_by(t->d, (enum weir_dirty_source)WEIR_DIRTY_SOURCES,
					    BASE, 1), WEIR_EINVAL);
	assert_int_equal(weir_dirty_final(t->d), WEIR_OK);
	assert_int_equal(weir_dirty_mark_by(t->d, WEIR_DIRTY_BY_TABLES, BASE + 900, 7),
			 WEIR_ESHUTDOWN);
	weir_dirty_stats(t->d, &stats);
	for (s = 0; s < WEIR_DIRTY_SOURCES; s++) {
		unsigned int late = s == WEIR_DIRTY_BY_TABLES ? 7 : 0;

		assert_int_equal(stats.pages_marked[s], s + 1 + late);
		assert_int_equal(stats.pages_late[s], late);
	}
	tables_free(t);
}

/* A device came and went: what its pages cost a GET goes with the next clear. */
static void unmapped_pages_cost_nothing(void **state)
{
	struct tables *t = started(WEIR_DIRTY_WP, WEIR_DIRTY_F_DEVICES);
	unsigned char model[NPAGES] = { 0 };
	struct weir_dirty_promise promise;

	(void)state;
	assert_int_equal(weir_dirty_device_map(t->d, BASE + 100, 100), WEIR_OK);
	assert_int_equal(weir_dirty_device_unmap(t->d, BASE + 100, 100), WEIR_OK);
	weir_dirty_promise(t->d, &promise);
	assert_int_equal(promise.words, 3);	/* groups 1 to 3 */
	assert_int_equal(weir_dirty_clear(t->d, BASE, NPAGES, NULL), WEIR_OK);
	weir_dirty_promise(t->d, &promise);
	assert_int_equal(promise.words, 0);
	assert_int_equal(weir_dirty_device_map(t->d, BASE + 70, 2), WEIR_OK);
	model[70] = model[71] = 1;
	check(t->d, model);
	tables_free(t);
}

/* What a writer hands to a reader reaches the region: a fold, and entries of the hardware's log. */
static void a_reader_stands_for_its_region(void **state)
{
	struct tables *t = started(WEIR_DIRTY_HDBSS, WEIR_DIRTY_F_HDBSS | WEIR_DIRTY_F_READERS);
	const uint64_t entry = (uint64_t)(BASE + 70) << 12 | WEIR_DIRTY_LOG_VALID;
	struct weir_dirty *reader;
	void *mem = attach(t, false, &reader);

	(void)state;
	weir_dirty_fold(reader, BASE + 5, 0, T_PAGE | T_W);
	assert_true(tables_is_dirty(t, BASE + 5));
	assert_int_equal(weir_dirty_log(reader, &entry, 1, 12), 1);
	assert_true(tables_is_dirty(t, BASE + 70));
	assert_int_equal(tables_count_dirty(t), 2);
	free(mem);
	tables_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reader_stands_for_its_region),
		cmocka_unit_test(each_reader_sees_each_write_once),
		cmocka_unit_test(attaching_inherits_what_the_first_reader_was_told),
		cmocka_unit_test(starting_takes_nothing_from_a_reader),
		cmocka_unit_test(attaching_wants_the_flag_and_the_memory),
		cmocka_unit_test(a_reader_is_attached_once),
		cmocka_unit_test(device_pages_are_dirty_until_unmapped),
		cmocka_unit_test(unmapped_pages_cost_nothing),
		cmocka_unit_test(promises_hold),
		cmocka_unit_test(writers_have_names),
	};

	return cmocka_run_group_tests_name("dirty_readers", tests, NULL, NULL);
}
