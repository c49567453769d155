// SPDX-License-Identifier: BSD-2-Clause
/*
 * script_stage2.c - the language of stage-2 scripts: operations, operands, results.
 *
 *	cfg TG T0SZ SL0 PS HA HD [DS SL2]	new tables; TG 4, 16 or 64
 *	leaf LEVEL IPA DESC			store a descriptor, parents on demand
 *	desc LEVEL IPA				the descriptor as it is
 *	at_r IPA, at_w IPA			AT S12E1R, AT S12E1W
 *	ld IPA, st IPA, ex IPA			load, store, fetch at EL1
 *	vttbr V, ttbroff V, tlbi		write VTTBR_EL2: V, the root + V; invalidate
 *
 * and, for machines that the recorded one is not (s2.tlb, s2.hdbss):
 *
 *	poke LEVEL IPA DESC			as leaf, without an invalidation
 *	tlbi_ipa IPA, tlbi_vmid			IPAS2E1IS, VMALLS12E1IS, of VTTBR_EL2's VMID
 *	hdbss BASE ENTRIES			arm the log, as careful software does, or refused
 *	hdbss_br V				HDBSSBR_EL2 as it is, and HDBSS on
 *	prod, entry I, rewind			HDBSSPROD_EL2; entry I; drained
 *
 * A script is checked whole, operands and their sense with the cfg before them included, and then
 * run: from the first line that is printed on nothing can fail but table memory.
 */
#include "sim/engine/param.h"
#include "sim/machine/board.h"
#include "sim/machine/script.h"

#include <inttypes.h>
#include <string.h>

#define ARGS_MAX	8u
#define STORE_MARK	UINT64_C(0x5a5a000000000000)

struct run {
	FILE *out;
	const struct sim_script *script;
	const struct sim_board_caps *caps;
	struct sim_error *err;
	struct sim_board *board;
	uint64_t naccesses;	/* ld, st and ex of this run so far */
};

struct op {
	const char *name;
	unsigned int nargs_min;
	unsigned int nargs_max;
	unsigned int address;	/* which argument is an address, from 1; 0: none */
	bool (*run)(struct run *r, const struct op *op, const uint64_t *args);
};

static struct sim_vtcr_fields fields_of(const uint64_t *args)
{
	return (struct sim_vtcr_fields){
		.granule_shift = args[0] == 4 ? 12 : args[0] == 16 ? 14 : 16,
		.t0sz = (unsigned int)args[1],
		.sl0 = (unsigned int)args[2],
		.ps = (unsigned int)args[3],
		.ha = args[4],
		.hd = args[5],
		.ds = args[6],
		.sl2 = args[7],
	};
}

static const char *fault_word(enum sim_fault fault)
{
	static const char *const words[] = {
		[SIM_FAULT_NONE] = "none",
		[SIM_FAULT_ADDRESS_SIZE] = "addrsize",
		[SIM_FAULT_TRANSLATION] = "translation",
		[SIM_FAULT_ACCESS_FLAG] = "access",
		[SIM_FAULT_PERMISSION] = "permission",
		[SIM_FAULT_WALK_EABORT] = "walk-eabt",
		[SIM_FAULT_ATOMIC_UPDATE] = "atomic",
		[SIM_FAULT_HDBSS] = "permission",
	};

	return words[fault];
}

static void print_fault(FILE *out, const struct sim_walk *w)
{
	fprintf(out, "fst=0x%x %s level=%d", w->fsc, fault_word(w->fault), w->level);
	if (w->fault == SIM_FAULT_HDBSS)
		fprintf(out, " hdbssf=1");
}

static bool run_cfg(struct run *r, const struct op *op, const uint64_t *args)
{
	struct sim_vtcr_fields f = fields_of(args);

	(void)op;
	if (r->caps->no_lpa2)
		f.ds = f.sl2 = false;
	sim_board_configure(r->board, &f);
	fprintf(r->out, "vtcr=0x%" PRIx64 "\n", sim_vtcr_encode(&f));
	return true;
}

