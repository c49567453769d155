// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_v4 - GICv4: virtual LPIs of vPEs; GICv4.1: default doorbells and virtual SGIs.
 *
 * Goal: VMAPP, VMAPTI, VMAPI, VMOVI, VMOVP, VINVALL, VSYNC, INVDB and VSGI do as the architecture
 * says (IHI 0069, GICv4), each operand is checked, and a vPE that is not resident rings its
 * doorbell. Method: two vPEs on four PEs; pending bits looked up in the virtual pending tables in
 * memory, doorbells taken as physical LPIs, the resident vPE's interrupts acknowledged.
 */
#include "its_machine.h"

#define V	((uint64_t)1 << 63)
#define DEV(d)	((uint64_t)(d) << 32)
#define VPE(v)	((uint64_t)(v) << 32)
#define NO_BELL	SIM_GIC_SPURIOUS
#define BELL(v)	(8300u + (v))

static enum sim_its_code vmapp(struct machine *m, uint64_t vpe, uint64_t pe, bool valid,
			       uint64_t bell)
{
	return run(m, SIM_ITS_VMAPP | VPROP, VPE(vpe) | bell, (uint64_t)valid << 63 | pe << 16,
		   VPT(vpe) | 15);
}

static enum sim_its_code vmapti(struct machine *m, uint64_t eid, uint64_t vlpi, uint64_t vpe,
				uint64_t bell)
{
	return run(m, SIM_ITS_VMAPTI | DEV(1), VPE(vpe) | eid, bell << 32 | vlpi, 0);
}

/* vPE 0 was on PE 0, vPE 1 on PE 1; event (1, e) is vLPI 8192 + e of vPE e % 2, with a doorbell. */
static void start(struct machine *m, enum sim_gic_v4 v4)
{
	struct sim_its_config cfg = { .choices = *sim_its_profile(SIM_ITS_PROFILE_QEMU) };

	machine_up(m, &cfg, v4);
	sim_ram_fill(m->ram, VPROP, 0x81, 0x10000);
	mapc(m, 0, 0, true);
	mapc(m, 1, 1, true);
	mapd(m, 1, 5, true);
	assert_int_equal(vmapp(m, 0, 0, true, NO_BELL), SIM_ITS_OK);
	assert_int_equal(vmapp(m, 1, 1, true, NO_BELL), SIM_ITS_OK);
	for (uint32_t e = 0; e < 8; e++)
		assert_int_equal(vmapti(m, e, 8192 + e, e % 2, BELL(e)), SIM_ITS_OK);
}

/* Make a vPE resident. */
static void enter(struct machine *m, uint32_t pe, uint32_t vpe)
{
	bool v41 = sim_gic_config(m->gic)->v4 == SIM_GIC_V4_1;
	uint64_t v;

	sim_gicr_write(m->gic, pe, SIM_GICR_VPROPBASER, 8, VPROP | 15);
	sim_gicr_write(m->gic, pe, SIM_GICR_VPENDBASER, 8, SIM_GICR_VPENDBASER_VALID |
		       (v41 ? vpe | SIM_GICR_VPENDBASER_VGRP0 | SIM_GICR_VPENDBASER_VGRP1 :
			      VPT(vpe)));
	sim_gicr_read(m->gic, pe, SIM_GICR_VPENDBASER, 8, &v);
	assert_true(v & SIM_GICR_VPENDBASER_VALID);
}

/*
 * Take it off; whether something was pending for it. Bit 62 of 4.1 asks for the default doorbell.
 */
static bool leave(struct machine *m, uint32_t pe, bool bell)
{
	uint64_t v;

	sim_gicr_read(m->gic, pe, SIM_GICR_VPENDBASER, 8, &v);
	sim_gicr_write(m->gic, pe, SIM_GICR_VPENDBASER, 8,
		       (v & ~SIM_GICR_VPENDBASER_VALID) | (uint64_t)bell << 62);
	sim_gicr_read(m->gic, pe, SIM_GICR_VPENDBASER, 8, &v);
	assert_false(v & SIM_GICR_VPENDBASER_VALID);
	return v >> 61 & 1;
}

static bool vpending(struct machine *m, uint32_t vpe, uint32_t vintid)
{
	uint8_t byte = 0;

	assert_true(sim_ram_get8(m->ram, VPT(vpe) + vintid / 8, &byte));
	return byte >> vintid % 8 & 1;
}

