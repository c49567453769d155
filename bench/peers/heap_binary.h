/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heap_binary.h - the event queue that everybody writes first: see heap_binary.c.
 */
#ifndef WEIR_BENCH_HEAP_BINARY_H
#define WEIR_BENCH_HEAP_BINARY_H

#include "sim/engine/queue.h"

struct heap_binary;

struct heap_binary *heap_binary_new(void);
void heap_binary_free(struct heap_binary *h);
void heap_binary_post(struct heap_binary *h, uint64_t time_ns, uint32_t prio, sim_event_fn *fn,
		      void *ctx, uint64_t arg);
bool heap_binary_pop(struct heap_binary *h, struct sim_event *event);

#endif
