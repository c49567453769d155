// SPDX-License-Identifier: BSD-2-Clause
/*
 * inject_param.c - every knob of the inject scenario. Costs name their source; "assumed" marks
 * those for which no published figure was found, which the note under the table repeats.
 */
#include "sim/scenario/inject_param.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/scenario/inject.h"

#define U64		SIM_PARAM_U64_ENTRY
#define BOOL		SIM_PARAM_BOOL_ENTRY
#define SECOND_NS	UINT64_C(1000000000)
#define BENCH		"weir-bench --table=xlate, hits of 64 and 1024 keys"
#define FAIR		"Linux 5.3's fair scheduler, four CPUs"
#define TESTS		"for the checkers' tests"

static const char *const loads[] = { "closed", "open", NULL };

const struct sim_param inject_params[] = {
	SIM_PARAM_STRING_ENTRY("policy.names", "none,list2019,xarray2024,weir", "choice",
		"designs to compare: none, list2019, list2024, xarray2024, weir"),

	U64("guest.vcpus", "vcpus", "4", 1, INJECT_VCPUS_MAX, "choice",
		"virtual CPUs"),
	BOOL("guest.busy", "on", "choice",
		"vCPUs have other work when no interrupt is there; else they wait in WFI"),
	U64("guest.halt_poll_ns", "ns", "500000", 0, SECOND_NS, "KVM arm64's default",
		"the host polls this long after WFI before it switches to another thread"),
	BOOL("guest.save", "off", "choice",
		"at the end interrupt tables are saved under a dirty log, as by a migration"),
	U64("host.irq_cpus", "cpus", "0", 0, 512, "choice",
		"CPUs apart from the vCPUs' that devices interrupt; 0: the vCPUs' own"),
	U64("host.cpus", "cpus", "0", 0, INJECT_VCPUS_MAX, "choice",
		"CPUs that run vCPUs, which take turns where there are more; 0: one each"),
	U64("host.busy_threads", "threads", "0", 0, 4096, "choice",
		"of the host's own, on the same CPUs, that always want to run"),
	U64("host.wakeups_per_s", "1/s", "0", 0, 1000000, "choice: a quiet host",
		"on each of these CPUs the host's housekeeping (timers, kworkers) wakes a thread"),
	U64("host.wakeup_run_ns", "ns", "10000", 1, SECOND_NS, "assumed",
		"which runs so long"),
	U64("sched.latency_ns", "ns", "18000000", 0, SECOND_NS, FAIR,
		"ready threads of a CPU share so much; half of it is the credit of one that slept"),
	U64("sched.granularity_ns", "ns", "2250000", 0, SECOND_NS, FAIR,
		"of which each gets this at least"),
	U64("sched.wakeup_ns", "ns", "3000000", 0, SECOND_NS, FAIR,
		"who wakes takes the CPU from one that had more of it by this"),
	U64("sched.tick_ns", "ns", "4000000", 1000, SECOND_NS, "HZ=250, arm64's default",
		"who has had his share is found out at a tick"),
	BOOL("its.cache", "on", "choice",
		"off: weir is without its cache, as none is, so that the two can be compared"),
	BOOL("host.walk_locked", "off", "a lease makes the lock needless (docs/xlate.md)",
		"weir: walks hold the ITS's mutex too; the other designs' always do"),

	SIM_PARAM_ENUM_ENTRY("workload.kind", "closed", loads, "choice",
		"devices that answer requests, or that interrupt at a rate"),
	SIM_PARAM_PATH_ENTRY("workload.trace", "", "choice",
		"instead: ITS stream to replay, .csv or .csv.zst, with its own commands"),
	U64("workload.speedup", "", "1000", 1, 1000000000, "recorded under emulation",
		"the stream's time passes so many times as fast"),
	U64("workload.warmup_ns", "ns", "5000000", 0, 1000 * SECOND_NS, "choice",
		"not measured; a stream has no warm-up"),
	U64("workload.span_ns", "ns", "50000000", 1000, 1000 * SECOND_NS, "choice",
		"measured; a stream ends by itself"),

	U64("device.count", "devices", "8", 1, 4096, "choice", "devices"),
	U64("device.events", "events", "4", 1, 2048, "choice",
		"queues of a device, with an interrupt each"),
	U64("device.depth", "requests", "4", 1, 65536, "choice",
		"closed loop: requests of a queue that are under way"),
	U64("device.latency_ns", "ns", "80000", 0, SECOND_NS, "a flash drive's 4 KiB read",
		"closed loop: a request takes this long, beside its transfer"),
	U64("device.jitter_percent", "percent", "25", 0, 100, "choice",
		"closed loop: more or less than that, evenly"),
	U64("device.io_bytes", "bytes", "4Ki", 1, UINT64_C(1) << 30, "choice",
		"closed loop: size of a request"),
	U64("device.bandwidth_bytes_per_s", "bytes/s", "3200000000", 1000, UINT64_C(1) << 40,
		"PCIe 3.0 x4", "closed loop: what a device transfers, one request at a time"),
	U64("device.msis_per_s", "1/s", "50000", 1, 1000000000, "choice",
		"open loop: interrupts of a device, at random times"),

	U64("device.vcpus", "vcpus", "0", 0, INJECT_VCPUS_MAX, "choice",
		"take a device's interrupts, the next ones the next device's: guests side by side "
		"behind one ITS; 0: all"),
	U64("second.count", "devices", "0", 0, 4096, "choice", "devices of a second kind"),
	U64("second.events", "events", "1", 1, 2048, "choice", "queues of each"),
	U64("second.depth", "requests", "32", 1, 65536, "SATA: 32 tags",
		"closed loop: requests of a queue of it that are under way"),
	U64("second.latency_ns", "ns", "80000", 0, SECOND_NS, "a flash drive's 4 KiB read",
		"closed loop: one takes this long, beside its transfer"),
	U64("second.bandwidth_bytes_per_s", "bytes/s", "550000000", 1000, UINT64_C(1) << 40,
		"SATA, 6 Gbit/s", "closed loop: what it transfers, one request at a time"),

	U64("irqbalance.period_ns", "ns", "10000000", 0, 1000 * SECOND_NS,
		"Linux's runs every 10 s; made to fit the span",
		"the guest moves interrupts to other vCPUs; 0: never"),
	U64("irqbalance.events", "events", "2", 1, 4096, "choice", "so many each time"),
	U64("storm.movi_per_s", "1/s", "0", 0, 10000000, "choice",
		"a guest that moves interrupts all the time; 0: none"),
	U64("storm.devices", "devices", "16", 1, 4096, "choice",
		"those of the first devices, in turn"),
	U64("rebind.period_ns", "ns", "0", 0, 1000 * SECOND_NS, "choice",
		"the guest stops a device, unmaps it, maps it again; 0: never"),

	U64("reset.period_ns", "ns", "0", 0, 1000 * SECOND_NS, "choice",
		"the guest disables ITS and LPIs, as kexec does, and enables them; 0: never"),

	U64("cost.exit_ns", "ns", "600", 0, SECOND_NS, "assumed",
		"from the guest to the host, with its state"),
	U64("cost.entry_ns", "ns", "600", 0, SECOND_NS, "assumed", "and back"),
	U64("cost.kick_ns", "ns", "700", 0, SECOND_NS, "assumed",
		"until a vCPU that is told to leave its guest is interrupted"),
	U64("cost.wake_ns", "ns", "500", 0, SECOND_NS, "assumed", "waking a thread"),
	U64("cost.switch_ns", "ns", "1500", 0, SECOND_NS, "assumed", "switching to a thread"),
	U64("cost.irq_ns", "ns", "500", 0, SECOND_NS, "assumed",
		"an interrupt of the host: vector, the driver's handler, its eventfd"),
	U64("cost.inject_ns", "ns", "150", 0, SECOND_NS, "assumed",
		"making an LPI pending and telling its vCPU"),
	U64("cost.command_ns", "ns", "300", 0, SECOND_NS, "assumed",
		"reading and executing a command"),

	U64("cost.doorbell_ns", "ns", "60", 0, SECOND_NS, "assumed",
		"finding the ITS of a doorbell address"),
	U64("cost.list_entry_ps", "ps", "900", 0, SECOND_NS, BENCH,
		"looking at an entry of a list"),
	U64("cost.tree_node_ps", "ps", "1000", 0, SECOND_NS, BENCH, "visiting a node of a tree"),
	U64("cost.xlate_ps", "ps", "2300", 0, SECOND_NS, BENCH, "a look-up of the library's cache"),
	U64("cost.reference_ps", "ps", "5000", 0, SECOND_NS, BENCH,
		"taking or giving up a reference"),
	U64("cost.spinlock_ps", "ps", "20000", 0, SECOND_NS, "assumed",
		"taking and giving up a lock that nobody has"),
	U64("cost.table_ns", "ns", "80", 0, SECOND_NS, "assumed",
		"reading a table entry, or finding what it stands for"),
	U64("cost.fill_ns", "ns", "60", 0, SECOND_NS, BENCH, "making an entry"),
	U64("cost.drop_ps", "ps", "20000", 0, SECOND_NS, "assumed: a cache miss and a reference",
		"forgetting an entry by itself"),
	U64("cost.generation_ps", "ps", "9000", 0, SECOND_NS, BENCH,
		"forgetting by moving a counter"),

	U64("cost.vector_ns", "ns", "300", 0, SECOND_NS, "assumed",
		"the guest's way to its handler, acknowledge included"),
	U64("cost.handler_ns", "ns", "1000", 0, SECOND_NS, "assumed",
		"the guest's handler, end of interrupt included"),
	U64("cost.io_ns", "ns", "1500", 0, SECOND_NS, "assumed",
		"closed loop: and in addition for each request, to end it and make the next"),

	BOOL("break.skip_invalidate", "off", TESTS,
		"planted mistake: the design is not told of invalidations"),
	BOOL("break.late_invalidate", "off", TESTS,
		"planted mistake: it is told after CREADR has passed the command"),
	BOOL("break.stale_fill", "off", TESTS,
		"planted mistake: weir's fills come under a lease taken after the walk"),
	BOOL("break.wrong_code", "off", TESTS,
		"planted mistake: the first event's interrupts are answered as not mapped"),
	BOOL("break.overfull", "off", TESTS,
		"planted mistake: the design takes twice the room that it is given"),
	BOOL("break.wrong_table", "off", TESTS,
		"planted mistake: a byte of the first device's table is another at the end"),
};

