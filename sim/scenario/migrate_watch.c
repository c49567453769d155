// SPDX-License-Identifier: BSD-2-Clause
/*
 * migrate_watch.c - what happened to a few frames, in words.
 *
 * Runs are deterministic, so nothing is remembered of frames that turn out well: when frames are
 * lost, the policy is run once more, watching them.
 */
#include "sim/scenario/migrate_internal.h"

#include <stdio.h>
#include <string.h>

void migrate_watch_note(struct migrate *m, uint64_t first_gfn, uint64_t last_gfn, uint64_t now_ns,
			const char *what, unsigned int number)
{
	unsigned int i;

	for (i = 0; i < m->nwatches; i++) {
		struct migrate_watch *watch = &m->watches[i];
		char *event = watch->events[watch->n % WATCH_EVENTS];

		if (watch->gfn < first_gfn || watch->gfn > last_gfn)
			continue;
		snprintf(event, WATCH_EVENT_BYTES, "%llu %s %u", (unsigned long long)now_ns, what,
			 number);
		watch->n++;
	}
}

/* The last events, oldest first, separated by semicolons. */
void migrate_watch_text(const struct migrate_watch *watch, char *buf, size_t size)
{
	uint64_t i = watch->n > WATCH_EVENTS ? watch->n - WATCH_EVENTS : 0;
	size_t used = 0;

	buf[0] = '\0';
	for (; i < watch->n && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? "; " : "",
					 watch->events[i % WATCH_EVENTS]);
}
