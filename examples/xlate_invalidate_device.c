// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_xlate_invalidate_device(): MAPD concerns all events of a device, and no other device.
 */
#include "its.h"

int main(void)
{
	struct its *its = its_new(0, NULL);
	uint32_t e;

	for (e = 0; e < 8; e++)
		expect(its_msi(its, 1, e) && its_msi(its, 2, e));
	for (e = 0; e < EVENTS; e++)
		its->lpi[1][e] = 0;			/* MAPD with V = 0 */
	weir_xlate_invalidate_device(its->cache, 1);
	for (e = 0; e < 8; e++)
		expect(its_msi(its, 1, e) == 0);
	its->walks = 0;
	for (e = 0; e < 8; e++)
		expect(its_msi(its, 2, e) == its->lpi[2][e]);
	printf("the other device needed %u walks\n", its->walks);
	expect(its->walks == 0);
	its_free(its);
	return 0;
}
