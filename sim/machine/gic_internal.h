/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gic_internal.h - what the parts of the GIC share: gic.c (the CPU interface), gic_redist.c (the
 * registers), gic_table.c and gic_held.c (the two ways to keep LPI state), gic_virt.c (GICv4).
 */
#ifndef SIM_MACHINE_GIC_INTERNAL_H
#define SIM_MACHINE_GIC_INTERNAL_H

#include "sim/machine/gic.h"

#define GIC_PRIO_IDLE	0xffu
#define GIC_CONF_PRIO	0xfcu
#define GIC_CONF_ENABLE	0x01u
#define GIC_NONE	UINT32_MAX

#define GICR_ADDR_PROP	(((uint64_t)1 << 52) - ((uint64_t)1 << 12))
#define GICR_ADDR_PEND	(((uint64_t)1 << 52) - ((uint64_t)1 << 16))
#define GICR_PROP_IDBITS	UINT64_C(0x1f)

/* The best pending interrupt of a PE or vPE: prio is GIC_PRIO_IDLE if there is none. */
struct gic_best {
	uint32_t intid;
	uint8_t prio;
};

struct gic_pe {
	uint64_t propbaser, pendbaser;
	uint64_t vpropbaser, vpendbaser;
	uint32_t vsgir; /* what GICR_VSGIPENDR answers for */
	bool lpis_on;
	bool asleep;
	bool group1;
	uint8_t pmr;
	uint32_t active; /* bit i: priority i << (8 - pribits) runs; pribits is at most 5 here */
	struct gic_best best;  /* TABLE: cached */
	struct gic_best vbest; /* of the resident vPE: cached */
	struct sim_gic_vpe vpe;
	bool resident;
	uint32_t head, tail; /* HELD: the queue, indices of LPIs */
	bool line, vline;    /* as last told */
};

/* HELD: an LPI. It exists while refs or queued. */
struct gic_lpi {
	uint32_t refs;
	uint32_t target; /* SIM_GIC_PE_NONE: nobody's */
	uint32_t queued; /* in whose queue; SIM_GIC_PE_NONE: in none */
	uint32_t prev, next;
	uint8_t prio;
	bool enabled;
	bool pending;
};

/* The two ways to keep LPI state. All PEs and INTIDs are in range. */
struct gic_lpi_ops {
	void (*enable)(struct sim_gic *gic, uint32_t pe);
	void (*disable)(struct sim_gic *gic, uint32_t pe);
	bool (*pending)(const struct sim_gic *gic, uint32_t pe, uint32_t intid);
	void (*set)(struct sim_gic *gic, uint32_t pe, uint32_t intid);
	void (*clear)(struct sim_gic *gic, uint32_t pe, uint32_t intid);
	void (*inv)(struct sim_gic *gic, uint32_t pe, uint32_t intid);
	void (*inv_all)(struct sim_gic *gic, uint32_t pe);
	void (*move)(struct sim_gic *gic, uint32_t intid, uint32_t from, uint32_t to);
	void (*move_all)(struct sim_gic *gic, uint32_t from, uint32_t to);
	struct gic_best (*best)(const struct sim_gic *gic, uint32_t pe);
	void (*acknowledge)(struct sim_gic *gic, uint32_t pe, uint32_t intid);
};

struct sim_gic {
	struct sim_gic_config cfg;
	struct sim_ram *ram;
	const struct gic_lpi_ops *ops;
	uint32_t gicd_ctlr;
	uint64_t propbaser; /* HELD: one for all */
	struct gic_pe *pes;
	struct gic_lpi *lpis; /* HELD: by INTID - SIM_GIC_LPI_FIRST */
	struct sim_gic_listener *listeners;
	sim_gic_line_fn *line;
	void *line_ctx;
};

extern const struct gic_lpi_ops gic_table_ops;
extern const struct gic_lpi_ops gic_held_ops;

/* Bits of an INTID that a PROPBASER or VPROPBASER allows. */
static inline uint32_t gic_prop_bits(const struct sim_gic *gic, uint64_t propbaser)
{
	uint32_t bits = (uint32_t)(propbaser & GICR_PROP_IDBITS) + 1;

	return bits < gic->cfg.idbits ? bits : gic->cfg.idbits;
}

/* The priority to compete with, or GIC_PRIO_IDLE for one that is not enabled. */
static inline uint8_t gic_conf_prio(uint8_t conf)
{
	return conf & GIC_CONF_ENABLE ? conf & GIC_CONF_PRIO : GIC_PRIO_IDLE;
}

/*
 * A pending table bit: false if it cannot be accessed or has the level already. The table of a PE
 * or a vPE.
 */
bool gic_bit_change(struct sim_gic *gic, uint64_t table, uint32_t intid, bool level);
bool gic_bit_get(const struct sim_gic *gic, uint64_t table, uint32_t intid);

/* Let @best be the best of it and one more; a lower INTID wins among equals. */
void gic_best_add(const struct sim_gic *gic, struct gic_best *best, uint64_t conf_table,
		  uint32_t intid);

/* The best of all that are pending in a table. */
struct gic_best gic_best_of_table(const struct sim_gic *gic, uint64_t table, uint64_t conf_table,
				  uint32_t idbits);

/* Tell the line hook if the line of a PE, or of its vPE, is not as it was told last. */
void gic_line_update(struct sim_gic *gic, uint32_t pe);
void gic_vline_update(struct sim_gic *gic, uint32_t pe);

/* GICv4: VPENDBASER was written. */
void gic_vpend_write(struct sim_gic *gic, uint32_t pe, uint64_t value);

#endif
