// SPDX-License-Identifier: BSD-2-Clause
/*
 * inject2019.c - what the translation cache of 2019 gave guests with assigned devices: the figures
 * of its cover letter and of the replies to it, by the inject scenario, once without a cache and
 * once with the list; and the library in the list's place.
 *
 * What was published are changes, mostly; the machines were not (a ThunderX2 in one case). The
 * model of each row is a guest of inject2019_guests.c:
 *
 *   streams      devices interrupt at random times, half a million times a second in all
 *   fio          a closed loop: so many reads under way, each ends by an interrupt, and the handler
 *                starts the next. A gain is how many more of them end in a second
 *   compilation  a guest with other work, whose CPUs lose time to interrupts. It takes as much
 *                longer as its CPUs have less time for it
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

static void add_gain(struct experiment_run *run, enum experiment_kind kind, uint64_t published,
		     const struct three *three, const char *why, const char *what)
{
	experiment_count(run, kind, "per mille", published,
			 positive(inject2019_gain(&three->before, &three->after)), why,
			 "%s: more with the cache", what);
	experiment_note(run,
			"%s, a second: %" PRIu64 " without, %" PRIu64 " with the list, %" PRIu64
			" with weir",
			what, inject_per_s(&three->before, three->before.ios),
			inject_per_s(&three->after, three->after.ios),
			inject_per_s(&three->ours, three->ours.ios));
}

static bool streams(struct experiment_run *run)
{
	static const char *const why =
		"nothing else runs on the modelled host: no timers, no threads but the worker's";
	struct three s;

	if (!simulate_three(run, INJECT2019_STREAMS, "streams", &s))
		return false;
	experiment_count(run, EXPERIMENT_FITTED, "1/s", 500000,
			 inject_per_s(&s.before, s.before.msis), NULL, "interrupts (chosen)");
	experiment_count(run, EXPERIMENT_HELD_OUT, "1/s", 500000,
			 inject_per_s(&s.before, s.before.switches), NULL,
			 "context switches at that, without the cache");
	experiment_count(run, EXPERIMENT_HELD_OUT, "1/s", 2000,
			 inject_per_s(&s.after, s.after.switches), why,
			 "context switches at that, with it");
	experiment_count(run, EXPERIMENT_FIGURE, "1/s", 0, inject_per_s(&s.ours, s.ours.switches),
			 NULL, "context switches at that, weir");
	return true;
}

static bool drives(struct experiment_run *run)
{
	static const char *const why =
		"one queue at the drive's limit, and one vCPU: a slow interrupt ends several reads "
		"at once, which pays for most of itself. What drive, controller and guest it was "
		"is not known";
	struct inject_result host;
	struct three nvme, sata, seq;
	int64_t effect;

	if (!simulate_three(run, INJECT2019_NVME, "fio, NVMe", &nvme) ||
	    !simulate(run, INJECT2019_NVME_HOST, AFTER, &host) ||
	    !simulate_three(run, INJECT2019_SATA, "fio, SATA", &sata) ||
	    !simulate_three(run, INJECT2019_SEQUENTIAL, "fio, sequential", &seq))
		return false;
	add_gain(run, EXPERIMENT_FITTED, 270, &nvme, NULL, "NVMe, 4 KiB random reads");
	experiment_count(run, EXPERIMENT_HELD_OUT, "per mille", 800,
			 inject_per_s(&nvme.after, nvme.after.ios) * 1000 /
				 inject_per_s(&host, host.ios),
			 NULL, "NVMe, 4 KiB random reads: of the host's own");
	experiment_count(run, EXPERIMENT_HELD_OUT, "per mille", 230,
			 positive(inject2019_gain(&nvme.before, &nvme.after)), NULL,
			 "NVMe, two guests (which share nothing here): more with the cache");
	add_gain(run, EXPERIMENT_HELD_OUT, 340, &sata, why, "SATA, 4 KiB random reads");
	effect = inject2019_gain(&seq.before, &seq.after);
	experiment_count(run, EXPERIMENT_BOUND, "per mille", NO_EFFECT,
			 positive(effect > 0 ? effect : -effect), NULL,
			 "NVMe, 1 MiB sequential reads: more or less with the cache");
	return true;
}

static bool programs(struct experiment_run *run)
{
	struct three compile, memcached;

	if (!simulate_three(run, INJECT2019_COMPILE, "compilation", &compile) ||
	    !simulate_three(run, INJECT2019_MEMCACHED, "memcached", &memcached))
		return false;
	experiment_count(run, EXPERIMENT_FITTED, "per mille", 85,
			 positive(inject2019_time_saved(&compile.before, &compile.after)), NULL,
			 "kernel compilation: time saved (interrupts chosen for it)");
	experiment_count(run, EXPERIMENT_FIGURE, "per mille", 0,
			 positive(inject2019_time_saved(&compile.before, &compile.ours)), NULL,
			 "kernel compilation: time saved, weir");
	experiment_count(run, EXPERIMENT_FITTED, "requests/s", 180539,
			 inject_per_s(&memcached.after, memcached.after.ios), NULL,
			 "memcached, with the cache (its work a request chosen for it)");
	experiment_count(run, EXPERIMENT_HELD_OUT, "requests/s", 89076,
			 inject_per_s(&memcached.before, memcached.before.ios), NULL,
			 "memcached, without");
	experiment_count(run, EXPERIMENT_FIGURE, "requests/s", 0,
			 inject_per_s(&memcached.ours, memcached.ours.ios), NULL,
			 "memcached, weir");
	return true;
}

static bool run_inject2019(struct experiment_run *run)
{
	if (!streams(run) || !drives(run) || !programs(run))
		return false;
	experiment_note(run,
			"sums of %" PRIu64 " runs of 20 ms, each with other CPUs for the "
			"interrupts; costs are the inject scenario's times %" PRIu64 ".%02" PRIu64
			"; %" PRIu64 " ns a memcached request, %" PRIu64 " interrupts/s while "
			"compiling",
			sim_params_u64(run->params, "inject2019.runs"),
			inject2019_choice.percent / 100, inject2019_choice.percent % 100,
			inject2019_choice.memcached_io_ns, inject2019_choice.compile_msis_per_s);
	return true;
}

const struct experiment experiment_inject2019 = {
	.name = "inject2019",
	.summary = "what the cache of 2019 gave: switches, reads, a compilation, memcached",
	.source = "KVM arm64 ITS translation cache series (2019-06), cover letter and replies",
	.run = run_inject2019,
};
