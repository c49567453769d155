// SPDX-License-Identifier: BSD-2-Clause
/*
 * sim/trace/its_stream.c - ITS streams, read and written. See its_stream.h.
 */
#include "sim/trace/its_stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/trace/text.h"

static const char header[] = "time_us,op,operands";

/* Each op's name, and its operands: what they are, and the largest there can be. */
static const struct op {
	const char *name;
	unsigned int noperands;
	struct {
		const char *name;
		uint64_t max;
	} operands[SIM_ITS_EVENT_OPERANDS_MAX];
} ops[SIM_ITS_EVENT_OPS] = {
#define DEVICE	   { "device", UINT32_MAX }
#define EVENT	   { "event", UINT32_MAX }
#define COLLECTION { "collection", UINT16_MAX }
#define PE	   { "PE", UINT32_MAX }
#define VALID	   { "valid", 1 }
	[SIM_ITS_EVENT_MSI] = { "msi", 2, { DEVICE, EVENT } },
	[SIM_ITS_EVENT_MAPD] = { "mapd", 4, { DEVICE, { "bits", 32 },
					      { "ITT", ((uint64_t)1 << 52) - 1 }, VALID } },
	[SIM_ITS_EVENT_MAPC] = { "mapc", 3, { COLLECTION, PE, VALID } },
	[SIM_ITS_EVENT_MAPTI] = { "mapti", 4, { DEVICE, EVENT, { "LPI", UINT32_MAX },
						COLLECTION } },
	[SIM_ITS_EVENT_MAPI] = { "mapi", 3, { DEVICE, EVENT, COLLECTION } },
	[SIM_ITS_EVENT_MOVI] = { "movi", 3, { DEVICE, EVENT, COLLECTION } },
	[SIM_ITS_EVENT_MOVALL] = { "movall", 2, { PE, PE } },
	[SIM_ITS_EVENT_DISCARD] = { "discard", 2, { DEVICE, EVENT } },
	[SIM_ITS_EVENT_INT] = { "int", 2, { DEVICE, EVENT } },
	[SIM_ITS_EVENT_CLEAR] = { "clear", 2, { DEVICE, EVENT } },
	[SIM_ITS_EVENT_INV] = { "inv", 2, { DEVICE, EVENT } },
	[SIM_ITS_EVENT_INVALL] = { "invall", 0, { { NULL, 0 } } },
	[SIM_ITS_EVENT_SYNC] = { "sync", 0, { { NULL, 0 } } },
};

struct sim_its_stream {
	struct sim_text *text;
	uint64_t time_us;
	bool failed;
};

const char *sim_its_event_name(enum sim_its_event_op op)
{
	return ops[op].name;
}

unsigned int sim_its_event_noperands(enum sim_its_event_op op)
{
	return ops[op].noperands;
}

bool sim_its_event_in_range(const struct sim_its_event *event)
{
	const struct op *op = &ops[event->op];

	for (unsigned int i = 0; i < op->noperands; i++)
		if (event->operands[i] > op->operands[i].max)
			return false;
	return true;
}

void sim_its_stream_head(FILE *out)
{
	fprintf(out, "%s\n", header);
}

void sim_its_stream_put(const struct sim_its_event *event, FILE *out)
{
	fprintf(out, "%" PRIu64 ",%s", event->time_us, ops[event->op].name);
	for (unsigned int i = 0; i < ops[event->op].noperands; i++)
		fprintf(out, ",%" PRIu64, event->operands[i]);
	fputc('\n', out);
}

/* The offence, once and for ever. */
static int bad(struct sim_its_stream *s, const struct sim_line *line, const char *what,
	       const char *found, size_t len, const char *want, struct sim_error *err)
{
	sim_error_at(err, sim_text_name(s->text), line->number, "%s, found %s, expected %s", what,
		     sim_quote(found, len).text, want);
	s->failed = true;
	return -1;
}

static struct sim_its_stream *start(struct sim_text *text, struct sim_error *err)
{
	struct sim_its_stream *s;
	struct sim_line line;
	int more;

