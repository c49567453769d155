// SPDX-License-Identifier: BSD-2-Clause
/*
 * sim/trace/qemu_log.c - trace logs of QEMU. See qemu_log.h.
 *
 * The text of a known event is described by a pattern: its letters stand for themselves, '#' and a
 * digit for a number that is that operand, '#-' for one that nobody needs. Names of other events
 * are kept sorted, so that they are found, and listed, in alphabetical order.
 */
#include "sim/trace/qemu_log.h"

#include <stdlib.h>
#include <string.h>

#include "sim/trace/text.h"

#define OTHERS_MAX 4096u

struct known {
	const char *name;
	enum sim_its_event_op op;
	const char *pattern;
};

static const struct known known[] = {
	{ "gicv3_its_translation_write", SIM_ITS_EVENT_MSI,
	  "GICv3 ITS TRANSLATER write: offset #- data #1 size #- requester_id #0" },
	{ "gicv3_its_cmd_mapd", SIM_ITS_EVENT_MAPD,
	  "GICv3 ITS: command MAPD DeviceID #0 Size #1 ITT_addr #2 V #3" },
	{ "gicv3_its_cmd_mapc", SIM_ITS_EVENT_MAPC,
	  "GICv3 ITS: command MAPC ICID #0 RDbase #1 V #2" },
	{ "gicv3_its_cmd_mapti", SIM_ITS_EVENT_MAPTI,
	  "GICv3 ITS: command MAPTI DeviceID #0 EventID #1 ICID #3 pINTID #2" },
	{ "gicv3_its_cmd_mapi", SIM_ITS_EVENT_MAPI,
	  "GICv3 ITS: command MAPI DeviceID #0 EventID #1 ICID #2" },
	{ "gicv3_its_cmd_movi", SIM_ITS_EVENT_MOVI,
	  "GICv3 ITS: command MOVI DeviceID #0 EventID #1 ICID #2" },
	{ "gicv3_its_cmd_movall", SIM_ITS_EVENT_MOVALL,
	  "GICv3 ITS: command MOVALL RDbase1 #0 RDbase2 #1" },
	{ "gicv3_its_cmd_discard", SIM_ITS_EVENT_DISCARD,
	  "GICv3 ITS: command DISCARD DeviceID #0 EventID #1" },
	{ "gicv3_its_cmd_int", SIM_ITS_EVENT_INT,
	  "GICv3 ITS: command INT DeviceID #0 EventID #1" },
	{ "gicv3_its_cmd_clear", SIM_ITS_EVENT_CLEAR,
	  "GICv3 ITS: command CLEAR DeviceID #0 EventID #1" },
	{ "gicv3_its_cmd_inv", SIM_ITS_EVENT_INV,
	  "GICv3 ITS: command INV DeviceID #0 EventID #1" },
	{ "gicv3_its_cmd_invall", SIM_ITS_EVENT_INVALL, "GICv3 ITS: command INVALL" },
	{ "gicv3_its_cmd_sync", SIM_ITS_EVENT_SYNC, "GICv3 ITS: command SYNC" },
};

struct other {
	char *name;
	uint64_t count;
};

struct sim_qemu_log {
	struct sim_text *text;
	uint64_t time_us;
	uint64_t steps_back;
	bool failed;
	struct other *others; /* by name */
	size_t nothers;
};

static struct sim_qemu_log *start(struct sim_text *text)
{
	struct sim_qemu_log *log;

	if (!text)
		return NULL;
	log = sim_alloc(1, sizeof(*log), "a trace log");
	log->text = text;
	return log;
}

struct sim_qemu_log *sim_qemu_log_open(const char *path, struct sim_error *err)
{
	return start(sim_text_open(path, err));
}

struct sim_qemu_log *sim_qemu_log_open_memory(const char *name, const void *bytes, size_t len)
{
	return start(sim_text_open_memory(name, bytes, len));
}

void sim_qemu_log_close(struct sim_qemu_log *log)
{
	if (!log)
		return;
	for (size_t i = 0; i < log->nothers; i++)
		free(log->others[i].name);
	free(log->others);
	sim_text_close(log->text);
	free(log);
}

static int bad(struct sim_qemu_log *log, const struct sim_line *line, const char *what,
	       const char *found, const char *end, const char *want, struct sim_error *err)
{
	sim_error_at(err, sim_text_name(log->text), line->number, "%s, found %s, expected %s",
		     what, sim_quote(found, (size_t)(end - found)).text, want);
	log->failed = true;
	return -1;
}

/* A number at *pos: decimal, or hexadecimal after 0x. */
static bool number(const char **pos, const char *end, uint64_t *value)
{
	const char *p = *pos;
	unsigned int base = 10, digit;
	uint64_t v = 0;

	if (end - p > 2 && p[0] == '0' && p[1] == 'x') {
		base = 16;
		p += 2;
		*pos = p;
	}
	for (; p < end; p++) {
		digit = *p >= '0' && *p <= '9' ? (unsigned int)(*p - '0') :
			*p >= 'a' && *p <= 'f' ? (unsigned int)(*p - 'a') + 10 : 16;
		if (digit >= base)
			break;
		if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, digit, &v))
			return false;
	}
	*value = v;
	if (p == *pos)
		return false;
	*pos = p;
	return true;
}

