// SPDX-License-Identifier: BSD-2-Clause
/*
 * diff.c - weir-sim diff: where two runs part. For each policy of both: the first event that
 * differs, after those before it, then the counters that differ. How to tell what made a run come
 * out differently: other parameters, another commit, another input.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/cli/events.h"
#include "sim/report/files.h"
#include "sim/report/json.h"
#include "sim/report/run.h"

#define CONTEXT 5u		/* common events shown before the difference */

struct side {
	const char *letter;
	struct sim_history_reader *reader;
	struct sim_record record;
	int more;		/* of sim_history_next() */
};

static bool same_record(const struct sim_record *a, const struct sim_record *b)
{
	return a->time_ns == b->time_ns && a->kind == b->kind && a->actor == b->actor &&
	       a->a == b->a && a->b == b->b;
}

static void print_side(const struct side *side, uint64_t index)
{
	printf("  %s %8" PRIu64 "  ", side->letter, index);
	if (side->more == 1)
		sim_event_print(side->reader, &side->record, stdout);
	else
		printf("(ends here)\n");
}

static void print_parting(const char *what, const struct side *a, const struct side *b,
			  const struct sim_record *ring, uint64_t n)
{
	uint64_t shown = n < CONTEXT ? n : CONTEXT;

	printf("%s: first difference at event %" PRIu64 "\n", what, n);
	for (uint64_t i = n - shown; i < n; i++) {
		printf("    %8" PRIu64 "  ", i);
		sim_event_print(a->reader, &ring[i % CONTEXT], stdout);
	}
	print_side(a, n);
	print_side(b, n);
}

/* Walk both to where they part. True if they never do; *n counts the common events. */
static bool same_events(const char *what, struct side *a, struct side *b, uint64_t *n,
			struct sim_error *err)
{
	struct sim_record ring[CONTEXT];

	for (*n = 0;; ++*n) {
		a->more = sim_history_next(a->reader, &a->record, err);
		b->more = sim_history_next(b->reader, &b->record, err);
		if (a->more < 0 || b->more < 0)
			return false;
		if (a->more == 0 && b->more == 0)
			return true;
		if (a->more != b->more || !same_record(&a->record, &b->record)) {
			print_parting(what, a, b, ring, *n);
			return false;
		}
		ring[*n % CONTEXT] = a->record;
	}
}

static bool same_traces(const char *what, const char *path_a, const char *path_b, uint64_t *n,
			struct sim_error *err)
{
	struct side a = { .letter = "A", .reader = sim_history_open(path_a, err) };
	struct side b = { .letter = "B" };
	bool same = false;

	*n = 0;
	if (a.reader)
		b.reader = sim_history_open(path_b, err);
	if (a.reader && b.reader)
		same = same_events(what, &a, &b, n, err);
	if (a.reader)
		sim_history_close(a.reader);
	if (b.reader)
		sim_history_close(b.reader);
	return same;
}

static const json_t *by_name(const json_t *list, const char *name)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(list, i, entry) {
		const char *other = json_string_value(json_object_get(entry, "name"));

		if (other && strcmp(other, name) == 0)
			return entry;
	}
	return NULL;
}

static void print_json(const char *letter, const json_t *value)
{
	char *text = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;

	printf("  %s %s", letter, text ? text : "-");
	free(text);
}

static void print_entry(const char *name, const json_t *a, const json_t *b)
{
	printf("    %s", name);
	print_json("A", a);
	print_json("B", b);
	putchar('\n');
}

/*
 * Two lists of {"name", "value"}: print the entries whose values differ, or that only one has.
 * Returns how many.
 */
static size_t differing(const json_t *a, const json_t *b, const char *title)
{
	const json_t *list[2] = { a, b };
	size_t ndiffering = 0;

	for (size_t side = 0; side < 2; side++) {
		const json_t *entry;
		size_t i;

		json_array_foreach(list[side], i, entry) {
			const char *name = json_string_value(json_object_get(entry, "name"));
			const json_t *other = name ? by_name(list[!side], name) : NULL;
			const json_t *value = json_object_get(entry, "value");

			if (!name || (other && (side == 1 ||
			    json_equal(value, json_object_get(other, "value")))))
				continue;
			if (ndiffering++ == 0)
				printf("%s\n", title);
			if (side == 0)
				print_entry(name, value, json_object_get(other, "value"));
			else
				print_entry(name, NULL, value);
		}
	}
	return ndiffering;
}

/* Compare the list @key of DIR_A/FILE and DIR_B/FILE. False with @err unset if they differ. */
static bool same_lists(const char *dir_a, const char *dir_b, const char *file, const char *key,
		       const char *title, struct sim_error *err)
{
	char *path_a = sim_path_join(dir_a, file), *path_b = sim_path_join(dir_b, file);
	json_t *a = sim_json_load(path_a, err), *b = a ? sim_json_load(path_b, err) : NULL;
	bool same = b && differing(json_object_get(a, key), json_object_get(b, key), title) == 0;

	json_decref(a);
	json_decref(b);
	free(path_a);
	free(path_b);
	return same;
}

/* Of a run that kept no trace, the digest alone tells. */
static bool same_digests(const char *policy, const json_t *a, const json_t *b)
{
	bool same = json_equal(json_object_get(a, "digest"), json_object_get(b, "digest"));

	if (!same)
		printf("%s: the digests differ; where events do, if any, is not known without "
		       "both traces\n", policy);
	return same;
}

