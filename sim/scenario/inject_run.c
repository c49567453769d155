// SPDX-License-Identifier: BSD-2-Clause
/*
 * inject_run.c - one design, from an empty machine to the last interrupt: boot, warm-up, the span
 * that is measured, and what is then still under way.
 */
#include "sim/scenario/inject_internal.h"

#include <stdlib.h>

#define PROGRESS_EVENTS	65536u

/* Everything charged and counted until now. */
static void bring_up_to_date(struct inject *in)
{
	struct sim_its_cache *cache = sim_its_design_cache(in->m.design);
	struct weir_xlate_stats stats;

	inject_cpus_settle(in);
	if (!cache)
		return;
	weir_xlate_stats(sim_its_cache_xlate(cache), &stats);
	in->counts.evictions = stats.evictions;
}

static void measure(void *ctx, uint64_t arg)
{
	struct inject *in = ctx;

	(void)arg;
	bring_up_to_date(in);
	in->before = in->counts;
	in->begin_ns = inject_now(in);
	in->measuring = true;
	inject_note(in, INJECT_EV_MEASURE, 0, 0, 0);
}

static void end(void *ctx, uint64_t arg)
{
	struct inject *in = ctx;

	(void)arg;
	bring_up_to_date(in);
	in->after = in->counts;
	in->end_ns = inject_now(in);
	in->measuring = false;
	in->quiet = true;
	for (uint32_t v = 0; v < in->cfg->nvcpus; v++)
		inject_sched_want(&in->vcpus[v]);
	inject_note(in, INJECT_EV_QUIET, 0, 0, 0);
	if (in->series)
		sim_series_end(in->series, in->end_ns - in->begin_ns);
}

static void make_lpis(struct inject *in)
{
	uint64_t n = (UINT64_C(1) << in->cfg->gic.idbits) - SIM_GIC_LPI_FIRST;

	in->event_of_lpi = sim_alloc((size_t)n, sizeof(*in->event_of_lpi), "LPIs");
	for (uint64_t i = 0; i < n; i++)
		in->event_of_lpi[i] = NO_EVENT;
}

bool inject_build(struct inject *in)
{
	in->queue = sim_queue_create();
	in->latency = sim_hist_create(0);
	if (!in->stream)
		inject_devices_build(in);
	else if (!inject_replay_build(in))
		return false;
	inject_cpus_build(in);
	inject_vcpus_build(in);
	inject_sched_build(in);
	if (!inject_machine_build(in))
		return false;
	make_lpis(in);
	inject_guest_boot(in);
	inject_ring(in);
	in->counts = (struct inject_counts){ .msis = 0 };
	return !in->failed;
}

static void start(struct inject *in)
{
	uint64_t warmup_ns = in->stream ? 0 : in->cfg->warmup_ns;

	(void)sim_queue_post(in->queue, warmup_ns, 0, measure, in, 0);
	if (!in->stream)
		(void)sim_queue_post(in->queue, warmup_ns + in->cfg->span_ns, 0, end, in, 0);
	inject_sched_start(in);
	for (uint32_t i = 0; i < in->ncpus; i++)
		inject_go(&in->cpus[i]);
	if (in->stream)
		inject_replay_start(in);
	else
		inject_devices_start(in);
	inject_guest_start(in);
}

/* What is pending still, or went away by a command of the guest's. */
static void find_rest(struct inject *in)
{
	for (uint32_t i = 0; i < in->nevents; i++) {
		const struct inject_event *e = &in->events[i];
		bool there = false;

		for (uint32_t pe = 0; e->pending && pe < in->cfg->nvcpus; pe++)
			there |= sim_gic_lpi_pending(in->m.gic, pe, e->intid);
		in->left += there;
		in->counts.discarded += e->pending && !there && e->cut;
	}
}

static uint64_t total_ns(const struct inject *in)
{
	const struct sim_its_event *last;

	if (!in->stream)
		return in->cfg->warmup_ns + in->cfg->span_ns;
	last = &in->stream->rows[in->stream->nrows - 1];
	return (last->time_us - in->stream->rows[0].time_us) / in->cfg->speedup * 1000;
}

bool inject_run(struct inject *in)
{
	uint64_t events = 0, total;

	if (!inject_build(in))
		return false;
	total = total_ns(in);
	start(in);
	while (!in->failed && sim_queue_run_one(in->queue)) {
		if (in->progress && ++events % PROGRESS_EVENTS == 0)
			in->progress(in->progress_ctx, inject_now(in), total);
	}
	if (in->failed)
		return false;
	if (in->stream)
		end(in, 0);
	find_rest(in);
	if (in->cfg->save)
		inject_save(in);
	if (in->cfg->broken.wrong_table)
		inject_spoil(in);
	sim_its_twin_compare(in->m.twin, in->m.ram, in->m.gic, in->m.its);
	return !in->failed;
}

void inject_free(struct inject *in)
{
	inject_machine_down(in);
	inject_vcpus_down(in);
	inject_sched_down(in);
	inject_cpus_down(in);
	sim_map_fini(&in->event_of);
	free(in->event_of_lpi);
	free(in->events);
	free(in->devices);
	free(in->late);
	sim_hist_destroy(in->latency);
	sim_queue_destroy(in->queue);
}
