// SPDX-License-Identifier: BSD-2-Clause
/*
 * vm.c - guest memory, stage-2 leaves, CPUs with a walker and cached translations, and the ops of
 * `dirty` over them, made of the explorer's steps.
 *
 * A guest write is: look in the CPU's cached translations; if there is none, walk (the walker may
 * see a descriptor as old as the last invalidation), set AF and, on a leaf with DBM, W by a
 * compare-and-swap on the descriptor, or fault if the leaf does not let the write through; then, as
 * a step of its own, store the content - unless an invalidation came between, when the access
 * starts over. So an access is either complete before a TLBI, or translated after it, which is what
 * DSB waits for.
 *
 * tlbi_range is three steps: the stores before it are performed (DSB ISHST); the translations of
 * all CPUs go, and their walkers see nothing older (TLBI); loads after it see nothing older (DSB
 * ISH).
 *
 * Only writable translations are cached: a fault walks again. Content is a version number; a write
 * adds one. What readers copy is kept if it is newer. At the end, after one last get, every copy
 * must equal the content: a page that was written and never reported is found from that and from
 * nothing else.
 */
#include <string.h>

#include "vm.h"

#define VALID_PAGE	((uint64_t)3)
#define VALID_BLOCK	((uint64_t)1)
#define VALID		WEIR_DIRTY_DESC_VALID
#define W		WEIR_DIRTY_DESC_W
#define AF		WEIR_DIRTY_DESC_AF
#define DBM		WEIR_DIRTY_DESC_DBM

struct vm vm;
bool vm_hole;
static bool has_block, uses_dbm, logged, skip_tlbi;
static unsigned int mapped[VM_MAPPED_MAX];	/* pages that are mapped, ascending */
static unsigned int nmapped;

static unsigned int page_of(uint64_t gfn)
{
	return (unsigned int)(gfn - VM_BASE_GFN);
}

/* ---- the ops ---- */

static uint64_t *op_leaf(void *ctx, uint64_t gfn, unsigned int *order)
{
	(void)ctx;
	if (vm_hole && !weir_load_acquire(&vm.there)) {
		*order = 13;
		return NULL;
	}
	if (has_block && weir_load_acquire(&vm.split) < 2) {
		*order = 9;
		return &vm.block;
	}
	*order = 0;
	return &vm.desc[page_of(gfn)];
}

void vm_tlbi(unsigned int from, unsigned int last)
{
	wx_dsb();
	wx_point("TLBI");
	for (unsigned int c = 0; c < WX_THREADS_MAX; c++) {
		for (unsigned int i = 0; i < nmapped; i++)
			if (mapped[i] >= from && mapped[i] <= last)
				vm.cpu[c].writable[mapped[i]] = false;
		vm.cpu[c].seq++;
		vm.cpu[c].floor = wx_now();
	}
	wx_dsb();
}

static void op_tlbi_range(void *ctx, uint64_t first_gfn, uint64_t last_gfn)
{
	uint64_t end = last_gfn - VM_BASE_GFN;

	(void)ctx;
	/* Readers exclude each other on a stripe: what they call the ops for is not shared. */
	if (wx_self() != WX_THREADS_MAX)
		for (uint64_t s = page_of(first_gfn) >> 12; s <= end >> 12 && s < 2; s++)
			weir_plain_store(&vm.claimed[s], weir_plain_load(&vm.claimed[s]) + 1);
	if (!skip_tlbi)
		vm_tlbi(page_of(first_gfn), (unsigned int)(end < VM_PAGES ? end : VM_PAGES - 1));
}

static void op_tlbi_local(void *ctx, uint64_t gfn)
{
	unsigned int c = wx_self();

	(void)ctx;
	if (c == WX_THREADS_MAX)
		return;
	vm.cpu[c].writable[page_of(gfn)] = false;
	vm.cpu[c].seq++;
	vm.cpu[c].floor = wx_now();
}

/* Break-before-make, by whoever comes first; the others wait for him. */
static enum weir_status op_block_split(void *ctx, uint64_t gfn)
{
	uint64_t zero = 0, old;

