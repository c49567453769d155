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
	enum weir_status status;

	if (!nbytes)
		return;
	status = weir_dirty_mark_by(writer->d, writer->source, first_gfn,
				    last_gfn - first_gfn + 1);
	sim_assert(status == WEIR_OK || status == WEIR_ESHUTDOWN || status == WEIR_ERANGE);
	writer->late += status == WEIR_ESHUTDOWN;
	writer->outside += status == WEIR_ERANGE;
}
