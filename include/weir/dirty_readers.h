/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * weir/dirty_readers.h - the dirty log with more than one reader, and with writers that are no
 * vCPU: devices, and the hardware's own log. Part of weir/dirty.h, which includes it.
 */
#ifndef WEIR_DIRTY_READERS_H
#define WEIR_DIRTY_READERS_H

#include "weir/dirty.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * weir_dirty_reader_size() - bytes of memory that a further reader needs
 * @d: a region with WEIR_DIRTY_F_READERS
 *
 * Context: any.
 * Return: bytes.
 */
size_t weir_dirty_reader_size(const struct weir_dirty *d);

/**
 * weir_dirty_reader_attach() - give a region one more independent reader
 * @d: a region with WEIR_DIRTY_F_READERS, logging or not
 * @mem: the caller's memory, aligned to 64 bytes, kept until the reader is detached
 * @size: its size in bytes, at least weir_dirty_reader_size(d)
 * @all_dirty: true: every page is dirty for it at first; false: those that are dirty now for the
 *	region's first reader, and later writes
 * @reader: the reader
 *
 * A migration, a snapshot and a display each have an epoch of their own: what one of them clears or
 * harvests stays dirty for the others until they do. The handle takes the region's place in get,
 * get_bitmap, clear, harvest, peek and promise; the region itself is its first reader. Two readers
 * that meet on a stripe get WEIR_EBUSY as two threads of one do.
 *
 * What it has not taken yet stays its own when logging stops and starts again.
 *
 * Context: no reader of the region is at work, no transaction is open; beside fault and mark.
 * Return: WEIR_OK; WEIR_EBUSY if a reader is at work; WEIR_EINVAL for misaligned memory, or that of
 *	a reader that is attached; WEIR_ENOMEM if size is too small; WEIR_EOPNOTSUPP without
 *	WEIR_DIRTY_F_READERS.
 */
enum weir_status weir_dirty_reader_attach(struct weir_dirty *d, void *mem, size_t size,
					  bool all_dirty, struct weir_dirty **reader);

/**
 * weir_dirty_reader_detach() - the reader goes, and takes nothing from the others
 * @reader: from weir_dirty_reader_attach()
 *
 * Context: no reader of the region is at work; may run beside fault and mark.
 * Return: WEIR_OK; WEIR_EBUSY if a reader is at work; WEIR_EINVAL for what is not attached: the
 *	region itself, a reader that was detached already, memory that is zero.
 */
enum weir_status weir_dirty_reader_detach(struct weir_dirty *reader);

/**
 * weir_dirty_device_map() - a device that cannot fault may write these pages from now on
 * @d: a region with WEIR_DIRTY_F_DEVICES
 * @first_gfn: first page
 * @npages: number of pages, at least 1
 *
 * The pages count as dirty, for every reader and in every epoch, until they are unmapped. Clearing
 * them has no effect. Call it before the device can reach them. Maps are not counted: a caller that
 * maps a page twice unmaps it once, when the last device has let go.
 *
 * Context: as weir_dirty_mark().
 * Return: WEIR_OK; WEIR_ERANGE as weir_dirty_mark(); WEIR_EOPNOTSUPP without WEIR_DIRTY_F_DEVICES.
 */
enum weir_status weir_dirty_device_map(struct weir_dirty *d, uint64_t first_gfn, uint64_t npages);

/**
 * weir_dirty_device_unmap() - no device can write these pages any more
 * @d: a region with WEIR_DIRTY_F_DEVICES
 * @first_gfn: first page
 * @npages: number of pages, at least 1
 *
 * Call it when the IOTLB invalidation has completed. The pages are marked once more, for what was
 * written since the last epoch.
 *
 * Context: as weir_dirty_mark().
 * Return: as weir_dirty_device_map(); WEIR_ESHUTDOWN after weir_dirty_final(), the pages marked and
 *	counted as late.
 */
enum weir_status weir_dirty_device_unmap(struct weir_dirty *d, uint64_t first_gfn,
					 uint64_t npages);

/**
 * struct weir_dirty_promise - what a walk over the whole region would cost now, at most
 * @ptes: descriptors that it reads to find what hardware wrote
 * @words: groups that it visits
 * @tlbis: calls of tlbi_range, if it is done in one call
 * @assumed: pages that it reports because they are assumed dirty
 */
struct weir_dirty_promise {
	uint64_t ptes;
	uint64_t words;
	uint64_t tlbis;
	uint64_t assumed;
};

/**
 * weir_dirty_promise() - an upper bound on what get or harvest over the region would take now
 * @d: the region, or a reader
 * @out: the bound; it holds if nothing is written, marked or promoted until the walk ends
 *
 * For the decision to stop the guest. Costs two words a block, and two a stripe that holds
 * something.
 *
 * Context: any; calls no op.
 */
void weir_dirty_promise(const struct weir_dirty *d, struct weir_dirty_promise *out);

/* An entry of the hardware's log: what the library reads of it. */
#define WEIR_DIRTY_LOG_VALID	((uint64_t)1 << 0)
#define WEIR_DIRTY_LOG_IPA	((((uint64_t)1 << 56) - 1) & ~(((uint64_t)1 << 12) - 1))

/**
 * weir_dirty_log() - take over entries of the hardware's log
 * @d: a region with policy HDBSS, or a reader of one
 * @entries: as the hardware wrote them, read after the buffer was closed to it (or its index read
 *	with acquire)
 * @nentries: how many
 * @page_shift: log2 of the granule's bytes: 12, 14 or 16 (asserted)
 *
 * Call it when a log is full, before get or harvest for the log of every vCPU (kicked, so that its
 * entries are in memory), and once more before the logs are disarmed. An entry that is not valid,
 * or lies outside the region, is passed over: it is another region's.
 *
 * Context: as weir_dirty_mark().
 * Return: the number of entries that were this region's.
 */
size_t weir_dirty_log(struct weir_dirty *d, const uint64_t *entries, size_t nentries,
		      unsigned int page_shift);

#ifdef __cplusplus
}
#endif

#endif