_Static_assert(sizeof(inject_params) / sizeof(inject_params[0]) == INJECT_NPARAMS,
	       "count them");

void inject_params_register(struct sim_params *params)
{
	sim_params_register(params, inject_params, INJECT_NPARAMS);
	sim_params_register(params, sim_its_param_table, SIM_ITS_NPARAMS);
	sim_params_register(params, sim_its_shape_table, SIM_ITS_SHAPE_NPARAMS);
}

static void read_cost(struct inject_cost *cost, const struct sim_params *p)
{
	cost->exit_ns = sim_params_u64(p, "cost.exit_ns");
	cost->entry_ns = sim_params_u64(p, "cost.entry_ns");
	cost->kick_ns = sim_params_u64(p, "cost.kick_ns");
	cost->wake_ns = sim_params_u64(p, "cost.wake_ns");
	cost->switch_ns = sim_params_u64(p, "cost.switch_ns");
	cost->irq_ns = sim_params_u64(p, "cost.irq_ns");
	cost->inject_ns = sim_params_u64(p, "cost.inject_ns");
	cost->command_ns = sim_params_u64(p, "cost.command_ns");
	cost->doorbell_ns = sim_params_u64(p, "cost.doorbell_ns");
	cost->entry_scan_ps = sim_params_u64(p, "cost.list_entry_ps");
	cost->node_ps = sim_params_u64(p, "cost.tree_node_ps");
	cost->xlate_ps = sim_params_u64(p, "cost.xlate_ps");
	cost->ref_ps = sim_params_u64(p, "cost.reference_ps");
	cost->lock_ps = sim_params_u64(p, "cost.spinlock_ps");
	cost->table_ns = sim_params_u64(p, "cost.table_ns");
	cost->fill_ns = sim_params_u64(p, "cost.fill_ns");
	cost->drop_ps = sim_params_u64(p, "cost.drop_ps");
	cost->generation_ps = sim_params_u64(p, "cost.generation_ps");
	cost->vector_ns = sim_params_u64(p, "cost.vector_ns");
	cost->handler_ns = sim_params_u64(p, "cost.handler_ns");
	cost->io_ns = sim_params_u64(p, "cost.io_ns");
}