#define BOTH(v4_)                                                                                  \
	for (enum sim_gic_v4 v4_ = SIM_GIC_V4_0; v4_ <= SIM_GIC_V4_1; v4_++)

static void a_resident_vpe_is_interrupted(void **state)
{
	(void)state;
	BOTH(v4) {
		struct machine m;

		start(&m, v4);
		enter(&m, 0, 0);
		assert_false(sim_gic_vline(m.gic, 0));
		assert_int_equal(sim_its_msi(m.its, 1, 2), SIM_ITS_OK);
		assert_true(sim_gic_vline(m.gic, 0));
		assert_int_equal(sim_gic_vhppir(m.gic, 0), 8194);
		assert_true(vpending(&m, 0, 8194));
		assert_int_equal(sim_gic_viar(m.gic, 0), 8194);
		assert_false(vpending(&m, 0, 8194));
		assert_int_equal(sim_gic_viar(m.gic, 0), SIM_GIC_SPURIOUS);
		/* No doorbell rang. */
		for (uint32_t pe = 0; pe < 4; pe++)
			assert_int_equal(take(&m, pe), SIM_GIC_SPURIOUS);
		machine_down(&m);
	}
}

static void one_that_is_away_rings(void **state)
{
	(void)state;
	BOTH(v4) {
		struct machine m;

		start(&m, v4);
		enter(&m, 1, 0); /* on another PE than the table says: not where it is sought */
		leave(&m, 1, false);
		assert_int_equal(sim_its_msi(m.its, 1, 3), SIM_ITS_OK);
		assert_int_equal(take(&m, 1), BELL(3));
		assert_true(vpending(&m, 1, 8195));
		/* Entering finds it. */
		enter(&m, 1, 1);
		assert_int_equal(sim_gic_viar(m.gic, 1), 8195);
		machine_down(&m);
	}
}

static void leaving_tells_what_is_pending(void **state)
{
	(void)state;
	BOTH(v4) {
		struct machine m;

		start(&m, v4);
		enter(&m, 0, 0);
		assert_false(leave(&m, 0, false));
		enter(&m, 0, 0);
		sim_its_msi(m.its, 1, 2);
		assert_true(leave(&m, 0, false));
		machine_down(&m);
	}
}

static void the_most_urgent_virtual_first(void **state)
{
	const uint8_t urgent = 0x21, off = 0x10;

	(void)state;
	BOTH(v4) {
		struct machine m;

		start(&m, v4);
		sim_ram_store(m.ram, VPROP + 4, &urgent, 1);
		sim_ram_store(m.ram, VPROP + 6, &off, 1);
		enter(&m, 0, 0);
		sim_its_msi(m.its, 1, 6);
		sim_its_msi(m.its, 1, 0);
		sim_its_msi(m.its, 1, 4);
		assert_int_equal(sim_gic_viar(m.gic, 0), 8196);
		assert_int_equal(sim_gic_viar(m.gic, 0), 8192);
		assert_int_equal(sim_gic_viar(m.gic, 0), SIM_GIC_SPURIOUS);
		/* 8198 is pending and off; INV of its event, or VINVALL, finds it on. */
		sim_ram_store(m.ram, VPROP + 6, &urgent, 1);
		assert_false(sim_gic_vline(m.gic, 0));
		assert_int_equal(on_event(&m, SIM_ITS_INV, 1, 6), SIM_ITS_OK);
		assert_true(sim_gic_vline(m.gic, 0));
		sim_ram_store(m.ram, VPROP + 6, &off, 1);
		assert_int_equal(run(&m, SIM_ITS_VINVALL, VPE(0), 0, 0), SIM_ITS_OK);
		assert_false(sim_gic_vline(m.gic, 0));
		machine_down(&m);
	}
}

static void clear_and_discard_take_the_bit(void **state)
{
	(void)state;
	BOTH(v4) {
		struct machine m;

		start(&m, v4);
		sim_its_msi(m.its, 1, 2);
		assert_int_equal(on_event(&m, SIM_ITS_CLEAR, 1, 2), SIM_ITS_OK);
		assert_false(vpending(&m, 0, 8194));
		enter(&m, 0, 0);
		on_event(&m, SIM_ITS_INT, 1, 2);
		assert_true(sim_gic_vline(m.gic, 0));
		assert_int_equal(on_event(&m, SIM_ITS_DISCARD, 1, 2), SIM_ITS_OK);
		assert_false(sim_gic_vline(m.gic, 0));
		assert_int_equal(on_event(&m, SIM_ITS_INT, 1, 2), SIM_ITS_UNMAPPED_INTERRUPT);
		machine_down(&m);
	}
}

