// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_registers - each register's bits, and the command queue between CREADR and CWRITER.
 *
 * Goal: writes change what the architecture (IHI 0069, GITS_* and GICR_*) lets them change and
 * nothing else; the queue wraps, stalls, retries, stops and goes on as it says.
 * Method: all ones, then all zeros, read back against masks from the manual; queues of every shape.
 */
#include "its_machine.h"

#define ONES UINT64_MAX

static struct sim_its_config with_stall(enum sim_its_stall stall)
{
	struct sim_its_config cfg = { .choices = *sim_its_profile(SIM_ITS_PROFILE_QEMU) };

	cfg.choices.stall = stall;
	cfg.choices.retry_always = false;
	return cfg;
}

struct mask {
	uint32_t off;
	uint64_t ones, zeros; /* what is read after all ones, and after zeros, were written */
};

/* Device table: type 1, entries of 8 bytes; collections: type 4; the third BASER is not there. */
static const struct mask its_qemu[] = {
	{ SIM_GITS_CBASER, UINT64_C(0xb8effffffffffcff), 0 },
	{ SIM_GITS_BASER, UINT64_C(0xf9e7ffffffffffff), UINT64_C(0x0107000000000000) },
	{ SIM_GITS_BASER + 8, UINT64_C(0xfce7ffffffffffff), UINT64_C(0x0407000000000000) },
	{ SIM_GITS_BASER + 16, 0, 0 },
	{ SIM_GITS_BASER + 56, 0, 0 },
	{ SIM_GITS_CREADR, 0, 0 },
	{ SIM_GITS_PIDR2, 0x3b, 0x3b },
};

/*
 * 64 KiB pages always; a flat collection table; a queue that starts at 64 KiB. Outer cacheability 7
 * becomes 0, as inner; inner 0 becomes 3; shareability 3 stays.
 */
static const struct mask its_kvm[] = {
	{ SIM_GITS_CBASER, UINT64_C(0xb80fffffffff0cff), UINT64_C(0x1800000000000000) },
	{ SIM_GITS_BASER, UINT64_C(0xf907fffffffffeff), UINT64_C(0x1907000000000200) },
	{ SIM_GITS_BASER + 8, UINT64_C(0xbc07fffffffffeff), UINT64_C(0x1c07000000000200) },
};

static void check_its(struct machine *m, const struct mask *mask)
{
	its_write(m, mask->off, ONES);
	if (its_read(m, mask->off) != mask->ones)
		fail_msg("0x%x: all ones read 0x%llx", mask->off,
			 (unsigned long long)its_read(m, mask->off));
	its_write(m, mask->off, 0);
	if (its_read(m, mask->off) != mask->zeros)
		fail_msg("0x%x: zeros read 0x%llx", mask->off,
			 (unsigned long long)its_read(m, mask->off));
}

static void its_registers_have_their_masks(void **state)
{
	struct machine m;

	(void)state;
	machine_up_profile(&m, SIM_ITS_PROFILE_QEMU);
	its_write(&m, SIM_GITS_CTLR, 0);
	for (size_t i = 0; i < sizeof(its_qemu) / sizeof(its_qemu[0]); i++)
		check_its(&m, &its_qemu[i]);
	machine_down(&m);
	machine_up_profile(&m, SIM_ITS_PROFILE_KVM);
	its_write(&m, SIM_GITS_CTLR, 0);
	for (size_t i = 0; i < sizeof(its_kvm) / sizeof(its_kvm[0]); i++)
		check_its(&m, &its_kvm[i]);
	machine_down(&m);
}

