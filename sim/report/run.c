// SPDX-License-Identifier: BSD-2-Clause
/*
 * run.c - the services a scenario calls (sim/scenario/scenario.h), and the frame around its run().
 */
#include "sim/report/run.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/report/files.h"
#include "sim/report/json.h"
#include "sim/report/run_state.h"
#include "sim/report/series_data.h"

#define LINE_BYTES 1024

static bool policy_name_valid(const struct sim_run_state *state, const char *name)
{
	if (!*name || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != strlen(name))
		return false;
	for (size_t i = 0; i < state->npolicies; i++) {
		if (strcmp(state->policies[i]->name, name) == 0)
			return false;
	}
	return true;
}

static bool write_config(const struct sim_config *config, const char *dir, struct sim_error *err)
{
	char *text = sim_config_text(config), *path = sim_path_join(dir, "config.resolved.yaml");
	bool ok = sim_file_write(path, text, strlen(text), err);

	free(path);
	free(text);
	return ok;
}

/* Before the first write; a run whose input is bad never comes here. */
static bool open_dir(struct sim_run_state *state, struct sim_error *err)
{
	if (!state->opened)
		state->opened = sim_rundir_clear(state->request->dir, err) &&
				write_config(state->request->config, state->request->dir,
					     err);
	return state->opened;
}

struct sim_policy_out *sim_run_policy_begin(struct sim_run *run, const char *name,
					    const struct sim_policy_shape *shape)
{
	struct sim_run_state *state = run->state;
	const struct sim_scenario *scenario = state->request->config->scenario;
	struct sim_run_policy *policy = sim_alloc(1, sizeof(*policy), "policy");
	char *trace;

	if (!policy_name_valid(state, name)) {
		sim_error_set(run->err, "policy %s: named twice, or not of a-z 0-9 _ -",
			      sim_quote(name, strlen(name)).text);
		free(policy);
		return NULL;
	}
	policy->run = run;
	policy->name = sim_strdup(name);
	policy->dir = sim_path_join(state->request->dir, name);
	policy->values = sim_alloc(scenario->nmetrics + 1, sizeof(*policy->values), "policy");
	policy->known = sim_alloc(scenario->nmetrics + 1, sizeof(*policy->known), "policy");
	policy->out.series = sim_series_create(shape);
	state->policies = sim_realloc(state->policies, state->npolicies + 1,
				      sizeof(*state->policies), "policies");
	state->policies[state->npolicies++] = policy;
	if (!open_dir(state, run->err) || !sim_dir_make(policy->dir, run->err))
		return NULL;
	trace = sim_path_join(policy->dir, "trace.zst");
	policy->out.history = sim_history_create(scenario->kinds, scenario->nkinds,
						 state->request->no_trace ? NULL : trace,
						 run->err);
	free(trace);
	return policy->out.history ? &policy->out : NULL;
}

static struct sim_run_policy *policy_of(struct sim_policy_out *out)
{
	return (struct sim_run_policy *)out;	/* its first field */
}

void sim_run_value(struct sim_policy_out *out, const char *metric, uint64_t value)
{
	struct sim_run_policy *policy = policy_of(out);
	const struct sim_scenario *scenario = policy->run->state->request->config->scenario;

	for (size_t i = 0; i < scenario->nmetrics; i++) {
		if (strcmp(scenario->metrics[i].name, metric) != 0)
			continue;
		assert(!policy->known[i]);
		policy->known[i] = true;
		policy->values[i] = value;
		return;
	}
	fprintf(stderr, "weir-sim: %s: not a metric of scenario %s\n", metric, scenario->name);
	abort();
}

static bool write_series(const struct sim_run_policy *policy, struct sim_error *err)
{
	char *path = sim_path_join(policy->dir, "series.json");
	bool ok = sim_json_write(path, sim_series_to_json(policy->out.series), err);

	free(path);
	return ok;
}

