// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_xlate_invalidate_all(): the ITS is disabled, or its tables move.
 */
#include "its.h"

int main(void)
{
	struct its *its = its_new(0, NULL);
	uint32_t d;

	for (d = 0; d < DEVICES; d++)
		expect(its_msi(its, d, 0));
	weir_xlate_invalidate_all(its->cache);
	printf("%u resident\n", weir_xlate_residency(its->cache));
	expect(weir_xlate_residency(its->cache) == 0);
	its_free(its);
	return 0;
}
