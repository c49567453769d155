// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: a region is made only of what makes sense, in memory of the size that was announced.
 * Method: one wrong value at a time; the limits are those of weir/dirty.h.
 */
#include "dirty_tables.h"

static struct weir_dirty_config good(void)
{
	struct weir_dirty_config cfg = {
		.base_gfn = 0x40000, .npages = 1000, .policy = WEIR_DIRTY_FIXED,
		.neighbourhood = 64, .flags = WEIR_DIRTY_F_DBM,
	};

	return cfg;
}

static enum weir_status init(const struct weir_dirty_config *cfg)
{
	static _Alignas(64) unsigned char mem[8192];
	struct weir_dirty *d;

	return weir_dirty_init(mem, sizeof(mem), cfg, &tables_ops, NULL, &d);
}

static void expect(struct weir_dirty_config cfg, enum weir_status status)
{
	assert_int_equal(init(&cfg), status);
	if (status)
		assert_int_equal(weir_dirty_size(&cfg), 0);
	else
		assert_int_not_equal(weir_dirty_size(&cfg), 0);
}

static void configurations(void **state)
{
	struct weir_dirty_config cfg;

	(void)state;
	expect(good(), WEIR_OK);
#define WITH(change, status) do { cfg = good(); cfg.change; expect(cfg, status); } while (0)
	WITH(base_gfn = 0x40001, WEIR_EINVAL);
	WITH(base_gfn = (uint64_t)1 << 52, WEIR_EINVAL);
	WITH(base_gfn = ~(uint64_t)63, WEIR_EINVAL);
	WITH(npages = 0, WEIR_EINVAL);
	WITH(npages = WEIR_DIRTY_PAGES_MAX + 1, WEIR_EINVAL);
	WITH(npages = 1, WEIR_OK);
	WITH(neighbourhood = 0, WEIR_EINVAL);
	WITH(neighbourhood = 48, WEIR_EINVAL);
	WITH(neighbourhood = 1024, WEIR_EINVAL);
	WITH(table_pages = 511, WEIR_EINVAL);
	WITH(table_pages = 2048, WEIR_OK);
	WITH(policy = 99, WEIR_EINVAL);
	WITH(flags = 1u << 31, WEIR_EINVAL);
	WITH(flags = 0, WEIR_EOPNOTSUPP);
	WITH(flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_DBM_NEEDS_BBM, WEIR_EOPNOTSUPP);
	WITH(flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_S2PIE, WEIR_EOPNOTSUPP);
	WITH(flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_NESTED, WEIR_EOPNOTSUPP);
	/* HDBSS: present, and every frame has a name in the log (IPA[55:12]) */
	WITH(policy = WEIR_DIRTY_HDBSS, WEIR_EOPNOTSUPP);
	cfg = good();
	cfg.policy = WEIR_DIRTY_HDBSS;
	cfg.flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_HDBSS;
	expect(cfg, WEIR_OK);
	cfg.npages = 1024;
	cfg.base_gfn = ((uint64_t)1 << 44) - 1024;
	expect(cfg, WEIR_OK);
	cfg.base_gfn += 64;
	expect(cfg, WEIR_EINVAL);
	/* 2^56 bytes are 2^42 frames of 16 KiB, 2^40 of 64 KiB */
	for (unsigned int shift = 14; shift <= 16; shift += 2) {
		cfg.table_pages = 1u << (shift - 3);
		cfg.base_gfn = ((uint64_t)1 << (56 - shift)) - 1024;
		expect(cfg, WEIR_OK);
		cfg.base_gfn += 64;
		expect(cfg, WEIR_EINVAL);
	}
	cfg = good();
	cfg.flags = 0;
	cfg.policy = WEIR_DIRTY_WP;
	expect(cfg, WEIR_OK);
	cfg.policy = WEIR_DIRTY_ADAPTIVE;
	expect(cfg, WEIR_OK);
	cfg.policy = WEIR_DIRTY_DBM_ALL;
	expect(cfg, WEIR_EOPNOTSUPP);
}

