// SPDX-License-Identifier: BSD-2-Clause
/*
 * lost_page.c - the one that matters: is the guest that resumes the guest that was stopped?
 *
 * Source and destination contents are compared frame by frame; what the log believes plays no part.
 */
#include "sim/check/check.h"

uint64_t sim_check_lost(struct sim_check *check, struct sim_content_bad *bad,
			unsigned int nbad_max)
{
	uint64_t nbad = 0, from_gfn = check->base_gfn;
	unsigned int i;

	if (sim_content_equal(check->content, NULL, &nbad))
		return 0;
	for (i = 0; i < nbad_max && sim_content_next_bad(check->content, from_gfn, &bad[i]); i++)
		from_gfn = bad[i].gfn + 1;
	check->violations[SIM_CHECK_LOST_PAGE] += nbad;
	return nbad;
}
