// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_commands - commands one by one: what each does, and the code of each that is wrong.
 *
 * Goal: the effects and the error codes are those of the architecture (IHI 0069, "ITS commands"),
 * in either place for mappings.
 * Method: a table of wrong commands with the codes from the manual's list, that nothing has changed
 * after each; then the known cases of other implementations, by name.
 */
#include "its_machine.h"

#define BOTH(profile)                                                                              \
	for (enum sim_its_profile profile = SIM_ITS_PROFILE_QEMU; profile <= SIM_ITS_PROFILE_KVM;  \
	     profile++)

/* Two devices of 32 events; collections 0 to 3 on the PE of their number; event (1, 3) is 8200. */
static void start(struct machine *m, enum sim_its_profile profile)
{
	machine_up_profile(m, profile);
	for (uint32_t pe = 0; pe < 4; pe++)
		assert_int_equal(mapc(m, pe, pe, true), SIM_ITS_OK);
	assert_int_equal(mapd(m, 1, 5, true), SIM_ITS_OK);
	assert_int_equal(mapd(m, 2, 5, true), SIM_ITS_OK);
	assert_int_equal(mapti(m, 1, 3, 8200, 1), SIM_ITS_OK);
}

static void an_interrupt_arrives_once(void **state)
{
	(void)state;
	BOTH(profile) {
		struct machine m;

		start(&m, profile);
		assert_int_equal(on_event(&m, SIM_ITS_INT, 1, 3), SIM_ITS_OK);
		assert_int_equal(take(&m, 0), SIM_GIC_SPURIOUS);
		assert_int_equal(take(&m, 1), 8200);
		assert_int_equal(take(&m, 1), SIM_GIC_SPURIOUS);
		assert_int_equal(sim_its_msi(m.its, 1, 3), SIM_ITS_OK);
		assert_int_equal(sim_its_msi(m.its, 1, 3), SIM_ITS_OK);
		assert_int_equal(take(&m, 1), 8200);
		assert_int_equal(take(&m, 1), SIM_GIC_SPURIOUS);
		machine_down(&m);
	}
}

struct wrong {
	const char *what;
	uint64_t w[4];
	uint32_t code; /* as the manual has it: 0x01CCEE */
};

#define V ((uint64_t)1 << 63)
#define DEV(d) ((uint64_t)(d) << 32)

