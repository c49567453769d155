// SPDX-License-Identifier: BSD-2-Clause
/*
 * script_its_run.c - the machine of ITS scripts, and what each operation does to it.
 */
#include "sim/machine/script_its.h"

#include <inttypes.h>
#include <stdlib.h>

struct scn_machine {
	struct sim_ram *ram;
	struct sim_gic *gic;
	struct sim_its *its;
	struct sim_its_cache *cache; /* or NULL */
	uint32_t cpus;
	enum sim_gic_state state;
	uint64_t idbits;
	uint64_t write;	      /* where the script writes its next command */
	uint64_t queue_bytes;
	uint64_t dev_page_bytes;
	bool batch;
	enum sim_its_code code; /* of the last command */
};

static void on_command(void *ctx, const uint64_t cmd[4], enum sim_its_code code)
{
	struct scn_machine *m = ctx;

	(void)cmd;
	m->code = code;
}

static enum sim_its_code on_translate(void *ctx, struct sim_its *its, uint32_t device_id,
				      uint32_t event_id, struct sim_its_route *route)
{
	struct scn_machine *m = ctx;

	return sim_its_cache_translate(m->cache, its, device_id, event_id, route);
}

static void on_invalidate(void *ctx, const struct sim_its_inval *inval)
{
	struct scn_machine *m = ctx;

	sim_its_cache_invalidate(m->cache, inval);
}

/* The configurations are known to be good; what is left is a fault of this program. */
static void parts_create(struct scn_machine *m, const struct sim_its_config *its,
			 const struct sim_gic_config *gic)
{
	struct sim_its_hooks hooks = { .command = on_command };
	struct sim_error err = { "" };

	if (m->cache) {
		hooks.translate = on_translate;
		hooks.invalidate = on_invalidate;
		weir_xlate_invalidate_all(sim_its_cache_xlate(m->cache));
	}
	m->gic = sim_gic_create(gic, m->ram, &err);
	sim_assert(m->gic);
	m->its = sim_its_create(its, m->gic, m->ram, &err);
	sim_assert(m->its);
	sim_its_set_hooks(m->its, &hooks, m);
}

struct scn_machine *scn_machine_create(const struct scn_config *cfg)
{
	struct scn_machine *m = sim_alloc(1, sizeof(*m), "a scenario");
	struct sim_error err = { "" };
	bool ok;

	m->ram = sim_ram_create();
	ok = sim_ram_add(m->ram, SCN_RAM, SCN_RAM_BYTES, &err);
	sim_assert(ok);
	if (cfg->cached) {
		m->cache = sim_its_cache_create(&cfg->cache, false, &err);
		sim_assert(m->cache);
	}
	parts_create(m, &cfg->its, &cfg->gic);
	m->cpus = cfg->gic.npes;
	m->state = cfg->gic.state;
	m->idbits = 16;
	m->queue_bytes = 4096;
	m->dev_page_bytes = 4096;
	return m;
}

void scn_machine_destroy(struct scn_machine *m)
{
	if (!m)
		return;
	sim_its_destroy(m->its);
	sim_gic_destroy(m->gic);
	sim_its_cache_destroy(m->cache);
	sim_ram_destroy(m->ram);
	free(m);
}

/* How a register of the ITS at this offset is accessed: half a register by its half. */
static unsigned int its_bytes(uint32_t off)
{
	return off % 8 || off == SIM_GITS_CTLR || off >= SIM_GIC_IDREGS ? 4 : 8;
}

static void its_write(struct scn_machine *m, uint32_t off, uint64_t value)
{
	sim_its_write(m->its, off, off == SIM_GITS_SGIR ? 8 : its_bytes(off), value, 0);
	while (sim_its_step(m->its))
		;
}

static uint64_t its_read(struct scn_machine *m, uint32_t off)
{
	uint64_t value;

	sim_its_read(m->its, off, its_bytes(off), &value);
	return value;
}

/* As its_bytes(), of a redistributor. */
static unsigned int gicr_bytes(uint32_t off)
{
	return off % 8 || off == SIM_GICR_CTLR || off == SIM_GICR_VSGIR ||
	       off == SIM_GICR_VSGIPENDR ||
	       (off >= SIM_GIC_IDREGS && off < SIM_GICR_VPROPBASER) ? 4 : 8;
}