/* Enabled is the one bit of CTLR that a write changes; IIDR and TYPER are not written. */
static void what_is_read_only_stays(void **state)
{
	struct machine m;
	uint64_t v, typer;

	(void)state;
	machine_up_profile(&m, SIM_ITS_PROFILE_QEMU);
	its_write(&m, SIM_GITS_CTLR, 0xfffffffe);
	assert_int_equal(its_read(&m, SIM_GITS_CTLR), SIM_GITS_CTLR_QUIESCENT);
	its_write(&m, SIM_GITS_CTLR, 0xffffffff);
	assert_int_equal(its_read(&m, SIM_GITS_CTLR),
			 SIM_GITS_CTLR_QUIESCENT | SIM_GITS_CTLR_ENABLED);
	typer = its_read(&m, SIM_GITS_TYPER);
	its_write(&m, SIM_GITS_TYPER, ~typer);
	assert_true(its_read(&m, SIM_GITS_TYPER) == typer);
	assert_true(sim_its_read(m.its, SIM_GITS_IIDR, 4, &v) && v == 0x43b);
	assert_false(sim_its_write(m.its, SIM_GITS_IIDR, 4, 0, 0));
	assert_true(sim_its_read(m.its, SIM_GITS_IIDR, 4, &v) && v == 0x43b);
	/* TRANSLATER is written only, and by two or four bytes. */
	assert_false(sim_its_read(m.its, SIM_GITS_TRANSLATER, 4, &v));
	assert_false(sim_its_write(m.its, SIM_GITS_TRANSLATER, 8, 0, 1));
	assert_int_equal(sim_its_stats(m.its)->msis, 0);
	assert_true(sim_its_write(m.its, SIM_GITS_TRANSLATER, 2, 3, 1));
	assert_true(sim_its_write(m.its, SIM_GITS_TRANSLATER, 4, 3, 1));
	assert_int_equal(sim_its_stats(m.its)->msis, 2);
	machine_down(&m);
}

/*
 * The identification registers, from PIDR4 on: Arm's JEP106 code 0x3b with continuation 4, GICv3 or
 * v4, and the component class that all CoreLink components have.
 */
static void frames_identify_themselves(void **state)
{
	static const uint8_t its[] = { 0x44, 0, 0, 0, 0x94, 0xb4, 0x3b, 0, 0x0d, 0xf0, 5, 0xb1 };
	struct sim_its_config cfg = { .choices = *sim_its_profile(SIM_ITS_PROFILE_QEMU) };
	struct machine m;

	(void)state;
	for (enum sim_gic_v4 v4 = SIM_GIC_V4_NONE; v4 <= SIM_GIC_V4_1; v4++) {
		machine_up(&m, &cfg, v4);
		for (uint32_t i = 0; i < sizeof(its); i++) {
			uint32_t off = SIM_GIC_IDREGS + 4 * i, gicd;
			uint8_t want = i == 6 && v4 ? 0x4b : its[i];
			uint64_t v;

			assert_true(sim_its_read(m.its, off, 4, &v) && v == want);
			assert_false(sim_its_write(m.its, off, 4, 0, 0));
			assert_true(sim_gicr_read(m.gic, 1, off, 4, &v));
			assert_int_equal(v, i == 4 ? 0x93 : want);
			assert_true(sim_gicd_read(m.gic, off, &gicd));
			assert_int_equal(gicd, i == 4 ? 0x92 : want);
		}
		machine_down(&m);
	}
}

/* TYPER: physical LPIs; entry size, EventID, DeviceID bits less one; PTA 0; HCC 0; CIL 0. */
static void typer_tells_the_sizes(void **state)
{
	struct sim_its_config cfg = { .choices = *sim_its_profile(SIM_ITS_PROFILE_KVM) };
	struct machine m;

	(void)state;
	machine_up(&m, &cfg, SIM_GIC_V4_NONE);
	assert_true(its_read(&m, SIM_GITS_TYPER) == (1 | 7 << 4 | 15 << 8 | 15 << 13));
	machine_down(&m);
	/* QEMU's, read from QEMU 7.2: it says that collections have 16 bits. */
	machine_up_profile(&m, SIM_ITS_PROFILE_QEMU);
	assert_true(its_read(&m, SIM_GITS_TYPER) == UINT64_C(0x1f0001efb1));
	machine_down(&m);
	cfg.choices = *sim_its_profile(SIM_ITS_PROFILE_QEMU);
	cfg.devbits = 20;
	cfg.eventbits = 10;
	cfg.icidbits = 8;
	machine_up(&m, &cfg, SIM_GIC_V4_NONE);
	its_write(&m, SIM_GITS_TYPER, 0);
	assert_true(its_read(&m, SIM_GITS_TYPER) ==
		    (1 | 11 << 4 | 9 << 8 | 19 << 13 | (uint64_t)1 << 36 | (uint64_t)7 << 32));
	machine_down(&m);
}