static const struct wrong wrongs[] = {
	{ "MAPD device", { SIM_ITS_MAPD | DEV(0x2000), 4, V | ITT(0), 0 }, 0x010801 },
	{ "MAPD size", { SIM_ITS_MAPD | DEV(3), 16, V | ITT(3), 0 }, 0x010802 },
	{ "MAPC PE", { SIM_ITS_MAPC, 0, V | 4 << 16, 0 }, 0x010902 },
	{ "MAPC collection", { SIM_ITS_MAPC, 0, V | 0x2000, 0 }, 0x010903 },
	{ "MAPTI device", { SIM_ITS_MAPTI | DEV(0x2000), DEV(8201), 0, 0 }, 0x010a01 },
	{ "MAPTI collection", { SIM_ITS_MAPTI | DEV(1), DEV(8201), 0x2000, 0 }, 0x010a03 },
	{ "MAPTI unmapped", { SIM_ITS_MAPTI | DEV(3), DEV(8201), 0, 0 }, 0x010a04 },
	{ "MAPTI event", { SIM_ITS_MAPTI | DEV(1), DEV(8201) | 32, 0, 0 }, 0x010a05 },
	{ "MAPTI below LPIs", { SIM_ITS_MAPTI | DEV(1), DEV(8191), 0, 0 }, 0x010a06 },
	{ "MAPTI above LPIs", { SIM_ITS_MAPTI | DEV(1), DEV(0x10000), 0, 0 }, 0x010a06 },
	{ "MAPI device", { SIM_ITS_MAPI | DEV(0x2000), 5, 0, 0 }, 0x010b01 },
	{ "MAPI unmapped", { SIM_ITS_MAPI | DEV(3), 5, 0, 0 }, 0x010b04 },
	{ "MAPI event", { SIM_ITS_MAPI | DEV(1), 32, 0, 0 }, 0x010b05 },
	{ "MAPI no LPI", { SIM_ITS_MAPI | DEV(1), 5, 0, 0 }, 0x010b06 },
	{ "MOVI device", { SIM_ITS_MOVI | DEV(0x2000), 3, 0, 0 }, 0x010101 },
	{ "MOVI collection", { SIM_ITS_MOVI | DEV(1), 3, 0x2000, 0 }, 0x010103 },
	{ "MOVI unmapped", { SIM_ITS_MOVI | DEV(3), 3, 0, 0 }, 0x010104 },
	{ "MOVI event", { SIM_ITS_MOVI | DEV(1), 32, 0, 0 }, 0x010105 },
	{ "MOVI interrupt", { SIM_ITS_MOVI | DEV(1), 4, 0, 0 }, 0x010107 },
	{ "MOVI to nowhere", { SIM_ITS_MOVI | DEV(1), 3, 7, 0 }, 0x010109 },
	{ "MOVALL from", { SIM_ITS_MOVALL, 0, 4 << 16, 0 }, 0x010e01 },
	{ "MOVALL to", { SIM_ITS_MOVALL, 0, 0, 4 << 16 }, 0x010e01 },
	{ "INT device", { SIM_ITS_INT | DEV(0x2000), 3, 0, 0 }, 0x010301 },
	{ "INT unmapped", { SIM_ITS_INT | DEV(3), 3, 0, 0 }, 0x010304 },
	{ "INT event", { SIM_ITS_INT | DEV(1), 32, 0, 0 }, 0x010305 },
	{ "INT interrupt", { SIM_ITS_INT | DEV(1), 4, 0, 0 }, 0x010307 },
	{ "CLEAR device", { SIM_ITS_CLEAR | DEV(0x2000), 3, 0, 0 }, 0x010501 },
	{ "CLEAR unmapped", { SIM_ITS_CLEAR | DEV(3), 3, 0, 0 }, 0x010504 },
	{ "CLEAR interrupt", { SIM_ITS_CLEAR | DEV(1), 4, 0, 0 }, 0x010507 },
	{ "CLEAR event", { SIM_ITS_CLEAR | DEV(1), 32, 0, 0 }, 0x010505 },
	{ "INV device", { SIM_ITS_INV | DEV(0x2000), 3, 0, 0 }, 0x010c01 },
	{ "INV event", { SIM_ITS_INV | DEV(1), 32, 0, 0 }, 0x010c05 },
	{ "INV interrupt", { SIM_ITS_INV | DEV(1), 4, 0, 0 }, 0x010c07 },
	{ "INV unmapped", { SIM_ITS_INV | DEV(3), 4, 0, 0 }, 0x010c04 },
	{ "DISCARD device", { SIM_ITS_DISCARD | DEV(0x2000), 3, 0, 0 }, 0x010f01 },
	{ "DISCARD unmapped", { SIM_ITS_DISCARD | DEV(3), 3, 0, 0 }, 0x010f04 },
	{ "DISCARD interrupt", { SIM_ITS_DISCARD | DEV(1), 4, 0, 0 }, 0x010f07 },
	{ "DISCARD event", { SIM_ITS_DISCARD | DEV(1), 32, 0, 0 }, 0x010f05 },
};

