// SPDX-License-Identifier: BSD-2-Clause
/*
 * loc.c - the locations a run has touched, found by address.
 *
 * An open-addressing index stamped with the number of the run, so that starting over is O(1), over
 * records handed out in order of first touch, so that a run reuses the same warm ones. The address
 * decides only where a record is found, never what happens.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model.h"

#define INDEX_BITS	15u
#define INDEX_SIZE	(1u << INDEX_BITS)
#define NAMES_MAX	2048u
#define NAME_BYTES	24u

static struct { uint32_t run, slot; } index_of[INDEX_SIZE];
static struct wx_loc locs[WX_LOCS_MAX];
static uint32_t nlocs, run_no;

static struct { uintptr_t addr; char text[NAME_BYTES]; } names[NAMES_MAX];
static unsigned int nnames;

void wx_loc_reset(void)
{
	nlocs = 0;
	nnames = 0;
	if (++run_no == 0) {
		memset(index_of, 0, sizeof(index_of));
		run_no = 1;
	}
}

static uint64_t peek(const volatile void *p, unsigned int bytes)
{
	switch (bytes) {
	case 1:
		return *(const volatile uint8_t *)p;
	case 2:
		return *(const volatile uint16_t *)p;
	case 4:
		return *(const volatile uint32_t *)p;
	default:
		return *(const volatile uint64_t *)p;
	}
}

static struct wx_loc *loc_new(const volatile void *p, unsigned int bytes, uint32_t at)
{
	struct wx_loc *l;

	if (nlocs == WX_LOCS_MAX)
		wx_fail("the program touches more than %u locations", WX_LOCS_MAX);
	index_of[at].run = run_no;
	index_of[at].slot = nlocs;
	l = &locs[nlocs];
	memset(l->seen, 0, sizeof(l->seen));
	memset(l->plain_rd, 0, 4 * sizeof(l->plain_rd));
	l->addr = (uintptr_t)p;
	l->bytes = (uint8_t)bytes;
	l->head = 0;
	l->count = 1;
	l->plain = 0;
	l->rmw = 0;
	l->id = nlocs++;
	l->hist[0].v = peek(p, bytes);
	l->hist[0].commit = 0;
	memset(&l->hist[0].rel, 0, sizeof(l->hist[0].rel));
	return l;
}

struct wx_loc *wx_loc_get(const volatile void *p, unsigned int bytes)
{
	uintptr_t a = (uintptr_t)p;
	uintptr_t off = a - (uintptr_t)wx_arena;
	uint32_t h = (uint32_t)(((uint64_t)a * 0x9e3779b97f4a7c15u) >> (64 - INDEX_BITS));

	if (wx_unlikely(off < WX_ARENA_BYTES))
		wx_arena_touch(off);
	for (;; h = (h + 1) & (INDEX_SIZE - 1)) {
		struct wx_loc *l;

		if (index_of[h].run != run_no)
			return loc_new(p, bytes, h);
		l = &locs[index_of[h].slot];
		if (l->addr != a)
			continue;
		if (wx_unlikely(l->bytes != bytes))
			wx_fail("%s: accessed with %u and with %u bytes", wx_loc_name(a), l->bytes,
				bytes);
		return l;
	}
}

void wx_loc_free(uintptr_t first, size_t bytes)
{
	for (uint32_t i = 0; wx.cur && i < nlocs; i++) {
		if (locs[i].addr - first >= bytes)
			continue;
		wx_race_check(wx.cur, &locs[i], true, true);
		locs[i].plain = 1;
		locs[i].plain_wr[wx.cur->id] = wx.cur->clk.v[wx.cur->id];
	}
}

void wx_name(const volatile void *p, const char *fmt, ...)
{
	va_list ap;

	if (!wx.printing || nnames == NAMES_MAX)
		return;
	names[nnames].addr = (uintptr_t)p;
	va_start(ap, fmt);
	vsnprintf(names[nnames].text, NAME_BYTES, fmt, ap);
	va_end(ap);
	nnames++;
}

/* A name for people: the program's, or the order of first touch. */
const char *wx_loc_name(uintptr_t addr)
{
	static char text[NAME_BYTES];

	for (unsigned int i = 0; i < nnames; i++)
		if (names[i].addr == addr)
			return names[i].text;
	for (unsigned int i = 0; i < nlocs; i++) {
		if (locs[i].addr == addr) {
			snprintf(text, sizeof(text), "L%u", i);
			return text;
		}
	}
	return "?";
}