static void vmovp_moves_the_vpe(void **state)
{
	(void)state;
	BOTH(v4) {
		struct machine m;

		start(&m, v4);
		sim_its_msi(m.its, 1, 2);
		take(&m, 0);
		assert_int_equal(run(&m, SIM_ITS_VMOVP, VPE(0), 3 << 16, 0), SIM_ITS_OK);
		/* Its doorbells ring on the other PE now, its pending bits are where they were. */
		sim_its_msi(m.its, 1, 4);
		assert_int_equal(take(&m, 0), SIM_GIC_SPURIOUS);
		assert_int_equal(take(&m, 3), BELL(4));
		enter(&m, 3, 0);
		assert_int_equal(sim_gic_viar(m.gic, 3), 8194);
		assert_int_equal(sim_gic_viar(m.gic, 3), 8196);
		sim_its_msi(m.its, 1, 6);
		assert_int_equal(sim_gic_viar(m.gic, 3), 8198);
		machine_down(&m);
	}
}

static void vmovi_moves_the_interrupt(void **state)
{
	(void)state;
	BOTH(v4) {
		struct machine m;

		start(&m, v4);
		enter(&m, 1, 1);
		sim_its_msi(m.its, 1, 2);
		take(&m, 0);
		assert_int_equal(run(&m, SIM_ITS_VMOVI | DEV(1), VPE(1) | 2, 0, 0), SIM_ITS_OK);
		assert_false(vpending(&m, 0, 8194));
		assert_int_equal(sim_gic_viar(m.gic, 1), 8194);
		/* The doorbell stays, unless another comes with the command. */
		leave(&m, 1, false);
		sim_its_msi(m.its, 1, 2);
		assert_int_equal(take(&m, 1), BELL(2));
		run(&m, SIM_ITS_VMOVI | DEV(1), VPE(1) | 2, DEV(8400) | 1, 0);
		assert_int_equal(m.code, SIM_ITS_OK);
		sim_its_msi(m.its, 1, 2);
		assert_int_equal(take(&m, 1), 8400);
		machine_down(&m);
	}
}

/* An event that was physical and cached becomes virtual, and back. */
static void an_event_changes_its_kind(void **state)
{
	(void)state;
	BOTH(v4) {
		struct machine m;
		struct sim_its_route route;

		start(&m, v4);
		assert_int_equal(mapti(&m, 1, 20, 8210, 1), SIM_ITS_OK);
		assert_int_equal(sim_its_translate(m.its, 1, 20, &route), SIM_ITS_OK);
		assert_false(route.is_virtual);
		on_event(&m, SIM_ITS_DISCARD, 1, 20);
		assert_int_equal(vmapti(&m, 20, 8220, 1, NO_BELL), SIM_ITS_OK);
		assert_int_equal(sim_its_translate(m.its, 1, 20, &route), SIM_ITS_OK);
		assert_true(route.is_virtual);
		assert_int_equal(route.intid, 8220);
		assert_int_equal(route.pe, 1);
		assert_int_equal(movi(&m, 1, 20, 0), SIM_ITS_ID_IS_VIRTUAL);
		assert_int_equal(mapti(&m, 1, 20, 8210, 1), SIM_ITS_OK);
		assert_int_equal(run(&m, SIM_ITS_VMOVI | DEV(1), VPE(1) | 20, 0, 0),
				 SIM_ITS_ID_IS_PHYSICAL);
		assert_int_equal(sim_its_msi(m.its, 1, 20), SIM_ITS_OK);
		assert_int_equal(take(&m, 1), 8210);
		machine_down(&m);
	}
}

/* VMAPI: the vINTID is the event. */
static void vmapi_takes_the_event_for_the_vlpi(void **state)
{
	(void)state;
	BOTH(v4) {
		struct machine m;

		start(&m, v4);
		mapd(&m, 2, 14, true);
		assert_int_equal(run(&m, SIM_ITS_VMAPI | DEV(2), VPE(1) | 8250,
				     DEV(NO_BELL), 0), SIM_ITS_OK);
		sim_its_msi(m.its, 2, 8250);
		assert_true(vpending(&m, 1, 8250));
		machine_down(&m);
	}
}

