// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_check.c - what the checkers of a cache share, and the one of its bound. See its_check.h.
 */
#include "sim/check/its_check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

const char *const sim_its_checker_names[SIM_ITS_NCHECKERS] = {
	"transparency", "residency", "completion"
};

uint64_t sim_its_check_total(const struct sim_its_check *check)
{
	uint64_t total = 0;

	for (unsigned int i = 0; i < SIM_ITS_NCHECKERS; i++)
		total += check->violations[i];
	return total;
}

void sim_its_check_violated(struct sim_its_check *check, enum sim_its_checker checker,
			    const char *fmt, ...)
{
	char text[256];
	va_list args;

	if (check->violations[checker]++ || !check->report)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	check->report(check->ctx, checker, text);
}

void sim_its_check_bound(struct sim_its_check *check, uint64_t resident, uint64_t capacity)
{
	if (resident > capacity)
		sim_its_check_violated(check, SIM_ITS_CHECK_RESIDENCY, "%" PRIu64 " entries, %"
				       PRIu64 " is the bound", resident, capacity);
}

/* A fill makes one entry, so with room for n more the bound holds for the next n fills. */
void sim_its_check_residency(struct sim_its_check *check, struct sim_its_residency *residency,
			     struct sim_its_design *design)
{
	uint64_t capacity = residency->bound ? residency->bound : sim_its_design_capacity(design);
	struct sim_its_design_stats stats;
	uint64_t room;

	if (capacity == UINT64_MAX)
		return;
	sim_its_design_stats(design, &stats);
	if (stats.fills < residency->fills)
		return;
	sim_its_check_bound(check, stats.resident, capacity);
	room = stats.resident < capacity ? capacity - stats.resident : 0;
	residency->fills = stats.fills + (room ? room : 1);
}
