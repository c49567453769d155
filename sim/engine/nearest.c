// SPDX-License-Identifier: BSD-2-Clause
/*
 * nearest.c - the optimal string alignment distance, and the best three of a series of offers.
 */
#include "sim/engine/nearest.h"

#include <stdio.h>
#include <string.h>

#define NAME_MAX_LEN 64u	/* longer names are compared by their first 64 bytes */

static unsigned int min_of(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

static unsigned int distance(const char *a, const char *b)
{
	size_t na = strnlen(a, NAME_MAX_LEN), nb = strnlen(b, NAME_MAX_LEN);
	unsigned int rows[3][NAME_MAX_LEN + 1];

	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned int *row = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];

		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned int replace = up[j - 1] + (a[i - 1] != b[j - 1]);

			row[j] = min_of(replace, 1 + min_of(up[j], row[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = min_of(row[j], up2[j - 2] + 1);
		}
	}
	return rows[na % 3][nb];
}

static const char *last_part(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

void sim_nearest_init(struct sim_nearest *near, const char *asked)
{
	*near = (struct sim_nearest){ .asked = asked };
}

void sim_nearest_offer(struct sim_nearest *near, const char *candidate)
{
	unsigned int d = distance(near->asked, candidate);
	unsigned int limit = (unsigned int)strnlen(candidate, NAME_MAX_LEN) / 3;
	size_t at = near->n;

	if (strlen(near->asked) >= 3 && (strstr(candidate, near->asked) ||
	    strcmp(last_part(candidate), last_part(near->asked)) == 0))
		d = 1;
	if (d > (limit ? limit : 1))
		return;
	while (at > 0 && near->distance[at - 1] > d)
		at--;
	if (at >= SIM_NEAREST_MAX)
		return;
	if (near->n < SIM_NEAREST_MAX)
		near->n++;
	for (size_t i = near->n - 1; i > at; i--) {
		near->name[i] = near->name[i - 1];
		near->distance[i] = near->distance[i - 1];
	}
	near->name[at] = candidate;
	near->distance[at] = d;
}

void sim_nearest_text(const struct sim_nearest *near, char *buf, size_t size)
{
	size_t len = 0, shown = 0;

	while (shown < near->n && near->distance[shown] <= near->distance[0] + 1)
		shown++;
	buf[0] = '\0';
	for (size_t i = 0; i < shown && len < size; i++) {
		const char *lead = i == 0 ? "; did you mean " : i + 1 == shown ? " or " : ", ";
		int n = snprintf(buf + len, size - len, "%s%s%s", lead, near->name[i],
				 i + 1 == shown ? "?" : "");

		if (n > 0)
			len += (size_t)n;
	}
}
