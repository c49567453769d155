// SPDX-License-Identifier: BSD-2-Clause
/*
 * its.c - an ITS's life, its profiles, and the way of an interrupt through the tables. See its.h.
 */
#include "sim/machine/its_internal.h"

#include <inttypes.h>
#include <stdlib.h>

#define HELD_DEFAULT (UINT32_C(1) << 20)

static const struct sim_its_choices profiles[] = {
	[SIM_ITS_PROFILE_QEMU] = {
		.state = SIM_GIC_TABLE,
		.stall = SIM_ITS_STALL_FAULT,
		.remap = SIM_ITS_REMAP_OVERWRITE,
		.invall_everywhere = true,
		.retry_always = true,
	},
	[SIM_ITS_PROFILE_KVM] = {
		.state = SIM_GIC_HELD,
		.stall = SIM_ITS_STALL_NEVER,
		.remap = SIM_ITS_REMAP_IGNORE,
		.discard_keeps_pending = true,
		.pages_64k = true,
		.cached_tables = true,
		.enable_needs_tables = true,
		.cbaser_resets_cwriter = true,
		.cwriter_oor_dropped = true,
		.quiescent_is_empty = true,
	},
};

const struct sim_its_choices *sim_its_profile(enum sim_its_profile profile)
{
	return &profiles[profile];
}

/* One number of the configuration: its default, and whether it is in range. */
static bool in_range(uint32_t *value, uint32_t def, uint32_t min, uint32_t max, const char *name,
		     struct sim_error *err)
{
	if (!*value)
		*value = def;
	if (*value >= min && *value <= max)
		return true;
	sim_error_set(err, "its.%s=%" PRIu32 ": must be %" PRIu32 "..%" PRIu32, name, *value, min,
		      max);
	return false;
}

static bool config_check(struct sim_its_config *cfg, const struct sim_gic *gic,
			 struct sim_error *err)
{
	if (cfg->choices.state != sim_gic_config(gic)->state) {
		sim_error_set(err, "its: mappings and LPIs must be kept in the same place");
		return false;
	}
	return in_range(&cfg->devbits, 16, 1, 32, "devbits", err) &&
	       in_range(&cfg->eventbits, 16, 1, 32, "eventbits", err) &&
	       in_range(&cfg->icidbits, 16, 1, 16, "icidbits", err) &&
	       in_range(&cfg->vpebits, 16, 1, 16, "vpebits", err) &&
	       in_range(&cfg->held_max, HELD_DEFAULT, 1, UINT32_MAX, "held_max", err);
}

static void lpis_off(void *ctx, uint32_t pe)
{
	(void)pe;
	its_invalidate(ctx, SIM_ITS_SCOPE_ALL, 0, 0, 0);
}

static bool vpe_find(void *ctx, uint32_t id, struct sim_gic_vpe *vpe)
{
	return its_vpe_get(ctx, id, vpe) == SIM_ITS_OK;
}

static void vpe_off(void *ctx, uint32_t id, bool doorbell)
{
	struct sim_gic_vpe vpe;

	if (its_vpe_get(ctx, id, &vpe) != SIM_ITS_OK || vpe.doorbell_wanted == doorbell)
		return;
	vpe.doorbell_wanted = doorbell;
	its_vpe_set(ctx, &vpe);
}

struct sim_its *sim_its_create(const struct sim_its_config *cfg, struct sim_gic *gic,
			       struct sim_ram *ram, struct sim_error *err)
{
	struct sim_its_config full = *cfg;
	struct sim_its *its;

	if (!config_check(&full, gic, err))
		return NULL;
	its = sim_alloc(1, sizeof(*its), "an ITS");
	its->cfg = full;
	its->gic = gic;
	its->ram = ram;
	its->v4 = sim_gic_config(gic)->v4;
	its->npes = sim_gic_config(gic)->npes;
	its->store = full.choices.state == SIM_GIC_HELD ? &its_held_store : &its_mem_store;
	if (full.choices.state == SIM_GIC_HELD)
		its->held = its_held_create();
	its->listener.ctx = its;
	its->listener.lpis_off = lpis_off;
	if (its->v4 == SIM_GIC_V4_1) {
		its->listener.vpe_find = vpe_find;
		its->listener.vpe_off = vpe_off;
	}
	sim_gic_listen(gic, &its->listener);
	return its;
}