static bool run_leaf(struct run *r, const struct op *op, const uint64_t *args)
{
	if (sim_s2_store(sim_board_tables(r->board), (int)args[0], args[1], args[2]) != WEIR_OK)
		return false;
	if (op->name[0] == 'l')
		sim_mmu_invalidate_all(sim_board_mmu(r->board));
	fprintf(r->out, "ok\n");
	return true;
}

static bool run_desc(struct run *r, const struct op *op, const uint64_t *args)
{
	const uint64_t *entry = sim_s2_entry(sim_board_tables(r->board), (int)args[0], args[1]);

	(void)op;
	fprintf(r->out, "desc=0x%" PRIx64 "\n", entry ? *entry : 0);
	return true;
}

static bool run_at(struct run *r, const struct op *op, const uint64_t *args)
{
	struct sim_walk w;

	if (sim_board_translate(r->board, args[0], op->name[3] == 'w', &w)) {
		/* PAR_EL1 of a Device-nGnRnE result: stage 1 is off. */
		fprintf(r->out, "pa=0x%" PRIx64 " par=0x%" PRIx64 "\n", w.oa,
			(w.oa & ~UINT64_C(0xfff)) | 0xb00);
		return true;
	}
	fprintf(r->out, w.fault == SIM_FAULT_WALK_EABORT ? "at-trap " : "fault ");
	print_fault(r->out, &w);
	fprintf(r->out, w.fault == SIM_FAULT_WALK_EABORT ? " s1ptw=0\n" : " s2=1 ptw=0\n");
	return true;
}

/* Exceptions that EL1 takes itself: abort without a change of level, or an unknown instruction. */
static void print_el1_fault(FILE *out, const struct sim_board_access *a)
{
	unsigned int ec = a->fetch ? 0x21 : 0x25;

	if (a->end == SIM_BOARD_EL1_SIZE)
		fprintf(out, "el1-fault ec=0x%x fst=0x0 addrsize level=0 far=0x%" PRIx64 "\n", ec,
			a->address);
	else if (a->end == SIM_BOARD_EL1_ABORT)
		fprintf(out, "el1-fault ec=0x%x fst=0x10 eabt level=0 far=0x%" PRIx64 "\n", ec,
			a->address);
	else
		fprintf(out, "el1-fault ec=0x0 fst=0x0 addrsize level=0 far=0x0\n");
}

static bool run_access(struct run *r, const struct op *op, const uint64_t *args)
{
	enum sim_access access = op->name[0] == 'l' ? SIM_READ :
				 op->name[0] == 's' ? SIM_WRITE : SIM_EXEC;
	struct sim_board_access a;

	r->naccesses++;
	sim_board_access(r->board, args[0], access, STORE_MARK + r->naccesses, &a);
	switch (a.end) {
	case SIM_BOARD_OK:
		fprintf(r->out, "ok");
		if (access == SIM_READ)
			fprintf(r->out, " val=0x%" PRIx64, a.value);
		fprintf(r->out, "\n");
		break;
	case SIM_BOARD_LANDED:
		fprintf(r->out, "ok landed=0x%" PRIx64 "\n", a.value);
		break;
	case SIM_BOARD_STAGE2:
		fprintf(r->out, a.fetch ? "iabt " : "dabt ");
		print_fault(r->out, &a.walk);
		fprintf(r->out, " wnr=%d s1ptw=0 far=0x%" PRIx64 " ipa=0x%" PRIx64 "\n",
			!a.fetch && access == SIM_WRITE, a.address, a.walk.ipa);
		break;
	case SIM_BOARD_CONFLICT:
		fprintf(r->out, "%s fst=0x30 conflict far=0x%" PRIx64 "\n",
			a.fetch ? "iabt" : "dabt", a.address);
		break;
	default:
		print_el1_fault(r->out, &a);
		break;
	}
	return true;
}

