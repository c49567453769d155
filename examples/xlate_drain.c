// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_xlate_drain() and the displaced op: values that are references. Each accepted fill holds
 * one, each is handed back once. (With concurrent lookups the drop waits for a grace period.)
 */
#include "its.h"

static unsigned int references;

static void displaced(void *ctx, uint32_t device, uint32_t event, uint64_t value)
{
	(void)ctx;
	(void)device;
	(void)event;
	(void)value;
	references--;
}

static const struct weir_xlate_ops ops = { .displaced = displaced };

int main(void)
{
	struct its *its = its_new(0, &ops);
	struct weir_xlate_lease lease;
	uint32_t d, e;

	for (d = 0; d < DEVICES; d++)
		for (e = 0; e < EVENTS; e++) {
			weir_xlate_lease(its->cache, d, e, &lease);
			references++;
			if (weir_xlate_fill(its->cache, &lease, 0, its->lpi[d][e]))
				references--;
		}
	printf("64 fills, %u references held\n", references);
	expect(references == 32);
	weir_xlate_invalidate_all(its->cache);
	expect(weir_xlate_drain(its->cache) == WEIR_OK);
	expect(references == 0);
	its_free(its);
	return 0;
}
