/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/trace/text.h - lines of a text file, plain or compressed, checked as they are read.
 *
 * "-" is standard input; a name that ends in ".zst" is read through zstd; anything else is plain.
 * A line is handed out as a pointer into the reader's buffer, without its newline, and is valid
 * until the next call. The last line may lack its newline.
 *
 * Refused with FILE:LINE: bytes that are not UTF-8, NUL bytes, lines longer than
 * SIM_TEXT_LINE_BYTES_MAX, a compressed file that is cut off or damaged, a read error. CR is an
 * ordinary byte: formats of LF lines refuse it where they look at the value.
 *
 * One thread owns a reader. Cost: tens of nanoseconds a line; memory is constant.
 */
#ifndef SIM_TRACE_TEXT_H
#define SIM_TRACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/engine/error.h"

#define SIM_TEXT_LINE_BYTES_MAX 65536u

struct sim_text;

struct sim_line {
	const char *text; /* not NUL-terminated */
	size_t len;
	uint64_t number; /* from 1 */
};

/** sim_text_open() - NULL with @err set if it cannot be opened; @path is copied */
struct sim_text *sim_text_open(const char *path, struct sim_error *err);

/**
 * sim_text_open_memory() - read from memory, for tests and fuzzing
 * @name: stands for the file's name in messages, and selects zstd by its ".zst"
 * @bytes: must outlive the reader
 */
struct sim_text *sim_text_open_memory(const char *name, const void *bytes, size_t len);

/** sim_text_next() - 1 with @line filled in; 0 at the end; -1 with @err set, and so ever after */
int sim_text_next(struct sim_text *text, struct sim_line *line, struct sim_error *err);

/** sim_text_rewind() - start over; false with @err set where that is impossible (a pipe) */
bool sim_text_rewind(struct sim_text *text, struct sim_error *err);

/** sim_text_name() - the name as it was given */
const char *sim_text_name(const struct sim_text *text);

void sim_text_close(struct sim_text *text);

#endif
