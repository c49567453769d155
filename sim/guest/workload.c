// SPDX-License-Identifier: BSD-2-Clause
/*
 * workload.c - traces and synthetic writers behind one face. See workload.h.
 *
 * A trace comes grouped by (epoch, vCPU). Its groups are listed here once more by vCPU, so that a
 * vCPU that lags behind another, having been stalled longer, reads on from its own place.
 */
#include "sim/guest/workload.h"

#include <stdlib.h>

#include "sim/guest/pattern.h"

/* No run is longer than this, so that times and their sums fit: 146 years. */
#define STEADY_NS_MAX	(UINT64_MAX / 4)

struct sim_workload {
	struct sim_workload_config cfg;
	struct sim_pattern pattern;	/* synthetic */
	struct sim_pagewr_rows rows;	/* TRACE */
	size_t *groups;			/* TRACE: indices of groups, by vCPU and then epoch */
	size_t *first;			/* TRACE: nvcpus + 1 places in groups */
	size_t rows_max;
};

/* Stores of an epoch, rounded up, in visits. */
static size_t visits_max(const struct sim_workload_config *cfg)
{
	uint64_t unit = 1000000000u * cfg->burst_stores;

	return (size_t)((cfg->rate_stores_per_s * cfg->epoch_ns + unit - 1) / unit) + 1;
}

static void list_groups(struct sim_workload *w)
{
	uint32_t nvcpus = w->cfg.nvcpus;
	size_t *fill = sim_alloc((size_t)nvcpus + 1, sizeof(*fill), "trace index");
	size_t i;
	uint32_t v;

	w->first = sim_alloc((size_t)nvcpus + 1, sizeof(*w->first), "trace index");
	w->groups = sim_alloc(w->rows.ngroups, sizeof(*w->groups), "trace index");
	for (i = 0; i < w->rows.ngroups; i++) {
		const struct sim_pagewr_group *group = &w->rows.groups[i];

		w->first[group->vcpu + 1]++;
		if (group->count > w->rows_max)
			w->rows_max = group->count;
	}
	for (v = 0; v < nvcpus; v++) {
		w->first[v + 1] += w->first[v];
		fill[v] = w->first[v];
	}
	for (i = 0; i < w->rows.ngroups; i++)
		w->groups[fill[w->rows.groups[i].vcpu]++] = i;
	free(fill);
}

struct sim_workload *sim_workload_open_rows(const struct sim_workload_config *cfg,
					    struct sim_pagewr_rows *rows, struct sim_error *err)
{
	struct sim_workload *w;

	if (rows->epoch_last >= STEADY_NS_MAX / cfg->epoch_ns) {
		sim_error_set(err, "%s: epoch %llu, of %llu ns each, expected at most %llu ns "
			      "in all", cfg->trace, (unsigned long long)rows->epoch_last,
			      (unsigned long long)cfg->epoch_ns,
			      (unsigned long long)STEADY_NS_MAX);
		return NULL;
	}
	w = sim_alloc(1, sizeof(*w), "workload");
	w->cfg = *cfg;
	w->rows = *rows;
	*rows = (struct sim_pagewr_rows){ 0 };
	list_groups(w);
	return w;
}

struct sim_workload *sim_workload_open(const struct sim_workload_config *cfg,
				       struct sim_error *err)
{
	struct sim_pagewr_limits limits = {
		.nvcpus = cfg->nvcpus, .base_gfn = cfg->base_gfn, .npages = cfg->npages
	};
	struct sim_pagewr_rows rows = { 0 };
	struct sim_workload *w;

	if (cfg->kind == SIM_WORKLOAD_TRACE) {
		if (!sim_pagewr_load(cfg->trace, &limits, &rows, err))
			return NULL;
		w = sim_workload_open_rows(cfg, &rows, err);
		sim_pagewr_rows_free(&rows);
		return w;
	}
	w = sim_alloc(1, sizeof(*w), "workload");
	w->cfg = *cfg;
	w->rows_max = visits_max(cfg);
	sim_pattern_init(&w->pattern, &w->cfg);
	return w;
}

void sim_workload_close(struct sim_workload *w)
{
	if (!w)
		return;
	if (w->cfg.kind == SIM_WORKLOAD_TRACE)
		sim_pagewr_rows_free(&w->rows);
	else
		sim_pattern_fini(&w->pattern);
	free(w->groups);
	free(w->first);
	free(w);
}

size_t sim_workload_rows_max(const struct sim_workload *w)
{
	return w->rows_max;
}

uint64_t sim_workload_epoch_ns(const struct sim_workload *w)
{
	return w->cfg.epoch_ns;
}

void sim_cursor_init(struct sim_cursor *cursor, const struct sim_workload *w, uint32_t vcpu)
{
	*cursor = (struct sim_cursor){ .workload = w, .vcpu = vcpu };
	if (w->cfg.kind == SIM_WORKLOAD_TRACE) {
		cursor->next = w->first[vcpu];
		return;
	}
	cursor->rows = sim_alloc(w->rows_max, sizeof(*cursor->rows), "synthetic rows");
	sim_pattern_start(&w->pattern, cursor);
}

void sim_cursor_fini(struct sim_cursor *cursor)
{
	free(cursor->rows);
	cursor->rows = NULL;
}

static bool next_of_trace(struct sim_cursor *cursor, struct sim_epoch *epoch)
{
	const struct sim_workload *w = cursor->workload;
	const struct sim_pagewr_group *group;
	uint64_t lap_epochs = w->rows.epoch_last + 1;

	if (w->first[cursor->vcpu] == w->first[cursor->vcpu + 1])
		return false;
	if (cursor->next == w->first[cursor->vcpu + 1]) {
		cursor->next = w->first[cursor->vcpu];
		cursor->lap++;
	}
	group = &w->rows.groups[w->groups[cursor->next++]];
	epoch->number = cursor->lap * lap_epochs + group->epoch;
	epoch->rows = &w->rows.accesses[group->first];
	epoch->nrows = group->count;
	return epoch->number < STEADY_NS_MAX / w->cfg.epoch_ns;
}

static bool next_of_pattern(struct sim_cursor *cursor, struct sim_epoch *epoch)
{
	const struct sim_workload_config *cfg = &cursor->workload->cfg;
	uint64_t unit = 1000000000u * cfg->burst_stores;
	uint64_t share = cfg->rate_stores_per_s * cfg->epoch_ns;
	size_t i, n;

	if (cursor->credit + share < unit) {
		/* epochs without a visit: to the one in which the next store is due */
		uint64_t skip = (unit - cursor->credit - 1) / share;

		cursor->credit += skip * share;
		cursor->epoch += skip;
	}
	cursor->credit += share;
	n = (size_t)(cursor->credit / unit);
	cursor->credit %= unit;
	epoch->number = cursor->epoch++;
	for (i = 0; i < n; i++) {
		cursor->rows[i].gfn = sim_pattern_next(&cursor->workload->pattern, cursor,
						       epoch->number * cfg->epoch_ns);
		cursor->rows[i].writes = cfg->burst_stores;
		cursor->rows[i].reads = 0;
	}
	epoch->rows = cursor->rows;
	epoch->nrows = n;
	return epoch->number < STEADY_NS_MAX / cfg->epoch_ns;
}

bool sim_cursor_next(struct sim_cursor *cursor, struct sim_epoch *epoch)
{
	if (cursor->workload->cfg.kind == SIM_WORKLOAD_TRACE)
		return next_of_trace(cursor, epoch);
	return next_of_pattern(cursor, epoch);
}
