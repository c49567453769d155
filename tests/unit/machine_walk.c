// SPDX-License-Identifier: BSD-2-Clause
/*
 * machine_walk - the walker against the architecture's table of faults and hardware updates.
 *
 * Goal: for each descriptor, access and VTCR_EL2 setting the right code, level, address and the
 * right descriptor afterwards.
 * Method: rows of (HA, HD, descriptor, access) -> (code, descriptor after), from the Arm ARM's
 * rules for stage 2: access flag before permission, DBM on writes alone, HD only with HA. The rows
 * with a number were also observed on another implementation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim/machine/walk.h"

#define TABLES_PA	UINT64_C(0x44000000)
#define IPA		UINT64_C(0x10000000)
#define OK		0xffu

static struct sim_s2 *tables(void)
{
	struct sim_s2_config cfg = {
		.geometry = { .granule_shift = 12, .start_level = 1, .ia_bits = 39 },
		.table_base_pa = TABLES_PA,
		.table_bytes_max = 1 << 20,
	};
	struct sim_s2 *s2 = NULL;

	assert_int_equal(sim_s2_create(&cfg, &s2), WEIR_OK);
	return s2;
}

struct row {
	const char *name;
	int level;
	bool ha, hd;
	uint64_t before;
	enum sim_access access;
	unsigned int fsc;	/* OK: no fault */
	uint64_t after;
};

#define D	SIM_DESC_DBM

