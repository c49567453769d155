// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_ram - guest memory by the byte.
 *
 * Goal: R1 to R3 of sim/machine/ram.h at every kind of edge: ends of regions, holes, regions that
 * touch, the top of the address space, sums that wrap.
 * Method: two regions that touch and one behind a hole, and each access at each edge.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "sim/machine/ram.h"

#define LOW	UINT64_C(0x1000)
#define TOP	UINT64_C(0xfffffffffffff000)

struct told {
	unsigned int times;
	uint64_t addr, nbytes;
};

static void wrote(void *ctx, uint64_t addr, uint64_t nbytes)
{
	struct told *told = ctx;

	*told = (struct told){ told->times + 1, addr, nbytes };
}

/* 0x1000..0x2fff in two regions, and the last page there is. */
static struct sim_ram *memory(void)
{
	struct sim_ram *ram = sim_ram_create();
	struct sim_error err = { "" };

	assert_true(sim_ram_add(ram, TOP, 0x1000, &err));
	assert_true(sim_ram_add(ram, LOW + 0x1000, 0x1000, &err));
	assert_true(sim_ram_add(ram, LOW, 0x1000, &err));
	return ram;
}

static void bad_regions_are_refused(void **state)
{
	static const struct { uint64_t base, nbytes; const char *says; } bad[] = {
		{ 0x5000, 0, "must be whole pages" },
		{ 0x5001, 0x1000, "must be whole pages" },
		{ 0x5000, 0x1001, "must be whole pages" },
		{ TOP, 0x2000, "must be whole pages" },
		{ 0, 0x2000, "overlaps" },
		{ 0x2000, 0x1000, "overlaps" },
		{ 0x2000, 0x4000, "overlaps" },
		{ 0, 0x10000, "overlaps" },
	};
	struct sim_ram *ram = memory();

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct sim_error err = { "" };

		assert_false(sim_ram_add(ram, bad[i].base, bad[i].nbytes, &err));
		assert_non_null(strstr(err.text, bad[i].says));
	}
	sim_ram_destroy(ram);
	sim_ram_destroy(NULL);
}

static void too_many_regions_are_refused(void **state)
{
	struct sim_ram *ram = sim_ram_create();
	struct sim_error err = { "" };

	(void)state;
	for (uint64_t i = 0; i < SIM_RAM_REGIONS_MAX; i++)
		assert_true(sim_ram_add(ram, i * 0x2000, 0x1000, &err));
	assert_false(sim_ram_add(ram, UINT64_C(0x10000000), 0x1000, &err));
	assert_non_null(strstr(err.text, "one region too many"));
	sim_ram_destroy(ram);
}

static void edges(void **state)
{
	static const struct { uint64_t addr, nbytes; bool there; } ranges[] = {
		{ LOW, 1, true }, { LOW - 1, 1, false }, { LOW - 1, 2, false },
		{ LOW, 0x2000, true }, { LOW, 0x2001, false }, { LOW + 0x1fff, 1, true },
		{ LOW + 0x2000, 1, false }, { LOW + 0xffc, 8, true }, { LOW + 0x1ffc, 8, false },
		{ TOP, 0x1000, true }, { TOP + 0xfff, 1, true }, { TOP + 0xfff, 2, false },
		{ TOP, UINT64_MAX, false }, { 0, 0, true }, { 1, UINT64_MAX, false },
		{ LOW, UINT64_MAX - LOW, false },
	};
	struct sim_ram *ram = memory();
	uint8_t buf[0x2001];

	(void)state;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		assert_int_equal(sim_ram_covers(ram, ranges[i].addr, ranges[i].nbytes),
				 ranges[i].there);
		if (ranges[i].nbytes > sizeof(buf))
			continue;
		assert_int_equal(sim_ram_read(ram, ranges[i].addr, buf, ranges[i].nbytes),
				 ranges[i].there);
		assert_int_equal(sim_ram_write(ram, ranges[i].addr, buf, ranges[i].nbytes),
				 ranges[i].there);
		assert_int_equal(sim_ram_fill(ram, ranges[i].addr, 0, ranges[i].nbytes),
				 ranges[i].there);
	}
	sim_ram_destroy(ram);
}

