// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_save - held mappings to guest memory and back, in KVM's layout, revision 0.
 *
 * Goal: the entries are those of Documentation/virt/kvm/devices/arm-vgic-its.rst, bit for bit; a
 * restore gives the same translations; what is unmapped is not restored; bad tables are refused and
 * leave nothing; each page written is told to the write hook.
 * Method: entries worked out by hand; a migration by the documented order of registers; tables
 * spoilt one entry at a time; and the migration cases of kvm-unit-tests.
 */
#include "its_migrate.h"

static void entries_are_as_documented(void **state)
{
	struct machine m;

	(void)state;
	start(&m);
	save(&m);
	/* DTE: Valid, next 62:49, ITT >> 8 in 48:5, Size - 1. */
	assert_true(load(&m, DEVICES + 8) ==
		    (V | UINT64_C(4) << 49 | (ITT(1) >> 8) << 5 | 4));
	assert_true(load(&m, DEVICES + 40) == (V | (ITT(5) >> 8) << 5 | 1));
	/* ITE: next 63:48, LPI 47:16, collection. */
	assert_true(load(&m, ITT(1) + 24) == (UINT64_C(4) << 48 | 8200 << 16 | 1));
	assert_true(load(&m, ITT(1) + 56) == (8201 << 16 | 2));
	assert_true(load(&m, ITT(5)) == (8202 << 16 | 1));
	/* CTE: Valid, PE 51:16, collection; then the end. */
	assert_true(load(&m, COLLECTIONS) == (V | 1 << 16 | 1));
	assert_true(load(&m, COLLECTIONS + 8) == (V | 3 << 16 | 2));
	assert_true(load(&m, COLLECTIONS + 16) == 0);
	machine_down(&m);
}

/* `next` is capped: 2^14 - 1 devices, 2^16 - 1 events. */
static void long_distances_are_capped(void **state)
{
	struct sim_its_config cfg = { .choices = *sim_its_profile(SIM_ITS_PROFILE_KVM),
				      .eventbits = 18 };
	struct machine m;
	struct sim_its_route route;
	struct sim_error err = { "" };

	(void)state;
	machine_up(&m, &cfg, SIM_GIC_V4_NONE);
	its_write(&m, SIM_GITS_CTLR, 0);
	its_write(&m, SIM_GITS_BASER, V | DEVICES | 3); /* 4 pages: 32768 devices */
	its_write(&m, SIM_GITS_CTLR, SIM_GITS_CTLR_ENABLED);
	mapc(&m, 0, 2, true);
	mapd(&m, 0, 18, true);
	mapd(&m, 20000, 1, true);
	mapti(&m, 0, 0, 8192, 0);
	assert_int_equal(mapti(&m, 0, 70000, 8193, 0), SIM_ITS_OK);
	assert_int_equal(run(&m, SIM_ITS_MAPD | UINT64_C(20000) << 32, 0, V | ITT(0x100), 0),
			 SIM_ITS_OK);
	assert_int_equal(mapti(&m, 20000, 1, 8194, 0), SIM_ITS_OK);
	save(&m);
	assert_true(load(&m, DEVICES) >> 49 == (((uint64_t)1 << 14) | 0x3fff));
	assert_true(load(&m, ITT(0)) >> 48 == 0xffff);
	assert_true(migrate(&m, &err));
	assert_int_equal(sim_its_translate(m.its, 0, 70000, &route), SIM_ITS_OK);
	assert_int_equal(route.intid, 8193);
	assert_int_equal(sim_its_translate(m.its, 20000, 1, &route), SIM_ITS_OK);
	assert_int_equal(route.intid, 8194);
	machine_down(&m);
}

