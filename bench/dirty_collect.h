/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dirty_collect.h - what the cases of dirty/collect count beside their time.
 */
#ifndef WEIR_BENCH_DIRTY_COLLECT_H
#define WEIR_BENCH_DIRTY_COLLECT_H

#include <regex.h>
#include <stdint.h>

/* The region: 32 MiB of descriptors. */
#define COLLECT_GIB	16u

/**
 * struct collect_note - the last round of a case
 * @pages: dirty pages
 * @faults: writes that faulted
 * @ptes: descriptors read to find what the hardware wrote
 * @tlbis: range invalidations
 * @false_positives: pages that were collected and not written
 */
struct collect_note {
	uint64_t pages;
	uint64_t faults;
	uint64_t ptes;
	uint64_t tlbis;
	uint64_t false_positives;
};

const struct collect_note *bench_collect_note(const void *state);

/** bench_table_collect() - the peers side by side, those whose row matches */
void bench_table_collect(unsigned int reps, const regex_t *filter);

#endif
