// SPDX-License-Identifier: BSD-2-Clause
/*
 * sim/trace/pagewr.c - the page-write trace, row by row.
 *
 * A good row is parsed in one pass that only ever asks "is all well?". A row that is not is looked
 * at again by explain_row(), which finds the first offence and says what it is; so the words cost
 * nothing where there is nothing to say.
 */
#include "sim/trace/pagewr.h"

#include <stdlib.h>
#include <string.h>

#include "sim/trace/pagewr_internal.h"

static const char header_writes[] = "epoch,vcpu,gfn,writes";
static const char header_reads[] = "epoch,vcpu,gfn,writes,reads";
static const char *const column_names[] = { "epoch", "vcpu", "gfn", "writes", "reads" };

enum {
	EPOCH,
	VCPU,
	GFN,
	WRITES,
	READS,
	NCOLUMNS_MAX
};

/* Any number of so many digits fits in 64 bits. */
enum { DIGITS_SAFE = 19 };

/* As many of the following digits as there are; false if none, or too large for 64 bits. */
static inline bool parse_number(const char **pos, const char *end, uint64_t *value)
{
	const char *start = *pos;
	const char *p = start;
	uint64_t v = 0;

	while (p < end && (unsigned char)(*p - '0') <= 9)
		v = v * 10 + (unsigned char)(*p++ - '0');
	if (p - start > DIGITS_SAFE) {
		v = 0;
		for (const char *q = start; q < p; q++)
			if (__builtin_mul_overflow(v, 10, &v) ||
			    __builtin_add_overflow(v, (uint64_t)(*q - '0'), &v))
				return false;
	}
	*pos = p;
	*value = v;
	return p > start;
}

static inline bool parse_row(const struct sim_pagewr *trace, const struct sim_line *line,
			     struct sim_pagewr_row *row)
{
	const char *p = line->text;
	const char *end = p + line->len;
	uint64_t values[NCOLUMNS_MAX];

	values[READS] = 0;
	for (unsigned int i = 0; i < trace->ncolumns; i++) {
		if (i && (p == end || *p++ != ','))
			return false;
		if (!parse_number(&p, end, &values[i]))
			return false;
	}
	if (p != end || values[EPOCH] < trace->epoch || values[VCPU] > trace->vcpu_last ||
	    values[GFN] - trace->gfn_first > trace->gfn_span ||
	    (trace->ncolumns > READS && !(values[WRITES] | values[READS])))
		return false;
	row->epoch = values[EPOCH];
	row->vcpu = (uint32_t)values[VCPU];
	row->gfn = values[GFN];
	row->writes = values[WRITES];
	row->reads = values[READS];
	return true;
}

#define u64_arg(value) ((unsigned long long)(value))

/* Say what is wrong with one field; false if nothing is. */
static bool explain_field(const struct sim_pagewr *trace, uint64_t number, unsigned int column,
			  const char *text, size_t len, struct sim_error *err)
{
	const char *file = sim_text_name(trace->text);
	const char *name = column_names[column];
	const char *p = text;
	uint64_t value;

	if (!parse_number(&p, text + len, &value) || p != text + len) {
		sim_error_at(err, file, number, "%s, found %s, expected a decimal number 0..%llu",
			     name, sim_quote(text, len).text, u64_arg(UINT64_MAX));
		return true;
	}
	if (column == EPOCH && value < trace->epoch) {
		sim_error_at(err, file, number,
			     "%s, found %llu, expected at least %llu, that of the row before", name,
			     u64_arg(value), u64_arg(trace->epoch));
		return true;
	}
	if (column == VCPU && value > trace->vcpu_last) {
		sim_error_at(err, file, number, "%s, found %llu, expected 0..%u", name,
			     u64_arg(value), trace->vcpu_last);
		return true;
	}
	if (column == GFN && value - trace->gfn_first > trace->gfn_span) {
		sim_error_at(err, file, number, "%s, found %llu, expected %llu..%llu", name,
			     u64_arg(value), u64_arg(trace->gfn_first),
			     u64_arg(trace->gfn_first + trace->gfn_span));
		return true;
	}
	return false;
}

/* Say what is wrong with a row that parse_row() refused. */
static void explain_row(const struct sim_pagewr *trace, const struct sim_line *line,
			struct sim_error *err)
{
	const char *end = line->text + line->len;
	const char *p = line->text;
	unsigned int ncolumns = 1;

