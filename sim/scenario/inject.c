// SPDX-License-Identifier: BSD-2-Clause
/*
 * inject.c - the scenario: read the parameters, run once under each design, compare.
 */
#include "sim/scenario/inject_internal.h"

#include <inttypes.h>
#include <string.h>

#include "sim/engine/stats.h"

/* Who listens to one design's run. */
struct listener {
	struct sim_run *run;
	const char *name;
	struct inject *in;
};

static void on_violation(void *ctx, enum sim_its_checker checker, const char *what)
{
	const struct listener *listener = ctx;

	sim_run_fail(listener->run, "%s: %s (policy %s, %" PRIu64 " ns)",
		     sim_its_checker_names[checker], what, listener->name,
		     inject_now(listener->in));
}

static void on_progress(void *ctx, uint64_t done, uint64_t total)
{
	const struct listener *listener = ctx;

	sim_run_progress(listener->run, listener->name, done, done > total ? done : total);
}

/* The list's bound is what was published, 16 a vCPU; the library's is a parameter. */
static void choose(struct inject_config *cfg, const struct sim_params *params,
		   enum sim_its_design_kind kind)
{
	bool weir = kind == SIM_ITS_WEIR;

	cfg->kind = weir && !sim_params_bool(params, "its.cache") ? SIM_ITS_NONE : kind;
	cfg->design.capacity =
		weir ? (uint32_t)sim_params_u64(params, "its.cache_capacity") : 0;
}

/* The outputs are open. */
static bool simulate(struct sim_run *run, const struct inject_config *cfg, const char *name,
		     const struct inject_stream *stream, struct sim_policy_out *out,
		     struct inject_result *result)
{
	struct inject in = {
		.cfg = cfg, .stream = stream, .history = out->history, .series = out->series,
		.progress = on_progress, .err = run->err,
	};
	struct listener listener = { run, name, &in };
	struct sim_stats *stats;
	bool ok;

	in.progress_ctx = &listener;
	in.m.check.report = on_violation;
	in.m.check.ctx = &listener;
	ok = inject_run(&in);
	if (ok) {
		inject_sum_up(&in, result);
		if (result->lost)
			sim_run_fail(run, "lost_interrupt: %" PRIu64 " interrupts were due and "
				     "came to nothing (policy %s)", result->lost, listener.name);
		if (result->stuck)
			sim_run_fail(run, "lost_interrupt: %" PRIu64 " requests wait for ever "
				     "(policy %s)", result->stuck, listener.name);
		if (result->save_missed)
			sim_run_fail(run, "save: %" PRIu64 " pages were written and are not in the "
				     "dirty log (policy %s)", result->save_missed, listener.name);
		inject_hand_over(result, out);
		stats = inject_stats(&in, result);
		ok = sim_run_policy_end(out, stats);
		sim_stats_destroy(stats);
	}
	inject_free(&in);
	return ok;
}

static enum sim_run_result compare(struct sim_run *run, struct inject_config *cfg,
				   const struct inject_stream *stream, uint32_t nevents,
				   const enum sim_its_design_kind *kinds, unsigned int n)
{
	struct sim_policy_shape shape = {
		.vcpus = cfg->nvcpus, .npages = nevents, .page_bytes = 0,
		.causes = inject_cause_names, .ncauses = INJECT_NCAUSES,
	};
	struct inject_result results[SIM_ITS_DESIGNS];

	for (unsigned int i = 0; i < n; i++) {
		const char *name = sim_its_design_names[kinds[i]];
		struct sim_policy_out *out = sim_run_policy_begin(run, name, &shape);

		choose(cfg, run->params, kinds[i]);
		if (!out || !simulate(run, cfg, name, stream, out, &results[i]))
			return SIM_RUN_INTERNAL;
	}
	choose(cfg, run->params, SIM_ITS_WEIR);
	inject_write_notes(run, cfg, kinds, results, n);
	return SIM_RUN_OK;
}

/*
 * Everything that input can be wrong about shows in the set-up of one design. How many events there
 * are; 0 with @err set.
 */
static uint32_t try_out(const struct inject_config *cfg, const struct inject_stream *stream,
			struct sim_error *err)
{
	struct inject in = { .cfg = cfg, .stream = stream, .err = err };
	uint32_t nevents = inject_build(&in) ? in.nevents : 0;

	if (nevents && stream && !inject_replay_try(&in))
		nevents = 0;
	inject_free(&in);
	return nevents;
}

static enum sim_run_result run_inject(struct sim_run *run)
{
	enum sim_its_design_kind kinds[SIM_ITS_DESIGNS];
	struct inject_stream stream = { .rows = NULL };
	enum sim_run_result result = SIM_RUN_BAD_INPUT;
	struct inject_config cfg;
	const struct inject_stream *replay;
	uint32_t nevents;
	unsigned int n;

	if (!inject_config_read(&cfg, run->params, run->err))
		return SIM_RUN_BAD_INPUT;
	cfg.seed = run->seed;
	cfg.run = run->number;
	n = inject_policies_read(kinds, run->params, run->err);
	if (!n)
		return SIM_RUN_BAD_INPUT;
	choose(&cfg, run->params, SIM_ITS_WEIR);
	if (cfg.load == INJECT_REPLAY && !inject_stream_load(&stream, cfg.trace, run->err))
		return SIM_RUN_BAD_INPUT;
	replay = cfg.load == INJECT_REPLAY ? &stream : NULL;
	nevents = try_out(&cfg, replay, run->err);
	if (nevents)
		result = compare(run, &cfg, replay, nevents, kinds, n);
	inject_stream_free(&stream);
	return result;
}

bool inject_simulate(const struct sim_params *params, uint64_t seed, uint64_t number,
		     enum sim_its_design_kind kind, struct inject_result *result,
		     struct sim_error *err)
{
	struct inject_stream stream = { .rows = NULL };
	struct inject_config cfg;
	struct inject in = { .cfg = &cfg, .err = err };
	bool ok;

	if (!inject_config_read(&cfg, params, err))
		return false;
	cfg.seed = seed;
	cfg.run = number;
	choose(&cfg, params, kind);
	if (cfg.load == INJECT_REPLAY) {
		if (!inject_stream_load(&stream, cfg.trace, err)) {
			inject_stream_free(&stream);
			return false;
		}
		in.stream = &stream;
	}
	ok = inject_run(&in);
	if (ok)
		inject_sum_up(&in, result);
	inject_free(&in);
	inject_stream_free(&stream);
	return ok;
}

static const struct sim_param_table tables[] = {
	{ inject_params, INJECT_NPARAMS },
	{ sim_its_param_table, SIM_ITS_NPARAMS },
	{ sim_its_shape_table, SIM_ITS_SHAPE_NPARAMS },
};

const struct sim_scenario sim_scenario_inject = {
	.name = "inject",
	.summary = "devices interrupt a guest, compared across designs of a translation cache",
	.tables = tables,
	.ntables = sizeof(tables) / sizeof(tables[0]),
	.metrics = inject_metrics,
	.nmetrics = INJECT_NMETRICS,
	.kinds = inject_kinds,
	.nkinds = INJECT_NKINDS,
	.run = run_inject,
};