static bool run_vttbr(struct run *r, const struct op *op, const uint64_t *args)
{
	uint64_t root = op->name[0] == 't' ? BOARD_TABLES : 0;

	sim_board_set_vttbr(r->board, root + args[0]);
	fprintf(r->out, "ok\n");
	return true;
}

static bool run_tlbi(struct run *r, const struct op *op, const uint64_t *args)
{
	struct sim_mmu *mmu = sim_board_mmu(r->board);
	uint64_t gfn = args[0] >> sim_s2_geometry(sim_board_tables(r->board))->granule_shift;

	if (!strcmp(op->name, "tlbi"))
		sim_mmu_invalidate_all(mmu);
	else if (op->nargs_max)
		sim_mmu_invalidate(mmu, gfn, gfn);
	else
		sim_mmu_invalidate_vmid(mmu);
	fprintf(r->out, "ok\n");
	return true;
}

static bool run_hdbss(struct run *r, const struct op *op, const uint64_t *args)
{
	struct sim_mmu *mmu = sim_board_mmu(r->board);
	struct sim_hdbss *log = sim_mmu_hdbss(mmu, 0);

	if (op->nargs_max == 2) {
		if (sim_mmu_hdbss_arm(mmu, 0, args[0], args[1]) != WEIR_OK) {
			fprintf(r->out, "refused\n");
			return true;
		}
	} else {
		log->br = args[0];
		sim_mmu_hdbss_set(mmu, 0, true);
	}
	fprintf(r->out, "br=0x%" PRIx64 "\n", log->br);
	return true;
}

static bool run_log(struct run *r, const struct op *op, const uint64_t *args)
{
	struct sim_hdbss *log = sim_mmu_hdbss(sim_board_mmu(r->board), 0);

	if (op->name[0] == 'p') {
		fprintf(r->out, "index=%" PRIu32 " fsc=0x%x\n", log->index, log->fsc);
	} else if (op->name[0] == 'e') {
		fprintf(r->out, "entry=0x%" PRIx64 "\n",
			args[0] < log->index ? sim_hdbss_read(log, (uint32_t)args[0]) : 0);
	} else {
		sim_hdbss_rewind(log);
		fprintf(r->out, "ok\n");
	}
	return true;
}

static const struct op ops[] = {
	{ "cfg", 6, 8, 0, run_cfg },
	{ "leaf", 3, 3, 2, run_leaf },
	{ "desc", 2, 2, 2, run_desc },
	{ "at_r", 1, 1, 1, run_at },
	{ "at_w", 1, 1, 1, run_at },
	{ "ld", 1, 1, 1, run_access },
	{ "st", 1, 1, 1, run_access },
	{ "ex", 1, 1, 1, run_access },
	{ "vttbr", 1, 1, 0, run_vttbr },
	{ "ttbroff", 1, 1, 0, run_vttbr },
	{ "tlbi", 0, 0, 0, run_tlbi },
	{ "poke", 3, 3, 2, run_leaf },
	{ "tlbi_ipa", 1, 1, 1, run_tlbi },
	{ "tlbi_vmid", 0, 0, 0, run_tlbi },
	{ "hdbss", 2, 2, 0, run_hdbss },
	{ "hdbss_br", 1, 1, 0, run_hdbss },
	{ "prod", 0, 0, 0, run_log },
	{ "entry", 1, 1, 0, run_log },
	{ "rewind", 0, 0, 0, run_log },
};

static const struct op *find_op(const char *name)
{
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (strcmp(name, ops[i].name) == 0)
			return &ops[i];
	return NULL;
}

