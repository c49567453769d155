// SPDX-License-Identifier: BSD-2-Clause
/*
 * sim/engine/history.c - emitting the event history: batches, digest, file.
 *
 * Records collect in a batch of SIM_HISTORY_BATCH and reach the digest and the compressor a batch
 * at a time, because either costs a third that way of what it costs a record at a time.
 *
 * The file is one zstd frame with a checksum, so that a cut or a flipped bit shows. Its layout is
 * in docs/formats.md; history_format.h has the numbers that writer and reader share.
 */
#include "sim/engine/history.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>

#include "sim/engine/history_format.h"
#include "sim/engine/stats.h"

_Static_assert(sizeof(struct sim_record) == 32, "no padding in a record");

/* Level 1: the history of a run is large and written while it runs. */
enum { COMPRESSION_LEVEL = 1 };

#define PART_SUFFIX ".part"

struct sim_history_file {
	FILE *stream;
	char *path;
	char *part; /* what it is called until it is whole; NULL: a device, a pipe */
	ZSTD_CCtx *zstd;
	void *out;
	size_t out_bytes;
	uint64_t time_ns; /* of the record before */
	unsigned char packed[SIM_HISTORY_BATCH * SIM_TRACE_RECORD_BYTES_MAX];
	struct sim_error err; /* the first failure; nothing is written after it */
};

/* Compress, and write what comes out. With ZSTD_e_end, the frame is complete afterwards. */
static void file_write(struct sim_history_file *file, const void *bytes, size_t len,
		       ZSTD_EndDirective mode)
{
	ZSTD_inBuffer in = { bytes, len, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { file->out, file->out_bytes, 0 };

		if (sim_error_is_set(&file->err))
			return;
		left = ZSTD_compressStream2(file->zstd, &out, &in, mode);
		if (ZSTD_isError(left))
			sim_error_at(&file->err, file->path, 0, "compressing: %s",
				     ZSTD_getErrorName(left));
		else if (out.pos && fwrite(file->out, 1, out.pos, file->stream) != out.pos)
			sim_error_at(&file->err, file->path, 0, "writing: %s", strerror(errno));
	} while (in.pos < in.size || (mode == ZSTD_e_end && left));
}

static void file_write_u32(struct sim_history_file *file, uint32_t value)
{
	const uint32_t bytes = htole32(value);

	file_write(file, &bytes, sizeof(bytes), ZSTD_e_continue);
}

static void file_write_name(struct sim_history_file *file, const char *name)
{
	const size_t bytes = strlen(name) + 1;

	sim_assert(bytes <= SIM_HISTORY_NAME_BYTES_MAX);
	file_write(file, name, bytes, ZSTD_e_continue);
}

static void file_write_header(struct sim_history_file *file, const struct sim_history_kind *kinds,
			      uint32_t nkinds)
{
	file_write(file, SIM_TRACE_MAGIC, SIM_TRACE_MAGIC_BYTES, ZSTD_e_continue);
	file_write_u32(file, nkinds);
	for (uint32_t i = 0; i < nkinds; i++) {
		file_write_u32(file, kinds[i].kind);
		file_write_name(file, kinds[i].name);
		file_write_name(file, kinds[i].actor);
		file_write_name(file, kinds[i].a);
		file_write_name(file, kinds[i].b);
	}
}

static unsigned char *pack(unsigned char *p, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*p++ = (unsigned char)(value | 0x80);
	*p++ = (unsigned char)value;
	return p;
}

static void file_write_records(struct sim_history_file *file, const struct sim_record *records,
			       uint32_t count, ZSTD_EndDirective mode)
{
	unsigned char *p = file->packed;

	for (uint32_t i = 0; i < count; i++) {
		const uint64_t time_ns = le64toh(records[i].time_ns);
		const uint64_t step = time_ns - file->time_ns;

		file->time_ns = time_ns;
		p = pack(p, le32toh(records[i].kind));
		p = pack(p, step << 1 ^ -(step >> 63));
		p = pack(p, le32toh(records[i].actor));
		p = pack(p, le64toh(records[i].a));
		p = pack(p, le64toh(records[i].b));
	}
	file_write(file, file->packed, (size_t)(p - file->packed), mode);
}

static void file_free(struct sim_history_file *file)
{
	if (!file)
		return;
	if (file->stream) {
		fclose(file->stream);
		if (file->part)
			unlink(file->part);
	}
	free(file->part);
	ZSTD_freeCCtx(file->zstd);
	free(file->out);
	free(file->path);
	free(file);
}

static struct sim_history_file *file_create(const char *path, struct sim_error *err)
{
	struct sim_history_file *file = sim_alloc(1, sizeof(*file), "trace file");
	struct stat st;
	size_t part_bytes;

