/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/machine/vtcr.h - VTCR_EL2: its fields, and what they mean for tables and walkers.
 *
 * Which start levels go with which input sizes is the architecture's rule: the start level resolves
 * at least one bit, and at most 16 tables stand side by side. Where fields do not go together every
 * translation faults at level 0. The machine has 52-bit physical addresses (FEAT_LPA), small tables
 * (FEAT_TTST) and, where DS is set, FEAT_LPA2.
 *
 * Source: Arm ARM DDI 0487, VTCR_EL2 and D8 (concatenated tables, S2InconsistentSL).
 */
#ifndef SIM_MACHINE_VTCR_H
#define SIM_MACHINE_VTCR_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/machine/walk.h"

/**
 * struct sim_vtcr_fields - fields of VTCR_EL2 that are modelled
 * @granule_shift: TG0, as log2 of the granule: 12, 14 or 16
 * @t0sz: input size is 64 - t0sz bits; 0 to 63
 * @sl0: 0 to 3
 * @ps: output size, 0 to 7
 * @ha: HA
 * @hd: HD
 * @ds: DS
 * @sl2: SL2; counts with DS only
 */
struct sim_vtcr_fields {
	unsigned int granule_shift;
	unsigned int t0sz;
	unsigned int sl0;
	unsigned int ps;
	bool ha;
	bool hd;
	bool ds;
	bool sl2;
};

/**
 * sim_vtcr_encode() - the register's value
 *
 * With bit 31 (RES1), write-back cacheable walks (IRGN0, ORGN0) and inner shareable (SH0).
 */
uint64_t sim_vtcr_encode(const struct sim_vtcr_fields *f);

/**
 * sim_vtcr_geometry() - the tables' shape
 * @geo: set always: where the fields do not go together, to the nearest shape that tables can have
 *	(so that software may build what hardware will not walk)
 *
 * Return: false where they do not go together: sim_vtcr.inconsistent.
 */
bool sim_vtcr_geometry(const struct sim_vtcr_fields *f, struct sim_s2_geometry *geo);

/** sim_vtcr_walker() - the walker's part, consistency included */
struct sim_vtcr sim_vtcr_walker(const struct sim_vtcr_fields *f);

/** sim_vtcr_base52() - whether bits [5:2] of VTTBR_EL2 are address bits [51:48] */
bool sim_vtcr_base52(const struct sim_vtcr_fields *f);

#endif
