// SPDX-License-Identifier: BSD-2-Clause
/*
 * dfs.c - every choice, depth first.
 *
 * A run follows the stack of choices made so far and takes the first candidate after its end; then
 * the deepest choice with a candidate left is advanced. Two reductions:
 *
 *   sleep sets (Godefroid), for programs flagged WX_F_PURE: when all continuations after action a
 *   were explored, a need not be tried again after an action b that commutes with it. Two actions
 *   commute if they are of different threads and do not touch the same place, or both only read it,
 *   and not both begin or end an operation of the history.
 *   Under c11 performed stores have one time order that loads can tell, so two stores that are
 *   performed never commute there.
 *
 *   a bound on preemptions (opt.preemptions_max): switching away from a thread that could run on.
 */
#include <stdio.h>
#include <string.h>

#include "engine.h"

#define NODES_MAX	4096u		/* choices of one run */
#define ACTS_MAX	24u		/* candidates of one choice */
#define SLEEP_MAX	24u

/* An action and what it touches, comparable across the nodes of one path. */
struct act {
	uint16_t code;		/* RUN: thread; DRAIN: thread */
	uint32_t serial;	/* DRAIN: the store's */
	uintptr_t addr;		/* 0: nothing shared; UINTPTR_MAX: everything */
	bool write;		/* something is performed */
	bool marked;		/* an operation of the history began or ended with it */
};

struct node {
	uint8_t n, chosen;
	uint8_t preempts;	/* candidate 0 was the running thread: others are preemptions */
	uint8_t nsleep;
	uint32_t preempted;	/* preemptions before this node */
	uint32_t history;	/* events of the history before this node */
	struct act act[ACTS_MAX];
	struct act sleep[SLEEP_MAX];
};

static struct node nodes[NODES_MAX];
static uint32_t depth, nnodes;
static bool cut;
static bool truncated;

void wx_dfs_reset(void)
{
	nnodes = 0;
	truncated = false;
}

void wx_dfs_begin(void)
{
	depth = 0;
	cut = false;
}

bool wx_dfs_truncated(void)
{
	return truncated;
}

static struct act describe(uint16_t a)
{
	const struct wx_thread *t = &wx.thread[WX_A_TID(a)];
	struct act d = { .code = (uint16_t)(a & 0xff00u) };

	if (WX_A_KIND(a) == WX_A_DRAIN) {
		const struct wx_pending *e = &t->sb[WX_A_ARG(a)];

		d.serial = e->serial;
		d.addr = e->loc->addr;
		d.write = true;
	} else {
		d.addr = t->ops ? (uintptr_t)t->next.p : 0;
		d.write = t->next.write && d.addr;
	}
	return d;
}

static bool same(const struct act *a, const struct act *b)
{
	return a->code == b->code && a->serial == b->serial;
}

static bool commute(const struct act *a, const struct act *b)
{
	if (WX_A_TID(a->code) == WX_A_TID(b->code) || (a->marked && b->marked))
		return false;
	if (!a->addr || !b->addr)
		return true;
	if (a->addr == UINTPTR_MAX || b->addr == UINTPTR_MAX)
		return false;
	if (wx.opt.model == WX_C11 && (a->write || b->write))
		return false;
	return a->addr != b->addr || !(a->write || b->write);
}

static bool asleep(const struct node *d, const struct act *a)
{
	for (unsigned int i = 0; i < d->nsleep; i++)
		if (same(&d->sleep[i], a))
			return true;
	return false;
}

static void put_to_sleep(struct node *d, const struct act *a, const struct act *by)
{
	if (commute(a, by) && d->nsleep < SLEEP_MAX)
		d->sleep[d->nsleep++] = *a;
}

/* What need not be tried at d, the node after parent's choice. */
static void inherit(struct node *d, const struct node *parent)
{
	const struct act *by = &parent->act[parent->chosen];

	d->nsleep = 0;
	for (unsigned int i = 0; i < parent->nsleep; i++)
		put_to_sleep(d, &parent->sleep[i], by);
	for (unsigned int i = 0; i < parent->chosen; i++)
		if (!asleep(parent, &parent->act[i]))
			put_to_sleep(d, &parent->act[i], by);
}

static bool allowed(const struct node *d, unsigned int i)
{
	unsigned int max = wx.opt.preemptions_max;

	if ((wx.prog->flags & WX_F_PURE) && asleep(d, &d->act[i]))
		return false;
	return !max || !d->preempts || !i || d->preempted < max;
}

/* The node of the last scheduling choice before the current one. */
static struct node *parent_of(uint32_t at)
{
	while (at-- > 0)
		if (nodes[at].act[0].code != UINT16_MAX)
			return &nodes[at];
	return NULL;
}

/* After d's action was taken: did it begin or end an operation? */
static void mark(struct node *d)
{
	d->act[d->chosen].marked = wx_lin_events() != d->history;
}

/* A node at the end of the path; NULL: too much to be exhaustive, which is told. */
static struct node *node_new(unsigned int n, unsigned int n_max)
{
	struct node *d = &nodes[nnodes];

	if (nnodes == NODES_MAX || n > n_max) {
		truncated = true;
		cut = true;
		return NULL;
	}
	nnodes++;
	d->n = (uint8_t)n;
	d->chosen = 0;
	d->preempts = 0;
	d->nsleep = 0;
	d->preempted = 0;
	return d;
}

unsigned int wx_dfs_pick(const uint16_t *acts, unsigned int n)
{
	struct node *parent, *d;

	if (cut)
		return 0;
	if (depth < nnodes)
		return nodes[depth++].chosen;
	d = node_new(n, ACTS_MAX);
	if (!d)
		return 0;
	for (unsigned int i = 0; i < n; i++)
		d->act[i] = describe(acts[i]);
	parent = parent_of(depth);
	d->history = wx_lin_events();
	if (parent) {
		mark(parent);
		inherit(d, parent);
		d->preempted = parent->preempted + (parent->preempts && parent->chosen);
	}
	d->preempts = WX_A_KIND(acts[0]) == WX_A_RUN && WX_A_TID(acts[0]) == wx.last;
	depth++;
	while (d->chosen < n && !allowed(d, d->chosen))
		d->chosen++;
	if (d->chosen == n) {		/* all asleep: explored before in another order */
		nnodes--;
		depth--;
		wx.pruned = true;
		return 0;
	}
	return d->chosen;
}

unsigned int wx_dfs_value(unsigned int n)
{
	struct node *d;

	if (cut)
		return 0;
	if (depth < nnodes)
		return nodes[depth++].chosen;
	d = node_new(n, UINT8_MAX);
	if (!d)
		return 0;
	d->act[0].code = UINT16_MAX;
	depth++;
	return 0;
}

bool wx_dfs_next(void)
{
	struct node *last = parent_of(nnodes);

	if (last && !wx.pruned)
		mark(last);
	while (nnodes > 0) {
		struct node *d = &nodes[nnodes - 1];

		do
			d->chosen++;
		while (d->chosen < d->n && d->act[0].code != UINT16_MAX && !allowed(d, d->chosen));
		if (d->chosen < d->n)
			return true;
		nnodes--;
	}
	return false;
}
