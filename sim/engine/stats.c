// SPDX-License-Identifier: BSD-2-Clause
/*
 * sim/engine/stats.c - the registry of counters: an array in order of registration, a hash by name.
 *
 * The hash is only ever looked up in, never iterated, so that no order depends on it.
 */
#include "sim/engine/stats.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "sim/engine/error.h"

struct stat_entry {
	struct sim_stat stat;
	char *name;
	char *unit;
	char *description;
	UT_hash_handle hh;
};

struct sim_stats {
	struct stat_entry **entries;
	size_t count;
	size_t room;
	struct stat_entry *by_name;
};

struct sim_stats *sim_stats_create(void)
{
	return sim_alloc(1, sizeof(struct sim_stats), "counters");
}

void sim_stats_destroy(struct sim_stats *stats)
{
	if (!stats)
		return;
	HASH_CLEAR(hh, stats->by_name);
	for (size_t i = 0; i < stats->count; i++) {
		free(stats->entries[i]->name);
		free(stats->entries[i]->unit);
		free(stats->entries[i]->description);
		free(stats->entries[i]);
	}
	free(stats->entries);
	free(stats);
}

/* Words of a-z, 0-9 and '_', separated by single dots. */
static bool is_dotted_name(const char *name)
{
	bool in_word = false;

	for (; *name; name++) {
		if (*name == '.') {
			if (!in_word)
				return false;
			in_word = false;
		} else if ((*name >= 'a' && *name <= 'z') || (*name >= '0' && *name <= '9') ||
			   *name == '_') {
			in_word = true;
		} else {
			return false;
		}
	}
	return in_word;
}

static struct stat_entry *find_entry(const struct sim_stats *stats, const char *name)
{
	struct stat_entry *entry;

	HASH_FIND_STR(stats->by_name, name, entry);
	return entry;
}

static struct sim_stat *add(struct sim_stats *stats, const char *name, const char *unit,
			    const char *description, bool is_signed)
{
	struct stat_entry *entry;

	sim_assert(is_dotted_name(name));
	sim_assert(*unit && *description);
	sim_assert(!find_entry(stats, name));
	if (stats->count == stats->room) {
		stats->room = stats->room ? 2 * stats->room : 64;
		stats->entries = sim_realloc(stats->entries, stats->room, sizeof(*stats->entries),
					     "counters");
	}
	entry = sim_alloc(1, sizeof(*entry), "counter");
	entry->name = sim_strdup(name);
	entry->unit = sim_strdup(unit);
	entry->description = sim_strdup(description);
	entry->stat = (struct sim_stat){
		.name = entry->name,
		.unit = entry->unit,
		.description = entry->description,
		.is_signed = is_signed,
	};
	stats->entries[stats->count++] = entry;
	HASH_ADD_KEYPTR(hh, stats->by_name, entry->name, strlen(entry->name), entry);
	return &entry->stat;
}

struct sim_stat *sim_stat_add(struct sim_stats *stats, const char *name, const char *unit,
			      const char *description)
{
	return add(stats, name, unit, description, false);
}

struct sim_stat *sim_stat_add_signed(struct sim_stats *stats, const char *name, const char *unit,
				     const char *description)
{
	return add(stats, name, unit, description, true);
}

size_t sim_stats_count(const struct sim_stats *stats)
{
	return stats->count;
}

const struct sim_stat *sim_stats_at(const struct sim_stats *stats, size_t index)
{
	sim_assert(index < stats->count);
	return &stats->entries[index]->stat;
}

struct sim_stat *sim_stats_find(const struct sim_stats *stats, const char *name)
{
	struct stat_entry *entry = find_entry(stats, name);

	return entry ? &entry->stat : NULL;
}
