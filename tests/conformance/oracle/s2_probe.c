// SPDX-License-Identifier: BSD-2-Clause
/*
 * s2_probe.c - an EL2 program that does what it is told to a machine's stage 2.
 *
 * Orders are records of four doublewords that a loader put at ORDERS; each is answered by one line
 * of hexadecimal numbers on the UART. It knows nothing of tables: who writes the orders does.
 *
 *	0			power off
 *	1 ADDRESS VALUE		store a doubleword of table memory
 *	2 ADDRESS		load one
 *	3 ADDRESS BYTES		zero
 *	4 VTCR VTTBR		write both, forget all translations
 *	5 IPA KIND VALUE	0 load, 1 store, 2 fetch at EL1: x2, ESR, FAR, HPFAR, ESR_EL1,
 *				FAR_EL1, and for a store the data doubleword that has the value
 *	6 IPA WRITE		AT: PAR_EL1, or 1 << 63 | ESR
 */
typedef unsigned long u64;

#define ORDERS		((const u64 *)0x50000000UL)
#define DATA		0x48000000UL
#define DATA_END	0x4a000000UL
#define CODE_OFFSET	0xff0UL
#define TWO_HVC		0xd4000002d4000002UL
#define UART		((volatile unsigned int *)0x09000000UL)

extern u64 stub[];
void enter_el1(u64 pc, u64 x0, u64 x2, u64 *out);
u64 try_at(u64 address, u64 write);
void main(void);

static volatile u64 *word(u64 address)
{
	return (volatile u64 *)address;
}

static void put(u64 value)
{
	int shift = 60;

	while (shift && !(value >> shift))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		*UART = (unsigned char)"0123456789abcdef"[value >> shift & 15];
	*UART = ' ';
}

static u64 natural(u64 address)
{
	return (address & 0xfff) == CODE_OFFSET ? TWO_HVC : address;
}

static u64 landed(u64 ipa, u64 value)
{
	u64 at;

	for (at = DATA + (ipa & 0xff8); at < DATA_END; at += 0x1000) {
		if (*word(at) != value)
			continue;
		*word(at) = natural(at);
		return at;
	}
	return 0;
}

static void access(const u64 *order)
{
	u64 out[6] = { 0 };
	int i;

	enter_el1((u64)stub + order[2] * 8, order[1], order[3], out);
	for (i = 0; i < 6; i++)
		put(out[i]);
	if (order[2] == 1)
		put(landed(order[1], order[3]));
}

static void obey(const u64 *order)
{
	u64 at;

	switch (order[0]) {
	case 1:
		*word(order[1]) = order[2];
		break;
	case 2:
		put(*word(order[1]));
		break;
	case 3:
		for (at = order[1]; at < order[1] + order[2]; at += 8)
			*word(at) = 0;
		break;
	case 4:
		__asm__ volatile("msr vtcr_el2, %0\n\tmsr vttbr_el2, %1\n\tisb" ::
				 "r"(order[1]), "r"(order[2]) : "memory");
		break;
	case 5:
		access(order);
		break;
	case 6:
		put(try_at(order[1], order[2]));
		break;
	}
	__asm__ volatile("dsb sy\n\ttlbi alle1\n\tdsb sy\n\tisb" ::: "memory");
	*UART = '\n';
}

void main(void)
{
	const u64 *order;
	u64 at;

	for (at = DATA; at < DATA_END; at += 8)
		*word(at) = natural(at);
	__asm__ volatile("msr sctlr_el1, %0" :: "r"(0x30d00800UL));	/* stage 1 off */
	__asm__ volatile("msr hcr_el2, %0\n\tisb" :: "r"(1UL << 31 | 1));	/* RW, VM */
	for (order = ORDERS; order[0]; order += 4)
		obey(order);
}
