// SPDX-License-Identifier: BSD-2-Clause
/*
 * migrate_log_param.c - the knobs of policies with a log of their own, and their names. No figure
 * of FEAT_HDBSS hardware has been published: what its log costs is assumed, all of it.
 */
#include "sim/scenario/migrate_param.h"

#include <stdlib.h>
#include <string.h>

#include "weir/dirty.h"
#include "sim/machine/hdbss.h"

#define U64		SIM_PARAM_U64_ENTRY
#define SECOND_NS	UINT64_C(1000000000)

const struct sim_param migrate_log_params[] = {
	U64("policy.sample_ns", "ns", "100000000", 1000, 1000 * SECOND_NS, "choice",
		"auto: how long the guest's writes are counted before the choice"),
	U64("policy.auto_hdbss_entries", "entries", "0", 0, SIM_HDBSS_ENTRIES_MAX,
		"no core with FEAT_HDBSS is known", "auto: the hardware's log; 0: it has none"),
	U64("cost.log_kick_ns", "ns", "3000", 0, SECOND_NS, "assumed: as a write fault",
		"bringing a running vCPU out, so that its log is in memory"),
	U64("cost.log_entry_ns", "ns", "30", 0, SECOND_NS, "assumed",
		"an entry of the hardware's log, read and its bit set"),
	U64("cost.ring_exit_ns", "ns", "5000", 0, SECOND_NS, "assumed",
		"a ring is full: to user space and back"),
	U64("cost.ring_entry_ns", "ns", "30", 0, SECOND_NS, "assumed",
		"an entry of a ring, filled and collected"),
};

bool migrate_log_config_read(struct migrate_log_config *cfg, const struct sim_params *p,
			     struct sim_error *err)
{
	uint64_t n = sim_params_u64(p, "policy.auto_hdbss_entries");

	*cfg = (struct migrate_log_config){
		.sample_ns = sim_params_u64(p, "policy.sample_ns"),
		.auto_entries = (uint32_t)n,
		.kick_ns = sim_params_u64(p, "cost.log_kick_ns"),
		.entry_ns = sim_params_u64(p, "cost.log_entry_ns"),
		.ring_exit_ns = sim_params_u64(p, "cost.ring_exit_ns"),
		.ring_entry_ns = sim_params_u64(p, "cost.ring_entry_ns"),
	};
	if (!n || (n >= SIM_HDBSS_ENTRIES_MIN && !(n & (n - 1))))
		return true;
	sim_error_set(err, "policy.auto_hdbss_entries=%llu: must be 0 or a power of two from %u "
		      "to %u", (unsigned long long)n, SIM_HDBSS_ENTRIES_MIN,
		      SIM_HDBSS_ENTRIES_MAX);
	return false;
}

/* The number after a prefix; 0 if it is not a power of two from min to max. */
static uint32_t entries_of(const char *name, const char *prefix, uint32_t min, uint32_t max)
{
	size_t len = strlen(prefix);
	unsigned long n;
	char *end;

	if (strncmp(name, prefix, len) || name[len] < '1' || name[len] > '9')
		return 0;
	n = strtoul(name + len, &end, 10);
	return *end || n < min || n > max || n & (n - 1) ? 0 : (uint32_t)n;
}

bool migrate_log_policy_read(struct migrate_policy *policy)
{
	if (!strcmp(policy->name, "auto")) {
		policy->policy = WEIR_DIRTY_DBM_ALL;	/* that is how it measures */
		policy->choose = true;
		return true;
	}
	policy->log_entries = entries_of(policy->name, "ring", WEIR_DIRTY_RING_MIN,
					 WEIR_DIRTY_RING_MAX);
	if (policy->log_entries) {
		policy->policy = WEIR_DIRTY_WP;
		policy->log = MIGRATE_RING;
		return true;
	}
	policy->log_entries = entries_of(policy->name, "hdbss", SIM_HDBSS_ENTRIES_MIN,
					 SIM_HDBSS_ENTRIES_MAX);
	if (!policy->log_entries)
		return false;
	policy->policy = WEIR_DIRTY_HDBSS;
	policy->log = MIGRATE_HDBSS;
	return true;
}
