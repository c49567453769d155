/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/machine/ram_dirty.h - writes that pass by stage 2, told to a dirty log.
 *
 * Devices, and the hypervisor when it saves interrupt tables, write guest memory without a vCPU: no
 * leaf traps, no ring has an entry. sim_ram_dirty_wrote() is what sim_ram_on_write() wants, and
 * marks each page under the writer's name.
 *
 * Concurrency: as the memory.
 */
#ifndef SIM_MACHINE_RAM_DIRTY_H
#define SIM_MACHINE_RAM_DIRTY_H

#include <stdint.h>

#include "weir/dirty.h"

/**
 * struct sim_ram_dirty - a writer
 * @d: the log
 * @source: the writer's name in it
 * @late: writes that came after weir_dirty_final(): marked, and too late for whoever counted
 * @outside: writes to memory that the log does not cover
 */
struct sim_ram_dirty {
	struct weir_dirty *d;
	enum weir_dirty_source source;
	uint64_t late;
	uint64_t outside;
};

/** sim_ram_dirty_wrote() - for sim_ram_on_write(); ctx is a struct sim_ram_dirty */
void sim_ram_dirty_wrote(void *ctx, uint64_t addr, uint64_t nbytes);

#endif
