// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: no guest, whatever its tables, queue and registers hold, makes the ITS or the GIC crash,
 * hang or touch memory that is not the guest's; and what a cache in front of the ITS remembers is
 * what the tables say, as long as it heeds the invalidations.
 * Method: libFuzzer. An input is a machine (its first bytes) and then a row of operations: register
 * writes, stores into memory, commands made up from parts or raw, MSIs, acknowledgements, saves and
 * restores. Guest memory has holes, neighbours that touch, and guards around it. A plain list
 * stands in for the cache. With mappings in guest memory the guest can change them behind the ITS's
 * back, and through one table another; then the list is no judge, and is not asked.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/machine/its.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

#define PES		3u
#define REMEMBERED	64u
#define PROP_TABLE	UINT64_C(0x40000000)
#define PEND_TABLE	UINT64_C(0x40010000)
#define DEVICE_TABLE	UINT64_C(0x40040000)
#define COLL_TABLE	UINT64_C(0x40050000)
#define VPE_TABLE	UINT64_C(0x40060000)
#define QUEUE		UINT64_C(0x40070000)
#define ITTS		UINT64_C(0x40080000)
#define ISLAND		UINT64_C(0x50000000)

struct entry {
	bool used;
	uint32_t device_id, event_id;
	struct sim_its_route route;
};

struct machine {
	const uint8_t *at, *end; /* what is left of the input */
	struct sim_ram *ram;
	struct sim_gic *gic;
	struct sim_its *its;
	struct sim_its_config its_cfg;
	struct sim_gic_config gic_cfg;
	uint64_t write;
	bool lines[PES][2];
	struct entry entries[REMEMBERED];
};

static void require(bool holds)
{
	if (!holds)
		abort();
}

static uint8_t byte(struct machine *m)
{
	return m->at < m->end ? *m->at++ : 0;
}

static uint64_t word(struct machine *m)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < 8; i++)
		v = v << 8 | byte(m);
	return v;
}

/* An address that means something, or any. */
static uint64_t address(struct machine *m)
{
	static const uint64_t bases[] = {
		PROP_TABLE, PEND_TABLE, DEVICE_TABLE, COLL_TABLE, VPE_TABLE, QUEUE, ITTS, ITTS,
		ISLAND, ISLAND + 0xff00, UINT64_C(0x400fff00), UINT64_C(0x48000000), 0,
		UINT64_C(0xfffffffffff00),
	};
	uint8_t which = byte(m);

	if (which % 16 < sizeof(bases) / sizeof(bases[0]))
		return bases[which % 16] + (uint64_t)(which / 16) * 0x1000 + byte(m) * 8u;
	return word(m);
}

static uint32_t small(struct machine *m)
{
	uint8_t b = byte(m);

	return b < 0xf0 ? b % 4 : b < 0xf8 ? b : (uint32_t)word(m);
}

static void invalidate(void *ctx, const struct sim_its_inval *inval)
{
	struct machine *m = ctx;

	for (unsigned int i = 0; i < REMEMBERED; i++) {
		struct entry *e = &m->entries[i];

		if (inval->scope == SIM_ITS_SCOPE_ALL ||
		    (inval->scope == SIM_ITS_SCOPE_COLLECTION && e->route.icid == inval->icid) ||
		    (e->device_id == inval->device_id &&
		     (inval->scope == SIM_ITS_SCOPE_DEVICE ||
		      (inval->scope == SIM_ITS_SCOPE_EVENT && e->event_id == inval->event_id))))
			e->used = false;
	}
}

static bool same_route(const struct sim_its_route *a, const struct sim_its_route *b)
{
	return a->intid == b->intid && a->pe == b->pe && a->icid == b->icid;
}

/* Remember what the tables say; what is remembered already must be just that. */
static void look_up(struct machine *m, uint32_t device_id, uint32_t event_id)
{
	struct entry *e = &m->entries[(device_id * 7 + event_id) % REMEMBERED];
	struct sim_its_route route;
	enum sim_its_code code = sim_its_translate(m->its, device_id, event_id, &route);

	if (m->its_cfg.choices.state != SIM_GIC_HELD)
		return;
	if (e->used && e->device_id == device_id && e->event_id == event_id)
		require(code == SIM_ITS_OK && same_route(&e->route, &route));
	if (code == SIM_ITS_OK)
		*e = (struct entry){ true, device_id, event_id, route };
}

