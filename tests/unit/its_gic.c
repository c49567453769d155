// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_gic - LPIs at the redistributor and the CPU interface.
 *
 * Goal: priorities, masks, preemption, group and wake-up decide what is signalled as the
 * architecture says (IHI 0069, "Interrupt prioritization"); pending tables are read, kept and
 * written as each place for LPI state has it; the line hook hears of each change and of nothing
 * else. Method: a GIC without an ITS; LPIs set by hand; the line compared with the hook after each
 * step.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sim/machine/gic.h"

#define RAM	UINT64_C(0x40000000)
#define PROP	UINT64_C(0x40010000)
#define PEND(c)	(UINT64_C(0x40020000) + (uint64_t)(c) * 0x10000)
#define LPI	SIM_GIC_LPI_FIRST

struct machine {
	struct sim_ram *ram;
	struct sim_gic *gic;
	bool lines[2];
	unsigned int changes;
};

static void on_line(void *ctx, uint32_t pe, bool is_virtual, bool level)
{
	struct machine *m = ctx;

	assert_false(is_virtual);
	assert_true(m->lines[pe] != level);
	m->lines[pe] = level;
	m->changes++;
}

static void configure(struct machine *m, uint32_t lpi, uint8_t byte)
{
	assert_true(sim_ram_store(m->ram, PROP + (lpi - LPI), &byte, 1));
}

/* Two PEs, awake, LPIs enabled, nothing masked. LPI 8192 + i has priority 8 * (i + 1). */
static void start(struct machine *m, enum sim_gic_state state)
{
	const struct sim_gic_config cfg = { .npes = 2, .state = state };
	struct sim_error err = { "" };

	*m = (struct machine){ .changes = 0 };
	m->ram = sim_ram_create();
	assert_true(sim_ram_add(m->ram, RAM, 0x100000, &err));
	m->gic = sim_gic_create(&cfg, m->ram, &err);
	assert_non_null(m->gic);
	sim_gic_on_line(m->gic, on_line, m);
	sim_gicd_write(m->gic, SIM_GICD_CTLR, SIM_GICD_CTLR_GRP1);
	for (uint32_t i = 0; i < 24; i++)
		configure(m, LPI + i, (uint8_t)(8 * (i + 1) | 1));
	for (uint32_t pe = 0; pe < 2; pe++) {
		sim_gicr_write(m->gic, pe, SIM_GICR_WAKER, 4, 0);
		sim_gicr_write(m->gic, pe, SIM_GICR_PROPBASER, 8, PROP | 15);
		sim_gicr_write(m->gic, pe, SIM_GICR_PENDBASER, 8, PEND(pe));
		sim_gicr_write(m->gic, pe, SIM_GICR_CTLR, 4, 1);
		sim_gic_set_pmr(m->gic, pe, 0xff);
	}
	for (uint32_t i = 0; i < 24; i++)
		assert_true(sim_gic_lpi_map(m->gic, LPI + i, i % 2));
}

static void stop(struct machine *m)
{
	sim_gic_destroy(m->gic);
	sim_ram_destroy(m->ram);
}

#define BOTH(state_)                                                                               \
	for (enum sim_gic_state state_ = SIM_GIC_TABLE; state_ <= SIM_GIC_HELD; state_++)

static void line_is(struct machine *m, uint32_t pe, bool level)
{
	assert_int_equal(sim_gic_line(m->gic, pe), level);
	assert_int_equal(m->lines[pe], level);
}

static void the_most_urgent_first(void **state)
{
	(void)state;
	BOTH(where) {
		struct machine m;

		start(&m, where);
		sim_gic_lpi_set(m.gic, 0, LPI + 4);
		sim_gic_lpi_set(m.gic, 0, LPI + 2);
		sim_gic_lpi_set(m.gic, 0, LPI + 6);
		line_is(&m, 0, true);
		line_is(&m, 1, false);
		assert_int_equal(sim_gic_hppir(m.gic, 0), LPI + 2);
		for (uint32_t i = 2; i <= 6; i += 2) {
			assert_int_equal(sim_gic_iar(m.gic, 0), LPI + i);
			assert_false(sim_gic_lpi_pending(m.gic, 0, LPI + i));
			line_is(&m, 0, false); /* its own priority runs */
			sim_gic_eoir(m.gic, 0);
		}
		assert_int_equal(sim_gic_iar(m.gic, 0), SIM_GIC_SPURIOUS);
		sim_gic_eoir(m.gic, 0); /* nothing runs: ignored */
		line_is(&m, 0, false);
		stop(&m);
	}
}