static bool same_policy(const char *dir_a, const char *dir_b, const json_t *entry_a,
			const json_t *entry_b, uint64_t *n, struct sim_error *err)
{
	const char *policy = json_string_value(json_object_get(entry_a, "name"));

	char *sub_a = sim_path_join(dir_a, policy), *sub_b = sim_path_join(dir_b, policy);
	char *path_a = sim_path_join(sub_a, "trace.zst");
	char *path_b = sim_path_join(sub_b, "trace.zst");
	char title[160];
	bool same;

	if (sim_path_exists(path_a) && sim_path_exists(path_b))
		same = same_traces(policy, path_a, path_b, n, err);
	else
		same = same_digests(policy, entry_a, entry_b);
	snprintf(title, sizeof(title), "%.100s: counters that differ", policy);
	if (!sim_error_is_set(err) &&
	    !same_lists(sub_a, sub_b, "stats.json", "stats", title, err))
		same = false;
	free(path_a);
	free(path_b);
	free(sub_a);
	free(sub_b);
	return same;
}

static json_t *manifest_of(const char *dir, struct sim_error *err)
{
	char *path = sim_path_join(dir, "manifest.json");
	json_t *manifest = sim_json_load(path, err);

	free(path);
	return manifest;
}

/* What went in: seed, run, scenario, commit, parameters. By itself no difference of the runs. */
static void print_inputs(const char *dir_a, const char *dir_b, const json_t *a, const json_t *b,
			 struct sim_error *err)
{
	static const char *const keys[] = { "scenario", "seed", "run", "version", "commit" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const json_t *va = json_object_get(a, keys[i]), *vb = json_object_get(b, keys[i]);

		if (!json_equal(va, vb))
			print_entry(keys[i], va, vb);
	}
	same_lists(dir_a, dir_b, "report.json", "parameters", "parameters that differ", err);
}

static void print_same(const json_t *manifest, size_t npolicies, uint64_t events)
{
	printf("same: %zu polic%s, ", npolicies, npolicies == 1 ? "y" : "ies");
	if (events)
		printf("%" PRIu64 " events, ", events);
	printf("digest %s\n", json_string_value(json_object_get(manifest, "digest")));
}

static bool diff_runs(const char *dir_a, const char *dir_b, struct sim_error *err)
{
	json_t *a = manifest_of(dir_a, err), *b = a ? manifest_of(dir_b, err) : NULL;
	const json_t *list[2] = { json_object_get(a, "policies"), json_object_get(b, "policies") };
	uint64_t events = 0;
	bool same = b != NULL;

	if (b)
		print_inputs(dir_a, dir_b, a, b, err);
	for (size_t side = 0; b && side < 2; side++) {
		const json_t *entry;
		size_t i;

		json_array_foreach(list[side], i, entry) {
			const char *name = json_string_value(json_object_get(entry, "name"));
			const json_t *other = name ? by_name(list[!side], name) : NULL;
			uint64_t n = 0;

			if (sim_error_is_set(err) || !name)
				break;
			if (!other) {
				printf("%s: only in %s\n", name, side ? "B" : "A");
				same = false;
			} else if (side == 0) {
				same &= same_policy(dir_a, dir_b, entry, other, &n, err);
				events += n;
			}
		}
	}
	if (same && !sim_error_is_set(err))
		print_same(a, json_array_size(list[0]), events);
	json_decref(a);
	json_decref(b);
	return same;
}

static bool is_run(const char *path)
{
	char *manifest = sim_path_join(path, "manifest.json");
	bool is = sim_path_exists(manifest);

	free(manifest);
	return is;
}

static bool diff_traces(const char *arg_a, const char *arg_b, struct sim_error *err)
{
	char *a = sim_trace_path(arg_a, err), *b = a ? sim_trace_path(arg_b, err) : NULL;
	uint64_t n = 0;
	bool same = b && same_traces("trace", a, b, &n, err);

	if (same)
		printf("same: %" PRIu64 " events\n", n);
	free(a);
	free(b);
	return same;
}

int sim_cli_diff(int argc, const char **argv)
{
	const struct poptOption options[] = { POPT_AUTOHELP POPT_TABLEEND };
	poptContext ctx = poptGetContext("weir-sim", argc, argv, options, 0);
	struct sim_error err = { "" };
	const char *a = NULL, *b = NULL;
	bool same = false;

	poptSetOtherOptionHelp(ctx, "A B");
	if (sim_cli_options(ctx, options, &err)) {
		a = poptGetArg(ctx);
		b = a ? poptGetArg(ctx) : NULL;
		if (!b || poptPeekArg(ctx))
			sim_error_set(&err, "diff: two runs are needed: weir-sim diff A B (run "
				      "directories, or traces)");
	}
	if (!sim_error_is_set(&err))
		same = is_run(a) || is_run(b) ? diff_runs(a, b, &err) : diff_traces(a, b, &err);
	poptFreeContext(ctx);
	if (sim_error_is_set(&err))
		return sim_cli_error(SIM_EXIT_USAGE, "%s", err.text);
	return same ? SIM_EXIT_OK : SIM_EXIT_PROPERTY;
}
