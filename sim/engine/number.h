/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/engine/number.h - unsigned numbers as people write them in options and configurations.
 *
 * Decimal digits with `_` between digits, or hexadecimal after 0x; then at most one suffix: k M G T
 * (powers of 1000) or Ki Mi Gi Ti (powers of 1024). Anything else is refused: a sign, blanks, an
 * exponent, a leading zero, an overflow of 64 bits.
 */
#ifndef SIM_ENGINE_NUMBER_H
#define SIM_ENGINE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/** sim_number_parse() - false, with *value untouched, if @text is not such a number */
bool sim_number_parse(const char *text, uint64_t *value);

#endif
