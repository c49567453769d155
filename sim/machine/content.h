/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/machine/content.h - what guest memory holds, at the source and at the destination.
 *
 * A page's content is one 64-bit number, the *version* of its frame: who stored to it last and how
 * often it was stored to. A copy carries sim_content_of(frame, version), which mixes the frame in,
 * so that a copy that lands in the wrong frame is as wrong as a stale one. A frame that nobody
 * wrote has version 0 and content 0, the zero page, and takes no memory but two bits.
 *
 * C1  A frame has a slot exactly when its `present` bit is set: it was stored to, or got a copy of
 *     a page that was.
 * C2  A frame that was not received differs, whatever it holds.
 *
 * Concurrency: one thread.
 * Cost: a store is one probe of an open-addressing table of 24-byte slots in which the four frames
 * of an aligned quartet hash side by side; 2 bits a frame and 27 to 55 bytes a frame ever written.
 * 1 TiB of 4 KiB pages with 5 % written is 64 MiB and 384 MiB (a half more while the table grows).
 * Walks go through bitmaps in ascending gfn, 64 frames a step where nothing was written.
 */
#ifndef SIM_MACHINE_CONTENT_H
#define SIM_MACHINE_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A version: the writer in the top byte, the number of stores in the rest. */
#define SIM_CONTENT_COUNT_BITS	56u
#define SIM_CONTENT_COUNT_MASK	(((uint64_t)1 << SIM_CONTENT_COUNT_BITS) - 1)

struct sim_content;

/**
 * sim_content_create() - the memory of a guest, nothing written, nothing received
 * @base_gfn: first frame
 * @npages: number of frames, 1 to 2^40
 *
 * Memory that is short ends the program, here and in a store: a simulated store cannot fail.
 *
 * Return: NULL when the range is empty, too large or wraps.
 */
struct sim_content *sim_content_create(uint64_t base_gfn, uint64_t npages);

/** sim_content_destroy() - give it back; NULL is fine */
void sim_content_destroy(struct sim_content *c);

/**
 * sim_content_store() - the guest (or a device) stores to a page
 * @gfn: a frame of the guest
 * @writer: who: a vCPU, or a number above them for a device; kept modulo 256
 * @nstores: how many stores, at least 1; they count as many and hash once
 *
 * Return: the frame's version now.
 */
uint64_t sim_content_store(struct sim_content *c, uint64_t gfn, unsigned int writer,
			   uint64_t nstores);

/** sim_content_version() - the version of a frame at the source; 0 if never written */
uint64_t sim_content_version(const struct sim_content *c, uint64_t gfn);

/** sim_content_of() - what a copy of @gfn at @version looks like; 0 for version 0 */
uint64_t sim_content_of(uint64_t gfn, uint64_t version);

/** sim_content_send() - copy a page as it is now to the destination */
void sim_content_send(struct sim_content *c, uint64_t gfn);

/**
 * sim_content_send_to() - copy a page into another frame of the destination
 *
 * What a migration with a wrong address does. For the tests of the checkers.
 */
void sim_content_send_to(struct sim_content *c, uint64_t gfn, uint64_t dst_gfn);

/**
 * sim_content_send_run() - copy a run of pages as they are now
 * @first_gfn: first frame
 * @npages: number of frames
 *
 * Return: how many of them were ever written (the others are zero pages).
 */
uint64_t sim_content_send_run(struct sim_content *c, uint64_t first_gfn, uint64_t npages);

/** sim_content_received() - whether the destination has (some) content for a frame */
bool sim_content_received(const struct sim_content *c, uint64_t gfn);

/** sim_content_forget_received() - a new destination: nothing has arrived */
void sim_content_forget_received(struct sim_content *c);

/** sim_content_same() - whether the destination holds what the source holds, for one frame */
bool sim_content_same(const struct sim_content *c, uint64_t gfn);

/**
 * sim_content_equal() - compare both sides, all frames
 * @first_bad_gfn: set to the lowest frame that differs; may be NULL
 * @nbad: set to the number of frames that differ; may be NULL
 */
bool sim_content_equal(const struct sim_content *c, uint64_t *first_bad_gfn, uint64_t *nbad);

/** struct sim_content_bad - a frame that differs, for reports */
struct sim_content_bad {
	uint64_t gfn;
	uint64_t src_version;	/* at the source now */
	uint64_t src_content;	/* sim_content_of(gfn, src_version) */
	uint64_t dst_content;	/* at the destination; 0 also if nothing arrived */
	bool received;
};

/**
 * sim_content_next_bad() - the next frame that differs, in gfn order
 * @from_gfn: where to start
 * @bad: set when one is found
 *
 * Return: false when there is none at or above from_gfn.
 */
bool sim_content_next_bad(const struct sim_content *c, uint64_t from_gfn,
			  struct sim_content_bad *bad);

/** sim_content_next_written() - the next frame ever stored to, at or above *gfn; moves *gfn */
bool sim_content_next_written(const struct sim_content *c, uint64_t *gfn);

/** struct sim_content_stats - sizes */
struct sim_content_stats {
	uint64_t npages;
	uint64_t pages_present;	/* frames with a slot */
	uint64_t pages_received;
	uint64_t slots;
	uint64_t bytes;		/* host memory: slots and bitmaps */
};

/** sim_content_stats() - read the sizes; pages_received is counted, O(npages / 64) */
void sim_content_stats(const struct sim_content *c, struct sim_content_stats *out);

#endif
