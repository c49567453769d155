// SPDX-License-Identifier: BSD-2-Clause
/*
 * What callgrind_gate.sh counts of xlate: look-ups that hit their preferred slot, called, and the
 * cache's memory does not change under them. Prints nothing; exit code 1 if a call was not a hit or
 * a byte of the cache was written to that differs.
 */
#include <stdlib.h>
#include <string.h>

#include "weir/xlate.h"

enum {
	CALLS = 1000,
	KEYS = 64
};

static void expect(int ok)
{
	if (!ok)
		exit(1);
}

int main(void)
{
	static unsigned char mem[16384] __attribute__((aligned(4096))), copy[16384];
	struct weir_xlate_config cfg = { .capacity = KEYS };
	struct weir_xlate_lease lease;
	struct weir_xlate *c;
	uint64_t value = 0;
	uint32_t i;

	expect(weir_xlate_init(mem, sizeof(mem), &cfg, NULL, NULL, &c) == WEIR_OK);
	for (i = 0; i < KEYS; i++) {
		weir_xlate_lease(c, 8, i, &lease);
		expect(weir_xlate_fill(c, &lease, 0, i) == WEIR_OK);
		/* The first hit marks it. */
		expect(weir_xlate_lookup_inline(c, 8, i, &value));
	}
	memcpy(copy, mem, sizeof(mem));
	for (i = 0; i < CALLS; i++) {
		expect(weir_xlate_lookup(c, 8, i % KEYS, &value));
		expect(value == i % KEYS);
	}
	expect(!memcmp(copy, mem, sizeof(mem)));
	return 0;
}