/* Words to numbers; the optional ones that are not there are 0. */
static bool parse_args(const struct sim_script *s, const struct sim_script_line *line,
		       const struct op *op, uint64_t *args, struct sim_error *err)
{
	size_t n = line->nwords - 1;

	memset(args, 0, ARGS_MAX * sizeof(*args));
	if (n != op->nargs_min && n != op->nargs_max) {
		sim_error_at(err, s->path, line->number, "%s: found %zu operands, expected %u%s",
			     op->name, n, op->nargs_min, op->nargs_max == 8 ? " or 8" : "");
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		const char *word = line->words[i + 1];

		if (sim_script_number(word, &args[i]))
			continue;
		sim_error_at(err, s->path, line->number,
			     "%s: found %s, expected an unsigned number, decimal or 0x lower case",
			     op->name, sim_quote(word, strlen(word)).text);
		return false;
	}
	if (op->address && args[op->address - 1] % 8) {
		sim_error_at(err, s->path, line->number,
			     "%s: address 0x%" PRIx64 ", expected a multiple of 8", op->name,
			     args[op->address - 1]);
		return false;
	}
	return true;
}

static bool check_cfg(const struct sim_script *s, const struct sim_script_line *line,
		      const uint64_t *args, struct sim_error *err)
{
	static const struct {
		const char *name;
		uint64_t max;
	} field[ARGS_MAX] = { { "TG", 64 }, { "T0SZ", 63 }, { "SL0", 3 }, { "PS", 7 },
			      { "HA", 1 },  { "HD", 1 },    { "DS", 1 },  { "SL2", 1 } };

	if (args[0] != 4 && args[0] != 16 && args[0] != 64) {
		sim_error_at(err, s->path, line->number,
			     "cfg: TG=%" PRIu64 ", expected 4, 16 or 64", args[0]);
		return false;
	}
	for (size_t i = 1; i < ARGS_MAX; i++) {
		if (args[i] <= field[i].max)
			continue;
		sim_error_at(err, s->path, line->number,
			     "cfg: %s=%" PRIu64 ", expected 0..%" PRIu64, field[i].name, args[i],
			     field[i].max);
		return false;
	}
	return true;
}

/* A leaf needs a level that the tables have and an address that they translate. */
static bool check_entry(const struct sim_script *s, const struct sim_script_line *line,
			const struct op *op, const struct sim_s2_geometry *geo,
			const uint64_t *args, struct sim_error *err)
{
	bool leaf = op->run == run_leaf;

	if (args[0] > 3 || (leaf && (int)args[0] < geo->start_level))
		sim_error_at(err, s->path, line->number, "%s: level %" PRIu64 ", expected %d..3",
			     op->name, args[0],
			     leaf && geo->start_level > 0 ? geo->start_level : 0);
	else if (leaf && args[1] >> geo->ia_bits)
		sim_error_at(err, s->path, line->number,
			     "leaf: address 0x%" PRIx64 ", expected at most %u bits", args[1],
			     geo->ia_bits);
	else
		return true;
	return false;
}

static bool check_script(const struct sim_script *s, const struct sim_board_caps *caps,
			 struct sim_error *err)
{
	struct sim_s2_geometry geo = { 0 };

	for (size_t i = 0; i < s->nlines; i++) {
		const struct sim_script_line *line = &s->lines[i];
		const struct op *op = find_op(line->words[0]);
		uint64_t args[ARGS_MAX];

		if (sim_script_is_head(line)) {
			geo.granule_shift = 0;
			if (line->nwords == 2)
				continue;
			sim_error_at(err, s->path, line->number,
				     "scenario: found %zu words, expected `scenario NAME`",
				     line->nwords);
			return false;
		}
		if (!op) {
			sim_error_at(err, s->path, line->number,
				     "operation %s, expected cfg, leaf, desc, at_r, at_w, ld, st, "
				     "ex, vttbr, ttbroff, tlbi, tlbi_ipa, tlbi_vmid, poke, "
				     "hdbss, hdbss_br, prod, entry or rewind",
				     sim_quote(line->words[0], strlen(line->words[0])).text);
			return false;
		}
		if ((op->run == run_hdbss || op->run == run_log) && !caps->hdbss) {
			sim_error_at(err, s->path, line->number,
				     "%s: the machine has no FEAT_HDBSS, expected -C s2.hdbss=on",
				     op->name);
			return false;
		}
		if (!parse_args(s, line, op, args, err))
			return false;
		if (op->run == run_cfg) {
			struct sim_vtcr_fields f = fields_of(args);

			if (!check_cfg(s, line, args, err))
				return false;
			if (caps->no_lpa2)
				f.ds = f.sl2 = false;
			(void)sim_vtcr_geometry(&f, &geo);
		} else if (geo.granule_shift == 0) {
			sim_error_at(err, s->path, line->number,
				     "%s before the scenario's tables, expected cfg first",
				     op->name);
			return false;
		} else if ((op->run == run_leaf || op->run == run_desc) &&
			   !check_entry(s, line, op, &geo, args, err)) {
			return false;
		}
	}
	return true;
}

