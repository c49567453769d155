/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_internal.h - the lab's state, shared by lab.c and lab_pass.c.
 *
 * The library's calls are priced by the migrate scenario's own bill (migrate_cost.c): of its struct
 * migrate only the machine, the log and the costs are in use here.
 */
#ifndef SIM_SCENARIO_EXPERIMENTS_LAB_INTERNAL_H
#define SIM_SCENARIO_EXPERIMENTS_LAB_INTERNAL_H

#include "sim/scenario/experiments/lab.h"
#include "sim/scenario/migrate_internal.h"

#define TABLE_PAGES 512u

/**
 * struct lab_vcpu - a vCPU in a pass
 * @now_ns: its clock
 * @next: index of its next access
 * @arrive_ns: when it asked for the lock
 * @unmapped: what faulted was an access to a page that is not mapped yet
 * @write: what faulted was a write
 */
struct lab_vcpu {
	uint64_t now_ns;
	uint64_t next;
	uint64_t arrive_ns;
	bool unmapped;
	bool write;
};

struct lab {
	struct migrate_config price;
	struct migrate m;
	struct weir_dirty_ops ops;
	struct sim_error *err;
	uint64_t base_gfn;
	uint64_t npages;
	uint64_t vcpu_pages;
	struct lab_vcpu *vcpus;
	unsigned int *heap; /* vCPUs that have faulted, the first to arrive on top */
	unsigned int nheap;
	uint64_t *bitmap;  /* what the last GET reported */
	uint64_t *written; /* written and not cleared */
	uint64_t faults;
	uint64_t dirty;
	uint64_t lost;
	bool broken;
};

void lab_break(struct lab *lab, const char *what, enum weir_status status);

#endif
