// SPDX-License-Identifier: BSD-2-Clause
/*
 * ram.c - guest physical memory by the byte. See ram.h.
 *
 * Regions are kept sorted by address; each has an inaccessible page of host memory on either side,
 * so that a fault of this file is found where it happens. A range is walked region by region, so
 * one that spans two regions that touch is as good as one inside a region; each walk is preceded by
 * the check that all of it is memory (R2).
 */
#include "sim/machine/ram.h"

#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct ram_region {
	uint64_t base;
	uint64_t last;
	uint8_t *bytes;
};

struct sim_ram {
	struct ram_region regions[SIM_RAM_REGIONS_MAX];
	size_t nregions;
	sim_ram_wrote_fn *wrote;
	void *wrote_ctx;
};

struct sim_ram *sim_ram_create(void)
{
	return sim_alloc(1, sizeof(struct sim_ram), "guest memory");
}

static size_t region_bytes(const struct ram_region *r)
{
	return (size_t)(r->last - r->base) + 1;
}

void sim_ram_destroy(struct sim_ram *ram)
{
	if (!ram)
		return;
	for (size_t i = 0; i < ram->nregions; i++)
		munmap(ram->regions[i].bytes - SIM_RAM_PAGE_BYTES,
		       region_bytes(&ram->regions[i]) + 2 * SIM_RAM_PAGE_BYTES);
	free(ram);
}

/* Index of the first region that ends at @addr or behind it. */
static size_t region_from(const struct sim_ram *ram, uint64_t addr)
{
	size_t i = 0;

	while (i < ram->nregions && ram->regions[i].last < addr)
		i++;
	return i;
}

/* Zeroed host memory between two guards; NULL if there is none. */
static uint8_t *host_memory(uint64_t nbytes)
{
	size_t all = (size_t)(nbytes + 2 * SIM_RAM_PAGE_BYTES);
	uint8_t *bytes = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			      0);

	if (bytes == MAP_FAILED)
		return NULL;
	bytes += SIM_RAM_PAGE_BYTES;
	if (mprotect(bytes, (size_t)nbytes, PROT_READ | PROT_WRITE) == 0)
		return bytes;
	munmap(bytes - SIM_RAM_PAGE_BYTES, all);
	return NULL;
}

bool sim_ram_add(struct sim_ram *ram, uint64_t base, uint64_t nbytes, struct sim_error *err)
{
	uint64_t last = base + (nbytes - 1);
	size_t i = region_from(ram, base);
	uint8_t *bytes;

	if (!nbytes || (base | nbytes) % SIM_RAM_PAGE_BYTES || last < base ||
	    nbytes > SIZE_MAX / 2) {
		sim_error_set(err, "memory at 0x%" PRIx64 ": size 0x%" PRIx64
			      " must be whole pages inside the address space", base, nbytes);
		return false;
	}
	if (i < ram->nregions && ram->regions[i].base <= last) {
		sim_error_set(err, "memory at 0x%" PRIx64 ": overlaps that at 0x%" PRIx64, base,
			      ram->regions[i].base);
		return false;
	}
	if (ram->nregions == SIM_RAM_REGIONS_MAX) {
		sim_error_set(err, "memory at 0x%" PRIx64 ": one region too many, at most %u", base,
			      SIM_RAM_REGIONS_MAX);
		return false;
	}
	bytes = host_memory(nbytes);
	if (!bytes) {
		sim_error_set(err, "memory at 0x%" PRIx64 ": the host has no room for 0x%" PRIx64
			      " bytes", base, nbytes);
		return false;
	}
	memmove(&ram->regions[i + 1], &ram->regions[i],
		(ram->nregions - i) * sizeof(ram->regions[0]));
	ram->regions[i] = (struct ram_region){ .base = base, .last = last, .bytes = bytes };
	ram->nregions++;
	return true;
}

void sim_ram_on_write(struct sim_ram *ram, sim_ram_wrote_fn *fn, void *ctx)
{
	ram->wrote = fn;
	ram->wrote_ctx = ctx;
}

/*
 * The bytes at @addr in one region: a pointer, and how many of @want there are; NULL and 0 in a
 * hole.
 */
