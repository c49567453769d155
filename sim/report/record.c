// SPDX-License-Identifier: BSD-2-Clause
/*
 * record.c - the files at the top of a run directory, from what the run left in memory.
 *
 * The run's digest is the XXH3-128 of each policy's name, a NUL, and the 16 bytes of its own
 * digest, in the order the policies were begun. Host facts and wall times stay under "host",
 * outside of it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "sim/engine/wide.h"
#include "sim/report/build_info.h"
#include "sim/report/files.h"
#include "sim/report/html.h"
#include "sim/report/json.h"
#include "sim/report/run_state.h"

static bool write_json(const struct sim_run_state *state, const char *name, json_t *root,
		       struct sim_error *err)
{
	char *path = sim_path_join(state->request->dir, name);
	bool ok = sim_json_write(path, root, err);

	free(path);
	return ok;
}

static void hex(XXH128_hash_t hash, char out[SIM_DIGEST_HEX_BYTES])
{
	snprintf(out, SIM_DIGEST_HEX_BYTES, "%016llx%016llx", (unsigned long long)hash.high64,
		 (unsigned long long)hash.low64);
}

static void run_digest(const struct sim_run_state *state, char out[SIM_DIGEST_HEX_BYTES])
{
	XXH3_state_t *hash = XXH3_createState();

	XXH3_128bits_reset(hash);
	for (size_t p = 0; p < state->npolicies; p++) {
		const struct sim_run_policy *policy = state->policies[p];

		XXH3_128bits_update(hash, policy->name, strlen(policy->name) + 1);
		XXH3_128bits_update(hash, policy->digest, sizeof(policy->digest));
	}
	hex(XXH3_128bits_digest(hash), out);
	XXH3_freeState(hash);
}

static json_t *row_to_json(const struct sim_scenario *scenario,
			   const struct sim_run_policy *policy)
{
	json_t *row = json_pack("{s:s}", "policy", policy->name);

	for (size_t i = 0; i < scenario->nmetrics; i++) {
		const struct sim_metric *metric = &scenario->metrics[i];

		if (!policy->known[i])
			continue;
		json_object_set_new(row, metric->name, strcmp(metric->unit, "bool") == 0 ?
				    json_boolean(policy->values[i] != 0) :
				    sim_json_u64(policy->values[i]));
	}
	return row;
}

static json_t *compare_to_json(const struct sim_run_state *state)
{
	const struct sim_scenario *scenario = state->request->config->scenario;
	json_t *rows = json_array();

	for (size_t p = 0; p < state->npolicies; p++)
		json_array_append_new(rows, row_to_json(scenario, state->policies[p]));
	return json_pack("{s:i, s:s, s:o}", "schema", 1, "scenario", scenario->name, "rows", rows);
}

/* All policies' counters in one list, each name with its policy's in front. */
static json_t *all_stats(const struct sim_run_state *state)
{
	json_t *list = json_array(), *entry;
	size_t i;

	for (size_t p = 0; p < state->npolicies; p++) {
		const struct sim_run_policy *policy = state->policies[p];

		json_array_foreach(policy->stats, i, entry) {
			json_t *copy = json_copy(entry);
			const char *name = json_string_value(json_object_get(entry, "name"));

			json_object_set_new(copy, "name",
					    json_sprintf("%s.%s", policy->name, name));
			json_array_append_new(list, copy);
		}
	}
	return list;
}

static json_t *metrics_to_json(const struct sim_scenario *scenario)
{
	static const char *const better[] = { "neither", "lower", "higher" };
	json_t *list = json_array();

	for (size_t i = 0; i < scenario->nmetrics; i++) {
		const struct sim_metric *m = &scenario->metrics[i];

		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:b, s:s}",
						      "name", m->name, "title", m->title,
						      "unit", m->unit, "better", better[m->better],
						      "detail", m->detail,
						      "description", m->description));
	}
	return list;
}

static json_t *params_to_json(const struct sim_params *params)
{
	static const char *const origins[] = { "default", "file", "-C" };
	json_t *list = json_array();

	for (size_t i = 0; i < sim_params_count(params); i++) {
		const struct sim_param *p = sim_params_at(params, i);

		json_array_append_new(list, json_pack(
			"{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "name", p->name,
			"value", sim_params_text(params, i), "unit", p->unit, "default", p->def,
			"origin", origins[sim_params_origin(params, i)],
			"source", p->source, "description", p->description));
	}
	return list;
}

static json_t *report_to_json(const struct sim_run_state *state)
{
	const struct sim_config *config = state->request->config;

	return json_pack("{s:i, s:s, s:s, s:o, s:O, s:O, s:o}", "schema", 1,
			 "summary", config->scenario->summary,
			 "command", state->request->command,
			 "metrics", metrics_to_json(config->scenario),
			 "notes", state->notes, "failures", state->failures,
			 "parameters", params_to_json(config->params));
}

static bool hash_file(const char *path, uint64_t *bytes, char out[SIM_DIGEST_HEX_BYTES])
{
	static char buffer[1 << 16];
	XXH3_state_t *hash;
	struct stat st;
	size_t n;
	FILE *f;

	/* What was read from a pipe is gone, and to open one again is to wait for ever. */
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	f = fopen(path, "rb");
	if (!f)
		return false;
	hash = XXH3_createState();
	XXH3_128bits_reset(hash);
	*bytes = 0;
	while ((n = fread(buffer, 1, sizeof(buffer), f)) > 0) {
		XXH3_128bits_update(hash, buffer, n);
		*bytes += n;
	}
	fclose(f);
	hex(XXH3_128bits_digest(hash), out);
	XXH3_freeState(hash);
	return true;
}