/* What is not said of the second kind is as of the first. */
static void read_devices(struct inject_config *cfg, const struct sim_params *p)
{
	struct inject_device_config *first = &cfg->device[INJECT_FIRST];
	struct inject_device_config *second = &cfg->device[INJECT_SECOND];

	*first = (struct inject_device_config){
		.count = (uint32_t)sim_params_u64(p, "device.count"),
		.events = (uint32_t)sim_params_u64(p, "device.events"),
		.depth = sim_params_u64(p, "device.depth"),
		.latency_ns = sim_params_u64(p, "device.latency_ns"),
		.jitter_percent = sim_params_u64(p, "device.jitter_percent"),
		.io_bytes = sim_params_u64(p, "device.io_bytes"),
		.bytes_per_s = sim_params_u64(p, "device.bandwidth_bytes_per_s"),
		.msis_per_s = sim_params_u64(p, "device.msis_per_s"),
	};
	*second = *first;
	second->count = (uint32_t)sim_params_u64(p, "second.count");
	second->events = (uint32_t)sim_params_u64(p, "second.events");
	second->depth = sim_params_u64(p, "second.depth");
	second->latency_ns = sim_params_u64(p, "second.latency_ns");
	second->bytes_per_s = sim_params_u64(p, "second.bandwidth_bytes_per_s");
	cfg->device_vcpus = (uint32_t)sim_params_u64(p, "device.vcpus");
}

