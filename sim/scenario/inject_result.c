// SPDX-License-Identifier: BSD-2-Clause
/*
 * inject_result.c - what a run came to: the columns of the table, the counters.
 */
#include "sim/scenario/inject_internal.h"

#include <stdio.h>
#include <string.h>

#include "sim/engine/stats.h"
#include "sim/engine/wide.h"

#define SECOND_NS	UINT64_C(1000000000)
#define PPM		UINT64_C(1000000)

const char *const inject_cause_names[INJECT_NCAUSES] = {
	"handler", "exit", "irq", "switch", "worker", "lock", "command", "ready"
};

const struct sim_history_kind inject_kinds[INJECT_NKINDS] = {
	{ INJECT_EV_MSI, "msi", "cpu", "device", "event" },
	{ INJECT_EV_HIT, "hit", "cpu", "interrupt", "lpi" },
	{ INJECT_EV_QUEUED, "queued", "cpu", "interrupt", "" },
	{ INJECT_EV_MERGED, "merged", "cpu", "interrupt", "" },
	{ INJECT_EV_WALK, "walk", "cpu", "interrupt", "code" },
	{ INJECT_EV_AGAIN, "again", "cpu", "interrupt", "walk" },
	{ INJECT_EV_PENDING, "pending", "vcpu", "lpi", "already" },
	{ INJECT_EV_KICK, "kick", "vcpu", "", "" },
	{ INJECT_EV_TAKE, "take", "vcpu", "lpi", "latency_ns" },
	{ INJECT_EV_WORKER, "worker", "cpu", "", "" },
	{ INJECT_EV_WORKER_DONE, "worker_done", "cpu", "", "" },
	{ INJECT_EV_BLOCK, "block", "vcpu", "", "" },
	{ INJECT_EV_RESUME, "resume", "vcpu", "", "" },
	{ INJECT_EV_COMMAND, "command", "opcode", "device", "event" },
	{ INJECT_EV_COMMAND_ERROR, "command_error", "opcode", "device", "code" },
	{ INJECT_EV_FORGET, "forget", "scope", "named", "dropped" },
	{ INJECT_EV_POWER, "power", "on", "", "" },
	{ INJECT_EV_MEASURE, "measure", "", "", "" },
	{ INJECT_EV_QUIET, "quiet", "", "", "" },
	{ INJECT_EV_TURN, "turn", "cpu", "thread", "had_ns" },
};

