/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * script_its.h - the language of ITS scripts: script_its.c reads it, script_its_run.c does it.
 * docs/its.md has the language.
 */
#ifndef SIM_MACHINE_SCRIPT_ITS_H
#define SIM_MACHINE_SCRIPT_ITS_H

#include "sim/machine/its_cache.h"
#include "sim/machine/script.h"

/* The machine's layout; the sizes bound what a script may name. */
#define SCN_RAM		UINT64_C(0x40000000)
#define SCN_RAM_BYTES	UINT64_C(0x04000000)
#define SCN_CMDQ	UINT64_C(0x40100000)
#define SCN_DEVT	UINT64_C(0x40200000)
#define SCN_L2		UINT64_C(0x40280000)
#define SCN_COLT	UINT64_C(0x40300000)
#define SCN_PROP	UINT64_C(0x40400000)
#define SCN_PEND	UINT64_C(0x40500000)
#define SCN_VPET	UINT64_C(0x40600000) /* GICv4: the vPE table, */
#define SCN_VPROP	UINT64_C(0x40610000) /* the configuration of virtual LPIs, */
#define SCN_VPT		UINT64_C(0x40620000) /* the pending table of vPE v at v * 0x10000 */
#define SCN_VPES	30u
#define SCN_ITT		UINT64_C(0x40800000)
#define SCN_CPUS_MAX	48u
#define SCN_CPUS_V4_MAX	16u
#define SCN_ARGS_MAX	6u

enum scn_kind {
	SCN_SETUP,
	SCN_CMD,
	SCN_BATCH,
	SCN_FLUSH,
	SCN_CWRITER,
	SCN_REPEAT,
	SCN_PROP_BYTE,
	SCN_SETPEND,
	SCN_MSI,
	SCN_ITS,
	SCN_LPIS,
	SCN_L2_ENTRY,
	SCN_PMR,
	SCN_PEND_LIST,
	SCN_IRQ,
	SCN_HPPI,
	SCN_ACK,
	/* Beyond the recorded language. */
	SCN_CODE,
	SCN_SAVE,
	SCN_RESTORE,
	SCN_READ,
	SCN_WRITE,
	SCN_RREAD,
	SCN_RWRITE,
	SCN_VPROP_BYTE,
	SCN_VSCHED,
	SCN_VPEND_LIST,
	SCN_VIRQ,
	SCN_VHPPI,
	SCN_VACK,
	SCN_SGIR
};

struct scn_setup {
	bool lpis, its, dev_indirect, dev_valid, coll_valid;
	uint64_t idbits, dev_pages, dev_page_size, dev_base, coll_pages, cmdq_pages;
};

/* An operation, checked. */
struct scn_op {
	enum scn_kind kind;
	uint64_t arg[SCN_ARGS_MAX]; /* the numbers, in order; an `on` is 1 */
	uint64_t cmd[4];	    /* CMD */
	struct scn_setup setup;	    /* SETUP */
	uint64_t repeat;	    /* how often; 1 but for `repeat` */
};

struct sim_params;

/**
 * sim_script_its() - run a script of ITS operations
 * @out: gets `scenario NAME` and `OPERATION => RESULT` lines; nothing if the script is bad
 * @path: the script; "-" is standard input
 * @names: run these scenarios, in the script's order; nnames 0: all
 * @params: has sim_its_params()
 *
 * Return: 0; 2 with err set if the script cannot be read or understood, or the parameters do not go
 * together.
 */
int sim_script_its(FILE *out, const char *path, const char *const *names, size_t nnames,
		   const struct sim_params *params, struct sim_error *err);

/* The machine of one scenario. */
struct scn_machine;

/* What machines are made of. */
struct scn_config {
	struct sim_its_config its;
	struct sim_gic_config gic;
	struct weir_xlate_config cache;
	bool cached;
};

struct scn_machine *scn_machine_create(const struct scn_config *cfg);
void scn_machine_destroy(struct scn_machine *m);

/* Do an operation once and print its result. */
void scn_run(struct scn_machine *m, const struct scn_op *op, FILE *out);

#endif
