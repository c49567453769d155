/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/engine/wide.h - the 128-bit unsigned integer, which C11 has no name for.
 *
 * Hosted code only: its division is a call of the compiler's library.
 */
#ifndef SIM_ENGINE_WIDE_H
#define SIM_ENGINE_WIDE_H

__extension__ typedef unsigned __int128 sim_u128;

#endif