static void a_mask_lets_through_what_is_more_urgent(void **state)
{
	(void)state;
	BOTH(where) {
		struct machine m;

		start(&m, where);
		sim_gic_lpi_set(m.gic, 0, LPI + 4); /* 0x28 */
		sim_gic_set_pmr(m.gic, 0, 0x28);
		line_is(&m, 0, false);
		assert_int_equal(sim_gic_hppir(m.gic, 0), LPI + 4);
		assert_int_equal(sim_gic_iar(m.gic, 0), SIM_GIC_SPURIOUS);
		/* Five bits are there: 0x2f is 0x28. */
		sim_gic_set_pmr(m.gic, 0, 0x2f);
		line_is(&m, 0, false);
		sim_gic_set_pmr(m.gic, 0, 0x30);
		line_is(&m, 0, true);
		assert_int_equal(sim_gic_iar(m.gic, 0), LPI + 4);
		stop(&m);
	}
}

static void preemption_nests(void **state)
{
	(void)state;
	BOTH(where) {
		struct machine m;

		start(&m, where);
		sim_gic_lpi_set(m.gic, 0, LPI + 10);
		assert_int_equal(sim_gic_iar(m.gic, 0), LPI + 10);
		sim_gic_lpi_set(m.gic, 0, LPI + 12);
		line_is(&m, 0, false);
		sim_gic_lpi_set(m.gic, 0, LPI + 4);
		line_is(&m, 0, true);
		assert_int_equal(sim_gic_iar(m.gic, 0), LPI + 4);
		line_is(&m, 0, false);
		sim_gic_eoir(m.gic, 0); /* back to 10's priority */
		line_is(&m, 0, false);
		sim_gic_eoir(m.gic, 0);
		line_is(&m, 0, true);
		assert_int_equal(sim_gic_iar(m.gic, 0), LPI + 12);
		stop(&m);
	}
}

static void switches_hold_it_back(void **state)
{
	(void)state;
	BOTH(where) {
		struct machine m;

		start(&m, where);
		sim_gic_lpi_set(m.gic, 1, LPI + 5);
		line_is(&m, 1, true);
		sim_gic_set_group1(m.gic, 1, false);
		line_is(&m, 1, false);
		sim_gic_set_group1(m.gic, 1, true);
		line_is(&m, 1, true);
		sim_gicr_write(m.gic, 1, SIM_GICR_WAKER, 4, 2);
		line_is(&m, 1, false);
		sim_gicr_write(m.gic, 1, SIM_GICR_WAKER, 4, 0);
		line_is(&m, 1, true);
		sim_gicd_write(m.gic, SIM_GICD_CTLR, 0);
		line_is(&m, 1, false);
		sim_gicd_write(m.gic, SIM_GICD_CTLR, SIM_GICD_CTLR_GRP1);
		line_is(&m, 1, true);
		sim_gicr_write(m.gic, 1, SIM_GICR_CTLR, 4, 0);
		line_is(&m, 1, false);
		stop(&m);
	}
}

static void one_that_is_not_enabled_waits(void **state)
{
	(void)state;
	BOTH(where) {
		struct machine m;

		start(&m, where);
		configure(&m, LPI + 6, 0x38);
		sim_gic_lpi_inv(m.gic, 0, LPI + 6);
		sim_gic_lpi_set(m.gic, 0, LPI + 6);
		line_is(&m, 0, false);
		assert_true(sim_gic_lpi_pending(m.gic, 0, LPI + 6));
		assert_int_equal(sim_gic_hppir(m.gic, 0), SIM_GIC_SPURIOUS);
		/* Enabled in memory alone: not seen before INV. */
		configure(&m, LPI + 6, 0x39);
		line_is(&m, 0, false);
		sim_gic_lpi_inv_all(m.gic, 1); /* another PE's */
		line_is(&m, 0, false);
		sim_gic_lpi_inv_all(m.gic, 0);
		line_is(&m, 0, true);
		configure(&m, LPI + 6, 0x38);
		sim_gicr_write(m.gic, 0, SIM_GICR_INVLPIR, 8, LPI + 6);
		line_is(&m, 0, false);
		assert_true(sim_gic_lpi_pending(m.gic, 0, LPI + 6));
		stop(&m);
	}
}