static void gicr_write(struct scn_machine *m, uint32_t cpu, uint32_t off, uint64_t value)
{
	sim_gicr_write(m->gic, cpu, off, gicr_bytes(off), value);
}

static uint64_t gicr_read(struct scn_machine *m, uint32_t cpu, uint32_t off)
{
	uint64_t value;

	sim_gicr_read(m->gic, cpu, off, gicr_bytes(off), &value);
	return value;
}

/* The BASER of a type; none if the ITS has no such table. */
static void baser_write(struct scn_machine *m, unsigned int type, uint64_t value)
{
	for (uint32_t n = 0; n < SIM_GITS_BASERS; n++)
		if ((its_read(m, SIM_GITS_BASER + 8 * n) >> 56 & 7) == type)
			its_write(m, SIM_GITS_BASER + 8 * n, value);
}

static void do_setup(struct scn_machine *m, const struct scn_setup *s, FILE *out)
{
	m->idbits = s->idbits;
	m->queue_bytes = s->cmdq_pages * 4096;
	m->dev_page_bytes = UINT64_C(4096) << 2 * s->dev_page_size;
	sim_gicd_write(m->gic, SIM_GICD_CTLR, SIM_GICD_CTLR_GRP1 | SIM_GICD_CTLR_ARE);
	sim_ram_fill(m->ram, SCN_PROP, 0xa0, 1 << 16);
	for (uint32_t c = 0; c < m->cpus; c++) {
		gicr_write(m, c, SIM_GICR_WAKER, 0);
		gicr_write(m, c, SIM_GICR_PROPBASER, SCN_PROP | (s->idbits - 1));
		gicr_write(m, c, SIM_GICR_PENDBASER,
			   (SCN_PEND + c * UINT64_C(0x10000)) | SIM_GICR_PENDBASER_PTZ);
		sim_gic_set_pmr(m->gic, c, 0xff);
	}
	for (uint32_t c = 0; s->lpis && c < m->cpus; c++)
		gicr_write(m, c, SIM_GICR_CTLR, SIM_GICR_CTLR_ENABLE_LPIS);
	its_write(m, SIM_GITS_CBASER, SIM_GITS_VALID | SCN_CMDQ | (s->cmdq_pages - 1));
	baser_write(m, 1, (s->dev_valid ? SIM_GITS_VALID : 0) |
			  (s->dev_indirect ? SIM_GITS_BASER_INDIRECT : 0) | s->dev_base |
			  s->dev_page_size << 8 | (s->dev_pages - 1));
	baser_write(m, 4, (s->coll_valid ? SIM_GITS_VALID : 0) | SCN_COLT | (s->coll_pages - 1));
	baser_write(m, 2, SIM_GITS_VALID | SCN_VPET);
	if (s->its)
		sim_its_write(m->its, SIM_GITS_CTLR, 4, SIM_GITS_CTLR_ENABLED, 0);
	fputs("ok", out);
}

static void print_queue(struct scn_machine *m, FILE *out)
{
	uint64_t r = its_read(m, SIM_GITS_CREADR);

	fprintf(out, "creadr=0x%" PRIx64 " stalled=%u", r & SIM_GITS_QUEUE_OFFSET,
		(unsigned int)(r & SIM_GITS_CREADR_STALLED));
}

/* Queue the command, even where the queue is full: what the guest does is its affair. */
static void do_cmd(struct scn_machine *m, const uint64_t cmd[4], FILE *out)
{
	uint8_t bytes[SIM_ITS_CMD_BYTES];

	for (unsigned int i = 0; i < 4; i++)
		sim_put_le64(bytes + 8 * i, cmd[i]);
	sim_ram_store(m->ram, SCN_CMDQ + m->write, bytes, sizeof(bytes));
	m->write = (m->write + SIM_ITS_CMD_BYTES) % m->queue_bytes;
	if (m->batch) {
		fputs("queued", out);
		return;
	}
	its_write(m, SIM_GITS_CWRITER, m->write);
	print_queue(m, out);
}

