/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine/gic.h - GICv3 and GICv4: redistributors and CPU interfaces, as far as LPIs are concerned.
 *
 * A PE is a redistributor with its CPU interface. An LPI is pending on one PE (or, by a guest's own
 * doing, on several), is configured by one byte in memory (priority, enable), and is signalled when
 * it is enabled, of higher priority than the mask and than what runs. SGIs, PPIs and SPIs are not
 * modelled. GICv4 adds virtual LPIs for vPEs, of which each PE has one resident.
 *
 * The architecture lets a redistributor choose where it keeps what it knows. Two choices are
 * modelled, because guests can tell them apart, and both are in wide use:
 *
 *   SIM_GIC_TABLE  Pending bits live in the pending table in guest memory, always; only the best
 *                  pending LPI of a PE is cached. A configuration byte is read when its LPI becomes
 *                  pending; all of a PE's are at INV and INVALL, when EnableLPIs is set, and when
 *                  the cached best one goes away. Of equals the lowest INTID wins. (QEMU)
 *   SIM_GIC_HELD   An LPI is an object inside: its target, its pending latch, its configuration as
 *                  read when an event was mapped to it or at INV and INVALL, its place in a PE's
 *                  queue. It exists while an event maps to it or it is queued. The pending table is
 *                  read when EnableLPIs is set (unless PENDBASER.PTZ) and when an LPI comes into
 *                  being, and written by sim_gic_save(). Of equals the first to arrive wins. A
 *                  pending LPI that was given another target moves when its old PE next enters its
 *                  guest: sim_gic_sync(). (KVM)
 *
 * G1  Whatever guest memory holds and whatever is written to the registers, no function reads or
 *     writes outside guest memory, and each does work bounded by PEs times LPIs.
 * G2  An LPI that is signalled is enabled, pending, on a PE with EnableLPIs set.
 * G3  The line hook has been told each change of a PE's interrupt line by the time the function
 *     that caused it returns.
 * G4  sim_gic_iar() clears the pending state of what it returns.
 *
 * Concurrency: one thread. Not reentrant: hooks must not call back.
 *
 * Source: Arm IHI 0069 (GICv3 and v4); the behaviour of QEMU and of Linux KVM where the
 * architecture leaves a choice.
 */
#ifndef SIM_MACHINE_GIC_H
#define SIM_MACHINE_GIC_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/engine/error.h"
#include "sim/machine/ram.h"

#define SIM_GIC_LPI_FIRST	8192u
#define SIM_GIC_SPURIOUS	1023u
#define SIM_GIC_PES_MAX		512u
#define SIM_GIC_IDBITS_MAX	20u
/* No PE: the target of an LPI whose collection is not mapped. */
#define SIM_GIC_PE_NONE		UINT32_MAX

/* Offsets inside a redistributor's frames: RD_base, and VLPI_base at 0x20000 with GICv4. */
#define SIM_GICR_CTLR		0x0000u
#define SIM_GICR_IIDR		0x0004u
#define SIM_GICR_TYPER		0x0008u
#define SIM_GICR_WAKER		0x0014u
#define SIM_GICR_PROPBASER	0x0070u
#define SIM_GICR_PENDBASER	0x0078u
#define SIM_GICR_INVLPIR	0x00a0u
#define SIM_GICR_INVALLR	0x00b0u
#define SIM_GICR_SYNCR		0x00c0u
#define SIM_GIC_IDREGS		0xffd0u /* PIDR4 to PIDR7, PIDR0 to PIDR3, CIDR0 to CIDR3 */
#define SIM_GICR_PIDR2		0xffe8u
#define SIM_GICR_VPROPBASER	0x20070u
#define SIM_GICR_VPENDBASER	0x20078u
#define SIM_GICR_VSGIR		0x20080u
#define SIM_GICR_VSGIPENDR	0x20088u

