// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_failures - what went wrong in translation caches and ITS models elsewhere, replayed where no
 * other test does it. docs/known-failures.md lists all of them.
 *
 * Goal: each ends as it should. Method: the published sequence, step by step, under each design
 * that may stand in front of an ITS and in either place for mappings, where that makes a
 * difference; what ran at the same time is tried in each order.
 */
#include "its_designs.h"

#include "sim/machine/its_cache.h"

#define V	((uint64_t)1 << 63)
#define DEV(d)	((uint64_t)(d) << 32)

#define EACH_DESIGN(kind)                                                                          \
	for (enum sim_its_design_kind kind = SIM_ITS_NONE; kind < SIM_ITS_DESIGNS; kind++)
#define EACH_PROFILE(profile)                                                                      \
	for (enum sim_its_profile profile = SIM_ITS_PROFILE_QEMU; profile <= SIM_ITS_PROFILE_KVM;  \
	     profile++)

static uint64_t resident(struct bench *b)
{
	struct sim_its_design_stats stats;

	sim_its_design_stats(b->design, &stats);
	return stats.resident;
}

/* What PE @pe takes, until there is nothing more; 0 for anything but @lpi. */
static unsigned int times_taken(struct machine *m, uint32_t pe, uint32_t lpi)
{
	unsigned int n = 0;

	for (uint32_t got; (got = take(m, pe)) != SIM_GIC_SPURIOUS; n++)
		assert_int_equal(got, lpi);
	return n;
}

/*
 * CVE-2024-26598: an interrupt holds what a look-up found, DISCARD of the event completes, the
 * interrupt goes on. It may arrive, once; nothing arrives later.
 */
static void a_hit_in_flight_over_a_discard(void **state)
{
	(void)state;
	EACH_DESIGN(kind) EACH_PROFILE(profile) {
		struct sim_its_route route;
		struct bench b;

		bench_up(&b, kind, 16, profile, 16);
		mapd(&b.m, 1, 5, true);
		mapti(&b.m, 1, 0, 8200, 1);
		sim_its_design_resolve(b.design, b.m.its, 1, 0, &route);
		assert_int_equal(sim_its_design_translate(b.design, b.m.its, 1, 0, &route),
				 SIM_ITS_OK);
		assert_int_equal(sim_its_design_work(b.design)->hit, true);
		assert_int_equal(on_event(&b.m, SIM_ITS_DISCARD, 1, 0), SIM_ITS_OK);
		sim_its_deliver(b.m.its, &route);
		assert_true(times_taken(&b.m, 1, 8200) <= 1);
		assert_int_equal(resident(&b), 0);
		assert_int_equal(sim_its_msi(b.m.its, 1, 0), SIM_ITS_UNMAPPED_INTERRUPT);
		assert_int_equal(times_taken(&b.m, 1, 8200), 0);
		bench_down(&b);
	}
}

/*
 * Half of its fix, in another tree: a reference too few for each hit. A thousand hits of one event,
 * then the device goes, and the machine. The counts are asserted by the designs; an LPI of which
 * nothing is left is not pended by anybody.
 */
static void a_thousand_hits_then_the_end(void **state)
{
	(void)state;
	EACH_DESIGN(kind) EACH_PROFILE(profile) {
		struct bench b;

		bench_up(&b, kind, 16, profile, 16);
		mapd(&b.m, 1, 5, true);
		mapti(&b.m, 1, 0, 8200, 1);
		for (unsigned int i = 0; i < 1000; i++) {
			assert_int_equal(sim_its_msi(b.m.its, 1, 0), SIM_ITS_OK);
			assert_int_equal(times_taken(&b.m, 1, 8200), 1);
		}
		assert_int_equal(resident(&b), kind == SIM_ITS_NONE ? 0 : 1);
		assert_int_equal(mapd(&b.m, 1, 5, false), SIM_ITS_OK);
		assert_int_equal(resident(&b), 0);
		assert_int_equal(sim_its_msi(b.m.its, 1, 0), SIM_ITS_UNMAPPED_DEVICE);
		if (profile == SIM_ITS_PROFILE_KVM) {
			sim_gic_lpi_set(b.m.gic, 1, 8200);
			assert_false(sim_gic_lpi_pending(b.m.gic, 1, 8200));
		}
		assert_int_equal(times_taken(&b.m, 1, 8200), 0);
		bench_down(&b);
	}
}

