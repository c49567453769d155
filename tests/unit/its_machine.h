/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * its_machine.h - a small machine with an ITS, set up as a guest would, and a guest's commands.
 *
 * 16 MiB of RAM at 0x40000000; the tables below; everything else is a hole.
 */
#ifndef TESTS_UNIT_ITS_MACHINE_H
#define TESTS_UNIT_ITS_MACHINE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sim/machine/its.h"

#define RAM		UINT64_C(0x40000000)
#define RAM_BYTES	UINT64_C(0x01000000)
#define PROP		UINT64_C(0x40010000)
#define PEND(pe)	(UINT64_C(0x40100000) + (uint64_t)(pe) * 0x10000)
#define QUEUE		UINT64_C(0x40200000)
#define DEVICES		UINT64_C(0x40300000)
#define COLLECTIONS	UINT64_C(0x40400000)
#define VPES		UINT64_C(0x40410000)
#define VPROP		UINT64_C(0x40420000)
#define VPT(vpe)	(UINT64_C(0x40430000) + (uint64_t)(vpe) * 0x10000)
#define ITT(did)	(UINT64_C(0x40800000) + (uint64_t)(did) * 0x1000)
#define HOLE		UINT64_C(0x80000000)

struct machine {
	struct sim_ram *ram;
	struct sim_gic *gic;
	struct sim_its *its;
	uint64_t write;		    /* where the next command goes */
	uint64_t queue_bytes;
	enum sim_its_code code;	    /* of the command executed last */
	unsigned int executed;
};

static inline void machine_command(void *ctx, const uint64_t cmd[4], enum sim_its_code code)
{
	struct machine *m = ctx;

	(void)cmd;
	m->code = code;
	m->executed++;
}

static inline void its_write(struct machine *m, uint32_t off, uint64_t value)
{
	sim_its_write(m->its, off, off == SIM_GITS_CTLR ? 4 : 8, value, 0);
}

static inline uint64_t its_read(struct machine *m, uint32_t off)
{
	uint64_t value;

	sim_its_read(m->its, off, 8, &value);
	return value;
}

/* The GIC and the ITS of a machine, as at reset. */
static inline void machine_parts(struct machine *m, const struct sim_its_config *its,
				 const struct sim_gic_config *gic)
{
	const struct sim_its_hooks hooks = { .command = machine_command };
	struct sim_error err = { "" };

	m->gic = sim_gic_create(gic, m->ram, &err);
	assert_string_equal(err.text, "");
	m->its = sim_its_create(its, m->gic, m->ram, &err);
	assert_string_equal(err.text, "");
	sim_its_set_hooks(m->its, &hooks, m);
}

static inline void machine_redistributors(struct machine *m)
{
	sim_gicd_write(m->gic, SIM_GICD_CTLR, SIM_GICD_CTLR_GRP1 | SIM_GICD_CTLR_ARE);
	for (uint32_t pe = 0; pe < sim_gic_config(m->gic)->npes; pe++) {
		sim_gicr_write(m->gic, pe, SIM_GICR_WAKER, 4, 0);
		sim_gicr_write(m->gic, pe, SIM_GICR_PROPBASER, 8, PROP | 15);
		sim_gicr_write(m->gic, pe, SIM_GICR_PENDBASER, 8, PEND(pe));
		sim_gicr_write(m->gic, pe, SIM_GICR_CTLR, 4, SIM_GICR_CTLR_ENABLE_LPIS);
		sim_gic_set_pmr(m->gic, pe, 0xff);
	}
}

static inline void machine_tables(struct machine *m)
{
	its_write(m, SIM_GITS_CBASER, SIM_GITS_VALID | QUEUE | (m->queue_bytes / 4096 - 1));
	its_write(m, SIM_GITS_BASER, SIM_GITS_VALID | DEVICES | UINT64_C(2) << 8);
	its_write(m, SIM_GITS_BASER + 8, SIM_GITS_VALID | COLLECTIONS | UINT64_C(2) << 8);
	its_write(m, SIM_GITS_BASER + 16, SIM_GITS_VALID | VPES | UINT64_C(2) << 8);
}

