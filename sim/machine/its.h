/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine/its.h - an Interrupt Translation Service: what turns a device's write of an EventID into
 * an LPI on a PE, by tables that a guest builds through a command queue.
 *
 * DeviceID -> device table -> interrupt translation table, EventID -> LPI and collection ->
 * collection table -> PE. GICv4 adds entries that lead to a virtual LPI of a vPE instead.
 *
 * The architecture leaves choices open; `struct sim_its_choices` lists those that guests can see,
 * and two profiles set them as two wide-spread implementations do. The largest is where mappings
 * live: in guest memory at all times (SIM_GIC_TABLE), or inside, brought to guest memory by
 * sim_its_save() and from it by sim_its_restore() in KVM's layout, revision 0 (SIM_GIC_HELD). The
 * GIC keeps its LPIs the same way, so the two share one switch.
 *
 * I1  No guest memory outside of RAM is read or written, whatever the tables, commands and
 *     registers hold; and the work of a call is bounded: sim_its_write() and sim_its_step() execute
 *     at most `commands_max` commands, each with work bounded by LPIs times PEs, or by mappings
 *     held.
 * I2  Commands take effect in the order of the queue. One that stalls, and those behind it, have
 *     had no effect on mappings.
 * I3  When a translation changed or went away, the invalidate hook has been called after the change
 *     and before CREADR has moved past the command (or the register write that caused it returned).
 * I4  sim_its_translate() changes nothing. An interrupt is sim_its_translate(), or a remembered
 *     answer of it that no invalidation has named since, and then sim_its_deliver().
 * I5  A failed command leaves mappings as they were.
 *
 * Concurrency: one thread. Hooks must not call back, except sim_its_translate() from the translate
 * hook.
 * Cost: a translation is three table reads; see its_held.c for mappings that are held.
 *
 * Source: Arm IHI 0069 (GICv3 and v4); Linux Documentation/virt/kvm/devices/arm-vgic-its.rst for
 * the layout of saved tables; the behaviour of QEMU 7.2 and Linux 6.1 for the profiles.
 */
#ifndef SIM_MACHINE_ITS_H
#define SIM_MACHINE_ITS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/engine/error.h"
#include "sim/engine/param.h"
#include "sim/machine/gic.h"
#include "sim/machine/ram.h"


/* Offsets in the control frame; the translation frame follows, then GICv4.1's vSGI frame. */
#define SIM_GITS_CTLR		0x0000u
#define SIM_GITS_IIDR		0x0004u
#define SIM_GITS_TYPER		0x0008u
#define SIM_GITS_CBASER		0x0080u
#define SIM_GITS_CWRITER	0x0088u
#define SIM_GITS_CREADR		0x0090u
#define SIM_GITS_BASER		0x0100u /* + 8 * n, n from 0 to 7 */
#define SIM_GITS_PIDR2		0xffe8u /* and its like, SIM_GIC_IDREGS on */
#define SIM_GITS_TRANSLATER	0x10040u
#define SIM_GITS_SGIR		0x20020u
#define SIM_GITS_BASERS		8u

#define SIM_GITS_VALID			((uint64_t)1 << 63)
#define SIM_GITS_BASER_INDIRECT		((uint64_t)1 << 62)
#define SIM_GITS_CTLR_ENABLED		UINT64_C(1)
#define SIM_GITS_CTLR_QUIESCENT		((uint64_t)1 << 31)
#define SIM_GITS_CWRITER_RETRY		UINT64_C(1)
#define SIM_GITS_CREADR_STALLED		UINT64_C(1)
#define SIM_GITS_QUEUE_OFFSET		UINT64_C(0xfffe0)
#define SIM_ITS_CMD_BYTES		32u