	file->path = sim_strdup(path);
	if (stat(path, &st) != 0 || S_ISREG(st.st_mode)) {
		part_bytes = strlen(path) + sizeof(PART_SUFFIX);
		file->part = sim_alloc(part_bytes, 1, "trace file");
		snprintf(file->part, part_bytes, "%s" PART_SUFFIX, path);
	}
	file->stream = fopen(file->part ? file->part : path, "wb");
	if (!file->stream) {
		sim_error_at(err, path, 0, "cannot create: %s", strerror(errno));
		file_free(file);
		return NULL;
	}
	file->zstd = ZSTD_createCCtx();
	if (!file->zstd)
		sim_out_of_memory(1, ZSTD_CStreamInSize(), "trace compressor");
	ZSTD_CCtx_setParameter(file->zstd, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
	ZSTD_CCtx_setParameter(file->zstd, ZSTD_c_checksumFlag, 1);
	file->out_bytes = ZSTD_CStreamOutSize();
	file->out = sim_alloc(file->out_bytes, 1, "trace buffer");
	return file;
}

static void check_kinds(const struct sim_history_kind *kinds, uint32_t nkinds)
{
	sim_assert(nkinds <= SIM_HISTORY_NKINDS_MAX);
	for (uint32_t i = 0; i < nkinds; i++) {
		sim_assert(kinds[i].kind != SIM_HISTORY_KIND_END);
		sim_assert(kinds[i].name && kinds[i].name[0]);
		sim_assert(kinds[i].actor && kinds[i].a && kinds[i].b);
		for (uint32_t j = 0; j < i; j++)
			sim_assert(kinds[j].kind != kinds[i].kind);
	}
}

struct sim_history *sim_history_create(const struct sim_history_kind *kinds, uint32_t nkinds,
				       const char *path, struct sim_error *err)
{
	struct sim_history *history;
	struct sim_history_file *file = NULL;

	check_kinds(kinds, nkinds);
	if (path) {
		file = file_create(path, err);
		if (!file)
			return NULL;
		file_write_header(file, kinds, nkinds);
	}
	history = sim_alloc(1, sizeof(*history), "event history");
	*history = (struct sim_history){
		.batch = sim_alloc(SIM_HISTORY_BATCH, sizeof(struct sim_record), "event history"),
		.digest = sim_digest_create(),
		.file = file,
		.kinds = kinds,
		.nkinds = nkinds,
	};
	return history;
}

static bool kind_is_known(const struct sim_history *history, uint32_t kind)
{
	for (uint32_t i = 0; i < history->nkinds; i++)
		if (history->kinds[i].kind == kind)
			return true;
	return false;
}

void sim_history_flush(struct sim_history *history)
{
	const size_t bytes = history->nbatched * sizeof(*history->batch);
	uint32_t known = SIM_HISTORY_KIND_END;

	sim_assert(!history->finished);
	for (uint32_t i = 0; i < history->nbatched; i++) {
		const uint32_t kind = le32toh(history->batch[i].kind);

		if (kind == known)
			continue;
		sim_assert(kind_is_known(history, kind));
		known = kind;
	}
	sim_digest_update(history->digest, history->batch, bytes);
	if (history->file)
		file_write_records(history->file, history->batch, history->nbatched,
				   ZSTD_e_continue);
	history->nflushed += history->nbatched;
	history->nbatched = 0;
}

uint64_t sim_history_count(const struct sim_history *history)
{
	return history->nflushed + history->nbatched;
}

bool sim_history_error(const struct sim_history *history, struct sim_error *err)
{
	if (!history->file || !sim_error_is_set(&history->file->err))
		return false;
	sim_error_set(err, "%s", history->file->err.text);
	return true;
}

static void fold_stats(struct sim_history *history, const struct sim_stats *stats)
{
	for (size_t i = 0; i < sim_stats_count(stats); i++) {
		const struct sim_stat *stat = sim_stats_at(stats, i);
		const uint64_t value = htole64(stat->value);

		sim_digest_update(history->digest, stat->name, strlen(stat->name) + 1);
		sim_digest_update(history->digest, &value, sizeof(value));
	}
}

static void file_finish(struct sim_history_file *file, uint64_t count)
{
	const struct sim_record end = {
		.time_ns = htole64(file->time_ns), /* a step of 0 */
		.kind = htole32(SIM_HISTORY_KIND_END),
		.a = htole64(count),
	};

	file_write_records(file, &end, 1, ZSTD_e_end);
	if (fflush(file->stream))
		sim_error_at(&file->err, file->path, 0, "writing: %s", strerror(errno));
	if (fclose(file->stream))
		sim_error_at(&file->err, file->path, 0, "closing: %s", strerror(errno));
	file->stream = NULL;
	if (!file->part)
		return;
	if (!sim_error_is_set(&file->err) && rename(file->part, file->path))
		sim_error_at(&file->err, file->path, 0, "cannot be written: %s", strerror(errno));
	if (sim_error_is_set(&file->err))
		unlink(file->part);
}

bool sim_history_finish(struct sim_history *history, const struct sim_stats *stats,
			struct sim_error *err)
{
	sim_history_flush(history);
	if (stats)
		fold_stats(history, stats);
	if (history->file)
		file_finish(history->file, history->nflushed);
	history->finished = true;
	return !sim_history_error(history, err);
}

void sim_history_digest(struct sim_history *history, uint8_t out[SIM_DIGEST_BYTES])
{
	if (!history->finished)
		sim_history_flush(history);
	sim_digest_get(history->digest, out);
}

void sim_history_digest_hex(struct sim_history *history, char out[SIM_DIGEST_HEX_BYTES])
{
	if (!history->finished)
		sim_history_flush(history);
	sim_digest_hex(history->digest, out);
}

void sim_history_destroy(struct sim_history *history)
{
	if (!history)
		return;
	file_free(history->file);
	sim_digest_destroy(history->digest);
	free(history->batch);
	free(history);
}