static void halves_are_written_one_by_one(void **state)
{
	struct machine m;
	uint64_t v;

	(void)state;
	machine_up_profile(&m, SIM_ITS_PROFILE_QEMU);
	its_write(&m, SIM_GITS_CTLR, 0);
	its_write(&m, SIM_GITS_CBASER, 0);
	assert_true(sim_its_write(m.its, SIM_GITS_CBASER + 4, 4, 0x80000001, 0));
	assert_true(sim_its_write(m.its, SIM_GITS_CBASER, 4, 0x40200003, 0));
	assert_true(its_read(&m, SIM_GITS_CBASER) == UINT64_C(0x8000000140200003));
	assert_true(sim_its_read(m.its, SIM_GITS_CBASER + 4, 4, &v) && v == 0x80000001);
	assert_true(sim_its_read(m.its, SIM_GITS_TYPER + 4, 4, &v) && v == 0x1f);
	/* No such access, no such register. */
	assert_false(sim_its_write(m.its, SIM_GITS_CBASER, 2, 0, 0));
	assert_false(sim_its_write(m.its, SIM_GITS_CBASER + 2, 4, 0, 0));
	assert_false(sim_its_read(m.its, SIM_GITS_CBASER, 1, &v));
	assert_false(sim_its_read(m.its, 0x40, 4, &v));
	assert_false(sim_its_write(m.its, SIM_GITS_SGIR, 8, 0, 0));
	assert_true(its_read(&m, SIM_GITS_CBASER) == UINT64_C(0x8000000140200003));
	machine_down(&m);
}

static void tables_hold_still_while_enabled(void **state)
{
	static const uint32_t regs[] = { SIM_GITS_CBASER, SIM_GITS_BASER, SIM_GITS_BASER + 8 };
	struct machine m;

	(void)state;
	machine_up_profile(&m, SIM_ITS_PROFILE_KVM);
	for (size_t i = 0; i < 3; i++) {
		uint64_t before = its_read(&m, regs[i]);

		its_write(&m, regs[i], ONES);
		assert_true(its_read(&m, regs[i]) == before);
	}
	assert_int_equal(mapc(&m, 0, 0, true), SIM_ITS_OK);
	machine_down(&m);
}

static void check_gicr(struct machine *m, uint32_t off, uint64_t ones, uint64_t zeros)
{
	uint64_t v;

	assert_true(sim_gicr_write(m->gic, 2, off, 8, ONES));
	sim_gicr_read(m->gic, 2, off, 8, &v);
	assert_true(v == ones);
	assert_true(sim_gicr_write(m->gic, 2, off, 8, 0));
	sim_gicr_read(m->gic, 2, off, 8, &v);
	assert_true(v == zeros);
}

