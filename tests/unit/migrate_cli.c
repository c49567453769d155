// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: weir-sim run on the migrate scenario keeps its word to a user: the shipped scenario's rows
 * are right, a planted mistake ends with exit code 1 and the command that repeats it, and input
 * that is wrong in any way ends with exit code 2, one line that names the thing, and nothing
 * written.
 *
 * Method: run the program; look at exit code, streams and files.
 */
#include "program.h"

#include <sys/stat.h>

#define SCENARIO	WEIR_SOURCE_DIR "/examples/scenarios/migrate.yaml"
#define TRACE		WEIR_SOURCE_DIR "/examples/traces/pagewr-redis-set.csv.zst"

static void the_shipped_scenario_loses_nothing(void **state)
{
	(void)state;
	assert_int_equal(sh(WEIR_SIM " run " SCENARIO " --out ok --format json"), 0);
	assert_int_equal(occurrences(out, "\"policy\""), 4);
	assert_non_null(strstr(out, "\"wp\""));
	assert_non_null(strstr(out, "\"dbm_all\""));
	assert_non_null(strstr(out, "\"fixed64\""));
	assert_non_null(strstr(out, "\"adaptive\""));
	assert_int_equal(occurrences(out, "\"lost_pages\": 0,") +
			 occurrences(out, "\"lost_pages\":0,"), 4);
	assert_int_equal(occurrences(out, "\"memory_equal\": true") +
			 occurrences(out, "\"memory_equal\":true"), 4);
	assert_string_equal(err, "");
	/* from what it wrote down, the same again */
	assert_int_equal(sh(WEIR_SIM " run ok/config.resolved.yaml --out again --quiet && "
			    "grep digest ok/manifest.json >x && grep digest again/manifest.json >y "
			    "&& cmp x y"), 0);
	/* the table ends with an answer */
	assert_int_equal(sh(WEIR_SIM " run " SCENARIO " --out table"), 0);
	assert_non_null(strstr(out, "Which one: "));
}

static void planted_mistakes_end_with_exit_code_1(void **state)
{
	static const char *const skip[] = { "wp", "wp_eager", "dbm_all", "fixed64", "adaptive" };
	static const char *const late[] = { "dbm_all", "fixed64", "adaptive" };
	char command[4096];
	size_t i;

	(void)state;
	for (i = 0; i < 8; i++) {
		const char *policy = i < 5 ? skip[i] : late[i - 5];

		assert_int_equal(sh(WEIR_SIM " run " SCENARIO " --out bad --force "
				    "-C policy.names=%s -C break.%s=1", policy,
				    i < 5 ? "skip_tlbi" : "late_scan_set"), 1);
		assert_non_null(strstr(err, "lost_page: gfn 0x"));
	}
	/* the last line is a command that does it again */
	snprintf(command, sizeof(command), "%s", last_line(err));
	assert_non_null(strstr(command, "weir-sim run"));
	assert_int_equal(sh(EMULATOR " %s", command), 1);
	assert_non_null(strstr(err, "lost_page: gfn 0x"));
}

/* A run that must be refused, with a message that holds `what`, and nothing written. */
static void refused(const char *arguments, const char *what)
{
	struct stat st;
	char path[256];
	int code = sh(WEIR_SIM " run %s --out refused", arguments);

	snprintf(path, sizeof(path), "%s/refused", dir);
	if (code != 2 || lines(err) != 1 || !strstr(err, what) || out[0] || !stat(path, &st))
		fail_msg("weir-sim run %s: exit code %d, said '%s', expected 2 and '%s'", arguments,
			 code, err, what);
}

static void refused_trace(const char *what, const void *bytes, size_t len)
{
	write_file("bad.csv", bytes, len);
	refused(SCENARIO " -C workload.trace=bad.csv", what);
}

#define HEAD		"epoch,vcpu,gfn,writes\n"

