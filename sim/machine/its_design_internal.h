/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * its_design_internal.h - what the designs share: its_design.c (the calls, `none` and `weir`),
 * its_design_list.c (the list of 2019), its_design_tree.c (the tree of 2024).
 */
#ifndef SIM_MACHINE_ITS_DESIGN_INTERNAL_H
#define SIM_MACHINE_ITS_DESIGN_INTERNAL_H

#include "sim/machine/its_design.h"
#include "sim/machine/its_internal.h"

/* What the published caches hold: the LPI, whose PE follows from its collection. */
struct design_target {
	uint32_t intid;
	uint32_t icid;
};

struct design_list;
struct design_tree;

/*
 * The list. Each call adds to @work what it did. @refs: a hit takes a reference under the lock and
 * puts it under the lock again. find() fills in @target; fill() enters a translation, unless one of
 * the key is there, which moves to the front.
 */
struct design_list *design_list_create(uint32_t capacity, bool refs);
void design_list_destroy(struct design_list *list);
bool design_list_find(struct design_list *list, const struct sim_its *its, uint32_t did,
		      uint32_t eid, struct design_target *target, struct sim_its_work *work);
void design_list_fill(struct design_list *list, const struct sim_its *its, uint32_t did,
		      uint32_t eid, const struct design_target *target, struct sim_its_work *work);
void design_list_drop(struct design_list *list, struct sim_its_work *work);
uint64_t design_list_used(const struct design_list *list);

/* The tree; drop() takes what is in it out one by one. */
struct design_tree *design_tree_create(void);
void design_tree_destroy(struct design_tree *tree);
bool design_tree_find(struct design_tree *tree, uint32_t did, uint32_t eid,
		      struct design_target *target, struct sim_its_work *work);
void design_tree_fill(struct design_tree *tree, uint32_t did, uint32_t eid,
		      const struct design_target *target, struct sim_its_work *work);
void design_tree_drop(struct design_tree *tree, struct sim_its_work *work);
uint64_t design_tree_used(const struct design_tree *tree);
/* Nodes of the tree now: 576 bytes each in the original. */
uint64_t design_tree_nodes(const struct design_tree *tree);

#endif