static void values_span_regions_that_touch(void **state)
{
	struct sim_ram *ram = memory();
	uint64_t v = 0;
	uint8_t b = 0;

	(void)state;
	assert_true(sim_ram_put64(ram, LOW + 0xffd, UINT64_C(0x0807060504030201)));
	assert_true(sim_ram_get64(ram, LOW + 0xffd, &v));
	assert_true(v == UINT64_C(0x0807060504030201));
	/* Little-endian: the lowest byte first. */
	assert_true(sim_ram_get8(ram, LOW + 0xffd, &b) && b == 1);
	assert_true(sim_ram_get8(ram, LOW + 0x1004, &b) && b == 8);
	assert_true(sim_ram_put8(ram, LOW + 0x1004, 9));
	assert_true(sim_ram_get64(ram, LOW + 0xffd, &v) && v >> 56 == 9);
	sim_ram_destroy(ram);
}

static void what_fails_changes_nothing(void **state)
{
	struct sim_ram *ram = memory();
	struct told told = { 0 };
	uint8_t buf[16], last = 0;

	(void)state;
	sim_ram_on_write(ram, wrote, &told);
	memset(buf, 0xaa, sizeof(buf));
	assert_false(sim_ram_write(ram, LOW + 0x1ff8, buf, sizeof(buf)));
	assert_false(sim_ram_fill(ram, LOW + 0x1ff8, 0xaa, sizeof(buf)));
	assert_true(sim_ram_get8(ram, LOW + 0x1ff8, &last) && last == 0);
	assert_false(sim_ram_read(ram, LOW + 0x1ff8, buf, sizeof(buf)));
	assert_int_equal(buf[0], 0xaa);
	assert_int_equal(told.times, 0);
	sim_ram_destroy(ram);
}

static void writes_are_told_and_stores_are_not(void **state)
{
	struct sim_ram *ram = memory();
	struct told told = { 0 };
	uint8_t buf[0x30] = { 1 };

	(void)state;
	sim_ram_on_write(ram, wrote, &told);
	assert_true(sim_ram_write(ram, LOW + 0xff0, buf, sizeof(buf)));
	assert_int_equal(told.times, 1);
	assert_int_equal(told.addr, LOW + 0xff0);
	assert_int_equal(told.nbytes, sizeof(buf));
	assert_true(sim_ram_fill(ram, LOW, 1, 2));
	assert_int_equal(told.times, 2);
	assert_true(sim_ram_put8(ram, LOW, 1));
	assert_true(sim_ram_put64(ram, LOW, 1));
	assert_int_equal(told.times, 4);
	assert_int_equal(told.nbytes, 8);
	assert_true(sim_ram_store(ram, LOW, buf, sizeof(buf)));
	assert_true(sim_ram_write(ram, LOW, buf, 0));
	assert_int_equal(told.times, 4);
	sim_ram_destroy(ram);
}

static void views_end_with_their_region(void **state)
{
	struct sim_ram *ram = memory();
	uint64_t n = 0x3000;

	(void)state;
	sim_ram_put8(ram, LOW + 0x1000, 7);
	assert_non_null(sim_ram_view(ram, LOW + 1, &n));
	assert_int_equal(n, 0xfff);
	n = 0x3000;
	assert_int_equal(*sim_ram_view(ram, LOW + 0x1000, &n), 7);
	assert_int_equal(n, 0x1000);
	n = 4;
	assert_non_null(sim_ram_view(ram, TOP + 0xffc, &n));
	assert_int_equal(n, 4);
	n = 5;
	assert_null(sim_ram_view(ram, LOW + 0x2000, &n));
	assert_int_equal(n, 0);
	sim_ram_destroy(ram);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_regions_are_refused),
		cmocka_unit_test(too_many_regions_are_refused),
		cmocka_unit_test(edges),
		cmocka_unit_test(values_span_regions_that_touch),
		cmocka_unit_test(what_fails_changes_nothing),
		cmocka_unit_test(writes_are_told_and_stores_are_not),
		cmocka_unit_test(views_end_with_their_region),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