	(void)ctx;
	(void)gfn;
	if (!weir_cas_acquire(&vm.split, &zero, 1)) {
		while (weir_load_acquire(&vm.split) != 2)
			weir_pause();
		return WEIR_OK;
	}
	old = weir_exchange_acq_rel(&vm.block, 0);
	vm_tlbi(0, 511);
	for (unsigned int i = 0; i < nmapped; i++)
		weir_store_relaxed(&vm.desc[mapped[i]], VALID_PAGE | AF | (old & W));
	wx_dsb();
	vm.linked = wx_now();
	weir_store_release(&vm.split, 2);
	weir_dirty_fold(vm.d, VM_BASE_GFN, 9, old);
	return WEIR_OK;
}

static const struct weir_dirty_ops ops = {
	.leaf = op_leaf, .tlbi_range = op_tlbi_range, .tlbi_local = op_tlbi_local,
	.block_split = op_block_split,
};

/* ---- set-up ---- */

#define REGION_BYTES	16384u

static unsigned char region[REGION_BYTES] __attribute__((aligned(64)));

/* The first state of a configuration, made once by the library and then copied. */
static struct {
	const struct vm_config *of;
	size_t bytes;
	unsigned char region[REGION_BYTES];
	uint64_t desc[VM_MAPPED_MAX];
	uint64_t block;
} first;

static void name_all(void)
{
	for (unsigned int i = 0; i < nmapped; i++) {
		wx_name(&vm.desc[mapped[i]], "leaf%u", mapped[i]);
		wx_name(&vm.content[mapped[i]], "page%u", mapped[i]);
	}
	wx_name(&vm.block, "block");
	wx_name(&vm.split, "split");
	for (size_t off = 0; off + 8 <= first.bytes; off += 8)
		wx_name(region + off, "region+%zu", off);
}

static void choose_mapped(const struct vm_config *c)
{
	nmapped = 0;
	for (uint64_t i = 0; i < c->npages; i += c->mapped_gap ? c->mapped_gap : 1) {
		if (c->mapped_gap && (i & 4095) > c->mapped_gap)
			continue;
		wx_check(nmapped < VM_MAPPED_MAX, "more than %u mapped pages", VM_MAPPED_MAX);
		mapped[nmapped++] = (unsigned int)i;
	}
}

static void first_state(const struct vm_config *c)
{
	struct weir_dirty_config cfg = {
		.base_gfn = VM_BASE_GFN, .npages = c->npages, .policy = c->policy,
		.neighbourhood = c->neighbourhood, .flags = c->flags,
		.cost_fault_ns = 1000, .cost_scan_group_ns = 100,
	};
	size_t own, extra;

	first.of = NULL;
	if (c->policy >= WEIR_DIRTY_DBM_ALL)
		cfg.flags |= WEIR_DIRTY_F_DBM;
	if (c->policy == WEIR_DIRTY_HDBSS)
		cfg.flags |= WEIR_DIRTY_F_HDBSS;
	if (c->readers)
		cfg.flags |= WEIR_DIRTY_F_READERS;
	own = (weir_dirty_size(&cfg) + 63) & ~(size_t)63;
	wx_check(own && own <= sizeof(region), "region of %zu bytes", own);
	choose_mapped(c);
	memset(&vm, 0, sizeof(vm));
	has_block = c->block;
	vm.block = VALID_BLOCK | AF | W;
	for (unsigned int i = 0; i < nmapped && !has_block; i++)
		vm.desc[mapped[i]] = VALID_PAGE | W | (mapped[i] & 1 ? AF : 0);
	wx_check(!weir_dirty_init(region, sizeof(region), &cfg, &ops, &vm, &vm.d), "init");
	if (!c->off)
		wx_check(!weir_dirty_start(vm.d, c->all_dirty), "start");
	vm.reader[0] = vm.d;
	extra = c->readers ? weir_dirty_reader_size(vm.d) : 0;
	first.bytes = own + extra;
	wx_check(first.bytes <= sizeof(region), "readers of %zu bytes", extra);
	if (c->readers)
		wx_check(!weir_dirty_reader_attach(vm.d, region + own, extra, false,
						   &vm.reader[1]), "attach");
	memcpy(first.region, region, first.bytes);
	for (unsigned int i = 0; i < nmapped; i++)
		first.desc[i] = vm.desc[mapped[i]];
	first.block = vm.block;
	first.of = c;
}

