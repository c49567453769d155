/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * its_designs.h - a small machine with a design in front of its ITS.
 */
#ifndef TESTS_UNIT_ITS_DESIGNS_H
#define TESTS_UNIT_ITS_DESIGNS_H

#include "its_machine.h"

#include "sim/machine/its_design.h"

struct bench {
	struct machine m;
	struct sim_its_design *design;
	bool deaf; /* invalidations get lost */
};

static inline enum sim_its_code bench_translate(void *ctx, struct sim_its *its,
						uint32_t device_id, uint32_t event_id,
						struct sim_its_route *route)
{
	return sim_its_design_translate(((struct bench *)ctx)->design, its, device_id, event_id,
					route);
}

static inline void bench_invalidate(void *ctx, const struct sim_its_inval *inval)
{
	struct bench *b = ctx;

	if (!b->deaf)
		sim_its_design_invalidate(b->design, b->m.its, inval);
}

static inline void bench_command(void *ctx, const uint64_t cmd[4], enum sim_its_code code)
{
	struct bench *b = ctx;

	machine_command(&b->m, cmd, code);
	if (!b->deaf && (cmd[0] & 0xff) == SIM_ITS_MOVALL)
		sim_its_design_command(b->design, b->m.its, cmd, code);
}

/* Collections 0 to 3 are on the PE of their number. */
static inline void bench_up_on(struct bench *b, enum sim_its_design_kind kind, uint32_t capacity,
			       const struct sim_its_config *its, enum sim_gic_v4 v4)
{
	const struct sim_its_hooks hooks = { .translate = bench_translate,
					     .invalidate = bench_invalidate,
					     .command = bench_command };
	const struct sim_its_design_config cfg = { .nvcpus = 4,
						   .capacity = capacity,
						   .verify = true };
	struct sim_error err = { "" };

	*b = (struct bench){ .deaf = false };
	b->design = sim_its_design_create(kind, &cfg, &err);
	assert_non_null(b->design);
	machine_up(&b->m, its, v4);
	sim_its_set_hooks(b->m.its, &hooks, b);
	for (uint32_t pe = 0; pe < 4; pe++)
		mapc(&b->m, pe, pe, true);
}

static inline void bench_up(struct bench *b, enum sim_its_design_kind kind, uint32_t capacity,
			    enum sim_its_profile profile, uint32_t idbits)
{
	const struct sim_its_config its = { .choices = *sim_its_profile(profile),
					    .devbits = idbits,
					    .eventbits = idbits };

	bench_up_on(b, kind, capacity, &its, SIM_GIC_V4_NONE);
}

static inline void bench_down(struct bench *b)
{
	machine_down(&b->m);
	sim_its_design_destroy(b->design);
}

#endif