#define SIM_GICR_CTLR_ENABLE_LPIS	UINT64_C(1)
#define SIM_GICR_PENDBASER_PTZ		((uint64_t)1 << 62)
#define SIM_GICR_VPENDBASER_VALID	((uint64_t)1 << 63)
#define SIM_GICR_VPENDBASER_VGRP0	((uint64_t)1 << 59) /* GICv4.1 */
#define SIM_GICR_VPENDBASER_VGRP1	((uint64_t)1 << 58)

#define SIM_GICD_CTLR		0x0000u
#define SIM_GICD_TYPER		0x0004u
#define SIM_GICD_CTLR_GRP1	UINT32_C(2)
#define SIM_GICD_CTLR_ARE	UINT32_C(0x10)

enum sim_gic_state {
	SIM_GIC_TABLE = 0,
	SIM_GIC_HELD
};

/** What of GICv4 there is; the ITS of a machine has the same. */
enum sim_gic_v4 {
	SIM_GIC_V4_NONE = 0,
	SIM_GIC_V4_0,
	SIM_GIC_V4_1
};

/**
 * struct sim_gic_config - a GIC
 * @npes: 1 to SIM_GIC_PES_MAX
 * @idbits: bits of an INTID, 14 to SIM_GIC_IDBITS_MAX; 0: 16
 * @pribits: priority bits that the CPU interface implements, 4 or 5; 0: 5
 * @state: where LPI state lives
 * @v4: virtual LPIs; needs SIM_GIC_TABLE
 */
struct sim_gic_config {
	uint32_t npes;
	uint32_t idbits;
	uint32_t pribits;
	enum sim_gic_state state;
	enum sim_gic_v4 v4;
};

struct sim_gic;

/**
 * sim_gic_create() - all PEs asleep, nothing enabled
 * @ram: guest memory; outlives the GIC
 *
 * Return: NULL with @err set if the configuration is out of range.
 */
struct sim_gic *sim_gic_create(const struct sim_gic_config *cfg, struct sim_ram *ram,
			       struct sim_error *err);
void sim_gic_destroy(struct sim_gic *gic);

/** sim_gic_config() - as given, with the defaults filled in */
const struct sim_gic_config *sim_gic_config(const struct sim_gic *gic);

/** The interrupt line of a PE changed. @is_virtual: the line of its resident vPE instead. */
typedef void sim_gic_line_fn(void *ctx, uint32_t pe, bool is_virtual, bool level);

/** sim_gic_on_line() - whom to tell; NULL for nobody */
void sim_gic_on_line(struct sim_gic *gic, sim_gic_line_fn *fn, void *ctx);

struct sim_gic_vpe;

/**
 * struct sim_gic_listener - what an ITS wants to hear, and can answer; embedded in it
 * @lpis_off: EnableLPIs of a PE went from 1 to 0, and its LPIs were dropped
 * @vpe_find: GICv4.1: the vPE of a number, from the vPE table; false if it is not mapped
 * @vpe_off: GICv4.1: a vPE stopped being resident; whether its default doorbell shall ring
 */
struct sim_gic_listener {
	void (*lpis_off)(void *ctx, uint32_t pe);
	bool (*vpe_find)(void *ctx, uint32_t id, struct sim_gic_vpe *vpe);
	void (*vpe_off)(void *ctx, uint32_t id, bool doorbell);
	void *ctx;
	struct sim_gic_listener *next;
};

void sim_gic_listen(struct sim_gic *gic, struct sim_gic_listener *listener);
void sim_gic_unlisten(struct sim_gic *gic, struct sim_gic_listener *listener);

/*
 * Registers, as a PE reads and writes them: @nbytes is 4 or 8, @off aligned to it. A 64-bit
 * register may be accessed by halves. What is not there reads as zero and ignores writes; false
 * says so.
 */
bool sim_gicd_read(struct sim_gic *gic, uint32_t off, uint32_t *value);
bool sim_gicd_write(struct sim_gic *gic, uint32_t off, uint32_t value);
bool sim_gicr_read(struct sim_gic *gic, uint32_t pe, uint32_t off, unsigned int nbytes,
		   uint64_t *value);
