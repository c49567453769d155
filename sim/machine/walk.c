// SPDX-License-Identifier: BSD-2-Clause
/*
 * walk.c - the stage-2 walker: see walk.h.
 */
#include "sim/machine/walk.h"
#include "sim/machine/hdbss.h"
#include "sim/machine/stage2_priv.h"

#include <stddef.h>

/* The code of a fault at a level; level -1 has codes of its own. */
static uint8_t fault_code(enum sim_fault fault, int level)
{
	static const uint8_t base[] = {
		[SIM_FAULT_ADDRESS_SIZE] = SIM_FSC_ADDRESS_SIZE,
		[SIM_FAULT_TRANSLATION] = SIM_FSC_TRANSLATION,
		[SIM_FAULT_ACCESS_FLAG] = SIM_FSC_ACCESS_FLAG,
		[SIM_FAULT_PERMISSION] = SIM_FSC_PERMISSION,
		[SIM_FAULT_WALK_EABORT] = SIM_FSC_WALK_EABORT,
		[SIM_FAULT_HDBSS] = SIM_FSC_PERMISSION,
	};

	if (fault == SIM_FAULT_ATOMIC_UPDATE)
		return SIM_FSC_ATOMIC_UPDATE;
	if (level >= 0)
		return (uint8_t)(base[fault] + (unsigned int)level);
	if (fault == SIM_FAULT_ADDRESS_SIZE)
		return 0x29;
	return fault == SIM_FAULT_TRANSLATION ? 0x2b : 0x13;
}

static bool fail(struct sim_walk *out, enum sim_fault fault, int level)
{
	out->fault = fault;
	out->level = (int8_t)level;
	out->fsc = fault_code(fault, level);
	return false;
}

static bool may_execute(uint64_t desc)
{
	unsigned int xn = (unsigned int)(desc >> 53 & 3);

	return xn == 0 || xn == 3;	/* 1: EL0 only, 2: nobody */
}

/*
 * Access flag, permission, and what hardware sets: *want is the leaf as it must be for the access
 * to go on.
 */
static enum sim_fault check_leaf(const struct sim_vtcr *vtcr, uint64_t desc, enum sim_access access,
				 uint64_t *want)
{
	*want = desc;
	if (!(desc & SIM_DESC_AF)) {
		if (!vtcr->ha)
			return SIM_FAULT_ACCESS_FLAG;
		*want |= SIM_DESC_AF;
	}
	if ((access == SIM_WRITE || access == SIM_AT_WRITE) && !(desc & SIM_DESC_W)) {
		if (!vtcr->ha || !vtcr->hd || !(desc & SIM_DESC_DBM))
			return SIM_FAULT_PERMISSION;
		if (access == SIM_WRITE)
			*want |= SIM_DESC_W;
	}
	if ((access == SIM_READ || access == SIM_AT_READ) && !(desc & SIM_DESC_R))
		return SIM_FAULT_PERMISSION;
	if (access == SIM_EXEC && !may_execute(desc))
		return SIM_FAULT_PERMISSION;
	return SIM_FAULT_NONE;
}

/* All checks of a descriptor that is no table. */
static enum sim_fault check_last(const struct sim_s2 *s2, const struct sim_vtcr *vtcr, int level,
				 uint64_t desc, enum sim_access access, uint64_t *want)
{
	enum sim_fault fault;

	if (!s2_is_leaf(s2, level, desc))
		return SIM_FAULT_TRANSLATION;
	if (s2_desc_oa(s2, level, desc) >> vtcr->pa_bits)
		return SIM_FAULT_ADDRESS_SIZE;
	fault = check_leaf(vtcr, desc, access, want);
	if (fault == SIM_FAULT_NONE && *want != desc && vtcr->uncached)
		return SIM_FAULT_ATOMIC_UPDATE;
	return fault;
}

/*
 * Set in the leaf what the access entails; *desc becomes what the leaf is. False: somebody changed
 * it meanwhile.
 */
static bool update_leaf(uint64_t *entry, uint64_t *desc, uint64_t want,
			const struct sim_walk_hook *hook, struct sim_hdbss *log,
			struct sim_walk *out)
{
	uint64_t before = *desc;

