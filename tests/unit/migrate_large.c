// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: a guest of 1 TiB mapped at page grain, of which at most 5 % is ever written and 1 % is
 * written again in each of three rounds, migrates within 4 GiB of host memory.
 *
 * Method: the same guest at a thirty-second of the size within a thirty-second of the memory, and
 * the whole of it where WEIR_TEST_TIB is set (some minutes). One page in a hundred of the guest is
 * written, in order, over and over. Memory is cleared at once at the begin of a round and write
 * faults take no time, so that all of these pages are dirty again at its end; that it was so is
 * seen from the pages sent. The bound is on the peak of resident memory, from wait4().
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define WEIR_SIM	WEIR_BIN_DIR "/weir-sim"

/* Sanitizers keep memory of their own, which this test is not about. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
	__has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

/* A counter of the run in a directory. */
static uint64_t counter(const char *out, const char *name)
{
	char path[128], line[512], found[64];
	unsigned long long value;
	FILE *file;

	snprintf(path, sizeof(path), "%s/adaptive/stats.txt", out);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63s %llu", found, &value) == 2 && !strcmp(found, name)) {
			fclose(file);
			return value;
		}
	}
	fail_msg("no counter %s", name);
	return 0;
}

static void migrate(uint64_t gib)
{
	uint64_t npages = (gib << 30) / 4096, set_pages = npages / 100, sent;
	char config[] = "/tmp/migrate_large.XXXXXX", out[64], memory[64], set[64], command[128];
	static const char text[] = "scenario: migrate\n";
	struct rusage usage;
	int fd = mkstemp(config), status;
	pid_t child;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof(text) - 1), (ssize_t)sizeof(text) - 1);
	close(fd);
	snprintf(out, sizeof(out), "%s.d", config);
	snprintf(memory, sizeof(memory), "guest.memory_bytes=%lluGi", (unsigned long long)gib);
	snprintf(set, sizeof(set), "workload.set_bytes=%llu",
		 (unsigned long long)set_pages * 4096);
	child = fork();
	if (!child) {
		execl(WEIR_SIM, WEIR_SIM, "run", config, "--out", out, "--quiet", "-C", memory,
		      "-C", set, "-C", "workload.kind=sequential", "-C",
		      "workload.set_spread_pages=100",
		      /* the link takes 3.0 million pages a second, and 3.2 million are written */
		      "-C", "workload.rate_stores_per_s=800000", "-C", "guest.vcpus=4", "-C",
		      "link.bandwidth_bytes_per_s=12500000000", "-C", "guest.map=4k", "-C",
		      "policy.names=adaptive", "-C", "migrate.rounds_max=4", "-C",
		      "migrate.downtime_limit_ns=0", "-C", "migrate.clear_chunk_bytes=1Ti", "-C",
		      "cost.fault_exit_ns=0", "-C", "cost.fault_lock_ns=0", (char *)NULL);
		_exit(127);
	}
	assert_int_equal(wait4(child, &status, 0, &usage), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	sent = counter(out, "migrate.pages_sent");
	assert_true(sent >= npages + 3 * set_pages);
	assert_true(counter(out, "content.pages_written") <= npages / 20);
	snprintf(command, sizeof(command), "rm -rf %s %s", config, out);
	assert_int_equal(system(command), 0);
	printf("%llu GiB: peak %ld KiB\n", (unsigned long long)gib, usage.ru_maxrss);
	assert_true((uint64_t)usage.ru_maxrss * 1024 <= (gib << 30) / 256);
}

static void a_large_guest_fits(void **state)
{
	(void)state;
#ifdef SANITIZED
	skip();
#else
	migrate(getenv("WEIR_TEST_TIB") ? 1024 : 32);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_large_guest_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
