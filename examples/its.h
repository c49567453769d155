/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * its.h - what the xlate examples share: a toy ITS, 4 devices of 16 events each, whose translation
 * is an LPI and a collection; and the way of an MSI through cache and tables.
 */
#ifndef EXAMPLES_ITS_H
#define EXAMPLES_ITS_H

#include <stdio.h>
#include <stdlib.h>

#include <weir/weir.h>

#define DEVICES		4u
#define EVENTS		16u

struct its {
	struct weir_xlate *cache;
	uint32_t lpi[DEVICES][EVENTS];		/* 0: not mapped */
	uint32_t collection[DEVICES][EVENTS];
	unsigned int walks;
};

/* Stops the example where something is not as it says. */
#define expect(cond)								\
	do {									\
		if (!(cond)) {							\
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #cond); \
			exit(1);						\
		}								\
	} while (0)

/* All events mapped, and a cache for 32 of them. */
static inline struct its *its_new(uint32_t flags, const struct weir_xlate_ops *ops)
{
	struct weir_xlate_config cfg = { .capacity = 32, .flags = flags };
	struct its *its = (struct its *)calloc(1, sizeof(*its));
	size_t size = weir_xlate_size(&cfg);
	uint32_t d, e;

	expect(its && size);
	for (d = 0; d < DEVICES; d++)
		for (e = 0; e < EVENTS; e++) {
			its->lpi[d][e] = 8192 + d * EVENTS + e;
			its->collection[d][e] = d % 2;
		}
	expect(weir_xlate_init(aligned_alloc(64, (size + 63) / 64 * 64), size, &cfg, ops, its,
			       &its->cache) == WEIR_OK);
	return its;
}

static inline void its_free(struct its *its)
{
	free(its->cache);
	free(its);
}

/* An MSI: the LPI that is made pending, or 0 if the event is not mapped. */
static inline uint32_t its_msi(struct its *its, uint32_t device, uint32_t event)
{
	struct weir_xlate_lease lease;
	uint64_t lpi;

	if (weir_xlate_lookup(its->cache, device, event, &lpi))
		return (uint32_t)lpi;
	weir_xlate_lease(its->cache, device, event, &lease);	/* before the walk */
	its->walks++;
	if (device >= DEVICES || event >= EVENTS || !its->lpi[device][event])
		return 0;					/* an error is not cached */
	lpi = its->lpi[device][event];
	(void)weir_xlate_fill(its->cache, &lease, its->collection[device][event], lpi);
	return (uint32_t)lpi;
}

#endif
