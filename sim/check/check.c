// SPDX-License-Identifier: BSD-2-Clause
/*
 * check.c - what the checkers share: counting, and describing a page for a person. See check.h.
 */
#include "sim/check/check.h"

#include <inttypes.h>
#include <stdio.h>

const char *const sim_checker_names[SIM_NCHECKERS] = {
	"lost_page", "content_before_tlbi", "writable_block", "illegal_leaf"
};

void sim_check_describe_page(const struct sim_check *check, uint64_t gfn, char *buf, size_t size)
{
	unsigned int order = 0, vcpu = 0, peek = weir_dirty_peek(check->d, gfn);
	const uint64_t *leaf = sim_s2_leaf(check->s2, gfn, &order);
	bool unseen = sim_mmu_any_writable(check->mmu, gfn, &vcpu);
	char tlb[48] = "no TLB may write it";

	if (unseen)
		snprintf(tlb, sizeof(tlb), "the TLB of vcpu %u may write it", vcpu);
	snprintf(buf, size, "bit %s, %s group, %s {DBM %d, W %d}, %s",
		 peek & WEIR_DIRTY_PEEK_BIT ? "set" : "clear",
		 peek & WEIR_DIRTY_PEEK_HW ? "HW" : "TRAP",
		 !leaf ? "unmapped" : order ? "block" : "leaf",
		 leaf && *leaf & SIM_DESC_DBM, leaf && *leaf & SIM_DESC_W, tlb);
}

void sim_check_violated(struct sim_check *check, enum sim_checker checker, uint64_t gfn,
			const char *what)
{
	char state[160], text[256];

	if (check->violations[checker]++ || !check->report)
		return;
	sim_check_describe_page(check, gfn, state, sizeof(state));
	snprintf(text, sizeof(text), "%s (%s)", what, state);
	check->report(check->ctx, checker, gfn, text);
}

uint64_t sim_check_total(const struct sim_check *check)
{
	uint64_t total = 0;
	unsigned int i;

	for (i = 0; i < SIM_NCHECKERS; i++)
		total += check->violations[i];
	return total;
}