static void wrong_commands_say_what_is_wrong(void **state)
{
	(void)state;
	BOTH(profile) {
		for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
			const struct wrong *w = &wrongs[i];
			struct machine m;
			struct sim_its_route route;

			start(&m, profile);
			assert_int_not_equal(run(&m, w->w[0], w->w[1], w->w[2], w->w[3]), 0);
			if (sim_its_stats(m.its)->last_error != w->code)
				fail_msg("%s: code 0x%06x, expected 0x%06x", w->what,
					 sim_its_stats(m.its)->last_error, w->code);
			/* CREADR went on, and what was mapped is. */
			assert_int_equal(its_read(&m, SIM_GITS_CREADR), m.write);
			assert_int_equal(sim_its_translate(m.its, 1, 3, &route), SIM_ITS_OK);
			assert_int_equal(route.intid, 8200);
			assert_int_equal(route.pe, 1);
			assert_int_equal(sim_its_stats(m.its)->errors, 1);
			machine_down(&m);
		}
	}
}

static void table_to_hole(struct machine *m, uint32_t baser)
{
	its_write(m, SIM_GITS_CTLR, 0);
	its_write(m, baser, V | HOLE | UINT64_C(2) << 8);
	its_write(m, SIM_GITS_CTLR, SIM_GITS_CTLR_ENABLED);
}

/*
 * A table that is not in memory: what is wrong with the operands goes before it, and a command that
 * needs nothing of an entry does not notice. Found by asking QEMU.
 */
static void operands_go_before_tables(void **state)
{
	struct machine m;
	struct sim_its_route route;

	(void)state;
	start(&m, SIM_ITS_PROFILE_QEMU);
	table_to_hole(&m, SIM_GITS_BASER + 8);
	assert_int_equal(mapti(&m, 1, 4, 8204, 1), SIM_ITS_OK);
	assert_int_equal(mapti(&m, 1, 5, 8205, 0x2000), SIM_ITS_COLLECTION_OOR);
	assert_int_equal(mapc(&m, 1, 4, true), SIM_ITS_PROCNUM_OOR);
	assert_int_equal(sim_its_translate(m.its, 1, 4, &route), SIM_ITS_FAULT);
	assert_int_equal(its_read(&m, SIM_GITS_CREADR), m.write);
	assert_int_equal(mapc(&m, 1, 1, true), SIM_ITS_FAULT);
	assert_int_equal(its_read(&m, SIM_GITS_CREADR) & SIM_GITS_CREADR_STALLED, 1);
	machine_down(&m);

	start(&m, SIM_ITS_PROFILE_QEMU);
	table_to_hole(&m, SIM_GITS_BASER);
	assert_int_equal(mapd(&m, 1, 17, true), SIM_ITS_ITTSIZE_OOR);
	assert_int_equal(mapd(&m, 0x2000, 5, true), SIM_ITS_DEVICE_OOR);
	assert_int_equal(its_read(&m, SIM_GITS_CREADR), m.write);
	assert_int_equal(mapd(&m, 1, 5, true), SIM_ITS_FAULT);
	machine_down(&m);
}

/* INVALL names its collection only where the profile looks at it. */
static void invall_of_an_unmapped_collection(void **state)
{
	struct machine m;

	(void)state;
	start(&m, SIM_ITS_PROFILE_KVM);
	assert_int_equal(invall(&m, 7), SIM_ITS_UNMAPPED_COLLECTION);
	assert_int_equal(sim_its_stats(m.its)->last_error, 0x010d09);
	assert_int_equal(invall(&m, 0x2000), SIM_ITS_COLLECTION_OOR);
	assert_int_equal(sim_its_stats(m.its)->last_error, 0x010d03);
	machine_down(&m);
	start(&m, SIM_ITS_PROFILE_QEMU);
	assert_int_equal(invall(&m, 7), SIM_ITS_OK);
	machine_down(&m);
}

static void unknown_commands_are_skipped(void **state)
{
	(void)state;
	BOTH(profile) {
		struct machine m;

		start(&m, profile);
		assert_int_equal(run(&m, 0, 0, 0, 0), SIM_ITS_UNKNOWN_COMMAND);
		/* GICv4's, on a machine without. */
		for (unsigned int op = 0x21; op <= 0x2e; op++)
			assert_int_equal(run(&m, op, 0, V, 0), SIM_ITS_UNKNOWN_COMMAND);
		assert_int_equal(on_event(&m, SIM_ITS_INT, 1, 3), SIM_ITS_OK);
		machine_down(&m);
	}
}

