// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_transparency.c - a machine without a cache that goes through the same operations.
 *
 * Interrupts are delivered in the twin as its own tables say, so that one wrong answer is reported
 * as itself and then, at the end, as what became of it.
 */
#include "sim/check/its_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct sim_its_twin {
	struct sim_its_check *check;
	uint64_t base, nbytes;
	struct sim_ram *ram;
	struct sim_gic *gic;
	struct sim_its *its;
};

struct sim_its_twin *sim_its_twin_create(struct sim_its_check *check, uint64_t base,
					 uint64_t nbytes, const struct sim_gic_config *gic,
					 const struct sim_its_config *its, struct sim_error *err)
{
	struct sim_its_twin *twin = sim_alloc(1, sizeof(*twin), "a twin");

	twin->check = check;
	twin->base = base;
	twin->nbytes = nbytes;
	twin->ram = sim_ram_create();
	if (sim_ram_add(twin->ram, base, nbytes, err))
		twin->gic = sim_gic_create(gic, twin->ram, err);
	if (twin->gic)
		twin->its = sim_its_create(its, twin->gic, twin->ram, err);
	if (twin->its)
		return twin;
	sim_its_twin_destroy(twin);
	return NULL;
}

void sim_its_twin_destroy(struct sim_its_twin *twin)
{
	if (!twin)
		return;
	sim_its_destroy(twin->its);
	if (twin->gic)
		sim_gic_destroy(twin->gic);
	sim_ram_destroy(twin->ram);
	free(twin);
}

void sim_its_twin_store(struct sim_its_twin *twin, uint64_t addr, const void *buf, size_t nbytes)
{
	(void)sim_ram_store(twin->ram, addr, buf, nbytes);
}

void sim_its_twin_write(struct sim_its_twin *twin, uint32_t off, unsigned int nbytes,
			uint64_t value)
{
	(void)sim_its_write(twin->its, off, nbytes, value, 0);
	while (sim_its_step(twin->its))
		;
}

struct sim_gic *sim_its_twin_gic(struct sim_its_twin *twin)
{
	return twin->gic;
}

static bool same(const struct sim_its_route *a, const struct sim_its_route *b)
{
	return a->intid == b->intid && a->pe == b->pe && a->is_virtual == b->is_virtual;
}

void sim_its_twin_msi(struct sim_its_twin *twin, uint32_t device_id, uint32_t event_id,
		      enum sim_its_code code, const struct sim_its_route *route)
{
	struct sim_its_route walked;
	enum sim_its_code answer = sim_its_translate(twin->its, device_id, event_id, &walked);

	if (answer != code)
		sim_its_check_violated(twin->check, SIM_ITS_CHECK_TRANSPARENCY,
				       "device 0x%" PRIx32 " event %" PRIu32 ": %s, without a "
				       "cache %s", device_id, event_id, sim_its_code_str(code),
				       sim_its_code_str(answer));
	else if (code == SIM_ITS_OK && !same(&walked, route))
		sim_its_check_violated(twin->check, SIM_ITS_CHECK_TRANSPARENCY,
				       "device 0x%" PRIx32 " event %" PRIu32 ": LPI %" PRIu32
				       " of PE %" PRIu32 ", without a cache LPI %" PRIu32
				       " of PE %" PRIu32, device_id, event_id, route->intid,
				       route->pe, walked.intid, walked.pe);
	if (answer == SIM_ITS_OK)
		sim_its_deliver(twin->its, &walked);
}

void sim_its_twin_take(struct sim_its_twin *twin, uint32_t pe, uint32_t intid)
{
	uint32_t other = sim_gic_iar(twin->gic, pe);

	if (other != intid)
		sim_its_check_violated(twin->check, SIM_ITS_CHECK_TRANSPARENCY, "PE %" PRIu32
				       " acknowledges %" PRIu32 ", without a cache %" PRIu32, pe,
				       intid, other);
}

/* Of @n equal bytes nothing; else the first that differ. */
static void compare_bytes(struct sim_its_twin *twin, uint64_t addr, const uint8_t *a,
			  const uint8_t *b, uint64_t n)
{
	uint64_t i = 0;

	if (!memcmp(a, b, (size_t)n))
		return;
	while (a[i] == b[i])
		i++;
	sim_its_check_violated(twin->check, SIM_ITS_CHECK_TRANSPARENCY, "memory at 0x%" PRIx64
			       " holds 0x%02x, without a cache 0x%02x", addr + i, a[i], b[i]);
}

