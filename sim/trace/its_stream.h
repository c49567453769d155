/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/trace/its_stream.h - ITS streams: a guest's ITS commands and its devices' interrupts.
 *
 * First line `time_us,op,operands`; then one event a line, `TIME,OP` and the op's operands; decimal
 * unsigned numbers; sorted by time; lines that begin with '#' are remarks. docs/formats.md has the
 * ops.
 *
 * Strict, as sim/trace/pagewr.h is: the first offence ends the reading with `FILE:LINE: what, found
 * V, expected W`.
 */
#ifndef SIM_TRACE_ITS_STREAM_H
#define SIM_TRACE_ITS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/engine/error.h"

enum sim_its_event_op {
	SIM_ITS_EVENT_MSI = 0, /* device, event */
	SIM_ITS_EVENT_MAPD,    /* device, bits of an event, ITT address, valid */
	SIM_ITS_EVENT_MAPC,    /* collection, PE, valid */
	SIM_ITS_EVENT_MAPTI,   /* device, event, LPI, collection */
	SIM_ITS_EVENT_MAPI,    /* device, event, collection */
	SIM_ITS_EVENT_MOVI,    /* device, event, collection */
	SIM_ITS_EVENT_MOVALL,  /* from PE, to PE */
	SIM_ITS_EVENT_DISCARD, /* device, event; so are the next three */
	SIM_ITS_EVENT_INT,
	SIM_ITS_EVENT_CLEAR,
	SIM_ITS_EVENT_INV,
	SIM_ITS_EVENT_INVALL, /* nothing: recordings do not say which collection */
	SIM_ITS_EVENT_SYNC,   /* nothing */
	SIM_ITS_EVENT_OPS
};

#define SIM_ITS_EVENT_OPERANDS_MAX 4u

struct sim_its_event {
	uint64_t time_us;
	enum sim_its_event_op op;
	uint64_t operands[SIM_ITS_EVENT_OPERANDS_MAX]; /* as above; the rest is 0 */
	uint64_t line; /* of the file that it was read from */
};

/** sim_its_event_name() - as the op stands in a stream: "msi", "mapti" */
const char *sim_its_event_name(enum sim_its_event_op op);

/** sim_its_event_noperands() - how many operands an op has */
unsigned int sim_its_event_noperands(enum sim_its_event_op op);

/** sim_its_event_in_range() - whether each operand is one that a stream may have */
bool sim_its_event_in_range(const struct sim_its_event *event);

/** sim_its_stream_head() - print the first line */
void sim_its_stream_head(FILE *out);

/** sim_its_stream_put() - print an event */
void sim_its_stream_put(const struct sim_its_event *event, FILE *out);

struct sim_its_stream;

/** sim_its_stream_open() - open a stream and check its first line; NULL with @err set */
struct sim_its_stream *sim_its_stream_open(const char *path, struct sim_error *err);

/** sim_its_stream_open_memory() - the same from memory, see sim_text_open_memory() */
struct sim_its_stream *sim_its_stream_open_memory(const char *name, const void *bytes, size_t len,
						  struct sim_error *err);

/** sim_its_stream_next() - 1 with @event filled in; 0 at the end; -1 with @err set, ever after */
int sim_its_stream_next(struct sim_its_stream *stream, struct sim_its_event *event,
			struct sim_error *err);

/** sim_its_stream_rewind() - start over; false with @err set where that is impossible (a pipe) */
bool sim_its_stream_rewind(struct sim_its_stream *stream, struct sim_error *err);

void sim_its_stream_close(struct sim_its_stream *stream);

#endif