static void gicr_registers_have_their_masks(void **state)
{
	struct machine m;
	uint64_t v;

	(void)state;
	for (int p = SIM_ITS_PROFILE_QEMU; p <= SIM_ITS_PROFILE_KVM; p++) {
		/* KVM: inner cacheability 0 becomes 3, outer 7 becomes 0. */
		bool kvm = p == SIM_ITS_PROFILE_KVM;
		uint64_t zeros = kvm ? 3 << 7 : 0;
		uint64_t outer = kvm ? 0 : UINT64_C(7) << 56;

		machine_up_profile(&m, (enum sim_its_profile)p);
		/* They hold still while LPIs are enabled, on any PE of a shared one. */
		sim_gicr_write(m.gic, 2, SIM_GICR_PROPBASER, 8, ONES);
		sim_gicr_read(m.gic, 2, SIM_GICR_PROPBASER, 8, &v);
		assert_true(v == (PROP | 15 | zeros));
		sim_gicr_write(m.gic, 2, SIM_GICR_PENDBASER, 8, ONES);
		sim_gicr_read(m.gic, 2, SIM_GICR_PENDBASER, 8, &v);
		assert_true(v == (PEND(2) | zeros));
		for (uint32_t pe = 0; pe < 4; pe++)
			sim_gicr_write(m.gic, pe, SIM_GICR_CTLR, 4, 0);
		check_gicr(&m, SIM_GICR_PROPBASER, UINT64_C(0x000fffffffffff9f) | outer, zeros);
		/* PTZ is never read. */
		check_gicr(&m, SIM_GICR_PENDBASER, UINT64_C(0x000fffffffff0f80) | outer, zeros);
		assert_false(sim_gicr_write(m.gic, 2, SIM_GICR_VPENDBASER, 8, ONES));
		sim_gicr_read(m.gic, 3, SIM_GICR_TYPER, 8, &v);
		/* LPIs, number 3, the last, affinity 3; DirectLPI is 0. */
		assert_true(v == (1 | 3 << 8 | 1 << 4 | UINT64_C(3) << 32));
		sim_gicr_read(m.gic, 3, SIM_GICR_TYPER + 4, 4, &v);
		assert_true(v == 3);
		/* EnableLPIs; CES and IR say that it can be cleared, and that there is INVLPIR. */
		sim_gicr_write(m.gic, 3, SIM_GICR_CTLR, 4, UINT32_MAX);
		assert_true(sim_gicr_read(m.gic, 3, SIM_GICR_CTLR, 4, &v) && v == 7);
		sim_gicr_write(m.gic, 3, SIM_GICR_WAKER, 4, UINT32_MAX);
		assert_true(sim_gicr_read(m.gic, 3, SIM_GICR_WAKER, 4, &v) && v == 6);
		/* Never busy. */
		assert_false(sim_gicr_write(m.gic, 3, SIM_GICR_SYNCR, 4, 1));
		assert_true(sim_gicr_read(m.gic, 3, SIM_GICR_SYNCR, 4, &v) && v == 0);
		machine_down(&m);
	}
}

/* Each attribute alone: what is not cacheable, or outer shareable, does not stay with KVM's. */
static void attributes_that_stay(void **state)
{
	static const uint8_t inner[8] = { 3, 3, 2, 3, 4, 5, 6, 7 };
	static const uint8_t outer[8] = { 0, 1, 0, 0, 0, 0, 0, 0 };
	static const uint8_t shared[4] = { 0, 1, 1, 3 };
	struct machine m;

	(void)state;
	machine_up_profile(&m, SIM_ITS_PROFILE_KVM);
	its_write(&m, SIM_GITS_CTLR, 0);
	sim_gicr_write(m.gic, 0, SIM_GICR_CTLR, 4, 0);
	for (uint64_t i = 0; i < 8; i++) {
		uint64_t v;

		its_write(&m, SIM_GITS_CBASER, i << 59 | i << 53 | i % 4 << 10);
		assert_true(its_read(&m, SIM_GITS_CBASER) ==
			    ((uint64_t)inner[i] << 59 | (uint64_t)outer[i] << 53 |
			     (uint64_t)shared[i % 4] << 10));
		sim_gicr_write(m.gic, 0, SIM_GICR_PENDBASER, 8, i << 7 | i << 56 | i % 4 << 10);
		sim_gicr_read(m.gic, 0, SIM_GICR_PENDBASER, 8, &v);
		assert_true(v == ((uint64_t)inner[i] << 7 | (uint64_t)outer[i] << 56 |
				  (uint64_t)shared[i % 4] << 10));
	}
	machine_down(&m);
}