static const struct row rows[] = {
	{ "01 RW, load", 3, 1, 1, 0x480007ff, SIM_READ, OK, 0x480007ff },
	{ "02 RO without DBM, store", 3, 1, 1, 0x4800077f, SIM_WRITE, 0x0f, 0x4800077f },
	{ "RO without DBM, load", 3, 1, 1, 0x4800077f, SIM_READ, OK, 0x4800077f },
	{ "RO block, load, HA=0", 2, 0, 0, 0x4800077d, SIM_READ, OK, 0x4800077d },
	{ "03 WC, store", 3, 1, 1, D | 0x4800077f, SIM_WRITE, OK, D | 0x480007ff },
	{ "04 WC, store, HD=0", 3, 1, 0, D | 0x4800077f, SIM_WRITE, 0x0f, D | 0x4800077f },
	{ "05 WC, store, HA=0 HD=1", 3, 0, 1, D | 0x4800077f, SIM_WRITE, 0x0f, D | 0x4800077f },
	{ "06 WC, load", 3, 1, 1, D | 0x4800077f, SIM_READ, OK, D | 0x4800077f },
	{ "07 S2AP=00 DBM, store", 3, 1, 1, D | 0x4800073f, SIM_WRITE, OK, D | 0x480007bf },
	{ "08 S2AP=10 DBM, load", 3, 1, 1, D | 0x480007bf, SIM_READ, 0x0f, D | 0x480007bf },
	{ "09 AF=0, load, HA=1", 3, 1, 0, 0x480003ff, SIM_READ, OK, 0x480007ff },
	{ "10 AF=0, load, HA=0", 3, 0, 0, 0x480003ff, SIM_READ, 0x0b, 0x480003ff },
	{ "11 AF=0 and RO, store, HA=0", 3, 0, 0, 0x4800037f, SIM_WRITE, 0x0b, 0x4800037f },
	{ "12 AF=0 and RO, store, HA=1", 3, 1, 0, 0x4800037f, SIM_WRITE, 0x0f, 0x4800037f },
	{ "13 AF=0 WC, store", 3, 1, 1, D | 0x4800037f, SIM_WRITE, OK, D | 0x480007ff },
	{ "AF=0 WC, load: AF alone", 3, 1, 1, D | 0x4800037f, SIM_READ, OK, D | 0x4800077f },
	{ "AF=0 WC, fetch: AF alone", 3, 1, 1, D | 0x4800037f, SIM_EXEC, OK, D | 0x4800077f },
	{ "14 invalid at 3", 3, 1, 1, 0x480007fe, SIM_READ, 0x07, 0x480007fe },
	{ "15 reserved at 3", 3, 1, 1, 0x480007fd, SIM_READ, 0x07, 0x480007fd },
	{ "16 output beyond PS", 3, 1, 1, 0x100000007ff, SIM_READ, 0x03, 0x100000007ff },
	{ "output beyond PS before AF", 3, 0, 0, 0x100000003ff, SIM_READ, 0x03, 0x100000003ff },
	{ "invalid before output", 3, 1, 1, 0x100000007fe, SIM_READ, 0x07, 0x100000007fe },
	{ "output beyond PS at 2", 2, 1, 1, 0x100000007fd, SIM_WRITE, 0x02, 0x100000007fd },
	{ "next table beyond PS", 2, 1, 1, 0x10000000003, SIM_WRITE, 0x02, 0x10000000003 },
	{ "no memory at next table", 2, 1, 1, 0x2000000003, SIM_READ, 0x17, 0x2000000003 },
	{ "no memory at next table of 1", 1, 1, 1, 0x2000000003, SIM_READ, 0x16, 0x2000000003 },
	{ "40 WC block at 2, store", 2, 1, 1, D | 0x4800077d, SIM_WRITE, OK, D | 0x480007fd },
	{ "41 WC block at 1, store", 1, 1, 1, D | 0x4000037d, SIM_WRITE, OK, D | 0x400007fd },
	{ "RO block at 1, store", 1, 1, 1, 0x4000077d, SIM_WRITE, 0x0d, 0x4000077d },
	{ "AF=0 block at 2, load, HA=0", 2, 0, 0, 0x480003fd, SIM_READ, 0x0a, 0x480003fd },
	{ "42 invalid at 2", 2, 1, 1, 0x480007fc, SIM_READ, 0x06, 0x480007fc },
	{ "43 invalid at 1", 1, 1, 1, 0x480007fc, SIM_WRITE, 0x05, 0x480007fc },
	{ "50 XN=10, fetch", 3, 1, 1, 0x400000480007ff, SIM_EXEC, 0x0f, 0x400000480007ff },
	{ "XN=11, fetch at EL1", 3, 1, 1, 0x600000480007ff, SIM_EXEC, OK, 0x600000480007ff },
	{ "XN=01, fetch at EL1", 3, 1, 1, 0x200000480007ff, SIM_EXEC, 0x0f, 0x200000480007ff },
	{ "XN=10, load", 3, 1, 1, 0x400000480007ff, SIM_READ, OK, 0x400000480007ff },
	{ "52 write-only, load", 3, 0, 0, 0x480007bf, SIM_READ, 0x0f, 0x480007bf },
	{ "write-only, store", 3, 0, 0, 0x480007bf, SIM_WRITE, OK, 0x480007bf },
	{ "no access, store", 3, 0, 0, 0x4800073f, SIM_WRITE, 0x0f, 0x4800073f },
};

static const enum sim_fault fault_of_code[16] = {
	SIM_FAULT_ADDRESS_SIZE, SIM_FAULT_ADDRESS_SIZE, SIM_FAULT_ADDRESS_SIZE,
	SIM_FAULT_ADDRESS_SIZE, SIM_FAULT_TRANSLATION,	SIM_FAULT_TRANSLATION,
	SIM_FAULT_TRANSLATION,	SIM_FAULT_TRANSLATION,	SIM_FAULT_ACCESS_FLAG,
	SIM_FAULT_ACCESS_FLAG,	SIM_FAULT_ACCESS_FLAG,	SIM_FAULT_ACCESS_FLAG,
	SIM_FAULT_PERMISSION,	SIM_FAULT_PERMISSION,	SIM_FAULT_PERMISSION,
	SIM_FAULT_PERMISSION,
};

