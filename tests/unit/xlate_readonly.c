// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: a hit stores nothing in the cache once its translation is marked as used, in the preferred
 * slot or beyond it. Method: the cache's memory is write-protected; a store would end the process.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "xlate_caches.h"
#include "death.h"

#define KEYS 64u

static void *pages;
static size_t bytes;

static struct weir_xlate *protected_cache(uint32_t index, uint32_t flags)
{
	struct weir_xlate_config cfg = { .capacity = KEYS, .index = index, .flags = flags };
	struct weir_xlate *c;
	uint32_t round, k;

	bytes = (weir_xlate_size(&cfg) + 4095) / 4096 * 4096;
	pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(pages != MAP_FAILED);
	assert_int_equal(weir_xlate_init(pages, bytes, &cfg, NULL, NULL, &c), WEIR_OK);
	/* Half full: all of them are there. */
	for (round = 0; round < 2; round++)
		for (k = 0; k < KEYS / 2; k++)
			if (!hit(c, k * 977, k * 4))
				assert_int_equal(fill(c, k * 977, k * 4), WEIR_OK);
	assert_int_equal(mprotect(pages, bytes, PROT_READ), 0);
	return c;
}

static void look(void *arg)
{
	struct weir_xlate *c = arg;
	uint64_t value;
	uint32_t k, n = 0;

	for (k = 0; k < KEYS / 2; k++)
		n += weir_xlate_lookup(c, k * 977, k * 4, &value);
	_exit(n == KEYS / 2 ? 0 : 1);
}

static void hits_store_nothing(void **state)
{
	uint32_t index;

	(void)state;
	for (index = 0; index < 2; index++) {
		assert_int_equal(exit_code_of(look, protected_cache(index, 0)), 0);
		munmap(pages, bytes);
	}
}

/* That the protection bites: a cache that counts does store. */
static void counted_hits_do(void **state)
{
	(void)state;
	assert_int_not_equal(exit_code_of(look, protected_cache(0, WEIR_XLATE_F_COUNTERS)), 0);
	munmap(pages, bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hits_store_nothing),
		cmocka_unit_test(counted_hits_do),
	};

	return cmocka_run_group_tests_name("xlate_readonly", tests, NULL, NULL);
}