/* A collection is unmapped whatever RDbase says (QEMU's commit 84d43d2e82da). */
static void unmapping_ignores_rdbase(void **state)
{
	(void)state;
	BOTH(profile) {
		struct machine m;

		start(&m, profile);
		assert_int_equal(mapc(&m, 1, 0xffff, false), SIM_ITS_OK);
		assert_int_equal(on_event(&m, SIM_ITS_INT, 1, 3), SIM_ITS_UNMAPPED_INTERRUPT);
		machine_down(&m);
	}
}

/* And a device whatever Size says. */
static void unmapping_ignores_size(void **state)
{
	(void)state;
	BOTH(profile) {
		struct machine m;

		start(&m, profile);
		assert_int_equal(mapd(&m, 1, 32, false), SIM_ITS_OK);
		assert_int_equal(on_event(&m, SIM_ITS_INT, 1, 3), SIM_ITS_UNMAPPED_DEVICE);
		machine_down(&m);
	}
}

/* MAPI: the LPI is the event (QEMU's commit b87fab1c8e89). */
static void mapi_takes_the_event_for_the_lpi(void **state)
{
	(void)state;
	BOTH(profile) {
		struct machine m;

		start(&m, profile);
		assert_int_equal(mapd(&m, 4, 14, true), SIM_ITS_OK);
		assert_int_equal(run(&m, SIM_ITS_MAPI | DEV(4), 8210, 2, 0), SIM_ITS_OK);
		assert_int_equal(on_event(&m, SIM_ITS_INT, 4, 8210), SIM_ITS_OK);
		assert_int_equal(take(&m, 2), 8210);
		machine_down(&m);
	}
}

/* Five events need three bits (a Zephyr driver mapped two). */
static void one_event_too_many(void **state)
{
	(void)state;
	BOTH(profile) {
		struct machine m;

		start(&m, profile);
		assert_int_equal(mapd(&m, 4, 2, true), SIM_ITS_OK);
		assert_int_equal(mapti(&m, 4, 3, 8210, 2), SIM_ITS_OK);
		assert_int_equal(mapti(&m, 4, 4, 8211, 2), SIM_ITS_ID_OOR);
		machine_down(&m);
	}
}

/* 32 bits of EventID are 2^32 events, not none. */
static void the_largest_size(void **state)
{
	(void)state;
	BOTH(profile) {
		struct sim_its_config cfg = { .choices = *sim_its_profile(profile),
					      .eventbits = 32, .devbits = 32 };
		struct machine m;

		machine_up(&m, &cfg, SIM_GIC_V4_NONE);
		assert_int_equal(mapc(&m, 0, 0, true), SIM_ITS_OK);
		assert_int_equal(mapd(&m, 1, 32, true), SIM_ITS_OK);
		assert_int_equal(mapti(&m, 1, 3, 8200, 0), SIM_ITS_OK);
		assert_int_equal(on_event(&m, SIM_ITS_INT, 1, 3), SIM_ITS_OK);
		/* In range, and its entry in a hole. */
		assert_int_equal(mapti(&m, 1, UINT32_MAX, 8201, 0),
				 profile == SIM_ITS_PROFILE_QEMU ? SIM_ITS_FAULT : SIM_ITS_ID_OOR);
		machine_down(&m);
	}
}