/*
 * INVLPIR and INVALLR are nothing while EnableLPIs is clear, nor are writes of their upper halves.
 * Held: an LPI keeps what was read of it.
 */
static void invalidations_that_are_none(void **state)
{
	struct machine m;

	(void)state;
	start(&m, SIM_GIC_HELD);
	configure(&m, LPI + 6, 0x38);
	configure(&m, LPI + 5, 0x38);
	sim_gicr_write(m.gic, 0, SIM_GICR_INVLPIR + 4, 4, LPI + 6);
	sim_gicr_write(m.gic, 0, SIM_GICR_INVALLR + 4, 4, 0);
	sim_gicr_write(m.gic, 1, SIM_GICR_CTLR, 4, 0);
	sim_gicr_write(m.gic, 1, SIM_GICR_INVLPIR, 8, LPI + 5);
	sim_gicr_write(m.gic, 1, SIM_GICR_INVALLR, 8, 0);
	sim_gicr_write(m.gic, 1, SIM_GICR_CTLR, 4, 1);
	sim_gic_lpi_set(m.gic, 0, LPI + 6);
	sim_gic_lpi_set(m.gic, 1, LPI + 5);
	line_is(&m, 0, true);
	line_is(&m, 1, true);
	/* The lower half sets it off. */
	sim_gicr_write(m.gic, 0, SIM_GICR_INVLPIR, 4, LPI + 6);
	line_is(&m, 0, false);
	sim_gicr_write(m.gic, 1, SIM_GICR_INVALLR, 4, 0);
	line_is(&m, 1, false);
	stop(&m);
}

static void equals_have_an_order(void **state)
{
	/* Table: the lowest INTID; held: in order of arrival. */
	static const uint32_t order[2][3] = { { 2, 4, 6 }, { 4, 2, 6 } };

	(void)state;
	BOTH(where) {
		struct machine m;

		start(&m, where);
		for (uint32_t i = 2; i <= 6; i += 2)
			configure(&m, LPI + i, 0x41);
		sim_gic_lpi_inv_all(m.gic, 0);
		sim_gic_lpi_set(m.gic, 0, LPI + 4);
		sim_gic_lpi_set(m.gic, 0, LPI + 2);
		sim_gic_lpi_set(m.gic, 0, LPI + 6);
		for (unsigned int i = 0; i < 3; i++) {
			assert_int_equal(sim_gic_iar(m.gic, 0), LPI + order[where][i]);
			sim_gic_eoir(m.gic, 0);
		}
		stop(&m);
	}
}

static void intids_that_are_no_lpis_do_nothing(void **state)
{
	static const uint32_t none[] = { 0, 31, 1023, 8191, 0x10000, UINT32_MAX };

	(void)state;
	BOTH(where) {
		struct machine m;

		start(&m, where);
		for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
			sim_gic_lpi_set(m.gic, 0, none[i]);
			sim_gic_lpi_clear(m.gic, 0, none[i]);
			sim_gic_lpi_inv(m.gic, 0, none[i]);
			sim_gic_lpi_move(m.gic, none[i], 0, 1);
			assert_false(sim_gic_lpi_pending(m.gic, 0, none[i]));
		}
		line_is(&m, 0, false);
		assert_int_equal(m.changes, 0);
		stop(&m);
	}
}

