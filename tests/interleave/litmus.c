// SPDX-License-Identifier: BSD-2-Clause
/*
 * litmus.c - the litmus zoo: the explorer must see each outcome a memory model allows, and never
 * one that it forbids.
 *
 * A test is a few threads of a few operations on x, y and z, and one *weak* outcome over registers
 * and final values. Each test runs under each model twice: exhaustively (every schedule, drain and
 * value) and at random. What is expected of sc, tso, pso and c11 follows from their definitions in
 * mem.c and is written down here by hand; the columns "C11" and "arm64" say what the language and
 * the architecture allow (Arm ARM B2.3; Alglave et al., "Herding cats"; Batty et al. for C11), so
 * that the table shows where the explorer is stronger than either.
 */
#include <stdio.h>
#include <string.h>

#include "engine.h"
#include "litmus.h"

#define OPS	4u
#define CONDS	4u

enum kind { END, ST, ST_REL, LD, LD_ACQ, FENCE, XCHG_ACQ_REL, ADD_RELAXED };
enum place { X, Y, PLACES };

struct lit_op {
	enum kind kind;
	enum place place;
	unsigned int v;		/* stored; of a load, the register */
};

/* A register (place < 0) or a final value. */
struct cond {
	int place;
	unsigned int reg;
	uint64_t v;
};

struct lit {
	const char *shape, *variant;
	struct lit_op thread[4][OPS];
	struct cond weak[CONDS];
	const char *expect;	/* sc tso pso c11: A or F */
	const char *c11, *arm;
};

#define W(p, v)		{ ST, p, v }
#define WREL(p, v)	{ ST_REL, p, v }
#define R(r, p)		{ LD, p, r }
#define RACQ(r, p)	{ LD_ACQ, p, r }
#define F		{ FENCE, X, 0 }
#define XCHG(p, v)	{ XCHG_ACQ_REL, p, v }
#define INC(p)		{ ADD_RELAXED, p, 1 }
#define REG(r, v)	{ -1, r, v }
#define MEM(p, v)	{ p, 0, v }
#define NONE		{ -1, UINT32_MAX, 0 }

#define SB_WEAK		{ REG(0, 0), REG(1, 0), NONE }
#define MP_WEAK		{ REG(0, 1), REG(1, 0), NONE }
#define LB_WEAK		{ REG(0, 1), REG(1, 1), NONE }
#define IRIW_WEAK	{ REG(0, 1), REG(1, 0), REG(2, 1), REG(3, 0) }
#define WW_WEAK		{ MEM(X, 1), MEM(Y, 1), NONE }
#define WRC_WEAK	{ REG(0, 1), REG(1, 1), REG(2, 0), NONE }
#define S_WEAK		{ REG(0, 1), MEM(X, 2), NONE }
#define R_WEAK		{ REG(0, 0), MEM(Y, 2), NONE }