void sim_its_destroy(struct sim_its *its)
{
	if (!its)
		return;
	if (its->held)
		its_held_drop(its);
	sim_gic_unlisten(its->gic, &its->listener);
	free(its->held);
	free(its);
}

const struct sim_its_config *sim_its_config(const struct sim_its *its)
{
	return &its->cfg;
}

const struct sim_its_stats *sim_its_stats(const struct sim_its *its)
{
	return &its->stats;
}

void sim_its_set_hooks(struct sim_its *its, const struct sim_its_hooks *hooks, void *ctx)
{
	its->hooks = hooks ? *hooks : (struct sim_its_hooks){ 0 };
	its->hooks_ctx = ctx;
}

void its_invalidate(struct sim_its *its, enum sim_its_scope scope, uint32_t did, uint32_t eid,
		    uint32_t icid)
{
	struct sim_its_inval inval = { scope, did, eid, icid };

	its->stats.invalidations[scope]++;
	if (its->hooks.invalidate)
		its->hooks.invalidate(its->hooks_ctx, &inval);
}

enum sim_its_code its_find_dev(struct sim_its *its, uint32_t did, struct its_dev *dev)
{
	enum sim_its_code code = its->store->dev_get(its, did, dev);

	if (code)
		return code;
	return dev->valid ? SIM_ITS_OK : SIM_ITS_UNMAPPED_DEVICE;
}

enum sim_its_code its_find_event(struct sim_its *its, uint32_t did, uint32_t eid,
				 struct its_dev *dev, struct its_ite *ite)
{
	enum sim_its_code code = its_find_dev(its, did, dev);

	if (code)
		return code;
	if ((uint64_t)eid >> dev->bits)
		return SIM_ITS_ID_OOR;
	code = its->store->ite_get(its, did, dev, eid, ite);
	if (code)
		return code;
	return ite->valid ? SIM_ITS_OK : SIM_ITS_UNMAPPED_INTERRUPT;
}

enum sim_its_code its_find_pe(struct sim_its *its, uint32_t icid, uint32_t *pe)
{
	struct its_coll coll;
	enum sim_its_code code;

	if (icid == ITS_ICID_NONE)
		return SIM_ITS_UNMAPPED_COLLECTION;
	code = its->store->coll_get(its, icid, &coll);
	if (code)
		return code;
	if (!coll.valid || coll.pe >= its->npes)
		return SIM_ITS_UNMAPPED_COLLECTION;
	*pe = coll.pe;
	return SIM_ITS_OK;
}

static enum sim_its_code route_physical(struct sim_its *its, const struct its_ite *ite,
					struct sim_its_route *route)
{
	uint32_t pe;
	enum sim_its_code code = its_find_pe(its, ite->icid, &pe);

	if (code)
		return code;
	if (!sim_gic_lpis_on(its->gic, pe))
		return SIM_ITS_LPIS_DISABLED;
	*route = (struct sim_its_route){
		.intid = ite->intid, .pe = pe, .icid = ite->icid, .doorbell = SIM_GIC_SPURIOUS,
	};
	return SIM_ITS_OK;
}

static enum sim_its_code route_virtual(struct sim_its *its, const struct its_ite *ite,
				       struct sim_its_route *route)
{
	struct sim_gic_vpe vpe;
	enum sim_its_code code = its_vpe_get(its, ite->icid, &vpe);

	if (code)
		return code;
	*route = (struct sim_its_route){
		.intid = ite->intid, .pe = vpe.pe, .icid = ite->icid, .doorbell = ite->doorbell,
		.is_virtual = true,
	};
	return SIM_ITS_OK;
}