/* Around the end of the queue, twice, with CREADR never further than CWRITER. */
static void the_queue_wraps(void **state)
{
	struct machine m;
	unsigned int n = 2 * 2048 + 100;

	(void)state;
	for (int p = SIM_ITS_PROFILE_QEMU; p <= SIM_ITS_PROFILE_KVM; p++) {
		machine_up_profile(&m, (enum sim_its_profile)p);
		for (unsigned int i = 0; i < n; i++) {
			assert_int_equal(run(&m, SIM_ITS_SYNC, 0, 0, 0), SIM_ITS_OK);
			assert_int_equal(its_read(&m, SIM_GITS_CREADR), m.write);
		}
		assert_int_equal(m.executed, n);
		/* In one go, across the end. */
		for (unsigned int i = 0; i < 2047; i++)
			queue(&m, SIM_ITS_SYNC, 0, 0, 0);
		its_write(&m, SIM_GITS_CWRITER, m.write);
		assert_int_equal(m.executed, n + 2047);
		assert_int_equal(its_read(&m, SIM_GITS_CREADR), m.write);
		machine_down(&m);
	}
}

static bool quiescent(struct machine *m)
{
	return its_read(m, SIM_GITS_CTLR) & SIM_GITS_CTLR_QUIESCENT;
}

/* Disabled in the middle of the queue, the rest is kept, and goes on. */
static void a_disabled_its_keeps_its_queue(void **state)
{
	struct sim_its_config cfg = { .choices = *sim_its_profile(SIM_ITS_PROFILE_KVM),
				      .commands_max = 3 };
	struct machine m;

	(void)state;
	machine_up(&m, &cfg, SIM_GIC_V4_NONE);
	assert_true(quiescent(&m));
	for (unsigned int i = 0; i < 10; i++)
		queue(&m, SIM_ITS_SYNC, 0, 0, 0);
	its_write(&m, SIM_GITS_CWRITER, m.write);
	assert_int_equal(m.executed, 3);
	assert_false(quiescent(&m));
	assert_true(sim_its_step(m.its));
	assert_int_equal(m.executed, 6);
	its_write(&m, SIM_GITS_CTLR, 0);
	assert_false(sim_its_step(m.its));
	assert_int_equal(m.executed, 6);
	assert_int_equal(its_read(&m, SIM_GITS_CREADR), 6 * 32);
	assert_false(quiescent(&m));
	its_write(&m, SIM_GITS_CTLR, SIM_GITS_CTLR_ENABLED);
	while (sim_its_step(m.its))
		;
	assert_int_equal(m.executed, 10);
	assert_true(quiescent(&m));
	machine_down(&m);
}

static void a_fault_stalls_until_retried(void **state)
{
	struct sim_its_config cfg = with_stall(SIM_ITS_STALL_FAULT);
	struct machine m;

	(void)state;
	machine_up(&m, &cfg, SIM_GIC_V4_NONE);
	mapc(&m, 0, 0, true);
	/* The table of device 1 is in a hole; what needs it stalls, and what is behind waits. */
	run(&m, SIM_ITS_MAPD | UINT64_C(1) << 32, 4, SIM_GITS_VALID | HOLE, 0);
	assert_int_equal(m.code, SIM_ITS_OK);
	assert_int_equal(mapti(&m, 1, 0, 8192, 0), SIM_ITS_FAULT);
	assert_int_equal(its_read(&m, SIM_GITS_CREADR), 0x40 | SIM_GITS_CREADR_STALLED);
	m.executed = 0;
	mapd(&m, 2, 5, true);
	assert_int_equal(m.executed, 0);
	assert_int_equal(its_read(&m, SIM_GITS_CREADR), 0x40 | SIM_GITS_CREADR_STALLED);
	/* A retry of what still fails stalls again; one of what is mended goes on. */
	its_write(&m, SIM_GITS_CWRITER, m.write | SIM_GITS_CWRITER_RETRY);
	assert_int_equal(m.executed, 1);
	assert_int_equal(its_read(&m, SIM_GITS_CREADR), 0x40 | SIM_GITS_CREADR_STALLED);
	assert_int_equal(its_read(&m, SIM_GITS_CWRITER), m.write);
	sim_ram_fill(m.ram, QUEUE + 0x40, 0, 32);
	its_write(&m, SIM_GITS_CWRITER, m.write | SIM_GITS_CWRITER_RETRY);
	assert_int_equal(its_read(&m, SIM_GITS_CREADR), m.write);
	assert_int_equal(m.code, SIM_ITS_OK);
	assert_int_equal(sim_its_stats(m.its)->stalls, 2);
	/* Nothing stalled: a retry is nothing. */
	m.executed = 0;
	its_write(&m, SIM_GITS_CWRITER, m.write | SIM_GITS_CWRITER_RETRY);
	assert_int_equal(m.executed, 0);
	machine_down(&m);
}

