// SPDX-License-Identifier: BSD-2-Clause
/*
 * arena.c - memory of a run, with poisoned reclamation.
 *
 * 64 blocks of a fixed size. A freed block is filled with a poison pattern, and any access to it
 * through the vocabulary fails the run, until it is handed out again; by default it is not, so that
 * a use after free is found without the help of a reuse. Freeing counts as a plain write to all of
 * the block: an access that is not ordered before it is a race, even if it came first in this run.
 * wx_free_reuse() offers the block to the next wx_alloc(), for programs about ABA.
 */
#include <string.h>

#include "engine.h"

#define BLOCKS		64u
#define POISON		0xde

enum block { B_FREE, B_USED, B_DEAD };

unsigned char wx_arena[WX_ARENA_BYTES] __attribute__((aligned(64)));
static uint8_t state[BLOCKS];
static unsigned int nused;

void wx_arena_reset(void)
{
	memset(state, B_FREE, nused);
	nused = 0;
}

void *wx_alloc(size_t bytes)
{
	unsigned int i = 0;

	if (bytes > WX_ALLOC_MAX)
		wx_fail("wx_alloc(%zu): at most %u bytes", bytes, WX_ALLOC_MAX);
	while (i < BLOCKS && state[i] != B_FREE)
		i++;
	if (i == BLOCKS)
		wx_fail("wx_alloc: more than %u blocks", BLOCKS);
	if (i >= nused)
		nused = i + 1;
	state[i] = B_USED;
	memset(wx_arena + (size_t)i * WX_ALLOC_MAX, 0, WX_ALLOC_MAX);
	return wx_arena + (size_t)i * WX_ALLOC_MAX;
}

static void release(const void *p, enum block next)
{
	uintptr_t off = (uintptr_t)p - (uintptr_t)wx_arena;
	size_t i = off / WX_ALLOC_MAX;

	if (off >= WX_ARENA_BYTES || off % WX_ALLOC_MAX || state[i] != B_USED)
		wx_fail("freed twice, or never allocated");
	wx_loc_free((uintptr_t)p, WX_ALLOC_MAX);
	state[i] = (uint8_t)next;
	memset(wx_arena + off, POISON, WX_ALLOC_MAX);
}

void wx_free(void *p)
{
	release(p, B_DEAD);
}

void wx_free_reuse(void *p)
{
	release(p, B_FREE);
}

void wx_arena_touch(uintptr_t offset)
{
	if (state[offset / WX_ALLOC_MAX] != B_USED)
		wx_fail_at("arena", 0, "use after free: block %zu, offset %zu",
			   (size_t)(offset / WX_ALLOC_MAX), (size_t)(offset % WX_ALLOC_MAX));
}
