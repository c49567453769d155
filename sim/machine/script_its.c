// SPDX-License-Identifier: BSD-2-Clause
/*
 * script_its.c - reading ITS scripts: from words to operations with numbers in range. docs/its.md
 * has the language.
 *
 * An operation's operands are described by a string, a letter an operand, lower case if it may be
 * left out: N number, C CPU, S on or off, L LPI, V vPE, R and F offset of a register.
 */
#include "sim/machine/script_its.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct scn_word {
	const char *name;
	enum scn_kind kind;
	const char *args;
	bool v4;
};

static const struct scn_word operations[] = {
	{ "batch", SCN_BATCH, "S", false },
	{ "flush", SCN_FLUSH, "", false },
	{ "cwriter", SCN_CWRITER, "N", false },
	{ "prop", SCN_PROP_BYTE, "LBS", false },
	{ "setpend", SCN_SETPEND, "CP", false },
	{ "msi", SCN_MSI, "WW", false },
	{ "its", SCN_ITS, "S", false },
	{ "lpis", SCN_LPIS, "CS", false },
	{ "l2", SCN_L2_ENTRY, "HS", false },
	{ "pmr", SCN_PMR, "CB", false },
	{ "pend", SCN_PEND_LIST, "", false },
	{ "irq", SCN_IRQ, "C", false },
	{ "hppi", SCN_HPPI, "C", false },
	{ "ack", SCN_ACK, "C", false },
	{ "code", SCN_CODE, "", false },
	{ "save", SCN_SAVE, "", false },
	{ "restore", SCN_RESTORE, "", false },
	{ "read", SCN_READ, "R", false },
	{ "write", SCN_WRITE, "RN", false },
	{ "rread", SCN_RREAD, "CF", false },
	{ "rwrite", SCN_RWRITE, "CFN", false },
	{ "vprop", SCN_VPROP_BYTE, "LBS", true },
	{ "vsched", SCN_VSCHED, "CVS", true },
	{ "vpend", SCN_VPEND_LIST, "V", true },
	{ "virq", SCN_VIRQ, "C", true },
	{ "vhppi", SCN_VHPPI, "C", true },
	{ "vack", SCN_VACK, "C", true },
	{ "sgir", SCN_SGIR, "VG", true },
};

/* Commands: how their numbers make the four words. */
struct scn_command {
	const char *name;
	uint8_t op;
	const char *args; /* N, or n if it may be left out */
};