bool sim_run_policy_end(struct sim_policy_out *out, const struct sim_stats *stats)
{
	struct sim_run_policy *policy = policy_of(out);
	struct sim_error *err = policy->run->err;
	bool ok = sim_history_finish(out->history, stats, err);

	assert(!policy->ended);
	sim_history_digest(out->history, policy->digest);
	policy->ended = true;
	policy->stats = sim_stats_to_json(stats);
	ok = ok && sim_stats_write(policy->dir, policy->stats, err) && write_series(policy, err);
	sim_history_destroy(out->history);
	sim_series_destroy(out->series);
	*out = (struct sim_policy_out){ .history = NULL };
	return ok;
}

void sim_run_fail(struct sim_run *run, const char *fmt, ...)
{
	const struct sim_run_watcher *watcher = run->state->request->watcher;
	char line[LINE_BYTES];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	json_array_append_new(run->state->failures, json_string(line));
	if (watcher && watcher->failed)
		watcher->failed(watcher->ctx, line);
}

bool sim_run_failed(const struct sim_run *run)
{
	return json_array_size(run->state->failures) > 0;
}

void sim_run_note(struct sim_run *run, const char *fmt, ...)
{
	char line[LINE_BYTES];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	json_array_append_new(run->state->notes, json_string(line));
}

void sim_run_progress(struct sim_run *run, const char *what, uint64_t done, uint64_t total)
{
	const struct sim_run_watcher *watcher = run->state->request->watcher;

	if (watcher && watcher->progress)
		watcher->progress(watcher->ctx, what, done, total);
}

static int64_t clock_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A finished run must have handed over everything it promised. */
static bool complete(const struct sim_run_state *state, struct sim_error *err)
{
	const struct sim_scenario *scenario = state->request->config->scenario;

	for (size_t p = 0; p < state->npolicies; p++) {
		const struct sim_run_policy *policy = state->policies[p];

		for (size_t i = 0; i < scenario->nmetrics; i++) {
			if (!policy->known[i])
				sim_error_set(err, "scenario %s, policy %s: gave no %s",
					      scenario->name, policy->name,
					      scenario->metrics[i].name);
		}
		if (!policy->ended)
			sim_error_set(err, "scenario %s, policy %s: was not ended",
				      scenario->name, policy->name);
	}
	return !sim_error_is_set(err);
}

static void state_done(struct sim_run_state *state)
{
	for (size_t p = 0; p < state->npolicies; p++) {
		struct sim_run_policy *policy = state->policies[p];

		if (policy->out.history)
			sim_history_destroy(policy->out.history);
		sim_series_destroy(policy->out.series);
		json_decref(policy->stats);
		free(policy->values);
		free(policy->known);
		free(policy->dir);
		free(policy->name);
		free(policy);
	}
	free(state->policies);
	json_decref(state->notes);
	json_decref(state->failures);
}

static enum sim_exit run_in(struct sim_run_state *state, struct sim_run_record *record,
			    struct sim_error *err)
{
	struct sim_run run = {
		.params = state->request->config->params, .seed = state->request->config->seed,
		.number = state->request->config->number, .err = err, .state = state,
	};
	int64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
	enum sim_run_result result;

	state->started_s = clock_ns(CLOCK_REALTIME) / 1000000000;
	result = state->request->config->scenario->run(&run);
	state->wall_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
	if (result != SIM_RUN_OK) {
		sim_error_set(err, "scenario %s: failed without saying why",
			      state->request->config->scenario->name);
		return result == SIM_RUN_BAD_INPUT ? SIM_EXIT_USAGE : SIM_EXIT_INTERNAL;
	}
	if (!sim_run_failed(&run) && !complete(state, err))
		return SIM_EXIT_INTERNAL;
	if (!open_dir(state, err) || !sim_record_write(state, record, err))
		return SIM_EXIT_INTERNAL;
	record->failures = json_array_size(state->failures);
	return record->failures ? SIM_EXIT_PROPERTY : SIM_EXIT_OK;
}

enum sim_exit sim_run_recorded(const struct sim_run_request *request,
			       struct sim_run_record *record, struct sim_error *err)
{
	struct sim_run_state state = { .request = request };
	enum sim_exit code;
	struct sim_rundir dir;

	if (!sim_rundir_claim(&dir, request->dir, request->force, err))
		return SIM_EXIT_USAGE;
	state.notes = json_array();
	state.failures = json_array();
	code = run_in(&state, record, err);
	sim_rundir_release(&dir, !state.opened);
	state_done(&state);
	return code;
}