static void what_stalls_is_a_policy(void **state)
{
	/* The stall policy; whether a bad operand stalls; whether a fault does. */
	static const struct { enum sim_its_stall stall; bool operand, fault; } rows[] = {
		{ SIM_ITS_STALL_NEVER, false, false },
		{ SIM_ITS_STALL_FAULT, false, true },
		{ SIM_ITS_STALL_ERROR, true, true },
	};
	struct machine m;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct sim_its_config cfg = with_stall(rows[i].stall);

		machine_up(&m, &cfg, SIM_GIC_V4_NONE);
		on_event(&m, SIM_ITS_INT, 1, 1);
		assert_int_equal(its_read(&m, SIM_GITS_CREADR) & 1, rows[i].operand);
		machine_down(&m);
		machine_up(&m, &cfg, SIM_GIC_V4_NONE);
		run(&m, SIM_ITS_MAPD | UINT64_C(1) << 32, 4, SIM_GITS_VALID | HOLE, 0);
		on_event(&m, SIM_ITS_INT, 1, 1);
		assert_int_equal(its_read(&m, SIM_GITS_CREADR) & 1, rows[i].fault);
		machine_down(&m);
	}
}

/* The queue lies in a hole, or its last commands do. */
static void a_queue_that_is_not_there(void **state)
{
	struct machine m;

	(void)state;
	for (int p = SIM_ITS_PROFILE_QEMU; p <= SIM_ITS_PROFILE_KVM; p++) {
		bool stall = p == SIM_ITS_PROFILE_QEMU;

		machine_up_profile(&m, (enum sim_its_profile)p);
		its_write(&m, SIM_GITS_CTLR, 0);
		its_write(&m, SIM_GITS_CBASER, SIM_GITS_VALID | HOLE);
		its_write(&m, SIM_GITS_CTLR, SIM_GITS_CTLR_ENABLED);
		its_write(&m, SIM_GITS_CWRITER, 0x40);
		assert_int_equal(its_read(&m, SIM_GITS_CREADR), stall ? 1 : 0x40);
		assert_int_equal(m.code, SIM_ITS_FAULT);
		machine_down(&m);

		machine_up_profile(&m, (enum sim_its_profile)p);
		its_write(&m, SIM_GITS_CTLR, 0);
		its_write(&m, SIM_GITS_CBASER,
			  SIM_GITS_VALID | (RAM + RAM_BYTES - 0x10000) | 0xff);
		its_write(&m, SIM_GITS_CTLR, SIM_GITS_CTLR_ENABLED);
		m.executed = 0;
		its_write(&m, SIM_GITS_CWRITER, 0x10040);
		assert_int_equal(its_read(&m, SIM_GITS_CREADR), stall ? 0x10001 : 0x10040);
		assert_int_equal(m.executed, stall ? 0x10000 / 32 + 1 : 0x10040 / 32);
		machine_down(&m);
	}
}

static void cwriter_outside_of_the_queue(void **state)
{
	struct machine m;

	(void)state;
	machine_up_profile(&m, SIM_ITS_PROFILE_QEMU);
	its_write(&m, SIM_GITS_CWRITER, 0x10000);
	assert_int_equal(its_read(&m, SIM_GITS_CWRITER), 0x10000);
	assert_int_equal(m.executed, 0);
	assert_int_equal(mapc(&m, 0, 0, true), SIM_ITS_OK);
	assert_int_equal(m.executed, 1);
	machine_down(&m);
	machine_up_profile(&m, SIM_ITS_PROFILE_KVM);
	mapc(&m, 0, 0, true);
	its_write(&m, SIM_GITS_CWRITER, 0x10000);
	assert_int_equal(its_read(&m, SIM_GITS_CWRITER), 0x20);
	machine_down(&m);
}

