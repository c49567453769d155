// SPDX-License-Identifier: BSD-2-Clause
/*
 * migrate_param.c - every knob of the migrate scenario. Costs name their source; "assumed" marks
 * those for which no published figure was found, which the note under the table repeats.
 */
#include "sim/scenario/migrate_param.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weir/dirty.h"
#include "sim/engine/wide.h"
#include "sim/guest/guest.h"
#include "sim/machine/mmu.h"

#define U64		SIM_PARAM_U64_ENTRY
#define BOOL		SIM_PARAM_BOOL_ENTRY
#define ENUM		SIM_PARAM_ENUM_ENTRY
#define SECOND_NS	UINT64_C(1000000000)
#define PERCENT		"percent"
#define KOLLER		"KVM arm64 eager-split series (2023), 2M hugetlb, 1..152 vCPUs"
#define QEMU		"QEMU's default"

static const char *const maps[] = { "4k", "2m", "1g", NULL };
static const char *const splits[] = { "on-fault", "eager", NULL };
static const char *const ends[] = { "force", "cancel", NULL };
static const char *const throttles[] = { "none", "auto-converge", "dirty-limit", "quota",
					  NULL };

const struct sim_param migrate_params[] = {
	SIM_PARAM_STRING_ENTRY("policy.names", "wp,dbm_all,fixed64,adaptive", "choice",
		"policies to compare: wp, wp_eager, dbm_all, adaptive, auto, and with N a power "
		"of two fixed<N> (1 to 512), ring<N> (64 to 1048576), hdbss<N> (512 to 262144)"),
	U64("policy.scan_weight", "", "1", 1, 1000000, "scans run beside the guest",
		"adaptive: how much dearer scan time is than fault time"),

	U64("guest.vcpus", "vcpus", "2", 1, 1024, "the recorded guests", "virtual CPUs"),
	U64("guest.base_gfn", "frame", "0x40000", 0, UINT64_C(1) << 35,
		"the recorded guests (QEMU virt: RAM at 1 GiB)", "first guest frame"),
	U64("guest.memory_bytes", "bytes", "512Mi", 4096, UINT64_C(1) << 46,
		"the recorded guests", "size of guest memory"),
	ENUM("guest.map", "2m", maps, "transparent huge pages", "largest leaf that maps memory"),
	U64("guest.tlb_page_entries", "entries", "1024", 4, 1 << 24,
		"a server core's second-level TLB", "TLB of a vCPU: pages (a power of two)"),
	U64("guest.tlb_block_entries", "entries", "64", 4, 1 << 20,
		"a server core's second-level TLB", "TLB of a vCPU: blocks (a power of two)"),

	U64("link.bandwidth_bytes_per_s", "bytes/s", "1250000000", 1000, UINT64_C(1) << 40,
		"10 Gbit/s", "what the migration may send"),
	U64("link.page_header_bytes", "bytes", "8", 0, 4096, "QEMU's RAM stream",
		"sent with each page"),
	U64("link.batch_pages", "pages", "128", 1, 65536, "QEMU multifd: 512 KiB a packet",
		"pages that are read together as they go onto the link"),

	U64("migrate.warmup_ns", "ns", "0", 0, 1000 * SECOND_NS, "choice",
		"the guest runs alone before the migration"),
	BOOL("migrate.initially_set", "on", "QEMU with KVM_DIRTY_LOG_INITIALLY_SET",
		"logging starts with every page dirty, and protects by CLEAR"),
	ENUM("migrate.split", "on-fault", splits, "KVM without eager page splitting",
		"blocks are split when a write faults, or before a chunk's first CLEAR"),
	U64("migrate.clear_chunk_bytes", "bytes", "1Gi", 1 << 18, UINT64_C(1) << 46,
		"QEMU: clear_bitmap_shift 18", "CLEAR works on this much; a multiple of 256Ki"),
	U64("migrate.downtime_limit_ns", "ns", "300000000", 0, 1000 * SECOND_NS, QEMU,
		"switch over when the rest fits into this"),
	U64("migrate.device_ns", "ns", "10000000", 0, 1000 * SECOND_NS, "assumed",
		"sending and loading the device state, in blackout"),
	U64("migrate.rounds_max", "rounds", "30", 1, 1000000, "Xen's limit is 30",
		"rounds before giving up on convergence"),
	U64("migrate.limit_ns", "ns", "3600000000000", 1, 1000000 * SECOND_NS, "choice",
		"simulated time from the warm-up's end; a migration that is not over by then is "
		"ended, as a failure"),
	ENUM("migrate.rounds_end", "force", ends, "choice",
		"then: switch over all the same, or cancel"),
	BOOL("migrate.freeze", "on", "choice",
		"turn hardware-tracked groups back to trapping before the pause"),
	U64("migrate.freeze_budget_ptes", "ptes", "65536", 0, UINT64_C(1) << 40, "choice",
		"descriptors a freeze visits between two looks at the clock; 0: no limit"),
	U64("migrate.assume_percent", PERCENT, "0", 0, 100, "choice",
		"pages dirty in every round are sent last, if the link sends them in this share of "
		"the downtime limit; 0: none are"),
	ENUM("migrate.throttle", "none", throttles, QEMU, "slow the guest down to converge"),
	U64("migrate.throttle_trigger_percent", PERCENT, "50", 1, 100, QEMU,
		"throttle when more than this share of what was sent got dirty again"),
	U64("migrate.throttle_votes", "rounds", "2", 1, 1000, QEMU,
		"in so many rounds, before each step"),
	U64("migrate.throttle_initial_percent", PERCENT, "20", 1, 99, QEMU, "first step"),
	U64("migrate.throttle_increment_percent", PERCENT, "10", 1, 99, QEMU, "further steps"),
	U64("migrate.throttle_max_percent", PERCENT, "99", 1, 99, QEMU, "and no more than this"),
	U64("migrate.throttle_slice_ns", "ns", "10000000", 1, SECOND_NS, "QEMU: 10 ms",
		"a throttled vCPU runs this long between two sleeps"),

	U64("cost.fault_exit_ns", "ns", "2800", 0, SECOND_NS,
		"3 us a write fault in all: " KOLLER,
		"write fault: exit, handler and entry, outside the lock"),
	U64("cost.fault_lock_ns", "ns", "200", 0, SECOND_NS,
		"where the series bends: " KOLLER,
		"write fault: with the tables' lock held, one vCPU at a time"),
	U64("cost.leaf_ps", "ps", "19400", 0, SECOND_NS,
		"650 ms to protect 128 GiB of pages: KVM arm64 INITIALLY_SET (2020)",
		"an atomic change of a descriptor: re-arming, demoting, promoting"),
	U64("cost.split_ns", "ns", "1600", 0, SECOND_NS, KOLLER,
		"splitting a block: filling the table, break-before-make"),
	U64("cost.split_serial_ns", "ns", "1290", 0, SECOND_NS, KOLLER,
		"and its broadcast invalidations, which one split at a time has carried out"),
	U64("cost.scan_pte_ps", "ps", "2400", 0, SECOND_NS,
		"40 ms for 64 GiB: KVM arm64 HTTU series (2021)", "reading a descriptor in a scan"),
	U64("cost.scan_group_ns", "ns", "200", 0, SECOND_NS, "assumed",
		"beginning with a group of 64 descriptors"),
	U64("cost.table_ns", "ns", "20", 0, SECOND_NS, "assumed: two cache misses, overlapped",
		"descending the tables to a leaf"),
	U64("cost.word_ps", "ps", "1000", 0, SECOND_NS, "assumed",
		"copying a bitmap word between kernel and user"),
	U64("cost.call_ns", "ns", "1000", 0, SECOND_NS, "assumed: a system call and its locks",
		"a call of GET, CLEAR or freeze"),
	U64("cost.tlbi_ns", "ns", "1800", 0, SECOND_NS,
		"as a split without contention: " KOLLER, "a broadcast invalidation, DSB included"),
	U64("cost.tlbi_vcpu_ns", "ns", "200", 0, SECOND_NS, "assumed",
		"what a broadcast invalidation takes from each running vCPU"),
	U64("cost.hw_dirty_ns", "ns", "100", 0, SECOND_NS, "assumed",
		"hardware sets a leaf dirty: TLB refill and compare-and-swap"),
	U64("cost.tlb_refill_ns", "ns", "50", 0, SECOND_NS, "assumed",
		"a translation in use was invalidated: walking again"),
	U64("cost.pause_ns", "ns", "20000", 0, SECOND_NS, "assumed",
		"kicking the vCPUs out, in blackout"),

	BOOL("break.skip_tlbi", "off", "for the checkers' tests",
		"planted mistake: range invalidations are not issued"),
	BOOL("break.late_scan_set", "off", "for the checkers' tests",
		"planted mistake: a fault hands pages to the hardware and tells the log too late"),
};

