// SPDX-License-Identifier: BSD-2-Clause
/*
 * print.c - a run as columns, one a thread, one line a step.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine.h"

#define EVENTS_MAX	8192u
#define TEXT_BYTES	96u
#define WIDTH_ALL	132

struct event {
	uint32_t step;
	uint8_t tid, kind;
	const struct weir_explore_site *site;
	char text[TEXT_BYTES];
};

static struct event events[EVENTS_MAX];
static uint32_t nevents;

void wx_print_reset(void)
{
	nevents = 0;
}

static int op_text(char *buf, size_t n, const struct weir_explore_site *s)
{
	static const char *const op[] = { "ld", "st", "add", "and", "or", "xchg", "cas", "fence",
					  "plain ld", "plain st" };
	static const char *const order[] = { "", ".acq", ".rel", ".acq_rel", "" };

	return snprintf(buf, n, "%s%s%s ", op[s->op], order[s->effective],
			s->effective != s->order ? "!" : "");
}

static void add(enum wx_event kind, unsigned int tid, const struct weir_explore_site *site,
		const char *fmt, va_list ap)
{
	struct event *e;
	int n = 0;

	if (nevents == EVENTS_MAX)
		return;
	e = &events[nevents++];
	e->step = wx.steps;
	e->tid = (uint8_t)tid;
	e->kind = (uint8_t)kind;
	e->site = site;
	if (site)
		n = op_text(e->text, sizeof(e->text), site);
	else if (kind == WX_E_DRAIN)
		n = snprintf(e->text, sizeof(e->text), "~ ");
	else if (kind == WX_E_NOTE)
		n = snprintf(e->text, sizeof(e->text), "# ");
	vsnprintf(e->text + n, sizeof(e->text) - (size_t)n, fmt, ap);
}

void wx_print_event(enum wx_event kind, unsigned int tid, const struct weir_explore_site *site,
		    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(kind, tid, site, fmt, ap);
	va_end(ap);
}

void wx_note(const char *fmt, ...)
{
	va_list ap;

	if (!wx.printing)
		return;
	va_start(ap, fmt);
	add(WX_E_NOTE, wx.cur ? wx.cur->id : 0, NULL, fmt, ap);
	va_end(ap);
}

static void print_event(FILE *f, const struct event *e, int width)
{
	unsigned int n = wx.prog->nthreads;
	const char *file;

	fprintf(f, "%5u ", e->step);
	for (unsigned int i = 0; i < n; i++)
		fprintf(f, "| %-*.*s", width, width, i == e->tid ? e->text : "");
	if (e->site) {
		file = strrchr(e->site->file, '/');
		fprintf(f, "| %s:%u", file ? file + 1 : e->site->file, e->site->line);
	}
	fputc('\n', f);
}

/* The last run, which was replayed with wx.printing. */
void wx_print_schedule(void *file)
{
	FILE *f = file;
	unsigned int n = wx.prog->nthreads;
	int width = WIDTH_ALL / (int)n;

	if (width > 52)
		width = 52;
	fprintf(f, " step ");
	for (unsigned int i = 0; i < n; i++)
		fprintf(f, "| T%-*u", width - 1, i);
	fprintf(f, "|\n");
	for (uint32_t i = 0; i < nevents; i++)
		print_event(f, &events[i], width);
	if (nevents == EVENTS_MAX)
		fprintf(f, "      (the rest is not shown)\n");
	if (wx.failed)
		fprintf(f, "      %s\n", wx.fail_msg);
}