static void store_byte(struct scn_machine *m, uint64_t addr, uint8_t byte)
{
	sim_ram_store(m->ram, addr, &byte, 1);
}

static void set_bit(struct scn_machine *m, uint64_t table, uint64_t intid)
{
	uint8_t byte = 0;

	sim_ram_get8(m->ram, table + intid / 8, &byte);
	store_byte(m, table + intid / 8, (uint8_t)(byte | 1u << intid % 8));
}

static void do_l2(struct scn_machine *m, uint64_t index, bool on)
{
	uint64_t entry = on ? SIM_GITS_VALID | (SCN_L2 + m->dev_page_bytes * index) : 0;
	uint8_t bytes[8];

	sim_put_le64(bytes, entry);
	sim_ram_store(m->ram, SCN_DEVT + 8 * index, bytes, sizeof(bytes));
}

/* `[INTID,INTID..]` of a table's bits. */
static void print_bits(const struct scn_machine *m, uint64_t table, uint64_t nbits, FILE *out)
{
	const char *comma = "";

	fputc('[', out);
	for (uint64_t at = 0; at < nbits; at += 8) {
		uint8_t byte = 0;

		sim_ram_get8(m->ram, table + at / 8, &byte);
		for (; byte; byte &= (uint8_t)(byte - 1)) {
			fprintf(out, "%s%" PRIu64, comma, at + (unsigned int)__builtin_ctz(byte));
			comma = ",";
		}
	}
	fputc(']', out);
}

static void print_held(const struct scn_machine *m, uint32_t cpu, FILE *out)
{
	const char *comma = "";

	fputc('[', out);
	for (uint32_t i = SIM_GIC_LPI_FIRST; i >> m->idbits == 0; i++)
		if (sim_gic_lpi_pending(m->gic, cpu, i)) {
			fprintf(out, "%s%" PRIu32, comma, i);
			comma = ",";
		}
	fputc(']', out);
}

/* With state in memory, what the table there says, LPIs or not; else what the GIC says. */
static void do_pend(struct scn_machine *m, FILE *out)
{
	for (uint32_t c = 0; c < m->cpus; c++) {
		fprintf(out, "%scpu%" PRIu32 "=", c ? " " : "", c);
		if (m->state == SIM_GIC_HELD)
			print_held(m, c, out);
		else
			print_bits(m, SCN_PEND + c * UINT64_C(0x10000), UINT64_C(1) << m->idbits,
				   out);
	}
}

static void do_vpend(struct scn_machine *m, uint64_t vpe, FILE *out)
{
	fprintf(out, "vpe%" PRIu64 "=", vpe);
	print_bits(m, SCN_VPT + vpe * 0x10000, 1 << 16, out);
}

/* A CPU that is looked at runs, and so does, before it, each that may have something for it. */
static void sync_all(struct scn_machine *m)
{
	for (uint32_t c = 0; c < m->cpus; c++)
		sim_gic_sync(m->gic, c);
}

/* Acknowledge until spurious, as often as there are INTIDs at most. */
static void do_ack(struct scn_machine *m, uint32_t cpu, bool is_virtual, FILE *out)
{
	const char *comma = "";

	fprintf(out, "cpu%" PRIu32 "=[", cpu);
	for (uint32_t n = 0; n >> 16 == 0; n++) {
		uint32_t intid = is_virtual ? sim_gic_viar(m->gic, cpu) : sim_gic_iar(m->gic, cpu);

		if (intid == SIM_GIC_SPURIOUS)
			break;
		if (!is_virtual)
			sim_gic_eoir(m->gic, cpu);
		fprintf(out, "%s%" PRIu32, comma, intid);
		comma = ",";
	}
	fputc(']', out);
}