static void read_cost(struct migrate_cost *cost, const struct sim_params *p)
{
	cost->fault_exit_ns = sim_params_u64(p, "cost.fault_exit_ns");
	cost->fault_lock_ns = sim_params_u64(p, "cost.fault_lock_ns");
	cost->leaf_ps = sim_params_u64(p, "cost.leaf_ps");
	cost->split_ns = sim_params_u64(p, "cost.split_ns");
	cost->split_serial_ns = sim_params_u64(p, "cost.split_serial_ns");
	cost->scan_pte_ps = sim_params_u64(p, "cost.scan_pte_ps");
	cost->scan_group_ns = sim_params_u64(p, "cost.scan_group_ns");
	cost->table_ns = sim_params_u64(p, "cost.table_ns");
	cost->word_ps = sim_params_u64(p, "cost.word_ps");
	cost->call_ns = sim_params_u64(p, "cost.call_ns");
	cost->tlbi_ns = sim_params_u64(p, "cost.tlbi_ns");
	cost->tlbi_vcpu_ns = sim_params_u64(p, "cost.tlbi_vcpu_ns");
	cost->hw_dirty_ns = sim_params_u64(p, "cost.hw_dirty_ns");
	cost->refill_ns = sim_params_u64(p, "cost.tlb_refill_ns");
	cost->pause_ns = sim_params_u64(p, "cost.pause_ns");
}

