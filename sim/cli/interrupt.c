// SPDX-License-Identifier: BSD-2-Clause
/*
 * interrupt.c - a handler that writes one line, made beforehand, and lets the signal have its way.
 */
#include "sim/cli/interrupt.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

static char line[512];

static void on_signal(int signal)
{
	size_t len = strlen(line);

	for (size_t done = 0; done < len;) {
		ssize_t n = write(STDERR_FILENO, line + done, len - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	raise(signal); /* SA_RESETHAND: by default now, when this returns */
}

void sim_interrupt_watch(const char *dir)
{
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = (int)SA_RESETHAND };
	struct sigaction old;

	snprintf(line, sizeof(line),
		 "%sweir-sim: %.400s: interrupted, the run is not complete; --force replaces it\n",
		 isatty(STDERR_FILENO) ? "\r\033[K" : "", dir);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		/* What is ignored stays ignored: nohup, a job in the background. */
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

void sim_interrupt_done(void)
{
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction old;

		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == on_signal)
			signal(signals[i], SIG_DFL);
	}
}
