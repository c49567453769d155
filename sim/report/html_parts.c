// SPDX-License-Identifier: BSD-2-Clause
/*
 * html_parts.c - header, comparison table, table of phases, table of parameters.
 */
#include "sim/report/html_parts.h"

#include <inttypes.h>
#include <string.h>

#include "sim/engine/number.h"
#include "sim/report/format.h"
#include "sim/report/html.h"
#include "sim/report/model.h"
#include "sim/report/series_data.h"

void sim_html_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc(*text, out);
		}
	}
}

/* @before TEXT @after, with TEXT escaped. */
static void put(FILE *out, const char *before, const char *text, const char *after)
{
	fputs(before, out);
	sim_html_text(out, text);
	fputs(after, out);
}

static void lines(FILE *out, const json_t *list, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		const char *text = json_string_value(json_array_get(list, i));

		put(out, "<p>", text ? text : "", "</p>\n");
	}
}

#define FAILURES_OPEN 4u	/* violations that are shown without a click */

static void failures(FILE *out, const json_t *list)
{
	size_t n = json_array_size(list), open = n < FAILURES_OPEN ? n : FAILURES_OPEN;

	fprintf(out, "<div class=\"failed\"><h2>Properties were violated</h2>\n"
		"<p>The figures below are those of a run that went wrong.</p>\n");
	lines(out, list, 0, open);
	if (n > open) {
		fprintf(out, "<details><summary>%zu more</summary>\n", n - open);
		lines(out, list, open, n);
		fprintf(out, "</details>\n");
	}
	fprintf(out, "</div>\n");
}

void sim_html_header(FILE *out, const struct sim_model *m)
{
	put(out, "<h1>", m->scenario, "</h1>\n");
	put(out, "<p class=\"dim\">", m->summary, "</p>\n<div class=\"facts\">");
	fprintf(out, "<span>seed <b>%" PRIu64 "</b></span><span>run <b>%" PRIu64 "</b></span>",
		m->seed, m->number);
	put(out, "<span>digest <b class=\"digest\">", m->digest, "</b></span>");
	put(out, "<span>weir <b>", m->version, "</b></span>");
	fprintf(out, "<span>commit <b class=\"digest\">%.12s</b>%s</span>", m->commit,
		m->dirty ? " with changes" : "");
	put(out, "<span>", m->compiler, ", ");
	put(out, "", m->flags, ", ");
	put(out, "", m->arch, "</span></div>\n");
	if (json_array_size(m->failures))
		failures(out, m->failures);
	if (json_array_size(m->notes)) {
		fprintf(out, "<div class=\"notes\">\n");
		lines(out, m->notes, 0, json_array_size(m->notes));
		fprintf(out, "</div>\n");
	}
	put(out, "<p class=\"dim\">Run it again: <code>", m->command, "</code></p>\n");
}

static void figure(FILE *out, const struct sim_model *m, size_t policy, size_t metric)
{
	const struct sim_model_value *v = &m->policies[policy].values[metric];
	char text[SIM_FORMAT_BYTES];

	if (!v->known) {
		fprintf(out, "<td class=\"n\">&ndash;</td>");
		return;
	}
	sim_format_value(v->value, m->metrics[metric].unit, text);
	fprintf(out, "<td class=\"n%s\" title=\"%" PRIu64 " ",
		sim_model_is_best(m, policy, metric) ? " best" : "", v->value);
	put(out, "", m->metrics[metric].unit, "\">");
	put(out, "", text, "</td>");
}

static void metric_row(FILE *out, const struct sim_model *m, size_t metric)
{
	fprintf(out, "<tr%s>", m->metrics[metric].detail ? " class=\"sub\"" : "");
	put(out, "<th>", m->metrics[metric].title, "</th>");
	for (size_t p = 0; p < m->npolicies; p++)
		figure(out, m, p, metric);
	put(out, "<td class=\"what\">", m->metrics[metric].description, "</td></tr>\n");
}

