// SPDX-License-Identifier: BSD-2-Clause
//
// s2_start.S - entry at EL2, the way into EL1 and back, and what runs there.
//
// enter_el1(pc, x0, x2, out): runs the stub at pc until it comes back to EL2; out[0..5] = x2, and
// ESR, FAR and HPFAR of EL2, ESR and FAR of EL1. try_at(address, write): PAR_EL1, or with bit 63
// set, the ESR of the exception that the instruction took.

	.section .text.start, "ax"
	.global _start
_start:
	ldr	x1, =stack_top
	mov	sp, x1
	ldr	x1, =el2_vectors
	msr	vbar_el2, x1
	isb
	bl	main
power_off:
	ldr	x0, =0x84000008		// PSCI SYSTEM_OFF
	smc	#0
	b	power_off

	.text
	.global enter_el1
enter_el1:
	sub	sp, sp, #112
	stp	x19, x20, [sp]
	stp	x21, x22, [sp, #16]
	stp	x23, x24, [sp, #32]
	stp	x25, x26, [sp, #48]
	stp	x27, x28, [sp, #64]
	stp	x29, x30, [sp, #80]
	str	x3, [sp, #96]
	msr	elr_el2, x0
	mov	x4, #0x3c5		// EL1h, DAIF
	msr	spsr_el2, x4
	ldr	x4, =el1_vectors
	msr	vbar_el1, x4
	mov	x0, x1
	isb
	eret

from_el1:
	ldr	x3, [sp, #96]
	mrs	x4, esr_el2
	mrs	x5, far_el2
	mrs	x6, hpfar_el2
	mrs	x7, esr_el1
	mrs	x8, far_el1
	stp	x2, x4, [x3]
	stp	x5, x6, [x3, #16]
	stp	x7, x8, [x3, #32]
	ldp	x19, x20, [sp]
	ldp	x21, x22, [sp, #16]
	ldp	x23, x24, [sp, #32]
	ldp	x25, x26, [sp, #48]
	ldp	x27, x28, [sp, #64]
	ldp	x29, x30, [sp, #80]
	add	sp, sp, #112
	ret

	.global try_at
try_at:
	cbnz	x1, 1f
	at	s12e1r, x0
	b	2f
1:	at	s12e1w, x0
2:	isb
	mrs	x0, par_el1
	ret

// An exception at EL2: only an AT may take one.
from_el2:
	mrs	x0, esr_el2
	orr	x0, x0, #0x8000000000000000
	mrs	x1, spsr_el2
	ret				// to the caller of try_at: x30 is untouched

	.balign	2048
el2_vectors:
	.rept	4
	b	power_off
	.balign	128
	.endr
	b	from_el2
	.balign	128
	.rept	3
	b	power_off
	.balign	128
	.endr
	b	from_el1
	.balign	128
	.rept	7
	b	power_off
	.balign	128
	.endr

	.section .text.el1, "ax"
	.global stub
stub:
	ldr	x2, [x0]		// + 0: load
	hvc	#0
	str	x2, [x0]		// + 8: store
	hvc	#0
	br	x0			// + 16: fetch
	hvc	#0
	.balign	2048
el1_vectors:
	.rept	16
	hvc	#1
	.balign	128
	.endr