/** Command opcodes: byte 0 of a command. */
enum sim_its_op {
	SIM_ITS_MOVI = 0x01,
	SIM_ITS_INT = 0x03,
	SIM_ITS_CLEAR = 0x04,
	SIM_ITS_SYNC = 0x05,
	SIM_ITS_MAPD = 0x08,
	SIM_ITS_MAPC = 0x09,
	SIM_ITS_MAPTI = 0x0a,
	SIM_ITS_MAPI = 0x0b,
	SIM_ITS_INV = 0x0c,
	SIM_ITS_INVALL = 0x0d,
	SIM_ITS_MOVALL = 0x0e,
	SIM_ITS_DISCARD = 0x0f,
	SIM_ITS_VMOVI = 0x21,
	SIM_ITS_VMOVP = 0x22,
	SIM_ITS_VSGI = 0x23,
	SIM_ITS_VSYNC = 0x25,
	SIM_ITS_VMAPP = 0x29,
	SIM_ITS_VMAPTI = 0x2a,
	SIM_ITS_VMAPI = 0x2b,
	SIM_ITS_VINVALL = 0x2d,
	SIM_ITS_INVDB = 0x2e
};

/**
 * enum sim_its_code - what is wrong with a command or a translation
 *
 * Up to 0xff: the low byte of the architecture's command error, 0x01CCEE with CC the command;
 * sim_its_error_code() puts it together. Above: no command error.
 */
enum sim_its_code {
	SIM_ITS_OK = 0,
	SIM_ITS_DEVICE_OOR = 0x01,
	SIM_ITS_PROCNUM_OOR_MOVALL = 0x01,
	SIM_ITS_ITTSIZE_OOR = 0x02,
	SIM_ITS_PROCNUM_OOR = 0x02,
	SIM_ITS_COLLECTION_OOR = 0x03,
	SIM_ITS_UNMAPPED_DEVICE = 0x04,
	SIM_ITS_ID_OOR = 0x05,
	SIM_ITS_PHYSICALID_OOR = 0x06,
	SIM_ITS_UNMAPPED_INTERRUPT = 0x07,
	SIM_ITS_ID_IS_VIRTUAL = 0x08,
	SIM_ITS_UNMAPPED_COLLECTION = 0x09,
	SIM_ITS_VPE_OOR = 0x11,
	SIM_ITS_VPTSIZE_OOR = 0x12,
	SIM_ITS_VIRTUALID_OOR = 0x13,
	SIM_ITS_UNMAPPED_VPE = 0x14,
	SIM_ITS_ID_IS_PHYSICAL = 0x15,
	SIM_ITS_UNMAPPED_ITE_VPE = 0x16, /* VMOVI: the event's */
	SIM_ITS_UNMAPPED_CMD_VPE = 0x17, /* VMOVI: the command's */
	SIM_ITS_FAULT = 0x100,	  /* a table, or the command itself, is not in memory */
	SIM_ITS_UNKNOWN_COMMAND,  /* no such opcode here */
	SIM_ITS_DISABLED,	  /* GITS_CTLR.Enabled is clear */
	SIM_ITS_LPIS_DISABLED,	  /* EnableLPIs of the target is clear */
	SIM_ITS_NO_ROOM		  /* mappings held would exceed held_max */
};

/** What makes the command queue stop at a command, with CREADR.Stalled set. */
enum sim_its_stall {
	SIM_ITS_STALL_NEVER = 0, /* every faulty command is skipped */
	SIM_ITS_STALL_FAULT,	 /* memory that is not there stalls, a bad operand is skipped */
	SIM_ITS_STALL_ERROR	 /* any command error stalls */
};

/** What a command does that maps an event which is mapped. */
enum sim_its_remap {
	SIM_ITS_REMAP_OVERWRITE = 0,
	SIM_ITS_REMAP_IGNORE
};

/**
 * struct sim_its_choices - what the architecture leaves open
 * @state: where mappings and LPI state live
 * @stall: what stalls the queue
 * @remap: MAPTI over a live event
 * @discard_keeps_pending: DISCARD leaves the LPI's pending state (against the letter of the manual)
 * @invall_everywhere: INVALL concerns all PEs, whatever collection it names
 * @pages_64k: BASER pages are 64 KiB whatever is written, the queue starts at 64 KiB, and the
 *	collection table is flat
 * @cached_tables: memory attributes of tables and queue that are not cacheable, or outer shareable,
 *	do not stay: see sim_gic_attributes()
 * @enable_needs_tables: Enabled cannot be set while a table or the queue is not Valid
 * @retry_always: any write of CWRITER, or of Enabled, retries a stalled command
 * @cbaser_resets_cwriter: a write of CBASER clears CWRITER too
 * @cwriter_oor_dropped: an offset outside of the queue does not change CWRITER; else it does, and
 *	nothing is executed until a good one is written
 * @quiescent_is_empty: Quiescent says that the queue is empty; else also that the ITS is disabled
 */
