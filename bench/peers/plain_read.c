// SPDX-License-Identifier: BSD-2-Clause
/*
 * plain_read.c - the least that a look at all descriptors can cost: eight loads a turn, or-ed into
 * eight words so that none waits for another. The compiler may use vectors.
 */
#include "peers.h"

#define TABLE_PTES 512u

static void read_table(const uint64_t *pte, uint64_t any[8])
{
	unsigned int i;

	for (i = 0; i < TABLE_PTES; i += 8u) {
		any[0] |= pte[i];
		any[1] |= pte[i + 1u];
		any[2] |= pte[i + 2u];
		any[3] |= pte[i + 3u];
		any[4] |= pte[i + 4u];
		any[5] |= pte[i + 5u];
		any[6] |= pte[i + 6u];
		any[7] |= pte[i + 7u];
	}
}

uint64_t peer_plain_read(uint64_t *const *tables, uint64_t ntables)
{
	uint64_t any[8] = { 0 }, t;

	for (t = 0; t < ntables; t++)
		read_table(tables[t], any);
	return any[0] | any[1] | any[2] | any[3] | any[4] | any[5] | any[6] | any[7];
}