static void read_migrate(struct migrate_config *cfg, const struct sim_params *p)
{
	cfg->warmup_ns = sim_params_u64(p, "migrate.warmup_ns");
	cfg->initially_set = sim_params_bool(p, "migrate.initially_set");
	cfg->split_eager = sim_params_enum(p, "migrate.split") == 1;
	cfg->chunk_pages = sim_params_u64(p, "migrate.clear_chunk_bytes") / PAGE_BYTES;
	cfg->downtime_limit_ns = sim_params_u64(p, "migrate.downtime_limit_ns");
	cfg->device_ns = sim_params_u64(p, "migrate.device_ns");
	cfg->rounds_max = sim_params_u64(p, "migrate.rounds_max");
	cfg->limit_ns = sim_params_u64(p, "migrate.limit_ns");
	cfg->cancel = sim_params_enum(p, "migrate.rounds_end") == 1;
	cfg->freeze = sim_params_bool(p, "migrate.freeze");
	cfg->freeze_budget_ptes = sim_params_u64(p, "migrate.freeze_budget_ptes");
	cfg->assume_percent = sim_params_u64(p, "migrate.assume_percent");
	cfg->throttle = (enum migrate_throttle_kind)sim_params_enum(p, "migrate.throttle");
	cfg->throttle_trigger_percent = sim_params_u64(p, "migrate.throttle_trigger_percent");
	cfg->throttle_votes = sim_params_u64(p, "migrate.throttle_votes");
	cfg->throttle_initial_percent = sim_params_u64(p, "migrate.throttle_initial_percent");
	cfg->throttle_increment_percent = sim_params_u64(p, "migrate.throttle_increment_percent");
	cfg->throttle_max_percent = sim_params_u64(p, "migrate.throttle_max_percent");
	cfg->throttle_slice_ns = sim_params_u64(p, "migrate.throttle_slice_ns");
}

static bool multiple(const struct sim_params *p, const char *name, uint64_t unit,
		     struct sim_error *err)
{
	uint64_t value = sim_params_u64(p, name);

	if (value % unit == 0)
		return true;
	sim_error_set(err, "%s=%llu: must be a multiple of %llu", name,
		      (unsigned long long)value, (unsigned long long)unit);
	return false;
}

static bool power_of_two(const struct sim_params *p, const char *name, struct sim_error *err)
{
	uint64_t value = sim_params_u64(p, name);

	if (!(value & (value - 1)))
		return true;
	sim_error_set(err, "%s=%llu: must be a power of two", name, (unsigned long long)value);
	return false;
}

/* What cannot be over in time is not begun. */
static bool can_end(const struct migrate_config *cfg, struct sim_error *err)
{
	uint64_t ns = (uint64_t)((sim_u128)cfg->npages * (PAGE_BYTES + cfg->header_bytes) *
				 1000000000u / cfg->link_bytes_per_s);

	if (ns <= cfg->limit_ns)
		return true;
	sim_error_set(err, "migrate.limit_ns=%" PRIu64 ": link.bandwidth_bytes_per_s=%" PRIu64
		      " sends guest.memory_bytes=%" PRIu64 " once in %" PRIu64 " ns, must be at "
		      "least that", cfg->limit_ns, cfg->link_bytes_per_s, cfg->npages * PAGE_BYTES,
		      ns);
	return false;
}

bool migrate_config_read(struct migrate_config *cfg, const struct sim_params *p,
			 struct sim_error *err)
{
	static const unsigned int orders[] = { 0, 9, 18 };