static bool run_line(struct run *r, const struct sim_script_line *line)
{
	const struct op *op = find_op(line->words[0]);
	uint64_t args[ARGS_MAX];

	(void)parse_args(r->script, line, op, args, NULL);
	sim_script_echo(r->out, line);
	fprintf(r->out, " => ");
	if (op->run(r, op, args))
		return true;
	fprintf(r->out, "no memory\n");
	sim_error_at(r->err, r->script->path, line->number,
		     "%s: tables are full, expected at most %" PRIu64 " MiB of them", op->name,
		     BOARD_TABLES_BYTES >> 20);
	return false;
}

static bool run_script(struct run *r, const char *const *names, size_t nnames)
{
	bool selected = false, ok = true;

	for (size_t i = 0; ok && i < r->script->nlines; i++) {
		const struct sim_script_line *line = &r->script->lines[i];

		if (sim_script_is_head(line)) {
			selected = sim_script_selected(line->words[1], names, nnames);
			if (!selected)
				continue;
			sim_board_destroy(r->board);
			r->board = sim_board_create(r->caps);
			fprintf(r->out, "scenario %s\n", line->words[1]);
		} else if (selected) {
			ok = run_line(r, line);
		}
	}
	sim_board_destroy(r->board);
	return ok;
}

static const struct sim_param params_table[] = {
	SIM_PARAM_BOOL_ENTRY("s2.tlb", "off", "the recorded machine's results do not need one",
		"translations are cached until they are invalidated"),
	SIM_PARAM_BOOL_ENTRY("s2.lpa2", "on", "the recorded machine", "FEAT_LPA2: VTCR_EL2.DS"),
	SIM_PARAM_BOOL_ENTRY("s2.hdbss", "off", "the recorded machine has none",
		"FEAT_HDBSS: a log of leaves that hardware set dirty"),
	SIM_PARAM_U64_ENTRY("s2.bbm_level", "", "2", 0, 2, "the recorded machine",
		"FEAT_BBM: with s2.tlb, what may change without break-before-make"),
};

void sim_stage2_params(struct sim_params *params)
{
	sim_params_register(params, params_table, sizeof(params_table) / sizeof(params_table[0]));
}

struct sim_board_caps sim_stage2_caps(const struct sim_params *params)
{
	return (struct sim_board_caps){
		.tlb = sim_params_bool(params, "s2.tlb"),
		.no_lpa2 = !sim_params_bool(params, "s2.lpa2"),
		.hdbss = sim_params_bool(params, "s2.hdbss"),
		.bbm_level = (unsigned int)sim_params_u64(params, "s2.bbm_level"),
	};
}

int sim_script_stage2(FILE *out, const char *path, const char *const *names, size_t nnames,
		      struct sim_error *err)
{
	static const struct sim_board_caps recorded = { .bbm_level = 2 };

	return sim_script_stage2_on(out, path, names, nnames, &recorded, err);
}

int sim_script_stage2_on(FILE *out, const char *path, const char *const *names, size_t nnames,
			 const struct sim_board_caps *caps, struct sim_error *err)
{
	struct sim_script *script = sim_script_read(path, err);
	struct run r = { .out = out, .script = script, .caps = caps, .err = err };
	bool ok;

	if (!script)
		return 2;
	ok = check_script(script, caps, err) && sim_script_select(script, names, nnames, err) &&
	     run_script(&r, names, nnames);
	sim_script_free(script);
	return ok ? 0 : 2;
}
