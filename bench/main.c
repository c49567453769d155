// SPDX-License-Identifier: BSD-2-Clause
/*
 * main.c - weir-bench: the options that Google Benchmark does not know, and the selection of cases
 * by their published names.
 */
#include <getopt.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "dirty_world.h"
#include "peers/xlate_peers.h"

static const char usage[] =
	"usage: weir-bench [--shuffled] [--alone] [--benchmark_filter=REGEX] [--benchmark_...]\n"
	"       weir-bench [--shuffled] [--alone] --table[=REGEX] [--reps=N]\n"
	"\n"
	"  --table       measure the targets: what is compared runs in turn, N times (default 9),\n"
	"                and the ratios of the medians are printed. REGEX chooses rows.\n"
	"                Exit code 1 if a target is missed.\n"
	"  --shuffled    last-level tables in random order in memory, instead of in sequence\n"
	"  --alone       while a run is timed, keep a second CPU from other work (by real-time\n"
	"                priority, if that is permitted)\n"
	"\n"
	"Without --table it is a Google Benchmark program, and takes that library's options.\n"
	"Names: module/operation/implementation/parameters, see docs/bench.md.\n";

static regex_t filter;
static bool filtering, inverted;

static bool selected(const char *name)
{
	return !filtering || (regexec(&filter, name, 0, NULL, 0) == 0) != inverted;
}

/* As Google Benchmark: a regular expression anywhere in the name, "-" before it negates. */
static bool set_filter(const char *regex)
{
	inverted = regex[0] == '-';
	filtering = *regex && strcmp(regex, "all") != 0;
	if (!filtering || !regcomp(&filter, regex + inverted, REG_EXTENDED | REG_NOSUB))
		return true;
	fprintf(stderr, "weir-bench: --benchmark_filter=%s: not a regular expression\n", regex);
	return false;
}

static void list(void)
{
	const struct bench_case *cases;
	size_t n, i;

	cases = bench_cases(&n);
	for (i = 0; i < n; i++)
		if (selected(cases[i].name))
			puts(cases[i].name);
}

static void tell_missing(void)
{
	const struct bench_case *cases;
	size_t n, i;

	cases = bench_cases(&n);
	for (i = 0; i < n; i++)
		if (cases[i].impl->missing)
			fprintf(stderr, "weir-bench: %s: missing, was built without %s\n",
				cases[i].name, cases[i].impl->missing);
}

/* The value of option `name` in arg ("" for a bare one), or NULL if arg is another option. */
static const char *option(const char *arg, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(arg, name, n))
		return NULL;
	return arg[n] == '=' ? arg + n + 1 : arg[n] ? NULL : arg + n;
}

int main(int argc, char **argv)
{
	bool table = false, listing = false, alone = false;
	const char *only = "", *value;
	unsigned int reps = 9;
	int i, kept = 1;

	for (i = 1; i < argc; i++) {
		if ((value = option(argv[i], "--table"))) {
			table = true;
			only = value;
		} else if ((value = option(argv[i], "--reps"))) {
			reps = (unsigned int)strtoul(value, NULL, 10);
			if (!reps || reps > 999u) {
				fprintf(stderr, "weir-bench: --reps=%s: must be 1..999\n", value);
				return 2;
			}
		} else if (option(argv[i], "--shuffled")) {
			world_shuffle(true);
		} else if (option(argv[i], "--alone")) {
			alone = true;
		} else if (option(argv[i], "--help")) {
			fputs(usage, stdout);
			return 0;
		} else if ((value = option(argv[i], "--benchmark_filter"))) {
			if (!set_filter(value))
				return 2;
		} else if ((value = option(argv[i], "--benchmark_list_tests"))) {
			listing = strcmp(value, "false") != 0;
		} else {
			argv[kept++] = argv[i];
		}
	}
	argv[kept] = NULL;
	bench_dirty_harvest();
	bench_dirty_parallel();
	bench_dirty_collect();
	bench_dirty_get();
	bench_dirty_write();
	bench_dirty_rearm();
	bench_xlate_hit();
	bench_xlate_change();
	bench_xlate_bare();
	bench_xlate_list();
	bench_xlate_radix();
	bench_xlate_rculfhash();
	bench_xlate_ck();
	bench_sim_events();
	if (listing) {
		list();
		return 0;
	}
	tell_missing();
	bench_alone(alone);
	if (!table)
		return bench_google(kept, argv, selected);
	if (kept > 1) {
		fprintf(stderr, "weir-bench: %s: not an option of --table\n", argv[1]);
		return 2;
	}
	return bench_table(reps, only, alone);
}