static const struct scn_command commands[] = {
	{ "MAPD", SIM_ITS_MAPD, "NNnn" },   { "MAPC", SIM_ITS_MAPC, "NNn" },
	{ "MAPTI", SIM_ITS_MAPTI, "NNNN" }, { "MAPI", SIM_ITS_MAPI, "NNN" },
	{ "MOVI", SIM_ITS_MOVI, "NNN" },    { "MOVALL", SIM_ITS_MOVALL, "NN" },
	{ "DISCARD", SIM_ITS_DISCARD, "NN" }, { "INT", SIM_ITS_INT, "NN" },
	{ "CLEAR", SIM_ITS_CLEAR, "NN" },   { "INV", SIM_ITS_INV, "NN" },
	{ "INVALL", SIM_ITS_INVALL, "N" },  { "SYNC", SIM_ITS_SYNC, "N" },
	{ "RAW", 0, "Nnnn" },		    { "VMAPP", SIM_ITS_VMAPP, "NNnn" },
	{ "VMAPTI", SIM_ITS_VMAPTI, "NNNNn" }, { "VMAPI", SIM_ITS_VMAPI, "NNNn" },
	{ "VMOVI", SIM_ITS_VMOVI, "NNNn" }, { "VMOVP", SIM_ITS_VMOVP, "NNn" },
	{ "VSYNC", SIM_ITS_VSYNC, "N" },    { "VINVALL", SIM_ITS_VINVALL, "N" },
	{ "INVDB", SIM_ITS_INVDB, "N" },    { "VSGI", SIM_ITS_VSGI, "NNNNNn" },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A script being read: the machine's limits, and where to complain. */
struct scn_reader {
	const struct sim_script *script;
	const struct sim_script_line *line;
	uint64_t cpus;
	uint64_t idbits;
	bool v4;
	struct sim_error *err;
};

/* `FILE:LINE: what, found 'word', expected want`; always false. */
static bool bad(const struct scn_reader *r, const char *what, const char *word, const char *want)
{
	sim_error_at(r->err, r->script->path, r->line->number, "%s, found %s, expected %s", what,
		     word ? sim_quote(word, strlen(word)).text : "nothing", want);
	return false;
}

static bool number(const struct scn_reader *r, const char *what, const char *word, uint64_t max,
		   uint64_t *value)
{
	char want[64];
	uint64_t v;

	if (word && sim_script_number(word, &v) && v <= max) {
		*value = v;
		return true;
	}
	snprintf(want, sizeof(want), "a number up to %" PRIu64, max);
	return bad(r, what, word, want);
}

static bool on_off(const struct scn_reader *r, const char *word, uint64_t *value)
{
	*value = word && strcmp(word, "on") == 0;
	return *value || (word && strcmp(word, "off") == 0) || bad(r, "switch", word, "on or off");
}

static bool operand(const struct scn_reader *r, char kind, const char *word, uint64_t *value)
{
	switch (kind) {
	case 'S':
		return on_off(r, word, value);
	case 'C':
		return number(r, "CPU", word, r->cpus - 1, value);
	case 'B':
		return number(r, "byte", word, 255, value);
	case 'W':
		return number(r, "number", word, UINT32_MAX, value);
	case 'H':
		return number(r, "level-1 index", word, 0xffff, value);
	case 'P':
		return number(r, "INTID", word, 0x7ffff, value);
	case 'L':
		if (!number(r, "LPI", word, 0xffff, value))
			return false;
		return *value >= SIM_GIC_LPI_FIRST || bad(r, "LPI", word, "8192 or more");
	case 'V':
		return number(r, "vPE", word, SCN_VPES - 1, value);
	case 'G':
		return number(r, "vSGI", word, SIM_GIC_VSGIS - 1, value);
	case 'R':
		return number(r, "register offset", word, SIM_GITS_SGIR, value);
	case 'F':
		return number(r, "register offset", word, SIM_GICR_VSGIPENDR, value);
	default:
		return number(r, "number", word, UINT64_MAX, value);
	}
}

/* Operands by their description; how many there were. */
static bool operands(const struct scn_reader *r, const char *args, char *const *words, size_t n,
		     uint64_t *values)
{
	size_t i;

	for (i = 0; args[i]; i++) {
		bool optional = args[i] >= 'a';

		if (i >= n && optional)
			return true;
		if (!operand(r, (char)(optional ? args[i] - 'a' + 'A' : args[i]),
			     i < n ? words[i] : NULL, &values[i]))
			return false;
	}
	return i >= n || bad(r, "operand too many", words[i], "the end of the line");
}

/* Where the tables of a device are if the script does not say. */
static uint64_t itt_of(uint64_t did)
{
	return SCN_ITT + (did & 0xffff) * 0x1000;
}

static void encode_physical(uint8_t op, const uint64_t a[SCN_ARGS_MAX], size_t n, uint64_t w[4])
{
	switch (op) {
	case SIM_ITS_MAPD:
		w[0] |= a[0] << 32;
		w[1] = (a[1] - 1) & 0x1f;
		w[2] = (n > 2 ? a[2] : 1) << 63 |
		       ((n > 3 ? a[3] : itt_of(a[0])) & UINT64_C(0xffffffffff00));
		return;
	case SIM_ITS_MAPC:
		w[2] = (n > 2 ? a[2] : 1) << 63 | a[1] << 16 | a[0];
		return;
	case SIM_ITS_MAPTI:
		w[0] |= a[0] << 32;
		w[1] = a[2] << 32 | a[1];
		w[2] = a[3];
		return;
	case SIM_ITS_MAPI:
	case SIM_ITS_MOVI:
		w[0] |= a[0] << 32;
		w[1] = a[1];
		w[2] = a[2];
		return;
	case SIM_ITS_MOVALL:
		w[2] = a[0] << 16;
		w[3] = a[1] << 16;
		return;
	case SIM_ITS_INVALL:
		w[2] = a[0];
		return;
	case SIM_ITS_SYNC:
		w[2] = a[0] << 16;
		return;
	default: /* DeviceID, EventID */
		w[0] |= a[0] << 32;
		w[1] = a[1];
		return;
	}
}

/*
 * VMAPP vpe rd [valid] [doorbell]; VMAPTI did eid vlpi vpe [doorbell]; VMAPI and VMOVI did eid vpe
 * [doorbell]; VMOVP vpe rd [doorbell]; VSGI vpe sgi enable group prio [clear].
 */
static void encode_virtual(uint8_t op, const uint64_t a[SCN_ARGS_MAX], size_t n, uint64_t w[4])
{
	switch (op) {
	case SIM_ITS_VMAPP:
		w[0] |= SCN_VPROP;
		w[1] = (a[0] & 0xffff) << 32 | (n > 3 ? a[3] & UINT32_MAX : SIM_GIC_SPURIOUS);
		w[2] = (n > 2 ? a[2] : 1) << 63 | a[1] << 16;
		w[3] = (SCN_VPT + (a[0] & 0xffff) * 0x10000) | 15;
		return;
	case SIM_ITS_VMAPTI:
		w[0] |= a[0] << 32;
		w[1] = (a[3] & 0xffff) << 32 | (a[1] & UINT32_MAX);
		w[2] = (n > 4 ? a[4] : SIM_GIC_SPURIOUS) << 32 | (a[2] & UINT32_MAX);
		return;
	case SIM_ITS_VMAPI:
	case SIM_ITS_VMOVI:
		w[0] |= a[0] << 32;
		w[1] = (a[2] & 0xffff) << 32 | (a[1] & UINT32_MAX);
		w[2] = (n > 3 ? a[3] : SIM_GIC_SPURIOUS) << 32;
		if (op == SIM_ITS_VMOVI)
			w[2] |= n > 3;
		return;
	case SIM_ITS_VMOVP:
		w[1] = (a[0] & 0xffff) << 32;
		w[2] = a[1] << 16 | (uint64_t)(n > 2) << 63;
		w[3] = n > 2 ? a[2] & UINT32_MAX : 0;
		return;
	case SIM_ITS_VSGI:
		w[0] |= (a[2] & 1) << 8 | (n > 5 ? a[5] & 1 : 0) << 9 | (a[3] & 1) << 10 |
			(a[4] & 0xf0) << 16 | (a[1] & 0xf) << 32;
		w[1] = (a[0] & 0xffff) << 32;
		return;
	default: /* VSYNC, VINVALL, INVDB */
		w[1] = (a[0] & 0xffff) << 32;
		return;
	}
}

static bool read_command(const struct scn_reader *r, char *const *words, size_t n,
			 struct scn_op *op)
{
	for (size_t i = 0; n && i < COUNT(commands); i++) {
		const struct scn_command *c = &commands[i];

		if (strcmp(c->name, words[0]) != 0)
			continue;
		if (!operands(r, c->args, words + 1, n - 1, op->arg))
			return false;
		op->kind = SCN_CMD;
		op->cmd[0] = c->op;
		if (!c->op)
			memcpy(op->cmd, op->arg, sizeof(op->cmd));
		else if (c->op < SIM_ITS_VMOVI)
			encode_physical(c->op, op->arg, n - 1, op->cmd);
		else
			encode_virtual(c->op, op->arg, n - 1, op->cmd);
		return true;
	}
	return bad(r, "command", n ? words[0] : NULL, "an ITS command");
}

/* `key=value` of setup. */
static bool read_option(struct scn_reader *r, const char *word, struct scn_setup *s)
{
	static const char *const psz[] = { "4k", "16k", "64k" };
	const struct { const char *key; uint64_t *at; uint64_t max; } numbers[] = {
		{ "idbits", &s->idbits, 16 },
		{ "dev_pages", &s->dev_pages, 256 },
		{ "coll_pages", &s->coll_pages, 256 },
		{ "cmdq_pages", &s->cmdq_pages, 256 },
		{ "dev_base", &s->dev_base, UINT64_MAX },
	};
	const char *value = strchr(word, '=');
	size_t len = value ? (size_t)(value - word) : 0;
	uint64_t v;

#define KEY(k) (len == strlen(k) && strncmp(word, (k), len) == 0)
	if (!len)
		return bad(r, "setup", word, "key=value");
	value++;
	for (size_t i = 0; i < COUNT(numbers); i++) {
		if (!KEY(numbers[i].key))
			continue;
		if (!number(r, numbers[i].key, value, numbers[i].max, &v))
			return false;
		if (!v && numbers[i].max != UINT64_MAX)
			return bad(r, numbers[i].key, value, "1 or more");
		*numbers[i].at = v;
		return true;
	}
	if (KEY("dev_psz")) {
		for (size_t i = 0; i < COUNT(psz); i++)
			if (strcmp(value, psz[i]) == 0) {
				s->dev_page_size = i;
				return true;
			}
		return bad(r, "dev_psz", value, "4k, 16k or 64k");
	}
	if (KEY("dev")) {
		s->dev_indirect = strcmp(value, "2level") == 0;
		return s->dev_indirect || strcmp(value, "flat") == 0 ||
		       bad(r, "dev", value, "flat or 2level");
	}
	if (KEY("dev_valid") || KEY("coll_valid")) {
		if (!number(r, "valid", value, 1, &v))
			return false;
		*(KEY("dev_valid") ? &s->dev_valid : &s->coll_valid) = v;
		return true;
	}
	if (KEY("lpis") || KEY("its")) {
		if (!on_off(r, value, &v))
			return false;
		*(KEY("lpis") ? &s->lpis : &s->its) = v;
		return true;
	}
#undef KEY
	return bad(r, "setup", word, "an option of setup");
}

static bool read_setup(struct scn_reader *r, char *const *words, size_t n, struct scn_op *op)
{
	op->kind = SCN_SETUP;
	op->setup = (struct scn_setup){
		.lpis = true, .its = true, .dev_valid = true, .coll_valid = true, .idbits = 16,
		.dev_pages = 1, .dev_base = SCN_DEVT, .coll_pages = 1, .cmdq_pages = 1,
	};
	for (size_t i = 0; i < n; i++)
		if (!read_option(r, words[i], &op->setup))
			return false;
	return true;
}

static bool read_op(struct scn_reader *r, char *const *words, size_t n, struct scn_op *op)
{
	if (strcmp(words[0], "setup") == 0)
		return read_setup(r, words + 1, n - 1, op);
	if (strcmp(words[0], "cmd") == 0)
		return read_command(r, words + 1, n - 1, op);
	for (size_t i = 0; i < COUNT(operations); i++) {
		if (strcmp(operations[i].name, words[0]) != 0)
			continue;
		if (operations[i].v4 && !r->v4)
			return bad(r, "operation", words[0], "-C its.v4=4.0 or 4.1 with it");
		op->kind = operations[i].kind;
		return operands(r, operations[i].args, words + 1, n - 1, op->arg);
	}
	return bad(r, "operation", words[0], "an operation of ITS scripts");
}

static bool read_line(struct scn_reader *r, struct scn_op *op)
{
	char *const *words = r->line->words;
	size_t n = r->line->nwords;

	*op = (struct scn_op){ .repeat = 1 };
	if (strcmp(words[0], "repeat") != 0)
		return read_op(r, words, n, op);
	if (!number(r, "repeat", n > 1 ? words[1] : NULL, 1000000, &op->repeat))
		return false;
	if (!op->repeat)
		return bad(r, "repeat", words[1], "1 or more");
	if (n < 3 || strcmp(words[2], "repeat") == 0)
		return bad(r, "repeat", n < 3 ? NULL : words[2], "an operation");
	return read_op(r, words + 2, n - 2, op);
}

/* The options of a scenario: cpus=N, edu=DID,DID.. */
static bool read_head(struct scn_reader *r)
{
	uint64_t max = r->v4 ? SCN_CPUS_V4_MAX : SCN_CPUS_MAX, did;

	r->cpus = 2;
	for (size_t i = 2; i < r->line->nwords; i++) {
		char *word = r->line->words[i], *save = NULL;

		if (strncmp(word, "cpus=", 5) == 0) {
			if (!number(r, "cpus", word + 5, max, &r->cpus))
				return false;
			if (!r->cpus)
				return bad(r, "cpus", word + 5, "1 or more");
		} else if (strncmp(word, "edu=", 4) == 0) {
			for (char *d = strtok_r(word + 4, ",", &save); d;
			     d = strtok_r(NULL, ",", &save))
				if (!number(r, "edu", d, 0xffff, &did))
					return false;
		} else {
			return bad(r, "scenario", word, "cpus=N or edu=DEVICE,DEVICE..");
		}
	}
	return true;
}

/* Read all lines into operations, of which a head's is unused but for the number of CPUs. */
static bool read_script(struct scn_reader *r, struct scn_op *ops)
{
	for (size_t i = 0; i < r->script->nlines; i++) {
		r->line = &r->script->lines[i];
		if (!sim_script_is_head(r->line)) {
			if (!read_line(r, &ops[i]))
				return false;
			continue;
		}
		if (!read_head(r))
			return false;
		ops[i].arg[0] = r->cpus;
	}
	return true;
}

static void run_script(const struct sim_script *script, const struct scn_op *ops,
		       const char *const *names, size_t nnames, struct scn_config *cfg, FILE *out)
{
	struct scn_machine *m = NULL;

	for (size_t i = 0; i < script->nlines; i++) {
		const struct sim_script_line *line = &script->lines[i];

		if (sim_script_is_head(line)) {
			scn_machine_destroy(m);
			m = NULL;
			if (!sim_script_selected(line->words[1], names, nnames))
				continue;
			cfg->gic.npes = (uint32_t)ops[i].arg[0];
			m = scn_machine_create(cfg);
			fprintf(out, "scenario %s\n", line->words[1]);
		} else if (m) {
			sim_script_echo(out, line);
			fputs(" => ", out);
			scn_run(m, &ops[i], out);
			fputc('\n', out);
		}
	}
	scn_machine_destroy(m);
}

int sim_script_its(FILE *out, const char *path, const char *const *names, size_t nnames,
		   const struct sim_params *params, struct sim_error *err)
{
	struct scn_config cfg = { 0 };
	struct scn_reader r = { .err = err };
	struct sim_script *script;
	struct scn_op *ops;
	bool ok;

	if (!sim_its_configure(params, &cfg.its, &cfg.gic, err))
		return 2;
	cfg.cached = sim_its_cache_configure(params, &cfg.cache);
	script = sim_script_read(path, err);
	if (!script)
		return 2;
	ops = sim_alloc(script->nlines ? script->nlines : 1, sizeof(*ops), "a script");
	r.script = script;
	r.v4 = cfg.gic.v4;
	ok = read_script(&r, ops) && sim_script_select(script, names, nnames, err);
	if (ok)
		run_script(script, ops, names, nnames, &cfg, out);
	free(ops);
	sim_script_free(script);
	return ok ? 0 : 2;
}