struct wrong {
	const char *what;
	uint64_t w[4];
	uint32_t code; /* 0x01CCEE */
};

static const struct wrong wrongs[] = {
	{ "VMAPP vPE", { SIM_ITS_VMAPP, VPE(0x800) | NO_BELL, V, VPT(2) | 15 }, 0x012911 },
	{ "VMAPP PE", { SIM_ITS_VMAPP, VPE(2) | NO_BELL, V | 4 << 16, VPT(2) | 15 },
	  0x012902 },
	{ "VMAPP size", { SIM_ITS_VMAPP, VPE(2) | NO_BELL, V, VPT(2) | 16 },
	  0x012912 },
	{ "VMAPTI device", { SIM_ITS_VMAPTI | DEV(3), 0, DEV(NO_BELL) | 8192, 0 },
	  0x012a04 },
	{ "VMAPTI event", { SIM_ITS_VMAPTI | DEV(1), 32, DEV(NO_BELL) | 8192, 0 },
	  0x012a05 },
	{ "VMAPTI vLPI", { SIM_ITS_VMAPTI | DEV(1), 9, DEV(NO_BELL) | 8191, 0 },
	  0x012a13 },
	{ "VMAPTI vPE", { SIM_ITS_VMAPTI | DEV(1), VPE(0x800) | 9, DEV(NO_BELL) | 8192, 0 },
	  0x012a11 },
	{ "VMAPTI doorbell", { SIM_ITS_VMAPTI | DEV(1), 9, DEV(1022) | 8192, 0 },
	  0x012a06 },
	{ "VMAPI vLPI", { SIM_ITS_VMAPI | DEV(1), 9, DEV(NO_BELL), 0 }, 0x012b13 },
	{ "VMAPI device", { SIM_ITS_VMAPI | DEV(0x2000), 9, DEV(NO_BELL), 0 }, 0x012b01 },
	{ "VMOVI event", { SIM_ITS_VMOVI | DEV(1), 9, 0, 0 }, 0x012107 },
	{ "VMOVI vPE", { SIM_ITS_VMOVI | DEV(1), VPE(7) | 2, 0, 0 }, 0x012117 },
	{ "VMOVI vPE beyond", { SIM_ITS_VMOVI | DEV(1), VPE(0x800) | 2, 0, 0 }, 0x012111 },
	{ "VMOVI doorbell", { SIM_ITS_VMOVI | DEV(1), VPE(1) | 2, DEV(1022) | 1, 0 }, 0x012106 },
	{ "VMOVI from nowhere", { SIM_ITS_VMOVI | DEV(1), VPE(1) | 20, 0, 0 }, 0x012116 },
	{ "VMOVI physical", { SIM_ITS_VMOVI | DEV(1), VPE(1) | 21, 0, 0 }, 0x012115 },
	{ "MOVI virtual", { SIM_ITS_MOVI | DEV(1), 2, 0, 0 }, 0x010108 },
	{ "VMOVP vPE", { SIM_ITS_VMOVP, VPE(7), 0, 0 }, 0x012214 },
	{ "VMOVP PE", { SIM_ITS_VMOVP, VPE(0), 4 << 16, 0 }, 0x012202 },
	{ "VSYNC vPE", { SIM_ITS_VSYNC, VPE(7), 0, 0 }, 0x012514 },
	{ "VINVALL vPE", { SIM_ITS_VINVALL, VPE(0x800), 0, 0 }, 0x012d11 },
	{ "INT vPE", { SIM_ITS_INT | DEV(1), 20, 0, 0 }, 0x010314 },
	{ "DISCARD vPE", { SIM_ITS_DISCARD | DEV(1), 20, 0, 0 }, 0x010f14 },
};

static const struct wrong wrongs_4_1[] = {
	{ "VMAPP doorbell", { SIM_ITS_VMAPP, VPE(2) | 1022, V, VPT(2) | 15 }, 0x012906 },
	{ "VMOVP doorbell", { SIM_ITS_VMOVP, VPE(0), V, 1022 }, 0x012206 },
	{ "VSGI vPE", { SIM_ITS_VSGI, VPE(7), 0, 0 }, 0x012314 },
	{ "INVDB vPE", { SIM_ITS_INVDB, VPE(7), 0, 0 }, 0x012e14 },
};

