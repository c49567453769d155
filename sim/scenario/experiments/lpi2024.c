// SPDX-License-Identifier: BSD-2-Clause
/*
 * lpi2024.c - LPIs a second, before and after the list gave way to a tree: the table of the 2024
 * series; the library in its place; and all three beside a guest that moves interrupts.
 *
 * Before is v6.8-rc1, which has the list with the reference of January 2024. Two facts about the
 * published test, from its later corrections (2025-10): the targets of its collections were not
 * encoded as the command wants them, so that all were vCPU 0; and interrupts stayed masked in the
 * guest, so that an LPI was pending from its first call on. Both are modelled as they were.
 */
#include "sim/scenario/experiments/lpi2024.h"

#include <inttypes.h>

#include "sim/scenario/experiments/list.h"

#define LIST SIM_ITS_LIST2024
#define TREE SIM_ITS_XARRAY2024
#define OURS SIM_ITS_WEIR

/* Calls of each thread at least; iterations that are not measured. */
#define CALLS_MIN 1000u
#define WARMUP	  2u

const struct lpi2024_row lpi2024_rows[LPI2024_NROWS] = {
	{1, 1, 1, 1000000, 2063297, 1362602, true},
	{16, 16, 16, 10000, 610678, 5200910, true},
	{16, 16, 17, 10000, 678362, 5890676, false},
	{32, 32, 1, 100000, 580919, 8304553, false},
	{1, 1, 17, 1000, 1512444, 1425954, false},
};

/* Picoseconds an LPI, at a rate. */
static uint64_t ps_each(uint64_t per_s)
{
	return UINT64_C(1000000000000) / per_s;
}

static const struct lpi2024_row *fitted_row(const struct lpi2024_row rows[LPI2024_NROWS],
					    bool one_stream)
{
	for (unsigned int i = 0; i < LPI2024_NROWS; i++)
		if (rows[i].fitted && (rows[i].ndevices == 1) == one_stream)
			return &rows[i];
	return NULL;
}

static uint64_t ns_less(uint64_t ps, uint64_t less_ps)
{
	return ps > less_ps ? (ps - less_ps + 500) / 1000 : 0;
}

void lpi2024_fit(const struct lpi2024_row rows[LPI2024_NROWS], const struct sim_params *params,
		 struct lpi2024_fit *fit)
{
	const struct lpi2024_row *one = fitted_row(rows, true), *many = fitted_row(rows, false);
	uint64_t lock = sim_params_u64(params, "stress.lock_ns") * 1000;
	uint64_t ref = sim_params_u64(params, "stress.ref_ns") * 1000;
	uint64_t scan = sim_params_u64(params, "stress.scan_ps");

	/* twice the lock, one entry; reference, its put, request, kick: four changes */
	fit->call_ns = ns_less(ps_each(one->before), 2 * lock + scan + 4 * ref);
	/* no node at index 0 alone, and the same four changes */
	fit->bus_ns = ns_less(ps_each(one->after), fit->call_ns * 1000 + 4 * ref);
	/* under the lock: all entries, reference and put; each time from another CPU */
	fit->handoff_ns = ns_less(ps_each(many->before),
				  2 * lock + many->ndevices * many->nevents * scan + 2 * ref) /
			  2;
	fit->line_ns = ns_less(ps_each(many->after), 0) / 2;
}

static struct stress_setup setup_of(const struct experiment_run *run,
				    const struct lpi2024_row *row, enum sim_its_design_kind kind)
{
	uint64_t scale = sim_params_u64(run->params, "lpi2024.scale");
	uint64_t least = CALLS_MIN / row->nevents + 1;
	struct stress_setup setup = {
		.nvcpus = row->nvcpus,
		.ndevices = row->ndevices,
		.nevents = row->nevents,
		.iterations = row->iterations / scale,
		.warmup = WARMUP,
		.kind = kind,
		.bus = true,
		.entries = (uint32_t)sim_params_u64(run->params, "lpi2024.entries"),
	};

	if (setup.iterations < least)
		setup.iterations = row->iterations < least ? row->iterations : least;
	return setup;
}

