/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/engine/stats.h - named counters with a unit and a description.
 *
 * Each component registers what it counts under a dotted, stable name (`migrate.faults`) and then
 * counts through the pointer it got, at the cost of an addition. The registry iterates in the
 * order of registration, which is the order in files and in the digest. A name registered twice,
 * or one that is not dotted lower case, is a fault of the program and asserted.
 *
 * One thread owns a registry. Pointers stay valid until it is destroyed.
 */
#ifndef SIM_ENGINE_STATS_H
#define SIM_ENGINE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_stats;

/** One counter. Read the fields freely; write the value through the functions below. */
struct sim_stat {
	const char *name;
	const char *unit;	 /* "ns", "bytes", "pages", "ptes", ...; "1" for a plain count */
	const char *description; /* a phrase without a full stop */
	uint64_t value;		 /* two's complement if is_signed */
	bool is_signed;
};

struct sim_stats *sim_stats_create(void);
void sim_stats_destroy(struct sim_stats *stats);

/**
 * sim_stat_add() - register a counter, at 0
 * @name: letters a-z, digits, '_' and '.', copied; not yet registered
 * @unit: not empty, copied
 * @description: not empty, copied
 *
 * Return: the counter; never NULL.
 */
struct sim_stat *sim_stat_add(struct sim_stats *stats, const char *name, const char *unit,
			      const char *description);

/** sim_stat_add_signed() - as sim_stat_add(), for a value that may be negative */
struct sim_stat *sim_stat_add_signed(struct sim_stats *stats, const char *name, const char *unit,
				     const char *description);

/** sim_stat_count() - add to a counter */
static inline void sim_stat_count(struct sim_stat *stat, uint64_t n)
{
	stat->value += n;
}

/** sim_stat_set() - replace the value */
static inline void sim_stat_set(struct sim_stat *stat, uint64_t value)
{
	stat->value = value;
}

/** sim_stat_max() - raise the value to at least @value; of an unsigned counter */
static inline void sim_stat_max(struct sim_stat *stat, uint64_t value)
{
	if (stat->value < value)
		stat->value = value;
}

/** sim_stat_set_signed() - replace the value of a signed counter */
static inline void sim_stat_set_signed(struct sim_stat *stat, int64_t value)
{
	stat->value = (uint64_t)value;
}

/** sim_stats_count() - how many are registered */
size_t sim_stats_count(const struct sim_stats *stats);

/** sim_stats_at() - the counter registered @index-th, from 0 */
const struct sim_stat *sim_stats_at(const struct sim_stats *stats, size_t index);

/** sim_stats_find() - by name; NULL if there is none */
struct sim_stat *sim_stats_find(const struct sim_stats *stats, const char *name);

#endif
