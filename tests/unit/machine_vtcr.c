// SPDX-License-Identifier: BSD-2-Clause
/*
 * machine_vtcr - which start levels go with which input sizes, and tables of each such shape.
 *
 * Goal: every combination of granule, DS, SL2, SL0 and T0SZ is accepted or refused as the
 * architecture says, and in every accepted one the first, the last and a middle page translate, at
 * 52-bit output where there is one, and blocks at each level that has them.
 * Method: a table of accepted T0SZ ranges (facts of the architecture, probed on another
 * implementation); all 2 * 3 * 2 * 4 * 64 combinations are tried.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim/machine/vtcr.h"

struct accepted {
	unsigned int granule_shift, ds, sl2, sl0;
	int start_level;
	unsigned int t0sz_min, t0sz_max;
};

static const struct accepted table[] = {
	{ 12, 0, 0, 2, 0, 16, 24 },  { 12, 0, 0, 1, 1, 21, 33 }, { 12, 0, 0, 0, 2, 30, 42 },
	{ 12, 0, 0, 3, 3, 39, 48 },  { 12, 1, 0, 2, 0, 12, 24 }, { 12, 1, 0, 1, 1, 21, 33 },
	{ 12, 1, 0, 0, 2, 30, 42 },  { 12, 1, 0, 3, 3, 39, 48 }, { 12, 1, 1, 0, -1, 12, 15 },
	{ 14, 0, 0, 2, 1, 16, 27 },  { 14, 0, 0, 1, 2, 24, 38 }, { 14, 0, 0, 0, 3, 35, 48 },
	{ 14, 1, 0, 3, 0, 12, 16 },  { 14, 1, 0, 2, 1, 13, 27 }, { 14, 1, 0, 1, 2, 24, 38 },
	{ 14, 1, 0, 0, 3, 35, 48 },  { 16, 0, 0, 2, 1, 12, 21 }, { 16, 0, 0, 1, 2, 18, 34 },
	{ 16, 0, 0, 0, 3, 31, 47 },
};

/* DS says nothing at 64 KiB, SL2 nothing without DS. */
static const struct accepted *find(const struct sim_vtcr_fields *f)
{
	unsigned int ds = f->ds && f->granule_shift != 16;
	unsigned int sl2 = ds && f->sl2;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct accepted *a = &table[i];

		if (a->granule_shift == f->granule_shift && a->ds == ds && a->sl2 == sl2 &&
		    a->sl0 == f->sl0 && f->t0sz >= a->t0sz_min && f->t0sz <= a->t0sz_max)
			return a;
	}
	return NULL;
}

static void check_fields(const struct sim_vtcr_fields *f, unsigned int *naccepted)
{
	const struct accepted *a = find(f);
	struct sim_s2_geometry geo;
	struct sim_s2_config cfg = { .table_bytes_max = 1 << 21 };
	struct sim_s2 *s2 = NULL;

	if (sim_vtcr_geometry(f, &geo) != (a != NULL))
		fail_msg("granule 2^%u DS=%d SL2=%d SL0=%u T0SZ=%u: expected %s",
			 f->granule_shift, f->ds, f->sl2, f->sl0, f->t0sz,
			 a ? "accepted" : "refused");
	assert_int_equal(sim_vtcr_walker(f).inconsistent, a == NULL);
	if (a) {
		assert_int_equal(geo.start_level, a->start_level);
		assert_int_equal(geo.ia_bits, 64 - f->t0sz);
		++*naccepted;
	}
	/* A shape that tables can have comes of all of them. */
	cfg.geometry = geo;
	cfg.table_base_pa = UINT64_C(0x44000000);
	assert_int_equal(sim_s2_create(&cfg, &s2), WEIR_OK);
	sim_s2_destroy(s2);
}

static void every_combination_is_as_the_architecture_says(void **state)
{
	static const unsigned int granules[] = { 12, 14, 16 };
	unsigned int naccepted = 0;

	(void)state;
	for (unsigned int k = 0; k < 3 * 2 * 2 * 4 * 64; k++) {
		struct sim_vtcr_fields f = {
			.granule_shift = granules[k % 3],
			.ds = k / 3 & 1,
			.sl2 = k / 6 & 1,
			.sl0 = k / 12 % 4,
			.t0sz = k / 48,
			.ps = 6,
		};

		check_fields(&f, &naccepted);
	}
	assert_true(naccepted > 200);
}

static void check_page(struct sim_s2 *s2, const struct sim_vtcr *vtcr, uint64_t ipa, uint64_t pa,
		       unsigned int order)
{
	unsigned int gs = sim_s2_geometry(s2)->granule_shift, got;
	uint64_t bytes = (uint64_t)1 << (gs + order);
	struct sim_walk w;

	assert_int_equal(sim_s2_map(s2, ipa >> gs, (uint64_t)1 << order, pa >> gs,
				    SIM_S2_ATTRS_RW & ~SIM_DESC_AF, order),
			 WEIR_OK);
	assert_true(sim_walk(s2, vtcr, ipa + bytes - 8, SIM_WRITE, NULL, &w));
	assert_int_equal(w.oa, pa + bytes - 8);
	assert_int_equal(w.order, order);
	assert_int_equal(w.level, 3 - (int)(order / (gs - 3)));
	assert_true(w.af_set);
	assert_non_null(sim_s2_leaf(s2, ipa >> gs, &got));
	assert_int_equal(got, order);
	/* A split changes the grain and nothing else. */
	assert_int_equal(sim_s2_split_block(s2, (ipa >> gs) + 1 - (order == 0)), WEIR_OK);
	assert_true(sim_walk(s2, vtcr, ipa + bytes - 8, SIM_READ, NULL, &w));
	assert_int_equal(w.oa, pa + bytes - 8);
	assert_int_equal(w.order < order, order > 0);
	assert_true(sim_walk(s2, vtcr, ipa, SIM_READ, NULL, &w));
	assert_int_equal(w.order, 0);
	assert_int_equal(w.oa, pa);
}