/* The cache of 2019 in its first version: references leaked when a VM ended with entries. */
static void a_full_cache_dies_without_a_command(void **state)
{
	(void)state;
	EACH_DESIGN(kind) {
		struct bench b;

		bench_up(&b, kind, 16, SIM_ITS_PROFILE_KVM, 16);
		mapd(&b.m, 1, 5, true);
		for (uint32_t e = 0; e < 16; e++) {
			mapti(&b.m, 1, e, 8200 + e, e % 4);
			assert_int_equal(sim_its_msi(b.m.its, 1, e), SIM_ITS_OK);
		}
		assert_int_equal(resident(&b), kind == SIM_ITS_NONE ? 0 : 16);
		/* Pending LPIs and all; the designs assert their balance, memcheck the rest. */
		bench_down(&b);
	}
}

/* KVM's 7fe28d7e68f9: more bytes written than an entry has, or fewer. */
static void a_save_writes_its_entries_and_nothing_beside(void **state)
{
	static const struct { uint64_t addr, value; } entries[] = {
		{ DEVICES + 8 * 1, V | UINT64_C(4) << 49 | (ITT(1) >> 8) << 5 | 4 },
		{ DEVICES + 8 * 5, V | (ITT(5) >> 8) << 5 | 1 },
		{ ITT(1) + 8 * 3, 8200 << 16 | 1 },
		{ ITT(5) + 8 * 0, 8202 << 16 | 1 },
		{ COLLECTIONS, V | 1 << 16 | 1 },
		{ COLLECTIONS + 8, 0 },
	};
	static const uint64_t tables[] = { DEVICES, ITT(1), ITT(5), COLLECTIONS };
	struct sim_error err = { "" };
	struct machine m;

	(void)state;
	machine_up_profile(&m, SIM_ITS_PROFILE_KVM);
	mapc(&m, 1, 1, true);
	mapd(&m, 1, 5, true);
	mapd(&m, 5, 2, true);
	mapti(&m, 1, 3, 8200, 1);
	assert_int_equal(mapti(&m, 5, 0, 8202, 1), SIM_ITS_OK);
	for (size_t t = 0; t < 4; t++)
		sim_ram_fill(m.ram, tables[t], 0x5a, 512);
	assert_true(sim_its_save(m.its, &err));
	for (size_t t = 0; t < 4; t++) {
		for (uint64_t addr = tables[t]; addr < tables[t] + 512; addr += 8) {
			uint64_t want = UINT64_C(0x5a5a5a5a5a5a5a5a), got;

			for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
				if (entries[i].addr == addr)
					want = entries[i].value;
			assert_true(sim_ram_get64(m.ram, addr, &got));
			if (got != want)
				fail_msg("0x%llx: 0x%016llx, expected 0x%016llx",
					 (unsigned long long)addr, (unsigned long long)got,
					 (unsigned long long)want);
		}
	}
	machine_down(&m);
}

#define QUEUE2	     UINT64_C(0x40500000)
#define DEVICES2     UINT64_C(0x40600000)
#define COLLECTIONS2 UINT64_C(0x40700000)

/* A second ITS of the same GIC; its commands start at QUEUE2. */
static void command2(struct machine *m, struct sim_its *its, uint64_t *write, uint64_t w0,
		     uint64_t w1, uint64_t w2)
{
	const uint64_t w[4] = { w0, w1, w2, 0 };
	uint64_t errors = sim_its_stats(its)->errors;
	uint8_t bytes[32];

	for (unsigned int i = 0; i < 4; i++)
		sim_put_le64(bytes + 8 * i, w[i]);
	assert_true(sim_ram_store(m->ram, QUEUE2 + *write, bytes, sizeof(bytes)));
	*write += sizeof(bytes);
	sim_its_write(its, SIM_GITS_CWRITER, 8, *write, 0);
	assert_int_equal(sim_its_stats(its)->errors, errors);
}

