/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vm.h - the machine around `dirty` in its interleaving programs: see vm.c.
 */
#ifndef WX_VM_H
#define WX_VM_H

#include "weir/dirty.h"
#include "wx.h"

#define VM_BASE_GFN	((uint64_t)0x200)
#define VM_TABLES	10u			/* last-level tables: 512 pages each */
#define VM_PAGES	(VM_TABLES * 512u)
#define VM_MAPPED_MAX	16u
#define VM_READERS	2u
#define VM_LOG		32u			/* entries of a CPU's hardware log */
#define VM_WORDS	130u			/* groups that a reader may be handed at once */

struct vm {
	struct weir_dirty *d;
	struct weir_dirty *reader[VM_READERS];	/* the region, and a further reader */
	struct weir_dirty_ring *ring;		/* of CPU 0, if a program wants one */
	uint64_t npages;
	uint64_t desc[VM_PAGES] __attribute__((aligned(4096)));
	uint64_t block;			/* with vm_config.block: maps all until it is split */
	uint64_t there;
	uint64_t split;				/* 0; 1 while somebody splits it; 2 afterwards */
	uint32_t linked;			/* when the leaves below the block were there */
	uint64_t content[VM_PAGES];		/* versions: a write adds one */
	uint64_t copy[VM_READERS][VM_PAGES];	/* what each reader has got */
	unsigned int faulting[WX_THREADS_MAX];	/* the page + 1 a thread's fault is about */
	uint64_t claimed[2];			/* by stripe: touched by whoever invalidates */
	unsigned int readers;			/* readers in the middle of something */
	/* Each CPU's cached translations, all of them writable, and its walker. */
	struct {
		uint32_t seq;			/* invalidations */
		uint32_t floor;			/* the walker sees nothing older */
		bool writable[VM_PAGES];
		uint64_t log[VM_LOG];		/* HDBSS: pages whose leaf the walker set dirty */
		unsigned int nlog;
	} cpu[WX_THREADS_MAX];
};
extern struct vm vm;
extern bool vm_hole;	/* no table until vm.there */

struct vm_config {
	uint64_t npages;
	enum weir_dirty_policy policy;
	unsigned int neighbourhood;
	unsigned int flags;		/* WEIR_DIRTY_F_*, besides DBM where the policy wants it */
	bool block;			/* one block leaf maps the first table */
	bool off;			/* logging is not started */
	bool all_dirty;			/* it is started with everything dirty */
	bool skip_tlbi;			/* planted: tlbi_range does nothing */
	bool readers;			/* a second reader is attached */
	unsigned int mapped_gap; /* map only the first page and page gap of each stripe; 0: all */
};

/* The first state: everything mapped, content and copies equal, logging on. */
void vm_setup(const struct vm_config *c);

/* A guest write to page (an index) by the CPU of the calling thread, faults included. */
void vm_write(unsigned int page);
/* A write by the VMM: content, then weir_dirty_mark(). */
enum weir_status vm_write_and_mark(unsigned int page);

/* Harvests from..last (indices) to the end, copying what it is handed; tells if it was all. */
bool vm_harvest(unsigned int from, unsigned int last, uint64_t budget_ptes);
bool vm_harvest_by(unsigned int reader, unsigned int from, unsigned int last, uint64_t budget_ptes);
/* Copies the pages of a list as the first reader does. */
void vm_copy(const struct weir_dirty_word *words, size_t nwords);
void vm_copy_page(unsigned int reader, unsigned int page);
void vm_copy_all(void);

/* HDBSS: every CPU is kicked, and the library gets what its log holds. */
void vm_kick_logs(void);
/* A write by a device: content and nothing else. */
void vm_dma(unsigned int page);

/* No writer is left: final, the last get, and every page must be equal. */
void vm_final(void);
/* I1 of weir/dirty.h at every step, as far as no reader is in the middle of something. */
void vm_step(void);

/* For a program that replaces a leaf: unmap it, invalidate, and what the old one was. */
uint64_t vm_unmap(unsigned int page);
void vm_tlbi(unsigned int from, unsigned int last);
void vm_map(unsigned int page);

#endif