/* PROPBASER of 14 bits: there are 8192 LPIs, and not one more. */
static void propbaser_bounds_the_lpis(void **state)
{
	struct machine m;

	(void)state;
	start(&m, SIM_GIC_TABLE);
	sim_gicr_write(m.gic, 0, SIM_GICR_CTLR, 4, 0);
	sim_gicr_write(m.gic, 0, SIM_GICR_PROPBASER, 8, PROP | 13);
	sim_gicr_write(m.gic, 0, SIM_GICR_CTLR, 4, 1);
	sim_gic_lpi_set(m.gic, 0, 16384);
	assert_false(sim_gic_lpi_pending(m.gic, 0, 16384));
	sim_gic_lpi_set(m.gic, 0, 16383);
	assert_true(sim_gic_lpi_pending(m.gic, 0, 16383));
	stop(&m);
	start(&m, SIM_GIC_HELD);
	assert_int_equal(sim_gic_lpi_end(m.gic), 65536);
	for (uint32_t pe = 0; pe < 2; pe++)
		sim_gicr_write(m.gic, pe, SIM_GICR_CTLR, 4, 0);
	sim_gicr_write(m.gic, 0, SIM_GICR_PROPBASER, 8, PROP | 13);
	assert_int_equal(sim_gic_lpi_end(m.gic), 16384);
	stop(&m);
}

static void set_bit(struct machine *m, uint32_t pe, uint32_t lpi)
{
	uint8_t byte = 0;

	assert_true(sim_ram_get8(m->ram, PEND(pe) + lpi / 8, &byte));
	byte |= (uint8_t)(1u << lpi % 8);
	assert_true(sim_ram_store(m->ram, PEND(pe) + lpi / 8, &byte, 1));
}

static void restart(struct machine *m, uint32_t pe, uint64_t ptz)
{
	sim_gicr_write(m->gic, pe, SIM_GICR_CTLR, 4, 0);
	sim_gicr_write(m->gic, pe, SIM_GICR_PENDBASER, 8, PEND(pe) | ptz);
	sim_gicr_write(m->gic, pe, SIM_GICR_CTLR, 4, 1);
}

static void tables_are_read_at_enable(void **state)
{
	(void)state;
	BOTH(where) {
		struct machine m;

		start(&m, where);
		set_bit(&m, 1, LPI + 3);
		line_is(&m, 1, false);
		restart(&m, 1, 0);
		line_is(&m, 1, true);
		assert_int_equal(sim_gic_iar(m.gic, 1), LPI + 3);
		stop(&m);
	}
	/* Held: a table said to be all zero is not read, and one PE's is not another's. */
	struct machine m;

	start(&m, SIM_GIC_HELD);
	set_bit(&m, 1, LPI + 3);
	restart(&m, 1, SIM_GICR_PENDBASER_PTZ);
	line_is(&m, 1, false);
	restart(&m, 0, 0);
	line_is(&m, 0, false);
	stop(&m);
}

static void what_was_pending_when_disabled(void **state)
{
	struct machine m;

	(void)state;
	start(&m, SIM_GIC_TABLE);
	sim_gic_lpi_set(m.gic, 0, LPI + 2);
	restart(&m, 0, 0);
	line_is(&m, 0, true); /* the table is in memory */
	stop(&m);
	start(&m, SIM_GIC_HELD);
	sim_gic_lpi_set(m.gic, 0, LPI + 2);
	restart(&m, 0, 0);
	line_is(&m, 0, false); /* it was dropped */
	assert_false(sim_gic_lpi_pending(m.gic, 0, LPI + 2));
	stop(&m);
}

/* Held: one that is pending and not enabled is what the table says when LPIs go on, unless PTZ. */
static void the_table_has_the_last_word(void **state)
{
	struct machine m;

	(void)state;
	for (int ptz = 0; ptz <= 1; ptz++) {
		start(&m, SIM_GIC_HELD);
		configure(&m, LPI + 2, 0x40);
		sim_gic_lpi_inv(m.gic, 0, LPI + 2);
		sim_gic_lpi_set(m.gic, 0, LPI + 2);
		restart(&m, 0, ptz ? SIM_GICR_PENDBASER_PTZ : 0);
		assert_int_equal(sim_gic_lpi_pending(m.gic, 0, LPI + 2), ptz);
		stop(&m);
	}
}

