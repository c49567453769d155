// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_xlate_invalidate_tag(): MAPC concerns all events of a collection, which only the tables
 * know. The fill said which collection it was.
 */
#include "its.h"

int main(void)
{
	struct its *its = its_new(0, NULL);
	uint32_t d;

	for (d = 0; d < DEVICES; d++)
		expect(its_msi(its, d, 0));
	weir_xlate_invalidate_tag(its->cache, 1);	/* collection 1: devices 1 and 3 */
	its->walks = 0;
	for (d = 0; d < DEVICES; d++)
		expect(its_msi(its, d, 0));
	printf("%u of 4 devices needed a walk\n", its->walks);
	expect(its->walks == 2);
	its_free(its);
	return 0;
}