static void run_queue(struct machine *m)
{
	unsigned int steps = 0;

	/* At most a queue's worth; what is left then is a hang. */
	while (sim_its_step(m->its))
		require(++steps <= 32768);
}

static void its_register(struct machine *m)
{
	static const uint32_t offsets[] = {
		SIM_GITS_CTLR, SIM_GITS_CBASER, SIM_GITS_CWRITER, SIM_GITS_BASER,
		SIM_GITS_BASER + 8, SIM_GITS_BASER + 16, SIM_GITS_SGIR, SIM_GITS_CREADR,
	};
	uint8_t which = byte(m);
	uint32_t off = offsets[which % 8] + (which & 0x40 ? 4 : 0);
	uint64_t value = which & 0x20 ? word(m) : address(m) | (uint64_t)byte(m) << 56 | byte(m);
	uint64_t read;

	if (which & 0x80)
		off = (uint32_t)value & 0x3ffff;
	sim_its_write(m->its, off, which & 0x10 ? 4 : 8, value, small(m));
	run_queue(m);
	sim_its_read(m->its, off, which & 0x10 ? 4 : 8, &read);
}

static void gicr_register(struct machine *m)
{
	static const uint32_t offsets[] = {
		SIM_GICR_CTLR, SIM_GICR_WAKER, SIM_GICR_PROPBASER, SIM_GICR_PENDBASER,
		SIM_GICR_INVLPIR, SIM_GICR_INVALLR, SIM_GICR_VPROPBASER, SIM_GICR_VPENDBASER,
	};
	static const uint32_t more[] = {
		SIM_GICR_VSGIR, SIM_GICR_VSGIPENDR, SIM_GICR_INVLPIR + 4, SIM_GICR_SYNCR,
	};
	uint8_t which = byte(m);
	uint32_t pe = byte(m) % PES;
	unsigned int nbytes = which & 0x10 || which % 8 < 2 ? 4 : 8;
	uint64_t value = which & 0x20 ? word(m) : address(m) | (uint64_t)byte(m) << 56 | byte(m);
	uint64_t read;

	if (which & 0x40) {
		sim_gicr_write(m->gic, pe, more[which % 4], 4, value);
		sim_gicr_read(m->gic, pe, more[which % 4], 4, &read);
		return;
	}
	sim_gicr_write(m->gic, pe, offsets[which % 8], nbytes, value);
	sim_gicr_read(m->gic, pe, offsets[which % 8], nbytes, &read);
}

static void store(struct machine *m)
{
	uint64_t addr = address(m), value = word(m);

	sim_ram_store(m->ram, addr, &value, sizeof(value));
}

/* An INTID: mostly an LPI. */
static uint64_t intid(struct machine *m)
{
	uint8_t b = byte(m);

	return b < 0xf0 ? SIM_GIC_LPI_FIRST + b % 16 : b < 0xf8 ? SIM_GIC_SPURIOUS : word(m);
}