static void translations_survive(void **state)
{
	struct machine m;
	struct sim_error err = { "" };
	struct sim_its_route route;

	(void)state;
	start(&m);
	on_event(&m, SIM_ITS_INT, 1, 7);
	save(&m);
	assert_true(migrate(&m, &err));
	assert_int_equal(sim_its_translate(m.its, 1, 3, &route), SIM_ITS_OK);
	assert_int_equal(route.intid, 8200);
	assert_int_equal(route.pe, 1);
	assert_int_equal(sim_its_translate(m.its, 5, 0, &route), SIM_ITS_OK);
	assert_int_equal(sim_its_translate(m.its, 1, 4, &route), SIM_ITS_UNMAPPED_INTERRUPT);
	assert_int_equal(sim_its_translate(m.its, 2, 0, &route), SIM_ITS_UNMAPPED_DEVICE);
	/* What was pending is, on its own PE. */
	assert_int_equal(take(&m, 1), SIM_GIC_SPURIOUS);
	assert_int_equal(take(&m, 3), 8201);
	assert_int_equal(take(&m, 3), SIM_GIC_SPURIOUS);
	/* A second save writes the same bytes. */
	save(&m);
	assert_true(load(&m, DEVICES + 8) ==
		    (V | UINT64_C(4) << 49 | (ITT(1) >> 8) << 5 | 4));
	machine_down(&m);
}

/* KVM's e9649129d33d: an entry left behind by an earlier save comes back. */
static void what_is_unmapped_does_not_come_back(void **state)
{
	struct machine m;
	struct sim_error err = { "" };
	struct sim_its_route route;

	(void)state;
	start(&m);
	save(&m);
	mapd(&m, 5, 2, false);
	on_event(&m, SIM_ITS_DISCARD, 1, 7);
	assert_true(load(&m, DEVICES + 40) == 0);
	assert_true(load(&m, ITT(1) + 56) == 0);
	save(&m);
	assert_true(migrate(&m, &err));
	assert_int_equal(sim_its_translate(m.its, 1, 3, &route), SIM_ITS_OK);
	assert_int_equal(sim_its_translate(m.its, 1, 7, &route), SIM_ITS_UNMAPPED_INTERRUPT);
	assert_int_equal(sim_its_translate(m.its, 5, 0, &route), SIM_ITS_UNMAPPED_DEVICE);
	machine_down(&m);
}

/* kvm-unit-tests its-migrate-unmapped-collection: mapped to a collection that is not mapped yet. */
static void an_unmapped_collection_survives(void **state)
{
	struct machine m;
	struct sim_error err = { "" };

	(void)state;
	machine_up_profile(&m, SIM_ITS_PROFILE_KVM);
	mapd(&m, 2, 5, true);
	mapd(&m, 7, 5, true);
	mapc(&m, 3, 3, true);
	assert_int_equal(mapti(&m, 2, 20, 8192, 0), SIM_ITS_OK);
	mapti(&m, 7, 31, 8196, 3);
	configure(&m, 8192, 0xa1);
	save(&m);
	assert_true(load(&m, COLLECTIONS) == (V | UINT64_C(0xffffffff) << 16));
	assert_true(migrate(&m, &err));
	assert_int_equal(on_event(&m, SIM_ITS_INT, 2, 20), SIM_ITS_UNMAPPED_INTERRUPT);
	mapc(&m, 0, 0, true);
	assert_int_equal(invall(&m, 0), SIM_ITS_OK);
	assert_int_equal(on_event(&m, SIM_ITS_INT, 2, 20), SIM_ITS_OK);
	assert_int_equal(take(&m, 0), 8192);
	assert_int_equal(on_event(&m, SIM_ITS_INT, 7, 31), SIM_ITS_OK);
	assert_int_equal(take(&m, 3), 8196);
	machine_down(&m);
}

/* Each PE's own pending table (Cloud Hypervisor #8638 gave all of them the first one's). */
static void pending_tables_are_each_pes_own(void **state)
{
	struct machine m;
	struct sim_error err = { "" };

	(void)state;
	machine_up_profile(&m, SIM_ITS_PROFILE_KVM);
	mapc(&m, 0, 0, true);
	mapc(&m, 1, 1, true);
	mapd(&m, 1, 8, true);
	for (uint32_t e = 0; e < 256; e++) {
		mapti(&m, 1, e, 8192 + e, e % 2);
		on_event(&m, SIM_ITS_INT, 1, e);
	}
	save(&m);
	for (uint32_t e = 0; e < 256; e += 64) {
		assert_true(load(&m, PEND(0) + 1024 + e / 8) == UINT64_C(0x5555555555555555));
		assert_true(load(&m, PEND(1) + 1024 + e / 8) == UINT64_C(0xaaaaaaaaaaaaaaaa));
	}
	assert_true(migrate(&m, &err));
	for (uint32_t i = 0; i < 128; i++) {
		assert_int_equal(take(&m, 0), 8192 + 2 * i);
		assert_int_equal(take(&m, 1), 8193 + 2 * i);
	}
	assert_int_equal(take(&m, 0), SIM_GIC_SPURIOUS);
	machine_down(&m);
}