static void check_row(const struct row *r)
{
	struct sim_vtcr vtcr = { .ha = r->ha, .hd = r->hd, .pa_bits = 40 };
	struct sim_s2 *s2 = tables();
	uint64_t size = UINT64_C(1) << (12 + 9 * (3 - r->level));
	uint64_t at = IPA & ~(size - 1);
	struct sim_walk w;
	bool ok;

	assert_int_equal(sim_s2_store(s2, r->level, at, r->before), WEIR_OK);
	ok = sim_walk(s2, &vtcr, at + 0xff0, r->access, NULL, &w);
	if (ok != (r->fsc == OK) || (!ok && w.fsc != r->fsc))
		fail_msg("%s: %s, fsc=0x%x", r->name, ok ? "no fault" : "fault", w.fsc);
	if (*sim_s2_entry(s2, r->level, at) != r->after)
		fail_msg("%s: descriptor 0x%llx", r->name,
			 (unsigned long long)*sim_s2_entry(s2, r->level, at));
	assert_int_equal(w.ipa, at + 0xff0);
	assert_int_equal(w.desc, r->after);
	if (ok) {
		assert_int_equal(w.fault, SIM_FAULT_NONE);
		assert_int_equal(w.level, r->level);
		assert_int_equal(w.order, 9 * (3 - r->level));
		assert_int_equal(w.oa, (r->before & 0xfffffffff000 & ~(size - 1)) + 0xff0);
		assert_int_equal(w.af_set, ((r->before ^ r->after) & SIM_DESC_AF) != 0);
		assert_int_equal(w.dirty_set, ((r->before ^ r->after) & SIM_DESC_W) != 0);
	} else {
		assert_int_equal(w.fault, r->fsc >= 0x14 ? SIM_FAULT_WALK_EABORT :
							   fault_of_code[r->fsc]);
		assert_int_equal(w.level, r->fsc & 3);
	}
	sim_s2_destroy(s2);
}

static void faults_and_updates_are_the_architectures(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i]);
}

static void input_beyond_its_size_faults_at_level_0(void **state)
{
	struct sim_vtcr vtcr = { .pa_bits = 40 };
	struct sim_s2 *s2 = tables();
	struct sim_walk w;

	(void)state;
	assert_false(sim_walk(s2, &vtcr, UINT64_C(1) << 39, SIM_READ, NULL, &w));
	assert_int_equal(w.fsc, 0x04);
	assert_false(sim_walk(s2, &vtcr, (UINT64_C(1) << 39) - 1, SIM_READ, NULL, &w));
	assert_int_equal(w.fsc, 0x05);
	sim_s2_destroy(s2);
}

static void base_beyond_output_size_faults_at_level_0(void **state)
{
	struct sim_s2_config cfg = {
		.geometry = SIM_S2_GEOMETRY_4K,
		.table_base_pa = UINT64_C(1) << 36,
		.table_bytes_max = 1 << 16,
	};
	struct sim_vtcr vtcr = { .pa_bits = 36 };
	struct sim_s2 *s2 = NULL;
	struct sim_walk w;

	(void)state;
	assert_int_equal(sim_s2_create(&cfg, &s2), WEIR_OK);
	assert_int_equal(sim_s2_store(s2, 3, 0, 0x7ff), WEIR_OK);
	assert_false(sim_walk(s2, &vtcr, 0, SIM_READ, NULL, &w));
	assert_int_equal(w.fault, SIM_FAULT_ADDRESS_SIZE);
	assert_int_equal(w.fsc, 0x00);
	vtcr.pa_bits = 40;
	assert_true(sim_walk(s2, &vtcr, 0, SIM_READ, NULL, &w));
	sim_s2_destroy(s2);
}

/* Descriptors that software stores between the walker's load and its compare-and-swap. */
struct meddler {
	uint64_t desc[2];
	unsigned int n;
	unsigned int calls;
};

static void meddle(void *ctx, uint64_t *desc)
{
	struct meddler *m = ctx;

	if (m->calls < m->n)
		*desc = m->desc[m->calls];
	m->calls++;
}

