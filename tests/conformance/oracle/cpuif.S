/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpuif.S - what runs on each CPU of the machine that is asked: it lets the host use the CPU's GIC
 * system registers through a mailbox of 32 bytes a CPU.
 *
 *   +0 request number, bumped by the host last    +4 which register, see `table`
 *   +8 the value to write, and then what was read  +16 the request that was answered last
 *
 * CPU 0 starts the others, as many as the word at NCPUS says. Each unmasks all priorities, enables
 * group 1, answers a request 1 that nobody made, to say that it is there, and then polls.
 */
#define MAILBOX	0x40020000
#define NCPUS	0x4002f000

#define ICC_PMR_EL1	S3_0_C4_C6_0
#define ICC_IAR1_EL1	S3_0_C12_C12_0
#define ICC_EOIR1_EL1	S3_0_C12_C12_1
#define ICC_HPPIR1_EL1	S3_0_C12_C12_2
#define ICC_IGRPEN1_EL1	S3_0_C12_C12_7

	.global	_start
_start:
	mrs	x19, mpidr_el1
	and	x19, x19, #0xff
	ldr	x20, =MAILBOX
	add	x20, x20, x19, lsl #5
	cbnz	x19, up
	ldr	x21, =NCPUS
	ldr	w21, [x21]
	mov	w22, #1
start_next:
	cmp	w22, w21
	b.hs	up
	ldr	x0, =0xc4000003			/* PSCI CPU_ON(target, entry, context) */
	mov	w1, w22
	adr	x2, _start
	mov	x3, #0
	mrs	x4, currentel
	cmp	x4, #4				/* EL1, or EL2 for GICv4 */
	b.eq	1f
	smc	#0
	b	2f
1:	hvc	#0
2:
	add	w22, w22, #1
	b	start_next
up:
	mov	x0, #0xff
	msr	ICC_PMR_EL1, x0
	mov	x0, #1
	msr	ICC_IGRPEN1_EL1, x0
	isb
	mov	w23, #0				/* the request seen last */
	mov	w0, #1
	str	w0, [x20, #16]
poll:
	yield
	ldr	w24, [x20]
	cmp	w24, w23
	b.eq	poll
	dmb	sy
	ldr	w0, [x20, #4]
	ldr	x1, [x20, #8]
	adr	x2, table
	add	x2, x2, x0, lsl #3
	br	x2
table:
	mrs	x1, ICC_IAR1_EL1		/* 0 */
	b	stored
	msr	ICC_EOIR1_EL1, x1		/* 1 */
	b	stored
	mrs	x1, ICC_HPPIR1_EL1		/* 2 */
	b	stored
	msr	ICC_PMR_EL1, x1			/* 3 */
	b	stored
	mrs	x1, isr_el1			/* 4 */
	b	stored
stored:
	isb
	str	x1, [x20, #8]
	dmb	sy
	mov	w23, w24
	str	w23, [x20, #16]
	b	poll
