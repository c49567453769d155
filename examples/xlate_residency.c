// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_xlate_residency(): how many translations would hit now.
 */
#include "its.h"

int main(void)
{
	struct its *its = its_new(0, NULL);
	uint32_t e;

	for (e = 0; e < 10; e++)
		expect(its_msi(its, 0, e));
	expect(weir_xlate_residency(its->cache) == 10);
	weir_xlate_invalidate_event(its->cache, 0, 3);
	printf("%u of 10\n", weir_xlate_residency(its->cache));
	expect(weir_xlate_residency(its->cache) == 9);
	its_free(its);
	return 0;
}
