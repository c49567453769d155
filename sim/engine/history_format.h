/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/engine/history_format.h - the layout of a trace file, shared by history.c and history_read.c.
 *
 * After decompression:
 *
 *	magic		"WEIRTRC" and the version as a digit
 *	u32		number of kinds, little-endian, then for each: u32 kind, and four
 *			NUL-terminated names: of the kind, of its actor, of its a, of its b
 *	records		five varints each: kind, step of time_ns, actor, a, b
 *	end record	kind SIM_HISTORY_KIND_END, a = number of records before it, all else 0
 *
 * A varint has seven bits a byte, the lowest first, the top bit set in all but the last byte. A
 * step is time_ns less that of the record before (0 before the first), modulo 2^64, in zigzag: 0,
 * -1, 1, -2 are 0, 1, 2, 3. In this form zstd takes a third of the time, and a quarter of the
 * bytes, that it takes for the records as they lie in memory.
 */
#ifndef SIM_ENGINE_HISTORY_FORMAT_H
#define SIM_ENGINE_HISTORY_FORMAT_H

#define SIM_TRACE_MAGIC_STEM "WEIRTRC"
#define SIM_TRACE_VERSION "1"
#define SIM_TRACE_MAGIC SIM_TRACE_MAGIC_STEM SIM_TRACE_VERSION
#define SIM_TRACE_MAGIC_BYTES 8u
#define SIM_TRACE_VARINT_BYTES_MAX 10u
#define SIM_TRACE_RECORD_BYTES_MAX (5u * SIM_TRACE_VARINT_BYTES_MAX)

#endif
