// SPDX-License-Identifier: BSD-2-Clause
/*
 * stress_machine.c - the guest of vgic_lpi_stress. See stress_machine.h.
 *
 * As KVM's ITS is: mappings held inside, 64 KiB tables.
 */
#include "sim/scenario/experiments/stress_machine.h"

#define BASE	    UINT64_C(0x40000000)
#define TABLE_BYTES UINT64_C(0x10000)
#define PROP	    BASE
#define QUEUE	    (BASE + TABLE_BYTES)
#define DEVICES	    (BASE + 2 * TABLE_BYTES)
#define COLLECTIONS (BASE + 3 * TABLE_BYTES)
#define PENDING	    (BASE + 4 * TABLE_BYTES)
#define ITTS	    (PENDING + STRESS_VCPUS_MAX * TABLE_BYTES)
#define RAM_BYTES   (ITTS + STRESS_DEVICES_MAX * TABLE_BYTES - BASE)
#define EVENT_BITS  8u
#define LPI_CONFIG  0xa1u /* priority, enabled */

static void command(struct stress_machine *m, uint64_t w0, uint64_t w1, uint64_t w2)
{
	const uint64_t words[4] = {w0, w1, w2, 0};
	uint8_t bytes[SIM_ITS_CMD_BYTES];
	uint64_t before = sim_its_stats(m->its)->errors;

	for (unsigned int i = 0; i < 4; i++)
		sim_put_le64(bytes + 8 * i, words[i]);
	sim_assert(sim_ram_store(m->ram, QUEUE + m->write, bytes, sizeof(bytes)));
	m->write = (m->write + sizeof(bytes)) % TABLE_BYTES;
	sim_its_write(m->its, SIM_GITS_CWRITER, 8, m->write, 0);
	sim_assert(sim_its_stats(m->its)->errors == before);
}

static void redistributors_up(struct stress_machine *m)
{
	sim_gicd_write(m->gic, SIM_GICD_CTLR, SIM_GICD_CTLR_GRP1 | SIM_GICD_CTLR_ARE);
	for (uint32_t pe = 0; pe < m->setup->nvcpus; pe++) {
		sim_gicr_write(m->gic, pe, SIM_GICR_WAKER, 4, 0);
		sim_gicr_write(m->gic, pe, SIM_GICR_PROPBASER, 8, PROP | 15);
		sim_gicr_write(m->gic, pe, SIM_GICR_PENDBASER, 8, PENDING + pe * TABLE_BYTES);
		sim_gicr_write(m->gic, pe, SIM_GICR_CTLR, 4, SIM_GICR_CTLR_ENABLE_LPIS);
	}
}

static void map_all(struct stress_machine *m)
{
	const struct stress_setup *s = m->setup;
	uint64_t lpi = SIM_GIC_LPI_FIRST, icid = 0;

	for (uint64_t c = 0; c < s->nvcpus; c++)
		command(m, SIM_ITS_MAPC, 0, SIM_GITS_VALID | (s->spread ? c : 0) << 16 | c);
	for (uint64_t d = 0; d < s->ndevices; d++) {
		command(m, SIM_ITS_MAPD | d << 32, EVENT_BITS - 1,
			SIM_GITS_VALID | (ITTS + d * TABLE_BYTES));
		for (uint64_t e = 0; e < s->nevents; e++, icid = (icid + 1) % s->nvcpus)
			command(m, SIM_ITS_MAPTI | d << 32, lpi++ << 32 | e, icid);
	}
}

static bool in_range(const struct stress_setup *s, struct sim_error *err)
{
	bool ok = s->nvcpus && s->nvcpus <= STRESS_VCPUS_MAX && s->ndevices &&
		  s->ndevices <= STRESS_DEVICES_MAX && s->nevents &&
		  s->nevents <= STRESS_EVENTS_MAX && s->iterations > s->warmup;

	if (!ok)
		sim_error_set(err,
			      "stress: %u vCPUs, %u devices, %u events: must be 1..%u, 1..%u, "
			      "1..%u, for an iteration more than the warm-up",
			      s->nvcpus, s->ndevices, s->nevents, STRESS_VCPUS_MAX,
			      STRESS_DEVICES_MAX, STRESS_EVENTS_MAX);
	return ok;
}

bool stress_machine_up(struct stress_machine *m, const struct stress_setup *setup,
		       struct sim_error *err)
{
	const struct sim_its_config its = {.choices = *sim_its_profile(SIM_ITS_PROFILE_KVM)};
	const struct sim_gic_config gic = {.npes = setup->nvcpus, .state = its.choices.state};

	*m = (struct stress_machine){.setup = setup};
	if (!in_range(setup, err))
		return false;
	m->ram = sim_ram_create();
	if (sim_ram_add(m->ram, BASE, RAM_BYTES, err))
		m->gic = sim_gic_create(&gic, m->ram, err);
	if (m->gic)
		m->its = sim_its_create(&its, m->gic, m->ram, err);
	if (!m->its) {
		stress_machine_down(m);
		return false;
	}
	sim_ram_fill(m->ram, PROP, LPI_CONFIG, TABLE_BYTES);
	redistributors_up(m);
	sim_its_write(m->its, SIM_GITS_CBASER, 8,
		      SIM_GITS_VALID | QUEUE | (TABLE_BYTES / 4096 - 1), 0);
	sim_its_write(m->its, SIM_GITS_BASER, 8, SIM_GITS_VALID | DEVICES, 0);
	sim_its_write(m->its, SIM_GITS_BASER + 8, 8, SIM_GITS_VALID | COLLECTIONS, 0);
	sim_its_write(m->its, SIM_GITS_CTLR, 4, SIM_GITS_CTLR_ENABLED, 0);
	map_all(m);
	return true;
}

void stress_machine_down(struct stress_machine *m)
{
	sim_its_destroy(m->its);
	sim_gic_destroy(m->gic);
	sim_ram_destroy(m->ram);
}

void stress_machine_movi(struct stress_machine *m)
{
	const struct stress_setup *s = m->setup;
	uint64_t n = m->moves++, event = n % s->nevents, device = n / s->nevents % s->ndevices;

	command(m, SIM_ITS_MOVI | device << 32, event, (device * s->nevents + event + n + 1) %
							       s->nvcpus);
}

uint64_t stress_machine_silent(const struct stress_machine *m)
{
	uint64_t silent = 0;
	uint32_t pe, n = m->setup->ndevices * m->setup->nevents;

	for (uint32_t lpi = SIM_GIC_LPI_FIRST; lpi < SIM_GIC_LPI_FIRST + n; lpi++) {
		for (pe = 0; pe < m->setup->nvcpus; pe++)
			if (sim_gic_lpi_pending(m->gic, pe, lpi))
				break;
		silent += pe == m->setup->nvcpus;
	}
	return silent;
}
