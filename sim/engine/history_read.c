// SPDX-License-Identifier: BSD-2-Clause
/*
 * sim/engine/history_read.c - reading a trace file back.
 *
 * Nothing in the file is trusted: every count and length is checked against a limit before it is
 * used, and the end is only believed if the end record, its count and the frame's checksum agree.
 * Once an error has been reported, the reader reports it for ever.
 */
#include "sim/engine/history.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "sim/engine/history_format.h"

enum { OUT_BYTES = 64 * 1024 };

struct sim_history_reader {
	FILE *stream;
	char *path;
	ZSTD_DCtx *zstd;
	char *in_bytes;
	size_t in_room;
	ZSTD_inBuffer in;
	bool in_frame; /* a frame has begun and not ended */
	char *out;
	size_t out_pos;
	size_t out_len;
	struct sim_history_kind *kinds;
	char (*names)[4][SIM_HISTORY_NAME_BYTES_MAX];
	uint32_t nkinds;
	uint64_t nrecords;
	uint64_t time_ns; /* of the record before */
	struct sim_digest *digest;
	bool ended;
	struct sim_error err;
};

/* Decompress until there is something to hand out. 1: there is; 0: end of file; -1: error set. */
static int refill(struct sim_history_reader *r)
{
	r->out_pos = 0;
	r->out_len = 0;
	while (!r->out_len) {
		ZSTD_outBuffer out = { r->out, OUT_BYTES, 0 };
		size_t left;

		if (r->in.pos == r->in.size) {
			r->in = (ZSTD_inBuffer){ r->in_bytes, 0, 0 };
			r->in.size = fread(r->in_bytes, 1, r->in_room, r->stream);
		}
		if (!r->in.size) {
			if (ferror(r->stream))
				sim_error_at(&r->err, r->path, 0, "reading: %s", strerror(errno));
			else if (r->in_frame)
				sim_error_at(&r->err, r->path, 0,
					     "cut off: the compressed data ends in the middle");
			else
				return 0;
			return -1;
		}
		left = ZSTD_decompressStream(r->zstd, &out, &r->in);
		if (ZSTD_isError(left)) {
			sim_error_at(&r->err, r->path, 0, "damaged, or not a trace: zstd says: %s",
				     ZSTD_getErrorName(left));
			return -1;
		}
		r->in_frame = left != 0;
		r->out_len = out.pos;
	}
	return 1;
}

/* 1 with @len bytes, 0 at the end of the file before the first of them, -1 with the error set. */
static int take(struct sim_history_reader *r, void *bytes, size_t len, const char *what)
{
	size_t have = 0;

	while (have < len) {
		size_t part;
		int more = 1;

		if (r->out_pos == r->out_len)
			more = refill(r);
		if (more < 0)
			return -1;
		if (!more && !have)
			return 0;
		if (!more) {
			sim_error_at(&r->err, r->path, 0, "cut off: the data ends in %s", what);
			return -1;
		}
		part = r->out_len - r->out_pos;
		if (part > len - have)
			part = len - have;
		memcpy((char *)bytes + have, r->out + r->out_pos, part);
		r->out_pos += part;
		have += part;
	}
	return 1;
}

/* As take(), for what must be there. */
static bool need(struct sim_history_reader *r, void *bytes, size_t len, const char *what)
{
	const int got = take(r, bytes, len, what);

	if (!got)
		sim_error_at(&r->err, r->path, 0, "cut off: the data ends before %s", what);
	return got > 0;
}

static bool need_u32(struct sim_history_reader *r, uint32_t *value, const char *what)
{
	if (!need(r, value, sizeof(*value), what))
		return false;
	*value = le32toh(*value);
	return true;
}

