// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_xlate_fill(): the cache is bounded, and takes what comes.
 */
#include "its.h"

int main(void)
{
	struct its *its = its_new(0, NULL);
	uint32_t d, e;

	/* 64 events through a cache for 32. */
	for (d = 0; d < DEVICES; d++)
		for (e = 0; e < EVENTS; e++)
			expect(its_msi(its, d, e) == its->lpi[d][e]);
	printf("64 events, %u resident\n", weir_xlate_residency(its->cache));
	expect(weir_xlate_residency(its->cache) == 32);
	/* The same key twice is one entry. */
	weir_xlate_invalidate_all(its->cache);
	expect(its_msi(its, 0, 0) && its_msi(its, 0, 0));
	expect(weir_xlate_residency(its->cache) == 1);
	its_free(its);
	return 0;
}