/* Descriptors that nobody writes: those between and behind the mapped ones, table by table. */
static void quiet_gaps(void)
{
	unsigned int from = 0;

	for (unsigned int i = 0; i < nmapped; i++) {
		if (mapped[i] > from)
			wx_quiet(&vm.desc[from], (mapped[i] - from) * sizeof(*vm.desc));
		from = mapped[i] + 1;
	}
	wx_quiet(&vm.desc[from], (VM_PAGES - from) * sizeof(*vm.desc));
}

void vm_setup(const struct vm_config *c)
{
	vm_hole = false;
	if (first.of != c)
		first_state(c);
	has_block = c->block;
	uses_dbm = c->policy >= WEIR_DIRTY_DBM_ALL;
	logged = c->policy == WEIR_DIRTY_HDBSS;
	skip_tlbi = c->skip_tlbi;
	memcpy(region, first.region, first.bytes);
	vm.npages = c->npages;
	vm.block = first.block;
	vm.split = 0;
	vm.linked = 0;
	vm.readers = 0;
	vm.ring = NULL;
	vm.claimed[0] = 0;
	vm.claimed[1] = 0;
	memset(vm.faulting, 0, sizeof(vm.faulting));
	for (unsigned int i = 0; i < nmapped; i++) {
		vm.desc[mapped[i]] = first.desc[i];
		vm.content[mapped[i]] = 0;
		for (unsigned int r = 0; r < VM_READERS; r++)
			vm.copy[r][mapped[i]] = 0;
	}
	for (unsigned int cpu = 0; cpu < WX_THREADS_MAX; cpu++) {
		vm.cpu[cpu].seq = 0;
		vm.cpu[cpu].floor = 0;
		vm.cpu[cpu].nlog = 0;
		for (unsigned int i = 0; i < nmapped; i++)
			vm.cpu[cpu].writable[mapped[i]] = false;
	}
	quiet_gaps();
	if (wx_printing())
		name_all();
}

/* ---- a CPU ---- */

static uint64_t *leaf_of(unsigned int page)
{
	return has_block && wx_peek(&vm.split) < 2 ? &vm.block : &vm.desc[page];
}

/* HDBSS: the entry is complete when the leaf is dirty, and in memory when the CPU is kicked. */
static void log_page(unsigned int c, unsigned int page)
{
	if (vm.cpu[c].nlog < VM_LOG)
		vm.cpu[c].log[vm.cpu[c].nlog++] = (VM_BASE_GFN + page) << 12 |
						  WEIR_DIRTY_LOG_VALID;
}

/* Walks; true if the write may go on, with the translation cached. */
static bool translate(unsigned int c, unsigned int page)
{
	for (;;) {
		uint64_t *leaf = leaf_of(page);
		uint64_t v, after;

		if (leaf != &vm.block && vm.cpu[c].floor < vm.linked)
			vm.cpu[c].floor = vm.linked;	/* it came here by the table's address */
		v = wx_walk_load(leaf, &vm.cpu[c].floor);
		after = v | AF;
		if (!(v & VALID))
			return false;
		if (!(v & W)) {
			if (!uses_dbm || !(v & DBM) || leaf == &vm.block)
				return false;
			after |= W;
		}
		if (after == v || wx_hw_cas(leaf, v, after)) {
			if (!(v & W) && (after & W))
				log_page(c, page);
			vm.cpu[c].writable[page] = true;
			return true;
		}
		vm.cpu[c].floor = wx_now();	/* a lost update looks at what is there now */
	}
}

static void fault(unsigned int c, unsigned int page)
{
	struct weir_dirty_fault_info info;
	enum weir_status s;

	wx_note("fault on page %u", page);
	vm.faulting[c] = page + 1;
	s = weir_dirty_fault(vm.d, VM_BASE_GFN + page, &info);
	if (vm.ring && !c && !s && info.outcome == WEIR_DIRTY_TRAPPED)
		wx_check(weir_dirty_ring_push(vm.ring, VM_BASE_GFN + page) == WEIR_OK, "push");
	vm.faulting[c] = 0;
	wx_note("fault done: %d", (int)s);
	wx_check(s == WEIR_OK || s == WEIR_EAGAIN || s == WEIR_ENOENT, "fault on page %u: %s", page,
		 weir_status_str(s));
	if (s == WEIR_ENOENT)
		weir_pause();
}