/* A machine up to the point where commands run: 4 PEs, all LPIs enabled at priority 0x80. */
static inline void machine_up(struct machine *m, const struct sim_its_config *its,
			      enum sim_gic_v4 v4)
{
	const struct sim_gic_config gic = { .npes = 4, .state = its->choices.state, .v4 = v4 };
	struct sim_error err = { "" };

	*m = (struct machine){ .queue_bytes = 65536 };
	m->ram = sim_ram_create();
	assert_true(sim_ram_add(m->ram, RAM, RAM_BYTES, &err));
	sim_ram_fill(m->ram, PROP, 0x81, 0x10000);
	machine_parts(m, its, &gic);
	machine_redistributors(m);
	machine_tables(m);
	its_write(m, SIM_GITS_CTLR, SIM_GITS_CTLR_ENABLED);
}

static inline void machine_up_profile(struct machine *m, enum sim_its_profile profile)
{
	struct sim_its_config its = { .choices = *sim_its_profile(profile) };

	machine_up(m, &its, SIM_GIC_V4_NONE);
}

static inline void machine_down(struct machine *m)
{
	sim_its_destroy(m->its);
	sim_gic_destroy(m->gic);
	sim_ram_destroy(m->ram);
}

/* Put a command into the queue without telling. */
static inline void queue(struct machine *m, uint64_t w0, uint64_t w1, uint64_t w2, uint64_t w3)
{
	const uint64_t w[4] = { w0, w1, w2, w3 };
	uint8_t bytes[32];

	for (unsigned int i = 0; i < 4; i++)
		sim_put_le64(bytes + 8 * i, w[i]);
	assert_true(sim_ram_store(m->ram, QUEUE + m->write, bytes, sizeof(bytes)));
	m->write = (m->write + sizeof(bytes)) % m->queue_bytes;
}

static inline enum sim_its_code run(struct machine *m, uint64_t w0, uint64_t w1, uint64_t w2,
				    uint64_t w3)
{
	queue(m, w0, w1, w2, w3);
	its_write(m, SIM_GITS_CWRITER, m->write);
	return m->code;
}

/* Commands; each returns the code it was executed with. */
static inline enum sim_its_code mapd(struct machine *m, uint64_t did, uint64_t bits, bool valid)
{
	return run(m, SIM_ITS_MAPD | did << 32, bits - 1, (uint64_t)valid << 63 | ITT(did), 0);
}

static inline enum sim_its_code mapc(struct machine *m, uint64_t icid, uint64_t pe, bool valid)
{
	return run(m, SIM_ITS_MAPC, 0, (uint64_t)valid << 63 | pe << 16 | icid, 0);
}

static inline enum sim_its_code mapti(struct machine *m, uint64_t did, uint64_t eid, uint64_t lpi,
				      uint64_t icid)
{
	return run(m, SIM_ITS_MAPTI | did << 32, lpi << 32 | eid, icid, 0);
}

/* INT, CLEAR, DISCARD, INV. */
static inline enum sim_its_code on_event(struct machine *m, enum sim_its_op op, uint64_t did,
					 uint64_t eid)
{
	return run(m, (uint64_t)op | did << 32, eid, 0, 0);
}

static inline enum sim_its_code movi(struct machine *m, uint64_t did, uint64_t eid, uint64_t icid)
{
	return run(m, SIM_ITS_MOVI | did << 32, eid, icid, 0);
}

static inline enum sim_its_code movall(struct machine *m, uint64_t from, uint64_t to)
{
	return run(m, SIM_ITS_MOVALL, 0, from << 16, to << 16);
}

static inline enum sim_its_code invall(struct machine *m, uint64_t icid)
{
	return run(m, SIM_ITS_INVALL, 0, icid, 0);
}

static inline void configure(struct machine *m, uint32_t lpi, uint8_t byte)
{
	assert_true(sim_ram_store(m->ram, PROP + (lpi - SIM_GIC_LPI_FIRST), &byte, 1));
}

/* The PE enters its guest and takes what is there: the INTID, ended at once. */
static inline uint32_t take(struct machine *m, uint32_t pe)
{
	uint32_t intid;

	for (uint32_t i = 0; i < sim_gic_config(m->gic)->npes; i++)
		sim_gic_sync(m->gic, i);
	intid = sim_gic_iar(m->gic, pe);
	if (intid != SIM_GIC_SPURIOUS)
		sim_gic_eoir(m->gic, pe);
	return intid;
}

#endif