static void memory_and_ops(void **state)
{
	struct weir_dirty_config cfg = good();
	size_t size = weir_dirty_size(&cfg);
	unsigned char *mem = aligned_alloc(64, size + 64);
	struct weir_dirty_ops ops;
	struct weir_dirty *d;
	size_t i;

	(void)state;
	assert_int_equal(size % 64, 0);
	memset(mem + size, 0xa5, 64);
	assert_int_equal(weir_dirty_init(mem, size, &cfg, &tables_ops, NULL, &d), WEIR_OK);
	for (i = 0; i < 64; i++)	/* what was announced is all it writes */
		assert_int_equal(mem[size + i], 0xa5);
	assert_int_equal(weir_dirty_init(mem, size - 1, &cfg, &tables_ops, NULL, &d), WEIR_ENOMEM);
	assert_int_equal(weir_dirty_init(mem + 8, size, &cfg, &tables_ops, NULL, &d), WEIR_EINVAL);
	assert_int_equal(weir_dirty_init(NULL, size, &cfg, &tables_ops, NULL, &d), WEIR_EINVAL);
	assert_int_equal(weir_dirty_init(mem, size, &cfg, NULL, NULL, &d), WEIR_EINVAL);
	ops = tables_ops;
	ops.tlbi_range = NULL;
	assert_int_equal(weir_dirty_init(mem, size, &cfg, &ops, NULL, &d), WEIR_EINVAL);
	ops = tables_ops;
	ops.writable = NULL;		/* the optional one */
	assert_int_equal(weir_dirty_init(mem, size, &cfg, &ops, NULL, &d), WEIR_OK);
	free(mem);
}

/* 1.5 bits a page, as the header says: bits, summaries, and 16 bits of learning for 64 pages. */
static void memory_per_page(void **state)
{
	struct weir_dirty_config cfg = good();

	(void)state;
	cfg.npages = (uint64_t)480 << 18;		/* 480 GiB of 4 KiB pages */
	cfg.policy = WEIR_DIRTY_ADAPTIVE;
	assert_true(weir_dirty_size(&cfg) * 8 <= cfg.npages * 3 / 2);
	cfg.policy = WEIR_DIRTY_WP;
	assert_true(weir_dirty_size(&cfg) * 8 <= cfg.npages * 11 / 10);
}

/* Without usable DBM, ADAPTIVE is write protection: the bit is never set in a leaf. */
static void adaptive_degrades(void **state)
{
	struct weir_dirty_config cfg = good();
	struct tables *t;
	unsigned int round, p;

	(void)state;
	cfg.policy = WEIR_DIRTY_ADAPTIVE;
	cfg.flags = WEIR_DIRTY_F_DBM | WEIR_DIRTY_F_DBM_NEEDS_BBM;
	t = tables_new(&cfg);
	assert_int_equal(weir_dirty_start(t->d, false), WEIR_OK);
	for (round = 0; round < 4; round++) {
		for (p = 0; p < 1000; p++)
			tables_guest_write(t, cfg.base_gfn + p);
		for (p = 0; p < 1000; p++)
			assert_int_equal(tables_state(t, cfg.base_gfn + p), T_W);
		assert_int_equal(weir_dirty_clear(t->d, cfg.base_gfn, 1000, NULL), WEIR_OK);
	}
	tables_free(t);
}

static void words(void **state)
{
	static const enum weir_status all[] = {
		WEIR_OK, WEIR_ENOENT, WEIR_EAGAIN, WEIR_ENOMEM, WEIR_EFAULT, WEIR_EBUSY,
		WEIR_EINVAL, WEIR_ERANGE, WEIR_EOPNOTSUPP, WEIR_ESHUTDOWN, WEIR_ESTALE,
	};
	size_t i, j;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (j = 0; j < i; j++)
			assert_string_not_equal(weir_status_str(all[i]), weir_status_str(all[j]));
	assert_string_equal(weir_status_str((enum weir_status)-9999), "unknown status");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(configurations),
		cmocka_unit_test(memory_and_ops),
		cmocka_unit_test(memory_per_page),
		cmocka_unit_test(adaptive_degrades),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests_name("dirty_init", tests, NULL, NULL);
}
