/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/machine/hdbss.h - FEAT_HDBSS: the log that a CPU's walker keeps of the leaves it sets dirty.
 *
 *	HDBSSBR_EL2	BADDR [55:12], SZ [3:0]: a buffer of 4 KiB << SZ, 512 to 262,144 entries
 *	HDBSSPROD_EL2	INDEX [18:0]: the next entry; FSC [31:26]: 0, or what went wrong
 *	entry		valid [0], IPA [55:12]
 *	VTCR_EL2.HDBSS	bit 45; counts with HA and HD only
 *
 * H1  The entry is in memory before the leaf is dirty, and INDEX passes it after. A leaf that the
 *     hardware set dirty while the log was on has its entry; there may be one too many, where the
 *     update lost to somebody else's.
 * H2  With INDEX at the end, or a buffer that cannot be written, nothing is set dirty: the store
 *     aborts (SIM_FAULT_HDBSS), and may be tried again when there is room.
 * H3  The hardware masks the bits of BADDR below the buffer's size, and so writes somewhere else
 *     than a misaligned base says. sim_hdbss_encode(), which is software's, refuses one.
 * H4  Registers reset to zero: a log that is switched on before it has a buffer writes to address
 *     0. So the order is: buffer, registers, VTCR, DBM; and backwards: DBM gone or no longer
 *     wanted, drained, VTCR, registers, buffer. The registers are the CPU's: one that is in the
 *     guest keeps those it was entered with, whatever a kick was meant to tell it.
 *
 * Concurrency: a log belongs to one CPU; software drains it when that CPU has left the guest.
 * Sources: Arm ARM (DDI 0487, Armv9.5) and the KVM arm64 HDBSS series; that the abort is a
 * permission fault with ESR_EL2.ISS2.HDBSSF is from memory of them.
 */
#ifndef SIM_MACHINE_HDBSS_H
#define SIM_MACHINE_HDBSS_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/status.h"

#define SIM_HDBSS_ENTRIES_MIN	512u
#define SIM_HDBSS_ENTRIES_MAX	262144u
#define SIM_HDBSS_VALID		((uint64_t)1 << 0)
#define SIM_HDBSS_ADDRESS	((((uint64_t)1 << 56) - 1) & ~(uint64_t)0xfff)
#define SIM_HDBSS_FSC_EABORT	0x10u

/**
 * struct sim_hdbss - the log of one CPU
 * @br: HDBSSBR_EL2
 * @index: HDBSSPROD_EL2.INDEX
 * @fsc: HDBSSPROD_EL2.FSC
 * @memory: the 8 bytes at a physical address; NULL where nothing answers
 * @memory_ctx: passed to it
 * @appended: entries that went with an update
 * @refused: stores that aborted
 */
struct sim_hdbss {
	uint64_t br;
	uint32_t index;
	uint8_t fsc;
	uint64_t *(*memory)(void *ctx, uint64_t pa);
	void *memory_ctx;
	uint64_t appended;
	uint64_t refused;
};

/**
 * sim_hdbss_encode() - HDBSSBR_EL2 for a buffer
 * @base_pa: a multiple of the buffer's size, at most 56 bits
 * @nentries: a power of two, SIM_HDBSS_ENTRIES_MIN to SIM_HDBSS_ENTRIES_MAX
 *
 * Return: WEIR_OK; WEIR_EINVAL, with *br as it was.
 */
enum weir_status sim_hdbss_encode(uint64_t base_pa, uint64_t nentries, uint64_t *br);

/** sim_hdbss_base() - where the hardware writes; sim_hdbss_capacity() - how many entries */
uint64_t sim_hdbss_base(const struct sim_hdbss *h);
uint32_t sim_hdbss_capacity(const struct sim_hdbss *h);

/** sim_hdbss_full() - whether the next dirty update aborts for want of room */
bool sim_hdbss_full(const struct sim_hdbss *h);

/** sim_hdbss_prepare() - hardware: the entry goes into memory; false: the store aborts */
bool sim_hdbss_prepare(struct sim_hdbss *h, uint64_t ipa);

/** sim_hdbss_advance() - hardware: the leaf is dirty now */
void sim_hdbss_advance(struct sim_hdbss *h);

/**
 * sim_hdbss_read() - software: entry i of those below the index
 *
 * Return: the entry; 0, which is not a valid one, where memory does not answer.
 */
uint64_t sim_hdbss_read(const struct sim_hdbss *h, uint32_t i);

/** sim_hdbss_rewind() - software has drained it: INDEX and FSC go to 0 */
void sim_hdbss_rewind(struct sim_hdbss *h);

#endif
