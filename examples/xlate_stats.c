// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_xlate_stats(): counters by cause, if they were asked for.
 */
#include "its.h"

int main(void)
{
	struct its *its = its_new(WEIR_XLATE_F_COUNTERS, NULL);
	struct weir_xlate_stats stats;
	uint32_t i, d, e;

	for (i = 0; i < 3; i++)
		for (d = 0; d < DEVICES; d++)
			for (e = 0; e < EVENTS; e++)
				expect(its_msi(its, d, e));
	weir_xlate_invalidate_device(its->cache, 0);
	weir_xlate_stats(its->cache, &stats);
	printf("%llu hits, %llu misses, %llu evictions\n", (unsigned long long)stats.hits,
	       (unsigned long long)stats.misses, (unsigned long long)stats.evictions);
	expect(stats.hits + stats.misses == 3 * 64);
	expect(stats.misses == its->walks && stats.fills == its->walks);
	expect(stats.evictions == stats.fills - 32);
	expect(stats.invalidations_device == 1);
	its_free(its);
	return 0;
}
