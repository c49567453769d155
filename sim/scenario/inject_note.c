// SPDX-License-Identifier: BSD-2-Clause
/*
 * inject_note.c - the sentences under the table: what the cache buys, and what it costs.
 *
 * Said of `weir`, or of the last design if that was not run, against `none`, or against the first.
 */
#include "sim/scenario/inject_internal.h"

#include <inttypes.h>
#include <stdio.h>

#include "sim/report/format.h"

/* "+27.3 %", of @from. */
static void text_change(uint64_t from, uint64_t to, char buf[32])
{
	uint64_t difference = to > from ? to - from : from - to;
	uint64_t tenths = from ? (difference * 1000 + from / 2) / from : 0;

	snprintf(buf, 32, "%s%" PRIu64 ".%" PRIu64 " %%", to < from ? "-" : "+", tenths / 10,
		 tenths % 10);
}

static unsigned int find(const enum sim_its_design_kind *kinds, unsigned int n,
			 enum sim_its_design_kind kind, unsigned int otherwise)
{
	for (unsigned int i = 0; i < n; i++)
		if (kinds[i] == kind)
			return i;
	return otherwise;
}

static uint64_t percent_tenths(uint64_t part, uint64_t of)
{
	return of ? part * 1000 / of : 0;
}

static void write_gain(struct sim_run *run, const char *name, const char *base_name,
		       const struct inject_result *r, const struct inject_result *base, bool closed)
{
	char rate[SIM_FORMAT_BYTES], base_rate[SIM_FORMAT_BYTES], change[32];
	char latency[SIM_FORMAT_BYTES], base_latency[SIM_FORMAT_BYTES];
	char switches[SIM_FORMAT_BYTES], base_switches[SIM_FORMAT_BYTES];
	uint64_t mine = closed ? r->ios : r->lpis, theirs = closed ? base->ios : base->lpis;

	sim_format_count(inject_per_s(r, mine), rate);
	sim_format_count(inject_per_s(base, theirs), base_rate);
	text_change(inject_per_s(base, theirs), inject_per_s(r, mine), change);
	sim_format_value(r->latency_p50_ns, "ns", latency);
	sim_format_value(base->latency_p50_ns, "ns", base_latency);
	sim_format_count(inject_per_s(r, r->switches), switches);
	sim_format_count(inject_per_s(base, base->switches), base_switches);
	sim_run_note(run, "What it buys: with %s %s %s a second, with %s %s (%s); half of the "
		     "interrupts are in their handler within %s (%s: %s); %s context switches a "
		     "second (%s: %s).", name, rate, closed ? "requests" : "LPIs", base_name,
		     base_rate, change, latency, base_name, base_latency, switches, base_name,
		     base_switches);
}

static void write_price(struct sim_run *run, const struct inject_config *cfg, const char *name,
			enum sim_its_design_kind kind, const struct inject_result *r)
{
	const struct weir_xlate_config shape = {
		.capacity = cfg->design.capacity, .index = cfg->design.index,
	};
	char memory[SIM_FORMAT_BYTES] = "", walks[SIM_FORMAT_BYTES], inval[SIM_FORMAT_BYTES];
	uint64_t misses = r->lookups - r->hits;

	if (kind == SIM_ITS_WEIR)
		sim_format_value(weir_xlate_size(&shape), "bytes", memory);
	sim_format_count(misses, walks);
	sim_format_count(r->invalidations, inval);
	sim_run_note(run, "What it costs: %" PRIu64 " entries%s%s, %s invalidations, which come "
		     "before the command completes and forgot %" PRIu64 " entries one by one, and "
		     "%s interrupts that %s did not know (%" PRIu64 ".%" PRIu64 " %%).",
		     r->residency_max, memory[0] ? " in " : "", memory, inval, r->dropped, walks,
		     name, percent_tenths(misses, r->lookups) / 10,
		     percent_tenths(misses, r->lookups) % 10);
}

static void write_survivors(struct sim_run *run, const enum sim_its_design_kind *kinds,
			    const struct inject_result *results, unsigned int n)
{
	char text[256] = "";
	size_t len = 0;

	for (unsigned int i = 0; i < n; i++) {
		uint64_t tenths = percent_tenths(results[i].warm_hits, results[i].warm_lookups);

		if (kinds[i] == SIM_ITS_NONE || len >= sizeof(text))
			continue;
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s %" PRIu64 ".%" PRIu64
					" %%", len ? ", " : "", sim_its_design_names[kinds[i]],
					tenths / 10, tenths % 10);
	}
	if (len)
		sim_run_note(run, "Of interrupts that no command has named since they were last "
			     "translated, these hit: %s.", text);
}

void inject_write_notes(struct sim_run *run, const struct inject_config *cfg,
			const enum sim_its_design_kind *kinds,
			const struct inject_result *results, unsigned int n)
{
	unsigned int i = find(kinds, n, SIM_ITS_WEIR, n - 1);
	unsigned int base = find(kinds, n, SIM_ITS_NONE, 0);
	const char *name = sim_its_design_names[kinds[i]];

	if (i != base)
		write_gain(run, name, sim_its_design_names[kinds[base]], &results[i],
			   &results[base], cfg->load == INJECT_CLOSED);
	if (kinds[i] != SIM_ITS_NONE)
		write_price(run, cfg, name, kinds[i], &results[i]);
	write_survivors(run, kinds, results, n);
	sim_run_note(run, "A model, not a measurement: costs marked \"assumed\" in weir-sim "
		     "list-params inject have no published source.");
}