bool sim_gicr_write(struct sim_gic *gic, uint32_t pe, uint32_t off, unsigned int nbytes,
		    uint64_t value);

/**
 * sim_gic_idreg() - the identification registers at the end of a frame
 * @pidr0: the low byte of the part number, which says what frame it is
 *
 * Return: false if @off is none.
 */
bool sim_gic_idreg(uint32_t off, uint8_t pidr0, enum sim_gic_v4 v4, uint64_t *value);

/**
 * sim_gic_attributes() - what KVM makes of the memory attributes in a table's register
 * @inner, @outer: the lowest bits of the two cacheability fields; shareability is [11:10]
 *
 * Inner becomes cacheable, outer non-cacheable or as inner, and outer shareable inner shareable.
 */
uint64_t sim_gic_attributes(uint64_t value, unsigned int inner, unsigned int outer);

/* The CPU interface of a PE. Priorities: lower is more urgent, 0xff is idle. */
void sim_gic_set_pmr(struct sim_gic *gic, uint32_t pe, uint8_t mask);
void sim_gic_set_group1(struct sim_gic *gic, uint32_t pe, bool on);

/** sim_gic_line() - whether the PE is interrupted (ISR_EL1.I) */
bool sim_gic_line(const struct sim_gic *gic, uint32_t pe);

/** sim_gic_hppir() - best pending INTID, whatever the mask; SIM_GIC_SPURIOUS for none */
uint32_t sim_gic_hppir(const struct sim_gic *gic, uint32_t pe);

/** sim_gic_iar() - acknowledge: the INTID, whose priority now runs; SIM_GIC_SPURIOUS for none */
uint32_t sim_gic_iar(struct sim_gic *gic, uint32_t pe);

/** sim_gic_eoir() - drop the running priority; one that nothing runs at is ignored */
void sim_gic_eoir(struct sim_gic *gic, uint32_t pe);

/**
 * sim_gic_sync() - the PE enters (and has left) its guest
 *
 * With SIM_GIC_HELD it drops queued LPIs that are no longer pending, and hands over those whose
 * target is another PE, which get there behind those that queue already. Else nothing.
 */
void sim_gic_sync(struct sim_gic *gic, uint32_t pe);

/** sim_gic_lpis_on() - EnableLPIs of a PE; false for a PE that does not exist */
bool sim_gic_lpis_on(const struct sim_gic *gic, uint32_t pe);

/** sim_gic_lpi_end() - INTIDs from this one on are no LPIs */
uint64_t sim_gic_lpi_end(const struct sim_gic *gic);

/** sim_gic_lpi_pending() - whether an LPI is pending on a PE */
bool sim_gic_lpi_pending(const struct sim_gic *gic, uint32_t pe, uint32_t intid);

/*
 * What an ITS asks for. @pe exists; an INTID that is no LPI, or is beyond the PE's PROPBASER, does
 * nothing. With SIM_GIC_HELD an LPI knows its PE and only map() and move() look at @pe.
 */

/** sim_gic_lpi_set() - an interrupt arrives; dropped if EnableLPIs of @pe is clear */
void sim_gic_lpi_set(struct sim_gic *gic, uint32_t pe, uint32_t intid);
/** sim_gic_lpi_clear() - pending no more */
void sim_gic_lpi_clear(struct sim_gic *gic, uint32_t pe, uint32_t intid);
/** sim_gic_lpi_inv() - read the configuration of an LPI again */
void sim_gic_lpi_inv(struct sim_gic *gic, uint32_t pe, uint32_t intid);
/** sim_gic_lpi_inv_all() - read that of all LPIs of a PE again */
void sim_gic_lpi_inv_all(struct sim_gic *gic, uint32_t pe);
/** sim_gic_lpi_move() - the LPI, and its pending state, now belong to @to */
void sim_gic_lpi_move(struct sim_gic *gic, uint32_t intid, uint32_t from, uint32_t to);
/** sim_gic_lpi_move_all() - everything that is pending on (TABLE) or belongs to (HELD) @from */
void sim_gic_lpi_move_all(struct sim_gic *gic, uint32_t from, uint32_t to);
/**
 * sim_gic_lpi_map() - an event was mapped to the LPI
 * @pe: its target, or SIM_GIC_PE_NONE; one that exists already keeps the target it has
 *
 * Return: false if the LPI cannot come into being: its configuration or its pending bit cannot be
 * read. Always true with SIM_GIC_TABLE.
 */