const struct sim_metric inject_metrics[INJECT_NMETRICS] = {
	SIM_METRIC("lpis_per_s", "LPIs/s", "", HIGHER, false, "LPIs that vCPUs took, a second"),
	SIM_METRIC("iops", "IOPS", "", HIGHER, false,
		   "requests whose handler ran, a second; 0 without a closed loop"),
	SIM_METRIC("context_switches_per_s", "switches/s", "", LOWER, false,
		   "context switches a second: of workers, vCPUs that block, threads in turn"),
	SIM_METRIC("hit_ratio", "hits", "ppm", HIGHER, false,
		   "interrupts that were injected in interrupt context"),
	SIM_METRIC("survivors_hit", "survivors hit", "ppm", HIGHER, false,
		   "the same, of events that were translated before and that no command has named "
		   "since"),
	SIM_METRIC("latency_p50_ns", "latency p50", "ns", LOWER, false,
		   "from the device's write to the handler: half of all"),
	SIM_METRIC("latency_p99_ns", "p99", "ns", LOWER, false, "the same: 99 in a hundred"),
	SIM_METRIC("latency_p999_ns", "p99.9", "ns", LOWER, false, "the same: 999 in a thousand"),
	SIM_METRIC("host_ns_per_lpi", "host per LPI", "ns", LOWER, false,
		   "time that vCPUs lost to anything but the guest's own handlers, by the LPI"),
	SIM_METRIC("lost_compute_vcpu_ns", "lost compute", "vcpu ns", LOWER, false,
		   "time that the guest's programs did not have, handlers included"),
	SIM_METRIC("worker_cpu_ns", "worker CPU", "ns", LOWER, false,
		   "time of the workers, without the switches"),
	SIM_METRIC("coalesced", "coalesced", "", NEUTRAL, false,
		   "interrupts that met their LPI pending, or their work item queued"),
	SIM_METRIC("lost", "lost", "", LOWER, false,
		   "interrupts that were due and came to nothing"),
	SIM_METRIC("invalidations", "invalidations", "", NEUTRAL, false,
		   "that the ITS asked for"),
	SIM_METRIC("evictions", "evictions", "", LOWER, false, "entries forgotten to make room"),
	SIM_METRIC("residency_max", "entries", "", NEUTRAL, false, "entries held at most"),
	SIM_METRIC("kicks", "kicks", "", NEUTRAL, true,
		   "vCPUs that were interrupted in their guest to take an LPI"),
	SIM_METRIC("refused", "refused", "", NEUTRAL, true,
		   "interrupts that nothing was mapped for"),
	SIM_METRIC("lost_handler_vcpu_ns", "lost to handlers", "vcpu ns", NEUTRAL, true,
		   "the guest's interrupt handlers"),
	SIM_METRIC("lost_exit_vcpu_ns", "lost to exits", "vcpu ns", NEUTRAL, true,
		   "leaving and entering the guest"),
	SIM_METRIC("lost_irq_vcpu_ns", "lost to interrupts", "vcpu ns", NEUTRAL, true,
		   "the host's interrupt context, look-ups included"),
	SIM_METRIC("lost_switch_vcpu_ns", "lost to switches", "vcpu ns", LOWER, true,
		   "context switches"),
	SIM_METRIC("lost_worker_vcpu_ns", "lost to workers", "vcpu ns", LOWER, true,
		   "walks and injections of workers"),
	SIM_METRIC("lost_lock_vcpu_ns", "lost to locks", "vcpu ns", LOWER, true,
		   "waiting for locks, in any context"),
	SIM_METRIC("lost_command_vcpu_ns", "lost to commands", "vcpu ns", NEUTRAL, true,
		   "the ITS's commands, the exit included"),
	SIM_METRIC("lost_ready_vcpu_ns", "lost to others", "vcpu ns", LOWER, true,
		   "ready to run, while another thread had the CPU"),
	SIM_METRIC("host_threads_ns", "host's threads", "ns", NEUTRAL, true,
		   "what the host's own busy threads had of the CPUs"),
};

static uint64_t scaled(uint64_t count, uint64_t factor, uint64_t of)
{
	return of ? (uint64_t)(((sim_u128)count * factor + of / 2) / of) : 0;
}

uint64_t inject_per_s(const struct inject_result *result, uint64_t count)
{
	return scaled(count, SECOND_NS, result->span_ns);
}

/* J3 of inject_internal.h, over the whole run. */
static uint64_t lost(const struct inject *in)
{
	const struct inject_counts *c = &in->counts;
	uint64_t known = c->refused + c->coalesced + c->lpis - c->commanded + c->discarded +
			 in->left;

	return c->msis > known ? c->msis - known : 0;
}

void inject_sum_up(struct inject *in, struct inject_result *result)
{
	const struct inject_counts *a = &in->before, *b = &in->after;
	struct sim_its_design_stats design;
	uint64_t stuck = 0;

	sim_its_design_stats(in->m.design, &design);
	for (uint32_t d = 0; d < in->ndevices; d++)
		stuck += in->devices[d].outstanding;
	*result = (struct inject_result){
		.span_ns = in->end_ns - in->begin_ns,
		.msis = b->msis - a->msis,
		.refused = b->refused - a->refused,
		.coalesced = b->coalesced - a->coalesced,
		.lpis = b->lpis - a->lpis,
		.lost = lost(in),
		.stuck = stuck,
		.save_missed = in->save.missed,
		.lookups = b->lookups - a->lookups,
		.hits = b->hits - a->hits,
		.warm_lookups = b->warm_lookups - a->warm_lookups,
		.warm_hits = b->warm_hits - a->warm_hits,
		.worker_switches = b->worker_switches - a->worker_switches,
		.worker_ns = b->worker_ns - a->worker_ns,
		.kicks = b->kicks - a->kicks,
		.latency_p50_ns = sim_hist_percentile(in->latency, 500000),
		.latency_p99_ns = sim_hist_percentile(in->latency, 990000),
		.latency_p999_ns = sim_hist_percentile(in->latency, 999000),
		.latency_max_ns = sim_hist_max(in->latency),
		.ios = b->ios - a->ios,
		.second_ios = b->second_ios - a->second_ios,
		.busy_ns = b->busy_ns - a->busy_ns,
		.commands = b->commands - a->commands,
		.invalidations = b->invalidations - a->invalidations,
		.dropped = b->dropped - a->dropped,
		.evictions = b->evictions - a->evictions,
		.residency_max = design.resident_max,
		.violations = sim_its_check_total(&in->m.check),
	};
	result->switches = result->worker_switches + b->thread_switches - a->thread_switches;
	for (unsigned int i = 0; i < INJECT_NCAUSES; i++)
		result->lost_ns[i] = b->lost_ns[i] - a->lost_ns[i];
}