static void bad_traces_are_refused(void **state)
{
	(void)state;
	refused_trace("bad.csv", TEXT(""));
	refused_trace("bad.csv", TEXT(HEAD));
	refused_trace("bad.csv:1: ", TEXT("epoch,cpu,gfn,writes\n"));
	refused_trace("bad.csv:3: ", TEXT(HEAD "5,0,262144,1\n4,0,262144,1\n"));
	refused_trace("bad.csv:2: ", TEXT(HEAD "0,2,262144,1\n"));
	refused_trace("bad.csv:2: ", TEXT(HEAD "0,0,262143,1\n"));
	refused_trace("bad.csv:2: ", TEXT(HEAD "0,0,393216,1\n"));
	refused_trace("bad.csv:2: ", TEXT(HEAD "0,0,262144\n"));
	refused_trace("bad.csv:2: ", TEXT(HEAD "0,0,262144,-1\n"));
	refused_trace("bad.csv:2: ", TEXT(HEAD "0,0,262144,18446744073709551616\n"));
	refused_trace("bad.csv:2: ", TEXT(HEAD "0,0,\xff\xfe,1\n"));
	refused_trace("bad.csv: epoch 18446744073709551615, of ",
		      TEXT(HEAD "18446744073709551615,0,262144,1\n"));
	refused(SCENARIO " -C workload.trace=absent.csv", "absent.csv: ");
	assert_int_equal(sh("head -c 100000 " TRACE " >cut.csv.zst"), 0);
	refused(SCENARIO " -C workload.trace=cut.csv.zst", "cut.csv.zst");
	assert_int_equal(sh("echo nonsense >plain.csv.zst"), 0);
	refused(SCENARIO " -C workload.trace=plain.csv.zst", "plain.csv.zst");
}

static void bad_configurations_are_refused(void **state)
{
	(void)state;
	refused(SCENARIO " -C policy.names=wp,wpp", "policy.names: 'wpp': no such policy");
	refused(SCENARIO " -C policy.names=", "policy.names");
	refused(SCENARIO " -C policy.names=wp,", "policy.names: ''");
	refused(SCENARIO " -C policy.names=wp,wp", "policy.names: wp twice");
	refused(SCENARIO " -C policy.names=fixed3", "policy.names: 'fixed3'");
	refused(SCENARIO " -C policy.names=fixed1024", "policy.names: 'fixed1024'");
	refused(SCENARIO " -C policy.names=fixed99999999999999999999", "policy.names: 'fixed9999");
	/* 131072 pages of 4104 bytes at 1000 bytes/s; an hour is the default */
	refused(SCENARIO " -C link.bandwidth_bytes_per_s=1000", "migrate.limit_ns=3600000000000: "
		"link.bandwidth_bytes_per_s=1000 sends guest.memory_bytes=536870912 once in "
		"537919488000000 ns, must be at least that");
	refused(SCENARIO " -C migrate.limit_ns=0", "migrate.limit_ns=0: must be 1..");
	refused(SCENARIO " -C guest.memory_bytes=5000", "guest.memory_bytes=5000: must be a mult");
	refused(SCENARIO " -C guest.base_gfn=1", "guest.base_gfn=1: must be a multiple of 64");
	refused(SCENARIO " -C migrate.clear_chunk_bytes=262145", "migrate.clear_chunk_bytes=");
	refused(SCENARIO " -C guest.tlb_page_entries=1000", "guest.tlb_page_entries=1000");
	refused(SCENARIO " -C guest.vcpus=0", "guest.vcpus=0");
	refused(SCENARIO " -C guest.vcpu=2", "did you mean guest.vcpus");
	refused(SCENARIO " -C workload.kind=zipf -C workload.set_bytes=1Gi", "workload.set_bytes=");
	refused(SCENARIO " -C workload.kind=zipf -C workload.epoch_ns=1000000000 "
			 "-C workload.rate_stores_per_s=1000000000", "workload.epoch_ns=10000");
	write_file("none.yaml", TEXT("scenario: migrate\n"));
	refused("none.yaml", "workload.trace=: no file named");
	write_file("latin.yaml", TEXT("scenario: migrate\nworkload:\n  trace: caf\xe9\n"));
	refused("latin.yaml", "latin.yaml");
	write_file("cut.yaml", TEXT("scenario: migrate\nworkload: {trace: \n"));
	refused("cut.yaml", "cut.yaml");
}

