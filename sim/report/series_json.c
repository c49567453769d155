// SPDX-License-Identifier: BSD-2-Clause
/*
 * series_json.c - a time series as series.json, and back.
 *
 * The heat map is an array of columns, one a time bin; each lists its rows from the lowest address
 * on, without the zeros at its end. Whatever is read is checked before it is believed: a run
 * directory may have been edited.
 */
#include <string.h>

#include "sim/engine/error.h"
#include "sim/report/json.h"
#include "sim/report/series_data.h"
#include "sim/scenario/scenario.h"

static const char *const phase_kinds[] = { "round", "freeze", "blackout", "other" };

static json_t *lost_to_json(const struct sim_series *s)
{
	json_t *causes = json_array();

	for (unsigned int c = 0; c < s->ncauses; c++) {
		json_t *bins = json_array();

		for (unsigned int i = 0; i < sim_series_bins(s); i++)
			json_array_append_new(bins, sim_json_u64(s->lost[c][i]));
		json_array_append_new(causes, json_pack("{s:s, s:o}", "cause", s->causes[c],
							"vcpu_ns", bins));
	}
	return causes;
}

static json_t *heat_to_json(const struct sim_series *s)
{
	json_t *columns = json_array();

	for (unsigned int i = 0; i < sim_series_bins(s); i++) {
		json_t *rows = json_array();
		unsigned int n = s->nrows;

		while (n > 0 && s->heat[i][n - 1] == 0)
			n--;
		for (unsigned int r = 0; r < n; r++)
			json_array_append_new(rows, json_integer(s->heat[i][r]));
		json_array_append_new(columns, rows);
	}
	return columns;
}

static json_t *phases_to_json(const struct sim_series *s)
{
	json_t *phases = json_array();

	for (size_t i = 0; i < s->nphases; i++) {
		const struct sim_phase *p = &s->phases[i];

		json_array_append_new(phases, json_pack(
			"{s:s, s:s, s:o, s:o, s:o, s:o, s:o}",
			"kind", phase_kinds[p->kind], "name", p->name,
			"t0_ns", sim_json_u64(p->t0_ns), "t1_ns", sim_json_u64(p->t1_ns),
			"pages_sent", sim_json_u64(p->pages_sent),
			"bytes_sent", sim_json_u64(p->bytes_sent),
			"faults", sim_json_u64(p->faults)));
	}
	return phases;
}

json_t *sim_series_to_json(const struct sim_series *s)
{
	return json_pack("{s:i, s:i, s:o, s:o, s:o, s:I, s:o, s:o, s:i, s:o}",
			 "schema", 1, "vcpus", (int)s->vcpus,
			 "end_ns", sim_json_u64(s->end_ns),
			 "base_gfn", sim_json_u64(s->base_gfn),
			 "npages", sim_json_u64(s->npages),
			 "page_bytes", (json_int_t)s->page_bytes,
			 "lost", lost_to_json(s), "phases", phases_to_json(s),
			 "bin_shift", (int)s->shift, "heat", heat_to_json(s));
}

static void phase_from_json(struct sim_series *s, const json_t *entry, const char *file,
			    struct sim_error *err)
{
	const char *kind = sim_json_get_str(entry, "kind", file, err);
	struct sim_phase p = {
		.kind = SIM_PHASE_OTHER,
		.name = sim_json_get_str(entry, "name", file, err),
		.t0_ns = sim_json_get_u64(entry, "t0_ns", file, err),
		.t1_ns = sim_json_get_u64(entry, "t1_ns", file, err),
		.pages_sent = sim_json_get_u64(entry, "pages_sent", file, err),
		.bytes_sent = sim_json_get_u64(entry, "bytes_sent", file, err),
		.faults = sim_json_get_u64(entry, "faults", file, err),
	};

