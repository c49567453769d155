// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_queue.c - the command queue: from CREADR to CWRITER, around the end, until a stall.
 *
 * Queue bytes are the guest's: the queue may lie in a hole, or change under the commands. A command
 * is read once, executed, reported, and only then does CREADR move past it (I3 of its.h).
 */
#include "sim/machine/its_internal.h"

uint64_t its_queue_bytes(const struct sim_its *its)
{
	return (its_field(its->cbaser, 0, 7) + 1) * 4096;
}

static uint64_t queue_base(const struct sim_its *its)
{
	return its->cbaser & (((uint64_t)1 << 52) - 4096);
}

static bool runnable(const struct sim_its *its)
{
	return its->enabled && !its->stalled && its->cbaser & SIM_GITS_VALID &&
	       its->cwriter < its_queue_bytes(its) && its->creadr < its_queue_bytes(its) &&
	       its->creadr != its->cwriter;
}

static bool stalls(const struct sim_its *its, enum sim_its_code code)
{
	switch (its->cfg.choices.stall) {
	case SIM_ITS_STALL_NEVER:
		return false;
	case SIM_ITS_STALL_FAULT:
		return code == SIM_ITS_FAULT;
	case SIM_ITS_STALL_ERROR:
		break;
	}
	/* An INT to a PE that takes no LPIs is no error of the command. */
	return code != SIM_ITS_OK && code != SIM_ITS_LPIS_DISABLED;
}

static void run_one(struct sim_its *its)
{
	uint8_t bytes[SIM_ITS_CMD_BYTES];
	uint64_t cmd[4] = { 0 };
	enum sim_its_code code = SIM_ITS_FAULT;

	if (sim_ram_read(its->ram, queue_base(its) + its->creadr, bytes, sizeof(bytes))) {
		for (unsigned int i = 0; i < 4; i++)
			cmd[i] = sim_le64(bytes + 8 * i);
		code = its_execute(its, cmd);
	}
	its->stats.commands++;
	if (code) {
		its->stats.errors++;
		its->stats.last_error = sim_its_error_code(cmd[0] & 0xff, code);
	}
	if (its->hooks.command)
		its->hooks.command(its->hooks_ctx, cmd, code);
	if (stalls(its, code)) {
		its->stalled = true;
		its->stats.stalls++;
		return;
	}
	its->creadr += SIM_ITS_CMD_BYTES;
	if (its->creadr == its_queue_bytes(its))
		its->creadr = 0;
}

bool its_queue_run(struct sim_its *its)
{
	uint32_t left = its->cfg.commands_max ? its->cfg.commands_max : UINT32_MAX;

	for (; left && runnable(its); left--)
		run_one(its);
	return runnable(its);
}

bool sim_its_step(struct sim_its *its)
{
	return its_queue_run(its);
}