void sim_html_comparison(FILE *out, const struct sim_model *m)
{
	fprintf(out, "<h2>Comparison</h2>\n<div class=\"scroll\"><table><tr><th></th>");
	for (size_t p = 0; p < m->npolicies; p++)
		put(out, "<th class=\"n\">", m->policies[p].name, "</th>");
	fprintf(out, "<th></th></tr>\n");
	for (size_t i = 0; i < m->nmetrics; i++)
		metric_row(out, m, i);
	fprintf(out, "</table></div>\n<p class=\"dim\">The best figure of a row is marked where "
		"one way is better and the policies differ. Times are simulated; they follow from "
		"the costs among the parameters below.</p>\n");
}

static void phase_row(FILE *out, const struct sim_phase *p)
{
	char t0[SIM_FORMAT_BYTES], span[SIM_FORMAT_BYTES], pages[SIM_FORMAT_BYTES];
	char bytes[SIM_FORMAT_BYTES], faults[SIM_FORMAT_BYTES];

	sim_format_value(p->t0_ns, "ns", t0);
	sim_format_value(p->t1_ns - p->t0_ns, "ns", span);
	sim_format_count(p->pages_sent, pages);
	sim_format_value(p->bytes_sent, "bytes", bytes);
	sim_format_count(p->faults, faults);
	put(out, "<tr><td>", p->name, "</td>");
	fprintf(out, "<td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td>"
		"<td class=\"n\">%s</td><td class=\"n\">%s</td></tr>\n", t0, span, pages, bytes,
		faults);
}

void sim_html_phases(FILE *out, const struct sim_series *s)
{
	if (s->nphases == 0)
		return;
	fprintf(out, "<details><summary>%zu phases</summary><div class=\"scroll\"><table>"
		"<tr><th>phase</th><th class=\"n\">begins at</th><th class=\"n\">takes</th>"
		"<th class=\"n\">pages sent</th><th class=\"n\">bytes sent</th>"
		"<th class=\"n\">faults</th></tr>\n", s->nphases);
	for (size_t i = 0; i < s->nphases; i++)
		phase_row(out, &s->phases[i]);
	fprintf(out, "</table></div></details>\n");
}

/* The value as it is, and, of a time or a size, as people say it. */
static void param_value(FILE *out, const struct sim_model_param *p)
{
	char text[SIM_FORMAT_BYTES];
	uint64_t value;

	put(out, "<td class=\"n num wrap\">", p->text, "");
	put(out, *p->unit ? " " : "", p->unit, "");
	if ((strcmp(p->unit, "ns") == 0 || strcmp(p->unit, "bytes") == 0) &&
	    sim_number_parse(p->text, &value) && value >= 1000) {
		sim_format_value(value, p->unit, text);
		put(out, "<br><small>", text, "</small>");
	}
	fprintf(out, "</td>");
}

static void param_row(FILE *out, const struct sim_model_param *p)
{
	bool set = strcmp(p->origin, "default") != 0;

	put(out, set ? "<tr class=\"set\"><td><code>" : "<tr><td><code>", p->name, "</code></td>");
	param_value(out, p);
	put(out, "<td>", p->origin, set ? "<br><small>default " : "</td>");
	if (set)
		put(out, "", *p->def ? p->def : "empty", "</small></td>");
	put(out, "<td class=\"what\">", p->description, "");
	put(out, "<br><small>default: ", p->source, "</small></td></tr>\n");
}

void sim_html_params(FILE *out, const struct sim_model *m)
{
	size_t nset = 0;

	for (size_t i = 0; i < m->nparams; i++)
		nset += strcmp(m->params[i].origin, "default") != 0;
	fprintf(out, "<h2>Parameters</h2>\n<details open><summary>%zu parameters, %zu set by the "
		"configuration or by -C (shaded)</summary>\n<div class=\"scroll\"><table><tr>"
		"<th>name</th><th class=\"n\">value</th><th>set by</th>"
		"<th>what it is, and the source of its default</th></tr>\n", m->nparams, nset);
	for (size_t i = 0; i < m->nparams; i++)
		param_row(out, &m->params[i]);
	fprintf(out, "</table></div></details>\n");
}
