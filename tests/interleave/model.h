/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model.h - the memory models, as mem.c and hw.c use them. See model.c.
 */
#ifndef WX_MODEL_H
#define WX_MODEL_H

#include "engine.h"

#define WX_ACQUIRES(order)	((order) & WEIR_EXPLORE_ACQUIRE)
#define WX_RELEASES(order)	((order) & WEIR_EXPLORE_RELEASE)
#define WX_EVERYTHING		((const volatile void *)UINTPTR_MAX)
#define WX_MIX			0x9e3779b97f4a7c15u

static inline uint64_t wx_get(const volatile void *p, unsigned int bytes)
{
	switch (bytes) {
	case 1:
		return *(const volatile uint8_t *)p;
	case 2:
		return *(const volatile uint16_t *)p;
	case 4:
		return *(const volatile uint32_t *)p;
	default:
		return *(const volatile uint64_t *)p;
	}
}

static inline void wx_put(volatile void *p, unsigned int bytes, uint64_t v)
{
	switch (bytes) {
	case 1:
		*(volatile uint8_t *)p = (uint8_t)v;
		break;
	case 2:
		*(volatile uint16_t *)p = (uint16_t)v;
		break;
	case 4:
		*(volatile uint32_t *)p = (uint32_t)v;
		break;
	default:
		*(volatile uint64_t *)p = v;
		break;
	}
}

static inline uint64_t wx_narrow(uint64_t v, unsigned int bytes)
{
	return bytes == 8 ? v : v & (((uint64_t)1 << (8 * bytes)) - 1);
}

static inline struct wx_value *wx_newest(struct wx_loc *l)
{
	return &l->hist[l->head];
}

static inline const char *wx_stale_mark(unsigned int back)
{
	return back ? " [stale]" : "";
}

/* A store of t reaches memory. */
void wx_perform(struct wx_thread *t, struct wx_loc *l, uint64_t v, const struct wx_clk *rel);
void wx_perform_pending(struct wx_thread *t, unsigned int i);
/* A store of t waits in its buffer. */
void wx_wait(struct wx_thread *t, struct wx_loc *l, uint64_t v, const struct wx_clk *rel,
	     bool release, bool rmw);
/* A read-modify-write of l that waits, whoever's, is performed. */
void wx_settle(struct wx_loc *l);
/* What must be performed before a read-modify-write of l, or a plain access to it. */
void wx_drain_for(struct wx_thread *t, struct wx_loc *l, unsigned int order);
/* Fails the run if an access races with one of another thread. */
void wx_race_check(const struct wx_thread *t, const struct wx_loc *l, bool write, bool plain);
/* The value that a load sees which may be as old as floor; back: how many newer ones there are. */
struct wx_value *wx_choose_value(struct wx_thread *t, struct wx_loc *l, uint32_t floor,
				 unsigned int *back);
uint32_t wx_floor_of(const struct wx_thread *t, const struct wx_loc *l);
/* What t knows after it read e. */
void wx_learn(struct wx_thread *t, struct wx_loc *l, const struct wx_value *e, unsigned int order);
/* What an acquire that reads the value t stores now gets to know. */
void wx_publish(struct wx_thread *t, unsigned int order, struct wx_clk *rel);
void wx_full_fence(struct wx_thread *t);

#endif
