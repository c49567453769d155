// SPDX-License-Identifier: BSD-2-Clause
/*
 * sim/trace/text.c - the line reader: a source of bytes, a window over them, checks.
 *
 * The window is a buffer of which bytes[pos .. len) have not been handed out. When it holds no
 * whole line, the rest moves to its front and the source fills the remainder. The buffer is larger
 * than the longest line allowed, so a full buffer without a newline is a line that is too long.
 *
 * Invariants:
 *   I1  `suspect` is set if anything from `pos` on may be other than ASCII without NUL. It is found
 *       out in one pass per fill, so that lines of ordinary traces are not looked at again; suspect
 *       lines are checked one by one, to name the line.
 *   I2  After an error the reader only repeats it.
 */
#include "sim/trace/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "sim/engine/utf8.h"

enum {
	BUFFER_BYTES = 256 * 1024,
	IN_BYTES = 128 * 1024
};

_Static_assert(BUFFER_BYTES > 2 * SIM_TEXT_LINE_BYTES_MAX, "room for a line and then some");

struct sim_text {
	char *name;
	FILE *stream; /* NULL: memory */
	bool is_stdin;
	ZSTD_DCtx *zstd; /* NULL: plain */
	ZSTD_inBuffer in; /* compressed bytes; of memory, all bytes */
	char *in_bytes;
	bool in_frame; /* a compressed frame has begun and not ended */
	bool at_end;   /* the source has no more */
	bool suspect;
	char *bytes;
	size_t pos;
	size_t len;
	uint64_t number; /* of the line handed out last */
	struct sim_error err;
};

static bool has_suffix(const char *name, const char *suffix)
{
	const size_t len = strlen(name);
	const size_t suffix_len = strlen(suffix);

	return len >= suffix_len && strcmp(name + len - suffix_len, suffix) == 0;
}

static struct sim_text *create(const char *name)
{
	struct sim_text *text = sim_alloc(1, sizeof(*text), "text reader");

	text->name = sim_strdup(name);
	text->bytes = sim_alloc(BUFFER_BYTES, 1, "text buffer");
	if (has_suffix(name, ".zst")) {
		text->zstd = ZSTD_createDCtx();
		if (!text->zstd)
			sim_out_of_memory(1, IN_BYTES, "decompressor");
	}
	return text;
}

struct sim_text *sim_text_open(const char *path, struct sim_error *err)
{
	const bool is_stdin = strcmp(path, "-") == 0;
	FILE *stream = is_stdin ? stdin : fopen(path, "rb");
	struct sim_text *text;

	if (!stream) {
		sim_error_at(err, *path ? path : "''", 0, "cannot open: %s", strerror(errno));
		return NULL;
	}
	text = create(path);
	text->stream = stream;
	text->is_stdin = is_stdin;
	if (text->zstd)
		text->in_bytes = sim_alloc(IN_BYTES, 1, "text buffer");
	/* Our reads are large; a second buffer would only be copied through. */
	if (!is_stdin)
		setvbuf(stream, NULL, _IONBF, 0);
	return text;
}

struct sim_text *sim_text_open_memory(const char *name, const void *bytes, size_t len)
{
	struct sim_text *text = create(name);

	text->in = (ZSTD_inBuffer){ bytes, len, 0 };
	return text;
}

/* Bytes as they lie in the file; 0 at its end, or with the error set. */
static size_t read_raw(struct sim_text *text, char *bytes, size_t room)
{
	size_t got;

	if (!text->stream) {
		got = text->in.size - text->in.pos;
		if (got > room)
			got = room;
		if (got)
			memcpy(bytes, (const char *)text->in.src + text->in.pos, got);
		text->in.pos += got;
		return got;
	}
	got = fread(bytes, 1, room, text->stream);
	if (!got && ferror(text->stream))
		sim_error_at(&text->err, text->name, text->number + 1, "reading: %s",
			     strerror(errno));
	return got;
}

/* Decompressed bytes; 0 at the end, or with the error set. */
static size_t read_zstd(struct sim_text *text, char *bytes, size_t room)
{
	ZSTD_outBuffer out = { bytes, room, 0 };

	while (!out.pos) {
		size_t left;

		if (text->stream && text->in.pos == text->in.size) {
			text->in = (ZSTD_inBuffer){ text->in_bytes, 0, 0 };
			text->in.size = read_raw(text, text->in_bytes, IN_BYTES);
		}
		/* With no more input, what the decompressor still holds must come out. */
		left = text->in_frame || text->in.pos < text->in.size
			       ? ZSTD_decompressStream(text->zstd, &out, &text->in)
			       : 0;
		if (ZSTD_isError(left)) {
			sim_error_at(&text->err, text->name, text->number + 1,
				     "damaged, or not compressed by zstd: %s",
				     ZSTD_getErrorName(left));
			return 0;
		}
		text->in_frame = left != 0;
		if (out.pos || text->in.pos < text->in.size)
			continue;
		if (text->stream && !feof(text->stream) && !ferror(text->stream))
			continue;
		if (text->in_frame)
			sim_error_at(&text->err, text->name, text->number + 1,
				     "cut off: the compressed data ends in the middle");
		return 0;
	}
	return out.pos;
}

