// SPDX-License-Identifier: BSD-2-Clause
/*
 * sites.c - the places in the code that touch shared memory, and weakening one of them.
 *
 * A site is named file:line:function:operation:order. An inline function of a header leaves a
 * record in each file that includes it; records of one name are one site.
 */
#include <stdio.h>
#include <string.h>

#include "engine.h"

extern struct weir_explore_site __start_weir_sites[];
extern struct weir_explore_site __stop_weir_sites[];

unsigned int wx_sites_count(void)
{
	return (unsigned int)(__stop_weir_sites - __start_weir_sites);
}

struct weir_explore_site *wx_site(unsigned int i)
{
	return &__start_weir_sites[i];
}

const char *wx_op_name(unsigned int op)
{
	static const char *const name[] = { "load", "store", "fetch_add", "fetch_and", "fetch_or",
					    "exchange", "cas", "fence", "plain_load",
					    "plain_store" };

	return name[op];
}

const char *wx_order_name(unsigned int order)
{
	static const char *const name[] = { "relaxed", "acquire", "release", "acq_rel", "full" };

	return name[order];
}

void wx_site_name(const struct weir_explore_site *s, char *buf, size_t n)
{
	const char *file = strrchr(s->file, '/');

	snprintf(buf, n, "%s:%u:%s:%s_%s", file ? file + 1 : s->file, s->line, s->func,
		 wx_op_name(s->op), wx_order_name(s->order));
}

bool wx_site_same(const struct weir_explore_site *a, const struct weir_explore_site *b)
{
	return a->line == b->line && a->op == b->op && a->order == b->order &&
	       !strcmp(a->file, b->file) && !strcmp(a->func, b->func);
}

unsigned int wx_site_weaker(const struct weir_explore_site *s, uint8_t order[2])
{
	switch (s->order) {
	case WEIR_EXPLORE_ACQUIRE:
	case WEIR_EXPLORE_RELEASE:
	case WEIR_EXPLORE_FULL:
		order[0] = WEIR_EXPLORE_RELAXED;
		return 1;
	case WEIR_EXPLORE_ACQ_REL:
		order[0] = WEIR_EXPLORE_ACQUIRE;
		order[1] = WEIR_EXPLORE_RELEASE;
		return 2;
	default:
		return 0;
	}
}

void wx_site_weaken(const struct weir_explore_site *s, uint8_t order)
{
	for (unsigned int i = 0; i < wx_sites_count(); i++)
		if (wx_site_same(wx_site(i), s))
			wx_site(i)->effective = order;
}

void wx_sites_restore(void)
{
	for (unsigned int i = 0; i < wx_sites_count(); i++)
		wx_site(i)->effective = wx_site(i)->order;
}
