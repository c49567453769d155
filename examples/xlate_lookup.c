// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_xlate_lookup() and its inlined twin: a hit costs a few loads, a miss means nothing.
 */
#include "its.h"

int main(void)
{
	struct its *its = its_new(0, NULL);
	uint64_t lpi = 0;

	expect(!weir_xlate_lookup(its->cache, 1, 5, &lpi));
	expect(its_msi(its, 1, 5) == 8192 + 21);
	expect(weir_xlate_lookup(its->cache, 1, 5, &lpi) && lpi == 8192 + 21);
	expect(weir_xlate_lookup_inline(its->cache, 1, 5, &lpi) && lpi == 8192 + 21);
	/* Keys are compared in full: this is not device 1, event 5 of a packed key. */
	expect(!weir_xlate_lookup(its->cache, 0x10001, 5, &lpi));
	expect(!weir_xlate_lookup(its->cache, 1, 0x10005, &lpi));
	printf("device 1, event 5: LPI %u, %u walk\n", (unsigned int)lpi, its->walks);
	expect(its->walks == 1);
	its_free(its);
	return 0;
}