/* Entries of neighbours do not overlap (QEMU's commit a1ce993da6fc). */
static void neighbours_stay_intact(void **state)
{
	(void)state;
	BOTH(profile) {
		struct machine m;
		struct sim_its_route route;

		start(&m, profile);
		for (uint32_t e = 0; e < 32; e++)
			mapti(&m, 2, e, 8300 + e, e % 4);
		assert_int_equal(on_event(&m, SIM_ITS_DISCARD, 2, 9), SIM_ITS_OK);
		for (uint32_t e = 0; e < 32; e++) {
			enum sim_its_code want = e == 9 ? SIM_ITS_UNMAPPED_INTERRUPT : SIM_ITS_OK;

			assert_int_equal(sim_its_translate(m.its, 2, e, &route), want);
			if (e != 9) {
				assert_int_equal(route.intid, 8300 + e);
				assert_int_equal(route.pe, e % 4);
			}
		}
		machine_down(&m);
	}
}

/* Ids beyond 16 bits do not alias those below. */
static void wide_ids_do_not_alias(void **state)
{
	(void)state;
	BOTH(profile) {
		struct machine m;
		struct sim_its_route route;

		start(&m, profile);
		assert_int_equal(sim_its_translate(m.its, 0x10001, 3, &route), SIM_ITS_DEVICE_OOR);
		assert_int_equal(sim_its_translate(m.its, 1, 0x10003, &route), SIM_ITS_ID_OOR);
		assert_int_equal(sim_its_msi(m.its, 0x10001, 3), SIM_ITS_DEVICE_OOR);
		assert_int_equal(take(&m, 1), SIM_GIC_SPURIOUS);
		machine_down(&m);
	}
}

/* A device mapped again with fewer events. */
static void a_shrunk_range_misses(void **state)
{
	(void)state;
	BOTH(profile) {
		struct machine m;

		start(&m, profile);
		assert_int_equal(mapd(&m, 1, 1, true), SIM_ITS_OK);
		assert_int_equal(sim_its_msi(m.its, 1, 3), SIM_ITS_ID_OOR);
		machine_down(&m);
	}
}

static void moves_take_pending_state_along(void **state)
{
	(void)state;
	BOTH(profile) {
		struct machine m;

		start(&m, profile);
		on_event(&m, SIM_ITS_INT, 1, 3);
		assert_int_equal(movi(&m, 1, 3, 2), SIM_ITS_OK);
		assert_int_equal(take(&m, 1), SIM_GIC_SPURIOUS);
		assert_int_equal(take(&m, 2), 8200);
		on_event(&m, SIM_ITS_INT, 1, 3);
		assert_int_equal(movall(&m, 2, 3), SIM_ITS_OK);
		assert_int_equal(take(&m, 2), SIM_GIC_SPURIOUS);
		assert_int_equal(take(&m, 3), 8200);
		assert_int_equal(movall(&m, 3, 3), SIM_ITS_OK);
		/* Those of other PEs stay (Linux 6.10's MOVALL takes them all). */
		mapti(&m, 1, 4, 8201, 1);
		on_event(&m, SIM_ITS_INT, 1, 4);
		assert_int_equal(movall(&m, 2, 3), SIM_ITS_OK);
		assert_int_equal(take(&m, 3), SIM_GIC_SPURIOUS);
		assert_int_equal(take(&m, 1), 8201);
		machine_down(&m);
	}
}

/* INV of one LPI brings its configuration, not another's. */
static void inv_is_of_one_lpi(void **state)
{
	struct machine m;

	(void)state;
	start(&m, SIM_ITS_PROFILE_KVM);
	mapti(&m, 1, 4, 8201, 1);
	configure(&m, 8200, 0x80);
	configure(&m, 8201, 0x80);
	on_event(&m, SIM_ITS_INV, 1, 4);
	on_event(&m, SIM_ITS_INT, 1, 3);
	on_event(&m, SIM_ITS_INT, 1, 4);
	assert_int_equal(take(&m, 1), 8200);
	assert_int_equal(take(&m, 1), SIM_GIC_SPURIOUS);
	assert_true(sim_gic_lpi_pending(m.gic, 1, 8201));
	machine_down(&m);
}