	if (want == before)
		return true;
	if (hook && hook->fn)
		hook->fn(hook->ctx, entry);
	if (!__atomic_compare_exchange_n(entry, desc, want, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		return false;
	out->af_set = (before ^ want) & SIM_DESC_AF;
	out->dirty_set = (before ^ want) & SIM_DESC_W;
	if (out->dirty_set && log)
		sim_hdbss_advance(log);
	*desc = want;
	return true;
}

static bool succeed(const struct sim_s2 *s2, int level, uint64_t desc, struct sim_walk *out)
{
	out->level = (int8_t)level;
	out->order = (uint8_t)s2_order(s2, level);
	out->run_order = out->order;
	if (desc & SIM_DESC_CONTIGUOUS)
		out->run_order = (uint8_t)(out->order + s2_run_log2(&s2->geo, level));
	out->oa = s2_desc_oa(s2, level, desc) |
		  (out->ipa & (((uint64_t)1 << s2_shift(s2, level)) - 1));
	out->desc = desc;
	return true;
}

bool sim_walk(const struct sim_s2 *s2, const struct sim_vtcr *vtcr, uint64_t ipa,
	      enum sim_access access, const struct sim_walk_hook *hook, struct sim_walk *out)
{
	return sim_walk_logged(s2, vtcr, ipa, access, hook, NULL, out);
}

bool sim_walk_logged(const struct sim_s2 *s2, const struct sim_vtcr *vtcr, uint64_t ipa,
		     enum sim_access access, const struct sim_walk_hook *hook,
		     struct sim_hdbss *log, struct sim_walk *out)
{
	uint64_t table = s2->root_pa;
	int level = s2->geo.start_level;
	unsigned int shift = s2_shift(s2, level);
	uint64_t mask = UINT64_MAX;	/* start tables stand side by side */

	*out = (struct sim_walk){ .ipa = ipa };
	if (vtcr->inconsistent || ipa >> s2->geo.ia_bits)
		return fail(out, SIM_FAULT_TRANSLATION, 0);
	if (table >> vtcr->pa_bits)
		return fail(out, SIM_FAULT_ADDRESS_SIZE, 0);
	for (;;) {
		uint64_t *entry = s2_word_at(s2, table + (ipa >> shift & mask) * 8);
		enum sim_fault fault;
		uint64_t desc, want;

		if (!entry)
			return fail(out, SIM_FAULT_WALK_EABORT, level);
		desc = s2_load(entry);
		out->desc = desc;
		if (!s2_is_table(level, desc)) {
			fault = check_last(s2, vtcr, level, desc, access, &want);
			if (fault != SIM_FAULT_NONE)
				return fail(out, fault, level);
			if (log && (desc ^ want) & SIM_DESC_W && !sim_hdbss_prepare(log, ipa))
				return fail(out, SIM_FAULT_HDBSS, level);
			if (update_leaf(entry, &desc, want, hook, log, out))
				return succeed(s2, level, desc, out);
			continue;	/* what it lost to is looked at from the start */
		}
		table = s2_desc_addr(s2, desc);
		if (table >> vtcr->pa_bits)
			return fail(out, SIM_FAULT_ADDRESS_SIZE, level);
		level++;
		shift -= s2->stride;
		mask = ((uint64_t)1 << s2->stride) - 1;
	}
}

const char *sim_fault_name(enum sim_fault fault)
{
	switch (fault) {
	case SIM_FAULT_NONE:
		return "none";
	case SIM_FAULT_ADDRESS_SIZE:
		return "address size";
	case SIM_FAULT_TRANSLATION:
		return "translation";
	case SIM_FAULT_ACCESS_FLAG:
		return "access flag";
	case SIM_FAULT_PERMISSION:
		return "permission";
	case SIM_FAULT_WALK_EABORT:
		return "external abort on walk";
	case SIM_FAULT_ATOMIC_UPDATE:
		return "unsupported atomic update";
	case SIM_FAULT_HDBSS:
		return "dirty log full";
	}
	return "unknown";
}
