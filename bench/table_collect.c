// SPDX-License-Identifier: BSD-2-Clause
/*
 * table_collect.c - the ways to keep a dirty log, side by side: for each density of writes a table
 * with a row for each case of dirty/collect.
 *
 * Each case changes the leaves for itself, so that two cannot be kept ready at once: all are run in
 * turn, PASSES times, and the medians are over all passes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "dirty_collect.h"

#define PASSES	3u
#define RUNS_MAX	999u
#define PEERS_MAX	32u

#define PREFIX	"dirty/collect/"

struct row {
	const struct bench_case *c;
	struct collect_note note;
	double ns[RUNS_MAX + PASSES];
	unsigned int n;
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void run_some(struct row *row, unsigned int runs)
{
	void *state = row->c->impl->setup(&row->c->params);

	for (; runs; runs--) {
		uint64_t ns = 0;

		(void)bench_timed_run(row->c, state, &ns);
		row->ns[row->n++] = (double)ns;
	}
	row->note = *bench_collect_note(state);
	row->c->impl->teardown(state);
}

static void print(struct row *row)
{
	double pages = (double)row->note.pages, ns;
	double ptes = (double)((uint64_t)row->c->params.region_gib << 18);

	qsort(row->ns, row->n, sizeof(row->ns[0]), compare);
	ns = row->ns[row->n / 2u];
	printf("%-38s %10.3f %10.2f %10.3f %10.2f %10" PRIu64 " %10" PRIu64 "\n", row->c->name,
	       (double)row->note.faults / pages, ns / pages, ns / ptes,
	       (double)row->note.ptes / pages, row->note.tlbis, row->note.false_positives);
}

static void density(uint32_t ppm, unsigned int reps, const regex_t *filter)
{
	static struct row rows[PEERS_MAX];
	const struct bench_case *cases;
	size_t ncases, n = 0, i;
	unsigned int pass;

	cases = bench_cases(&ncases);
	for (i = 0; i < ncases && n < PEERS_MAX; i++) {
		char text[BENCH_NAME_BYTES + 8];

		if (strncmp(cases[i].name, PREFIX, strlen(PREFIX)) ||
		    cases[i].params.dirty_ppm != ppm)
			continue;
		snprintf(text, sizeof(text), "peers %s", cases[i].name);
		if (regexec(filter, text, 0, NULL, 0))
			continue;
		rows[n].c = &cases[i];
		rows[n++].n = 0;
	}
	if (!n)
		return;
	for (pass = 0; pass < PASSES; pass++)
		for (i = 0; i < n; i++)
			run_some(&rows[i], (reps + PASSES - 1u) / PASSES);
	printf("\n%-38s %10s %10s %10s %10s %10s %10s\n", "peers: a round", "faults/pg", "ns/page",
	       "ns/PTE", "PTEs/page", "TLBIs", "false pos.");
	for (i = 0; i < n; i++)
		print(&rows[i]);
	fflush(stdout);
}

void bench_table_collect(unsigned int reps, const regex_t *filter)
{
	const struct bench_case *cases;
	uint32_t last = 0;
	size_t n, i;

	cases = bench_cases(&n);
	for (i = 0; i < n; i++) {
		if (strncmp(cases[i].name, PREFIX, strlen(PREFIX)) ||
		    cases[i].params.dirty_ppm == last)
			continue;
		last = cases[i].params.dirty_ppm;
		density(last, reps, filter);
	}
}