static void compare_memory(struct sim_its_twin *twin, const struct sim_ram *ram)
{
	uint64_t addr = twin->base, end = twin->base + twin->nbytes;

	while (addr < end) {
		uint64_t n = end - addr, m = n;
		const uint8_t *a = sim_ram_view(ram, addr, &n);
		const uint8_t *b = sim_ram_view(twin->ram, addr, &m);

		if (m < n)
			n = m;
		sim_assert(n);
		compare_bytes(twin, addr, a, b, n);
		addr += n;
	}
}

static void compare_registers(struct sim_its_twin *twin, struct sim_its *its)
{
	static const uint32_t offsets[] = {
		SIM_GITS_CTLR, SIM_GITS_CBASER, SIM_GITS_CWRITER, SIM_GITS_CREADR, SIM_GITS_BASER,
		SIM_GITS_BASER + 8,
	};

	for (unsigned int i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		uint64_t a = sim_its_reg_get(its, offsets[i]);
		uint64_t b = sim_its_reg_get(twin->its, offsets[i]);

		if (a != b)
			sim_its_check_violated(twin->check, SIM_ITS_CHECK_TRANSPARENCY,
					       "GITS register 0x%" PRIx32 " is 0x%" PRIx64
					       ", without a cache 0x%" PRIx64, offsets[i], a, b);
	}
}

static void compare_redistributors(struct sim_its_twin *twin, struct sim_gic *gic)
{
	static const uint32_t offsets[] = { SIM_GICR_CTLR, SIM_GICR_PROPBASER, SIM_GICR_PENDBASER };

	for (uint32_t pe = 0; pe < sim_gic_config(gic)->npes; pe++)
		for (unsigned int i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
			unsigned int nbytes = offsets[i] == SIM_GICR_CTLR ? 4 : 8;
			uint64_t a, b;

			sim_gicr_read(gic, pe, offsets[i], nbytes, &a);
			sim_gicr_read(twin->gic, pe, offsets[i], nbytes, &b);
			if (a != b)
				sim_its_check_violated(twin->check, SIM_ITS_CHECK_TRANSPARENCY,
						       "GICR register 0x%" PRIx32 " of PE %" PRIu32
						       " is 0x%" PRIx64 ", without a cache 0x%"
						       PRIx64, offsets[i], pe, a, b);
		}
}

/* So many were executed, so many failed, the last of them with this code. */
static void compare_commands(struct sim_its_twin *twin, const struct sim_its *its)
{
	const struct sim_its_stats *a = sim_its_stats(its), *b = sim_its_stats(twin->its);

	if (a->commands != b->commands || a->errors != b->errors || a->last_error != b->last_error)
		sim_its_check_violated(twin->check, SIM_ITS_CHECK_TRANSPARENCY, "%" PRIu64
				       " commands, %" PRIu64 " failed, last 0x%06" PRIx32
				       ", without a cache %" PRIu64 ", %" PRIu64 ", 0x%06" PRIx32,
				       a->commands, a->errors, a->last_error, b->commands,
				       b->errors, b->last_error);
}

static void compare_pending(struct sim_its_twin *twin, const struct sim_gic *gic)
{
	for (uint32_t pe = 0; pe < sim_gic_config(gic)->npes; pe++) {
		if (sim_gic_line(gic, pe) != sim_gic_line(twin->gic, pe) ||
		    sim_gic_hppir(gic, pe) != sim_gic_hppir(twin->gic, pe))
			sim_its_check_violated(twin->check, SIM_ITS_CHECK_TRANSPARENCY,
					       "PE %" PRIu32 ": best pending %" PRIu32
					       ", without a cache %" PRIu32, pe,
					       sim_gic_hppir(gic, pe),
					       sim_gic_hppir(twin->gic, pe));
	}
}

void sim_its_twin_compare(struct sim_its_twin *twin, struct sim_ram *ram, struct sim_gic *gic,
			  struct sim_its *its)
{
	struct sim_error err = { "" }, other = { "" };
	bool saved = sim_gic_save(gic, &err) && sim_its_save(its, &err);
	bool too = sim_gic_save(twin->gic, &other) && sim_its_save(twin->its, &other);

	if (saved != too || strcmp(err.text, other.text))
		sim_its_check_violated(twin->check, SIM_ITS_CHECK_TRANSPARENCY,
				       "saving: '%s', without a cache '%s'", err.text, other.text);
	compare_registers(twin, its);
	compare_redistributors(twin, gic);
	compare_commands(twin, its);
	compare_pending(twin, gic);
	compare_memory(twin, ram);
}
