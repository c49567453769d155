// SPDX-License-Identifier: BSD-2-Clause
/*
 * koller.c - the two tables of the arm64 eager-split series: 1 to 152 vCPUs of 1 GiB, 2 MiB blocks.
 *
 * Sparse write: one store to each 2 MiB. Splits on fault (before) against pages (after). These
 * twelve figures are what exit, lock and split costs are fitted to. Reads: every page touched,
 * one of ten by a store. Before, a split maps only the page that faulted, so that reads fault as
 * well; after, only the stores do. Nothing is fitted to this table.
 */
#include "sim/scenario/experiments/koller.h"
#include "sim/scenario/experiments/list.h"

#define GIB_PAGES   262144u
#define BLOCK_PAGES 512u

const struct koller_row koller_sparse[KOLLER_NSPARSE] = {
	{1, 3340000, 1850000},	 {8, 5780000, 1970000},	    {32, 21070000, 3060000},
	{64, 41750000, 6920000}, {128, 86090000, 12070000}, {152, 109720000, 18940000},
};

static const struct koller_row reads[] = {
	{1, 650000000, 90000000},    {16, 760000000, 100000000},   {32, 1610000000, 150000000},
	{64, 3460000000, 360000000}, {128, 5490000000, 740000000}, {152, 6440000000, 730000000},
};

/* A pass after the first CLEAR; 0 with err set. */
uint64_t koller_ns(const struct koller_case *c, const struct sim_params *params, uint64_t *lost,
		   struct sim_error *err)
{
	struct lab_config cfg = {
		.nvcpus = c->nvcpus,
		.vcpu_pages = GIB_PAGES / c->scale,
		.map_order = 9,
		.policy = c->eager ? WEIR_DIRTY_WP_EAGER : WEIR_DIRTY_WP,
		.split_maps_one = !c->eager,
		.params = params,
	};
	struct lab_pattern pattern = {
		.naccesses = c->sparse ? cfg.vcpu_pages / BLOCK_PAGES : cfg.vcpu_pages,
		.step = c->sparse ? BLOCK_PAGES : 1,
		.write_every = c->sparse ? 1 : 10,
	};
	struct lab *lab = lab_create(&cfg, err);
	uint64_t ns;

	if (!lab)
		return 0;
	(void)lab_start(lab, true);
	(void)lab_get(lab);
	(void)lab_clear(lab);
	ns = lab_pass(lab, &pattern);
	(void)lab_get(lab);
	*lost += lab_lost(lab);
	lab_destroy(lab);
	return sim_error_is_set(err) ? 0 : ns * c->scale;
}

static const char *const why_read =
	"a read fault of an unmapped page took 2.5 us with one vCPU, a write fault 3.4; the cost "
	"file has one figure for both";
static const char *const why_eager =
	"the published times do not grow evenly (0.21 us a fault and vCPU with 64, 0.18 with 128, "
	"0.24 with 152); the model has one lock time";

static bool both(struct experiment_run *run, const struct koller_row *row, bool sparse,
		 uint64_t *lost)
{
	enum experiment_kind kind = sparse ? EXPERIMENT_FITTED : EXPERIMENT_HELD_OUT;
	struct koller_case c = {
		.nvcpus = row->nvcpus,
		.sparse = sparse,
		.scale = sim_params_u64(run->params, "koller.scale"),
	};
	const char *what = sparse ? "sparse write" : "1 write in 10 reads";
	uint64_t before, after;

	if (run->progress)
		run->progress(run->ctx, what, row->nvcpus, 152);
	before = koller_ns(&c, run->params, lost, run->err);
	c.eager = true;
	after = koller_ns(&c, run->params, lost, run->err);
	if (sim_error_is_set(run->err))
		return false;
	experiment_row(run, kind, row->before_ns, before, sparse ? why_eager : why_read,
		       "%s, %3u vCPUs: split on fault", what, row->nvcpus);
	experiment_row(run, kind, row->after_ns, after, why_eager, "%s, %3u vCPUs: eager", what,
		       row->nvcpus);
	return true;
}

static bool run_koller(struct experiment_run *run)
{
	uint64_t max = sim_params_u64(run->params, "koller.vcpus_max"), lost = 0;
	uint64_t scale = sim_params_u64(run->params, "koller.scale");
	unsigned int i;

	if (scale & (scale - 1)) {
		sim_error_set(run->err, "koller.scale=%llu: must be a power of two",
			      (unsigned long long)scale);
		return false;
	}
	for (i = 0; i < KOLLER_NSPARSE; i++)
		if (koller_sparse[i].nvcpus <= max && !both(run, &koller_sparse[i], true, &lost))
			return false;
	for (i = 0; i < sizeof(reads) / sizeof(reads[0]); i++)
		if (reads[i].nvcpus <= max && !both(run, &reads[i], false, &lost))
			return false;
	if (lost)
		experiment_fail(run, "lost page: %llu pages were written and not reported",
				(unsigned long long)lost);
	experiment_note(run,
			"the memory of each vCPU is divided by %llu, and times multiplied by it",
			(unsigned long long)scale);
	return true;
}

const struct experiment experiment_koller = {
	.name = "koller",
	.summary =
		"eager splitting against splits on fault, 1 to 152 vCPUs x 1 GiB of 2 MiB blocks",
	.source = "KVM arm64 eager huge-page splitting (2023), AmpereOne, both tables",
	.run = run_koller,
};
