/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/engine/history_format.h - the layout of a trace file, shared by history.c and history_read.c.
 *
 * After decompression, all numbers little-endian:
 *
 *	magic		"WEIRTRC" and the version as a digit
 *	u32		bytes of a record, 32
 *	u32		number of kinds, then for each: u32 kind, and four NUL-terminated names: of
 *			the kind, of its actor, of its a, of its b
 *	records		u64 time_ns, u32 kind, u32 actor, u64 a, u64 b
 *	end record	kind SIM_HISTORY_KIND_END, a = number of records before it, all else 0
 */
#ifndef SIM_ENGINE_HISTORY_FORMAT_H
#define SIM_ENGINE_HISTORY_FORMAT_H

#include <stdint.h>

#include "sim/engine/history.h"

#define SIM_TRACE_MAGIC_STEM "WEIRTRC"
#define SIM_TRACE_VERSION "1"
#define SIM_TRACE_MAGIC SIM_TRACE_MAGIC_STEM SIM_TRACE_VERSION
#define SIM_TRACE_MAGIC_BYTES 8u
#define SIM_TRACE_RECORD_BYTES 32u

/* A digest as text. */
void sim_digest_hex(const uint8_t digest[SIM_DIGEST_BYTES], char out[SIM_DIGEST_HEX_BYTES]);

#endif