/* The four words of a command that is mostly in order. */
static void compose(struct machine *m, uint64_t w[4])
{
	static const uint8_t ops[] = {
		SIM_ITS_MAPTI, SIM_ITS_MAPTI, SIM_ITS_MAPD, SIM_ITS_MAPC, SIM_ITS_INT,
		SIM_ITS_MOVI, SIM_ITS_CLEAR, SIM_ITS_SYNC, SIM_ITS_MAPI, SIM_ITS_INV,
		SIM_ITS_INVALL, SIM_ITS_MOVALL, SIM_ITS_DISCARD, SIM_ITS_VMAPP, SIM_ITS_VMAPTI,
		SIM_ITS_VMAPTI, SIM_ITS_VMAPI, SIM_ITS_VMOVI, SIM_ITS_VMOVP, SIM_ITS_VSYNC,
		SIM_ITS_VINVALL, SIM_ITS_INVDB, SIM_ITS_VSGI,
	};
	uint8_t op = ops[byte(m) % sizeof(ops)];
	uint64_t did = small(m), eid = small(m), icid = small(m), valid = byte(m) % 8 > 0;
	uint64_t vpe = icid & 0xffff;

	w[0] = op | did << 32;
	w[1] = op < SIM_ITS_VMOVI ? eid | intid(m) << 32 : (eid & UINT32_MAX) | vpe << 32;
	w[2] = valid << 63 | (uint64_t)small(m) << 16 | icid;
	w[3] = (uint64_t)small(m) << 16;
	switch (op) {
	case SIM_ITS_MAPD:
		w[1] = byte(m) % 6;
		w[2] = valid << 63 | (byte(m) < 0xc0 ? ITTS + did * 0x1000 : address(m));
		break;
	case SIM_ITS_MAPI:
		w[1] = intid(m);
		break;
	case SIM_ITS_VMAPTI:
	case SIM_ITS_VMAPI:
	case SIM_ITS_VMOVI:
		w[2] = intid(m) << 32 | (op == SIM_ITS_VMAPTI ? intid(m) : byte(m) & 1);
		break;
	case SIM_ITS_VMAPP:
		w[0] = op | PROP_TABLE;
		w[1] = vpe << 32 | (intid(m) & UINT32_MAX);
		w[3] = (byte(m) < 0xc0 ? ISLAND : address(m)) | 13;
		break;
	case SIM_ITS_VSGI:
		w[0] = op | (uint64_t)byte(m) << 8 | (uint64_t)byte(m) << 16 | did << 32;
		break;
	default:
		break;
	}
}

static void command(struct machine *m, bool raw)
{
	uint64_t w[4] = { 0 };
	uint8_t text[32];

	for (unsigned int i = 0; raw && i < 4; i++)
		w[i] = word(m);
	if (!raw)
		compose(m, w);
	for (unsigned int i = 0; i < 4; i++)
		sim_put_le64(text + 8 * i, w[i]);
	sim_ram_store(m->ram, QUEUE + m->write, text, sizeof(text));
	m->write = (m->write + sizeof(text)) % 0x10000;
	sim_its_write(m->its, SIM_GITS_CWRITER, 8, m->write | (byte(m) & 1), 0);
	run_queue(m);
}

static void cpu(struct machine *m)
{
	uint8_t which = byte(m);
	uint32_t pe = which % PES;

	if (which & 0x80)
		sim_gic_set_pmr(m->gic, pe, byte(m));
	sim_gic_sync(m->gic, pe);
	if (sim_gic_line(m->gic, pe))
		require(sim_gic_iar(m->gic, pe) != SIM_GIC_SPURIOUS);
	if (which & 0x40)
		sim_gic_eoir(m->gic, pe);
	sim_gic_viar(m->gic, pe);
	sim_gic_hppir(m->gic, pe);
	sim_gic_set_group1(m->gic, pe, which != 0x3f);
}

static void move_house(struct machine *m)
{
	struct sim_error err = { "" };
	uint8_t which = byte(m);

	if (which & 1 && (!sim_gic_save(m->gic, &err) || !sim_its_save(m->its, &err)))
		require(err.text[0]);
	err.text[0] = '\0';
	if (which & 2 && !sim_its_restore(m->its, &err))
		require(err.text[0]);
}

/* As a well-behaved guest would begin. */
static void set_up(struct machine *m)
{
	for (uint32_t pe = 0; pe < PES; pe++) {
		sim_gicr_write(m->gic, pe, SIM_GICR_WAKER, 4, 0);
		sim_gicr_write(m->gic, pe, SIM_GICR_PROPBASER, 8, PROP_TABLE | 13);
		sim_gicr_write(m->gic, pe, SIM_GICR_PENDBASER, 8, PEND_TABLE + pe * 0x10000);
		sim_gicr_write(m->gic, pe, SIM_GICR_CTLR, 4, 1);
		sim_gic_set_pmr(m->gic, pe, 0xff);
	}
	sim_gicd_write(m->gic, SIM_GICD_CTLR, SIM_GICD_CTLR_GRP1);
	sim_ram_fill(m->ram, PROP_TABLE, 0x81, 0x2000);
	sim_its_write(m->its, SIM_GITS_CBASER, 8, SIM_GITS_VALID | QUEUE | 15, 0);
	sim_its_write(m->its, SIM_GITS_BASER, 8, SIM_GITS_VALID | DEVICE_TABLE | 2 << 8, 0);
	sim_its_write(m->its, SIM_GITS_BASER + 8, 8, SIM_GITS_VALID | COLL_TABLE | 2 << 8, 0);
	sim_its_write(m->its, SIM_GITS_BASER + 16, 8, SIM_GITS_VALID | VPE_TABLE | 2 << 8, 0);
	sim_its_write(m->its, SIM_GITS_CTLR, 4, 1, 0);
}