static struct sim_its *second_its(struct machine *m, uint64_t *write)
{
	struct sim_error err = { "" };
	struct sim_its *its = sim_its_create(sim_its_config(m->its), m->gic, m->ram, &err);

	assert_non_null(its);
	sim_its_write(its, SIM_GITS_CBASER, 8, V | QUEUE2 | 15, 0);
	sim_its_write(its, SIM_GITS_BASER, 8, V | DEVICES2 | UINT64_C(2) << 8, 0);
	sim_its_write(its, SIM_GITS_BASER + 8, 8, V | COLLECTIONS2 | UINT64_C(2) << 8, 0);
	sim_its_write(its, SIM_GITS_CTLR, 4, SIM_GITS_CTLR_ENABLED, 0);
	*write = 0;
	command2(m, its, write, SIM_ITS_MAPC, 0, V | 1 << 16 | 1);
	command2(m, its, write, SIM_ITS_MAPD | DEV(1), 4, V | ITT(0x20));
	for (uint64_t e = 0; e < 4; e++)
		command2(m, its, write, SIM_ITS_MAPTI | DEV(1), (8210 + e) << 32 | e, 1);
	return its;
}

/*
 * KVM's 85a71ee9a070 and 8d3a7dfb801d: a list of LPIs is taken, another ITS unmaps a device, and
 * the list is walked. Whenever the other's MAPD comes, what is left moves, and what has gone is
 * skipped.
 */
static void lpis_that_vanish_are_skipped(void **state)
{
	(void)state;
	for (unsigned int when = 0; when < 4; when++) EACH_PROFILE(profile) {
		unsigned int n[2] = { 0, 0 };
		struct sim_its *other;
		struct machine m;
		uint64_t write;

		machine_up_profile(&m, profile);
		other = second_its(&m, &write);
		for (uint32_t pe = 0; pe < 4; pe++)
			mapc(&m, pe, pe, true);
		mapd(&m, 1, 5, true);
		for (uint32_t e = 0; e < 4; e++) {
			mapti(&m, 1, e, 8200 + e, 1);
			assert_int_equal(sim_its_msi(m.its, 1, e), SIM_ITS_OK);
			assert_int_equal(sim_its_msi(other, 1, e), SIM_ITS_OK);
		}
		for (unsigned int step = 0; step < 4; step++) {
			if (step == when)
				command2(&m, other, &write, SIM_ITS_MAPD | DEV(1), 4, ITT(0x20));
			if (step == 0) {
				assert_int_equal(movall(&m, 1, 2), SIM_ITS_OK);
				sim_gic_sync(m.gic, 1); /* PE 1 hands over what it had queued */
			} else if (step < 3) {
				sim_gicr_write(m.gic, 1, SIM_GICR_CTLR, 4, step == 2);
			}
		}
		for (uint32_t got; (got = take(&m, 2)) != SIM_GIC_SPURIOUS; n[got >= 8210]++)
			assert_true((got >= 8200 && got < 8204) || (got >= 8210 && got < 8214));
		assert_int_equal(n[0], 4);
		assert_true(n[1] <= 4);
		for (uint32_t pe = 0; pe < 4; pe++)
			assert_int_equal(take(&m, pe), SIM_GIC_SPURIOUS);
		assert_int_equal(sim_its_msi(other, 1, 0), SIM_ITS_UNMAPPED_DEVICE);
		sim_its_destroy(other);
		machine_down(&m);
	}
}