void vm_write(unsigned int page)
{
	unsigned int c = wx_self();

	for (;;) {
		uint32_t seq;

		if (!vm.cpu[c].writable[page] && !translate(c, page)) {
			fault(c, page);
			continue;
		}
		seq = vm.cpu[c].seq;
		wx_point("guest store");
		if (seq != vm.cpu[c].seq && !vm.cpu[c].writable[page])
			continue;
		wx_hw_store(&vm.content[page], vm.content[page] + 1);
		return;
	}
}

enum weir_status vm_write_and_mark(unsigned int page)
{
	enum weir_status s;

	weir_store_relaxed(&vm.content[page], weir_load_relaxed(&vm.content[page]) + 1);
	wx_note("mark page %u", page);
	s = weir_dirty_mark(vm.d, VM_BASE_GFN + page, 1);
	wx_note("mark done: %d", (int)s);
	return s;
}

void vm_dma(unsigned int page)
{
	weir_store_relaxed(&vm.content[page], weir_load_relaxed(&vm.content[page]) + 1);
}

/* ---- a reader ---- */

void vm_copy_page(unsigned int reader, unsigned int page)
{
	uint64_t v = weir_load_relaxed(&vm.content[page]);

	if (v > vm.copy[reader][page])
		vm.copy[reader][page] = v;
}

static void copy_words(unsigned int reader, const struct weir_dirty_word *words, size_t nwords)
{
	for (size_t i = 0; i < nwords; i++)
		for (uint64_t m = words[i].pages; m; m &= m - 1)
			vm_copy_page(reader, page_of(words[i].gfn) + weir_ctz64(m));
}

void vm_copy(const struct weir_dirty_word *words, size_t nwords)
{
	copy_words(0, words, nwords);
}

void vm_copy_all(void)
{
	for (unsigned int i = 0; i < nmapped; i++)
		vm_copy_page(0, mapped[i]);
}

bool vm_harvest_by(unsigned int reader, unsigned int from, unsigned int last, uint64_t budget_ptes)
{
	struct weir_dirty_cursor cur = { VM_BASE_GFN + from, VM_BASE_GFN + last, false };
	struct weir_dirty *d = vm.reader[reader];
	struct weir_dirty_word words[2];
	struct weir_dirty_txn txn;
	enum weir_status s;

	vm.readers++;
	wx_check(!weir_dirty_harvest_begin(d, &txn, &cur, words, 2), "harvest_begin");
	do {
		wx_note("harvest");
		s = weir_dirty_harvest_step(d, &txn, budget_ptes);
		wx_note("harvest done: %d, %zu words", (int)s, txn.nwords);
		wx_check(s == WEIR_OK || s == WEIR_EAGAIN || s == WEIR_EBUSY, "harvest: %s",
			 weir_status_str(s));
		copy_words(reader, words, txn.nwords);
		weir_dirty_harvest_commit(d, &txn);
	} while (s == WEIR_EAGAIN);
	vm.readers--;
	return s == WEIR_OK;
}

bool vm_harvest(unsigned int from, unsigned int last, uint64_t budget_ptes)
{
	return vm_harvest_by(0, from, last, budget_ptes);
}

void vm_kick_logs(void)
{
	for (unsigned int c = 0; c < WX_THREADS_MAX; c++) {
		uint64_t log[VM_LOG];
		unsigned int n;

		if (c >= 2 && wx_self() != WX_THREADS_MAX)
			break;		/* no program has more CPUs */
		wx_point("kick");
		n = vm.cpu[c].nlog;
		memcpy(log, vm.cpu[c].log, n * sizeof(*log));
		vm.cpu[c].nlog = 0;
		if (n)
			weir_dirty_log(vm.d, log, n, 12);
	}
}

/* ---- checks ---- */