	for (unsigned int k = 0; k < sizeof(phase_kinds) / sizeof(phase_kinds[0]); k++) {
		if (strcmp(kind, phase_kinds[k]) == 0)
			p.kind = (enum sim_phase_kind)k;
	}
	if (p.t0_ns > p.t1_ns || p.t1_ns > s->end_ns)
		sim_error_at(err, file, 0, "phase \"%s\": outside the run", p.name);
	if (!sim_error_is_set(err))
		sim_series_phase(s, &p);
}

static void bins_from_json(struct sim_series *s, const json_t *root, const char *file,
			   struct sim_error *err)
{
	const json_t *lost = sim_json_get_array(root, "lost", file, err);
	const json_t *heat = sim_json_get_array(root, "heat", file, err);
	uint64_t value;

	for (unsigned int c = 0; c < s->ncauses; c++) {
		const json_t *bins = sim_json_get_array(json_array_get(lost, c), "vcpu_ns", file,
							err);

		for (size_t i = 0; i < json_array_size(bins); i++) {
			if (i < SIM_SERIES_BINS && sim_json_as_u64(json_array_get(bins, i), &value))
				s->lost[c][i] = value;
			else
				sim_error_at(err, file, 0, "\"vcpu_ns\": element %zu: not an "
					     "unsigned number of one of %u bins", i,
					     SIM_SERIES_BINS);
		}
	}
	for (size_t i = 0; i < json_array_size(heat); i++) {
		const json_t *rows = json_array_get(heat, i);

		for (size_t r = 0; r < json_array_size(rows); r++) {
			if (i < SIM_SERIES_BINS && r < s->nrows &&
			    sim_json_as_u64(json_array_get(rows, r), &value) &&
			    value <= UINT32_MAX)
				s->heat[i][r] = (uint32_t)value;
			else
				sim_error_at(err, file, 0, "\"heat\": column %zu, row %zu: not a "
					     "count of pages of the map", i, r);
		}
	}
}

struct sim_series *sim_series_from_json(const json_t *root, const char *file,
					struct sim_error *err)
{
	const char *causes[SIM_SERIES_CAUSES] = { NULL };
	const json_t *lost = sim_json_get_array(root, "lost", file, err);
	const json_t *phases = sim_json_get_array(root, "phases", file, err);
	uint64_t end_ns = sim_json_get_u64(root, "end_ns", file, err);
	uint64_t shift = sim_json_get_u64(root, "bin_shift", file, err);
	uint64_t vcpus = sim_json_get_u64(root, "vcpus", file, err);
	uint64_t page_bytes = sim_json_get_u64(root, "page_bytes", file, err);
	struct sim_policy_shape shape = {
		.base_gfn = sim_json_get_u64(root, "base_gfn", file, err),
		.npages = sim_json_get_u64(root, "npages", file, err),
		.vcpus = (unsigned int)vcpus, .page_bytes = (uint32_t)page_bytes,
		.causes = causes, .ncauses = (unsigned int)json_array_size(lost),
	};
	struct sim_series *s;

	if (json_array_size(lost) > SIM_SERIES_CAUSES || shift > 54 || vcpus == 0 ||
	    vcpus > UINT32_MAX || page_bytes > UINT32_MAX || shape.npages == 0 ||
	    end_ns >> shift > SIM_SERIES_BINS)
		sim_error_at(err, file, 0, "not a time series of this version");
	for (unsigned int c = 0; !sim_error_is_set(err) && c < shape.ncauses; c++)
		causes[c] = sim_json_get_str(json_array_get(lost, c), "cause", file, err);
	if (sim_error_is_set(err))
		return NULL;
	s = sim_series_create(&shape);
	s->shift = (unsigned int)shift;
	sim_series_end(s, end_ns);
	bins_from_json(s, root, file, err);
	for (size_t i = 0; !sim_error_is_set(err) && i < json_array_size(phases); i++)
		phase_from_json(s, json_array_get(phases, i), file, err);
	if (!sim_error_is_set(err))
		return s;
	sim_series_destroy(s);
	return NULL;
}
