/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * its_held.h - mappings held inside the ITS: sorted arrays, which its_save.c writes out in order.
 */
#ifndef SIM_MACHINE_ITS_HELD_H
#define SIM_MACHINE_ITS_HELD_H

#include <stddef.h>

#include "sim/machine/its_internal.h"

struct held_ite {
	uint32_t eid;
	uint32_t intid;
	uint32_t icid; /* ITS_ICID_NONE: its collection was unmapped; dead */
};

struct held_dev {
	uint32_t did;
	uint32_t bits;
	uint64_t itt;
	struct held_ite *ites; /* by eid */
	size_t nites, room;
};

struct held_coll {
	uint32_t icid;
	uint32_t pe; /* SIM_GIC_PE_NONE: events were mapped to it, but it is not mapped yet */
};

struct its_held {
	struct held_dev *devs; /* by did */
	size_t ndevs, devs_room;
	struct held_coll *colls; /* by icid */
	size_t ncolls, colls_room;
	size_t nites;
};

bool its_held_has_coll(const struct sim_its *its, uint32_t icid);
/* A collection that is not there yet. */
void its_held_add_coll(struct sim_its *its, uint32_t icid, uint32_t pe);

#endif
