// SPDX-License-Identifier: BSD-2-Clause
/*
 * fiber.c - threads of a run as fibers of one OS thread, with a switch in assembly.
 *
 * The switch saves what the calling convention says a call preserves, and the stack pointer: a
 * few ns, where swapcontext() makes a system call for the signal mask. One more fiber runs setup()
 * and final(), so that a failed check can leave from any depth of any of them the same way: it
 * switches back to the host and the stack is simply started over in the next run.
 *
 * Each stack has a guard page below it. Under AddressSanitizer the switches are announced to it;
 * ThreadSanitizer is refused by the build.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "engine.h"

#if defined(__SANITIZE_ADDRESS__)
#define WX_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WX_ASAN 1
#endif
#endif
#ifdef WX_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#define WX_CHECKER	WX_THREADS_MAX
#define WX_GUARD_BYTES	((size_t)65536)

void wx_fiber_asm_switch(void **save, void *to);
void wx_fiber_asm_start(void);

#if defined(__x86_64__)
__asm__(".text\n"
	".globl wx_fiber_asm_switch\n"
	".type wx_fiber_asm_switch,@function\n"
	"wx_fiber_asm_switch:\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	ret\n"
	".size wx_fiber_asm_switch,.-wx_fiber_asm_switch\n"
	".globl wx_fiber_asm_start\n"
	".type wx_fiber_asm_start,@function\n"
	"wx_fiber_asm_start:\n"
	"	xorl %ebp, %ebp\n"
	"	movq %r12, %rdi\n"
	"	callq *%r13\n"
	"	ud2\n"
	".size wx_fiber_asm_start,.-wx_fiber_asm_start\n"
	".section .note.GNU-stack,\"\",@progbits\n"
	".text\n");

static void *stack_prepare(char *top, void (*entry)(void *), void *arg)
{
	void **sp = (void **)(void *)top;

	/* When start makes its call, the stack is aligned to 16 bytes. */
	*--sp = NULL;
	*--sp = NULL;
	*--sp = (void *)(uintptr_t)wx_fiber_asm_start;
	*--sp = NULL;				/* rbp */
	*--sp = NULL;				/* rbx */
	*--sp = arg;				/* r12 */
	*--sp = (void *)(uintptr_t)entry;	/* r13 */
	*--sp = NULL;				/* r14 */
	*--sp = NULL;				/* r15 */
	return sp;
}
#elif defined(__aarch64__)
__asm__(".text\n"
	".globl wx_fiber_asm_switch\n"
	".type wx_fiber_asm_switch,%function\n"
	"wx_fiber_asm_switch:\n"
	"	sub sp, sp, #160\n"
	"	stp x19, x20, [sp, #0]\n"
	"	stp x21, x22, [sp, #16]\n"
	"	stp x23, x24, [sp, #32]\n"
	"	stp x25, x26, [sp, #48]\n"
	"	stp x27, x28, [sp, #64]\n"
	"	stp x29, x30, [sp, #80]\n"
	"	stp d8, d9, [sp, #96]\n"
	"	stp d10, d11, [sp, #112]\n"
	"	stp d12, d13, [sp, #128]\n"
	"	stp d14, d15, [sp, #144]\n"
	"	mov x9, sp\n"
	"	str x9, [x0]\n"
	"	mov sp, x1\n"
	"	ldp x19, x20, [sp, #0]\n"
	"	ldp x21, x22, [sp, #16]\n"
	"	ldp x23, x24, [sp, #32]\n"
	"	ldp x25, x26, [sp, #48]\n"
	"	ldp x27, x28, [sp, #64]\n"
	"	ldp x29, x30, [sp, #80]\n"
	"	ldp d8, d9, [sp, #96]\n"
	"	ldp d10, d11, [sp, #112]\n"
	"	ldp d12, d13, [sp, #128]\n"
	"	ldp d14, d15, [sp, #144]\n"
	"	add sp, sp, #160\n"
	"	ret\n"
	".size wx_fiber_asm_switch,.-wx_fiber_asm_switch\n"
	".globl wx_fiber_asm_start\n"
	".type wx_fiber_asm_start,%function\n"
	"wx_fiber_asm_start:\n"
	"	mov x29, xzr\n"
	"	mov x0, x19\n"
	"	blr x20\n"
	"	brk #1\n"
	".size wx_fiber_asm_start,.-wx_fiber_asm_start\n"
	".section .note.GNU-stack,\"\",%progbits\n"
	".text\n");

