// SPDX-License-Identifier: BSD-2-Clause
/*
 * migrate_note.c - the sentences under the table: which policy, and what does it cost.
 *
 * "Which" is the one that loses the guest least compute, of those that brought every page over; a
 * tie goes to the shorter blackout, then to the one that was named first. What it costs is said
 * against write protection, or against the first policy where that was not run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/scenario/migrate_internal.h"
#include "sim/scenario/scenario.h"

/* Microseconds or milliseconds with two decimals. */
static void text_ns(uint64_t ns, char buf[32])
{
	if (ns < 1000000)
		snprintf(buf, 32, "%" PRIu64 ".%02u us", ns / 1000, (unsigned int)(ns % 1000 / 10));
	else
		snprintf(buf, 32, "%" PRIu64 ".%02u ms", ns / 1000000,
			 (unsigned int)(ns % 1000000 / 10000));
}

static bool better(const struct migrate_result *a, const struct migrate_result *b)
{
	if (a->lost_total_ns != b->lost_total_ns)
		return a->lost_total_ns < b->lost_total_ns;
	return a->figures.blackout_ns < b->figures.blackout_ns;
}

static const struct migrate_result *find_best(const struct migrate_result *results, unsigned int n)
{
	const struct migrate_result *best = NULL;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (results[i].figures.equal && (!best || better(&results[i], best)))
			best = &results[i];
	}
	return best;
}

static const struct migrate_result *find_base(const struct migrate_result *results, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (results[i].policy->policy == WEIR_DIRTY_WP)
			return &results[i];
	}
	return &results[0];
}

static void write_answer(struct sim_run *run, const struct migrate_result *best,
			 const struct migrate_result *base)
{
	char lost[32], other[32], blackout[32], base_blackout[32];
	uint64_t mine = best->lost_total_ns, theirs = base->lost_total_ns;

	text_ns(mine, lost);
	text_ns(best->figures.blackout_ns, blackout);
	if (best == base) {
		sim_run_note(run, "Which one: %s. It loses the guest least, %s of vCPU time, with "
			     "a blackout of %s; it costs %" PRIu64 " write faults and reads %"
			     PRIu64 " descriptors.", best->policy->name, lost, blackout,
			     best->figures.faults, best->log.ptes_scanned);
		return;
	}
	text_ns(theirs, other);
	text_ns(base->figures.blackout_ns, base_blackout);
	sim_run_note(run, "Which one: %s. It loses the guest least, %s of vCPU time where %s loses "
		     "%s (%" PRIu64 " %% less), by taking %" PRIu64 " write faults instead of %"
		     PRIu64 ".", best->policy->name, lost, base->policy->name, other,
		     theirs ? (theirs - mine) * 100 / theirs : 0, best->figures.faults,
		     base->figures.faults);
	sim_run_note(run, "What it costs: %" PRIu64 " descriptors read in scans (%s: %" PRIu64
		     "), a blackout of %s (%s: %s), and %" PRIu64 " pages sent (%s: %" PRIu64 ").",
		     best->log.ptes_scanned, base->policy->name, base->log.ptes_scanned, blackout,
		     base->policy->name, base_blackout, best->figures.pages_sent,
		     base->policy->name, base->figures.pages_sent);
}

void migrate_write_notes(struct sim_run *run, const struct migrate_result *results,
			 unsigned int n)
{
	const struct migrate_result *best = find_best(results, n);
	unsigned int i;

	if (best)
		write_answer(run, best, find_base(results, n));
	else
		sim_run_note(run, "Which one: none; no policy brought the guest over whole.");
	for (i = 0; i < n; i++)
		migrate_auto_note(run, &results[i]);
	for (i = 0; i < n; i++) {
		const struct migrate_figures *f = &results[i].figures;

		if (f->outcome != MIGRATE_COMPLETED)
			sim_run_note(run, "%s did not converge in %" PRIu64 " rounds and was %s.",
				     results[i].policy->name, f->rounds,
				     f->outcome == MIGRATE_FORCED ? "switched over by force" :
				     f->outcome == MIGRATE_POSTCOPY ? "switched to post-copy" :
				     f->outcome == MIGRATE_CANCELLED ?
								      "cancelled" :
								      "ended by migrate.limit_ns");
	}
	sim_run_note(run, "A model, not a measurement: costs marked \"assumed\" in weir-sim "
		     "list-params have no published source.");
}