/* Told of each change, and of nothing else. */
static void on_line(void *ctx, uint32_t pe, bool is_virtual, bool level)
{
	struct machine *m = ctx;

	require(m->lines[pe][is_virtual] != level);
	m->lines[pe][is_virtual] = level;
}

static void create(struct machine *m)
{
	const struct sim_its_hooks hooks = { .invalidate = invalidate };
	struct sim_error err = { "" };
	uint8_t a = byte(m), b = byte(m);

	m->its_cfg.choices = *sim_its_profile(a & 1 ? SIM_ITS_PROFILE_KVM : SIM_ITS_PROFILE_QEMU);
	/* A queue that stalls says little: mostly none does. */
	m->its_cfg.choices.stall = (enum sim_its_stall)(b % 16 < 3 ? b % 16 : 0);
	m->its_cfg.choices.remap = (enum sim_its_remap)(a / 8 % 2);
	m->its_cfg.choices.invall_everywhere = a & 0x10;
	m->its_cfg.choices.pages_64k = a & 0x20;
	m->its_cfg.choices.enable_needs_tables = a & 0x40;
	m->its_cfg.commands_max = 1 + a / 2 % 4;
	m->its_cfg.held_max = 64;
	m->gic_cfg.npes = PES;
	m->gic_cfg.idbits = 14;
	m->gic_cfg.state = m->its_cfg.choices.state;
	if (m->gic_cfg.state == SIM_GIC_TABLE)
		m->gic_cfg.v4 = (enum sim_gic_v4)(b / 8 % 3);
	m->ram = sim_ram_create();
	require(sim_ram_add(m->ram, PROP_TABLE, 0x80000, &err));
	require(sim_ram_add(m->ram, ITTS, 0x80000, &err)); /* touches the one before */
	require(sim_ram_add(m->ram, ISLAND, 0x10000, &err));
	m->gic = sim_gic_create(&m->gic_cfg, m->ram, &err);
	require(m->gic);
	sim_gic_on_line(m->gic, on_line, m);
	m->its = sim_its_create(&m->its_cfg, m->gic, m->ram, &err);
	require(m->its);
	sim_its_set_hooks(m->its, &hooks, m);
	if (b < 0xe0)
		set_up(m);
}

static void operate(struct machine *m)
{
	uint32_t did, eid;

	for (uint32_t pe = 0; pe < PES; pe++) {
		require(sim_gic_line(m->gic, pe) == m->lines[pe][0]);
		require(sim_gic_vline(m->gic, pe) == m->lines[pe][1]);
	}

	switch (byte(m) % 16) {
	case 0:
		its_register(m);
		break;
	case 1:
		gicr_register(m);
		break;
	case 2:
	case 3:
		store(m);
		break;
	case 4:
		command(m, true);
		break;
	case 5:
		cpu(m);
		break;
	case 6:
		move_house(m);
		break;
	case 7:
	case 8:
		did = small(m);
		eid = small(m);
		look_up(m, did, eid);
		sim_its_msi(m->its, did, eid);
		break;
	default:
		command(m, false);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static struct machine m;

	m = (struct machine){ .at = bytes, .end = bytes + len };
	create(&m);
	while (m.at < m.end)
		operate(&m);
	sim_its_destroy(m.its);
	sim_gic_destroy(m.gic);
	sim_ram_destroy(m.ram);
	return 0;
}
