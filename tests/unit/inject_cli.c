// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: weir-sim run on the inject scenario keeps its word to a user: the shipped scenarios break
 * no property and end with an answer, a planted mistake ends with exit code 1 and the command that
 * repeats it, and input that is wrong ends with exit code 2, one line that names the thing, and
 * nothing written; trace, diff and report work on what a run leaves.
 *
 * Method: run the program; look at exit code, streams and files.
 */
#include "program.h"

#define SCENARIO	WEIR_SOURCE_DIR "/examples/scenarios/inject.yaml"
#define RECORDED	WEIR_SOURCE_DIR "/examples/scenarios/inject-recorded.yaml"
/* Shorter than what is shipped, for what does not depend on it. */
#define SHORT		" -C workload.span_ns=10000000 -C workload.warmup_ns=1000000 "

/* A figure of a row of what --format json printed. */
static long figure(const char *policy, const char *metric)
{
	char key[64];
	const char *at;

	snprintf(key, sizeof(key), "\"policy\": \"%s\"", policy);
	at = strstr(out, key);
	assert_non_null(at);
	snprintf(key, sizeof(key), "\"%s\": ", metric);
	at = strstr(at, key);
	assert_non_null(at);
	return strtol(at + strlen(key), NULL, 10);
}

static void the_shipped_scenario_answers(void **state)
{
	static const char *const metrics[] = {
		"lpis_per_s", "iops", "context_switches_per_s", "hit_ratio", "survivors_hit",
		"latency_p50_ns", "latency_p99_ns", "latency_p999_ns", "host_ns_per_lpi",
		"lost_compute_vcpu_ns", "worker_cpu_ns", "coalesced", "lost", "invalidations",
		"evictions", "residency_max",
	};

	(void)state;
	assert_int_equal(sh(WEIR_SIM " run " SCENARIO " --out ok --format json"), 0);
	assert_string_equal(err, "");
	assert_int_equal(occurrences(out, "\"policy\""), 4);
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		assert_true(figure("weir", metrics[i]) >= 0);
	/* 72 interrupts: more than the list has room for, less than the others have */
	assert_int_equal(figure("none", "hit_ratio"), 0);
	assert_int_equal(figure("none", "residency_max"), 0);
	assert_int_equal(figure("list2019", "residency_max"), 64);
	assert_int_equal(figure("xarray2024", "residency_max"), 72);
	assert_int_equal(figure("weir", "residency_max"), 72);
	assert_true(figure("list2019", "evictions") > 0);
	assert_true(figure("weir", "survivors_hit") > 999000);
	assert_true(figure("weir", "iops") > figure("none", "iops"));
	for (unsigned int i = 0; i < 4; i++) {
		static const char *const names[] = { "none", "list2019", "xarray2024", "weir" };

		assert_int_equal(figure(names[i], "lost"), 0);
	}
	assert_int_equal(sh(WEIR_SIM " run " SCENARIO SHORT " --out table"), 0);
	assert_non_null(strstr(out, "What it buys: with weir "));
	assert_non_null(strstr(out, "What it costs: 72 entries in "));
}

static void a_run_can_be_read_again(void **state)
{
	(void)state;
	assert_int_equal(sh(WEIR_SIM " run " SCENARIO SHORT " --out a --quiet"), 0);
	assert_int_equal(sh(WEIR_SIM " run a/config.resolved.yaml --out b --quiet"), 0);
	assert_int_equal(sh(WEIR_SIM " diff a b"), 0);
	assert_non_null(strstr(out, "same: 4 policies"));
	assert_int_equal(sh(WEIR_SIM " trace a/weir >x && grep -c ' take vcpu=' x"), 0);
	assert_int_equal(sh(WEIR_SIM " report a && grep -c 'Interrupts that vCPUs took' "
			    "a/report.html && ! grep -q 'became dirty' a/report.html"), 0);
	assert_int_equal(sh(WEIR_SIM " run " SCENARIO SHORT " --seed 2 --out c --quiet"), 0);
	assert_int_equal(sh(WEIR_SIM " diff a c"), 1);
	assert_int_equal(sh(WEIR_SIM " list-params inject"), 0);
	assert_non_null(strstr(out, "cost.switch_ns"));
	assert_non_null(strstr(out, "its.cache_capacity"));
}

/* Numbers beside the picture of events are as far up as they say. */
static void numbers_stand_where_they_belong(void **state)
{
	long y, zero = 0, one = 0, n;
	unsigned int labels = 0;
	const char *at;

	(void)state;
	assert_int_equal(sh(WEIR_SIM " run " SCENARIO SHORT " --out few --quiet "
			    "-C policy.names=weir -C device.count=1 -C device.events=5"), 0);
	assert_int_equal(sh("grep -oE 'y=\"[0-9]+\" class=\"end\">[0-9]+<' few/report.html | "
			    "tr -cs 0-9 ' '"), 0);
	for (at = out; sscanf(at, " %ld %ld", &y, &n) == 2; labels++) {
		zero = n ? zero : y;
		one = n == 1 ? zero - y : one;
		assert_int_equal(zero - y, n * one);
		at = strchr(at + strspn(at, " "), ' ');
		at += strspn(at, " ");
		at += strcspn(at, " ");
	}
	assert_int_equal(labels, 5); /* 0, 1, 2, 3, 5 */
	assert_true(one > 0);
}