struct sim_its_choices {
	enum sim_gic_state state;
	enum sim_its_stall stall;
	enum sim_its_remap remap;
	bool discard_keeps_pending;
	bool invall_everywhere;
	bool pages_64k;
	bool cached_tables;
	bool enable_needs_tables;
	bool retry_always;
	bool cbaser_resets_cwriter;
	bool cwriter_oor_dropped;
	bool quiescent_is_empty;
};

enum sim_its_profile {
	SIM_ITS_PROFILE_QEMU = 0,
	SIM_ITS_PROFILE_KVM
};

/** sim_its_profile() - the choices of a profile */
const struct sim_its_choices *sim_its_profile(enum sim_its_profile profile);

/**
 * struct sim_its_config - an ITS
 * @choices: its `state` is the GIC's
 * @devbits: bits of a DeviceID, 1 to 32; 0: 16
 * @eventbits: bits of an EventID, 1 to 32; 0: 16
 * @icidbits: bits of a collection number, 1 to 16; 0: 16
 * @vpebits: GICv4: bits of a vPE number, 1 to 16; 0: 16
 * @held_max: mappings of events that it holds at most, with SIM_GIC_HELD; 0: 2^20
 * @commands_max: commands executed before sim_its_write() returns; 0: all (the queue holds at most
 *	32768)
 */
struct sim_its_config {
	struct sim_its_choices choices;
	uint32_t devbits;
	uint32_t eventbits;
	uint32_t icidbits;
	uint32_t vpebits;
	uint32_t held_max;
	uint32_t commands_max;
};

/* Parameters its.*: profile, each choice, sizes, GICv4; and the shape of a cache before it. */
#define SIM_ITS_NPARAMS		17u
#define SIM_ITS_SHAPE_NPARAMS	2u
extern const struct sim_param sim_its_param_table[SIM_ITS_NPARAMS];
extern const struct sim_param sim_its_shape_table[SIM_ITS_SHAPE_NPARAMS];

/** sim_its_params() - both, and whether there is a cache */
void sim_its_params(struct sim_params *params);

/** sim_its_configure() - both configurations from parameters; false with @err set */
bool sim_its_configure(const struct sim_params *params, struct sim_its_config *its,
		       struct sim_gic_config *gic, struct sim_error *err);

/** Where an interrupt goes. */
struct sim_its_route {
	uint32_t intid;	   /* the LPI, or vLPI */
	uint32_t pe;	   /* the collection's, or the vPE's */
	uint32_t icid;	   /* the collection; the vPE's number if is_virtual */
	uint32_t doorbell; /* if is_virtual: SIM_GIC_SPURIOUS for none */
	bool is_virtual;   /* never to be remembered: the vPE may move at any time */
};

/** What an invalidation names. */
enum sim_its_scope {
	SIM_ITS_SCOPE_EVENT = 0, /* one event of one device */
	SIM_ITS_SCOPE_DEVICE,	 /* all of a device */
	SIM_ITS_SCOPE_COLLECTION,/* all that route to a collection */
	SIM_ITS_SCOPE_ALL
};

struct sim_its_inval {
	enum sim_its_scope scope;
	uint32_t device_id; /* EVENT, DEVICE */
	uint32_t event_id;  /* EVENT */
	uint32_t icid;	    /* COLLECTION */
};

struct sim_its;

/**
 * struct sim_its_hooks - whom to ask and to tell; each may be NULL
 * @translate: in front of sim_its_translate() for interrupts of devices: a cache. Answers as it
 * @invalidate: see I3
 * @command: a command was executed: its bytes as four words, its code. Before CREADR moves, or
 *	Stalled is set
 */