/* The files that went in: a digest is that of the configuration *and* of these. */
static json_t *inputs_to_json(const struct sim_params *params)
{
	json_t *list = json_array();
	char digest[SIM_DIGEST_HEX_BYTES];
	uint64_t bytes;

	for (size_t i = 0; i < sim_params_count(params); i++) {
		const char *path = sim_params_text(params, i);

		if (sim_params_at(params, i)->type != SIM_PARAM_PATH || !*path ||
		    strcmp(path, "-") == 0 || !hash_file(path, &bytes, digest))
			continue;
		json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:s}", "parameter",
						      sim_params_at(params, i)->name,
						      "path", path, "bytes", sim_json_u64(bytes),
						      "xxh3_128", digest));
	}
	return list;
}

/* A counter, summed over the policies; 0 where the scenario has none of that name. */
static uint64_t sum_of_stat(const struct sim_run_state *state, const char *name)
{
	uint64_t sum = 0;

	for (size_t p = 0; p < state->npolicies; p++) {
		json_t *stat;
		size_t i;

		json_array_foreach(state->policies[p]->stats, i, stat) {
			uint64_t value = 0;

			if (strcmp(json_string_value(json_object_get(stat, "name")), name) == 0 &&
			    sim_json_as_u64(json_object_get(stat, "value"), &value))
				sum += value;
		}
	}
	return sum;
}

static uint64_t timeval_ns(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_usec * 1000u;
}

static json_t *per_second(uint64_t n, uint64_t ns)
{
	return sim_json_u64((uint64_t)((sim_u128)n * 1000000000u / (ns ? ns : 1)));
}

/* How fast a workload was replayed: per second of the wall clock, and of CPU time. */
static void add_rates(json_t *host, const struct sim_run_state *state, uint64_t cpu_ns)
{
	static const char *const what[] = { "rows", "stores" };
	char name[48];

	for (size_t i = 0; i < 2; i++) {
		uint64_t n;

		snprintf(name, sizeof(name), "replay.%s", what[i]);
		n = sum_of_stat(state, name);
		if (!n)
			continue;
		snprintf(name, sizeof(name), "replay_%s_per_s", what[i]);
		json_object_set_new(host, name, per_second(n, (uint64_t)state->wall_ns));
		snprintf(name, sizeof(name), "replay_%s_per_cpu_s", what[i]);
		json_object_set_new(host, name, per_second(n, cpu_ns));
	}
}

static json_t *host_to_json(const struct sim_run_state *state)
{
	struct utsname host = { .sysname = "" };
	struct rusage usage = { .ru_maxrss = 0 };
	time_t started = (time_t)state->started_s;
	struct tm utc;
	char when[32] = "";
	uint64_t cpu_ns;
	json_t *object;

	uname(&host);
	getrusage(RUSAGE_SELF, &usage);
	if (gmtime_r(&started, &utc))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &utc);
	cpu_ns = timeval_ns(&usage.ru_utime) + timeval_ns(&usage.ru_stime);
	object = json_pack("{s:s, s:o, s:s, s:I, s:s, s:I, s:I, s:I}",
			   "kernel", host.sysname, "release", json_string(host.release),
			   "machine", host.machine,
			   "cpus", (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "started", when,
			   "wall_ns", (json_int_t)state->wall_ns, "cpu_ns", (json_int_t)cpu_ns,
			   "peak_rss_bytes", (json_int_t)usage.ru_maxrss * 1024);
	add_rates(object, state, cpu_ns);
	return object;
}

static json_t *policies_to_json(const struct sim_run_state *state)
{
	json_t *list = json_array();

	for (size_t p = 0; p < state->npolicies; p++) {
		char digest[SIM_DIGEST_HEX_BYTES] = "";
		const struct sim_run_policy *policy = state->policies[p];

		for (size_t i = 0; policy->ended && i < SIM_DIGEST_BYTES; i++)
			snprintf(digest + 2 * i, 3, "%02x", policy->digest[i]);
		json_array_append_new(list, json_pack("{s:s, s:s}", "name", policy->name,
						      "digest", digest));
	}
	return list;
}

static json_t *manifest_to_json(const struct sim_run_state *state, const char *digest)
{
	const struct sim_config *config = state->request->config;
	const struct sim_build_info *build = &sim_build_info;

	return json_pack("{s:i, s:s, s:s, s:b, s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:o, s:o, s:o}",
			 "schema", 1, "version", build->version, "commit", build->commit,
			 "dirty", build->dirty, "compiler", build->compiler,
			 "flags", build->flags, "arch", build->arch,
			 "scenario", config->scenario->name,
			 "seed", sim_json_u64(config->seed), "run", sim_json_u64(config->number),
			 "digest", digest, "policies", policies_to_json(state),
			 "inputs", inputs_to_json(config->params), "host", host_to_json(state));
}

bool sim_record_write(const struct sim_run_state *state, struct sim_run_record *record,
		      struct sim_error *err)
{
	json_t *stats = all_stats(state);
	bool ok;

	run_digest(state, record->digest);
	ok = write_json(state, "compare.json", compare_to_json(state), err) &&
	     sim_stats_write(state->request->dir, stats, err) &&
	     write_json(state, "report.json", report_to_json(state), err) &&
	     write_json(state, "manifest.json", manifest_to_json(state, record->digest), err) &&
	     sim_html_write(state->request->dir, err);
	json_decref(stats);
	return ok;
}