/* CBASER starts the queue anew: CREADR is 0, so the order of a restore matters. */
static void cbaser_resets_creadr(void **state)
{
	struct machine m;

	(void)state;
	machine_up_profile(&m, SIM_ITS_PROFILE_KVM);
	mapc(&m, 0, 0, true);
	its_write(&m, SIM_GITS_CTLR, 0);
	its_write(&m, SIM_GITS_CBASER, SIM_GITS_VALID | QUEUE | 15);
	assert_int_equal(its_read(&m, SIM_GITS_CREADR), 0);
	assert_int_equal(its_read(&m, SIM_GITS_CWRITER), 0);
	assert_true(sim_its_reg_set(m.its, SIM_GITS_CREADR, 0x20));
	assert_true(sim_its_reg_set(m.its, SIM_GITS_CWRITER, 0x20));
	assert_false(sim_its_reg_set(m.its, SIM_GITS_CREADR, 0x10000));
	m.executed = 0;
	its_write(&m, SIM_GITS_CTLR, SIM_GITS_CTLR_ENABLED);
	assert_int_equal(m.executed, 0);
	machine_down(&m);
}

/* A queue that has stalled starts anew with CBASER, Stalled included; being off and on does not. */
static void cbaser_ends_a_stall(void **state)
{
	struct sim_its_config cfg = with_stall(SIM_ITS_STALL_ERROR);
	struct machine m;

	(void)state;
	machine_up(&m, &cfg, SIM_GIC_V4_NONE);
	assert_int_equal(on_event(&m, SIM_ITS_INT, 1, 1), SIM_ITS_UNMAPPED_DEVICE);
	its_write(&m, SIM_GITS_CTLR, 0);
	assert_int_equal(its_read(&m, SIM_GITS_CREADR), SIM_GITS_CREADR_STALLED);
	assert_int_equal(its_read(&m, SIM_GITS_CTLR), SIM_GITS_CTLR_QUIESCENT);
	its_write(&m, SIM_GITS_CTLR, SIM_GITS_CTLR_ENABLED);
	assert_int_equal(its_read(&m, SIM_GITS_CREADR), SIM_GITS_CREADR_STALLED);
	assert_int_equal(its_read(&m, SIM_GITS_CTLR), SIM_GITS_CTLR_ENABLED);
	its_write(&m, SIM_GITS_CTLR, 0);
	its_write(&m, SIM_GITS_CBASER, SIM_GITS_VALID | QUEUE | 15);
	assert_int_equal(its_read(&m, SIM_GITS_CREADR), 0);
	sim_ram_fill(m.ram, QUEUE, SIM_ITS_SYNC, 32);
	its_write(&m, SIM_GITS_CTLR, SIM_GITS_CTLR_ENABLED);
	assert_int_equal(its_read(&m, SIM_GITS_CREADR), m.write);
	machine_down(&m);
}

/*
 * The device table of one page of each size, flat and in two levels: its last entry, and one more.
 */