static void *stack_prepare(char *top, void (*entry)(void *), void *arg)
{
	void **sp = (void **)(void *)(top - 160);

	for (unsigned int i = 0; i < 20; i++)
		sp[i] = NULL;
	sp[0] = arg;					/* x19 */
	sp[1] = (void *)(uintptr_t)entry;		/* x20 */
	sp[11] = (void *)(uintptr_t)wx_fiber_asm_start;	/* x30 */
	return sp;
}
#else
#error "the fiber switch knows x86-64 and aarch64"
#endif

static char *stacks[WX_THREADS_MAX + 1];
static void *host_sp;
static void *checker_sp;
static bool checker_failed;
static void (*checker_fn)(void);

#ifdef WX_ASAN
static const void *host_stack;
static size_t host_stack_bytes;

static void asan_leave(unsigned int to)
{
	if (to <= WX_CHECKER)
		__sanitizer_start_switch_fiber(NULL, stacks[to], WX_STACK_BYTES);
	else
		__sanitizer_start_switch_fiber(NULL, host_stack, host_stack_bytes);
}
static void asan_enter(bool from_host)
{
	__sanitizer_finish_switch_fiber(NULL, from_host ? &host_stack : NULL,
					from_host ? &host_stack_bytes : NULL);
}
static void asan_forget(unsigned int i)
{
	__asan_unpoison_memory_region(stacks[i], WX_STACK_BYTES);
}
#else
static void asan_leave(unsigned int to) { (void)to; }
static void asan_enter(bool from_host) { (void)from_host; }
static void asan_forget(unsigned int i) { (void)i; }
#endif

void wx_fiber_init(void)
{
	for (unsigned int i = 0; i <= WX_CHECKER; i++) {
		char *p = mmap(NULL, WX_STACK_BYTES + WX_GUARD_BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED || mprotect(p, WX_GUARD_BYTES, PROT_NONE)) {
			fputs("weir-explore: no memory for fiber stacks\n", stderr);
			exit(3);
		}
		stacks[i] = p + WX_GUARD_BYTES;
	}
}

/* Leaves a fiber for good: the host goes on after the switch that entered the fibers. */
void wx_fiber_leave(void)
{
	void *forget;

	asan_leave(WX_CHECKER + 1);
	wx_fiber_asm_switch(&forget, host_sp);
	__builtin_unreachable();
}

static void thread_entry(void *arg)
{
	struct wx_thread *t = arg;
	struct wx_thread *next;

	asan_enter(wx.steps == 0);
	wx.prog->thread(t->id);
	t->state = WX_DONE;
	wx.runnable &= ~(1u << t->id);
	next = wx_pick(t);
	if (!next)
		wx_fiber_leave();
	wx_fiber_switch(t, next);
	__builtin_unreachable();
}

void wx_fiber_start(struct wx_thread *t)
{
	asan_forget(t->id);
	t->sp = stack_prepare(stacks[t->id] + WX_STACK_BYTES, thread_entry, t);
}

void wx_fiber_switch(struct wx_thread *from, struct wx_thread *to)
{
	wx.cur = to;
	asan_leave(to->id);
	wx_fiber_asm_switch(&from->sp, to->sp);
	asan_enter(false);
}

bool wx_fiber_run(struct wx_thread *first)
{
	wx.cur = first;
	asan_leave(first->id);
	wx_fiber_asm_switch(&host_sp, first->sp);
	asan_enter(false);
	wx.cur = NULL;
	return !wx.failed;
}

static void checker_entry(void *arg)
{
	(void)arg;
	asan_enter(true);
	checker_fn();
	checker_failed = false;
	wx_fiber_leave();
}

bool wx_fiber_call(void (*fn)(void))
{
	checker_fn = fn;
	checker_failed = true;
	wx.cur = NULL;
	asan_forget(WX_CHECKER);
	checker_sp = stack_prepare(stacks[WX_CHECKER] + WX_STACK_BYTES, checker_entry, NULL);
	asan_leave(WX_CHECKER);
	wx_fiber_asm_switch(&host_sp, checker_sp);
	asan_enter(false);
	return !checker_failed;
}
