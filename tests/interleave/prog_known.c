// SPDX-License-Identifier: BSD-2-Clause
/*
 * prog_known.c - structures whose faults are known, each beside its sound version: the explorer
 * must find the one and pass the other.
 *
 *   stack      Treiber's, over node indices: the untagged head suffers ABA, the tagged one does not
 *   seqlock    the writer needs a fence after the odd count, the reader one before it counts again
 *   once       double-checked initialisation: the fast path must acquire
 *   reclaim    a reader that looks at a node its owner frees
 *   counter    behind a lock, or by CAS: a frozen thread stops the one and not the other
 */
#include "wx.h"

/* ---- Treiber's stack: head is tag << 8 | index; index 0 is none ---- */

#define NODES	4u
#define IDX(h)	((unsigned int)((h) & 0xff))

enum { PUSH, POP };

static uint64_t head;
static uint64_t next[NODES];
static uint64_t tag_step;

static bool stack_apply(struct wx_lin_state *s, unsigned int op, uint64_t arg, uint64_t ret)
{
	if (op == PUSH) {		/* a stack of byte-sized values in one word */
		s->w[0] = s->w[0] << 8 | arg;
		return true;
	}
	if (ret != WX_LIN_ANY && ret != (s->w[0] & 0xff))
		return false;
	s->w[0] >>= 8;
	return true;
}

static const char *stack_op(unsigned int op)
{
	return op == PUSH ? "push" : "pop";
}

static const struct wx_lin_spec stack_spec = {
	.init = { { 0x010203 } }, .apply = stack_apply, .op_name = stack_op,
};

static void push(unsigned int node)
{
	unsigned int op = wx_lin_begin(0, PUSH, node);
	uint64_t h = weir_load_relaxed(&head);

	do
		weir_store_relaxed(&next[node], (uint64_t)IDX(h));
	while (!weir_cas_release(&head, &h, ((h & ~(uint64_t)0xff) + tag_step) | node));
	wx_lin_end(op, 0);
}

static unsigned int pop(void)
{
	unsigned int op = wx_lin_begin(0, POP, 0);
	uint64_t h = weir_load_acquire(&head);

	while (IDX(h)) {
		uint64_t n = weir_load_relaxed(&next[IDX(h)]);

		if (weir_cas_acquire(&head, &h, ((h & ~(uint64_t)0xff) + tag_step) | n))
			break;
	}
	wx_lin_end(op, IDX(h));
	return IDX(h);
}

static void stack_setup(uint64_t step)
{
	tag_step = step;
	head = 3;
	next[3] = 2;
	next[2] = 1;
	next[1] = 0;
	wx_name(&head, "head");
	for (unsigned int i = 1; i < NODES; i++)
		wx_name(&next[i], "next%u", i);
}

static void untagged_setup(void)
{
	stack_setup(0);
}

static void tagged_setup(void)
{
	stack_setup(0x100);
}

static void stack_thread(unsigned int tid)
{
	unsigned int a;

	if (tid == 0) {
		pop();
		return;
	}
	a = pop();
	pop();
	if (a)
		push(a);
}

static void stack_final(void)
{
	while (pop())
		;
	wx_lin_check(&stack_spec);
}

WX_PROGRAM(treiber_untagged) = {
	.name = "known/treiber-untagged", .what = "untagged Treiber stack: ABA", .nthreads = 2,
	.must_fail = WX_ALL_MODELS,
	.setup = untagged_setup, .thread = stack_thread, .final = stack_final,
};

WX_PROGRAM(treiber_tagged) = {
	.name = "known/treiber-tagged", .what = "Treiber stack with a tagged head", .nthreads = 2,
	.setup = tagged_setup, .thread = stack_thread, .final = stack_final,
};

/* Exhaustive: two threads of three operations. */
static void three_ops_thread(unsigned int tid)
{
	unsigned int n = pop();

	if (tid == 1)
		pop();
	if (n)
		push(n);
	if (tid == 0)
		pop();
}

WX_PROGRAM(treiber_2x3) = {
	.name = "known/treiber-2x3", .what = "tagged stack, 2 threads of 3 operations, exhaustive",
	.nthreads = 2, .models = WX_IN(WX_SC) | WX_IN(WX_TSO), .flags = WX_F_EXHAUSTIVE | WX_F_PURE,
	.schedules = 20000000,
	.setup = tagged_setup, .thread = three_ops_thread, .final = stack_final,
};

