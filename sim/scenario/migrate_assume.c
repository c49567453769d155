// SPDX-License-Identifier: BSD-2-Clause
/*
 * migrate_assume.c - pages that every round finds dirty are left for the pause.
 *
 * migrate.assume_percent of the downtime limit is set aside for them: at the beginning of each
 * round but the first the library is told how many pages the link sends in that time. What it
 * assumes dirty when a chunk has been cleared is not sent with the chunk. The GET at the end of the
 * round reports it again, so that the estimate of the blackout has it; in the pause it is sent.
 *
 * Rings take no part in it: a page that does not fault is in no ring, and their rounds ask nothing
 * else.
 */
#include "sim/scenario/migrate_internal.h"

__extension__ typedef unsigned __int128 u128;

bool migrate_assumes(const struct migrate *m)
{
	return m->cfg->assume_percent && m->policy->log != MIGRATE_RING;
}

/* A round begins. */
void migrate_assume_round(struct migrate *m)
{
	uint64_t ns = m->cfg->downtime_limit_ns / 100 * m->cfg->assume_percent;
	uint64_t bytes = (uint64_t)((u128)ns * m->cfg->link_bytes_per_s / 1000000000u);
	enum weir_status status;

	if (!migrate_assumes(m) || !m->round)
		return;
	status = weir_dirty_assume(m->d, bytes / (PAGE_BYTES + m->cfg->header_bytes));
	if (status != WEIR_OK)
		migrate_broken(m, "weir_dirty_assume()", status);
}

/* Pages from first_page on, in whole groups, were cleared and are about to be sent. */
void migrate_assume_skip(struct migrate *m, uint64_t first_page, uint64_t npages)
{
	uint64_t page;

	for (page = first_page; migrate_assumes(m) && page < first_page + npages; page += 64) {
		uint64_t *pending = &m->pending[page / 64], skipped;

		if (!*pending)
			continue;
		skipped = *pending & weir_dirty_assumed(m->d, m->cfg->base_gfn + page);
		*pending &= ~skipped;
		m->npending -= (uint64_t)__builtin_popcountll(skipped);
		m->figures.pages_skipped += (uint64_t)__builtin_popcountll(skipped);
	}
}
