// SPDX-License-Identifier: BSD-2-Clause
/*
 * inject2019.c - what the translation cache of 2019 gave guests with assigned devices: the figures
 * of its cover letter and of the replies to it, by the inject scenario, once without a cache and
 * once with the list; and the library in the list's place.
 *
 * What was published are changes, mostly. The model of each is a guest of inject2019_guests.c:
 *
 *   streams      the host injects interrupts, half a million times a second in all
 *   fio          a closed loop: so many reads under way, each ends by an interrupt, and the handler
 *                starts the next. A gain is how many more of them end in a second. The guest shares
 *                the CPUs with a compilation on the host, or with a second guest
 *   compilation  busy threads of the host. It takes as much longer as they have less of the CPUs
 *   memcached    a closed loop whose requests are work for the guest: its CPUs are never idle
 *
 * A gain is judged by itself, not by the rates: 27 % more against 20 % more is an error of a
 * quarter, and not of a twentieth.
 */
#include "sim/scenario/experiments/inject2019.h"

#include <inttypes.h>

#include "sim/scenario/experiments/list.h"

#define BEFORE SIM_ITS_NONE
#define AFTER  SIM_ITS_LIST2019
#define OURS   SIM_ITS_WEIR

#define NO_EFFECT 10 /* per mille */

struct three {
	struct inject_result before, after, ours;
};

static bool simulate(struct experiment_run *run, enum inject2019_guest guest,
		     enum sim_its_design_kind kind, struct inject_result *result)
{
	const char *name = sim_its_design_names[kind];

	if (!inject2019_run(guest, &inject2019_choice, kind,
			    sim_params_u64(run->params, "inject2019.runs"),
			    sim_params_str(run->params, "inject2019.settings"), result, run->err))
		return false;
	if (result->violations)
		experiment_fail(run, "%" PRIu64 " violations of the checkers (%s)",
				result->violations, name);
	if (result->lost)
		experiment_fail(run, "%" PRIu64 " interrupts were lost (%s)", result->lost, name);
	return true;
}

static bool simulate_three(struct experiment_run *run, enum inject2019_guest guest,
			   const char *what, struct three *three)
{
	if (run->progress)
		run->progress(run->ctx, what, guest, INJECT2019_GUESTS);
	return simulate(run, guest, BEFORE, &three->before) &&
	       simulate(run, guest, AFTER, &three->after) &&
	       simulate(run, guest, OURS, &three->ours);
}

static uint64_t positive(int64_t value)
{
	return value > 0 ? (uint64_t)value : 0;
}

static uint64_t first_rate(const struct inject_result *r)
{
	return inject_per_s(r, r->ios - r->second_ios);
}

static uint64_t second_rate(const struct inject_result *r)
{
	return inject_per_s(r, r->second_ios);
}

static void add_gain(struct experiment_run *run, enum experiment_kind kind, uint64_t published,
		     const struct three *three, uint64_t (*rate)(const struct inject_result *r),
		     const char *what)
{
	uint64_t before = rate(&three->before), after = rate(&three->after);

	experiment_count(run, kind, "per mille", published,
			 positive(inject2019_gain(before, after)), NULL, "%s: more with the cache",
			 what);
	experiment_note(run,
			"%s, a second: %" PRIu64 " without, %" PRIu64 " with the list, %" PRIu64
			" with weir",
			what, before, after, rate(&three->ours));
}

static bool streams(struct experiment_run *run)
{
	struct three s;

	if (!simulate_three(run, INJECT2019_STREAMS, "streams", &s))
		return false;
	experiment_count(run, EXPERIMENT_FITTED, "1/s", 500000,
			 inject_per_s(&s.before, s.before.msis), NULL, "interrupts (chosen)");
	experiment_count(run, EXPERIMENT_HELD_OUT, "1/s", 500000,
			 inject_per_s(&s.before, s.before.switches), NULL,
			 "context switches at that, without the cache");
	experiment_count(run, EXPERIMENT_FITTED, "1/s", 2000,
			 inject_per_s(&s.after, s.after.switches), NULL,
			 "context switches at that, with it (housekeeping chosen for it)");
	experiment_count(run, EXPERIMENT_FIGURE, "1/s", 0, inject_per_s(&s.ours, s.ours.switches),
			 NULL, "context switches at that, weir");
	return true;
}