static void read_load(struct inject_config *cfg, const struct sim_params *p)
{
	cfg->load = (enum inject_load)sim_params_enum(p, "workload.kind");
	cfg->trace = sim_params_str(p, "workload.trace");
	if (cfg->trace[0])
		cfg->load = INJECT_REPLAY;
	cfg->speedup = sim_params_u64(p, "workload.speedup");
	cfg->warmup_ns = sim_params_u64(p, "workload.warmup_ns");
	cfg->span_ns = sim_params_u64(p, "workload.span_ns");
	read_devices(cfg, p);
	cfg->balance_period_ns = sim_params_u64(p, "irqbalance.period_ns");
	cfg->balance_events = (uint32_t)sim_params_u64(p, "irqbalance.events");
	cfg->storm_movi_per_s = sim_params_u64(p, "storm.movi_per_s");
	cfg->storm_devices = (uint32_t)sim_params_u64(p, "storm.devices");
	cfg->rebind_period_ns = sim_params_u64(p, "rebind.period_ns");
	cfg->reset_period_ns = sim_params_u64(p, "reset.period_ns");
}

/* The devices' events have LPIs of their own, and IDs that the ITS takes. */
static bool events_fit(const struct inject_config *cfg, struct sim_error *err)
{
	const struct inject_device_config *first = &cfg->device[INJECT_FIRST];
	const struct inject_device_config *second = &cfg->device[INJECT_SECOND];
	uint64_t nlpis = (UINT64_C(1) << cfg->gic.idbits) - SIM_GIC_LPI_FIRST;
	uint64_t nmax = nlpis < INJECT_EVENTS_MAX ? nlpis : INJECT_EVENTS_MAX;
	uint64_t nevents = (uint64_t)first->count * first->events +
			   (uint64_t)second->count * second->events;
	char more[64] = "";

	if (second->count)
		snprintf(more, sizeof(more), " and second.count=%" PRIu32 " with second.events=%"
			 PRIu32, second->count, second->events);
	if (nevents > nmax) {
		sim_error_set(err, "device.count=%" PRIu32 " with device.events=%" PRIu32 "%s: %"
			      PRIu64 " events, must be at most %" PRIu64, first->count,
			      first->events, more, nevents, nmax);
		return false;
	}
	if (cfg->its.choices.state == SIM_GIC_HELD && nevents > cfg->its.held_max) {
		sim_error_set(err, "its.held_events=%" PRIu32 ": device.count=%" PRIu32 " with "
			      "device.events=%" PRIu32 "%s maps %" PRIu64 ", must be at least that",
			      cfg->its.held_max, first->count, first->events, more, nevents);
		return false;
	}
	return true;
}

static bool ids_fit(const struct inject_config *cfg, struct sim_error *err)
{
	static const char *const names[INJECT_KINDS] = { "device.events", "second.events" };
	uint64_t count = (uint64_t)cfg->device[INJECT_FIRST].count +
			 cfg->device[INJECT_SECOND].count;

	if ((count * 8) >> cfg->its.devbits) {
		sim_error_set(err, "device.count=%" PRIu64 ": DeviceIDs are 8 apart and do not fit "
			      "into its.devbits=%" PRIu32, count, cfg->its.devbits);
		return false;
	}
	for (unsigned int k = 0; k < INJECT_KINDS; k++) {
		if (cfg->device[k].count &&
		    (uint64_t)(cfg->device[k].events - 1) >> cfg->its.eventbits) {
			sim_error_set(err, "%s=%" PRIu32 ": do not fit into its.eventbits=%" PRIu32,
				      names[k], cfg->device[k].events, cfg->its.eventbits);
			return false;
		}
	}
	return true;
}