/* Are all bytes 0x01..0x7f? */
static bool is_plain_ascii(const char *bytes, size_t len)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const uint64_t highs = UINT64_C(0x8080808080808080);
	uint64_t bad = 0;
	size_t i = 0;

	/* Without high bits in the word, word - ones borrows into one only at a 0. */
	for (; i + sizeof(bad) <= len; i += sizeof(bad)) {
		uint64_t word;

		memcpy(&word, bytes + i, sizeof(word));
		bad |= (word | (word - ones)) & highs;
	}
	for (; i < len; i++)
		if ((signed char)bytes[i] <= 0)
			bad = 1;
	return !bad;
}

/* Move what is left to the front and append to it. */
static void fill(struct sim_text *text)
{
	size_t got;

	memmove(text->bytes, text->bytes + text->pos, text->len - text->pos);
	text->len -= text->pos;
	text->pos = 0;
	got = text->zstd ? read_zstd(text, text->bytes + text->len, BUFFER_BYTES - text->len)
			 : read_raw(text, text->bytes + text->len, BUFFER_BYTES - text->len);
	text->suspect = text->suspect || !is_plain_ascii(text->bytes + text->len, got);
	text->len += got;
	text->at_end = !got;
}

static bool check_line(struct sim_text *text, const struct sim_line *line)
{
	static const unsigned char zstd_magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
	const char *nul = memchr(line->text, '\0', line->len);
	const size_t good = nul ? (size_t)(nul - line->text)
				: sim_utf8_first_bad(line->text, line->len);

	if (good == line->len)
		return true;
	if (line->number == 1 && line->len >= sizeof(zstd_magic) && !text->zstd &&
	    memcmp(line->text, zstd_magic, sizeof(zstd_magic)) == 0)
		sim_error_at(&text->err, text->name, line->number,
			     "found zstd data, expected text: decompress it, or let its name "
			     "end in \".zst\"");
	else
		sim_error_at(&text->err, text->name, line->number,
			     "byte %zu of the line, found 0x%02x, expected UTF-8 without NUL",
			     good + 1, (unsigned int)(unsigned char)line->text[good]);
	return false;
}

static int next_line(struct sim_text *text, struct sim_line *line)
{
	const char *newline;

	for (;;) {
		const char *start = text->bytes + text->pos;
		const size_t have = text->len - text->pos;

		newline = have ? memchr(start, '\n', have) : NULL;
		line->text = start;
		line->len = newline ? (size_t)(newline - start) : have;
		line->number = text->number + 1;
		if (line->len > SIM_TEXT_LINE_BYTES_MAX) {
			sim_error_at(&text->err, text->name, line->number,
				     "bytes of the line, found more, expected at most %u",
				     SIM_TEXT_LINE_BYTES_MAX);
			return -1;
		}
		if (newline || text->at_end)
			break;
		fill(text);
		if (sim_error_is_set(&text->err))
			return -1;
	}
	if (!newline && !line->len)
		return 0;
	if (text->suspect && !check_line(text, line))
		return -1;
	text->pos += line->len + (newline ? 1 : 0);
	text->number++;
	return 1;
}

int sim_text_next(struct sim_text *text, struct sim_line *line, struct sim_error *err)
{
	const int got = sim_error_is_set(&text->err) ? -1 : next_line(text, line);

	if (got < 0)
		sim_error_set(err, "%s", text->err.text);
	return got;
}

bool sim_text_rewind(struct sim_text *text, struct sim_error *err)
{
	if (sim_error_is_set(&text->err)) {
		sim_error_set(err, "%s", text->err.text);
		return false;
	}
	if (text->stream && fseek(text->stream, 0, SEEK_SET)) {
		sim_error_at(err, text->name, 0, "cannot start over: %s", strerror(errno));
		return false;
	}
	if (text->zstd)
		ZSTD_DCtx_reset(text->zstd, ZSTD_reset_session_only);
	text->in.pos = 0;
	if (text->stream)
		text->in.size = 0;
	text->in_frame = false;
	text->at_end = false;
	text->suspect = false;
	text->pos = 0;
	text->len = 0;
	text->number = 0;
	return true;
}

const char *sim_text_name(const struct sim_text *text)
{
	return text->name;
}

void sim_text_close(struct sim_text *text)
{
	if (!text)
		return;
	if (text->stream && !text->is_stdin)
		fclose(text->stream);
	ZSTD_freeDCtx(text->zstd);
	free(text->in_bytes);
	free(text->bytes);
	free(text->name);
	free(text);
}