static const struct lit zoo[] = {
	{ "SB", "none", { { W(X, 1), R(0, Y) }, { W(Y, 1), R(1, X) } },
	  SB_WEAK, "FAAA", "A", "A" },
	{ "SB", "release, acquire", { { WREL(X, 1), RACQ(0, Y) }, { WREL(Y, 1), RACQ(1, X) } },
	  SB_WEAK, "FAAA", "A", "A with ldapr, F with ldar" },
	{ "SB", "fence, none", { { W(X, 1), F, R(0, Y) }, { W(Y, 1), R(1, X) } },
	  SB_WEAK, "FAAA", "A", "A" },
	{ "SB", "fences", { { W(X, 1), F, R(0, Y) }, { W(Y, 1), F, R(1, X) } },
	  SB_WEAK, "FFFF", "F", "F" },
	{ "SB", "acq_rel exchanges", { { XCHG(X, 1), R(0, Y) }, { XCHG(Y, 1), R(1, X) } },
	  SB_WEAK, "FFAA", "A", "A with ldaxr/stlxr" },
	{ "MP", "none", { { W(X, 1), W(Y, 1) }, { R(0, Y), R(1, X) } },
	  MP_WEAK, "FFAA", "A", "A" },
	{ "MP", "release", { { W(X, 1), WREL(Y, 1) }, { R(0, Y), R(1, X) } },
	  MP_WEAK, "FFFA", "A", "A" },
	{ "MP", "acquire", { { W(X, 1), W(Y, 1) }, { RACQ(0, Y), R(1, X) } },
	  MP_WEAK, "FFAA", "A", "A" },
	{ "MP", "release, acquire", { { W(X, 1), WREL(Y, 1) }, { RACQ(0, Y), R(1, X) } },
	  MP_WEAK, "FFFF", "F", "F" },
	{ "MP", "fence, none", { { W(X, 1), F, W(Y, 1) }, { R(0, Y), R(1, X) } },
	  MP_WEAK, "FFFA", "A", "A" },
	{ "MP", "none, fence", { { W(X, 1), W(Y, 1) }, { R(0, Y), F, R(1, X) } },
	  MP_WEAK, "FFAA", "A", "A" },
	{ "MP", "fences", { { W(X, 1), F, W(Y, 1) }, { R(0, Y), F, R(1, X) } },
	  MP_WEAK, "FFFF", "F", "F" },
	{ "MP", "relaxed increment", { { INC(X), W(Y, 1) }, { RACQ(0, Y), R(1, X) } },
	  MP_WEAK, "FFAA", "A", "A" },
	{ "MP", "increments", { { INC(X), INC(Y) }, { RACQ(0, Y), R(1, X) } },
	  MP_WEAK, "FFAA", "A", "A" },
	{ "LB", "none", { { R(0, X), W(Y, 1) }, { R(1, Y), W(X, 1) } },
	  LB_WEAK, "FFFF", "A", "A" },
	{ "LB", "acquire", { { RACQ(0, X), W(Y, 1) }, { RACQ(1, Y), W(X, 1) } },
	  LB_WEAK, "FFFF", "F", "F" },
	{ "LB", "release", { { R(0, X), WREL(Y, 1) }, { R(1, Y), WREL(X, 1) } },
	  LB_WEAK, "FFFF", "F", "F" },
	{ "LB", "fences", { { R(0, X), F, W(Y, 1) }, { R(1, Y), F, W(X, 1) } },
	  LB_WEAK, "FFFF", "F", "F" },
	{ "IRIW", "none",
	  { { W(X, 1) }, { W(Y, 1) }, { R(0, X), R(1, Y) }, { R(2, Y), R(3, X) } },
	  IRIW_WEAK, "FFFA", "A", "A" },
	{ "IRIW", "acquire",
	  { { WREL(X, 1) }, { WREL(Y, 1) }, { RACQ(0, X), RACQ(1, Y) },
	    { RACQ(2, Y), RACQ(3, X) } },
	  IRIW_WEAK, "FFFF", "A", "F" },
	{ "IRIW", "fences",
	  { { W(X, 1) }, { W(Y, 1) }, { R(0, X), F, R(1, Y) }, { R(2, Y), F, R(3, X) } },
	  IRIW_WEAK, "FFFF", "F", "F" },
	{ "2+2W", "none", { { W(X, 1), W(Y, 2) }, { W(Y, 1), W(X, 2) } },
	  WW_WEAK, "FFAA", "A", "A" },
	{ "2+2W", "release, none", { { W(X, 1), WREL(Y, 2) }, { W(Y, 1), W(X, 2) } },
	  WW_WEAK, "FFAA", "A", "A" },
	{ "2+2W", "releases", { { W(X, 1), WREL(Y, 2) }, { W(Y, 1), WREL(X, 2) } },
	  WW_WEAK, "FFFF", "A", "F" },
	{ "2+2W", "fences", { { W(X, 1), F, W(Y, 2) }, { W(Y, 1), F, W(X, 2) } },
	  WW_WEAK, "FFFF", "F", "F" },
	{ "CoRR", "none", { { W(X, 1) }, { R(0, X), R(1, X) } },
	  MP_WEAK, "FFFF", "F", "F" },
	{ "CoRR", "acquire", { { WREL(X, 1) }, { RACQ(0, X), RACQ(1, X) } },
	  MP_WEAK, "FFFF", "F", "F" },
	{ "CoRR", "two writers",
	  { { W(X, 1) }, { W(X, 2) }, { R(0, X), R(1, X) }, { R(2, X), R(3, X) } },
	  { REG(0, 1), REG(1, 2), REG(2, 2), REG(3, 1) }, "FFFF", "F", "F" },
	{ "WRC", "none", { { W(X, 1) }, { R(0, X), W(Y, 1) }, { R(1, Y), R(2, X) } },
	  WRC_WEAK, "FFFA", "A", "A" },
	{ "WRC", "release", { { W(X, 1) }, { R(0, X), WREL(Y, 1) }, { R(1, Y), R(2, X) } },
	  WRC_WEAK, "FFFA", "A", "A" },
	{ "WRC", "acquire", { { W(X, 1) }, { R(0, X), W(Y, 1) }, { RACQ(1, Y), R(2, X) } },
	  WRC_WEAK, "FFFF", "A", "A" },
	{ "WRC", "release, acquire",
	  { { W(X, 1) }, { R(0, X), WREL(Y, 1) }, { RACQ(1, Y), R(2, X) } },
	  WRC_WEAK, "FFFF", "F", "F" },
	{ "WRC", "fences", { { W(X, 1) }, { R(0, X), F, W(Y, 1) }, { R(1, Y), F, R(2, X) } },
	  WRC_WEAK, "FFFF", "F", "F" },
	{ "S", "none", { { W(X, 2), W(Y, 1) }, { R(0, Y), W(X, 1) } },
	  S_WEAK, "FFAA", "A", "A" },
	{ "S", "release", { { W(X, 2), WREL(Y, 1) }, { R(0, Y), W(X, 1) } },
	  S_WEAK, "FFFF", "A", "A" },
	{ "S", "release, acquire", { { W(X, 2), WREL(Y, 1) }, { RACQ(0, Y), W(X, 1) } },
	  S_WEAK, "FFFF", "F", "F" },
	{ "R", "none", { { W(X, 1), W(Y, 1) }, { W(Y, 2), R(0, X) } },
	  R_WEAK, "FAAA", "A", "A" },
	{ "R", "release, acquire", { { W(X, 1), WREL(Y, 1) }, { W(Y, 2), RACQ(0, X) } },
	  R_WEAK, "FAAA", "A", "A" },
	{ "R", "fences", { { W(X, 1), F, W(Y, 1) }, { W(Y, 2), F, R(0, X) } },
	  R_WEAK, "FFFF", "F", "F" },
	{ "RMW", "two increments", { { INC(X) }, { INC(X) } },
	  { MEM(X, 1), NONE }, "FFFF", "F", "F" },
};

