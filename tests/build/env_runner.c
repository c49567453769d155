// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal and method: see env_vocabulary.c. This half runs it, in threads where that is the point.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "env_vocabulary.h"

#define THREADS 3
#define ROUNDS 400000u

static unsigned int rounds = ROUNDS;

int shim_warnings;

static void values(void **state)
{
	(void)state;
	assert_int_equal(env_check_values(), 0);
}

static pthread_barrier_t together;

static void *contender(void *arg)
{
	pthread_barrier_wait(&together);
	env_contend((unsigned int)(uintptr_t)arg, rounds);
	return NULL;
}

static void contention_loses_nothing(void **state)
{
	const char *percent = getenv("WEIR_TEST_PERCENT");
	pthread_t threads[THREADS];
	uintptr_t i;

	(void)state;
	if (percent)
		rounds = ROUNDS / 100 * (unsigned int)strtoul(percent, NULL, 10);
	/* Not a multiple of 256, so that a byte's sum is not 0 by luck. */
	rounds |= 5;
	assert_int_equal(pthread_barrier_init(&together, NULL, THREADS), 0);
	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, contender, (void *)i), 0);
	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	pthread_barrier_destroy(&together);
	assert_int_equal(env_check_contended(THREADS, rounds), 0);
}

static void a_false_assertion_stops_or_reports(void **state)
{
	int status;
	pid_t child = fork();

	(void)state;
	assert_true(child >= 0);
	if (child == 0)
		_exit(env_violate());
	assert_int_equal(waitpid(child, &status, 0), child);
	/* Stopped by a signal; by a sanitizer's handler of it; or reported once and lived on. */
	assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
	if (ENV_REPORTS)
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(contention_loses_nothing),
		cmocka_unit_test(a_false_assertion_stops_or_reports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