/* Table: an LPI that the other PE is not set up for stays, pending, where it is. */
static void a_move_that_cannot_be(void **state)
{
	struct machine m;

	(void)state;
	start(&m, SIM_GIC_TABLE);
	sim_gicr_write(m.gic, 1, SIM_GICR_CTLR, 4, 0);
	sim_gicr_write(m.gic, 1, SIM_GICR_PROPBASER, 8, PROP | 13);
	sim_gicr_write(m.gic, 1, SIM_GICR_CTLR, 4, 1);
	sim_gic_lpi_set(m.gic, 0, 16384);
	sim_gic_lpi_move(m.gic, 16384, 0, 1);
	assert_true(sim_gic_lpi_pending(m.gic, 0, 16384));
	assert_false(sim_gic_lpi_pending(m.gic, 1, 16384));
	sim_gic_lpi_move_all(m.gic, 0, 1);
	assert_true(sim_gic_lpi_pending(m.gic, 0, 16384));
	sim_gicr_write(m.gic, 1, SIM_GICR_CTLR, 4, 0);
	sim_gic_lpi_set(m.gic, 0, LPI + 2);
	sim_gic_lpi_move(m.gic, LPI + 2, 0, 1);
	line_is(&m, 0, true);
	stop(&m);
}

static void nothing_arrives_while_disabled(void **state)
{
	(void)state;
	BOTH(where) {
		struct machine m;

		start(&m, where);
		sim_gicr_write(m.gic, 0, SIM_GICR_CTLR, 4, 0);
		assert_false(sim_gic_lpis_on(m.gic, 0));
		assert_false(sim_gic_lpis_on(m.gic, 2));
		sim_gic_lpi_set(m.gic, 0, LPI + 2);
		sim_gicr_write(m.gic, 0, SIM_GICR_CTLR, 4, 1);
		line_is(&m, 0, false);
		stop(&m);
	}
}

/* Held: an LPI that was given to another PE moves when the old one runs, and queues last there. */
static void a_handover_waits_for_the_old_pe(void **state)
{
	struct machine m;

	(void)state;
	start(&m, SIM_GIC_HELD);
	configure(&m, LPI + 2, 0x41);
	configure(&m, LPI + 3, 0x41);
	sim_gic_lpi_inv(m.gic, 0, LPI + 2);
	sim_gic_lpi_inv(m.gic, 1, LPI + 3);
	sim_gic_lpi_set(m.gic, 0, LPI + 2);
	sim_gic_lpi_move(m.gic, LPI + 2, 0, 1);
	assert_true(sim_gic_lpi_pending(m.gic, 1, LPI + 2));
	line_is(&m, 1, false);
	sim_gic_lpi_set(m.gic, 1, LPI + 3);
	sim_gic_sync(m.gic, 1);
	assert_int_equal(sim_gic_hppir(m.gic, 1), LPI + 3);
	sim_gic_sync(m.gic, 0);
	line_is(&m, 0, false);
	assert_int_equal(sim_gic_iar(m.gic, 1), LPI + 3);
	sim_gic_eoir(m.gic, 1);
	assert_int_equal(sim_gic_iar(m.gic, 1), LPI + 2);
	stop(&m);
}

/* Held: unmapped while queued, an LPI is delivered, and then is gone. */
static void an_unmapped_lpi_lives_until_delivered(void **state)
{
	struct machine m;

	(void)state;
	start(&m, SIM_GIC_HELD);
	sim_gic_lpi_set(m.gic, 0, LPI + 2);
	sim_gic_lpi_unmap(m.gic, LPI + 2);
	line_is(&m, 0, true);
	/* Mapped again to another PE it keeps the one it has. */
	assert_true(sim_gic_lpi_map(m.gic, LPI + 2, 1));
	assert_true(sim_gic_lpi_pending(m.gic, 0, LPI + 2));
	assert_int_equal(sim_gic_iar(m.gic, 0), LPI + 2);
	sim_gic_lpi_unmap(m.gic, LPI + 2);
	sim_gic_lpi_set(m.gic, 0, LPI + 2);
	assert_false(sim_gic_lpi_pending(m.gic, 0, LPI + 2));
	assert_true(sim_gic_lpi_map(m.gic, LPI + 2, 1));
	sim_gic_lpi_set(m.gic, 1, LPI + 2);
	assert_true(sim_gic_lpi_pending(m.gic, 1, LPI + 2));
	stop(&m);
}

