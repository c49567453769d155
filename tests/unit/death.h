/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * death.h - does this end the process? A child runs it; its exit code is the answer.
 */
#ifndef TESTS_UNIT_DEATH_H
#define TESTS_UNIT_DEATH_H

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit code of fn(arg) in a silenced child: 0 if it returned, -1 if a signal ended it. */
static int exit_code_of(void (*fn)(void *arg), void *arg)
{
	const pid_t child = fork();
	int status;

	if (!child) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(99);
		fn(arg);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

#endif