static uint8_t *region_run(const struct sim_ram *ram, uint64_t addr, uint64_t want, uint64_t *have)
{
	size_t i = region_from(ram, addr);
	const struct ram_region *r = &ram->regions[i];

	*have = 0;
	if (i == ram->nregions || r->base > addr || !want)
		return NULL;
	*have = r->last - addr < want - 1 ? r->last - addr + 1 : want;
	return r->bytes + (addr - r->base);
}

bool sim_ram_covers(const struct sim_ram *ram, uint64_t addr, uint64_t nbytes)
{
	uint64_t have;

	if (nbytes && addr + (nbytes - 1) < addr)
		return false;
	for (; nbytes; nbytes -= have, addr += have)
		if (!region_run(ram, addr, nbytes, &have))
			return false;
	return true;
}

bool sim_ram_read(const struct sim_ram *ram, uint64_t addr, void *buf, size_t nbytes)
{
	uint8_t *to = buf;
	uint64_t have;

	if (!sim_ram_covers(ram, addr, nbytes))
		return false;
	for (; nbytes; nbytes -= (size_t)have, addr += have, to += have) {
		const uint8_t *from = region_run(ram, addr, nbytes, &have);

		memcpy(to, from, (size_t)have);
	}
	return true;
}

bool sim_ram_store(struct sim_ram *ram, uint64_t addr, const void *buf, size_t nbytes)
{
	const uint8_t *from = buf;
	uint64_t have;

	if (!sim_ram_covers(ram, addr, nbytes))
		return false;
	for (; nbytes; nbytes -= (size_t)have, addr += have, from += have) {
		uint8_t *to = region_run(ram, addr, nbytes, &have);

		memcpy(to, from, (size_t)have);
	}
	return true;
}

static void tell(struct sim_ram *ram, uint64_t addr, uint64_t nbytes)
{
	if (ram->wrote && nbytes)
		ram->wrote(ram->wrote_ctx, addr, nbytes);
}

bool sim_ram_write(struct sim_ram *ram, uint64_t addr, const void *buf, size_t nbytes)
{
	if (!sim_ram_store(ram, addr, buf, nbytes))
		return false;
	tell(ram, addr, nbytes);
	return true;
}

bool sim_ram_fill(struct sim_ram *ram, uint64_t addr, uint8_t byte, uint64_t nbytes)
{
	uint64_t at = addr, left = nbytes, have;

	if (!sim_ram_covers(ram, addr, nbytes))
		return false;
	for (; left; left -= have, at += have) {
		uint8_t *to = region_run(ram, at, left, &have);

		memset(to, byte, (size_t)have);
	}
	tell(ram, addr, nbytes);
	return true;
}

const uint8_t *sim_ram_view(const struct sim_ram *ram, uint64_t addr, uint64_t *nbytes)
{
	return region_run(ram, addr, *nbytes, nbytes);
}

bool sim_ram_get8(const struct sim_ram *ram, uint64_t addr, uint8_t *value)
{
	return sim_ram_read(ram, addr, value, sizeof(*value));
}

bool sim_ram_get64(const struct sim_ram *ram, uint64_t addr, uint64_t *value)
{
	uint8_t bytes[8];

	if (!sim_ram_read(ram, addr, bytes, sizeof(bytes)))
		return false;
	*value = sim_le64(bytes);
	return true;
}

bool sim_ram_put8(struct sim_ram *ram, uint64_t addr, uint8_t value)
{
	return sim_ram_write(ram, addr, &value, sizeof(value));
}

bool sim_ram_put64(struct sim_ram *ram, uint64_t addr, uint64_t value)
{
	uint8_t bytes[8];

	sim_put_le64(bytes, value);
	return sim_ram_write(ram, addr, bytes, sizeof(bytes));
}

uint64_t sim_le64(const void *bytes)
{
	uint64_t v;

	memcpy(&v, bytes, sizeof(v));
	return le64toh(v);
}

uint32_t sim_le32(const void *bytes)
{
	uint32_t v;

	memcpy(&v, bytes, sizeof(v));
	return le32toh(v);
}

void sim_put_le64(void *bytes, uint64_t value)
{
	value = htole64(value);
	memcpy(bytes, &value, sizeof(value));
}

void sim_put_le32(void *bytes, uint32_t value)
{
	value = htole32(value);
	memcpy(bytes, &value, sizeof(value));
}
