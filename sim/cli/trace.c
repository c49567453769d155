// SPDX-License-Identifier: BSD-2-Clause
/*
 * trace.c - weir-sim trace: the events of a run, one a line, all or those that were asked for.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/cli/events.h"
#include "sim/engine/nearest.h"
#include "sim/report/run.h"

struct trace_options {
	const char **kinds;	/* NULL: all; else ends with NULL */
	const char *from_text, *to_text;
	uint64_t from_ns, to_ns;
};

/* Each --kind must be one that the trace describes. */
static bool kinds_exist(const struct trace_options *o, const struct sim_history_reader *reader,
			struct sim_error *err)
{
	const struct sim_history_kind *kind;

	for (size_t i = 0; o->kinds && o->kinds[i]; i++) {
		struct sim_nearest near;
		bool found = false;
		char hint[256];

		sim_nearest_init(&near, o->kinds[i]);
		for (uint32_t k = 0; (kind = sim_history_kind_at(reader, k)); k++) {
			found = found || strcmp(kind->name, o->kinds[i]) == 0;
			sim_nearest_offer(&near, kind->name);
		}
		sim_nearest_text(&near, hint, sizeof(hint));
		if (!found) {
			sim_error_set(err, "--kind=%.60s: no such kind of event in this trace%s",
				      o->kinds[i], hint);
			return false;
		}
	}
	return true;
}

static bool wanted(const struct trace_options *o, const struct sim_history_reader *reader,
		   const struct sim_record *record)
{
	const struct sim_history_kind *kind = sim_history_kind(reader, record->kind);

	if (record->time_ns < o->from_ns || record->time_ns > o->to_ns)
		return false;
	if (!o->kinds)
		return true;
	for (size_t i = 0; kind && o->kinds[i]; i++) {
		if (strcmp(kind->name, o->kinds[i]) == 0)
			return true;
	}
	return false;
}

static void print_trace(const struct trace_options *o, const char *path, struct sim_error *err)
{
	struct sim_history_reader *reader = sim_history_open(path, err);
	struct sim_record record;

	if (!reader)
		return;
	if (kinds_exist(o, reader, err)) {
		while (sim_history_next(reader, &record, err) == 1) {
			if (wanted(o, reader, &record))
				sim_event_print(reader, &record, stdout);
		}
	}
	sim_history_close(reader);
}

static const char *parse(int argc, const char **argv, poptContext *ctx, struct trace_options *o,
			 struct sim_error *err)
{
	const struct poptOption options[] = {
		{ "kind", 0, POPT_ARG_ARGV, &o->kinds, 0, "only this kind; may be repeated",
		  "NAME" },
		{ "from", 0, POPT_ARG_STRING, &o->from_text, 0, "from this time on", "NS" },
		{ "to", 0, POPT_ARG_STRING, &o->to_text, 0, "up to and with this time", "NS" },
		POPT_AUTOHELP
		POPT_TABLEEND
	};
	const char *arg;

	*ctx = poptGetContext("weir-sim", argc, argv, options, 0);
	poptSetOtherOptionHelp(*ctx, "DIR|FILE [OPTION...]");
	if (!sim_cli_options(*ctx, options, err))
		return NULL;
	if (o->from_text && !sim_cli_number("--from", o->from_text, UINT64_MAX, &o->from_ns, err))
		return NULL;
	if (o->to_text && !sim_cli_number("--to", o->to_text, UINT64_MAX, &o->to_ns, err))
		return NULL;
	arg = poptGetArg(*ctx);
	if (!arg || poptPeekArg(*ctx))
		sim_error_set(err, "trace: one trace is needed: weir-sim trace DIR|FILE");
	return arg;
}

int sim_cli_trace(int argc, const char **argv)
{
	struct trace_options o = { .to_ns = UINT64_MAX };
	struct sim_error err = { "" };
	poptContext ctx;
	const char *arg = parse(argc, argv, &ctx, &o, &err);
	char *path = sim_error_is_set(&err) ? NULL : sim_trace_path(arg, &err);

	if (path)
		print_trace(&o, path, &err);
	free(path);
	sim_cli_free_list(o.kinds);
	sim_cli_free_text(o.from_text);
	sim_cli_free_text(o.to_text);
	poptFreeContext(ctx);
	return sim_error_is_set(&err) ? sim_cli_error(SIM_EXIT_USAGE, "%s", err.text)
				      : SIM_EXIT_OK;
}