bool sim_gic_lpi_map(struct sim_gic *gic, uint32_t intid, uint32_t pe);
/** sim_gic_lpi_unmap() - one event less maps to it */
void sim_gic_lpi_unmap(struct sim_gic *gic, uint32_t intid);

#define SIM_GIC_VSGIS		16u
/* Configuration of a virtual SGI: enable, group, priority. */
#define SIM_GIC_VSGI_ENABLE	0x01u
#define SIM_GIC_VSGI_GROUP1	0x02u
#define SIM_GIC_VSGI_PRIO	0xf0u

/** A vPE as the vPE table describes it: what the redistributor is told with each request. */
struct sim_gic_vpe {
	uint32_t id;
	uint32_t pe;	    /* where it runs, or ran */
	uint32_t idbits;    /* bits of a vINTID */
	uint64_t pend_addr; /* virtual pending table */
	uint64_t conf_addr; /* virtual configuration table, GICv4.1 */
	uint32_t doorbell;  /* default doorbell, GICv4.1; SIM_GIC_SPURIOUS for none */
	bool doorbell_wanted; /* whether it shall ring while the vPE is not resident */
	uint8_t vsgi[SIM_GIC_VSGIS];
};

/* GICv4: as above, for virtual LPIs. @doorbell: an LPI to pend if the vPE is not resident. */
void sim_gic_vlpi_set(struct sim_gic *gic, const struct sim_gic_vpe *vpe, uint32_t vintid,
		      uint32_t doorbell);
void sim_gic_vlpi_clear(struct sim_gic *gic, const struct sim_gic_vpe *vpe, uint32_t vintid);
/* The vPE's configuration, of a vLPI or of vSGIs, or its place in memory changed. */
void sim_gic_vlpi_inv(struct sim_gic *gic, const struct sim_gic_vpe *vpe);
void sim_gic_vlpi_move(struct sim_gic *gic, const struct sim_gic_vpe *from,
		       const struct sim_gic_vpe *to, uint32_t vintid, uint32_t doorbell);
bool sim_gic_vlpi_pending(const struct sim_gic *gic, const struct sim_gic_vpe *vpe,
			  uint32_t vintid);

/* GICv4.1: a virtual SGI of a vPE: bits 0 to 15 of the virtual pending table. */
void sim_gic_vsgi_set(struct sim_gic *gic, const struct sim_gic_vpe *vpe, uint32_t vsgi);
void sim_gic_vsgi_clear(struct sim_gic *gic, const struct sim_gic_vpe *vpe, uint32_t vsgi);

/** sim_gic_vline() - whether the resident vPE is interrupted, its own mask open */
bool sim_gic_vline(const struct sim_gic *gic, uint32_t pe);
/** sim_gic_vhppir() - the resident vPE's highest priority pending vINTID */
uint32_t sim_gic_vhppir(const struct sim_gic *gic, uint32_t pe);
/** sim_gic_viar() - the resident vPE acknowledges it; ends it at once */
uint32_t sim_gic_viar(struct sim_gic *gic, uint32_t pe);

/**
 * sim_gic_save() - with SIM_GIC_HELD, write the pending bits of all LPIs to the tables in memory
 *
 * Return: false with @err set if a table is not in memory; bits written until then stay.
 */
bool sim_gic_save(struct sim_gic *gic, struct sim_error *err);

#endif