struct sim_its_hooks {
	enum sim_its_code (*translate)(void *ctx, struct sim_its *its, uint32_t device_id,
				       uint32_t event_id, struct sim_its_route *route);
	void (*invalidate)(void *ctx, const struct sim_its_inval *inval);
	void (*command)(void *ctx, const uint64_t cmd[4], enum sim_its_code code);
};

/** Counters. */
struct sim_its_stats {
	uint64_t commands;	/* executed, faulty ones included */
	uint64_t errors;	/* of them, with a code */
	uint64_t stalls;
	uint64_t msis;		/* interrupts of devices */
	uint64_t msis_lost;	/* of them, without a route */
	uint64_t invalidations[SIM_ITS_SCOPE_ALL + 1];
	uint32_t last_error;	/* as sim_its_error_code(); 0 for none yet */
};

/**
 * sim_its_create() - an ITS, disabled, without tables
 * @gic: whose LPIs it pends; outlives the ITS
 * @ram: guest memory; outlives it too
 *
 * Return: NULL with @err set if the configuration is out of range or does not fit the GIC's.
 */
struct sim_its *sim_its_create(const struct sim_its_config *cfg, struct sim_gic *gic,
			       struct sim_ram *ram, struct sim_error *err);
void sim_its_destroy(struct sim_its *its);

const struct sim_its_config *sim_its_config(const struct sim_its *its);
const struct sim_its_stats *sim_its_stats(const struct sim_its *its);

/** sim_its_set_hooks() - copied; NULL for none */
void sim_its_set_hooks(struct sim_its *its, const struct sim_its_hooks *hooks, void *ctx);

/*
 * Registers, as sim_gicr_read() and _write(); @off up to SIM_GITS_SGIR. TRANSLATER takes 2 and 4
 * bytes too; @device_id is who writes it.
 */
bool sim_its_read(struct sim_its *its, uint32_t off, unsigned int nbytes, uint64_t *value);
bool sim_its_write(struct sim_its *its, uint32_t off, unsigned int nbytes, uint64_t value,
		   uint32_t device_id);

/** sim_its_step() - go on with the queue where `commands_max` stopped it; whether there is more */
bool sim_its_step(struct sim_its *its);

/** sim_its_msi() - a device's write to TRANSLATER; what came of it */
enum sim_its_code sim_its_msi(struct sim_its *its, uint32_t device_id, uint32_t event_id);

/**
 * sim_its_translate() - walk the tables
 * @route: filled in if the answer is SIM_ITS_OK
 */
enum sim_its_code sim_its_translate(struct sim_its *its, uint32_t device_id, uint32_t event_id,
				    struct sim_its_route *route);

/** sim_its_deliver() - the other half of an interrupt */
void sim_its_deliver(struct sim_its *its, const struct sim_its_route *route);

/** sim_its_error_code() - 0x01CCEE; 0 for what is no command error */
uint32_t sim_its_error_code(enum sim_its_op op, enum sim_its_code code);

/** sim_its_code_str() - in words */
const char *sim_its_code_str(enum sim_its_code code);

/**
 * sim_its_save() - with SIM_GIC_HELD, write mappings to the tables in guest memory, layout rev. 0
 *
 * All bytes go through the memory's write hook. Return: false with @err set if a table is not in
 * memory; what was written until then stays, and saving again is fine.
 */
bool sim_its_save(struct sim_its *its, struct sim_error *err);

/**
 * sim_its_restore() - with SIM_GIC_HELD, read them back
 *
 * BASERs have been written, the ITS is disabled, the redistributors are restored. What the tables
 * say replaces all that was held. Return: false with @err set, and nothing held, if they are not
 * what sim_its_save() writes.
 */
bool sim_its_restore(struct sim_its *its, struct sim_error *err);

/*
 * Registers as a VMM saves and restores them: by value, without side effects on the queue, CREADR
 * writable. Order: CBASER, then CREADR and CWRITER, BASERs, sim_its_restore(), CTLR last.
 */
uint64_t sim_its_reg_get(struct sim_its *its, uint32_t off);
bool sim_its_reg_set(struct sim_its *its, uint32_t off, uint64_t value);

#endif