/* Make a vPE resident on a CPU, or take off the one that is. */
static void do_vsched(struct scn_machine *m, uint32_t cpu, uint64_t vpe, bool on, FILE *out)
{
	bool v41 = sim_gic_config(m->gic)->v4 == SIM_GIC_V4_1;
	uint64_t value;

	if (on) {
		gicr_write(m, cpu, SIM_GICR_VPROPBASER, SCN_VPROP | 15);
		gicr_write(m, cpu, SIM_GICR_VPENDBASER, SIM_GICR_VPENDBASER_VALID |
			   (v41 ? vpe | SIM_GICR_VPENDBASER_VGRP0 | SIM_GICR_VPENDBASER_VGRP1 :
				  SCN_VPT + vpe * 0x10000));
	} else {
		/* With 4.1 bit 62 asks for the default doorbell. */
		gicr_write(m, cpu, SIM_GICR_VPENDBASER,
			   v41 ? vpe | (uint64_t)1 << 62 : SCN_VPT + vpe * 0x10000);
	}
	sim_gicr_read(m->gic, cpu, SIM_GICR_VPENDBASER, 8, &value);
	fprintf(out, "valid=%u last=%u", (unsigned int)(value >> 63),
		(unsigned int)(value >> 61 & 1));
}

static void print_code(struct scn_machine *m, FILE *out)
{
	fprintf(out, "0x%06" PRIx32 " %s",
		m->code ? sim_its_stats(m->its)->last_error : 0, sim_its_code_str(m->code));
}

static void do_save(struct scn_machine *m, FILE *out)
{
	struct sim_error err = { "" };

	if (sim_gic_save(m->gic, &err) && sim_its_save(m->its, &err))
		fputs("ok", out);
	else
		fputs(err.text, out);
}

/* A new GIC and ITS over the same memory, with the registers of the old ones. */
static void do_restore(struct scn_machine *m, FILE *out)
{
	struct sim_its_config its_cfg = *sim_its_config(m->its);
	struct sim_gic_config gic_cfg = *sim_gic_config(m->gic);
	struct sim_its *old_its = m->its;
	struct sim_gic *old_gic = m->gic;
	struct sim_error err = { "" };
	uint32_t gicd;
	uint64_t v;
	bool ok;

	parts_create(m, &its_cfg, &gic_cfg);
	sim_gicd_read(old_gic, SIM_GICD_CTLR, &gicd);
	sim_gicd_write(m->gic, SIM_GICD_CTLR, gicd);
	for (uint32_t c = 0; c < m->cpus; c++) {
		static const uint32_t regs[] = { SIM_GICR_WAKER, SIM_GICR_PROPBASER,
						 SIM_GICR_PENDBASER, SIM_GICR_CTLR };

		for (unsigned int i = 0; i < sizeof(regs) / sizeof(regs[0]); i++) {
			sim_gicr_read(old_gic, c, regs[i], regs[i] & 4 || !regs[i] ? 4 : 8, &v);
			gicr_write(m, c, regs[i], v);
		}
		sim_gic_set_pmr(m->gic, c, 0xff);
	}
	sim_its_reg_set(m->its, SIM_GITS_CBASER, sim_its_reg_get(old_its, SIM_GITS_CBASER));
	sim_its_reg_set(m->its, SIM_GITS_CREADR, sim_its_reg_get(old_its, SIM_GITS_CREADR));
	sim_its_reg_set(m->its, SIM_GITS_CWRITER, sim_its_reg_get(old_its, SIM_GITS_CWRITER));
	for (uint32_t n = 0; n < SIM_GITS_BASERS; n++)
		sim_its_reg_set(m->its, SIM_GITS_BASER + 8 * n,
				sim_its_reg_get(old_its, SIM_GITS_BASER + 8 * n));
	ok = sim_its_restore(m->its, &err);
	sim_its_reg_set(m->its, SIM_GITS_CTLR, sim_its_reg_get(old_its, SIM_GITS_CTLR));
	sim_its_destroy(old_its);
	sim_gic_destroy(old_gic);
	fputs(ok ? "ok" : err.text, out);
}