/* An EnableLPIs that is clear drops the interrupt, in either path. */
static void no_lpis_no_interrupt(void **state)
{
	(void)state;
	BOTH(profile) {
		struct machine m;

		start(&m, profile);
		sim_gicr_write(m.gic, 1, SIM_GICR_CTLR, 4, 0);
		assert_int_equal(on_event(&m, SIM_ITS_INT, 1, 3), SIM_ITS_LPIS_DISABLED);
		assert_int_equal(sim_its_msi(m.its, 1, 3), SIM_ITS_LPIS_DISABLED);
		sim_gicr_write(m.gic, 1, SIM_GICR_CTLR, 4, 1);
		assert_int_equal(take(&m, 1), SIM_GIC_SPURIOUS);
		machine_down(&m);
	}
}

/* As many mappings as allowed, and not one more. */
static void mappings_held_are_bounded(void **state)
{
	struct sim_its_config cfg = { .choices = *sim_its_profile(SIM_ITS_PROFILE_KVM),
				      .held_max = 3 };
	struct machine m;

	(void)state;
	machine_up(&m, &cfg, SIM_GIC_V4_NONE);
	mapc(&m, 0, 0, true);
	mapd(&m, 1, 5, true);
	for (uint32_t e = 0; e < 3; e++)
		assert_int_equal(mapti(&m, 1, e, 8192 + e, 0), SIM_ITS_OK);
	assert_int_equal(mapti(&m, 1, 3, 8195, 0), SIM_ITS_NO_ROOM);
	on_event(&m, SIM_ITS_DISCARD, 1, 0);
	assert_int_equal(mapti(&m, 1, 3, 8195, 0), SIM_ITS_OK);
	mapd(&m, 1, 5, false);
	mapd(&m, 2, 5, true);
	assert_int_equal(mapti(&m, 2, 0, 8195, 0), SIM_ITS_OK);
	machine_down(&m);
}

/*
 * A guest that puts nonsense into its own tables: a PE that is not there, an INTID that is no LPI.
 */
static void nonsense_in_tables_leads_nowhere(void **state)
{
	const uint64_t bad_pe = V | 0xffff;
	const uint64_t bad_lpi = V | 0x100;
	struct machine m;
	struct sim_its_route route;

	(void)state;
	start(&m, SIM_ITS_PROFILE_QEMU);
	sim_ram_store(m.ram, COLLECTIONS + 8, &bad_pe, 8);
	assert_int_equal(sim_its_translate(m.its, 1, 3, &route), SIM_ITS_UNMAPPED_COLLECTION);
	mapc(&m, 1, 1, true);
	sim_ram_store(m.ram, ITT(1) + 3 * 12, &bad_lpi, 8);
	sim_its_msi(m.its, 1, 3);
	for (uint32_t pe = 0; pe < 4; pe++)
		assert_int_equal(take(&m, pe), SIM_GIC_SPURIOUS);
	machine_down(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interrupt_arrives_once),
		cmocka_unit_test(wrong_commands_say_what_is_wrong),
		cmocka_unit_test(operands_go_before_tables),
		cmocka_unit_test(invall_of_an_unmapped_collection),
		cmocka_unit_test(unknown_commands_are_skipped),
		cmocka_unit_test(unmapping_ignores_rdbase),
		cmocka_unit_test(unmapping_ignores_size),
		cmocka_unit_test(mapi_takes_the_event_for_the_lpi),
		cmocka_unit_test(one_event_too_many),
		cmocka_unit_test(the_largest_size),
		cmocka_unit_test(neighbours_stay_intact),
		cmocka_unit_test(wide_ids_do_not_alias),
		cmocka_unit_test(a_shrunk_range_misses),
		cmocka_unit_test(moves_take_pending_state_along),
		cmocka_unit_test(inv_is_of_one_lpi),
		cmocka_unit_test(no_lpis_no_interrupt),
		cmocka_unit_test(mappings_held_are_bounded),
		cmocka_unit_test(nonsense_in_tables_leads_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