/* Four vCPUs on four cores, beside a compilation; the compilation; the host's own fio beside it. */
static bool beside_a_compilation(struct experiment_run *run)
{
	struct inject_result host;
	struct three nvme, seq;
	int64_t effect;

	if (!simulate_three(run, INJECT2019_NVME, "fio and a compilation", &nvme) ||
	    !simulate(run, INJECT2019_NVME_HOST, AFTER, &host) ||
	    !simulate_three(run, INJECT2019_SEQUENTIAL, "fio, sequential", &seq))
		return false;
	add_gain(run, EXPERIMENT_HELD_OUT, 270, &nvme, first_rate,
		 "NVMe beside a compilation, 4 KiB random reads");
	experiment_count(run, EXPERIMENT_HELD_OUT, "per mille", 800,
			 first_rate(&nvme.after) * 1000 / first_rate(&host), NULL,
			 "NVMe beside a compilation: of the host's own");
	experiment_count(run, EXPERIMENT_HELD_OUT, "per mille", 85,
			 positive(inject2019_time_saved(&nvme.before, &nvme.after)), NULL,
			 "the compilation on the host: time saved");
	experiment_count(run, EXPERIMENT_FIGURE, "per mille", 0,
			 positive(inject2019_time_saved(&nvme.before, &nvme.ours)), NULL,
			 "the compilation on the host: time saved, weir");
	effect = inject2019_gain(first_rate(&seq.before), first_rate(&seq.after));
	experiment_count(run, EXPERIMENT_BOUND, "per mille", NO_EFFECT,
			 positive(effect > 0 ? effect : -effect), NULL,
			 "NVMe, 1 MiB sequential reads: more or less with the cache");
	return true;
}

static bool two_guests(struct experiment_run *run)
{
	struct three two, alone;

	if (!simulate_three(run, INJECT2019_TWO, "fio in two guests", &two) ||
	    !simulate_three(run, INJECT2019_ALONE, "fio alone", &alone))
		return false;
	add_gain(run, EXPERIMENT_FITTED, 230, &two, first_rate,
		 "two guests, NVMe, 4 KiB random reads");
	add_gain(run, EXPERIMENT_HELD_OUT, 340, &two, second_rate,
		 "two guests, SATA, 4 KiB random reads");
	add_gain(run, EXPERIMENT_FIGURE, 0, &alone, first_rate,
		 "one guest alone, NVMe, 4 KiB random reads");
	return true;
}

static bool memcached(struct experiment_run *run)
{
	struct three m;

	if (!simulate_three(run, INJECT2019_MEMCACHED, "memcached", &m))
		return false;
	experiment_count(run, EXPERIMENT_FITTED, "requests/s", 180539,
			 first_rate(&m.after), NULL,
			 "memcached, with the cache (its work a request chosen for it)");
	experiment_count(run, EXPERIMENT_HELD_OUT, "requests/s", 89076, first_rate(&m.before),
			 NULL, "memcached, without");
	experiment_count(run, EXPERIMENT_FIGURE, "requests/s", 0, first_rate(&m.ours), NULL,
			 "memcached, weir");
	return true;
}

static bool run_inject2019(struct experiment_run *run)
{
	const struct inject2019_choice *choice = &inject2019_choice;

	if (!streams(run) || !beside_a_compilation(run) || !two_guests(run) || !memcached(run))
		return false;
	experiment_note(run,
			"sums of %" PRIu64 " runs, each with other CPUs for the interrupts; "
			"chosen: %" PRIu64 " ns a switch where CPUs are busy, "
			"%" PRIu64 " wake-ups/s of a CPU, %" PRIu64 " ns a memcached request",
			sim_params_u64(run->params, "inject2019.runs"), choice->switch_ns,
			choice->wakeups_per_s, choice->memcached_io_ns);
	return true;
}

const struct experiment experiment_inject2019 = {
	.name = "inject2019",
	.summary = "what the cache of 2019 gave: switches, reads, a compilation, memcached",
	.source = "KVM arm64 ITS translation cache series (2019-06), cover letter and replies",
	.run = run_inject2019,
};
