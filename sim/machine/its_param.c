// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_param.c - the parameters of the ITS and its GIC. A choice that is left at `profile` is made
 * by its.profile.
 */
#include "sim/machine/its.h"

#include "sim/engine/param.h"
#include "weir/xlate.h"

static const char *const profile_names[] = { "qemu", "kvm", NULL };
static const char *const state_names[] = { "profile", "memory", "held", NULL };
static const char *const stall_names[] = { "profile", "never", "fault", "error", NULL };
static const char *const remap_names[] = { "profile", "overwrite", "ignore", NULL };
static const char *const discard_names[] = { "profile", "clear", "keep", NULL };
static const char *const invall_names[] = { "profile", "all", "collection", NULL };
static const char *const pages_names[] = { "profile", "written", "64k", NULL };
static const char *const enable_names[] = { "profile", "always", "tables", NULL };
static const char *const retry_names[] = { "profile", "bit", "any_write", NULL };
static const char *const index_names[] = { "structured", "mixed", NULL };
static const char *const v4_names[] = { "off", "4.0", "4.1", NULL };

#define MANUAL	"IHI 0069"
#define QEMU	"QEMU 7.2"

const struct sim_param sim_its_param_table[] = {
	SIM_PARAM_ENUM_ENTRY("its.profile", "qemu", profile_names, "choice",
			     "whose choices to make where the architecture leaves one"),
	SIM_PARAM_ENUM_ENTRY("its.state", "profile", state_names, MANUAL,
			     "where mappings and LPI state live: in guest memory, or held inside"),
	SIM_PARAM_ENUM_ENTRY("its.stall", "profile", stall_names, MANUAL,
			     "what stalls the queue: nothing, memory that is not there, any error"),
	SIM_PARAM_ENUM_ENTRY("its.remap", "profile", remap_names, MANUAL,
			     "MAPTI over a live event"),
	SIM_PARAM_ENUM_ENTRY("its.discard", "profile", discard_names, MANUAL,
			     "what DISCARD does to a pending LPI"),
	SIM_PARAM_ENUM_ENTRY("its.invall", "profile", invall_names, MANUAL,
			     "whose LPIs INVALL reads again"),
	SIM_PARAM_ENUM_ENTRY("its.pages", "profile", pages_names, MANUAL,
			     "table pages: as GITS_BASER says, or 64 KiB always"),
	SIM_PARAM_ENUM_ENTRY("its.enable", "profile", enable_names, MANUAL,
			     "whether Enabled needs tables and queue to be Valid"),
	SIM_PARAM_ENUM_ENTRY("its.retry", "profile", retry_names, MANUAL,
			     "what retries a stalled command: GITS_CWRITER.Retry, or any write"),
	SIM_PARAM_ENUM_ENTRY("its.v4", "off", v4_names, MANUAL,
			     "virtual LPIs: GICv4.0 or GICv4.1; needs its.state memory"),
	SIM_PARAM_U64_ENTRY("its.devbits", "bits", "16", 1, 32, QEMU, "size of a DeviceID"),
	SIM_PARAM_U64_ENTRY("its.eventbits", "bits", "16", 1, 32, QEMU, "size of an EventID"),
	SIM_PARAM_U64_ENTRY("its.icidbits", "bits", "16", 1, 16, QEMU,
			    "size of a collection number"),
	SIM_PARAM_U64_ENTRY("its.vpebits", "bits", "16", 1, 16, QEMU, "size of a vPE number"),
	SIM_PARAM_U64_ENTRY("its.intidbits", "bits", "16", 14, SIM_GIC_IDBITS_MAX, QEMU,
			    "size of an INTID"),
	SIM_PARAM_U64_ENTRY("its.held_events", "", "1Mi", 1, UINT32_MAX, "choice",
			    "events that can be mapped at once with its.state held"),
	SIM_PARAM_U64_ENTRY("its.burst_commands", "", "0", 0, UINT32_MAX, "choice",
			    "commands executed at one go; 0: the whole queue"),
};

const struct sim_param sim_its_shape_table[] = {
	SIM_PARAM_U64_ENTRY("its.cache_capacity", "", "1Ki", 1, WEIR_XLATE_CAPACITY_MAX, "choice",
			    "translations that it holds at most"),
	SIM_PARAM_ENUM_ENTRY("its.cache_index", "structured", index_names, "choice",
			     "how it finds a key: events side by side, or hashed"),
};

static const struct sim_param cache_table[] = {
	SIM_PARAM_BOOL_ENTRY("its.cache", "off", "choice",
			     "the library's translation cache in front of the tables"),
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

_Static_assert(COUNT(sim_its_param_table) == SIM_ITS_NPARAMS, "count them");
_Static_assert(COUNT(sim_its_shape_table) == SIM_ITS_SHAPE_NPARAMS, "count them");

void sim_its_params(struct sim_params *params)
{
	sim_params_register(params, sim_its_param_table, SIM_ITS_NPARAMS);
	sim_params_register(params, cache_table, COUNT(cache_table));
	sim_params_register(params, sim_its_shape_table, SIM_ITS_SHAPE_NPARAMS);
}

/* A choice: what the profile says, or what the parameter chose from its own values. */
static unsigned int choice(const struct sim_params *params, const char *name, unsigned int profile)
{
	unsigned int chosen = sim_params_enum(params, name);

	return chosen ? chosen - 1 : profile;
}

bool sim_its_configure(const struct sim_params *params, struct sim_its_config *its,
		       struct sim_gic_config *gic, struct sim_error *err)
{
	struct sim_its_choices c = *sim_its_profile(sim_params_enum(params, "its.profile"));

	c.state = choice(params, "its.state", c.state);
	c.stall = choice(params, "its.stall", c.stall);
	c.remap = choice(params, "its.remap", c.remap);
	c.discard_keeps_pending = choice(params, "its.discard", c.discard_keeps_pending);
	/* `all` comes first. */
	c.invall_everywhere = !choice(params, "its.invall", !c.invall_everywhere);
	c.pages_64k = choice(params, "its.pages", c.pages_64k);
	c.enable_needs_tables = choice(params, "its.enable", c.enable_needs_tables);
	c.retry_always = choice(params, "its.retry", c.retry_always);
	*its = (struct sim_its_config){
		.choices = c,
		.devbits = (uint32_t)sim_params_u64(params, "its.devbits"),
		.eventbits = (uint32_t)sim_params_u64(params, "its.eventbits"),
		.icidbits = (uint32_t)sim_params_u64(params, "its.icidbits"),
		.vpebits = (uint32_t)sim_params_u64(params, "its.vpebits"),
		.held_max = (uint32_t)sim_params_u64(params, "its.held_events"),
		.commands_max = (uint32_t)sim_params_u64(params, "its.burst_commands"),
	};
	gic->idbits = (uint32_t)sim_params_u64(params, "its.intidbits");
	gic->state = c.state;
	gic->v4 = sim_params_enum(params, "its.v4");
	if (gic->v4 && c.state == SIM_GIC_HELD) {
		sim_error_set(err, "its.v4=%s: needs its.state=memory",
			      sim_params_str(params, "its.v4"));
		return false;
	}
	return true;
}