static void the_recorded_stream_is_replayed(void **state)
{
	(void)state;
	assert_int_equal(sh(WEIR_SIM " run " RECORDED " --out rec --format json"), 0);
	assert_int_equal(figure("weir", "lost"), 0);
	assert_int_equal(figure("weir", "refused"), 0);
	assert_true(figure("weir", "hit_ratio") > 990000);
	assert_int_equal(figure("none", "hit_ratio"), 0);
}

static void planted_mistakes_end_with_exit_code_1(void **state)
{
	static const char *const storm =
		"-C device.count=2 -C device.events=1 -C device.latency_ns=10000";
	/* a fill is stale when a move comes during its walk: that takes many moves */
	static const char *const mistakes[] = {
		"skip_invalidate=1 -C storm.movi_per_s=10000",
		"late_invalidate=1 -C storm.movi_per_s=10000",
		"stale_fill=1 -C storm.movi_per_s=100000",
	};
	static const char *const policies[] = { "list2019", "xarray2024", "weir" };
	static const struct {
		const char *mistake, *says;
	} others[] = {
		{ "wrong_code=1 -C policy.names=weir", "transparency: device 0x0 event 0: event "
		  "not mapped, without a cache done" },
		{ "overfull=1 -C policy.names=list2019", "residency: 65 entries, 64 is the bound" },
		{ "overfull=1 -C policy.names=weir -C its.cache_capacity=16",
		  "residency: 17 entries, 16 is the bound" },
		{ "wrong_table=1 -C policy.names=weir", "transparency: memory at 0x" },
		{ "wrong_table=1 -C policy.names=xarray2024 -C its.profile=kvm",
		  "transparency: memory at 0x" },
	};
	static char command[sizeof(out)];

	(void)state;
	for (unsigned int m = 0; m < 3; m++) {
		/* only weir walks without the mutex, and so can fill with what is stale */
		for (unsigned int p = m == 2 ? 2 : 0; p < 3; p++) {
			assert_int_equal(sh(WEIR_SIM " run " SCENARIO " %s -C break.%s "
					    "-C policy.names=%s --out bad --force", storm,
					    mistakes[m], policies[p]), 1);
			assert_non_null(strstr(err, "completion: LPI "));
			assert_non_null(strstr(err, "transparency: device "));
		}
	}
	/* the last line is a command that does it again */
	snprintf(command, sizeof(command), "%s", last_line(err));
	assert_non_null(strstr(command, "weir-sim run"));
	assert_int_equal(sh(EMULATOR " %s", command), 1);
	assert_non_null(strstr(err, "completion: LPI "));
	/* an ITS that is off */
	assert_int_equal(sh(WEIR_SIM " run " SCENARIO " --out off -C workload.kind=open "
			    "-C break.skip_invalidate=1 -C policy.names=weir "
			    "-C irqbalance.period_ns=0 -C reset.period_ns=1000000"), 1);
	assert_non_null(strstr(err, "after GITS_CTLR.Enabled was cleared"));
	/* what has nothing to do with invalidations: each is found by its own checker */
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_int_equal(sh(WEIR_SIM " run " SCENARIO SHORT "-C break.%s --out other "
				    "--force", others[i].mistake), 1);
		assert_non_null(strstr(err, others[i].says));
		assert_non_null(strstr(last_line(err), "weir-sim run"));
	}
	/* without a mistake the same is fine, and a design without a cache has nothing to break */
	assert_int_equal(sh(WEIR_SIM " run " SCENARIO " %s -C storm.movi_per_s=100000 --out good "
			    "--quiet", storm), 0);
	assert_int_equal(sh(WEIR_SIM " run " SCENARIO " %s --out none --quiet -C policy.names=none "
			    "-C break.%s", storm, mistakes[0]), 0);
}