static void check_wrong(const struct wrong *w, enum sim_gic_v4 v4)
{
	struct machine m;

	start(&m, v4);
	/* Events 20, of a vPE that is not mapped, and 21, a physical one. */
	vmapti(&m, 20, 8192, 7, NO_BELL);
	mapti(&m, 1, 21, 8192, 1);
	run(&m, w->w[0], w->w[1], w->w[2], w->w[3]);
	if (sim_its_stats(m.its)->last_error != w->code)
		fail_msg("%s: code 0x%06x '%s', expected 0x%06x", w->what,
			 sim_its_stats(m.its)->last_error, sim_its_code_str(m.code), w->code);
	assert_int_equal(run(&m, SIM_ITS_VSYNC, VPE(0), 0, 0), SIM_ITS_OK);
	machine_down(&m);
}

static void wrong_commands_say_what_is_wrong(void **state)
{
	(void)state;
	BOTH(v4) {
		for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++)
			check_wrong(&wrongs[i], v4);
	}
	for (size_t i = 0; i < sizeof(wrongs_4_1) / sizeof(wrongs_4_1[0]); i++)
		check_wrong(&wrongs_4_1[i], SIM_GIC_V4_1);
}

/* An event of a vPE that is gone, or that is on a PE that never was. */
static void an_unmapped_vpe_loses_its_interrupts(void **state)
{
	const uint64_t nowhere = 9;

	(void)state;
	BOTH(v4) {
		struct machine m;

		start(&m, v4);
		assert_int_equal(vmapp(&m, 0, 0, false, NO_BELL), SIM_ITS_OK);
		assert_int_equal(sim_its_msi(m.its, 1, 2), SIM_ITS_UNMAPPED_VPE);
		sim_ram_store(m.ram, VPES + 32 + 8, &nowhere, 8);
		assert_int_equal(sim_its_msi(m.its, 1, 3), SIM_ITS_UNMAPPED_VPE);
		machine_down(&m);
	}
}

static void commands_of_4_1_need_it(void **state)
{
	struct machine m;

	(void)state;
	start(&m, SIM_GIC_V4_0);
	assert_int_equal(run(&m, SIM_ITS_VSGI, VPE(0), 0, 0), SIM_ITS_UNKNOWN_COMMAND);
	assert_int_equal(run(&m, SIM_ITS_INVDB, VPE(0), 0, 0), SIM_ITS_UNKNOWN_COMMAND);
	assert_false(sim_its_write(m.its, SIM_GITS_SGIR, 8, 0, 0));
	machine_down(&m);
}

static void default_doorbells_ring_when_asked(void **state)
{
	struct machine m;

	(void)state;
	start(&m, SIM_GIC_V4_1);
	assert_int_equal(vmapp(&m, 0, 0, true, 8500), SIM_ITS_OK);
	assert_int_equal(vmapti(&m, 10, 8202, 0, NO_BELL), SIM_ITS_OK);
	enter(&m, 0, 0);
	leave(&m, 0, false);
	sim_its_msi(m.its, 1, 10);
	assert_int_equal(take(&m, 0), SIM_GIC_SPURIOUS);
	enter(&m, 0, 0);
	leave(&m, 0, true);
	sim_its_msi(m.its, 1, 10);
	assert_int_equal(take(&m, 0), 8500);
	/* One that has its own rings that. */
	sim_its_msi(m.its, 1, 2);
	assert_int_equal(take(&m, 0), BELL(2));
	/* VMOVP may bring another. INVDB reads the configuration of the one there is. */
	run(&m, SIM_ITS_VMOVP, VPE(0), V | 2 << 16, 8501);
	assert_int_equal(m.code, SIM_ITS_OK);
	configure(&m, 8501, 0x80);
	sim_its_msi(m.its, 1, 10);
	assert_int_equal(take(&m, 2), SIM_GIC_SPURIOUS);
	configure(&m, 8501, 0x81);
	assert_int_equal(run(&m, SIM_ITS_INVDB, VPE(0), 0, 0), SIM_ITS_OK);
	assert_int_equal(take(&m, 2), 8501);
	machine_down(&m);
}