/* A number of up to @bits bits. */
static bool need_varint(struct sim_history_reader *r, uint64_t *value, unsigned int bits)
{
	*value = 0;
	for (unsigned int shift = 0; shift < bits; shift += 7) {
		unsigned char byte;

		if (r->out_pos < r->out_len)
			byte = (unsigned char)r->out[r->out_pos++];
		else if (!need(r, &byte, 1, "the end record"))
			return false;
		if (bits - shift < 7 && (byte & 0x7f) >> (bits - shift))
			break;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	sim_error_at(&r->err, r->path, 0, "damaged: record %llu has a number of more than %u bits",
		     (unsigned long long)r->nrecords, bits);
	return false;
}

static bool need_name(struct sim_history_reader *r, char name[SIM_HISTORY_NAME_BYTES_MAX])
{
	for (size_t i = 0; i < SIM_HISTORY_NAME_BYTES_MAX; i++) {
		if (!need(r, &name[i], 1, "the table of kinds"))
			return false;
		if (!name[i])
			return true;
		if ((unsigned char)name[i] < 0x20 || (unsigned char)name[i] > 0x7e)
			break;
	}
	sim_error_at(&r->err, r->path, 0,
		     "damaged: a name in the table of kinds is not printable, or longer than %u",
		     SIM_HISTORY_NAME_BYTES_MAX - 1);
	return false;
}

static bool read_kinds(struct sim_history_reader *r)
{
	if (!need_u32(r, &r->nkinds, "the number of kinds"))
		return false;
	if (r->nkinds > SIM_HISTORY_NKINDS_MAX) {
		sim_error_at(&r->err, r->path, 0, "number of kinds, found %u, expected 0..%u",
			     r->nkinds, SIM_HISTORY_NKINDS_MAX);
		return false;
	}
	r->kinds = sim_alloc(r->nkinds, sizeof(*r->kinds), "kinds of a trace");
	r->names = sim_alloc(r->nkinds, sizeof(*r->names), "kinds of a trace");
	for (uint32_t i = 0; i < r->nkinds; i++) {
		if (!need_u32(r, &r->kinds[i].kind, "the table of kinds"))
			return false;
		for (int j = 0; j < 4; j++)
			if (!need_name(r, r->names[i][j]))
				return false;
		r->kinds[i].name = r->names[i][0];
		r->kinds[i].actor = r->names[i][1];
		r->kinds[i].a = r->names[i][2];
		r->kinds[i].b = r->names[i][3];
	}
	return true;
}

static bool read_header(struct sim_history_reader *r)
{
	char magic[SIM_TRACE_MAGIC_BYTES];

	if (!need(r, magic, sizeof(magic), "the header"))
		return false;
	if (memcmp(magic, SIM_TRACE_MAGIC_STEM, sizeof(magic) - 1) != 0) {
		sim_error_at(&r->err, r->path, 0, "not a trace: begins with %s, expected '%s'",
			     sim_quote(magic, sizeof(magic)).text, SIM_TRACE_MAGIC);
		return false;
	}
	if (memcmp(magic, SIM_TRACE_MAGIC, sizeof(magic)) != 0) {
		sim_error_at(&r->err, r->path, 0,
			     "version of the trace, found %s, expected '%s': written by another "
			     "version of this program",
			     sim_quote(magic + sizeof(magic) - 1, 1).text, SIM_TRACE_VERSION);
		return false;
	}
	return read_kinds(r);
}

struct sim_history_reader *sim_history_open(const char *path, struct sim_error *err)
{
	struct sim_history_reader *r;
	FILE *stream = fopen(path, "rb");

	if (!stream) {
		sim_error_at(err, path, 0, "cannot open: %s", strerror(errno));
		return NULL;
	}
	r = sim_alloc(1, sizeof(*r), "trace reader");
	r->stream = stream;
	r->path = sim_strdup(path);
	r->zstd = ZSTD_createDCtx();
	r->digest = sim_digest_create();
	if (!r->zstd)
		sim_out_of_memory(1, OUT_BYTES, "trace reader");
	r->in_room = ZSTD_DStreamInSize();
	r->in_bytes = sim_alloc(r->in_room, 1, "trace reader");
	r->out = sim_alloc(OUT_BYTES, 1, "trace reader");
	r->in.src = r->in_bytes;
	if (read_header(r))
		return r;
	sim_error_set(err, "%s", r->err.text);
	sim_history_close(r);
	return NULL;
}

/* The end record has been read: nothing may be missing, nothing may follow. */
static bool check_end(struct sim_history_reader *r, const struct sim_record *end)
{
	char byte;

	if (end->a != r->nrecords)
		sim_error_at(&r->err, r->path, 0, "damaged: %llu records, expected %llu",
			     (unsigned long long)r->nrecords, (unsigned long long)end->a);
	else if (take(r, &byte, 1, "the end") > 0)
		sim_error_at(&r->err, r->path, 0, "damaged: data after the end record");
	return !sim_error_is_set(&r->err);
}

static bool need_record(struct sim_history_reader *r, struct sim_record *record)
{
	uint64_t kind, step, actor;

	if (!need_varint(r, &kind, 32) || !need_varint(r, &step, 64) ||
	    !need_varint(r, &actor, 32) || !need_varint(r, &record->a, 64) ||
	    !need_varint(r, &record->b, 64))
		return false;
	r->time_ns += step >> 1 ^ -(step & 1);
	record->time_ns = r->time_ns;
	record->kind = (uint32_t)kind;
	record->actor = (uint32_t)actor;
	return true;
}

static int next_record(struct sim_history_reader *r, struct sim_record *record)
{
	struct sim_record raw;

	if (r->ended)
		return 0;
	if (!need_record(r, record))
		return -1;
	if (record->kind == SIM_HISTORY_KIND_END) {
		r->ended = check_end(r, record);
		return r->ended ? 0 : -1;
	}
	if (!sim_history_kind(r, record->kind)) {
		sim_error_at(&r->err, r->path, 0,
			     "damaged: record %llu has kind %u, which the file does not describe",
			     (unsigned long long)r->nrecords, record->kind);
		return -1;
	}
	raw.time_ns = htole64(record->time_ns);
	raw.kind = htole32(record->kind);
	raw.actor = htole32(record->actor);
	raw.a = htole64(record->a);
	raw.b = htole64(record->b);
	sim_digest_update(r->digest, &raw, sizeof(raw));
	r->nrecords++;
	return 1;
}

int sim_history_next(struct sim_history_reader *reader, struct sim_record *record,
		     struct sim_error *err)
{
	const int got = sim_error_is_set(&reader->err) ? -1 : next_record(reader, record);

	if (got < 0)
		sim_error_set(err, "%s", reader->err.text);
	return got;
}

const struct sim_history_kind *sim_history_kind_at(const struct sim_history_reader *reader,
						   uint32_t index)
{
	return index < reader->nkinds ? &reader->kinds[index] : NULL;
}

const struct sim_history_kind *sim_history_kind(const struct sim_history_reader *reader,
						uint32_t kind)
{
	for (uint32_t i = 0; i < reader->nkinds; i++)
		if (reader->kinds[i].kind == kind)
			return &reader->kinds[i];
	return NULL;
}

void sim_history_record_digest_hex(const struct sim_history_reader *reader,
				   char out[SIM_DIGEST_HEX_BYTES])
{
	sim_digest_hex(reader->digest, out);
}

void sim_history_close(struct sim_history_reader *reader)
{
	if (!reader)
		return;
	fclose(reader->stream);
	ZSTD_freeDCtx(reader->zstd);
	sim_digest_destroy(reader->digest);
	free(reader->in_bytes);
	free(reader->out);
	free(reader->kinds);
	free(reader->names);
	free(reader->path);
	free(reader);
}