static uint64_t lost_compute(const struct inject_result *r)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < INJECT_NCAUSES; i++)
		sum += r->lost_ns[i];
	return sum;
}

void inject_hand_over(const struct inject_result *r, struct sim_policy_out *out)
{
	char name[40];

	sim_run_value(out, "lpis_per_s", inject_per_s(r, r->lpis));
	sim_run_value(out, "iops", inject_per_s(r, r->ios));
	sim_run_value(out, "context_switches_per_s", inject_per_s(r, r->switches));
	sim_run_value(out, "hit_ratio", scaled(r->hits, PPM, r->lookups));
	sim_run_value(out, "survivors_hit", scaled(r->warm_hits, PPM, r->warm_lookups));
	sim_run_value(out, "latency_p50_ns", r->latency_p50_ns);
	sim_run_value(out, "latency_p99_ns", r->latency_p99_ns);
	sim_run_value(out, "latency_p999_ns", r->latency_p999_ns);
	sim_run_value(out, "host_ns_per_lpi",
		      scaled(lost_compute(r) - r->lost_ns[INJECT_HANDLER], 1, r->lpis));
	sim_run_value(out, "lost_compute_vcpu_ns", lost_compute(r));
	sim_run_value(out, "worker_cpu_ns", r->worker_ns);
	sim_run_value(out, "coalesced", r->coalesced);
	sim_run_value(out, "lost", r->lost);
	sim_run_value(out, "invalidations", r->invalidations);
	sim_run_value(out, "evictions", r->evictions);
	sim_run_value(out, "residency_max", r->residency_max);
	sim_run_value(out, "kicks", r->kicks);
	sim_run_value(out, "refused", r->refused);
	for (unsigned int i = 0; i < INJECT_NCAUSES; i++) {
		snprintf(name, sizeof(name), "lost_%s_vcpu_ns", inject_cause_names[i]);
		sim_run_value(out, name, r->lost_ns[i]);
	}
	sim_run_value(out, "host_threads_ns", r->busy_ns);
}

static void add(struct sim_stats *stats, const char *name, const char *unit, uint64_t value,
		const char *description)
{
	sim_stat_set(sim_stat_add(stats, name, unit, description), value);
}