/* Xen's dcc18294ff: what was never set up is freed on the way out of an error. */
static void what_was_never_made_is_destroyed(void **state)
{
	const struct sim_its_config its = { .choices = *sim_its_profile(SIM_ITS_PROFILE_KVM),
					    .devbits = 33 };
	const struct sim_gic_config no_pes = { .npes = 0 };
	const struct weir_xlate_config no_room = { .capacity = 0 };
	const struct sim_its_design_config no_vcpus = { .nvcpus = 0 };
	struct sim_error err = { "" };
	struct machine m;

	(void)state;
	machine_up_profile(&m, SIM_ITS_PROFILE_KVM);
	for (unsigned int twice = 0; twice < 2; twice++) {
		sim_its_destroy(sim_its_create(&its, m.gic, m.ram, &err));
		sim_gic_destroy(sim_gic_create(&no_pes, m.ram, &err));
		sim_its_cache_destroy(sim_its_cache_create(&no_room, false, &err));
		sim_its_design_destroy(sim_its_design_create(SIM_ITS_WEIR, &no_vcpus, &err));
		sim_ram_destroy(NULL);
		assert_string_equal(err.text, "its.devbits=33: must be 1..32");
	}
	/* Nothing of it is left with the GIC, which tells its ITSes of what happens. */
	sim_gicr_write(m.gic, 1, SIM_GICR_CTLR, 4, 0);
	assert_int_equal(mapc(&m, 0, 0, true), SIM_ITS_OK);
	machine_down(&m);
}

/* MAPTI over a live event: UNPREDICTABLE. Whatever the policy, it is the same with every design. */
static void an_event_mapped_twice(void **state)
{
	(void)state;
	EACH_DESIGN(kind) EACH_PROFILE(profile) {
		bool over = sim_its_profile(profile)->remap == SIM_ITS_REMAP_OVERWRITE;
		struct bench b;

		bench_up(&b, kind, 16, profile, 16);
		mapd(&b.m, 1, 5, true);
		mapti(&b.m, 1, 3, 8200, 1);
		for (unsigned int i = 0; i < 2; i++)
			assert_int_equal(sim_its_msi(b.m.its, 1, 3), SIM_ITS_OK);
		assert_int_equal(times_taken(&b.m, 1, 8200), 1);
		mapti(&b.m, 1, 3, 8201, 2);
		for (unsigned int i = 0; i < 2; i++)
			assert_int_equal(sim_its_msi(b.m.its, 1, 3), SIM_ITS_OK);
		assert_int_equal(times_taken(&b.m, 1, 8200), !over);
		assert_int_equal(times_taken(&b.m, 2, 8201), over);
		assert_int_equal(sim_its_design_wrong(b.design), 0);
		bench_down(&b);
	}
}

/* KVM's ABI: CBASER clears CREADR, so whoever restores it last has old commands run again. */
static void the_order_of_a_restore(void **state)
{
	static const uint32_t orders[2][3] = {
		{ SIM_GITS_CBASER, SIM_GITS_CREADR, SIM_GITS_CWRITER },
		{ SIM_GITS_CREADR, SIM_GITS_CBASER, SIM_GITS_CWRITER },
	};
	struct machine m;

	(void)state;
	for (unsigned int wrong = 0; wrong < 2; wrong++) {
		uint64_t saved[3];

		machine_up_profile(&m, SIM_ITS_PROFILE_KVM);
		mapc(&m, 0, 0, true);
		mapc(&m, 1, 1, true);
		its_write(&m, SIM_GITS_CTLR, 0);
		for (unsigned int i = 0; i < 3; i++)
			saved[i] = sim_its_reg_get(m.its, orders[wrong][i]);
		for (unsigned int i = 0; i < 3; i++)
			assert_true(sim_its_reg_set(m.its, orders[wrong][i], saved[i]));
		m.executed = 0;
		its_write(&m, SIM_GITS_CTLR, SIM_GITS_CTLR_ENABLED);
		assert_int_equal(m.executed, wrong ? 2 : 0);
		assert_int_equal(its_read(&m, SIM_GITS_CREADR), 2 * 32);
		machine_down(&m);
	}
}

static bool vlpi_pending(struct machine *m, uint32_t vintid)
{
	uint8_t byte = 0;

	assert_true(sim_ram_get8(m->ram, VPT(0) + vintid / 8, &byte));
	return byte >> vintid % 8 & 1;
}

/*
 * A cached LPI is made direct (a vLPI), and software's again. Interrupts go where they belong at
 * the time, and those that are pending stay so.
 */
