/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/engine/history.h - the event history: what happened, its digest, and the file that keeps it.
 *
 * Whatever a run does that could differ is emitted as a record of 32 bytes. The XXH3-128 of all
 * records, and of the counters folded in at the end, is the run's digest: two runs are the same if
 * and only if their digests are. Kept in trace.zst, the records let `weir-sim trace` print a run
 * and `weir-sim diff` name the first event in which two differ. docs/formats.md has the layout.
 *
 * Invariants:
 *   I1  The digest is that of the records' little-endian bytes in order of emission, then of each
 *       counter's name, a NUL, and its value: it does not depend on the host, on how records were
 *       batched, or on whether a file is kept.
 *   I2  An emission never fails. An error of the file (disk full) is kept and surfaces in
 *       sim_history_error() and sim_history_finish(); the digest stays right.
 *   I3  A file is complete only with its end record, which holds the number of records.
 *
 * One thread owns a history. Cost: a store of 32 bytes, and 3 to 4 ns of digest, an event; the file
 * adds its compression.
 */
#ifndef SIM_ENGINE_HISTORY_H
#define SIM_ENGINE_HISTORY_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/engine/digest.h"
#include "sim/engine/error.h"

struct sim_stats;

/** A record as it is digested and written: little-endian, no padding. */
struct sim_record {
	uint64_t time_ns;
	uint32_t kind;
	uint32_t actor;
	uint64_t a;
	uint64_t b;
};

/**
 * A kind of event, described once so that a trace explains itself. The scenario passes a static
 * table. A field without meaning has the name "" and the value 0, and is not printed.
 */
struct sim_history_kind {
	uint32_t kind;	   /* stable once published; below SIM_HISTORY_KIND_END */
	const char *name;  /* "fault" */
	const char *actor; /* what `actor` numbers: "vcpu" */
	const char *a;	   /* "gfn" */
	const char *b;	   /* "write" */
};

#define SIM_HISTORY_KIND_END UINT32_MAX
#define SIM_HISTORY_NKINDS_MAX 1024u
#define SIM_HISTORY_NAME_BYTES_MAX 64u
#define SIM_HISTORY_BATCH 256u

struct sim_history_file;

/** The first two fields are here for sim_history_emit() alone. */
struct sim_history {
	uint32_t nbatched;
	struct sim_record *batch;
	uint64_t nflushed;
	struct sim_digest *digest;
	struct sim_history_file *file;
	const struct sim_history_kind *kinds;
	uint32_t nkinds;
	bool finished;
};

/**
 * sim_history_create() - begin a history
 * @kinds: the kinds that will be emitted, in any order; must outlive the history
 * @nkinds: how many, up to SIM_HISTORY_NKINDS_MAX
 * @path: file to write ("DIR/trace.zst"), replaced if it exists; NULL keeps the digest alone. Until
 *	sim_history_finish() has found it whole it has ".part" behind its name
 * @err: says why it could not be created
 *
 * Return: NULL if the file could not be created.
 */
struct sim_history *sim_history_create(const struct sim_history_kind *kinds, uint32_t nkinds,
				       const char *path, struct sim_error *err);

/** For sim_history_emit(): digest and write the batch. */
void sim_history_flush(struct sim_history *history);

/** sim_history_emit() - append an event; @kind is one of the table's (checked with the batch) */
static inline void sim_history_emit(struct sim_history *history, uint64_t time_ns, uint32_t kind,
				    uint32_t actor, uint64_t a, uint64_t b)
{
	struct sim_record *record = &history->batch[history->nbatched];

	record->time_ns = htole64(time_ns);
	record->kind = htole32(kind);
	record->actor = htole32(actor);
	record->a = htole64(a);
	record->b = htole64(b);
	if (++history->nbatched == SIM_HISTORY_BATCH)
		sim_history_flush(history);
}

/** sim_history_count() - how many events were emitted */
uint64_t sim_history_count(const struct sim_history *history);

/**
 * sim_history_error() - has writing the file failed so far?
 *
 * Long runs may ask now and then and stop early. Return: true with @err set if so.
 */
bool sim_history_error(const struct sim_history *history, struct sim_error *err);

/**
 * sim_history_finish() - fold the counters into the digest and complete the file
 * @stats: every counter, in order of registration; NULL for none
 * @err: says why the file is not good
 *
 * Nothing may be emitted afterwards. Call once. Return: false if the file is not good.
 */
bool sim_history_finish(struct sim_history *history, const struct sim_stats *stats,
			struct sim_error *err);

/** sim_history_digest() - the digest, big-endian (canonical XXH3); of what was emitted so far */
void sim_history_digest(struct sim_history *history, uint8_t out[SIM_DIGEST_BYTES]);

/** sim_history_digest_hex() - the same as 32 lower-case hexadecimal digits */
void sim_history_digest_hex(struct sim_history *history, char out[SIM_DIGEST_HEX_BYTES]);

/** sim_history_destroy() - free; a file that was not finished is deleted; NULL is fine */
void sim_history_destroy(struct sim_history *history);

/*
 * Reading a trace back. A file that is no trace, is newer, cut off or damaged gives an error that
 * says so.
 */
struct sim_history_reader;

/** sim_history_open() - begin to read; NULL with @err set if it is not a trace that can be read */
struct sim_history_reader *sim_history_open(const char *path, struct sim_error *err);

/**
 * sim_history_next() - the next record, in host byte order
 *
 * Return: 1 with @record filled in; 0 at the (complete) end; -1 with @err set.
 */
int sim_history_next(struct sim_history_reader *reader, struct sim_record *record,
		     struct sim_error *err);

/** sim_history_kind_at() - the kinds a trace describes, by index; NULL past the last one */
const struct sim_history_kind *sim_history_kind_at(const struct sim_history_reader *reader,
						   uint32_t index);

/** sim_history_kind() - the description of a kind, from the file; NULL if the file has none */
const struct sim_history_kind *sim_history_kind(const struct sim_history_reader *reader,
						uint32_t kind);

/** sim_history_record_digest_hex() - digest of the records read so far, without the counters */
void sim_history_record_digest_hex(const struct sim_history_reader *reader,
				   char out[SIM_DIGEST_HEX_BYTES]);

void sim_history_close(struct sim_history_reader *reader);

#endif