static void add_interrupts(const struct inject *in, const struct inject_result *r,
			   struct sim_stats *s)
{
	add(s, "inject.span_ns", "ns", r->span_ns, "measured; counts are of it");
	add(s, "inject.msis", "1", r->msis, "interrupts that devices raised");
	add(s, "inject.refused", "1", r->refused, "that nothing was mapped for");
	add(s, "inject.coalesced", "1", r->coalesced, "with one before, merged ones included");
	add(s, "inject.merged", "1", in->after.merged - in->before.merged,
	    "that met their work item queued");
	add(s, "inject.lpis", "1", r->lpis, "LPIs that vCPUs took");
	add(s, "inject.lost", "1", r->lost, "that came to nothing, in the whole run");
	add(s, "inject.stuck", "1", r->stuck, "requests that no handler has ended");
	add(s, "inject.discarded", "1", in->counts.discarded,
	    "pending LPIs that the guest discarded, in the whole run");
	add(s, "inject.left", "1", in->left, "pending LPIs at the end");
	add(s, "inject.ios", "1", r->ios, "requests whose handler ran");
	add(s, "inject.second_ios", "1", r->second_ios, "of them, of the second kind of devices");
	add(s, "inject.latency_p50_ns", "ns", r->latency_p50_ns, "median latency");
	add(s, "inject.latency_p99_ns", "ns", r->latency_p99_ns, "99th percentile");
	add(s, "inject.latency_p999_ns", "ns", r->latency_p999_ns, "99.9th percentile");
	add(s, "inject.latency_max_ns", "ns", r->latency_max_ns, "the longest");
	add(s, "inject.latency_mean_ns", "ns", sim_hist_mean(in->latency), "the mean");
}

static void add_host(const struct inject *in, const struct inject_result *r, struct sim_stats *s)
{
	const struct inject_counts *a = &in->before, *b = &in->after;
	char name[40];

	add(s, "cache.lookups", "1", r->lookups, "in interrupt context");
	add(s, "cache.hits", "1", r->hits, "of them, injected there");
	add(s, "cache.again", "1", b->again - a->again, "hits that a command came in between");
	add(s, "cache.warm_lookups", "1", r->warm_lookups, "of events that should be known");
	add(s, "cache.warm_hits", "1", r->warm_hits, "of them, hits");
	add(s, "cache.invalidations", "1", r->invalidations, "that the ITS asked for");
	add(s, "cache.dropped", "1", r->dropped, "entries forgotten by them, one by one");
	add(s, "cache.evictions", "1", r->evictions, "entries forgotten to make room");
	add(s, "cache.residency_max", "1", r->residency_max, "entries held at most");
	add(s, "worker.walks", "1", b->walks - a->walks, "of the tables");
	add(s, "worker.rewalks", "1", b->rewalks - a->rewalks,
	    "again, because an invalidation came in between");
	add(s, "worker.switches", "1", r->worker_switches, "to and from workers");
	add(s, "worker.cpu_ns", "ns", r->worker_ns, "without switches");
	add(s, "vcpu.switches", "1", b->thread_switches - a->thread_switches,
	    "of vCPUs that block in WFI, and of threads that share a CPU");
	add(s, "host.threads_ns", "ns", r->busy_ns, "that the host's own busy threads had");
	add(s, "vcpu.kicks", "1", r->kicks, "of vCPUs in their guest");
	add(s, "guest.commands", "1", r->commands, "of the ITS, executed");
	add(s, "guest.moves", "1", b->moves - a->moves, "interrupts moved to another vCPU");
	add(s, "guest.skipped_moves", "1", b->skipped_moves - a->skipped_moves,
	    "of a storm, because the vCPU was behind");
	add(s, "guest.rebinds", "1", b->rebinds - a->rebinds, "devices bound anew");
	add(s, "guest.resets", "1", b->resets - a->resets, "ITS and LPIs off and on");
	for (unsigned int i = 0; i < INJECT_NCAUSES; i++) {
		snprintf(name, sizeof(name), "lost.%s_ns", inject_cause_names[i]);
		add(s, name, "vcpu ns", r->lost_ns[i], "lost to this cause");
	}
}

struct sim_stats *inject_stats(const struct inject *in, const struct inject_result *result)
{
	struct sim_stats *stats = sim_stats_create();
	char name[48];

	add_interrupts(in, result, stats);
	add_host(in, result, stats);
	add(stats, "save.pages_changed", "pages", in->save.changed, "by guest.save");
	add(stats, "save.pages_dirty", "pages", in->save.dirty, "that the log has");
	add(stats, "save.pages_missed", "pages", in->save.missed, "changed, and not in the log");
	for (unsigned int i = 0; i < SIM_ITS_NCHECKERS; i++) {
		snprintf(name, sizeof(name), "check.%s", sim_its_checker_names[i]);
		add(stats, name, "1", in->m.check.violations[i], "violations of this checker");
	}
	return stats;
}