/* CPUs that no vCPU is on, devices whose vCPUs are not whole guests. */
static bool places_fit(struct inject_config *cfg, struct sim_error *err)
{
	if (cfg->host_cpus > cfg->nvcpus) {
		sim_error_set(err, "host.cpus=%" PRIu32 ": must be at most guest.vcpus=%" PRIu32,
			      cfg->host_cpus, cfg->nvcpus);
		return false;
	}
	if (!cfg->host_cpus)
		cfg->host_cpus = cfg->nvcpus;
	if (cfg->device_vcpus && cfg->nvcpus % cfg->device_vcpus) {
		sim_error_set(err, "device.vcpus=%" PRIu32 ": must be 0 or a divisor of "
			      "guest.vcpus=%" PRIu32, cfg->device_vcpus, cfg->nvcpus);
		return false;
	}
	return true;
}

bool inject_config_read(struct inject_config *cfg, const struct sim_params *p,
			struct sim_error *err)
{
	*cfg = (struct inject_config){
		.nvcpus = (uint32_t)sim_params_u64(p, "guest.vcpus"),
		.host_cpus = (uint32_t)sim_params_u64(p, "host.cpus"),
		.irq_cpus = (uint32_t)sim_params_u64(p, "host.irq_cpus"),
		.busy_threads = (uint32_t)sim_params_u64(p, "host.busy_threads"),
		.wakeups_per_s = sim_params_u64(p, "host.wakeups_per_s"),
		.wakeup_run_ns = sim_params_u64(p, "host.wakeup_run_ns"),
		.sched_latency_ns = sim_params_u64(p, "sched.latency_ns"),
		.sched_granularity_ns = sim_params_u64(p, "sched.granularity_ns"),
		.sched_wakeup_ns = sim_params_u64(p, "sched.wakeup_ns"),
		.tick_ns = sim_params_u64(p, "sched.tick_ns"),
		.busy = sim_params_bool(p, "guest.busy"),
		.halt_poll_ns = sim_params_u64(p, "guest.halt_poll_ns"),
		.save = sim_params_bool(p, "guest.save"),
		.walk_locked = sim_params_bool(p, "host.walk_locked"),
		.broken = {
			.skip_invalidate = sim_params_bool(p, "break.skip_invalidate"),
			.late_invalidate = sim_params_bool(p, "break.late_invalidate"),
			.stale_fill = sim_params_bool(p, "break.stale_fill"),
			.wrong_code = sim_params_bool(p, "break.wrong_code"),
			.overfull = sim_params_bool(p, "break.overfull"),
			.wrong_table = sim_params_bool(p, "break.wrong_table"),
		},
	};
	if (!sim_its_configure(p, &cfg->its, &cfg->gic, err))
		return false;
	cfg->gic.npes = cfg->nvcpus;
	if ((uint64_t)(cfg->nvcpus - 1) >> cfg->its.icidbits) {
		sim_error_set(err, "guest.vcpus=%" PRIu32 ": a collection each does not fit into "
			      "its.icidbits=%" PRIu32, cfg->nvcpus, cfg->its.icidbits);
		return false;
	}
	cfg->design = (struct sim_its_design_config){
		.nvcpus = cfg->nvcpus,
		.index = sim_params_enum(p, "its.cache_index"),
	};
	read_load(cfg, p);
	read_cost(&cfg->cost, p);
	if (!places_fit(cfg, err))
		return false;
	return cfg->load == INJECT_REPLAY || (events_fit(cfg, err) && ids_fit(cfg, err));
}

static bool find_kind(const char *name, size_t len, enum sim_its_design_kind *kind)
{
	for (unsigned int k = 0; k < SIM_ITS_DESIGNS; k++) {
		if (strlen(sim_its_design_names[k]) == len &&
		    !memcmp(sim_its_design_names[k], name, len)) {
			*kind = (enum sim_its_design_kind)k;
			return true;
		}
	}
	return false;
}

unsigned int inject_policies_read(enum sim_its_design_kind kinds[SIM_ITS_DESIGNS],
				  const struct sim_params *params, struct sim_error *err)
{
	const char *text = sim_params_str(params, "policy.names");
	unsigned int n = 0;

	for (;;) {
		size_t len = strcspn(text, ",");
		enum sim_its_design_kind kind;

		if (!find_kind(text, len, &kind)) {
			sim_error_set(err, "policy.names: %s: no such policy, expected none, "
				      "list2019, list2024, xarray2024, weir",
				      sim_quote(text, len).text);
			return 0;
		}
		for (unsigned int i = 0; i < n; i++) {
			if (kinds[i] == kind) {
				sim_error_set(err, "policy.names: %s twice, expected each once",
					      sim_its_design_names[kind]);
				return 0;
			}
		}
		kinds[n++] = kind;
		if (!text[len])
			return n;
		text += len + 1;
	}
}