static void made_direct_and_back(void **state)
{
	const struct sim_its_config its = { .choices = *sim_its_profile(SIM_ITS_PROFILE_QEMU) };

	(void)state;
	EACH_DESIGN(kind) {
		struct bench b;

		bench_up_on(&b, kind, 16, &its, SIM_GIC_V4_0);
		sim_ram_fill(b.m.ram, VPROP, 0x81, 0x10000);
		mapd(&b.m, 1, 5, true);
		run(&b.m, SIM_ITS_VMAPP, 0, V, VPT(0) | 15);
		assert_int_equal(b.m.code, SIM_ITS_OK);
		mapti(&b.m, 1, 3, 8200, 1);
		sim_its_msi(b.m.its, 1, 3);
		assert_int_equal(sim_its_msi(b.m.its, 1, 3), SIM_ITS_OK);
		assert_int_equal(resident(&b), kind != SIM_ITS_NONE);
		/* Direct: the cached one is not used, and the LPI that is pending stays so. */
		run(&b.m, SIM_ITS_VMAPTI | DEV(1), 3, DEV(SIM_GIC_SPURIOUS) | 8210, 0);
		assert_int_equal(b.m.code, SIM_ITS_OK);
		assert_int_equal(resident(&b), 0);
		assert_int_equal(sim_its_msi(b.m.its, 1, 3), SIM_ITS_OK);
		assert_true(vlpi_pending(&b.m, 8210));
		assert_int_equal(times_taken(&b.m, 1, 8200), 1);
		assert_int_equal(sim_its_msi(b.m.its, 1, 3), SIM_ITS_OK);
		assert_int_equal(times_taken(&b.m, 1, 8200), 0);
		assert_int_equal(resident(&b), 0);
		/* And back: the same, the other way round. */
		assert_int_equal(mapti(&b.m, 1, 3, 8200, 1), SIM_ITS_OK);
		assert_int_equal(sim_its_msi(b.m.its, 1, 3), SIM_ITS_OK);
		assert_int_equal(sim_its_msi(b.m.its, 1, 3), SIM_ITS_OK);
		assert_int_equal(times_taken(&b.m, 1, 8200), 1);
		assert_true(vlpi_pending(&b.m, 8210));
		assert_int_equal(resident(&b), kind != SIM_ITS_NONE);
		assert_int_equal(sim_its_design_wrong(b.design), 0);
		bench_down(&b);
	}
}

/*
 * KVM clears a pending bit without the LPI's lock. CLEAR and an interrupt, in each order and with
 * one before them or not: pending or not, the queue agrees, and the next interrupt arrives.
 */
static void clear_beside_an_interrupt(void **state)
{
	(void)state;
	EACH_DESIGN(kind) EACH_PROFILE(profile) {
		for (unsigned int order = 0; order < 4; order++) {
			bool clear_last = order & 1;
			struct bench b;

			bench_up(&b, kind, 16, profile, 16);
			mapd(&b.m, 1, 5, true);
			mapti(&b.m, 1, 3, 8200, 1);
			if (order & 2)
				sim_its_msi(b.m.its, 1, 3);
			for (unsigned int i = 0; i < 2; i++)
				if ((i == 1) == clear_last)
					on_event(&b.m, SIM_ITS_CLEAR, 1, 3);
				else
					sim_its_msi(b.m.its, 1, 3);
			assert_int_equal(sim_gic_lpi_pending(b.m.gic, 1, 8200), !clear_last);
			assert_int_equal(times_taken(&b.m, 1, 8200), !clear_last);
			assert_false(sim_gic_line(b.m.gic, 1));
			assert_int_equal(sim_its_msi(b.m.its, 1, 3), SIM_ITS_OK);
			assert_true(sim_gic_line(b.m.gic, 1));
			assert_int_equal(times_taken(&b.m, 1, 8200), 1);
			bench_down(&b);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hit_in_flight_over_a_discard),
		cmocka_unit_test(a_thousand_hits_then_the_end),
		cmocka_unit_test(a_full_cache_dies_without_a_command),
		cmocka_unit_test(a_save_writes_its_entries_and_nothing_beside),
		cmocka_unit_test(lpis_that_vanish_are_skipped),
		cmocka_unit_test(what_was_never_made_is_destroyed),
		cmocka_unit_test(an_event_mapped_twice),
		cmocka_unit_test(the_order_of_a_restore),
		cmocka_unit_test(made_direct_and_back),
		cmocka_unit_test(clear_beside_an_interrupt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
