// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: a cache has the shape that was asked for or is refused with nothing written; the memory it
 * needs is what the project promises. Method: limits on both sides.
 */
#include "xlate_caches.h"

static enum weir_status try(const struct weir_xlate_config *cfg)
{
	static unsigned char mem[8192] __attribute__((aligned(64)));
	struct weir_xlate *c = NULL;
	size_t size = weir_xlate_size(cfg), i;
	enum weir_status status;

	memset(mem, 0x5a, sizeof(mem));
	status = weir_xlate_init(mem, sizeof(mem), cfg, NULL, NULL, &c);
	if (status) {
		assert_null(c);
		for (i = 0; i < sizeof(mem); i++)
			assert_int_equal(mem[i], 0x5a);
	}
	if (status == WEIR_EINVAL)
		assert_int_equal(size, 0);
	assert_int_equal(size % 64, 0);
	return status;
}

static void refuses(void **state)
{
	const struct weir_xlate_config good = { .capacity = 16 };
	struct weir_xlate_config cfg;

	(void)state;
#define REFUSED(field, v) (cfg = good, cfg.field = (v), assert_int_equal(try(&cfg), WEIR_EINVAL))
#define ACCEPTED(field, v) (cfg = good, cfg.field = (v), assert_int_equal(try(&cfg), WEIR_OK))
	ACCEPTED(capacity, 16);
	ACCEPTED(capacity, 1);	/* a slot is half a line */
	REFUSED(capacity, 0);
	REFUSED(capacity, WEIR_XLATE_CAPACITY_MAX + 1);
	REFUSED(capacity, UINT32_MAX);
	REFUSED(ways, 1);
	REFUSED(ways, 3);
	REFUSED(ways, 32);
	ACCEPTED(ways, 2);
	ACCEPTED(ways, 8);
	REFUSED(index, 2);
	ACCEPTED(index, WEIR_XLATE_MIXED);
	REFUSED(device_stride, 16);
	REFUSED(device_stride, WEIR_XLATE_STRIDE_MAX + 2);
	ACCEPTED(device_stride, WEIR_XLATE_STRIDE_MAX);
	ACCEPTED(flags, WEIR_XLATE_F_COUNTERS | WEIR_XLATE_F_SERIAL);
	REFUSED(flags, 4);
	cfg = good;
	cfg.capacity = WEIR_XLATE_CAPACITY_MAX;
	assert_int_equal(try(&cfg), WEIR_ENOMEM);
	assert_true(weir_xlate_size(&cfg) > (size_t)WEIR_XLATE_CAPACITY_MAX * 32);
}

static void memory(void **state)
{
	static unsigned char mem[8192] __attribute__((aligned(64)));
	static const struct weir_xlate_ops no_op = { .displaced = NULL };
	struct weir_xlate_config cfg = { .capacity = 64 };
	struct weir_xlate *c = NULL;
	size_t size = weir_xlate_size(&cfg);

	(void)state;
	assert_true(size <= sizeof(mem));
	assert_int_equal(weir_xlate_init(mem, size - 1, &cfg, NULL, NULL, &c), WEIR_ENOMEM);
	assert_int_equal(weir_xlate_init(mem + 32, size, &cfg, NULL, NULL, &c), WEIR_EINVAL);
	assert_int_equal(weir_xlate_init(NULL, size, &cfg, NULL, NULL, &c), WEIR_EINVAL);
	assert_int_equal(weir_xlate_init(mem, size, &cfg, &no_op, NULL, &c), WEIR_EINVAL);
	assert_int_equal(weir_xlate_init(mem, size, &cfg, NULL, NULL, NULL), WEIR_EINVAL);
	assert_null(c);
	mem[size] = 0x77;
	assert_int_equal(weir_xlate_init(mem, size, &cfg, NULL, NULL, &c), WEIR_OK);
	assert_int_equal(mem[size], 0x77);
	/* Whatever the index. */
	cfg.capacity = 65536;
	assert_true(weir_xlate_size(&cfg) <= (size_t)4 << 20);
	cfg.index = WEIR_XLATE_MIXED;
	assert_true(weir_xlate_size(&cfg) <= (size_t)4 << 20);
	/* Up to twice as many slots as translations, and an index has bits for 2^24. */
	cfg.capacity = WEIR_XLATE_CAPACITY_MAX;
	assert_true(weir_xlate_size(&cfg) < ((size_t)1 << 24) * 37);
	cfg.capacity = WEIR_XLATE_CAPACITY_MAX / 2;
	assert_true(weir_xlate_size(&cfg) < ((size_t)1 << 24) * 37);
	cfg.index = WEIR_XLATE_STRUCTURED;
	/* Up to twice as many slots as translations, and no more. */
	cfg.capacity = 65537;
	assert_true(weir_xlate_size(&cfg) < (size_t)131072 * 37 + 8192);
}

/* Whatever the shape, it holds what it promises, and no more. */
static void shapes(void **state)
{
	static const uint32_t capacities[] = { 1, 2, 3, 5, 15, 16, 17, 31, 48, 50, 64, 100, 1000 };
	struct weir_xlate_config cfg = { .seed = 9 };
	uint32_t i, e;

	(void)state;
	for (i = 0; i < sizeof(capacities) / sizeof(*capacities); i++)
		for (cfg.ways = 0; cfg.ways <= 16; cfg.ways = cfg.ways ? cfg.ways * 2 : 2)
			for (cfg.index = 0; cfg.index < 2; cfg.index++) {
				struct weir_xlate *c;

				cfg.capacity = capacities[i];
				c = cache_with_ops(&cfg, NULL, NULL);
				assert_int_equal(weir_xlate_residency(c), 0);
				for (e = 0; e < 4 * cfg.capacity; e++) {
					assert_int_equal(fill(c, 0, e), WEIR_OK);
					assert_true(hit(c, 0, e));
					assert_true(weir_xlate_residency(c) <= cfg.capacity);
				}
				/* Enough different keys to fill each set. */
				if (cfg.index == WEIR_XLATE_STRUCTURED)
					assert_int_equal(weir_xlate_residency(c), cfg.capacity);
				free(c);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses),
		cmocka_unit_test(memory),
		cmocka_unit_test(shapes),
	};

	return cmocka_run_group_tests_name("xlate_init", tests, NULL, NULL);
}