WX_PROGRAM(treiber_2x3_untagged) = {
	.name = "known/treiber-2x3-untagged", .what = "the same without tags", .nthreads = 2,
	.models = WX_IN(WX_SC) | WX_IN(WX_TSO), .must_fail = WX_IN(WX_SC) | WX_IN(WX_TSO),
	.flags = WX_F_EXHAUSTIVE | WX_F_PURE, .schedules = 20000000,
	.setup = untagged_setup, .thread = three_ops_thread, .final = stack_final,
};

/* ---- seqlock ---- */

static uint64_t seq, lo, hi;
static bool writer_fence, reader_fence;

static void seqlock_setup(bool writer, bool reader)
{
	writer_fence = writer;
	reader_fence = reader;
	seq = lo = hi = 0;
	wx_name(&seq, "seq");
	wx_name(&lo, "lo");
	wx_name(&hi, "hi");
}

static void seqlock_sound(void)
{
	seqlock_setup(true, true);
}

static void seqlock_no_writer_fence(void)
{
	seqlock_setup(false, true);
}

static void seqlock_no_reader_fence(void)
{
	seqlock_setup(true, false);
}

static void seqlock_write(uint64_t v)
{
	uint64_t s = weir_load_relaxed(&seq);

	weir_store_relaxed(&seq, s + 1);
	if (writer_fence)
		weir_fence_full();
	weir_store_relaxed(&lo, v);
	weir_store_relaxed(&hi, v);
	weir_store_release(&seq, s + 2);
}

static void seqlock_read(void)
{
	uint64_t s = weir_load_acquire(&seq);
	uint64_t l, h;

	if (s & 1)
		return;
	l = weir_load_relaxed(&lo);
	h = weir_load_relaxed(&hi);
	if (reader_fence)
		weir_fence_full();
	if (weir_load_relaxed(&seq) == s)
		wx_check(l == h, "torn pair: lo %llu, hi %llu", (unsigned long long)l,
			 (unsigned long long)h);
}

static void seqlock_thread(unsigned int tid)
{
	if (tid == 0) {
		seqlock_write(1);
		seqlock_write(2);
	} else {
		seqlock_read();
	}
}

WX_PROGRAM(seqlock) = {
	.name = "known/seqlock", .what = "seqlock with both fences", .nthreads = 2,
	.setup = seqlock_sound, .thread = seqlock_thread,
};

WX_PROGRAM(seqlock_writer) = {
	.name = "known/seqlock-no-writer-fence", .what = "seqlock, no fence after the odd count",
	.nthreads = 2, .must_fail = WX_IN(WX_PSO) | WX_IN(WX_C11),
	.setup = seqlock_no_writer_fence, .thread = seqlock_thread,
};

WX_PROGRAM(seqlock_reader) = {
	.name = "known/seqlock-no-reader-fence",
	.what = "seqlock, no fence before the second count",
	.nthreads = 2, .must_fail = WX_IN(WX_C11),
	.setup = seqlock_no_reader_fence, .thread = seqlock_thread,
};

/* ---- double-checked initialisation ---- */

static uint64_t ready, lock, value;

static void once_setup(void)
{
	ready = lock = value = 0;
	wx_name(&ready, "ready");
	wx_name(&lock, "lock");
	wx_name(&value, "value");
}

static void once_slow(void)
{
	uint64_t zero = 0;

	while (!weir_cas_acquire(&lock, &zero, 1)) {
		weir_pause();
		zero = 0;
	}
	if (!weir_load_relaxed(&ready)) {
		weir_plain_store(&value, 42);
		weir_store_release(&ready, 1);
	}
	weir_store_release(&lock, 0);
}

static void once_acquire(unsigned int tid)
{
	(void)tid;
	if (!weir_load_acquire(&ready))
		once_slow();
	wx_check(weir_plain_load(&value) == 42, "value read before it was set");
}

static void once_relaxed(unsigned int tid)
{
	(void)tid;
	if (!weir_load_relaxed(&ready))
		once_slow();
	wx_check(weir_plain_load(&value) == 42, "value read before it was set");
}

WX_PROGRAM(once) = {
	.name = "known/once", .what = "double-checked initialisation", .nthreads = 3,
	.setup = once_setup, .thread = once_acquire,
};