static bool simulate(struct experiment_run *run, const struct stress_setup *setup,
		     struct stress_result *result)
{
	if (!stress_run(setup, run->params, result, run->err))
		return false;
	if (result->wrong)
		experiment_fail(run, "transparency: %" PRIu64 " hits of %s are not what the tables "
				     "say", result->wrong, sim_its_design_names[setup->kind]);
	if (result->unsignalled)
		experiment_fail(run, "%" PRIu64 " LPIs were signalled and are not pending (%s)",
				result->unsignalled, sim_its_design_names[setup->kind]);
	return true;
}

static void note_change(struct experiment_run *run, const struct lpi2024_row *row,
			uint64_t before, uint64_t after)
{
	int64_t published = (int64_t)(row->after * 1000 / row->before) - 1000;
	int64_t simulated = (int64_t)(after * 1000 / before) - 1000;

	experiment_note(run,
			"-v%u -d%u -e%u: the tree against the list, published %+" PRId64
			" per mille, simulated %+" PRId64,
			row->nvcpus, row->ndevices, row->nevents, published, simulated);
}

static bool published_rows(struct experiment_run *run)
{
	for (unsigned int i = 0; i < LPI2024_NROWS; i++) {
		const struct lpi2024_row *row = &lpi2024_rows[i];
		enum experiment_kind kind = row->fitted ? EXPERIMENT_FITTED : EXPERIMENT_HELD_OUT;
		struct stress_setup before = setup_of(run, row, LIST);
		struct stress_setup after = setup_of(run, row, TREE);
		struct stress_result b, a;

		if (!simulate(run, &before, &b) || !simulate(run, &after, &a))
			return false;
		experiment_count(run, kind, "LPIs/s", row->before, stress_rate(&b), NULL,
				 "-v%u -d%u -e%u: before, the list", row->nvcpus, row->ndevices,
				 row->nevents);
		experiment_count(run, kind, "LPIs/s", row->after, stress_rate(&a), NULL,
				 "-v%u -d%u -e%u: after, the tree", row->nvcpus, row->ndevices,
				 row->nevents);
		if (row->ndevices == 1)
			note_change(run, row, stress_rate(&b), stress_rate(&a));
	}
	return true;
}

static uint64_t ns_each(const struct stress_result *result)
{
	return result->span_ns / result->lpis;
}

/* The library in the same rows; at one stream also behind the published way to the ITS. */
static bool our_rows(struct experiment_run *run)
{
	static const char *const why_bus = "the published way to the ITS (SRCU and a search of "
					   "the bus) is most of what the tree lost at one stream";
	static const char *const why_bound =
		"more events than entries (16 a vCPU): some calls walk; the tree has no bound";

	for (unsigned int i = 0; i < LPI2024_NROWS; i++) {
		const struct lpi2024_row *row = &lpi2024_rows[i];
		bool one = row->ndevices == 1;
		struct stress_setup list = setup_of(run, row, LIST), tree = list, ours = list;
		struct stress_result l, t, o, bus;

		tree.kind = TREE;
		ours.kind = OURS;
		if (!simulate(run, &list, &l) || !simulate(run, &tree, &t) ||
		    !simulate(run, &ours, &bus))
			return false;
		ours.bus = false;
		if (!simulate(run, &ours, &o))
			return false;
		experiment_count(run, EXPERIMENT_FIGURE, "LPIs/s", 0, stress_rate(&o), NULL,
				 "-v%u -d%u -e%u: weir", row->nvcpus, row->ndevices, row->nevents);
		experiment_row(run, EXPERIMENT_BOUND, ns_each(one ? &l : &t), ns_each(&o),
			       why_bound, "-v%u -d%u -e%u: weir, time an LPI; bound: the %s's",
			       row->nvcpus, row->ndevices, row->nevents, one ? "list" : "tree");
		if (one)
			experiment_row(run, EXPERIMENT_BOUND, ns_each(&l), ns_each(&bus), why_bus,
				       "-v%u -d%u -e%u: weir behind the bus; bound: the list's",
				       row->nvcpus, row->ndevices, row->nevents);
	}
	return true;
}

