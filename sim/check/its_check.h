/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check/its_check.h - what must hold of a cache in front of an ITS, looked at from outside.
 *
 *   transparency  a twin of the machine without a cache goes through the same operations in the
 *                 same order. Each interrupt goes to the same LPI of the same PE, or fails with the
 *                 same code; each acknowledge returns the same LPI; at the end memory, registers,
 *                 pending state and what commands were answered are the same
 *   residency     a cache with a bound holds no more than that, at any time
 *   completion    knows what the guest knows: the commands that GITS_CREADR has passed. No LPI is
 *                 delivered, or acknowledged, that a completed DISCARD, MAPD, MAPC, MOVI, or a
 *                 disable with its INV, has put an end to; nor by an ITS, or on a PE, that is off
 *
 * The first two know that there is a cache. The third one looks at interrupts alone.
 *
 * A violation is counted; the first of each checker is reported in words.
 *
 * Concurrency: none. Cost: the twin doubles the machine's work; completion is a few loads an
 * interrupt; residency asks a design no oftener than its number of fills could have reached the
 * bound.
 */
#ifndef SIM_CHECK_ITS_CHECK_H
#define SIM_CHECK_ITS_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/machine/gic.h"
#include "sim/machine/its.h"
#include "sim/machine/its_design.h"
#include "sim/machine/ram.h"

enum sim_its_checker {
	SIM_ITS_CHECK_TRANSPARENCY = 0,
	SIM_ITS_CHECK_RESIDENCY,
	SIM_ITS_CHECK_COMPLETION,
	SIM_ITS_NCHECKERS
};

/** "transparency" ... */
extern const char *const sim_its_checker_names[SIM_ITS_NCHECKERS];

/**
 * struct sim_its_check - where violations go
 * @report: called at a checker's first one; may be NULL
 * @ctx: passed to it
 * @violations: by checker
 */
struct sim_its_check {
	void (*report)(void *ctx, enum sim_its_checker checker, const char *what);
	void *ctx;
	uint64_t violations[SIM_ITS_NCHECKERS];
};

/** sim_its_check_total() - violations of all checkers */
uint64_t sim_its_check_total(const struct sim_its_check *check);

/* its_check.c: count a violation; the first one is reported. */
void sim_its_check_violated(struct sim_its_check *check, enum sim_its_checker checker,
			    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * Transparency. Memory is one region, @base to @base + @nbytes - 1. Whatever is done to the machine
 * is done to its twin, right after.
 */
struct sim_its_twin;

/** sim_its_twin_create() - NULL with @err set for a configuration that is refused */
struct sim_its_twin *sim_its_twin_create(struct sim_its_check *check, uint64_t base,
					 uint64_t nbytes, const struct sim_gic_config *gic,
					 const struct sim_its_config *its, struct sim_error *err);
void sim_its_twin_destroy(struct sim_its_twin *twin);

/** sim_its_twin_store() - as sim_ram_store() */
void sim_its_twin_store(struct sim_its_twin *twin, uint64_t addr, const void *buf, size_t nbytes);

/** sim_its_twin_write() - as sim_its_write(), until the queue is empty or stalled */
void sim_its_twin_write(struct sim_its_twin *twin, uint32_t off, unsigned int nbytes,
			uint64_t value);

/** sim_its_twin_gic() - for registers and CPU interfaces */
struct sim_gic *sim_its_twin_gic(struct sim_its_twin *twin);

/**
 * sim_its_twin_msi() - an interrupt of a device has been answered: as the tables would?
 * @code: the answer
 * @route: where it went, if @code is SIM_ITS_OK
 */
void sim_its_twin_msi(struct sim_its_twin *twin, uint32_t device_id, uint32_t event_id,
		      enum sim_its_code code, const struct sim_its_route *route);

/** sim_its_twin_take() - a PE has acknowledged an INTID */
void sim_its_twin_take(struct sim_its_twin *twin, uint32_t pe, uint32_t intid);

/** sim_its_twin_compare() - at the end: both sides are saved, then registers, memory and pending */
void sim_its_twin_compare(struct sim_its_twin *twin, struct sim_ram *ram, struct sim_gic *gic,
			  struct sim_its *its);

/** sim_its_check_bound() - so many entries are held, where so many may be */
void sim_its_check_bound(struct sim_its_check *check, uint64_t resident, uint64_t capacity);

/**
 * struct sim_its_residency - zeroed at first; see sim_its_check_residency()
 * @bound: what it was given room for; 0: the design's own word
 * @fills: at which it looks next
 */
struct sim_its_residency {
	uint64_t bound;
	uint64_t fills;
};

/** sim_its_check_residency() - the design may have made an entry */
void sim_its_check_residency(struct sim_its_check *check, struct sim_its_residency *residency,
			     struct sim_its_design *design);

/* Completion. */
struct sim_its_completion;

/**
 * sim_its_completion_create() - of a machine on which nothing is mapped, every LPI disabled
 * @lpi_end: INTIDs from this one on are no LPIs
 */
struct sim_its_completion *sim_its_completion_create(struct sim_its_check *check, uint64_t lpi_end,
						     const struct sim_its_choices *choices);
void sim_its_completion_destroy(struct sim_its_completion *c);

/** sim_its_completion_configured() - the guest has stored an LPI's configuration byte */
void sim_its_completion_configured(struct sim_its_completion *c, uint32_t intid, uint8_t byte);

/** sim_its_completion_command() - CREADR has passed a command, which did what it says */
void sim_its_completion_command(struct sim_its_completion *c, const uint64_t cmd[4]);

/* GITS_CTLR.Enabled, or EnableLPIs of a PE, was written; all are on at first. */
void sim_its_completion_its(struct sim_its_completion *c, bool on);
void sim_its_completion_lpis(struct sim_its_completion *c, uint32_t pe, bool on);

/** sim_its_completion_delivered() - an interrupt of a device has made an LPI pending on a PE */
void sim_its_completion_delivered(struct sim_its_completion *c, uint32_t pe, uint32_t intid);

/** sim_its_completion_taken() - a PE has acknowledged it */
void sim_its_completion_taken(struct sim_its_completion *c, uint32_t pe, uint32_t intid);

#endif