static uint64_t vsgi(uint64_t sgi, bool enable, bool clear, uint64_t prio)
{
	return SIM_ITS_VSGI | (uint64_t)enable << 8 | (uint64_t)clear << 9 | 1 << 10 |
	       prio << 20 | sgi << 32;
}

static void virtual_sgis(void **state)
{
	struct machine m;
	uint64_t v;

	(void)state;
	start(&m, SIM_GIC_V4_1);
	assert_int_equal(run(&m, vsgi(3, true, false, 4), VPE(1), 0, 0), SIM_ITS_OK);
	enter(&m, 1, 1);
	/* A write of SGIR makes it pending; one that is not enabled waits. */
	its_write(&m, SIM_GITS_SGIR, VPE(1) | 3);
	its_write(&m, SIM_GITS_SGIR, VPE(1) | 5);
	sim_gicr_write(m.gic, 0, SIM_GICR_VSGIR, 4, 1);
	sim_gicr_read(m.gic, 0, SIM_GICR_VSGIPENDR, 4, &v);
	assert_int_equal(v, 1 << 3 | 1 << 5);
	assert_int_equal(sim_gic_viar(m.gic, 1), 3);
	assert_int_equal(sim_gic_viar(m.gic, 1), SIM_GIC_SPURIOUS);
	assert_int_equal(run(&m, vsgi(5, true, false, 2), VPE(1), 0, 0), SIM_ITS_OK);
	assert_int_equal(sim_gic_vhppir(m.gic, 1), 5);
	/* The more urgent of two; then cleared, its configuration kept. */
	its_write(&m, SIM_GITS_SGIR, VPE(1) | 3);
	assert_int_equal(sim_gic_vhppir(m.gic, 1), 5);
	assert_int_equal(run(&m, vsgi(5, false, true, 15), VPE(1), 0, 0), SIM_ITS_OK);
	assert_int_equal(sim_gic_viar(m.gic, 1), 3);
	assert_int_equal(sim_gic_viar(m.gic, 1), SIM_GIC_SPURIOUS);
	its_write(&m, SIM_GITS_SGIR, VPE(1) | 5);
	assert_int_equal(sim_gic_viar(m.gic, 1), 5);
	assert_int_equal(run(&m, vsgi(5, true, false, 2), VPE(7), 0, 0), SIM_ITS_UNMAPPED_VPE);
	machine_down(&m);
}

/* Without Alloc a vPE that is mapped keeps its virtual SGIs; with it they are as at reset. */
static void a_second_vmapp_keeps_virtual_sgis(void **state)
{
	struct machine m;

	(void)state;
	for (int alloc = 0; alloc <= 1; alloc++) {
		start(&m, SIM_GIC_V4_1);
		assert_int_equal(run(&m, vsgi(3, true, false, 4), VPE(1), 0, 0), SIM_ITS_OK);
		assert_int_equal(run(&m, SIM_ITS_VMAPP | VPROP | (uint64_t)alloc << 8,
				     VPE(1) | NO_BELL, V | 1 << 16, VPT(1) | 15), SIM_ITS_OK);
		its_write(&m, SIM_GITS_SGIR, VPE(1) | 3);
		enter(&m, 1, 1);
		assert_int_equal(sim_gic_viar(m.gic, 1), alloc ? SIM_GIC_SPURIOUS : 3);
		machine_down(&m);
	}
}

/* VPENDBASER of 4.1 lets groups through. Group 1 has the vLPIs and vSGI 3, group 0 has vSGI 4. */
static void groups_are_let_through(void **state)
{
	static const struct { uint64_t groups; uint32_t first, second; } rows[] = {
		{ 0, SIM_GIC_SPURIOUS, SIM_GIC_SPURIOUS },
		{ SIM_GICR_VPENDBASER_VGRP0, 4, SIM_GIC_SPURIOUS },
		{ SIM_GICR_VPENDBASER_VGRP1, 3, 8195 },
	};
	struct machine m;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start(&m, SIM_GIC_V4_1);
		run(&m, vsgi(3, true, false, 4), VPE(1), 0, 0);
		run(&m, vsgi(4, true, false, 3) & ~(UINT64_C(1) << 10), VPE(1), 0, 0);
		its_write(&m, SIM_GITS_SGIR, VPE(1) | 3);
		sim_gicr_write(m.gic, 1, SIM_GICR_VPENDBASER, 8,
			       SIM_GICR_VPENDBASER_VALID | rows[i].groups | 1);
		/* Whether it was there before, or comes now. */
		its_write(&m, SIM_GITS_SGIR, VPE(1) | 4);
		sim_its_msi(m.its, 1, 3);
		assert_int_equal(sim_gic_viar(m.gic, 1), rows[i].first);
		assert_int_equal(sim_gic_viar(m.gic, 1), rows[i].second);
		assert_int_equal(sim_gic_viar(m.gic, 1), SIM_GIC_SPURIOUS);
		machine_down(&m);
	}
}