static void a_lost_update_looks_at_the_new_descriptor(void **state)
{
	static const struct {
		uint64_t before;
		struct meddler m;
		unsigned int fsc;
		uint64_t after;
		bool dirty_set;
		unsigned int calls;
	} cases[] = {
		/* made read-only: the store must fault */
		{ D | 0x4800077f, { { 0x4800077f }, 1, 0 }, 0x0f, 0x4800077f, false, 1 },
		/* unmapped */
		{ D | 0x4800077f, { { 0 }, 1, 0 }, 0x07, 0, false, 1 },
		/* made writable: nothing is left to do */
		{ D | 0x4800077f, { { 0x480007ff }, 1, 0 }, OK, 0x480007ff, false, 1 },
		/* moved to another frame, twice, still clean */
		{ D | 0x4800077f,
		  { { D | 0x4900077f, D | 0x4a00077f }, 2, 0 }, OK, D | 0x4a0007ff, true, 3 },
		/* its access flag cleared */
		{ D | 0x4800077f, { { D | 0x4800037f }, 1, 0 }, OK, D | 0x480007ff, true, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sim_vtcr vtcr = { .ha = true, .hd = true, .pa_bits = 40 };
		struct meddler m = cases[i].m;
		struct sim_walk_hook hook = { meddle, &m };
		struct sim_s2 *s2 = tables();
		struct sim_walk w;
		bool ok;

		assert_int_equal(sim_s2_store(s2, 3, IPA, cases[i].before), WEIR_OK);
		ok = sim_walk(s2, &vtcr, IPA, SIM_WRITE, &hook, &w);
		assert_int_equal(ok ? OK : w.fsc, cases[i].fsc);
		assert_int_equal(*sim_s2_entry(s2, 3, IPA), cases[i].after);
		assert_int_equal(w.dirty_set, cases[i].dirty_set);
		assert_int_equal(m.calls, cases[i].calls);
		if (ok)
			assert_int_equal(w.oa, cases[i].after & 0xfffffffff000);
		sim_s2_destroy(s2);
	}
}

/* A block that is split between the walker's load and its update: the walk goes on, downwards. */
struct splitter {
	struct sim_s2 *s2;
	unsigned int calls;
};

static void split_block(void *ctx, uint64_t *desc)
{
	struct splitter *s = ctx;

	(void)desc;
	if (s->calls++ == 0)
		assert_int_equal(sim_s2_split_block(s->s2, IPA >> 12), WEIR_OK);
}

static void an_update_lost_to_a_split_goes_on_in_the_table(void **state)
{
	struct sim_vtcr vtcr = { .ha = true, .hd = true, .pa_bits = 40 };
	struct splitter s = { .s2 = tables() };
	struct sim_walk_hook hook = { split_block, &s };
	struct sim_walk w;

	(void)state;
	assert_int_equal(sim_s2_store(s.s2, 2, IPA, 0x480003fd), WEIR_OK);
	assert_true(sim_walk(s.s2, &vtcr, IPA + 0x3010, SIM_WRITE, &hook, &w));
	assert_int_equal(s.calls, 2);
	assert_int_equal(w.level, 3);
	assert_int_equal(w.oa, 0x48003010);
	assert_int_equal(*sim_s2_entry(s.s2, 3, IPA + 0x3000), 0x480037ff);
	assert_int_equal(*sim_s2_entry(s.s2, 3, IPA + 0x4000), 0x480043ff);
	sim_s2_destroy(s.s2);
}

static void faults_have_names(void **state)
{
	(void)state;
	assert_string_equal(sim_fault_name(SIM_FAULT_NONE), "none");
	assert_string_equal(sim_fault_name(SIM_FAULT_PERMISSION), "permission");
	assert_string_equal(sim_fault_name(SIM_FAULT_WALK_EABORT), "external abort on walk");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faults_and_updates_are_the_architectures),
		cmocka_unit_test(input_beyond_its_size_faults_at_level_0),
		cmocka_unit_test(base_beyond_output_size_faults_at_level_0),
		cmocka_unit_test(a_lost_update_looks_at_the_new_descriptor),
		cmocka_unit_test(an_update_lost_to_a_split_goes_on_in_the_table),
		cmocka_unit_test(faults_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
