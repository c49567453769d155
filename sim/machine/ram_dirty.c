// SPDX-License-Identifier: BSD-2-Clause
/*
 * ram_dirty.c - writes that pass by stage 2, told to a dirty log. See ram_dirty.h.
 */
#include "sim/machine/ram_dirty.h"

#include "sim/engine/error.h"
#include "sim/machine/ram.h"

void sim_ram_dirty_wrote(void *ctx, uint64_t addr, uint64_t nbytes)
{
	struct sim_ram_dirty *writer = ctx;
	uint64_t first_gfn = addr / SIM_RAM_PAGE_BYTES;
	uint64_t last_gfn = (addr + nbytes - 1) / SIM_RAM_PAGE_BYTES;

	if (!nbytes)
		return;
	switch (weir_dirty_mark_by(writer->d, writer->source, first_gfn,
				   last_gfn - first_gfn + 1)) {
	case WEIR_OK:
		break;
	case WEIR_ESHUTDOWN:
		writer->late++;
		break;
	case WEIR_ERANGE:
		writer->outside++;
		break;
	default:
		sim_assert(!"the log takes no mark");
	}
}
