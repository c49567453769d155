/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/machine/tlbi.h - operands of TLBI IPAS2E1IS and RIPAS2E1IS.
 *
 * An operand names an address or a range, and may hint at the level of the leaf (TTL). With a hint
 * that is wrong the architecture lets cached translations of other levels stay: they do.
 * A range is (NUM + 1) * 2^(5 * SCALE + 1) granules from BaseADDR.
 *
 * Source: Arm ARM DDI 0487, C5.5 (TLBI operands), FEAT_TTL, FEAT_TLBIRANGE.
 */
#ifndef SIM_MACHINE_TLBI_H
#define SIM_MACHINE_TLBI_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_TLBI_ANY_LEVEL	4

/* Pages that one range operation reaches at most: NUM 31, SCALE 3. */
#define SIM_TLBI_RANGE_PAGES_MAX	((uint64_t)1 << 21)

/**
 * struct sim_tlbi - what an operand says
 * @first_gfn: first frame
 * @last_gfn: inclusive end
 * @level: hint, 0 to 3, or SIM_TLBI_ANY_LEVEL
 */
struct sim_tlbi {
	uint64_t first_gfn;
	uint64_t last_gfn;
	int level;
};

/** sim_tlbi_ipas2() - read an operand of IPAS2E1IS; false: its TTL names another granule */
bool sim_tlbi_ipas2(uint64_t operand, unsigned int granule_shift, struct sim_tlbi *out);

/** sim_tlbi_ripas2() - read an operand of RIPAS2E1IS; false: TG is reserved or another granule */
bool sim_tlbi_ripas2(uint64_t operand, unsigned int granule_shift, bool ds, struct sim_tlbi *out);

/**
 * sim_tlbi_encode() - the operand of the largest range operation that begins a range
 * @range: what is to go; level may be a hint
 * @ds: 52-bit addresses: BaseADDR counts 64 KiB, so that first_gfn must lie on one
 * @npages: set to how many pages the operation covers; never more than the range
 *
 * As software splits a range: even pages by ranges, an odd one that is left by itself.
 * Return: 0 where one page must go by IPAS2E1IS (npages is 1), else an operand of RIPAS2E1IS.
 */
uint64_t sim_tlbi_encode(const struct sim_tlbi *range, unsigned int granule_shift, bool ds,
			 uint64_t *npages);

#endif