enum sim_its_code sim_its_translate(struct sim_its *its, uint32_t device_id, uint32_t event_id,
				    struct sim_its_route *route)
{
	struct its_dev dev;
	struct its_ite ite;
	enum sim_its_code code;

	if (!its->enabled)
		return SIM_ITS_DISABLED;
	code = its_find_event(its, device_id, event_id, &dev, &ite);
	if (code)
		return code;
	return ite.is_virtual ? route_virtual(its, &ite, route) : route_physical(its, &ite, route);
}

void sim_its_deliver(struct sim_its *its, const struct sim_its_route *route)
{
	struct sim_gic_vpe vpe;

	if (!route->is_virtual)
		sim_gic_lpi_set(its->gic, route->pe, route->intid);
	else if (its_vpe_get(its, route->icid, &vpe) == SIM_ITS_OK)
		sim_gic_vlpi_set(its->gic, &vpe, route->intid, route->doorbell);
}

enum sim_its_code sim_its_msi(struct sim_its *its, uint32_t device_id, uint32_t event_id)
{
	struct sim_its_route route;
	enum sim_its_code code;

	its->stats.msis++;
	if (its->hooks.translate)
		code = its->hooks.translate(its->hooks_ctx, its, device_id, event_id, &route);
	else
		code = sim_its_translate(its, device_id, event_id, &route);
	if (code)
		its->stats.msis_lost++;
	else
		sim_its_deliver(its, &route);
	return code;
}

uint32_t sim_its_error_code(enum sim_its_op op, enum sim_its_code code)
{
	/* CLEAR's codes carry SYNC's number. */
	uint32_t cc = op == SIM_ITS_CLEAR ? (uint32_t)SIM_ITS_SYNC : (uint32_t)op;

	if (code == SIM_ITS_OK || (unsigned int)code > 0xff)
		return 0;
	return UINT32_C(0x010000) | cc << 8 | (uint32_t)code;
}

const char *sim_its_code_str(enum sim_its_code code)
{
	switch ((unsigned int)code) {
	case SIM_ITS_OK:
		return "done";
	case SIM_ITS_DEVICE_OOR:
		return "device, or PE of MOVALL, out of range";
	case SIM_ITS_ITTSIZE_OOR:
		return "table size, or PE, out of range";
	case SIM_ITS_COLLECTION_OOR:
		return "collection out of range";
	case SIM_ITS_UNMAPPED_DEVICE:
		return "device not mapped";
	case SIM_ITS_ID_OOR:
		return "event out of range";
	case SIM_ITS_PHYSICALID_OOR:
		return "LPI, or doorbell, out of range";
	case SIM_ITS_UNMAPPED_INTERRUPT:
		return "event not mapped";
	case SIM_ITS_ID_IS_VIRTUAL:
		return "event is virtual";
	case SIM_ITS_UNMAPPED_COLLECTION:
		return "collection not mapped";
	case SIM_ITS_VPE_OOR:
		return "vPE out of range";
	case SIM_ITS_VPTSIZE_OOR:
		return "virtual pending table size out of range";
	case SIM_ITS_VIRTUALID_OOR:
		return "virtual LPI out of range";
	case SIM_ITS_UNMAPPED_VPE:
		return "vPE not mapped";
	case SIM_ITS_ID_IS_PHYSICAL:
		return "event is physical";
	case SIM_ITS_UNMAPPED_ITE_VPE:
		return "vPE of the event not mapped";
	case SIM_ITS_UNMAPPED_CMD_VPE:
		return "vPE of the command not mapped";
	case SIM_ITS_FAULT:
		return "table not in memory";
	case SIM_ITS_UNKNOWN_COMMAND:
		return "unknown command";
	case SIM_ITS_DISABLED:
		return "ITS disabled";
	case SIM_ITS_LPIS_DISABLED:
		return "LPIs disabled at the target";
	case SIM_ITS_NO_ROOM:
		return "too many mappings";
	default:
		return "?";
	}
}
