// SPDX-License-Identifier: BSD-2-Clause
/*
 * tlbi.c - operands of TLB invalidation: see tlbi.h.
 *
 *	IPAS2E1:   TTL [47:44] = TG [47:46], level [45:44]; IPA[51:12] in [39:0]
 *	RIPAS2E1:  TG [47:46], SCALE [45:44], NUM [43:39], TTL [38:37], BaseADDR [36:0]
 */
#include "sim/machine/tlbi.h"

#define IPA_FRAMES_MASK	(((uint64_t)1 << 40) - 1)
#define BASE_MASK	(((uint64_t)1 << 37) - 1)

/* TG: 1 is 4 KiB, 2 is 16 KiB, 3 is 64 KiB. */
static uint64_t tg_of(unsigned int granule_shift)
{
	return (granule_shift - 10) / 2;
}

bool sim_tlbi_ipas2(uint64_t operand, unsigned int granule_shift, struct sim_tlbi *out)
{
	uint64_t tg = operand >> 46 & 3;

	out->first_gfn = (operand & IPA_FRAMES_MASK) >> (granule_shift - 12);
	out->last_gfn = out->first_gfn;
	out->level = tg ? (int)(operand >> 44 & 3) : SIM_TLBI_ANY_LEVEL;
	return tg == 0 || tg == tg_of(granule_shift);
}

bool sim_tlbi_ripas2(uint64_t operand, unsigned int granule_shift, bool ds, struct sim_tlbi *out)
{
	unsigned int scale = (unsigned int)(operand >> 44 & 3);
	uint64_t pages = ((operand >> 39 & 31) + 1) << (5 * scale + 1);
	uint64_t base = operand & BASE_MASK;
	int ttl = (int)(operand >> 37 & 3);

	out->first_gfn = ds ? base << (16 - granule_shift) : base;
	out->last_gfn = out->first_gfn + (pages - 1);
	out->level = ttl ? ttl : SIM_TLBI_ANY_LEVEL;
	return (operand >> 46 & 3) == tg_of(granule_shift);
}

uint64_t sim_tlbi_encode(const struct sim_tlbi *range, unsigned int granule_shift, bool ds,
			 uint64_t *npages)
{
	uint64_t left = range->last_gfn - range->first_gfn + 1;
	uint64_t base = ds ? range->first_gfn >> (16 - granule_shift) : range->first_gfn;
	/* A range operation has no way to hint at level 0. */
	uint64_t ttl = range->level >= 1 && range->level <= 3 ? (uint64_t)range->level : 0;

	*npages = 1;
	if (left < 2 || (ds && range->first_gfn & (((uint64_t)1 << (16 - granule_shift)) - 1)))
		return 0;
	for (unsigned int scale = 4; scale-- > 0;) {
		uint64_t num = left >> (5 * scale + 1);

		if (num == 0)
			continue;
		if (num > 32)
			num = 32;
		*npages = num << (5 * scale + 1);
		return tg_of(granule_shift) << 46 | (uint64_t)scale << 44 | (num - 1) << 39 |
		       ttl << 37 | base;
	}
	return 0;
}