static const struct lit *lit;
static uint64_t mem[PLACES];
static uint64_t reg[4];
static uint64_t nweak;

static void lit_setup(void)
{
	memset(mem, 0, sizeof(mem));
	memset(reg, 0, sizeof(reg));
	wx_name(&mem[X], "x");
	wx_name(&mem[Y], "y");
}

static void lit_thread(unsigned int tid)
{
	for (unsigned int i = 0; i < OPS; i++) {
		const struct lit_op *o = &lit->thread[tid][i];

		switch (o->kind) {
		case ST:
			weir_store_relaxed(&mem[o->place], o->v);
			break;
		case ST_REL:
			weir_store_release(&mem[o->place], o->v);
			break;
		case LD:
			reg[o->v] = weir_load_relaxed(&mem[o->place]);
			break;
		case LD_ACQ:
			reg[o->v] = weir_load_acquire(&mem[o->place]);
			break;
		case FENCE:
			weir_fence_full();
			break;
		case XCHG_ACQ_REL:
			weir_exchange_acq_rel(&mem[o->place], o->v);
			break;
		case ADD_RELAXED:
			weir_fetch_add_relaxed(&mem[o->place], o->v);
			break;
		case END:
			return;
		}
	}
}

static void lit_final(void)
{
	for (unsigned int i = 0; i < CONDS && !wx.calibrating; i++) {
		const struct cond *c = &lit->weak[i];

		if (c->place < 0 && c->reg == UINT32_MAX)
			break;
		if ((c->place < 0 ? reg[c->reg] : mem[c->place]) != c->v)
			return;
	}
	nweak += !wx.calibrating;
}

static unsigned int lit_threads(const struct lit *l)
{
	unsigned int n = 0;

	while (n < 4 && l->thread[n][0].kind != END)
		n++;
	return n;
}

struct seen { uint64_t all, weak, random_weak; bool complete; };

static struct seen explore(const struct lit *l, enum wx_model model, uint64_t random_schedules)
{
	struct wx_program p = {
		.name = "litmus", .nthreads = lit_threads(l), .flags = WX_F_PURE,
		.setup = lit_setup, .thread = lit_thread, .final = lit_final,
	};
	struct wx_options o = { .model = model, .sched = WX_S_DFS, .seed = 1 };
	struct wx_result r;
	struct seen s;

	lit = l;
	nweak = 0;
	r = wx_campaign(&p, &o, 0, UINT64_MAX, true);
	s.all = r.schedules;
	s.complete = r.complete;
	s.weak = nweak;
	nweak = 0;
	o.sched = WX_S_MIX;
	wx_campaign(&p, &o, 0, random_schedules, true);
	s.random_weak = nweak;
	return s;
}

static bool right(const struct seen *s, char expect)
{
	bool allowed = expect == 'A';

	return s->complete && (s->weak > 0) == allowed && (s->random_weak > 0) == allowed;
}

bool wx_litmus(uint64_t random_schedules, bool markdown)
{
	unsigned int wrong = 0;

	printf(markdown ? "| test | barriers | sc | tso | pso | c11 | C11 | arm64 |\n"
			  "|---|---|---|---|---|---|---|---|\n" :
			  "%-5s %-18s %-17s %-17s %-17s %-17s C11, arm64\n",
	       "test", "barriers", "sc", "tso", "pso", "c11");
	for (size_t i = 0; i < sizeof(zoo) / sizeof(*zoo); i++) {
		const struct lit *l = &zoo[i];

		printf(markdown ? "| %s | %s |" : "%-5s %-18s", l->shape, l->variant);
		for (unsigned int m = 0; m < WX_MODELS; m++) {
			struct seen s = explore(l, (enum wx_model)m, random_schedules);
			bool ok = right(&s, l->expect[m]);
			char cell[64];

			snprintf(cell, sizeof(cell), "%s%s %llu/%llu", ok ? "" : "WRONG ",
				 s.weak ? "seen" : "never", (unsigned long long)s.weak,
				 (unsigned long long)s.all);
			printf(markdown ? " %s |" : " %-16s", cell);
			wrong += !ok;
		}
		printf(markdown ? " %s | %s |\n" : " %s, %s\n", l->c11, l->arm);
	}
	if (wrong)
		fprintf(stderr, "weir-explore: %u litmus outcomes are not as expected\n", wrong);
	return !wrong;
}
