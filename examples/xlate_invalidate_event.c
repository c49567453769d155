// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_xlate_invalidate_event(): MOVI and DISCARD concern one event. The table first, the cache
 * second, CREADR third.
 */
#include "its.h"

int main(void)
{
	struct its *its = its_new(0, NULL);

	expect(its_msi(its, 1, 1) && its_msi(its, 1, 2));
	its->lpi[1][1] = 0;				/* DISCARD */
	weir_xlate_invalidate_event(its->cache, 1, 1);
	expect(its_msi(its, 1, 1) == 0);
	its->walks = 0;
	expect(its_msi(its, 1, 2) == 8192 + 18);
	printf("its neighbour needed %u walks\n", its->walks);
	expect(its->walks == 0);
	its_free(its);
	return 0;
}