/* Held: a new LPI takes its pending bit out of the table. */
static void a_new_lpi_takes_its_bit(void **state)
{
	struct machine m;
	uint8_t byte = 0;

	(void)state;
	start(&m, SIM_GIC_HELD);
	set_bit(&m, 1, LPI + 30);
	configure(&m, LPI + 30, 0x41);
	assert_true(sim_gic_lpi_map(m.gic, LPI + 30, 1));
	line_is(&m, 1, true);
	assert_true(sim_ram_get8(m.ram, PEND(1) + (LPI + 30) / 8, &byte) && byte == 0);
	stop(&m);
}

/* A pending table in a hole keeps nothing, and hurts nobody. */
static void tables_in_holes(void **state)
{
	(void)state;
	BOTH(where) {
		struct machine m;
		struct sim_error err = { "" };

		start(&m, where);
		for (uint32_t pe = 0; pe < 2; pe++) {
			sim_gicr_write(m.gic, pe, SIM_GICR_CTLR, 4, 0);
			sim_gicr_write(m.gic, pe, SIM_GICR_PENDBASER, 8, UINT64_C(0x80000000));
			sim_gicr_write(m.gic, pe, SIM_GICR_PROPBASER, 8,
				       UINT64_C(0x90000000) | 15);
			sim_gicr_write(m.gic, pe, SIM_GICR_CTLR, 4, 1);
		}
		sim_gic_lpi_set(m.gic, 0, LPI + 2);
		sim_gic_lpi_inv(m.gic, 0, LPI + 2);
		sim_gic_lpi_inv_all(m.gic, 0);
		sim_gic_lpi_move_all(m.gic, 0, 1);
		sim_gic_iar(m.gic, 0);
		if (where == SIM_GIC_HELD) {
			assert_false(sim_gic_lpi_map(m.gic, LPI + 40, 0));
			assert_false(sim_gic_save(m.gic, &err));
			assert_non_null(strstr(err.text, "is not in memory"));
		}
		stop(&m);
	}
}

static void bad_configurations_are_refused(void **state)
{
	static const struct { struct sim_gic_config cfg; const char *says; } bads[] = {
		{ { .npes = 0 }, "gic: npes=0: must be 1..512" },
		{ { .npes = 513 }, "gic: npes=513: must be 1..512" },
		{ { .npes = 1, .idbits = 13 }, "gic: idbits=13: must be 14..20" },
		{ { .npes = 1, .idbits = 21 }, "gic: idbits=21: must be 14..20" },
		{ { .npes = 1, .pribits = 6 }, "gic: pribits=6: must be 4..5" },
		{ { .npes = 1, .state = SIM_GIC_HELD, .v4 = SIM_GIC_V4_0 },
		  "gic: GICv4 needs its state in memory, not held" },
	};
	struct sim_ram *ram = sim_ram_create();

	(void)state;
	for (size_t i = 0; i < sizeof(bads) / sizeof(bads[0]); i++) {
		struct sim_error err = { "" };

		assert_null(sim_gic_create(&bads[i].cfg, ram, &err));
		assert_string_equal(err.text, bads[i].says);
	}
	sim_gic_destroy(NULL);
	sim_ram_destroy(ram);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_most_urgent_first),
		cmocka_unit_test(a_mask_lets_through_what_is_more_urgent),
		cmocka_unit_test(preemption_nests),
		cmocka_unit_test(switches_hold_it_back),
		cmocka_unit_test(one_that_is_not_enabled_waits),
		cmocka_unit_test(invalidations_that_are_none),
		cmocka_unit_test(equals_have_an_order),
		cmocka_unit_test(intids_that_are_no_lpis_do_nothing),
		cmocka_unit_test(propbaser_bounds_the_lpis),
		cmocka_unit_test(tables_are_read_at_enable),
		cmocka_unit_test(what_was_pending_when_disabled),
		cmocka_unit_test(the_table_has_the_last_word),
		cmocka_unit_test(a_move_that_cannot_be),
		cmocka_unit_test(nothing_arrives_while_disabled),
		cmocka_unit_test(a_handover_waits_for_the_old_pe),
		cmocka_unit_test(an_unmapped_lpi_lives_until_delivered),
		cmocka_unit_test(a_new_lpi_takes_its_bit),
		cmocka_unit_test(tables_in_holes),
		cmocka_unit_test(bad_configurations_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