	if (!text)
		return NULL;
	s = sim_alloc(1, sizeof(*s), "an ITS stream");
	s->text = text;
	more = sim_text_next(text, &line, err);
	if (more > 0 && line.len == sizeof(header) - 1 && !memcmp(line.text, header, line.len))
		return s;
	if (more > 0)
		bad(s, &line, "first line", line.text, line.len, header, err);
	else if (more == 0)
		sim_error_at(err, sim_text_name(text), 1, "is empty, expected %s", header);
	sim_its_stream_close(s);
	return NULL;
}

struct sim_its_stream *sim_its_stream_open(const char *path, struct sim_error *err)
{
	return start(sim_text_open(path, err), err);
}

struct sim_its_stream *sim_its_stream_open_memory(const char *name, const void *bytes, size_t len,
						  struct sim_error *err)
{
	return start(sim_text_open_memory(name, bytes, len), err);
}

/* The next field of a line: up to a comma or the end. False if there is none. */
static bool field(const char **pos, const char *end, const char **text, size_t *len)
{
	const char *comma;

	if (*pos > end)
		return false;
	comma = memchr(*pos, ',', (size_t)(end - *pos));
	*text = *pos;
	*len = (size_t)((comma ? comma : end) - *pos);
	*pos += *len + 1;
	return true;
}

static bool number(const char *text, size_t len, uint64_t max, uint64_t *value)
{
	uint64_t v = 0;

	for (size_t i = 0; i < len; i++)
		if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(text[i] - '0'), &v))
			return false;
	*value = v;
	return len && v <= max;
}

static const struct op *find_op(const char *text, size_t len)
{
	for (unsigned int i = 0; i < SIM_ITS_EVENT_OPS; i++)
		if (strlen(ops[i].name) == len && memcmp(ops[i].name, text, len) == 0)
			return &ops[i];
	return NULL;
}

static int parse(struct sim_its_stream *s, const struct sim_line *line, struct sim_its_event *event,
		 struct sim_error *err)
{
	const char *pos = line->text, *end = pos + line->len, *text = "";
	const struct op *op;
	char want[80];
	size_t len = 0;

	*event = (struct sim_its_event){ .line = line->number };
	if (!field(&pos, end, &text, &len) || !number(text, len, UINT64_MAX, &event->time_us))
		return bad(s, line, "time_us", text, len, "a decimal number", err);
	if (event->time_us < s->time_us)
		return bad(s, line, "time_us", text, len, "no less than the line before", err);
	if (!field(&pos, end, &text, &len))
		return bad(s, line, "op", "", 0, "an op", err);
	op = find_op(text, len);
	if (!op)
		return bad(s, line, "op", text, len, "an op of ITS streams", err);
	event->op = (enum sim_its_event_op)(op - ops);
	for (unsigned int i = 0; i < op->noperands; i++) {
		text = "";
		len = 0;
		if (field(&pos, end, &text, &len) &&
		    number(text, len, op->operands[i].max, &event->operands[i]))
			continue;
		snprintf(want, sizeof(want), "a decimal number up to %" PRIu64,
			 op->operands[i].max);
		return bad(s, line, op->operands[i].name, text, len, want, err);
	}
	if (field(&pos, end, &text, &len))
		return bad(s, line, "operand too many", text, len, "the end of the line", err);
	s->time_us = event->time_us;
	return 1;
}

int sim_its_stream_next(struct sim_its_stream *stream, struct sim_its_event *event,
			struct sim_error *err)
{
	struct sim_line line;
	int more;

	if (stream->failed)
		return -1;
	while ((more = sim_text_next(stream->text, &line, err)) > 0)
		if (!line.len || line.text[0] != '#')
			return parse(stream, &line, event, err);
	return more;
}

bool sim_its_stream_rewind(struct sim_its_stream *stream, struct sim_error *err)
{
	struct sim_line line;

	if (stream->failed || !sim_text_rewind(stream->text, err))
		return false;
	stream->time_us = 0;
	return sim_text_next(stream->text, &line, err) > 0;
}

void sim_its_stream_close(struct sim_its_stream *stream)
{
	if (!stream)
		return;
	sim_text_close(stream->text);
	free(stream);
}