	for (size_t i = 0; i < line->len; i++)
		ncolumns += line->text[i] == ',';
	if (ncolumns != trace->ncolumns) {
		sim_error_at(err, sim_text_name(trace->text), line->number,
			     "columns, found %u in %s, expected %u (%s)", ncolumns,
			     sim_quote(line->text, line->len).text, trace->ncolumns,
			     trace->ncolumns > READS ? header_reads : header_writes);
		return;
	}
	for (unsigned int i = 0; i < ncolumns; i++) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		const size_t len = (size_t)((comma ? comma : end) - p);

		if (explain_field(trace, line->number, i, p, len, err))
			return;
		p += len + 1;
	}
	sim_error_at(err, sim_text_name(trace->text), line->number,
		     "writes and reads, found 0 and 0, expected at least one access");
}

static bool line_is(const struct sim_line *line, const char *text)
{
	return line->len == strlen(text) && memcmp(line->text, text, line->len) == 0;
}

static bool read_header(struct sim_pagewr *trace, struct sim_error *err)
{
	struct sim_line line;
	const int got = sim_text_next(trace->text, &line, err);

	if (got < 0)
		return false;
	if (got && line_is(&line, header_writes)) {
		trace->ncolumns = WRITES + 1;
	} else if (got && line_is(&line, header_reads)) {
		trace->ncolumns = READS + 1;
	} else {
		sim_error_at(err, sim_text_name(trace->text), 1,
			     "first line, found %s, expected '%s' or '%s'",
			     got ? sim_quote(line.text, line.len).text : "an empty file",
			     header_writes, header_reads);
		return false;
	}
	trace->epoch = 0;
	trace->has_ahead = false;
	return true;
}

/* Takes the text reader over, also when it fails. */
static struct sim_pagewr *open_text(struct sim_text *text, const struct sim_pagewr_limits *limits,
				    struct sim_error *err)
{
	struct sim_pagewr *trace;

	if (!text)
		return NULL;
	trace = sim_alloc(1, sizeof(*trace), "page-write trace");
	trace->text = text;
	trace->vcpu_last = limits && limits->nvcpus ? limits->nvcpus - 1 : SIM_PAGEWR_VCPU_MAX;
	trace->gfn_span = SIM_PAGEWR_GFN_MAX;
	if (limits && limits->npages) {
		sim_assert(limits->base_gfn <= SIM_PAGEWR_GFN_MAX);
		sim_assert(limits->npages - 1 <= SIM_PAGEWR_GFN_MAX - limits->base_gfn);
		trace->gfn_first = limits->base_gfn;
		trace->gfn_span = limits->npages - 1;
	}
	if (read_header(trace, err))
		return trace;
	sim_pagewr_close(trace);
	return NULL;
}

struct sim_pagewr *sim_pagewr_open(const char *path, const struct sim_pagewr_limits *limits,
				   struct sim_error *err)
{
	return open_text(sim_text_open(path, err), limits, err);
}

struct sim_pagewr *sim_pagewr_open_memory(const char *name, const void *bytes, size_t len,
					  const struct sim_pagewr_limits *limits,
					  struct sim_error *err)
{
	return open_text(sim_text_open_memory(name, bytes, len), limits, err);
}

int sim_pagewr_next(struct sim_pagewr *trace, struct sim_pagewr_row *row, struct sim_error *err)
{
	struct sim_line line;
	int got;

	if (sim_error_is_set(&trace->err)) {
		sim_error_set(err, "%s", trace->err.text);
		return -1;
	}
	do {
		got = sim_text_next(trace->text, &line, err);
		if (got <= 0)
			return got;
	} while (line.len && line.text[0] == '#');
	if (!parse_row(trace, &line, row)) {
		explain_row(trace, &line, &trace->err);
		sim_error_set(err, "%s", trace->err.text);
		return -1;
	}
	trace->epoch = row->epoch;
	return 1;
}

bool sim_pagewr_has_reads(const struct sim_pagewr *trace)
{
	return trace->ncolumns > READS;
}

bool sim_pagewr_rewind(struct sim_pagewr *trace, struct sim_error *err)
{
	if (sim_error_is_set(&trace->err)) {
		sim_error_set(err, "%s", trace->err.text);
		return false;
	}
	return sim_text_rewind(trace->text, err) && read_header(trace, err);
}

void sim_pagewr_close(struct sim_pagewr *trace)
{
	if (!trace)
		return;
	sim_text_close(trace->text);
	free(trace->order);
	free(trace->scratch);
	free(trace);
}
