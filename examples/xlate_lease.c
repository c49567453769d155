// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_xlate_lease(): taken before the tables are read, so that a fill cannot bring back what an
 * invalidation dropped while the walk was under way.
 */
#include "its.h"

int main(void)
{
	struct its *its = its_new(0, NULL);
	struct weir_xlate_lease lease;
	enum weir_status status;
	uint64_t lpi;

	weir_xlate_lease(its->cache, 2, 3, &lease);
	lpi = its->lpi[2][3];				/* the walk */

	its->lpi[2][3] = 9000;				/* meanwhile: DISCARD, MAPTI */
	weir_xlate_invalidate_event(its->cache, 2, 3);

	status = weir_xlate_fill(its->cache, &lease, 0, lpi);
	printf("a fill that was overtaken: %s\n", weir_status_str(status));
	expect(status == WEIR_ESTALE);
	expect(its_msi(its, 2, 3) == 9000);
	its_free(its);
	return 0;
}