struct spoilt {
	const char *what;
	uint64_t addr, value;
};

static void spoilt_tables_are_refused_whole(void **state)
{
	const uint64_t dte = V | (ITT(1) >> 8) << 5 | 4;
	const struct spoilt spoilt[] = {
		{ "17 event bits", DEVICES + 8, (dte & ~UINT64_C(0x1f)) | 16 },
		{ "ITT in a hole", DEVICES + 8, V | (HOLE >> 8) << 5 | 4 },
		{ "PE 4", COLLECTIONS, V | 4 << 16 | 1 },
		{ "collection twice", COLLECTIONS + 8, V | 3 << 16 | 1 },
		{ "collection out of range", COLLECTIONS + 8, V | 3 << 16 | 0x2000 },
		{ "collection missing", COLLECTIONS + 8, 0 },
		{ "LPI 8191", ITT(1) + 24, 8191 << 16 | 1 },
		{ "LPI 65536", ITT(1) + 24, UINT64_C(65536) << 16 | 1 },
		{ "next beyond the end", ITT(1) + 24, UINT64_C(29) << 48 | 8200 << 16 | 1 },
		{ "collection 9", ITT(1) + 24, UINT64_C(4) << 48 | 8200 << 16 | 9 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(spoilt) / sizeof(spoilt[0]); i++) {
		struct machine m;
		struct sim_error err = { "" };
		struct sim_its_route route;

		start(&m);
		save(&m);
		put(&m, spoilt[i].addr, spoilt[i].value);
		if (migrate(&m, &err))
			fail_msg("%s: restored", spoilt[i].what);
		assert_non_null(strstr(err.text, "its: restore: "));
		assert_int_equal(sim_its_translate(m.its, 1, 3, &route), SIM_ITS_UNMAPPED_DEVICE);
		assert_int_equal(sim_its_translate(m.its, 5, 0, &route), SIM_ITS_UNMAPPED_DEVICE);
		/* And life goes on. */
		assert_int_equal(mapc(&m, 1, 1, true), SIM_ITS_OK);
		assert_int_equal(mapd(&m, 1, 5, true), SIM_ITS_OK);
		assert_int_equal(mapti(&m, 1, 3, 8200, 1), SIM_ITS_OK);
		machine_down(&m);
	}
}

/* The other side holds fewer events than this one. */
static void too_many_events_for_the_other_side(void **state)
{
	struct sim_its_config small = { .choices = *sim_its_profile(SIM_ITS_PROFILE_KVM),
					.held_max = 2 };
	struct machine m;
	struct sim_error err = { "" };
	uint64_t regs[2];

	(void)state;
	start(&m);
	save(&m);
	for (uint32_t n = 0; n < 2; n++)
		regs[n] = sim_its_reg_get(m.its, SIM_GITS_BASER + 8 * n);
	sim_its_destroy(m.its);
	m.its = sim_its_create(&small, m.gic, m.ram, &err);
	for (uint32_t n = 0; n < 2; n++)
		sim_its_reg_set(m.its, SIM_GITS_BASER + 8 * n, regs[n]);
	assert_false(sim_its_restore(m.its, &err));
	assert_string_equal(err.text, "its: restore: more than its.held_events=2 events");
	machine_down(&m);
}

/* All devices say that they have all events, in one table: the work ends. */
static void endless_tables_are_refused(void **state)
{
	struct machine m;
	struct sim_error err = { "" };

	(void)state;
	start(&m);
	save(&m);
	for (uint64_t d = 0; d < 8192; d++)
		put(&m, DEVICES + 8 * d, V | UINT64_C(1) << 49 | (ITT(16) >> 8) << 5 | 15);
	assert_false(migrate(&m, &err));
	assert_non_null(strstr(err.text, "more than 16777216 entries"));
	machine_down(&m);
}

static void a_table_in_a_hole_cannot_be_saved_to(void **state)
{
	struct machine m;
	struct sim_error err = { "" };

	(void)state;
	start(&m);
	its_write(&m, SIM_GITS_CTLR, 0);
	its_write(&m, SIM_GITS_BASER + 8, V | HOLE | UINT64_C(2) << 8);
	assert_false(sim_its_save(m.its, &err));
	assert_string_equal(err.text, "its: save: collection 1 at 0x80000000: not in memory");
	machine_down(&m);
	/* A device's table: a restore would find nothing where it must look. */
	err.text[0] = '\0';
	start(&m);
	assert_int_equal(run(&m, SIM_ITS_MAPD | UINT64_C(3) << 32, 4, V | HOLE, 0), SIM_ITS_OK);
	assert_false(sim_its_save(m.its, &err));
	assert_string_equal(err.text, "its: save: device 3: its table of 32 entries at 0x80000000 "
			    "is not all in memory");
	run(&m, SIM_ITS_MAPD | UINT64_C(3) << 32, 4, 0, 0);
	/* The last of its entries are not there, and not needed: event 31 of 64 is the only one. */
	run(&m, SIM_ITS_MAPD | UINT64_C(3) << 32, 5, V | (RAM + RAM_BYTES - 256), 0);
	assert_false(sim_its_save(m.its, &err));
	assert_int_equal(mapti(&m, 3, 31, 8300, 1), SIM_ITS_OK);
	err.text[0] = '\0';
	save(&m);
	assert_true(migrate(&m, &err));
	machine_down(&m);
	err.text[0] = '\0';
	start(&m);
	assert_false(sim_its_restore(m.its, &err));
	assert_string_equal(err.text, "its: restore: the ITS is enabled");
	its_write(&m, SIM_GITS_CTLR, 0);
	its_write(&m, SIM_GITS_BASER, 0);
	err.text[0] = '\0';
	assert_false(sim_its_restore(m.its, &err));
	assert_non_null(strstr(err.text, "is not Valid"));
	machine_down(&m);
}

#define PAGES (RAM_BYTES / 4096)

static void on_write(void *ctx, uint64_t addr, uint64_t nbytes)
{
	bool *marked = ctx;

	for (uint64_t p = (addr - RAM) / 4096; p <= (addr + nbytes - 1 - RAM) / 4096; p++)
		marked[p] = true;
}

static void each_page_written_is_told(void **state)
{
	static uint8_t before[RAM_BYTES];
	static bool marked[PAGES];
	struct machine m;
	uint64_t n = RAM_BYTES;
	const uint8_t *now;

	(void)state;
	start(&m);
	on_event(&m, SIM_ITS_INT, 1, 7);
	assert_true(sim_ram_read(m.ram, RAM, before, RAM_BYTES));
	sim_ram_on_write(m.ram, on_write, marked);
	save(&m);
	now = sim_ram_view(m.ram, RAM, &n);
	for (uint64_t p = 0; p < PAGES; p++)
		if (memcmp(before + p * 4096, now + p * 4096, 4096) != 0)
			assert_true(marked[p]);
	assert_true(marked[(DEVICES - RAM) / 4096]);
	assert_true(marked[(COLLECTIONS - RAM) / 4096]);
	assert_true(marked[(ITT(1) - RAM) / 4096]);
	assert_true(marked[(PEND(3) + 1024 - RAM) / 4096]);
	machine_down(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_as_documented),
		cmocka_unit_test(long_distances_are_capped),
		cmocka_unit_test(translations_survive),
		cmocka_unit_test(what_is_unmapped_does_not_come_back),
		cmocka_unit_test(an_unmapped_collection_survives),
		cmocka_unit_test(pending_tables_are_each_pes_own),
		cmocka_unit_test(spoilt_tables_are_refused_whole),
		cmocka_unit_test(too_many_events_for_the_other_side),
		cmocka_unit_test(endless_tables_are_refused),
		cmocka_unit_test(a_table_in_a_hole_cannot_be_saved_to),
		cmocka_unit_test(each_page_written_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