static void typer_and_registers_say_so(void **state)
{
	struct machine m;
	uint64_t v;

	(void)state;
	start(&m, SIM_GIC_V4_0);
	/* Virtual, VMOVP; not VSGI, VMAPP. The vPE table is type 2, entries of 32 bytes. */
	v = its_read(&m, SIM_GITS_TYPER);
	assert_true((v & 2) && (v >> 37 & 1) && !(v >> 39 & 3));
	assert_true(its_read(&m, SIM_GITS_BASER + 16) >> 48 == (0x8200 | 31));
	assert_int_equal(its_read(&m, SIM_GITS_PIDR2), 0x4b);
	sim_gicr_read(m.gic, 0, SIM_GICR_TYPER, 8, &v);
	assert_true((v & 2) && !(v >> 7 & 1) && !(v >> 26 & 1));
	machine_down(&m);
	start(&m, SIM_GIC_V4_1);
	v = its_read(&m, SIM_GITS_TYPER);
	assert_true((v & 2) && (v >> 37 & 1) && (v >> 39 & 3) == 3);
	sim_gicr_read(m.gic, 0, SIM_GICR_TYPER, 8, &v);
	assert_true((v & 2) && (v >> 7 & 1) && (v >> 26 & 1));
	/* VPROPBASER: all but the entry size (four doublewords) and Z; of 4.0 as PROPBASER. */
	sim_gicr_write(m.gic, 0, SIM_GICR_VPROPBASER, 8, UINT64_MAX);
	sim_gicr_read(m.gic, 0, SIM_GICR_VPROPBASER, 8, &v);
	assert_true(v == UINT64_C(0x9fefffffffffffff));
	sim_gicr_write(m.gic, 0, SIM_GICR_VPROPBASER, 8, 0);
	sim_gicr_read(m.gic, 0, SIM_GICR_VPROPBASER, 8, &v);
	assert_true(v == UINT64_C(0x1800000000000000));
	/* While valid, VPENDBASER and VPROPBASER hold still. */
	enter(&m, 0, 0);
	sim_gicr_write(m.gic, 0, SIM_GICR_VPENDBASER, 8, SIM_GICR_VPENDBASER_VALID | 1);
	sim_gicr_read(m.gic, 0, SIM_GICR_VPENDBASER, 8, &v);
	assert_int_equal(v & 0xffff, 0);
	sim_gicr_write(m.gic, 0, SIM_GICR_VPROPBASER, 8, 0);
	sim_gicr_read(m.gic, 0, SIM_GICR_VPROPBASER, 8, &v);
	assert_true(v != 0);
	machine_down(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_resident_vpe_is_interrupted),
		cmocka_unit_test(one_that_is_away_rings),
		cmocka_unit_test(leaving_tells_what_is_pending),
		cmocka_unit_test(the_most_urgent_virtual_first),
		cmocka_unit_test(clear_and_discard_take_the_bit),
		cmocka_unit_test(vmovp_moves_the_vpe),
		cmocka_unit_test(vmovi_moves_the_interrupt),
		cmocka_unit_test(an_event_changes_its_kind),
		cmocka_unit_test(vmapi_takes_the_event_for_the_vlpi),
		cmocka_unit_test(wrong_commands_say_what_is_wrong),
		cmocka_unit_test(an_unmapped_vpe_loses_its_interrupts),
		cmocka_unit_test(commands_of_4_1_need_it),
		cmocka_unit_test(default_doorbells_ring_when_asked),
		cmocka_unit_test(virtual_sgis),
		cmocka_unit_test(a_second_vmapp_keeps_virtual_sgis),
		cmocka_unit_test(groups_are_let_through),
		cmocka_unit_test(typer_and_registers_say_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
