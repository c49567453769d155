// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_design_tree.c - the translation cache of Linux 6.10: a radix tree of 64 children a node over
 * DeviceID << 16 | EventID. See its_design.h.
 *
 * Published behaviour. The tree is as high as its largest index needs; an entry at index 0 alone
 * needs no node. Ids that 16 bits do not hold are refused before the key is made. A search reads
 * under RCU and takes a reference; a fill replaces what is there and gives that up. An invalidation
 * goes through all entries, erases each and gives it up. There is no bound: what was resolved stays
 * until then.
 *
 * T1  A node exists if and only if an entry below it does.
 * T2  One reference an entry.
 */
#include <stdlib.h>

#include "sim/machine/its_design_internal.h"

#define SHIFT	 6u
#define CHILDREN (1u << SHIFT)
#define ID_BITS	 16u

/* A node: of inner nodes, or of entries on level 0. */
struct tree_node {
	uint64_t present; /* a bit a child */
	union {
		struct tree_node *node[CHILDREN];
		struct design_target entry[CHILDREN];
	} child;
};

struct design_tree {
	unsigned int height; /* levels of nodes; 0: at most one entry, of index 0 */
	struct tree_node *root;
	bool has_zero;
	struct design_target zero; /* with height 0 */
	uint64_t used;
	uint64_t nodes;
};

struct design_tree *design_tree_create(void)
{
	return sim_alloc(1, sizeof(struct design_tree), "a tree of translations");
}

static bool index_of(uint32_t did, uint32_t eid, uint64_t *index)
{
	*index = (uint64_t)did << ID_BITS | eid;
	return !(did >> ID_BITS) && !(eid >> ID_BITS);
}

static struct tree_node *new_node(struct design_tree *tree)
{
	tree->nodes++;
	return sim_alloc(1, sizeof(struct tree_node), "a node of a tree of translations");
}

static unsigned int slot(uint64_t index, unsigned int level)
{
	return (unsigned int)(index >> (SHIFT * level)) & (CHILDREN - 1u);
}

/* Whether a tree of so many levels has a place for an index. */
static bool fits(uint64_t index, unsigned int height)
{
	return !(index >> (SHIFT * height));
}

bool design_tree_find(struct design_tree *tree, uint32_t did, uint32_t eid,
		      struct design_target *target, struct sim_its_work *work)
{
	const struct tree_node *node = tree->root;
	unsigned int level = tree->height;
	uint64_t index;

	work->rcu = true;
	if (!index_of(did, eid, &index) || !fits(index, tree->height))
		return false;
	if (!level) {
		*target = tree->zero;
		work->refs += tree->has_zero ? 2 : 0;
		return tree->has_zero;
	}
	for (;;) {
		unsigned int s = slot(index, --level);

		work->nodes++;
		if (!(node->present >> s & 1))
			return false;
		if (!level) {
			*target = node->child.entry[s];
			work->refs += 2;
			return true;
		}
		node = node->child.node[s];
	}
}

/* One level more: the old root becomes its first child, or the only entry does. */
static void grow(struct design_tree *tree)
{
	struct tree_node *node = tree->used ? new_node(tree) : NULL;

	if (node) {
		node->present = 1;
		if (tree->height)
			node->child.node[0] = tree->root;
		else
			node->child.entry[0] = tree->zero;
	}
	tree->root = node;
	tree->has_zero = false;
	tree->height++;
}

/* The place of an index that fits, with the nodes that lead there; whether it is taken. */
static struct design_target *place(struct design_tree *tree, uint64_t index, bool *taken,
				   struct sim_its_work *work)
{
	struct tree_node **link = &tree->root;
	unsigned int level = tree->height;

	if (!level) {
		*taken = tree->has_zero;
		tree->has_zero = true;
		return &tree->zero;
	}
	for (;;) {
		unsigned int s = slot(index, --level);
		struct tree_node *node;

		if (!*link)
			*link = new_node(tree);
		node = *link;
		work->nodes++;
		*taken = node->present >> s & 1;
		node->present |= UINT64_C(1) << s;
		if (!level)
			return &node->child.entry[s];
		link = &node->child.node[s];
	}
}

void design_tree_fill(struct design_tree *tree, uint32_t did, uint32_t eid,
		      const struct design_target *target, struct sim_its_work *work)
{
	struct design_target *at;
	uint64_t index;
	bool taken;

	if (!index_of(did, eid, &index))
		return;
	while (!fits(index, tree->height))
		grow(tree);
	at = place(tree, index, &taken, work);
	*at = *target;
	work->locks |= SIM_ITS_LOCK_TREE;
	work->filled = true;
	work->refs++;
	if (taken) {
		work->dropped++;
		work->refs++;
	} else {
		tree->used++;
	}
}

/* Frees a node and those below it; how many entries went. */
static uint64_t free_node(struct tree_node *node, unsigned int level)
{
	uint64_t entries = 0, left = node->present;

	for (; left; left &= left - 1)
		entries += level ? free_node(node->child.node[__builtin_ctzll(left)], level - 1)
				 : 1;
	free(node);
	return entries;
}

void design_tree_drop(struct design_tree *tree, struct sim_its_work *work)
{
	uint64_t entries = tree->has_zero;

	if (tree->root)
		entries += free_node(tree->root, tree->height - 1);
	sim_assert(entries == tree->used);
	/* Each is looked for once more by its index to be erased. */
	work->nodes += (uint32_t)(entries * tree->height);
	work->refs += (uint32_t)entries;
	work->dropped += entries;
	work->locks |= SIM_ITS_LOCK_TREE;
	*tree = (struct design_tree){ .height = 0 };
}

void design_tree_destroy(struct design_tree *tree)
{
	struct sim_its_work work = { .hit = false };

	if (!tree)
		return;
	design_tree_drop(tree, &work);
	free(tree);
}

uint64_t design_tree_used(const struct design_tree *tree)
{
	return tree->used;
}

uint64_t design_tree_nodes(const struct design_tree *tree)
{
	return tree->nodes;
}
