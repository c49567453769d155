// SPDX-License-Identifier: BSD-2-Clause
/*
 * import.c - weir-sim import: another program's recording, as a stream of this one, on standard
 * output. What the stream has no place for is counted in remarks at its end. A recording that is
 * bad anywhere prints nothing, so the stream waits in memory until its end is seen.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/engine/error.h"
#include "sim/report/run.h"
#include "sim/trace/qemu_log.h"

static void put_others(const struct sim_qemu_log *log, FILE *out)
{
	uint64_t count;

	for (size_t i = 0; i < sim_qemu_log_nothers(log); i++) {
		const char *name = sim_qemu_log_other(log, i, &count);

		fprintf(out, "# other %s %" PRIu64 "\n", name, count);
	}
	if (sim_qemu_log_steps_back(log))
		fprintf(out, "# time stepped back %" PRIu64 "\n", sim_qemu_log_steps_back(log));
}

static bool import_qemu_log(const char *path, FILE *out, struct sim_error *err)
{
	struct sim_qemu_log *log = sim_qemu_log_open(path, err);
	struct sim_its_event event;
	int more;

	if (!log)
		return false;
	sim_its_stream_head(out);
	while ((more = sim_qemu_log_next(log, &event, err)) > 0)
		sim_its_stream_put(&event, out);
	if (more == 0)
		put_others(log, out);
	sim_qemu_log_close(log);
	return more == 0;
}

static const struct format {
	const char *name;
	bool (*import)(const char *path, FILE *out, struct sim_error *err);
} formats[] = {
	{ "qemu-log", import_qemu_log },
};

static const struct format *find(const char *name, struct sim_error *err)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(name, formats[i].name) == 0)
			return &formats[i];
	sim_error_set(err, "import %.60s: no such format: must be qemu-log", name);
	return NULL;
}

static bool import(const struct format *format, const char *path, struct sim_error *err)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	bool ok;

	sim_assert(out);
	ok = format->import(path, out, err);
	fclose(out);
	if (ok)
		fwrite(text, 1, len, stdout);
	free(text);
	return ok;
}

int sim_cli_import(int argc, const char **argv)
{
	const struct poptOption options[] = { POPT_AUTOHELP POPT_TABLEEND };
	poptContext ctx = poptGetContext("weir-sim", argc, argv, options, 0);
	struct sim_error err = { "" };
	const struct format *format = NULL;
	const char *name, *path = NULL;
	bool ok = false;

	poptSetOtherOptionHelp(ctx, "qemu-log FILE");
	if (sim_cli_options(ctx, options, &err)) {
		name = poptGetArg(ctx);
		path = poptGetArg(ctx);
		if (name && path && !poptPeekArg(ctx))
			format = find(name, &err);
		else
			sim_error_set(&err, "import: a format and a file are needed: "
					    "weir-sim import qemu-log FILE");
	}
	if (format)
		ok = import(format, path, &err);
	poptFreeContext(ctx);
	return ok || !sim_error_is_set(&err) ? SIM_EXIT_OK :
					       sim_cli_error(SIM_EXIT_USAGE, "%s", err.text);
}