static void wrong_input_is_one_line_and_nothing_written(void **state)
{
	static const struct {
		const char *args, *says;
	} cases[] = {
		{ "-C policy.names=none,lru", "policy.names: 'lru': no such policy, expected none, "
		  "list2019, list2024, xarray2024, weir" },
		{ "-C policy.names=weir,weir", "policy.names: weir twice, expected each once" },
		{ "-C policy.names=", "policy.names: '': no such policy" },
		{ "-C its.cache_capacity=0", "its.cache_capacity=0: must be 1.." },
		{ "-C guest.vcpus=0", "guest.vcpus=0: must be 1.." },
		{ "-C workload.trace=none.csv", "none.csv: " },
		{ "-C workload.trace=head.csv", "head.csv:1: first line, found 'time,op', expected "
		  "time_us,op,operands" },
		{ "-C workload.trace=op.csv", "op.csv:2: op, found 'mapx', expected an op of ITS "
		  "streams" },
		{ "-C workload.trace=empty.csv", "empty.csv: holds no event, expected one at "
		  "least" },
		{ "-C workload.trace=pe.csv", "pe.csv:2: PE 9, expected below 4 (guest.vcpus)" },
		{ "-C workload.trace=device.csv", "device.csv:2: device 70000, expected below "
		  "65536 (its.devbits)" },
		{ "-C workload.trace=lpi.csv", "lpi.csv:2: LPI, found 65536, expected "
		  "8192..65535 (its.intidbits)" },
		{ "-C workload.trace=spi.csv", "spi.csv:4: LPI, found 5, expected 8192..65535 "
		  "(its.intidbits)" },
		{ "-C workload.trace=mapi.csv", "mapi.csv:2: event, found 8191, expected "
		  "8192..65535 (its.intidbits)" },
		{ "-C workload.trace=far.csv", "far.csv:3: time_us, found 18446744073709551615, "
		  "expected at most 4611686018427387, 2^62 ns after the first" },
		{ "-C workload.trace=late.csv", "late.csv:3: op, found 'mapx', expected an op "
		  "of ITS streams" },
		{ "-C workload.trace=sync.csv", "sync.csv: maps and raises no event" },
		{ "-C workload.trace=stuck.csv -C its.stall=error", "stuck.csv:3: a command "
		  "stops the queue, and no guest of this scenario has a way on (its.stall=error)" },
		{ "-C its.held_events=31 -C its.profile=kvm -C device.count=8 -C device.events=4",
		  "its.held_events=31: device.count=8 with device.events=4 maps 32, must be at "
		  "least that" },
		{ "-C workload.trace=room.csv -C its.profile=kvm -C its.held_events=2",
		  "room.csv:9: one event more is mapped, expected at most 2 at once "
		  "(its.held_events)" },
		{ "-C its.v4=4.0 -C its.profile=kvm", "its.v4=4.0: needs its.state=memory" },
	};

	(void)state;
	write_file("head.csv", TEXT("time,op\n"));
	write_file("op.csv", TEXT("time_us,op,operands\n0,mapx,1\n"));
	write_file("empty.csv", TEXT("time_us,op,operands\n# nothing\n"));
	write_file("pe.csv", TEXT("time_us,op,operands\n0,mapc,9,9,1\n"));
	write_file("device.csv", TEXT("time_us,op,operands\n0,mapd,70000,4,0,1\n"));
	write_file("lpi.csv", TEXT("time_us,op,operands\n0,mapti,8,0,65536,0\n"));
	write_file("spi.csv", TEXT("time_us,op,operands\n0,mapd,1,5,0,1\n0,mapc,0,0,1\n"
				   "0,mapti,1,2,5,0\n0,msi,1,2\n"));
	write_file("mapi.csv", TEXT("time_us,op,operands\n0,mapi,8,8191,0\n"));
	write_file("far.csv", TEXT("time_us,op,operands\n0,msi,0,0\n"
				   "18446744073709551615,msi,0,0\n"));
	write_file("late.csv", TEXT("time_us,op,operands\n0,msi,0,0\n0,mapx,1\n"));
	write_file("sync.csv", TEXT("time_us,op,operands\n0,sync\n"));
	write_file("stuck.csv", TEXT("time_us,op,operands\n0,mapc,0,0,1\n0,movi,8,0,0\n"
				     "0,sync\n9,msi,8,0\n"));
	/* two at once, one of them gone, then two again, and one too many */
	write_file("room.csv", TEXT("time_us,op,operands\n0,mapd,1,5,0,1\n0,mapc,0,0,1\n"
				    "0,mapti,1,0,8192,0\n0,mapti,1,1,8193,0\n0,discard,1,0\n"
				    "0,mapti,1,2,8194,0\n0,msi,1,2\n0,mapti,1,3,8195,0\n"
				    "0,mapti,1,4,8196,0\n"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(sh(WEIR_SIM " run " SCENARIO " --out wrong %s", cases[i].args), 2);
		assert_int_equal(occurrences(err, "\n"), 1);
		if (!strstr(err, cases[i].says))
			fail_msg("%s: not: %s", err, cases[i].says);
		assert_string_equal(out, "");
		assert_int_not_equal(sh("test -e wrong"), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_shipped_scenario_answers),
		cmocka_unit_test(a_run_can_be_read_again),
		cmocka_unit_test(numbers_stand_where_they_belong),
		cmocka_unit_test(the_recorded_stream_is_replayed),
		cmocka_unit_test(planted_mistakes_end_with_exit_code_1),
		cmocka_unit_test(wrong_input_is_one_line_and_nothing_written),
	};

	return cmocka_run_group_tests_name("inject_cli", tests, program_set_up,
					   program_tear_down);
}
