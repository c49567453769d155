// SPDX-License-Identifier: BSD-2-Clause
/*
 * pattern.c - where the visits of the synthetic writers go. See workload.h.
 */
#include "sim/guest/pattern.h"

#include <stdio.h>

__extension__ typedef unsigned __int128 u128;

static uint64_t mul_mod(uint64_t a, uint64_t b, uint64_t n)
{
	return (uint64_t)((u128)a * b % n);
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

void sim_pattern_init(struct sim_pattern *p, const struct sim_workload_config *cfg)
{
	*p = (struct sim_pattern){ .cfg = cfg };
	if (cfg->kind == SIM_WORKLOAD_ZIPF) {
		sim_zipf_init(&p->zipf, cfg->set_pages, cfg->zipf_theta_milli);
		/* a step of about the golden section strews neighbours; coprime: a permutation */
		p->scatter = cfg->set_pages / 1000 * 618 + cfg->set_pages % 1000 * 618 / 1000;
		if (!p->scatter)
			p->scatter = 1;
		while (gcd(p->scatter, cfg->set_pages) != 1)
			p->scatter++;
	}
	p->hot_pages = cfg->set_pages / 100 * cfg->hot_pages_percent +
		       cfg->set_pages % 100 * cfg->hot_pages_percent / 100;
	if (!p->hot_pages)
		p->hot_pages = 1;
}

void sim_pattern_fini(struct sim_pattern *p)
{
	if (p->cfg->kind == SIM_WORKLOAD_ZIPF)
		sim_zipf_fini(&p->zipf);
}

void sim_pattern_start(const struct sim_pattern *p, struct sim_cursor *cursor)
{
	const struct sim_workload_config *cfg = p->cfg;
	char name[32];

	snprintf(name, sizeof(name), "guest.vcpu%u", cursor->vcpu);
	sim_rng_init(&cursor->rng, cfg->seed, cfg->run, name);
	if (cfg->kind == SIM_WORKLOAD_SEQUENTIAL)
		cursor->place = cfg->set_pages / cfg->nvcpus * cursor->vcpu;
	if (cfg->kind == SIM_WORKLOAD_STRIDE) {
		cursor->lane = cursor->vcpu % cfg->stride_pages % cfg->set_pages;
		cursor->place = cursor->lane;
	}
}

static uint64_t next_sequential(const struct sim_pattern *p, struct sim_cursor *cursor)
{
	uint64_t page = cursor->place;

	cursor->place = page + 1 == p->cfg->set_pages ? 0 : page + 1;
	return page;
}

static uint64_t next_stride(const struct sim_pattern *p, struct sim_cursor *cursor)
{
	uint64_t page = cursor->place;
	uint64_t lanes = p->cfg->stride_pages;

	if (lanes > p->cfg->set_pages)
		lanes = p->cfg->set_pages;
	if (page + lanes < p->cfg->set_pages) {
		cursor->place = page + lanes;
	} else {
		cursor->lane = (cursor->lane + 1) % lanes;
		cursor->place = cursor->lane;
	}
	return page;
}

static uint64_t next_hot(const struct sim_pattern *p, struct sim_cursor *cursor,
			 uint64_t steady_ns)
{
	const struct sim_workload_config *cfg = p->cfg;
	uint64_t start = 0;

	if (!sim_rng_chance(&cursor->rng, cfg->hot_stores_percent, 100))
		return sim_rng_below(&cursor->rng, cfg->set_pages);
	if (cfg->hot_drift_ns)
		start = steady_ns / cfg->hot_drift_ns % cfg->set_pages;
	return (start + sim_rng_below(&cursor->rng, p->hot_pages)) % cfg->set_pages;
}

uint64_t sim_pattern_next(const struct sim_pattern *p, struct sim_cursor *cursor,
			  uint64_t steady_ns)
{
	const struct sim_workload_config *cfg = p->cfg;
	uint64_t slots, page = 0;

	switch (cfg->kind) {
	case SIM_WORKLOAD_UNIFORM:
		page = sim_rng_below(&cursor->rng, cfg->set_pages);
		break;
	case SIM_WORKLOAD_ZIPF:
		page = mul_mod(sim_zipf_next(&p->zipf, &cursor->rng), p->scatter, cfg->set_pages);
		break;
	case SIM_WORKLOAD_SEQUENTIAL:
		page = next_sequential(p, cursor);
		break;
	case SIM_WORKLOAD_STRIDE:
		page = next_stride(p, cursor);
		break;
	case SIM_WORKLOAD_PHASE:
		slots = (cfg->npages - 1 - cfg->set_first_page) / cfg->set_spread_pages + 1;
		page = (mul_mod(steady_ns / cfg->phase_ns, cfg->set_pages, slots) +
			sim_rng_below(&cursor->rng, cfg->set_pages)) % slots;
		break;
	case SIM_WORKLOAD_HOT:
		page = next_hot(p, cursor, steady_ns);
		break;
	case SIM_WORKLOAD_TRACE:
		break;
	}
	return cfg->base_gfn + cfg->set_first_page + page * cfg->set_spread_pages;
}
