// SPDX-License-Identifier: BSD-2-Clause
/*
 * migrate_link.c - pages onto the link.
 *
 * A batch of pages is read at the instant at which it goes onto the link, and occupies it for its
 * bytes. What is read is what the guest has stored by then: the counts of rows that are under way
 * are settled first. Times are exact: the fraction of a nanosecond that a batch leaves over is
 * carried to the next.
 */
#include "sim/scenario/migrate_internal.h"

__extension__ typedef unsigned __int128 u128;

static uint64_t page_bytes(const struct migrate *m)
{
	return PAGE_BYTES + m->cfg->header_bytes;
}

uint64_t migrate_link_bytes_ns(const struct migrate *m, uint64_t nbytes)
{
	return (uint64_t)((u128)nbytes * 1000000000u / m->cfg->link_bytes_per_s);
}

uint64_t migrate_link_ns(const struct migrate *m, uint64_t npages)
{
	return migrate_link_bytes_ns(m, npages * page_bytes(m));
}

static void send_run(struct migrate *m, uint64_t first_gfn, uint64_t npages)
{
	uint64_t now_ns = sim_queue_now(m->queue);

	sim_guest_settle(m->guest, first_gfn, npages);
	sim_check_copy(&m->check, first_gfn, npages);
	(void)sim_content_send_run(m->content, first_gfn, npages);
	sim_history_emit(m->history, now_ns, MIGRATE_EV_SEND, ACTOR_COPIER, first_gfn, npages);
	migrate_note(m, first_gfn, first_gfn + npages - 1, now_ns, "sent in round",
		     (unsigned int)m->round);
}

/* Send the next batch of pending pages below end_page. Returns how long it takes the link. */
uint64_t migrate_send_batch(struct migrate *m, uint64_t end_page)
{
	uint64_t sent = 0, page, units;

	while (sent < m->cfg->batch_pages && migrate_next_pending(m, &page) && page < end_page) {
		uint64_t first = page;

		do {
			m->pending[page / 64] &= ~(UINT64_C(1) << (page % 64));
			page++;
			sent++;
		} while (sent < m->cfg->batch_pages && page < end_page &&
			 m->pending[page / 64] >> (page % 64) & 1);
		m->next_page = page;
		send_run(m, m->cfg->base_gfn + first, page - first);
	}
	m->npending -= sent;
	m->round_pages += sent;
	m->round_bytes += sent * page_bytes(m);
	m->figures.pages_sent += sent;
	m->figures.bytes_sent += sent * page_bytes(m);
	/* below 2^64: a batch has at most 65536 pages of at most 8 KiB, 2^29 bytes of 2^30 ns/s */
	units = sent * page_bytes(m) * 1000000000u + m->link_rest;
	m->link_rest = units % m->cfg->link_bytes_per_s;
	return units / m->cfg->link_bytes_per_s;
}