WX_PROGRAM(once_no_acquire) = {
	.name = "known/once-no-acquire", .what = "double-checked initialisation, relaxed fast path",
	.nthreads = 3, .must_fail = WX_ALL_MODELS,
	.setup = once_setup, .thread = once_relaxed,
};

/* ---- reclamation ---- */

static uint64_t shared, hazard;		/* numbers of blocks, 0 for none */
static uint64_t *block[3];
static bool use_hazard;

static void reclaim_setup(bool safe)
{
	use_hazard = safe;
	block[1] = wx_alloc(8);
	block[2] = wx_alloc(8);
	*block[1] = 1;
	shared = 1;
	hazard = 0;
	wx_name(&shared, "shared");
	wx_name(&hazard, "hazard");
}

static void reclaim_safe(void)
{
	reclaim_setup(true);
}

static void reclaim_unsafe(void)
{
	reclaim_setup(false);
}

static void reclaim_read(void)
{
	uint64_t b = weir_load_relaxed(&shared), seen = 0;

	while (use_hazard && b != seen) {
		weir_store_relaxed(&hazard, b);
		weir_fence_full();
		seen = b;
		b = weir_load_relaxed(&shared);
	}
	wx_check(weir_plain_load(block[b]) == b, "a block that was not filled");
	weir_store_release(&hazard, 0);
}

static void reclaim_replace(void)
{
	uint64_t old;

	weir_plain_store(block[2], 2);
	old = weir_exchange_release(&shared, 2);
	weir_fence_full();
	while (weir_load_acquire(&hazard) == old)
		weir_pause();
	wx_free(block[old]);
}

static void reclaim_thread(unsigned int tid)
{
	if (tid == 0)
		reclaim_replace();
	else
		reclaim_read();
}

WX_PROGRAM(reclaim) = {
	.name = "known/hazard-pointer", .what = "a node is freed when no hazard pointer names it",
	.nthreads = 2, .setup = reclaim_safe, .thread = reclaim_thread,
};

WX_PROGRAM(reclaim_none) = {
	.name = "known/use-after-free", .what = "a node is freed while a reader may hold it",
	.nthreads = 2, .must_fail = WX_ALL_MODELS,
	.setup = reclaim_unsafe, .thread = reclaim_thread,
};

/* ---- a counter, with one thread frozen for ever ---- */

static uint64_t counter;

static void counter_setup(void)
{
	counter = lock = 0;
	wx_name(&counter, "counter");
	wx_name(&lock, "lock");
}

static void counter_locked(unsigned int tid)
{
	uint64_t zero = 0;

	(void)tid;
	while (!weir_cas_acquire(&lock, &zero, 1)) {
		weir_pause();
		zero = 0;
	}
	weir_plain_store(&counter, weir_plain_load(&counter) + 1);
	weir_store_release(&lock, 0);
}

static void counter_lock_free(unsigned int tid)
{
	uint64_t v = weir_load_relaxed(&counter);

	(void)tid;
	while (!weir_cas_relaxed(&counter, &v, v + 1))
		;
}

static void counter_final(void)
{
	unsigned int most = 0, least = 0;

	for (unsigned int i = 0; i < 3; i++) {
		most++;
		least += !wx_frozen(i);
	}
	wx_check(counter >= least && counter <= most, "counter is %llu, not %u to %u",
		 (unsigned long long)counter, least, most);
}

WX_PROGRAM(lock_frozen) = {
	.name = "known/lock-frozen", .what = "a spinlock's holder is frozen: nobody finishes",
	.nthreads = 3, .steps_max = 1000, .flags = WX_F_FREEZE, .must_fail = WX_ALL_MODELS,
	.setup = counter_setup, .thread = counter_locked, .final = counter_final,
};

WX_PROGRAM(cas_frozen) = {
	.name = "known/cas-frozen", .what = "one of three is frozen: the others finish",
	.nthreads = 3, .steps_max = 1000, .flags = WX_F_FREEZE,
	.setup = counter_setup, .thread = counter_lock_free, .final = counter_final,
};

WX_PROGRAM(lock_program) = {
	.name = "known/spinlock", .what = "plain counter behind a spinlock", .nthreads = 3,
	.setup = counter_setup, .thread = counter_locked, .final = counter_final,
};