static bool match(const char *pattern, const char *pos, const char *end,
		  struct sim_its_event *event)
{
	uint64_t v;

	for (; *pattern; pattern++) {
		if (*pattern != '#') {
			if (pos == end || *pos++ != *pattern)
				return false;
			continue;
		}
		pattern++;
		if (!number(&pos, end, &v))
			return false;
		if (*pattern != '-')
			event->operands[*pattern - '0'] = v;
	}
	return pos == end;
}

/* QEMU prints MAPD's fields as they are: Size is one less, the address lacks its low 8 bits. */
static void in_units(struct sim_its_event *event)
{
	if (event->op != SIM_ITS_EVENT_MAPD)
		return;
	event->operands[1]++;
	/* One that does not fit stays out of range. */
	event->operands[2] = event->operands[2] >> 44 ? UINT64_MAX : event->operands[2] << 8;
}

static int compare(const char *name, const char *text, size_t len)
{
	int order = strncmp(name, text, len);

	return order ? order : name[len] != '\0';
}

/* Count an event by its name; false if there are too many names. */
static bool count_other(struct sim_qemu_log *log, const char *name, size_t len)
{
	size_t lo = 0, hi = log->nothers;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int order = compare(log->others[mid].name, name, len);

		if (!order) {
			log->others[mid].count++;
			return true;
		}
		if (order < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (log->nothers == OTHERS_MAX)
		return false;
	log->others = sim_realloc(log->others, log->nothers + 1, sizeof(*log->others), "names");
	memmove(&log->others[lo + 1], &log->others[lo],
		(log->nothers++ - lo) * sizeof(*log->others));
	log->others[lo].name = sim_alloc(len + 1, 1, "names");
	memcpy(log->others[lo].name, name, len);
	log->others[lo].count = 1;
	return true;
}

/* `THREAD@SECONDS.MICROSECONDS:` at *pos; false if it is not. */
static bool stamp(const char **pos, const char *end, uint64_t *time_us)
{
	uint64_t thread, seconds, micros;
	const char *fraction;

	if (!number(pos, end, &thread) || *pos == end || *(*pos)++ != '@' ||
	    !number(pos, end, &seconds) || *pos == end || *(*pos)++ != '.')
		return false;
	fraction = *pos;
	if (!number(pos, end, &micros) || *pos - fraction != 6 || *pos == end ||
	    *(*pos)++ != ':')
		return false;
	return !__builtin_mul_overflow(seconds, UINT64_C(1000000), time_us) &&
	       !__builtin_add_overflow(*time_us, micros, time_us);
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static const struct known *find(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].name) == len && memcmp(known[i].name, name, len) == 0)
			return &known[i];
	return NULL;
}

/* 1: an event; 0: another kind of event, counted; -1: an offence. */
static int parse(struct sim_qemu_log *log, const struct sim_line *line,
		 struct sim_its_event *event, struct sim_error *err)
{
	const char *pos = line->text, *end = pos + line->len, *name;
	const struct known *k;
	uint64_t time_us;

	if (!stamp(&pos, end, &time_us))
		return bad(log, line, "line", line->text, end, "THREAD@SECONDS.MICROSECONDS:",
			   err);
	for (name = pos; pos < end && is_name(*pos); pos++)
		;
	if (pos == name || (pos < end && *pos != ' '))
		return bad(log, line, "event", name, end, "the name of a trace event", err);
	if (time_us < log->time_us)
		log->steps_back++;
	else
		log->time_us = time_us;
	k = find(name, (size_t)(pos - name));
	if (!k) {
		if (count_other(log, name, (size_t)(pos - name)))
			return 0;
		return bad(log, line, "event", name, pos, "at most 4096 different names", err);
	}
	*event = (struct sim_its_event){
		.time_us = log->time_us, .op = k->op, .line = line->number,
	};
	pos += pos < end;
	if (!match(k->pattern, pos, end, event))
		return bad(log, line, k->name, pos, end, k->pattern, err);
	in_units(event);
	if (!sim_its_event_in_range(event))
		return bad(log, line, k->name, pos, end, "numbers that an ITS can have", err);
	return 1;
}

int sim_qemu_log_next(struct sim_qemu_log *log, struct sim_its_event *event, struct sim_error *err)
{
	struct sim_line line;
	int more = log->failed ? -1 : 0;

	while (!more) {
		more = sim_text_next(log->text, &line, err);
		if (more <= 0)
			return more;
		more = parse(log, &line, event, err);
	}
	return more;
}

uint64_t sim_qemu_log_steps_back(const struct sim_qemu_log *log)
{
	return log->steps_back;
}

size_t sim_qemu_log_nothers(const struct sim_qemu_log *log)
{
	return log->nothers;
}

const char *sim_qemu_log_other(const struct sim_qemu_log *log, size_t i, uint64_t *count)
{
	*count = log->others[i].count;
	return log->others[i].name;
}
