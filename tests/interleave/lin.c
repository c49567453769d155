// SPDX-License-Identifier: BSD-2-Clause
/*
 * lin.c - is there an order of the operations, key by key, that the specification accepts?
 *
 * Wing and Gong's search: an operation may come next if no other one that is still out returned
 * before it was called. Configurations (set of operations done, state) that led nowhere are
 * remembered (Lowe), so each is tried once. A history is checked for each key alone, which is sound
 * because linearizability is local (Herlihy and Wing). An operation that never returned, its thread
 * being frozen, may be given a place or left out.
 */
#include <stdio.h>
#include <string.h>

#include "engine.h"

#define OPS_MAX		64u
#define MEMO_SIZE	4096u
#define NEVER		UINT32_MAX

struct op {
	uint64_t key, arg, ret;
	unsigned int op, tid;
	uint32_t begin, end;
};

struct memo {
	uint32_t search;
	uint64_t done;
	struct wx_lin_state s;
};

static struct op ops[OPS_MAX];
static unsigned int nops;
static uint32_t clock_now;
static struct memo memo[MEMO_SIZE];
static uint32_t search_no;

void wx_lin_reset(void)
{
	nops = 0;
	clock_now = 0;
}

uint32_t wx_lin_events(void)
{
	return clock_now;
}

unsigned int wx_lin_begin(uint64_t key, unsigned int op, uint64_t arg)
{
	struct op *o = &ops[nops];

	if (nops == OPS_MAX)
		wx_fail("wx_lin_begin: more than %u operations", OPS_MAX);
	o->key = key;
	o->arg = arg;
	o->op = op;
	o->ret = WX_LIN_ANY;
	o->tid = wx_self();
	o->begin = clock_now++;
	o->end = NEVER;
	return nops++;
}

void wx_lin_end(unsigned int handle, uint64_t ret)
{
	ops[handle].ret = ret;
	ops[handle].end = clock_now++;
}

static bool tried(uint64_t done, const struct wx_lin_state *s)
{
	uint64_t h = done * 0x9e3779b97f4a7c15u;

	for (unsigned int i = 0; i < 4; i++)
		h = (h ^ s->w[i]) * 0xff51afd7ed558ccdu;
	for (uint32_t i = (uint32_t)(h >> 52), n = 0; n < MEMO_SIZE; i++, n++) {
		struct memo *m = &memo[i & (MEMO_SIZE - 1)];

		if (m->search != search_no) {
			m->search = search_no;
			m->done = done;
			m->s = *s;
			return false;
		}
		if (m->done == done && !memcmp(&m->s, s, sizeof(*s)))
			return true;
	}
	return false;		/* the memo is full: only slower */
}

/* The earliest return among the operations of the key that are out. */
static uint32_t earliest_end(uint64_t mine, uint64_t done)
{
	uint32_t end = NEVER;

	for (uint64_t m = mine & ~done; m; m &= m - 1) {
		const struct op *o = &ops[__builtin_ctzll(m)];

		if (o->end < end)
			end = o->end;
	}
	return end;
}

/* Depth is bounded by the number of operations. */
static bool search(const struct wx_lin_spec *spec, uint64_t mine, uint64_t done,
		   const struct wx_lin_state *s)
{
	uint32_t end = earliest_end(mine, done);

	if (end == NEVER)
		return true;
	if (tried(done, s))
		return false;
	for (uint64_t m = mine & ~done; m; m &= m - 1) {
		unsigned int i = (unsigned int)__builtin_ctzll(m);
		struct wx_lin_state next = *s;

		if (ops[i].begin < end && spec->apply(&next, ops[i].op, ops[i].arg, ops[i].ret) &&
		    search(spec, mine, done | (uint64_t)1 << i, &next))
			return true;
	}
	return false;
}

static void explain(const struct wx_lin_spec *spec, uint64_t mine)
{
	char text[WX_MSG_MAX];
	size_t n = 0;

	for (uint64_t m = mine; m && n < sizeof(text); m &= m - 1) {
		const struct op *o = &ops[__builtin_ctzll(m)];
		char ret[24];

		snprintf(ret, sizeof(ret), o->end == NEVER ? "?" : "%lld", (long long)o->ret);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s T%u:%s(%lld)=%s [%u,%d]",
				      n ? "," : "", o->tid, spec->op_name(o->op),
				      (long long)o->arg, ret, o->begin,
				      o->end == NEVER ? -1 : (int)o->end);
	}
	wx_fail_at("linearizability", (unsigned int)ops[__builtin_ctzll(mine)].key,
		   "no order explains%s", text);
}

void wx_lin_check(const struct wx_lin_spec *spec)
{
	uint64_t left = nops == OPS_MAX ? UINT64_MAX : ((uint64_t)1 << nops) - 1;

	while (left) {
		uint64_t key = ops[__builtin_ctzll(left)].key;
		uint64_t mine = 0;

		for (uint64_t m = left; m; m &= m - 1)
			if (ops[__builtin_ctzll(m)].key == key)
				mine |= m & -m;
		if (++search_no == 0) {
			memset(memo, 0, sizeof(memo));
			search_no = 1;
		}
		if (!search(spec, mine, 0, &spec->init))
			explain(spec, mine);
		left &= ~mine;
	}
}
