/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine/ram.h - guest physical memory by the byte, with holes: what devices that keep tables and
 * queues in guest memory read and write.
 *
 * The guest chooses the addresses, so every access is checked. An access that leaves memory, or
 * touches a hole with one byte, changes nothing and returns false; the device turns that into
 * whatever its architecture says about an aborted access.
 *
 * R1  No byte outside the regions is ever read or written, whatever address and length are given,
 *     sums that wrap included.
 * R2  A failed write has changed nothing.
 * R3  Every byte written by sim_ram_write() and its relatives has been told to the write hook,
 *     after it was written and before the call returns: such writes pass by stage 2, so a dirty log
 *     must be told. sim_ram_store() is for a vCPU's own stores, which the tables see.
 *
 * Values are little-endian. Memory is zero at first, and takes host memory only where it was
 * written.
 *
 * Concurrency: one thread. Cost: a search of the regions (a handful) and a copy.
 */
#ifndef SIM_MACHINE_RAM_H
#define SIM_MACHINE_RAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/engine/error.h"

#define SIM_RAM_PAGE_BYTES UINT64_C(4096)
#define SIM_RAM_REGIONS_MAX 64u

struct sim_ram;

/** Bytes @addr to @addr + @nbytes - 1 were written by somebody other than a vCPU. */
typedef void sim_ram_wrote_fn(void *ctx, uint64_t addr, uint64_t nbytes);

/** sim_ram_create() - no memory at all yet; does not fail (see sim_alloc()) */
struct sim_ram *sim_ram_create(void);

/** sim_ram_destroy() - give it back; NULL is fine */
void sim_ram_destroy(struct sim_ram *ram);

/**
 * sim_ram_add() - a region of memory
 * @base: first byte; a multiple of SIM_RAM_PAGE_BYTES
 * @nbytes: its size, a multiple too, not 0; may reach, but not pass, the end of the address space
 *
 * Return: false with @err set if it overlaps another, is misaligned or empty, wraps, is one too
 * many, or the host has no room.
 */
bool sim_ram_add(struct sim_ram *ram, uint64_t base, uint64_t nbytes, struct sim_error *err);

/** sim_ram_on_write() - whom to tell of writes; NULL for nobody */
void sim_ram_on_write(struct sim_ram *ram, sim_ram_wrote_fn *fn, void *ctx);

/** sim_ram_covers() - whether all of the bytes are memory; true for none */
bool sim_ram_covers(const struct sim_ram *ram, uint64_t addr, uint64_t nbytes);

/** sim_ram_read() - copy bytes out; false, with @buf untouched, if one of them is not memory */
bool sim_ram_read(const struct sim_ram *ram, uint64_t addr, void *buf, size_t nbytes);

/** sim_ram_write() - a device, or the hypervisor, writes; false if one byte is not memory */
bool sim_ram_write(struct sim_ram *ram, uint64_t addr, const void *buf, size_t nbytes);

/** sim_ram_store() - a vCPU stores: as sim_ram_write() without the hook */
bool sim_ram_store(struct sim_ram *ram, uint64_t addr, const void *buf, size_t nbytes);

/** sim_ram_fill() - sim_ram_write() of @nbytes equal bytes */
bool sim_ram_fill(struct sim_ram *ram, uint64_t addr, uint8_t byte, uint64_t nbytes);

/**
 * sim_ram_view() - bytes to read in place
 * @nbytes: how many; set to how many follow in the same region from @addr on, if those are fewer
 *
 * Return: NULL, with @nbytes 0, if @addr is not memory. Valid until the memory is destroyed.
 */
const uint8_t *sim_ram_view(const struct sim_ram *ram, uint64_t addr, uint64_t *nbytes);

/* Single values, little-endian, of any alignment. As sim_ram_read() and sim_ram_write(). */
bool sim_ram_get8(const struct sim_ram *ram, uint64_t addr, uint8_t *value);
bool sim_ram_get64(const struct sim_ram *ram, uint64_t addr, uint64_t *value);
bool sim_ram_put8(struct sim_ram *ram, uint64_t addr, uint8_t value);
bool sim_ram_put64(struct sim_ram *ram, uint64_t addr, uint64_t value);

/* The same of a buffer. */
uint64_t sim_le64(const void *bytes);
uint32_t sim_le32(const void *bytes);
void sim_put_le64(void *bytes, uint64_t value);
void sim_put_le32(void *bytes, uint32_t value);

#endif