/* A fault is about its page and, where it may promote, about the neighbours in its group. */
static bool somebody_faults(unsigned int page)
{
	for (unsigned int c = 0; c < WX_THREADS_MAX; c++) {
		unsigned int about = vm.faulting[c] - 1;

		if (vm.faulting[c] && (about == page || (uses_dbm && about / 64 == page / 64)))
			return true;
	}
	return false;
}

/* I6, at quiescence: a bit that is set is reported. */
static void check_reachable(const struct weir_dirty_word *words, size_t n)
{
	for (unsigned int i = 0; i < nmapped; i++) {
		uint64_t gfn = VM_BASE_GFN + mapped[i];
		bool told = false;

		for (size_t k = 0; k < n; k++)
			told = told || (words[k].gfn == (gfn & ~(uint64_t)63) &&
					(words[k].pages >> (gfn & 63) & 1));
		wx_check(told || somebody_faults(mapped[i]) ||
				 !(weir_dirty_peek(vm.d, gfn) & WEIR_DIRTY_PEEK_BIT),
			 "I6 does not hold: page %u has its bit set, get does not report it",
			 mapped[i]);
	}
}

static void final_of(unsigned int reader)
{
	struct weir_dirty_word words[VM_WORDS];
	struct weir_dirty_cursor cur;
	size_t n;

	weir_dirty_cursor_init(vm.d, &cur);
	wx_check(!weir_dirty_get(vm.reader[reader], &cur, words, VM_WORDS, 0, &n), "the last get");
	copy_words(reader, words, n);
	if (reader == 0)
		check_reachable(words, n);
	for (unsigned int i = 0; i < nmapped; i++) {
		unsigned int page = mapped[i];

		/* A CPU frozen in a fault has not had its second look. */
		wx_check(vm.copy[reader][page] == vm.content[page] || somebody_faults(page),
			 "lost: page %u has version %llu, the copy of reader %u %llu", page,
			 (unsigned long long)vm.content[page], reader,
			 (unsigned long long)vm.copy[reader][page]);
	}
}

/* I2, at quiescence: a leaf that the hardware may set dirty is scanned, or its page is dirty. */
static void check_scan_set(void)
{
	for (unsigned int i = 0; i < nmapped; i++) {
		unsigned int page = mapped[i];
		unsigned int peek = weir_dirty_peek(vm.d, VM_BASE_GFN + page);

		wx_check(!(vm.desc[page] & DBM) || peek || logged || somebody_faults(page),
			 "I2 does not hold for page %u: leaf %#llx, not dirty, not in the scan set",
			 page, (unsigned long long)vm.desc[page]);
	}
}

void vm_final(void)
{
	if (vm.readers)
		return;		/* a reader was frozen: its stripe and its transaction stay his */
	vm_kick_logs();
	(void)weir_dirty_final(vm.d);
	check_scan_set();
	for (unsigned int r = 0; r < VM_READERS && vm.reader[r]; r++)
		final_of(r);
}

static bool somebody_caches(unsigned int page)
{
	for (unsigned int c = 0; c < WX_THREADS_MAX; c++)
		if (vm.cpu[c].writable[page])
			return true;
	return false;
}

void vm_step(void)
{
	for (unsigned int i = 0; i < nmapped && !vm.readers; i++) {
		unsigned int page = mapped[i];
		unsigned int peek = weir_dirty_peek(vm.d, VM_BASE_GFN + page);
		bool cached = somebody_caches(page);
		uint64_t v = wx_peek(leaf_of(page));

		if ((peek & WEIR_DIRTY_PEEK_BIT) || somebody_faults(page))
			continue;
		if (!(v & (W | DBM)) && !cached)
			continue;
		wx_check((peek & WEIR_DIRTY_PEEK_HW) && (!cached || (v & W)),
			 "I1 does not hold for page %u: leaf %#llx, not dirty, %sin the scan set, "
			 "%scached", page, (unsigned long long)v,
			 peek & WEIR_DIRTY_PEEK_HW ? "" : "not ", cached ? "" : "not ");
	}
}

/* ---- the owner of the tables ---- */

uint64_t vm_unmap(unsigned int page)
{
	return weir_exchange_acq_rel(&vm.desc[page], 0);
}

void vm_map(unsigned int page)
{
	weir_store_release(&vm.desc[page], VALID_PAGE);
}