	if (!multiple(p, "guest.memory_bytes", PAGE_BYTES, err) ||
	    !multiple(p, "guest.base_gfn", WEIR_DIRTY_GROUP_PAGES, err) ||
	    !multiple(p, "migrate.clear_chunk_bytes", PAGE_BYTES * WEIR_DIRTY_GROUP_PAGES, err) ||
	    !power_of_two(p, "guest.tlb_page_entries", err) ||
	    !power_of_two(p, "guest.tlb_block_entries", err))
		return false;
	*cfg = (struct migrate_config){
		.nvcpus = (uint32_t)sim_params_u64(p, "guest.vcpus"),
		.base_gfn = sim_params_u64(p, "guest.base_gfn"),
		.npages = sim_params_u64(p, "guest.memory_bytes") / PAGE_BYTES,
		.map_order = orders[sim_params_enum(p, "guest.map")],
		.tlb_page_entries = (uint32_t)sim_params_u64(p, "guest.tlb_page_entries"),
		.tlb_block_entries = (uint32_t)sim_params_u64(p, "guest.tlb_block_entries"),
		.link_bytes_per_s = sim_params_u64(p, "link.bandwidth_bytes_per_s"),
		.header_bytes = sim_params_u64(p, "link.page_header_bytes"),
		.batch_pages = sim_params_u64(p, "link.batch_pages"),
		.scan_weight = (uint32_t)sim_params_u64(p, "policy.scan_weight"),
		.skip_tlbi = sim_params_bool(p, "break.skip_tlbi"),
		.late_scan_set = sim_params_bool(p, "break.late_scan_set"),
	};
	read_migrate(cfg, p);
	read_cost(&cfg->cost, p);
	migrate_pace_config_read(&cfg->pace, p);
	return migrate_log_config_read(&cfg->log, p, err) && can_end(cfg, err);
}

/* One name; false if there is no such policy. */
static bool read_policy(struct migrate_policy *policy, const char *name, size_t len)
{
	static const struct {
		const char *name;
		uint32_t policy;
	} plain[] = {
		{ "wp", WEIR_DIRTY_WP },
		{ "wp_eager", WEIR_DIRTY_WP_EAGER },
		{ "dbm_all", WEIR_DIRTY_DBM_ALL },
		{ "adaptive", WEIR_DIRTY_ADAPTIVE },
	};
	size_t i;
	unsigned long pages;
	char *end;

	if (!len || len >= POLICY_NAME_BYTES)
		return false;
	*policy = (struct migrate_policy){ .neighbourhood = 0 };
	memcpy(policy->name, name, len);
	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (!strcmp(policy->name, plain[i].name)) {
			policy->policy = plain[i].policy;
			return true;
		}
	}
	if (migrate_log_policy_read(policy))
		return true;
	if (strncmp(policy->name, "fixed", 5) || policy->name[5] < '1' || policy->name[5] > '9')
		return false;
	pages = strtoul(policy->name + 5, &end, 10);
	policy->policy = WEIR_DIRTY_FIXED;
	policy->neighbourhood = (uint32_t)pages;
	return !*end && pages <= 512 && !(pages & (pages - 1));
}

unsigned int migrate_policies_read(struct migrate_policy policies[POLICIES_MAX],
				   const struct sim_params *params, struct sim_error *err)
{
	const char *text = sim_params_str(params, "policy.names");
	unsigned int n = 0, i;

	for (;;) {
		size_t len = strcspn(text, ",");
		struct migrate_policy policy;

		if (!read_policy(&policy, text, len)) {
			sim_error_set(err, "policy.names: %s: no such policy, expected wp, "
				      "wp_eager, dbm_all, adaptive, auto, or with N a power of "
				      "two fixed<N> (1 to 512), ring<N> (64 to 1048576), "
				      "hdbss<N> (512 to 262144)",
				      sim_quote(text, len).text);
			return 0;
		}
		for (i = 0; i < n; i++) {
			if (!strcmp(policies[i].name, policy.name)) {
				sim_error_set(err, "policy.names: %s twice, expected each once",
					      policy.name);
				return 0;
			}
		}
		if (n == POLICIES_MAX) {
			sim_error_set(err, "policy.names: %s is one too many, expected at most %u",
				      policy.name, POLICIES_MAX);
			return 0;
		}
		policies[n++] = policy;
		if (!text[len])
			return n;
		text += len + 1;
	}
}

bool migrate_policy_has_hw(const struct migrate_policy *policy)
{
	return policy->policy == WEIR_DIRTY_DBM_ALL || policy->policy == WEIR_DIRTY_FIXED ||
	       policy->policy == WEIR_DIRTY_ADAPTIVE;
}