/* Each collection on its vCPU, as the test was meant. */
static bool spread_rows(struct experiment_run *run)
{
	static const enum sim_its_design_kind kinds[] = {LIST, TREE, OURS};

	for (unsigned int i = 0; i < 3; i++) {
		struct stress_setup setup = setup_of(run, &lpi2024_rows[3], kinds[i]);
		struct stress_result r;

		setup.spread = true;
		setup.bus = kinds[i] != OURS;
		if (!simulate(run, &setup, &r))
			return false;
		experiment_count(run, EXPERIMENT_FIGURE, "LPIs/s", 0, stress_rate(&r), NULL,
				 "-v32 -d32 -e1, each LPI on a vCPU of its own: %s",
				 sim_its_design_names[kinds[i]]);
	}
	return true;
}

static bool storm(struct experiment_run *run, enum sim_its_design_kind kind, uint64_t per_s,
		  uint64_t quiet_rate)
{
	const char *name = sim_its_design_names[kind];
	struct stress_setup setup = setup_of(run, &lpi2024_rows[1], kind);
	struct stress_result r;

	setup.bus = kind != OURS;
	setup.movi_period_ns = UINT64_C(1000000000) / per_s;
	if (!simulate(run, &setup, &r))
		return false;
	experiment_count(run, EXPERIMENT_FIGURE, "LPIs/s", 0, stress_rate(&r), NULL,
			 "-v16 -d16 -e16, %" PRIu64 " MOVI/s: %s", per_s, name);
	if (kind == OURS)
		experiment_count(run, EXPERIMENT_BOUND, "per mille", 50,
				 1000 - r.hits * 1000 / r.lpis, NULL,
				 "-v16 -d16 -e16, %" PRIu64 " MOVI/s: %s, misses", per_s, name);
	experiment_note(run,
			"%s, %" PRIu64 " MOVI/s: %" PRIu64 " %% of the rate without, hits %" PRIu64
			".%" PRIu64 " %%, %" PRIu64 " entries forgotten a command",
			name, per_s, stress_rate(&r) * 100 / quiet_rate, r.hits * 100 / r.lpis,
			r.hits * 1000 / r.lpis % 10, r.movis ? r.dropped / r.movis : 0);
	return true;
}

static bool storm_rows(struct experiment_run *run)
{
	static const enum sim_its_design_kind kinds[] = {LIST, TREE, OURS};
	static const uint64_t rates[] = {100, 1000, 10000};

	for (unsigned int i = 0; i < 3; i++) {
		struct stress_setup setup = setup_of(run, &lpi2024_rows[1], kinds[i]);
		struct stress_result quiet;

		setup.bus = kinds[i] != OURS;
		if (!simulate(run, &setup, &quiet))
			return false;
		for (unsigned int j = 0; j < 3; j++)
			if (!storm(run, kinds[i], rates[j], stress_rate(&quiet)))
				return false;
	}
	return true;
}

static bool run_lpi2024(struct experiment_run *run)
{
	if (!published_rows(run) || !our_rows(run) || !spread_rows(run) || !storm_rows(run))
		return false;
	experiment_note(run,
			"iterations divided by %" PRIu64 ", but at least %u calls of each thread; "
			"the first %u iterations are not measured",
			sim_params_u64(run->params, "lpi2024.scale"), CALLS_MIN, WARMUP);
	experiment_note(run,
			"weir finds its ITS by the doorbell and holds pointers that a grace period "
			"protects: no bus, no references; it has as many entries as the list");
	return true;
}

const struct experiment experiment_lpi2024 = {
	.name = "lpi2024",
	.summary = "LPIs a second: the list, the tree of 2024, weir; and beside a guest that moves "
		   "interrupts",
	.source = "KVM arm64 LPI translation cache series (2024-04), vgic_lpi_stress",
	.run = run_lpi2024,
};
