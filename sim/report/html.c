// SPDX-License-Identifier: BSD-2-Clause
/*
 * html.c - the page: what happened and what it costs first, how it came about below.
 */
#include "sim/report/html.h"

#include <inttypes.h>
#include <stdlib.h>

#include "sim/engine/error.h"
#include "sim/report/files.h"
#include "sim/report/html_parts.h"
#include "sim/report/model.h"
#include "sim/report/series_data.h"
#include "sim/report/svg.h"

static const struct sim_series *any_series(const struct sim_model *m)
{
	for (size_t p = 0; p < m->npolicies; p++) {
		if (m->policies[p].series)
			return m->policies[p].series;
	}
	return NULL;
}

static void cause_legend(FILE *out, const struct sim_series *s)
{
	fprintf(out, "<p class=\"legend\">lost to: ");
	for (unsigned int c = 0; c < s->ncauses; c++) {
		fprintf(out, "<span><i class=\"c%u\"></i>", c);
		sim_html_text(out, s->causes[c]);
		fprintf(out, "</span> ");
	}
	fprintf(out, "</p>\n");
}

static void phase_legend(FILE *out)
{
	fprintf(out, "<p class=\"legend\">strip above: <span><i class=\"round\"></i>pre-copy "
		"rounds</span> <span><i class=\"freeze\"></i>freeze</span> <span>"
		"<i class=\"blackout\"></i>blackout (vCPUs stopped)</span></p>\n");
}

static void throughput(FILE *out, const struct sim_svg_scale *scale,
		       const struct sim_svg_scale *closing, const struct sim_series *s)
{
	fprintf(out, "<h3>Guest throughput, in percent of %u vCPU%s at full speed", s->vcpus,
		s->vcpus == 1 ? "" : "s");
	if (scale->floor_percent)
		fprintf(out, " (the axis begins at %u %%)", scale->floor_percent);
	fprintf(out, "</h3>\n");
	cause_legend(out, s);
	sim_svg_throughput(out, scale, s);
	if (closing) {
		fprintf(out, "<p class=\"legend\">after the first pass over memory:</p>\n");
		sim_svg_throughput(out, closing, s);
	}
	if (s->nphases)
		phase_legend(out);
}

/* @closing: a second look at the end of the run, or NULL. */
static void policy_section(FILE *out, const struct sim_svg_scale *scale,
			   const struct sim_svg_scale *closing,
			   const struct sim_model_policy *policy)
{
	fprintf(out, "<h2 id=\"");
	sim_html_text(out, policy->name);
	fprintf(out, "\">");
	sim_html_text(out, policy->name);
	fprintf(out, "</h2>\n");
	if (!policy->series) {
		fprintf(out, "<p>This policy did not finish.</p>\n");
		return;
	}
	throughput(out, scale, closing, policy->series);
	if (policy->series->page_bytes)
		fprintf(out, "<h3>Pages that became dirty, by guest address from the base of "
			"memory (frame 0x%" PRIx64 ")</h3>\n", policy->series->base_gfn);
	else
		fprintf(out, "<h3>Interrupts that vCPUs took, by event, in the order in which "
			"they were mapped</h3>\n");
	sim_svg_heat_legend(out, scale, policy->series);
	sim_svg_heat(out, scale, policy->series);
	sim_html_phases(out, policy->series);
	fprintf(out, "<p class=\"dim\">digest of its events and counters <span "
		"class=\"digest\">");
	sim_html_text(out, policy->digest);
	fprintf(out, "</span></p>\n");
}

static void page(FILE *out, const struct sim_model *m)
{
	const struct sim_series *first = any_series(m);
	struct sim_svg_scale scale, closing;
	bool has_closing;

	sim_svg_scale_init(&scale, m);
	closing = scale;
	has_closing = sim_svg_scale_closing(&closing, m);
	fprintf(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>");
	sim_html_text(out, m->scenario);
	fprintf(out, " - weir-sim</title>\n<style>\n");
	for (size_t i = 0; sim_html_style[i]; i++)
		fputs(sim_html_style[i], out);
	fprintf(out, "</style></head>\n<body>\n");
	sim_html_header(out, m);
	sim_html_comparison(out, m);
	if (first) {
		fprintf(out, "<h2>Lost compute, by cause</h2>\n");
		cause_legend(out, first);
		sim_svg_lost_bars(out, m);
	}
	for (size_t p = 0; p < m->npolicies; p++)
		policy_section(out, &scale, has_closing ? &closing : NULL, &m->policies[p]);
	sim_html_params(out, m);
	fprintf(out, "</body></html>\n");
}

bool sim_html_write_model(const char *dir, const struct sim_model *model, struct sim_error *err)
{
	char *text = NULL, *path;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	bool ok;

	page(out, model);
	ok = fclose(out) == 0;
	path = sim_path_join(dir, "report.html");
	if (ok)
		ok = sim_file_write(path, text, len, err);
	else
		sim_error_at(err, path, 0, "cannot be rendered: out of memory");
	free(path);
	free(text);
	return ok;
}

bool sim_html_write(const char *dir, struct sim_error *err)
{
	struct sim_model *model = sim_model_load(dir, err);
	bool ok = model && sim_html_write_model(dir, model, err);

	sim_model_free(model);
	return ok;
}