static void tables_of_every_shape(void **state)
{
	struct machine m;

	(void)state;
	for (uint64_t size = 0; size < 3; size++) {
		uint64_t page = UINT64_C(4096) << 2 * size, in_page = page / 8;
		/* Bits below the page are no part of the address. */
		const uint64_t l1 = SIM_GITS_VALID | (DEVICES + 0x40000) | (page - 1);
		uint64_t dte = 0;

		machine_up_profile(&m, SIM_ITS_PROFILE_QEMU);
		its_write(&m, SIM_GITS_CTLR, 0);
		its_write(&m, SIM_GITS_BASER, SIM_GITS_VALID | DEVICES | size << 8 | 1);
		its_write(&m, SIM_GITS_CTLR, SIM_GITS_CTLR_ENABLED);
		assert_int_equal(mapd(&m, 2 * in_page - 1, 1, true), SIM_ITS_OK);
		assert_int_equal(mapd(&m, 2 * in_page, 1, true), SIM_ITS_DEVICE_OOR);
		machine_down(&m);

		machine_up_profile(&m, SIM_ITS_PROFILE_QEMU);
		its_write(&m, SIM_GITS_CTLR, 0);
		its_write(&m, SIM_GITS_BASER, SIM_GITS_VALID | SIM_GITS_BASER_INDIRECT | DEVICES |
			  size << 8);
		its_write(&m, SIM_GITS_CTLR, SIM_GITS_CTLR_ENABLED);
		sim_ram_store(m.ram, DEVICES + 8 * 3, &l1, 8);
		assert_int_equal(mapd(&m, 3 * in_page, 1, true), SIM_ITS_OK);
		assert_true(sim_ram_get64(m.ram, DEVICES + 0x40000, &dte) && dte);
		assert_int_equal(mapd(&m, 4 * in_page - 1, 1, true), SIM_ITS_OK);
		assert_int_equal(mapd(&m, 3 * in_page - 1, 1, true), SIM_ITS_DEVICE_OOR);
		assert_int_equal(mapd(&m, 4 * in_page, 1, true), SIM_ITS_DEVICE_OOR);
		machine_down(&m);
	}
}

static void device_table(struct machine *m, uint64_t baser)
{
	its_write(m, SIM_GITS_CTLR, 0);
	its_write(m, SIM_GITS_BASER, SIM_GITS_VALID | baser);
	its_write(m, SIM_GITS_CTLR, SIM_GITS_CTLR_ENABLED);
}

/* A table larger than there are devices; and bits 51:48 of an address, which 64 KiB pages have. */
static void tables_have_other_limits(void **state)
{
	struct sim_its_config cfg = { .choices = *sim_its_profile(SIM_ITS_PROFILE_QEMU),
				      .devbits = 4 };
	struct machine m;

	(void)state;
	machine_up(&m, &cfg, SIM_GIC_V4_NONE);
	device_table(&m, DEVICES);
	assert_int_equal(mapd(&m, 15, 1, true), SIM_ITS_OK);
	assert_int_equal(mapd(&m, 16, 1, true), SIM_ITS_DEVICE_OOR);
	device_table(&m, DEVICES | 1 << 12);
	assert_int_equal(mapd(&m, 1, 1, true), SIM_ITS_OK);
	device_table(&m, DEVICES | 2 << 8);
	assert_int_equal(mapd(&m, 1, 1, true), SIM_ITS_OK);
	device_table(&m, DEVICES | 2 << 8 | 1 << 12);
	assert_int_equal(mapd(&m, 1, 1, true), SIM_ITS_FAULT);
	machine_down(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_registers_have_their_masks),
		cmocka_unit_test(what_is_read_only_stays),
		cmocka_unit_test(frames_identify_themselves),
		cmocka_unit_test(typer_tells_the_sizes),
		cmocka_unit_test(halves_are_written_one_by_one),
		cmocka_unit_test(tables_hold_still_while_enabled),
		cmocka_unit_test(gicr_registers_have_their_masks),
		cmocka_unit_test(attributes_that_stay),
		cmocka_unit_test(the_queue_wraps),
		cmocka_unit_test(a_disabled_its_keeps_its_queue),
		cmocka_unit_test(a_fault_stalls_until_retried),
		cmocka_unit_test(what_stalls_is_a_policy),
		cmocka_unit_test(a_queue_that_is_not_there),
		cmocka_unit_test(cwriter_outside_of_the_queue),
		cmocka_unit_test(cbaser_resets_creadr),
		cmocka_unit_test(cbaser_ends_a_stall),
		cmocka_unit_test(tables_of_every_shape),
		cmocka_unit_test(tables_have_other_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