static void run_once(struct scn_machine *m, const struct scn_op *op, FILE *out)
{
	const uint64_t *a = op->arg;
	uint32_t cpu = (uint32_t)a[0];

	switch (op->kind) {
	case SCN_SETUP:
		do_setup(m, &op->setup, out);
		return;
	case SCN_CMD:
		do_cmd(m, op->cmd, out);
		return;
	case SCN_BATCH:
		m->batch = a[0];
		break;
	case SCN_FLUSH:
		its_write(m, SIM_GITS_CWRITER, m->write);
		print_queue(m, out);
		return;
	case SCN_CWRITER:
		its_write(m, SIM_GITS_CWRITER, a[0]);
		print_queue(m, out);
		return;
	case SCN_PROP_BYTE:
	case SCN_VPROP_BYTE:
		store_byte(m, (op->kind == SCN_PROP_BYTE ? SCN_PROP : SCN_VPROP) +
				      (a[0] - SIM_GIC_LPI_FIRST),
			   (uint8_t)((a[1] & 0xfc) | a[2]));
		break;
	case SCN_SETPEND:
		set_bit(m, SCN_PEND + a[0] * 0x10000, a[1]);
		break;
	case SCN_MSI:
		sim_its_write(m->its, SIM_GITS_TRANSLATER, 4, a[1], (uint32_t)a[0]);
		break;
	case SCN_ITS:
		sim_its_write(m->its, SIM_GITS_CTLR, 4, a[0], 0);
		while (sim_its_step(m->its))
			;
		fprintf(out, "ctlr=0x%" PRIx64, its_read(m, SIM_GITS_CTLR) & SIM_GITS_CTLR_ENABLED);
		return;
	case SCN_LPIS:
		gicr_write(m, cpu, SIM_GICR_CTLR, a[1]);
		fprintf(out, "ctlr=%d", sim_gic_lpis_on(m->gic, cpu));
		return;
	case SCN_L2_ENTRY:
		do_l2(m, a[0], a[1]);
		break;
	case SCN_PMR:
		sim_gic_sync(m->gic, cpu);
		sim_gic_set_pmr(m->gic, cpu, (uint8_t)a[1]);
		break;
	case SCN_PEND_LIST:
		do_pend(m, out);
		return;
	case SCN_IRQ:
		sync_all(m);
		fprintf(out, "cpu%" PRIu32 "=%d", cpu, sim_gic_line(m->gic, cpu));
		return;
	case SCN_HPPI:
		sync_all(m);
		fprintf(out, "cpu%" PRIu32 "=%" PRIu32, cpu, sim_gic_hppir(m->gic, cpu));
		return;
	case SCN_ACK:
		sync_all(m);
		do_ack(m, cpu, false, out);
		return;
	case SCN_CODE:
		print_code(m, out);
		return;
	case SCN_SAVE:
		do_save(m, out);
		return;
	case SCN_RESTORE:
		do_restore(m, out);
		return;
	case SCN_READ:
		fprintf(out, "0x%" PRIx64, its_read(m, (uint32_t)a[0]));
		return;
	case SCN_WRITE:
		its_write(m, (uint32_t)a[0], a[1]);
		break;
	case SCN_RREAD:
		fprintf(out, "0x%" PRIx64, gicr_read(m, cpu, (uint32_t)a[1]));
		return;
	case SCN_RWRITE:
		gicr_write(m, cpu, (uint32_t)a[1], a[2]);
		break;
	case SCN_VSCHED:
		do_vsched(m, cpu, a[1], a[2], out);
		return;
	case SCN_VPEND_LIST:
		do_vpend(m, a[0], out);
		return;
	case SCN_VIRQ:
		fprintf(out, "cpu%" PRIu32 "=%d", cpu, sim_gic_vline(m->gic, cpu));
		return;
	case SCN_VHPPI:
		fprintf(out, "cpu%" PRIu32 "=%" PRIu32, cpu, sim_gic_vhppir(m->gic, cpu));
		return;
	case SCN_VACK:
		do_ack(m, cpu, true, out);
		return;
	case SCN_SGIR:
		its_write(m, SIM_GITS_SGIR, a[0] << 32 | a[1]);
		break;
	case SCN_REPEAT:
		sim_assert(false);
	}
	fputs("ok", out);
}

void scn_run(struct scn_machine *m, const struct scn_op *op, FILE *out)
{
	for (uint64_t i = 1; i < op->repeat; i++) {
		/* All but the last result of a repetition are for nobody. */
		char *text = NULL;
		size_t len;
		FILE *unseen = open_memstream(&text, &len);

		sim_assert(unseen);
		run_once(m, op, unseen);
		fclose(unseen);
		free(text);
	}
	run_once(m, op, out);
}
