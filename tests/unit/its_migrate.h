/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * its_migrate.h - saves and migrations of the small machine, with mappings held, for the tests of
 * saved tables.
 */
#ifndef TESTS_UNIT_ITS_MIGRATE_H
#define TESTS_UNIT_ITS_MIGRATE_H

#include "its_machine.h"

#define V ((uint64_t)1 << 63)

static inline uint64_t load(struct machine *m, uint64_t addr)
{
	uint64_t v = 0;

	assert_true(sim_ram_get64(m->ram, addr, &v));
	return v;
}

static inline void put(struct machine *m, uint64_t addr, uint64_t value)
{
	uint8_t bytes[8];

	sim_put_le64(bytes, value);
	assert_true(sim_ram_store(m->ram, addr, bytes, sizeof(bytes)));
}

static inline void save(struct machine *m)
{
	struct sim_error err = { "" };

	assert_true(sim_gic_save(m->gic, &err));
	assert_true(sim_its_save(m->its, &err));
}

/* The other side: new hardware over the same memory, registers in the documented order. */
static inline bool migrate(struct machine *m, struct sim_error *err)
{
	const struct sim_its_config its = *sim_its_config(m->its);
	const struct sim_gic_config gic = *sim_gic_config(m->gic);
	uint64_t cbaser = sim_its_reg_get(m->its, SIM_GITS_CBASER);
	uint64_t creadr = sim_its_reg_get(m->its, SIM_GITS_CREADR);
	uint64_t cwriter = sim_its_reg_get(m->its, SIM_GITS_CWRITER);
	uint64_t dev = sim_its_reg_get(m->its, SIM_GITS_BASER);
	uint64_t coll = sim_its_reg_get(m->its, SIM_GITS_BASER + 8);
	bool ok;

	sim_its_destroy(m->its);
	sim_gic_destroy(m->gic);
	machine_parts(m, &its, &gic);
	machine_redistributors(m);
	assert_true(sim_its_reg_set(m->its, SIM_GITS_CBASER, cbaser));
	assert_true(sim_its_reg_set(m->its, SIM_GITS_CREADR, creadr));
	assert_true(sim_its_reg_set(m->its, SIM_GITS_CWRITER, cwriter));
	assert_true(sim_its_reg_set(m->its, SIM_GITS_BASER, dev));
	assert_true(sim_its_reg_set(m->its, SIM_GITS_BASER + 8, coll));
	ok = sim_its_restore(m->its, err);
	assert_true(sim_its_reg_set(m->its, SIM_GITS_CTLR, SIM_GITS_CTLR_ENABLED));
	return ok;
}

/* Devices 1 and 5; (1, 3) is 8200 on collection 1, (1, 7) is 8201 on 2, (5, 0) is 8202 on 1. */
static inline void start(struct machine *m)
{
	machine_up_profile(m, SIM_ITS_PROFILE_KVM);
	mapc(m, 2, 3, true);
	mapc(m, 1, 1, true);
	mapd(m, 5, 2, true);
	mapd(m, 1, 5, true);
	mapti(m, 1, 7, 8201, 2);
	mapti(m, 1, 3, 8200, 1);
	assert_int_equal(mapti(m, 5, 0, 8202, 1), SIM_ITS_OK);
}

#endif