/* In time for one round, and with a downtime that cannot be met: pre-copy goes on and on. */
static void a_migration_that_does_not_end_is_ended(void **state)
{
	static const char slow[] = " --out slow --force -C policy.names=wp,adaptive "
				   "-C link.bandwidth_bytes_per_s=1000000000 "
				   "-C migrate.downtime_limit_ns=0 -C migrate.rounds_max=1000000";

	(void)state;
	assert_int_equal(sh(WEIR_SIM " run " SCENARIO "%s -C migrate.limit_ns=600000000", slow), 1);
	assert_int_equal(occurrences(err, "liveness: the migration was not over 600000000 ns after "
				     "it began (policy "), 2);
	assert_int_equal(occurrences(err, "migrate.limit_ns=600000000"), 3);
	assert_int_equal(occurrences(out, "rounds and was ended by migrate.limit_ns."), 2);
	/* nothing is missing from what it left */
	assert_int_equal(sh("ls slow/manifest.json slow/compare.json slow/report.html "
			    "slow/wp/trace.zst slow/adaptive/series.json"), 0);
	assert_int_equal(sh("grep -c '\"memory_equal\": false' slow/compare.json"), 0);
	assert_string_equal(out, "2\n");
	assert_int_equal(sh(WEIR_SIM " trace slow/wp --kind cancel"), 0);
	assert_non_null(strstr(out, "700000000 cancel"));	/* 100 ms of warm-up */
	assert_int_equal(sh(WEIR_SIM " run slow/config.resolved.yaml --out again2 --quiet"), 1);
	assert_int_equal(sh(WEIR_SIM " diff slow again2"), 0);
	/* the end of the warm-up is where it counts from */
	assert_int_equal(sh(WEIR_SIM " run " SCENARIO "%s -C migrate.limit_ns=600000000 "
			    "-C migrate.warmup_ns=700000000 -C policy.names=wp", slow), 1);
	assert_non_null(strstr(err, "not over 600000000 ns after it began"));
}

/* No file may be larger than this: a disk that is full, for whoever may not mount one. */
#define FULL		"trap '' XFSZ; ulimit -f "

static void a_full_disk_leaves_nothing_that_looks_whole(void **state)
{
	(void)state;
	/* half of trace.zst */
	assert_int_equal(sh(FULL "16; " WEIR_SIM " run " SCENARIO " -C policy.names=wp --out full"),
			 3);
	assert_string_equal(err, "weir-sim: full/wp/trace.zst: writing: File too large\n");
	assert_string_equal(out, "");
	assert_int_equal(sh("find full -type f"), 0);
	assert_string_equal(out, "full/config.resolved.yaml\n");
	/* half of stats.json */
	assert_int_equal(sh(FULL "14; " WEIR_SIM " run " SCENARIO " -C policy.names=wp --out full "
			    "--force --no-trace"), 3);
	assert_string_equal(err, "weir-sim: full/wp/stats.json: cannot be written: File too "
				 "large\n");
	assert_int_equal(sh("find full -type f"), 0);
	assert_string_equal(out, "full/config.resolved.yaml\n");
	assert_int_equal(sh(WEIR_SIM " report full"), 2);
	/* a report that was there stays */
	assert_int_equal(sh(WEIR_SIM " run " SCENARIO " -C policy.names=wp --out full --force "
			    "--no-trace --quiet && cp full/report.html good.html"), 0);
	assert_int_equal(sh(FULL "14; " WEIR_SIM " report full"), 3);
	assert_string_equal(err, "weir-sim: full/report.html: cannot be written: File too large\n");
	assert_int_equal(sh("cmp full/report.html good.html && ! ls full/*.part"), 0);
	/* and what goes to standard output */
	assert_int_equal(sh(WEIR_SIM " list-params migrate >/dev/full"), 3);
	assert_string_equal(err, "weir-sim: standard output cannot be written\n");
	assert_int_equal(sh(FULL "1; " WEIR_SIM " experiment costs --out made >/dev/null"), 3);
	assert_string_equal(err, "weir-sim: made/costs.txt: cannot be written: File too large\n");
	assert_int_equal(sh("find made -type f"), 0);
	assert_string_equal(out, "");
}

/* Host memory for a guest of 1 TiB, of which 512 MiB are there. */
static void a_guest_too_large_for_the_host_is_named(void **state)
{
	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip();		/* it wants address space of its own */
#endif
	if (EMULATOR[0])
		skip();	/* and so does that */
	assert_int_equal(sh("ulimit -v 524288; " WEIR_SIM " run " SCENARIO " --out large "
			    "-C guest.memory_bytes=1Ti"), 3);
	assert_non_null(strstr(err, "guest.memory_bytes=1099511627776: this host has no memory "
			       "for the tables, contents and log of such a guest (tables alone: "
			       "2147483648 bytes), must be less, or the host larger (policy wp)"));
	assert_int_equal(lines(err), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_shipped_scenario_loses_nothing),
		cmocka_unit_test(planted_mistakes_end_with_exit_code_1),
		cmocka_unit_test(bad_traces_are_refused),
		cmocka_unit_test(bad_configurations_are_refused),
		cmocka_unit_test(a_migration_that_does_not_end_is_ended),
		cmocka_unit_test(a_full_disk_leaves_nothing_that_looks_whole),
		cmocka_unit_test(a_guest_too_large_for_the_host_is_named),
	};

	return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