static void pages_translate_in_every_shape(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		for (unsigned int t0sz = table[i].t0sz_min; t0sz <= table[i].t0sz_max; t0sz++) {
			struct sim_vtcr_fields f = {
				.granule_shift = table[i].granule_shift, .ds = table[i].ds,
				.sl2 = table[i].sl2, .sl0 = table[i].sl0, .t0sz = t0sz,
				.ps = 6, .ha = true,
			};
			struct sim_s2_config cfg = { .table_bytes_max = 1 << 23 };
			struct sim_vtcr vtcr = sim_vtcr_walker(&f);
			uint64_t page = (uint64_t)1 << f.granule_shift;
			uint64_t size = (uint64_t)1 << (64 - t0sz);
			bool pa52 = f.ds || f.granule_shift == 16;
			uint64_t top = ((uint64_t)1 << (pa52 ? 52 : 48)) - page;
			struct sim_s2 *s2 = NULL;
			struct sim_walk w;

			cfg.table_base_pa = UINT64_C(0x44000000);
			assert_true(sim_vtcr_geometry(&f, &cfg.geometry));
			assert_int_equal(sim_s2_create(&cfg, &s2), WEIR_OK);
			check_page(s2, &vtcr, 0, top, 0);
			check_page(s2, &vtcr, size - page, UINT64_C(0x48000000), 0);
			if (size / 2 != size - page)
				check_page(s2, &vtcr, size / 2, page, 0);
			assert_false(sim_walk(s2, &vtcr, size, SIM_READ, NULL, &w));
			assert_int_equal(w.fsc, SIM_FSC_TRANSLATION);
			sim_s2_destroy(s2);
		}
	}
}

static void blocks_translate_at_each_level_that_has_them(void **state)
{
	/* Granule, DS, orders of blocks; the rest have none. */
	static const struct {
		unsigned int granule_shift, ds, t0sz, sl0, orders[3];
	} shapes[] = {
		{ 12, 0, 16, 2, { 9, 18 } },  { 12, 1, 12, 2, { 9, 18, 27 } },
		{ 14, 0, 16, 2, { 11 } },     { 14, 1, 13, 2, { 11, 22 } },
		{ 16, 0, 12, 2, { 13, 26 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct sim_vtcr_fields f = {
			.granule_shift = shapes[i].granule_shift, .ds = shapes[i].ds,
			.sl0 = shapes[i].sl0, .t0sz = shapes[i].t0sz, .ps = 6, .ha = true,
		};
		struct sim_s2_config cfg = { .table_bytes_max = 1 << 23 };
		struct sim_vtcr vtcr = sim_vtcr_walker(&f);
		struct sim_s2 *s2 = NULL;
		unsigned int stride = f.granule_shift - 3, n = 0;

		cfg.table_base_pa = UINT64_C(0x44000000);
		assert_true(sim_vtcr_geometry(&f, &cfg.geometry));
		assert_int_equal(sim_s2_create(&cfg, &s2), WEIR_OK);
		for (unsigned int order = stride; order <= 3 * stride; order += stride) {
			uint64_t bytes = (uint64_t)1 << (f.granule_shift + order);

			if (n < 3 && shapes[i].orders[n] == order) {
				check_page(s2, &vtcr, bytes * 2, bytes * 3, order);
				n++;
			} else {
				assert_int_equal(sim_s2_map(s2, (uint64_t)2 << order,
							    (uint64_t)1 << order, 0,
							    SIM_S2_ATTRS_RW, order),
						 WEIR_EINVAL);
			}
		}
		sim_s2_destroy(s2);
	}
}

static void the_base_register_is_read_as_its_format_says(void **state)
{
	struct sim_vtcr_fields f = { .granule_shift = 12, .t0sz = 30, .sl0 = 0, .ps = 6 };
	struct sim_s2_config cfg = { .table_base_pa = UINT64_C(0x44000000) };
	struct sim_s2 *s2 = NULL;

	(void)state;
	/* 34 bits from level 2: 16 tables, 64 KiB, to whose size the base is cut. */
	assert_true(sim_vtcr_geometry(&f, &cfg.geometry));
	assert_int_equal(sim_s2_create(&cfg, &s2), WEIR_OK);
	assert_false(sim_vtcr_base52(&f));
	sim_s2_set_root(s2, UINT64_C(0x1234000044015679), false);
	assert_int_equal(sim_s2_root_pa(s2), 0x44010000);
	sim_s2_set_root(s2, 0x44010000 | 3 << 2, true);
	assert_int_equal(sim_s2_root_pa(s2), UINT64_C(0x3000044010000));
	sim_s2_destroy(s2);
	f.ds = true;
	assert_true(sim_vtcr_base52(&f));
	f.ps = 5;
	assert_false(sim_vtcr_base52(&f));
	f.granule_shift = 16;
	f.ps = 6;
	f.ds = false;
	assert_true(sim_vtcr_base52(&f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_combination_is_as_the_architecture_says),
		cmocka_unit_test(pages_translate_in_every_shape),
		cmocka_unit_test(blocks_translate_at_each_level_that_has_them),
		cmocka_unit_test(the_base_register_is_read_as_its_format_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
